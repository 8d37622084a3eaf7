"""The queue over time, as values."""
