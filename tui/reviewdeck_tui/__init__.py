"""The keyboard-driven terminal deck over the reviewdeck engine."""
