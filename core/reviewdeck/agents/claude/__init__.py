"""The gate inside Claude Code, which starts it as a hook before and after its tools."""
