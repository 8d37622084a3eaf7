"""An interactive merge: three texts, their conflicts, and the choices made so far.

It is an immutable value: every pick returns a new one, so undoing a pick means going back to the
previous value. It is stored as JSON, so an unfinished merge can be resumed, and it can be finished
in the operator's own editor. A dead proposal can be re-anchored at the nearest live text: that is a
merge in which every place is open, and it is never applied automatically.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
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
    OwnText,
    Part,
    Take,
    assemble,
    combine_conflict,
    from_data,
    parse,
    render,
    resolve,
    text_of_choice,
    to_data,
)
from reviewdeck.text.conflicts import ConflictRegion as Place
from reviewdeck.text.diff import diff
from reviewdeck.text.lines import decoded
from reviewdeck.text.merge import merge, merge_memory
from reviewdeck.values import dataclass


@dataclass(frozen=True, slots=True)
class Sides:
    """The three texts of one document; None where a side has no such file."""

    path: str
    base: str | None
    live: str | None
    proposed: str | None
    base_known: bool = True

    @property
    def digest(self) -> str:
        """SHA-256 over the texts: choices are valid for these texts only."""
        texts = json.dumps([self.path, self.base, self.live, self.proposed, self.base_known])
        return hashlib.sha256(texts.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Decided:
    """The result of a merge in which every place is decided."""

    text: str | None
    """None when the document is removed."""


@dataclass(frozen=True, slots=True)
class MergeProgress:
    """A merge and the choices made so far."""

    sides: Sides
    merged: Conflicted
    """The merged text with its places, which are numbered in order from 0."""
    choices: Mapping[int, Choice] = field(default_factory=dict)
    unparsed: str | None = None
    """Text from the editor that could not be parsed yet, saved so that it is not lost."""
    is_rewritten: bool = False
    """Whether the ground comes from the editor and not from the merge."""
    places: tuple[Place, ...] = field(init=False, repr=False, compare=False)
    """All places, decided or open."""

    def __post_init__(self) -> None:
        """Computes the places once: a screen reads them for every line."""
        object.__setattr__(self, "places", self.merged.hunks)

    @property
    def is_whole_document(self) -> bool:
        """Whether the whole document is one place, because a side has no such file."""
        is_missing = self.sides.live is None or self.sides.proposed is None
        return is_missing and not self.is_rewritten

    @property
    def open(self) -> tuple[int, ...]:
        """Numbers of the places that are not decided yet."""
        return tuple(at for at in range(len(self.places)) if at not in self.choices)

    @property
    def parts(self) -> tuple[Part, ...]:
        """The current text in parts: merged pieces, the text of decided places, and open places."""
        parts: list[Part] = []
        at = -1
        for part in self.merged.parts:
            at += isinstance(part, Place)
            choice = self.choices.get(at)
            if isinstance(part, Place) and choice is not None:
                parts.append(text_of_choice(part, choice, self.merged.joint))
            else:
                parts.append(part)
        return tuple(parts)

    @property
    def result(self) -> Decided | Conflicted:
        """The decided document, or the text with the places that are still open."""
        merged = assemble(list(self.parts), self.merged.joint)
        if isinstance(merged, Conflicted):
            return merged
        return Decided(
            self._document_for(self.choices.get(0)) if self.is_whole_document else merged.text
        )

    def offers(self, at: int, take: Take) -> bool:
        """Whether this choice is available for a place, by its number."""
        return self.allows(self.places[at], take)

    def allows(self, place: Place, take: Take) -> bool:
        """Whether this choice is available for a place."""
        match take:
            case Take.BASE:
                return self.sides.base_known and place.base is not None
            case Take.BOTH:
                return not self.is_whole_document and bool(place.ours) and bool(place.theirs)
            case Take.WORDS:
                return self.words(place) is not None
            case _:
                return True

    def words(self, place: Place) -> str | None:
        """A memory entry with the words of both sides; None where they changed the same words."""
        return combine_conflict(place) if self.merged.joint and self.sides.base_known else None

    def pick(self, at: int, choice: Choice) -> MergeProgress:
        """The merge with a place decided. Raises IndexError for a place that does not exist."""
        self.places[at]
        return replace(self, choices={**self.choices, at: choice})

    def reopen(self, at: int) -> MergeProgress:
        """The merge with a place open again."""
        return replace(self, choices={n: choice for n, choice in self.choices.items() if n != at})

    def text_with(self, take: Take) -> str:
        """The text with every open place decided like this, to check it before the choice."""
        parts: list[Part] = [
            text_of_choice(part, take, self.merged.joint) if isinstance(part, Place) else part
            for part in self.parts
        ]
        merged = assemble(parts, self.merged.joint)
        return merged.text if isinstance(merged, Clean) else ""

    def _document_for(self, choice: Choice | None) -> str | None:
        match choice:
            case OwnText(text):
                return text
            case Take.BASE:
                return self.sides.base
            case Take.OURS:
                return self.sides.live
            case _:
                return self.sides.proposed


def start_merge(conflict: Conflict, proposal: Proposal) -> MergeProgress:
    """The merge for a conflict, with every place open."""
    base, live, proposed = map(decoded, (conflict.base, conflict.live, conflict.proposed))
    sides = Sides(conflict.path, base, live, proposed, conflict.base_known)
    return MergeProgress(sides, _ground(sides, proposal))


def _ground(sides: Sides, proposal: Proposal) -> Conflicted:
    live, proposed = sides.live, sides.proposed
    if live is not None and proposed is not None:
        if proposal.kind is Kind.MEMORY and not sides.base_known:
            return side_by_side(live, proposed)
        base = sides.base if sides.base_known else None
        merged = merge_for(proposal, sides.path)(base, live, proposed)
        if isinstance(merged, Conflicted):
            return merged
        if proposal.kind is Kind.MEMORY:  # both fit, but which entry became which is a guess
            return side_by_side(live, proposed)
    return Conflicted((Place(sides.base, live or "", proposed or ""),))


def side_by_side(live: str, proposed: str) -> Conflicted:
    """Two versions of a memory without an ancestor: every difference is a place.

    Has at least one place: where nothing differs, it is the whole document.
    """
    newline = lines.newline_of(live)
    joint = lines.with_newline(entries.DELIMITER, newline)
    our_entries, their_entries = entries.parse(live), entries.parse(proposed)

    def joined(joined_entries: tuple[str, ...]) -> str:
        return lines.with_newline(entries.join(joined_entries), newline)

    parts: list[Part] = []
    at = 0
    for hunk in diff(our_entries, their_entries):
        parts.append(joined(our_entries[at : hunk.a_start]))
        ours, theirs = (
            our_entries[hunk.a_start : hunk.a_end],
            their_entries[hunk.b_start : hunk.b_end],
        )
        parts.append(Place(None, joined(ours), joined(theirs), -1, hunk.a_start, hunk.b_start))
        at = hunk.a_end
    parts.append(joined(our_entries[at:]))
    if len(parts) == 1:
        return Conflicted((Place(None, live, proposed),))
    merged = assemble(parts, joint)
    return merged if isinstance(merged, Conflicted) else Conflicted(tuple(parts), joint)


class ChangedBy(StrEnum):
    """The side or sides that made a change."""

    LIVE = "live"
    PROPOSED = "proposed"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class CleanChange:
    """A change that merged without a conflict."""

    by: ChangedBy
    at: int
    """Index of the entry or line in the merged text."""
    removed: tuple[str, ...]
    added: tuple[str, ...]


def clean_changes(merging: MergeProgress) -> tuple[CleanChange, ...]:
    """The changes outside of the places, in order. Empty without a base."""
    sides, ground = merging.sides, merging.merged
    if not sides.base_known or sides.base is None or merging.is_whole_document:
        return ()
    settled = resolve(ground, dict.fromkeys(range(len(ground.hunks)), Take.BASE))
    if not isinstance(settled, Clean) or settled.text == sides.base:
        return ()
    is_memory = bool(ground.joint)
    base, merged, live, proposed = (
        units_of(text or "", is_memory=is_memory)
        for text in (sides.base, settled.text, sides.live, sides.proposed)
    )
    side_units = frozenset(live), frozenset(proposed)
    changes = []
    for hunk in diff(base, merged):
        removed, added = base[hunk.a_start : hunk.a_end], merged[hunk.b_start : hunk.b_end]
        by = _author_of(removed, added, *side_units)
        changes.append(CleanChange(by, hunk.b_start, tuple(removed), tuple(added)))
    return tuple(changes)


def units_of(text: str, *, is_memory: bool) -> list[str]:
    """The units of a text: entries of a memory, else lines with their ends."""
    return list(entries.parse(text)) if is_memory else lines.split(text)


def _author_of(
    removed: Sequence[str], added: Sequence[str], live: frozenset[str], proposed: frozenset[str]
) -> ChangedBy:
    by_live, by_proposed = (
        side.issuperset(added) and (bool(added) or not side.issuperset(removed))
        for side in (live, proposed)
    )
    if by_live == by_proposed:
        return ChangedBy.BOTH
    return ChangedBy.LIVE if by_live else ChangedBy.PROPOSED


def as_text(merging: MergeProgress) -> str:
    """The current document, with open places between diff3 markers.

    Unparsed text from the editor takes precedence.
    """
    if merging.unparsed is not None:
        return merging.unparsed
    if merging.is_whole_document and merging.open:
        return merging.sides.live or merging.sides.proposed or merging.sides.base or ""
    match merging.result:
        case Decided(text):
            return text or ""
        case Conflicted() as conflicted:
            return render(conflicted)


def read_back(merging: MergeProgress, text: str) -> MergeProgress:
    """The merge with the text from the editor. Raises UnreadableMarkers; then nothing is changed.

    Text written in a place becomes its choice, and the place can be reopened. Where the text around
    the places was edited too, the whole text becomes the new ground.
    """
    if merging.is_whole_document:
        return replace(merging.pick(0, _choice(merging.places[0], text)), unparsed=None)
    edited = parse(text, _as_conflicted(merging))
    parts = (edited.text,) if isinstance(edited, Clean) else edited.parts
    choices = _choices_from(merging, parts)
    if choices is not None:
        return replace(merging, choices=choices, unparsed=None)
    joint = merging.merged.joint
    ground = edited if isinstance(edited, Conflicted) else Conflicted((edited.text,), joint)
    return replace(merging, merged=ground, choices={}, unparsed=None, is_rewritten=True)


def _as_conflicted(merging: MergeProgress) -> Conflicted:
    result = merging.result
    return result if isinstance(result, Conflicted) else merging.merged


def _choices_from(merging: MergeProgress, parts: Sequence[Part]) -> dict[int, Choice] | None:
    """The choices that produce these parts; None when text between the places was changed."""
    stretches = _stretches(parts)
    choices: dict[int, Choice] = {}
    waiting: list[Part | int] = []
    at = -1
    for part in merging.merged.parts:
        if isinstance(part, str):
            waiting.append(part)
            continue
        at += 1
        if len(stretches) > 1 and at not in merging.choices and stretches[0][1] == part:
            (text, _), *stretches = stretches
            written = _match(waiting, _units(text, merging.merged.joint), merging.merged.joint)
            if written is None:
                return None
            choices |= _choices(merging, written)
            waiting = []
        else:
            waiting.append(at)
    if len(stretches) != 1:
        return None
    written = _match(waiting, _units(stretches[0][0], merging.merged.joint), merging.merged.joint)
    return None if written is None else choices | _choices(merging, written)


def _stretches(parts: Sequence[Part]) -> list[tuple[str, Place | None]]:
    """The text before each open place, with that place; the last has None."""
    stretches: list[tuple[str, Place | None]] = []
    text = ""
    for part in parts:
        if isinstance(part, str):
            text += part
        else:
            stretches.append((text, part))
            text = ""
    return [*stretches, (text, None)]


def _match(
    pattern: Sequence[Part | int], units: list[str], joint: str
) -> dict[int, list[str]] | None:
    """The units in each place, provided that the text between the places is unchanged."""
    written: dict[int, list[str]] = {}
    at = 0
    places: list[int] = []
    settled = [n for n, part in enumerate(pattern) if isinstance(part, str)]
    for number, part in enumerate(pattern):
        if isinstance(part, int):
            places.append(part)
        elif isinstance(part, str):
            settled_units = _units(part, joint)
            is_last = number == settled[-1] and number == len(pattern) - 1
            start = len(units) - len(settled_units) if is_last else _find(units, settled_units, at)
            if start < at or units[start : start + len(settled_units)] != settled_units:
                return None
            if not _assign(written, places, units[at:start]):
                return None
            places, at = [], start + len(settled_units)
    return written if _assign(written, places, units[at:]) else None


def _assign(written: dict[int, list[str]], places: Sequence[int], units: list[str]) -> bool:
    """Assigns all units to the first place; False when there are units and no place."""
    for place in places:
        written[place] = []
    if places:
        written[places[0]] = units
    return bool(places) or not units


def _find(units: list[str], sought: list[str], at: int) -> int:
    if not sought:
        return at
    for start in range(at, len(units) - len(sought) + 1):
        if units[start] == sought[0] and units[start : start + len(sought)] == sought:
            return start
    return -1


def _choices(merging: MergeProgress, written: dict[int, list[str]]) -> dict[int, Choice]:
    joint = merging.merged.joint
    choices: dict[int, Choice] = {}
    for at, units in written.items():
        text = joint.join(units)
        before = merging.choices.get(at)
        place = merging.places[at]
        is_same = before is not None and _is_same(text_of_choice(place, before, joint), text, joint)
        choices[at] = before if before is not None and is_same else _choice(place, text, joint)
    return choices


def _choice(place: Place, text: str, joint: str = "") -> Choice:
    """The version that equals the text, else the operator's own text."""
    sides = ((Take.OURS, place.ours), (Take.THEIRS, place.theirs), (Take.BASE, place.base))
    for take, side in sides:
        if side is not None and _is_same(side, text, joint):
            return take
    return OwnText(text)


def _is_same(a: str, b: str, joint: str) -> bool:
    return _units(a, joint) == _units(b, joint)


def _units(text: str, joint: str) -> list[str]:
    """Entries of a memory, else lines with their ends."""
    if not joint:
        return lines.split(text)
    return [piece for piece in text.split(joint) if piece]


VERSION: Final = 1


def progress_to_data(merging: MergeProgress) -> dict[str, Any]:
    """The choices and the texts they are for, as plain values for JSON."""
    return {
        "v": VERSION,
        "path": merging.sides.path,
        "live": merging.sides.live,
        "ground": to_data(merging.merged),
        "choices": {str(at): _choice_data(choice) for at, choice in merging.choices.items()},
        "kept": merging.unparsed,
        "rewritten": merging.is_rewritten,
    }


def resume_merge(fresh: MergeProgress, data: Mapping[str, Any]) -> MergeProgress:
    """The stored merge of the same texts. Raises ValueError for invalid data."""
    return replace(_read(data), sides=fresh.sides)


def carry_over(fresh: MergeProgress, data: Mapping[str, Any]) -> MergeProgress:
    """A merge of newer texts with the choices of a stored one that are still valid.

    A choice is valid when its place is the same. The operator's own text is valid when it merges
    with the changes since. Raises ValueError for invalid data.
    """
    old = _read(data)
    if old.is_rewritten:
        return _carry_rewritten(fresh, old)
    choices_by_place: dict[tuple[str | None, str, str], list[Choice]] = {}
    for at, place in enumerate(old.places):
        if at in old.choices:
            choices_by_place.setdefault(_texts(place), []).append(old.choices[at])
    choices: dict[int, Choice] = {}
    for at, place in enumerate(fresh.places):
        if same := choices_by_place.get(_texts(place)):
            choices[at] = same.pop(0)
    now = replace(fresh, choices=choices)
    if old.unparsed is None:
        return now
    unread = merge(as_text(replace(old, unparsed=None)), as_text(now), old.unparsed)
    return replace(now, unparsed=unread.text) if isinstance(unread, Clean) else now


def _carry_rewritten(fresh: MergeProgress, old: MergeProgress) -> MergeProgress:
    result = old.result
    if not isinstance(result, Decided) or None in (result.text, old.sides.live, fresh.sides.live):
        return fresh
    is_memory = bool(fresh.merged.joint)
    texts = (old.sides.live or "", fresh.sides.live or "", result.text or "")
    merged = merge_memory(*texts) if is_memory else merge(*texts)
    if not isinstance(merged, Clean):
        return fresh
    ground = Conflicted((merged.text,), fresh.merged.joint)
    return replace(fresh, merged=ground, choices={}, is_rewritten=True)


def _read(data: Mapping[str, Any]) -> MergeProgress:
    try:
        if data["v"] != VERSION:
            raise ValueError(f"version {data['v']!r} is not known")
        sides = Sides(data["path"], None, data["live"], None)
        ground = _read_ground(data["ground"])
        choices = {int(at): _read_choice(choice) for at, choice in data["choices"].items()}
        unread, rewritten = data["kept"], bool(data["rewritten"])
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"it is no stored merge: {error}") from error
    if not isinstance(unread, str | None) or not isinstance(sides.live, str | None):
        raise ValueError("it is no stored merge")
    if not all(0 <= at < len(ground.hunks) for at in choices):
        raise ValueError("a choice is for a place that does not exist")
    return MergeProgress(sides, ground, choices, unread, rewritten)


def _read_ground(data: Mapping[str, Any]) -> Conflicted:
    merged = from_data(data)
    return merged if isinstance(merged, Conflicted) else Conflicted((merged.text,))


def _texts(place: Place) -> tuple[str | None, str, str]:
    return place.base, place.ours, place.theirs


def _choice_data(choice: Choice) -> dict[str, str]:
    match choice:
        case OwnText(text):
            return {"own": text}
        case Take():
            return {"take": choice.value}
        case _:
            assert_never(choice)


def _read_choice(data: Mapping[str, str]) -> Choice:
    return OwnText(data["own"]) if "own" in data else Take(data["take"])


MOST_EDITS: Final = 50
"""Edits of a batch that are tried as the one whose target is gone."""


@dataclass(frozen=True, slots=True)
class Reanchored:
    """A dead proposal at its likely new target, as a merge."""

    merging: MergeProgress
    place: str
    """The live text of that target."""
    likeness: float
    """Similarity of that text and the one searched for, 0 to 100."""


def reanchor(staged: StagedProposal, snapshot: Snapshot) -> Reanchored | None:
    """A two-way merge at the nearest text; None where there is none or the edit does not apply."""
    dead = staged.outcome
    if not isinstance(dead, Dead) or not dead.candidate:
        return None
    proposal = staged.proposal
    for number, edit in enumerate(proposal.edits[:MOST_EDITS]):
        for retargeted, sought in _retarget(edit, dead.candidate):
            edits = (*proposal.edits[:number], retargeted, *proposal.edits[number + 1 :])
            outcome = stage(replace(proposal, edits=edits, bases={}), snapshot).outcome
            merging = _two_way(outcome, proposal) if isinstance(outcome, Ready) else None
            if merging is not None:
                likeness = fuzz.token_set_ratio(sought.casefold(), dead.candidate.casefold())
                return Reanchored(merging, dead.candidate, likeness)
    return None


def _retarget(edit: Edit, candidate: str) -> Iterator[tuple[Edit, str]]:
    match edit:
        case MemoryReplace() | MemoryRemove():
            sought = edit.matched_entry or edit.old_text
            yield replace(edit, old_text=candidate, matched_entry=candidate), sought
        case SkillPatch():
            yield replace(edit, old_string=candidate, replace_all=False), edit.old_string
        case _:
            return


def _two_way(ready: Ready, proposal: Proposal) -> MergeProgress | None:
    """A two-way merge of the first document that changes; every difference is a place."""
    change = next(iter(ready.plan.changes), None)
    if change is None or change.before is None or change.after is None:
        return None
    live, proposed = change.before.decode("utf-8"), change.after.decode("utf-8")
    sides = Sides(change.path, None, live, proposed, base_known=False)
    if proposal.kind is Kind.MEMORY:
        return MergeProgress(sides, side_by_side(live, proposed))
    merged = merge_for(proposal, change.path)(None, live, proposed)
    return MergeProgress(sides, merged) if isinstance(merged, Conflicted) else None
