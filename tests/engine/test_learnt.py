"""What an agent learnt, as one blamed diff per document; and taking parts of it back for good."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.kit import (
    MEMORY,
    USER,
    Agent,
    OpenDeck,
    digest_of,
    entries,
    remembered,
    set_entries,
    skill_text,
)

from reviewdeck.engine import reverse
from reviewdeck.engine.decide import commit
from reviewdeck.engine.drafts import draft_own, withdraw
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.summary import summary
from reviewdeck.errors import BadInput, NotDecidable
from reviewdeck.model import ActorKind, Cause, State, revision_of
from reviewdeck.model.changes import DocumentChanges, PartChange, PartChangeKind

SKILL = "skills/dev/release-notes/SKILL.md"


def approve(deck: Engine, id: str) -> None:
    """What an operator does with a proposal that they like."""
    deck.intake()
    deck.approve(id, digest_of(deck, id))


def said(document: DocumentChanges) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """The lessons without who brought them."""
    return [(one.kind.value, one.before, one.after) for one in document.changes]


def write(deck: Engine) -> None:
    """`^s`, `y`."""
    report = commit(deck, summary(deck))
    assert report.committed and not report.failed


def revert(
    deck: Engine, document: DocumentChanges, change: PartChange | None, reason: str = "wrong"
) -> str:
    """Drafts a revert; gives the proposal's id."""
    evaluation = reverse.revert(deck, document, change, reason)
    return draft_own(deck, evaluation, reason).proposal


def test_several_operations_on_one_document_are_one_diff(
    deck: Engine, agent: Agent, home: Path
) -> None:
    deck.intake()
    agent.add("The linter is ruff.")
    deck.auto()
    approve(deck, agent.replace("staging host", "The staging host is stg-4."))
    approve(deck, agent.memory("remove", old_text="Docs use mkdocs."))
    (document,) = deck.since()
    assert document.is_memory
    assert said(document) == [
        ("changed", ("The staging host is stg-2.",), ("The staging host is stg-4.",)),
        ("removed", ("Docs use mkdocs.",), ()),
        ("added", (), ("The linter is ruff.",)),
    ]


def test_what_is_replaced_and_what_takes_its_place_name_each_other(
    deck: Engine, agent: Agent
) -> None:
    deck.intake()
    approve(deck, agent.replace("staging host", "The staging host is stg-4."))
    (document,) = deck.since()
    changed = {row.kind: row for row in document.rows if row.kind != "kept"}
    assert changed["removed"].pair == changed["added"].text == "The staging host is stg-4."
    assert changed["added"].pair == changed["removed"].text
    assert [row.text for row in document.rows if row.kind == "kept"] == [
        "Tests run with tox.",
        "Docs use mkdocs.",
    ]


def test_what_came_and_went_again_is_no_news(deck: Engine, agent: Agent) -> None:
    deck.intake()
    agent.add("The linter is ruff.")
    deck.auto()
    deck.undo(deck.operations()[0].id)
    assert deck.since() == ()


def test_hand_edits_between_operations_are_told_apart_from_them(
    deck: Engine, agent: Agent, home: Path
) -> None:
    deck.intake()
    agent.add("The linter is ruff.")
    deck.auto()
    set_entries(home, *entries(home), "Ask Ana for access.")
    deck.intake()
    approve(deck, agent.add("Never push on Friday."))
    (document,) = deck.since()
    by = {change.after[0]: change.by for change in document.changes}
    assert by["Ask Ana for access."].cause is Cause.OUTSIDE
    actors = {text: one.actor.kind for text, one in by.items() if one.actor}
    assert actors["The linter is ruff."] is ActorKind.POLICY
    assert actors["Never push on Friday."] is ActorKind.OPERATOR
    tally = document.tally
    assert (tally.added, tally.automatic, tally.operator, tally.outside) == (3, 1, 1, 1)


def test_lines_of_a_skill_that_came_together_are_one_lesson_under_their_heading(
    deck: Engine, agent: Agent
) -> None:
    deck.intake()
    approve(
        deck,
        agent.skill(
            "patch", "release-notes", old_string="3. Report.", new_string="3. Tag.\n4. Report all."
        ),
    )
    (document,) = deck.since()
    assert said(document) == [("changed", ("3. Report.",), ("3. Tag.", "4. Report all."))]
    assert document.changes[0].under == "Steps"
    assert (document.tally.changed, document.tally.added) == (1, 1)


def test_one_document_can_be_marked_as_seen_and_the_mark_is_kept(
    deck: Engine, agent: Agent, open_at: OpenDeck, home: Path
) -> None:
    deck.intake()
    approve(deck, agent.add("The linter is ruff."))
    approve(deck, agent.add("Lives in Lisbon.", target="user"))
    marks = deck.ledger.marks(deck.home_ids[0])
    deck.mark(deck.home_ids[0], marks.seen(MEMORY, deck.now()))
    deck.close()
    again = open_at(home)
    assert [one.document for one in again.since()] == [USER]
    again.mark_seen()
    assert again.since() == ()
    again.mark(again.home_ids[0], marks)
    assert [one.document for one in again.since()] == [MEMORY, USER]


def test_a_revert_is_a_draft_and_what_it_takes_back_is_held_when_proposed_again(
    deck: Engine, agent: Agent, home: Path
) -> None:
    deck.intake()
    agent.add("The linter is ruff.")
    deck.auto()
    (document,) = deck.since()
    revert(deck, document, document.changes[0], "not true")
    assert "The linter is ruff." in entries(home)
    write(deck)
    assert "The linter is ruff." not in entries(home)
    agent.add("The linter is ruff.")
    report = deck.auto()
    assert not report.applied
    (held,) = [item for item in deck.pending() if item.state is State.READY]
    assert "like-rejected" in {one.code for one in held.findings}


def test_a_revert_of_a_change_brings_the_old_words_back(
    deck: Engine, agent: Agent, home: Path
) -> None:
    deck.intake()
    before = entries(home)
    approve(deck, agent.replace("staging host", "The staging host is stg-4."))
    (document,) = deck.since()
    revert(deck, document, document.changes[0])
    write(deck)
    assert entries(home) == before


def test_a_revert_leaves_later_changes_of_the_document_alone(
    deck: Engine, agent: Agent, home: Path
) -> None:
    deck.intake()
    agent.add("The linter is ruff.")
    deck.auto()
    (document,) = deck.since()
    set_entries(home, *entries(home), "Ask Ana for access.")
    revert(deck, document, document.changes[0])
    write(deck)
    assert "Ask Ana for access." in entries(home)
    assert "The linter is ruff." not in entries(home)


def test_lines_of_a_skill_are_reverted_to_the_byte_and_its_patch_stays_away(
    deck: Engine, agent: Agent, home: Path
) -> None:
    deck.intake()
    before = (home / SKILL).read_bytes()
    patch = {"old_string": "2. Run the tests.\n", "new_string": "2. Run tox.\n2. Run mypy.\n"}
    approve(deck, agent.skill("patch", "release-notes", **patch))
    (document,) = deck.since()
    revert(deck, document, document.changes[0])
    write(deck)
    assert (home / SKILL).read_bytes() == before
    agent.skill("patch", "release-notes", **patch)
    deck.intake()
    (held,) = deck.pending()
    assert "like-rejected" in {one.code for one in held.findings}


def test_a_skill_that_was_made_is_taken_back_as_a_whole(
    deck: Engine, agent: Agent, home: Path
) -> None:
    deck.intake()
    agent.skill("create", "triage", content=skill_text("triage", "Read service logs."))
    deck.auto()
    (document,) = deck.since()
    revert(deck, document, None)
    write(deck)
    assert not (home / "skills" / "triage").exists()
    assert deck.operations()[1].undone_by == deck.operations()[0].id


def test_a_revert_needs_a_reason_and_leaves_no_skill_without_its_front_matter(
    deck: Engine, agent: Agent, home: Path
) -> None:
    deck.intake()
    approve(
        deck,
        agent.skill(
            "patch",
            "release-notes",
            old_string="description: Say what is there.",
            new_string="description: Say it all.",
        ),
    )
    (document,) = deck.since()
    with pytest.raises(BadInput):
        reverse.revert(deck, document, document.changes[0], "  ")
    bad = PartChange(
        PartChangeKind.ADDED, (), ("description: Say it all.",), document.changes[0].by, 2
    )
    with pytest.raises(BadInput, match="description"):
        reverse.revert(deck, document, bad, "wrong")


def test_a_revert_that_is_not_wanted_leaves_nothing_behind(deck: Engine, agent: Agent) -> None:
    deck.intake()
    agent.add("The linter is ruff.")
    deck.auto()
    (document,) = deck.since()
    id = revert(deck, document, document.changes[0])
    assert withdraw(deck, id)
    assert deck.ledger.drafts() == ()
    assert deck.ledger.state_of(id) is State.ELSEWHERE
    assert "rejected" not in {one.relation for one in remembered(deck.ledger, deck.home_ids[0])}


def test_the_undo_of_a_revert_rejects_nothing_any_more(
    deck: Engine, agent: Agent, home: Path
) -> None:
    deck.intake()
    agent.add("The linter is ruff.")
    deck.auto()
    (document,) = deck.since()
    revert(deck, document, document.changes[0])
    write(deck)
    deck.undo(deck.operations()[0].id)
    assert "The linter is ruff." in entries(home)
    relations = {one.relation.value for one in remembered(deck.ledger, deck.home_ids[0])}
    assert "rejected" not in relations


def test_a_revision_is_restored_through_a_draft_and_can_be_undone(
    deck: Engine, agent: Agent, home: Path
) -> None:
    deck.intake()
    first = revision_of((home / MEMORY).read_bytes())
    approve(deck, agent.replace("staging host", "The staging host is stg-4."))
    now = entries(home)
    draft_own(
        deck,
        reverse.restore(deck, deck.home_ids[0], MEMORY, first),
        "older",
    )
    assert entries(home) == now
    write(deck)
    assert revision_of((home / MEMORY).read_bytes()) == first
    deck.undo(deck.operations()[0].id)
    assert entries(home) == now


def test_what_a_document_never_was_or_is_already_is_not_restored(deck: Engine, home: Path) -> None:
    deck.intake()
    id = deck.home_ids[0]
    with pytest.raises(BadInput, match="never was"):
        reverse.restore(deck, id, MEMORY, revision_of(b"something"))
    with pytest.raises(NotDecidable, match="already"):
        reverse.restore(deck, id, MEMORY, revision_of((home / MEMORY).read_bytes()))


def test_an_own_text_that_is_too_long_is_not_proposed(deck: Engine, home: Path) -> None:
    deck.intake()
    seen = (home / MEMORY).read_bytes()
    with pytest.raises(BadInput, match="characters"):
        reverse.rewrite(deck, deck.home_ids[0], MEMORY, seen, "x" * 5000, "mine")
