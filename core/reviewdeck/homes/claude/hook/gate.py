"""What entries in Claude Code's settings start that name this folder: the gate was here once."""

import sys

sys.path.append(__file__.rsplit("/", 5)[0])
from reviewdeck.agents.claude.gate import main as main
