"""Notices outside the deck: events, and the program or address. Read from `[notify]`."""

from __future__ import annotations

from enum import StrEnum
from typing import Final
from urllib.parse import urlsplit

from reviewdeck.text.toml import Table
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


NOTIFY_KEYS: Final = ("command", "url", "events", "every_minutes")
_MOST_MINUTES: Final = 1440


def read_notify(table: Table) -> NoticeSettings:
    """The settings of the table."""
    command = table.values.get("command", [])
    if not isinstance(command, list) or not all(isinstance(part, str) and part for part in command):
        table.wrong("command", "'command' is a list of texts: a program and its arguments")
        command = []
    url = table.values.get("url", "")
    if url != "" and not _is_address(url):
        message = "'url' is an address that begins with `https://` or `http://`, without a user"
        table.wrong("url", message)
    if table.values and bool(table.values.get("command")) == bool(url):
        table.wrong("command", "[notify] needs a 'command' or a 'url', and not both")
    events = table.choices("events", [*NoticeEvent])
    every = table.number("every_minutes", _EVERY, 1, _MOST_MINUTES)
    return NoticeSettings(tuple(command), url, events, every)


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
