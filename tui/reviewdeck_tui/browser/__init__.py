"""The deck in a browser on the operator's own machine."""
