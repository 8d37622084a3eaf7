"""Memory and skills for an agent that speaks MCP: it proposes and looks, and an operator decides.

Nothing in here reaches what decides or writes a home; the import rules hold it to that.
"""
