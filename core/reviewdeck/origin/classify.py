"""The class of a conversation: the worst of everything that took part in it."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, assert_never

from reviewdeck.model import OriginClass, Participant, Utterance
from reviewdeck.origin.commands import fetches
from reviewdeck.origin.conversation import (
    Conversation,
    MessageRow,
    SessionPart,
    SessionRows,
    ToolCall,
)
from reviewdeck.origin.tools import ToolKind, kind_of, searches_by_itself
from reviewdeck.origin.user_row import read_user_row
from reviewdeck.ports.conversations import Trust

_USER, _WORKSPACE = OriginClass.USER, OriginClass.WORKSPACE
_OUTSIDE, _UNKNOWN = OriginClass.OUTSIDE, OriginClass.UNKNOWN

TERMINALS: Final = frozenset({"", "cli", "tui"})
"""Platforms on which nobody but the account itself types. Empty: a conversation handed over."""
PROGRAMS: Final = frozenset({"api_server", "acp", "curator", "webhook", "sdk"})
"""Platforms on which a program holds the conversation, and may keep a part of it to itself."""

_CONNECTORS: Final = "connectors"
"""Stands in the answer of a catalogue that lists tools of remote accounts, or asked for them."""

_RANK: Final = {_USER: 0, _WORKSPACE: 1, OriginClass.UNRECORDED: 2, _UNKNOWN: 3, _OUTSIDE: 4}
DETAIL: Final = 200
_EXCERPT: Final = 300
_NAMED: Final = 80
"""Characters of what a participant was asked for that a reason repeats."""
_DECIDING: Final = 12
"""So many messages that decided the class are kept as evidence."""
_BUILT_IN: Final = re.compile(
    r"^\[(?:server_tool_use|mcp_tool_use|\w+_tool_result|\w+_search_call|mcp_call)\]$", re.MULTILINE
)
"""A block of a provider's own tool in a recorded message."""
_HIDDEN: Final = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]+")


@dataclass(frozen=True, slots=True)
class Classified:
    """The class of a conversation with its evidence."""

    kind: OriginClass
    reason: str
    utterances: tuple[Utterance, ...] = ()
    participants: tuple[Participant, ...] = ()


@dataclass(frozen=True, slots=True)
class _RowReading:
    """One row: what was typed in it and what it brought in."""

    row: MessageRow
    session: SessionRows
    words: str = ""
    others: tuple[Participant, ...] = ()


def worst_class(kinds: Iterable[OriginClass]) -> OriginClass:
    """The worst of these classes; `user` when there are none."""
    return max(kinds, key=_RANK.__getitem__, default=_USER)


def classify(conversation: Conversation, trust: Trust) -> Classified:
    """The class of everything that took part, with its evidence."""
    readings = [
        row for session in conversation.sessions for row in _read_rows(session, conversation, trust)
    ]
    settings = [
        participant
        for session in conversation.sessions
        for participant in _session_participants(session, trust)
    ]
    everybody = [
        *settings,
        *(other for row in readings for other in row.others),
        *conversation.also,
    ]
    participants = _distinct(everybody)
    kind = worst_class(participant.origin for participant in participants)
    reason = _reason(kind, participants)
    if conversation.missing:
        kind, reason = _UNKNOWN, conversation.missing
    return Classified(kind, reason, _utterances(readings), participants)


def is_account(session: SessionRows, trust: Trust) -> bool:
    """Whether only the account itself speaks as the user of this session."""
    if session.source in TERMINALS and session.chat_type in ("", "dm"):
        return True  # In a group's session that goes on in a terminal, others speak too.
    return session.chat_type == "dm" and f"{session.source}:{session.user_id}" in trust.accounts


def _session_participants(session: SessionRows, trust: Trust) -> Iterator[Participant]:
    """The participants that a session has by its platform."""
    if session.has_context_files:
        yield Participant("context files", _WORKSPACE, _plain(session.cwd), session.id)
    for model in filter(searches_by_itself, session.models):
        yield Participant("model with a search of its own", _OUTSIDE, _plain(model), session.id)
    if (
        session.part is SessionPart.DELEGATED
        or session.source == "subagent"
        or is_account(session, trust)
    ):
        return
    name, detail = f"session from {session.source}", ""
    if session.source in PROGRAMS:
        yield Participant(_name(name), _UNKNOWN, "", session.id)
        return
    if session.chat_type == "dm":
        name, detail = "direct messages", f"{session.source}:{session.user_id}"
    elif session.chat_type:
        name, detail = "group chat", f"{session.source} {session.chat_type}"
    yield Participant(_name(name), _OUTSIDE, _plain(detail), session.id)


def _read_rows(
    session: SessionRows, conversation: Conversation, trust: Trust
) -> Iterator[_RowReading]:
    made = Counter(call.id for row in session.rows for call in row.calls if call.id)
    answered = Counter(row.call for row in session.rows if row.role == "tool")
    speaks = session.part in (SessionPart.OWN, SessionPart.ANCESTOR) and is_account(session, trust)
    delegated = _are_all_back(conversation, trust)
    results = _results(session)
    for row in session.rows:
        others = [
            *_row_participants(row),
            *_call_participants(row, session, conversation, trust, delegated, results),
        ]
        words = ""
        match row.role:
            case "user" if (
                session.source != "subagent" and session.part is not SessionPart.DELEGATED
            ):
                typed = read_user_row(row.text, conversation.pastes)
                others += typed.others
                if typed.skill:
                    others += _skill_participants(typed.skill, conversation)
                if typed.is_report and not _sent_any(conversation):
                    others.append(Participant("report of an agent", _OUTSIDE))
                is_spoken = speaks and not (row.is_observed or row.is_cut or row.is_rewound)
                words = typed.words if is_spoken and not row.is_summary else ""
            case "user":
                if not _is_task(row, session):
                    others += read_user_row(row.text).others
            case "tool" if answered[row.call] > made[row.call]:
                others += _result_participants(row, trust, conversation)
            case _:
                pass
        participants = tuple(_cleaned(other, session) for other in others)
        if words or any(participant.origin is not _USER for participant in participants):
            yield _RowReading(row, session, words, participants)


def _results(session: SessionRows) -> Mapping[str, str]:
    """The results by their calls' ids: of an id all, as some model servers repeat theirs."""
    results: dict[str, str] = {}
    for row in session.rows:
        if row.role == "tool":
            results[row.call] = f"{results.get(row.call, '')}\n{row.text}"
    return results


def _are_all_back(conversation: Conversation, trust: Trust) -> bool:
    """Whether as many agents left a session as were sent."""
    sent = {
        (session.id, call.id, repr(call.arguments)): _count(call)
        for session in conversation.sessions
        for row in session.rows
        for call in row.calls
        if kind_of(call.name, trust, conversation.tools) is ToolKind.DELEGATE
    }
    delegated = {
        session.sent_by or session.id
        for session in conversation.sessions[1:]
        if session.source == "subagent"
    }
    return len(delegated) >= sum(sent.values())


def _sent_any(conversation: Conversation) -> bool:
    return any(session.source == "subagent" for session in conversation.sessions[1:])


def _count(call: ToolCall) -> int:
    tasks = call.arguments.get("tasks")
    return max(1, len(tasks)) if isinstance(tasks, list) else 1


def _is_task(row: MessageRow, session: SessionRows) -> bool:
    """Whether this is the task that an agent gave to another one: the first message."""
    return (
        next((message.id for message in session.rows if message.role == "user"), row.id) == row.id
    )


def _row_participants(row: MessageRow) -> Iterator[Participant]:
    """The participants that a row shows by itself, whoever it is from."""
    if row.is_observed:
        yield Participant("observed message", _OUTSIDE)
    if row.added:
        yield Participant("added context", _OUTSIDE, row.added)
    if row.role == "assistant" and (match := _BUILT_IN.search(row.text)):
        yield Participant("tool of the model's provider", _OUTSIDE, match[0])
    if row.is_mirrored:
        yield Participant("mirrored message", _OUTSIDE, row.text)
    if row.is_cut and row.role == "user":
        yield Participant("message beyond reading", _OUTSIDE)
    if row.role not in ("user", "assistant", "tool", "system", "session_meta"):
        yield Participant(f"message from {row.role}", _OUTSIDE)


def _call_participants(
    row: MessageRow,
    session: SessionRows,
    conversation: Conversation,
    trust: Trust,
    delegated: bool,
    results: Mapping[str, str],
) -> Iterator[Participant]:
    for call in row.calls:
        kind = kind_of(call.name, trust, conversation.tools)
        if kind is ToolKind.DELEGATE and not delegated:
            yield Participant(call.name, _OUTSIDE, "no session of the agent that it started")
        elif kind is ToolKind.CATALOGUE and _CONNECTORS in results.get(call.id, _CONNECTORS):
            yield Participant(call.name, _OUTSIDE, _detail(call.arguments))
        elif kind is ToolKind.SKILL:
            yield from _skill_participants(str(call.arguments.get("name", "")), conversation)
        else:
            yield _participant_of(call, kind, session, conversation.own_files)


def _participant_of(
    call: ToolCall, kind: ToolKind, session: SessionRows, own_files: frozenset[str]
) -> Participant:
    detail = _detail(call.arguments)
    match kind:
        case (
            ToolKind.OWN | ToolKind.SKILL | ToolKind.SEARCH | ToolKind.DELEGATE | ToolKind.CATALOGUE
        ):
            return Participant(call.name, _USER, detail)
        case ToolKind.WORKSPACE:
            return Participant(call.name, _WORKSPACE, detail)
        case ToolKind.OUTSIDE:
            return Participant(call.name, _OUTSIDE, detail)
        case ToolKind.FILES:
            path = call.arguments.get("path") or call.arguments.get("file_path")
            is_own = isinstance(path, str) and posixpath.join(session.cwd, path) in own_files
            return Participant(call.name, _USER if is_own else _WORKSPACE, detail)
        case ToolKind.COMMAND:
            line = call.arguments.get("command")
            local = call.is_readable and isinstance(line, str) and not fetches(line)
            return Participant(call.name, _WORKSPACE if local else _OUTSIDE, detail)
        case _:
            assert_never(kind)


def _result_participants(
    row: MessageRow, trust: Trust, conversation: Conversation
) -> Iterator[Participant]:
    """A result whose call nobody kept: only its own word says which tool it is from."""
    kind = kind_of(row.tool, trust, conversation.tools) if row.tool else ToolKind.OUTSIDE
    match kind:
        case ToolKind.OWN:
            return
        case ToolKind.WORKSPACE | ToolKind.FILES:
            yield Participant(row.tool, _WORKSPACE)
        case _:
            yield Participant(row.tool or "unknown tool", _OUTSIDE)


def _skill_participants(skill: str, conversation: Conversation) -> Iterator[Participant]:
    """A skill that was read: the agent's own, or somebody else's."""
    name = skill.rpartition("/")[2]
    if conversation.own_skills is None or name not in conversation.own_skills:
        yield Participant("skill of others", _OUTSIDE, skill)


def _detail(arguments: Mapping[str, Any]) -> str:
    """The argument that says most of a call: its command, address or path."""
    for key in ("command", "url", "urls", "path", "file_path", "query", "goal", "name", "code"):
        if value := arguments.get(key):
            if isinstance(value, list):
                return " ".join(map(str, value))
            return value if isinstance(value, str) else str(value)
    return ""


def _cleaned(participant: Participant, session: SessionRows) -> Participant:
    """A participant with nothing in its name and detail that hides or steers."""
    return Participant(
        _name(participant.name),
        participant.origin,
        _plain(participant.detail),
        participant.session or session.id,
    )


def _name(text: str) -> str:
    return _HIDDEN.sub(" ", text[: 2 * DETAIL]).strip()[:64] or "unknown tool"


def _plain(text: str) -> str:
    return _HIDDEN.sub(" ", text[: 4 * DETAIL]).strip()[:DETAIL]


def _distinct(participants: Sequence[Participant]) -> tuple[Participant, ...]:
    """Each participant once, worst first; what brought nothing in is left out."""
    distinct = dict.fromkeys(
        participant for participant in participants if participant.origin is not _USER
    )
    return tuple(sorted(distinct, key=lambda participant: -_RANK[participant.origin]))


def _reason(kind: OriginClass, participants: Sequence[Participant]) -> str:
    if not participants:
        return "Only you, the agent and its own memory tools were involved."
    names = list(
        dict.fromkeys(
            _describe(participant) for participant in participants if participant.origin is kind
        )
    )
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    listed = ", ".join(names[:3]) + more
    match kind:
        case OriginClass.WORKSPACE:
            return f"Input from the workspace: {listed}."
        case OriginClass.OUTSIDE:
            return f"Untrusted input: {listed}."
        case _:
            return f"Unknown input: {listed}."


def _describe(participant: Participant) -> str:
    """A participant with what it was asked for: the page, the command, the path."""
    detail = (
        participant.detail
        if len(participant.detail) <= _NAMED
        else f"{participant.detail[: _NAMED - 1]}…"
    )
    return f"{participant.name} ({detail})" if detail else participant.name


def _utterances(readings: Sequence[_RowReading]) -> tuple[Utterance, ...]:
    """Every typed message once, and the messages that decided the class."""
    level = worst_class(other.origin for entry in readings for other in entry.others)
    utterances: dict[tuple[str, str, str], Utterance] = {}
    deciding = 0
    for entry in readings:
        row, session = entry.row, entry.session.id
        if entry.words:
            utterance = Utterance(session, "user", entry.words, row.at, is_typed=True)
            utterances.setdefault((session, "typed", entry.words), utterance)
        if level is _USER or deciding >= _DECIDING:
            continue
        for other in entry.others:
            if other.origin is level and deciding < _DECIDING:
                text = row.text.strip()[:_EXCERPT] or f"{other.name} {other.detail}".strip()
                evidence = utterances.setdefault(
                    (session, row.role, text), Utterance(session, row.role, text, row.at)
                )
                deciding += evidence.text == text
                break
    return tuple(utterances.values())


def merge_accounts(classes: Sequence[Classified]) -> Classified:
    """The worst of several accounts of one conversation, with the evidence of all."""
    kind = worst_class(account.kind for account in classes)
    first = next(account for account in classes if account.kind is kind)
    said = dict.fromkeys(said for account in classes for said in account.utterances)
    return replace(
        first,
        utterances=tuple(said),
        participants=_distinct([other for account in classes for other in account.participants]),
    )
