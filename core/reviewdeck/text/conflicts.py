"""What a three-way merge comes to: one text, or a text with places for a person to decide.

A conflict is a value in the manner of Jujutsu's `Merge`: it can be stored, shown, resolved in
part today and in full tomorrow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias, assert_never

from reviewdeck.text.words import combine_words


@dataclass(frozen=True, slots=True)
class Clean:
    """The versions agree on one text."""

    text: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """One place where the versions clash: its three texts and where each stands."""

    base: str | None
    """None when no common ancestor is known: then every difference is a choice."""
    ours: str
    theirs: str
    base_at: int = 0
    """Index of the first line (of a memory document: entry) of the place in the base."""
    ours_at: int = 0
    theirs_at: int = 0


Part: TypeAlias = str | Conflict
"""A piece of settled text, or a conflict."""


@dataclass(frozen=True, slots=True)
class Conflicted:
    """A text with places to decide. Everything outside of them is settled."""

    parts: tuple[Part, ...]
    """The whole text in order."""
    joint: str = ""
    """What stands between two parts that are not empty: the delimiter of a memory document."""

    @property
    def hunks(self) -> tuple[Conflict, ...]:
        """The conflicts, in order. Never empty in what a merge returns."""
        return tuple(part for part in self.parts if isinstance(part, Conflict))


Merged: TypeAlias = Clean | Conflicted


class Take(StrEnum):
    """Which version a conflict is resolved to."""

    BASE = "base"
    OURS = "ours"
    THEIRS = "theirs"
    BOTH = "both"
    """Ours, then theirs; once when they are equal."""
    WORDS = "words"
    """The words that each side changed, in one text. See `combined`."""


@dataclass(frozen=True, slots=True)
class Own:
    """The operator's own words in the place of a conflict."""

    text: str


Choice: TypeAlias = Take | Own


def resolve(conflicted: Conflicted, choices: Mapping[int, Choice]) -> Merged:
    """The text with these conflicts (by their index in `hunks`) decided; the others stay.

    Raises IndexError for a conflict that does not exist.
    """
    count = len(conflicted.hunks)
    if wrong := sorted(index for index in choices if not 0 <= index < count):
        raise IndexError(f"there is no conflict {wrong[0]}: {count} in all")
    parts: list[Part] = []
    index = -1
    for part in conflicted.parts:
        index += isinstance(part, Conflict)
        choice = choices.get(index)
        if isinstance(part, Conflict) and choice is not None:
            parts.append(chosen(part, choice, conflicted.joint))
        else:
            parts.append(part)
    return assemble(parts, conflicted.joint)


def chosen(conflict: Conflict, choice: Choice, joint: str = "") -> str:
    """The text that a choice puts in the place of a conflict."""
    match choice:
        case Own(text):
            return text
        case Take.BASE:
            return conflict.base or ""
        case Take.OURS:
            return conflict.ours
        case Take.THEIRS:
            return conflict.theirs
        case Take.BOTH:
            return _both(conflict, joint)
        case Take.WORDS:
            return combined(conflict) or conflict.ours
        case _:
            assert_never(choice)


def combined(conflict: Conflict) -> str | None:
    """One text with the words of both sides; None where they changed the same ones."""
    if not (conflict.base and conflict.ours and conflict.theirs):
        return None
    return combine_words(conflict.base, conflict.ours, conflict.theirs)


def _both(conflict: Conflict, joint: str) -> str:
    ours, theirs = conflict.ours, conflict.theirs
    if ours == theirs or not theirs:
        return ours
    if joint:
        return joint.join(text for text in (ours, theirs) if text)
    if ours and not ours.endswith(("\n", "\r")):
        ours += "\r\n" if "\r\n" in theirs else "\n"
    return ours + theirs


def assemble(parts: list[Part], joint: str = "") -> Merged:
    """Clean when no part is a conflict; neighbouring settled parts become one."""
    joined: list[Part] = []
    settled: list[str] = []
    for part in parts:
        if not part:
            continue
        if isinstance(part, str):
            settled.append(part)
        else:
            if settled:
                joined.append(joint.join(settled))
            joined.append(part)
            settled = []
    if settled:
        joined.append(joint.join(settled))
    if any(isinstance(part, Conflict) for part in joined):
        return Conflicted(tuple(joined), joint)
    return Clean("".join(part for part in joined if isinstance(part, str)))


def to_data(merged: Merged) -> dict[str, Any]:
    """Plain values for JSON, from which `from_data` makes an equal value."""
    match merged:
        case Clean(text):
            return {"text": text}
        case Conflicted(parts, joint):
            return {"joint": joint, "parts": [_part_data(part) for part in parts]}
        case _:
            assert_never(merged)


def from_data(data: Mapping[str, Any]) -> Merged:
    """The value that `to_data` was given. Raises KeyError or TypeError for anything else."""
    if "parts" not in data:
        return Clean(data["text"])
    parts = tuple(part if isinstance(part, str) else Conflict(**part) for part in data["parts"])
    return Conflicted(parts, data["joint"])


def _part_data(part: Part) -> str | dict[str, Any]:
    if isinstance(part, str):
        return part
    return {name: getattr(part, name) for name in Conflict.__slots__}
