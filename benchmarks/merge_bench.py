"""CPU until the merge screen is painted: `python benchmarks/merge_bench.py [--write]`.

Seconds of the processor from the key to the painted screen, the reading and merging included, on
the sample home, and with three texts of 50,000 lines of which one in twenty was changed on both
sides; then from a pick to the painted result. With --write the table goes into
docs/internals/performance.md.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from textual.pilot import Pilot

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import report  # needs the path above

from reviewdeck.bootstrap import open_engine
from reviewdeck.demo import write_demo
from reviewdeck.engine.options import Settings
from reviewdeck.model import Actor, ActorKind, Conflict, Kind, Proposal, State
from reviewdeck.planning.merge import clean_changes, start_merge
from reviewdeck_tui.app import DeckApp, open_app
from reviewdeck_tui.merge.checks import check
from reviewdeck_tui.merge.open import OpenMerge, redaction_of
from reviewdeck_tui.merge.result import ResultView
from reviewdeck_tui.preferences import Preferences
from reviewdeck_tui.screens.deck import DeckScreen
from reviewdeck_tui.screens.merge import MergeScreen

SIZE = (160, 45)
LONG = 50_000
EVERY = 20
FILE = "references/steps.md"
TITLE = """## The merge screen

`python benchmarks/merge_bench.py --write`: CPU seconds of the whole process. Both sides
changed one in twenty of the 50,000 lines: 2,500 places.

"""


def steps(word: str) -> str:
    """A long file, one line in twenty in other words."""
    lines = (
        f"{number}: make {number % 17}, {word if number % EVERY == 0 else 'wait'}\n"
        for number in range(LONG)
    )
    return "".join(lines)


def settings_in(root: Path) -> Settings:
    """A home and a ledger below a folder."""
    actor = Actor(ActorKind.OPERATOR, "bench")
    return Settings((root / "home",), str(root / "ledger.db"), root, actor=actor, lock_wait=5.0)


def prepare(root: Path) -> tuple[Settings, str]:
    """The sample home, and which of its conflicts is opened."""
    settings = settings_in(root)
    write_demo(root / "home", datetime.now(UTC))
    deck = open_engine(settings)
    deck.intake()
    conflicts = [item for item in deck.pending(limit=1_000) if item.state is State.CONFLICT]
    id = next(conflict.id for conflict in conflicts if conflict.target == "memory")
    deck.close()
    return settings, id


def long_merge(open_merge: OpenMerge, texts: tuple[bytes, bytes, bytes]) -> OpenMerge:
    """The same with three texts of 50,000 lines in the place of its own, merged from the start.

    Hermes takes no file of more than 100,000 characters: no record can ask for this one.
    """
    conflict = Conflict("home", open_merge.id, "sha", f"skills/long/{FILE}", *texts, reason="moved")
    proposal = Proposal(open_merge.id, "home", Kind.SKILLS, "write_file", "long", (), "sha")
    merging = start_merge(conflict, proposal)
    assert len(merging.places) == LONG // EVERY
    alone = clean_changes(merging)
    view = ResultView(merging, alone, is_inline=redaction_of(merging.sides) is None)
    check(merging, None)
    return replace(open_merge, merging=merging, automatic=alone, view=view, limit=None)


async def opened(settings: Settings, id: str, *, long: bool) -> dict[str, float]:
    """From the key to the painted screen, and from a pick to the painted result."""
    app = open_app(settings, Preferences())
    seconds: dict[str, float] = {}
    async with app.run_test(size=SIZE) as pilot:
        deck = app.screen_stack[0]
        assert isinstance(deck, DeckScreen)
        await _until(pilot, lambda: deck.backlog.is_complete and _is_idle(app))
        deck.queue.move_to(id, by_key=True)
        await _until(pilot, lambda: deck.look is not None and deck.look.id == id and _is_idle(app))
        texts = (
            steps("wait").encode(),
            steps("wait for Ana").encode(),
            steps("do not wait").encode(),
        )
        began = time.process_time()
        if long:
            merge = long_merge(deck.engine.open_merge(id), texts)
            app.push_screen(MergeScreen(deck, merge))
        else:
            await pilot.press("m")
        await _until(pilot, lambda: isinstance(app.screen, MergeScreen) and app.screen.is_painted)
        seconds["open"] = time.process_time() - began
        screen = app.screen
        assert isinstance(screen, MergeScreen)
        await _until(pilot, lambda: _is_idle(app))
        began = time.process_time()
        await pilot.press("3")
        await _until(pilot, lambda: screen.is_painted and _is_idle(app))
        seconds["pick"] = time.process_time() - began
    app.close_engine()
    return seconds


def _is_idle(app: DeckApp) -> bool:
    return all(worker.is_finished for worker in app.workers)


async def _until(pilot: Pilot[int], is_so: Callable[[], bool]) -> None:
    while not is_so():
        await pilot.pause(0.005)


def case(long: bool) -> dict[str, float]:
    """One measurement in this process."""
    with TemporaryDirectory() as folder:
        return asyncio.run(opened(*prepare(Path(folder)), long=long))


def measured(long: bool) -> dict[str, float]:
    """The least of three, each in a process of its own."""
    command = [sys.executable, __file__, "--case", "long" if long else "demo"]
    runs: list[dict[str, float]] = [
        json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        for _ in range(3)
    ]
    return {name: min(run[name] for run in runs) for name in runs[0]}


def main(arguments: list[str]) -> None:
    """Runs one case, or everything."""
    if arguments[:1] == ["--case"]:
        print(json.dumps(case(arguments[1] == "long")))
        return
    demo, long = measured(False), measured(True)
    rows = [
        ("Made-up home: `m` to the painted screen", f"{demo['open']:.2f} s", "0.3 s"),
        ("Made-up home: a pick to the painted result", f"{demo['pick']:.2f} s", ""),
        ("50,000 lines: `m` to the painted screen", f"{long['open']:.2f} s", "0.5 s"),
        ("50,000 lines: a pick to the painted result", f"{long['pick']:.2f} s", ""),
    ]
    for line in rows:
        print(f"{line[0]:<48} {line[1]:<10} {line[2]}")
    if "--write" in arguments:
        text = f"{TITLE}{report.machine()}\n\n"
        report.write_section("merge", text + report.table(("what", "measured", "wanted"), rows))


if __name__ == "__main__":
    main(sys.argv[1:])
