"""Controllers: parts of a screen with state of their own."""
