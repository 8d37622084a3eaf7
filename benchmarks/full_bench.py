"""CPU cost of the screens beside the queue with a full ledger: `python benchmarks/full_bench.py`.

Seconds of the processor from a key to the painted screen, everything that is read for it included,
with 100,000 proposals that came over 120 days; a third waits, a third was applied, a third
rejected. With --write the table goes into docs/internals/performance.md as well.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import report  # needs the path above
from benchmarks.deck_stage import stage
from benchmarks.learnt_bench import spent

from reviewdeck.engine.options import Settings
from reviewdeck.model import Actor, ActorKind
from reviewdeck_tui.app import DeckApp, open_app
from reviewdeck_tui.preferences import Preferences
from reviewdeck_tui.screens.changes import ChangesScreen
from reviewdeck_tui.screens.deck import DeckScreen
from reviewdeck_tui.screens.documents import DocumentsScreen
from reviewdeck_tui.screens.insights import InsightsScreen

SIZE = (160, 45)
AMOUNT = 100_000
DAYS = 120
TITLE = f"""## The screens beside the queue, with a full ledger

`python benchmarks/full_bench.py --write`: CPU seconds from a key to the painted
screen, including all reads, with {AMOUNT:,} proposals over {DAYS} days: a third waits, a third was
applied, a third rejected. The deck paints the frame of the insights at once, and the picture once
its worker has read the data.

"""
# A day in microseconds. Of the copies, every third was applied and every third rejected.
_PAST = """
UPDATE proposal SET since = since - (position % 120) * 86400000000 WHERE position > 200;
UPDATE proposal SET state = 'applied' WHERE position > 200 AND position % 3 = 0;
UPDATE proposal SET state = 'rejected' WHERE position > 200 AND position % 3 = 1;
INSERT INTO batch (id, home, state, started_at, finished_at, settled)
    SELECT 'past', home, 'done', since, since, 1 FROM proposal LIMIT 1;
INSERT INTO operation (id, batch, kind, state, home, proposal, claimed_from, actor, digest,
    started_at, finished_at, settled, effects, inverse)
    SELECT 'o' || position, 'past', 'apply', 'done', home, id, 'ready',
    '{"kind":"policy","name":"default"}', coalesce(digest, ''),
    since, since + 60000000, 1, '[]', '[]'
    FROM proposal WHERE state = 'applied';
INSERT INTO decision (id, proposal, verb, actor, at, digest, reason)
    SELECT 'd' || position, id, 'reject', '{"kind":"operator","name":"bench"}',
    since + 3600000000, digest, 'no' FROM proposal WHERE state = 'rejected';
"""


def prepare(root: Path) -> Settings:
    """A small home, and a ledger with a long past."""
    home, ledger = stage(root, AMOUNT)
    with sqlite3.connect(ledger) as connection:
        connection.executescript(_PAST)
    connection.close()
    actor = Actor(ActorKind.OPERATOR, "bench")
    return Settings((home,), str(ledger), root, actor=actor)


async def measure(settings: Settings) -> dict[str, float]:
    """Each screen for the first time; what each needs is loaded with its first key."""
    app = open_app(settings, Preferences())
    seconds: dict[str, float] = {}
    async with app.run_test(size=SIZE) as pilot:
        deck = app.screen_stack[0]
        assert isinstance(deck, DeckScreen)
        while not (deck.backlog.is_complete and _is_idle(app)):
            await pilot.pause(0.02)
        frame, began = time.thread_time(), time.process_time()
        painted: list[float] = []
        deck.action_insights()
        while not isinstance(app.screen, InsightsScreen):
            await pilot.pause(0)
        screen = app.screen
        screen.call_after_refresh(lambda: painted.append(time.thread_time()))
        while not (painted and screen.is_drawn):
            await pilot.pause(0.005)
        seconds["insights, the frame"] = painted[0] - frame  # of this thread: the worker goes on
        await pilot.pause()
        seconds["insights, the picture"] = time.process_time() - began
        for place in "2345":
            seconds[f"insights, picture {place}"] = await spent(pilot, place, lambda: True)
        await pilot.press("escape")
        seconds["lane 2"] = await spent(pilot, "2", lambda: _read(app, ChangesScreen))
        await pilot.press("escape")
        seconds["documents"] = await spent(pilot, "B", lambda: _read(app, DocumentsScreen))
    app.close_engine()
    return seconds


def _read(app: DeckApp, kind: type) -> bool:
    screen = app.screen
    if isinstance(screen, ChangesScreen) and kind is ChangesScreen:
        return screen.changes is not None and _is_idle(app)
    return isinstance(screen, DocumentsScreen) and screen.page is not None


def _is_idle(app: DeckApp) -> bool:
    return all(worker.is_finished for worker in app.workers)


def measured() -> dict[str, float]:
    """The least of three, each in a process of its own, on one ledger."""
    with TemporaryDirectory() as folder:
        settings = prepare(Path(folder))
        command = [sys.executable, __file__, "--case", str(settings.homes[0]), settings.ledger]
        runs: list[dict[str, float]] = [
            json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            for _ in range(3)
        ]
    return {name: min(run[name] for run in runs) for name in runs[0]}


def main(arguments: list[str]) -> None:
    """Runs one case, or everything."""
    if arguments[:1] == ["--case"]:
        home, ledger = Path(arguments[1]), arguments[2]
        actor = Actor(ActorKind.OPERATOR, "bench")
        settings = Settings((home,), ledger, home.parent, actor=actor)
        print(json.dumps(asyncio.run(measure(settings))))
        return
    rows = [[name, f"{seconds:.2f} s", "0.5 s"] for name, seconds in measured().items()]
    text = (
        f"{TITLE}{report.machine()}\n\n{report.table(('from the key', 'measured', 'wanted'), rows)}"
    )
    print(text)
    if "--write" in arguments:
        report.write_section("full", text)


if __name__ == "__main__":
    main(sys.argv[1:])
