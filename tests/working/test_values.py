"""Keys and values, the same on every storage."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from tests.working.conftest import Opener
from tests.working.kit import Moment

from reviewdeck.errors import BadInput
from reviewdeck.working import WorkingMemory


@pytest.mark.parametrize(
    "value", [None, True, 0, -1.5, 2**70, "", "ü \x00 line\n", [], {}, {"a": [1, {"b": None}]}]
)
def test_what_was_set_comes_back(memory: WorkingMemory, value: Any) -> None:
    memory.set("key", value)
    assert memory.get("key", "default") == value
    assert type(memory.get("key")) is type(value)
    assert memory.exists("key")


def test_what_was_never_set_is_the_default(memory: WorkingMemory) -> None:
    assert memory.get("key") is None
    assert memory.get("key", 7) == 7
    assert not memory.exists("key")


@pytest.mark.parametrize(
    "value",
    [
        pytest.param((1, 2), id="tuple"),
        pytest.param({1, 2}, id="set"),
        pytest.param(b"bytes", id="bytes"),
        pytest.param(object(), id="object"),
        pytest.param(float("nan"), id="nan"),
        pytest.param(float("inf"), id="inf"),
        pytest.param({1: "a"}, id="number as key"),
        pytest.param([("a",)], id="nested"),
        pytest.param("\ud800", id="surrogate"),
        pytest.param(10**5_000, id="thousands of digits"),
    ],
)
def test_what_is_not_json_is_refused_and_changes_nothing(memory: WorkingMemory, value: Any) -> None:
    memory.set("key", "before")
    with pytest.raises(BadInput, match="JSON"):
        memory.set("key", value)
    assert memory.get("key") == "before"


def test_a_value_nested_too_deep_is_refused(memory: WorkingMemory) -> None:
    deep: list[Any] = []
    for _ in range(100):
        deep = [deep]
    with pytest.raises(BadInput, match="64 levels"):
        memory.set("key", deep)


def test_values_are_copied_in_and_out(memory: WorkingMemory) -> None:
    value = {"list": [1]}
    memory.set("key", value)
    value["list"].append(2)
    memory.get("key")["list"].append(3)
    assert memory.get("key") == {"list": [1]}


@pytest.mark.parametrize("key", ["_task", "_", "_anything", "", "a\x00b", "k" * 501])
def test_a_reserved_or_impossible_key_is_refused(memory: WorkingMemory, key: str) -> None:
    for use in (
        lambda: memory.set(key, 1),
        lambda: memory.get(key),
        lambda: memory.exists(key),
        lambda: memory.delete(key),
    ):
        with pytest.raises(BadInput):
            use()


def test_deleting_says_whether_there_was_something(memory: WorkingMemory) -> None:
    memory.set("key", None)
    assert memory.delete("key")
    assert not memory.delete("key")
    assert not memory.exists("key")


def test_keys_are_listed_by_glob_without_what_is_ours(memory: WorkingMemory) -> None:
    for key in ("b/2", "a", "b/1", "[x]", "*"):
        memory.set(key, key)
    memory.set_task("reading")
    memory.note("a note")
    memory.checkpoint()
    assert memory.keys() == ["*", "[x]", "a", "b/1", "b/2"]
    assert memory.keys("b/*") == ["b/1", "b/2"]
    assert memory.keys("?") == ["*", "a"]
    assert memory.keys("[[]x]") == ["[x]"]
    assert memory.keys("_*") == []
    assert list(memory.all()) == memory.keys()


def test_clearing_keeps_what_is_ours_and_counts_what_went(memory: WorkingMemory) -> None:
    memory.set("a", 1)
    memory.set("b", 2)
    memory.set_task("reading")
    memory.note("a note")
    made = memory.checkpoint()
    assert memory.clear() == 2
    assert memory.clear() == 0
    assert memory.all() == {}
    assert memory.task() is not None
    assert memory.notes() == ["a note"]
    assert memory.checkpoints() == [made]


def test_a_value_ends_at_its_moment_and_not_before(memory: WorkingMemory, clock: Moment) -> None:
    memory.set("key", 1, ttl=timedelta(seconds=10))
    clock.passes(9.999)
    assert memory.get("key") == 1
    clock.passes(0.001)
    assert memory.get("key", "gone") == "gone"
    assert not memory.exists("key")
    assert memory.keys() == []
    assert memory.all() == {}
    assert not memory.delete("key")
    assert memory.clear() == 0


def test_a_memory_has_a_default_end_that_a_value_may_override(
    opened: Opener, clock: Moment
) -> None:
    memory = opened(ttl=timedelta(seconds=10))
    memory.set("usual", 1)
    memory.set("short", 1, ttl=timedelta(seconds=1))
    memory.set("for ever", 1, ttl=None)
    memory.set("twice", 1, ttl=timedelta(seconds=1))
    memory.set("twice", 2)
    clock.passes(5)
    assert memory.keys() == ["for ever", "twice", "usual"]
    clock.passes(1e9)
    assert memory.keys() == ["for ever"]


@pytest.mark.parametrize("ttl", [timedelta(0), timedelta(seconds=-1)])
def test_an_end_that_has_passed_is_refused(memory: WorkingMemory, ttl: timedelta) -> None:
    with pytest.raises(BadInput):
        memory.set("key", 1, ttl=ttl)


def test_scopes_do_not_see_each_other(opened: Opener) -> None:
    scopes = [
        opened("s1"),
        opened("s2"),
        opened("s1", agent="a"),
        opened(None, agent="a"),
        opened("s1", agent="a/session:s1"),
        opened("a/session:s1"),
        opened("s1", project="other"),
    ]
    for number, memory in enumerate(scopes):
        memory.set("key", number)
    assert [memory.get("key") for memory in scopes] == list(range(len(scopes)))


def test_of_64_writers_on_one_key_none_is_lost(opened: Opener) -> None:
    memory = opened()
    memory.set_task("shared")

    def write(number: int) -> None:
        memory.note(number)
        memory.update_task(step=f"step {number}")
        memory.set("last", number)

    with ThreadPoolExecutor(64) as pool:
        list(pool.map(write, range(64)))
    assert sorted(memory.notes()) == list(range(64))
    assert memory.get("last") in range(64)
    task = memory.task()
    assert task is not None
    assert task.step.startswith("step")
