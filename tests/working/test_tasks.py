"""A task, notes, checkpoints and what a scope says of itself, the same on every storage."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest
from tests.working.conftest import Opener
from tests.working.kit import START, Moment

from reviewdeck.errors import BadInput, UnknownCheckpoint
from reviewdeck.working import WorkingMemory


def test_without_a_task_there_is_none_to_update(memory: WorkingMemory) -> None:
    assert memory.task() is None
    assert memory.update_task(10.0) is None
    assert memory.task() is None


def test_a_task_keeps_its_times_and_what_is_not_updated(
    memory: WorkingMemory, clock: Moment
) -> None:
    memory.set_task("review", step="reading")
    clock.passes(60)
    memory.update_task(40, status="working")
    task = memory.task()
    assert task is not None
    assert (task.started_at, task.updated_at) == (START, START + timedelta(minutes=1))
    assert (task.percent, task.step, task.status) == (40.0, "reading", "working")
    memory.clear_task()
    assert memory.task() is None


@pytest.mark.parametrize(("given", "kept"), [(-5, 0.0), (0, 0.0), (55.5, 55.5), (1e9, 100.0)])
def test_progress_stays_between_0_and_100(memory: WorkingMemory, given: float, kept: float) -> None:
    assert memory.set_task("review", percent=given).percent == kept
    updated = memory.update_task(given)
    assert updated is not None
    assert updated.percent == kept


def test_progress_that_is_no_number_is_refused(memory: WorkingMemory) -> None:
    with pytest.raises(BadInput):
        memory.set_task("review", percent=float("nan"))


def test_notes_are_kept_in_order_with_their_times(memory: WorkingMemory, clock: Moment) -> None:
    memory.note("first")
    clock.passes(1)
    memory.note({"second": 2})
    assert memory.notes() == ["first", {"second": 2}]
    assert [note.at for note in memory.timed_notes()] == [START, START + timedelta(seconds=1)]
    assert memory.clear_notes() == 2
    assert memory.clear_notes() == 0
    assert memory.notes() == []


@pytest.mark.parametrize(
    ("most", "kept"), [(0, []), (1, [4]), (3, [2, 3, 4]), (99, [0, 1, 2, 3, 4])]
)
def test_beyond_the_limit_the_oldest_notes_go(opened: Opener, most: int, kept: list[int]) -> None:
    memory = opened(most_notes=most)
    for number in range(5):
        memory.note(number)
    assert memory.notes() == kept


def test_a_checkpoint_brings_everything_back_at_once(memory: WorkingMemory, clock: Moment) -> None:
    memory.set("kept", 1)
    memory.set("ends", 1, ttl=timedelta(seconds=100))
    memory.set_task("review", percent=10)
    memory.note("first")
    made = memory.checkpoint("before the commit")
    assert str(UUID(made.id)) == made.id
    clock.passes(50)
    later = memory.checkpoint("later")
    memory.set("kept", 2)
    memory.set("new", 3)
    memory.delete("ends")
    memory.update_task(90)
    memory.note("second")
    memory.restore(made.id)
    assert memory.all() == {"ends": 1, "kept": 1}
    assert memory.notes() == ["first"]
    task = memory.task()
    assert task is not None
    assert task.percent == 10.0
    assert memory.checkpoints() == [made, later]
    clock.passes(50)
    assert memory.all() == {"kept": 1}


def test_a_checkpoint_holds_no_other_checkpoint(memory: WorkingMemory) -> None:
    first = memory.checkpoint("first")
    second = memory.checkpoint("second")
    memory.drop_checkpoint(first.id)
    memory.restore(second.id)
    assert memory.checkpoints() == [second]


def test_what_had_ended_at_a_checkpoint_does_not_come_back(
    memory: WorkingMemory, clock: Moment
) -> None:
    memory.set("key", 1, ttl=timedelta(seconds=1))
    clock.passes(2)
    made = memory.checkpoint()
    memory.restore(made.id)
    assert memory.keys() == []


def test_an_unknown_checkpoint_is_named(memory: WorkingMemory) -> None:
    memory.set("key", 1)
    for use in (memory.restore, memory.drop_checkpoint):
        with pytest.raises(UnknownCheckpoint, match="nothing-like-it"):
            use("nothing-like-it")
    assert memory.all() == {"key": 1}


def test_old_checkpoints_make_room_for_new_ones(memory: WorkingMemory, clock: Moment) -> None:
    made = []
    for number in range(52):
        clock.passes(1)
        made.append(memory.checkpoint(str(number)))
    assert memory.checkpoints() == made[2:]


def test_a_scope_tells_what_it_holds(opened: Opener, clock: Moment) -> None:
    memory = opened("s1", agent="a1")
    memory.set("a", 1)
    memory.set("b", 1, ttl=timedelta(seconds=1))
    memory.set_task("review")
    memory.note("one")
    memory.checkpoint()
    clock.passes(1)
    stats = memory.stats()
    assert (stats.kind, stats.id) == ("session", "s1")
    assert (stats.user_keys, stats.checkpoints, stats.notes) == (1, 1, 1)
    assert stats.has_task
    assert stats.total_keys == 5, "one value, the scope itself, the task, the notes, a checkpoint"
    assert not stats.is_using_fallback
    memory.check()


def test_what_is_known_of_a_scope_survives_that_it_is_opened_again(
    opened: Opener, clock: Moment
) -> None:
    memory = opened()
    memory.set("key", 1)
    memory.close()
    memory.close()
    clock.passes(3600)
    again = opened()
    assert again.stats().created_at == START
    assert again.get("key") == 1
