"""Times that others wrote: each is one that every zone can show, or none."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from reviewdeck.clock import moment_from


@pytest.mark.parametrize(
    "value", [0, 0.0, "1970-01-01", "1970-01-01T00:00:00Z", "1970-01-01T14:00:00+14:00"]
)
def test_seconds_and_iso_8601_are_times(value: object) -> None:
    assert moment_from(value) == datetime(1970, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "value",
    [
        *(None, True, "", "7", [], {}, -1, 1e300, 10**400, float("nan"), float("inf")),
        *("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", 253402300799),
    ],
)
def test_anything_else_is_none(value: object) -> None:
    assert moment_from(value) is None


def test_a_time_can_be_shown_in_every_zone() -> None:
    for value in (0, 253370764799):
        moment = moment_from(value)
        assert moment is not None
        for hours in (-23, 23):
            assert moment.astimezone(timezone(timedelta(hours=hours))) == moment
