"""Whatever is done in whatever order, the memory holds what a plain model of it holds.

REVIEWDECK_SECONDS=300 looks for longer, each time somewhere else.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from tests.engine.crashes import strays
from tests.engine.kit import DELIMITER, MEMORY, OPERATOR, Agent, Ticking, entries, set_entries

from reviewdeck.bootstrap import open_engine
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.options import Settings
from reviewdeck.errors import NotDecidable, StaleBase
from reviewdeck.ledger.inspection import find_damage
from reviewdeck.model import State, revision_of
from reviewdeck.text.entries import parse

SECONDS = float(os.environ.get("REVIEWDECK_SECONDS", "0"))

THERE = ("Tests run with tox.", "The staging host is stg-2.", "Docs use mkdocs.")
FACTS = (
    "The linter is ruff.",
    "Branches are named after tickets.",
    "Releases are cut on Mondays.",
    "Kim prefers answers in French.",
    "Maps are drawn with thick black ink.",
    "The office near the harbour has a printer.",
    "Zebra is the codename of version two.",
)
"""What there is to learn: none is like another."""


@dataclass
class Wish:
    """What somebody wants of the memory: these entries gone, those brought in."""

    gone: list[str]
    came: list[str]
    state: State | None = None
    """How it ended; None while it is open."""
    record: Path | None = None
    """The file in which the agent asks for it."""
    undoes: str | None = None
    """The operation that it takes back."""
    was_put_off: bool = False
    was_withdrawn: bool = False
    """Whether its record vanished while it was open. A decided one has no record to lose."""
    was_reopened: bool = False
    was_undone: bool = False
    is_operators: bool = False
    """Whether it is an undo or a restore: one that is taken back waits for nobody."""


@dataclass
class Done:
    """What went in, and what took it back."""

    wish: str
    before: list[str]
    after: list[str]
    undoes: str | None
    undone_by: str | None = None


@dataclass
class Model:
    """What should be there, told the plain way."""

    live: list[str] = field(default_factory=lambda: list(THERE))
    wishes: dict[str, Wish] = field(default_factory=dict)
    done: dict[str, Done] = field(default_factory=dict)
    brought: dict[str, str | None] = field(default_factory=lambda: dict.fromkeys(THERE))
    """By entry: the operation that brought it; None for somebody who wrote by hand."""
    was_live: set[str] = field(default_factory=lambda: set(THERE))
    """The entries that were there when something went in."""

    def waiting(self) -> list[str]:
        return [id for id, wish in self.wishes.items() if wish.state is None]

    def in_state(self, state: State) -> list[Wish]:
        return [wish for wish in self.wishes.values() if wish.state is state]

    def kept_away(self) -> set[str]:
        """What must not go in by itself: it was turned down, or it went."""
        rejected = [one for one in self.in_state(State.REJECTED) if not one.was_reopened]
        undone = [one for one in self.wishes.values() if one.was_undone and not one.was_reopened]
        return {text for wish in (*rejected, *undone) for text in wish.came} | self.was_live

    def is_over(self, operation: str) -> bool:
        """Whether it cannot be undone any more: it was, or what it undid was applied again."""
        done = self.done[operation]
        if done.undone_by is not None:
            return True
        undone = done.undoes
        while undone is not None:
            again = self.done[undone]
            if self.wishes[again.wish].state is State.APPLIED:
                return True
            undone = None if again.undoes is None else self.done[again.undoes].undoes
        return False

    def is_possible(self, wish: Wish) -> bool:
        """Whether what is to go is there, and something would change."""
        is_taken_back = wish.undoes is not None and self.is_over(wish.undoes)
        if not self.is_one_change(wish):
            is_left = set(wish.gone) & set(self.live) or set(wish.came) - set(self.live)
            return bool(is_left) and not is_taken_back
        is_there = set(wish.gone) <= set(self.live)
        return is_there and not is_taken_back and (bool(wish.gone) or wish.came[0] not in self.live)

    def is_one_change(self, wish: Wish) -> bool:
        """Whether one place of the memory changes: an entry comes, goes, or becomes another."""
        if len(wish.gone) + len(wish.came) == 1:
            return True
        if len(wish.gone) != 1 or len(wish.came) != 1:
            return False
        if wish.undoes is None:
            return True
        # Texts that are unlike each other are an entry that went and one that came.
        done, is_reworded = self.done[wish.undoes], stem(wish.gone[0]) == stem(wish.came[0])
        return is_reworded and swapped(done.after, wish) == done.before

    def comes_to(self, wish: Wish, after: list[str]) -> bool:
        """Whether this is the memory with the wish fulfilled and nothing else touched."""
        others = [text for text in self.live if text not in [*wish.gone, *wish.came]]
        if wish.undoes is not None and self.live == self.done[wish.undoes].after:
            return after == self.done[wish.undoes].before
        if not wish.is_operators and not wish.gone:
            return after == self.live + wish.came
        if wish.gone and wish.came and self.is_one_change(wish) and wish.came[0] not in self.live:
            return after == swapped(self.live, wish)
        # Where an entry comes back beside later changes is the merge's choice.
        return sorted(after) == sorted(others + wish.came)

    def write(self, operation: str, id: str, after: list[str]) -> None:
        """A decision went in."""
        wish, before = self.wishes[id], self.live
        self.done[operation] = Done(id, before, after, wish.undoes)
        self.brought |= {text: operation for text in after if text not in before}
        self.was_live |= {*before, *after}
        self.live, wish.state, wish.was_undone = after, State.APPLIED, False
        wish.was_withdrawn = False
        self.take_back(wish.undoes, operation)

    def take_back(self, operation: str | None, by: str | None) -> None:
        """What is taken back waits again; what that had taken back holds again."""
        if operation is None:
            return
        done = self.done[operation]
        done.undone_by = by
        wish = self.wishes[done.wish]
        waits = None if not wish.is_operators else State.REJECTED
        wish.state, wish.was_undone = (waits, True) if by is not None else (State.APPLIED, False)
        self.take_back(done.undoes, operation if by is None else None)


class Desk(RuleBasedStateMachine):
    """An agent, an operator and somebody who writes by hand, over one memory."""

    reached: ClassVar[set[str]] = set()
    """What happened in any of the runs."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.root = Path(self.folder.name)
        self.home = self.root / "home"
        (self.home / "memories").mkdir(parents=True)
        set_entries(self.home, *THERE)
        self.clock = Ticking()
        self.agent = Agent(self.home, self.clock)
        self.deck = self.open()
        self.deck.intake()
        self.model = Model()
        self.unread: dict[str, Wish] = {}
        self.shown: dict[str, str] = {}
        self.number = 0

    def open(self) -> Engine:
        """A deck as a new process has it."""
        where = str(self.root / "ledger" / "ledger.db")
        found = Settings(homes=(self.home,), ledger=where, user_home=self.root, actor=OPERATOR)
        return open_engine(found, now=self.clock)

    # The agent, and somebody who writes by hand.

    @rule(fact=st.sampled_from(FACTS), is_judged_at_once=st.booleans())
    def the_agent_proposes_an_addition(self, fact: str, is_judged_at_once: bool) -> None:
        self.propose(Wish([], [fact]), self.agent.add(fact))
        if is_judged_at_once:
            self.the_automatic_pass_runs()

    @precondition(lambda self: self.model.in_state(State.REJECTED))
    @rule(data=st.data())
    def the_agent_proposes_again_what_was_turned_down(self, data: st.DataObject) -> None:
        rejected = [text for wish in self.model.in_state(State.REJECTED) for text in wish.came]
        if rejected:
            self.the_agent_proposes_an_addition(data.draw(st.sampled_from(rejected)), True)

    @precondition(lambda self: self.model.live)
    @rule(data=st.data(), tells=st.sampled_from(["nothing", "base", "entry"]))
    def the_agent_proposes_a_replacement(self, data: st.DataObject, tells: str) -> None:
        old = data.draw(st.sampled_from(self.model.live))
        new = self.anew(old)
        record = self.agent.replace(old, new, **self.told(tells, old))
        self.propose(Wish([old], [new]), record)

    @precondition(lambda self: self.model.live)
    @rule(data=st.data(), tells=st.sampled_from(["nothing", "base", "entry"]))
    def the_agent_proposes_a_removal(self, data: st.DataObject, tells: str) -> None:
        old = data.draw(st.sampled_from(self.model.live))
        record = self.agent.memory("remove", old_text=old, **self.told(tells, old))
        self.propose(Wish([old], []), record)

    @precondition(lambda self: any(map(is_on_disk, self.model.wishes.values())))
    @rule(data=st.data())
    def the_agent_takes_its_record_away(self, data: st.DataObject) -> None:
        there = [id for id, wish in self.model.wishes.items() if is_on_disk(wish)]
        wish = self.model.wishes[data.draw(st.sampled_from(there))]
        assert wish.record is not None
        wish.record.unlink()
        wish.was_withdrawn = True

    @rule(data=st.data(), fact=st.sampled_from(FACTS))
    def somebody_writes_by_hand(self, data: st.DataObject, fact: str) -> None:
        live = list(self.model.live)
        at = data.draw(st.integers(0, len(live)))
        live[at : at + data.draw(st.integers(0, 1))] = data.draw(
            st.sampled_from([[], [self.anew(live[at] if at < len(live) else fact)]])
        )
        self.model.brought |= {text: None for text in live if text not in self.model.live}
        self.model.live = live
        set_entries(self.home, *live)

    # The operator.

    @rule()
    def the_operator_looks(self) -> None:
        self.deck.intake()
        self.read_what_is_new()
        self.shown |= {id: self.deck.get(id).digest or "" for id in self.model.waiting()}
        self.credit_is_right()

    @precondition(lambda self: self.model.waiting())
    @rule(data=st.data(), is_fresh=st.booleans())
    def the_operator_approves(self, data: st.DataObject, is_fresh: bool) -> None:
        id = data.draw(st.sampled_from(self.model.waiting()))
        digest = self.deck.get(id).digest if is_fresh else self.shown.get(id)
        wish = self.model.wishes[id]
        try:
            operation = self.deck.approve(id, digest or "0" * 64)
        except (NotDecidable, StaleBase):
            # It clashes with an entry that says the same, or was looked at before something moved.
            may_fail = not is_fresh or wish.undoes or set(wish.came) & set(self.model.live)
            assert may_fail or not self.model.is_possible(wish)
        else:
            self.went_in(operation.id, id)
            self.reached.add("approved")

    @precondition(lambda self: self.model.waiting())
    @rule(data=st.data())
    def the_operator_writes_a_version_of_their_own(self, data: st.DataObject) -> None:
        id = data.draw(st.sampled_from(self.model.waiting()))
        own = [*self.model.live, self.anew(FACTS[0])]
        shown = self.deck.get(id).digest or revision_of((self.home / MEMORY).read_bytes())
        wish = self.model.wishes[id]
        try:
            operation = self.deck.merge(id, DELIMITER.join(own), shown, document=MEMORY)
        except NotDecidable:
            assert wish.undoes is not None
            assert self.model.is_over(wish.undoes)
        else:
            self.model.write(operation.id, id, own)

    @precondition(lambda self: self.model.waiting())
    @rule(data=st.data())
    def the_operator_rejects(self, data: st.DataObject) -> None:
        id = data.draw(st.sampled_from(self.model.waiting()))
        self.deck.reject(id, "not now")
        wish = self.model.wishes[id]
        wish.state, wish.was_withdrawn = State.REJECTED, False

    @precondition(lambda self: self.model.waiting())
    @rule(data=st.data())
    def the_operator_puts_off(self, data: st.DataObject) -> None:
        id = data.draw(st.sampled_from(self.model.waiting()))
        self.deck.defer(id)
        self.model.wishes[id].was_put_off = True

    @precondition(lambda self: self.model.in_state(State.REJECTED))
    @rule(data=st.data())
    def the_operator_takes_a_rejection_back(self, data: st.DataObject) -> None:
        wishes = self.model.wishes
        rejected = [id for id, wish in wishes.items() if wish.state is State.REJECTED]
        wish = wishes[data.draw(st.sampled_from(rejected))]
        (id,) = [id for id, one in wishes.items() if one is wish]
        try:
            _, again = self.deck.reopen(id)
        except NotDecidable:
            assert wish.was_reopened
        else:
            wish.was_reopened = True
            wishes[again.id] = replace(
                wish,
                state=None,
                record=None,
                was_put_off=False,
                was_reopened=False,
                was_undone=False,
            )

    @precondition(lambda self: self.model.done)
    @rule(data=st.data())
    def the_operator_undoes(self, data: st.DataObject) -> None:
        target = data.draw(st.sampled_from(list(self.model.done)))
        done = self.model.done[target]
        wish = Wish(without(done.after, done.before), without(done.before, done.after))
        wish.undoes, wish.is_operators = target, True
        try:
            operation = self.deck.undo(target)
        except NotDecidable:
            # Beside later changes, a merge may find that both are about the same place.
            assert self.model.live != done.after or self.model.is_over(target)
            for item in self.deck.pending(limit=1000):
                if self.deck.ledger.proposal(item.id).undoes == target:
                    self.model.wishes.setdefault(item.id, wish)
        else:
            self.model.wishes.setdefault(operation.proposal, wish)
            self.went_in(operation.id, operation.proposal)
            self.reached.add("taken back")

    @rule(data=st.data())
    def the_operator_restores(self, data: st.DataObject) -> None:
        self.deck.intake()
        self.read_what_is_new()
        seen = self.deck.history(MEMORY)
        revision = data.draw(st.sampled_from(sorted({one.revision for one in seen})))
        wanted = list(parse((self.deck.ledger.content(revision) or b"").decode()))
        live = self.model.live
        if wanted == live:
            return
        shown = self.deck.evaluate_restore(MEMORY, revision).digest or ""
        operation = self.deck.restore(MEMORY, revision, shown)
        wish = Wish(without(live, wanted), without(wanted, live), is_operators=True)
        self.model.wishes[operation.proposal] = wish
        self.model.write(operation.id, operation.proposal, wanted)
        if without(live, wish.gone) != without(wanted, wish.came):
            self.model.brought.clear()  # Whether an entry was moved or written anew: both are true.

    # The machine.

    @rule()
    def the_automatic_pass_runs(self) -> None:
        self.deck.auto()
        self.read_what_is_new()
        for operation in reversed(self.deck.operations()):
            if operation.id in self.model.done:
                continue
            wish = self.model.wishes[operation.proposal]
            assert wish.state is None and not wish.was_put_off
            assert not wish.gone and wish.undoes is None
            assert not set(wish.came) & self.model.kept_away()
            self.model.write(operation.id, operation.proposal, self.model.live + wish.came)
            self.reached.add("went in by itself")

    @rule()
    def it_is_closed_and_opened_again(self) -> None:
        self.deck.close()
        self.deck = self.open()
        assert self.deck.recover() == ()

    @rule(hours=st.sampled_from([-50, -1, 1, 50]))
    def the_clock_is_moved(self, hours: int) -> None:
        self.clock.moment += timedelta(hours=hours)

    # What holds after each step.

    @invariant()
    def the_memory_is_as_the_model(self) -> None:
        text = (self.home / MEMORY).read_text("utf-8")
        assert text == DELIMITER.join(self.model.live)

    @invariant()
    def everything_has_ended_as_it_was_decided_and_once(self) -> None:
        for id, wish in self.model.wishes.items():
            state = self.deck.ledger.state_of(id)
            assert state is wish.state or (wish.state is None and state and state.is_open)
        kept = {one.id: (one.proposal, one.undone_by) for one in self.deck.operations()}
        assert kept == {id: (one.wish, one.undone_by) for id, one in self.model.done.items()}
        decided = [one.wish for one in self.model.done.values() if one.undone_by is None]
        assert len(decided) == len(set(decided))

    @invariant()
    def nothing_is_left_behind(self) -> None:
        assert strays(self.home) == []

    def credit_is_right(self) -> None:
        parts = self.deck.blame(MEMORY)
        assert [part.text for part in parts] == self.model.live
        for part in parts:
            by = self.model.brought.get(part.text, part.added_by.operation)
            assert part.added_by.operation == by

    def teardown(self) -> None:
        assert self.deck.ledger.verify() is None
        self.deck.close()
        assert find_damage(str(self.root / "ledger" / "ledger.db")) == ()
        self.folder.cleanup()

    # What the rules share.

    def anew(self, text: str) -> str:
        """Something that nobody has said yet, about the same thing."""
        self.number += 1
        return f"{stem(text)} ({self.number})."

    def told(self, tells: str, entry: str) -> dict[str, Any]:
        """What a record tells of what its author saw."""
        if tells == "base":
            return {"bases": self.agent.base_of(MEMORY)}
        return {"extra": {"matched_entry": entry}} if tells == "entry" else {}

    def propose(self, wish: Wish, record: str) -> None:
        wish.record = self.home / "pending" / "memory" / f"{record}.json"
        self.unread[record] = wish

    def read_what_is_new(self) -> None:
        """What an intake did: records have ids of ours, those that went were decided elsewhere."""
        for record, wish in self.unread.items():
            self.model.wishes[self.deck.find(record).id] = wish
        self.unread.clear()
        for wish in self.model.wishes.values():
            if wish.state is None and wish.was_withdrawn:
                wish.state = State.ELSEWHERE

    def went_in(self, operation: str, id: str) -> None:
        """A decision was carried out: it has to be one that could be, and do what was wanted."""
        wish, found = self.model.wishes[id], entries(self.home)
        assert wish.state is None and self.model.is_possible(wish)
        found = [text for text in found if text]
        assert self.model.comes_to(wish, found), (wish, self.model.live, found)
        self.model.write(operation, id, found)


def is_on_disk(wish: Wish) -> bool:
    return wish.state is None and wish.record is not None and wish.record.exists()


def stem(text: str) -> str:
    """What all the wordings of an entry have in common."""
    return text.partition(" (")[0].rstrip(".")


def swapped(texts: list[str], wish: Wish) -> list[str]:
    """The texts, the one that is to go replaced by the one that is to come."""
    return [wish.came[0] if text == wish.gone[0] else text for text in texts]


def without(texts: list[str], others: list[str]) -> list[str]:
    return [text for text in texts if text not in others]


def run(examples: int, *, is_repeatable: bool) -> None:
    Desk.TestCase.settings = settings(
        max_examples=examples,
        stateful_step_count=30,
        derandomize=is_repeatable,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    Desk.TestCase().runTest()


@pytest.mark.slow
def test_whatever_is_done_the_memory_is_as_the_model() -> None:
    run(15, is_repeatable=True)
    assert Desk.reached == {"approved", "taken back", "went in by itself"}
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        run(20, is_repeatable=False)
