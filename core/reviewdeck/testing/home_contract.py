"""What every kind of home promises, as tests: a class of pytest to derive from.

    class TestNotes(HomeContract):
        def specimen(self, root: Path) -> Specimen:
            ...  # writes a home at `root`, and says what is in it

Each test opens the home as the program does, with a ledger beside it. The kind has to be one that
the program finds: built in, or an entry point of the group `reviewdeck.homes`.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from reviewdeck.bootstrap import compose_deck
from reviewdeck.clock import utc_now
from reviewdeck.engine.deck import Deck
from reviewdeck.engine.options import Settings
from reviewdeck.errors import HomeUnavailable, ReviewdeckError, StaleBase
from reviewdeck.homes.kinds import FoundHome, Patience, Surroundings, kind_at
from reviewdeck.model import (
    Change,
    DeadReason,
    Edit,
    Proposal,
    QueueItem,
    Ready,
    State,
)
from reviewdeck.planning.documents import kind_of
from reviewdeck.planning.stage import stage
from reviewdeck.policy.own_rules import RuleEffect
from reviewdeck.policy.plain import check_plain
from reviewdeck.ports import HomeWriter, Probe

BURST = 500
_ODD_FRONT = "---\nname: \"n\"   \nx-unknown:  [b, a]  # why\ndescription: 'd'\n---\n\nBody.\n"
_VARIANTS = {
    "a byte order mark": b"\xef\xbb\xbfOne line.\n",
    "Windows' ends of lines": b"One line.\r\nAnother.\r\n",
    "no last end of line": b"One line.\nAnother.",
    "the same line twice": b"One line.\nOne line.\n",
    "spaces at ends": b"One line.  \n\n\nAnother.\t\n",
    "an odd front matter": _ODD_FRONT.encode(),
    "nothing": b"",
}
_REPLACED: Mapping[str, Callable[[Path], object]] = {
    "a link": lambda path: path.symlink_to("/etc/hostname"),
    "a pipe": os.mkfifo,
    "a directory": lambda path: path.mkdir(),
}


@dataclass(frozen=True)
class Specimen:
    """A home of one kind that was written for a test, and what there is to know of it."""

    root: Path
    kind: str
    """The name of its kind."""
    documents: tuple[str, ...]
    """One document of each shape that it has; all of them are there."""
    longer: Callable[[str, str], str]
    """A document's path and text: the text as somebody leaves it who adds one entry by hand.

    One that no policy lets pass, so that the change waits for an operator.
    """
    addition: Callable[[str, str], Edit]
    """A document's path and a text: the edit that adds it there as one entry."""
    appear: Callable[[int], str]
    """Writes a further document, the one with this number, and gives its path."""
    together: tuple[str, ...] = ()
    """Documents that make up one thing, and are changed with one write."""
    delimiter: str = ""
    """What ends an entry, where the text of one could hold it."""
    follows: frozenset[str] = frozenset()
    """Documents that may be behind a link, on purpose."""
    names_linked: bool = False
    """Whether it lists the folders behind links, to name the skills there and refuse them."""
    switch_off: Callable[[], str] | None = None
    """Switches a gate of the agent off, and gives a word by which its setting is known."""
    variants: Mapping[str, bytes] = field(default_factory=lambda: _VARIANTS)
    """Contents that a document may have, by what is odd about them."""


class Killed(BaseException):
    """Stands for the end of the process in the middle of a step."""


class HomeContract(ABC):
    """The behaviours that each kind of home pins."""

    @abstractmethod
    def specimen(self, root: Path) -> Specimen:
        """Writes a home at this path, and says what is in it."""

    @pytest.fixture
    def home(self, tmp_path: Path) -> Specimen:
        """The home that a test is about."""
        return self.specimen(tmp_path / "home")

    @pytest.fixture
    def deck(self, home: Specimen, tmp_path: Path) -> Iterator[Deck]:
        """A deck that has taken it in."""
        with _opened(home.root, tmp_path) as deck:
            deck.intake()
            yield deck

    def test_it_is_recognised(self, home: Specimen) -> None:
        assert kind_at(home.root).name == home.kind
        assert set(home.documents) <= set(_look(home.root).documents())

    def test_looking_changes_no_byte_no_time_and_no_directory(
        self, home: Specimen, tmp_path: Path
    ) -> None:
        before = _fingerprint(home.root)
        with _opened(home.root, tmp_path) as deck:
            deck.intake()
            deck.pending()
            (one,) = deck.context.homes
            one.home.stamp(one.home.documents())
            snapshot = one.home.snapshot()
            assert all(snapshot.document(path).exists for path in one.home.documents())
            _ = (one.home.cautions, one.home.ungated, one.home.skills(), list(one.home.scan()))
        assert _fingerprint(home.root) == before

    def test_a_document_is_its_bytes(self, home: Specimen) -> None:
        for path in home.documents:
            for data in home.variants.values():
                (home.root / path).write_bytes(data)
                found = _look(home.root).snapshot().document(path)
                assert (found.data, found.problem) == (data, None)
                assert found.text.encode() == data
            (home.root / path).write_bytes(b"\xff\xfe\n")
            assert _look(home.root).snapshot().document(path).problem is not None

    def test_what_nobody_edited_survives_the_edit_of_another_line(
        self, home: Specimen, tmp_path: Path
    ) -> None:
        for number, path in enumerate(home.documents):
            for data in home.variants.values():
                (home.root / path).write_bytes(data)
                ledger = tmp_path / f"{number}-{hashlib.sha256(data).hexdigest()[:8]}"
                with _opened(home.root, ledger) as deck:
                    deck.intake()
                    longer = home.longer(path, data.decode()).encode()
                    (home.root / path).write_bytes(longer)
                    if not (found := _live(deck)):
                        continue  # This kind takes the two for the same.
                    deck.take_back(found[0].id, "not wanted")
                    assert (home.root / path).read_bytes() == data

    def test_what_the_agent_takes_is_counted_to_the_unit(self, home: Specimen) -> None:
        snapshot = _look(home.root).snapshot()
        for path in home.documents:
            for one in snapshot.allowance(path, ""):
                for size, is_over in ((one.limit, False), (one.limit + 1, True)):
                    text = ("x\n" if one.unit == "lines" else "x") * size
                    counted = {two.unit: two for two in snapshot.allowance(path, text)}
                    assert counted[one.unit].used == size
                    assert counted[one.unit].is_over is is_over

    def test_a_touch_is_no_change(self, home: Specimen, deck: Deck) -> None:
        for path in home.documents:
            os.utime(home.root / path, (1, 1))
        assert _live(deck) == []

    def test_a_write_that_came_in_between_is_kept(self, home: Specimen) -> None:
        for path in home.documents:
            before = (home.root / path).read_bytes()
            (home.root / path).write_bytes(b"Somebody was faster.\n")
            writer = _writer(home.root)
            with writer.lock([path]), pytest.raises(StaleBase):
                writer.write([Change(path, before, b"Ours.\n")], "a1b2c3d4e5f6")
            assert (home.root / path).read_bytes() == b"Somebody was faster.\n"

    def test_killed_at_any_step_a_change_is_whole_or_not_there(
        self, home: Specimen, tmp_path: Path
    ) -> None:
        paths = home.together or home.documents[:1]
        before = {path: (home.root / path).read_bytes() for path in paths}
        number = 0
        while True:
            ledger = tmp_path / f"killed-{number}"
            with _opened(home.root, ledger) as deck:
                deck.intake()
                after = _lengthen(home, paths)
                (change,) = _live(deck)
            if self._survives(home, ledger, change.id, number):
                break
            found = {path: (home.root / path).read_bytes() for path in paths}
            assert found in (before, after), f"step {number}"
            _write(home, before)
            number += 1
        assert number > 3
        assert {path: (home.root / path).read_bytes() for path in paths} == before

    def _survives(self, home: Specimen, ledger: Path, change: str, number: int) -> bool:
        """Takes a change back and is killed at this step; whether it was through before."""
        steps: list[str] = []

        def probe(step: str) -> None:
            steps.append(step)
            if len(steps) > number:
                raise Killed

        try:
            with _opened(home.root, ledger, probe) as deck:
                deck.take_back(change, "not wanted")
        except Killed:
            with _opened(home.root, ledger) as deck:
                deck.recover()
            return False
        return True

    @pytest.mark.parametrize("what", _REPLACED)
    def test_what_is_no_file_is_no_document(
        self, home: Specimen, tmp_path: Path, what: str
    ) -> None:
        for path in home.documents:
            place = home.root / path
            data = place.read_bytes()
            place.unlink()
            if what == "a link" and path in home.follows:
                place.write_bytes(data)
                continue
            _REPLACED[what](place)
            assert _look(home.root).snapshot().document(path).problem is not None
            writer = _writer(home.root)
            with writer.lock([path]), pytest.raises((ReviewdeckError, OSError)):
                writer.write([Change(path, data, b"Ours.\n")], "a1b2c3d4e5f6")
            kind = stat.S_IFMT(place.lstat().st_mode)
            assert kind in (stat.S_IFLNK, stat.S_IFIFO, stat.S_IFDIR)
            place.rmdir() if kind == stat.S_IFDIR else place.unlink()
            place.write_bytes(data)

    def test_one_folder_by_two_paths_is_one_home(self, home: Specimen, tmp_path: Path) -> None:
        link = tmp_path / "link"
        link.symlink_to(home.root)
        assert _look(link).where == _look(home.root).where
        with _opened(link, tmp_path) as deck, _opened(home.root, tmp_path) as other:
            assert deck.context.home_ids == other.context.home_ids

    def test_what_somebody_deleted_comes_back_with_its_bytes_and_its_mode(
        self, home: Specimen, deck: Deck
    ) -> None:
        for path in home.documents:
            place = home.root / path
            before = (place.read_bytes(), stat.S_IMODE(place.stat().st_mode))
            place.unlink()
            (change,) = _live(deck)
            deck.take_back(change.id, "it was needed")
            assert (place.read_bytes(), stat.S_IMODE(place.stat().st_mode)) == before

    def test_what_we_write_is_no_change_of_somebody_else(self, home: Specimen, deck: Deck) -> None:
        _lengthen(home, home.documents[:1])
        (change,) = _live(deck)
        deck.take_back(change.id, "not wanted")
        assert _live(deck) == []

    def test_each_edit_addition_and_removal_is_one_change_of_its_document(
        self, home: Specimen, deck: Deck
    ) -> None:
        for path in home.documents:
            before = (home.root / path).read_bytes()
            _lengthen(home, (path,))
            assert _paths_of(deck) == [path]
            (home.root / path).unlink()
            assert _paths_of(deck) == [path]
            (home.root / path).write_bytes(before)
            assert _paths_of(deck) == []
        new = home.appear(0)
        assert _paths_of(deck) == [new]

    def test_a_renamed_document_is_told_as_gone_and_come(self, home: Specimen, deck: Deck) -> None:
        new = home.appear(0)
        (home.root / new).unlink()
        old = home.documents[-1]
        (home.root / old).rename(home.root / new)
        assert _paths_of(deck) == sorted({old, new})

    def test_many_at_once_are_each_told_once(self, home: Specimen, deck: Deck) -> None:
        paths = [home.appear(number) for number in range(BURST)]
        assert _paths_of(deck) == sorted(paths)

    def test_a_folder_that_moved_is_the_same_home(self, home: Specimen, tmp_path: Path) -> None:
        with _opened(home.root, tmp_path) as deck:
            deck.intake()
            ids = deck.context.home_ids
            with deck.context.homes[0].writer.lock(list(home.documents)):
                pass  # From now on the folder says which home it is.
        moved = home.root.with_name("moved")
        home.root.rename(moved)
        with _opened(moved, tmp_path) as deck:
            assert _live(deck) == []
            assert deck.context.home_ids == ids

    def test_an_added_entry_leaves_all_others_as_they_were(self, home: Specimen) -> None:
        for path in home.documents:
            before = (home.root / path).read_bytes()
            change = _staged(home, path, "A further entry of one line.")
            assert isinstance(change, Change)
            kept = iter((change.after or b"").splitlines())
            assert all(line in kept for line in before.splitlines())
            assert b"A further entry of one line." in (change.after or b"")

    def test_undone_in_reverse_order_every_byte_returns(self, home: Specimen, deck: Deck) -> None:
        after = _lengthen(home, home.documents)
        done = [deck.take_back(change.id, "not wanted") for change in _live(deck)]
        assert all(done)
        for operation in reversed(done):
            assert operation is not None
            deck.undo(operation.id)
        assert {path: (home.root / path).read_bytes() for path in home.documents} == after

    def test_a_home_that_is_gone_is_not_all_deleted(
        self, home: Specimen, deck: Deck, tmp_path: Path
    ) -> None:
        home.root.rename(tmp_path / "away")
        with pytest.raises(HomeUnavailable):
            deck.intake()
        (tmp_path / "away").rename(home.root)
        assert _live(deck) == []

    def test_an_entry_never_becomes_two(self, home: Specimen) -> None:
        snapshot = _look(home.root).snapshot()
        for path in home.documents:
            if not (home.delimiter and snapshot.has_entries(path)):
                continue
            text = f"One.{home.delimiter}Two."
            edit = home.addition(path, text)
            is_refused = any(one.rule.effect is RuleEffect.REFUSE for one in check_plain((edit,)))
            assert is_refused or isinstance(_staged(home, path, text), DeadReason)

    def test_nothing_outside_is_opened(self, home: Specimen, tmp_path: Path) -> None:
        outside = tmp_path / "outside"
        shutil.copytree(home.root, outside)
        for number, path in enumerate(sorted({*home.documents, "x"})):
            above = (home.root / path).parent
            (above / f"link-{number}").symlink_to(outside)
            (above / f"file-{number}.md").symlink_to(outside / home.documents[0])
        events = {"open"} if home.names_linked else {"open", "os.listdir", "os.scandir"}
        with _listening(outside, events) as opened, _opened(home.root, tmp_path) as deck:
            deck.intake()
            (one,) = deck.context.homes
            snapshot = one.home.snapshot()
            assert not any("link-" in path for path in one.home.documents())
            for path in home.documents:
                assert snapshot.document(f"../outside/{path}").data is None
                assert snapshot.document(str(outside / path)).data is None
        assert opened == []

    def test_each_gate_that_is_off_is_named(self, home: Specimen) -> None:
        assert _look(home.root).ungated == () or home.switch_off is None
        if home.switch_off is not None:
            word = home.switch_off()
            assert any(word in said for said in _look(home.root).ungated)


@contextmanager
def _opened(root: Path, ledger: Path, probe: Probe = lambda step: None) -> Iterator[Deck]:
    settings = Settings(
        homes=(root.resolve(),),
        ledger=str(ledger / "ledger" / "ledger.db"),
        user_home=root.parent,
        lock_wait=5.0,
    )
    deck = compose_deck(settings, now=utc_now, probe=probe)
    try:
        yield deck
    finally:
        deck.close()


def _around(root: Path) -> Surroundings:
    return Surroundings({}, root.parent, utc_now)


def _look(root: Path) -> FoundHome:
    return kind_at(root).home(root, _around(root))


def _writer(root: Path) -> HomeWriter:
    return kind_at(root).writer(root, _around(root), Patience(lambda step: None))


def _live(deck: Deck) -> list[QueueItem]:
    deck.intake()
    return list(deck.pending((State.LIVE,), limit=2 * BURST))


def _paths_of(deck: Deck) -> list[str]:
    """The documents of all changes that wait, each as often as it is told."""
    found = [deck.ledger.proposal(item.id) for item in _live(deck)]
    return sorted(one.path for proposal in found for one in proposal.outside)


def _lengthen(home: Specimen, paths: tuple[str, ...]) -> dict[str, bytes]:
    texts = {path: (home.root / path).read_bytes().decode() for path in paths}
    after = {path: home.longer(path, text).encode() for path, text in texts.items()}
    _write(home, after)
    return after


def _write(home: Specimen, texts: Mapping[str, bytes]) -> None:
    for path, data in texts.items():
        (home.root / path).write_bytes(data)


def _staged(home: Specimen, path: str, text: str) -> Change | DeadReason | None:
    """The change of a document that the addition of an entry comes to, or why it comes to none."""
    snapshot, now = _look(home.root).snapshot(), utc_now()
    proposal = Proposal(
        id="0123456789ab",
        home=snapshot.home,
        kind=kind_of(path, snapshot),
        action="add",
        target=path,
        edits=(home.addition(path, text),),
        payload_sha="0" * 64,
        origin="contract",
        created_at=now,
        ingested_at=now,
    )
    outcome = stage(proposal, snapshot).outcome
    if isinstance(outcome, Ready):
        return next(change for change in outcome.plan.changes if change.path == path)
    return getattr(outcome, "reason", None) if not hasattr(outcome, "base") else None


def _fingerprint(root: Path) -> dict[str, tuple[int, int, bytes]]:
    found = {}
    for path in sorted([root, *root.rglob("*")]):
        facts = path.lstat()
        data = path.read_bytes() if stat.S_ISREG(facts.st_mode) else b""
        found[str(path)] = (facts.st_mode, facts.st_mtime_ns, data)
    return found


@dataclass(frozen=True)
class _Listening:
    """Somebody wants to know what is opened below a folder."""

    outside: str
    events: Collection[str]
    opened: list[str] = field(default_factory=list)

    def hear(self, event: str, path: object) -> None:
        """Notes what is opened by a path that leads there."""
        if event in self.events and isinstance(path, str | bytes):
            real = os.path.realpath(os.fsdecode(path))
            if real == self.outside or real.startswith(f"{self.outside}/"):
                self.opened.append(real)


_LISTENING: list[_Listening] = []


def _hear(event: str, arguments: tuple[object, ...]) -> None:
    for one in _LISTENING if event in ("open", "os.listdir", "os.scandir") else ():
        one.hear(event, arguments[0])


@contextmanager
def _listening(outside: Path, events: Collection[str]) -> Iterator[list[str]]:
    """What this process opens below a folder meanwhile."""
    if not _IS_HEARD:
        sys.addaudithook(_hear)  # It cannot be taken away again, and says nothing then.
        _IS_HEARD.append(True)
    one = _Listening(str(outside.resolve()), events)
    _LISTENING.append(one)
    try:
        yield one.opened
    finally:
        _LISTENING.remove(one)


_IS_HEARD: list[bool] = []
