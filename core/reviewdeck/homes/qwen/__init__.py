"""Qwen Code's instructions, memories and skills as a home, and the gate before it writes them.

Its folders, hooks and transcripts are shaped like Claude Code's: here is what differs.
"""
