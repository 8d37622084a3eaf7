"""Widgets of the deck, painted line by line."""
