"""Takes the pictures in this folder: `make screenshots`.

The made-up home, a clock that stands still, one place for the home (its path is part of every
proposal's id): the same picture each time.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from reviewdeck.compose import compose_deck
from reviewdeck.demo import write_demo
from reviewdeck.model import Actor, ActorKind
from reviewdeck.settings import Settings
from reviewdeck_tui.app import open_app
from reviewdeck_tui.preferences import Preferences

HERE = Path(__file__).parent
PLACE = Path(tempfile.gettempdir()) / "reviewdeck-pictures"
MOMENT = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Picture:
    """One file: what is pressed before it is taken, and how large the screen is."""

    name: str
    keys: tuple[str, ...]
    columns: int
    rows: int


CONFLICT = ("C", *("j",) * 5)
THREE_DRAFTS = (*("j",) * 19, "a", "a", "a")

PICTURES = (
    Picture("queue-wide", CONFLICT, 140, 36),
    Picture("queue-narrow", CONFLICT, 80, 24),
    Picture("summary", (*THREE_DRAFTS, "ctrl+s"), 110, 32),
)


def prepared() -> Settings:
    """A fresh made-up home of which the safe part is applied."""
    shutil.rmtree(PLACE, ignore_errors=True)
    write_demo(PLACE / "home", MOMENT)
    settings = Settings(
        homes=(PLACE / "home",),
        ledger=str(PLACE / "ledger.db"),
        user_home=PLACE,
        actor=Actor(ActorKind.OPERATOR, "priya"),
    )
    deck = compose_deck(settings, now=lambda: MOMENT)
    deck.auto()
    deck.close()
    return settings


async def take(picture: Picture) -> None:
    """One picture as SVG."""
    app = open_app(prepared(), Preferences(), now=lambda: MOMENT)
    async with app.run_test(size=(picture.columns, picture.rows)) as pilot:
        await asyncio.sleep(6)
        for key in picture.keys:
            await pilot.press(key)
            await asyncio.sleep(0.8)
        await asyncio.sleep(2)
        svg = app.export_screenshot(title="reviewdeck")
        (HERE / f"{picture.name}.svg").write_text(svg, "utf-8")
    app.close_bench()


def main() -> None:
    """All of them."""
    for picture in PICTURES:
        asyncio.run(take(picture))
    shutil.rmtree(PLACE, ignore_errors=True)


if __name__ == "__main__":
    main()
