"""Secrets in a text, covered. Loads nothing of the engine; places are characters, end exclusive."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

from reviewdeck.policy.secret_forms import find_secrets
from reviewdeck.policy.secret_prose import told

Place: TypeAlias = tuple[int, int]

_SHOWN: Final = 4
"""Characters at the beginning that tell which kind of secret it is."""
_BLOCK: Final = re.compile(
    r"-----\s?BEGIN[A-Z0-9 ]{0,40}PRIVATE KEY-----.*?(?:-----\s?END[A-Z0-9 ]{0,40}-----|\Z)",
    re.DOTALL,
)
"""A private key, down to its end: the forms find its first line only."""
_COVER: Final = "•" * 8


def secrets_covered(text: str) -> str:
    """A text of a line or two with its secrets covered."""
    return covered_at(text, places_of_secrets(text))


def covered_at(text: str, places: Iterable[Place]) -> str:
    """The text with these places covered.

    A cover has one length whatever it hides, and line ends stay where they are.
    """
    covered = []
    at = 0
    for start, end in joined(places):
        covered += [text[at:start], cover(text[start:end])]
        at = end
    return "".join([*covered, text[at:]])


def places_of_secrets(text: str) -> Iterator[Place]:
    """Where something looks like a secret."""
    yield from ((secret.start, secret.end) for secret in find_secrets(text))
    yield from (block.span() for block in _BLOCK.finditer(text))
    yield from told(text)


def cover(secret: str) -> str:
    """What stands in the place of a secret."""
    lines = secret.count("\n")
    begins = secret[:_SHOWN] if len(secret) > 3 * _SHOWN and secret[:_SHOWN].isalnum() else ""
    return begins + _COVER + "\n" * lines


def joined(places: Iterable[Place]) -> list[Place]:
    """These places in order, those that touch as one."""
    found: list[Place] = []
    for start, end in sorted(places):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found
