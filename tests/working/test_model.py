"""Whatever is done in whatever order, each storage holds what a plain model holds."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from tests.working.kit import Moment, Server

from reviewdeck.errors import StorageUnavailable
from reviewdeck.working import Scope, Storage, WorkingMemory
from reviewdeck.working.fallback import Fallback
from reviewdeck.working.in_process import InProcess
from reviewdeck.working.redis import Redis
from reviewdeck.working.sqlite import Sqlite
from reviewdeck.working.storage import Changes

KEYS = st.sampled_from(["a", "b", "a/b"])
VALUES = st.none() | st.integers() | st.text(max_size=5) | st.lists(st.integers(), max_size=2)
MOST_NOTES = 3
SCOPE = Scope("s1", project="model")


@dataclass
class Content:
    """What a scope should hold, told the plain way."""

    values: dict[str, tuple[Any, datetime | None]] = field(default_factory=dict)
    notes: list[Any] = field(default_factory=list)
    task: tuple[float, str] | None = None

    def live(self, now: datetime) -> dict[str, Any]:
        """The values that have not ended."""
        return {k: v for k, (v, end) in self.values.items() if end is None or now < end}


class Machine(RuleBasedStateMachine):
    """All operations of a working memory beside the model of it."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = Moment()
        self.storage = self.connect()
        self.memory = self.open()
        self.content = Content()
        self.checkpoints: dict[str, Content] = {}

    def connect(self) -> Storage:
        """The storage under test."""
        return InProcess()

    def open(self) -> WorkingMemory:
        """The scope under test."""
        return WorkingMemory(SCOPE, self.storage, now=self.clock, most_notes=MOST_NOTES)

    @rule(key=KEYS, value=VALUES, ttl=st.none() | st.integers(1, 5))
    def set(self, key: str, value: Any, ttl: int | None) -> None:
        lasting = None if ttl is None else timedelta(seconds=ttl)
        self.memory.set(key, value, ttl=lasting)
        self.content.values[key] = (value, None if lasting is None else self.clock.now + lasting)

    @rule(key=KEYS)
    def delete(self, key: str) -> None:
        assert self.memory.delete(key) == (key in self.content.live(self.clock.now))
        self.content.values.pop(key, None)

    @rule()
    def clear(self) -> None:
        assert self.memory.clear() == len(self.content.live(self.clock.now))
        self.content.values.clear()

    @rule(value=VALUES)
    def note(self, value: Any) -> None:
        self.memory.note(value)
        self.content.notes = [*self.content.notes, value][-MOST_NOTES:]

    @rule()
    def clear_notes(self) -> None:
        assert self.memory.clear_notes() == len(self.content.notes)
        self.content.notes = []

    @rule(percent=st.floats(-10, 110))
    def set_task(self, percent: float) -> None:
        self.memory.set_task("task", percent=percent)
        self.content.task = (min(100.0, max(0.0, percent)), "")

    @rule(percent=st.none() | st.floats(-10, 110), step=st.sampled_from(["x", "y"]))
    def update_task(self, percent: float | None, step: str) -> None:
        updated = self.memory.update_task(percent, step=step)
        assert (updated is None) == (self.content.task is None)
        if self.content.task is not None:
            before = self.content.task[0]
            share = before if percent is None else min(100.0, max(0.0, percent))
            self.content.task = (share, step)

    @rule(seconds=st.integers(1, 3))
    def time_passes(self, seconds: int) -> None:
        self.clock.passes(seconds)

    @rule()
    def checkpoint(self) -> None:
        made = self.memory.checkpoint()
        content = copy.deepcopy(self.content)
        live = content.live(self.clock.now)
        content.values = {key: content.values[key] for key in live}
        self.checkpoints[made.id] = content

    @precondition(lambda self: self.checkpoints)
    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        id = data.draw(st.sampled_from(sorted(self.checkpoints)))
        self.memory.restore(id)
        self.content = copy.deepcopy(self.checkpoints[id])

    @precondition(lambda self: self.checkpoints)
    @rule(data=st.data())
    def drop_checkpoint(self, data: st.DataObject) -> None:
        id = data.draw(st.sampled_from(sorted(self.checkpoints)))
        self.memory.drop_checkpoint(id)
        del self.checkpoints[id]

    @rule()
    def reopen(self) -> None:
        again = self.open()
        self.memory.close()
        self.memory = again

    @invariant()
    def it_is_as_the_model(self) -> None:
        assert self.memory.all() == self.content.live(self.clock.now)
        assert self.memory.notes() == self.content.notes
        task = self.memory.task()
        assert (task and (task.percent, task.step)) == self.content.task
        assert {one.id for one in self.memory.checkpoints()} == set(self.checkpoints)

    def teardown(self) -> None:
        self.memory.close()
        self.storage.close()


def check(machine: type[Machine], examples: int) -> None:
    """Runs a machine."""
    machine.TestCase.settings = settings(
        max_examples=examples,
        stateful_step_count=25,
        suppress_health_check=list(HealthCheck),
    )
    machine.TestCase().runTest()


def test_in_process_it_is_as_the_model() -> None:
    check(Machine, 60)


def test_in_a_file_it_is_as_the_model() -> None:
    class OnSqlite(Machine):
        def connect(self) -> Storage:
            self.folder = TemporaryDirectory()
            return Sqlite(Path(self.folder.name) / "working.db", self.clock)

        def teardown(self) -> None:
            super().teardown()
            self.folder.cleanup()

    check(OnSqlite, 20)


def test_on_a_server_it_is_as_the_model(server: Server) -> None:
    class OnValkey(Machine):
        def connect(self) -> Storage:
            found = Redis(server.url)
            found.change(SCOPE.prefix, lambda cells: (Changes(drop=list(cells)), None))
            return found

    check(OnValkey, 20)


def test_on_a_storage_that_comes_and_goes_it_is_as_the_model() -> None:
    class Flaky(Machine):
        """Now and then the storage is gone for a while; what it holds stays."""

        def connect(self) -> Storage:
            self.is_down = False
            kept = InProcess()
            machine = self

            class Link:
                """The way to the storage."""

                def __getattr__(self, name: str) -> Any:
                    if machine.is_down and name not in ("close", "name", "is_using_fallback"):
                        raise StorageUnavailable("no route")
                    return getattr(kept, name)

            def reach() -> Storage:
                if machine.is_down:
                    raise StorageUnavailable("no route")
                return Link()

            return Fallback(reach, self.clock.tick)

        @rule()
        def goes_or_comes(self) -> None:
            self.is_down = not self.is_down

    check(Flaky, 60)


@pytest.mark.parametrize("most", [1, 2])
def test_a_bound_is_kept_whatever_is_opened_and_closed(most: int) -> None:
    storage, clock = InProcess(most=most), Moment()
    for number in range(20):
        memory = WorkingMemory(Scope(str(number % 5)), storage, now=clock)
        memory.set("key", number)
        assert memory.get("key") == number
        memory.close()
        assert len(storage) <= most
