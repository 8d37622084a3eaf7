"""The pure view models of the report."""
