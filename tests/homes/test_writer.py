"""A home is changed by compare-and-swap, and nothing that was displaced is lost."""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import shutil
import signal
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from reviewdeck.errors import StaleBase, WriteFailed
from reviewdeck.files.syscalls import Kernel
from reviewdeck.homes.hermes.writer import HermesWriter
from reviewdeck.model.plans import Change
from reviewdeck.ports import HomeWriter

MEMORY = "memories/MEMORY.md"
SKILL = "skills/dev/notes/SKILL.md"
TOKEN = "a1b2c3d4e5f6"  # noqa: S105 - the name of a batch


@pytest.fixture
def home(tmp_path: Path) -> Path:
    root = tmp_path / "home"
    (root / "memories").mkdir(parents=True)
    (root / "skills/dev/notes/references").mkdir(parents=True)
    (root / MEMORY).write_bytes(b"one")
    (root / SKILL).write_bytes(b"---\nname: notes\n---\nbody")
    (root / "skills/dev/notes/references/a.md").write_bytes(b"a")
    return root


def tree(root: Path) -> dict[str, bytes]:
    """Every file of a home outside our own folder."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".reviewdeck" not in path.relative_to(root).parts
    }


def changes_of(root: Path) -> dict[str, tuple[Change, ...]]:
    """One call of each kind."""
    skill = (root / SKILL).read_bytes()
    new = "skills/ops/triage"
    return {
        "replace": (Change(MEMORY, b"one", b"one\n\xc2\xa7\ntwo"),),
        "create": (Change("skills/dev/notes/templates/x/t.md", None, b"t" * 150_000),),
        "remove": (Change("skills/dev/notes/references/a.md", b"a", None),),
        "publish": (
            Change(f"{new}/SKILL.md", None, b"main", tree=new),
            Change(f"{new}/scripts/top.sh", None, b"#!/bin/sh", 0o700, new),
        ),
        "withdraw": (
            Change(SKILL, skill, None, tree="skills/dev/notes"),
            Change("skills/dev/notes/references/a.md", b"a", None, tree="skills/dev/notes"),
        ),
        "two": (
            Change(SKILL, skill, skill + b" more"),
            Change("skills/dev/notes/references/a.md", b"a", b"aa"),
        ),
    }


KINDS = ("replace", "create", "remove", "publish", "withdraw", "two")


def applied(before: dict[str, bytes], changes: tuple[Change, ...]) -> dict[str, bytes]:
    after = dict(before)
    for change in changes:
        if change.after is None:
            after.pop(change.path, None)
        else:
            after[change.path] = change.after
    return after


def left_behind(root: Path) -> list[str]:
    """Temporary files of ours beside documents."""
    return [
        str(path.relative_to(root))
        for folder in ("memories", "skills")
        for path in (root / folder).rglob("*")
        if path.name.startswith(".reviewdeck")
    ]


def ours(root: Path) -> list[str]:
    """What is in our own folder."""
    folder = root / ".reviewdeck"
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def whole(root: Path, before: dict[str, bytes], changes: tuple[Change, ...]) -> bool:
    """Whether each document is the old or the new one, and a tree is there whole or not at all."""
    live = {path: data for path, data in tree(root).items() if ".reviewdeck-" not in path}
    known = {change.path: change for change in changes}
    if any(live.get(path) != data for path, data in before.items() if path not in known):
        return False
    states = set()
    for path, change in known.items():
        if live.get(path) not in (change.before, change.after):
            return False
        if change.tree is not None:
            states.add(live.get(path) == change.after)
    return len(states) < 2 and not set(live) - set(before) - set(known)


def steps_of(home: Path, changes: tuple[Change, ...], *, native: bool) -> list[str]:
    """The steps that these changes take, found out on a copy of the home."""
    copy = home.with_name("rehearsal")
    shutil.copytree(home, copy)
    steps: list[str] = []
    HermesWriter(copy, probe=steps.append, kernel=fresh(native)).write(changes, TOKEN)
    shutil.rmtree(copy)
    return steps


def fresh(native: bool) -> Kernel:
    return Kernel(renames=native, openat2=native)


class At:
    """Does something when a step is reached, by its number from nought."""

    def __init__(self, deeds: dict[int, Callable[[], None]]) -> None:
        self._deeds = deeds
        self._count = 0

    def __call__(self, step: str) -> None:
        deed = self._deeds.get(self._count)
        self._count += 1
        if deed is not None:
            deed()


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def in_child(task: Callable[[], object]) -> int:
    """Runs something in a process of its own; gives its wait status."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        try:
            task()
        except BaseException:  # noqa: BLE001 - a child must not go on with the tests
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1]


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=[True, False], ids=["renameat2", "portable"])
def native(request: pytest.FixtureRequest) -> bool:
    """Each promise that does not need the kernel's help holds without it too."""
    return bool(request.param)


def test_changes_are_on_disk_afterwards_and_a_second_call_does_no_harm(
    home: Path, native: bool, kind: str
) -> None:
    writer: HomeWriter = HermesWriter(home, kernel=fresh(native))
    changes = changes_of(home)[kind]
    wanted = applied(tree(home), changes)
    for _ in range(3):
        writer.write(changes, TOKEN)
        assert tree(home) == wanted
    assert writer.settle(TOKEN) == ()
    assert tree(home) == wanted
    assert list((home / ".reviewdeck/trash").iterdir()) == []


def test_a_kill_at_any_step_leaves_old_or_new_and_the_next_call_finishes(
    home: Path, native: bool, kind: str
) -> None:
    before, changes = tree(home), changes_of(home)[kind]
    wanted = applied(before, changes)
    pristine = home.with_name("pristine")
    shutil.copytree(home, pristine)
    for number, step in enumerate(steps_of(home, changes, native=native)):
        shutil.rmtree(home)
        shutil.copytree(pristine, home)
        doomed = HermesWriter(home, probe=At({number: die}), kernel=fresh(native))
        status = in_child(partial(doomed.write, changes, TOKEN))
        assert os.WIFSIGNALED(status), step
        assert whole(home, before, changes), step
        writer = HermesWriter(home, kernel=fresh(native))
        for _ in range(2):
            writer.write(changes, TOKEN)
            assert tree(home) == wanted, step
        assert left_behind(home) == [], step
        assert writer.settle(TOKEN) == (), step
        assert tree(home) == wanted, step
        assert [n for n in ours(home) if n != "stage"] == [".gitignore", "README", "trash"], step


def test_what_somebody_writes_at_any_step_is_what_is_live_in_the_end(home: Path, kind: str) -> None:
    changes = changes_of(home)[kind]
    target, marker = home / changes[0].path, home.with_name("wrote")
    pristine = home.with_name("pristine")
    shutil.copytree(home, pristine)
    for number, step in enumerate(steps_of(home, changes, native=True)):
        shutil.rmtree(home)
        shutil.copytree(pristine, home)
        marker.unlink(missing_ok=True)
        writer = HermesWriter(home, probe=At({number: partial(write_and_tell, target, marker)}))
        try:
            writer.write(changes, TOKEN)
        except StaleBase as stale:
            assert stale.found == b"newer", step
        rescued = writer.settle(TOKEN)
        assert left_behind(home) == [], step
        if marker.exists():
            assert target.read_bytes() == b"newer", step
        assert rescued == (), step


def foreign(target: Path, data: bytes) -> bool:
    """Another program's careful write; it does not make directories that are gone."""
    temp = target.with_name(".mem_x.tmp")
    try:
        temp.write_bytes(data)
    except FileNotFoundError:
        return False
    temp.replace(target)
    return True


@pytest.mark.parametrize("kind", ["replace", "remove"])
def test_a_newer_version_survives_a_kill_right_after_it_was_displaced(
    home: Path, kind: str
) -> None:
    changes = changes_of(home)[kind]
    target = home / changes[0].path
    pristine = home.with_name("pristine")
    shutil.copytree(home, pristine)
    steps = steps_of(home, changes, native=True)
    first = steps.index("replace manifest.json.tmp manifest.json") + 2
    marker = home.with_name("wrote")
    for wrote_at, died_at in itertools.combinations(range(first, len(steps) + 4), 2):
        shutil.rmtree(home)
        shutil.copytree(pristine, home)
        marker.unlink(missing_ok=True)
        deeds: dict[int, Callable[[], None]] = {
            wrote_at: partial(write_and_tell, target, marker),
            died_at: die,
        }
        doomed = HermesWriter(home, probe=At(deeds))
        in_child(partial(doomed.write, changes, TOKEN))
        writer = HermesWriter(home)
        for _ in range(2):
            with contextlib.suppress(StaleBase):
                writer.write(changes, TOKEN)
        writer.settle(TOKEN)
        assert left_behind(home) == []
        if marker.exists():
            assert target.read_bytes() == b"newer", (wrote_at, died_at)


def test_a_document_that_somebody_removes_at_any_step_stays_removed(home: Path) -> None:
    changes = (Change(MEMORY, b"one", b"two"),)
    target = home / MEMORY
    pristine = home.with_name("pristine")
    shutil.copytree(home, pristine)
    for number, step in enumerate(steps_of(home, changes, native=True)):
        shutil.rmtree(home)
        shutil.copytree(pristine, home)
        writer = HermesWriter(home, probe=At({number: target.unlink}))
        try:
            writer.write(changes, TOKEN)
        except StaleBase as stale:
            assert stale.found is None, step
        assert not target.exists(), step
        assert writer.settle(TOKEN) == (), step
        assert left_behind(home) == [], step


def write_and_tell(target: Path, marker: Path) -> None:
    if foreign(target, b"newer"):
        marker.touch()


def test_a_refusal_at_any_step_leaves_no_temporary_file_and_can_be_tried_again(
    home: Path, native: bool, kind: str
) -> None:
    before, changes = tree(home), changes_of(home)[kind]
    wanted = applied(before, changes)
    pristine = home.with_name("pristine")
    shutil.copytree(home, pristine)

    code = errno.ENOSPC if native else errno.EIO

    def refuse() -> None:
        raise OSError(code, os.strerror(code))

    for number, step in enumerate(steps_of(home, changes, native=native)):
        shutil.rmtree(home)
        shutil.copytree(pristine, home)
        failing = HermesWriter(home, probe=At({number: refuse}), kernel=fresh(native))
        with pytest.raises(WriteFailed, match=os.strerror(code)):
            failing.write(changes, TOKEN)
        assert left_behind(home) == [], step
        assert whole(home, before, changes), step
        writer = HermesWriter(home, kernel=fresh(native))
        writer.write(changes, TOKEN)
        assert tree(home) == wanted, step
        assert writer.settle(TOKEN) == (), step
