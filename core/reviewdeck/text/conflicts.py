"""The result of a three-way merge: one text, or a text with conflicts for a person to resolve.

A conflict is a value in the manner of Jujutsu's `Merge`: it can be stored, shown, resolved in
part today and in full tomorrow.

In an editor it is written with diff3 markers, in the form of `git merge-file --diff3`: ours, base,
theirs between marker lines. The markers are longer than any in the texts themselves.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Final, TypeAlias, assert_never

from reviewdeck.text import lines
from reviewdeck.text.words import combine_words
from reviewdeck.values import dataclass


@dataclass(frozen=True, slots=True)
class Clean:
    """The versions agree on one text."""

    text: str


@dataclass(frozen=True, slots=True)
class ConflictRegion:
    """One place where the versions clash: its three texts and their positions."""

    base: str | None
    """None without a common ancestor: then every difference is a choice."""
    ours: str
    theirs: str
    base_at: int = 0
    """Index in the base of its first line (in a memory document: its first entry)."""
    ours_at: int = 0
    theirs_at: int = 0


Part: TypeAlias = str | ConflictRegion
"""A piece of merged text, or a conflict."""


@dataclass(frozen=True, slots=True)
class Conflicted:
    """A text with conflicts to decide. Everything between them is merged."""

    parts: tuple[Part, ...]
    """The whole text in order."""
    joint: str = ""
    """The text between two parts that are not empty: the delimiter of a memory document."""

    @property
    def hunks(self) -> tuple[ConflictRegion, ...]:
        """The conflicts, in order; at least one in the result of a merge."""
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
class OwnText:
    """The operator's own words in the place of a conflict."""

    text: str


Choice: TypeAlias = Take | OwnText


def resolve(conflicted: Conflicted, choices: Mapping[int, Choice]) -> Merged:
    """The text with these conflicts (by index in `hunks`) decided; all others stay conflicts.

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
            parts.append(text_of_choice(part, choice, conflicted.joint))
        else:
            parts.append(part)
    return assemble(parts, conflicted.joint)


def text_of_choice(conflict: ConflictRegion, choice: Choice, joint: str = "") -> str:
    """The text that a choice puts in the place of a conflict."""
    match choice:
        case OwnText(text):
            return text
        case Take.BASE:
            return conflict.base or ""
        case Take.OURS:
            return conflict.ours
        case Take.THEIRS:
            return conflict.theirs
        case Take.BOTH:
            return _join_both(conflict, joint)
        case Take.WORDS:
            return combine_conflict(conflict) or conflict.ours
        case _:
            assert_never(choice)


def combine_conflict(conflict: ConflictRegion) -> str | None:
    """One text with the words of both sides; None where they changed the same ones."""
    if not (conflict.base and conflict.ours and conflict.theirs):
        return None
    return combine_words(conflict.base, conflict.ours, conflict.theirs)


def _join_both(conflict: ConflictRegion, joint: str) -> str:
    ours, theirs = conflict.ours, conflict.theirs
    if ours == theirs or not theirs:
        return ours
    if joint:
        return joint.join(text for text in (ours, theirs) if text)
    if ours and not ours.endswith(("\n", "\r")):
        ours += "\r\n" if "\r\n" in theirs else "\n"
    return ours + theirs


def assemble(parts: list[Part], joint: str = "") -> Merged:
    """Joins neighbouring texts; Clean when no part is a conflict."""
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
    """The inverse of `to_data`. Raises KeyError or TypeError for any other data."""
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


SHORTEST_MARKER: Final = 7
_MARKER: Final = re.compile(r"^([<|=>])\1{6,}", re.MULTILINE)


class UnreadableMarkers(ValueError):
    """The conflict markers of a text do not pair up: `args[0]` says where."""


def marker_size(conflicted: Conflicted) -> int:
    """Length of the markers for this text: longer than any run of marker signs at a line start."""
    texts = [text for part in conflicted.parts for text in _texts(part)]
    longest = max((len(m[0]) for text in texts for m in _MARKER.finditer(_lf(text))), default=0)
    return max(SHORTEST_MARKER, longest + 1)


def render(conflicted: Conflicted) -> str:
    """The whole text with its conflicts between markers, one kind of newline throughout."""
    newline = _newline(conflicted)
    size = marker_size(conflicted)
    blocks = []
    for part in conflicted.parts:
        if isinstance(part, str):
            blocks.append(part)
        else:
            blocks.append(_render_conflict(part, size, newline))
    if not conflicted.joint:
        return "".join(blocks)
    delimiter = conflicted.joint.removeprefix(newline)
    return delimiter.join(_with_line_end(block, newline) for block in blocks)


def parse(text: str, like: Conflicted) -> Merged:
    """Reads an edited rendering of `like`: Clean when it has no markers any more.

    An unedited conflict comes back as the same value, with its positions; one that was edited
    between its markers has the texts between the markers. Raises UnreadableMarkers.
    """
    size = marker_size(like)
    known_conflicts: dict[tuple[str | None, ...], list[ConflictRegion]] = {}
    for conflict in reversed(like.hunks):
        known_conflicts.setdefault(_key(conflict), []).append(conflict)
    parts: list[Part] = []
    settled_lines: list[str] = []
    text_lines = lines.split(text)
    at = 0
    while at < len(text_lines):
        if not _is_marker(text_lines[at], "<", size):
            if any(_is_marker(text_lines[at], sign, size) for sign in "|=>"):
                raise UnreadableMarkers(f"line {at + 1}: no conflict begins before this marker")
            settled_lines.append(text_lines[at])
            at += 1
            continue
        parts.append(_clean_text(settled_lines, like, is_first=not parts, is_last=False))
        settled_lines = []
        region, at = _read_conflict(text_lines, at, size, like)
        same = known_conflicts.get(_key(region))
        parts.append(same.pop() if same else region)
    parts.append(_clean_text(settled_lines, like, is_first=not parts, is_last=True))
    return assemble(parts, like.joint)


def _read_conflict(
    text_lines: Sequence[str], start: int, size: int, like: Conflicted
) -> tuple[ConflictRegion, int]:
    """The conflict whose first marker is at `start`, and the index of the line after its last."""
    sections: dict[str, list[str]] = {"<": []}
    current = "<"
    for at in range(start + 1, len(text_lines)):
        sign = next((sign for sign in "<|=>" if _is_marker(text_lines[at], sign, size)), "")
        if sign == ">" and current == "=":
            return _build_conflict(sections, like), at + 1
        if sign and sign not in _FOLLOWS[current]:
            raise UnreadableMarkers(f"line {at + 1}: this marker does not belong here")
        if sign:
            current = sign
            sections[sign] = []
        else:
            sections[current].append(text_lines[at])
    raise UnreadableMarkers(f"line {start + 1}: the conflict that begins here has no end")


_FOLLOWS: Final = {"<": "|=", "|": "=", "=": ""}


def _build_conflict(sections: dict[str, list[str]], like: Conflicted) -> ConflictRegion:
    texts = {sign: "".join(body) for sign, body in sections.items()}
    if like.joint:
        texts = {sign: _without_line_end(text) for sign, text in texts.items()}
    return ConflictRegion(texts.get("|"), texts["<"], texts["="])


def _clean_text(body: Sequence[str], like: Conflicted, *, is_first: bool, is_last: bool) -> str:
    """The text between conflicts; in a memory document without the delimiters at its ends."""
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


def _render_conflict(conflict: ConflictRegion, size: int, newline: str) -> str:
    sections = [("<", "live", conflict.ours)]
    if conflict.base is not None:
        sections.append(("|", "base", conflict.base))
    sections.append(("=", "", conflict.theirs))
    body = "".join(
        sign * size + (f" {label}" if label else "") + newline + _with_line_end(text, newline)
        for sign, label, text in sections
    )
    return f"{body}{'>' * size} proposed{newline}"


def _with_line_end(text: str, newline: str) -> str:
    return text if not text or text.endswith("\n") else text + newline


def _is_marker(line: str, sign: str, size: int) -> bool:
    bare = line.rstrip("\r\n")
    return bare.startswith(sign * size) and bare[size : size + 1] in ("", " ")


def _key(conflict: ConflictRegion) -> tuple[str | None, ...]:
    """The texts of a conflict without their last line end, which is lost between markers."""
    texts = (conflict.base, conflict.ours, conflict.theirs)
    return tuple(None if text is None else _without_line_end(text) for text in texts)


def _without_line_end(text: str) -> str:
    return text.removesuffix("\n").rstrip("\r")


def _lf(text: str) -> str:
    return lines.with_newline(text, "\n")


def _texts(part: Part) -> tuple[str, ...]:
    if isinstance(part, str):
        return (part,)
    return tuple(text for text in (part.base, part.ours, part.theirs) if text)


def _newline(conflicted: Conflicted) -> str:
    if conflicted.joint:
        return lines.newline_of(conflicted.joint)
    # A bare CR at the end of one text and an LF at the start of the next are no line end.
    return lines.newline_of(" ".join(text for part in conflicted.parts for text in _texts(part)))


__all__ = ["Clean", "UnreadableMarkers", "marker_size", "parse", "render"]
