"""Which session staged a record, by the lines of Hermes' own log.

Each call of a tool leaves a line with its session a few milliseconds after the record was made. A
failing tool's text is logged as it is, so that a line may be forged: a second session within the
span makes it unknown. Times are local ones: the hour that comes twice in autumn tells nothing.
"""

from __future__ import annotations

import os
import re
import stat
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Final

FILES: Final = ("logs/agent.log", "logs/agent.log.1", "logs/agent.log.2", "logs/agent.log.3")
LIMIT: Final = 6 * 1024 * 1024
"""Bytes at the end of each file that are read."""
BEFORE: Final = timedelta(milliseconds=2)
AFTER: Final = timedelta(milliseconds=250)
REVIEW: Final = "Review the conversation above"
"""How the task of a review begins."""

_LINE: Final = re.compile(
    rb"^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}) [A-Z]+ \[([^\]\s]{1,200})\] "
    rb"(?:agent\.tool_executor: [Tt]ool (\S{1,200})"
    rb" (completed|failed|cancelled|returned error) \("
    rb"|agent\.turn_context: conversation turn: [^\n]{0,600}?"
    rb" history=(\d{1,9}) msg=([^\n]{0,200}))",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line that tells something: a tool that was done, or a turn that began."""

    at: datetime
    """Local time, without a zone."""
    session: str
    tool: str = ""
    is_done: bool = False
    """The tool did what it was asked."""
    history: int = 0
    """Of a turn: how many messages stood before it."""
    is_review: bool = False


@dataclass(frozen=True, slots=True)
class Named:
    """What the log tells of a record."""

    session: str
    at: datetime
    """When the line was written."""
    review_began: datetime | None = None
    history: int | None = None
    """How many messages the review replayed."""
    tools: tuple[str, ...] = ()
    """The tools that the review itself called, as often as it did."""


class AgentLog:
    """The lines of all log files that tell something, oldest first."""

    def __init__(self, lines: tuple[LogLine, ...], zone: tzinfo | None) -> None:
        self._lines = lines
        self._times = [line.at for line in lines]
        self._zone = zone
        self._by_session: dict[str, list[LogLine]] = {}
        for line in lines:
            self._by_session.setdefault(line.session, []).append(line)

    def with_lines_of(self, others: Sequence[AgentLog]) -> AgentLog:
        """One log of several: a home's own, and that of where it was launched."""
        lines = [line for log in (self, *others) for line in log._lines]
        return AgentLog(tuple(sorted(lines, key=lambda line: line.at)), self._zone)

    def named(self, created_at: datetime, tool: str) -> Named | None:
        """The one session whose call made a record of this moment; None when it cannot be told."""
        moment = _local(created_at, self._zone)
        if moment is None:
            return None
        near = self._between(moment - BEFORE, moment + AFTER)
        made = [line for line in near if line.tool == tool and line.is_done]
        if not made or len({line.session for line in near if line.tool == tool}) != 1:
            return None
        line = min(made, key=lambda one: abs(one.at - moment))
        began = self._review(line)
        if began is None:
            return Named(line.session, _utc(line.at, self._zone))
        inside = [one for one in self._between(began.at, line.at) if one.session == line.session]
        return Named(
            line.session,
            _utc(line.at, self._zone),
            _utc(began.at, self._zone),
            began.history,
            tuple(one.tool for one in inside if one.tool),
        )

    def last_turn(self, session: str, until: datetime) -> datetime | None:
        """When the last turn of a session began that was no review, up to a moment."""
        turns = (one for one in reversed(self._until(session, until)) if not one.tool)
        found = next((one for one in turns if not one.is_review), None)
        return None if found is None else _utc(found.at, self._zone)

    def calls(self, session: str, until: datetime) -> Counter[str]:
        """How often each tool was done in a session, up to a moment, as far as lines are kept."""
        return Counter(line.tool for line in self._until(session, until) if line.tool)

    def _until(self, session: str, until: datetime) -> list[LogLine]:
        """The lines of a session, up to a moment."""
        moment = until.astimezone(self._zone).replace(tzinfo=None)
        lines = self._by_session.get(session, [])
        return lines[: bisect_right(lines, moment, key=lambda line: line.at)]

    def _between(self, start: datetime, end: datetime) -> tuple[LogLine, ...]:
        return self._lines[bisect_left(self._times, start) : bisect_right(self._times, end)]

    def _review(self, made: LogLine) -> LogLine | None:
        """The last start of a review before a call; of several at once, the latest."""
        lines = self._by_session[made.session]
        before = lines[: bisect_right(lines, made.at, key=lambda line: line.at)]
        turns = (one for one in reversed(before) if not one.tool)
        return next((one for one in turns if one.is_review), None)


def read_log(home: Path, zone: tzinfo | None = None) -> AgentLog:
    """The log of a home. Never raises: what cannot be read has no lines."""
    lines = [line for name in FILES for line in _lines(home / name)]
    return AgentLog(tuple(sorted(lines, key=lambda line: line.at)), zone)


def stamp(home: Path) -> str:
    """A cheap hint that changes when the log may have. Never raises."""
    found = []
    for name in FILES:
        try:
            facts = (home / name).lstat()
        except OSError:
            found.append("")
        else:
            found.append(f"{facts.st_ino}:{facts.st_size}:{facts.st_mtime_ns}")
    return "|".join(found)


def _lines(path: Path) -> Iterator[LogLine]:
    for match in _LINE.finditer(_tail(path)):
        at, session, tool, outcome, history, task = match.groups()
        try:
            moment = datetime.fromisoformat(at.decode())
        except ValueError:
            continue
        yield LogLine(
            moment,
            session.decode("utf-8", "replace"),
            (tool or b"").decode("utf-8", "replace"),
            outcome == b"completed",
            int(history or 0),
            (task or b"").lstrip(b"'\"").startswith(REVIEW.encode()),
        )


def _tail(path: Path) -> bytes:
    """The end of a plain file; nothing of anything else."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        facts = os.fstat(file)
        if not stat.S_ISREG(facts.st_mode):
            return b""
        start = max(0, facts.st_size - LIMIT)
        data = os.pread(file, LIMIT, start)
        return data.partition(b"\n")[2] if start else data
    except OSError:
        return b""
    finally:
        os.close(file)


def _local(moment: datetime, zone: tzinfo | None) -> datetime | None:
    """The local time of a moment; None in the hour that comes twice."""
    local = moment.astimezone(zone).replace(tzinfo=None)
    if _utc(local, zone) != _utc(local.replace(fold=1), zone):
        return None
    return local.replace(fold=0)


def _utc(local: datetime, zone: tzinfo | None) -> datetime:
    return (local if zone is None else local.replace(tzinfo=zone)).astimezone(UTC)
