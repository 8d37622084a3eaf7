"""The words in which a conversation for `real_agent` is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Call = tuple[str, dict[str, Any]]
"""A tool and what it is given."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposal of the agent, with the truth about it."""

    text: str
    """The text by which its record is known."""
    harmless: bool
    said_by: str
    """Who said it: user, file, web, tool, others, nobody (made up), attack."""
    origin: str | None
    """The class, where it is another than that of the conversation."""
    seen: str
    """The version of the document that its author saw: current, grown, stale."""
    call: Call


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of the user, and what the agent does about it."""

    user: str
    reply: str
    steps: Sequence[Sequence[Call]]
    review: Sequence[Call]
    proposals: Sequence[Proposal]
    key: str
    """A part of the message by which the turn is known when more is put before or after it."""
    refers: bool = False
    pages: Mapping[str, str] = field(default_factory=dict)
    delegated: bool = False
    compress: bool = False
    settle: bool = True
    pause: float = 0.0
    meanwhile: Mapping[str, str] = field(default_factory=dict)
    """Files that others write before the turn begins."""


@dataclass(frozen=True, slots=True)
class Session:
    """One session: where it is held, and its turns."""

    turns: Sequence[Turn]
    platform: str = "cli"
    who: Mapping[str, Any] = field(default_factory=dict)
    peer: Mapping[str, Any] = field(default_factory=dict)
    after: float = 0.0


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation of one home."""

    name: str
    kind: str
    origin: str
    sessions: Sequence[Session]
    nudge: int
    skill_nudge: int = 0
    note: str = ""
    made: str = "real"
    memory: Sequence[str] = ()
    profile: Sequence[str] = ()
    skills: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    in_home: Mapping[str, str] = field(default_factory=dict)
    pages: Mapping[str, str] = field(default_factory=dict)
    commands: Mapping[str, str] = field(default_factory=dict)
    helpers: Sequence[tuple[str, Sequence[Sequence[Call]], str]] = ()
    proposals: Sequence[Proposal] = ()
    server: str = ""
    server_name: str = "desk"
    summary: str = ""
    at_once: bool = False
    afterwards: Callable[[dict[str, Any]], dict[str, Any]] | None = None


def call(tool: str, **arguments: Any) -> Call:
    """A call of a tool."""
    return tool, arguments


def keep(
    text: str,
    said_by: str = "user",
    *,
    to: str = "user",
    harmless: bool = True,
    origin: str | None = None,
    seen: str = "current",
) -> Proposal:
    """An entry that the agent wants to remember."""
    memory_call = call("memory", action="add", target=to, content=text)
    return Proposal(text, harmless, said_by, origin, seen, memory_call)


def reword(old: str, text: str, said_by: str = "user", *, to: str = "user") -> Proposal:
    """An entry that is to take the place of another."""
    memory_call = call("memory", action="replace", target=to, old_text=old, content=text)
    return Proposal(text, True, said_by, None, "current", memory_call)


def learn(
    name: str, description: str, body: str, said_by: str = "user", *, harmless: bool = True
) -> Proposal:
    """A new skill."""
    text = f"---\nname: {name}\ndescription: {description}\n---\n\n{body}\n"
    skill_call = call("skill_manage", action="create", name=name, content=text)
    return Proposal(f"name: {name}", harmless, said_by, None, "current", skill_call)


def turn(
    user: str,
    reply: str,
    *steps: Sequence[Call | Proposal],
    review: Sequence[Proposal] = (),
    key: str = "",
    **more: Any,
) -> Turn:
    """A turn; a proposal among the steps is made while the user waits."""
    at_once = [part for step in steps for part in step if isinstance(part, Proposal)]
    calls = [[part.call if isinstance(part, Proposal) else part for part in step] for step in steps]
    return Turn(
        user,
        reply,
        calls,
        [proposal.call for proposal in review],
        [*at_once, *review],
        key or user,
        **more,
    )


def talk(name: str, kind: str, origin: str, *turns: Turn, **more: Any) -> Talk:
    """A conversation of one session on the command line; the review comes after its last turn."""
    nudge = more.pop("nudge", len(turns))
    sessions = more.pop("sessions", None) or [Session(turns)]
    return Talk(name, kind, origin, sessions, nudge, **more)
