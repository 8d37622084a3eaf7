"""What is taken for granted of OpenClaw, asked of the real program.

It runs where REVIEWDECK_OPENCLAW names the program. One conversation takes a minute.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.homes.openclaw.test_conversations import outside, writer
from tests.homes.openclaw.test_gate import SPELLINGS
from tests.reviewer.peer import Peer

from reviewdeck.agents.gated.edits import NotExact
from reviewdeck.agents.openclaw.edits import result_of
from reviewdeck.homes.installer import apply
from reviewdeck.homes.openclaw.database import known_writes
from reviewdeck.homes.openclaw.gate import gate_of
from reviewdeck.homes.openclaw.installation import (
    PLACE,
    plan_install,
    plan_uninstall,
    read_installation,
)
from reviewdeck.homes.openclaw.state import settings_in, workshops_in, workspaces_in
from reviewdeck.model import KnownBy

PROGRAM = os.environ.get("REVIEWDECK_OPENCLAW", "")
pytestmark = [
    pytest.mark.skipif(not PROGRAM, reason="REVIEWDECK_OPENCLAW names no program of OpenClaw"),
    pytest.mark.slow,
]
_CHOICE = "--auth-choice custom-api-key --custom-model-id m --custom-api-key any"
_SKIPPED = "--skip-health --skip-channels --skip-skills --skip-search --skip-ui --no-install-daemon"


class _Model(Peer):
    """The model: its script is that of the conversation that is had."""

    turns: Iterator[Mapping[str, Any]] = iter(())

    def line(self) -> Mapping[str, Any]:
        return next(self.turns, {"say": "Done."})


@dataclass
class Place:
    """A user's folder with OpenClaw's in it."""

    home: Path
    model: _Model

    @property
    def state(self) -> Path:
        return self.home / ".openclaw"

    @property
    def workspace(self) -> Path:
        return self.state / "workspace"

    @property
    def own(self) -> Path:
        """The agent's own folder."""
        return self.state / "agents" / "main" / "agent"

    def run(self, *words: str) -> str:
        done = subprocess.run(
            [PROGRAM, *words],
            env={"HOME": str(self.home), "PATH": os.environ["PATH"], "NO_COLOR": "1"},
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=500,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        return done.stdout

    def converse(self, *calls: dict[str, Any]) -> dict[str, str]:
        """The model makes these calls, one a turn; what it is told of each, in order."""
        before = len(self.model.journal)
        self.model.turns = iter([{"call": [call]} for call in calls])
        self.run("agent", "--local", "--json", "--agent", "main", "-m", "Go on.")
        told = [
            message["content"]
            for message in self.model.requests[-1]["messages"]
            if message["role"] == "tool"
        ]
        assert len(self.model.journal) - before == len(calls) + 1
        texts = told[-len(calls) :]
        return {call["id"]: str(text) for call, text in zip(calls, texts, strict=True)}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """OpenClaw as it sets itself up for a user."""
    made = Place(tmp_path_factory.mktemp("openclaw"), _Model(()))
    onboard = ["onboard", "--non-interactive", "--accept-risk", *_CHOICE.split()]
    made.run(*onboard, "--custom-base-url", f"{made.model.url}/v1", *_SKIPPED.split())
    yield made
    made.model.close()


def call(id: str, tool: str, /, **args: Any) -> dict[str, Any]:
    return {"id": id, "tool": tool, "args": args}


def install(place: Place) -> None:
    installed = read_installation(place.state)
    spaces = workspaces_in(settings_in(place.state), place.state, place.home)
    assert spaces == {"main": place.workspace}
    workshops = workshops_in(settings_in(place.state), place.state, place.home)
    assert workshops == {"main": place.own}
    for plan in plan_install(installed, spaces, workshops):
        apply(plan)


def uninstall(place: Place) -> None:
    for plan in plan_uninstall(read_installation(place.state)):
        apply(plan)


EDITS: Sequence[tuple[str, list[tuple[str, str]]]] = (
    ("a b c\n", [("b", "B")]),
    ("a b c\n", [("c", "a"), ("a", "x")]),
    ("a\r\nb\r\nc\r\n", [("a\nb", "x\ny")]),
    ("a\r\nb\r\n", [("b\r\n", "z\r\n")]),
    ("\ufeffa b\n", [("a", "c")]),
    ("one\n", [("one", "one\r\ntwo")]),
    ("no end", [("end", "END")]),
    ("a b\n", [("a b", "x"), ("b", "y")]),
    ("o o\n", [("o", "x")]),
    ("a\n", [("b", "x")]),
    ("a\n", [("", "x")]),
)


def test_its_edits_leave_what_is_said_of_them_and_its_book_names_who_wrote(place: Place) -> None:
    folder = place.workspace / "cases"
    folder.mkdir()
    calls = []
    for number, (before, edits) in enumerate(EDITS):
        (folder / f"{number}.md").write_bytes(before.encode())
        told = [{"oldText": old, "newText": new} for old, new in edits]
        calls.append(call(f"call_{number}", "edit", path=f"cases/{number}.md", edits=told))
    first, second = "# Memory\n\n- Likes tox.\n", "# Memory\n\n- Likes nox.\n"
    change = [{"oldText": "Likes tox.", "newText": "Likes nox."}]
    place.converse(
        *calls,
        call("call_1", "write", path="MEMORY.md", content=first),
        call("call_2", "edit", path="./memory/../MEMORY.md", edits=change),
        call("call_3", "write", path="memory/day.md", content="- A note.\n"),
        call("call_4", "exec", command="echo '- by a shell' >> memory/day.md"),
    )
    for number, (before, edits) in enumerate(EDITS):
        told = [{"oldText": old, "newText": new} for old, new in edits]
        live = (folder / f"{number}.md").read_bytes().decode()
        try:
            assert result_of("edit", {"edits": told}, before) == live, f"case {number}"
        except NotExact:
            assert live == before, f"case {number}"
    assert (place.workspace / "MEMORY.md").read_text("utf-8") == second
    found = writer(place.workspace, outside(("MEMORY.md", first, second)))
    (session,) = found.sessions
    assert found.known_by is KnownBy.EXACT
    note = "- A note.\n- by a shell\n"
    assert writer(place.workspace, outside(("memory/day.md", None, note))).sessions == ()
    assert known_writes(place.state, place.workspace)["memory/day.md"].session == session


def test_what_a_file_tool_writes_is_staged_and_taking_the_gate_out_leaves_the_settings(
    place: Place,
) -> None:
    theirs = (place.state / "openclaw.json").read_bytes()
    install(place)
    ours = (place.state / "openclaw.json").read_bytes()
    patch = "*** Begin Patch\n*** Add File: memory/patched.md\n+x\n*** End Patch\n"
    via = {"path": "memory/via.md", "content": "- x\n"}
    told = place.converse(
        call("call_1", "write", path="USER.md", content="- Likes tea.\n"),
        call("call_2", "apply_patch", input=patch),
        call("call_3", "write", path="notes.txt", content="Free.\n"),
        call("call_4", "write", path="skills/x/SKILL.md", content="---\nname: x\n---\nDo.\n"),
        call("call_5", "tool_call", id="write", args=via),
        call("call_1", "write", path=str(place.workspace / "SOUL.md"), content="Calm.\n"),
    )
    assert "could not take this change" in told["call_2"]
    assert "took this change of memory/via.md" in told["call_5"]
    folder = place.workspace / ".reviewdeck" / "openclaw" / "pending"
    records = [json.loads(path.read_text("utf-8")) for path in sorted(folder.iterdir())]
    documents = [write["document"] for record in records for write in record["writes"]]
    assert documents == ["USER.md", "skills/x/SKILL.md", "memory/via.md", "SOUL.md"]
    left = ("notes.txt", "skills/x/SKILL.md", "memory/via.md", "memory/patched.md")
    assert [(place.workspace / name).exists() for name in left] == [True, False, False, False]
    assert (place.state / "openclaw.json").read_bytes() == ours
    uninstall(place)
    assert (place.state / "openclaw.json").read_bytes() == theirs


def test_a_document_is_staged_however_the_model_names_it(place: Place) -> None:
    install(place)
    paths = [path.format(place.workspace) for path in SPELLINGS]
    told = place.converse(
        *(call(f"c{at}", "write", path=path, content=f"{path}\n") for at, path in enumerate(paths))
    )
    assert {
        path: told[f"c{at}"] for at, path in enumerate(paths) if "took" not in told[f"c{at}"]
    } == {}
    uninstall(place)
    place.converse(
        *(call(f"d{at}", "write", path=path, content=f"{path}\n") for at, path in enumerate(paths))
    )
    assert (place.workspace / "MEMORY.md").read_text("utf-8") == f"{paths[-1]}\n"


def test_a_gate_whose_program_is_gone_blocks_documents_and_nothing_else(place: Place) -> None:
    install(place)
    told = place.state / PLACE / "gate.json"
    told.write_text(json.dumps(json.loads(told.read_text()) | {"command": ["/nonexistent/python"]}))
    assert any("is gone" in weak for weak in gate_of(place.state, place.home).weak)
    answers = place.converse(
        call("call_1", "write", path="memory/lost.md", content="x\n"),
        call("call_2", "write", path="free.txt", content="x\n"),
    )
    assert "blocked" in answers["call_1"]
    assert not (place.workspace / "memory" / "lost.md").exists()
    assert (place.workspace / "free.txt").exists()
    uninstall(place)


def test_after_it_rewrote_its_settings_what_is_ours_goes_and_the_rest_stays(place: Place) -> None:
    config = place.state / "openclaw.json"
    before = json.loads(config.read_text("utf-8"))
    install(place)
    place.run("config", "set", "gateway.port", "18790")
    assert gate_of(place.state, place.home).is_complete
    uninstall(place)
    left = json.loads(config.read_text("utf-8"))
    assert left.pop("gateway") == {**before.pop("gateway"), "port": 18790}
    assert left == before
