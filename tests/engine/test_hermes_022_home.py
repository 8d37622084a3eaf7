"""Records that the real Hermes 0.22.2 staged: each gives the bytes that Hermes writes."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import FIXTURES
from tests.engine.kit import OpenDeck

from reviewdeck.model import Dead, Ready

ORACLE: list[dict[str, Any]] = json.loads(
    (FIXTURES / "hermes-oracle-0.22.2.json").read_text("utf-8")
)
OURS_DIFFERS = {
    "patch-injects-delimiter": "Hermes makes two entries of one; here it is refused.",
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    with tarfile.open(FIXTURES / "hermes-home-0.22.2.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path / "hermes_home"


def test_each_record_alone_gives_the_bytes_that_hermes_writes(
    open_at: OpenDeck, home: Path
) -> None:
    deck, wrong = open_at(home), []
    deck.intake()
    for record in ORACLE:
        outcome, label = deck.get(record["id"]).staged.outcome, record["label"]
        if label in OURS_DIFFERS:
            continue
        if not record["hermes"]["success"]:
            if not isinstance(outcome, Dead):
                wrong.append(f"{label}: Hermes fails, ours is {outcome}")
            continue
        if not isinstance(outcome, Ready):
            wrong.append(f"{label}: Hermes succeeds, ours is {outcome}")
            continue
        ours = {
            change.path: None if change.after is None else change.after.decode()
            for change in outcome.plan.changes
        }
        if ours != record["changed"]:
            wrong.append(f"{label}: {ours} is not {record['changed']}")
    assert wrong == []


@pytest.mark.parametrize("label", ["patch-folded-quotes", "patch-too-long", "patch-noop"])
def test_a_record_that_hermes_refuses_is_dead_with_the_reason(
    open_at: OpenDeck, home: Path, label: str
) -> None:
    deck = open_at(home)
    deck.intake()
    (id,) = (record["id"] for record in ORACLE if record["label"] == label)
    outcome = deck.get(id).staged.outcome
    assert isinstance(outcome, Dead)
    reasons = {
        "patch-folded-quotes": "is not in the entry that it names",
        "patch-too-long": "2,341 characters alone, and the whole memory 2,200",
        "patch-noop": "nothing would change",
    }
    assert reasons[label] in outcome.message


def test_of_24_records_one_differs_and_for_a_reason(open_at: OpenDeck, home: Path) -> None:
    deck = open_at(home)
    deck.intake()
    assert len(ORACLE) == 24
    (label,) = OURS_DIFFERS
    (id,) = (record["id"] for record in ORACLE if record["label"] == label)
    outcome = deck.get(id).staged.outcome
    assert isinstance(outcome, Dead) and "would become several" in outcome.message
