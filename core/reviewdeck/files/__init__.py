"""Files below an open directory: read without following links, written by compare-and-swap."""
