"""The pure view models of the insights."""
