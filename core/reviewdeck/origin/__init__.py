"""Where a proposal comes from, what the user said, and what the author saw. Pure."""
