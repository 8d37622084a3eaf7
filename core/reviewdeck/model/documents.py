"""Documents of a home, their revisions, and the skills they make up."""

from __future__ import annotations

import hashlib
from enum import StrEnum
from typing import Final, NewType

from reviewdeck.values import dataclass

Revision = NewType("Revision", str)
"""The SHA-256 of a document's bytes in hex, or ABSENT. Never a time."""

ABSENT = Revision("absent")

SKILL_FILE: Final = "SKILL.md"
"""The file that makes a folder a skill."""


def revision_of(data: bytes | None) -> Revision:
    """The revision of these bytes; None stands for a document that is not there."""
    return ABSENT if data is None else Revision(hashlib.sha256(data).hexdigest())


def executes_otherwise(before: int | None, after: int | None) -> bool:
    """Whether a file may be executed with one of these permission bits and not with the other.

    An unknown mode is no change.
    """
    return before is not None and after is not None and bool(before & 0o111) != bool(after & 0o111)


def became(before: int | None, after: int | None) -> str:
    """The change of the executable bit in words; empty where it stays."""
    if after is None or not executes_otherwise(before, after):
        return ""
    return "became executable" if after & 0o111 else "no longer executable"


@dataclass(frozen=True, slots=True)
class Document:
    """One text file of a home as it was when it was read."""

    path: str
    """Relative to the home, with forward slashes."""
    data: bytes | None
    """None when there is no such file, or when it could not be read (then `problem` says why)."""
    mode: int | None = None
    """Permission bits, None when absent."""
    problem: str | None = None
    """Why the file cannot be planned against: a read error, a link, not UTF-8. Never "absent"."""
    link: str | None = None
    """Where the file really is, when its path is a symbolic link."""

    @property
    def revision(self) -> Revision:
        """The revision of what was read."""
        return revision_of(self.data)

    @property
    def exists(self) -> bool:
        """Whether there is such a file, readable or not."""
        return self.data is not None or self.problem is not None

    @property
    def text(self) -> str:
        """The decoded text, newlines as they are. Empty when absent; ValueError when unreadable."""
        if self.problem is not None:
            raise ValueError(f"{self.path}: {self.problem}")
        return "" if self.data is None else self.data.decode("utf-8")


class Loading(StrEnum):
    """When a document reaches the agent, which is the weight of a change."""

    ALWAYS = "in every prompt"
    ON_DEMAND = "read on demand"
    EXECUTES = "can run commands"
    """A skill: its text is followed, and its files may be run."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """How much of a document the agent takes, and how much of that is used."""

    used: int
    limit: int
    unit: str = "characters"
    """In the plural, as the agent counts: characters, UTF-16 units, lines, bytes."""

    @property
    def is_over(self) -> bool:
        """Whether the limit is exceeded."""
        return self.used > self.limit


class Measure(StrEnum):
    """What an agent counts of a text against a limit."""

    ENTRIES = "entries"
    """The characters of its entries, joined."""
    LINES = "lines"
    UNITS = "units"
    """UTF-16 units, without white space at the end."""
    STRIPPED_LINES = "stripped-lines"
    """Without white space at both ends."""
    STRIPPED_UNITS = "stripped-units"
    INDEX_LINES = "index-lines"
    """Without the front matter and the comments of an index."""
    INDEX_UNITS = "index-units"


@dataclass(frozen=True, slots=True)
class Limit:
    """The most of a document that its agent takes."""

    measure: Measure
    most: int


class Protection(StrEnum):
    """Hermes' own rules on who may change a skill."""

    BUNDLED = "bundled"
    HUB = "hub-installed"
    BUILTIN = "built-in"
    PINNED = "pinned"
    USER_OWNED = "user-owned"
    ESSENTIAL = "essential to Hermes"
    """Never deleted."""
    SHARED = "shared by an organisation"
    """A mirror: edits are kept, what is deleted comes back."""


@dataclass(frozen=True, slots=True)
class Skill:
    """One skill directory."""

    name: str
    """The directory's name: what edits refer to."""
    directory: str
    """Relative to the home; an absolute path for an external skill."""
    files: tuple[str, ...] = ()
    """Regular files below it, relative to `directory`, sorted."""
    protections: frozenset[Protection] = frozenset()
    external: bool = False
    """Lives in one of `skills.external_dirs`: read-only for us."""
    problem: str | None = None
    """Why it must not be written: a symbolic link, something that is not a plain file."""

    def path_of(self, file: str) -> str:
        """The document path of a file of this skill."""
        return f"{self.directory}/{file}"
