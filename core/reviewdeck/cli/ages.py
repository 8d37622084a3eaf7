"""How long ago, how many, and the queue in one line. Loads nothing of the engine."""

from __future__ import annotations

from datetime import datetime


def age_of(moment: datetime | None, now: datetime) -> str:
    """How long ago, in one unit."""
    if moment is None:
        return "?"
    seconds = max(0, int((now - moment).total_seconds()))
    for size, unit in ((604_800, "w"), (86_400, "d"), (3_600, "h"), (60, "m")):
        if seconds >= size * (2 if unit == "w" else 1):
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


def count(amount: int, noun: str, plural: str | None = None) -> str:
    """An amount with its noun."""
    return f"{amount} {noun if amount == 1 else plural or noun + 's'}"


def short_line(
    waiting: int, conflicts: int, drafts: int, oldest: datetime | None, now: datetime
) -> str:
    """The queue in one line, for a prompt."""
    said = f"reviewdeck: {waiting} wait" if waiting else "reviewdeck: nothing waits"
    if conflicts:
        said += f" ({count(conflicts, 'conflict')})"
    if waiting and oldest is not None:
        said += f", oldest {age_of(oldest, now)}"
    if drafts:
        said += f", {count(drafts, 'draft')} not written"
    return said
