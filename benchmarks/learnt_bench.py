"""CPU until lane 2 and the documents are painted: `python benchmarks/learnt_bench.py`.

Seconds of the processor from the key to the painted screen, reading included, on the sample home
after a pass of `auto`, and with a skill's file of 50,000 lines that was changed. With --write the
table goes into docs/internals/performance.md as well.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from textual.pilot import Pilot

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import report  # needs the path above

from reviewdeck.bootstrap import open_engine
from reviewdeck.demo import write_demo
from reviewdeck.engine.options import Settings
from reviewdeck.model import Actor, ActorKind
from reviewdeck_tui.app import DeckApp, open_app
from reviewdeck_tui.preferences import Preferences
from reviewdeck_tui.screens.changes import ChangesScreen
from reviewdeck_tui.screens.documents import DocumentsScreen

SIZE = (160, 45)
LONG = 50_000
TITLE = """## What the agent learned, and the documents

`python benchmarks/learnt_bench.py --write`: CPU seconds from a key to the painted screen,
including all reads. In the long document, one line in seventeen was changed outside review.

"""
PATH = "skills/long/references/steps.md"


def settings_in(root: Path) -> Settings:
    """A home and a ledger below a folder."""
    actor = Actor(ActorKind.OPERATOR, "bench")
    return Settings((root / "home",), str(root / "ledger.db"), root, actor=actor, lock_wait=5.0)


def prepare(root: Path, *, long: bool) -> Settings:
    """The sample home after a pass; with a long document that changed in every twentieth line."""
    settings = settings_in(root)
    write_demo(root / "home", datetime.now(UTC))
    path = root / "home" / PATH
    if long:
        path.parent.mkdir(parents=True)
        (path.parents[1] / "SKILL.md").write_text(
            "---\nname: long\ndescription: L.\n---\n# L\n\nx\n"
        )
        lines = [f"step {number}: run `make {number % 17}`" for number in range(LONG)]
        path.write_text("\n".join(lines) + "\n")
    deck = open_engine(settings)
    deck.auto()
    if long:
        text = path.read_text().replace("make 3`", "make -k 3`")
        path.write_text(text)
        deck.intake()
    deck.close()
    return settings


async def spent(pilot: Pilot[int], key: str, is_there: Callable[[], bool]) -> float:
    """Seconds of the processor from a key to what is wanted."""
    began = time.process_time()
    await pilot.press(key)
    while not is_there():
        await pilot.pause(0.005)
    await pilot.pause()
    return time.process_time() - began


def in_front(app: DeckApp, kind: type) -> Callable[[], bool]:
    """Whether a screen of this kind shows what it read."""

    def is_there() -> bool:
        screen = app.screen
        if isinstance(screen, ChangesScreen) and kind is ChangesScreen:
            return bool(screen.listing.spots)
        return isinstance(screen, DocumentsScreen) and screen.page is not None

    return is_there


async def measure(settings: Settings, *, long: bool) -> list[float]:
    """Lane 2, the documents, and another document of them; each for the first time."""
    app = open_app(settings, Preferences())
    async with app.run_test(size=SIZE) as pilot:
        while not app.screen_stack[0].backlog.is_complete:  # type: ignore[attr-defined]  # the deck's
            await pilot.pause(0.01)
        await pilot.pause(0.5)
        seconds = [await spent(pilot, "2", in_front(app, ChangesScreen))]
        await pilot.press("escape")
        seconds.append(await spent(pilot, "B", in_front(app, DocumentsScreen)))
        screen = app.screen
        assert isinstance(screen, DocumentsScreen)
        path = PATH if long else "memories/USER.md"
        id = next(document.id for document in screen.library.documents if document.path == path)
        began = time.process_time()
        screen.list_of("list").move_to(id)
        while screen.page is None or screen.page.document.path != path:
            await pilot.pause(0.005)
        await pilot.pause()
        seconds.append(time.process_time() - began)
    app.close_engine()
    return seconds


def main() -> None:
    """Prints the table."""
    rows = []
    for name, long in (("sample home", False), ("a document of 50,000 lines", True)):
        with TemporaryDirectory() as folder:
            times = asyncio.run(measure(prepare(Path(folder), long=long), long=long))
        rows.append([name, *(f"{seconds:.2f} s" for seconds in times)])
    head = ["CPU until painted", "lane 2", "documents", "one document"]
    text = f"{TITLE}{report.machine()}\n\n{report.table(head, rows)}"
    print(text)
    if "--write" in sys.argv:
        report.write_section("learnt", text)


if __name__ == "__main__":
    main()
