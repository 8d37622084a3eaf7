"""Documents as cards: the list, one document with its blame, its revisions. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import Final, overload

from reviewdeck.engine.history import Blamed, modes_told
from reviewdeck.model import ABSENT, Observation
from reviewdeck.policy.redact import redact
from reviewdeck.presentation.changes import talk_words, who_words
from reviewdeck.presentation.proposal_words import at_local
from reviewdeck.presentation.words import age_of, count
from reviewdeck.text.similarity import Kinship
from reviewdeck_tui.documents.library import SKILLS, DocumentPage, HeldDocument, Kin, Library
from reviewdeck_tui.proposal.panes import Ours
from reviewdeck_tui.widgets.cards import Card, Cards, Leaf

NAMES: Final = 30
"""Cells for names in the list."""
BLAME: Final = 26
"""Cells for who and when before the lines of a document."""
BAR: Final = 10
SHORT_BAR: Final = 6
"""In the list, where what waits and the age have to fit behind it."""
ALL: Final = 99.5
"""Likeness from which all that one says is in the other."""
_HEAD: Final = "/SKILL.md"


def list_cards(library: Library, now: datetime) -> tuple[Card, ...]:
    """Memories with their budgets, then skills by category, each with its files."""
    cards: list[Card] = []
    above = ""
    skills = {one.path.removesuffix(_HEAD) for one in library.held if one.path.endswith(_HEAD)}
    for one in library.held:
        skill = _skill_of(one.path, skills)
        heading = _heading(one, skill, library)
        if heading != above:
            title = Leaf("", lead=heading, lead_tone="heading", strong=True)
            cards.append(Card("", (title,), gap=bool(cards)))
            above = heading
        cards.append(Card(one.id, (_line(one, skill, now),)))
    return tuple(cards)


def _skill_of(path: str, skills: Collection[str]) -> str:
    """The directory of the skill that a document is of; its own when there is none."""
    above = path.rpartition("/")[0]
    while above and above not in skills:
        above = above.rpartition("/")[0]
    return above or path.rpartition("/")[0]


def _heading(one: HeldDocument, skill: str, library: Library) -> str:
    home = f"{library.homes.get(one.home, one.home)}: " if len(library.homes) > 1 else ""
    if one.is_memory:
        return f"{home}memories"
    category = skill.removeprefix(SKILLS).rpartition("/")[0]
    return f"{home}skills {category}".rstrip()


def _line(one: HeldDocument, skill: str, now: datetime) -> Leaf:
    said = [bar_words(one.size, one.limit, SHORT_BAR) if one.limit else count(one.size, "line")]
    if one.waiting:
        said.append(f"{one.waiting} waiting")
    said.append("never taken in" if one.latest is None else f"{age_of(one.latest.at, now)} ago")
    if one.problem:
        said = [redact(one.problem)]
    is_over = one.limit is not None and one.size > one.limit
    tone = "refused" if one.problem or is_over else "draft" if one.waiting else "quiet"
    return Leaf(" · ".join(said), tone, lead=redact(_name(one, skill)), lead_tone="text", most=1)


def _name(one: HeldDocument, skill: str) -> str:
    if one.is_memory:
        return one.path.rpartition("/")[2]
    if one.path == skill + _HEAD:
        return skill.rpartition("/")[2]
    return "└ " + one.path.removeprefix(f"{skill}/")


def bar_words(used: int, limit: int, cells: int = BAR) -> str:
    """How full a memory is: ``######---- 1620/2200``."""
    full = min(cells, round(cells * used / max(1, limit)))
    return f"{'█' * full}{'░' * (cells - full)} {used}/{limit}"


def page_cards(page: DocumentPage, now: datetime) -> Cards:
    """One document: entries as cards, anything else line by line with its blame."""
    if page.held.problem:
        return (Card("", (Leaf(page.held.problem, "refused"),)),)
    if not page.parts:
        return (Card("", (Leaf("It is empty.", "quiet"),)),)
    if page.held.is_memory:
        return tuple(_entry(page, number, now) for number in range(len(page.parts)))
    return LineCards(page, now)


def _entry(page: DocumentPage, number: int, now: datetime) -> Card:
    part = page.parts[number]
    by = part.brought_by
    leaves = [Leaf(line, "text", "•" if not at else " ") for at, line in enumerate(_lines(part))]
    leaves += [Leaf(_kin_words(kin, page.held.path), "flag") for kin in page.kin.get(number, ())]
    who = who_words(by, page.known, page.you)
    talk = talk_words(by, page.known)
    said = (f"{who} · {age_of(by.at, now)} ago", talk)
    aside = tuple(Leaf(Ours(words), "quiet") for words in said if words)
    return Card(f"{page.held.id}\n{number}", tuple(leaves), aside)


def _kin_words(kin: Kin, path: str) -> str:
    how = {Kinship.EXACT: "= the same as", Kinship.NORMALISED: "= the same words as"}
    near = "≈ one says more than the other:" if kin.match.score > ALL else ""
    said = how.get(kin.match.kinship, near or f"≈ {kin.match.score:.0f}% like")
    where = "" if kin.path == path else f" in {kin.path.rpartition('/')[2]}"
    short = " ".join(kin.text.split())
    return f"{said} “{short[:70]}{'…' if len(short) > 70 else ''}”{where}"


def _lines(part: Blamed) -> list[str]:
    return part.text.split("\n")


class LineCards(Sequence[Card]):
    """The lines of a document, each made when it is looked at."""

    def __init__(self, page: DocumentPage, now: datetime) -> None:
        self._page = page
        self._now = now

    def __len__(self) -> int:
        return len(self._page.parts)

    @overload
    def __getitem__(self, place: int) -> Card: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Card]: ...
    def __getitem__(self, place: int | slice) -> Card | Sequence[Card]:
        if isinstance(place, slice):
            return [self._card(at) for at in range(*place.indices(len(self)))]
        return self._card(range(len(self))[place])

    def _card(self, at: int) -> Card:
        parts = self._page.parts
        by = parts[at].brought_by
        is_first = at == 0 or parts[at - 1].brought_by != by
        lead = blame_words(by, self._page, self._now) if is_first else ""
        return Card(f"{self._page.held.id}\n{at}", (Leaf(parts[at].text, lead=lead),))


def blame_words(by: Observation, page: DocumentPage, now: datetime) -> str:
    """When and who, for a narrow margin."""
    return f"{age_of(by.at, now):>3} {who_words(by, page.known, page.you)}"


def history_cards(page: DocumentPage, picked: Sequence[int], now: datetime) -> tuple[Card, ...]:
    """The revisions, newest first; the letters are the sides of a comparison."""
    return tuple(_history(page, picked, now))


def _history(page: DocumentPage, picked: Sequence[int], now: datetime) -> Iterator[Card]:
    last, modes = len(page.history) - 1, modes_told(page.history)
    for number in range(last, -1, -1):
        seen = page.history[number]
        sign = "AB"[picked.index(number)] if number in picked else " "
        said = [who_words(seen, page.known, page.you), talk_words(seen, page.known)]
        said += ["it was gone"] if seen.revision == ABSENT else []
        said.insert(0, modes[number])
        said.append(at_local(seen.at)[:16])
        text = " · ".join(part for part in said if part)
        lead = f"{age_of(seen.at, now):>4}  {seen.revision[:8]}{'  live' if number == last else ''}"
        tone = "draft" if number in picked else "text"
        yield Card(f"{number}", (Leaf(Ours(text), tone, sign, lead=lead, most=1),))
