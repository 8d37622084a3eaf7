"""Looking without the whole deck: only where nothing moved, and never with an older answer."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from tests.cli.program import Program

from reviewdeck.bootstrap import open_engine, open_unchanged
from reviewdeck.engine.options import PolicyPlace, Settings
from reviewdeck.engine.stamp import program_digest
from reviewdeck.environment import settings_in
from reviewdeck.errors import HomeReadOnly, LedgerUnavailable
from reviewdeck.ledger.place import address_of
from reviewdeck.model import State
from reviewdeck.presentation.inspection import inspect
from reviewdeck.presentation.situation import home_statuses

NO_KEYS = "operators-that-nobody-has"


def settings(program: Program, tmp_path: Path) -> Settings:
    """What the program is run with."""
    found = settings_in(program.home, ledger=str(program.ledger), env=os.environ)
    return replace(
        found, operators=tmp_path / NO_KEYS, policy=PolicyPlace(tmp_path / "policy.toml")
    )


def is_viewed(found: Settings) -> bool:
    """Whether a view will do."""
    view = open_unchanged(found)
    if view is not None:
        view.close()
    return view is not None


@pytest.fixture
def known(demo: Program, tmp_path: Path) -> Settings:
    """A home that was just taken in."""
    found = settings(demo, tmp_path)
    with closing(open_engine(found)) as deck:
        deck.intake()
    return found


def test_a_view_says_of_everything_what_the_whole_deck_says(known: Settings) -> None:
    view = open_unchanged(known)
    assert view is not None
    with closing(open_engine(known)) as deck, closing(view):
        now = deck.now()
        assert home_statuses(view, "l", now) == home_statuses(deck, "l", now)
        assert view.since() == deck.since()
        assert view.pending(tuple(State)) == deck.pending(tuple(State))
        for item in view.pending():
            mine, whole = inspect(view, item.id), inspect(deck, item.id)
            assert replace(mine, snapshot=whole.snapshot) == whole


def test_an_engine_that_was_opened_to_look_writes_neither_a_home_nor_the_ledger(
    known: Settings,
) -> None:
    engine = open_unchanged(known)
    assert engine is not None
    with closing(engine):
        ready, *_ = engine.pending([State.READY])
        before = engine.log()
        digest = engine.get(ready.id).digest
        assert digest is not None
        for attempt in (
            lambda: engine.approve(ready.id, digest),
            lambda: engine.defer(ready.id),
            lambda: engine.reject(ready.id, "no"),
            lambda: engine.ledger.pin("paused", "dana"),
            lambda: engine.open_homes[0].writer.note_pause("dana"),
        ):
            with pytest.raises((LedgerUnavailable, HomeReadOnly)):
                attempt()
        assert engine.log() == before
        assert engine.find(ready.id).state is State.READY


def _memory(found: Settings) -> None:
    with (found.homes[0] / "memories" / "MEMORY.md").open("a") as memory:
        memory.write("\n§\nOne more.")


def _record(found: Settings) -> None:
    next((found.homes[0] / "pending" / "memory").glob("*.json")).unlink()


def _policy(found: Settings) -> None:
    assert found.policy is not None
    found.policy.path.write_text("version = 1\n")


def _keys(found: Settings) -> None:
    assert found.operators is not None
    found.operators.mkdir()
    (found.operators / "operators.jsonl").write_text("{}\n")


def _turns(found: Settings) -> None:
    spool = address_of(found.ledger).spool
    spool.mkdir()
    (spool / "left.turns").write_bytes(b"")


def _copy(found: Settings) -> None:
    mark = found.homes[0] / ".reviewdeck" / "identity"
    mark.parent.mkdir(exist_ok=True)
    with closing(sqlite3.connect(found.ledger)) as ledger, ledger:
        mark.write_text(ledger.execute("SELECT mark FROM place").fetchone()[0])
        ledger.execute(
            "INSERT INTO place (home, path, number, mark)"
            " SELECT 'twin', path || '-twin', number || '0', mark FROM place"
        )


def _swap(found: Settings) -> None:
    there = found.homes[0]
    shutil.copytree(there, there.with_name("twin"))
    there.rename(there.with_name("before"))
    there.with_name("twin").rename(there)


def _other_program(found: Settings) -> None:
    with closing(sqlite3.connect(found.ledger)) as ledger, ledger:
        changed = ledger.execute(
            "UPDATE home SET stamp = replace(stamp, ?, 'other')", (program_digest(),)
        )
        assert changed.rowcount == 1


def _older(found: Settings) -> None:
    with closing(sqlite3.connect(found.ledger)) as ledger, ledger:
        ledger.execute("UPDATE alembic_version SET version_num = '0001'")


def _damage(found: Settings) -> None:
    Path(found.ledger).write_bytes(b"no database at all" * 100)


def _no_ledger(found: Settings) -> None:
    for file in Path(found.ledger).parent.glob("*.db*"):
        file.unlink() if file.is_file() else shutil.rmtree(file)


MOVES = (
    _memory,
    _record,
    _policy,
    _keys,
    _turns,
    _copy,
    _swap,
    _other_program,
    _older,
    _damage,
    _no_ledger,
)


@pytest.mark.parametrize("move", MOVES)
def test_where_something_moved_or_is_due_only_the_whole_deck_will_do(
    known: Settings, move: Callable[[Settings], None]
) -> None:
    assert is_viewed(known)
    move(known)
    assert not is_viewed(known)
