"""The programs of ours that run inside other agents, with nothing but the standard library.

`hermes/` is copied whole into a home of Hermes, whose own Python loads it as a plugin; so the kit
that all share lies in it. `gated/` is started by other agents before and after their tools.
"""
