"""The deck's screens."""
