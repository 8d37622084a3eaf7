"""How often a program waits for the server of a ledger. A network makes each of these 20 ms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from io import StringIO
from pathlib import Path

import pytest
from tests.engine.kit import (
    MEMORY,
    OPERATOR,
    Agent,
    Ticking,
    digest_of,
    entries,
    quiet,
    set_entries,
    skill_text,
)
from tests.engine.machines import machines_at
from tests.engine.test_host_journal import Counting
from tests.ledger.databases import drop_databases, postgres_url
from tests.ledger.samples import proposal
from tests.ledger.test_postgres_database import cut
from tests.operators.signed import CHEAP, WORDS, operators_of

from reviewdeck.bootstrap import open_engine
from reviewdeck.cli.commands.since import _show
from reviewdeck.cli.options import DEFAULTS
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.options import Settings
from reviewdeck.ledger.postgres.line import Line
from reviewdeck.model import Relation
from reviewdeck.model.ledger import Filter, Subject
from reviewdeck.operators.ring import Act, RingEntry
from reviewdeck.operators.vault import Vault
from reviewdeck.presentation.inspection import inspect
from reviewdeck.presentation.situation import home_statuses


@pytest.fixture
def trips(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """How many there were since it was asked last."""
    made: list[int] = []
    executed = Line._execute

    def counted(line: Line, told: object) -> None:
        made.append(1)
        executed(line, told)  # type: ignore[arg-type]  # passed on as it is

    def since() -> int:
        amount = len(made)
        made.clear()
        return amount

    monkeypatch.setattr(Line, "_execute", counted)
    return since


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    yield postgres_url(tmp_path)
    drop_databases()


@pytest.fixture
def open_here(home: Path, url: str, tmp_path: Path, clock: Ticking) -> Callable[[], Engine]:
    """A deck on this home and the ledger of a server."""
    settings = Settings(
        homes=(home,), ledger=url, user_home=tmp_path, actor=OPERATOR, lock_wait=5.0, host="host"
    )
    return lambda: open_engine(settings, now=clock, probe=quiet)


def test_what_people_wait_for_takes_few_round_trips(
    agent: Agent, open_here: Callable[[], Engine], trips: Callable[[], int]
) -> None:
    for number in range(3):
        agent.add(f"The linter {number} is ruff{number}.")
    with closing(open_here()) as deck:
        deck.intake()
    trips()
    with closing(open_here()) as deck:
        assert trips() <= 6
        items = deck.ledger.page(Filter(homes=tuple(home.id for home in deck.homes)))
        deck.ledger.counts()
        assert trips() <= 3
        assert items[0].digest is not None
        deck.approve(items[0].id, items[0].digest)
        assert trips() <= MOST_OF_AN_APPROVAL


TEXTS = ("Deploys run on Fridays.", "Staging is rebuilt at night.", "The linter is ruff.")
"""Of the same document, and about different things."""


def test_approving_one_after_the_other_takes_few_round_trips(
    agent: Agent, open_here: Callable[[], Engine], trips: Callable[[], int]
) -> None:
    for text in TEXTS:
        agent.add(text)
    with closing(open_here()) as deck:
        deck.intake()
        taken = []
        for item in deck.pending():
            digest = digest_of(deck, item.id)
            trips()
            deck.approve(item.id, digest)
            taken.append(trips())
    assert taken[0] <= MOST_OF_AN_APPROVAL
    # The others were made on an older text.
    assert max(taken) <= MOST_OF_AN_APPROVAL + 1, taken


def test_undoing_takes_few_round_trips(
    agent: Agent, open_here: Callable[[], Engine], trips: Callable[[], int]
) -> None:
    for text in TEXTS:
        agent.add(text)
    with closing(open_here()) as deck:
        deck.intake()
        first, *_ = deck.pending()
        done = deck.approve(first.id, str(first.digest))
        trips()
        undone = deck.undo(done.id)
        assert trips() <= MOST_OF_AN_UNDO
        deck.undo(undone.id)
        assert trips() <= MOST_OF_AN_UNDO + 1


def test_looking_and_rejecting_take_few_round_trips(
    agent: Agent, home: Path, open_here: Callable[[], Engine], trips: Callable[[], int], url: str
) -> None:
    for text in TEXTS:
        agent.add(text)
    with closing(open_here()) as deck:
        deck.intake()
        first, second, third = deck.pending()
        deck.approve(first.id, str(first.digest))
        trips()
        deck.reject(third.id, "It is not so.")
        taken = {"reject": trips()}
        for number in range(5):
            set_entries(home, *entries(home), f"Pier {number} is closed.")
            deck.intake()
        looks: dict[str, Callable[[], object]] = {
            "show": lambda: inspect(deck, second.id),
            "status": lambda: home_statuses(deck, url, deck.now()),
            "since": deck.since,
            "blame": lambda: deck.blame(MEMORY),
        }
        for name, look in looks.items():
            trips()
            look()
            taken[name] = trips()
    assert taken == {name: min(amount, LOOKS[name]) for name, amount in taken.items()}


def test_who_reads_what_was_learnt_may_take_longer_than_the_hub_waits(
    home: Path, open_here: Callable[[], Engine], url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Reader(StringIO):
        def write(self, text: str) -> int:
            cut(url)  # As a hub ends a view in which nothing is asked for minutes.
            return super().write(text)

    with closing(open_here()) as deck:
        deck.intake()
        set_entries(home, *entries(home), "Pier 1 is closed.")
        deck.intake()
        monkeypatch.setattr("sys.stdout", reader := Reader())
        _show(deck, None, DEFAULTS, reveal=False)
    assert "Pier 1 is closed." in reader.getvalue()


def test_a_skill_that_somebody_wrote_takes_at_most_three_round_trips(
    home: Path, open_here: Callable[[], Engine], trips: Callable[[], int]
) -> None:
    def taken_for(*names: str) -> int:
        for name in names:
            folder = home / "skills" / name / "references"
            folder.mkdir(parents=True)
            (folder.parent / "SKILL.md").write_text(skill_text(name), "utf-8")
            (folder / "more.md").write_text(f"More on {name}.", "utf-8")
        trips()
        deck.intake()
        return trips()

    with closing(open_here()) as deck:
        deck.intake()
        few = taken_for("one", "two")
        assert taken_for(*(f"skill-{number}" for number in range(12))) <= few + 10 * 3


def test_a_text_that_goes_is_remembered_with_two_more_round_trips(
    agent: Agent, open_here: Callable[[], Engine], trips: Callable[[], int]
) -> None:
    set_entries(agent.home, "Tests run with tox.", "The staging host is stg-2.")
    with closing(open_here()) as deck:
        deck.intake()
        agent.replace("staging host", "The staging host is stg-4.")
        deck.intake()
        (item,) = deck.pending()
        trips()
        deck.approve(item.id, str(item.digest))
        assert trips() <= MOST_OF_AN_APPROVAL + 2


def test_deciding_for_a_machine_elsewhere_takes_few_round_trips(
    agent: Agent, home: Path, tmp_path: Path, clock: Ticking, trips: Callable[[], int]
) -> None:
    for text in TEXTS:
        agent.add(text)
    for machines in machines_at(tmp_path, clock, "postgres"):
        machines.host(home).intake()
        desk = machines.desk()
        taken = []
        for item in desk.pending():
            assert item.digest is not None
            trips()
            desk.approve(item.id, item.digest)
            taken.append(trips())
        assert taken[0] <= MOST_OF_A_DECISION
        # What was approved before is part of the document now: the edit is carried over.
        assert max(taken) <= MOST_OF_A_DECISION + 5, taken


def unlocked(machine: Engine) -> Engine:
    """The same, of an operator who has typed the passphrase."""
    operators_of(machine).unlock(WORDS)
    machine.operator()
    return machine


def test_a_signature_takes_one_round_trip_and_its_check_another(
    agent: Agent, home: Path, tmp_path: Path, clock: Ticking, trips: Callable[[], int]
) -> None:
    vault = Vault(tmp_path / "operators", CHEAP)
    signer = vault.make_key("otto", WORDS)
    vault.note(RingEntry(Act.TRUST, "otto", signer.public), signer, clock())
    for text in TEXTS[:2]:
        agent.add(text)
    for machines in machines_at(tmp_path, clock, "postgres"):
        machines.operators = tmp_path / "operators"
        host = unlocked(machines.host(home))
        host.intake()
        desk = unlocked(machines.desk())
        first, second = host.pending()
        trips()
        desk.approve(first.id, str(first.digest))
        assert trips() <= MOST_OF_A_DECISION + 1
        assert [each.ending for each in host.recover()] == ["finished"]
        host.intake()
        digest = digest_of(host, second.id)
        trips()
        host.approve(second.id, digest)
        # It was made on an older text, besides.
        assert trips() <= MOST_OF_AN_APPROVAL + 2 + 1


def test_five_hundred_proposals_are_taken_in_with_few_round_trips(
    open_here: Callable[[], Engine], trips: Callable[[], int]
) -> None:
    with closing(open_here()) as deck:
        deck.ledger.add([proposal(1_000)], {})
        trips()
        many = [proposal(number, base=b"base") for number in range(500)]
        texts = [Subject(Relation.PENDING, f"the text {p.id}", p.id, "memory") for p in many]
        records = {p.payload_sha: f"record {p.id}".encode() for p in many}
        assert len(deck.ledger.add(many, records, {}, texts)) == 500
        assert trips() <= 4


def test_a_server_is_asked_nothing_while_the_agents_lock_is_held(
    agent: Agent, open_here: Callable[[], Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    agent.add("The linter is ruff.")
    counting = Counting(monkeypatch)
    with closing(open_here()) as deck:
        deck.intake()
        (item,) = deck.ledger.page(Filter())
        deck.approve(item.id, str(item.digest))
        deck.undo(deck.operations(limit=1)[0].id)
    assert counting.holds > 1
    assert counting.statements == []


MOST_OF_A_DECISION = 5
"""Approving where another machine writes it."""
MOST_OF_AN_APPROVAL = 11
"""On the machine with the home: claimed, written, and what it concerns evaluated again."""
LOOKS = {"show": 7, "status": 6, "since": 5, "blame": 2, "reject": 13}
"""Of what people look at; and rejecting, on the machine with the home."""
MOST_OF_AN_UNDO = 15
"""The same, with a proposal of the operator's own, and one that waits again."""
