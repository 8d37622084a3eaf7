"""Files below an open directory: read without following links, written by compare-and-swap."""

OURS = ".reviewdeck"
"""Our own folder in a home; it contains no document."""
