"""A merge in an operator's hands, as values."""
