"""The gate inside Claude Code: a program that Claude Code starts before and after its tools.

It runs in a `python -I -S`. So it uses only the standard library, and only what loads quickly: it
delays every tool call. It shares two modules with the rest of reviewdeck: the kit of the programs
inside other agents, and `reviewdeck.text.shell`, which it loads only for a command that may name a
document.
"""
