"""A document that became something else, and a home that is gone, take nothing with them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.engine.kit import MEMORY

from reviewdeck.engine.engine import Engine
from reviewdeck.errors import HomeUnavailable
from reviewdeck.model import QueueItem, State, revision_of

SKILL = "skills/dev/release-notes/SKILL.md"


def as_link(path: Path) -> None:
    path.symlink_to("/etc/hostname")


def as_pipe(path: Path) -> None:
    os.mkfifo(path)


@pytest.mark.parametrize(
    ("path", "become"),
    [
        (MEMORY, as_pipe),  # A memory may be a link: operators keep it among their dotfiles.
        (MEMORY, Path.mkdir),
        (SKILL, as_link),
        (SKILL, as_pipe),
        (SKILL, Path.mkdir),
    ],
)
def test_a_file_that_became_something_else_is_a_problem_and_is_not_deleted(
    deck: Engine, home: Path, path: str, become: Callable[[Path], None]
) -> None:
    deck.intake()
    data = (home / path).read_bytes()
    (home / path).unlink()
    become(home / path)
    (taken,) = deck.intake()
    assert any(path in said for said in taken.problems) or path == SKILL
    assert deck.history(path)[-1].revision == revision_of(data)
    (home / path).rmdir() if (home / path).is_dir() else (home / path).unlink()
    (home / path).write_bytes(data)
    assert not live(deck)


def live(deck: Engine) -> list[QueueItem]:
    """What waits after another look."""
    deck.intake()
    return [item for item in deck.pending(limit=500) if item.state is State.LIVE]


def test_a_look_at_a_home_that_is_gone_says_so(deck: Engine, home: Path) -> None:
    deck.intake()
    shutil.rmtree(home)
    with pytest.raises(HomeUnavailable):
        deck.intake()
    assert all(one.revision != "absent" for one in deck.ledger.latest(str(home)).values())


def test_a_document_whose_path_is_too_long_for_a_key_is_named_and_not_taken_in(
    deck: Engine, home: Path
) -> None:
    deep = (home / SKILL).parent / "references" / "/".join("x" * 200 for _ in range(4))
    deep.mkdir(parents=True)
    (deep / "notes.md").write_text("It is far down.")
    (taken,) = deck.intake()
    assert any("more than 768 bytes" in said for said in taken.problems)
    known = deck.ledger.latest(deck.home_ids[0])
    assert known and max(map(len, known)) < 768
    assert not live(deck)
