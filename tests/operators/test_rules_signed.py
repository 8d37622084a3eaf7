"""A rule that is written where decisions are signed: the policy stays a signed one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.operators.signed import Office, operators_of

from reviewdeck.engine.engine import Engine
from reviewdeck.engine.options import PolicyPlace
from reviewdeck.engine.suggestions import suggest
from reviewdeck.errors import Locked, NotVerified
from reviewdeck.operators.audit import audit
from reviewdeck.policy.own_rules import OwnRule, RuleEffect, as_toml
from reviewdeck.policy_file import add_rule

TICKETS = ("OPS-12 is closed.", "The import broke in ETL-77.", "Dana works on WEB-310.")


def _rule(office: Office, deck: Engine) -> OwnRule:
    for text in TICKETS:
        id = office.agent.add(text, origin="background_review")
        deck.intake()
        deck.reject(id, "not worth keeping")
    return suggest(deck)[0].rule(RuleEffect.REJECT)


def test_the_file_is_signed_again_and_the_rule_rejects(office: Office) -> None:
    office.init()
    deck = office.open()
    add_rule(deck, PolicyPlace(office.policy), _rule(office, deck))
    assert deck.authority.why_nothing_is_automatic() is None
    office.agent.add("PAY-18 waits.")
    report = deck.auto()
    assert (report.suspended, len(report.rejected)) == ((), 1)
    assert audit(deck.ledger, operators_of(deck), deck.open_homes).irregularities == ()


def test_a_file_that_nobody_signed_gets_no_rule_and_no_signature(office: Office) -> None:
    office.init()
    deck = office.open()
    rule = _rule(office, deck)
    office.policy.write_text("# somebody's\n", "utf-8")
    with pytest.raises(NotVerified, match="No rule was written: the policy"):
        add_rule(deck, PolicyPlace(office.policy), rule)
    assert office.policy.read_text("utf-8") == "# somebody's\n"
    assert deck.authority.why_nothing_is_automatic() is not None


def test_without_the_key_nothing_is_written(office: Office) -> None:
    office.init()
    rule = _rule(office, office.open())
    with pytest.raises(Locked):
        add_rule(office.locked(), PolicyPlace(office.policy), rule)
    assert not office.policy.exists()


def test_what_another_program_writes_while_a_rule_is_written_is_not_signed(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.init()
    deck = office.open()
    rule = _rule(office, deck)
    append = deck.ledger.append

    def swapping(name: str, **event: object) -> None:
        append(name, **event)  # type: ignore[arg-type]
        office.policy.write_text("[limits]\nentry = 599\n", "utf-8")

    monkeypatch.setattr(
        type(deck.ledger), "append", lambda self, name, **event: swapping(name, **event)
    )
    add_rule(deck, PolicyPlace(office.policy), rule)
    assert deck.authority.why_nothing_is_automatic() is not None


def test_a_rejection_by_a_rule_that_its_judgement_does_not_name_is_found(office: Office) -> None:
    office.init()
    deck = office.open()
    add_rule(deck, PolicyPlace(office.policy), _rule(office, deck))
    office.agent.add("PAY-18 waits.")
    deck.auto()
    with office.sql() as ledger:
        ledger.execute("UPDATE judgement SET body = replace(body, 'names-ticket', 'length')")
    found = audit(deck.ledger, operators_of(deck), deck.open_homes).irregularities
    assert any("names-ticket rejected it although" in each.message for each in found)


def test_nothing_is_rejected_under_a_policy_that_is_not_signed(office: Office) -> None:
    office.init()
    deck = office.open()
    rule = _rule(office, deck)
    office.policy.write_text(as_toml(replace(rule, effect=RuleEffect.REJECT)), "utf-8")
    office.agent.add("PAY-18 waits.")
    report = deck.auto()
    assert report.rejected == ()
    assert len(report.refused) == 1
