"""The main job on real input: 50 records that the real Hermes staged, 9 of them stale."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from tests.conftest import OracleRecord
from tests.engine.kit import OpenDeck, set_entries

from reviewdeck.engine.engine import Engine
from reviewdeck.model import Dead, Ready, State

AUTOMATIC = {"add-foreground", "add-with-delimiter-char"}
"""The home keeps no conversations: one plain statement each."""
REFUSED = {"add-injection", "add-embedded-delimiter", "write-file-traversal"}

OURS_DIFFERS = {
    "add-dup-of-live": "Hermes calls writing nothing a success; here it is dead.",
    "add-embedded-delimiter": "Hermes writes two entries; here it is refused.",
    "delete": "Hermes deletes what its background review gave up; here it goes to the archive.",
}
"""Where the files are not those of Hermes, on purpose. docs/internals/hermes.md says more."""


@pytest.fixture
def hermes_deck(open_at: OpenDeck, hermes_home: Path) -> Engine:
    return open_at(hermes_home)


def tree(home: Path) -> dict[str, str]:
    """SHA-256 of every file below a home, our own folder left out."""
    return {
        str(path.relative_to(home)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(home.rglob("*"))
        if path.is_file() and ".reviewdeck" not in path.parts
    }


def labels(oracle: dict[str, OracleRecord]) -> dict[str | None, str]:
    return {record.id: label for label, record in oracle.items()}


def test_auto_applies_what_is_plainly_safe_and_nothing_else(
    hermes_deck: Engine, oracle: dict[str, OracleRecord]
) -> None:
    report, names = hermes_deck.auto(), labels(oracle)
    assert {names[item.source_id] for item in report.applied} == AUTOMATIC
    assert {names[item.source_id] for item in report.refused} == REFUSED
    assert report.failures == ()


def test_auto_touches_no_stale_record(hermes_deck: Engine, oracle: dict[str, OracleRecord]) -> None:
    stale = {record.id for record in oracle.values() if record.stale}
    assert len(stale) == 9
    applied = {item.source_id for item in hermes_deck.auto().applied}
    assert not stale & applied


def test_everything_that_waits_says_why(hermes_deck: Engine) -> None:
    report = hermes_deck.auto()
    waiting = report.held + report.refused + report.dead
    assert len(waiting) == 48
    assert all(item.reason.strip() for item in waiting)
    assert all(item.findings for item in report.held + report.refused)


def test_a_second_pass_finds_nothing_to_do(hermes_deck: Engine, hermes_home: Path) -> None:
    hermes_deck.auto()
    before = tree(hermes_home)
    assert hermes_deck.auto().applied == ()
    assert tree(hermes_home) == before


def test_a_dry_run_changes_no_byte_of_the_home(hermes_deck: Engine, hermes_home: Path) -> None:
    before = tree(hermes_home)
    report = hermes_deck.auto(dry_run=True)
    assert len(report.applied) == len(AUTOMATIC)
    assert tree(hermes_home) == before
    assert not (hermes_home / ".reviewdeck").exists()


def test_the_additions_of_auto_are_those_of_hermes_in_the_same_order(
    hermes_deck: Engine, hermes_home: Path
) -> None:
    memory = (hermes_home / "memories/MEMORY.md").read_text("utf-8")
    user = (hermes_home / "memories/USER.md").read_text("utf-8")
    hermes_deck.auto()
    expected = f"{memory}\n§\nParagraph sign § appears in legal docs of this repo."
    assert (hermes_home / "memories/MEMORY.md").read_text("utf-8") == expected
    expected = f"{user}\n§\nWants tests before code."
    assert (hermes_home / "memories/USER.md").read_text("utf-8") == expected


def test_each_record_alone_gives_the_bytes_that_hermes_writes(
    open_at: OpenDeck, hermes_home: Path, oracle: dict[str, OracleRecord]
) -> None:
    """Planned only: what each record would write is compared file by file."""
    deck, wrong = open_at(hermes_home), []
    deck.intake()
    for label, record in oracle.items():
        evaluation = deck.get(record.id)
        outcome = evaluation.staged.outcome
        if label in OURS_DIFFERS or label in REFUSED:
            continue
        if not record.success:
            if not isinstance(outcome, Dead):
                wrong.append(f"{label}: Hermes fails, ours is {outcome}")
            continue
        if not isinstance(outcome, Ready):
            wrong.append(f"{label}: Hermes succeeds, ours is {outcome}")
            continue
        ours = {
            change.path: None if change.after is None else change.after_revision
            for change in outcome.plan.changes
        }
        if ours != record.changed:
            wrong.append(f"{label}: {ours} is not {record.changed}")
    assert wrong == []


def test_every_difference_on_purpose_is_in_the_documentation() -> None:
    text = (Path(__file__).parents[2] / "docs" / "internals" / "hermes.md").read_text("utf-8")
    assert [label for label in OURS_DIFFERS if f"`{label}`" not in text] == []


def test_a_hand_edit_between_two_looks_turns_the_fixture_into_conflicts(
    hermes_deck: Engine, hermes_home: Path
) -> None:
    hermes_deck.auto()
    memory = hermes_home / "memories/MEMORY.md"
    text = memory.read_text("utf-8")
    memory.write_text(text.replace("PostgreSQL 15", "PostgreSQL 17 (by hand)"), "utf-8")
    report = hermes_deck.auto()
    assert [item.source_id for item in report.held if item.state is State.CONFLICT] == ["cd551737"]
    assert "PostgreSQL 17 (by hand)" in memory.read_text("utf-8")


def test_a_stale_record_whose_base_is_known_is_a_conflict_and_not_a_lost_update(
    hermes_deck: Engine, hermes_home: Path
) -> None:
    """What Hermes does to this record is the very defect that reviewdeck exists for."""
    hermes_deck.intake()
    set_entries(hermes_home, "CI is GitHub Actions; deploys are frozen.")
    hermes_deck.intake()
    assert hermes_deck.find("604c8f11").state is State.CONFLICT
