"""What the plugin writes outside of Hermes too: bounded, private, and read by our own reader."""

from __future__ import annotations

import ast
import json
import os
import sys
import time
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from reviewdeck.agents.hermes import agent, documents, sent, sidecar
from reviewdeck.files.syscalls import Kernel
from reviewdeck.homes.hermes.sidecar import LIMIT, Sidecar, read_sidecar
from reviewdeck.origin.prompt import memories_in

ID = "0a1b2c3d"
FOLDER = Path(sidecar.__file__).parent
BAR = "═" * 46
TURNS = count()
STAGED = json.dumps({"success": True, "staged": True, "pending_id": ID})


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = tmp_path / "home"
    (made / "memories").mkdir(parents=True)
    monkeypatch.setattr(agent, "home", lambda: made)
    return made


def block(text: str, title: str = "MEMORY (your personal notes)") -> str:
    share = int(len(text) / 2200 * 100)
    return f"{BAR}\n{title} [{share}% — {len(text):,}/2,200 chars]\n{BAR}\n{text}"


def called(name: str, arguments: dict[str, Any], id: str) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"role": "assistant", "content": "", "tool_calls": [{"id": id, "function": function}]}


def staged(
    home: Path, args: dict[str, Any], *, tool: str = "memory", history: Any = (), prompt: str = ""
) -> Sidecar:
    """A call that stages a record, and its sidecar as reviewdeck reads it."""
    turn = str(next(TURNS))
    sent.note_request(turn_id=turn, conversation_history=list(history), system_prompt=prompt)
    result = sidecar.around_call(
        tool_name=tool, args=args, next_call=lambda _: STAGED, session_id="s1", turn_id=turn
    )
    assert result == STAGED
    found = read_sidecar(home, ID, kernel=Kernel())
    assert isinstance(found, Sidecar), found
    return found


def test_the_plugin_imports_the_standard_library_and_nothing_else() -> None:
    for path in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                assert {one.name.split(".")[0] for one in node.names} <= sys.stdlib_module_names
            elif isinstance(node, ast.ImportFrom) and not node.level:
                assert str(node.module).split(".")[0] in sys.stdlib_module_names, path


@pytest.mark.parametrize("result", [STAGED, "{}", "no", "", None, 7, "[" * 9_000])
@pytest.mark.parametrize("tool", ["memory", "skill_manage", "terminal"])
def test_a_call_is_made_once_as_it_is_and_its_result_is_handed_on(
    home: Path, tool: str, result: object
) -> None:
    args, made = {"action": "add", "name": 7, "operations": [None, {}]}, []

    def make(given: object) -> object:
        made.append(given)
        return result

    assert sidecar.around_call(tool_name=tool, args=args, next_call=make) is result
    assert made == [args] and made[0] is args


def test_an_error_of_the_tool_is_the_tools_own(home: Path) -> None:
    def fail(_: object) -> object:
        raise KeyError("the tool's")

    with pytest.raises(KeyError, match="the tool's"):
        sidecar.around_call(tool_name="memory", args={}, next_call=fail)


def test_without_what_was_sent_there_is_no_sidecar(home: Path) -> None:
    sidecar.around_call(
        tool_name="memory", args={}, next_call=lambda _: STAGED, session_id="s1", turn_id="never"
    )
    assert read_sidecar(home, ID, kernel=Kernel()) is None


def test_a_document_is_noted_as_it_was_before_the_call(home: Path) -> None:
    path = home / "memories/USER.md"
    path.write_text("One.", "utf-8")
    found = staged(home, {"action": "add", "target": "user", "content": "Two."})
    assert found.bases["memories/USER.md"]["text"] == "One."
    assert staged(home, {"action": "add"}).bases == {"memories/MEMORY.md": {"sha256": "absent"}}


def test_a_long_document_and_one_that_is_no_text_are_noted_by_their_hash(home: Path) -> None:
    path = home / "memories/MEMORY.md"
    for data in (b"x" * (documents.TEXT + 1), b"\xff\xfe"):
        path.write_bytes(data)
        assert set(staged(home, {}).bases["memories/MEMORY.md"]) == {"sha256"}


@pytest.mark.parametrize("how", ["link", "pipe", "folder", "huge"])
def test_what_is_no_plain_document_is_not_read_and_holds_nobody_up(home: Path, how: str) -> None:
    path = home / "memories/MEMORY.md"
    match how:
        case "link":
            path.symlink_to("/etc/passwd")
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case _:
            path.write_bytes(b"")
            os.truncate(path, documents.READ + 1)
    assert staged(home, {}).bases == {}


@pytest.mark.parametrize("name", ["..", "a/b", "", "a\0b", "/etc"])
def test_a_name_that_is_no_name_reads_nothing(home: Path, name: str) -> None:
    args = {"action": "edit", "name": name, "content": "x"}
    assert documents.documents_before(home, "skill_manage", args) == {}
    file = {"action": "write_file", "name": "x", "file_path": f"references/../{name}"}
    assert documents.documents_before(home, "skill_manage", file) == {}


def test_a_skill_is_found_where_hermes_finds_it(home: Path) -> None:
    for place in ("skills/.archive/triage", "skills/dev/triage"):
        (home / place).mkdir(parents=True)
        (home / place / "SKILL.md").write_text(place, "utf-8")
    args = {"operations": [{"name": "triage"}, {"name": "new", "category": "dev"}]}
    found = documents.documents_before(home, "skill_manage", args)
    assert found["skills/dev/triage/SKILL.md"]["text"] == "skills/dev/triage"
    assert found["skills/dev/new/SKILL.md"] == {"sha256": "absent"}


def test_the_memories_that_were_in_the_prompt_are_read_exactly(home: Path) -> None:
    text = "One\n\ntwo.\n§\n" + "═" * 46
    blocks = [block(text), block("Ann", "USER PROFILE (who the user is)")]
    found = staged(home, {}, prompt="You are.\n\n" + "\n\n".join(blocks) + "\n\nMore.")
    assert memories_in(found.prompt) == {
        "memories/MEMORY.md": ("One\n\ntwo.", "═" * 46),
        "memories/USER.md": ("Ann",),
    }


@pytest.mark.parametrize("prompt", [block("One.")[:-1], block("One.") + "more", block("One.") * 2])
def test_memories_of_another_length_than_their_header_says_tell_nothing(
    home: Path, prompt: str
) -> None:
    assert staged(home, {}, prompt=prompt).prompt == ""


def test_calls_since_the_last_message_have_their_arguments(home: Path) -> None:
    said = {"role": "user", "content": "Go on."}
    history = [said, called("terminal", {"command": "ls"}, "c1"), said]
    history += [
        called("web_search", {"query": "q"}, "c2"),
        called("terminal", {"command": "x"}, ""),
    ]
    found = staged(home, {}, history=history)
    known = [(one.name, one.id, dict(one.arguments), one.is_readable) for one in found.calls]
    assert known == [
        ("terminal", "c1", {}, False),
        ("web_search", "c2", {"query": "q"}, True),
        ("terminal", "", {"command": "x"}, True),
    ]
    assert found.replayed == len(history) - 1


def test_a_turn_began_with_its_first_request(home: Path) -> None:
    history = [{"role": "user", "content": "One."}]
    sent.note_request(turn_id="t9", conversation_history=history)
    sent.note_request(turn_id="t9", conversation_history=[*history, called("memory", {}, "c")])
    noted = sent.find_request("t9")
    assert noted is not None and (noted.replayed, len(noted.history)) == (0, 2)


def test_calls_that_are_left_out_are_told_as_such(home: Path) -> None:
    history = [called("memory", {"content": "x" * 400}, f"c{at}") for at in range(sent.CALLS + 5)]
    found = staged(home, {}, history=history)
    assert len(found.calls) == sent.CALLS + 1 and found.calls[0].name == sent.EARLIER
    long = called("terminal", {"command": "x" * sent.ARGUMENTS}, "c")
    assert not staged(home, {}, history=[long]).calls[0].is_readable


def test_a_sidecar_is_never_longer_than_what_is_read_of_one(home: Path) -> None:
    (home / "skills/big").mkdir(parents=True)
    (home / "skills/big/SKILL.md").write_text("é" * 45_000, "utf-8")
    view = {"name": "big", "path": "big/SKILL.md", "content": "ü" * sent.VIEWED}
    history = [
        called("skill_view", {"name": "big"}, "v1"),
        {"role": "tool", "tool_call_id": "v1", "content": json.dumps(view)},
    ]
    args = {"action": "edit", "name": "big", "content": "x"}
    found = staged(home, args, tool="skill_manage", history=history)
    assert (home / ".reviewdeck/sidecar" / f"{ID}.json").stat().st_size <= LIMIT
    assert set(found.bases["skills/big/SKILL.md"]) == {"sha256"}
    assert found.views["skills/big/SKILL.md"] == view["content"]


def test_only_turns_that_may_still_be_asked_for_are_kept() -> None:
    for at in range(sent.TURNS + 3):
        sent.note_request(turn_id=f"turn {at}", conversation_history=[])
    assert sent.find_request("turn 2") is None and sent.find_request("turn 3") is not None


def test_old_sidecars_go_when_their_records_are_gone(home: Path) -> None:
    staged(home, {})
    folder, old = home / ".reviewdeck/sidecar", time.time() - sidecar.RETENTION - 60
    (home / "pending/memory").mkdir(parents=True)
    (home / "pending/memory/aaaaaaaa.json").write_text("{}", "utf-8")
    for name in ("aaaaaaaa.json", "bbbbbbbb.json", ".cccccccc.json.1.2"):
        (folder / name).write_text("{}", "utf-8")
        os.utime(folder / name, (old, old))
    sidecar.clear(home)
    assert {one.name for one in folder.iterdir()} == {f"{ID}.json", "aaaaaaaa.json"}
