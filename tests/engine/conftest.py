"""A deck over a small real home and a real ledger."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.engine.kit import (
    OPERATOR,
    USER,
    Agent,
    OpenDeck,
    Ticking,
    quiet,
    set_entries,
    skill_text,
)

from reviewdeck.bootstrap import open_engine
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.options import PolicyPlace, Settings
from reviewdeck.ledger.inspection import find_damage
from reviewdeck.model import Actor
from reviewdeck.ports import Probe


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a machine keeps of a hub is the test's own."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A small home: two memories and one skill."""
    root = tmp_path / "home"
    (root / "memories").mkdir(parents=True)
    (root / "skills" / "dev" / "release-notes" / "references").mkdir(parents=True)
    (root / "pending" / "memory").mkdir(parents=True)
    (root / "pending" / "skills").mkdir(parents=True)
    set_entries(root, "Tests run with tox.", "The staging host is stg-2.", "Docs use mkdocs.")
    set_entries(root, "Name: Dana.", "Prefers short answers.", document=USER)
    skill = root / "skills" / "dev" / "release-notes"
    (skill / "SKILL.md").write_text(skill_text("release-notes"), "utf-8")
    (skill / "references" / "style.md").write_text("# Style\nPlain words.\n", "utf-8")
    return root


@pytest.fixture
def agent(home: Path, clock: Ticking) -> Agent:
    return Agent(home, clock)


@pytest.fixture
def open_at(tmp_path: Path, clock: Ticking) -> Iterator[OpenDeck]:
    """Opens decks over one ledger; they are closed at the end."""
    opened: list[Engine] = []

    def opener(
        home: Path, *, actor: Actor = OPERATOR, probe: Probe = quiet, policy: Path | None = None
    ) -> Engine:
        settings = Settings(
            homes=(home,),
            ledger=str(tmp_path / "ledger" / "ledger.db"),
            user_home=tmp_path,
            actor=actor,
            lock_wait=5.0,
            policy=PolicyPlace(policy) if policy else None,
        )
        deck = open_engine(settings, now=clock, probe=probe)
        opened.append(deck)
        return deck

    yield opener
    for deck in opened:
        deck.close()
    # Whatever was done, the rows are what the log says.
    ledger = tmp_path / "ledger" / "ledger.db"
    assert not opened or find_damage(str(ledger)) == ()


@pytest.fixture
def deck(open_at: OpenDeck, home: Path) -> Engine:
    return open_at(home)
