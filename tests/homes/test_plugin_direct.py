"""Calls past the gates: who made them, and which revisions of which governed files they met."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from reviewdeck.agents.hermes import agent, direct, terminal
from reviewdeck.clock import utc_now
from reviewdeck.files.syscalls import Kernel
from reviewdeck.homes.hermes.conversations import HermesConversations
from reviewdeck.homes.strict_json import load_object

SKILL = "skills/dev/notes/SKILL.md"
MEMORY = "memories/MEMORY.md"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    for path in (SKILL, MEMORY):
        (home / path).parent.mkdir(parents=True)
        (home / path).write_text("before", "utf-8")
    monkeypatch.setattr(agent, "home", lambda: home)
    return home


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def call(home: Path, tool: str, do: Callable[[], object] | None = None, **args: Any) -> list[Any]:
    """One call of a tool; what was noted since the beginning."""

    def run(given: object) -> str:
        assert given is args
        if do is not None:
            do()
        return "result"

    about = {"session_id": "s1", "turn_id": "t1", "tool_call_id": "c1"}
    assert direct.around_call(tool_name=tool, args=args, next_call=run, **about) == "result"
    folder = home / ".reviewdeck" / "direct"
    found = sorted(folder.iterdir()) if folder.exists() else []
    return [json.loads(one.read_text("utf-8")) for one in found]


def test_a_file_that_is_written_is_noted_with_its_revisions(home: Path) -> None:
    path = str(home / MEMORY)
    (note,) = call(home, "write_file", lambda: Path(path).write_text("after"), path=path)
    assert note["documents"] == {MEMORY: {"before": sha("before"), "after": sha("after")}}
    assert (note["session"], note["turn"], note["call"]) == ("s1", "t1", "c1")
    assert (note["v"], note["tool"], note["what"]) == (1, "write_file", path)
    assert note["at"] <= note["ended"]


def test_a_new_file_of_a_skill_was_absent_before(home: Path) -> None:
    path = home / "skills/dev/notes/references/new.md"
    (note,) = call(home, "write_file", path=str(path))
    assert note["documents"] == {
        "skills/dev/notes/references/new.md": {"before": "absent", "after": "absent"}
    }


def test_a_path_is_what_it_leads_to(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERMINAL_CWD", str(home))
    (home.parent / "link").symlink_to(home)
    for at, path in enumerate((SKILL, f"memories/../{SKILL}", str(home.parent / "link" / SKILL))):
        notes = call(home, "patch", path=path, old_string="a", new_string="b")
        assert len(notes) == at + 1 and list(notes[-1]["documents"]) == [SKILL]


def test_a_patch_of_several_files_is_read(home: Path) -> None:
    patch = f"*** Begin Patch\n*** Update File: {home / SKILL}\n@@\n*** Add File: /tmp/x.md\n"
    (note,) = call(home, "patch", mode="patch", patch=patch)
    assert list(note["documents"]) == [SKILL]


def test_a_command_that_names_governed_files_is_noted_with_the_memories(home: Path) -> None:
    command = f"echo x >> {home}/skills/dev/notes/SKILL.md; true " + "y" * 300
    (note,) = call(home, "terminal", command=command)
    assert list(note["documents"]) == [MEMORY, "memories/USER.md", SKILL]
    assert note["what"] == command[: direct.SHOWN]


def test_a_folder_of_skills_stands_for_its_files(home: Path) -> None:
    (note,) = call(home, "terminal", command="sed -i s/a/b/ skills/*", workdir=str(home))
    assert MEMORY in note["documents"]
    notes = call(home, "terminal", command=f"rm -r {home}/skills/dev")
    assert SKILL in notes[-1]["documents"]


def test_other_calls_leave_nothing(home: Path) -> None:
    call(home, "terminal", command="ls -l")
    call(home, "write_file", path=str(home.parent / "notes.md"))
    call(home, "write_file", path="/proc/self/\0bad")
    call(home, "memory", action="add", path=str(home / MEMORY))
    assert call(home, "terminal", command=None) == []


def test_what_fails_here_does_not_touch_the_call(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (home / ".reviewdeck").write_text("no folder", "utf-8")
    path = str(home / MEMORY)
    assert direct.around_call(tool_name="write_file", args={"path": path}, next_call=len) == 1
    assert "something failed" in caplog.text


def test_an_error_of_the_tool_goes_through(home: Path) -> None:
    def broken(args: object) -> object:
        raise LookupError

    with pytest.raises(LookupError):
        direct.around_call(tool_name="terminal", args={"command": "x"}, next_call=broken)


def test_links_and_pipes_are_not_read(home: Path) -> None:
    os.mkfifo(home / "skills/pipe.md")
    (home / "memories/USER.md").symlink_to("/etc/passwd")
    found = direct.revisions(home, "terminal", {"command": f"cat {home}/skills/pipe.md MEMORY.md"})
    assert found == {MEMORY: sha("before"), "memories/USER.md": "", "skills/pipe.md": ""}


def test_only_the_latest_notes_are_kept(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(direct, "MOST", 2)
    noted = [len(call(home, "write_file", path=str(home / MEMORY))) for _ in range(4)]
    assert noted == [1, 2, 2, 2]


def test_a_memory_that_is_a_link_out_of_the_home_is_noted(home: Path) -> None:
    elsewhere = home.parent / "elsewhere"
    (home / "memories").rename(elsewhere)
    (home / "memories").symlink_to(elsewhere)
    (note,) = call(home, "write_file", path=str(elsewhere / "MEMORY.md"))
    assert note["documents"][MEMORY]["before"] == sha("before")


@pytest.mark.parametrize("is_allowed", [True, False])
def test_a_memory_that_is_written_at_once_is_noted_with_a_persons_yes(
    home: Path, monkeypatch: pytest.MonkeyPatch, is_allowed: bool
) -> None:
    monkeypatch.setattr(terminal, "was_allowed", lambda: is_allowed)
    args = {"action": "add", "target": "memory", "content": "Tea."}
    (note,) = call(home, "memory", lambda: (home / MEMORY).write_text("after"), **args)
    assert note["documents"] == {MEMORY: {"before": sha("before"), "after": sha("after")}}
    assert note.get("allowed", False) is is_allowed
    (read,) = HermesConversations(home, clock=utc_now, kernel=Kernel()).noted_calls()
    assert read.is_allowed is is_allowed


def test_notes_are_read_again_when_one_came(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[bytes] = []

    def load(data: bytes) -> dict[str, Any]:
        read.append(data)
        return load_object(data)

    monkeypatch.setattr("reviewdeck.homes.conversations.load_object", load)
    known = HermesConversations(home, clock=utc_now, kernel=Kernel())
    for amount in (1, 2):
        write = partial((home / MEMORY).write_text, f"{amount}")
        assert len(call(home, "write_file", write, path=str(home / MEMORY))) == amount
        os.utime(home / ".reviewdeck" / "direct", (amount, amount))
        assert len(known.noted_calls()) == len(known.noted_calls()) == amount
    assert len(read) == 1 + 2


def test_what_is_staged_is_no_write(home: Path) -> None:
    staged = json.dumps({"success": True, "staged": True, "pending_id": "0a1b2c3d"})
    found = direct.around_call(
        tool_name="memory", args={"action": "add"}, next_call=lambda _: staged
    )
    assert found == staged and not (home / ".reviewdeck" / "direct").exists()
