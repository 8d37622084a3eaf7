"""The gate inside Claude Code: a program that Claude Code starts before and after its tools.

It runs in a `python -I -S` that knows this folder as a package of its own. So it uses the standard
library alone, imports nothing of reviewdeck, and only what is loaded quickly: it stands in the way
of every call of a tool.
"""
