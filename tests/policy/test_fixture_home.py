"""The policy over a home that the real Hermes filled."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.conftest import OracleRecord

from reviewdeck.compose import compose_deck
from reviewdeck.settings import Settings

AUTOMATIC = {
    "add-unicode",
    "add-foreground",
    "create",
    "create-foreground",
    "write-file-new",
}
REFUSED = {"add-injection", "add-embedded-delimiter", "write-file-traversal"}


@pytest.fixture
def verdicts(hermes_home: Path, oracle: dict[str, OracleRecord], tmp_path: Path) -> dict[str, str]:
    """The verdict by label."""
    labels = {record.id: label for label, record in oracle.items()}
    settings = Settings((hermes_home,), str(tmp_path / "ledger.db"), user_home=tmp_path)
    deck = compose_deck(settings)
    deck.intake()
    found = {labels[item.source_id or ""]: deck.get(item.id).verdict for item in deck.pending()}
    deck.close()
    return found


def test_of_fifty_records_exactly_the_plain_additions_are_automatic(
    verdicts: dict[str, str],
) -> None:
    assert len(verdicts) == 50
    assert {label for label, said in verdicts.items() if said == "auto-apply"} == AUTOMATIC
    assert {label for label, said in verdicts.items() if said == "refuse"} == REFUSED
