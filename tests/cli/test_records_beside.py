"""What `doctor` says of records that are not Hermes' own, or that its own commands trip over."""

from __future__ import annotations

import pytest
from tests.homes.later import Later

from reviewdeck.cli.doctor import Level, check_home

ADD = {"action": "add", "target": "memory", "content": "Likes tea."}


def words(later: Later, name: str) -> list[str]:
    checks = [check for check in check_home(later.home()) if check.name == name]
    assert all(check.level is Level.WARN for check in checks)
    return [check.message for check in checks]


@pytest.mark.parametrize("created_at", ["yesterday", None, [1]])
def test_a_record_whose_time_is_none_ends_hermes_own_command(
    later: Later, created_at: object
) -> None:
    source = later.stage(ADD, created_at=created_at)
    (message,) = words(later, "pending")
    assert (
        message
        == f"{source}: its created_at is no number, and Hermes' own /memory fails because of it"
    )


def test_a_record_of_a_provider_is_named_with_it(later: Later) -> None:
    later.stage(ADD, provider="mnemosyne", tool="mnemosyne_remember")
    (message,) = words(later, "provider")
    assert message.endswith("waits for the memory provider mnemosyne (tool mnemosyne_remember)")
    assert words(later, "pending") == []
