"""A pattern that is compiled by its first use is the pattern that it says."""

from __future__ import annotations

import importlib
import pkgutil
import re

import pytest

import reviewdeck
from reviewdeck.text.lazy import regex


def test_a_pattern_is_compiled_by_its_first_use_and_does_what_the_compiled_one_does() -> None:
    lazy, plain = regex(r"(?P<word>\w+)-", re.IGNORECASE), re.compile(r"(?P<word>\w+)-", re.I)
    assert "compiled" not in vars(lazy)
    assert lazy.pattern == plain.pattern
    assert "compiled" not in vars(lazy)
    assert lazy.sub("x", "a-b-c") == plain.sub("x", "a-b-c")
    assert (lazy.flags, lazy.groupindex) == (plain.flags, plain.groupindex)
    assert [found["word"] for found in lazy.finditer("A-b-")] == ["A", "b"]


def test_a_pattern_that_is_none_is_told_by_its_first_use() -> None:
    broken = regex("(")
    with pytest.raises(re.error):
        broken.search("")


def test_every_pattern_of_the_program_can_be_compiled() -> None:
    found = 0
    for package in ("policy", "reading", "origin", "homes"):
        for module in pkgutil.walk_packages(
            [f"{reviewdeck.__path__[0]}/{package}"], f"reviewdeck.{package}."
        ):
            for value in vars(importlib.import_module(module.name)).values():
                if isinstance(value, regex):  # type: ignore[arg-type]  # a class, as it runs
                    assert value.search("") is None or value.search("") is not None
                    found += 1
    assert found > 100
