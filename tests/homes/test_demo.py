"""The sample home."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from reviewdeck.bootstrap import open_engine
from reviewdeck.demo import MARKER, write_demo
from reviewdeck.engine.options import Settings
from reviewdeck.errors import BadInput
from reviewdeck.homes.hermes.home import HermesHome
from reviewdeck.model import (
    Actor,
    ActorKind,
    Conflict,
    Dead,
    DeadReason,
    OriginClass,
    Proposal,
    Protection,
    Quarantined,
    Ready,
)
from reviewdeck.planning.stage import stage

NOW = datetime(2027, 1, 12, 10, tzinfo=UTC)


@pytest.fixture
def demo(tmp_path: Path) -> HermesHome:
    write_demo(tmp_path / "demo", NOW)
    return HermesHome(tmp_path / "demo", env={}, user_home=tmp_path, clock=lambda: NOW)


def contents(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def proposals(home: HermesHome) -> list[Proposal]:
    parsed = [home.parse(file, NOW) for file in home.pending()]
    return [one for one in parsed if isinstance(one, Proposal)]


def outcomes(home: HermesHome) -> dict[str, Ready | Conflict | Dead]:
    snapshot = home.snapshot()
    return {str(p.source_id): stage(p, snapshot).outcome for p in proposals(home)}


def test_the_same_moment_gives_the_same_bytes(tmp_path: Path) -> None:
    write_demo(tmp_path / "one", NOW)
    write_demo(tmp_path / "two", NOW)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_it_can_be_written_anew_over_what_was_decided(tmp_path: Path) -> None:
    write_demo(tmp_path, NOW)
    before = contents(tmp_path)
    (tmp_path / "memories" / "MEMORY.md").write_text("changed")
    (tmp_path / "skills" / "new").mkdir()
    (tmp_path / "skills" / "new" / "SKILL.md").write_text("x")
    write_demo(tmp_path, NOW)
    assert contents(tmp_path) == before


def test_a_directory_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.md").write_text("years of work")
    with pytest.raises(BadInput, match="not empty"):
        write_demo(tmp_path, NOW)
    assert contents(tmp_path) == {"thesis.md": b"years of work"}


def test_a_file_is_no_place_for_a_home(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(BadInput):
        write_demo(tmp_path / "file", NOW)


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept.md").write_text("kept")
    write_demo(home, NOW)
    (home / "config.yaml").unlink()
    (home / "config.yaml").symlink_to(elsewhere / "kept.md")
    write_demo(home, NOW)
    assert (elsewhere / "kept.md").read_text() == "kept"
    (home / "skills").rename(tmp_path / "moved")
    (home / "skills").symlink_to(elsewhere)
    with pytest.raises(BadInput, match="link"):
        write_demo(home, NOW)
    assert contents(elsewhere) == {"kept.md": b"kept"}


def test_its_marker_names_it(demo: HermesHome) -> None:
    assert (demo.path / MARKER).is_file()


def test_it_is_a_home_like_any_other(demo: HermesHome) -> None:
    snapshot = demo.snapshot()
    assert demo.notes == ()
    assert all(snapshot.document(path).problem is None for path in demo.documents())
    emails, review = snapshot.skill("harbour-emails"), snapshot.skill("code-review")
    assert emails is not None
    assert review is not None
    assert emails.protections == {Protection.PINNED, Protection.USER_OWNED}
    assert review.protections == {Protection.BUNDLED}


def test_its_memories_are_within_their_budgets(demo: HermesHome) -> None:
    snapshot = demo.snapshot()
    for path in ("memories/MEMORY.md", "memories/USER.md"):
        budget = snapshot.budget(path)
        assert budget is not None
        assert budget / 4 < len(snapshot.document(path).text) < budget


def test_one_record_is_malformed_and_one_is_foreign(demo: HermesHome) -> None:
    parsed = [demo.parse(file, NOW) for file in demo.pending()]
    reasons = sorted(one.reason for one in parsed if isinstance(one, Quarantined))
    assert reasons == ["foreign", "not-json"]


def test_all_that_the_records_say_of_themselves_is_understood(demo: HermesHome) -> None:
    found = proposals(demo)
    assert not [one.source for one in found if one.unknown_keys]
    with_bases = [one for one in found if one.bases]
    assert len(with_bases) == len(found) - 3
    assert all(one.session and one.turn and one.tool_call for one in with_bases)


def test_exactly_six_records_are_in_conflict(demo: HermesHome) -> None:
    found = {id: one for id, one in outcomes(demo).items() if isinstance(one, Conflict)}
    assert sorted(found) == [
        "3a0c6f4d",
        "3b95d2e7",
        "3c2e71a8",
        "3df84b09",
        "d1a97e03",
        "d2c6054b",
    ]
    assert all(one.base_known for one in found.values())


def test_the_dead_ones_are_dead_for_the_reason_they_were_written_for(demo: HermesHome) -> None:
    found = {id: one.reason for id, one in outcomes(demo).items() if isinstance(one, Dead)}
    assert found == {
        "b10f6a52": DeadReason.ALREADY_THERE,
        "e1408bd2": DeadReason.TARGET_GONE,
        "e27fa619": DeadReason.ALREADY_THERE,
        "e3b5c07d": DeadReason.AMBIGUOUS,
        "e4d93f18": DeadReason.OVER_BUDGET,
        "2b7199fc": DeadReason.PINNED,
        "4a17e0c3": DeadReason.TARGET_GONE,
        "4b6f25d8": DeadReason.AMBIGUOUS,
        "5a83c91e": DeadReason.INVALID,
        "5be04d72": DeadReason.INVALID,
    }


def test_what_the_user_said_goes_in_and_an_attack_names_its_page(
    demo: HermesHome, tmp_path: Path
) -> None:
    settings = Settings(
        homes=(demo.path,),
        ledger=str(tmp_path / "ledger.db"),
        user_home=tmp_path,
        actor=Actor(ActorKind.OPERATOR, "dana"),
    )
    deck = open_engine(settings, now=lambda: NOW)
    report = deck.auto()
    deck.close()
    assert {item.source_id for item in report.applied} == {
        "a1c40f27",
        "a2b81d3e",
        "a35e9c10",
        "a5e10c84",
        "0a51c3e8",
        "0b8e27d4",
        "0c19f6b2",
        "0d7430ac",
    }
    checks = {item.source_id: item.checks for item in report.refused}
    attack = checks["f1e62b90"]
    assert attack is not None
    assert attack.origin is OriginClass.OUTSIDE


def test_there_is_something_of_every_kind(demo: HermesHome) -> None:
    actions = Counter((one.kind.value, one.action) for one in proposals(demo))
    assert set(actions) == {
        ("memory", "add"),
        ("memory", "replace"),
        ("memory", "remove"),
        ("memory", "batch"),
        ("skills", "create"),
        ("skills", "edit"),
        ("skills", "patch"),
        ("skills", "write_file"),
        ("skills", "remove_file"),
        ("skills", "delete"),
    }
