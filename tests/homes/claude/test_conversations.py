"""Where a change of a Claude Code home comes from, by the transcripts of its sessions."""

from __future__ import annotations

import hashlib
import json
import os
import tracemalloc
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.homes.claude.talk import NOON, SLUG, Talk, conversations, record_of, stamp

from reviewdeck.agents.gated.verdicts import END, HEAD
from reviewdeck.clock import utc_now
from reviewdeck.engine.source_turns import MatchedBy, SoughtTurn, turns_to
from reviewdeck.homes.gated.transcripts import ROWS
from reviewdeck.model import ABSENT, DirectChange, KnownBy, Origin, OriginClass, Role
from reviewdeck.model.documents import Revision
from reviewdeck.ports import Trust

MEMORY = f"projects/{SLUG}/memory/a.md"
SAYS = "User prefers pytest over unittest."


def written(talk: Talk, id: str = "toolu_w") -> None:
    talk.call("Write", id=id, file_path=f"{talk.config}/{MEMORY}", content=SAYS)


def origin(talk: Talk, trust: Trust | None = None, **about: Any) -> Origin:
    about.setdefault("at", talk.at)
    return conversations(talk.config).origin(record_of(**about), trust or Trust())


def after(tmp_path: Path, name: str, **given: Any) -> Origin:
    """The origin of a memory that is written after one call of a tool."""
    talk = Talk(tmp_path, "s1")
    talk.user("Look at this, and remember what matters.")
    talk.call(name, **given)
    written(talk)
    talk.write()
    return origin(talk)


def test_what_the_user_typed_and_nothing_else_is_from_the_user(tmp_path: Path) -> None:
    talk = Talk(tmp_path, "s1")
    talk.user("I prefer pytest over unittest.")
    talk.attach("environment")
    talk.call("Read", file_path=f"{tmp_path}/projects/{SLUG}/memory/MEMORY.md")
    written(talk)
    talk.write()
    found = origin(talk)
    assert (found.kind, found.known_by) == (OriginClass.USER, KnownBy.EXACT)
    assert [one.text for one in found.typed] == ["I prefer pytest over unittest."]
    assert found.sessions == ("s1",)


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("WebFetch", {"url": "https://blog.example/pytest", "prompt": "what"}),
        ("WebSearch", {"query": "pytest"}),
        ("mcp__mail__read", {"id": "7"}),
        ("Bash", {"command": "curl -s https://blog.example"}),
        ("Bash", {"command": "gh issue view 7"}),
        ("Read", {"file_path": "/w/downloads/page.md"}),
        ("Grep", {"pattern": "x", "path": "../elsewhere"}),
        ("ToolOfTomorrow", {}),
    ],
)
def test_what_brings_in_a_text_of_others_is_from_outside(
    tmp_path: Path, tool: str, given: dict[str, Any]
) -> None:
    found = after(tmp_path, tool, **given)
    assert (found.kind, found.known_by) == (OriginClass.OUTSIDE, KnownBy.EXACT)
    assert tool in {one.name for one in found.participants}


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Bash", {"command": "git log --oneline"}),
        ("Read", {"file_path": "/w/app/README.md"}),
        ("Edit", {"file_path": "/w/app/a.py", "old_string": "a", "new_string": "b"}),
    ],
)
def test_what_is_read_in_the_repository_is_of_the_workspace(
    tmp_path: Path, tool: str, given: dict[str, Any]
) -> None:
    assert after(tmp_path, tool, **given).kind is OriginClass.WORKSPACE


def test_a_page_that_was_fetched_turns_before_still_counts(tmp_path: Path) -> None:
    talk = Talk(tmp_path, "s1")
    talk.user("Read that page.")
    talk.call("WebFetch", url="https://blog.example")
    talk.user("Remember the advice.")
    written(talk)
    talk.write()
    assert origin(talk).kind is OriginClass.OUTSIDE


def test_what_came_after_the_write_counts_not(tmp_path: Path) -> None:
    talk = Talk(tmp_path, "s1")
    talk.user("Remember it.")
    written(talk)
    talk.call("WebFetch", url="https://blog.example")
    talk.write()
    assert origin(talk).kind is OriginClass.USER


def test_a_branch_that_was_left_counts_not(tmp_path: Path) -> None:
    talk = Talk(tmp_path, "s1")
    talk.user("Remember it.")
    fork = talk.last
    talk.call("WebFetch", url="https://blog.example")
    talk.last = fork
    written(talk)
    talk.write()
    assert origin(talk).kind is OriginClass.USER


def test_a_call_beside_the_write_in_one_answer_counts(tmp_path: Path) -> None:
    talk = Talk(tmp_path, "s1")
    talk.user("Remember it.")
    talk.call("WebFetch", id="toolu_f", result=None, url="https://blog.example")
    asked = talk.last
    talk.call("Write", id="toolu_w", result=None, file_path="/w/m/a.md", content=SAYS)
    answer = {"type": "tool_result", "tool_use_id": "toolu_f", "content": "a page"}
    talk.add("user", message={"role": "user", "content": [answer]}, parentUuid=asked)
    talk.write()
    assert origin(talk).kind is OriginClass.OUTSIDE


@pytest.mark.parametrize("is_fetched_first", [True, False])
def test_a_call_that_ran_beside_another_one_counts_whichever_ended_last(
    tmp_path: Path, is_fetched_first: bool
) -> None:
    talk = Talk(tmp_path, "s1")
    talk.user("Look at both, and remember it.")
    asked: dict[str, str | None] = {}
    for name in ("Read", "WebFetch"):
        given = {"file_path": "/w/app/a.md", "url": "https://blog.example"}
        block = {"type": "tool_use", "id": name, "name": name, "input": given}
        message = {"id": "msg_1", "role": "assistant", "model": "m", "content": [block]}
        asked[name] = talk.add("assistant", message=message)["uuid"]
    for name in ("WebFetch", "Read") if is_fetched_first else ("Read", "WebFetch"):
        answer = {"type": "tool_result", "tool_use_id": name, "content": "x"}
        talk.add("user", message={"role": "user", "content": [answer]}, parentUuid=asked[name])
        talk.attach("hook_context", role="user")
    written(talk)
    talk.write()
    assert origin(talk).kind is OriginClass.OUTSIDE


def test_of_a_prompt_only_its_first_text_was_typed(tmp_path: Path) -> None:
    for added in ("<system-reminder>x</system-reminder>", "User prefers unittest."):
        talk = Talk(tmp_path, "s1")
        talk.user("I prefer pytest.")
        texts = [{"type": "text", "text": text} for text in ("I prefer pytest.", added)]
        talk.lines[-1]["message"]["content"] = texts
        written(talk)
        talk.write()
        found = origin(talk)
        assert found.kind is OriginClass.OUTSIDE
        assert [one.text for one in found.typed] == ["I prefer pytest."]


@pytest.mark.parametrize("told", ["hook", 7, [], {}, {"kind": "peer"}])
def test_a_prompt_whose_origin_is_not_said_to_be_a_person_is_not_typed(
    tmp_path: Path, told: Any
) -> None:
    talk = Talk(tmp_path, "s1")
    talk.user("I prefer pytest.", origin=told)
    written(talk)
    talk.write()
    found = origin(talk)
    assert (found.kind, found.typed) == (OriginClass.OUTSIDE, ())


@pytest.mark.parametrize("kind", ["server_tool_use", "container_upload", "block_of_tomorrow"])
def test_a_part_of_a_message_that_nobody_knows_is_from_outside(tmp_path: Path, kind: str) -> None:
    for number, content in ((0, "x" * 70_000), (1, "I prefer pytest.")):
        talk = Talk(tmp_path, "s1")
        talk.user("I prefer pytest.")
        talk.say("Good.")
        parts = [{"type": "text", "text": content}, {"type": kind, "id": "x"}]
        talk.lines[1 - number]["message"]["content"] = parts
        written(talk)
        talk.write()
        assert origin(talk).kind is OriginClass.OUTSIDE


@pytest.mark.parametrize("content", [None, 7, {}, ["x"], [None]])
def test_a_message_that_cannot_be_read_is_from_outside(tmp_path: Path, content: object) -> None:
    for at in (0, 1):
        talk = Talk(tmp_path, "s1")
        talk.user("I prefer pytest.")
        talk.say("Good.")
        talk.lines[at]["message"]["content"] = content
        written(talk)
        talk.write()
        assert origin(talk).kind is OriginClass.OUTSIDE


def test_a_call_whose_id_comes_again_is_the_last_one_up_to_the_write(tmp_path: Path) -> None:
    talk = Talk(tmp_path, "s1")
    talk.user("I prefer pytest over unittest.")
    written(talk, "call_0")
    early = talk.at
    talk.call("WebFetch", id="call_1", url="https://blog.example")
    written(talk, "call_0")
    talk.write()
    assert origin(talk, call="call_0").kind is OriginClass.OUTSIDE
    assert origin(talk, call="call_0", at=early - timedelta(seconds=5)).kind is OriginClass.USER


def test_an_attachment_that_does_not_say_how_it_was_shown_is_from_outside(tmp_path: Path) -> None:
    talk = Talk(tmp_path, "s1")
    talk.user("Remember it.")
    talk.attach("mcp_resource", uri="mail://7")
    del talk.lines[-1]["renderedRole"]
    written(talk)
    talk.write()
    assert origin(talk).kind is OriginClass.OUTSIDE


@pytest.mark.parametrize("at", [None, "2036-01-01T00:00:00Z"])
def test_what_an_agent_fetched_counts_whatever_the_clock_said(
    tmp_path: Path, at: str | None
) -> None:
    talk = Talk(tmp_path, "s1")
    talk.user("Have somebody look.")
    worker = talk.sent("a1", by=talk.call("Task", prompt="look"))
    worker.user("look")
    worker.call("WebFetch", url="https://blog.example")
    worker.say("Done.")
    for line in worker.lines:
        line["timestamp"] = at
    worker.write()
    written(talk)
    talk.write()
    assert origin(talk).kind is OriginClass.OUTSIDE


def test_two_transcripts_of_one_agent_do_not_stand_for_another_one(tmp_path: Path) -> None:
    talk = Talk(tmp_path, "s1")
    talk.user("Have two look.")
    sent = talk.call("Task", prompt="look")
    talk.call("Task", prompt="look there")
    for name in ("a1", "a2"):
        worker = talk.sent(name, by=sent)
        worker.user("look")
        worker.say("Done.")
        worker.write()
    written(talk)
    talk.write()
    assert origin(talk).kind is OriginClass.OUTSIDE


def test_a_result_whose_call_is_lost_counts_where_it_is_no_predecessor_either(
    tmp_path: Path,
) -> None:
    talk = Talk(tmp_path, "s1")
    talk.user("Remember it.")
    before = talk.last
    talk.call("WebFetch", url="https://blog.example")
    del talk.lines[-2]
    talk.last = before
    written(talk)
    talk.write()
    assert origin(talk).kind is OriginClass.OUTSIDE


def test_what_stands_before_a_line_that_names_no_predecessor_counts_and_is_not_typed(
    tmp_path: Path,
) -> None:
    talk = Talk(tmp_path, "s1")
    talk.user("Read that page.")
    talk.call("WebFetch", url="https://blog.example")
    talk.user("Remember it.", parentUuid=None)
    written(talk)
    talk.write()
    found = origin(talk)
    assert found.kind is OriginClass.OUTSIDE
    assert [one.text for one in found.typed] == ["Remember it."]


@pytest.mark.parametrize("lost", [1, 2, 3])
def test_an_agent_whose_transcript_ends_without_an_answer_may_have_brought_in_anything(
    tmp_path: Path, lost: int
) -> None:
    talk = Talk(tmp_path, "s1")
    talk.user("Have somebody look.")
    worker = talk.sent("a1", by=talk.call("Task", prompt="look"))
    worker.user("look")
    worker.call("Read", file_path="/w/app/a.md")
    worker.say("Done.")
    worker.write()
    written(talk)
    talk.write()
    assert origin(talk).kind is OriginClass.WORKSPACE
    del worker.lines[-lost:]
    worker.write()
    assert origin(talk).kind is OriginClass.UNKNOWN


@pytest.mark.parametrize("role", ["system", "user", None])
@pytest.mark.parametrize(
    ("told", "kind"),
    [
        ({"kind": "human"}, OriginClass.USER),
        ({"kind": "peer"}, OriginClass.OUTSIDE),
        ({"kind": "task-notification"}, OriginClass.OUTSIDE),
        (None, OriginClass.OUTSIDE),
    ],
)
def test_what_reaches_a_session_while_it_works_is_typed_or_of_others(
    tmp_path: Path, role: str | None, told: dict[str, str] | None, kind: OriginClass
) -> None:
    talk = Talk(tmp_path, "s1")
    talk.user("Remember it.")
    talk.attach("queued_command", prompt="I like tea.", commandMode="prompt", origin=told)
    talk.lines[-1]["renderedRole"] = role
    written(talk)
    talk.write()
    found = origin(talk)
    typed = ["Remember it.", *(["I like tea."] if kind is OriginClass.USER else [])]
    assert (found.kind, [one.text for one in found.typed]) == (kind, typed)


VERDICTS = f"{HEAD}\n- a.md: applied by a person\n{END}"


@pytest.mark.parametrize("role", ["system", "user", None])
@pytest.mark.parametrize(
    ("held", "kind"),
    [
        ({"type": "hook_additional_context", "content": ["Obey."]}, OriginClass.OUTSIDE),
        ({"type": "hook_additional_context", "content": [VERDICTS, "Obey."]}, OriginClass.OUTSIDE),
        ({"type": "hook_additional_context", "content": f"{VERDICTS}\nObey."}, OriginClass.OUTSIDE),
        ({"type": "hook_additional_context", "content": [VERDICTS]}, OriginClass.USER),
        (
            {"type": "hook_success", "hookEvent": "SessionStart", "content": "Obey."},
            OriginClass.OUTSIDE,
        ),
        ({"type": "hook_success", "hookEvent": "SessionStart", "content": ""}, OriginClass.USER),
        ({"type": "hook_success", "hookEvent": "PreToolUse", "content": "ok"}, OriginClass.USER),
        ({"type": "mcp_resource", "uri": "mail://7"}, OriginClass.OUTSIDE),
    ],
)
def test_what_a_hook_tells_the_model_is_from_outside_but_our_own_verdicts(
    tmp_path: Path, role: str | None, held: dict[str, Any], kind: OriginClass
) -> None:
    talk = Talk(tmp_path, "s1")
    talk.user("Remember it.")
    talk.attach(**held)
    talk.lines[-1]["renderedRole"] = role
    written(talk)
    talk.write()
    assert origin(talk).kind is kind


def test_a_prompt_that_a_program_gave_is_nobody_s_typing(tmp_path: Path) -> None:
    talk = Talk(tmp_path, "s1", entrypoint="sdk-cli")
    talk.user("Remember it.", promptSource="sdk")
    written(talk)
    talk.write()
    found = origin(talk)
    assert (found.kind, found.known_by, found.typed) == (OriginClass.UNKNOWN, KnownBy.EXACT, ())


def test_a_shell_line_of_the_user_is_read_as_a_command(tmp_path: Path) -> None:
    for command, kind in (
        ("git status", OriginClass.WORKSPACE),
        ("curl https://blog.example", OriginClass.OUTSIDE),
    ):
        talk = Talk(tmp_path, "s1")
        talk.user(f"<bash-input>{command}</bash-input>")
        talk.user("<bash-stdout>a text</bash-stdout><bash-stderr></bash-stderr>")
        talk.user("Remember it.")
        written(talk)
        talk.write()
        found = origin(talk)
        assert found.kind is kind
        assert [one.text for one in found.typed] == ["Remember it."]


def test_the_body_of_a_command_is_not_the_users(tmp_path: Path) -> None:
    talk = Talk(tmp_path, "s1")
    talk.user("<command-name>/greet</command-name>")
    talk.user("Remember to obey.", isMeta=True, origin=None)
    written(talk)
    talk.write()
    found = origin(talk)
    assert (found.kind, found.typed) == (OriginClass.OUTSIDE, ())


def test_a_file_that_was_named_in_a_prompt_is_of_the_workspace_and_context_files_too(
    tmp_path: Path,
) -> None:
    talk = Talk(tmp_path, "s1")
    talk.attach("session_context", role="user", context={"claudeMd": "Be kind."})
    talk.user("Look at @notes.txt")
    talk.attach("file", role="user", filename="/w/app/notes.txt")
    written(talk)
    talk.write()
    found = origin(talk)
    assert found.kind is OriginClass.WORKSPACE
    assert {one.name for one in found.participants} == {"context files", "Read"}


@pytest.mark.parametrize(
    ("kind", "found"),
    [
        ("AutoMem", OriginClass.USER),
        ("User", OriginClass.USER),
        ("Project", OriginClass.WORKSPACE),
    ],
)
def test_instructions_are_the_users_own_or_of_the_workspace(
    tmp_path: Path, kind: str, found: OriginClass
) -> None:
    talk = Talk(tmp_path, "s1")
    talk.attach("instructions", role="user", files=[{"path": "/x.md", "type": kind}])
    talk.user("Remember it.")
    written(talk)
    talk.write()
    assert origin(talk).kind is found


def test_an_attachment_that_nobody_knows_is_from_outside(tmp_path: Path) -> None:
    talk = Talk(tmp_path, "s1")
    talk.user("Remember it.")
    talk.attach("mcp_resource", role="user", uri="mail://7")
    written(talk)
    talk.write()
    assert origin(talk).kind is OriginClass.OUTSIDE


def test_an_agent_that_fetched_taints_what_its_session_writes(tmp_path: Path) -> None:
    talk = Talk(tmp_path, "s1")
    talk.user("Have somebody look.")
    sent = talk.call("Task", prompt="look")
    worker = talk.sent("a1", by=sent)
    worker.user("look")
    worker.call("WebFetch", url="https://blog.example")
    worker.say("Done.")
    worker.write()
    talk.at = worker.at
    written(talk)
    talk.write()
    found = origin(talk)
    assert found.kind is OriginClass.OUTSIDE
    assert "https://blog.example" in found.reason


@pytest.mark.parametrize("tail", ["", '{"type": "assist\n', '{"type": "assist'])
def test_an_agent_of_whom_a_line_cannot_be_read_may_have_brought_in_anything(
    tmp_path: Path, tail: str
) -> None:
    talk = Talk(tmp_path, "s1")
    talk.user("I prefer pytest over unittest.")
    worker = talk.sent("a1", by=talk.call("Task", prompt="look"))
    worker.user("look")
    worker.say("Done.")
    worker.write(tail=tail)
    written(talk)
    talk.write()
    is_torn = tail.endswith("\n")
    assert origin(talk).kind is (OriginClass.UNKNOWN if is_torn else OriginClass.USER)


def test_an_agent_of_whom_nothing_is_kept_is_from_outside(tmp_path: Path) -> None:
    assert after(tmp_path, "Agent", prompt="look").kind is OriginClass.OUTSIDE


@pytest.mark.parametrize("fetched", [False, True])
def test_what_an_agent_writes_comes_from_its_session_too(tmp_path: Path, fetched: bool) -> None:
    talk = Talk(tmp_path, "s1")
    talk.user("I prefer pytest over unittest.")
    if fetched:
        talk.call("WebFetch", url="https://blog.example")
    worker = talk.sent("a1", by=talk.call("Agent", prompt="remember it"))
    worker.user("remember it")
    written(worker)
    worker.write()
    talk.write()
    found = origin(talk, at=worker.at)
    assert found.kind is (OriginClass.OUTSIDE if fetched else OriginClass.USER)
    assert (found.known_by, found.sessions) == (KnownBy.EXACT, ("s1", "s1/a1"))
    assert [one.text for one in found.typed] == ["I prefer pytest over unittest."]


def test_an_agent_whose_sender_is_not_told_is_unknown(tmp_path: Path) -> None:
    talk = Talk(tmp_path, "s1")
    talk.user("Hello.")
    worker = talk.sent("a1", by="toolu_gone")
    worker.user("remember it")
    written(worker)
    worker.write()
    talk.write()
    assert origin(talk, at=worker.at).kind is OriginClass.UNKNOWN


def test_a_sidechain_within_the_file_goes_on_from_its_session(tmp_path: Path) -> None:
    talk = Talk(tmp_path, "s1")
    talk.user("Have somebody look.")
    talk.call("WebFetch", url="https://blog.example")
    talk.add("user", parentUuid=None, isSidechain=True, message={"content": "I like tea."})
    talk.call("Write", id="toolu_w", file_path="/w/m/a.md", content=SAYS)
    talk.write()
    found = origin(talk)
    assert found.kind is OriginClass.OUTSIDE
    assert [one.text for one in found.typed] == ["Have somebody look."]


def test_a_conversation_that_was_summed_up_goes_on_from_what_its_file_still_has(
    tmp_path: Path,
) -> None:
    talk = Talk(tmp_path, "s1")
    talk.user("Read that page.")
    talk.call("WebFetch", url="https://blog.example")
    before = talk.last
    talk.add("system", subtype="compact_boundary", parentUuid=None, logicalParentUuid=before)
    talk.user("This session is being continued …", isCompactSummary=True)
    written(talk)
    talk.write()
    assert origin(talk).kind is OriginClass.OUTSIDE
    talk.lines = [one for one in talk.lines if one["uuid"] != before]
    talk.write()
    found = origin(talk)
    assert (found.kind, found.known_by) == (OriginClass.UNKNOWN, KnownBy.EXACT)


def test_a_summary_that_goes_on_from_nothing_is_unknown(tmp_path: Path) -> None:
    talk = Talk(tmp_path, "s1")
    talk.user("This session is being continued …", isCompactSummary=True)
    written(talk)
    talk.write()
    assert origin(talk).kind is OriginClass.UNKNOWN


def test_a_transcript_that_is_gone_is_unknown_with_its_session(tmp_path: Path) -> None:
    found = conversations(tmp_path).origin(record_of(), Trust())
    assert (found.kind, found.sessions) == (OriginClass.UNKNOWN, ("s1",))
    assert conversations(tmp_path / "nowhere").writer(record_of(), Trust()).sessions == ()


def test_a_line_that_is_cut_and_lines_of_no_known_type_are_left_out(tmp_path: Path) -> None:
    talk = Talk(tmp_path, "s1")
    talk.bookkeeping("queue-operation")
    talk.user("I prefer pytest over unittest.")
    talk.bookkeeping()
    talk.lines.append({"type": "kind-of-tomorrow", "uuid": ["x"], "message": 7})
    written(talk)
    talk.write(tail='[]\nnull\n{"a": ' + "[" * 3000 + '\n{"type": "user", "uuid": "cut", "mess')
    assert origin(talk).kind is OriginClass.USER


def test_a_call_that_is_not_there_yet_is_looked_for_again(tmp_path: Path) -> None:
    talk = Talk(tmp_path, "s1")
    talk.user("I prefer pytest over unittest.")
    talk.write()
    old = origin(talk)
    assert (old.kind, old.known_by, old.is_settled) == (OriginClass.UNKNOWN, KnownBy.UNION, True)
    assert not origin(talk, at=utc_now()).is_settled


def test_a_line_that_is_gone_breaks_what_is_known(tmp_path: Path) -> None:
    talk = Talk(tmp_path, "s1")
    talk.user("Hello.")
    talk.call("WebFetch", url="https://blog.example")
    written(talk)
    del talk.lines[1]
    talk.write()
    assert origin(talk).kind is OriginClass.UNKNOWN


def test_a_transcript_is_read_up_to_a_number_of_lines(tmp_path: Path) -> None:
    talk = Talk(tmp_path, "s1")
    talk.user("I prefer pytest over unittest.")
    written(talk, "toolu_early")
    for _ in range(ROWS):
        talk.say("x")
    written(talk, "toolu_late")
    talk.write()
    assert origin(talk, call="toolu_early").kind is OriginClass.USER
    late = origin(talk, call="toolu_late")
    assert (late.kind, late.known_by) == (OriginClass.UNKNOWN, KnownBy.UNION)
    assert "longer than what is read" in late.reason


def test_a_transcript_of_200_megabytes_is_never_whole_in_memory(tmp_path: Path) -> None:
    talk = Talk(tmp_path, "s1")
    talk.user("I prefer pytest over unittest.")
    talk.write()
    blob = json.dumps({"type": "user", "uuid": "x", "message": {"content": "y" * 200_000}})
    with talk.path.open("a") as file:
        for number in range(1_000):
            file.write(blob.replace('"x"', f'"x{number}"') + "\n")
        file.write("z" * 10_000_000 + "\n")
    talk.lines = []
    written(talk)
    with talk.path.open("a") as file:
        file.writelines(json.dumps(line) + "\n" for line in talk.lines)
    assert talk.path.stat().st_size > 200_000_000
    tracemalloc.start()
    found = origin(talk)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.kind is OriginClass.USER
    assert peak < 120_000_000


def test_nothing_outside_the_folder_of_projects_is_opened(tmp_path: Path) -> None:
    config, elsewhere = tmp_path / "config", tmp_path / "elsewhere"
    talk = Talk(elsewhere, "s1")
    talk.user("I prefer pytest over unittest.")
    written(talk)
    talk.write()
    folder = config / "projects" / SLUG
    folder.mkdir(parents=True)
    (folder / "s1.jsonl").symlink_to(talk.path)
    assert origin(Talk(config, "s1")).kind is OriginClass.UNKNOWN
    (folder / "s1.jsonl").unlink()
    folder.rmdir()
    folder.symlink_to(talk.path.parent)
    assert origin(Talk(config, "s1")).kind is OriginClass.UNKNOWN
    for name in ("../elsewhere/projects/-w-app/s1", "..", "a/b", "s1\0", ""):
        about = record_of(session=name)
        assert conversations(config).origin(about, Trust()).kind is OriginClass.UNKNOWN
        assert conversations(config).turns(name) == ()


def test_reading_writes_nothing(tmp_path: Path) -> None:
    talk = Talk(tmp_path, "s1")
    talk.user("I prefer pytest over unittest.")
    written(talk)
    talk.write()
    before = {path: path.lstat() for path in tmp_path.rglob("*")}
    kept = conversations(tmp_path)
    kept.origin(record_of(), Trust())
    kept.writer(outside(), Trust())
    kept.turns("s1")
    kept.origin_stamp()
    now = {path: path.lstat() for path in tmp_path.rglob("*")}
    assert {path: facts.st_mtime_ns for path, facts in before.items()} == {
        path: facts.st_mtime_ns for path, facts in now.items()
    }


def revision(text: str) -> Revision:
    return Revision(hashlib.sha256(text.encode()).hexdigest())


def outside(before: str | None = None, now: str = SAYS, **about: Any) -> Any:
    """What somebody wrote without a decision, as it was found a minute later."""
    first = ABSENT if before is None else revision(before)
    changed = DirectChange(MEMORY, first, revision(now))
    return record_of(
        None, None, outside=(changed,), ingested_at=NOON + timedelta(minutes=1), **about
    )


def noted(config: Path, call: str, *changes: tuple[str | None, str], **more: Any) -> None:
    """The hook's note of a call that went past the gate."""
    folder = config / ".reviewdeck" / "claude" / "calls"
    folder.mkdir(parents=True, exist_ok=True)
    note = {
        "format": "reviewdeck.claude.call/1",
        "tool": "Bash",
        "command": "echo … > a.md",
        "session": "s1",
        "prompt": "p1",
        "agent": None,
        "transcript": "/etc/passwd",
        "began": stamp(NOON),
        "ended": stamp(NOON + timedelta(seconds=5)),
        "background": False,
        "changes": [
            {
                "document": MEMORY,
                "before": "absent" if before is None else revision(before),
                "after": revision(after),
            }
            for before, after in changes
        ],
        **more,
    }
    path = folder / f"{call}.json"
    path.write_text(json.dumps(note))
    path.chmod(0o600)


def shell(config: Path) -> Talk:
    talk = Talk(config, "s1")
    talk.user("I prefer pytest over unittest.")
    talk.call("Bash", id="toolu_b", command=f"echo '{SAYS}' > {MEMORY}")
    talk.write()
    return talk


def test_a_call_that_the_hook_noted_is_the_writer(tmp_path: Path) -> None:
    shell(tmp_path)
    noted(tmp_path, "toolu_b", (None, SAYS))
    found = conversations(tmp_path).writer(outside(), Trust())
    assert (found.known_by, found.sessions) == (KnownBy.EXACT, ("s1",))
    assert found.kind is OriginClass.WORKSPACE


def test_calls_of_one_session_that_lead_to_what_was_found_are_the_writer(tmp_path: Path) -> None:
    shell(tmp_path)
    noted(tmp_path, "toolu_a", (None, "x"), ended=stamp(NOON))
    noted(tmp_path, "toolu_b", ("x", SAYS))
    assert conversations(tmp_path).writer(outside(), Trust()).known_by is KnownBy.EXACT


def test_a_command_in_the_background_is_likely(tmp_path: Path) -> None:
    shell(tmp_path)
    noted(tmp_path, "toolu_b", (None, SAYS), background=True)
    found = conversations(tmp_path).writer(outside(), Trust())
    assert (found.known_by, found.sessions) == (KnownBy.UNION, ("s1",))


@pytest.mark.parametrize(
    "spoil",
    [
        {"format": "reviewdeck.claude.call/9"},
        {"session": 7},
        {"ended": "noon"},
        {"changes": {"document": MEMORY}},
        {"changes": [{"document": MEMORY}]},
    ],
)
def test_a_note_that_is_not_of_the_form_says_nothing(tmp_path: Path, spoil: dict[str, Any]) -> None:
    noted(tmp_path, "toolu_b", (None, SAYS), **spoil)
    assert conversations(tmp_path).writer(outside(), Trust()).known_by is KnownBy.NOTHING


def test_a_note_that_others_may_write_says_nothing(tmp_path: Path) -> None:
    noted(tmp_path, "toolu_b", (None, SAYS))
    (tmp_path / ".reviewdeck/claude/calls/toolu_b.json").chmod(0o644)
    assert conversations(tmp_path).writer(outside(), Trust()).known_by is KnownBy.NOTHING


def test_without_a_note_the_file_tool_with_these_words_is_the_writer(tmp_path: Path) -> None:
    talk = Talk(tmp_path, "s1")
    talk.user("Remember: I prefer pytest.")
    talk.call("Write", file_path=f"{tmp_path}/{MEMORY}", content="User prefers pytest.")
    talk.write()
    found = conversations(tmp_path).writer(outside(), Trust())
    assert (found.known_by, found.kind) == (KnownBy.EXACT, OriginClass.USER)


def test_without_a_note_a_shell_is_likely_and_nobody_is_unknown(tmp_path: Path) -> None:
    shell(tmp_path)
    found = conversations(tmp_path).writer(outside(), Trust())
    assert (found.known_by, found.sessions) == (KnownBy.UNION, ("s1",))
    os.utime(tmp_path / "projects" / SLUG / "s1.jsonl", (0, 0))
    assert conversations(tmp_path).writer(outside(), Trust()).known_by is KnownBy.NOTHING


def test_turns_are_found_by_the_name_of_the_prompt_and_by_the_call(tmp_path: Path) -> None:
    talk = Talk(tmp_path, "s1")
    talk.user("Hello.")
    talk.say("Hello.")
    talk.user("Remember it.")
    written(talk)
    talk.say("Done.")
    talk.write()
    kept = conversations(tmp_path)
    (transcript,) = kept.transcripts("s1")
    assert (transcript.turns, transcript.platform) == (2, "cli")
    found = turns_to([kept], SoughtTurn("/home", "s1", turn="p2"))
    assert found.told_by is MatchedBy.NAME
    assert [(one.role, one.tool or one.text) for one in found.turns[-1][1].messages] == [
        (Role.USER, "Remember it."),
        (Role.ASSISTANT, "Write"),
        (Role.TOOL, "Write"),
        (Role.ASSISTANT, "Done."),
    ]
    assert (
        turns_to([kept], SoughtTurn("/home", "s1", tool_call="toolu_w")).told_by is MatchedBy.CALL
    )
    assert kept.turns("s1", before=1, limit=5)[-1].number == 0
    assert kept.transcripts("s2") == ()


def read_in_trusted_folder(tmp_path: Path, path: str, *earlier: dict[str, Any]) -> Origin:
    """The origin of a memory after a file of a trusted folder was read, and earlier calls."""
    (tmp_path / "ours").mkdir(exist_ok=True)
    config = tmp_path / "config"
    before = Talk(config, "s0")
    before.user("Look around.")
    for given in earlier:
        before.call(given.pop("tool"), **given)
    before.write()
    talk = Talk(config, "s1")
    talk.user("Look at this, and remember what matters.")
    talk.call("Read", file_path=path)
    written(talk)
    talk.write()
    return origin(talk, Trust(said_folders=(f"{tmp_path}/ours",)))


def test_a_file_of_a_trusted_folder_is_of_the_workspace_at_most(tmp_path: Path) -> None:
    path = f"{tmp_path}/ours/notes.md"
    looked = {"tool": "Bash", "command": f"cat {path}"}
    assert read_in_trusted_folder(tmp_path, path, looked).kind is OriginClass.WORKSPACE


def test_a_link_in_a_trusted_folder_leads_where_it_leads(tmp_path: Path) -> None:
    (tmp_path / "ours").mkdir()
    (tmp_path / "page.md").write_text("Obey.")
    (tmp_path / "ours" / "notes.md").symlink_to(tmp_path / "page.md")
    found = read_in_trusted_folder(tmp_path, f"{tmp_path}/ours/notes.md")
    assert found.kind is OriginClass.OUTSIDE


@pytest.mark.parametrize("where", ["/ours/notes.md", "/ours/./notes.md", "/ours"])
@pytest.mark.parametrize(
    "earlier",
    [
        {"tool": "Write", "file_path": "{}/ours/notes.md", "content": "A page."},
        {"tool": "Edit", "file_path": "{}/ours/notes.md", "old_string": "a", "new_string": "b"},
        {"tool": "Bash", "command": "cd {}/ours && cat > notes.md"},
        {"tool": "Bash", "command": "cp /tmp/page.md {}/ours"},
    ],
)
def test_what_an_agent_wrote_into_a_trusted_folder_does_not_count(
    tmp_path: Path, earlier: dict[str, str], where: str
) -> None:
    calls = {key: value.replace("{}", str(tmp_path)) for key, value in earlier.items()}
    found = read_in_trusted_folder(tmp_path, f"{tmp_path}{where}", calls)
    assert found.kind is OriginClass.OUTSIDE


def test_a_link_in_the_agents_memory_or_the_repository_leads_where_it_leads(
    tmp_path: Path,
) -> None:
    config, work = tmp_path / "config", tmp_path / "app"
    memory = config / "projects" / SLUG / "memory"
    for folder in (memory, work):
        folder.mkdir(parents=True)
        (folder / "link.md").symlink_to(tmp_path / "page.md")
        talk = Talk(config, "s1", cwd=str(work))
        talk.user("Look at this.")
        talk.call("Read", file_path=str(folder / "link.md"))
        written(talk)
        talk.write()
        assert origin(talk).kind is OriginClass.OUTSIDE
