"""When a review is due: after so many turns for memory, after so much work for skills."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from reviewdeck.reviewer.tools import MANAGE, MEMORY
from reviewdeck.reviewer.values import Form, Json
from reviewdeck.reviewer.wire import read

INTERVAL: Final = 10


@dataclass(frozen=True, slots=True)
class Due:
    """What has to be reviewed."""

    memory: bool = False
    skills: bool = False

    def __bool__(self) -> bool:
        return self.memory or self.skills


@dataclass(slots=True)
class Triggers:
    """Counts of one agent. An interval of 0 switches its trigger off."""

    memory_interval: int = INTERVAL
    """Turns of the user between two reviews of memory."""
    skills_interval: int = INTERVAL
    """Answers with tool calls between two reviews of skills."""
    turns: int = 0
    iterations: int = 0

    def user_turn(self) -> None:
        """The user said something."""
        self.turns += 1

    def tool_iteration(self, called: Sequence[str] = ()) -> None:
        """The model called these tools. One that saves starts its counter anew."""
        self.iterations += 1
        if MEMORY in called:
            self.turns = 0
        if MANAGE in called:
            self.iterations = 0

    def turn_ended(self, *, answered: bool = True, interrupted: bool = False) -> Due:
        """What is due at the end of a turn. A turn without an answer brings nothing about."""
        if not answered or interrupted:
            return Due()
        due = Due(
            0 < self.memory_interval <= self.turns,
            0 < self.skills_interval <= self.iterations,
        )
        if due.memory:
            self.turns = 0
        if due.skills:
            self.iterations = 0
        return due

    def resume(self, messages: Sequence[Json], form: Form) -> None:
        """Counts what a session that is taken up again had, as if it had never been left."""
        self.turns = self.iterations = 0
        for message in messages:
            said = read(message, form)
            if said.role == "user" and not said.results:
                self.user_turn()
            if said.calls:
                self.tool_iteration([call.name for call in said.calls])
        self.turns %= self.memory_interval or 1
        self.iterations %= self.skills_interval or 1
