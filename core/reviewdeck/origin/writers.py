"""Which call of a tool wrote what was changed without anybody's decision. Pure.

A call counts as the writer where somebody noted the revisions before and after it, and it leads
from what was known to what was found; or where its arguments hold the very words, or name what is
gone: nobody but who was told to write them has them there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from reviewdeck.model import (
    DirectChange,
    Kind,
    KnownBy,
    MemoryRemove,
    Origin,
    Proposal,
    SkillDelete,
    SkillPatch,
    SkillRemoveFile,
)
from reviewdeck.model.edits import added_text
from reviewdeck.origin.conversation import MessageRow, ToolCall
from reviewdeck.values import dataclass

WRITERS: Final = frozenset({"memory", "skill_manage", "write_file", "patch"})
"""Tools whose arguments are what they write. What a command writes need not stand in it."""
_READING: Final = frozenset(
    {
        *("skills_list", "skill_view", "session_search", "read_file", "search_files", "clarify"),
        *("todo", "todo_list", "review_status", "web_search", "web_extract", "tool_search"),
        *("tool_describe", "vision_analyze"),
    }
)
"""Tools that write no file of a home."""
_NOTED: Final = {
    Kind.MEMORY: frozenset({"memory", "write_file", "patch", "terminal"}),
    Kind.SKILLS: frozenset({"skill_manage", "write_file", "patch"}),
    Kind.DOCUMENTS: frozenset[str](),
}
"""By what was changed, the tools whose every write is noted. A command need not name its files."""
_NAMED: Final = 3
"""Sessions that are named of those that were active."""
_TOLD: Final = 12
"""Characters of a text from which its words are one writer's own."""


@dataclass(frozen=True, slots=True)
class NotedCall:
    """One call of a tool, and what documents were before and after it."""

    session: str
    call: str
    ended: datetime
    documents: Mapping[str, tuple[str, str]]
    """By path, the revisions before and after."""
    is_allowed: bool = False
    """Whether a person was asked in the agent's terminal, and allowed it."""
    is_alone: bool = True
    """Whether nothing else could write meanwhile: a command in the background is not."""


def noted_call(changes: Sequence[DirectChange], notes: Iterable[NotedCall]) -> NotedCall | None:
    """The last call of the one session that wrote all of these; None where no notes say so.

    The notes come newest first. None of them says who may execute a file.
    """
    known = list(notes) if changes and not any(change.modes for change in changes) else []
    calls = [_last_of(change, known) for change in changes]
    last = max((note for note in calls if note), key=lambda note: note.ended, default=None)
    is_one = last is not None and all(note and note.session == last.session for note in calls)
    return last if is_one else None


def _last_of(change: DirectChange, notes: Sequence[NotedCall]) -> NotedCall | None:
    """The call that came to this revision, if its session alone leads to it; newest first."""
    last: NotedCall | None = None
    revision = str(change.after)
    for note in notes:
        before, after = note.documents.get(change.path, ("", ""))
        if after != revision or before == after or (last and note.session != last.session):
            continue
        last = last or note
        if before == change.before:
            return last
        revision = before
    return None


@dataclass(frozen=True, slots=True)
class WrittenPart:
    """The part of a change that one conversation wrote."""

    row: MessageRow
    """The last call of those that did."""
    is_whole: bool
    """Whether it is all of the change: else somebody else wrote the rest meanwhile."""


def written_part(
    proposal: Proposal,
    rows: Sequence[MessageRow],
    until: datetime,
    writers: Collection[str] = WRITERS,
) -> WrittenPart | None:
    """The part of a change that a conversation's calls wrote up to a moment; None for none."""
    texts = frozenset(text for text in _expected_texts(proposal) if text)
    missing, last = set(texts), None
    for row in rows:
        if row.at is not None and row.at > until:
            break
        wrote = {
            text
            for call in row.calls
            if call.name in writers
            for text in _texts_written(call, texts, proposal)
        }
        last = row if wrote else last
        missing -= wrote
    return None if last is None else WrittenPart(last, not missing and not proposal.changes_modes)


def may_write_unnoted(call: ToolCall, kind: Kind) -> bool:
    """Whether a call may have changed a document of this kind without a note of it."""
    if call.name == "terminal" and call.arguments.get("background"):
        return True  # What it started may write after the note was made.
    return call.name not in _READING | _NOTED[kind]


def exact_writer(origin: Origin | None) -> str | None:
    """The session that wrote something, where that is known and no likelihood."""
    is_exact = origin is not None and origin.known_by in (KnownBy.EXACT, KnownBy.LOG)
    return origin.sessions[0] if origin is not None and is_exact and origin.sessions else None


def describe_writer(origin: Origin | None) -> str:
    """The writer of a change in words, and how surely that is known."""
    if origin is None or origin.known_by is KnownBy.NOTHING:
        return "nobody knows who wrote it"
    sessions = ", ".join(origin.sessions[:_NAMED])
    if not sessions:
        return f"exact: {origin.reason}"
    if origin.is_approved:
        return f"approved in Hermes, session {sessions}"
    certainty = "likely" if origin.known_by is KnownBy.UNION else "exact"
    return f"{certainty}: session {sessions}"


def _expected_texts(proposal: Proposal) -> Iterator[str]:
    """The texts that the arguments of the writer must contain."""
    for edit in proposal.edits:
        match edit:
            case MemoryRemove(old_text=text):
                yield _plain(text)
            case SkillDelete(name):
                yield name
            case SkillRemoveFile(file=file):
                yield file
            case SkillPatch(old_string=old, new_string=""):
                yield _plain(old)
            case _:
                yield _plain(added_text(edit) or "")


def _texts_written(call: ToolCall, texts: Iterable[str], proposal: Proposal) -> Iterator[str]:
    arguments = [text for value in call.arguments.values() for text in _texts(value)]
    plain_arguments = [_plain(text) for text in arguments]
    if _name_target(arguments, proposal):
        yield from (text for text in texts if _is_argument(text, plain_arguments))


def _is_argument(text: str, arguments: Sequence[str]) -> bool:
    """Whether an argument is this text, holds it, or is the part of it that was to change."""
    return any(
        text == argument
        or (len(text) >= _TOLD and text in argument)
        or (len(argument) >= _TOLD and argument in text)
        for argument in arguments
    )


def _name_target(arguments: Sequence[str], proposal: Proposal) -> bool:
    """Whether the arguments name the memory, the skill or one of the documents."""
    targets = {proposal.target, *(document.path for document in proposal.outside)}
    return any(
        argument == target or argument.endswith(f"/{target}")
        for argument in arguments
        for target in targets
        if argument
    )


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for member in value.values():
            yield from _texts(member)
    elif isinstance(value, list):
        for member in value:
            yield from _texts(member)


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()
