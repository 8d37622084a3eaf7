"""Unfinished merges, on every storage."""

from __future__ import annotations

import pytest
from tests.working.conftest import Opener

from reviewdeck.ports.merges import Unfinished, UnfinishedMerges
from reviewdeck.working import WorkingMemory
from reviewdeck.working.memory import WorkingMerges


@pytest.fixture
def merges(memory: WorkingMemory) -> UnfinishedMerges:
    """The merges of one operator."""
    return WorkingMerges(memory)


def test_nothing_is_kept_at_first(merges: UnfinishedMerges) -> None:
    assert merges.load("p") is None
    merges.forget("p")


def test_what_is_kept_comes_back_as_it_was(merges: UnfinishedMerges) -> None:
    value = {"v": 1, "text": "\x1b[2J \udc80 § ü", "list": [None, True, 1.5]}
    merges.save("p", "d", value)
    assert merges.load("p") == Unfinished("d", value)
    assert merges.load("q") is None


def test_the_last_one_counts_and_can_be_forgotten(merges: UnfinishedMerges) -> None:
    merges.save("p", "d", {"n": 1})
    merges.save("p", "e", {"n": 2})
    assert merges.load("p") == Unfinished("e", {"n": 2})
    merges.forget("p")
    assert merges.load("p") is None


@pytest.mark.parametrize("name", ["../../etc/x", "a/b", "", "." * 300, "\x00", "_x", "\udc80"])
def test_any_name_is_kept_in_its_place(merges: UnfinishedMerges, name: str) -> None:
    merges.save(name, "d", {"name": name})
    merges.save(f"{name}2", "d", {"name": "another"})
    assert merges.load(name) == Unfinished("d", {"name": name})


def test_they_are_there_when_the_scope_is_opened_again(opened: Opener) -> None:
    first = opened()
    WorkingMerges(first).save("p", "d", {"n": 1})
    first.close()
    assert WorkingMerges(opened()).load("p") == Unfinished("d", {"n": 1})


@pytest.mark.parametrize("damage", [None, "", "{", "[]", '{"proposal": "q"}', 7, {"value": {}}])
def test_what_is_damaged_counts_as_none(memory: WorkingMemory, damage: object) -> None:
    merges = WorkingMerges(memory)
    merges.save("p", "d", {"n": 1})
    (key,) = memory.keys("merge:*")
    memory.set(key, damage)
    assert merges.load("p") is None
    merges.save("p", "d", {"n": 2})
    assert merges.load("p") == Unfinished("d", {"n": 2})
