"""The gate that runs as a hook of Gemini CLI: Claude Code's, told in other words."""
