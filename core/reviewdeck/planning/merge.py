"""A merge in the hands of an operator: three texts, the conflicts, what is resolved so far.

A value: every pick gives a new one, so undoing a pick is going back to the value before. Serialised
as plain values, so that an unfinished merge can be stored and resumed. It may be finished in the
operator's own editor. A dead proposal that is aimed at the nearest live text is a merge in which
everything is open; it is never applied by itself.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final, assert_never

from rapidfuzz import fuzz

from reviewdeck.model import (
    Conflict,
    Dead,
    Edit,
    Kind,
    MemoryRemove,
    MemoryReplace,
    Proposal,
    Ready,
    SkillPatch,
    StagedProposal,
)
from reviewdeck.planning.rebase import merge_for
from reviewdeck.planning.stage import stage
from reviewdeck.ports import Snapshot
from reviewdeck.text import entries, lines
from reviewdeck.text.conflicts import (
    Choice,
    Clean,
    Conflicted,
    Own,
    Part,
    Take,
    assemble,
    chosen,
    combined,
    from_data,
    parse,
    render,
    resolve,
    to_data,
)
from reviewdeck.text.conflicts import ConflictRegion as Place
from reviewdeck.text.diff import diff
from reviewdeck.text.merge import merge, merge_memory


@dataclass(frozen=True, slots=True)
class Sides:
    """The three texts of one document. None: there is no such file on that side."""

    path: str
    base: str | None
    live: str | None
    proposed: str | None
    base_known: bool = True

    @property
    def digest(self) -> str:
        """SHA-256 over the texts: what was decided for them is for no other texts."""
        said = json.dumps([self.path, self.base, self.live, self.proposed, self.base_known])
        return hashlib.sha256(said.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Decided:
    """What the document becomes: every place is decided."""

    text: str | None
    """None when it goes away."""


@dataclass(frozen=True, slots=True)
class Merging:
    """A merge as far as it has come."""

    sides: Sides
    ground: Conflicted
    """The text with its places. Their order gives them their numbers, from 0."""
    choices: Mapping[int, Choice] = field(default_factory=dict)
    kept: str | None = None
    """What an editor left that could not be read yet: nobody types it twice."""
    is_rewritten: bool = False
    """Whether the ground is what an editor left, and not what the merge itself came to."""
    places: tuple[Place, ...] = field(init=False, repr=False, compare=False)
    """All places, decided or not."""

    def __post_init__(self) -> None:
        """Finds the places once: a screen asks for them with every line."""
        object.__setattr__(self, "places", self.ground.hunks)

    @property
    def is_whole(self) -> bool:
        """Whether the document as a whole is the place: one side has no such file."""
        is_missing = self.sides.live is None or self.sides.proposed is None
        return is_missing and not self.is_rewritten

    @property
    def open(self) -> tuple[int, ...]:
        """The places that nobody has decided yet."""
        return tuple(at for at in range(len(self.places)) if at not in self.choices)

    @property
    def parts(self) -> tuple[Part, ...]:
        """The text as it stands: settled pieces, decided places as text, open ones as they are."""
        found: list[Part] = []
        at = -1
        for part in self.ground.parts:
            at += isinstance(part, Place)
            choice = self.choices.get(at)
            if isinstance(part, Place) and choice is not None:
                found.append(chosen(part, choice, self.ground.joint))
            else:
                found.append(part)
        return tuple(found)

    @property
    def result(self) -> Decided | Conflicted:
        """What the document becomes, or what is left to decide."""
        merged = assemble(list(self.parts), self.ground.joint)
        if isinstance(merged, Conflicted):
            return merged
        return Decided(self._whole(self.choices.get(0)) if self.is_whole else merged.text)

    def offers(self, at: int, take: Take) -> bool:
        """Whether a place can be decided like this."""
        return self.allows(self.places[at], take)

    def allows(self, place: Place, take: Take) -> bool:
        """The same of a place that is at hand."""
        match take:
            case Take.BASE:
                return self.sides.base_known and place.base is not None
            case Take.BOTH:
                return not self.is_whole and bool(place.ours) and bool(place.theirs)
            case Take.WORDS:
                return self.words(place) is not None
            case _:
                return True

    def words(self, place: Place) -> str | None:
        """One entry of a memory with the words of both sides, where each changed other ones."""
        return combined(place) if self.ground.joint and self.sides.base_known else None

    def pick(self, at: int, choice: Choice) -> Merging:
        """The same with a place decided. Raises IndexError for a place that does not exist."""
        self.places[at]
        return replace(self, choices={**self.choices, at: choice})

    def reopen(self, at: int) -> Merging:
        """The same with a place open again."""
        return replace(self, choices={n: one for n, one in self.choices.items() if n != at})

    def filled(self, take: Take) -> str:
        """The text when every open place is decided like this: for what can be said beforehand."""
        parts: list[Part] = [
            chosen(part, take, self.ground.joint) if isinstance(part, Place) else part
            for part in self.parts
        ]
        merged = assemble(parts, self.ground.joint)
        return merged.text if isinstance(merged, Clean) else ""

    def _whole(self, choice: Choice | None) -> str | None:
        match choice:
            case Own(text):
                return text
            case Take.BASE:
                return self.sides.base
            case Take.OURS:
                return self.sides.live
            case _:
                return self.sides.proposed


def merging_of(conflict: Conflict, proposal: Proposal) -> Merging:
    """The merge that a conflict asks for, with nothing decided."""
    base, live, proposed = map(_text, (conflict.base, conflict.live, conflict.proposed))
    sides = Sides(conflict.path, base, live, proposed, conflict.base_known)
    return Merging(sides, _ground(sides, proposal))


def _ground(sides: Sides, proposal: Proposal) -> Conflicted:
    live, proposed = sides.live, sides.proposed
    if live is not None and proposed is not None:
        if proposal.kind is Kind.MEMORY and not sides.base_known:
            return side_by_side(live, proposed)
        base = sides.base if sides.base_known else None
        merged = merge_for(proposal, sides.path)(base, live, proposed)
        if isinstance(merged, Conflicted):
            return merged
        if proposal.kind is Kind.MEMORY:  # both fit, and it is a guess what became of what
            return side_by_side(live, proposed)
    return Conflicted((Place(sides.base, live or "", proposed or ""),))


def side_by_side(live: str, proposed: str) -> Conflicted:
    """Two versions of a memory without an ancestor: what stands in the place of what is a choice.

    Never empty: where nothing differs, the whole document is the place.
    """
    newline = lines.newline_of(live)
    joint = lines.with_newline(entries.DELIMITER, newline)
    own, other = entries.parse(live), entries.parse(proposed)

    def joined(some: tuple[str, ...]) -> str:
        return lines.with_newline(entries.join(some), newline)

    parts: list[Part] = []
    at = 0
    for hunk in diff(own, other):
        parts.append(joined(own[at : hunk.a_start]))
        ours, theirs = own[hunk.a_start : hunk.a_end], other[hunk.b_start : hunk.b_end]
        parts.append(Place(None, joined(ours), joined(theirs), -1, hunk.a_start, hunk.b_start))
        at = hunk.a_end
    parts.append(joined(own[at:]))
    if len(parts) == 1:
        return Conflicted((Place(None, live, proposed),))
    merged = assemble(parts, joint)
    return merged if isinstance(merged, Conflicted) else Conflicted(tuple(parts), joint)


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", errors="replace")


class ChangedBy(StrEnum):
    """Whose change it is."""

    LIVE = "live"
    PROPOSED = "proposed"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Alone:
    """One change that merged by itself."""

    by: ChangedBy
    at: int
    """Index of the entry or line in the merged text."""
    removed: tuple[str, ...]
    added: tuple[str, ...]


def merged_alone(merging: Merging) -> tuple[Alone, ...]:
    """Every change outside of the places, in order. None is known without a base."""
    sides, ground = merging.sides, merging.ground
    if not sides.base_known or sides.base is None or merging.is_whole:
        return ()
    kept = resolve(ground, dict.fromkeys(range(len(ground.hunks)), Take.BASE))
    if not isinstance(kept, Clean) or kept.text == sides.base:
        return ()
    is_memory = bool(ground.joint)
    base, merged, live, proposed = (
        units_of(text or "", is_memory=is_memory)
        for text in (sides.base, kept.text, sides.live, sides.proposed)
    )
    known = frozenset(live), frozenset(proposed)
    found = []
    for hunk in diff(base, merged):
        removed, added = base[hunk.a_start : hunk.a_end], merged[hunk.b_start : hunk.b_end]
        by = _by(removed, added, *known)
        found.append(Alone(by, hunk.b_start, tuple(removed), tuple(added)))
    return tuple(found)


def units_of(text: str, *, is_memory: bool) -> list[str]:
    """What a text is made of: entries for a memory, else lines with their ends."""
    return list(entries.parse(text)) if is_memory else lines.split(text)


def _by(
    removed: Sequence[str], added: Sequence[str], live: frozenset[str], proposed: frozenset[str]
) -> ChangedBy:
    by_live, by_proposed = (
        all(unit in side for unit in added) and (bool(added) or _lacks(side, removed))
        for side in (live, proposed)
    )
    if by_live == by_proposed:
        return ChangedBy.BOTH
    return ChangedBy.LIVE if by_live else ChangedBy.PROPOSED


def _lacks(side: frozenset[str], removed: Sequence[str]) -> bool:
    return any(unit not in side for unit in removed)


def as_text(merging: Merging) -> str:
    """The whole document as it stands, open places between diff3 markers.

    What an editor left and nobody could read yet comes first.
    """
    if merging.kept is not None:
        return merging.kept
    if merging.is_whole and merging.open:
        return merging.sides.live or merging.sides.proposed or merging.sides.base or ""
    match merging.result:
        case Decided(text):
            return text or ""
        case Conflicted() as open_one:
            return render(open_one)


def read_back(merging: Merging, text: str) -> Merging:
    """The merge with what the editor left. Raises UnreadableMarkers; then nothing is changed.

    What was written in a place is that place's own text, which can be opened again. Where the text
    around the places was changed as well, the whole text is taken as it is.
    """
    if merging.is_whole:
        return replace(merging.pick(0, _choice(merging.places[0], text)), kept=None)
    read = parse(text, _rendered(merging))
    parts = (read.text,) if isinstance(read, Clean) else read.parts
    choices = _in_places(merging, parts)
    if choices is not None:
        return replace(merging, choices=choices, kept=None)
    joint = merging.ground.joint
    ground = read if isinstance(read, Conflicted) else Conflicted((read.text,), joint)
    return replace(merging, ground=ground, choices={}, kept=None, is_rewritten=True)


def _rendered(merging: Merging) -> Conflicted:
    result = merging.result
    return result if isinstance(result, Conflicted) else merging.ground


def _in_places(merging: Merging, parts: Sequence[Part]) -> dict[int, Choice] | None:
    """The choices that make these parts of the places; None when other text was changed too."""
    stretches = _stretches(parts)
    found: dict[int, Choice] = {}
    waiting: list[Part | int] = []
    at = -1
    for part in merging.ground.parts:
        if isinstance(part, str):
            waiting.append(part)
            continue
        at += 1
        if len(stretches) > 1 and at not in merging.choices and stretches[0][1] == part:
            (text, _), *stretches = stretches
            written = _match(waiting, _units(text, merging.ground.joint), merging.ground.joint)
            if written is None:
                return None
            found |= _choices(merging, written)
            waiting = []
        else:
            waiting.append(at)
    if len(stretches) != 1:
        return None
    written = _match(waiting, _units(stretches[0][0], merging.ground.joint), merging.ground.joint)
    return None if written is None else found | _choices(merging, written)


def _stretches(parts: Sequence[Part]) -> list[tuple[str, Place | None]]:
    """Settled text, each piece with the open place behind it; the last one has none."""
    found: list[tuple[str, Place | None]] = []
    text = ""
    for part in parts:
        if isinstance(part, str):
            text += part
        else:
            found.append((text, part))
            text = ""
    return [*found, (text, None)]


def _match(
    pattern: Sequence[Part | int], units: list[str], joint: str
) -> dict[int, list[str]] | None:
    """What stands in each place, when all that is settled around them stands where it stood."""
    found: dict[int, list[str]] = {}
    at = 0
    places: list[int] = []
    settled = [n for n, part in enumerate(pattern) if isinstance(part, str)]
    for number, part in enumerate(pattern):
        if isinstance(part, int):
            places.append(part)
        elif isinstance(part, str):
            known = _units(part, joint)
            is_last = number == settled[-1] and number == len(pattern) - 1
            start = len(units) - len(known) if is_last else _find(units, known, at)
            if start < at or units[start : start + len(known)] != known:
                return None
            if not _give(found, places, units[at:start]):
                return None
            places, at = [], start + len(known)
    return found if _give(found, places, units[at:]) else None


def _give(found: dict[int, list[str]], places: Sequence[int], units: list[str]) -> bool:
    """All to the first place; False when there is something and no place for it."""
    for place in places:
        found[place] = []
    if places:
        found[places[0]] = units
    return bool(places) or not units


def _find(units: list[str], known: list[str], at: int) -> int:
    if not known:
        return at
    for start in range(at, len(units) - len(known) + 1):
        if units[start] == known[0] and units[start : start + len(known)] == known:
            return start
    return -1


def _choices(merging: Merging, written: dict[int, list[str]]) -> dict[int, Choice]:
    joint = merging.ground.joint
    found: dict[int, Choice] = {}
    for at, units in written.items():
        text = joint.join(units)
        before = merging.choices.get(at)
        place = merging.places[at]
        is_same = before is not None and _same(chosen(place, before, joint), text, joint)
        found[at] = before if before is not None and is_same else _choice(place, text, joint)
    return found


def _choice(place: Place, text: str, joint: str = "") -> Choice:
    """A version where the text is just that, else the operator's own words."""
    sides = ((Take.OURS, place.ours), (Take.THEIRS, place.theirs), (Take.BASE, place.base))
    for take, side in sides:
        if side is not None and _same(side, text, joint):
            return take
    return Own(text)


def _same(one: str, other: str, joint: str) -> bool:
    return _units(one, joint) == _units(other, joint)


def _units(text: str, joint: str) -> list[str]:
    """Entries of a memory, else lines with their ends."""
    if not joint:
        return lines.split(text)
    return [piece for piece in text.split(joint) if piece]


VERSION: Final = 1


def to_progress(merging: Merging) -> dict[str, Any]:
    """What was decided, with the texts it was decided for. For JSON."""
    return {
        "v": VERSION,
        "path": merging.sides.path,
        "live": merging.sides.live,
        "ground": to_data(merging.ground),
        "choices": {str(at): _choice_data(one) for at, one in merging.choices.items()},
        "kept": merging.kept,
        "rewritten": merging.is_rewritten,
    }


def resumed(fresh: Merging, data: Mapping[str, Any]) -> Merging:
    """The merge where it was left, for the very same texts. Raises ValueError for other data."""
    return replace(_read(data), sides=fresh.sides)


def carried(fresh: Merging, data: Mapping[str, Any]) -> Merging:
    """A merge of newer texts with what still holds of an older one. Raises ValueError.

    A choice holds when its place is the same. A text of the operator's own holds when it merges
    with what has changed since.
    """
    old = _read(data)
    if old.is_rewritten:
        return _rewritten(fresh, old)
    known: dict[tuple[str | None, str, str], list[Choice]] = {}
    for at, place in enumerate(old.places):
        if at in old.choices:
            known.setdefault(_texts(place), []).append(old.choices[at])
    found: dict[int, Choice] = {}
    for at, place in enumerate(fresh.places):
        if same := known.get(_texts(place)):
            found[at] = same.pop(0)
    now = replace(fresh, choices=found)
    if old.kept is None:
        return now
    kept = merge(as_text(replace(old, kept=None)), as_text(now), old.kept)
    return replace(now, kept=kept.text) if isinstance(kept, Clean) else now


def _rewritten(fresh: Merging, old: Merging) -> Merging:
    result = old.result
    if not isinstance(result, Decided) or None in (result.text, old.sides.live, fresh.sides.live):
        return fresh
    is_memory = bool(fresh.ground.joint)
    texts = (old.sides.live or "", fresh.sides.live or "", result.text or "")
    merged = merge_memory(*texts) if is_memory else merge(*texts)
    if not isinstance(merged, Clean):
        return fresh
    ground = Conflicted((merged.text,), fresh.ground.joint)
    return replace(fresh, ground=ground, choices={}, is_rewritten=True)


def _read(data: Mapping[str, Any]) -> Merging:
    try:
        if data["v"] != VERSION:
            raise ValueError(f"version {data['v']!r} is not known")
        sides = Sides(data["path"], None, data["live"], None)
        ground = _ground_from(data["ground"])
        choices = {int(at): _choice_from(one) for at, one in data["choices"].items()}
        kept, rewritten = data["kept"], bool(data["rewritten"])
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"it is no stored merge: {error}") from error
    if not isinstance(kept, str | None) or not isinstance(sides.live, str | None):
        raise ValueError("it is no stored merge")
    if not all(0 <= at < len(ground.hunks) for at in choices):
        raise ValueError("a choice is for a place that does not exist")
    return Merging(sides, ground, choices, kept, rewritten)


def _ground_from(data: Mapping[str, Any]) -> Conflicted:
    found = from_data(data)
    return found if isinstance(found, Conflicted) else Conflicted((found.text,))


def _texts(place: Place) -> tuple[str | None, str, str]:
    return place.base, place.ours, place.theirs


def _choice_data(choice: Choice) -> dict[str, str]:
    match choice:
        case Own(text):
            return {"own": text}
        case Take():
            return {"take": choice.value}
        case _:
            assert_never(choice)


def _choice_from(data: Mapping[str, str]) -> Choice:
    return Own(data["own"]) if "own" in data else Take(data["take"])


MOST_EDITS: Final = 50
"""Of a batch that are tried as the one whose target is gone."""


@dataclass(frozen=True, slots=True)
class Reanchored:
    """The likely new place of a dead proposal, and the merge there."""

    merging: Merging
    place: str
    """The text that is live there."""
    likeness: float
    """Of that text and what was looked for, 0 to 100."""


def reanchor(staged: StagedProposal, snapshot: Snapshot) -> Reanchored | None:
    """A two-way merge at the nearest place; None where there is none, or nothing fits there."""
    dead = staged.outcome
    if not isinstance(dead, Dead) or not dead.candidate:
        return None
    proposal = staged.proposal
    for number, edit in enumerate(proposal.edits[:MOST_EDITS]):
        for aimed, sought in _aimed(edit, dead.candidate):
            edits = (*proposal.edits[:number], aimed, *proposal.edits[number + 1 :])
            found = stage(replace(proposal, edits=edits, bases={}), snapshot).outcome
            merging = _merging(found, proposal) if isinstance(found, Ready) else None
            if merging is not None:
                likeness = fuzz.token_set_ratio(sought.casefold(), dead.candidate.casefold())
                return Reanchored(merging, dead.candidate, likeness)
    return None


def _aimed(edit: Edit, candidate: str) -> Iterator[tuple[Edit, str]]:
    """The edit at another place, and what it looked for."""
    match edit:
        case MemoryReplace() | MemoryRemove():
            sought = edit.matched_entry or edit.old_text
            yield replace(edit, old_text=candidate, matched_entry=candidate), sought
        case SkillPatch():
            yield replace(edit, old_string=candidate, replace_all=False), edit.old_string
        case _:
            return


def _merging(found: Ready, proposal: Proposal) -> Merging | None:
    """Of several documents that change, the first; all of it is a choice."""
    change = next(iter(found.plan.changes), None)
    if change is None or change.before is None or change.after is None:
        return None
    live, proposed = change.before.decode("utf-8"), change.after.decode("utf-8")
    sides = Sides(change.path, None, live, proposed, base_known=False)
    if proposal.kind is Kind.MEMORY:
        return Merging(sides, side_by_side(live, proposed))
    merged = merge_for(proposal, change.path)(None, live, proposed)
    return Merging(sides, merged) if isinstance(merged, Conflicted) else None
