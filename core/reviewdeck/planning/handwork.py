"""A merge in the operator's own editor: what it opens, and what becomes of what it leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from reviewdeck.planning.merging import Decided, Merging
from reviewdeck.text import lines
from reviewdeck.text.conflicts import Choice, Clean, Conflicted, Own, Part, Take, chosen
from reviewdeck.text.conflicts import Conflict as Place
from reviewdeck.text.markers import parse, render


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
