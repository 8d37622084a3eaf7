"""Takes the pictures in this folder: `make screenshots`.

The sample home, a clock that stands still, one place for the home (its path is part of every
proposal's id): the same picture each time. Each is an SVG; where headless Chromium is installed it
becomes a PNG too.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from tests.engine.kit import Ticking  # noqa: E402 - needs the path above
from tests.tui.kit_deck import Cockpit, Driver, Hermes  # noqa: E402
from tests.tui.past import live_through  # noqa: E402

from reviewdeck.bootstrap import open_engine  # noqa: E402
from reviewdeck.cli.options import Options  # noqa: E402
from reviewdeck.cli.report.html import write_html  # noqa: E402
from reviewdeck.demo import write_demo  # noqa: E402
from reviewdeck.engine.options import PolicyPlace, Settings  # noqa: E402
from reviewdeck.model import Actor, ActorKind, State  # noqa: E402
from reviewdeck.presentation.report import report_of  # noqa: E402
from reviewdeck_tui.app import open_app  # noqa: E402
from reviewdeck_tui.preferences import Preferences  # noqa: E402

PLACE = Path(tempfile.gettempdir()) / "reviewdeck-pictures"
MOMENT = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
DAYS = 28
"""The weeks of use before the pictures of them."""
AFTER = timedelta(hours=3)
"""From the pass that applied what is safe to the look at it."""


@dataclass(frozen=True)
class Picture:
    """One file: what is pressed before it is taken, and how large the screen is."""

    name: str
    keys: tuple[str, ...]
    columns: int
    rows: int
    theme: str = "deck-dark"
    has_past: bool = False
    """Whether weeks of use come before; else it is the first morning."""
    rejected: tuple[str, ...] = ()
    """Entries that the agent proposed and the operator rejected before."""
    is_full: bool = False
    """Whether one memory is full, and an entry waits that does not fit."""


CONFLICT = ("C", *("j",) * 5)
THREE_DRAFTS = (*("j",) * 19, "a", "a", "a")

TICKETS = (
    "OPS-1201 is closed since Monday.",
    "The import was broken in ETL-77.",
    "Dana works on WEB-310 now.",
    "CORE-9 blocks the release.",
    "Ask about DOC-454 tomorrow.",
)

PICTURES = (
    Picture("learnt", ("2",), 100, 28),
    Picture("stopped", (), 92, 22),
    Picture("queue", ("j",) * 15, 100, 28),
    Picture("checks", ("i",), 100, 28),
    Picture("queue-narrow", CONFLICT, 80, 24),
    Picture("queue-light", CONFLICT, 100, 28, theme="deck-light"),
    Picture("merge", (*CONFLICT, "m", "4"), 100, 28),
    Picture("summary", (*THREE_DRAFTS, "ctrl+s"), 100, 28),
    Picture("documents", ("B",), 100, 28),
    Picture("why", ("W", *"I exported it as CSV rather than Excel.", "enter"), 100, 14),
    Picture("rule", ("P",), 100, 28, rejected=TICKETS),
    Picture("room", ("F",), 100, 24, is_full=True),
    Picture("insights", ("I", "h", "h"), 100, 28, has_past=True),
    Picture("insights-accepted", ("I", "3"), 100, 28, has_past=True),
)


def prepared(rejected: Sequence[str] = ()) -> Settings:
    """A fresh sample home of which the safe part is applied, and these entries were rejected."""
    write_demo(PLACE / "home", MOMENT)
    settings = Settings(
        homes=(PLACE / "home",),
        ledger=str(PLACE / "ledger.db"),
        user_home=PLACE,
        actor=Actor(ActorKind.OPERATOR, "priya"),
        policy=PolicyPlace(PLACE / "policy.toml"),
    )
    deck = open_engine(settings, now=lambda: MOMENT)
    deck.auto()
    agent = Hermes(PLACE / "home", Ticking())
    ids = [agent.add(text, origin="background_review") for text in rejected]
    deck.intake()
    for id in ids:
        deck.reject(id, "not worth keeping")
    deck.close()
    return settings


def with_a_past() -> tuple[Settings, datetime]:
    """A small home on which an agent and an operator have worked for four weeks."""
    home = PLACE / "home"
    for folder in ("memories", "pending/memory", "pending/skills", "skills"):
        (home / folder).mkdir(parents=True)
    memory = "Tests run with tox.\n§\nThe staging host is stg-2.\n§\nDocs use mkdocs."
    (home / "memories" / "MEMORY.md").write_text(memory, "utf-8")
    (home / "memories" / "USER.md").write_text("Name: Dana.\n§\nPrefers short answers.", "utf-8")
    clock = Ticking()
    clock.moment = MOMENT - timedelta(days=DAYS)
    cockpit = Cockpit(home, PLACE / "ledger.db", clock, Hermes(home, clock))
    live_through(cockpit, DAYS)
    return cockpit.settings, clock.moment + timedelta(hours=2)


def with_a_full_memory() -> Settings:
    """A small home in which an entry waits that does not fit."""
    home = PLACE / "home"
    for folder in ("memories", "pending/memory", "pending/skills", "skills"):
        (home / folder).mkdir(parents=True)
    facts = [f"The service number {n} listens on the port {8000 + n}." for n in range(42)]
    freeze = "The code freeze for the big release is on until October 2025."
    (home / "memories" / "MEMORY.md").write_text("\n§\n".join([*facts, freeze]), "utf-8")
    cockpit = Cockpit(home, PLACE / "ledger.db", Ticking(), Hermes(home, Ticking()))
    cockpit.agent.add("The linter is ruff, as it was for a long time in this project, with tox.")
    cockpit.take_in()
    return cockpit.settings


async def take(picture: Picture) -> Path:
    """One picture as SVG."""
    shutil.rmtree(PLACE, ignore_errors=True)
    now = MOMENT + AFTER
    if picture.has_past:
        settings, now = with_a_past()
    else:
        settings = with_a_full_memory() if picture.is_full else prepared(picture.rejected)
    app = open_app(settings, Preferences(theme=picture.theme), now=lambda: now)
    async with app.run_test(size=(picture.columns, picture.rows)) as pilot:
        driver = Driver(app, pilot)
        await driver.settle()
        for key in picture.keys:
            await driver.press(key)
            await _quiet(driver)
        svg = _without_gaps(app.export_screenshot(title="reviewdeck"))
    app.close_engine()
    target = HERE / f"{picture.name}.svg"
    target.write_text(svg, "utf-8")
    return target


def _without_gaps(svg: str) -> str:
    """The picture with bars in one piece: a block is lower than a line, so it gets an edge."""
    colours = dict(re.findall(r"\.([\w-]+-r\d+) \{ fill: (#[0-9a-f]{6})", svg))

    def edged(found: re.Match[str]) -> str:
        uncut = re.sub(r' clip-path="[^"]*"', "", found[3])  # it would cut the edge off
        return f'{found[1]} stroke="{colours[found[2]]}" stroke-width="1.6"{uncut}'

    return re.sub(r'(<text class="([\w-]+)")([^>]*>[█▁-▇]+</text>)', edged, svg)


async def _quiet(driver: Driver) -> None:
    """Waits until nothing is at work any more and everything is painted."""
    await driver.until(lambda: all(worker.is_finished for worker in driver.app.workers))
    await driver.pilot.pause(0.2)
    await driver.until(lambda: all(worker.is_finished for worker in driver.app.workers))


def rasterised(svg: Path, columns: int, rows: int) -> bool:
    """The same as PNG, through headless Chromium; whether there is one."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        return False
    size = f"--window-size={round(columns * 12.2 + 20)},{round(rows * 24.4 + 54)}"
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", size]
    subprocess.run(
        [*command, f"--screenshot={svg.with_suffix('.png')}", svg.as_uri()],
        check=True,
        capture_output=True,
        timeout=60,
    )
    return True


REPORT = HERE.parent / "docs" / "report.png"


def take_report() -> bool:
    """The page of `reviewdeck report` after some days of decisions; whether there is a Chromium."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        return False
    shutil.rmtree(PLACE, ignore_errors=True)
    settings, now = prepared(), MOMENT + timedelta(days=4, hours=1)
    for day, (approved, rejected) in enumerate(((2, 1), (1, 2), (3, 0), (1, 1))):
        moment = MOMENT + timedelta(days=day, hours=2)
        engine = open_engine(settings, now=lambda at=moment: at)  # type: ignore[misc]  # read at once
        ready = engine.pending((State.READY,))
        for item in ready[-approved:]:
            engine.approve(item.id, item.digest or "")
        for item in ready[:rejected]:
            engine.reject(item.id, "Not about our work.")
        engine.close()
    engine = open_engine(settings, now=lambda: now)
    page = PLACE / "report.html"
    with page.open("w", encoding="utf-8") as file:
        write_html(report_of(engine, now - timedelta(days=7), now), Options(), file)
    engine.close()
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    command += ["--window-size=960,1680", "--force-device-scale-factor=1.25", page.as_uri()]
    subprocess.run(
        [*command, f"--screenshot={REPORT}"], check=True, capture_output=True, timeout=60
    )
    return True


def main(names: Sequence[str]) -> None:
    """All of them, or those that are named."""
    os.environ["TZ"] = "UTC"
    time.tzset()
    made = 0
    for picture in PICTURES:
        if names and picture.name not in names:
            continue
        svg = asyncio.run(take(picture))
        made += rasterised(svg, picture.columns, picture.rows)
        print(svg.name, flush=True)
    if not names or REPORT.stem in names:
        made += take_report()
    shutil.rmtree(PLACE, ignore_errors=True)
    if not made:
        print("There is no Chromium here: the PNGs are left as they are.")


if __name__ == "__main__":
    main(sys.argv[1:])
