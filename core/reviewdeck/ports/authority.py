"""Who may decide: what the engine asks before it takes a decision from somebody."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from reviewdeck.model import Actor


@dataclass(frozen=True, slots=True)
class Process:
    """One process that another one descends from."""

    pid: int
    name: str
    """What the system calls it; a process may choose this itself."""
    command: tuple[str, ...] = ()
    """Its arguments, the program first; empty where they cannot be read."""


class Ancestry(Protocol):
    """The processes that this one descends from, nearest first, as far as the system tells."""

    def __call__(self) -> tuple[Process, ...]:
        """Looks now: a process whose parent ends comes to be a child of another."""
        ...


class Authority(Protocol):
    """Who may decide, and how that is established."""

    @property
    def standing(self) -> str:
        """How decisions are established now, in a few words: `unsigned (tier 0)`."""
        ...

    def admit(self, actor: Actor) -> Actor:
        """This operator as a decision records them. Raises NotPermitted."""
        ...
