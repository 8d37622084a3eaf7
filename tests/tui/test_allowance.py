"""The deck says when the allowance is used up for a proposal."""

from __future__ import annotations

from datetime import UTC, datetime

from tests.tui.kit_deck import Cockpit
from tests.tui.test_plain import talk

from reviewdeck.engine.auto import with_finding
from reviewdeck.policy.allowance import AllowanceUsedUp
from reviewdeck_tui.widgets.facts_view import FactsView

SAID = "5 of 5 additions of this conversation"


async def test_the_reasons_name_the_allowance(cockpit: Cockpit) -> None:
    cockpit.agent.add("The linter is ruff.")
    cockpit.take_in()
    engine = cockpit.engine()
    [item] = engine.pending()
    frees = datetime(2026, 11, 22, 9, 0, tzinfo=UTC)
    engine.ledger.note([with_finding(item, AllowanceUsedUp("a_conversation", 5, 5, frees))])
    engine.close()
    async with cockpit.open(size=(150, 40)) as deck:
        panes = " ".join(str(deck.screen.query_one(FactsView).content).split())
        assert SAID in panes
    assert SAID in talk(cockpit, "show 1")[1]
