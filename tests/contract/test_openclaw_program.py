"""What is taken for granted of OpenClaw, asked of the real program.

It runs where REVIEWDECK_OPENCLAW names the program. One conversation takes a minute.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from tests.engine.kit import OPERATOR
from tests.homes.openclaw.test_conversations import outside, writer
from tests.homes.openclaw.test_gate import SPELLINGS
from tests.reviewer.peer import Peer

from reviewdeck.agents.gated.edits import NotExact
from reviewdeck.agents.openclaw.edits import result_of
from reviewdeck.bootstrap import open_engine
from reviewdeck.clock import utc_now
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.options import Settings
from reviewdeck.homes.installer import apply
from reviewdeck.homes.openclaw.database import known_writes, workshop_records
from reviewdeck.homes.openclaw.gate import gate_of
from reviewdeck.homes.openclaw.installation import (
    PLACE,
    plan_install,
    plan_uninstall,
    read_installation,
)
from reviewdeck.homes.openclaw.state import settings_in, workshops_in, workspaces_in
from reviewdeck.homes.openclaw.workshop import FOLDER, skill_text
from reviewdeck.model import KnownBy, State

PORT = "18791"
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

    @property
    def env(self) -> dict[str, str]:
        return {"HOME": str(self.home), "PATH": os.environ["PATH"], "NO_COLOR": "1"}

    def run(self, *words: str, code: int = 0) -> str:
        done = subprocess.run(
            [PROGRAM, *words],
            env=self.env,
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=500,
            check=False,
        )
        assert done.returncode == code, done.stdout[-2000:] + done.stderr[-2000:]
        return done.stdout

    @contextmanager
    def gateway(self) -> Iterator[None]:
        """OpenClaw's gateway, from when it answers to its end."""
        log = self.home / "gateway.log"
        with log.open("wb") as output:
            words = [PROGRAM, "gateway", "run", "--port", PORT]
            started = subprocess.Popen(
                words, env=self.env, cwd=self.home, stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
            try:
                wait_for(lambda: "[gateway] ready" in log.read_text("utf-8", "replace"))
                yield
            finally:
                os.killpg(started.pid, signal.SIGTERM)
                started.wait(120)

    @contextmanager
    def working_in(self, folder: Path) -> Iterator[None]:
        """The agent works in another folder than its workspace."""
        config = self.state / "openclaw.json"
        kept = config.read_bytes()
        settings = json.loads(kept)
        settings["agents"]["entries"]["main"]["cwd"] = str(folder)
        config.write_text(json.dumps(settings, indent=2), "utf-8")
        yield
        config.write_bytes(kept)

    @contextmanager
    def deck(self, home: Path) -> Iterator[Engine]:
        ledger = str(self.home / "ledger" / "ledger.db")
        settings = Settings(homes=(home,), ledger=ledger, user_home=self.home, actor=OPERATOR)
        deck = open_engine(settings)
        deck.intake()
        yield deck
        deck.close()

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


def wait_for(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 240
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.5)


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
    written = replace(outside(("MEMORY.md", first, second)), ingested_at=utc_now())
    found = writer(place.workspace, written)
    (session,) = found.sessions
    assert found.known_by is KnownBy.EXACT
    note = "- A note.\n- by a shell\n"
    appended = replace(outside(("memory/day.md", None, note)), ingested_at=utc_now())
    assert writer(place.workspace, appended).sessions == ()
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


def test_from_another_folder_a_document_has_to_be_named_by_its_absolute_path(place: Place) -> None:
    install(place)
    soul = (place.workspace / "SOUL.md").read_bytes()
    (place.home / "task").mkdir()
    with place.working_in(place.home / "task"):
        told = place.converse(
            call("call_1", "write", path="../.openclaw/workspace/SOUL.md", content="x\n"),
            call("call_2", "write", path="MEMORY.md", content="x\n"),
            call("call_3", "write", path=str(place.home / "task" / "MEMORY.md"), content="x\n"),
            call("call_4", "write", path="main.py", content="x\n"),
        )
    assert "absolute path" in told["call_1"] and "absolute path" in told["call_2"]
    assert (place.workspace / "SOUL.md").read_bytes() == soul
    assert sorted(path.name for path in (place.home / "task").iterdir()) == ["MEMORY.md", "main.py"]
    uninstall(place)


SKILL = "# {}\n\nEvery Monday.\n"


def workshop(id: str, **args: Any) -> dict[str, Any]:
    return call(id, "tool_call", id="skill_workshop", args=args)


def statuses(place: Place) -> dict[str, list[str]]:
    """The skills of OpenClaw's proposals, by their state."""
    states = ("pending", "applied", "stale")
    records = {state: workshop_records(place.state, state) for state in states}
    return {
        state: sorted(record["target"]["skillName"] for record in found)
        for state, found in records.items()
        if found
    }


def test_skills_that_it_proposes_are_decided_here_and_it_neither_applies_nor_keeps_them(
    place: Place,
) -> None:
    install(place)
    more = [{"path": "references/list.md", "content": "- fern\n"}]
    told = place.converse(
        workshop("call_1", action="create", name="water", description="Waters.",
                 proposal_content=SKILL.format("Water"), support_files=more),
        workshop("call_2", action="create", name="feed", description="Feeds.",
                 proposal_content=SKILL.format("Feed")),
        workshop("call_3", action="revise", name="feed", proposal_content=SKILL.format("Feed all")),
        workshop("call_4", action="apply", proposal_id="feed-20261129-0123456789"),
        call("call_5", "write", path=str(place.own / "workshop-skills" / "x" / "SKILL.md"),
             content="---\nname: x\n---\nDo.\n"),
    )  # fmt: skip
    assert "a person decides" in told["call_4"] and "for review" in told["call_5"]
    assert statuses(place) == {"pending": ["feed", "water"]}
    with place.deck(place.own) as deck:
        items = {item.target: item for item in deck.pending()}
        assert sorted(items) == ["feed", "water", "x"]
        for name in ("feed", "water"):
            origin = deck.get(items[name].id).judgement.origin
            assert origin is not None and origin.known_by is KnownBy.EXACT
        digest = deck.get(items["water"].id).digest
        assert digest is not None
        decision = deck.approve(items["water"].id, digest)
        deck.reject(items["feed"].id, "No.")
        skill = place.own / "workshop-skills" / "water"
        (left,) = [one for one in workshop_records(place.state, "pending")
                   if one["target"]["skillName"] == "water"]  # fmt: skip
        place.run("skills", "workshop", "apply", left["id"], "--agent", "main", code=1)
        assert "# Water\n" in (skill / "SKILL.md").read_text("utf-8")
        assert (skill / "references" / "list.md").read_text("utf-8") == "- fern\n"
        place.run("doctor", "--fix", "--non-interactive")
        assert statuses(place) == {"stale": ["feed", "water"]}
        deck.undo(decision.id)
        assert not skill.exists()
    uninstall(place)


def test_what_it_would_write_of_a_draft_is_what_an_approval_writes(place: Place) -> None:
    draft = place.home / "draft.md"
    draft.write_text(
        "---\nname: sweep\ndescription: Sweeps.\nmetadata:\n  x: 1\n---\n\n\nDo.", "utf-8"
    )
    named = ("--name", "sweep", "--description", "Sweeps.", "--proposal", str(draft))
    own = ("--agent", "main", "--json")
    made = json.loads(place.run("skills", "workshop", "propose-create", *named, *own))["record"]
    kept = (place.state / FOLDER / made["id"] / made["draftFile"]).read_text("utf-8")
    place.run("skills", "workshop", "apply", made["id"], *own)
    skill = place.own / "workshop-skills" / "sweep" / "SKILL.md"
    assert skill.read_text("utf-8") == skill_text(kept)


def test_what_dreaming_writes_is_found_as_nobodys_and_stays_away_once_reverted(
    place: Place,
) -> None:
    note = place.workspace / "memory" / "2026-11-28.md"
    note.parent.mkdir(exist_ok=True)
    note.write_text("# 2026-11-28\n\n- The VLAN of the cameras is never bridged.\n", "utf-8")
    memory = place.workspace / "MEMORY.md"
    with place.deck(place.workspace) as deck:
        before = memory.read_bytes() if memory.exists() else None
        with place.gateway():
            jobs = json.loads(place.run("cron", "list", "--all", "--json", "--port", PORT))["jobs"]
            (job,) = [one["id"] for one in jobs if "Dreaming" in one["name"]]
            place.run("cron", "run", job, "--port", PORT)
            reports = place.workspace / "memory" / "dreaming" / "deep"
            wait_for(lambda: reports.is_dir() and any(reports.iterdir()))
        least = ("--min-score", "0", "--min-recall-count", "0", "--min-unique-queries", "0")
        place.run("memory", "promote", "--apply", *least)
        assert "openclaw-memory-promotion" in memory.read_text("utf-8")
        deck.intake()
        found = {item.target.lower(): item for item in deck.pending() if item.state is State.LIVE}
        for name in ("memory", "dreams"):
            origin = deck.get(found[name].id).judgement.origin
            assert origin is not None and "dreaming wrote to it" in origin.reason
            assert origin.sessions == ()
        deck.take_back(found["memory"].id, "Not so.")
        place.run("memory", "promote", "--apply", *least)
        assert (memory.read_bytes() if memory.exists() else None) == before
