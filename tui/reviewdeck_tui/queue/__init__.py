"""What the queue shows, as values."""
