"""The pure view models of the queue."""
