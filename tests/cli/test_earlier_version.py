"""What an earlier version wrote is looked at, verified and taken back by this one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.cli.program import Program
from tests.conftest import Earlier

from reviewdeck.ledger.opening import open_ledger
from reviewdeck.model.ledger import DirectoryIdentity


@pytest.fixture
def upgraded(earlier: Earlier, capsys: pytest.CaptureFixture[str]) -> Iterator[Program]:
    """The earlier ledger, told where its home is on this machine."""
    with open_ledger(str(earlier.ledger), now=lambda: datetime.now(UTC)) as ledger:
        ledger.put_place(
            earlier.known_as, DirectoryIdentity(str(earlier.home.resolve()), ""), "m" * 16
        )
    yield Program(earlier.home, earlier.ledger, capsys)


def test_the_log_of_an_earlier_version_is_sound(upgraded: Program) -> None:
    ran = upgraded("log", "--verify", "--json")
    assert (ran.code, ran.json["sound"], ran.json["irregular"]) == (0, True, [])
    assert ran.json["decisions"] == 15
    assert upgraded("fsck").code == 0


def test_what_an_earlier_version_left_waiting_is_evaluated_again(upgraded: Program) -> None:
    assert upgraded("auto").code in (0, 3)
    assert [(item["state"], item["target"]) for item in upgraded.read("list")] == [
        ("ready", "memory"),
        ("ready", "memory"),
        ("quarantined", "broken.json"),
    ]
    (first, *_) = upgraded.read("list")
    assert upgraded.read("show", first["id"])["verdict"] == "review"


def test_an_operation_of_an_earlier_version_is_taken_back(upgraded: Program) -> None:
    skill: Path = upgraded.home / "skills" / "triage" / "SKILL.md"
    assert "2. Sort by date." in skill.read_text("utf-8")
    operations = upgraded.read("log")["operations"]
    (patch,) = [one for one in operations if one["changes"][0]["document"].endswith("SKILL.md")]
    assert upgraded("undo", patch["id"]).code == 0
    assert "2. Sort.\n" in skill.read_text("utf-8")
    assert upgraded("log", "--verify").code == 0
