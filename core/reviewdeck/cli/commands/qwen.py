"""`reviewdeck qwen`: installs, inspects and removes the gate before what Qwen Code writes."""

from __future__ import annotations

from reviewdeck.cli.gate_commands import commands_of
from reviewdeck.homes.qwen.agent import QWEN

install, uninstall, status = commands_of(QWEN)
