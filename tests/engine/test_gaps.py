"""What happens between two looks: a decision never lands on what it was not made on."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from tests.engine.kit import MEMORY, Agent, Ticking, digest_of, entries, set_entries, skill_text

from reviewdeck.engine import auto as auto_module
from reviewdeck.engine import decidable
from reviewdeck.engine import decide as deciding_module
from reviewdeck.engine.engine import Engine
from reviewdeck.errors import BadInput, NotDecidable, StaleBase
from reviewdeck.model import AutoApply, State


def test_a_file_that_appears_after_the_judgement_is_not_overwritten(
    deck: Engine, agent: Agent, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent.skill(
        "write_file", "release-notes", file_path="references/a.md", file_content="# Agent's\n"
    )
    by_hand = home / "skills/dev/release-notes/references/a.md"
    judged = auto_module._find_safe

    def then_a_hand_writes(*given: object) -> dict[str, AutoApply]:
        safe = judged(*given)  # type: ignore[arg-type] # passed through as it came
        by_hand.write_text("By hand.\n", "utf-8")
        return safe

    monkeypatch.setattr(auto_module, "_find_safe", then_a_hand_writes)
    assert deck.auto().applied == ()
    assert by_hand.read_text("utf-8") == "By hand.\n"


def test_an_own_text_is_not_written_over_what_came_while_it_was_checked(
    deck: Engine, agent: Agent, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = agent.replace("staging host", "The staging host is stg-4.")
    deck.intake()
    shown = digest_of(deck, id)
    checked = decidable.check_length

    def then_the_agent_writes(given: str, expected: str) -> None:
        checked(given, expected)
        set_entries(home, "Newer fact.")

    monkeypatch.setattr(deciding_module, "check_length", then_the_agent_writes)
    with pytest.raises(StaleBase):
        deck.merge(id, "My own text.", shown)
    assert entries(home) == ["Newer fact."]


def test_a_record_from_the_future_has_not_seen_what_came_after_we_had_it(
    deck: Engine, agent: Agent, home: Path, clock: Ticking
) -> None:
    later = (clock() + timedelta(seconds=250)).timestamp()
    id = agent.replace("staging host", "The staging host is stg-4.", created_at=later)
    deck.intake()
    set_entries(home, "Tests run with tox.", "The staging host is stg-3.")
    deck.intake()
    clock.moment += timedelta(minutes=10)
    deck.intake()
    assert deck.find(id).state is State.CONFLICT


def test_a_rejected_text_is_remembered_before_the_rejection_is_final(
    deck: Engine, agent: Agent, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = agent.add("Wants tests before code.", target="user")
    deck.intake()

    def power_cut(*given: object, **named: object) -> None:
        raise RuntimeError("power cut")

    monkeypatch.setattr(deciding_module, "refresh_beside", power_cut)
    with pytest.raises(RuntimeError):
        deck.reject(first, "no")
    monkeypatch.undo()
    agent.add("Wants tests before code.", target="user")
    assert deck.auto().applied == ()


def test_an_own_text_for_a_deletion_keeps_the_skill_and_its_bookkeeping(
    deck: Engine, agent: Agent, home: Path
) -> None:
    usage = home / "skills" / ".usage.json"
    usage.write_text('{"release-notes": {"created_by": "agent", "state": "active"}}', "utf-8")
    before = usage.read_bytes()
    id = agent.skill("delete", "release-notes", absorbed_into="")
    deck.intake()
    own = skill_text("release-notes", "Kept after all.")
    document = "skills/dev/release-notes/SKILL.md"
    deck.merge(id, own, digest_of(deck, id), document=document)
    assert (home / document).read_text("utf-8") == own
    assert usage.read_bytes() == before
    assert not (home / "skills/.archive").exists()


def test_an_undo_of_a_skill_that_has_grown_is_a_conflict_that_names_the_new_files(
    deck: Engine, agent: Agent, home: Path
) -> None:
    agent.skill("create", "triage", content=skill_text("triage", "Read logs."))
    deck.auto()
    mine = home / "skills/triage/references/mine.md"
    mine.parent.mkdir()
    mine.write_text("Mine.\n", "utf-8")
    with pytest.raises(NotDecidable, match=r"references/mine\.md"):
        deck.undo(deck.operations()[0].id)
    assert mine.exists()
    assert [item.action for item in deck.pending((State.CONFLICT,))] == ["undo"]


def test_an_own_text_cannot_make_a_second_skill_of_a_name(
    deck: Engine, agent: Agent, home: Path
) -> None:
    id = agent.skill("create", "release-notes", content=skill_text("release-notes", "Another."))
    deck.intake()
    assert deck.find(id).state is State.DEAD
    with pytest.raises(BadInput, match="skill of that name"):
        deck.merge(id, skill_text("release-notes", "Another."), "absent")
    assert not (home / "skills/release-notes").exists()


def test_a_record_that_arrives_during_a_decision_is_not_called_looked_at(
    deck: Engine, agent: Agent, home: Path
) -> None:
    id = agent.replace("staging host", "The staging host is stg-4.")
    deck.intake()
    shown = digest_of(deck, id)
    agent.add("Wants tests before code.", target="user")
    deck.approve(id, shown)
    one = deck.open_homes[0].home
    assert deck.ledger.stamp(one.id) != one.stamp(one.documents())


def test_a_memory_that_somebody_holds_does_not_stop_the_others(
    deck: Engine, agent: Agent, home: Path
) -> None:
    (home / f"{MEMORY}.lock").mkdir()  # nothing can be locked there
    agent.add("The linter is ruff.")
    agent.add("Wants tests before code.", target="user")
    report = deck.auto()
    assert [item.target for item in report.applied] == ["user"]
    assert [type(failure.error).__name__ for failure in report.failures] != []
