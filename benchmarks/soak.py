"""How everything holds out together: `auto --watch` beside writers, operators and kills.

    python benchmarks/soak.py [--seconds 3600] [--seed 1] [--write] [--keep DIR]

The watch, two operators and two of Hermes' writers are processes of their own. The watch and the
operators are killed at moments that nobody chose (SIGKILL), and started again. This one stages
proposals, and looks at the watch every few seconds: memory, open files, the size of the ledger's
write-ahead log. In the end every entry has to be there as often as it was written, each credited to
who wrote it; ledger and log have to hold together; and nothing may be left behind in the home.
Exits with 1 when something is not as it should.
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
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.endurance import Writer  # noqa: E402 - needs the path above
from benchmarks.endurance_stream import Stream, entries  # noqa: E402 - the same
from benchmarks.engine_stage import POLICY, make_home, open_at  # noqa: E402 - the same
from benchmarks.report import machine, table, write_section  # noqa: E402 - the same

from reviewdeck.engine.engine import Engine  # noqa: E402 - the same
from reviewdeck.errors import ReviewdeckError  # noqa: E402 - the same
from reviewdeck.ledger.inspection import find_damage  # noqa: E402 - the same
from reviewdeck.model import Cause, OperationState, State  # noqa: E402 - the same

MEMORY = "memories/MEMORY.md"
REPORT = ROOT / "docs" / "internals" / "reliability.md"
FIRST = "Tests run with tox."
OPERATORS = 2
WRITERS = 2
SPARED = 0.5
"""From this part of the run on the watch is not killed any more."""
WARM = 30.0
"""Seconds after which a watch has loaded what it needs."""
PER_SECOND = 0.7
"""Proposals."""
LOOK = 5.0
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Sample:
    """How the watch stood at one moment."""

    at: float
    age: float
    """Seconds since this watch was started."""
    resident: float
    """MB."""
    files: int
    log: float
    """MB of the write-ahead log."""


@dataclass
class Soak:
    """One run."""

    root: Path
    seconds: float
    chance: random.Random
    samples: list[Sample] = field(default_factory=list)
    kills: Counter[str] = field(default_factory=Counter)
    figures: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.home = make_home(self.root / "home")
        config = self.root / "config" / "reviewdeck"
        config.mkdir(parents=True)
        (config / "policy.toml").write_text(POLICY, "utf-8")
        self.ledger = self.root / "ledger.db"
        self.stream = Stream(self.home, int(self.seconds * PER_SECOND) + 10)
        deck = open_at(self.home, self.ledger)
        deck.intake()  # What is there now was there first.
        deck.close()

    def run(self) -> None:
        """Everybody at once, then what is left."""
        writers = [self._role("writer", str(number)) for number in range(WRITERS)]
        mortals = {f"operator {n}": self._role("operator", str(n)) for n in range(OPERATORS)}
        mortals["watch"] = self._watch()
        begun = time.monotonic()
        try:
            self._beside(mortals, begun)
        finally:
            for process in mortals.values():
                process.send_signal(signal.SIGTERM)
            outputs = [process.communicate(timeout=120)[0] for process in writers]
            for process in mortals.values():
                process.wait(120)
        self.wrote = [line[1:] for text in outputs for line in text.splitlines() if line[0] == "+"]
        self.took = [line[1:] for text in outputs for line in text.splitlines() if line[0] == "-"]

    def _role(self, role: str, name: str) -> subprocess.Popen[str]:
        where = (str(self.home), str(self.ledger), str(self.seconds))
        command = [sys.executable, __file__, "--role", role, name, *where]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    def _watch(self) -> subprocess.Popen[str]:
        script = "from reviewdeck.cli.main import main; main()"
        words = ("auto", "--watch", "--json", "--home", str(self.home))
        with (self.root / "watch.log").open("a") as log:
            self._started = time.monotonic()
            return subprocess.Popen(
                [sys.executable, "-c", script, *words, "--ledger", str(self.ledger)],
                stdout=log,
                text=True,
                env={**os.environ, "XDG_CONFIG_HOME": str(self.root / "config")},
            )

    def _beside(self, mortals: dict[str, subprocess.Popen[str]], begun: float) -> None:
        staged, look, kill = 0, 0.0, self.chance.uniform(5, 20)
        while (passed := time.monotonic() - begun) < self.seconds:
            while staged < passed * PER_SECOND:
                self.stream.stage_plain(staged)
                staged += 1
            if passed >= look:
                self._look(mortals["watch"], passed)
                look = passed + LOOK
            if passed >= kill:
                # The last watch lives long enough to be measured.
                self._kill(mortals, spared="watch" if passed > self.seconds * SPARED else "")
                kill = passed + self.chance.uniform(2, 25)
            time.sleep(0.05)
        self.staged = staged

    def _kill(self, mortals: dict[str, subprocess.Popen[str]], spared: str) -> None:
        name = self.chance.choice(sorted(mortals.keys() - {spared}))
        mortals[name].kill()
        mortals[name].wait()
        self.kills[name.partition(" ")[0]] += 1
        again = name.partition(" ")
        mortals[name] = self._watch() if name == "watch" else self._role("operator", again[2])

    def _look(self, watch: subprocess.Popen[str], passed: float) -> None:
        if watch.poll() is not None:
            raise SystemExit(f"The watch ended after {passed:.0f} seconds: {watch.returncode}.")
        of = Path(f"/proc/{watch.pid}")
        with suppress(FileNotFoundError):
            resident = int((of / "statm").read_text().split()[1]) * _PAGE / 2**20
            files = len(list((of / "fd").iterdir()))
            log = self.ledger.with_name(f"{self.ledger.name}-wal")
            size = log.stat().st_size / 2**20 if log.exists() else 0.0
            age = time.monotonic() - self._started
            self.samples.append(Sample(passed, age, resident, files, size))

    def check(self) -> Iterator[str]:
        """All deviations from the expected result."""
        deck = open_at(self.home, self.ledger)
        try:
            deck.recover()
            deck.auto()
            if again := deck.recover():
                yield f"a second recovery did something: {again}"
            yield from self._check_counts(deck)
            yield from self._check_credit(deck)
            if (broken := deck.ledger.verify()) is not None:
                yield f"the log breaks at line {broken}"
            if deck.ledger.unfinished(str(self.home)):
                yield "something is left begun"
        finally:
            deck.close()
        yield from find_damage(str(self.ledger))
        yield from self._left_behind()
        yield from self._flat()

    def _check_counts(self, deck: Engine) -> Iterator[str]:
        """Each entry is live as often as it was written, minus Hermes' removals."""
        applied = deck.pending((State.APPLIED,), limit=10**6)
        ours = [
            self.stream.entries[proposal.source]
            for proposal in applied
            if proposal.source in self.stream.entries
        ]
        want = Counter([FIRST, *self.wrote, *ours])
        want.subtract(self.took)
        live_counts = Counter(entries(self.home))
        for entry in sorted({*want, *live_counts}):
            if want[entry] != live_counts[entry]:
                yield f"{entry!r}: {live_counts[entry]} times instead of {want[entry]}"
        begun = Counter(operation.state for operation in deck.operations())
        self.figures = [
            ("proposals staged", f"{self.staged:,}"),
            ("applied", f"{len(applied):,}"),
            ("entries written by Hermes' writers", f"{len(self.wrote):,}"),
            ("entries removed by them", f"{len(self.took):,}"),
            ("kills of the watch", f"{self.kills['watch']}"),
            ("kills of an operator", f"{self.kills['operator']}"),
            ("operations that ended as a conflict", f"{begun[OperationState.CONFLICT]}"),
            ("operations rolled back", f"{begun[OperationState.ABANDONED]}"),
        ]
        if len(ours) < 0.2 * self.staged:
            yield f"only {len(ours)} proposals were applied"

    def _check_credit(self, deck: Engine) -> Iterator[str]:
        """Each entry that is live is credited to who wrote it."""
        wrote, parts = set(self.wrote), deck.blame(MEMORY)
        by_source = {text: source for source, text in self.stream.entries.items()}
        for part in parts:
            by = part.added_by
            if part.text in wrote:
                is_right = by.cause is Cause.OUTSIDE
            elif part.text in by_source:
                item = deck.find(by.proposal) if by.proposal else None
                is_right = item is not None and item.source == by_source[part.text]
            else:
                is_right = part.text == FIRST
            if not is_right:
                yield f"{part.text!r} is credited to {by.cause} {by.proposal}"
        self.figures.append(("live entries, each with the right author", f"{len(parts)}"))

    def _left_behind(self) -> Iterator[str]:
        ours = self.home / ".reviewdeck"
        expected = {
            ours / name for name in ("README", ".gitignore", "identity", "rejected", "skills.lock")
        }
        for path in sorted(self.home.rglob("*")):
            is_ours = path.is_relative_to(ours) or path.name.startswith(".reviewdeck-")
            if path.is_file() and is_ours and path not in expected:
                yield f"left behind: {path.relative_to(self.home)}"

    def _flat(self) -> Iterator[str]:
        """Whether the watch and the ledger's log stay as small as they were."""
        last = self.samples[-1].at - self.samples[-1].age
        grown = [sample for sample in self.samples if sample.at > last + WARM]
        quarter = len(grown) // 4
        if not quarter:
            yield "the last watch did not live long enough to be measured"
            return
        early, late = grown[:quarter], grown[-quarter:]
        before = statistics.median(sample.resident for sample in early)
        after = statistics.median(sample.resident for sample in late)
        log = max(sample.log for sample in self.samples)
        files = [min(sample.files for sample in part) for part in (early, late)]
        self.figures += [
            ("lifetime of the last watch, seconds", f"{self.samples[-1].age:.0f}"),
            (
                "resident memory of the last watch, first and last quarter",
                f"{before:.0f}, {after:.0f} MB",
            ),
            ("its open files at rest, first and last quarter", f"{files[0]}, {files[1]}"),
            ("largest write-ahead log", f"{log:.1f} MB"),
        ]
        if after > before * 1.25 + 10:
            yield f"the watch's memory grew from {before:.0f} to {after:.0f} MB"
        # Its listener is three files, which are closed for a moment when folders come or go.
        if files[1] > files[0] + 3:
            yield f"it holds {files[1]} files open instead of {files[0]}"
        if log > 64:
            yield f"the write-ahead log grew to {log:.0f} MB"


def write_as_hermes(name: str, home: Path, seconds: float) -> None:
    """Adds entries and takes out the oldest, under Hermes' lock; says each after it is written."""
    chance, writer = random.Random(name), Writer(home)  # noqa: S311 - no secret
    end = time.monotonic() + seconds
    memory = home / MEMORY
    count = 0
    while time.monotonic() < end:
        count += 1
        entry = f"Hermes {name} noted number {count} here."
        with memory.with_name(f"{memory.name}.lock").open("a+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            lines = [*entries(home), entry]
            removed, remaining = lines[:-300], lines[-300:]
            writer.replace(memory, "\n§\n".join(remaining))
        sys.stdout.write(f"+{entry}\n" + "".join(f"-{entry_line}\n" for entry_line in removed))
        sys.stdout.flush()
        time.sleep(chance.uniform(0.2, 3))


def operate(name: str, home: Path, ledger: Path, seconds: float) -> None:
    """Approves what waits, and turns some of it down."""
    chance = random.Random(f"{name} {os.getpid()}")  # noqa: S311 - no secret
    end = time.monotonic() + seconds
    stopped: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: stopped.append(number))
    while time.monotonic() < end and not stopped:
        deck = open_at(home, ledger)
        with suppress(ReviewdeckError):
            deck.recover()
            deck.intake()
            for item in deck.pending((State.READY,), limit=20):
                if stopped:
                    break
                with suppress(ReviewdeckError):
                    if chance.random() < 0.1:
                        deck.reject(item.id, "no")
                    elif digest := deck.get(item.id).digest:
                        deck.approve(item.id, digest)
        deck.close()
        time.sleep(chance.uniform(0.1, 1))


def main() -> None:
    """Runs, checks, prints, and writes it when asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="into docs/internals/reliability.md")
    parser.add_argument("--keep", help="a directory that stays, instead of a temporary one")
    parser.add_argument("--role", nargs=5, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.role:
        role, name, home, ledger, seconds = options.role
        if role == "writer":
            write_as_hermes(name, Path(home), float(seconds))
        else:
            operate(name, Path(home), Path(ledger), float(seconds))
        return
    where = machine()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(options.keep or folder).resolve()
        run = Soak(root, options.seconds, random.Random(options.seed))  # noqa: S311 - no secret
        run.run()
        problems = [*run.check()]
    verdict = (
        "\n".join(f"- {problem}" for problem in problems)
        or "Nothing was lost, duplicated or attributed to the wrong author."
    )
    text = (
        f"Written by `benchmarks/soak.py`: {options.seconds / 60:.0f} minutes, seed"
        f" {options.seed}. {where}\n\n{verdict}\n\n{table(('what', 'figure'), run.figures)}"
    )
    sys.stdout.write(text + "\n")
    if options.write:
        write_section("soak", text, REPORT)
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
