"""The headless pass: what is applied together, what waits, what a foreign writer does to it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.engine.kit import MEMORY, USER, Agent, OpenDeck, entries, set_entries, skill_text

from reviewdeck.engine.applier import NotApplied
from reviewdeck.engine.engine import Engine
from reviewdeck.errors import StaleBase
from reviewdeck.model import OperationState, State
from reviewdeck.planning.compose import ChosenProposal, Composed, compose
from reviewdeck.ports import Snapshot


def test_all_the_safe_additions_to_one_document_are_one_write(
    deck: Engine, agent: Agent, home: Path
) -> None:
    agent.add("The linter is ruff.")
    agent.add("Branches are named after tickets.")
    agent.add("Wants tests before code.", target="user")
    report = deck.auto()
    assert len(report.applied) == 3
    assert entries(home)[-2:] == ["The linter is ruff.", "Branches are named after tickets."]
    batches = {op.batch: {c.path for c in op.changes} for op in deck.operations()}
    assert sorted(map(tuple, batches.values())) == [(MEMORY,), (USER,)]
    assert len(deck.operations()) == 3


def test_additions_that_fit_alone_and_not_together_stop_at_the_budget(
    deck: Engine, agent: Agent, home: Path
) -> None:
    set_entries(home, "x" * 2140)
    agent.add("The linter is ruff, as it always was.")
    agent.add("Branches are named after their tickets.")
    report = deck.auto()
    assert len(report.applied) == 1
    assert [item.state for item in report.dead] == [State.DEAD]
    assert "2,200" in report.dead[0].reason
    assert len((home / MEMORY).read_text("utf-8")) <= 2200


def test_of_two_new_skills_with_one_name_only_the_first_is_made(
    deck: Engine, agent: Agent, home: Path
) -> None:
    agent.skill("create", "triage", content=skill_text("triage", "Read logs."), category="ops")
    agent.skill("create", "triage", content=skill_text("triage", "Sort the mail."), category="dev")
    report = deck.auto()
    made = [path for path in home.rglob("SKILL.md") if path.parent.name == "triage"]
    assert len(made) <= 1
    assert len(report.applied) == len(made)


def test_a_support_file_for_a_skill_that_is_made_in_the_same_pass_lands_in_it(
    deck: Engine, agent: Agent, home: Path
) -> None:
    text = skill_text("triage", "Read service logs.") + "\nSee references/words.md.\n"
    agent.skill("create", "triage", content=text)
    deck.intake()
    first = deck.auto()
    words = "We use short words in a report.\n"
    agent.skill("write_file", "triage", file_path="references/words.md", file_content=words)
    second = deck.auto()
    assert len(first.applied) + len(second.applied) == 2
    assert (home / "skills/triage/references/words.md").read_text("utf-8") == words


def test_a_background_creation_is_marked_as_the_agents_own(
    deck: Engine, agent: Agent, home: Path
) -> None:
    agent.skill("create", "triage", content=skill_text("triage", "Read service logs."))
    agent.skill(
        "create",
        "weekly-mail",
        content=skill_text("weekly-mail", "Write the mail on Fridays."),
        origin="foreground",
    )
    assert len(deck.auto().applied) == 2
    usage = json.loads((home / "skills/.usage.json").read_text("utf-8"))
    assert usage["triage"]["created_by"] == "agent"
    assert "weekly-mail" not in usage


def test_a_new_skill_makes_hermes_forget_its_prompt_snapshot(
    deck: Engine, agent: Agent, home: Path
) -> None:
    snapshot = home / ".skills_prompt_snapshot.json"
    snapshot.write_text("{}", "utf-8")
    agent.skill("create", "triage", content=skill_text("triage", "Read service logs."))
    deck.auto()
    assert not snapshot.exists()


def test_one_bad_record_does_not_stop_the_others(deck: Engine, agent: Agent, home: Path) -> None:
    pending = home / "pending" / "memory"
    (pending / "0bad0001.json").write_bytes(b"\xff\xfe not utf-8")
    (pending / "0bad0002.json").write_text("[" * 100_000, "utf-8")
    (pending / "0bad0003.json").write_bytes(b"{" + b" " * 10_000_000)
    (pending / "0bad0004.json").write_text('{"id": "0bad0004", "id": "x"}', "utf-8")
    (pending / "0bad0005.json").write_bytes(b"")
    agent.add("The linter is ruff.")
    report = deck.auto()
    assert len(report.applied) == 1
    assert [item.state for item in report.refused] == [State.QUARANTINED] * 5
    assert len(list(pending.glob("0bad*.json"))) == 5


def test_a_memory_that_is_not_utf8_is_shown_and_never_written(
    deck: Engine, agent: Agent, home: Path
) -> None:
    (home / MEMORY).write_bytes(b"caf\xe9")
    agent.add("The linter is ruff.")
    agent.add("Wants tests before code.", target="user")
    report = deck.auto()
    assert (home / MEMORY).read_bytes() == b"caf\xe9"
    assert [item.target for item in report.applied] == ["user"]
    assert len(report.dead) == 1
    assert any(MEMORY in problem for problem in report.problems)


def test_a_home_without_memories_or_skills_is_empty_and_not_broken(
    open_at: OpenDeck, tmp_path: Path, deck: Engine
) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    (bare / "config.yaml").touch()
    report = open_at(bare).auto()
    assert (report.applied, report.held, report.dead) == ((), (), ())
    assert [path.name for path in bare.iterdir()] == ["config.yaml"]


def test_the_first_addition_of_a_home_makes_the_memory(
    open_at: OpenDeck, tmp_path: Path, agent: Agent
) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    Agent(bare, agent.clock).add("The linter is ruff.")
    assert len(open_at(bare).auto().applied) == 1
    assert (bare / MEMORY).read_text("utf-8") == "The linter is ruff."


def test_a_skill_below_a_symbolic_link_is_never_written(
    deck: Engine, agent: Agent, home: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "SKILL.md").write_text(skill_text("linked"), "utf-8")
    (home / "skills" / "linked").symlink_to(outside)
    id = agent.skill("patch", "linked", old_string="3. Report.", new_string="3. Shout.")
    deck.auto()
    assert deck.find(id).state is State.DEAD
    assert "3. Report." in (outside / "SKILL.md").read_text("utf-8")


def test_a_pending_folder_that_cannot_be_read_decides_nothing(
    deck: Engine, agent: Agent, home: Path, tmp_path: Path
) -> None:
    id = agent.replace("staging host", "The staging host is stg-4.")
    deck.intake()
    folder = home / "pending" / "memory"
    folder.rename(tmp_path / "moved")
    folder.symlink_to(tmp_path / "moved")
    assert deck.auto().elsewhere == ()
    assert deck.find(id).state is State.READY


class WritesInTheGap:
    """A foreign program that writes just when we are about to."""

    def __init__(self, path: Path, step: str, text: str) -> None:
        self.path, self.step, self.text, self.done = path, step, text, False

    def __call__(self, step: str) -> None:
        if step == self.step and not self.done:
            self.done = True
            self.path.write_text(self.text, "utf-8")


@pytest.mark.parametrize("step", ["begin", "write"])
def test_a_foreign_write_in_the_gap_is_kept_and_ours_waits(
    open_at: OpenDeck, agent: Agent, home: Path, step: str
) -> None:
    foreign = WritesInTheGap(home / MEMORY, step, "Written by somebody else.")
    deck = open_at(home, probe=foreign)
    agent.add("The linter is ruff.")
    report = deck.auto()
    assert foreign.done
    assert report.applied == ()
    assert (home / MEMORY).read_text("utf-8") == "Written by somebody else."
    (failure,) = report.failures
    assert isinstance(failure, NotApplied)
    assert isinstance(failure.error, StaleBase)
    assert deck.operations()[0].state is OperationState.CONFLICT
    live, ours = deck.auto().held
    assert live.state is State.LIVE
    assert [finding.code for finding in ours.findings][:1] == ["not-current"]
    deck.approve(ours.id, str(ours.digest))
    assert entries(home) == ["Written by somebody else.", "The linter is ruff."]


def test_what_an_agent_overwrote_is_noticed_and_restorable(
    deck: Engine, agent: Agent, home: Path
) -> None:
    agent.add("The linter is ruff.")
    deck.auto()
    ours = (home / MEMORY).read_bytes()
    set_entries(home, "The agent knows better.")
    (taken,) = deck.intake()
    assert taken.outside == (MEMORY,)
    revisions = [seen.revision for seen in deck.history(MEMORY)]
    assert ours in [deck.ledger.content(revision) for revision in revisions]


def test_an_entry_that_was_removed_by_hand_does_not_come_back_by_itself(
    deck: Engine, agent: Agent, home: Path
) -> None:
    deck.intake()
    set_entries(home, "Tests run with tox.", "The staging host is stg-2.")
    deck.intake()
    agent.add("Docs use mkdocs.")
    assert deck.auto().applied == ()
    assert "mkdocs" not in (home / MEMORY).read_text("utf-8")


def test_beside_somebody_who_keeps_on_writing_a_part_of_a_backlog_goes_in(
    deck: Engine, agent: Agent, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = ["The linter is ruff.", "The editor is neovim.", "The shell is fish.", "Likes tea."]
    for fact in facts:
        agent.add(fact)

    def slowly(wanted: Sequence[ChosenProposal], live: Snapshot) -> Composed:
        composed = compose(wanted, live)
        if len(wanted) > 1:  # it takes so long that somebody writes meanwhile
            with (home / MEMORY).open("a", encoding="utf-8") as memory:
                memory.write("\n§\nBob was here.")
        return composed

    monkeypatch.setattr("reviewdeck.engine.auto.compose", slowly)
    report = deck.auto()
    assert len(report.applied) == 1
    assert {type(failure.error) for failure in report.failures} == {StaleBase}
    assert len(report.failures) == 3
    monkeypatch.undo()
    assert len(deck.auto().applied) == 3
    there = entries(home)
    assert [there.count(fact) for fact in facts] == [1, 1, 1, 1]
    assert there.count("Bob was here.") == 1
