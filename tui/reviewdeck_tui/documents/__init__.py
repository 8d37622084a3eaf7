"""The pure view models of the documents."""
