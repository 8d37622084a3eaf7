"""The gate: what the programs that agents start before and after their tools have in common.

It runs in a `python -I -S`. So it uses only the standard library, and only what loads quickly: it
delays every tool call. It shares two modules with the rest of reviewdeck: the kit of the programs
inside other agents, and `reviewdeck.text.shell`, which it loads only for a command that may name a
document. Every event has Claude Code's words here: each agent's own gate translates its events.
"""
