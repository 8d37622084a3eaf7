"""Which live entries and lines a sentence of the agent may come from, and who taught each.

The search is by words (`text/attribution`), the credit by blame: both are exact about what is
live, and neither proves what a model had in mind.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from reviewdeck import engine as parts
from reviewdeck.engine.history import Blamed, split_of
from reviewdeck.engine.source_turns import MatchedBy
from reviewdeck.errors import BadInput, UnknownId
from reviewdeck.model import Observation, Role
from reviewdeck.model.changes import DocumentChanges, PartChange, PartChangeKind
from reviewdeck.ports import Home
from reviewdeck.text.attribution import MOST, Attribution, attribute
from reviewdeck.values import dataclass

if TYPE_CHECKING:
    from reviewdeck.engine.engine import Engine
    from reviewdeck.engine.evaluation import Evaluation

LONGEST: Final = 64 * 1024
"""The most bytes of a text that is looked for."""
_ID: Final = 12
"""Digits of a line's id."""
_IDS: Final = "`reviewdeck why TEXT` shows the ids of the lines that are live."


@dataclass(frozen=True, slots=True)
class LiveLine:
    """One entry of a memory, or one line of another document, as it is now."""

    home: str
    path: str
    at: int
    """Its number in the document, from 0."""
    text: str
    is_entry: bool

    @property
    def id(self) -> str:
        """What `revert --line` takes: the same text of a document has the same one."""
        whole = f"{self.home}\0{self.path}\0{self.text}"
        return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:_ID]

    @property
    def place(self) -> str:
        """Its document and number, as people count."""
        return f"{self.path}, {'entry' if self.is_entry else 'line'} {self.at + 1}"


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A live line that a sentence may come from."""

    line: LiveLine
    shared: Attribution
    by: Observation | None = None
    """What added it; None where the ledger does not know it yet."""
    said: str = ""
    """The user's own words that taught it, if they are known."""


def check_text(text: str) -> str:
    """A text to look for, without the white space around it. Raises BadInput."""
    stripped = text.strip()
    if not stripped:
        raise BadInput("There is no sentence to look for.", hint="Quote what the agent said.")
    if (size := len(stripped.encode("utf-8", "surrogatepass"))) > LONGEST:
        raise BadInput(
            f"The text has {size:,} bytes: at most {LONGEST:,} are looked for.",
            hint="Quote the sentence that you want to know about.",
        )
    return stripped


def live_lines(home: Home) -> Iterator[LiveLine]:
    """All entries and lines of a home that say anything."""
    snapshot = home.snapshot()
    for path in home.documents():
        document = snapshot.document(path)
        if document.data is None or document.problem is not None:
            continue
        is_memory = snapshot.has_entries(path)
        for at, text in enumerate(split_of(is_memory=is_memory)(document.text)):
            if text.strip():
                yield LiveLine(home.id, path, at, text, is_memory)


def find_sources(engine: Engine, text: str, most: int = MOST) -> tuple[SourceLine, ...]:
    """The live lines that a text may come from, the likeliest first. Raises BadInput."""
    text = check_text(text)
    lines = [line for home in engine.homes for line in live_lines(home)]
    found = attribute(text, [line.text for line in lines], most)
    return with_credit(engine, [(lines[each.index], each) for each in found])


def with_credit(
    engine: Engine, found: Sequence[tuple[LiveLine, Attribution]]
) -> tuple[SourceLine, ...]:
    """The lines with what added each, and what the user said then."""
    blamed: dict[tuple[str, str], tuple[Blamed, ...]] = {}
    sources = []
    for line, shared in found:
        place = line.home, line.path
        if place not in blamed:
            blamed[place] = engine.blame(line.path, line.home)
        by = _author_of(line, blamed[place])
        sources.append(SourceLine(line, shared, by, _said(engine, by)))
    return tuple(sources)


def _author_of(line: LiveLine, blamed: Sequence[Blamed]) -> Observation | None:
    if line.at < len(blamed) and blamed[line.at].text == line.text:
        return blamed[line.at].added_by
    return next((part.added_by for part in blamed if part.text == line.text), None)


def _said(engine: Engine, by: Observation | None) -> str:
    """The user's words behind a change; empty where only the time tells the turn."""
    if by is None or by.proposal is None:
        return ""
    judgement = engine.ledger.judgement(by.proposal)
    if judgement is not None and judgement.said:
        return judgement.said
    behind = engine.source_turns(engine.ledger.proposal(by.proposal))
    if behind is None or not behind.is_recorded or behind.told_by is MatchedBy.TIME:
        return ""
    messages = behind.turns[-1][1].messages
    return next((each.text for each in messages if each.role is Role.USER), "")


def line_of(engine: Engine, id: str) -> LiveLine:
    """The live line of an id, or of a unique prefix of it. Raises UnknownId."""
    prefix = id.strip().lower()
    lines = (line for home in engine.homes for line in live_lines(home))
    matches = {line.id: line for line in lines if prefix and line.id.startswith(prefix)}
    if len(matches) == 1:
        return matches.popitem()[1]
    raise UnknownId(f"{id!r} could be several lines.", hint=_IDS) if matches else _no_line(id)


def revert_line(engine: Engine, line: LiveLine, reason: str) -> Evaluation:
    """The change that made a line, taken back: nothing is written yet.

    The line may have moved since it was read. One that was there before reviewdeck looked is
    removed by itself. Raises UnknownId, NotDecidable, BadInput.
    """
    home = engine.home(line.home)
    blamed = engine.blame(line.path, line.home)
    places = [at for at, part in enumerate(blamed) if part.text == line.text]
    latest = engine.ledger.latest(home.id).get(line.path)
    if not places or latest is None:
        raise _no_line(line.id)
    at = min(places, key=lambda place: abs(place - line.at))
    news = parts.changes.changes_since(
        engine.ledger, home, lambda path: None, only={line.path}, rows=False
    )
    for document in news:
        for change in document.changes:
            if change.at <= at < change.at + len(change.after):
                return parts.reverse.revert(engine, document, change, reason)
    removal = PartChange(PartChangeKind.ADDED, (), (line.text,), blamed[at].added_by, at)
    document = DocumentChanges(
        home.id, line.path, latest.revision, latest.revision, (), (removal,), line.is_entry
    )
    return parts.reverse.revert(engine, document, removal, reason)


def _no_line(id: str) -> UnknownId:
    return UnknownId(f"There is no line {id!r} now.", hint=_IDS)
