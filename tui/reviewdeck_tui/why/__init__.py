"""The live lines that a sentence may come from, as cards."""
