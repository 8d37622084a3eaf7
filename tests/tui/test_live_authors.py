"""Over a conflict stands who touched that very entry, whoever wrote the document since."""

from __future__ import annotations

import pytest
from tests.engine.kit import MEMORY, entries, set_entries
from tests.tui.kit_deck import Cockpit

from reviewdeck.model import State
from reviewdeck_tui.engine import EngineWorker
from reviewdeck_tui.proposal.diff_document import Authors

TOX, HOST, DOCS = "Tests run with tox.", "The staging host is stg-2.", "Docs use mkdocs."


@pytest.fixture
def contested(cockpit: Cockpit) -> Cockpit:
    """A replacement of the middle entry, whose author saw it as it is now."""
    cockpit.agent.replace(
        "staging host", "The staging host is stg-4.", bases=cockpit.agent.base_of(MEMORY)
    )
    cockpit.take_in()
    return cockpit


def approve(cockpit: Cockpit, source_id: str) -> str:
    """Approves one proposal; gives the operation's id."""
    deck = cockpit.engine()
    try:
        deck.intake()
        item = deck.find(source_id)
        deck.approve(item.id, item.digest or "")
        return deck.operations()[0].id
    finally:
        deck.close()


def over_the_conflict(cockpit: Cockpit) -> tuple[str, str]:
    """What stands over its live text: in the diff, and in the merge."""
    engine = EngineWorker(cockpit.settings, cockpit.clock)
    try:
        backlog = engine.refresh(force=True)
        assert backlog is not None
        (item,) = (one for one in backlog.store.values() if one.state is State.CONFLICT)
        look = engine.look(item, lambda: False)
        assert look is not None
        _, head = (
            line
            for section in look.document.sections
            for line in section.lines
            if isinstance(line, Authors)
        )
        merge = engine.open_merge(item.id)
        return head.right, merge.authors_of(merge.merging.places[0].ours)["live"]
    finally:
        engine.close()


def test_what_was_written_by_hand_is_not_laid_to_a_later_operation(contested: Cockpit) -> None:
    set_entries(contested.home, TOX, "The staging host is stg-3.", DOCS)
    contested.take_in()
    approve(contested, contested.agent.add("Release notes go out on Thursdays."))
    for said in over_the_conflict(contested):
        assert "outside review" in said
        assert "operation" not in said


def test_what_an_operator_let_in_is_not_laid_to_a_later_hand(contested: Cockpit) -> None:
    second = contested.agent.replace(
        "staging host", "The staging host is stg-3.", session="41c2", id="abcd1234"
    )
    operation = approve(contested, second)
    set_entries(contested.home, *entries(contested.home), "Written by hand.")
    contested.take_in()
    for said in over_the_conflict(contested):
        assert "session 41c2, approved by dana, " in said
        assert f"operation {operation}" in said


def test_what_nobody_touched_since_the_first_look_says_so(cockpit: Cockpit) -> None:
    base = cockpit.agent.base_of(MEMORY)
    set_entries(cockpit.home, TOX, "The staging host is stg-3.", DOCS)
    cockpit.take_in()
    cockpit.agent.replace("staging host", "The staging host is stg-4.", bases=base)
    approve(cockpit, cockpit.agent.add("Release notes go out on Thursdays."))
    assert all("as first seen" in said for said in over_the_conflict(cockpit))
