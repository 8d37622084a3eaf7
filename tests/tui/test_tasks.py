"""Twelve tasks of an operator, replayed by keys: `benchmarks/README.md` has them as a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

import pytest
from tests.engine.kit import MEMORY, entries, set_entries, skill_text
from tests.tui.kit_deck import Cockpit, Driver

from reviewdeck.model import SENT_BACK, State, Verb
from reviewdeck_tui.screens.changes import ChangesScreen
from reviewdeck_tui.screens.dialogs import REASONS, SureDialog
from reviewdeck_tui.screens.merge import MergeScreen
from reviewdeck_tui.screens.summary import SummaryScreen

TABLE: Final = Path(__file__).parents[2] / "benchmarks" / "README.md"
NOTE: Final = "which one?"
STAGING, DOCS = "The staging host is stg-4.", "Docs use sphinx."
STEPS: Final = "Read the log.\nSend it to everyone.\nTag the release.\n"
_AS_WRITTEN: Final = {"full_stop": ".", "ctrl+s": "^s", NOTE: "…"}

Holds: TypeAlias = Callable[[Driver, Cockpit], bool]


@dataclass(frozen=True)
class Task:
    """What an operator wants, the keys for it, and what is so afterwards."""

    name: str
    keys: tuple[str, ...]
    arrange: Callable[[Cockpit], object]
    holds: Holds
    before: tuple[str, ...] = ()
    """What was pressed until the task begins."""

    @property
    def row(self) -> str:
        """How its row of the table begins; a text that is typed counts as one key."""
        keys = " ".join(f"`{_AS_WRITTEN.get(key, key)}`" for key in self.keys)
        return f"| {self.name} | {keys} | {len(self.keys)} |"


def two_rewrites(cockpit: Cockpit) -> None:
    """Two entries that the agent wants to reword."""
    cockpit.agent.replace("mkdocs", DOCS)
    cockpit.agent.replace("staging host", STAGING)


def longer_skill(cockpit: Cockpit) -> None:
    """A skill to which the agent adds three lines."""
    text = skill_text("release-notes") + STEPS
    cockpit.agent.skill("edit", "release-notes", content=text)


def two_edits_of_one_entry(cockpit: Cockpit) -> None:
    """One entry in which the agent and somebody else changed different words."""
    set_entries(cockpit.home, "PG 15 on port 5433")
    base = cockpit.agent.base_of(MEMORY)
    cockpit.agent.replace("PG 15", "PG 15 on port 5433, read-only role", bases=base)
    set_entries(cockpit.home, "PG 16 on port 5434")


def three_dead(cockpit: Cockpit) -> None:
    """Rewrites of what is not there, and one that can be applied."""
    for name in ("Jenkins", "Travis", "Drone"):
        cockpit.agent.replace(name, f"{name} builds nothing.")
    cockpit.agent.replace("mkdocs", DOCS)


def learnt_by_itself(cockpit: Cockpit) -> None:
    """One fact that passed the six checks."""
    deck = cockpit.engine()
    deck.intake()
    cockpit.agent.add("The linter is ruff.")
    deck.auto()
    deck.close()


def drafted(verb: Verb, reason: str = "") -> Holds:
    """One draft, and the cursor has gone on."""

    def holds(deck: Driver, _: Cockpit) -> bool:
        made = [(draft.verb, draft.reason) for draft in deck.drafts.values()]
        return made == [(verb, reason)] and deck.cursor not in deck.drafts

    return holds


def merged(*texts: str) -> Holds:
    """One draft whose text ends with these."""
    return lambda deck, _: (
        [
            draft.verb is Verb.MERGE and (draft.text or "").endswith(texts)
            for draft in deck.drafts.values()
        ]
        == [True]
    )


def is_read(deck: Driver, _: Cockpit) -> bool:
    item = deck.screen.current
    return (
        item is not None
        and deck.cursor == deck.ids[1]
        and deck.screen.guard.is_seen_whole(item.id, item.digest)
    )


def are_dismissed(deck: Driver, cockpit: Cockpit) -> bool:
    if len(deck.drafts) != 3:
        return False
    engine = cockpit.engine()
    dead = {item.id for item in engine.pending() if item.state is State.DEAD}
    engine.close()
    return deck.drafts.keys() == dead


def is_written(deck: Driver, cockpit: Cockpit) -> bool:
    return "DONE" in deck.line("head") and bool({DOCS, STAGING} & {*entries(cockpit.home)})


def is_as_before(deck: Driver, cockpit: Cockpit) -> bool:
    return "DONE" in deck.line("head") and not {DOCS, STAGING} & {*entries(cockpit.home)}


def is_told(deck: Driver, _: Cockpit) -> bool:
    return "The linter is ruff." in deck.shown()


def is_credited(deck: Driver, _: Cockpit) -> bool:
    return "automatic, memory-addition · " in deck.shown()


WRITE: Final = ("ctrl+s", "y")
TASKS: Final = (
    Task("read the next change in full", ("j",), two_rewrites, is_read),
    Task("approve it", ("a",), two_rewrites, drafted(Verb.APPROVE)),
    Task("reject it and say why", ("r", "7"), two_rewrites, drafted(Verb.REJECT, REASONS[6])),
    Task(
        "send it back to the agent with a note",
        ("f", NOTE, "enter"),
        two_rewrites,
        drafted(Verb.REJECT, f"{SENT_BACK}{NOTE}"),
    ),
    Task(
        "approve all but one line of it",
        ("enter", "X", "full_stop", "x"),
        longer_skill,
        merged("Read the log.\nTag the release.\n"),
    ),
    Task(
        "resolve a conflict with both edits",
        ("m", "4", "a"),
        two_edits_of_one_entry,
        merged("PG 16 on port 5434, read-only role"),
    ),
    Task("dismiss everything that cannot be applied", ("D", "y"), three_dead, are_dismissed),
    Task("see the exact result, then write it", WRITE, two_rewrites, is_written, before=("a",)),
    Task(
        "undo the last decision",
        ("z",),
        two_rewrites,
        lambda deck, _: not deck.drafts,
        before=("a",),
    ),
    Task(
        "undo what was written",
        ("z", *WRITE),
        two_rewrites,
        is_as_before,
        before=("a", *WRITE, "escape"),
    ),
    Task("see what was applied without me", ("2",), learnt_by_itself, is_told),
    Task("see who added this line", ("2",), learnt_by_itself, is_credited),
)
SHOWS: Final[dict[str, type]] = {
    "m": MergeScreen,
    "D": SureDialog,
    "ctrl+s": SummaryScreen,
    "2": ChangesScreen,
}
"""What a key opens, where the next key must wait for it."""


async def press(deck: Driver, key: str) -> None:
    """Presses a key as an operator does, who looks at what it opened before the next one."""
    await deck.press(*(key if key == NOTE else (key,)))
    await deck.until(lambda: isinstance(deck.app.screen, SHOWS.get(key, object)))
    screen = deck.app.screen
    if isinstance(screen, SummaryScreen):
        await deck.until(lambda: screen._is_painted)
        await deck.until(lambda: key != "y" or "DONE" in deck.line("head"))


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
async def test_a_task_takes_these_keys(cockpit: Cockpit, task: Task) -> None:
    task.arrange(cockpit)
    cockpit.take_in()
    async with cockpit.open(size=(100, 44)) as deck:
        for key in task.before:
            await press(deck, key)
        assert not task.holds(deck, cockpit)
        for key in task.keys:
            await press(deck, key)
        await deck.until(lambda: task.holds(deck, cockpit))


def test_the_table_of_tasks_has_these_keys() -> None:
    rows = TABLE.read_text("utf-8").splitlines()
    missing = [task.row for task in TASKS if not any(row.startswith(task.row) for row in rows)]
    assert not missing
