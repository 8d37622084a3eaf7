"""The plain-form rules of the gate, one file for each family."""
