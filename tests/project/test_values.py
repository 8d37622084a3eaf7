"""Values are declared cheaply, and behave as the standard library's dataclasses do."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from dataclasses import FrozenInstanceError, field, replace
from typing import Any

import pytest

from reviewdeck import values


@dataclasses.dataclass(frozen=True, slots=True)
class Standard:
    """What the standard library makes."""

    name: str
    size: int = 3
    tags: tuple[str, ...] = field(default_factory=tuple)
    hidden: str = field(default="-", repr=False, compare=False)


@values.dataclass(frozen=True, slots=True)
class Ours:
    """The same fields."""

    name: str
    size: int = 3
    tags: tuple[str, ...] = field(default_factory=tuple)
    hidden: str = field(default="-", repr=False, compare=False)


@values.dataclass(frozen=True, slots=True)
class Child(Ours):
    """A value that has the fields of another one too."""

    more: int = 1


@values.dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """Its fields are given by name."""

    one: int
    doubled: int = field(init=False)

    def __post_init__(self) -> None:
        """Works the second out."""
        object.__setattr__(self, "doubled", 2 * self.one)


def test_a_value_tells_its_fields_before_one_was_made() -> None:
    @values.dataclass(frozen=True, slots=True)
    class Fresh:
        name: str
        size: int = 3

    assert str(inspect.signature(Fresh)) == "(name: str, size: int = 3)"
    assert [*inspect.signature(Named).parameters] == ["one"]
    ours, standard = inspect.signature(Ours), inspect.signature(Standard)
    assert [*ours.parameters] == [*standard.parameters]


@pytest.mark.parametrize(
    "given",
    [
        (("a",), {}),
        (("a", 4), {}),
        (("a",), {"tags": ("x",)}),
        ((), {"name": "a", "hidden": "?"}),
    ],
)
def test_a_value_is_made_shown_and_hashed_as_the_standard_one(given: Any) -> None:
    arguments, named = given
    ours, standard = Ours(*arguments, **named), Standard(*arguments, **named)
    assert repr(ours) == repr(standard).replace("Standard", "Ours")
    assert hash(ours) == hash(standard)
    assert dataclasses.astuple(ours) == dataclasses.astuple(standard)
    assert replace(ours, size=9) == Ours("a", 9, ours.tags, ours.hidden)


def test_values_are_equal_by_what_is_compared_and_by_their_class() -> None:
    assert Ours("a", hidden="1") == Ours("a", hidden="2")
    assert Ours("a") != Ours("b")
    other: object = Standard("a")
    assert Ours("a") != other
    assert Child("a") != Ours("a")
    assert Child("a", more=2) != Child("a")


@pytest.mark.parametrize("wrong", [((), {}), (("a", 1, (), "", 5), {}), (("a",), {"other": 1})])
def test_a_wrong_argument_is_a_type_error_each_time(wrong: Any) -> None:
    arguments, named = wrong
    for _ in range(2):
        with pytest.raises(TypeError):
            Ours(*arguments, **named)


def test_a_value_is_never_changed() -> None:
    value = Ours("a")
    with pytest.raises(FrozenInstanceError):
        value.size = 4  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del value.size
    with pytest.raises(FrozenInstanceError):
        value.other = 4  # type: ignore[attr-defined]


def _restored(value: object) -> object:
    return pickle.loads(pickle.dumps(value))  # noqa: S301 - our own value


def test_a_value_is_copied_stored_and_matched() -> None:
    value = Child("a", 2, ("x",), "h", 5)
    assert copy.deepcopy(value) == copy.copy(value) == _restored(value) == value
    match value:
        case Ours(name, size):
            assert (name, size) == ("a", 2)


def test_fields_by_name_and_fields_that_are_worked_out() -> None:
    assert Named(one=2).doubled == 4
    assert replace(Named(one=2), one=3).doubled == 6
    with pytest.raises(TypeError):
        Named(2)  # type: ignore[call-arg]


@values.dataclass(slots=True)
class Changing:
    """A class whose fields change."""

    size: int = 0


def test_what_can_change_is_compared_and_never_hashed() -> None:
    one, other = Changing(), Changing()
    other.size = 1
    assert one != other
    one.size = 1
    assert one == other
    with pytest.raises(TypeError):
        hash(one)
