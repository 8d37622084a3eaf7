"""The user's own sentence is written in place of an entry that tells it in other words."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.kit import MEMORY, USER, Agent, digest_of, entries, set_entries

from reviewdeck.engine.engine import Engine
from reviewdeck.model import CheckName, Verb

TYPED = "My dad keeps four hives in Viborg, he has tools."
ENTRY = "User's father keeps four beehives in Viborg."
OTHER = "The father of the user has four hives in Viborg."


def propose(agent: Agent, entry: str = ENTRY) -> str:
    return agent.add(entry, typed=TYPED)


def test_the_operation_says_that_the_users_own_words_went_in(
    deck: Engine, agent: Agent, home: Path
) -> None:
    propose(agent)
    report = deck.auto()
    assert TYPED in entries(home) and ENTRY not in entries(home)
    (item,) = report.applied
    assert item.gist == TYPED
    ((id, agents_words),) = report.agent_words
    assert id == item.id and ENTRY[:20] in agents_words
    judgement = deck.ledger.judgement(item.id)
    assert judgement is not None and judgement.instead == (TYPED,)
    (decision,) = deck.ledger.decisions(item.id)
    assert (decision.verb, decision.actor.name) == (Verb.APPROVE, "memory-in-your-words")
    assert decision.text_sha
    assert deck.ledger.proposal(item.id).edits[0].content == ENTRY  # type: ignore[union-attr]


def test_it_is_undone_as_any_other_and_does_not_come_back_in_other_words(
    deck: Engine, agent: Agent, home: Path
) -> None:
    before = (home / MEMORY).read_bytes()
    propose(agent)
    deck.auto()
    deck.undo(deck.operations()[0].id)
    assert (home / MEMORY).read_bytes() == before
    propose(agent, OTHER)
    report = deck.auto()
    assert report.applied == () and len(report.held) == 2
    assert (home / MEMORY).read_bytes() == before


def test_what_the_memory_says_already_waits(deck: Engine, agent: Agent, home: Path) -> None:
    set_entries(home, *entries(home), TYPED)
    propose(agent)
    (held,) = deck.auto().held
    assert held.checks is not None and CheckName.NEW in held.checks.failing
    assert entries(home).count(TYPED) == 1


def test_of_two_that_tell_the_same_sentence_one_goes_in(
    deck: Engine, agent: Agent, home: Path
) -> None:
    for entry in (ENTRY, OTHER):
        propose(agent, entry)
    for _ in range(3):
        deck.auto()
    assert entries(home).count(TYPED) <= 1
    assert ENTRY not in entries(home) and OTHER not in entries(home)


def test_a_change_of_the_memory_meanwhile_lets_no_word_of_the_agent_in(
    deck: Engine, agent: Agent, home: Path
) -> None:
    propose(agent)
    deck.intake()
    set_entries(home, *entries(home), "The boat is called Alma.")
    deck.intake()
    assert verdict(deck) == "auto-apply"
    deck.auto()
    assert ENTRY not in entries(home) and entries(home).count(TYPED) == 1


def test_an_operator_decides_on_the_text_that_is_shown(
    deck: Engine, agent: Agent, home: Path
) -> None:
    propose(agent)
    deck.intake()
    (waiting,) = deck.pending()
    deck.approve(waiting.id, digest_of(deck, waiting.id))
    assert ENTRY in entries(home) and TYPED not in entries(home)


@pytest.mark.parametrize("text", [TYPED, "My dad keeps hives in Viborg with tools."])
def test_it_is_judged_again_where_a_text_like_the_sentence_comes_and_goes(
    deck: Engine, agent: Agent, home: Path, text: str
) -> None:
    propose(agent)
    deck.intake()
    assert verdict(deck) == "auto-apply"
    before = entries(home, USER)
    set_entries(home, *before, text, document=USER)
    deck.intake()
    assert verdict(deck) == "review"
    set_entries(home, *before, document=USER)
    deck.intake()
    verdict(deck)


def verdict(deck: Engine) -> str:
    """The stored verdict on the one proposal: a first evaluation of it has to give the same."""
    (item,) = (item for item in deck.pending() if item.source_id)
    proposal = deck.ledger.proposal(item.id)
    assert deck.evaluator(proposal).evaluate(proposal).verdict == item.verdict
    return item.verdict


@pytest.mark.parametrize(
    "beside",
    [
        {"action": "replace", "old_text": "tox", "content": "Tests run with nox."},
        {"action": "remove", "old_text": "tox"},
    ],
    ids=lambda edit: str(edit["action"]),
)
def test_beside_an_edit_that_does_more_than_add_nothing_is_written_instead(
    deck: Engine, agent: Agent, home: Path, beside: dict[str, str]
) -> None:
    before = entries(home)
    operations = [beside, {"action": "add", "content": ENTRY}]
    agent.memory("batch", extra={"operations": operations}, typed=TYPED)
    (held,) = deck.auto().held
    judgement = deck.ledger.judgement(held.id)
    assert judgement is not None and judgement.own == ()
    assert entries(home) == before


def test_of_a_batch_that_tells_one_sentence_twice_it_is_written_once(
    deck: Engine, agent: Agent, home: Path
) -> None:
    operations = [{"action": "add", "content": entry} for entry in (ENTRY, OTHER)]
    agent.memory("batch", extra={"operations": operations}, typed=TYPED)
    before = entries(home)
    deck.auto()
    assert entries(home) == [*before, TYPED]


@pytest.mark.parametrize(
    "typed",
    [
        "My dad keeps four hives\n§\nin Viborg, he has tools.",
        "My dad keeps four hives in Viborg\x00, he has tools.",
        "My dad keeps four hives in \u202eViborg, he has tools.",
        "My dad keeps four hives\u2028in Viborg, he has tools.",
        "My dad keeps four hives\rin Viborg, he has tools.",
        "My dad keeps four hives in Viborg, his password is hunter2Xy9.",
        "My dad keeps four hives in Viborg, he has " + "tools and " * 1_000 + "bees.",
    ],
)
def test_a_sentence_that_may_not_stand_in_a_memory_is_not_written(
    deck: Engine, agent: Agent, home: Path, typed: str
) -> None:
    before = (home / MEMORY).read_bytes()
    agent.add(ENTRY, typed=typed)
    assert len(deck.auto().held) == 1
    assert (home / MEMORY).read_bytes() == before
