"""The engine: stages, judges, decides, applies, takes back. What is outside it asks of ports."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reviewdeck.engine import (
        applier,
        auto,
        changes,
        decide,
        errands,
        evaluate,
        history,
        intake,
        propose,
        recovery,
        remote_home,
        reopen,
        repair,
        reverse,
        source_turns,
        written,
    )

__all__ = [
    "applier",
    "auto",
    "changes",
    "decide",
    "errands",
    "evaluate",
    "history",
    "intake",
    "propose",
    "recovery",
    "remote_home",
    "reopen",
    "repair",
    "reverse",
    "source_turns",
    "written",
]


def __getattr__(name: str) -> ModuleType:
    # A look at a queue needs neither rules nor planner nor diff, which are most of the time that a
    # command takes. So each part of `Engine` is loaded by its first use.
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
