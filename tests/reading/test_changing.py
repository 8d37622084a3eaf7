"""A skill that somebody writes while it is read: whole, or one problem; never approved by half."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.reading import forms

from reviewdeck.cli.commands import skills as commands
from reviewdeck.cli.main import main
from reviewdeck.clock import utc_now
from reviewdeck.files.reads import ATTEMPTS, CHANGES
from reviewdeck.homes.kinds import HomeContext, kind_at
from reviewdeck.homes.skill_folder.contents import NodeKind, read_skills
from reviewdeck.homes.skill_folder.lock import read_lock

WRITER = """
import json, os, sys
for line in sys.stdin:
    how, path, text = json.loads(line)
    if how == "write":
        with open(path, "r+") as file:
            file.truncate(0)
            file.write(text)
    elif how == "replace":
        with open(path + ".tmp", "w") as file:
            file.write(text)
        os.replace(path + ".tmp", path)
    else:
        os.rename(path, text)
    print("done", flush=True)
"""
LONG = "The same line again and again.\n" * 8_000
"""More than is read in one piece."""


class Writer:
    """Another program that writes when it is told to."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", WRITER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.times = 0

    def do(self, how: str, path: Path, text: str) -> None:
        """Writes, and waits until it is written."""
        self.times += 1
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps([how, str(path), text]), file=self._process.stdin, flush=True)
        assert self._process.stdout.readline() == "done\n"

    def end(self) -> None:
        """Ends the program."""
        self._process.communicate()


@pytest.fixture
def writer() -> Iterator[Writer]:
    writer = Writer()
    yield writer
    writer.end()


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one long skill and a file beside its SKILL.md."""
    monkeypatch.setenv("HOME", str(tmp_path))
    root = tmp_path / "skills"
    forms.write(root, {"tidy/SKILL.md": version(1).encode(), "tidy/notes.md": b"Notes 1.\n"})
    return root


def version(number: int) -> str:
    return f"---\nname: tidy\ndescription: Version {number}\n---\n\n{LONG}Version {number}.\n"


@contextmanager
def whenever_read(
    monkeypatch: pytest.MonkeyPatch, name: str, act: Callable[[], None]
) -> Iterator[None]:
    """Acts after the first piece of a file of this name is read, each time that it is."""
    read = os.read

    def reading(file: int, size: int) -> bytes:
        place = Path(f"/proc/self/fd/{file}").readlink()
        is_first = place.name == name and os.lseek(file, 0, os.SEEK_CUR) == 0
        data = read(file, size)
        if is_first:
            act()
        return data

    with monkeypatch.context() as patched:
        patched.setattr(os, "read", reading)
        yield


def texts(root: Path) -> dict[str, str | None]:
    (tree,) = read_skills(root).values()
    return {node.path: node.text for node in tree.nodes}


@pytest.mark.parametrize("how", ["write", "replace"])
@pytest.mark.parametrize("name", ["SKILL.md", "notes.md"])
def test_a_skill_that_is_written_meanwhile_is_read_again(
    root: Path, writer: Writer, monkeypatch: pytest.MonkeyPatch, how: str, name: str
) -> None:
    def act() -> None:
        if not writer.times:
            writer.do(how, root / "tidy" / "SKILL.md", version(2))
            writer.do(how, root / "tidy" / "notes.md", "Notes 2.\n")

    with whenever_read(monkeypatch, name, act):
        assert texts(root) == {"SKILL.md": version(2), "notes.md": "Notes 2.\n"}


def test_a_file_that_moves_to_another_name_meanwhile_is_found_there(
    root: Path, writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def act() -> None:
        if not writer.times:
            writer.do("rename", root / "tidy" / "notes.md", str(root / "tidy" / "later.md"))

    with whenever_read(monkeypatch, "SKILL.md", act):
        assert texts(root) == {"SKILL.md": version(1), "later.md": "Notes 1.\n"}


def test_a_folder_that_is_replaced_meanwhile_is_read_as_the_new_one(
    root: Path, writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = root.parent / "new"
    forms.write(new, {"SKILL.md": version(2).encode(), "notes.md": b"Notes 2.\n"})

    def act() -> None:
        if not writer.times:
            writer.do("rename", root / "tidy", str(root.parent / "old"))
            writer.do("rename", new, str(root / "tidy"))

    with whenever_read(monkeypatch, "SKILL.md", act):
        assert texts(root) == {"SKILL.md": version(2), "notes.md": "Notes 2.\n"}


def ran(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, Any]:
    capsys.readouterr()
    code = main([*words, "--json"])
    said = capsys.readouterr()
    return code, json.loads(said.out or said.err)


@pytest.fixture
def restless(root: Path, writer: Writer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Writer]:
    """A writer that writes the SKILL.md whenever somebody reads it."""

    def act() -> None:
        writer.do("write", root / "tidy" / "SKILL.md", version(2 + writer.times))

    with whenever_read(monkeypatch, "SKILL.md", act):
        yield writer


def test_what_changes_at_each_reading_is_one_problem(root: Path, restless: Writer) -> None:
    (tree,) = read_skills(root).values()
    problems = [(node.path, node.kind, node.problem) for node in tree.nodes if node.problem]
    assert problems == [("SKILL.md", NodeKind.UNREADABLE, CHANGES)]
    assert tree.text_of("SKILL.md") is None
    assert restless.times <= ATTEMPTS**2


def test_it_is_neither_approved_nor_found_as_approved(
    root: Path, writer: Writer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ledger = ("--ledger", str(root.parent / "ledger.db"))
    assert ran(capsys, "skills", "lock", str(root), "--yes", *ledger)[0] == 0
    approved = read_lock(root)

    def act() -> None:
        writer.do("write", root / "tidy" / "SKILL.md", version(2 + writer.times))

    with whenever_read(monkeypatch, "SKILL.md", act):
        code, found = ran(capsys, "skills", "verify", str(root))
        assert code == 4
        (difference,) = found["folders"][0]["skills"][0]["differences"]
        assert difference == {"how": "unreadable", "path": "SKILL.md", "words": CHANGES}
        code, said = ran(capsys, "skills", "lock", str(root), "--yes", *ledger)
        assert code == 1
        assert said["error"]["message"] == f"tidy cannot be approved: 'SKILL.md' {CHANGES}."
    assert read_lock(root) == approved


def test_what_changed_since_it_was_shown_is_not_approved(
    root: Path, writer: Writer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def agree(*, yes: bool) -> bool:
        writer.do("replace", root / "tidy" / "notes.md", "Ask nobody.\n")
        return yes

    monkeypatch.setattr(commands, "is_confirmed", agree)
    ledger = ("--ledger", str(root.parent / "ledger.db"))
    code, said = ran(capsys, "skills", "lock", str(root), "--yes", *ledger)
    assert code == 1
    assert said["error"]["message"] == (
        "tidy has changed since it was shown: nothing was approved."
    )
    assert read_lock(root) is None


def test_the_deck_and_adopt_see_no_half_of_it(
    root: Path, restless: Writer, capsys: pytest.CaptureFixture[str]
) -> None:
    home = kind_at(root).home(root, HomeContext({}, root.parent, utc_now))
    document = home.snapshot().document("tidy/SKILL.md")
    assert (document.data, document.problem) == (None, CHANGES)
    where = ("--home", str(root), "--ledger", str(root.parent / "ledger.db"))
    _, found = ran(capsys, "adopt", *where)
    assert [each["document"] for each in found["possessions"]] == ["tidy/notes.md"]
    assert found["unread"] == [{"document": "tidy/SKILL.md", "problem": CHANGES}]


def test_a_skill_in_a_folder_that_cannot_be_read_does_not_lose_its_approval(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if os.geteuid() == 0:
        pytest.skip("root reads every folder")
    ledger = ("--ledger", str(root.parent / "ledger.db"))
    ran(capsys, "skills", "lock", str(root), "--yes", *ledger)
    (root / "tidy").chmod(0)
    try:
        code, said = ran(capsys, "skills", "lock", str(root), "--skill", "tidy", "--yes", *ledger)
    finally:
        (root / "tidy").chmod(0o755)
    assert code == 1
    assert said["error"]["message"].startswith("Whether tidy is gone is not known")
    assert read_lock(root)
