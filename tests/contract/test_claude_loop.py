"""From what Claude Code writes to what a person makes of it, and back, by our own program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.contract.claude_kit import Agent, RealAgent, RecordedAgent, make_place, needs_claude
from tests.contract.hooked_kit import Place, call, reviewdeck, turn

pytestmark = pytest.mark.slow  # each starts our own program several times


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A place that reviewdeck has looked at once: what is there is where it begins."""
    found = make_place(tmp_path)
    assert look(found, "list") == []
    return found


@pytest.fixture(
    params=[
        pytest.param(RecordedAgent(), id="recorded"),
        pytest.param(RealAgent(), id="real", marks=needs_claude),
    ]
)
def agent(request: pytest.FixtureRequest) -> Agent:
    found: Agent = request.param
    return found


def look(place: Place, *words: str) -> Any:
    return json.loads(reviewdeck(place, *words, "--home", str(place.config), "--json").stdout)


def do(place: Place, *words: str) -> None:
    done = reviewdeck(place, *words, "--home", str(place.config))
    assert done.returncode == 0, done.stdout


def memory(place: Place) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in place.memory.iterdir()}


def test_a_fact_and_its_line_are_approved_together_and_taken_back_to_the_byte(
    agent: Agent, place: Place
) -> None:
    before = memory(place)
    fact = call("f", "Write", file_path=str(place.memory / "ci.md"), content="CI is slow.\n")
    grown = (place.memory / "MEMORY.md").read_text("utf-8") + "- [CI](ci.md) — how slow it is\n"
    index = call("i", "Write", file_path=str(place.memory / "MEMORY.md"), content=grown)
    read = call("r", "Read", file_path=str(place.memory / "MEMORY.md"))
    agent.converse(place, "parallel", [turn(read), turn(fact, index)])
    (waiting,) = look(place, "list")
    digest = look(place, "diff", waiting["id"])["digest"]
    do(place, "approve", waiting["id"], "--digest", digest)
    assert memory(place) == {
        **before,
        "ci.md": b"CI is slow.\n",
        "MEMORY.md": grown.encode(),
    }
    assert place.records() == []
    (operation,) = look(place, "log")["operations"]
    do(place, "undo", operation["id"])
    assert memory(place) == before


def test_a_rejection_is_written_down_for_the_session_that_proposed_it(
    agent: Agent, place: Place
) -> None:
    path = str(place.memory / "tests.md")
    script = [turn(call("w", "Write", file_path=path, content="Tests run with nox.\n"))]
    session = agent.converse(place, "write", script).session
    (waiting,) = look(place, "list")
    do(place, "reject", waiting["id"], "--reason", "They run with pytest.")
    verdicts = json.loads((place.config / ".reviewdeck/claude/verdicts.json").read_text("utf-8"))
    (verdict,) = verdicts
    assert (verdict["session"], verdict["state"]) == (session, "rejected")
    assert verdict["reason"] == "They run with pytest."
    assert not (place.memory / "tests.md").exists()


def test_what_a_hidden_command_changed_is_known_by_its_call_and_taken_back_to_the_byte(
    agent: Agent, place: Place
) -> None:
    before = memory(place)
    script = place.project / "tidy.sh"
    script.write_text(f"sed -i 's/what we store in/a cache/' {place.memory}/MEMORY.md", "utf-8")
    outcome = agent.converse(place, "hidden-sed", [turn(call("b", "Bash", command="sh tidy.sh"))])
    assert memory(place) != before
    (live,) = look(place, "list")
    assert live["state"] == "live"
    shown = look(place, "show", live["id"])
    assert outcome.session in json.dumps(shown)
    do(place, "reject", live["id"], "--reason", "It is no cache.")
    assert memory(place) == before
