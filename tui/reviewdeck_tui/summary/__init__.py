"""The pure view models of the summary."""
