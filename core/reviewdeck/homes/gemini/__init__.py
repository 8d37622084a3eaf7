"""Gemini CLI's instructions, memories and skills as a home, its inbox, and the gate before it.

Its hooks are shaped like Claude Code's: here is what differs.
"""
