"""A secret that got into a ledger leaves no row of it, in a file and in a hub."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from tests.ledger.databases import postgres_url
from tests.ledger.samples import HOME, MEMORY, OPERATOR, START, begin, claim, clock, id_of, proposal
from tests.ledger.tampering import REFUSALS, connected

from reviewdeck.errors import BadInput
from reviewdeck.ledger.inspection import inspect_ledger
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.ledger.opening import open_ledger
from reviewdeck.ledger.purge import purge
from reviewdeck.ledger.tables import METADATA
from reviewdeck.model import (
    Change,
    Draft,
    Event,
    Likeness,
    MemoryAdd,
    Relation,
    Verb,
    revision_of,
)

SECRET = 'marma"lade' + "-pier é 77"
"""With what JSON writes otherwise."""
MEMORIES = b"".join(b"line %d of the memory\n" % number for number in range(40))


def tell(ledger: Ledger) -> None:
    """The secret is waiting, applied, rejected, remembered, drafted, and named by a file."""
    edits = (MemoryAdd(MEMORY, f"The door opens with {SECRET}."),)
    told = [replace(proposal(n), edits=edits, summary=f"{n}: {SECRET}") for n in (1, 2)]
    ledger.add([*told, proposal(3)], {"pending/memory/1.json": f"[{SECRET}]".encode()})
    after = MEMORIES + SECRET.encode()
    contents = {revision_of(data): data for data in (MEMORIES, after + b"\n", after)}
    writes = (Change(MEMORY, MEMORIES, after, mode=0o600),)
    begin(ledger, replace(claim(1, batch="b"), writes=writes, contents=contents))
    ledger.finish("b", START, [])
    ledger.settle("b")
    ledger.remember(HOME, [Likeness(Relation.REJECTED, SECRET, 0.5, "place")], START)
    ledger.put_draft(Draft(id_of(3), Verb.REJECT, None, START, f"It tells {SECRET}"))
    ledger.append("note", home=HOME, subject=SECRET, actor=OPERATOR, at=START)


def rows_with_it(url: str) -> list[str]:
    """The tables with a row that has it anywhere, however JSON writes it."""
    forms = (
        SECRET,
        SECRET.replace('"', '\\"'),
        'marma\\"lade-pier \\u00e9 77',
        SECRET.encode().hex(),
    )
    found = []
    with connected(url) as connection:
        for table in METADATA.sorted_tables:
            for row in connection.execute(f"SELECT * FROM {table.name}").fetchall():  # noqa: S608 - names
                cells = [bytes(c).hex() if isinstance(c, bytes) else str(c) for c in row]
                if any(form in cell for form in forms for cell in cells):
                    found.append(table.name)
    return sorted({*found})


def test_a_purged_secret_is_in_no_row_and_the_ledger_is_whole(url: str) -> None:
    with open_ledger(url, now=clock) as ledger:
        tell(ledger)
        before = ledger.events()
        assert {"blob", "draft", "event", "likeness", "proposal"} <= {*rows_with_it(url)}
        purged = purge(url, SECRET, "A mistake.", actor=OPERATOR, now=clock)
        assert purged.texts and purged.lines and purged.cells
        assert rows_with_it(url) == []
        assert inspect_ledger(url).damage == ()
        lines = [event for event in ledger.events() if event.name == "purge"]
        assert [line.home for line in lines] == ["", HOME]
        assert ledger.events()[: len(before)] == tuple(map(without_it, before))
        assert "[purged]" in ledger.proposal(id_of(2)).summary
    assert not purge(url, SECRET, "A mistake.", actor=OPERATOR, now=clock).amount


def without_it(event: Event) -> Event:
    """A line of the log as it is afterwards."""
    return replace(event, subject=event.subject.replace(SECRET, "[purged]"))


def test_the_log_is_append_only_again_afterwards(url: str) -> None:
    with open_ledger(url, now=clock) as ledger:
        tell(ledger)
    purge(url, SECRET, "A mistake.", actor=OPERATOR, now=clock)
    with connected(url) as connection, pytest.raises(REFUSALS, match="append-only"):
        connection.execute("UPDATE event SET name = 'x'")


def test_a_purge_is_signed_while_nobody_waits_for_it(url: str) -> None:
    with open_ledger(url, now=clock) as ledger:
        tell(ledger)
        signed: list[Event] = []

        def attest(line: Event) -> tuple[str, str]:
            if not signed:  # as another program would, while the key works
                ledger.append("note", home=HOME, subject="x", actor=OPERATOR, at=START)
            signed.append(line)
            return "key", f"signature of {line.sequence}"

        purge(url, SECRET, "A mistake.", actor=OPERATOR, now=clock, attest=attest)
        lines = [event for event in ledger.events() if event.name == "purge"]
        for line in lines:
            assert line.detail["signature"] == f"signature of {line.sequence}"
        assert len(signed) > len(lines) == 2
    assert inspect_ledger(url).damage == ()


def test_a_word_of_the_ledger_itself_is_refused_and_nothing_is_changed(url: str) -> None:
    with open_ledger(url, now=clock) as ledger:
        tell(ledger)
        before = ledger.events()
        with pytest.raises(BadInput, match="The ledger itself uses"):
            purge(url, "applied", "A mistake.", actor=OPERATOR, now=clock)
        assert ledger.events() == before
    assert inspect_ledger(url).damage == ()


def test_what_would_be_named_the_same_without_the_secret_is_one_row(url: str) -> None:
    names = [f"pending/{word}.json" for word in (SECRET, "[purged]")]
    with open_ledger(url, now=clock) as ledger:
        tell(ledger)
        with connected(url) as connection:
            for name in names:
                values = f"('{HOME}', '{name}', '', 'x', TRUE)"
                connection.execute(f"INSERT INTO record VALUES {values}")  # noqa: S608 - above
        purge(url, SECRET, "A mistake.", actor=OPERATOR, now=clock)
    with connected(url) as connection:
        rows = connection.execute("SELECT source FROM record WHERE proposal = 'x'").fetchall()
        assert rows == [(names[1],)]


def test_a_purge_says_which_tables_of_a_server_keep_the_rows_of_before(tmp_path: Path) -> None:
    url = postgres_url(tmp_path)
    with open_ledger(url, now=clock) as ledger:
        tell(ledger)
    purged = purge(url, SECRET, "A mistake.", actor=OPERATOR, now=clock)
    assert purged.is_gone is None and not purged.backups
    assert {"blob", "event", "proposal"} <= {*purged.tables}
    with psycopg.connect(url, autocommit=True) as connection:
        for table in purged.tables:
            connection.execute(f"VACUUM FULL reviewdeck.{table}")
