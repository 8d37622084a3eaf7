"""A mistake of ours ends the deck with a sentence, and with nothing of what it was working on."""

from __future__ import annotations

from typing import ClassVar

import pytest
from rich.traceback import Traceback
from tests.tui.kit_deck import Cockpit

from reviewdeck_tui.app import DeckApp, open_app
from reviewdeck_tui.preferences import Preferences

TOKEN = "ghp_" + "a1B2" * 9
SIZE = (80, 24)
"""Without one, driver and app each take their own, and a screen may go to and fro for ever."""


class CrashingApp(DeckApp):
    """A deck with a mistake in it."""

    about: ClassVar[str] = f"The token is {TOKEN}."

    def on_mount(self) -> None:
        local = f"a local {self.about}"
        raise RuntimeError(f"cannot show: {self.about} {len(local)}")


class Drawn(Exception):
    """A mistake that can draw itself, as some of Textual's can."""

    def __rich__(self) -> str:
        """All that it knows."""
        return f"locals: {TOKEN}"


class DrawingApp(DeckApp):
    """A deck in which a mistake draws itself."""

    def on_mount(self) -> None:
        raise Drawn


class PanickingApp(DeckApp):
    """A deck whose thread that reads the terminal fails: Textual hands a trace to `panic`."""

    def on_mount(self) -> None:
        try:
            raise RuntimeError(TOKEN)
        except RuntimeError:
            self.panic(Traceback(show_locals=True))


@pytest.mark.parametrize("kind", [DrawingApp, PanickingApp])
def test_no_trace_of_textual_itself_is_printed(
    cockpit: Cockpit, capfd: pytest.CaptureFixture[str], kind: type[DeckApp]
) -> None:
    app = open_app(cockpit.settings, Preferences(), kind=kind)
    try:
        assert app.run(headless=True, size=SIZE) is None
    finally:
        app.close_engine()
    said = "".join(capfd.readouterr())
    assert "Something is wrong in reviewdeck itself" in " ".join(said.split())
    assert "Traceback" not in said
    assert "locals" not in said
    assert TOKEN[4:12] not in said


@pytest.mark.parametrize("debug", ["", "1"])
def test_the_deck_that_crashes_says_so_and_prints_no_local_variable(
    cockpit: Cockpit,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    debug: str,
) -> None:
    monkeypatch.setenv("REVIEWDECK_DEBUG", debug)
    app = open_app(cockpit.settings, Preferences(), kind=CrashingApp)
    try:
        assert app.run(headless=True, size=SIZE) is None
    finally:
        app.close_engine()
    said = "".join(capfd.readouterr())
    assert "Something is wrong in reviewdeck itself: RuntimeError." in " ".join(said.split())
    assert TOKEN[4:12] not in said
    assert "a local" not in said.replace('f"a local', "")
    assert "locals" not in said
    assert ("Traceback" in said) is bool(debug)
