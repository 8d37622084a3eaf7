"""Makes the short recording of the README: `make recording`.

The real program in a real terminal (tmux), on the sample home: an agent learns by itself what its
user said; a page of the web that tries to plant a rule is turned down; a rewrite from an old
snapshot is caught, and both edits are kept; it is written, and everything is undone. Writes
`recording.cast` (asciicast, version 2) and `recording.svg` (one picture that moves by itself).
"""

from __future__ import annotations

import html
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parent
WIDTH, HEIGHT = 96, 28
PATIENCE: Final = 60.0
PAUSE: Final = "(a moment)"
THEME: Final = TerminalTheme(
    (16, 19, 24),
    (223, 227, 234),
    [
        *((16, 19, 24), (255, 143, 143), (127, 209, 139), (232, 193, 90)),
        *((157, 184, 255), (215, 166, 240), (127, 200, 216), (223, 227, 234)),
    ],
)


@dataclass(frozen=True)
class Step:
    """One picture of the story."""

    caption: str
    keys: tuple[str, ...]
    sees: str
    """What has to be on the screen before the picture is taken."""
    seconds: float = 3.0


STORY: Final = (
    Step(
        "An agent learns: what you said goes in by itself.",
        ("reviewdeck auto | head -20", "Enter"),
        "you said",
        6.0,
    ),
    Step(
        "The rest waits for you, the riskiest first.",
        ("clear; reviewdeck", "Enter"),
        "to decide",
        5.0,
    ),
    Step(
        "A web page tried to plant a rule: the words that gave it away are marked.",
        ("/", "Note to the", "Enter"),
        "ignore all",
        7.0,
    ),
    Step("r, 7: turned down, unsafe.", ("r", "7", PAUSE), "Drafts 1", 4.0),
    Step(
        "A rewrite from an old snapshot would take back what changed since.",
        ("Escape", "/", "port 5433", "Enter"),
        "LOST",
        7.0,
    ),
    Step("m shows what the agent saw, what is live, what it wants.", ("m",), "RESULT", 5.0),
    Step("4 keeps both edits.", ("4", PAUSE), "both edits taken", 5.0),
    Step("a drafts it. Nothing is written yet.", ("a", PAUSE), "draft", 3.0),
    Step(
        "^s shows the exact bytes that y would write.",
        ("Escape", "Escape", "C-s"),
        "WRITES 1 document",
        6.0,
    ),
    Step("y writes them.", ("y",), "DONE", 3.0),
    Step("And back: z drafts the undo,", ("q", PAUSE, "z", PAUSE), "Drafts 1", 4.0),
    Step("^s and y write it. Everything is as it was.", ("C-s", PAUSE, "y"), "DONE", 5.0),
)


class Terminal:
    """A shell in a tmux of its own, and everything that it prints with when it was printed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._socket = folder / "tmux"
        self.raw = folder / "raw"
        environment = {
            "HOME": str(folder),
            "PATH": f"{folder}:{os.environ['PATH']}",
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "LANG": "C.UTF-8",
            "REVIEWDECK_LEDGER": str(folder / "ledger.db"),
            "HERMES_HOME": str(folder / "home"),
        }
        given = " ".join(shlex.quote(f"{name}={value}") for name, value in environment.items())
        self.tmux(
            *("new-session", "-d", "-s", "deck", "-x", str(WIDTH), "-y", str(HEIGHT)),
            f"exec env 'PS1=$ ' {given} bash --norc --noprofile -i",
        )
        self.tmux("set-option", "-g", "status", "off")
        stamp = (
            "import sys,time,json\n"
            "for piece in iter(lambda: sys.stdin.buffer.raw.read(65536), b''):\n"
            " print(json.dumps([time.time(), piece.decode('utf-8', 'replace')]), flush=True)"
        )
        (folder / "stamp.py").write_text(stamp, "utf-8")
        self.tmux("pipe-pane", "-t", "deck", f"{sys.executable} {folder}/stamp.py > {self.raw}")

    def tmux(self, *arguments: str) -> str:
        """One command on our own server."""
        command = ["tmux", "-S", str(self._socket), "-f", "/dev/null", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def press(self, keys: Sequence[str]) -> None:
        """Types as a person would."""
        for key in keys:
            if key == PAUSE:
                time.sleep(2.0)
            elif key in ("Enter", "Escape") or key.startswith("C-") or len(key) == 1:
                self.tmux("send-keys", "-t", "deck", key)
            else:
                for letter in key:
                    self.tmux("send-keys", "-l", "-t", "deck", "\\;" if letter == ";" else letter)
                    time.sleep(0.04)
            time.sleep(0.2)

    def sees(self, words: str) -> None:
        """Waits until these words are on the screen, and nothing moves any more."""
        end = time.monotonic() + PATIENCE
        last = ""
        while time.monotonic() < end:
            screen = self.tmux("capture-pane", "-p", "-t", "deck")
            if words in screen and screen == last:
                time.sleep(1.0)
                return
            last = screen
            time.sleep(0.7)
        raise SystemExit(f"{words!r} did not come:\n{last}")

    def picture(self) -> str:
        """The screen with its colours."""
        return self.tmux("capture-pane", "-p", "-e", "-t", "deck")

    def close(self) -> None:
        """Ends our server."""
        self.tmux("kill-server")


def prepare(folder: Path) -> None:
    """The sample home, and a program by the name of reviewdeck."""
    from reviewdeck.demo import write_demo

    write_demo(folder / "home", datetime.now().astimezone())
    command = folder / "reviewdeck"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m reviewdeck.cli.main "$@"\n', "utf-8")
    command.chmod(0o755)


def play(folder: Path) -> Iterator[tuple[Step, str]]:
    """The story, picture by picture."""
    terminal = Terminal(folder)
    try:
        terminal.sees("$")
        for step in STORY:
            terminal.press(step.keys)
            terminal.sees(step.sees)
            yield step, terminal.picture()
    finally:
        terminal.close()


def asciicast(raw: Path) -> str:
    """What the terminal printed, as asciinema plays it; long pauses are shortened."""
    header = {"version": 2, "width": WIDTH, "height": HEIGHT, "title": "reviewdeck"}
    lines = [json.dumps(header)]
    at, last = 0.0, None
    for line in raw.read_text("utf-8").splitlines():
        moment, text = json.loads(line)
        at += min(2.0, moment - last) if last is not None else 0.0
        last = moment
        lines.append(json.dumps([round(at, 3), "o", text], ensure_ascii=False))
    return "\n".join(lines) + "\n"


def moving(pictures: Sequence[tuple[Step, str]]) -> str:
    """One SVG in which the pictures follow each other."""
    drawn = [_drawn(screen) for _, screen in pictures]
    total = sum(step.seconds for step, _ in pictures)
    width, height = drawn[0][1], drawn[0][2]
    bar = 44
    parts, begin = [], 0.0
    for number, ((step, _), (body, _, _)) in enumerate(zip(pictures, drawn, strict=True)):
        first, last = 100 * begin / total, 100 * (begin + step.seconds) / total
        begin += step.seconds
        parts.append(
            f"<style>@keyframes f{number} {{ 0% {{ visibility: hidden }}"
            f" {first:.3f}% {{ visibility: visible }} {last:.3f}% {{ visibility: hidden }} }}"
            f" .f{number} {{ visibility: {'hidden' if number else 'visible'};"
            f" animation: f{number} {total}s step-end infinite }}</style>"
            f'<g class="f{number}">{body}<text x="16" y="{height + 28}" class="said">'
            f"{number + 1}/{len(pictures)}  {html.escape(step.caption)}</text></g>"
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height + bar}">'
        "<style>.said { font: 17px sans-serif; fill: #dfe3ea }</style>"
        f'<rect width="{width}" height="{height + bar}" rx="8" fill="#101318"/>'
        f"{''.join(parts)}</svg>\n"
    )


CELL_WIDTH: Final = 9.0
CELL_HEIGHT: Final = 19.0


def _drawn(screen: str) -> tuple[str, float, float]:
    """A screen as SVG text: backgrounds, then runs of one style."""
    console = Console(width=WIDTH, file=open(os.devnull, "w"), color_system="truecolor")  # noqa: PTH123, SIM115
    found = []
    for row, line in enumerate(screen.split("\n")[:HEIGHT]):
        text = Text.from_ansi(line, no_wrap=True)
        column = 0
        for segment in text.render(console):
            said = segment.text.rstrip("\n")
            style = segment.style
            cells = Text(said).cell_len
            x, y = column * CELL_WIDTH, row * CELL_HEIGHT
            column += cells
            front, back = _colours(style)
            if back:
                found.append(
                    f'<rect x="{x:.0f}" y="{y:.0f}" width="{cells * CELL_WIDTH:.0f}"'
                    f' height="{CELL_HEIGHT:.0f}" fill="{back}"/>'
                )
            weight = ' font-weight="bold"' if style and style.bold else ""
            for run in re.finditer(r"\S+(?: \S+)*", said):
                before = Text(said[: run.start()]).cell_len
                wide = Text(run[0]).cell_len * CELL_WIDTH
                found.append(
                    f'<text x="{x + before * CELL_WIDTH:.0f}" y="{y + 14:.0f}"'
                    f' textLength="{wide:.0f}" lengthAdjust="spacingAndGlyphs"'
                    f' fill="{front}"{weight}>{html.escape(run[0])}</text>'
                )
    console.file.close()
    body = (
        '<g transform="translate(12,12)" font-family="ui-monospace, Menlo, Consolas, monospace"'
        f' font-size="15">{"".join(found)}</g>'
    )
    return body, WIDTH * CELL_WIDTH + 24, HEIGHT * CELL_HEIGHT + 24


def _colours(style: object) -> tuple[str, str | None]:
    """Foreground and background of a style, turned round where it says so."""
    from rich.style import Style

    if not isinstance(style, Style):
        return "#dfe3ea", None
    front = style.color.get_truecolor(THEME).hex if style.color else "#dfe3ea"
    back = style.bgcolor.get_truecolor(THEME, foreground=False).hex if style.bgcolor else None
    if style.reverse:
        return back or "#101318", front
    return front, back


def main() -> None:
    """Plays the story and writes both files."""
    if shutil.which("tmux") is None:
        raise SystemExit("tmux is not installed: the recording needs a terminal.")
    sys.path.insert(0, str(ROOT))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        prepare(folder)
        pictures = list(play(folder))
        (HERE / "recording.cast").write_text(asciicast(folder / "raw"), "utf-8")
    (HERE / "recording.svg").write_text(moving(pictures), "utf-8")
    print("recording.cast, recording.svg")


if __name__ == "__main__":
    main()
