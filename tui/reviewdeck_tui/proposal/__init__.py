"""The pure view models of one proposal."""
