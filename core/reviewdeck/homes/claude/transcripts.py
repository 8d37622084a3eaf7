"""Claude Code's transcripts: `<config>/projects/<slug>/<session>.jsonl`, and those of its agents.

Their format is nobody's promise. A line that cannot be read, or is of no known type, is left out;
each line names the one before it, so that what a gap took away shows. Only files beneath the folder
of projects are opened, by the names of sessions; a path that a record or a line names is never.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import BufferedReader
from pathlib import Path
from typing import Any, Final

from reviewdeck.errors import ReviewdeckError
from reviewdeck.homes.files import directory_beneath, names_in, open_directory
from reviewdeck.homes.syscalls import Kernel
from reviewdeck.origin.conversation import MessageRow, ToolCall

ROWS: Final = 20_000
"""Lines of messages that are read of one file."""
LONGEST_LINE: Final = 8 * 1024 * 1024
LARGEST: Final = 512 * 1024 * 1024
"""Bytes that are read of one file."""
TEXT: Final = 65_536
"""Characters that are kept of a text."""
ROOM: Final = 32 * 1024 * 1024
"""Characters that are kept of one file; then a text is cut to a few."""
CUT: Final = 300
AGENTS: Final = 200
"""Agents of one session that are looked at."""
REMEMBERED: Final = 64 * 1024 * 1024
"""Bytes of files of which the lines are remembered."""

_SESSION: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")
_AGENT: Final = re.compile(r"agent-([A-Za-z0-9][A-Za-z0-9_-]{0,127})\.jsonl")
_SHELL: Final = re.compile(r"<bash-input>(.*)</bash-input>", re.DOTALL)
_SUMMED_UP: Final = "(what was summed up)"
"""What a summary goes on from where nothing names it: no line is called so."""
_QUIET: Final = frozenset({"remote_session_change"})
"""What Claude Code puts into the user's turn by itself, without a text of anybody else."""
_FILES: Final = frozenset({"file", "directory", "edited_text_file", "selected_lines_in_ide"})
_OWN: Final = frozenset({"AutoMem", "User"})
"""Instructions that are the agent's memory, or the user's own."""
_CONTEXT: Final = frozenset({"nested_memory"})


@dataclass(frozen=True, slots=True)
class TranscriptLine:
    """One message of a transcript."""

    id: str
    before: str
    """The line that it goes on from; empty for the first."""
    at: datetime | None
    row: MessageRow | None = None
    """None for what is no message of anybody."""
    prompt: str = ""
    """Claude Code's name for the turn."""
    has_context_files: bool = False


@dataclass(frozen=True, slots=True)
class RecordedSession:
    """What was read of one transcript."""

    session: str
    agent: str = ""
    """The agent that was sent to work; empty for the session itself."""
    sent_by: str = ""
    """The call that sent that agent."""
    lines: Mapping[str, TranscriptLine] = field(default_factory=dict)
    calls: Mapping[str, str] = field(default_factory=dict)
    """By the id of a call, the line that has it."""
    cwd: str = ""
    source: str = ""
    """Where it takes place: cli, sdk-cli, ..."""
    models: tuple[str, ...] = ()
    is_whole: bool = True
    """Whether the file ended before the reading did."""

    def until(self, id: str) -> tuple[tuple[TranscriptLine, ...], str]:
        """The lines up to this one, each going on from the one before; and why not all of them."""
        found: list[TranscriptLine] = []
        seen: set[str] = set()
        while id:
            line = self.lines.get(id)
            if line is None or id in seen:
                break
            seen.add(id)
            found.append(line)
            id = line.before
        why = "A part of the transcript cannot be read, or is not kept." if id else ""
        return tuple(reversed(found)), why

    def last_before(self, moment: datetime) -> str:
        """The last line up to a moment; empty for none."""
        dated = [one.id for one in self.lines.values() if one.at is not None and one.at <= moment]
        return dated[-1] if dated else ""


@dataclass(slots=True)
class _Reading:
    """One file as far as it was read."""

    agent: str
    lines: dict[str, TranscriptLine] = field(default_factory=dict)
    calls: dict[str, str] = field(default_factory=dict)
    models: dict[str, None] = field(default_factory=dict)
    cwd: str = ""
    source: str = ""
    room: int = ROOM
    last: str = ""
    """The last line of the session itself."""

    def take(self, raw: Mapping[str, Any]) -> None:
        """One line, as it was parsed. Whatever is not of the known form says nothing."""
        kind, id = raw.get("type"), _text(raw.get("uuid"))
        if kind not in ("user", "assistant", "system", "attachment") or not id or id in self.lines:
            return
        self.cwd = self.cwd or _text(raw.get("cwd"))
        self.source = self.source or _text(raw.get("entrypoint"))
        before = _text(raw.get("parentUuid")) or _text(raw.get("logicalParentUuid"))
        if raw.get("isSidechain") and not self.agent:
            before = before or self.last
        else:
            self.last = id
        if raw.get("isCompactSummary") or raw.get("subtype") == "compact_boundary":
            before = before or _SUMMED_UP
        row, is_context = None, False
        match kind:
            case "user":
                row = self._user(raw)
            case "assistant":
                row = self._assistant(raw)
            case "attachment":
                row, is_context = self._attachment(raw)
            case _:
                pass
        for call in row.calls if row else ():
            self.calls.setdefault(call.id, id)
        self.lines[id] = TranscriptLine(
            id,
            before,
            moment(raw.get("timestamp")),
            row,
            _text(raw.get("promptId")),
            is_context,
        )

    def _row(self, raw: Mapping[str, Any], role: str, text: str, **more: Any) -> MessageRow:
        longest = TEXT if self.room > 0 else CUT
        self.room -= min(len(text), longest)
        at = moment(raw.get("timestamp"))
        cut = len(text) > longest
        return MessageRow(len(self.lines), role, text[:longest], at, is_cut=cut, **more)

    def _user(self, raw: Mapping[str, Any]) -> MessageRow:
        blocks = _blocks(raw)
        result = next((one for one in blocks if one.get("type") == "tool_result"), None)
        if result is not None:
            text = "\n".join(_said(one) for one in _listed(result.get("content")))
            return self._row(raw, "tool", text, call=_text(result.get("tool_use_id")))
        text = "\n".join(map(_said, blocks))
        if command := _SHELL.match(text):
            call = ToolCall("Bash", {"command": command[1]})
            return self._row(raw, "system", text, calls=(call,))
        is_task = raw.get("isSidechain") and not self.agent
        if text.startswith("<bash-std") or raw.get("isCompactSummary") or is_task:
            return self._row(raw, "system", text)
        origin = raw.get("origin")
        is_other = isinstance(origin, dict) and origin.get("kind") != "human"
        if raw.get("isMeta") or is_other or text.startswith("<"):
            # The body of a command, a notice: put there in the user's name.
            return self._row(raw, "system", text, added=text[:CUT] or "an empty message")
        return self._row(raw, "user", text)

    def _assistant(self, raw: Mapping[str, Any]) -> MessageRow:
        blocks = _blocks(raw)
        message = raw.get("message")
        if isinstance(message, dict) and (model := _text(message.get("model"))):
            self.models[model] = None
        calls = tuple(self._call(one) for one in blocks if one.get("type") == "tool_use")
        spoken = [one for one in blocks if one.get("type") not in ("tool_use", "thinking")]
        spoken = [one for one in spoken if one.get("type") != "redacted_thinking"]
        return self._row(raw, "assistant", "\n".join(map(_said, spoken)), calls=calls)

    def _call(self, block: Mapping[str, Any]) -> ToolCall:
        name, id, given = _text(block.get("name")), _text(block.get("id")), block.get("input")
        if not isinstance(given, dict):
            return ToolCall(name, id=id, is_readable=False)
        size = sum(len(one) for one in given.values() if isinstance(one, str))
        self.room -= size
        if size > TEXT and self.room < 0:
            return ToolCall(name, id=id, is_readable=False)
        return ToolCall(name, given, id)

    def _attachment(self, raw: Mapping[str, Any]) -> tuple[MessageRow | None, bool]:
        """What was put beside a message, and whether it holds instructions of the workspace."""
        held = raw.get("attachment")
        held = held if isinstance(held, dict) else {}
        kind = _text(held.get("type"))
        if kind in _FILES:
            path = _text(held.get("filename")) or _text(held.get("path"))
            return self._row(
                raw, "system", "", calls=(ToolCall("Read", {"file_path": path}),)
            ), False
        if kind in _CONTEXT:
            return None, True
        if kind == "instructions":
            files = held.get("files")
            listed = files if isinstance(files, list) else [None]
            return None, not all(
                isinstance(one, dict) and one.get("type") in _OWN for one in listed
            )
        if kind == "session_context":
            context = held.get("context")
            return None, isinstance(context, dict) and "claudeMd" in context
        if raw.get("renderedRole") != "user" or kind in _QUIET:
            return None, False
        return self._row(raw, "system", "", added=f"attachment {kind}"), False


class Transcripts:
    """The transcripts below one folder of projects. Reading them writes nothing."""

    def __init__(self, projects: Path, *, kernel: Kernel) -> None:
        self._projects = projects
        self._kernel = kernel
        self._read: dict[tuple[str, ...], tuple[tuple[int, int], RecordedSession]] = {}

    def session(self, session: str) -> RecordedSession | None:
        """The transcript of a session; None where it is not kept. Raises OSError, BadInput."""
        if not _SESSION.fullmatch(session):
            return None
        for slug in self._slugs():
            if (found := self._file((slug, f"{session}.jsonl"), session)) is not None:
                return found
        return None

    def agents(self, session: str) -> list[RecordedSession]:
        """The transcripts of the agents that a session sent."""
        if not _SESSION.fullmatch(session):
            return []
        found = []
        for slug in self._slugs():
            for name in self._names((slug, session, "subagents"))[: 2 * AGENTS]:
                if (match := _AGENT.fullmatch(name)) is not None:
                    place = (slug, session, "subagents", name)
                    found.append(self._file(place, session, match[1]))
        return [one for one in found if one is not None]

    def active(self, start: datetime, end: datetime, most: int) -> list[str]:
        """The sessions that may have had a line in this span, the latest first: by their files."""
        dated: list[tuple[float, str]] = []
        for slug in self._slugs():
            for name in self._names((slug,)):
                if name.endswith(".jsonl") and _SESSION.fullmatch(name[:-6]):
                    facts = self._facts((slug, name))
                    if facts is not None and facts.st_mtime >= start.timestamp():
                        dated.append((facts.st_mtime, name[:-6]))
        likely = [session for _, session in sorted(dated, reverse=True)[:most]]
        return [one for one in likely if self._was_active(one, start, end)]

    def stamp(self) -> str:
        """A cheap hint that changes when a session began, or one of a known project did more."""
        newest = 0
        for slug in self._slugs():
            for name in self._names((slug,)):
                facts = self._facts((slug, name))
                newest = max(newest, facts.st_mtime_ns if facts is not None else 0)
        return str(newest)

    def _was_active(self, session: str, start: datetime, end: datetime) -> bool:
        kept = self.session(session)
        lines = kept.lines.values() if kept is not None else ()
        return any(one.at is not None and start <= one.at <= end for one in lines)

    def _slugs(self) -> list[str]:
        return self._names(())

    def _names(self, parts: tuple[str, ...]) -> list[str]:
        try:
            with (
                open_directory(self._projects) as top,
                directory_beneath(self._kernel, top, parts) as inner,
            ):
                return names_in(inner)
        except (OSError, ReviewdeckError):
            return []

    def _facts(self, parts: tuple[str, ...]) -> os.stat_result | None:
        try:
            return self._projects.joinpath(*parts).lstat()
        except OSError:
            return None

    def _file(
        self, parts: tuple[str, ...], session: str, agent: str = ""
    ) -> RecordedSession | None:
        """One file, read once for each state of it; None where there is none."""
        try:
            with (
                open_directory(self._projects) as top,
                directory_beneath(self._kernel, top, parts[:-1]) as directory,
            ):
                sent_by = self._sent_by(directory, agent) if agent else ""
                flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
                with os.fdopen(os.open(parts[-1], flags, dir_fd=directory), "rb") as file:
                    facts = os.fstat(file.fileno())
                    stamp = (facts.st_mtime_ns, facts.st_size)
                    known = self._read.get(parts)
                    if known is not None and known[0] == stamp:
                        return known[1]
                    found = read_lines(file, session, agent, sent_by)
        except (FileNotFoundError, NotADirectoryError):
            return None
        if sum(size for (_, size), _ in self._read.values()) > REMEMBERED:
            self._read.clear()
        self._read[parts] = stamp, found
        return found

    def _sent_by(self, directory: int, agent: str) -> str:
        """The call that sent an agent, by the note beside its transcript."""
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            file = os.open(f"agent-{agent}.meta.json", flags, dir_fd=directory)
            with os.fdopen(file, "rb") as opened_file:
                raw = json.loads(opened_file.read(CUT * 100))
        except (OSError, ValueError, RecursionError):
            return ""
        return _text(raw.get("toolUseId")) if isinstance(raw, dict) else ""


def read_lines(
    file: BufferedReader, session: str, agent: str = "", sent_by: str = ""
) -> RecordedSession:
    """A transcript, read forward once."""
    reading = _Reading(agent)
    is_whole, left = True, LARGEST
    while line := file.readline(LONGEST_LINE):
        left -= len(line)
        if len(reading.lines) >= ROWS or left < 0:
            is_whole = False
            break
        if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
            left -= _skip(file)
        elif (raw := _parsed(line)) is not None:
            reading.take(raw)
    return RecordedSession(
        session,
        agent,
        sent_by,
        reading.lines,
        reading.calls,
        reading.cwd,
        reading.source,
        tuple(reading.models),
        is_whole,
    )


def _skip(file: BufferedReader) -> int:
    """Reads to the end of a line that is too long to be a message; says how many bytes."""
    skipped = 0
    while piece := file.readline(LONGEST_LINE):
        skipped += len(piece)
        if piece.endswith(b"\n") or skipped > LARGEST:
            break
    return skipped


def moment(value: object) -> datetime | None:
    """A moment from Claude Code's text for it; None when it is none."""
    try:
        found = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return found.replace(tzinfo=found.tzinfo or UTC) if found is not None else None


def _parsed(line: bytes) -> Mapping[str, Any] | None:
    try:
        raw = json.loads(line)
    except (ValueError, RecursionError):
        return None  # The last line may be on its way.
    return raw if isinstance(raw, dict) else None


def _blocks(raw: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    message = raw.get("message")
    return list(_listed(message.get("content"))) if isinstance(message, dict) else []


def _listed(content: object) -> Iterator[Mapping[str, Any]]:
    match content:
        case str():
            yield {"type": "text", "text": content}
        case list():
            blocks: Iterable[object] = content
            yield from (one for one in blocks if isinstance(one, dict))
        case _:
            return


def _said(block: Mapping[str, Any]) -> str:
    """What a block says; one that is no text is named in brackets."""
    kind = _text(block.get("type"))
    return _text(block.get("text")) if kind == "text" else f"[{kind or 'block'}]"


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _kind(raw: object) -> str:
    return _text(raw.get("type")) if isinstance(raw, dict) else ""
