"""Gemini CLI's conversations, and that of its extractor, which writes what waits in the inbox.

The extractor's own conversation is below `chats/skill-extraction-*/`. A patch is known in it by its
bytes: those that a call wrote. Past sessions that it read took part, whole, up to when it read
them; so did earlier extractions whose patches it was given to go on from.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from os.path import realpath
from typing import Final

from reviewdeck.agents.gated.edits import NotExact, result_of
from reviewdeck.agents.gemini.gate import place_of
from reviewdeck.agents.hermes.kit import digest
from reviewdeck.homes.gated.conversations import TOOLS, GatedConversations, rows_of
from reviewdeck.homes.gated.file_reads import READERS, WRITERS
from reviewdeck.homes.gated.transcripts import RecordedSession, TranscriptLine
from reviewdeck.homes.gemini.extractions import memory_of
from reviewdeck.homes.gemini.transcripts import GEMINI_FORM
from reviewdeck.model import Origin, Proposal
from reviewdeck.origin.conversation import Conversation, SessionPart, SessionRows, ToolCall
from reviewdeck.ports import Trust

_FOLDER: Final = "skill-extraction-"
_PENDING: Final = "# Pending Memory Inbox\n"
"""In the extractor's task: the patches that wait follow."""
_QUEUES: Final = (".inbox", "skills")
"""In a project's memory: what the extractor writes, before anybody decided on it."""
_LISTED: Final = re.compile(r"^(.*) — (/.*\.jsonl)$", re.MULTILINE)
"""In the task: what is told of a past session, and its transcript."""
_NOTHING_TOLD: Final = re.compile(r"\[(?:NEW|old)\] \(no summary\) \(\d+ user msgs\)")


class GeminiConversations(GatedConversations):
    """The sessions of every project, and the extractions of each."""

    form = GEMINI_FORM

    def find_origin(self, proposal: Proposal, trust: Trust) -> Origin:
        """Of what waits in the inbox by the call of the extractor that wrote it."""
        if (source := proposal.source or "").startswith("tmp/"):
            runs = self._transcripts.started(source.split("/")[1], _FOLDER)
            place = realpath(self._home / source)
            found = _written_by(runs, place, proposal.payload_sha)
            if found is not None:
                return self._origin_of_extraction(runs[: found[0] + 1], found[1], source, trust)
        return super().find_origin(proposal, trust)

    def find_session(self, session: str) -> tuple[SessionRows, str, Mapping[int, str]] | None:
        """A session, or an extraction by its id in an origin."""
        folder, _, name = session.partition("/")
        if not folder.startswith(_FOLDER):
            return super().find_session(session)
        for slug in self._transcripts.projects():
            for run in self._transcripts.started(slug, folder):
                if (run.session, run.agent) == (folder, name):
                    return rows_of(run), "", {}
        return None

    def _origin_of_extraction(
        self, runs: Sequence[RecordedSession], call: str, source: str, trust: Trust
    ) -> Origin:
        """The origin of what the last of these runs wrote with a call."""
        *earlier, last = runs
        lines, missing = last.until(last.calls[call][-1])
        parts = [(last, lines)]
        queues = [realpath(self._home / memory_of(source) / name) for name in _QUEUES]
        if _goes_on(last, lines, queues):
            before = [run for run in earlier if any(_writes_below(run, queues))]
            if not before and _PENDING in _task(lines):
                missing = "An earlier extraction, whose patches it went on from, is not kept."
            parts[:0] = [(run, tuple(run.lines.values())) for run in before]
        read: dict[str, datetime | None] = {}
        chats = realpath(self._home / posixpath.join(*source.split("/")[:2], "chats"))
        for run, part in parts:
            missing = missing or ("" if run.is_whole else "An extraction is too long to be read.")
            if any(line.row is not None and line.row.is_cut for line in part[:1]):
                missing = "The task of the extraction is too long to be read."
            read |= _sessions_read(run, part, chats)
        sessions: list[SessionRows] = []
        for path, until in read.items():
            name = posixpath.basename(path).removesuffix(".jsonl")
            session = self._transcripts.session(name)
            if session is None or not session.is_whole:
                missing = f"The session {name[:64]}, which it read, is not kept, or too long."
                continue
            seen, why = session.until(session.last_before(until or self._clock()))
            missing = missing or why
            sessions.append(rows_of(session, seen, SessionPart.ANCESTOR))
        sessions += [rows_of(run, part) for run, part in parts]
        return self.origin_of(Conversation(tuple(sessions), missing, tools=TOOLS), trust, [*read])


def _written_by(runs: Sequence[RecordedSession], place: str, sha: str) -> tuple[int, str] | None:
    """The run whose call left a file with this hash, by its number, and the call's id."""
    text: str | None = None
    found: tuple[int, str] | None = None
    for number, run in enumerate(runs):
        for line in run.lines.values():
            for call in _calls_of(line):
                if call.name in WRITERS and _path(run, call) == place:
                    text = _after(call, text)
                    if text is not None and digest(text.encode("utf-8", "replace")) == sha:
                        found = number, call.id
    return found


def _after(call: ToolCall, text: str | None) -> str | None:
    """A file's text after a call; None where that is not known exactly."""
    if text is None and call.name != "Write":
        return None
    try:
        return result_of(call.name, dict(call.arguments), text, "gemini")
    except NotExact:
        return text


def _calls_of(line: TranscriptLine) -> Sequence[ToolCall]:
    return line.row.calls if line.row is not None else ()


def _path(run: RecordedSession, call: ToolCall) -> str:
    """The file or the folder that a call names, with links resolved; empty for none."""
    for key in ("file_path", "dir_path", "path"):
        if isinstance(value := call.arguments.get(key), str) and value:
            return realpath(place_of(value, run.cwd or "/"))
    return ""


def _task(lines: Sequence[TranscriptLine]) -> str:
    return lines[0].row.text if lines and lines[0].row is not None else ""


def _goes_on(run: RecordedSession, lines: Sequence[TranscriptLine], queues: Sequence[str]) -> bool:
    """Whether an extraction was given, or read, what waits from earlier ones."""
    calls = (call for line in lines for call in _calls_of(line) if call.name in READERS)
    reads = (_path(run, call) for call in calls)
    return _PENDING in _task(lines) or any(
        f"{path}/".startswith(f"{queue}/") for path in reads for queue in queues
    )


def _writes_below(run: RecordedSession, folders: Sequence[str]) -> Iterator[bool]:
    for line in run.lines.values():
        for call in _calls_of(line):
            if call.name in WRITERS:
                yield any(_path(run, call).startswith(f"{folder}/") for folder in folders)


def _sessions_read(
    run: RecordedSession, lines: Sequence[TranscriptLine], chats: str
) -> dict[str, datetime | None]:
    """The transcripts of which an extraction saw something, and when last.

    The task tells of a past session in a line with a summary, made of what was said there.
    """
    read: dict[str, datetime | None] = {}
    for told, path in _LISTED.findall(_task(lines)):
        if posixpath.dirname(real := realpath(path)) == chats and not _NOTHING_TOLD.fullmatch(told):
            read[real] = lines[0].at
    for line in lines:
        for call in _calls_of(line):
            path = _path(run, call)
            if call.name in READERS and posixpath.dirname(path) == chats:
                read[path] = line.at
    return read
