"""Claude Code's instructions, memories and skills as a home, and the gate before it writes them."""
