"""Two operators with keys of their own approve what has a grave finding."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.engine.kit import digest_of, entries
from tests.operators.signed import WORDS, Office, operators_of

from reviewdeck.engine.engine import Engine
from reviewdeck.engine.quorum import AwaitsAnother, withdraw_vote
from reviewdeck.engine.recovery import recover
from reviewdeck.errors import BadInput
from reviewdeck.model import State, Verb
from reviewdeck.model.votes import ONE, Quorum
from reviewdeck.operators import enrolment
from reviewdeck.operators.audit import audit
from reviewdeck.operators.ring import Act, RingEntry, read_ring
from reviewdeck.presentation.votes import open_votes

TWO = Quorum(2)
OTTOS, MONAS = "otto's own words", "mona's own words"


@pytest.fixture
def team(office: Office) -> Office:
    """Dana, Otto and Mona, who need two for what is grave."""
    office.policy.write_text("version = 1\n[approval]\nneeds = 2\n", "utf-8")
    office.init()
    deck = office.open()
    enrolment.add(operators_of(deck), "otto", OTTOS)
    enrolment.add(operators_of(deck), "mona", MONAS)
    enrolment.sign_policy(operators_of(deck), deck.policy().mark, deck.policy().settings.quorum)
    office.agent.memory("remove", old_text="tox")
    return office


def sole(deck: Engine) -> str:
    (item,) = deck.pending()
    return item.id


def approve(deck: Engine) -> None:
    deck.approve(sole(deck), digest_of(deck, sole(deck)))


def vote(deck: Engine) -> None:
    """Approves the only proposal, as the first."""
    with pytest.raises(AwaitsAnother):
        approve(deck)


def is_verified(deck: Engine) -> bool:
    return audit(deck.ledger, operators_of(deck), deck.open_homes).irregularities == ()


class Stopped(Exception):
    """The process ends."""


def stop_at(step: str) -> object:
    def probe(reached: str) -> None:
        if reached == step:
            raise Stopped

    return probe


def test_two_keys_approve_and_both_signatures_verify(team: Office) -> None:
    dana, otto = team.open(), team.open(OTTOS)
    vote(dana)
    vote(dana)  # The same key again is the same vote.
    assert is_verified(dana)
    id = sole(otto)
    approve(otto)
    assert "Tests run with tox." not in entries(team.home)
    decisions = dana.ledger.decisions(id)
    assert [(each.verb, each.actor.name) for each in decisions] == [
        (Verb.VOTE, "dana"),
        (Verb.VOTE, "dana"),
        (Verb.APPROVE, "otto"),
    ]
    assert all(each.seal for each in decisions)
    assert is_verified(dana)


def test_a_withdrawal_is_signed(team: Office) -> None:
    dana, otto = team.open(), team.open(OTTOS)
    vote(dana)
    withdraw_vote(dana, sole(dana))
    vote(otto)
    assert is_verified(dana)


def test_the_vote_of_a_removed_operator_does_not_count(team: Office) -> None:
    otto = team.open(OTTOS)
    vote(otto)
    dana = team.open()
    enrolment.revoke(operators_of(dana), "otto")
    vote(dana)
    approve(team.open(MONAS))
    assert "Tests run with tox." not in entries(team.home)


def test_a_key_has_one_name(team: Office) -> None:
    dana = operators_of(team.open())
    with pytest.raises(BadInput, match="dana's already"):
        enrolment.trust(dana, "somebody-else", dana.open_key.signer.public)


def test_a_vote_under_another_name_is_none(team: Office) -> None:
    """Somebody edits the row of their own vote, so that it seems to be another operator's."""
    dana = team.open()
    vote(dana)
    with team.sql() as sql:
        sql.execute(
            "UPDATE decision SET actor = replace(actor, 'dana', 'otto') WHERE verb = 'vote'"
        )
        sql.execute("UPDATE vote SET operator = 'otto'")
    vote(team.open())
    assert "Tests run with tox." in entries(team.home)


def test_a_vote_about_other_bytes_is_none(team: Office) -> None:
    dana = team.open()
    vote(dana)
    with team.sql() as sql:
        sql.execute("UPDATE vote SET revisions = replace(revisions, 'MEMORY', 'USER')")
    vote(team.open(OTTOS))
    assert not is_verified(dana)


def test_a_host_refuses_a_batch_with_one_signature(team: Office) -> None:
    """The operator's own program did without the other."""
    dana = team.open()
    id = sole(dana)
    alone = replace(
        team.open(probe=stop_at("claim")),  # type: ignore[arg-type]  # a probe
        policy=lambda: replace(dana.policy(), settings=replace(dana.policy().settings, quorum=ONE)),
    )
    authority = operators_of(alone)
    lax = type("Lax", (type(authority),), {"quorum": ONE})
    authority.__class__ = lax
    with pytest.raises(Stopped):
        approve(alone)
    (ended,) = recover(dana, dana.open_homes[0])
    assert (ended.ending, "only dana did" in ended.detail) == ("refused", True)
    assert "Tests run with tox." in entries(team.home)
    assert dana.ledger.state_of(id) is State.READY


@pytest.mark.parametrize("forged", ["signature", "operator", "both"])
def test_a_host_refuses_a_batch_whose_vote_was_tampered_with(team: Office, forged: str) -> None:
    dana = team.open()
    vote(dana)
    with pytest.raises(Stopped):
        approve(team.open(OTTOS, probe=stop_at("claim")))  # type: ignore[arg-type]  # a probe
    with team.sql() as sql:
        if forged in ("signature", "both"):
            sql.execute(
                "UPDATE decision SET seal = (SELECT seal FROM decision WHERE verb = 'approve')"
                " WHERE verb = 'vote'"
            )
        if forged in ("operator", "both"):
            sql.execute(
                "UPDATE decision SET actor = replace(actor, 'dana', 'mona') WHERE verb = 'vote'"
            )
    (ended,) = recover(dana, dana.open_homes[0])
    assert ended.ending == "refused"
    assert "Tests run with tox." in entries(team.home)


def test_a_host_writes_what_two_keys_approved(team: Office) -> None:
    dana = team.open()
    vote(dana)
    with pytest.raises(Stopped):
        approve(team.open(OTTOS, probe=stop_at("claim")))  # type: ignore[arg-type]  # a probe
    (ended,) = recover(dana, dana.open_homes[0])
    assert ended.ending == "finished"
    assert "Tests run with tox." not in entries(team.home)


def test_one_operator_alone_does_not_make_one_enough(team: Office) -> None:
    team.policy.write_text("version = 1\n", "utf-8")
    dana = team.open()
    enrolment.sign_policy(operators_of(dana), dana.policy().mark)
    assert (dana.policy().settings.quorum, dana.quorum) == (ONE, TWO)
    vote(dana)
    enrolment.sign_policy(operators_of(dana), dana.policy().mark)  # The same one again.
    assert team.open().quorum == TWO
    team.policy.unlink()
    assert team.open().quorum == TWO
    team.policy.write_text("version = 1\n", "utf-8")
    otto = team.open(OTTOS)
    enrolment.sign_policy(operators_of(otto), otto.policy().mark)
    assert otto.quorum == ONE
    approve(otto)
    assert open_votes(otto) == {}


def test_a_removed_operator_does_not_help_to_make_one_enough(team: Office) -> None:
    team.policy.write_text("version = 1\n", "utf-8")
    otto = team.open(OTTOS)
    enrolment.sign_policy(operators_of(otto), otto.policy().mark)
    dana = team.open()
    enrolment.revoke(operators_of(dana), "otto")
    enrolment.sign_policy(operators_of(dana), dana.policy().mark)
    assert dana.quorum == TWO


def test_a_list_from_before_there_were_quorums_says_none(office: Office) -> None:
    signer = office.vault.make_key("dana", WORDS)
    office.vault.note(RingEntry(Act.TRUST, "dana", signer.public), signer, office.clock())
    office.vault.note(RingEntry(Act.POLICY, policy="a" * 64), signer, office.clock())
    assert office.vault.ring().quorum == ONE
    assert read_ring("").quorum == ONE
