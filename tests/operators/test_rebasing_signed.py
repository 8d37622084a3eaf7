"""A decision that is planned anew beside an unrelated write is signed as what is written."""

from __future__ import annotations

from tests.engine.kit import digest_of, entries, set_entries
from tests.operators.signed import Office, operators_of

from reviewdeck.operators.audit import audit


def test_what_is_written_anew_is_what_is_signed(office: Office) -> None:
    office.init()
    office.agent.replace("tox", "Tests run with nox.")
    deck = office.open()
    deck.intake()
    (item,) = deck.pending()
    named = digest_of(deck, item.id)
    now = [*entries(office.home), "Ana is on call in June."]
    set_entries(office.home, *now)
    done = deck.approve(item.id, named)
    assert done.digest != named
    (decision,) = deck.ledger.decisions(item.id)
    assert decision.seal is not None and decision.digest == done.digest
    (line,) = [one for one in deck.log() if one.name == "decision-rebased"]
    assert line.detail == {"from": named, "to": done.digest}
    assert "Ana is on call in June." in entries(office.home)
    found = audit(deck.ledger, operators_of(deck), deck.open_homes)
    assert found.irregularities == ()
