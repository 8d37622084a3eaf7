"""One SKILL.md as one agent takes it: listed or not, what acts in it, and what is loaded of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import assert_never

from reviewdeck.reading.agents import Agent, Beyond, Unit
from reviewdeck.reading.frontmatter import Reading, read
from reviewdeck.reading.listing import Listing, Shown, Uncertain, Unlisted, listing
from reviewdeck.values import dataclass


@dataclass(frozen=True, slots=True)
class Account:
    """What one agent makes of one SKILL.md."""

    agent: Agent
    listing: Listing
    reading: Reading
    body: str
    """The text that reaches the model when it loads the skill."""
    cut: str = ""
    """How the body is cut, in words; empty where it is whole."""

    @property
    def keys(self) -> tuple[tuple[str, str], ...]:
        """The keys of its front matter that do something, each with what it does."""
        acts = self.agent.acts or {}
        return tuple((key, acts[key]) for key in self.reading.fields if key in acts)

    @property
    def words(self) -> str:
        """The listing in one clause, without the agent's name."""
        match self.listing:
            case Shown(name, description, hidden):
                text = " ".join(description.split())
                shown = f"{text[:77]}..." if len(text) > 80 else text
                verb = "keeps from the model" if hidden else "lists"
                return f"{verb} `{name}`" + (f": {shown}" if shown else ", without a description")
            case Unlisted(reason):
                return f"does not list it: {reason}"
            case Uncertain(reason):
                return f"may list it: {reason}"
            case _:
                assert_never(self.listing)

    @property
    def given(self) -> str | None:
        """All text of the skill that the agent's model is given; None where that is not known."""
        match self.listing:
            case Unlisted():
                return ""
            case Uncertain():
                return None
            case Shown(name, description):
                front = self.reading.front if self.agent.loads_front else ""
                acting = (f"{key}: {self.reading.fields[key]}" for key, _ in self.keys)
                return "\n".join((f"{name}: {description}", *acting, front, self.body))
            case _:
                assert_never(self.listing)


def account(data: bytes, directory: str, agent: Agent) -> Account:
    """A SKILL.md in a directory, relative to the folder of skills, as an agent takes it."""
    reading = read(data, agent)
    body, cut = _loaded(reading.body, data, agent)
    return Account(agent, listing(data, directory, agent), reading, body, cut)


def otherwise(account: Account, others: Sequence[Account]) -> Iterator[Account]:
    """Those that show their models something else than this one."""
    for other in others:
        if other.agent is not account.agent and _essence(other) != _essence(account):
            yield other


def _essence(account: Account) -> object:
    match account.listing:
        case Shown(name, description, hidden):
            return name.partition(" (")[0], " ".join(description.split()), hidden
        case Unlisted() | Uncertain():
            return type(account.listing)
        case _:
            assert_never(account.listing)


def _loaded(body: str, data: bytes, agent: Agent) -> tuple[str, str]:
    limit = agent.limit
    if limit is None:
        return body, ""
    size = len(data) if limit.unit is Unit.BYTES else len(body)
    if size <= limit.above:
        return body, ""
    words = f"{size:,} {limit.unit}, above {limit.above:,}: {limit.beyond}"
    match limit.beyond:
        case Beyond.HEAD:
            return body[: limit.kept], f"{words}, {limit.kept:,} of them"
        case Beyond.ENDS:
            half = limit.kept // 2
            return f"{body[:half]}\n[...]\n{body[-half:]}", f"{words}, {limit.kept:,} of them"
        case Beyond.REFUSED:
            return "", words
        case _:
            assert_never(limit.beyond)
