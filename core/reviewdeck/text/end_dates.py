"""The day until which a sentence holds: "until October", "till 31 March 2027", "bis Freitag".

Only what is told by a date or a weekday counts. A span counts to its last day.
"""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date, timedelta
from typing import Final

_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar jänner",
            "february feb februar",
            "march mar märz",
            "april apr",
            "may mai",
            "june jun juni",
            "july jul juli",
            "august aug",
            "september sep sept",
            "october oct oktober okt",
            "november nov",
            "december dec dezember dez",
        ),
        start=1,
    )
    for name in names.split()
}
_WEEKDAYS: Final = {
    name: number
    for number, names in enumerate(
        (
            "monday montag",
            "tuesday dienstag",
            "wednesday mittwoch",
            "thursday donnerstag",
            "friday freitag",
            "saturday samstag",
            "sunday sonntag",
        )
    )
    for name in names.split()
}
_UNTIL: Final = r"(?:until|till|valid through|ends? (?:on|in)|expires? (?:on|in)|bis)"
_BEFORE: Final = r"(?:(?:the|zum|zur|next|this|end of|the end of|ende|mid) ){0,3}"
_YEAR: Final = r"(?:,? (?P<year>[12]\d{3}))?"
_NAMES: Final = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DATE: Final = re.compile(
    rf"\b{_UNTIL} {_BEFORE}(?:"
    r"(?P<iso>[12]\d{3}-\d{2}-\d{2})"
    rf"|(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)? (?:of )?(?P<month>{_NAMES})\b\.?{_YEAR}"
    rf"|(?P<named>{_NAMES})\b\.?(?: (?P<second>\d{{1,2}})(?:st|nd|rd|th)?(?!\d))?"
    r"(?:,? (?P<later>[12]\d{3}))?"
    rf"|(?P<weekday>{'|'.join(_WEEKDAYS)})\b"
    r")",
    re.IGNORECASE,
)
_NEXT_SENTENCE: Final = re.compile(r"(?<!\b\d)(?<!\b\d\d)[.!?;]\s+\w|\n\s*\S")
"""A point behind a day is none: `3. März`."""
_LONGEST: Final = 400
"""Characters of a text that is one sentence."""


def end_of(text: str, said: date) -> date | None:
    """The last day on which a text of one sentence holds; None where it does not tell.

    A day without a year is the first such day from `said` on, when it was written.
    """
    if len(text) > _LONGEST or _NEXT_SENTENCE.search(text.strip()):
        return None  # What else it says may go on.
    found = list(_DATE.finditer(" ".join(text.split())))
    if len(found) != 1:
        return None
    return _day(found[0], said)


def _day(match: re.Match[str], said: date) -> date | None:
    part = match.groupdict()
    try:
        if part["iso"]:
            return date.fromisoformat(part["iso"])
        if part["weekday"]:
            ahead = (_WEEKDAYS[part["weekday"].lower()] - said.weekday()) % 7
            return said + timedelta(days=ahead)
        month = _MONTHS[(part["month"] or part["named"]).lower()]
        day, year = part["day"] or part["second"], part["year"] or part["later"]
        if year:
            return _in_year(int(year), month, day)
        this_year = _in_year(said.year, month, day)
        return this_year if this_year >= said else _in_year(said.year + 1, month, day)
    except (ValueError, OverflowError):
        return None


def _in_year(year: int, month: int, day: str | None) -> date:
    """Raises ValueError for a day that is none."""
    return date(year, month, int(day) if day else monthrange(year, month)[1])
