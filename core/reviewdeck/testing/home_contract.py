"""The contract of every kind of home as a pytest class to derive from.

    class TestNotes(HomeContract):
        def specimen(self, root: Path) -> Specimen:
            ...  # writes a home at `root`, and describes it

Each test opens the home as the program does, with a ledger beside it. The program has to find the
kind: built in, or as an entry point of the group `reviewdeck.homes`.
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

from reviewdeck.bootstrap import open_engine
from reviewdeck.clock import utc_now
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.options import Settings
from reviewdeck.errors import HomeUnavailable, ReviewdeckError, StaleBase
from reviewdeck.homes.kinds import HomeContext, LocatedHome, WriterOptions, kind_at
from reviewdeck.model import Change, DeadReason, Edit, Proposal, QueueItem, Ready, State
from reviewdeck.planning.documents import kind_of
from reviewdeck.planning.stage import stage
from reviewdeck.policy.plain import check_plain
from reviewdeck.ports import HomeWriter, Probe
from reviewdeck.reading.limits import allowances

BURST = 250
"""More than a pass stores at once."""
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
    """A home of one kind that was written for a test, and its properties."""

    root: Path
    kind: str
    """The name of its kind."""
    documents: tuple[str, ...]
    """One existing document of each shape."""
    longer: Callable[[str, str], str]
    """From a document's path and text: the text with one entry added by hand.

    No policy may auto-approve the entry, so that the change waits for an operator.
    """
    addition: Callable[[str, str], Edit]
    """From a document's path and a text: the edit that adds the text as one entry."""
    appear: Callable[[int], str]
    """Writes a further document with this number, and returns its path."""
    together: tuple[str, ...] = ()
    """Documents that belong together and are changed with one write."""
    delimiter: str = ""
    """The end of an entry, where the text of an entry could contain it."""
    follows: frozenset[str] = frozenset()
    """Documents that may be symbolic links."""
    names_linked: bool = False
    """Whether it lists the folders behind links, to refuse the skills there by name."""
    switch_off: Callable[[], str] | None = None
    """Switches a gate of the agent off, and returns a word of its setting."""
    variants: Mapping[str, bytes] = field(default_factory=lambda: _VARIANTS)
    """Contents that a document may have, by their oddity."""


class Killed(BaseException):
    """The end of the process in the middle of a step."""


class HomeContract(ABC):
    """The behaviours of each kind of home."""

    @abstractmethod
    def specimen(self, root: Path) -> Specimen:
        """Writes a home at this path, and describes it."""

    @pytest.fixture
    def home(self, tmp_path: Path) -> Specimen:
        """The home under test."""
        return self.specimen(tmp_path / "home")

    @pytest.fixture
    def engine(self, home: Specimen, tmp_path: Path) -> Iterator[Engine]:
        """A deck that has taken the home in."""
        with _open_deck(home.root, tmp_path) as engine:
            engine.intake()
            yield engine

    def test_it_is_recognised(self, home: Specimen) -> None:
        assert kind_at(home.root).name == home.kind
        assert set(home.documents) <= set(_home_at(home.root).documents())

    def test_looking_changes_no_byte_no_time_and_no_directory(
        self, home: Specimen, tmp_path: Path
    ) -> None:
        before = _fingerprint(home.root)
        with _open_deck(home.root, tmp_path) as engine:
            engine.intake()
            engine.pending()
            (open_home,) = engine.open_homes
            open_home.home.stamp(open_home.home.documents())
            snapshot = open_home.home.snapshot()
            assert all(snapshot.document(path).exists for path in open_home.home.documents())
            _ = (
                open_home.home.cautions,
                open_home.home.ungated,
                open_home.home.skills(),
                list(open_home.home.scan()),
            )
        assert _fingerprint(home.root) == before

    def test_a_document_is_its_bytes(self, home: Specimen) -> None:
        for path in home.documents:
            for data in home.variants.values():
                (home.root / path).write_bytes(data)
                document = _home_at(home.root).snapshot().document(path)
                assert (document.data, document.problem) == (data, None)
                assert document.text.encode() == data
            (home.root / path).write_bytes(b"\xff\xfe\n")
            assert _home_at(home.root).snapshot().document(path).problem is not None

    def test_what_nobody_edited_survives_the_edit_of_another_line(
        self, home: Specimen, tmp_path: Path
    ) -> None:
        for number, path in enumerate(home.documents):
            for data in home.variants.values():
                (home.root / path).write_bytes(data)
                ledger = tmp_path / f"{number}-{hashlib.sha256(data).hexdigest()[:8]}"
                with _open_deck(home.root, ledger) as engine:
                    engine.intake()
                    longer = home.longer(path, data.decode()).encode()
                    (home.root / path).write_bytes(longer)
                    if not (changes := _live_changes(engine)):
                        continue  # This kind treats the two texts as equal.
                    engine.take_back(changes[0].id, "not wanted")
                    assert (home.root / path).read_bytes() == data

    def test_what_the_agent_takes_is_counted_to_the_unit(self, home: Specimen) -> None:
        snapshot = _home_at(home.root).snapshot()
        for path in home.documents:
            limits = snapshot.limits(path)
            for allowance in allowances(limits, ""):
                for size, is_over in ((allowance.limit, False), (allowance.limit + 1, True)):
                    text = ("x\n" if allowance.unit == "lines" else "x") * size
                    counted = {two.unit: two for two in allowances(limits, text)}
                    assert counted[allowance.unit].used == size
                    assert counted[allowance.unit].is_over is is_over

    def test_a_touch_is_no_change(self, home: Specimen, engine: Engine) -> None:
        for path in home.documents:
            os.utime(home.root / path, (1, 1))
        assert _live_changes(engine) == []

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
        with _open_deck(home.root, tmp_path / "changed") as engine:
            engine.intake()
            after = _lengthen(home, paths)
            (change,) = _live_changes(engine)
        number = 0
        while True:
            ledger = shutil.copytree(tmp_path / "changed", tmp_path / f"killed-{number}")
            if self._survives(home, ledger, change.id, number):
                break
            live = {path: (home.root / path).read_bytes() for path in paths}
            assert live in (before, after), f"step {number}"
            _write(home, after)
            number += 1
        assert number > 3
        assert {path: (home.root / path).read_bytes() for path in paths} == before

    def _survives(self, home: Specimen, ledger: Path, change: str, number: int) -> bool:
        """Takes a change back with a kill at this step; True when it ended before the step."""
        steps: list[str] = []

        def probe(step: str) -> None:
            steps.append(step)
            if len(steps) > number:
                raise Killed

        try:
            with _open_deck(home.root, ledger, probe) as engine:
                engine.take_back(change, "not wanted")
        except Killed:
            with _open_deck(home.root, ledger) as engine:
                engine.recover()
            return False
        return True

    @pytest.mark.parametrize("replacement", _REPLACED)
    def test_what_is_no_file_is_no_document(
        self, home: Specimen, tmp_path: Path, replacement: str
    ) -> None:
        for path in home.documents:
            place = home.root / path
            data = place.read_bytes()
            place.unlink()
            if replacement == "a link" and path in home.follows:
                place.write_bytes(data)
                continue
            _REPLACED[replacement](place)
            assert _home_at(home.root).snapshot().document(path).problem is not None
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
        assert _home_at(link).where == _home_at(home.root).where
        with _open_deck(link, tmp_path) as engine, _open_deck(home.root, tmp_path) as second:
            assert engine.home_ids == second.home_ids

    def test_what_somebody_deleted_comes_back_with_its_bytes_and_its_mode(
        self, home: Specimen, engine: Engine
    ) -> None:
        for path in home.documents:
            place = home.root / path
            before = (place.read_bytes(), stat.S_IMODE(place.stat().st_mode))
            place.unlink()
            (change,) = _live_changes(engine)
            engine.take_back(change.id, "it was needed")
            assert (place.read_bytes(), stat.S_IMODE(place.stat().st_mode)) == before

    def test_what_we_write_is_no_change_of_somebody_else(
        self, home: Specimen, engine: Engine
    ) -> None:
        _lengthen(home, home.documents[:1])
        (change,) = _live_changes(engine)
        engine.take_back(change.id, "not wanted")
        assert _live_changes(engine) == []

    def test_each_edit_addition_and_removal_is_one_change_of_its_document(
        self, home: Specimen, engine: Engine
    ) -> None:
        for path in home.documents:
            before = (home.root / path).read_bytes()
            _lengthen(home, (path,))
            assert _paths_of(engine) == [path]
            (home.root / path).unlink()
            assert _paths_of(engine) == [path]
            (home.root / path).write_bytes(before)
            assert _paths_of(engine) == []
        new = home.appear(0)
        assert _paths_of(engine) == [new]

    def test_a_renamed_document_is_told_as_gone_and_come(
        self, home: Specimen, engine: Engine
    ) -> None:
        new = home.appear(0)
        (home.root / new).unlink()
        old = home.documents[-1]
        (home.root / old).rename(home.root / new)
        assert _paths_of(engine) == sorted({old, new})

    def test_many_at_once_are_each_told_once(self, home: Specimen, engine: Engine) -> None:
        paths = [home.appear(number) for number in range(BURST)]
        assert _paths_of(engine) == sorted(paths)

    def test_a_folder_that_moved_is_the_same_home(self, home: Specimen, tmp_path: Path) -> None:
        with _open_deck(home.root, tmp_path) as engine:
            engine.intake()
            ids = engine.home_ids
            with engine.open_homes[0].writer.lock(list(home.documents)):
                pass  # From now on the folder has the home's mark.
        moved = home.root.with_name("moved")
        home.root.rename(moved)
        with _open_deck(moved, tmp_path) as engine:
            assert _live_changes(engine) == []
            assert engine.home_ids == ids

    def test_an_added_entry_leaves_all_others_as_they_were(self, home: Specimen) -> None:
        for path in home.documents:
            before = (home.root / path).read_bytes()
            change = _stage_addition(home, path, "A further entry of one line.")
            assert isinstance(change, Change)
            lines = iter((change.after or b"").splitlines())
            assert all(line in lines for line in before.splitlines())
            assert b"A further entry of one line." in (change.after or b"")

    def test_undone_in_reverse_order_every_byte_returns(
        self, home: Specimen, engine: Engine
    ) -> None:
        after = _lengthen(home, home.documents)
        done = [engine.take_back(change.id, "not wanted") for change in _live_changes(engine)]
        assert all(done)
        for operation in reversed(done):
            assert operation is not None
            engine.undo(operation.id)
        assert {path: (home.root / path).read_bytes() for path in home.documents} == after

    def test_a_home_that_is_gone_is_not_all_deleted(
        self, home: Specimen, engine: Engine, tmp_path: Path
    ) -> None:
        home.root.rename(tmp_path / "away")
        with pytest.raises(HomeUnavailable):
            engine.intake()
        (tmp_path / "away").rename(home.root)
        assert _live_changes(engine) == []

    def test_an_entry_never_becomes_two(self, home: Specimen) -> None:
        snapshot = _home_at(home.root).snapshot()
        for path in home.documents:
            if not (home.delimiter and snapshot.has_entries(path)):
                continue
            text = f"One.{home.delimiter}Two."
            edit = home.addition(path, text)
            is_refused = any(check.refuses for check in check_plain((edit,)))
            assert is_refused or isinstance(_stage_addition(home, path, text), DeadReason)

    def test_nothing_outside_is_opened(self, home: Specimen, tmp_path: Path) -> None:
        outside = tmp_path / "outside"
        shutil.copytree(home.root, outside)
        for number, path in enumerate(sorted({*home.documents, "x"})):
            folder = (home.root / path).parent
            (folder / f"link-{number}").symlink_to(outside)
            (folder / f"file-{number}.md").symlink_to(outside / home.documents[0])
        events = {"open"} if home.names_linked else {"open", "os.listdir", "os.scandir"}
        with _record_opens(outside, events) as opened, _open_deck(home.root, tmp_path) as engine:
            engine.intake()
            (open_home,) = engine.open_homes
            snapshot = open_home.home.snapshot()
            assert not any("link-" in path for path in open_home.home.documents())
            for path in home.documents:
                assert snapshot.document(f"../outside/{path}").data is None
                assert snapshot.document(str(outside / path)).data is None
        assert opened == []

    def test_each_gate_that_is_off_is_named(self, home: Specimen) -> None:
        assert _home_at(home.root).ungated == () or home.switch_off is None
        if home.switch_off is not None:
            word = home.switch_off()
            assert any(word in setting for setting in _home_at(home.root).ungated)


@contextmanager
def _open_deck(root: Path, ledger: Path, probe: Probe = lambda step: None) -> Iterator[Engine]:
    settings = Settings(
        homes=(root.resolve(),),
        ledger=str(ledger / "ledger" / "ledger.db"),
        user_home=root.parent,
        lock_wait=5.0,
    )
    engine = open_engine(settings, now=utc_now, probe=probe)
    try:
        yield engine
    finally:
        engine.close()


def _context(root: Path) -> HomeContext:
    return HomeContext({}, root.parent, utc_now)


def _home_at(root: Path) -> LocatedHome:
    return kind_at(root).home(root, _context(root))


def _writer(root: Path) -> HomeWriter:
    return kind_at(root).writer(root, _context(root), WriterOptions(lambda step: None))


def _live_changes(engine: Engine) -> list[QueueItem]:
    engine.intake()
    return list(engine.pending((State.LIVE,), limit=2 * BURST))


def _paths_of(engine: Engine) -> list[str]:
    """The documents of all waiting changes, once for each report."""
    proposals = [engine.ledger.proposal(item.id) for item in _live_changes(engine)]
    return sorted(change.path for proposal in proposals for change in proposal.outside)


def _lengthen(home: Specimen, paths: tuple[str, ...]) -> dict[str, bytes]:
    texts = {path: (home.root / path).read_bytes().decode() for path in paths}
    after = {path: home.longer(path, text).encode() for path, text in texts.items()}
    _write(home, after)
    return after


def _write(home: Specimen, texts: Mapping[str, bytes]) -> None:
    for path, data in texts.items():
        (home.root / path).write_bytes(data)


def _stage_addition(home: Specimen, path: str, text: str) -> Change | DeadReason | None:
    """The change of a document that adds an entry, or the reason why there is none."""
    snapshot, now = _home_at(home.root).snapshot(), utc_now()
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
    files = {}
    for path in sorted([root, *root.rglob("*")]):
        status = path.lstat()
        data = path.read_bytes() if stat.S_ISREG(status.st_mode) else b""
        files[str(path)] = (status.st_mode, status.st_mtime_ns, data)
    return files


@dataclass(frozen=True)
class _OpenRecorder:
    """Records the paths that are opened below a folder."""

    outside: str
    events: Collection[str]
    opened: list[str] = field(default_factory=list)

    def record(self, event: str, path: object) -> None:
        """Records an opened path if it leads into the folder."""
        if event in self.events and isinstance(path, str | bytes):
            real = os.path.realpath(os.fsdecode(path))
            if real == self.outside or real.startswith(f"{self.outside}/"):
                self.opened.append(real)


_RECORDERS: list[_OpenRecorder] = []


def _audit(event: str, arguments: tuple[object, ...]) -> None:
    for listener in _RECORDERS if event in ("open", "os.listdir", "os.scandir") else ():
        listener.record(event, arguments[0])


@contextmanager
def _record_opens(outside: Path, events: Collection[str]) -> Iterator[list[str]]:
    """The paths that this process opens below a folder meanwhile."""
    if not _AUDIT_HOOK:
        sys.addaudithook(_audit)  # It cannot be removed; without recorders it does nothing.
        _AUDIT_HOOK.append(True)
    listener = _OpenRecorder(str(outside.resolve()), events)
    _RECORDERS.append(listener)
    try:
        yield listener.opened
    finally:
        _RECORDERS.remove(listener)


_AUDIT_HOOK: list[bool] = []
