"""The deck says when a cap holds a proposal."""

from __future__ import annotations

from tests.tui.kit_deck import Cockpit
from tests.tui.test_plain import talk

from reviewdeck.policy.caps import Held
from reviewdeck.quota import noted_by
from reviewdeck_tui.widgets.facts_view import FactsView


async def test_the_reasons_name_the_cap(cockpit: Cockpit) -> None:
    cockpit.agent.add("The linter is ruff.")
    cockpit.take_in()
    engine = cockpit.engine()
    [item] = engine.pending()
    engine.ledger.note([noted_by(item, Held("day_share", "It has grown enough today."))])
    engine.close()
    async with cockpit.open(size=(150, 40)) as deck:
        panes = " ".join(str(deck.screen.query_one(FactsView).content).split())
        assert "It has grown enough today." in panes
    assert "It has grown enough today." in talk(cockpit, "show 1")[1]
