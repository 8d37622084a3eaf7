"""The append-only log and its chains. What has to break them goes past the ledger."""

from __future__ import annotations

import pytest
from tests.ledger.chaining import chain_anew
from tests.ledger.deciders import sign_and_decide
from tests.ledger.samples import HOME, OPERATOR, START, clock, proposal
from tests.ledger.tampering import REFUSALS, connected, tamper, unguarded
from tests.processes import Running

from reviewdeck.errors import Busy, LedgerBehind
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.ledger.opening import open_ledger
from reviewdeck.model import Actor, ActorKind, Event
from reviewdeck.model.decisions import CHECKPOINT
from reviewdeck.ports.authority import Attest

OTHER = "/homes/otto"
LIKE = (
    "INSERT INTO event (chain, sequence, at, name, home, subject, actor, detail, previous, sha)"
    " SELECT"
)
OF = "FROM event WHERE sequence = 3"


def fill(ledger: Ledger, count: int, home: str = HOME) -> None:
    """Adds some events."""
    for number in range(count):
        ledger.append(
            "noticed", home=home, subject=f"s{number}", actor=OPERATOR, at=START, detail={"n": 1.5}
        )


def checkpoints(ledger: Ledger) -> list[dict[str, object]]:
    """What the checkpoints say, oldest first."""
    return [event.detail for event in ledger.chain("") if event.name == CHECKPOINT]


def test_events_come_back_in_order_and_chained(ledger: Ledger) -> None:
    fill(ledger, 3)
    first, second, third = ledger.chain(HOME)
    assert [event.sequence for event in (first, second, third)] == [1, 2, 3]
    assert (first.previous, second.previous, third.previous) == ("", first.sha, second.sha)
    assert (first.name, first.home, first.subject, first.at) == ("noticed", HOME, "s0", START)
    assert (first.actor, first.detail) == (OPERATOR, {"n": 1.5})
    assert ledger.events(after=first.position + 1, limit=1) == (second,)
    assert ledger.verify() is None


def test_each_home_has_a_chain_of_its_own(ledger: Ledger) -> None:
    fill(ledger, 2)
    fill(ledger, 2, OTHER)
    fill(ledger, 1)
    ledger.append("pruned", home="", subject="ledger", actor=OPERATOR, at=START)
    assert [event.sequence for event in ledger.chain(HOME)] == [1, 2, 3]
    assert [event.sequence for event in ledger.chain(OTHER)] == [1, 2]
    assert [event.name for event in ledger.chain("")] == [CHECKPOINT, CHECKPOINT, "pruned"]
    assert [event.position for event in ledger.events()] == list(range(1, 9))
    assert ledger.verify() is ledger.verify(HOME) is ledger.verify(OTHER) is None


def test_a_checkpoint_names_a_new_home_and_one_that_grew_by_a_stride(ledger: Ledger) -> None:
    fill(ledger, 256)
    (first,) = checkpoints(ledger)
    assert first == {"heads": {HOME: [1, ledger.chain(HOME)[0].sha]}}
    fill(ledger, 1)
    assert checkpoints(ledger)[1] == {"heads": {HOME: [257, ledger.chain(HOME)[256].sha]}}


@pytest.mark.parametrize("name", ["operator-revoked", "policy-signed", "pinned-operators"])
def test_what_keys_do_is_followed_by_the_heads_of_all_homes(ledger: Ledger, name: str) -> None:
    fill(ledger, 3)
    fill(ledger, 2, OTHER)
    if name == "pinned-operators":
        ledger.pin("operators", "a list")
    else:
        ledger.append(name, home="", subject="x", actor=OPERATOR, at=START)
    ends = {home: ledger.chain(home)[-1] for home in (HOME, OTHER)}
    heads = {home: [end.sequence, end.sha] for home, end in ends.items()}
    assert checkpoints(ledger)[-1] == {"heads": heads, "all": True}


def test_odd_text_in_an_event_does_not_break_the_chain(ledger: Ledger) -> None:
    actor = Actor(ActorKind.POLICY, "r\udc80\x00")
    detail: dict[str, object] = {"é\x00": ["\ud800"]}
    ledger.append(
        "noticed",
        home="\udcff",
        subject="\ufdd0",
        actor=actor,
        at=START,
        detail=detail,
    )
    (event,) = ledger.chain("\udcff")
    assert (event.home, event.subject, event.actor) == ("\udcff", "\ufdd0", actor)
    assert event.detail == detail
    assert ledger.verify() is ledger.verify("\udcff") is None


@pytest.mark.parametrize(
    ("statement", "complaint"),
    [
        ("UPDATE event SET subject = 'x' WHERE sequence = 2", "append-only"),
        ("DELETE FROM event WHERE sequence = 2", "append-only"),
        ("DELETE FROM event", "append-only"),
        (
            "INSERT INTO event SELECT * FROM event WHERE sequence = 2"
            " ON CONFLICT (position) DO UPDATE SET subject = 'x'",
            "append-only",
        ),
        (
            f"{LIKE} chain, 2, at, name, home, subject, actor, detail, sha, 'x' {OF}",
            "append-only|event_line",
        ),
        (
            f"{LIKE} chain, 4, at, name, home, subject, actor, detail, previous, 'x' {OF}",
            "event.chain, event.previous|event_previous",
        ),
    ],
)
def test_the_log_cannot_be_changed_nor_forked(url: str, statement: str, complaint: str) -> None:
    with open_ledger(url, now=clock) as ledger:
        fill(ledger, 3)
        with connected(url) as connection, pytest.raises(REFUSALS, match=complaint):
            connection.execute(statement)
        assert ledger.verify() is None


@pytest.mark.parametrize(
    ("statements", "first_bad"),
    [
        (["UPDATE event SET subject = 'x' WHERE chain = '/homes/iris' AND sequence = 3"], 3),
        (["UPDATE event SET at = at + 1 WHERE chain = '/homes/iris' AND sequence = 1"], 1),
        (["UPDATE event SET detail = '{}' WHERE chain = '/homes/iris' AND sequence = 4"], 4),
        (["UPDATE event SET detail = 'nonsense' WHERE chain = '/homes/iris' AND sequence = 4"], 4),
        (
            [
                "UPDATE event SET actor = replace(actor, 'iris', 'otto')"
                " WHERE chain = '/homes/iris' AND sequence = 2"
            ],
            2,
        ),
        (["UPDATE event SET position = 99 WHERE chain = '/homes/iris' AND sequence = 2"], 3),
        (["DELETE FROM event WHERE chain = '/homes/iris' AND sequence = 3"], 4),
        (["DELETE FROM event WHERE chain = '/homes/iris' AND sequence = 1"], 2),
        (
            [
                "DELETE FROM event WHERE chain = '/homes/iris' AND sequence = 3",
                "UPDATE event SET sequence = 3 WHERE chain = '/homes/iris' AND sequence = 4",
                "UPDATE event SET sequence = 4 WHERE chain = '/homes/iris' AND sequence = 5",
            ],
            4,
        ),
        (["UPDATE event SET sha = 'x' WHERE chain = '/homes/iris' AND sequence = 5"], 5),
        (["UPDATE event SET home = '/homes/otto' WHERE chain = '/homes/iris' AND sequence = 5"], 5),
    ],
)
def test_a_changed_or_missing_event_is_found(
    url: str, statements: list[str], first_bad: int
) -> None:
    with open_ledger(url, now=clock) as ledger:
        fill(ledger, 5)
        fill(ledger, 2, OTHER)
        position = ledger.chain(HOME)[first_bad - 1].position
        tamper(url, *statements)
        for broken in (ledger.verify(), ledger.verify(HOME)):
            assert broken is not None and (broken.home, broken.position) == (HOME, position)
        assert ledger.verify(OTHER) is None, "it does not need the rest"


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM event WHERE chain = '/homes/otto'",
        "DELETE FROM event WHERE chain = '/homes/iris' AND sequence > 1",
        "DELETE FROM event WHERE chain = '/homes/otto' AND sequence = 2",
    ],
)
def test_a_home_that_vanished_or_was_cut_off_is_missed_by_a_checkpoint(
    url: str, statement: str
) -> None:
    with open_ledger(url, now=clock) as ledger:
        fill(ledger, 5)
        fill(ledger, 2, OTHER)
        ledger.append("operator-revoked", home="", subject="x", actor=OPERATOR, at=START)
        tamper(url, statement)
        broken = ledger.verify()
        assert broken is not None and broken.position == 0
        assert broken.home in statement


def test_a_chain_that_is_written_anew_is_not_the_one_of_the_checkpoint(url: str) -> None:
    with open_ledger(url, now=clock) as ledger:
        fill(ledger, 5)
        ledger.append("operator-revoked", home="", subject="x", actor=OPERATOR, at=START)
        tamper(url, "UPDATE event SET subject = 'x' WHERE chain = '/homes/iris' AND sequence = 2")
        with unguarded(url) as database:
            chain_anew(database, HOME)
        broken = ledger.verify()
        assert broken is not None and broken.position == ledger.chain(HOME)[4].position
        assert ledger.verify(HOME) is None, "by itself it is a chain like any other"


def test_no_line_of_a_home_is_put_into_the_ledgers_own_chain(url: str) -> None:
    """Where homes have chains; older lines of all of them are there."""
    with open_ledger(url, now=clock) as ledger:
        fill(ledger, 1)
        ledger.append("pruned", home="", subject="ledger", actor=OPERATOR, at=START)
        tamper(url, "UPDATE event SET home = '/homes/iris' WHERE name = 'pruned'")
        with unguarded(url) as database:
            chain_anew(database, "")
        broken = ledger.verify()
        assert broken is not None and broken.position == ledger.chain("")[-1].position


def slow(ledger: Ledger, rounds: int) -> Attest:
    """A key that is so slow that another program writes while it signs, this often."""
    signed: list[Event] = []

    def attest(line: Event) -> tuple[str, str]:
        if len(signed) < rounds:
            fill(ledger, 1)
        signed.append(line)
        return "key", f"signature of {line.sequence}"

    return attest


def test_a_line_is_signed_anew_when_another_one_was_stored_meanwhile(ledger: Ledger) -> None:
    ledger.append(
        "paused", home=HOME, subject="x", actor=OPERATOR, at=START, attest=slow(ledger, 3)
    )
    last = ledger.chain(HOME)[-1]
    assert (last.sequence, last.detail["signature"]) == (4, "signature of 4")
    assert ledger.verify() is None


def test_a_line_that_is_never_fast_enough_is_not_stored(ledger: Ledger) -> None:
    with pytest.raises(Busy):
        ledger.append(
            "paused", home=HOME, subject="x", actor=OPERATOR, at=START, attest=slow(ledger, 99)
        )
    assert "paused" not in {event.name for event in ledger.events()}


@pytest.mark.slow
def test_of_eight_processes_that_sign_none_forks_a_chain_or_uses_a_counter_twice(
    url: str,
) -> None:
    """Two keys, two homes: each decides on some of both, as fast as it can."""
    homes, rounds = (HOME, OTHER), 5
    with open_ledger(url, now=clock) as ledger:
        ledger.add([proposal(n, home=home) for home in homes for n in range(8 * rounds)], {})
        running = [Running(sign_and_decide, url, me, homes, rounds) for me in range(8)]
        assert [one.receive() for one in running] == ["ready"] * 8
        for one in running:
            one.send("go")
        decided = sum(one.receive() for one in running)
        for one in running:
            with one:
                pass
        assert decided == 8 * rounds * 2
        assert ledger.verify() is ledger.verify(HOME) is ledger.verify(OTHER) is None
        seals = [one.seal for one, _ in ledger.all_decisions() if one.seal is not None]
        for key in ("key 0", "key 1"):
            counters = sorted(seal.counter for seal in seals if seal.key == key)
            assert counters == list(range(1, 4 * rounds * 2 + 1))
        sums = {(e.chain, e.sequence): e.sha for e in ledger.events()} | {("", 0): ""}
        for decision, about in ledger.all_decisions():
            assert decision.seal is not None and decision.seal.ledger is not None
            head = (decision.seal.log_sequence, decision.seal.log_sha)
            assert sums.get((about.home, head[0])) == head[1]
            assert sums[("", decision.seal.ledger[0])] == decision.seal.ledger[1]


def test_a_ledger_that_lacks_a_line_that_was_seen_is_not_gone_on_with(ledger: Ledger) -> None:
    odd = "/homes/\udcff"
    for home in (HOME, odd):
        ledger.append("note", home=home, subject="x", actor=OPERATOR, at=START)
    seen = ledger.heads([HOME, odd, ""])
    ledger.require(seen)
    assert ledger.heads([*seen]) == seen
    for home, (number, sha) in seen.items():
        with pytest.raises(LedgerBehind):
            ledger.require({**seen, home: (number, sha[::-1])})
            ledger.counts()
    ledger.require(seen)
    ledger.append("note", home=HOME, subject="x", actor=OPERATOR, at=START)
