"""What a screen holds: parts of it with a life of their own."""
