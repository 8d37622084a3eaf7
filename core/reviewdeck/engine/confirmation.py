"""Confirmation codes: a decision of weight asks for a short code, shown beside the whole content.

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
    """The code of what a digest stands for: it says that somebody got to the end of it.

    It is no secret, and keeps out nobody who can compute it. That is what a signature is for.
    """
    data = hashlib.sha256(f"reviewdeck code {digest}".encode()).digest()
    return "".join(_LETTERS[byte % len(_LETTERS)] for byte in data[:LENGTH])


def is_code(given: str, digest: str) -> bool:
    """Whether this was typed for that digest."""
    return given.strip().upper() == code_of(digest)


def is_grave(findings: Iterable[Finding]) -> bool:
    """Whether a decision to write this asks for the code."""
    return any(finding.severity.rank >= Severity.HIGH.rank for finding in findings)
