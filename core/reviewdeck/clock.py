"""The clock of this process, for the composition root and the adapters."""

from __future__ import annotations

from datetime import UTC, datetime

_FIRST, _LAST = datetime(1970, 1, 1, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC)


def utc_now() -> datetime:
    """The current time, in UTC."""
    return datetime.now(UTC)


def moment_from(value: object) -> datetime | None:
    """The time in others' data: seconds since 1970, or ISO 8601, in UTC where it names no zone.

    None for anything else, and for a time that some zone cannot show.
    """
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            moment = datetime.fromtimestamp(value, UTC)
        else:
            moment = datetime.fromisoformat(str(value))
            moment = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return moment if _FIRST <= moment < _LAST else None
