"""The gate before OpenClaw's file tools: the program, and the plugin that asks it."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.homes.openclaw.kit import (
    SESSION,
    make_workshop,
    make_workspace,
    opened,
    question,
)

from reviewdeck.agents.gated.roots import Root
from reviewdeck.agents.openclaw import gate
from reviewdeck.agents.openclaw.edits import result_of
from reviewdeck.homes.installer import apply
from reviewdeck.homes.openclaw.installation import PLACE, plan_install, read_installation

PENDING = ".reviewdeck/openclaw/pending"
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node is not on the PATH")
ASK = """
const [place, events, config] = process.argv.slice(1);
const handlers = [];
const { default: plugin } = await import(`file://${place}/index.mjs`);
plugin.register({
  config: JSON.parse(config),
  on: (name, handler, options) => handlers.push({ name, handler, options }),
});
const [{ name, handler, options }] = handlers;
const answers = [];
for (const [event, ctx] of JSON.parse(events)) {
  try {
    answers.push((await handler(event, ctx)) ?? "allowed");
  } catch (error) {
    answers.push(`threw ${error.message}`);
  }
}
console.log(JSON.stringify({ name, matcher: options.matcher, answers }));
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    made = make_workspace(tmp_path)
    (made / "MEMORY.md").write_text("# Memory\n\n- tox.\n", "utf-8")
    return made


def answer(workspace: Path, asked: dict[str, Any]) -> str:
    return gate.answer_to(asked, [Root("workspace", str(workspace))])


def records(workspace: Path) -> list[dict[str, Any]]:
    paths = sorted((workspace / PENDING).glob("*.json"))
    return [json.loads(path.read_text("utf-8")) for path in paths]


PATHS = ("MEMORY.md", "./memory/../MEMORY.md", "{}/MEMORY.md")


@pytest.mark.parametrize("path", PATHS)
def test_a_write_is_staged_by_whatever_path_it_names_the_document(
    workspace: Path, path: str
) -> None:
    asked = question(workspace, "write", path.format(workspace), content="# Memory\n")
    assert "took this change of MEMORY.md for review" in answer(workspace, asked)
    ((record,), text) = records(workspace), (workspace / "MEMORY.md").read_text("utf-8")
    (write,) = record["writes"]
    assert (write["document"], write["text"], write["call"]) == (
        "MEMORY.md",
        "# Memory\n",
        "call_1",
    )
    assert (record["session"], record["agent"]) == (SESSION, "main")
    assert write["base"]["text"] == text == "# Memory\n\n- tox.\n"


def test_the_record_becomes_a_proposal_with_its_session(workspace: Path) -> None:
    answer(workspace, question(workspace, "write", "MEMORY.md", content="# Memory\n"))
    home = opened(workspace)
    (file,) = home.pending()
    proposal = home.parse(file, home._around.clock())
    assert (proposal.session, proposal.tool_call) == (SESSION, "call_1")  # type: ignore[union-attr]


def test_documents_of_one_run_are_decided_apart_and_files_of_one_skill_together(
    workspace: Path,
) -> None:
    paths = ("MEMORY.md", "memory/2026-11-29.md", "skills/x/SKILL.md", "skills/x/scripts/run.sh")
    for path in paths:
        answer(workspace, question(workspace, "write", path, content=f"text of {path}\n"))
    told = [[write["document"] for write in record["writes"]] for record in records(workspace)]
    assert told == [[paths[0]], [paths[1]], [paths[2], paths[3]]]


def test_a_call_whose_id_repeats_with_another_text_is_another_proposal(workspace: Path) -> None:
    for text in ("a\n", "b\n", "a\n"):
        answer(workspace, question(workspace, "write", "MEMORY.md", content=text))
    assert [record["writes"][0]["text"] for record in records(workspace)] == ["a\n", "b\n"]


def test_a_path_that_no_file_has_is_refused_whatever_it_leads_to(workspace: Path) -> None:
    (workspace / "\ufffd").symlink_to(workspace)  # What JavaScript makes of half a character.
    for sign in ("\udc80", "\ud800"):
        asked = question(workspace, "write", f"{sign}/MEMORY.md", content="# Memory\n")
        assert "no file has such a path" in answer(workspace, asked)


def test_what_is_no_document_goes_through(workspace: Path) -> None:
    for path in ("notes.txt", "src/README.md", "/srv/MEMORY.md", ".git/config", "~/MEMORY.md"):
        assert answer(workspace, question(workspace, "write", path, content="x")) == ""
    assert records(workspace) == []


def test_a_link_to_a_document_is_no_way_round(workspace: Path) -> None:
    (workspace / "notes.txt").symlink_to("MEMORY.md")
    asked = question(workspace, "write", "notes.txt", content="x\n")
    assert "for review" in answer(workspace, asked)
    (workspace / "SOUL.md").unlink()
    (workspace / "SOUL.md").symlink_to("/etc/hosts")
    refused = answer(workspace, question(workspace, "write", "SOUL.md", content="x\n"))
    assert "symbolic link" in refused


REFUSED: dict[str, tuple[str, dict[str, Any], str]] = {
    "a patch": (
        "apply_patch",
        {"input": "*** Update File: MEMORY.md"},
        "apply_patch is not staged",
    ),
    "no content": ("write", {}, "is not staged"),
    "no edits": ("edit", {"edits": "x"}, "no list of edits"),
    "an edit without text": ("edit", {"edits": [{"oldText": "tox"}]}, "has no text"),
    "a text that is not there": (
        "edit",
        {"edits": [{"oldText": "nox", "newText": "x"}]},
        "not exactly",
    ),
    "a text that is there twice": (
        "edit",
        {"edits": [{"oldText": "o", "newText": "x"}]},
        "more than once",
    ),
    "nothing": ("edit", {"edits": [{"oldText": "", "newText": "x"}]}, "not exactly"),
    "edits that overlap": (
        "edit",
        {"edits": [{"oldText": "- tox", "newText": "x"}, {"oldText": "tox.", "newText": "y"}]},
        "overlap",
    ),
    "the same again": ("write", {"content": "# Memory\n\n- tox.\n"}, "changes nothing"),
    "a NUL": ("write", {"content": "a\0b"}, "NUL"),
}


@pytest.mark.parametrize(("tool", "params", "why"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_staged_is_refused_with_the_reason(
    workspace: Path, tool: str, params: dict[str, Any], why: str
) -> None:
    refused = answer(workspace, question(workspace, tool, "MEMORY.md", **params))
    assert why in refused
    assert records(workspace) == []


EDITED = {
    "one": ("a b c\n", [("b", "B")], "a B c\n"),
    "several, against the text as it was": ("a b c\n", [("c", "a"), ("a", "x")], "x b a\n"),
    "Windows' line ends": ("a\r\nb\r\n", [("a\nb", "x\ny")], "x\r\ny\r\n"),
    "a byte order mark": ("\ufeffa\n", [("a", "b")], "\ufeffb\n"),
}


@pytest.mark.parametrize(("before", "edits", "after"), EDITED.values(), ids=EDITED)
def test_an_edit_leaves_what_openclaw_would_leave(
    before: str, edits: list[tuple[str, str]], after: str
) -> None:
    told = [{"oldText": old, "newText": new} for old, new in edits]
    assert result_of("edit", {"edits": told}, before) == after


def test_a_verdict_is_told_once_at_the_next_write(workspace: Path) -> None:
    folder = workspace / ".reviewdeck" / "openclaw"
    folder.mkdir(parents=True)
    verdict = {"session": SESSION, "document": "MEMORY.md", "state": "rejected", "reason": "No."}
    (folder / "verdicts.json").write_text(json.dumps([verdict]), "utf-8")
    first = answer(workspace, question(workspace, "write", "USER.md", content="a\n"))
    assert 'MEMORY.md: rejected by a person, with the reason "No."' in first
    assert "rejected" not in answer(workspace, question(workspace, "write", "USER.md", content="b"))


def plugin(
    workspace: Path,
    *calls: tuple[dict[str, Any], dict[str, Any]],
    config: dict[str, Any] | None = None,
) -> list[Any]:
    """What the plugin answers to these calls, run by Node as OpenClaw runs it."""
    assert NODE is not None
    place = workspace.parent / PLACE
    done = subprocess.run(
        [
            *(NODE, "--input-type=module", "-e", ASK, str(place)),
            *(json.dumps(calls), json.dumps(config or {})),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    told = json.loads(done.stdout)
    tools = ["write", "edit", "apply_patch", "skill_workshop"]
    assert (told["name"], told["matcher"]) == ("before_tool_call", tools)
    answers: list[Any] = told["answers"]
    return answers


def call(tool: str, **params: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    event = {"toolName": tool, "params": params, "runId": "run-1", "toolCallId": "call_1"}
    return event, {"agentId": "main", "sessionId": SESSION}


def install(workspace: Path, **workshops: Path) -> None:
    installed = read_installation(workspace.parent)
    for plan in plan_install(installed, {"main": workspace}, workshops):
        apply(plan)


@needs_node
def test_the_plugin_blocks_documents_and_nothing_else(workspace: Path) -> None:
    install(workspace)
    patch = "*** Begin Patch\n*** Add File: skills/x/run.sh\n+x\n*** End Patch\n"
    staged, free, patched, elsewhere, twice = plugin(
        workspace,
        call("write", path="MEMORY.md", content="# Memory\n"),
        call("write", path="notes.txt", content="x\n"),
        call("apply_patch", input=patch),
        call("write", path="/srv/MEMORY.md", content="x\n"),
        call("write", path="notes.txt", file_path="MEMORY.md", content="x\n"),
    )
    assert staged["block"] and "took this change of MEMORY.md" in staged["blockReason"]
    assert patched["block"] and "could not take this change" in patched["blockReason"]
    assert twice["block"]
    assert (free, elsewhere) == ("allowed", "allowed")


@needs_node
def test_a_relative_path_of_an_agent_that_works_elsewhere_has_to_be_named_whole(
    workspace: Path,
) -> None:
    install(workspace)
    elsewhere = workspace.parents[1] / "task"
    config = {"agents": {"entries": {"main": {"cwd": str(elsewhere)}}}}
    up, same, whole, theirs, free, patched = plugin(
        workspace,
        call("write", path="../.openclaw/workspace/SOUL.md", content="x\n"),
        call("write", path="MEMORY.md", content="x\n"),
        call("write", path=str(workspace / "MEMORY.md"), content="x\n"),
        call("write", path=str(elsewhere / "MEMORY.md"), content="x\n"),
        call("write", path="src/main.py", content="x\n"),
        call("apply_patch", input="*** Begin Patch\n*** Update File: MEMORY.md\n*** End Patch\n"),
        config=config,
    )
    for answered in (up, same, patched):
        assert "name the file by its absolute path" in answered["blockReason"]
    assert "took this change of MEMORY.md" in whole["blockReason"]
    assert (theirs, free) == ("allowed", "allowed")
    assert [record["writes"][0]["document"] for record in records(workspace)] == ["MEMORY.md"]


def has_sqlite() -> bool:
    """Whether Node has SQLite, as the one that OpenClaw needs."""
    asked = [str(NODE), "-e", "require('node:sqlite')"]
    return NODE is not None and subprocess.run(asked, capture_output=True).returncode == 0


@pytest.mark.skipif(not has_sqlite(), reason="this Node is older than the one that OpenClaw needs")
def test_where_a_session_began_to_work_counts_as_one_of_its_folders(workspace: Path) -> None:
    own = make_workshop(workspace)
    install(workspace, main=own)
    session = "5f44624d-d780-43bb-a7d2-28f3ae1c616d"
    event, context = call("write", path="../.openclaw/workspace/SOUL.md", content="x\n")
    (answered,) = plugin(workspace, (event, context | {"sessionId": session}))
    assert "name the file by its absolute path" in answered["blockReason"]


@needs_node
def test_files_of_the_workshop_are_staged_and_an_agent_applies_no_proposal_itself(
    workspace: Path,
) -> None:
    own = make_workshop(workspace)
    install(workspace, main=own)
    path = str(own / "workshop-skills" / "x" / "SKILL.md")
    proposing = {"skills": {"workshop": {"autonomous": {"mode": "propose"}}}}
    calls = [call("skill_workshop", action=action) for action in ("apply", "patch", "create")]
    write = call("write", path=path, content="---\nname: x\n---\nDo.\n")
    staged, applied, patched, created = plugin(workspace, write, *calls)
    assert "for review" in staged["blockReason"] and len(records(own)) == 1
    assert "a person decides" in applied["blockReason"] and applied == patched
    assert created == "allowed"
    assert plugin(workspace, *calls, config=proposing) == [applied, "allowed", "allowed"]


@needs_node
def test_a_relative_path_of_a_background_review_is_one_of_the_workshop(workspace: Path) -> None:
    own = make_workshop(workspace)
    install(workspace, main=own)
    event, context = call("write", path="x/SKILL.md", content="---\nname: x\n---\nDo.\n")
    review = context | {"runId": "skill-workshop-review:1", "sessionId": "internal"}
    staged, free = plugin(workspace, (event, review), (event, context))
    assert "took this change of workshop-skills/x/SKILL.md" in staged["blockReason"]
    assert free == "allowed"


SPELLINGS = (
    "@MEMORY.md",
    "@{}/MEMORY.md",
    "@~/.openclaw/workspace/MEMORY.md",
    "~/.openclaw/workspace/memory/../MEMORY.md",
    "file://{}/MEMORY.md",
    "@FILE://localhost{}/%4DEMORY.md",
    "MEMORY.md</arg_value>>",
)
"""What a model writes for a path, and OpenClaw takes for one."""


@needs_node
def test_a_document_is_known_however_openclaw_lets_a_model_name_it(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(workspace.parent.parent))
    install(workspace)
    paths = [path.format(workspace) for path in SPELLINGS]
    answers = plugin(
        workspace,
        *(call("write", path=path, content=f"{path}\n") for path in paths),
        call("write", path="@notes.txt", content="x\n"),
        call("write", path="file://elsewhere/MEMORY.md", content="x\n"),
    )
    assert [record["writes"][0]["document"] for record in records(workspace)] == [
        "MEMORY.md" for _ in SPELLINGS
    ]
    assert answers[-2] == "allowed" and answers[-1].startswith("threw ")


FAILURES = {
    "missing": ["/nonexistent/python"],
    "killed": ["sh", "-c", "kill -9 $$"],
    "failing": ["sh", "-c", "exit 1"],
    "silent": ["sh", "-c", "true"],
    "babbling": ["sh", "-c", "echo hello"],
    "answering something else": ["sh", "-c", "echo '{}'"],
}


@needs_node
@pytest.mark.parametrize("command", FAILURES.values(), ids=FAILURES)
def test_a_gate_that_does_not_answer_blocks_documents_and_nothing_else(
    workspace: Path, command: list[str]
) -> None:
    install(workspace)
    told = workspace.parent / PLACE / "gate.json"
    told.write_text(json.dumps(json.loads(told.read_text()) | {"command": command}))
    document, free = plugin(
        workspace,
        call("write", path="MEMORY.md", content="x\n"),
        call("write", path="notes.txt", content="x\n"),
    )
    assert document.startswith("threw ")  # OpenClaw blocks a call whose hook throws.
    assert free == "allowed"
    assert records(workspace) == []


@needs_node
def test_a_gate_that_is_too_slow_is_stopped_and_gives_no_answer(workspace: Path) -> None:
    install(workspace)
    asked = """
        const { ask } = await import(`file://${process.argv[1]}/index.mjs`);
        await ask(["sleep", "600"], {}, 1).catch((error) => console.log(error.message));
    """
    done = subprocess.run(
        [str(NODE), "--input-type=module", "-e", asked, str(workspace.parent / PLACE)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("reviewdeck ended with")


@needs_node
def test_two_agents_write_each_into_its_own_workspace(workspace: Path) -> None:
    other = workspace.with_name("workspace-ops")
    shutil.copytree(workspace, other)
    spaces = {"main": workspace, "ops": other}
    for plan in plan_install(read_installation(workspace.parent), spaces, {}):
        apply(plan)
    event, context = call("write", path="MEMORY.md", content="x\n")
    plugin(workspace, (event, context), (event, context | {"agentId": "ops"}))
    assert [len(records(each)) for each in spaces.values()] == [1, 1]
