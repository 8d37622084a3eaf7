"""Rows of texts that others are compared with, and back."""

from __future__ import annotations

from sys import intern
from typing import Any

from reviewdeck.ledger.cells import unshield
from reviewdeck.model import Relation
from reviewdeck.ports import Subject

_RELATIONS = {relation.value: relation for relation in Relation}


def subject_of(row: Any) -> Subject:
    """A row as the text that it stands for."""
    return Subject(Relation(row.relation), row.text, row.place, row.domain)


def subject_in(row: tuple[Any, ...]) -> Subject:
    """The same of cells: relation, text, place, domain."""
    relation, text, place, domain = row
    where = unshield(place)
    if relation != Relation.PENDING:  # thousands of texts went from a few documents
        where = intern(where)
    return Subject(_RELATIONS[relation], unshield(text), where, intern(unshield(domain)))
