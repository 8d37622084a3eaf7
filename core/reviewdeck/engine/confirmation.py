"""Confirmation codes: a grave decision asks for a short code, shown beside the whole content.

The code is typed back.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Final

from reviewdeck.model import Finding, Severity

LENGTH: Final = 4


_LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""32 of them, without those that are taken for another."""


def code_of(digest: str) -> str:
    """The code of a digest: typing it shows that somebody scrolled to the end of the content.

    It is no secret: a program can compute it. Signatures keep programs out.
    """
    data = hashlib.sha256(f"reviewdeck code {digest}".encode()).digest()
    return "".join(_LETTERS[byte % len(_LETTERS)] for byte in data[:LENGTH])


def is_code(typed: str, digest: str) -> bool:
    """Whether this is the code of that digest."""
    return typed.strip().upper() == code_of(digest)


def is_grave(findings: Iterable[Finding]) -> bool:
    """Whether a decision with these findings asks for the code."""
    return any(finding.severity.rank >= Severity.HIGH.rank for finding in findings)
