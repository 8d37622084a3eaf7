"""The programs of ours that run inside other agents, with nothing but the standard library.

`hermes/` is copied whole into a home of Hermes, whose own Python loads it as a plugin; so the kit
that both share lies in it. `claude/` is started by Claude Code before and after its tools.
"""
