"""`reviewdeck gemini`: installs, inspects and removes the gate before what Gemini CLI writes."""

from __future__ import annotations

from reviewdeck.cli.gate_commands import commands_of
from reviewdeck.homes.gemini.agent import GEMINI

install, uninstall, status = commands_of(GEMINI)
