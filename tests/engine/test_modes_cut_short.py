"""Taking back who may execute a file, cut short at any step: it is done, or it waits."""

from __future__ import annotations

import shutil
from itertools import count
from pathlib import Path

import pytest
from tests.engine.kit import OpenDeck, digest_of

from reviewdeck.engine import reverse
from reviewdeck.engine.changes import changes_since
from reviewdeck.errors import ReviewdeckError
from reviewdeck.model import State

STYLE = "skills/dev/release-notes/references/style.md"


class CutShort(BaseException):
    """As if the power went."""


class Cutter:
    """A probe that lets so many steps pass."""

    def __init__(self, left: int) -> None:
        self.left = left

    def __call__(self, step: str) -> None:
        self.left -= 1
        if self.left < 0:
            raise CutShort(step)


def test_a_mode_that_is_taken_back_is_so_or_waits_after_a_cut_at_any_step(
    open_at: OpenDeck, home: Path
) -> None:
    path = home / STYLE
    path.chmod(0o644)
    first = open_at(home)
    first.intake()
    ends = set()
    for steps in count():
        path.chmod(0o755)
        first.intake()
        (waiting,) = [item for item in first.pending() if item.state is State.LIVE]
        cut = open_at(home, probe=Cutter(steps))
        try:
            cut.take_back(waiting.id, f"no program, said {steps} times")
        except CutShort:
            is_through = False
        else:
            is_through = True
        after = open_at(home)
        after.recover()
        assert after.recover() == ()
        after.intake()
        is_back = path.stat().st_mode & 0o111 == 0
        states = {item.state for item in after.pending()}
        assert (State.LIVE in states) is not is_back
        assert after.ledger.verify() is None
        ends.add(is_back)
        if is_through:
            assert is_back
            break
        path.chmod(0o644)
        after.intake()
    assert ends == {True, False}


def test_a_mode_that_changes_before_it_is_written_is_not_overwritten(
    open_at: OpenDeck, home: Path
) -> None:
    path = home / STYLE
    path.chmod(0o644)
    deck = open_at(home)
    deck.intake()
    path.chmod(0o755)
    deck.intake()
    (waiting,) = deck.pending()
    taken = deck.take_back(waiting.id, "no program")
    assert taken is not None
    path.unlink()
    shutil.copy(home / "memories/USER.md", path)
    with pytest.raises(ReviewdeckError):
        deck.undo(taken.id)
    assert path.stat().st_mode & 0o111 == 0


def test_what_was_learnt_of_a_document_is_reverted_with_its_mode(
    open_at: OpenDeck, home: Path
) -> None:
    path = home / STYLE
    path.chmod(0o644)
    deck = open_at(home)
    deck.intake()
    path.chmod(0o755)
    deck.intake()
    (waiting,) = deck.pending()
    deck.keep(waiting.id, digest_of(deck, waiting.id))
    (one,) = changes_since(deck.ledger, deck.open_homes[0].home, lambda _: None)
    revert = reverse.store(deck, reverse.revert(deck, one, None, "no program"))
    assert revert.digest is not None
    deck.approve(revert.proposal.id, revert.digest)
    assert path.stat().st_mode & 0o777 == 0o644
