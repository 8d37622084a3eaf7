"""The pure view models of a merge."""
