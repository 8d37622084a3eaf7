"""Homes to open the deck on, and nobody's taste."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import textual._wait
from tests.engine.kit import USER, Ticking, set_entries, skill_text
from tests.tui.kit_deck import Cockpit, Hermes


@pytest.fixture(autouse=True)
def nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No settings, no colours, no editor and no time zone of whoever runs the tests."""
    for name in (
        *("NO_COLOR", "VISUAL", "EDITOR", "TEXTUAL_THEME", "HERMES_HOME"),
        *("TMUX", "TERM_PROGRAM"),
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("TERM", "xterm-256color")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture(autouse=True, scope="session")
def _short_waits() -> Iterator[None]:
    """A pause ends 4 ms after the app did its last work, not 20 ms: each key makes four of them.

    Textual has no public setting for it. What has to be so, `Driver.until` waits for by itself.
    """
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(textual._wait, "SLEEP_GRANULARITY", 0.004)
        yield


@pytest.fixture(autouse=True)
def _a_hub_that_takes_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine under load is no hub that is away. Tests of one that is set bounds of their own."""
    monkeypatch.setattr("reviewdeck_tui.engine.PATIENCE", 60.0)
    monkeypatch.setattr("reviewdeck_tui.screens.deck.SILENCE", 60.0)


@pytest.fixture
def cockpit(tmp_path: Path) -> Cockpit:
    """The deck over a small home: two memories, one skill, nothing pending yet."""
    root = tmp_path / "home"
    for folder in ("memories", "pending/memory", "pending/skills", "skills/dev/release-notes"):
        (root / folder).mkdir(parents=True)
    set_entries(root, "Tests run with tox.", "The staging host is stg-2.", "Docs use mkdocs.")
    set_entries(root, "Name: Dana.", "Prefers short answers.", document=USER)
    skill = root / "skills" / "dev" / "release-notes" / "SKILL.md"
    skill.write_text(skill_text("release-notes"), "utf-8")
    clock = Ticking()
    return Cockpit(root, tmp_path / "ledger" / "ledger.db", clock, Hermes(root, clock))
