"""The gate inside Claude Code: a program that Claude Code starts before and after its tools.

It runs as `python -I -S` on this folder, so it uses the standard library alone, imports nothing of
reviewdeck, and only what starts quickly: it stands in the way of every call of a tool.
"""
