"""An agent proposes a skill for a folder of skills that several agents read."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.conftest import agent, clock, open_at
from tests.engine.kit import OpenDeck, skill_text
from tests.mcp.conftest import call, session
from tests.mcp.kit import Caller

from reviewdeck.engine.engine import Engine

__all__ = ["agent", "call", "clock", "open_at", "session"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "project" / ".claude" / "skills"
    (root / "notes").mkdir(parents=True)
    (root / "notes" / "SKILL.md").write_text(skill_text("notes"), "utf-8")
    return root


@pytest.fixture
def deck(open_at: OpenDeck, folder: Path) -> Engine:
    deck = open_at(folder)
    deck.intake()
    return deck


def test_a_proposed_skill_waits_and_lies_in_the_folder_once_it_is_approved(
    call: Caller, deck: Engine, folder: Path
) -> None:
    answer = call.skill("create", "release", text=skill_text("release"))
    assert answer.content["state"] == "pending"
    (item,) = deck.pending()
    digest = deck.get(item.id).digest
    assert digest is not None
    deck.approve(item.id, digest)
    assert (folder / "release" / "SKILL.md").read_text("utf-8") == skill_text("release")
    assert (folder / "release" / "SKILL.md").stat().st_mode & 0o777 == 0o644
