"""What the system sees: the order of its calls, their failures, and a home on two file systems."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

MEMORY = "memories/MEMORY.md"

WORK = """
    import os, sys
    from pathlib import Path
    from reviewdeck.errors import ReviewdeckError
    from reviewdeck.homes.hermes.writer import HermesWriter
    from reviewdeck.model.plans import Change
    new, old = "skills/ops/triage", "skills/dev/notes"
    changes = (
        Change("memories/MEMORY.md", b"one", b"two"),
        Change("skills/a/templates/t.md", None, b"t"),
        Change("skills/a/references/r.md", b"r", None),
        Change(f"{new}/SKILL.md", None, b"main", tree=new),
        Change(f"{new}/scripts/run.sh", None, b"run", tree=new),
        Change(f"{old}/SKILL.md", b"old", None, tree=old),
        Change(f"{old}/references/x.md", b"x", None, tree=old),
    )
    writer = HermesWriter(Path(sys.argv[1]))
    try:
        writer.write(changes, "abc")
    except ReviewdeckError as error:
        print(type(error).__name__, error, error.hint)
        sys.exit(3)
"""
BEFORE = {
    MEMORY: b"one",
    "skills/a/SKILL.md": b"a",
    "skills/a/references/r.md": b"r",
    "skills/dev/notes/SKILL.md": b"old",
    "skills/dev/notes/references/x.md": b"x",
}
AFTER = {
    MEMORY: b"two",
    "skills/a/SKILL.md": b"a",
    "skills/a/templates/t.md": b"t",
    "skills/ops/triage/SKILL.md": b"main",
    "skills/ops/triage/scripts/run.sh": b"run",
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    make(tmp_path / "home")
    return tmp_path / "home"


def make(root: Path) -> None:
    for name, data in BEFORE.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)


def files(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for folder in ("memories", "skills")
        for path in (root / folder).rglob("*")
        if path.is_file()
    }


def run(home: Path, *before: str) -> subprocess.CompletedProcess[str]:
    command = [*before, sys.executable, "-c", textwrap.dedent(WORK), str(home)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def strace(home: Path, log: Path, *options: str) -> subprocess.CompletedProcess[str]:
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    done = run(home, "strace", "-f", "-y", "-o", str(log), *options)
    if "ptrace" in done.stderr:
        pytest.skip("strace may not trace here")
    return done


CALL = re.compile(r"^\d+ +(\w+)\((.*)\) += 0")
PLACE = re.compile(r'\d+<([^>]*)>, "([^"]*)"')


def calls(log: Path, home: Path) -> list[tuple[str, list[str]]]:
    """Every rename, with the two paths, and every sync, with one."""
    found: list[tuple[str, list[str]]] = []
    for line in log.read_text().splitlines():
        if (match := CALL.match(line)) and str(home) in line:
            name, rest = match.groups()
            if name == "fsync":
                found.append(("sync", re.findall(r"<([^>]*)>", rest)))
            else:
                found.append(("rename", [f"{a}/{b}" for a, b in PLACE.findall(rest)]))
    return found


def test_files_are_synced_before_a_rename_and_directories_after_it(
    home: Path, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    done = strace(home, log, "-e", "trace=rename,renameat,renameat2,fsync")
    assert done.returncode == 0, done.stderr
    assert files(home) == AFTER
    seen = calls(log, home)
    synced: set[str] = set()
    owed: set[str] = set()
    renames = 0
    for name, paths in seen:
        if name == "sync":
            synced.add(paths[0])
            owed.discard(paths[0])
            continue
        source, target = paths
        if source.endswith(".tmp") and "/trash/" not in target:
            assert source in synced
        owed |= {str(Path(path).parent) for path in (source, target)}
        renames += 1
    assert owed == set()
    assert renames >= 8


def made_of(root: Path) -> bool:
    """Whether each document is the old or the new one, and no tree is there in part."""
    live = files(root)
    old, new = (
        {"skills/dev/notes/SKILL.md", "skills/dev/notes/references/x.md"},
        {"skills/ops/triage/SKILL.md", "skills/ops/triage/scripts/run.sh"},
    )
    return (
        all(data in (BEFORE.get(name), AFTER.get(name)) for name, data in live.items())
        and MEMORY in live
        and all(len(tree & set(live)) in (0, len(tree)) for tree in (old, new))
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "fault"),
    [("fsync", "error=EIO"), ("write", "error=ENOSPC"), ("renameat2", "error=EIO")],
)
def test_a_call_may_fail_and_the_next_attempt_finishes(
    home: Path, tmp_path: Path, call: str, fault: str
) -> None:
    log = tmp_path / "log"
    failed = 0
    for number in range(2, 60, 4):
        shutil.rmtree(home)
        make(home)
        done = strace(
            home, log, "-e", f"trace={call}", "-e", f"inject={call}:{fault}:when={number}"
        )
        if "INJECTED" not in log.read_text():
            break
        failed += done.returncode == 3
        assert made_of(home), number
        assert [name for name in files(home) if ".tmp" in name] == [], number
        again = run(home)
        assert (again.returncode, again.stdout) == (0, ""), (number, done.stdout)
        assert files(home) == AFTER, number
    assert failed >= 2


def test_a_folder_of_ours_on_another_file_system_is_worked_around(home: Path) -> None:
    (home / ".reviewdeck").mkdir()
    mount = f"mount -t tmpfs none '{home}/.reviewdeck' && exec \"$@\""
    done = run(home, "unshare", "-rm", "sh", "-c", mount, "sh")
    if "unshare" in done.stderr or "mount" in done.stderr:
        pytest.skip("mounts cannot be made here")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert files(home) == AFTER
    assert not (home / "skills/dev").exists()
    assert list((home / ".reviewdeck").iterdir()) == []


def test_a_document_that_is_mounted_by_itself_is_named_with_the_way_out(
    home: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.md"
    outside.write_bytes(BEFORE[MEMORY])
    mount = f"mount --bind '{outside}' '{home / MEMORY}' && exec \"$@\""
    done = run(home, "unshare", "-rm", "sh", "-c", mount, "sh")
    if "unshare" in done.stderr or "mount" in done.stderr:
        pytest.skip("mounts cannot be made here")
    assert done.returncode == 3
    assert f"WriteFailed {MEMORY} was not written: Device or resource busy." in done.stdout
    assert "mount its folder instead" in done.stdout
    assert outside.read_bytes() == BEFORE[MEMORY]
    assert [name for name in files(home) if ".tmp" in name] == []


SWEEP_HEAD = WORK.split("writer =", maxsplit=1)[0]
SWEEP = """
    import shutil, signal
    home = Path(sys.argv[1])
    before = {before!r}
    after = {after!r}

    def files():
        return {{
            str(path.relative_to(home)): path.read_bytes()
            for folder in ("memories", "skills")
            for path in (home / folder).rglob("*")
            if path.is_file()
        }}

    def afresh():
        for folder in ("memories", "skills", ".reviewdeck/stage", ".reviewdeck/trash"):
            shutil.rmtree(home / folder, ignore_errors=True)
        for name, data in before.items():
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_bytes(data)

    died, number = True, 0
    while died:
        afresh()
        seen = 0

        def probe(step):
            global seen
            seen += 1
            if seen > number:
                os.kill(os.getpid(), signal.SIGKILL)

        child = os.fork()
        if child == 0:
            HermesWriter(home, probe=probe).write(changes, "abc")
            os._exit(0)
        died = os.WIFSIGNALED(os.waitpid(child, 0)[1])
        live = files()
        for name, data in live.items():
            if ".reviewdeck-" not in name:
                assert data in (before.get(name), after.get(name)), (number, name)
        writer = HermesWriter(home)
        for _ in range(2):
            writer.write(changes, "abc")
            assert files() == after, (number, files())
        assert writer.settle("abc") == (), number
        assert files() == after, number
        number += 1
    print(number)
"""


def test_a_kill_at_any_step_between_two_file_systems_is_finished_by_the_next_call(
    home: Path,
) -> None:
    (home / ".reviewdeck").mkdir()
    mount = f"mount -t tmpfs none '{home}/.reviewdeck' && exec \"$@\""
    script = textwrap.dedent(SWEEP_HEAD) + textwrap.dedent(SWEEP.format(before=BEFORE, after=AFTER))
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", mount, "sh", sys.executable, "-c", script, str(home)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.stderr.startswith(("unshare", "mount")):
        pytest.skip("mounts cannot be made here")
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) > 60
