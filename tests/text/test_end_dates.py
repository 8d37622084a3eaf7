"""Until when a sentence holds."""

from __future__ import annotations

from datetime import date

import pytest

from reviewdeck.text.end_dates import end_of

SAID = date(2026, 9, 2)  # a Wednesday


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("The freeze is on until October.", date(2026, 10, 31)),
        ("The freeze is on until the end of October.", date(2026, 10, 31)),
        ("The freeze is on until March.", date(2027, 3, 31)),
        ("The freeze is on until 31 March 2027.", date(2027, 3, 31)),
        ("The freeze is on until March 31st, 2027.", date(2027, 3, 31)),
        ("The freeze is on until February 2028.", date(2028, 2, 29)),
        ("The token expires on 2026-11-05.", date(2026, 11, 5)),
        ("Staging is stg-2 until Friday.", date(2026, 9, 4)),
        ("Staging is stg-2 till Wednesday.", SAID),
        ("Die Sperre gilt bis Ende Oktober.", date(2026, 10, 31)),
        ("Die Sperre gilt bis zum 3. März.", date(2027, 3, 3)),
        ("The freeze is on until 31 February.", None),
        ("The freeze is on until 2026-13-01.", None),
        ("The freeze is on until it thaws.", None),
        ("The freeze began in October.", None),
        ("Until October use v1. Then use v2.", None),
        ("Use v1 until October 2026. Then use v2.", None),
        ("Use v1 until October; then use v2.", None),
        ("Use v1 until October, v2 until March.", None),
        ("Use v1 until the release in maybe.", None),
        ("The freeze is on until 1 January 9999999.", date(2027, 1, 1)),
    ],
)
def test_the_last_day_is_the_one_that_is_told(text: str, end: date | None) -> None:
    assert end_of(text, SAID) == end
