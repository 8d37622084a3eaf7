"""How `auto --watch` holds out: beside a writer and a stream of proposals, for an hour.

    python benchmarks/endurance.py [--seconds 3600] [--proposals 10000] [--write] [--keep DIR]

The watch is a process of its own. This one stages proposals as Hermes does, adds to and takes from
the memory as Hermes does (its lock, its temporary file, its rename), and looks at the watch every
few seconds. In the end what the log says is compared with what is on disk, byte by byte, and every
entry that anybody wrote has to be accounted for. Exits with 1 when something is not as it should.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.endurance_stream import MEMORY, Stream, entries  # noqa: E402 - needs the path above
from benchmarks.engine_stage import make_home, open_at  # noqa: E402 - the same
from benchmarks.report import machine, table, write_section  # noqa: E402 - the same

from reviewdeck.engine.engine import Engine  # noqa: E402 - the same
from reviewdeck.model import State  # noqa: E402 - the same

KEPT = 300
"""So many entries stay in the memory: the writer takes out the oldest, as a curator does."""
DELIMITER = "\n§\n"
_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICKS = os.sysconf("SC_CLK_TCK")
_SETTLES = 300.0
"""Seconds that the watch has to catch up in when the stream has ended."""


@dataclass(frozen=True, slots=True)
class Sample:
    """How the watch stood at one moment."""

    at: float
    resident: float
    """MB."""
    handles: int
    work: float
    """Seconds of processor time until then."""
    staged: int


@dataclass
class Writer:
    """Changes the memory as Hermes does, and knows what it did."""

    home: Path
    wrote: list[str] = field(default_factory=list)
    took: list[str] = field(default_factory=list)

    def turn(self) -> None:
        """Adds an entry and takes out the oldest ones beyond what is kept, under Hermes' lock."""
        memory = self.home / MEMORY
        with memory.with_name(f"{memory.name}.lock").open("a+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            live_entries = [*entries(self.home), f"Hermes noted number {len(self.wrote)} here."]
            self.wrote.append(live_entries[-1])
            self.took += live_entries[:-KEPT]
            self.replace(memory, DELIMITER.join(live_entries[-KEPT:]))

    @staticmethod
    def replace(memory: Path, text: str) -> None:
        number, name = tempfile.mkstemp(dir=memory.parent, prefix=".mem_", suffix=".tmp")
        with os.fdopen(number, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(memory)


class Endurance:
    """One run."""

    def __init__(self, root: Path, seconds: float, proposals: int) -> None:
        self.root, self.seconds, self.proposals = root, seconds, proposals
        self.home = make_home(root / "home")
        self.ledger = root / "ledger.db"
        self.writer = Writer(self.home)
        self.stream = Stream(self.home, proposals)
        self.samples: list[Sample] = []
        self.problems: list[str] = []

    def run(self) -> int:
        """The whole run; gives the exit code of the watch."""
        with (self.root / "watch.log").open("w") as log:
            watch = subprocess.Popen(
                self._command("auto", "--watch", "--json", *self._where), stdout=log
            )
            begun = time.monotonic()
            try:
                self._beside(watch, begun)
                self._settle(watch, begun)
            finally:
                watch.send_signal(signal.SIGTERM)
                code = watch.wait(120)
        return code

    def _command(self, *words: str) -> list[str]:
        script = "from reviewdeck.cli.main import main; main()"
        return [sys.executable, "-c", script, *words, "--ledger", str(self.ledger)]

    @property
    def _where(self) -> tuple[str, ...]:
        return ("--home", str(self.home), "--policy", str(self.home / "policy.toml"))

    def _beside(self, watch: subprocess.Popen[bytes], begun: float) -> None:
        """The stream, the writer and the looks, each at its own pace."""
        staged = writes = looks = 0
        chance = random.Random(4)  # noqa: S311 - no secret
        while (passed := time.monotonic() - begun) < self.seconds:
            target = min(self.proposals, int(self.proposals * passed / (0.97 * self.seconds)) + 1)
            while staged < target:
                self.stream.stage(staged)
                staged += 1
            if passed >= writes * self.seconds / 1500:
                self.writer.turn()
                writes += 1
            if passed >= looks * self.seconds / 360:
                self._look(watch, passed, staged)
                looks += 1
            time.sleep(chance.uniform(0.05, 0.4))
        while staged < self.proposals:
            self.stream.stage(staged)
            staged += 1

    def _look(self, watch: subprocess.Popen[bytes], passed: float, staged: int) -> None:
        if watch.poll() is not None:
            raise SystemExit(f"The watch ended after {passed:.0f} seconds: {watch.returncode}.")
        of = Path(f"/proc/{watch.pid}")
        resident = int((of / "statm").read_text().split()[1]) * _PAGE / 2**20
        work = _cpu_seconds(watch)
        handles = len(list((of / "fd").iterdir()))
        self.samples.append(Sample(passed, resident, handles, work, staged))

    def _settle(self, watch: subprocess.Popen[bytes], begun: float) -> None:
        """Waits until the watch has seen everything and rests."""
        deadline = time.monotonic() + _SETTLES
        deck = open_at(self.home, self.ledger)
        (home,) = deck.homes
        try:
            while time.monotonic() < deadline and not (deck.is_fresh(home) and _is_idle(watch)):
                time.sleep(1)
        finally:
            deck.close()
        self._look(watch, time.monotonic() - begun, self.proposals)

    def check(self) -> Iterator[str]:
        """All deviations from the expected result."""
        checked = subprocess.run(
            self._command("fsck"),
            capture_output=True,
            text=True,
            check=False,
        )
        if checked.returncode:
            yield f"fsck says {checked.stdout or checked.stderr}"
        deck = open_at(self.home, self.ledger)
        try:
            yield from self._compare(deck)
            yield from self._account(deck)
        finally:
            deck.close()

    def _compare(self, deck: Engine) -> Iterator[str]:
        """The documents as the log has them and as they are."""
        (home,) = deck.homes
        latest = deck.ledger.latest(home.id)
        for path in sorted({*latest, *home.documents()}):
            file = self.home / path
            on_disk = file.read_bytes() if file.exists() else None
            stored = deck.ledger.content(latest[path].revision) if path in latest else b"unknown"
            if on_disk != stored:
                yield f"{path} is not what the log says"

    def _account(self, deck: Engine) -> Iterator[str]:
        """Each applied or written entry is live exactly once, unless it was removed."""
        items = deck.pending((State.APPLIED,), limit=self.proposals + 1)
        applied = {item.source for item in items if item.source is not None}
        added = Counter(self.stream.entries[path] for path in applied & self.stream.entries.keys())
        want = Counter(["Tests run with tox.", *self.writer.wrote]) + added
        want.subtract(self.writer.took)
        live_counts = Counter(entries(self.home))
        for entry in sorted({*want, *live_counts}):
            if want[entry] != live_counts[entry]:
                yield f"{entry!r}: {live_counts[entry]} times instead of {want[entry]}"
        for source in applied & self.stream.skills.keys():
            path, text = self.stream.skills[source]
            if (self.home / path).read_text("utf-8") != text:
                yield f"{path} is not what was proposed"
        remaining = {str(p.relative_to(self.home)) for p in (self.home / "pending").rglob("*.json")}
        if remaining != self.stream.sources - applied:
            yield f"{len(remaining ^ (self.stream.sources - applied))} pending files are wrong"
        if len(applied) < 0.75 * self.proposals:
            yield f"only {len(applied)} proposals were applied"
        self.applied = len(applied)

    def flatness(self) -> Iterator[str]:
        """Whether memory and handles grew between the second quarter and the last one."""
        quarter = len(self.samples) // 4
        early, late = self.samples[quarter : 2 * quarter], self.samples[-quarter:]
        before = statistics.median(sample.resident for sample in early)
        after = statistics.median(sample.resident for sample in late)
        if after > before * 1.1:
            yield f"its memory grew from {before:.0f} to {after:.0f} MB"
        # The fewest: what it holds at rest. In the middle of a pass there are more.
        if min(sample.handles for sample in late) > min(sample.handles for sample in early):
            yield "it holds more files open than in the beginning"

    def rows(self, amount: int = 12) -> list[tuple[str, ...]]:
        """Some of the samples, evenly spread."""
        last = len(self.samples) - 1
        chosen = [self.samples[round(i * last / amount)] for i in range(amount + 1)]
        return [
            (
                f"{sample.at / 60:.1f}",
                f"{sample.staged:,}",
                f"{sample.resident:.0f}",
                f"{sample.handles}",
                f"{sample.work:.0f}",
            )
            for sample in chosen
        ]


def _cpu_seconds(watch: subprocess.Popen[bytes]) -> float:
    """Seconds of processor time until now."""
    times = Path(f"/proc/{watch.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(times[11]) + int(times[12])) / _TICKS


def _is_idle(watch: subprocess.Popen[bytes]) -> bool:
    """Whether it does nothing for a while."""
    before = _cpu_seconds(watch)
    time.sleep(5)
    return _cpu_seconds(watch) - before < 0.05


def main() -> None:
    """Runs, compares, prints, and writes it when asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--proposals", type=int, default=10_000)
    parser.add_argument("--write", action="store_true", help="into docs/internals/performance.md")
    parser.add_argument("--keep", help="a directory that stays, instead of a temporary one")
    options = parser.parse_args()
    where = machine()
    with tempfile.TemporaryDirectory() as folder:
        run = Endurance(Path(options.keep or folder), options.seconds, options.proposals)
        code = run.run()
        problems = [*run.check(), *run.flatness()]
        if code:
            problems.append(f"the watch ended with {code}")
    summary = (
        f"{run.applied:,} of {options.proposals:,} proposals were applied; Hermes' writer made"
        f" {len(run.writer.wrote):,} changes and removed {len(run.writer.took):,} entries again."
    )
    verdict = "\n".join(f"- {problem}" for problem in problems) or (
        "Log and disk agree; every entry is there once or was removed; memory and open files"
        " stay flat."
    )
    head = ("minute", "staged", "resident, MB", "open files", "CPU, s")
    text = (
        f"## Endurance\n\nWritten by `benchmarks/endurance.py`: `auto --watch` for"
        f" {options.seconds / 60:.0f} minutes beside a writer and a stream of proposals. {where}\n"
        f"{summary}\n\n{verdict}\n\n{table(head, run.rows())}"
    )
    sys.stdout.write(text)
    if options.write:
        write_section("endurance", text)
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
