"""One file per command: its arguments, its words, its exit code."""
