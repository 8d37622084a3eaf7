"""Transcripts: `<config>/projects/<slug>/<session>.jsonl`, and those of the session's agents.

An agent with another form brings a `Form`, which gives each line in Claude Code's.

Their format is not documented. An unreadable line, or one of an unknown type, is skipped; each line
names its predecessor, so that a gap shows. Only files beneath the folder of projects are opened, by
the names of sessions; a path in a record or a line is never opened.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Final

from reviewdeck.agents.gated.verdicts import END, HEAD
from reviewdeck.agents.hermes.kit import NotPlain, members, objects, open_plain, parsed, text_at
from reviewdeck.clock import moment_from
from reviewdeck.errors import ReviewdeckError
from reviewdeck.files.reads import names_in, open_beneath, read_place, read_quietly
from reviewdeck.files.syscalls import Kernel, NameIn
from reviewdeck.origin.conversation import MessageRow, ToolCall

ROWS: Final = 20_000
"""The most messages that are read of one file."""
LONGEST_LINE: Final = 8 * 1024 * 1024
LARGEST: Final = 512 * 1024 * 1024
"""The most bytes that are read of one file."""
TEXT: Final = 65_536
"""The most characters that are kept of a text."""
TEXT_BUDGET: Final = 32 * 1024 * 1024
"""The characters that are kept of one file; beyond that each text is cut to `CUT`."""
CUT: Final = 300
MOST_AGENTS: Final = 200
"""The most agents of one session that are read."""
REMEMBERED: Final = 64 * 1024 * 1024
"""The bytes of files whose parsed lines are cached."""

UNREADABLE: Final[Mapping[str, Any]] = {"type": "unreadable"}
"""What stands for a line that cannot be read, or is too long."""

_SESSION: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")
_AGENT: Final = re.compile(r"agent-([A-Za-z0-9][A-Za-z0-9_-]{0,127})\.jsonl")
_SHELL: Final = re.compile(r"<bash-input>(.*)</bash-input>", re.DOTALL)
_NEVER: Final = datetime.min.replace(tzinfo=UTC)
_SUMMED_UP: Final = "(what was summed up)"
"""The predecessor of a summary that names none: an id that no line has."""
_TAG: Final = re.compile(r"^\s*<[\w:-]+>|</[\w:-]+>\s*$")
_QUIET: Final = frozenset({"remote_session_change"})
"""Attachments that Claude Code adds to the user's turn without any foreign text."""
_NOT_SHOWN: Final = frozenset(
    {
        *("already_read_file", "command_permissions", "edited_image_file", "hook_cancelled"),
        *("hook_error_during_execution", "hook_non_blocking_error", "hook_system_message"),
        *("structured_output", "hook_permission_decision"),
    }
)
"""Attachments that the model never sees. They do not say how they were shown."""
_FOREIGN: Final = frozenset(
    {"hook_additional_context", "async_hook_response", "mcp_resource", "teammate_mailbox"}
)
"""Attachments of foreign text, whatever role they were shown in."""
_SPEAKING_HOOKS: Final = frozenset({"SessionStart", "UserPromptSubmit", "Setup", "SubagentStart"})
"""Events of hooks whose output the model sees."""
_FILES: Final = frozenset({"file", "directory", "edited_text_file", "selected_lines_in_ide"})
_OWN: Final = frozenset({"AutoMem", "User"})
"""Types of instructions that are the agent's memory or the user's own."""
_CONTEXT: Final = frozenset({"nested_memory"})


@dataclass(frozen=True, slots=True)
class TranscriptLine:
    """One message of a transcript."""

    id: str
    before: str
    """The id of its predecessor; empty for the first."""
    at: datetime | None
    row: MessageRow | None = None
    """None for a line that is not a message."""
    prompt: str = ""
    """Claude Code's id of the turn."""
    has_context_files: bool = False
    answer: str = ""
    """The id of the model's answer that this line is a part of."""


@dataclass(frozen=True, slots=True)
class RecordedSession:
    """One transcript, as far as it was read."""

    session: str
    agent: str = ""
    """The id of a delegated agent; empty for the session itself."""
    sent_by: str = ""
    """The call that started that agent."""
    lines: Mapping[str, TranscriptLine] = field(default_factory=dict)
    calls: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The lines of each call, by the call's id: providers repeat them."""
    cwd: str = ""
    source: str = ""
    """The front end: cli, sdk-cli, ..."""
    models: tuple[str, ...] = ()
    is_whole: bool = True
    """Whether every line of the file was read."""

    def until(self, id: str) -> tuple[tuple[TranscriptLine, ...], str]:
        """The lines that led to this one, in their order; and a sentence if the chain is broken.

        They are its predecessors, and the calls made in the same answers as these. Of calls that
        run at once, only the one that ended last need be a predecessor. What stands before a first
        one that names no predecessor counts as taken back.
        """
        visited: dict[str, None] = {}
        first = ""
        while id and id in self.lines and id not in visited:
            visited[id] = None
            first = id
            id = self.lines[id].before
        why = "A part of the transcript cannot be read, or is not kept." if id else ""
        return tuple(self._with_others(visited, first)), why

    def _with_others(self, chain: Collection[str], first: str) -> Iterator[TranscriptLine]:
        answers = {self.lines[id].answer for id in chain} - {""}
        beside: set[str] = set()
        has_begun, remaining = not chain, set(chain)
        for line in self.lines.values():
            has_begun = has_begun or line.id == first
            if line.id in chain:
                remaining.remove(line.id)
                yield line
            elif not has_begun:
                yield replace(line, row=replace(line.row, is_rewound=True) if line.row else None)
            elif remaining and (
                line.answer in answers or line.before in beside or self._is_orphan(line)
            ):
                beside.add(line.id)
                yield line

    def _is_orphan(self, line: TranscriptLine) -> bool:
        """Whether it is a result whose call is lost."""
        return line.row is not None and line.row.role == "tool" and line.row.call not in self.calls

    def line_of(self, call: str, until: datetime) -> str:
        """The last line up to a moment that makes this call, or the last of all; empty for none."""
        made = self.calls.get(call, ())
        in_time = [id for id in made if (at := self.lines[id].at) is None or at <= until]
        return (in_time or made or [""])[-1]

    def last_before(self, moment: datetime) -> str:
        """The id of the last line up to a moment; empty for none."""
        lines = self.lines.values()
        dated = [line.id for line in lines if line.at is not None and line.at <= moment]
        return dated[-1] if dated else ""


@dataclass(frozen=True, slots=True)
class Form:
    """Where the transcripts in a folder of projects are, and how their lines are read."""

    folder: tuple[str, ...] = ()
    """Their folder in that of a project."""
    translator: Callable[[], Callable[[Mapping[str, Any]], Iterable[Mapping[str, Any]]]] = lambda: (
        lambda raw: (raw,)
    )
    """Gives for one file a function that puts each of its lines into Claude Code's form.

    Where lines name no predecessor, it breaks the chain at one that is `UNREADABLE`.
    """
    end_of: Callable[[str], str] = "/{}.jsonl".format
    """How the path of a session's transcript ends."""
    root_file: str = ""
    """The file in a project's folder that names its repository, where no line of a session does."""


@dataclass(slots=True)
class _TranscriptReader:
    """Collects the lines of one file."""

    agent: str
    lines: dict[str, TranscriptLine] = field(default_factory=dict)
    calls: dict[str, list[str]] = field(default_factory=dict)
    models: dict[str, None] = field(default_factory=dict)
    cwd: str = ""
    source: str = ""
    budget: int = TEXT_BUDGET
    last: str = ""
    """The last line of the session itself."""

    def take(self, raw: Mapping[str, Any]) -> None:
        """Adds one parsed line. A line of an unknown form is skipped."""
        kind, id = raw.get("type"), text_at(raw, "uuid")
        if kind not in ("user", "assistant", "system", "attachment") or not id or id in self.lines:
            return
        self.cwd = self.cwd or text_at(raw, "cwd")
        self.source = self.source or text_at(raw, "entrypoint")
        before = text_at(raw, "parentUuid") or text_at(raw, "logicalParentUuid")
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
            self.calls.setdefault(call.id, []).append(id)
        self.lines[id] = TranscriptLine(
            id,
            before,
            moment_from(raw.get("timestamp")),
            row,
            text_at(raw, "promptId"),
            is_context,
            text_at(members(raw.get("message")), "id") if kind == "assistant" else "",
        )

    def _row(self, raw: Mapping[str, Any], role: str, text: str, **more: Any) -> MessageRow:
        longest = TEXT if self.budget > 0 else CUT
        self.budget -= min(len(text), longest)
        time = moment_from(raw.get("timestamp"))
        cut = len(text) > longest
        return MessageRow(len(self.lines), role, text[:longest], time, is_cut=cut, **more)

    def _user(self, raw: Mapping[str, Any]) -> MessageRow:
        blocks = _blocks(raw)
        result = next((block for block in blocks if block.get("type") == "tool_result"), None)
        if result is not None:
            text = "\n".join(_block_text(block) for block in _content_blocks(result.get("content")))
            return self._row(raw, "tool", text, call=text_at(result, "tool_use_id"))
        text = "\n".join(map(_block_text, blocks))
        if command := _SHELL.match(text):
            call = ToolCall("Bash", {"command": command[1]})
            return self._row(raw, "system", text, calls=(call,))
        is_task = raw.get("isSidechain") and not self.agent
        if text.startswith("<bash-std") or raw.get("isCompactSummary") or is_task:
            return self._row(raw, "system", text)
        origin = raw.get("origin")
        is_other = origin is not None and members(origin).get("kind") != "human"
        if raw.get("isMeta") or is_other or text.startswith("<"):
            # The body of a command, or a notice: inserted in the user's name.
            return self._row(raw, "system", text, added=text[:CUT] or "an empty message")
        typed, others = _typed_part(blocks)
        return self._row(raw, "user", typed, added=others[:CUT])

    def _assistant(self, raw: Mapping[str, Any]) -> MessageRow:
        blocks = _blocks(raw)
        if model := text_at(members(raw.get("message")), "model"):
            self.models[model] = None
        calls = tuple(self._call(block) for block in blocks if block.get("type") == "tool_use")
        texts = [block for block in blocks if block.get("type") not in ("tool_use", "thinking")]
        texts = [block for block in texts if block.get("type") != "redacted_thinking"]
        foreign = [_block_text(block) for block in texts if block.get("type") != "text"]
        text, added = "\n".join(map(_block_text, texts)), "\n".join(foreign)[:CUT]
        return self._row(raw, "assistant", text, calls=calls, added=added)

    def _call(self, block: Mapping[str, Any]) -> ToolCall:
        name, id, arguments = text_at(block, "name"), text_at(block, "id"), block.get("input")
        if not isinstance(arguments, dict):
            return ToolCall(name, id=id, is_readable=False)
        size = sum(len(value) for value in arguments.values() if isinstance(value, str))
        self.budget -= size
        if size > TEXT and self.budget < 0:
            return ToolCall(name, id=id, is_readable=False)
        return ToolCall(name, arguments, id)

    def _attachment(self, raw: Mapping[str, Any]) -> tuple[MessageRow | None, bool]:
        """The row of an attachment, and whether it contains instructions of the workspace."""
        attachment = members(raw.get("attachment"))
        kind = text_at(attachment, "type")
        if kind in _FILES:
            path = text_at(attachment, "filename") or text_at(attachment, "path")
            return self._row(
                raw, "system", "", calls=(ToolCall("Read", {"file_path": path}),)
            ), False
        if kind in _CONTEXT:
            return None, True
        if kind == "instructions":
            files = attachment.get("files")
            entries = files if isinstance(files, list) else [None]
            return None, not all(
                isinstance(entry, dict) and entry.get("type") in _OWN for entry in entries
            )
        if kind == "session_context":
            return None, "claudeMd" in members(attachment.get("context"))
        if kind == "queued_command":
            return self._queued(raw, attachment), False
        if kind in _QUIET or not _is_foreign(raw, attachment, kind):
            return None, False
        return self._row(raw, "system", "", added=f"attachment {kind}"), False

    def _queued(self, raw: Mapping[str, Any], attachment: Mapping[str, Any]) -> MessageRow:
        """What reached the session while it worked: typed, or from somebody else."""
        typed, others = _typed_part(_content_blocks(attachment.get("prompt")))
        told = members(attachment.get("origin")).get("kind")
        if told != "human" or attachment.get("isMeta") or typed.startswith("<"):
            return self._row(raw, "system", typed, added=typed[:CUT] or "an empty message")
        return self._row(raw, "user", typed, added=others[:CUT])


def _is_foreign(raw: Mapping[str, Any], attachment: Mapping[str, Any], kind: str) -> bool:
    """Whether an attachment showed the model a text that is neither the agent's nor ours."""
    role, content = raw.get("renderedRole"), attachment.get("content")
    if kind == "hook_additional_context":
        texts = content if isinstance(content, list) else [content]
        return not all(isinstance(text, str) and _is_verdicts(text) for text in texts)
    if kind == "hook_success":
        return bool(content) and attachment.get("hookEvent") in _SPEAKING_HOOKS
    if role is None:
        return kind not in _NOT_SHOWN
    return role != "system" or kind in _FOREIGN


class Transcripts:
    """The transcripts below one folder of projects, read only."""

    def __init__(self, projects: Path, *, kernel: Kernel, form: Form) -> None:
        self._projects = projects
        self._form = form
        self._kernel = kernel
        self._read: dict[tuple[str, ...], tuple[tuple[int, int], RecordedSession]] = {}

    def session(self, session: str) -> RecordedSession | None:
        """The transcript of a session; None where there is none. Raises OSError, BadInput."""
        if not _SESSION.fullmatch(session):
            return None
        for slug in self.projects():
            for name in self._names_of(slug, session):
                place = (slug, *self._form.folder, name)
                if (recorded := self._file(place, session)) is not None:
                    return recorded
        return None

    def _names_of(self, slug: str, session: str) -> list[str]:
        """The names that a session's transcript may have, the latest first."""
        end = self._form.end_of(session)
        if end.startswith("/"):
            return [end[1:]]
        names = self._names((slug, *self._form.folder))
        return sorted((name for name in names if name.endswith(end)), reverse=True)

    def agents(self, session: str) -> list[RecordedSession]:
        """The transcripts of the agents that a session delegated to."""
        if not _SESSION.fullmatch(session):
            return []
        recorded = []
        for slug in self.projects():
            for name in self._names((slug, session, "subagents"))[: 2 * MOST_AGENTS]:
                if (match := _AGENT.fullmatch(name)) is not None:
                    place = (slug, session, "subagents", name)
                    recorded.append(self._file(place, session, match[1]))
        return [session for session in recorded if session is not None]

    def started(self, slug: str, prefix: str) -> list[RecordedSession]:
        """The transcripts that no session started, in folders of a project beside its sessions.

        `prefix` is how the names of these folders begin. The earliest is first.
        """
        folders = [
            name for name in self._names((slug, *self._form.folder)) if name.startswith(prefix)
        ]
        recorded = [
            self._file(
                (slug, *self._form.folder, folder, name), folder, name.removesuffix(".jsonl")
            )
            for folder in folders[:MOST_AGENTS]
            for name in self._names((slug, *self._form.folder, folder))
            if name.endswith(".jsonl")
        ]
        kept = [each for each in recorded if each is not None and each.lines]
        return sorted(kept, key=lambda each: next(iter(each.lines.values())).at or _NEVER)

    def every_session(self) -> Iterator[RecordedSession]:
        """Every kept transcript, those of delegated agents too."""
        for slug in self.projects():
            for name in self._names((slug, *self._form.folder)):
                session = name.removesuffix(".jsonl")
                if session != name and (recorded := self.session(session)) is not None:
                    yield recorded
                yield from self.agents(session)

    def active(self, start: datetime, end: datetime, most: int) -> list[str]:
        """The sessions with a line in this span, by their files' times, the latest first."""
        dated: list[tuple[float, str]] = []
        for slug in self.projects():
            for name in self._names((slug, *self._form.folder)):
                if name.endswith(".jsonl") and _SESSION.fullmatch(name[:-6]):
                    status = self._stat((slug, *self._form.folder, name))
                    if status is not None and status.st_mtime >= start.timestamp():
                        dated.append((status.st_mtime, name[:-6]))
        likely = [session for _, session in sorted(dated, reverse=True)[:most]]
        return [session for session in likely if self._was_active(session, start, end)]

    def stamp(self) -> str:
        """A stamp that changes when a transcript is added or extended."""
        newest = 0
        for slug in self.projects():
            for name in self._names((slug, *self._form.folder)):
                status = self._stat((slug, *self._form.folder, name))
                newest = max(newest, status.st_mtime_ns if status is not None else 0)
        return str(newest)

    def _was_active(self, session: str, start: datetime, end: datetime) -> bool:
        recorded = self.session(session)
        lines = recorded.lines.values() if recorded is not None else ()
        return any(line.at is not None and start <= line.at <= end for line in lines)

    def projects(self) -> list[str]:
        """The names of the projects' folders."""
        return self._names(())

    def _names(self, parts: tuple[str, ...]) -> list[str]:
        try:
            with open_beneath(self._projects, parts, self._kernel) as inner:
                return names_in(inner)
        except (OSError, ReviewdeckError):
            return []

    def _stat(self, parts: tuple[str, ...]) -> os.stat_result | None:
        try:
            return self._projects.joinpath(*parts).lstat()
        except OSError:
            return None

    def _file(
        self, parts: tuple[str, ...], session: str, agent: str = ""
    ) -> RecordedSession | None:
        """One transcript, cached by the file's time and size; None where there is no file."""
        try:
            with open_beneath(self._projects, parts[:-1], self._kernel) as directory:
                sent_by = self._sent_by(directory, agent) if agent else ""
                with open_plain(parts[-1], directory) as file:
                    status = os.fstat(file.fileno())
                    stamp = (status.st_mtime_ns, status.st_size)
                    cached = self._read.get(parts)
                    if cached is not None and cached[0] == stamp:
                        return cached[1]
                    recorded = read_lines(file, self._form, session, agent, sent_by)
                    if not recorded.cwd and self._form.root_file:
                        recorded = replace(recorded, cwd=self._repository(parts[0]))
        except (FileNotFoundError, NotADirectoryError, NotPlain):
            return None
        if sum(size for (_, size), _ in self._read.values()) > REMEMBERED:
            self._read.clear()
        self._read[parts] = stamp, recorded
        return recorded

    def _repository(self, slug: str) -> str:
        """The repository of a project's folder, by its file there; empty where none is named."""
        path = f"{slug}/{self._form.root_file}"
        data = read_quietly(self._projects, path, kernel=self._kernel).data or b""
        named = data.decode("utf-8", "replace").strip()
        return named if named.startswith("/") else ""

    def _sent_by(self, directory: int, agent: str) -> str:
        """The call that started an agent, by the metadata beside its transcript."""
        file = read_place(NameIn(directory, f"agent-{agent}.meta.json"), CUT * 100)
        return text_at(members(parsed(file.data)), "toolUseId")


def read_lines(
    file: IO[bytes], form: Form, session: str, agent: str = "", sent_by: str = ""
) -> RecordedSession:
    """Reads a transcript in one pass."""
    reading, translate = _TranscriptReader(agent), form.translator()
    is_whole, remaining = True, LARGEST
    while line := file.readline(LONGEST_LINE):
        remaining -= len(line)
        if len(reading.lines) >= ROWS or remaining < 0:
            is_whole = False
            break
        raw: Mapping[str, Any] = {}
        if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
            remaining -= _skip(file)
        elif not (raw := members(parsed(line))) and not line.endswith(b"\n"):
            break  # The last line, which is being written.
        is_whole = is_whole and bool(raw)
        for each in translate(raw or UNREADABLE):
            reading.take(each)
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


def _skip(file: IO[bytes]) -> int:
    """Skips the rest of a line that is too long; returns the number of bytes."""
    skipped = 0
    while piece := file.readline(LONGEST_LINE):
        skipped += len(piece)
        if piece.endswith(b"\n") or skipped > LARGEST:
            break
    return skipped


def _blocks(raw: Mapping[str, Any]) -> list[dict[str, Any]]:
    content = members(raw.get("message")).get("content")
    if isinstance(content, str):
        return _content_blocks(content)
    parts = content if isinstance(content, list) else [None]
    return [part if isinstance(part, dict) else dict(UNREADABLE) for part in parts]


def _content_blocks(content: object) -> list[dict[str, Any]]:
    return objects([{"type": "text", "text": content}] if isinstance(content, str) else content)


def _block_text(block: Mapping[str, Any]) -> str:
    """The text of a block; another block is named in brackets."""
    kind = text_at(block, "type")
    return text_at(block, "text") if kind == "text" else f"[{kind or 'block'}]"


def _typed_part(blocks: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """What was typed of a prompt, with the media in it; and the texts that were put behind it.

    A person types one text. What hooks, named files and servers add is in blocks of its own.
    """
    texts = [_block_text(block) for block in blocks if block.get("type") == "text"]
    media = [_block_text(block) for block in blocks if block.get("type") != "text"]
    others = [text for text in texts[1:] if not _is_verdicts(text)]
    return "\n".join([*texts[:1], *media]), "\n".join(others)


def _is_verdicts(text: str) -> bool:
    """Whether a text is what our own hook tells of verdicts, in the agent's tags or without."""
    lines = _TAG.sub("", text).strip().split("\n")
    if len(lines) < 3 or (lines[0], lines[-1]) != (HEAD, END):
        return False
    return all(line.startswith("- ") for line in lines[1:-1])
