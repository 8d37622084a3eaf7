"""`status --short`, for a prompt that asks every second, and `list`: without the whole engine.

Only the plainest calls are answered here, and only while nothing has moved since the last time a
home was taken in. For everything else None, and the long way gives the answer, or says what is
wrong. A test holds both ways to the same words.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, TypeAlias

from reviewdeck.cli.tokens import understood
from reviewdeck.errors import ReviewdeckError
from reviewdeck.homes.hermes.identity import seen_at
from reviewdeck.homes.hermes.layout import home_name
from reviewdeck.homes.hermes.skills import SKILLS, search_skills
from reviewdeck.homes.hermes.stamps import STORES, skill_documents, stamp_of
from reviewdeck.ledger.cells import moment_of, shield
from reviewdeck.ledger.pages import HOME_AT, home_at
from reviewdeck.ledger.schema import version_of
from reviewdeck.ledger.versions import HEAD
from reviewdeck.locations import homes_meant, ledger_url, policy_place
from reviewdeck.policy_location import mark_of, stamped
from reviewdeck.presentation.words import short_line

Given: TypeAlias = Mapping[str, str]
"""The options that were named, with their values; a switch has an empty one."""

_VALUED: Final = frozenset({"--home", "--profile", "--ledger", "--policy"})
_PAGED: Final = frozenset({"--limit", "--after", "--state"})
_SENSELESS: Final = (ArithmeticError, LookupError, TypeError, ValueError)
"""What a damaged row ends in."""
OPEN: Final = ("ready", "conflict", "dead", "refused", "quarantined", "deferred")
STATES: Final = (*OPEN, "approved", "applying", "applied", "rejected", "elsewhere")
FIRST_PAGE: Final = 100
LARGEST: Final = 100_000
WAITING: Final = tuple(state for state in OPEN if state != "deferred")
"""Spelt out, so that nothing has to be loaded; a test compares them with the states."""


@dataclass(frozen=True, slots=True)
class _Queue:
    """A ledger in which nothing has moved."""

    homes: Mapping[str, Path]
    """By the ids that the ledger knows them by."""
    connection: sqlite3.Connection


def quickly(tokens: Sequence[str]) -> str | None:
    """What the program says to these words, or None where the long way has to be gone."""
    answer: Callable[[_Queue, Given], str | None]
    match tokens:
        case ["status", *rest]:
            answer, given = _line, understood(rest, _VALUED, {"--short"})
            is_plain = given is not None and "--short" in given
        case ["list", *rest]:
            answer, given = _table, understood(rest, _VALUED | _PAGED, {"--no-color"})
            is_plain = given is not None and _is_page(given)
        case _:
            return None
    if given is None or not is_plain:
        return None
    try:
        return _answered(given, answer)
    except (ReviewdeckError, sqlite3.Error, OSError, *_SENSELESS):
        return None  # the long way meets it again, and says it in words


def _is_page(given: Given) -> bool:
    """Whether what was said of the page makes sense; the long way says where it does not."""
    limit, after = given.get("--limit", "1"), given.get("--after", "1")
    is_plain = all(one.isascii() and one.isdecimal() and len(one) < 18 for one in (limit, after))
    return is_plain and 1 <= int(limit) <= LARGEST and given.get("--state", OPEN[0]) in STATES


def _answered(given: Given, answer: Callable[[_Queue, Given], str | None]) -> str | None:
    env = os.environ
    home, profile = given.get("--home"), given.get("--profile")
    named = () if home is None else (Path(home),)
    everywhere = home is None and profile is None
    homes = homes_meant(named, profile, env, all_profiles=everywhere)
    ledger = Path(ledger_url(given.get("--ledger"), env))
    policy = given.get("--policy")
    mark = mark_of(policy_place(None if policy is None else Path(policy), env))
    if not all(os.access(one, os.R_OK | os.X_OK) for one in homes) or not ledger.is_file():
        return None
    with closing(_connected(ledger)) as connection:
        connection.execute("BEGIN")
        if version_of(connection, str(ledger)) != HEAD:
            return None
        known = {id: one for one in homes if (id := _known_as(connection, one)) is not None}
        if len(known) < len(homes):
            return None
        if not all(_is_fresh(connection, id, one, mark) for id, one in known.items()):
            return None
        return answer(_Queue(known, connection), given)


def _connected(ledger: Path) -> sqlite3.Connection:
    where = f"{ledger.absolute().as_uri()}?mode=ro"
    return sqlite3.connect(where, uri=True, timeout=10, isolation_level=None)


def _known_as(connection: sqlite3.Connection, home: Path) -> str | None:
    row = connection.execute(HOME_AT, {"path": shield(str(home))}).fetchone()
    return home_at(row, seen_at(home))


def _is_fresh(connection: sqlite3.Connection, id: str, home: Path, mark: str) -> bool:
    """Whether nothing has moved since this home was taken in."""
    query = "SELECT stamp FROM home WHERE id = ?"
    known = connection.execute(query, (shield(id),)).fetchone()
    if known is None or known[0] is None:
        return False
    stores = [path for path in STORES.values() if _is_there(home / path)]
    paths = (*stores, *skill_documents(home, search_skills(home / SKILLS)))
    return bool(known[0] == shield(stamped(stamp_of(home, paths), mark)))


def _is_there(file: Path) -> bool:
    """Whether there is such a file. Raises OSError for what has to be looked at more closely."""
    try:
        mode = file.lstat().st_mode
    except FileNotFoundError:
        return False
    if not stat.S_ISREG(mode):
        raise OSError("not a plain file")
    return True


def _table(queue: _Queue, given: Given) -> str | None:
    """A page of the queue, as `list` prints it."""
    from reviewdeck.cli.columns import is_coloured, width
    from reviewdeck.cli.queue_page import Page, page_in_words
    from reviewdeck.cli.quick_list import read_lines

    names = {id: home_name(home) for id, home in queue.homes.items()}
    limit = int(given.get("--limit", FIRST_PAGE))
    after = int(given["--after"]) if "--after" in given else None
    states = (given["--state"],) if "--state" in given else OPEN
    lines = read_lines(queue.connection, tuple(names), states, after, limit)
    colours = is_coloured(sys.stdout, "--no-color" in given)
    page = Page(lines, names, limit, after is None, width(), colours)
    if page.is_empty_queue and "--state" not in given:
        return None  # The long way says whether the agent stages what it writes at all.
    return page_in_words(page, datetime.now(UTC))


def _line(queue: _Queue, _given: Given) -> str:
    """The queue in one line."""
    connection, among = queue.connection, {shield(id) for id in queue.homes}
    rows = connection.execute("SELECT home, state, amount FROM counter WHERE amount > 0")
    counted = [(home, state, amount) for home, state, amount in rows if home in among]

    def amount_in(*states: str) -> int:
        return sum(amount for _, state, amount in counted if state in states)

    waiting = {home for home, state, _ in counted if state in OPEN}
    since = [found for home in waiting if (found := _oldest(connection, home)) is not None]
    oldest = moment_of(min(since)) if since else None
    drafts, conflicts = amount_in("draft"), amount_in("conflict")
    now = datetime.now(UTC)
    return short_line(amount_in(*WAITING), conflicts, drafts, oldest, now) + "\n"


def _oldest(connection: sqlite3.Connection, home: str) -> int | None:
    states = ", ".join(map(repr, OPEN))
    query = f"SELECT min(since) FROM proposal WHERE home = ? AND state IN ({states})"  # noqa: S608
    found: int | None = connection.execute(query, (home,)).fetchone()[0]
    return found
