"""A dead proposal at its likely new place."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.kit import MEMORY, Agent, entries, set_entries, skill_text

from reviewdeck.engine.engine import Engine
from reviewdeck.model import Dead, State
from reviewdeck.planning.merge import Decided, Reanchored, reanchor
from reviewdeck.text.conflicts import Take

SKILL = "skills/dev/release-notes/SKILL.md"


def reanchored(deck: Engine, id: str) -> Reanchored | None:
    """Where a dead proposal could go."""
    deck.intake()
    evaluation = deck.get(id)
    assert isinstance(evaluation.staged.outcome, Dead)
    home = deck.home_by_id().home
    return reanchor(evaluation.staged, home.snapshot())


def test_a_replacement_is_offered_at_the_nearest_entry(deck: Engine, agent: Agent) -> None:
    id = agent.replace("The staging server is stg-2.", "The staging host is stg-4.")
    found = reanchored(deck, id)
    assert found is not None
    assert found.place == "The staging host is stg-2."
    assert 60 <= found.likeness < 100
    (place,) = found.merging.places
    assert (place.base, place.ours, place.theirs) == (
        None,
        "The staging host is stg-2.",
        "The staging host is stg-4.",
    )
    assert not found.merging.offers(0, Take.BASE)


def test_what_is_taken_there_can_be_written(deck: Engine, agent: Agent, home: Path) -> None:
    id = agent.replace("The staging server is stg-2.", "The staging host is stg-4.")
    found = reanchored(deck, id)
    assert found is not None
    result = found.merging.pick(0, Take.THEIRS).result
    assert isinstance(result, Decided)
    digest = deck.home_by_id().home.snapshot().document(MEMORY).revision
    deck.merge(id, result.text, digest)
    assert entries(home) == [
        "Tests run with tox.",
        "The staging host is stg-4.",
        "Docs use mkdocs.",
    ]


def test_a_removal_is_a_choice_between_the_entry_and_nothing(deck: Engine, agent: Agent) -> None:
    found = reanchored(deck, agent.memory("remove", old_text="The staging server is stg-2."))
    assert found is not None
    (place,) = found.merging.places
    assert (place.ours, place.theirs) == ("The staging host is stg-2.", "")


def test_a_patch_of_a_skill_is_offered_where_the_text_is_like_it(
    deck: Engine, agent: Agent
) -> None:
    id = agent.skill(
        "patch",
        "release-notes",
        old_string="1. Look at the whole repository first.\n2. Run all the tests.",
        new_string="1. Look at the repository.\n2. Run the quick tests.",
    )
    found = reanchored(deck, id)
    assert found is not None
    assert found.merging.sides.path == SKILL
    assert found.place == "1. Look at the repository.\n2. Run the tests."
    assert [one.theirs for one in found.merging.places] == ["2. Run the quick tests.\n"]


@pytest.mark.parametrize("old", ["Kubernetes namespaces are many.", "zzz"])
def test_without_anything_like_it_there_is_no_new_place(
    deck: Engine, agent: Agent, old: str
) -> None:
    assert reanchored(deck, agent.replace(old, "Whatever.")) is None


def test_what_is_dead_for_another_reason_has_no_new_place(deck: Engine, agent: Agent) -> None:
    id = agent.skill("create", "release-notes", content=skill_text("release-notes"))
    assert reanchored(deck, id) is None


def test_of_a_batch_the_edit_that_lost_its_target_is_aimed_anew(
    deck: Engine, agent: Agent, home: Path
) -> None:
    set_entries(home, "One.", "The staging host is stg-2.", "Docs use mkdocs.")
    operations = [
        {"action": "add", "content": "CI runs on arm64."},
        {
            "action": "replace",
            "old_text": "The staging server is stg-2.",
            "content": "The staging host is stg-4.",
        },
    ]
    id = agent.memory("batch", extra={"operations": operations})
    deck.intake()
    if deck.find(id).state is not State.DEAD:
        pytest.fail(deck.find(id).reason)
    found = reanchored(deck, id)
    assert found is not None
    assert [one.theirs for one in found.merging.places] == [
        "The staging host is stg-4.",
        "CI runs on arm64.",
    ]
