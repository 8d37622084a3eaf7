"""The policy file that is in force: for the headless pass, for looking, and while it changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.kit import Agent, OpenDeck, entries

from reviewdeck.engine.engine import Engine
from reviewdeck.engine.options import PolicyPlace
from reviewdeck.model import State
from reviewdeck.policy.in_force import Policy
from reviewdeck.policy_file import Rulebook

HOLDS_LINTERS = """
[[rule]]
name = "no-linters"
effect = "hold"
reason = "Linters are a matter of taste."
pattern = "(?i)linter"
"""


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    return tmp_path / "policy.toml"


@pytest.fixture
def ruled(open_at: OpenDeck, home: Path, policy: Path) -> Engine:
    return open_at(home, policy=policy)


def test_what_the_file_holds_waits_and_says_why(ruled: Engine, agent: Agent, policy: Path) -> None:
    policy.write_text(HOLDS_LINTERS)
    agent.add("The linter is ruff.")
    agent.add("Branches are named after tickets.")
    report = ruled.auto()
    assert len(report.applied) == 1
    assert [item.reason for item in report.held] == ["Linters are a matter of taste: “linter”."]
    assert not report.problems


def test_an_edit_of_the_file_holds_from_the_next_look_on(
    ruled: Engine, agent: Agent, policy: Path
) -> None:
    agent.add("The linter is ruff.")
    assert ruled.auto(dry_run=True).applied
    policy.write_text(HOLDS_LINTERS)
    assert not ruled.is_fresh(ruled.homes[0])
    ruled.intake()
    assert [item.verdict for item in ruled.pending()] == ["review"]
    policy.unlink()
    ruled.intake()
    assert [item.verdict for item in ruled.pending()] == ["auto-apply"]
    assert ruled.is_fresh(ruled.homes[0])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"\n[caps]\npending = 5\n", "line 2"),
        (b"[limits\n", "line 1"),
        (b"# \xff\n", "line 1: it is not UTF-8 text"),
    ],
)
def test_with_a_broken_file_nothing_goes_in_and_nothing_is_lost(
    ruled: Engine, agent: Agent, home: Path, policy: Path, text: bytes, said: str
) -> None:
    before = entries(home)
    policy.write_bytes(text)
    agent.add("The linter is ruff.")
    report = ruled.auto()
    assert not report.applied
    assert entries(home) == before
    assert [item.state for item in report.held] == [State.READY]
    assert said in report.held[0].reason
    assert "Nothing is applied automatically" in report.held[0].reason
    assert said in report.problems[0]
    policy.write_text("")
    assert len(ruled.auto().applied) == 1


def test_a_file_that_was_named_has_to_be_there(tmp_path: Path) -> None:
    missing = tmp_path / "none.toml"
    assert "cannot be read" in Rulebook(PolicyPlace(missing, is_named=True))().problem
    assert not Rulebook(PolicyPlace(missing))().problem


def test_a_policy_is_known_by_the_hash_of_its_text(ruled: Engine, policy: Path) -> None:
    assert ruled.policy() == Policy()
    policy.write_text(HOLDS_LINTERS)
    assert len(ruled.policy().mark) == 64
