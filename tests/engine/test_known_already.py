"""What is live already is not tainted by a proposal that repeats it, or by one that was undone."""

from __future__ import annotations

from pathlib import Path

from tests.engine.kit import Agent, digest_of, entries, set_entries

from reviewdeck.engine.adopt import live_items
from reviewdeck.engine.engine import Engine
from reviewdeck.model import Relation

LINTER = "The linter of this project is ruff, with all of its rules."


def tainted(deck: Engine) -> list[str]:
    return [
        finding.message
        for item in live_items(deck, deck.home())
        for finding in item.findings
        if finding.code in ("like-rejected", "like-removed")
    ]


def test_rejecting_what_is_live_already_holds_nothing_against_it(
    deck: Engine, agent: Agent, home: Path
) -> None:
    set_entries(home, *entries(home), LINTER)
    deck.intake()
    id = agent.add(LINTER.upper())
    deck.intake()
    deck.reject(id, "Known already.")
    assert tainted(deck) == []
    again = agent.add("The linter of this project is ruff, with all of its rules and more.")
    deck.intake()
    relations = {like.relation for like in deck.get(again).similar}
    assert Relation.REJECTED not in relations


def test_an_undone_replacement_leaves_the_restored_entry_as_it_was(
    deck: Engine, agent: Agent, home: Path
) -> None:
    set_entries(home, *entries(home), LINTER)
    deck.intake()
    id = agent.replace("The linter of", "The linter of this project is ruff, with few rules.")
    deck.intake()
    operation = deck.approve(id, digest_of(deck, id))
    deck.undo(operation.id)
    assert LINTER in entries(home)
    assert tainted(deck) == []


def test_what_cannot_be_applied_says_so_once_and_what_it_resembles_not_at_all(
    deck: Engine, agent: Agent, home: Path
) -> None:
    set_entries(home, *entries(home), LINTER)
    known = agent.add(LINTER)
    agent.add("The linter of this project is ruff, with all of its rules and more.")
    deck.intake()
    codes = [finding.code for finding in deck.get(known).findings]
    assert codes.count("dead") == 1
    assert not {code for code in codes if code.startswith("like-") or code == "origin"}


def test_two_proposals_that_share_everyday_words_are_not_said_to_be_alike(
    deck: Engine, agent: Agent
) -> None:
    soak = "Before a Thursday release: run the soak test, then warn Norrholm."
    linter = "The linter is ruff, line length 100."
    agent.add(soak)
    ask = agent.add("Run the tests with 'just test'.")
    agent.add(linter)
    twin = agent.add("Linter: ruff with a line length of 120.")
    deck.intake()
    assert soak not in {like.text for like in deck.get(ask).similar}
    assert linter in {like.text for like in deck.get(twin).similar}
