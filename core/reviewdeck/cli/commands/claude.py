"""`reviewdeck claude`: installs, inspects and removes the gate before what Claude Code writes."""

from __future__ import annotations

from reviewdeck.cli.gate_commands import commands_of
from reviewdeck.homes.claude.agent import CLAUDE

install, uninstall, status = commands_of(CLAUDE)
