"""The documents of the homes, as values."""
