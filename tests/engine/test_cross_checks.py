"""What belongs together says so: a file of a skill and the line that points to it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.engine.kit import Agent

from reviewdeck.engine.cross_checks import namesakes
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.evaluation import Evaluation
from reviewdeck.model import AutoApply, Severity

STYLE = "We use plain words in a report.\n"


def _evaluation(deck: Engine, source_id: str) -> Evaluation:
    return deck.get(deck.find(source_id).id)


def _point(agent: Agent, home: Path, file: str) -> str:
    text = (home / "skills" / "dev" / "release-notes" / "SKILL.md").read_text("utf-8")
    line = text.rstrip("\n").rpartition("\n")[2]
    return agent.skill(
        "patch",
        "release-notes",
        old_string=line,
        new_string=f"{line}\nSee [flaky tests]({file}).",
    )


def _write(agent: Agent, file: str) -> str:
    return agent.skill("write_file", "release-notes", file_path=file, file_content=STYLE)


def test_a_file_names_the_proposal_that_points_to_it_and_waits_for_it(
    deck: Engine, agent: Agent, home: Path
) -> None:
    pointer = _point(agent, home, "references/flaky.md")
    file = _write(agent, "references/flaky.md")
    deck.intake()
    found = _evaluation(deck, file)
    said = next(one for one in found.findings if one.code == "group")
    assert deck.find(pointer).id in said.message
    assert not isinstance(found.judgement.verdict, AutoApply)
    assert [one.code for one in _evaluation(deck, pointer).findings].count("group") == 1


def _said_of_group(deck: Engine, source_id: str) -> str:
    return next(one.message for one in _evaluation(deck, source_id).findings if one.code == "group")


def test_a_pointer_and_the_file_that_came_before_name_each_other(
    deck: Engine, agent: Agent, home: Path
) -> None:
    file = _write(agent, "references/flaky.md")
    deck.intake()
    pointer = _point(agent, home, "references/flaky.md")
    deck.intake()
    assert deck.find(file).id in _said_of_group(deck, pointer)
    assert deck.find(pointer).id in _said_of_group(deck, file)


def test_a_pointer_hears_of_the_file_that_comes_and_goes(
    deck: Engine, agent: Agent, home: Path
) -> None:
    pointer = _point(agent, home, "references/flaky.md")
    deck.intake()
    assert "no waiting proposal" in _said_of_group(deck, pointer)
    file = _write(agent, "references/flaky.md")
    (taken,) = deck.intake()
    assert deck.find(pointer).id in taken.evaluated
    assert deck.find(file).id in _said_of_group(deck, pointer)
    deck.reject(deck.find(file).id, "no")
    assert "no waiting proposal" in _said_of_group(deck, pointer)


def test_a_skill_to_come_and_its_file_name_each_other(deck: Engine, agent: Agent) -> None:
    text = "---\nname: bread\ndescription: Bake.\n---\n# Bread\n\nSee references/rye.md.\n"
    skill = agent.skill("create", "bread", content=text)
    file = agent.skill("write_file", "bread", file_path="references/rye.md", file_content=STYLE)
    deck.intake()
    assert deck.find(file).id in _said_of_group(deck, skill)
    assert deck.find(skill).id in _said_of_group(deck, file)


def test_the_path_of_a_file_is_no_text_that_others_are_compared_with(
    deck: Engine, agent: Agent
) -> None:
    first = _write(agent, "references/flaky.md")
    second = agent.skill(
        "write_file",
        "release-notes",
        file_path="references/flaky-tests.md",
        file_content="# Fonts\n\n- Plain ones.\n",
    )
    deck.intake()
    for id in (first, second):
        assert "like-pending" not in [one.code for one in _evaluation(deck, id).findings]


def test_once_the_pointer_is_decided_the_file_is_judged_alone(
    deck: Engine, agent: Agent, home: Path
) -> None:
    pointer, file = _point(agent, home, "references/flaky.md"), _write(agent, "references/flaky.md")
    deck.intake()
    assert deck.find(file).verdict == "review"
    deck.reject(deck.find(pointer).id, "no")
    assert deck.find(file).verdict == "auto-apply"


def test_a_pointer_to_another_file_is_no_company(deck: Engine, agent: Agent, home: Path) -> None:
    _point(agent, home, "references/flaky.md")
    file = _write(agent, "references/flaky-tests.md")
    deck.intake()
    assert "group" not in [one.code for one in _evaluation(deck, file).findings]


@pytest.mark.parametrize("file", ["references/Tone.md", "References/tone.md"])
def test_a_file_that_some_systems_take_for_another_one_is_held(
    deck: Engine, agent: Agent, home: Path, file: str
) -> None:
    (home / "skills/dev/release-notes/references/tone.md").write_text("# Tone\n")
    twin = _write(agent, file)
    deck.intake()
    assert not isinstance(_evaluation(deck, twin).judgement.verdict, AutoApply)
    if file.startswith("references"):
        codes = {one.code: one.severity for one in _evaluation(deck, twin).findings}
        assert codes["twin"] is Severity.MEDIUM


def _create(agent: Agent, name: str) -> str:
    return agent.skill(
        "create",
        name,
        content=f"---\nname: {name}\ndescription: Bake bread.\n---\n# Bread\n\n- Knead it twice.\n",
    )


@pytest.mark.parametrize("name", ["Release-Notes", "release-Notes"])
def test_a_skill_whose_name_is_a_live_one_in_other_capitals_is_held(
    deck: Engine, agent: Agent, name: str
) -> None:
    twin, other = _create(agent, name), _create(agent, "bread")
    deck.intake()
    found = _evaluation(deck, twin)
    assert any(one.code == "twin" and "release-notes" in one.message for one in found.findings)
    assert not isinstance(found.judgement.verdict, AutoApply)
    assert "twin" not in [one.code for one in _evaluation(deck, other).findings]


def test_a_name_is_the_same_in_either_form_of_an_accent() -> None:
    forms = [f"skills/dev/{name}/SKILL.md" for name in ("caf\u00e9", "cafe\u0301")]
    assert len(namesakes([*forms, "skills/dev/notes.md"])) == 1


def test_keys_that_nobody_knows_are_named_and_hold_nothing(
    deck: Engine, agent: Agent, home: Path
) -> None:
    id = agent.add("The linter is ruff.")
    path = home / "pending" / "memory" / f"{id}.json"
    record = json.loads(path.read_text()) | {"note_to_reviewer": "fine"}
    path.write_text(json.dumps(record))
    deck.intake()
    found = _evaluation(deck, id)
    assert "ignored-keys" in [one.code for one in found.findings]
    assert any("note_to_reviewer" in one.message for one in found.findings)
    assert isinstance(found.judgement.verdict, AutoApply)


@pytest.mark.parametrize("made", [4e9, -1.0, 0.0, 946684800.0])
def test_a_record_from_a_time_that_cannot_be_is_held(
    deck: Engine, agent: Agent, made: float
) -> None:
    id = agent.add("The linter is ruff.", created_at=made)
    assert deck.auto().applied == ()
    found = _evaluation(deck, id)
    assert "misdated" in [one.code for one in found.findings]
    assert not isinstance(found.judgement.verdict, AutoApply)
