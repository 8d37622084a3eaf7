"""The session that staged a record, found in Hermes' own log.

Each tool call logs a line with its session a few milliseconds after the record was made. A failing
tool's text is logged verbatim, so a line may be forged: a second session within the span makes the
result unknown. Times are local: in the hour that a clock change repeats no record is found, and a
call logged in it counts as one of its first time.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Final

from reviewdeck.agents.hermes.kit import open_plain
from reviewdeck.values import dataclass

FILES: Final = ("logs/agent.log", "logs/agent.log.1", "logs/agent.log.2", "logs/agent.log.3")
LIMIT: Final = 6 * 1024 * 1024
"""Bytes at the end of each file that are read."""
BEFORE: Final = timedelta(milliseconds=2)
AFTER: Final = timedelta(milliseconds=250)
REVIEW: Final = "Review the conversation above"
"""The first words of a review's task."""

_LINE: Final = re.compile(
    rb"^(20\d\d-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}) [A-Z]+ \[([^\]\s]{1,200})\] "
    rb"(?:agent\.tool_executor: [Tt]ool (\S{1,200})"
    rb" (completed|failed|cancelled|returned error) \("
    rb"|agent\.turn_context: conversation turn: [^\n]{0,600}?"
    rb" history=(\d{1,9}) msg=([^\n]{0,200})"
    rb"|agent\.conversation_compression: context compression started: session=\S{1,200}"
    rb" messages=(\d{1,9}))",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class LogLine:
    """One parsed line: a finished tool call, the start of a turn or of a compression."""

    at: datetime
    """Local time, without a zone."""
    session: str
    tool: str = ""
    is_done: bool = False
    """Whether the tool call succeeded."""
    history: int = 0
    """Of a turn: the number of messages before it."""
    is_review: bool = False
    compressed: int = 0
    """Of a compression: the number of messages before it."""


@dataclass(frozen=True, slots=True)
class LoggedCall:
    """The tool call that staged a record, as logged."""

    session: str
    at: datetime
    """The time of the line."""
    review_began: datetime | None = None
    history: int | None = None
    """The number of messages that the review replayed."""
    tools: tuple[str, ...] = ()
    """The names of the review's own tool calls, in order."""


class AgentLog:
    """The parsed lines of all log files, oldest first."""

    def __init__(self, lines: tuple[LogLine, ...], zone: tzinfo | None) -> None:
        self._lines = lines
        self._times = [line.at for line in lines]
        self._zone = zone
        self._by_session: dict[str, list[LogLine]] = {}
        self._compressed: dict[str, int] = {}
        for line in lines:
            if line.compressed:
                most = self._compressed.get(line.session, 0)
                self._compressed[line.session] = max(most, line.compressed)
            else:
                self._by_session.setdefault(line.session, []).append(line)

    def with_lines_of(self, logs: Sequence[AgentLog]) -> AgentLog:
        """This log merged with others: those of the directories that launched the home."""
        lines = [line for log in (self, *logs) for line in log._lines]
        return AgentLog(tuple(sorted(lines, key=lambda line: line.at)), self._zone)

    def find_call(self, created_at: datetime, tool: str) -> LoggedCall | None:
        """The tool call that made a record at this moment; None when it is not unambiguous."""
        moment = _local(created_at, self._zone)
        if moment is None:
            return None
        near = self._between(moment - BEFORE, moment + AFTER)
        calls = [line for line in near if line.tool == tool and line.is_done]
        if not calls or len({line.session for line in near if line.tool == tool}) != 1:
            return None
        line = min(calls, key=lambda call: abs(call.at - moment))
        review = self._find_review(line)
        if review is None:
            return LoggedCall(line.session, _utc(line.at, self._zone))
        lines = [
            entry for entry in self._between(review.at, line.at) if entry.session == line.session
        ]
        return LoggedCall(
            line.session,
            _utc(line.at, self._zone),
            _utc(review.at, self._zone),
            review.history,
            tuple(entry.tool for entry in lines if entry.tool),
        )

    def last_turn(self, session: str, until: datetime) -> datetime | None:
        """The start of a session's last turn, not counting reviews, up to a moment."""
        turns = (entry for entry in reversed(self._until(session, until)) if not entry.tool)
        turn = next((entry for entry in turns if not entry.is_review), None)
        return None if turn is None else _utc(turn.at, self._zone)

    def compressed(self, session: str) -> int:
        """The most messages that a compression of a session began with; 0 for none logged."""
        return self._compressed.get(session, 0)

    def calls(self, session: str, until: datetime) -> Counter[str]:
        """The number of logged calls of each tool in a session, up to a moment."""
        return Counter(line.tool for line in self._until(session, until) if line.tool)

    def _until(self, session: str, until: datetime) -> list[LogLine]:
        """The lines that may be from before a moment: of two possible times the earlier counts."""
        lines = self._by_session.get(session, [])
        return lines[: bisect_right(lines, until, key=lambda line: _utc(line.at, self._zone))]

    def _between(self, start: datetime, end: datetime) -> tuple[LogLine, ...]:
        return self._lines[bisect_left(self._times, start) : bisect_right(self._times, end)]

    def _find_review(self, call: LogLine) -> LogLine | None:
        lines = self._by_session[call.session]
        before = lines[: bisect_right(lines, call.at, key=lambda line: line.at)]
        turns = (entry for entry in reversed(before) if not entry.tool)
        return next((turn for turn in turns if turn.is_review), None)


def read_log(home: Path, zone: tzinfo | None = None) -> AgentLog:
    """The log of a home. Never raises: an unreadable file has no lines."""
    lines = [line for name in FILES for line in _lines(home / name)]
    return AgentLog(tuple(sorted(lines, key=lambda line: line.at)), zone)


def stamp(home: Path) -> str:
    """A stamp that changes when the log may have changed. Never raises."""
    parts = []
    for name in FILES:
        try:
            status = (home / name).lstat()
        except OSError:
            parts.append("")
        else:
            parts.append(f"{status.st_ino}:{status.st_size}:{status.st_mtime_ns}")
    return "|".join(parts)


def _lines(path: Path) -> Iterator[LogLine]:
    for match in _LINE.finditer(_tail(path)):
        time, session, tool, outcome, history, task, compressed = match.groups()
        try:
            moment = datetime.fromisoformat(time.decode())
        except ValueError:
            continue
        yield LogLine(
            moment,
            session.decode("utf-8", "replace"),
            (tool or b"").decode("utf-8", "replace"),
            outcome == b"completed",
            int(history or 0),
            (task or b"").lstrip(b"'\"").startswith(REVIEW.encode()),
            int(compressed or 0),
        )


def _tail(path: Path) -> bytes:
    """The last `LIMIT` bytes of a regular file; empty for anything else."""
    try:
        with open_plain(path) as file:
            start = max(0, os.fstat(file.fileno()).st_size - LIMIT)
            data = os.pread(file.fileno(), LIMIT, start)
    except OSError:
        return b""
    return data.partition(b"\n")[2] if start else data


def _local(moment: datetime, zone: tzinfo | None) -> datetime | None:
    """The local time of a moment; None in the hour that a clock change repeats."""
    local = moment.astimezone(zone).replace(tzinfo=None)
    if _utc(local, zone) != _utc(local.replace(fold=1), zone):
        return None
    return local.replace(fold=0)


def _utc(local: datetime, zone: tzinfo | None) -> datetime:
    return (local if zone is None else local.replace(tzinfo=zone)).astimezone(UTC)
