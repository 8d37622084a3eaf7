"""A copy that a provider's sync left beside a memory is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from reviewdeck.clock import utc_now
from reviewdeck.homes.hermes.home import HermesHome

COPIES = (
    "MEMORY.sync-conflict-20261128-101500-ABCDEF2.md",
    "MEMORY (Dana's conflicted copy 2026-11-28).md",
    "MEMORY (conflicted copy 2026-11-28 101500).md",
    "USER_conflict-20261128-101500.md",
    "USER-DESKTOP-A1B2C3.md",
    "MEMORY 2.md",
)
OTHERS = ("MEMORY.md.lock", "NOTES.md", "MEMORY-old.md", "MEMORY.md.bak")


@pytest.mark.parametrize("name", (*COPIES, *OTHERS))
def test_a_copy_of_a_sync_beside_a_memory_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "memories").mkdir()
    for file in ("MEMORY.md", "USER.md", name):
        (tmp_path / "memories" / file).write_text("A fact.")
    home = HermesHome(tmp_path, env={}, user_home=tmp_path, clock=utc_now)
    named = [line for line in home.cautions if line.startswith(f"memories/{name} is a copy")]
    assert len(named) == (name in COPIES)
