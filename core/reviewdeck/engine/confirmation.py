"""Confirmation codes: a grave decision asks for a short code, shown beside the whole content.

The code is typed back.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final, TypeAlias

from reviewdeck.model import Finding, Severity, gravity_of

if TYPE_CHECKING:
    from reviewdeck.engine.evaluation import Evaluation

LENGTH: Final = 4

Confirm: TypeAlias = "Callable[[Evaluation], bool]"
"""Asks an operator about what is going to be written; says whether it did. Raises NotPermitted."""


def unasked(evaluation: Evaluation) -> bool:
    """Asks nothing: the caller has shown it."""
    return False


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
    return gravity_of(findings) >= Severity.HIGH.rank
