"""A home with a gate of ours before what its agent writes: what such agents share.

An agent whose gate is a hook like Claude Code's brings a `hooked.HookedAgent`.
"""
