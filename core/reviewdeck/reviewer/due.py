"""Which sessions of a home are due for a review: those that are over, and those that are quiet.

A busy conversation is reviewed once, when nothing was said in it for a while. A session whose
review failed is due again: an outage of the model's provider loses nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final

from reviewdeck.errors import BadInput
from reviewdeck.homes.gated.home import GatedHome
from reviewdeck.homes.hermes.session_database import DATABASE, read_sessions
from reviewdeck.homes.sqlite_reads import DatabaseUnreadable
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.ports import Home
from reviewdeck.reviewer.conversation import ReviewedConversation, load_conversation, load_session
from reviewdeck.reviewer.endings import ExchangeEnd
from reviewdeck.reviewer.kept_documents import extracts_itself
from reviewdeck.reviewer.review import Occasion
from reviewdeck.reviewer.settings import Moment, When

MOST: Final = 200
"""The most sessions that are reviewed in one go, the earliest first."""
_REVIEWS: Final = 5_000
_RESETS: Final = frozenset({"session_reset", "new_session", "branched"})
_COMPACTIONS: Final = frozenset({"compression", "orphaned_compression"})
_MOMENTS: Final = {
    Occasion.SESSION_END: Moment.END,
    Occasion.RESET: Moment.RESET,
    Occasion.COMPACTION: Moment.COMPACTION,
}


@dataclass(frozen=True, slots=True)
class RecordedActivity:
    """One session of a home, by when something was said in it last."""

    session: str
    last: datetime
    ended: Occasion | None
    """What ended it; None where it may go on."""
    load: Callable[[], ReviewedConversation]
    """Reads it. Raises BadInput."""


@dataclass(frozen=True, slots=True)
class DueSession:
    """A session to be reviewed, and why now."""

    activity: RecordedActivity
    occasion: Occasion


def activities_of(home: Home) -> list[RecordedActivity]:
    """The sessions that an agent recorded in its own home. Raises BadInput."""
    root = Path(home.where)
    if home.kind == "hermes":
        return list(_of_hermes(root))
    if isinstance(home, GatedHome) and home.layout_name == "config":
        return list(_of_claude(root / "projects"))
    if extracts_itself(home):
        raise BadInput(
            f"`review` does not read the conversations of {home.name}, a home of the kind"
            f" {home.kind}.",
            hint="Its agent extracts memories by itself: what it writes is proposed, see"
            " `reviewdeck list`. A review is for sessions of Hermes and Claude Code.",
        )
    raise BadInput(
        f"{home.name} has no sessions of its own.",
        hint="Sessions are in a home of Hermes, and in Claude Code's own folder: name it with"
        " --home PATH.",
    )


def due_sessions(
    activities: Iterable[RecordedActivity],
    reviewed: dict[str, datetime],
    when: When,
    since: datetime,
    now: datetime,
) -> list[DueSession]:
    """The sessions with something said since a moment that no review has seen, earliest first.

    `reviewed` has the end of the last whole review of each session.
    """
    due = []
    for activity in sorted(activities, key=lambda activity: activity.last):
        seen = reviewed.get(activity.session)
        if activity.last < since or (seen is not None and seen >= activity.last):
            continue
        occasion = _occasion(activity, when, now)
        if occasion is not None:
            due.append(DueSession(activity, occasion))
    return due[:MOST]


def _occasion(activity: RecordedActivity, when: When, now: datetime) -> Occasion | None:
    if activity.ended is not None and _MOMENTS[activity.ended] in when.on:
        return activity.ended
    pause = timedelta(minutes=when.pause_minutes)
    return Occasion.TURN if pause and now - activity.last >= pause else None


def last_reviews(ledger: Ledger, home: str) -> dict[str, datetime]:
    """When the last review of each session began: later words are not in it.

    One that failed or was broken off does not count; one that met a limit is not repeated.
    """
    found: dict[str, datetime] = {}
    for run in ledger.reviews((home,), limit=_REVIEWS):
        if run.ending not in (ExchangeEnd.FAILED, ExchangeEnd.CANCELLED):
            found.setdefault(run.session, run.started_at)
    return found


def turns_in(conversation: ReviewedConversation) -> int:
    """About how often the user spoke."""
    return sum(message.get("role") == "user" for message in conversation.messages)


def _of_hermes(root: Path) -> Iterator[RecordedActivity]:
    path = root / DATABASE
    if not path.exists():
        return
    try:
        rows = read_sessions(
            path,
            lambda database: [(it, database.session(it.session)) for it in database.activity()],
        )
    except DatabaseUnreadable as error:
        raise BadInput(str(error)) from error
    for activity, row in rows:
        ended = _ending_of(str((row or {}).get("end_reason") or ""))
        last = datetime.fromtimestamp(activity.last, UTC)
        yield RecordedActivity(
            activity.session, last, ended, partial(load_session, root, activity.session)
        )


def _ending_of(reason: str) -> Occasion | None:
    if not reason:
        return None
    if reason in _COMPACTIONS:
        return Occasion.COMPACTION
    return Occasion.RESET if reason in _RESETS else Occasion.SESSION_END


def _of_claude(projects: Path) -> Iterator[RecordedActivity]:
    for folder in _plain_entries(projects, is_folder=True):
        for file in _plain_entries(folder, is_folder=False):
            if file.suffix == ".jsonl":
                last = datetime.fromtimestamp(file.lstat().st_mtime, UTC)
                yield RecordedActivity(file.stem, last, None, partial(load_conversation, file))


def _plain_entries(folder: Path, *, is_folder: bool) -> Iterator[Path]:
    """The files or folders in a folder; no links."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            is_one = entry.is_dir if is_folder else entry.is_file
            if is_one(follow_symlinks=False):
                yield folder / entry.name
