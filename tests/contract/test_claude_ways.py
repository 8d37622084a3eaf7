"""The ways in which Claude Code writes memory: each is staged, refused or noted, none is silent.

They run on the real program where it is, and everywhere on what its hooks were told.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from tests.contract.claude_kit import (
    HELPER,
    Agent,
    RealAgent,
    RecordedAgent,
    make_place,
    needs_claude,
)
from tests.contract.hooked_kit import Place, call, turn

INDEX = "- [Store](store.md) — what we store in\n"
STORE = "We store in “Redis”, and it’s fast.\n"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return make_place(tmp_path)


@pytest.fixture(
    params=[
        pytest.param(RecordedAgent(), id="recorded"),
        pytest.param(RealAgent(), id="real", marks=[needs_claude, pytest.mark.slow]),
    ]
)
def agent(request: pytest.FixtureRequest) -> Agent:
    found: Agent = request.param
    return found


def revision(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def is_untouched(place: Place) -> bool:
    """Whether the memory is as it was made."""
    texts = {path.name: path.read_text("utf-8") for path in place.memory.iterdir()}
    return texts == {"MEMORY.md": INDEX, "store.md": STORE}


def test_a_write_is_staged_with_all_that_tells_where_it_came_from(
    agent: Agent, place: Place
) -> None:
    path = str(place.memory / "tests.md")
    script = [turn(call("w", "Write", file_path=path, content="Tests run with nox.\n"))]
    outcome = agent.converse(place, "write", script)
    (record,) = place.records()
    assert record["session"] == outcome.session
    assert record["prompt"]
    assert record["transcript"].endswith(f"{outcome.session}.jsonl")
    assert (record["agent"], record["cwd"]) == (None, str(place.project))
    (write,) = record["writes"]
    assert write == {
        "call": "toolu_w",
        "tool": "Write",
        "document": place.document("tests.md"),
        "base": {"sha256": "absent", "text": None},
        "text": "Tests run with nox.\n",
    }
    assert "took this change" in outcome.refused["toolu_w"]
    assert is_untouched(place)


def test_an_edit_is_staged_as_the_text_that_it_would_leave(agent: Agent, place: Place) -> None:
    path = str(place.memory / "MEMORY.md")
    edit = call("e", "Edit", file_path=path, old_string="what we store in", new_string="Valkey")
    agent.converse(place, "edit", [turn(call("r", "Read", file_path=path)), turn(edit)])
    (write,) = place.writes()
    assert write["base"] == {"sha256": revision(INDEX), "text": INDEX}
    assert write["text"] == "- [Store](store.md) — Valkey\n"
    assert is_untouched(place)


def test_an_edit_with_straight_quotes_is_staged_in_the_quotes_of_the_file(
    agent: Agent, place: Place
) -> None:
    path = str(place.memory / "store.md")
    edit = call(
        "q",
        "Edit",
        file_path=path,
        old_string='in "Redis", and it\'s fast',
        new_string='in "Valkey" ("fast"), and it\'s fine',
    )
    agent.converse(place, "edit-quotes", [turn(call("r", "Read", file_path=path)), turn(edit)])
    (write,) = place.writes()
    assert write["text"] == "We store in “Valkey” (“fast”), and it’s fine.\n"
    assert is_untouched(place)


def test_a_fact_and_its_line_in_the_index_are_one_record(agent: Agent, place: Place) -> None:
    fact = call("f", "Write", file_path=str(place.memory / "ci.md"), content="CI is slow.\n")
    grown = INDEX + "- [CI](ci.md) — how slow it is\n"
    index = call("i", "Write", file_path=str(place.memory / "MEMORY.md"), content=grown)
    read = call("r", "Read", file_path=str(place.memory / "MEMORY.md"))
    agent.converse(place, "parallel", [turn(read), turn(fact, index)])
    (record,) = place.records()
    assert [write["document"] for write in record["writes"]] == [
        place.document("ci.md"),
        place.document("MEMORY.md"),
    ]
    assert is_untouched(place)


def test_what_a_subagent_writes_is_staged_under_its_name(agent: Agent, place: Place) -> None:
    task = call(
        "a",
        "Agent",
        description="Note it",
        prompt=f"{HELPER} Note what you find.",
        subagent_type="general-purpose",
        run_in_background=False,
    )
    path = str(place.memory / "found.md")
    helper = [turn(call("h", "Write", file_path=path, content="Found by a helper.\n"))]
    outcome = agent.converse(place, "subagent", [turn(task)], helper)
    (record,) = place.records()
    assert record["agent"]
    assert record["agent_type"] == "general-purpose"
    assert record["session"] == outcome.session
    assert is_untouched(place)


COMMANDS = {
    "heredoc": "cat >> {path} <<'END'\n- Slow tests are marked.\nEND",
    "tee": "echo '- Slow tests are marked.' | tee -a {path}",
    "sed": "sed -i 's/what we store in/a cache/' {path}",
    "python": "python3 -c \"open('{path}', 'a').write('- Slow tests are marked.\\n')\"",
    "move": "cp {path} kept.md && echo '- Slow.' >> kept.md && mv kept.md {path}",
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_that_names_a_memory_and_may_write_to_it_is_refused(
    agent: Agent, place: Place, name: str
) -> None:
    command = COMMANDS[name].format(path=place.memory / "MEMORY.md")
    outcome = agent.converse(place, f"shell-{name}", [turn(call("b", "Bash", command=command))])
    assert "Use Write or Edit" in outcome.refused["toolu_b"]
    assert is_untouched(place)
    assert place.calls() == []


def test_a_command_in_a_skills_text_that_names_a_memory_is_refused(
    agent: Agent, place: Place
) -> None:
    skill = place.config / "skills" / "look" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text(
        "---\nname: look\ndescription: Looks.\nallowed-tools: Bash(*)\n---\n"
        f"!`touch {place.memory}/new.md`\n",
        "utf-8",
    )
    agent.converse(place, "skill-command", [turn(call("s", "Skill", skill="look"))])
    assert is_untouched(place)
    assert place.calls() == []


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_that_hides_the_name_is_noted_with_exactly_what_it_changed(
    agent: Agent, place: Place, name: str
) -> None:
    script = place.project / "tidy.sh"
    script.write_text(COMMANDS[name].format(path=place.memory / "MEMORY.md"), "utf-8")
    outcome = agent.converse(
        place, f"hidden-{name}", [turn(call("b", "Bash", command="sh tidy.sh"))]
    )
    assert outcome.refused == {}
    (noted,) = place.calls()
    after = (place.memory / "MEMORY.md").read_text("utf-8")
    assert after != INDEX
    assert noted["changes"] == [
        {
            "document": place.document("MEMORY.md"),
            "before": revision(INDEX),
            "after": revision(after),
        }
    ]
    assert (noted["tool"], noted["command"]) == ("Bash", "sh tidy.sh")
    assert (noted["session"], noted["background"]) == (outcome.session, False)
    assert noted["began"] < noted["ended"]
    assert place.records() == []


def test_a_command_that_fails_after_it_wrote_is_noted_too(agent: Agent, place: Place) -> None:
    script = place.project / "tidy.sh"
    script.write_text(f"rm {place.memory / 'store.md'}; exit 3", "utf-8")
    agent.converse(place, "hidden-failing", [turn(call("b", "Bash", command="sh tidy.sh"))])
    (noted,) = place.calls()
    (change,) = noted["changes"]
    assert change["document"] == place.document("store.md")
    assert (change["before"], change["after"]) == (revision(STORE), "absent")


def test_looking_at_a_memory_is_neither_refused_nor_noted(agent: Agent, place: Place) -> None:
    command = f"cat {place.memory}/*.md | head -5 && grep -rn Redis {place.memory} 2>/dev/null"
    outcome = agent.converse(place, "shell-reading", [turn(call("b", "Bash", command=command))])
    assert outcome.refused == {}
    assert place.calls() == []
    assert is_untouched(place)
