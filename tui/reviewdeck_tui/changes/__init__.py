"""The pure view models of the agent's changes."""
