"""The gate inside Claude Code: a program that Claude Code starts before and after its tools.

It runs in a `python -I -S` that imports this folder as a package of its own. So it uses only the
standard library, imports nothing of reviewdeck, and only what loads quickly: it delays every tool
call.
"""
