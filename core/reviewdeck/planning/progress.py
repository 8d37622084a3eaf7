"""A merge that is not finished, as plain values that can be stored and taken up again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, assert_never

from reviewdeck.planning.handwork import as_text
from reviewdeck.planning.merging import Decided, Merging, Sides
from reviewdeck.text.conflicts import Choice, Clean, Conflicted, Own, Take, from_data, to_data
from reviewdeck.text.conflicts import Conflict as Place
from reviewdeck.text.merge import merge, merge_memory

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
        ground = _ground(data["ground"])
        choices = {int(at): _choice(one) for at, one in data["choices"].items()}
        kept, rewritten = data["kept"], bool(data["rewritten"])
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"it is no stored merge: {error}") from error
    if not isinstance(kept, str | None) or not isinstance(sides.live, str | None):
        raise ValueError("it is no stored merge")
    if not all(0 <= at < len(ground.hunks) for at in choices):
        raise ValueError("a choice is for a place that does not exist")
    return Merging(sides, ground, choices, kept, rewritten)


def _ground(data: Mapping[str, Any]) -> Conflicted:
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


def _choice(data: Mapping[str, str]) -> Choice:
    return Own(data["own"]) if "own" in data else Take(data["take"])
