"""OpenClaw: a workspace, and the folder of state beside it."""
