"""What is shown of one proposal, as values."""
