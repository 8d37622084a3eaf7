"""Moments as people write them: a date, a time, or how long ago."""

from __future__ import annotations

import re
from datetime import datetime, time, timedelta
from typing import Final

from reviewdeck.cli.usage import UsageProblem

_AGO: Final = re.compile(r"(\d{1,6})\s*(m|min|h|d|w)", re.IGNORECASE)
_UNITS: Final = {"m": "minutes", "min": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def moment_of(text: str, now: datetime) -> datetime:
    """Parses a moment; without a zone it is local time. Raises UsageProblem."""
    trimmed = text.strip()
    if ago := _AGO.fullmatch(trimmed):
        try:
            return now - timedelta(**{_UNITS[ago[2].lower()]: int(ago[1])})
        except OverflowError:
            raise _not_a_time(text) from None
    if trimmed.lower() in {"today", "yesterday"}:
        day = now.astimezone().date() - timedelta(days=trimmed.lower() == "yesterday")
        # By the clock of that day: it may have been put forward or back since.
        return datetime.combine(day, time()).astimezone()
    try:
        return datetime.fromisoformat(trimmed).astimezone(now.tzinfo)
    except (ValueError, OverflowError, OSError):
        raise _not_a_time(text) from None


def _not_a_time(text: str) -> UsageProblem:
    return UsageProblem(
        f"{text!r} is not a time.",
        hint="Write 2026-05-17, 2026-05-17T08:30, yesterday, or how long ago: 30m, 2h, 3d, 1w.",
    )
