"""What whoever runs a hub does with it, by its URL: make it, add members, bring it up to date."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any, TypeAlias

import psycopg

from reviewdeck.ledger.postgres import creation, members
from reviewdeck.ledger.postgres import upgrade as upgrading
from reviewdeck.ledger.postgres.faults import translated
from reviewdeck.ledger.postgres.line import connect
from reviewdeck.ledger.postgres.members import Kind
from reviewdeck.ledger.postgres.schema import fit_of
from reviewdeck.ledger.postgres_url import read_address

_Connected: TypeAlias = tuple[psycopg.Connection[Any], str]


def create(url: str) -> None:
    """Makes the ledger. Raises LedgerUnavailable, LedgerTooNew, LedgerDamaged, NotPermitted."""
    with _connected(url) as (connection, label):
        creation.create(connection, label)


def add_member(url: str, kind: Kind, name: str, password: str | None, machine: str = "") -> None:
    """Makes somebody a member. Raises BadInput, LedgerUnavailable, NotPermitted."""
    with _connected(url) as (connection, label):
        fit_of(connection, label)
        members.add_member(connection, kind, name, password, machine)


def remove_member(url: str, name: str) -> None:
    """Takes a member's rights. Raises LedgerUnavailable, NotPermitted."""
    with _connected(url) as (connection, label):
        fit_of(connection, label)
        members.remove_member(connection, name)


def upgrade(url: str) -> str:
    """Brings the ledger up to date; gives the version that it had.

    Raises LedgerUnavailable, LedgerTooNew, LedgerDamaged, NotPermitted, Busy.
    """
    with _connected(url) as (connection, label):
        return upgrading.upgrade(connection, label)


@contextmanager
def _connected(url: str) -> Iterator[_Connected]:
    address = read_address(url)
    with translated(address.label), closing(connect(address)) as connection:
        yield connection, address.label
