"""The ledgers that the contract is run against."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.ledger.databases import drop_databases
from tests.ledger.samples import LEDGERS, URLS, OpenLedger

from reviewdeck.ledger.ledger import Ledger


@pytest.fixture(autouse=True)
def _databases() -> Iterator[None]:
    yield
    drop_databases()


@pytest.fixture(params=list(LEDGERS))
def open_here(request: pytest.FixtureRequest) -> OpenLedger:
    """Opens a ledger in a folder."""
    return LEDGERS[request.param]


@pytest.fixture(params=list(URLS))
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """What opens a ledger, in this process and in others."""
    return URLS[request.param](tmp_path)


@pytest.fixture
def ledger(open_here: OpenLedger, tmp_path: Path) -> Iterator[Ledger]:
    """An empty ledger."""
    opened = open_here(tmp_path)
    yield opened
    opened.close()
