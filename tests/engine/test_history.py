"""What happened to a document, who brought each part, what was learnt since."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from tests.engine.kit import (
    MEMORY,
    Agent,
    OpenDeck,
    digest_of,
    entries,
    set_entries,
    skill_text,
)

from reviewdeck.engine.engine import Engine
from reviewdeck.engine.evaluate import Look
from reviewdeck.engine.intake import observe
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import ActorKind, Cause


def test_history_names_who_brought_each_revision(deck: Engine, agent: Agent, home: Path) -> None:
    agent.add("The linter is ruff.")
    deck.auto()
    id = agent.replace("staging host", "The staging host is stg-4.")
    deck.intake()
    deck.approve(id, digest_of(deck, id))
    set_entries(home, "All new, by hand.")
    deck.intake()
    seen = deck.history(MEMORY)
    assert [one.cause for one in seen] == [
        Cause.SEEN,
        Cause.OPERATION,
        Cause.OPERATION,
        Cause.OUTSIDE,
    ]
    kinds = [one.actor.kind if one.actor else None for one in seen]
    assert kinds[1:] == [ActorKind.POLICY, ActorKind.OPERATOR, ActorKind.OUTSIDE]
    assert seen[1].actor is not None
    assert seen[1].actor.name == "memory-addition"


def test_blame_names_the_proposal_behind_each_entry(deck: Engine, agent: Agent) -> None:
    agent.add("The linter is ruff.")
    deck.auto()
    id = agent.replace("staging host", "The staging host is stg-4.")
    deck.intake()
    deck.approve(id, digest_of(deck, id))
    by_text = {part.text: part.added_by for part in deck.blame(MEMORY)}
    assert by_text["Tests run with tox."].cause is Cause.SEEN
    assert by_text["The linter is ruff."].proposal == deck.find("00000001").id
    assert by_text["The staging host is stg-4."].proposal == deck.find(id).id


def test_blame_of_a_skill_goes_line_by_line(deck: Engine, agent: Agent) -> None:
    id = agent.skill(
        "patch", "release-notes", old_string="2. Run the tests.", new_string="2. Run tox."
    )
    deck.intake()
    deck.approve(id, digest_of(deck, id))
    brought = {
        part.text: part.added_by.proposal
        for part in deck.blame("skills/dev/release-notes/SKILL.md")
    }
    assert brought["2. Run tox."] == deck.find(id).id
    assert brought["3. Report."] is None


def test_since_composes_everything_that_happened_to_a_document(
    deck: Engine, agent: Agent, home: Path
) -> None:
    deck.intake()
    agent.add("The linter is ruff.")
    deck.auto()
    id = agent.replace("linter is ruff", "The linter is ruff, line length 100.")
    deck.intake()
    deck.approve(id, digest_of(deck, id))
    (document,) = deck.since()
    changed = [(row.kind, row.text) for row in document.rows if row.kind != "kept"]
    assert changed == [("added", "The linter is ruff, line length 100.")]


def test_a_skill_that_was_made_is_part_of_what_was_learnt(deck: Engine, agent: Agent) -> None:
    agent.skill("create", "triage", content=skill_text("triage", "Read service logs."))
    deck.auto()
    (document,) = deck.since()
    assert document.document == "skills/triage/SKILL.md"
    assert {row.kind for row in document.rows} == {"added"}


def test_a_change_outside_review_is_part_of_what_was_learnt(deck: Engine, home: Path) -> None:
    deck.intake()
    set_entries(home, "Tests run with tox.", "The staging host is stg-2.")
    deck.intake()
    (document,) = deck.since()
    (gone,) = [row for row in document.rows if row.kind == "removed"]
    assert gone.text == "Docs use mkdocs."
    assert gone.by.cause is Cause.OUTSIDE


def test_what_was_looked_at_is_not_news_again(deck: Engine, agent: Agent) -> None:
    agent.add("The linter is ruff.")
    deck.auto()
    assert deck.since()
    deck.mark_seen()
    assert deck.since() == ()


def test_the_log_tells_everything_and_holds_together(deck: Engine, agent: Agent) -> None:
    agent.add("The linter is ruff.")
    deck.auto()
    deck.undo(deck.operations()[0].id)
    names = [event.name for event in deck.log()]
    assert names.count("begin") == names.count("finish") == 2
    assert deck.ledger.verify() is None


def test_what_a_batch_starts_from_is_credited_to_who_wrote_it(
    deck: Engine, agent: Agent, home: Path
) -> None:
    id = agent.add("The linter is ruff.")
    deck.intake()
    set_entries(home, *entries(home), "Written by hand in between.")
    deck.approve(id, digest_of(deck, id))
    brought = {part.text: part.added_by for part in deck.blame(MEMORY)}
    assert brought["Written by hand in between."].cause is Cause.OUTSIDE
    assert brought["The linter is ruff."].proposal == deck.find(id).id
    (document,) = deck.since()
    changes = {change.after: change.by.cause for change in document.changes}
    assert changes == {
        ("Written by hand in between.",): Cause.OUTSIDE,
        ("The linter is ruff.",): Cause.OPERATION,
    }


def test_what_somebody_took_out_before_a_batch_does_not_come_back_unseen(
    deck: Engine, agent: Agent, home: Path
) -> None:
    id = agent.add("The linter is ruff.")
    deck.intake()
    set_entries(home, *(one for one in entries(home) if "staging" not in one))
    deck.approve(id, digest_of(deck, id))
    again = agent.add("The staging host is stg-2.")
    assert deck.auto().applied == ()
    assert "like-removed" in [one.code for one in deck.get(again).findings]


def test_a_look_that_is_overtaken_by_a_write_says_nothing_of_it(
    open_at: OpenDeck, agent: Agent, home: Path
) -> None:
    slow, fast = open_at(home), open_at(home)
    slow.intake()
    set_entries(home, *entries(home), "Written by hand.")
    one = slow.home_by_id()
    look = Look(one.home.snapshot(), one.home.documents())
    assert look.snapshot.document(MEMORY).data is not None  # read, and not yet stored

    class Overtaken:
        """The ledger, with somebody who is faster between the question and the answer."""

        def __getattr__(self, name: str) -> Any:
            return getattr(slow.ledger, name)

        def latest(self, home: str) -> Any:
            known = slow.ledger.latest(home)
            agent.add("The linter is ruff.")
            assert fast.auto().applied
            return known

    seen = observe(one.home, cast("Ledger", Overtaken()), look, slow.now())
    assert (seen.outside, seen.is_whole) == ((), False)
    slow.intake()
    brought = {part.text: part.added_by.cause for part in slow.blame(MEMORY)}
    assert brought["Written by hand."] is Cause.OUTSIDE
    assert brought["The linter is ruff."] is Cause.OPERATION


def test_a_look_into_the_middle_of_a_write_credits_nobody_yet(
    open_at: OpenDeck, agent: Agent, home: Path
) -> None:
    looking = open_at(home)
    looking.intake()

    def look(step: str) -> None:
        if step == "finish":  # it is on disk, and the ledger has not noted it
            looking.intake()

    agent.add("The linter is ruff.")
    assert open_at(home, probe=look).auto().applied
    looking.intake()
    brought = {part.text: part.added_by.cause for part in looking.blame(MEMORY)}
    assert brought["The linter is ruff."] is Cause.OPERATION
