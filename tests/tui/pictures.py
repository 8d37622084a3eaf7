"""A screen as pictures: at three sizes, and at the first in two themes, from one start of the deck.

`pytest tests/tui --snapshot-update` after a change that is meant; look at the pictures that git
shows as changed before they are committed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest
from pytest_textual_snapshot import SVGImageExtension  # type: ignore[import-untyped]
from syrupy.assertion import SnapshotAssertion
from tests.tui.kit_deck import Cockpit, Driver, running
from textual.widgets import Input

from reviewdeck_tui.app import DeckApp, open_app
from reviewdeck_tui.preferences import Preferences
from reviewdeck_tui.screens.deck import DeckScreen

SIZES = ((80, 24), (120, 40), (200, 50))
each_size = pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
"""For steps whose picture depends on the size that they were done at, as scrolling does."""
THEMES = ("deck-dark", "deck-light")

Steps = Callable[[Driver], Awaitable[None]]


def opened(cockpit: Cockpit, *, kind: type[DeckApp] = DeckApp, theme: str = THEMES[0]) -> DeckApp:
    """The deck, before it runs."""
    return open_app(
        cockpit.settings,
        Preferences(theme=theme),
        now=cockpit.now or cockpit.clock,
        tick=cockpit.ticks,
        kind=kind,
    )


async def different_pictures(
    app: DeckApp,
    steps: Steps,
    recorded: SnapshotAssertion,
    folder: Path,
    *,
    sizes: Sequence[tuple[int, int]] = SIZES,
    themes: Sequence[str] = THEMES,
) -> list[str]:
    """Does the steps, and gives the files of those pictures that are not the recorded ones."""
    recorded, different = recorded.use_extension(SVGImageExtension), []
    async with running(app, sizes[0]) as driver:
        await driver.settle()
        await steps(driver)
        await driver.settle()
        for width, height in sizes:
            if app.size != (width, height):
                await driver.pilot.resize_terminal(width, height)
            # A theme changes colours and moves nothing: the smallest size has all of them.
            for theme in themes if (width, height) == SIZES[0] else themes[:1]:
                app.theme = theme
                await _stand_still(driver)
                name = theme if len(sizes) == 1 else f"{width}x{height}-{theme}"
                picture = await _picture(driver)
                if recorded(name=name) != picture:
                    file = folder / f"{name}.svg"
                    file.write_text(picture, "utf-8")
                    different.append(str(file))
    return different


async def _picture(driver: Driver) -> str:
    """The screen once it is the same twice: under load what a change of size moves comes late."""
    before, picture = "", driver.app.export_screenshot(simplify=True)
    for _ in range(5):
        if picture == before:
            break
        await driver.settle()
        await driver.pilot.pause()
        before, picture = picture, driver.app.export_screenshot(simplify=True)
    return picture


async def _stand_still(driver: Driver) -> None:
    """Nothing blinks, and nothing that was said a moment ago is in the strip."""
    await driver.settle()
    front = driver.app.screen
    if isinstance(front, DeckScreen):
        front.clear_message()
    for line in front.query(Input):
        line.cursor_blink = False
    await driver.pilot.pause()
