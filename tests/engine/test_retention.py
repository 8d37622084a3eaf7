"""Old texts go; whatever can still be needed stays."""

from __future__ import annotations

import itertools
import json
import tempfile
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.engine.kit import MEMORY, OPERATOR, Agent, Ticking, digest_of, set_entries, skill_text

from reviewdeck.bootstrap import open_engine
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.options import Settings
from reviewdeck.errors import NotDecidable, ReviewdeckError
from reviewdeck.ledger.inspection import find_damage
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.ledger.retention import prune
from reviewdeck.model import (
    ABSENT,
    Began,
    Lineage,
    Message,
    OperationState,
    Role,
    State,
    Transcript,
    Turn,
    TurnBatch,
)

KEEP = timedelta(days=90)


class Calendar(Ticking):
    """A clock that can be moved on by days."""

    def pass_by(self, days: float) -> None:
        self.moment += timedelta(days=days)


@dataclass
class Place:
    """A home that is used over a year."""

    root: Path
    clock: Calendar = field(default_factory=Calendar)

    def __post_init__(self) -> None:
        self.home = self.root / "home"
        (self.home / "memories").mkdir(parents=True)
        set_entries(self.home, "Tests run with tox.", "The staging host is stg-0.")
        skill = self.home / "skills" / "dev" / "release-notes"
        skill.mkdir(parents=True)
        (skill / "SKILL.md").write_text(skill_text("release-notes"), "utf-8")
        self.agent = Agent(self.home, self.clock)
        self.ledger = str(self.root / "ledger.db")
        place = Settings((self.home,), self.ledger, self.root, actor=OPERATOR)
        self.deck: Engine = open_engine(place, now=self.clock)
        self.deck.intake()
        self.numbers = itertools.count(1)

    def approve_open(self) -> None:
        """Approves what is ready."""
        for item in self.deck.pending():
            try:
                self.deck.approve(item.id, digest_of(self.deck, item.id))
            except (ReviewdeckError, AssertionError):
                continue  # A conflict, or dead: it stays open.

    def replace_host(self) -> None:
        """The agent finds that the host is another one, and a person agrees."""
        self.agent.replace("staging host", f"The staging host is stg-{next(self.numbers)}.")
        self.deck.intake()
        self.approve_open()

    def patch_skill(self) -> None:
        """A patch of a skill that is approved."""
        text = (self.home / "skills/dev/release-notes/SKILL.md").read_text("utf-8")
        last = text.rstrip().rpartition("\n")[2]
        new = f"{len(text) % 9}. Step number {next(self.numbers)}."
        self.agent.skill("patch", "release-notes", old_string=last, new_string=new)
        self.deck.intake()
        self.approve_open()

    def leave_open(self) -> None:
        """Something that nobody decides, with the text that its author saw."""
        self.agent.replace(
            "Tests run",
            f"Tests run with nox {next(self.numbers)}.",
            bases=self.agent.base_of(MEMORY),
        )
        self.deck.intake()

    def edit_by_hand(self) -> None:
        """Somebody writes the memory outside review."""
        text = (self.home / MEMORY).read_text("utf-8")
        (self.home / MEMORY).write_text(f"{text}\n§\nBy hand {next(self.numbers)}.", "utf-8")
        self.deck.intake()

    def undo_last(self) -> None:
        """Takes the newest operation back, where that is possible."""
        done = [one for one in self.deck.operations() if one.undone_by is None]
        if done:
            try:
                self.deck.undo(done[0].id)
            except ReviewdeckError:
                return

    def reject_open(self) -> None:
        """Turns everything down that waits."""
        for item in self.deck.pending():
            if item.state is State.LIVE:
                self.deck.take_back(item.id, "no")
            else:
                self.deck.reject(item.id, "no")


DEEDS = (
    Place.replace_host,
    Place.patch_skill,
    Place.leave_open,
    Place.edit_by_hand,
    Place.undo_last,
    Place.reject_open,
)


@given(
    st.lists(st.tuples(st.sampled_from(DEEDS), st.integers(0, 60)), min_size=3, max_size=10),
    st.integers(1, 120),
)
@settings(
    max_examples=12,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@pytest.mark.slow
def test_pruning_takes_nothing_that_can_be_needed(
    tmp_path: Path, deeds: list[tuple[object, int]], keep: int
) -> None:
    place = Place(Path(tempfile.mkdtemp(dir=tmp_path)))
    deck, home = place.deck, str(place.home.resolve())
    for deed, days in deeds:
        assert callable(deed)
        deed(place)
        place.clock.pass_by(days)
    floor = place.clock.moment - timedelta(days=keep)
    open_before = {item.id: _looks(deck, item.id) for item in deck.pending()}
    young = [one for one in deck.operations() if one.started_at >= floor]

    prune(place.ledger, keep=timedelta(days=keep), now=place.clock)
    prune(place.ledger, keep=timedelta(days=keep), now=place.clock)

    assert find_damage(place.ledger) == ()
    assert deck.ledger.verify() is None
    assert {item.id: _looks(deck, item.id) for item in deck.pending()} == open_before
    for seen in deck.ledger.latest(home).values():
        assert seen.revision == ABSENT or deck.ledger.content(seen.revision) is not None
    for operation in young:
        for change in operation.changes:
            for revision in (change.before, change.after):
                assert revision == ABSENT or deck.ledger.content(revision) is not None
    live = (place.home / MEMORY).read_text("utf-8").split("\n§\n")
    assert [part.text for part in deck.blame(MEMORY)] == live
    assert deck.since(floor) is not None
    assert deck.recover() == ()
    for operation in deck.operations():
        if operation.state is OperationState.DONE and operation.undone_by is None:
            _undo_or_say_why(place, operation.id)
    deck.close()


def _looks(deck: Engine, id: str) -> tuple[str, str | None, str]:
    evaluation = deck.get(id)
    return evaluation.state.value, evaluation.digest, evaluation.reason


def _undo_or_say_why(place: Place, operation: str) -> None:
    """An undo works or changes nothing; it never takes a pruned text for no document."""
    before = (place.home / MEMORY).read_bytes()
    try:
        place.deck.undo(operation)
    except NotDecidable:
        assert (place.home / MEMORY).read_bytes() == before
    assert (place.home / MEMORY).exists()
    assert (place.home / "skills/dev/release-notes/SKILL.md").exists()


def test_an_undo_of_texts_that_are_gone_says_so(tmp_path: Path) -> None:
    place = Place(tmp_path / "place")
    place.replace_host()
    (old,) = place.deck.operations()
    for _ in range(3):
        place.clock.pass_by(60)
        place.replace_host()
    assert prune(place.ledger, keep=KEEP, now=place.clock).texts > 0
    before = (place.home / MEMORY).read_bytes()
    with pytest.raises(NotDecidable, match="not kept any more"):
        place.deck.undo(old.id)
    assert (place.home / MEMORY).read_bytes() == before
    newest = place.deck.operations(limit=1)[0]
    assert place.deck.undo(newest.id).undoes == newest.id
    place.deck.close()


def test_what_came_before_is_not_ascribed_to_whoever_came_after(tmp_path: Path) -> None:
    place = Place(tmp_path / "place")
    for _ in range(6):
        place.replace_host()
        place.clock.pass_by(40)
    prune(place.ledger, keep=KEEP, now=place.clock)
    first, last = place.deck.blame(MEMORY)
    assert first.text == "Tests run with tox."
    assert first.added_by.operation is None
    assert last.added_by.operation is not None
    rows = [row for one in place.deck.since(datetime(2026, 1, 1, tzinfo=UTC)) for row in one.rows]
    assert "Tests run with tox." not in [row.text for row in rows if row.kind == "added"]
    place.deck.close()


def test_old_turns_go_unless_a_proposal_that_counts_is_behind_them(tmp_path: Path) -> None:
    place = Place(tmp_path)
    ledger, start = place.deck.ledger, place.clock()
    lines = {
        "behind-open": Lineage("behind-open", "before-that", Began.COMPRESSION),
        "before-that": Lineage("before-that"),
        "behind-none": Lineage("behind-none"),
        "behind-old": Lineage("behind-old"),
    }
    turn = Turn(0, start, (Message(Role.USER, "x" * 1_000),))
    kept = [
        TurnBatch(Transcript(name, of, start, start, 1, 1), (turn,)) for name, of in lines.items()
    ]
    assert isinstance(ledger, Ledger)
    ledger.retain(kept)
    for name, text in (("behind-old", "nox"), ("behind-open", "pytest")):
        id = place.agent.replace("Tests run", f"Tests run with {text}.")
        path = place.home / "pending" / "memory" / f"{id}.json"
        record = json.loads(path.read_text("utf-8")) | {"reviewdeck": {"v": 1, "session": name}}
        path.write_text(json.dumps(record), "utf-8")
        place.deck.intake()
        if name == "behind-old":
            place.reject_open()
            place.clock.pass_by(1)
    assert prune(place.ledger, keep=KEEP, now=place.clock).texts == 0
    place.clock.pass_by(100)
    done = prune(place.ledger, keep=KEEP, now=place.clock)
    assert done.texts >= 1 and done.size >= 1_000
    left = {name for name in lines if ledger.transcripts(name)}
    assert left == {name for name in lines if ledger.turns(name)}
    assert {"behind-open", "before-that"} <= left
    assert "behind-none" not in left
    assert not find_damage(place.ledger)
    place.reject_open()
    place.clock.pass_by(100)
    prune(place.ledger, keep=KEEP, now=place.clock)
    assert not any(ledger.transcripts(name) for name in lines)
    place.deck.close()
