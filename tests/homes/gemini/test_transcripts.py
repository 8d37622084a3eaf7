"""Gemini CLI's transcripts: messages that come again, and those that it adds by itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.homes.gemini.kit import write

from reviewdeck.agents.gated.verdicts import END, HEAD
from reviewdeck.agents.gemini.gate import call_id
from reviewdeck.files.syscalls import Kernel
from reviewdeck.homes.gated import transcripts
from reviewdeck.homes.gated.transcripts import RecordedSession, Transcripts
from reviewdeck.homes.gemini.transcripts import GEMINI_FORM

SESSION = "cd3d005d-60f3-469e-aa75-700bdaedea1b"
NAME = "session-2026-11-29T07-21-cd3d005d"
AT = "2026-11-29T07:21:17.150Z"


def read(tmp: Path, *lines: Any, session: str = SESSION, name: str = NAME) -> RecordedSession:
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    write(tmp / "app/chats" / f"{name}.jsonl", text)
    found = Transcripts(tmp, kernel=Kernel(), form=GEMINI_FORM).session(session)
    assert found is not None
    return found


def said(id: str, text: str) -> dict[str, Any]:
    return {"id": id, "timestamp": AT, "type": "user", "content": [{"text": text}]}


def answered(id: str, **more: Any) -> dict[str, Any]:
    return {"id": id, "timestamp": AT, "type": "gemini", "content": "", "model": "m", **more}


def rows(found: RecordedSession) -> list[tuple[str, str]]:
    return [(line.row.role, line.row.text) for line in found.lines.values() if line.row]


def test_a_message_that_comes_again_with_its_calls_has_them(tmp_path: Path) -> None:
    given = {"file_path": "/h/GEMINI.md", "content": "x\n"}
    call = {"id": "write_file__1", "name": "write_file", "args": given}
    result = {"functionResponse": {"id": "write_file__1", "response": {"output": "ok"}}}
    found = read(
        tmp_path,
        said("u", "Remember tea."),
        answered("g"),
        {"$set": {"lastUpdated": AT}},
        answered("g", toolCalls=[call]),
        {"id": "r", "timestamp": AT, "type": "user", "content": [result]},
    )
    id = call_id("write_file", given)
    chain, why = found.until(found.calls[id][-1])
    assert [line.row.role for line in chain if line.row] == ["user", "assistant", "assistant"]
    assert why == "" and rows(found)[-1] == ("tool", '{"output": "ok"}')


def test_messages_that_are_set_together_are_read_and_gemini_clis_own_are_not(
    tmp_path: Path,
) -> None:
    own = said("c", "<session_context>\nToday is Sunday.\n</session_context>")
    found = read(tmp_path, {"$set": {"messages": [own, said("a", "One."), said("b", "Two.")]}})
    assert rows(found) == [("user", "One."), ("user", "Two.")]
    typed = said("t", "<session_context>\nObey.")
    assert rows(read(tmp_path, typed)) == [("system", "<session_context>\nObey.")]


def test_a_session_is_found_by_its_id_and_by_the_name_of_its_file(tmp_path: Path) -> None:
    for session in (SESSION, NAME):
        assert rows(read(tmp_path, said("u", "Hi."), session=session)) == [("user", "Hi.")]
    every = Transcripts(tmp_path, kernel=Kernel(), form=GEMINI_FORM)
    assert every.session("00000000-60f3-469e-aa75-700bdaedea1b") is None
    assert [found.session for found in every.every_session()] == [NAME]


@pytest.mark.parametrize(
    "lost",
    ["[" * 900, json.dumps(answered("g", content="x" * 2_000))],
    ids=["not JSON", "too long"],
)
def test_behind_a_line_that_cannot_be_read_it_is_not_known_what_took_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: str
) -> None:
    monkeypatch.setattr(transcripts, "LONGEST_LINE", 1_000)
    names = "before", "behind"
    calls = [{"id": name, "name": name, "args": {}} for name in names]
    lines = [json.dumps(answered("g", toolCalls=[call])) for call in calls]
    write(tmp_path / "app/chats" / f"{NAME}.jsonl", f'{lines[0]}\n{lost}\n{lines[1]}\n{{"id')
    found = Transcripts(tmp_path, kernel=Kernel(), form=GEMINI_FORM).session(SESSION)
    assert found is not None and not found.is_whole
    why = [found.until(found.calls[call_id(name, {})][-1])[1] for name in names]
    assert why == ["", "A part of the transcript cannot be read, or is not kept."]


def test_lines_of_no_known_form_are_passed_over(tmp_path: Path) -> None:
    odd = [
        [],
        {"$set": 3},
        {"$rewindTo": "x"},
        answered("g", toolCalls="x", content=3),
        {"type": 1},
    ]
    assert rows(read(tmp_path, *odd, said("u", "Hi.")))[-1] == ("user", "Hi.")


def added(found: RecordedSession) -> list[tuple[str, str]]:
    return [(line.row.text, line.row.added) for line in found.lines.values() if line.row]


def test_what_gemini_cli_puts_behind_a_prompt_or_in_its_place_is_not_typed(tmp_path: Path) -> None:
    file = ["\n--- Content from referenced files ---", "\nContent from @a.md:\n", "I like tea."]
    named = {
        **said("u", "Look at @a.md"),
        "content": [{"text": t} for t in ("Look at @a.md", *file)],
    }
    hooked = {**named, "content": [{"text": "Hi."}, {"text": "<hook_context>x</hook_context>"}]}
    assert added(read(tmp_path, named)) == [("Look at @a.md", "\n".join(file))]
    assert added(read(tmp_path, hooked)) == [("Hi.", "<hook_context>x</hook_context>")]
    told = f"<hook_context>{HEAD}\n- GEMINI.md: applied by a person\n{END}</hook_context>"
    ours = {**named, "content": [{"text": "Hi."}, {"text": told}]}
    ours["displayContent"] = [{"text": "Hi."}]
    assert added(read(tmp_path, ours)) == [("Hi.", "")]
    for shown in ("/greet me", [{"text": "/greet me"}]):
        expanded = {**said("u", "I like tea."), "displayContent": shown}
        assert added(read(tmp_path, expanded)) == [("/greet me", "I like tea.")]


def test_a_call_in_the_parts_of_an_answer_and_a_message_of_no_known_type_count(
    tmp_path: Path,
) -> None:
    call = {"functionCall": {"name": "web_fetch", "args": {"prompt": "x"}}}
    found = read(tmp_path, answered("g", content=[{"text": "I look."}, call]))
    [line] = found.lines.values()
    assert line.row and [one.name for one in line.row.calls] == ["WebFetch"]
    for odd in ("x", {"name": 7}, [None]):
        found = read(tmp_path, answered("g", toolCalls=odd))
        [line] = found.lines.values()
        assert line.row and [one.name for one in line.row.calls] == [""]
    found = read(tmp_path, said("u", "Hi."), {**said("x", "Obey."), "type": None})
    assert added(found) == [("Hi.", ""), ("", "attachment None")]
    found = read(tmp_path, said("u", "Hi."), {**said("x", "Obey."), "type": "injection"})
    assert added(found) == [("Hi.", ""), ("", "attachment injection")]
    found = read(tmp_path, said("u", "Hi."), {**said("x", "Saved."), "type": "info"})
    assert added(found) == [("Hi.", "")]
