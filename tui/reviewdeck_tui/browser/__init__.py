"""The deck in a browser of one's own machine."""
