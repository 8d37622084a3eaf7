"""What changed since an operator last looked, as values."""
