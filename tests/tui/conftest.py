"""Homes to open the deck on, and nobody's taste."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.engine.kit import USER, Ticking, set_entries, skill_text
from tests.tui.kit_deck import PATIENCE, Cockpit, Hermes, is_quiet
from textual.pilot import Pilot


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
def _waits_for_what_is_under_way() -> Iterator[None]:
    """A key or a pause of Textual's pilot ends when nothing is under way, workers aside.

    Textual has no public setting for it: it waits for a moment in which the process uses no time.
    """
    wait_for_screen, press, rest = Pilot._wait_for_screen, Pilot.press, Pilot.pause

    async def wait(pilot: Pilot[Any]) -> bool:
        app = pilot.app
        is_done = await wait_for_screen(pilot, PATIENCE)
        with suppress(TimeoutError), app._context():  # Of two apps, a test is in the newer one's.
            async with asyncio.timeout(PATIENCE):
                while is_done and app._exception is None and not is_quiet(app):
                    app.screen._on_timer_update()
                    await asyncio.sleep(0.001)
        return is_done

    async def wait_no_longer(*_: float) -> None:
        await asyncio.sleep(0)

    async def press_one_by_one(pilot: Pilot[Any], *keys: str) -> None:
        for key in keys:
            await press(pilot, key)

    async def pause(pilot: Pilot[Any], delay: float | None = None) -> None:
        with pilot.app._context():
            await rest(pilot, delay)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Pilot, "_wait_for_screen", wait)
        patched.setattr(Pilot, "pause", pause)
        patched.setattr(Pilot, "press", press_one_by_one)
        for module in ("pilot", "app"):
            patched.setattr(f"textual.{module}.wait_for_idle", wait_no_longer)
        yield


@pytest.fixture(autouse=True)
def _a_hub_that_takes_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine under load is no hub that is away. Tests of one that is set bounds of their own."""
    monkeypatch.setattr("reviewdeck_tui.engine.PATIENCE", 60.0)
    monkeypatch.setattr("reviewdeck_tui.controllers.poll.SILENCE", 60.0)


@pytest.fixture(autouse=True)
def _messages_that_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was said is still there when a loaded machine comes to look at it."""
    monkeypatch.setattr("reviewdeck_tui.screens.base.MESSAGE_SECONDS", 3_600.0)


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
