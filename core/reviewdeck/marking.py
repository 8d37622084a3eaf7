"""Saying that what an agent learnt is seen: an operator's act, which the log keeps."""

from __future__ import annotations

from reviewdeck.desk import Desk
from reviewdeck.model import Cause, Marks
from reviewdeck.ports import Home


def mark(desk: Desk, home: Home, marks: Marks) -> None:
    """Remembers until when an operator has seen what was learnt in a home.

    A mark makes changes outside review old news, so it is taken from nobody who may not decide,
    and it covers nothing that is yet to come. Raises NotPermitted.
    """
    operator, now = desk.operator(), desk.now()
    before = desk.ledger.marks(home.id)
    latest = desk.ledger.latest(home.id)
    marks = marks.at_most(now)
    if marks == before:
        return
    outside = {
        path: last.revision
        for path, last in sorted(latest.items())
        if last.cause is Cause.OUTSIDE and marks.cover(path, last.at)
    }
    fresh = {
        path: revision
        for path, revision in outside.items()
        if not before.cover(path, latest[path].at)
    }
    desk.ledger.put_marks(home.id, marks, operator, now, desk.authority.attest, outside=fresh)
