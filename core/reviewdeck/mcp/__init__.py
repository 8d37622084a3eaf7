"""Memory and skills over MCP: an agent reads and proposes, and an operator decides.

Nothing here can decide or write a home; an import rule enforces it.
"""
