"""What the stored verdicts of a home were made from: its files, the policy and this program."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).parents[1]
_PACKAGES: Final = ("text", "planning", "origin", "policy", "model")
_MODULES: Final = (
    "engine/evaluate.py",
    "engine/evaluation.py",
    "engine/inputs.py",
    "engine/judge.py",
    "engine/cross_checks.py",
    "engine/similarity.py",
    "engine/bases.py",
    "engine/history.py",
)
"""The code that a verdict depends on."""


def combine_stamp(stamp: str, mark: str) -> str:
    """The stamp of a home, combined with the mark of the policy and the code that judged it."""
    return f"{stamp} {program_digest()} {mark}"


@cache
def program_digest() -> str:
    """The SHA-256 of the code that evaluates, read once."""
    digest = hashlib.sha256()
    for name in (*_PACKAGES, *_MODULES):
        for file in _module_files(_ROOT / name):
            digest.update(file.read_bytes())
    return digest.hexdigest()


def _module_files(place: Path) -> list[Path]:
    return sorted(place.rglob("*.py")) if place.is_dir() else [place]
