"""What all drafts come to together, as values."""
