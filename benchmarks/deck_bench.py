"""How fast the deck's two widgets are: `python benchmarks/deck_bench.py [--write]`.

Prints a table. With --write it goes into docs/performance.md as well. Each case runs in a process
of its own, so that memory is its own; the terminal is a real pseudo-terminal of 160 by 45.
"""

from __future__ import annotations

import asyncio
import fcntl
import gc
import json
import os
import pty
import random
import resource
import select
import statistics
import struct
import subprocess
import sys
import termios
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from textual.app import App, ComposeResult
from textual.containers import Horizontal
from textual.filter import LineFilter

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import report  # needs the path above

from reviewdeck_tui.documents import DiffDocument
from reviewdeck_tui.presenting import section_of
from reviewdeck_tui.safe import SafetyFilter
from reviewdeck_tui.themes import THEMES
from reviewdeck_tui.widgets.diff_view import DiffView
from reviewdeck_tui.widgets.queue_list import QueueList
from reviewdeck_tui.widgets.rows import QueueRow

SIZE = (160, 45)


def queue_rows(count: int) -> list[QueueRow]:
    """A queue of ordinary proposals, every seventh in a wide script."""
    gist = ("staging host is stg-4", "release notes: step 4 rewritten", "日本語のメモ")
    return [
        QueueRow(
            id=f"{number:08x}",
            glyph=" #x!"[number % 4],
            state=("ready", "conflict", "dead", "refused")[number % 4],
            kind=("add", "replace", "patch", "create")[number % 4],
            target=("MEMORY", "USER", "skill")[number % 3],
            gist=f"{gist[2 if number % 7 == 0 else number % 2]} ({number})",
            origin="review",
            age=f"{number % 48}h",
            findings=number % 3,
            cluster=number % 5,
            draft="",
            marked=False,
            home="",
            dangerous=number % 4 == 3,
        )
        for number in range(count)
    ]


def long_texts(lines: int = 50_000) -> tuple[str, str]:
    """Two versions of a long file, one line in twenty changed."""
    chance = random.Random(5)  # noqa: S311  # a reproducible choice, not a secret
    old = [f"step {number}: run `make {number % 17}` and wait for it" for number in range(lines)]
    new = [line.replace("wait", "do not wait") if chance.random() < 0.05 else line for line in old]
    return "\n".join(old) + "\n", "\n".join(new) + "\n"


class BenchApp(App[None]):
    """The queue beside the diff, as the deck has them at this size."""

    CSS = "QueueList { width: 58; }"
    BINDINGS = [  # noqa: RUF012  # as Textual wants it
        ("j", "queue('move', 1)", ""),
        ("k", "queue('move', -1)", ""),
        ("d", "queue('move_page', 1)", ""),
        ("J", "diff('scroll_lines', 1)", ""),
        ("D", "diff('scroll_pages', 1)", ""),
        ("n", "diff('jump_hunk', 1)", ""),
        ("q", "quit", ""),
    ]

    def __init__(self, count: int, *, long: bool, log: Path | None = None) -> None:
        super().__init__()
        self.rows = queue_rows(count)
        texts = long_texts() if long else long_texts(400)
        self.long = section_of("skills/long/SKILL.md", *texts, None)
        self.log_path = log
        self.spent: list[float] = []
        self.began = 0.0

    def compose(self) -> ComposeResult:
        """Side by side."""
        with Horizontal():
            yield QueueList()
            yield DiffView()

    def get_line_filters(self) -> list[LineFilter]:
        """As the deck does."""
        return [*super().get_line_filters(), SafetyFilter()]

    def on_mount(self) -> None:
        """Shows everything."""
        self.register_theme(THEMES[0])
        self.theme = THEMES[0].name
        self.query_one(QueueList).show(self.rows)
        self.query_one(DiffView).show(DiffDocument("1", "long", (self.long,)))
        if self.log_path is not None:
            gc.collect()
            gc.freeze()

    def on_key(self) -> None:
        """The clock of this process is read before the key does anything."""
        self.began = time.process_time()

    def action_queue(self, name: str, delta: int) -> None:
        """A key for the queue."""
        getattr(self.query_one(QueueList), name)(delta)
        self.call_after_refresh(self._spent)

    def action_diff(self, name: str, delta: int) -> None:
        """A key for the diff."""
        getattr(self.query_one(DiffView), name)(delta)
        self.call_after_refresh(self._spent)

    def _spent(self) -> None:
        self.spent.append((time.process_time() - self.began) * 1000)

    def on_unmount(self) -> None:
        """Leaves the figures to the process that started this one."""
        if self.log_path is not None:
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            self.log_path.write_text(json.dumps({"spent": self.spent, "rss": peak}))


async def ready(count: int) -> float:
    """Seconds of CPU from the start of the app to the idle screen."""
    app = BenchApp(count, long=False)
    began = time.process_time()
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        return time.process_time() - began


async def first_screen() -> dict[str, float]:
    """Seconds of CPU to compare, to lay out and to paint a diff of 50,000 lines."""
    app = BenchApp(100, long=False)
    old, new = long_texts()
    async with app.run_test(size=SIZE) as pilot:
        began = time.process_time()
        long = section_of("skills/long/SKILL.md", old, new, None)
        compared = time.process_time() - began
        view = app.query_one(DiffView)
        began = time.process_time()
        view.show(DiffDocument("2", "long", (long,)))
        lines = [view.render_line(y) for y in range(view.size.height)]
        shown = time.process_time() - began
        assert len(lines) == SIZE[1]
        await pilot.pause()
        return {"compared": compared, "shown": shown}


@dataclass(frozen=True, slots=True)
class Typed:
    """What came of keys typed into a real terminal."""

    resident: float
    """The most megabytes that it ever had."""
    sent: dict[str, list[int]]
    """Bytes for each press of a key."""
    spent: dict[str, list[float]]
    """Milliseconds of CPU for each press of a key."""


def in_terminal(count: int, keys: dict[str, int], log: Path, *, long: bool) -> Typed:
    """Types each key so many times."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm-256color", COLORTERM="truecolor")
        arguments = [sys.executable, __file__, "--app", str(count), str(int(long)), str(log)]
        os.execv(sys.executable, arguments)  # noqa: S606  # our own program
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", SIZE[1], SIZE[0], 0, 0))
    read_until_quiet(terminal, 4.0)
    sent: dict[str, list[int]] = {key: [] for key in keys}
    for key, times in keys.items():
        for _ in range(times):
            os.write(terminal, key.encode())
            sent[key].append(read_until_quiet(terminal, 0.12))
    os.write(terminal, b"q")
    read_until_quiet(terminal, 1.0)
    os.waitpid(child, 0)
    os.close(terminal)
    figures = json.loads(log.read_text())
    spent = iter(figures["spent"])
    each = {key: [next(spent) for _ in range(times)] for key, times in keys.items()}
    return Typed(figures["rss"], sent, each)


def read_until_quiet(terminal: int, seconds: float) -> int:
    """How many bytes come before nothing comes for so long."""
    count = 0
    while select.select([terminal], [], [], seconds)[0]:
        try:
            piece = os.read(terminal, 65_536)
        except OSError:
            break
        if not piece:
            break
        count += len(piece)
    return count


def one(case: str, *arguments: str) -> dict[str, float]:
    """A case in a process of its own."""
    command = [sys.executable, __file__, "--case", case, *arguments]
    found: dict[str, float] = json.loads(
        subprocess.run(command, check=True, capture_output=True, text=True).stdout
    )
    return found


def case(name: str, arguments: list[str]) -> dict[str, float]:
    """What the process of one case prints."""
    if name == "ready":
        return {"seconds": asyncio.run(ready(int(arguments[0])))}
    return asyncio.run(first_screen())


def p95(values: list[float]) -> float:
    """The value that one in twenty exceeds."""
    return sorted(values)[int(len(values) * 0.95)]


def table() -> list[tuple[str, str, str]]:
    """Every figure with what it should be."""
    said: list[tuple[str, str, str]] = []
    for count in (100, 10_000, 100_000):
        seconds = min(one("ready", str(count))["seconds"] for _ in range(5))
        said.append(
            (f"CPU, screen ready with {count:,} proposals", f"{seconds:.2f} s", "as with 100")
        )
    found = [one("first") for _ in range(3)]
    compared, shown = (min(each[name] for each in found) for name in ("compared", "shown"))
    said.append(("CPU, 50,000-line diff compared", f"{compared:.2f} s", ""))
    said.append(("CPU, 50,000-line diff laid out and painted", f"{shown:.2f} s", ""))
    said.append(("CPU, 50,000-line diff to its first screen", f"{compared + shown:.2f} s", "0.5 s"))
    keys = {"j": 120, "d": 20, "J": 60, "D": 40, "n": 40}
    with TemporaryDirectory() as folder:
        typed = in_terminal(100_000, keys, Path(folder) / "log.json", long=True)
    names = {
        "j": ("cursor down", "8 ms, p95 30 ms", "2 KB"),
        "d": ("queue, a page down", "8 ms, p95 30 ms", "25 KB"),
        "J": ("diff, a line down", "10 ms", "25 KB"),
        "D": ("diff, a page down", "10 ms", "25 KB"),
        "n": ("diff, next hunk", "10 ms", "25 KB"),
    }
    for key, (words, cpu, size) in names.items():
        spent, sent = typed.spent[key], typed.sent[key]
        middle = statistics.median(spent)
        said.append((f"CPU, {words}", f"{middle:.1f} ms, p95 {p95(spent):.1f} ms", cpu))
        mean = statistics.mean(sent)
        said.append((f"Sent, {words}", f"{mean:,.0f} B, most {max(sent):,} B", size))
    said.append(("Resident, 100,000 proposals and that diff", f"{typed.resident:.0f} MB", "150 MB"))
    return said


def section(said: list[tuple[str, str, str]]) -> str:
    """The table as a section of the page."""
    return (
        "## The deck's queue and diff\n\n"
        f"Written by `benchmarks/deck_bench.py --write`. {report.machine()} The terminal is a\n"
        f"real pseudo-terminal of {SIZE[0]} by {SIZE[1]} with the queue beside the diff; CPU is\n"
        "that of the whole process, for a key from its press to the refreshed screen.\n\n"
        + report.table(("what", "measured", "wanted"), said)
    )


def main(arguments: list[str]) -> None:
    """Runs one case, the app of one, or everything."""
    if arguments[:1] == ["--app"]:
        count, long, log = arguments[1:]
        BenchApp(int(count), long=long == "1", log=Path(log)).run()
    elif arguments[:1] == ["--case"]:
        print(json.dumps(case(arguments[1], arguments[2:])))
    else:
        said = table()
        for words, value, wanted in said:
            print(f"{words:<45} {value:<28} {wanted}")
        if "--write" in arguments:
            report.write_section("deck-widgets", section(said))


if __name__ == "__main__":
    main(sys.argv[1:])
