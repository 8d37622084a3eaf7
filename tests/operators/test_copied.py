"""A signed ledger that was copied into a hub and back is verified, and goes on there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from tests.engine.kit import MEMORY, digest_of
from tests.ledger.hub import make_hub
from tests.operators.signed import WORDS, Office, operators_of
from tests.postgres import Server

from reviewdeck.bootstrap import open_engine
from reviewdeck.ledger.copying import copy_between
from reviewdeck.ledger.inspection import inspect_ledger
from reviewdeck.ledger.opening import open_ledger
from reviewdeck.operators.audit import audit


@pytest.fixture
def hub(postgres_server: Server) -> Iterator[str]:
    """The URL of an empty hub."""
    with postgres_server.database("empty_hub", make_hub) as name:
        yield postgres_server.url(name)


def test_a_signed_ledger_is_verified_and_undone_where_it_was_copied_to(
    office: Office, hub: str, tmp_path: Path
) -> None:
    office.init()
    added = office.agent.add("The linter is ruff.")
    deck = office.open()
    deck.approve(added, digest_of(deck, added))
    deck.close()
    back = str(tmp_path / "back.db")
    for source, target in ((str(office.ledger), hub), (hub, back)):
        with (
            open_ledger(source, now=office.clock) as first,
            open_ledger(target, now=office.clock) as second,
        ):
            copy_between(first, second, is_numbered=target is back)
    for url in (hub, back):
        assert inspect_ledger(url).damage == ()
    of_hub = replace(office.settings, ledger=hub)
    for settings in (replace(of_hub, ledger=back), of_hub):
        with closing(open_engine(settings, now=office.clock)) as there:
            there.authority.unlock(WORDS)
            found = audit(there.ledger, operators_of(there), there.open_homes)
            assert not found.irregularities
    with closing(open_engine(of_hub, now=office.clock)) as there:
        there.authority.unlock(WORDS)
        undone = there.undo(there.operations()[0].id)
        assert undone.undoes and "ruff" not in (office.home / MEMORY).read_text("utf-8")
        assert not audit(there.ledger, operators_of(there), there.open_homes).irregularities
    assert inspect_ledger(hub).damage == ()
