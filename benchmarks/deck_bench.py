"""How fast the deck is: `python benchmarks/deck_bench.py [--write]`. Takes about four minutes.

The whole program runs in a real pseudo-terminal of 160 by 45, over a ledger with 100,000 proposals
that wait. Prints a table. With --write it goes into docs/internals/performance.md as well.
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import statistics
import struct
import sys
import termios
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import report  # needs the path above
from benchmarks.deck_stage import stage, stage_long

SIZE = (160, 45)
MANY = 100_000
_HERE = Path(__file__).parent
_COMMAND = "from reviewdeck.cli.main import main; raise SystemExit(main())"


@dataclass(frozen=True, slots=True)
class Pressed:
    """The cost of one key press."""

    key: str
    sent: int
    """Bytes to the terminal."""
    costs: dict[str, float]
    """Milliseconds by measurement."""


class Terminal:
    """A program in a pseudo-terminal."""

    def __init__(self, *command: str) -> None:
        self.began = time.perf_counter()
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            os.environ.update(TERM="xterm-256color", COLORTERM="truecolor", PYTHONPATH=".")
            os.chdir(_HERE.parent)
            os.execv(sys.executable, [sys.executable, *command])  # noqa: S606  # our own program
        size = struct.pack("HHHH", SIZE[1], SIZE[0], 0, 0)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, size)

    def until(self, words: bytes, seconds: float = 60) -> float:
        """Seconds from the start until some words are written."""
        data, end = b"", time.perf_counter() + seconds
        while words not in data and time.perf_counter() < end:
            if select.select([self.terminal], [], [], 0.2)[0]:
                data += os.read(self.terminal, 65_536)
        return time.perf_counter() - self.began

    def until_quiet(self, seconds: float) -> int:
        """Bytes written until a pause of `seconds`."""
        count = 0
        while select.select([self.terminal], [], [], seconds)[0]:
            try:
                piece = os.read(self.terminal, 65_536)
            except OSError:
                break
            count += len(piece)
            if not piece:
                break
        return count

    def press(self, key: str, pause: float = 0.35) -> int:
        """Presses a key; returns the number of bytes written."""
        os.write(self.terminal, key.encode())
        return self.until_quiet(pause)

    def kill(self) -> float:
        """Kills it; returns its CPU seconds."""
        os.kill(self.child, 9)
        usage = os.wait4(self.child, 0)[2]
        os.close(self.terminal)
        return usage.ru_utime + usage.ru_stime

    def leave(self) -> None:
        """Quits it with `q`, as an operator would."""
        self.press("q", 1.0)
        os.waitpid(self.child, 0)
        os.close(self.terminal)


def start(home: Path, ledger: Path) -> tuple[float, float]:
    """Seconds by the clock and of CPU from the start of the program to the painted queue."""
    terminal = Terminal("-c", _COMMAND, "--home", str(home), "--ledger", str(ledger))
    clock = terminal.until(b"The ")  # the gist of a proposal
    return clock, terminal.kill()


def typed(
    home: Path, ledger: Path, log: Path, keys: Sequence[str], pause: float = 0.35
) -> tuple[list[Pressed], Any]:
    """Types keys into the deck, one after the other."""
    terminal = Terminal(str(_HERE / "deck_app.py"), str(home), str(ledger), str(log))
    terminal.until(b"[1 Decide")
    terminal.until_quiet(4.0)
    time.sleep(6)  # Until the columns and what a filter looks through are made.
    sent = [terminal.press(key, pause) for key in keys]
    terminal.leave()
    records = json.loads(log.read_text("utf-8"))
    pressed = zip(keys, sent, records["keys"], strict=False)
    return [Pressed(key, size, costs) for key, size, costs in pressed], records["memory"]


def p95(values: Sequence[float]) -> float:
    """The value that one in twenty exceeds."""
    return sorted(values)[int(len(values) * 0.95)]


def costs(pressed: Sequence[Pressed], name: str) -> str:
    """The median and the value that one in twenty exceeds."""
    values = [press.costs[name] for press in pressed if name in press.costs]
    return f"{statistics.median(values):.1f} ms, p95 {p95(values):.1f} ms" if values else "–"


def sizes(pressed: Sequence[Pressed]) -> str:
    """Bytes sent."""
    values = [press.sent for press in pressed]
    return f"{statistics.median(values):,.0f} B, most {max(values):,} B"


Keys: TypeAlias = Sequence[tuple[str, list[str]]]
"""Keys by what they are for."""
KEYS: Keys = (
    ("cursor down", ["j"] * 60),
    ("half a page down", ["\x04"] * 12),
    ("next proposal from the diff", ["\r", *["J"] * 12]),
    ("back", ["\x1b"]),
    ("filter", ["/"]),
    ("a letter of the filter", [*"plugin uses"]),
    ("a letter after a typing mistake", [*"zq"]),
    ("filter dropped", ["\x1b"]),
    ("another lane", ["4", "1"]),
    ("another order", ["s"] * 4),
)

READING: Keys = (
    ("", ["/", *"long", "\r", "\r"]),  # on the way to a diff of three thousand lines
    ("a line of the diff", ["j"] * 40),
    ("half a page of the diff", ["\x04"] * 12),
    ("next change of the diff", [*".,.,.,"]),
    ("unchanged text of the diff opened", [*"oooo"]),
    ("", ["\x1b"]),
)


def table() -> list[tuple[str, str, str]]:
    """All figures with their targets."""
    table_rows: list[tuple[str, str, str]] = []
    with TemporaryDirectory() as folder:
        root = Path(folder)
        places = {amount: stage(_folder(root, amount), amount) for amount in (100, MANY)}
        for amount, place in places.items():
            runs = [start(*place) for _ in range(5)]
            clock, cpu = (min(run[at] for run in runs) for at in (0, 1))
            target = "1.0 s" if amount == 100 else "as with 100"
            words = f"start to the painted queue, {amount:,} proposals"
            table_rows.append((words, f"{clock:.2f} s ({cpu:.2f} s of CPU)", target))
        keys = [key for _, presses in KEYS for key in presses]
        pressed, memory = typed(*places[MANY], root / "log.json", keys)
        table_rows += rows(pressed, KEYS)
        read = reading(root)
        table_rows += rows(read, READING)
        shown_costs = costs([*pressed, *read], "shown_cpu")
        table_rows.append(("every key: CPU until it shows", shown_costs, "8 ms, p95 30 ms"))
        peak = f"{memory['VmHWM:']:.0f} MB"
        table_rows.append((f"resident at most, {MANY:,} proposals", peak, "150 MB"))
        table_rows.append(long_diff(root))
    return table_rows


def rows(pressed: Sequence[Pressed], keys: Keys) -> list[tuple[str, str, str]]:
    """The cost of each kind of key."""
    lines: list[tuple[str, str, str]] = []
    at = 0
    for words, presses in keys:
        part, at = pressed[at : at + len(presses)], at + len(presses)
        if not words:
            continue
        lines.append((f"{words}: CPU until it shows", costs(part, "shown_cpu"), "8 ms, p95 30 ms"))
        if len(part) > 4:
            lines.append((f"{words}: CPU of all work", costs(part, "loop"), ""))
            lines.append((f"{words}: sent", sizes(part), _size_target(words)))
        if "letter" in words:
            lines.append((f"{words}: clock to the results", costs(part, "found_clock"), "200 ms"))
    return lines


def _size_target(words: str) -> str:
    return "2 KB" if words in ("cursor down", "next proposal from the diff") else "25 KB"


def reading(root: Path) -> list[Pressed]:
    """Keys in a diff that is longer than the screen."""
    place = stage_long(_folder(root, "reading"), 3_000, removed=False)
    keys = [key for _, presses in READING for key in presses]
    return typed(*place, root / "reading.json", keys)[0]


def long_diff(root: Path) -> tuple[str, str, str]:
    """The way from a key to the first screen of a long diff, through the whole app."""
    place = stage_long(_folder(root, "long"))
    # There and back, twice: the first proposal on the screen need not be a short one.
    pressed, _ = typed(*place, root / "long.json", ["G", "k", "k", "j", "j"], pause=4.0)
    clocks = [press.costs["long_clock"] for press in pressed if "long_clock" in press.costs]
    value = f"{min(clocks) / 1000:.2f} s" if clocks else "never painted"
    return "50,000 lines: clock from the key to the first screen", value, "0.5 s"


def _folder(root: Path, name: object) -> Path:
    folder = root / str(name)
    folder.mkdir()
    return folder


def section(figures: list[tuple[str, str, str]]) -> str:
    """The table as a section of the page."""
    return (
        "## The deck\n\n"
        f"Written by `benchmarks/deck_bench.py --write`. {report.machine()} The whole\n"
        f"program runs in a pseudo-terminal of {SIZE[0]} by {SIZE[1]} over {MANY:,} proposals.\n"
        "CPU is that of the painting thread, from the key to the first bytes that it sends,\n"
        "or to the end of all work for the key: the diff, the panes, until the next key.\n\n"
        + report.table(("what", "measured", "wanted"), figures)
    )


def main(arguments: list[str]) -> None:
    """Measures everything."""
    figures = table()
    for words, value, target in figures:
        print(f"{words:<58} {value:<34} {target}")
    if "--write" in arguments:
        report.write_section("deck-widgets", section(figures))


if __name__ == "__main__":
    main(sys.argv[1:])
