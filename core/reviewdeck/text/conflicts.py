"""The result of a three-way merge: one text, or a text with conflicts for a person to resolve.

A conflict is a value in the manner of Jujutsu's `Merge`: it can be stored, shown, resolved in
part today and in full tomorrow.

In an editor it is written with diff3 markers, in the form of `git merge-file --diff3`: ours, base,
theirs between marker lines. The markers are longer than any in the texts themselves.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, TypeAlias, assert_never

from reviewdeck.text import lines
from reviewdeck.text.words import combine_words


@dataclass(frozen=True, slots=True)
class Clean:
    """The versions agree on one text."""

    text: str


@dataclass(frozen=True, slots=True)
class ConflictRegion:
    """One place where the versions clash: its three texts and where each stands."""

    base: str | None
    """None when no common ancestor is known: then every difference is a choice."""
    ours: str
    theirs: str
    base_at: int = 0
    """Index of the first line (of a memory document: entry) of the place in the base."""
    ours_at: int = 0
    theirs_at: int = 0


Part: TypeAlias = str | ConflictRegion
"""A piece of settled text, or a conflict."""


@dataclass(frozen=True, slots=True)
class Conflicted:
    """A text with places to decide. Everything outside of them is settled."""

    parts: tuple[Part, ...]
    """The whole text in order."""
    joint: str = ""
    """What stands between two parts that are not empty: the delimiter of a memory document."""

    @property
    def hunks(self) -> tuple[ConflictRegion, ...]:
        """The conflicts, in order. Never empty in what a merge returns."""
        return tuple(part for part in self.parts if isinstance(part, ConflictRegion))


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
        index += isinstance(part, ConflictRegion)
        choice = choices.get(index)
        if isinstance(part, ConflictRegion) and choice is not None:
            parts.append(chosen(part, choice, conflicted.joint))
        else:
            parts.append(part)
    return assemble(parts, conflicted.joint)


def chosen(conflict: ConflictRegion, choice: Choice, joint: str = "") -> str:
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


def combined(conflict: ConflictRegion) -> str | None:
    """One text with the words of both sides; None where they changed the same ones."""
    if not (conflict.base and conflict.ours and conflict.theirs):
        return None
    return combine_words(conflict.base, conflict.ours, conflict.theirs)


def _both(conflict: ConflictRegion, joint: str) -> str:
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
    if any(isinstance(part, ConflictRegion) for part in joined):
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
    parts = tuple(
        part if isinstance(part, str) else ConflictRegion(**part) for part in data["parts"]
    )
    return Conflicted(parts, data["joint"])


def _part_data(part: Part) -> str | dict[str, Any]:
    if isinstance(part, str):
        return part
    return {name: getattr(part, name) for name in ConflictRegion.__slots__}


SHORTEST: Final = 7
_SIGNS: Final = re.compile(r"^([<|=>])\1{6,}", re.MULTILINE)


class UnreadableMarkers(ValueError):
    """The markers of a text do not fit together: `args[0]` says where."""


def marker_size(conflicted: Conflicted) -> int:
    """How many signs mark a conflict in this text: one more than any line of it begins with."""
    texts = [text for part in conflicted.parts for text in _texts(part)]
    longest = max((len(m[0]) for text in texts for m in _SIGNS.finditer(_lf(text))), default=0)
    return max(SHORTEST, longest + 1)


def render(conflicted: Conflicted) -> str:
    """The whole text with its conflicts between markers, one kind of newline throughout."""
    newline = _newline(conflicted)
    size = marker_size(conflicted)
    blocks = []
    for part in conflicted.parts:
        if isinstance(part, str):
            blocks.append(part)
        else:
            blocks.append(_marked(part, size, newline))
    if not conflicted.joint:
        return "".join(blocks)
    delimiter = conflicted.joint.removeprefix(newline)
    return delimiter.join(_closed(block, newline) for block in blocks)


def parse(text: str, like: Conflicted) -> Merged:
    """What an edited rendering of `like` says: Clean when no markers are left.

    A conflict that was left as it was is the same value again, with its positions; one that was
    edited between its markers keeps the markers' texts. Raises UnreadableMarkers.
    """
    size = marker_size(like)
    known: dict[tuple[str | None, ...], list[ConflictRegion]] = {}
    for conflict in reversed(like.hunks):
        known.setdefault(_key(conflict), []).append(conflict)
    parts: list[Part] = []
    rest: list[str] = []
    read = lines.split(text)
    at = 0
    while at < len(read):
        if not _is_marker(read[at], "<", size):
            if any(_is_marker(read[at], sign, size) for sign in "|=>"):
                raise UnreadableMarkers(f"line {at + 1}: no conflict begins before this marker")
            rest.append(read[at])
            at += 1
            continue
        parts.append(_settled(rest, like, is_first=not parts, is_last=False))
        rest = []
        found, at = _read_conflict(read, at, size, like)
        same = known.get(_key(found))
        parts.append(same.pop() if same else found)
    parts.append(_settled(rest, like, is_first=not parts, is_last=True))
    return assemble(parts, like.joint)


def _read_conflict(
    read: Sequence[str], start: int, size: int, like: Conflicted
) -> tuple[ConflictRegion, int]:
    """The conflict whose first marker is at `start`, and the line behind its last one."""
    sections: dict[str, list[str]] = {"<": []}
    current = "<"
    for at in range(start + 1, len(read)):
        sign = next((sign for sign in "<|=>" if _is_marker(read[at], sign, size)), "")
        if sign == ">" and current == "=":
            return _conflict(sections, like), at + 1
        if sign and sign not in _FOLLOWS[current]:
            raise UnreadableMarkers(f"line {at + 1}: this marker does not belong here")
        if sign:
            current = sign
            sections[sign] = []
        else:
            sections[current].append(read[at])
    raise UnreadableMarkers(f"line {start + 1}: the conflict that begins here has no end")


_FOLLOWS: Final = {"<": "|=", "|": "=", "=": ""}


def _conflict(sections: dict[str, list[str]], like: Conflicted) -> ConflictRegion:
    texts = {sign: "".join(body) for sign, body in sections.items()}
    if like.joint:
        texts = {sign: _lf_free(text) for sign, text in texts.items()}
    return ConflictRegion(texts.get("|"), texts["<"], texts["="])


def _settled(body: Sequence[str], like: Conflicted, *, is_first: bool, is_last: bool) -> str:
    """Settled text between conflicts; in a memory document without the delimiters at its ends."""
    text = "".join(body)
    if not like.joint:
        return text
    delimiter = like.joint.removeprefix(_newline(like))
    if not is_first:
        text = text.removeprefix(delimiter)
    if not is_last:
        text = text.removesuffix(delimiter)
    entries = (piece.strip() for piece in text.split(like.joint))
    return like.joint.join(entry for entry in entries if entry)


def _marked(conflict: ConflictRegion, size: int, newline: str) -> str:
    sections = [("<", "live", conflict.ours)]
    if conflict.base is not None:
        sections.append(("|", "base", conflict.base))
    sections.append(("=", "", conflict.theirs))
    body = "".join(
        sign * size + (f" {label}" if label else "") + newline + _closed(text, newline)
        for sign, label, text in sections
    )
    return f"{body}{'>' * size} proposed{newline}"


def _closed(text: str, newline: str) -> str:
    return text if not text or text.endswith(("\n", "\r")) else text + newline


def _is_marker(line: str, sign: str, size: int) -> bool:
    bare = line.rstrip("\r\n")
    return bare.startswith(sign * size) and bare[size : size + 1] in ("", " ")


def _key(conflict: ConflictRegion) -> tuple[str | None, ...]:
    """The texts of a conflict without their last line end, which markers cannot carry."""
    texts = (conflict.base, conflict.ours, conflict.theirs)
    return tuple(None if text is None else _lf_free(text) for text in texts)


def _lf_free(text: str) -> str:
    return text.removesuffix("\n").removesuffix("\r")


def _lf(text: str) -> str:
    return lines.with_newline(text, "\n")


def _texts(part: Part) -> tuple[str, ...]:
    if isinstance(part, str):
        return (part,)
    return tuple(text for text in (part.base, part.ours, part.theirs) if text)


def _newline(conflicted: Conflicted) -> str:
    if conflicted.joint:
        return lines.newline_of(conflicted.joint)
    return lines.newline_of("".join(text for part in conflicted.parts for text in _texts(part)))


__all__ = ["Clean", "UnreadableMarkers", "marker_size", "parse", "render"]
