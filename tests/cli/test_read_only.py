"""A home, or a ledger's directory, that can only be read: nothing changes, and the error says why.

For root, whom modes do not bind, it is a mount that is read-only, in a namespace of its own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.cli.program import fingerprint
from tests.project.outside import Program, Ran, Transcript, long_root

_MOUNTED = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'

_FILLED = """cp -a "$0" "$0.kept" &&
    mount -t tmpfs -o size=8m none "$0" && cp -a "$0.kept/." "$0" &&
    { dd if=/dev/zero of="$0/filled" bs=1k 2>/dev/null; true; } && exec "$@"
"""


def below(place: Path) -> Sequence[str]:
    """A command below which a place cannot be written."""
    return ["unshare", "--mount", "sh", "-c", _MOUNTED, str(place)]


def can_mount(place: Path) -> bool:
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        return False
    done = subprocess.run([*below(place), "true"], capture_output=True, check=False)
    return done.returncode == 0


def on_a_full_disk(place: Path) -> Sequence[str]:
    """A command below which a place is on a small disk of its own, with not a byte free."""
    return ["unshare", "--mount", "sh", "-c", _FILLED, str(place)]


def bound_by_modes() -> Sequence[str]:
    """A command below which the modes of files bind even root."""
    if os.geteuid() != 0:
        return ()
    if shutil.which("setpriv") is None:
        pytest.skip("modes do not bind root, and nothing takes its privileges here")
    return ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]


@contextmanager
def only_read(there: Transcript, place: Path) -> Iterator[Transcript]:
    """The program while a place can be read and not written."""
    user = there.root / "user"
    if can_mount(place):
        with Program(user, below=below(place)) as program:
            yield Transcript(program, there.root, there.home)
        return
    if os.geteuid() == 0:
        pytest.skip("modes do not bind root, and nothing can be mounted here")
    places = [place, *(path for path in place.rglob("*") if path.is_dir())]
    modes = [path.stat().st_mode for path in places]
    for path in places:
        path.chmod(0o555)
    try:
        with Program(user) as program:
            yield Transcript(program, there.root, there.home)
    finally:
        for path, mode in zip(places, modes, strict=True):
            path.chmod(mode)


@pytest.fixture
def there(tmp_path: Path) -> Iterator[Transcript]:
    root = long_root(tmp_path)
    (root / "user").mkdir()
    with Program(root / "user") as program:
        assert program("demo", str(root / "home")).code == 0
        yield Transcript(program, root, root / "home")


@pytest.fixture
def items(there: Transcript) -> dict[str, dict[str, Any]]:
    """What waits, by Hermes' own id, or the file of what cannot be read."""
    found = there.quietly("list", "--json").json
    return {item["source_id"] or Path(item["source"]).name: item for item in found}


REJECTED, UNREADABLE = "2a4d8e16", "note-7781.json"


def deciding(items: dict[str, dict[str, Any]]) -> list[tuple[str, ...]]:
    """Every way to decide: an approval, a merge, a rejection and a dismissal."""
    held = items[REJECTED]
    clash = next(i for i in items.values() if i["state"] == "conflict" and i["action"] == "edit")
    return [
        ("approve", held["id"], "--digest", held["digest"]),
        ("merge", clash["id"], "--take", "proposed", "--digest", clash["digest"]),
        ("reject", held["id"], "--reason", "no"),
        ("reject", items[UNREADABLE]["id"], "--reason", "what is it"),
    ]


def refused(ran: Ran, code: str) -> dict[str, str]:
    """The error that a command ended with: of this code, and with a hint."""
    assert ran.code == 1, ran
    error: dict[str, str] = ran.json["error"]
    assert error["code"] == code and error["hint"], error
    return error


LOOKING: tuple[tuple[str, ...], ...] = (
    ("status",),
    ("list",),
    ("log",),
    ("since",),
    ("history", "memory"),
)


def test_a_home_on_a_read_only_mount_is_looked_at_and_not_decided_about(
    there: Transcript, items: dict[str, dict[str, Any]]
) -> None:
    before = fingerprint(there.home)
    one = next(iter(items.values()))["id"]
    approve, merge, reject, dismiss = deciding(items)
    with only_read(there, there.home) as still:
        looking = (*LOOKING, ("show", one), ("diff", one), ("auto", "--dry-run"))
        for words in looking:
            ran = still.quietly(*words)
            assert ran.code in (0, 3) and ran.out, (words, ran)
        assert still.quietly("doctor").code == 1
        for words in (approve, merge):
            error = refused(still.quietly(*words, "--json"), "home-read-only")
            assert "Nothing was changed" in error["hint"]
        # A rejection is a line of the ledger. The record goes as soon as that is possible.
        error = refused(still.quietly(*reject, "--json"), "write-failed")
        assert "It is rejected" in error["message"] and "tries again" in error["hint"]
        assert still.quietly(*dismiss).code == 0
        ran = still.quietly("auto")
        assert ran.code == 1 and "cannot be written" in ran.err, ran
        assert still.quietly("log", "--verify").code == 0
    assert fingerprint(there.home) == before

    assert there.quietly("auto").code == 3
    assert not (there.home / items[REJECTED]["source"]).exists()
    assert there.quietly(*approve).code == 1, "it is rejected"
    assert there.quietly(*merge).code == 0
    verified = there.quietly("log", "--verify")
    assert (verified.code, verified.err) == (0, ""), verified


def test_a_ledger_in_a_directory_that_cannot_be_written_is_read_and_takes_no_decision(
    there: Transcript, items: dict[str, dict[str, Any]]
) -> None:
    before = fingerprint(there.home)
    ledger = there.root / "home-ledger"
    one = next(iter(items.values()))["id"]
    kept = (ledger / "ledger.db").read_bytes()
    looking = (*LOOKING, ("show", one), ("diff", one))
    with only_read(there, ledger) as still:
        for words in looking:
            assert still.quietly(*words).code in (0, 3), words
        for words in (("auto",), ("auto", "--dry-run"), *deciding(items)):
            error = refused(still.quietly(*words, "--json"), "ledger-unavailable")
            assert "its directory cannot be written" in error["message"]
            assert str(ledger) in error["hint"]
        assert still.quietly("doctor").code == 1
    assert fingerprint(there.home) == before
    assert (ledger / "ledger.db").read_bytes() == kept

    for words in deciding(items):
        is_late = words[:2] == ("reject", items[REJECTED]["id"])  # It is approved by then.
        assert there.quietly(*words).code == (1 if is_late else 0), words
    assert there.quietly("log", "--verify").code == 0


@pytest.mark.parametrize("closed", ["its file", "its file and folder, which are another user's"])
def test_a_ledger_that_may_only_be_read_is_looked_at_after_a_change_too_and_takes_no_decision(
    closed: str, there: Transcript, items: dict[str, dict[str, Any]]
) -> None:
    folder, ledger = there.root / "home-ledger", there.root / "home-ledger" / "ledger.db"
    below = bound_by_modes()
    (there.home / "memories" / "MEMORY.md").write_text("Somebody wrote this meanwhile.\n")
    before, kept = fingerprint(there.home), ledger.read_bytes()
    one = next(iter(items.values()))["id"]
    ledger.chmod(0o444)
    if closed != "its file":
        folder.chmod(0o555)
        if os.geteuid() == 0:
            for path in (folder, ledger):
                os.chown(path, 65534, 65534)
    with Program(there.root / "user", below=below) as program:
        still = Transcript(program, there.root, there.home)
        looking = (("status",), ("list",), ("since",), ("show", one), ("diff", one))
        for seen in looking:
            ran = still.quietly(*seen)
            assert ran.code in (0, 3) and ran.out, (seen, ran)
            assert "Changes since the last look are not shown" in ran.err, (seen, ran)
        for words in (("auto",), ("auto", "--dry-run"), *deciding(items)):
            error = refused(still.quietly(*words, "--json"), "ledger-unavailable")
            assert "cannot be written" in error["message"], error
        ran = still.quietly("doctor")
        assert ran.code == 1 and "cannot be written" in " ".join(ran.out.split()), ran
    assert fingerprint(there.home) == before
    assert ledger.read_bytes() == kept
    if os.geteuid() == 0:
        for path in (folder, ledger):
            os.chown(path, 0, 0)
    folder.chmod(0o755)
    ledger.chmod(0o600)
    assert there.quietly("reject", items[REJECTED]["id"], "--reason", "no").code == 0
    assert there.quietly("log", "--verify").code == 4, "what was written meanwhile is said"


def test_with_a_ledger_on_a_full_disk_everything_is_looked_at_and_the_disk_is_blamed(
    there: Transcript, items: dict[str, dict[str, Any]]
) -> None:
    ledger = there.root / "home-ledger"
    if not can_mount(ledger):
        pytest.skip("no small disk can be mounted here")
    one = next(iter(items.values()))["id"]
    looking = (*LOOKING, ("show", one), ("diff", one), ("fsck",), ("log", "--verify"), ("adopt",))
    with Program(there.root / "user", below=on_a_full_disk(ledger)) as program:
        still = Transcript(program, there.root, there.home)
        for words in looking:
            ran = still.quietly(*words)
            assert ran.code in (0, 3) and "disk" not in ran.err, (words, ran)
        for words in deciding(items):
            error = refused(still.quietly(*words, "--json"), "ledger-unavailable")
            assert "the disk is full" in error["message"] and "Free space" in error["hint"]
        ran = still.quietly("doctor")
        assert ran.code == 1 and "the disk is full" in " ".join(ran.out.split()), ran

        (there.home / "memories" / "MEMORY.md").write_text("Somebody wrote this meanwhile.\n")
        for words in (*LOOKING, ("show", one)):
            assert still.quietly(*words).code in (0, 3), words
        assert "the disk is full" in still.quietly("list").err
    assert there.quietly("log", "--verify").code == 4, "it is found as soon as it can be noted"
