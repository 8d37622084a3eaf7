"""Notices outside the deck: events, and the program or address. Read from `[notify]`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, Final
from urllib.parse import urlsplit

from reviewdeck.values import dataclass


class NoticeEvent(StrEnum):
    """The events that a notice may be about."""

    WAITING = "waiting"
    """A proposal waits for somebody."""
    DANGEROUS = "dangerous"
    """A proposal was refused, or has a finding of high severity or more."""
    APPLIED = "applied"
    """Something went in by itself."""
    OUTSIDE = "outside"
    """A document was changed outside review."""


_EVERY: Final = 15


@dataclass(frozen=True, slots=True)
class NoticeSettings:
    """A program that is run, or an address that is posted to; neither for no notices."""

    command: tuple[str, ...] = ()
    url: str = ""
    events: frozenset[NoticeEvent] = frozenset(NoticeEvent)
    every_minutes: int = _EVERY
    """At least so long between two notices about one home."""

    @property
    def is_on(self) -> bool:
        """Whether anybody is to be told."""
        return bool(self.command or self.url)


_KEYS: Final = ("command", "url", "events", "every_minutes")
_MOST_MINUTES: Final = 1440


def read_notify(table: Mapping[str, Any], wrong: Callable[[str, str], None]) -> NoticeSettings:
    """The settings of the table; `wrong` is told each key that cannot be used, and why."""
    for key in table.keys() - {*_KEYS}:
        wrong(key, f"there is no setting {key!r} in [notify]: {', '.join(_KEYS)}")
    command = table.get("command", [])
    if not isinstance(command, list) or not all(isinstance(part, str) and part for part in command):
        wrong("command", "'command' is a list of texts: a program and its arguments")
        command = []
    url = table.get("url", "")
    if url and not _is_address(url):
        wrong("url", "'url' is an address that begins with `https://` or `http://`, without a user")
        url = ""
    if bool(table.get("command")) == bool(table.get("url")) and table:
        wrong("command", "[notify] needs a 'command' or a 'url', and not both")
    events = table.get("events", [*NoticeEvent])
    if not isinstance(events, list) or not {*events} <= {*NoticeEvent}:
        wrong("events", f"'events' is a list of: {', '.join(NoticeEvent)}")
        events = []
    every = table.get("every_minutes", _EVERY)
    if not isinstance(every, int) or isinstance(every, bool) or not 1 <= every <= _MOST_MINUTES:
        wrong("every_minutes", f"'every_minutes' is a whole number from 1 to {_MOST_MINUTES:,}")
        every = 1
    return NoticeSettings(tuple(command), url, frozenset(map(NoticeEvent, events)), every)


def _is_address(url: object) -> bool:
    if not isinstance(url, str) or not url.isascii() or not url.isprintable() or " " in url:
        return False
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return False
    has_host = bool(parts.hostname) and port != 0 and "@" not in parts.netloc
    return parts.scheme in ("http", "https") and has_host
