"""The gate inside Claude Code: a program that Claude Code starts before and after its tools.

It runs in a `python -I -S` that imports this folder as a package of its own. So it uses only the
standard library, and only what loads quickly: it delays every tool call. It shares one module with
the rest of reviewdeck, `reviewdeck.text.shell`, and loads it only for a command that may name a
document.
"""

import sys

if __name__ == "hook":  # Started by Claude Code: `reviewdeck` itself is not on the path yet.
    sys.path.append(__file__.rsplit("/", 5)[0])
