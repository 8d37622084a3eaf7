"""Mutated pending records, by the million: intake has to answer each with a value.

    python benchmarks/records_fuzz.py [--inputs 10_000_000] [--seed 7] [--failures FOLDER]

Every input is a record that some mutations were made to. An input that is answered in a way that
was not seen before joins those that are mutated, and so does one that takes a new step from line
to line of `homes/hermes`: one input of sixty-four is traced for that. The same seed gives the same
inputs.

What is asked of every answer: it is a proposal or a quarantined record and no exception, and its
times are sane. One of sixty-four is also turned into what the ledger stores and read back. An input
that fails is printed with what it did, and the program ends with 1.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.records_mutation import NOW, Mutator, seeds

from reviewdeck.homes.hermes import records
from reviewdeck.homes.hermes.records import parse_record
from reviewdeck.model import Proposal, Quarantined
from reviewdeck.model.codec import edits_from_json, edits_to_json
from reviewdeck.ports import PendingFile

READ_AT = datetime.fromtimestamp(NOW, UTC)
WATCHED = str(Path(records.__file__).parent)
CLOSELY = 64
"""One input in so many is traced, stored and read back."""
MOST_KEPT = 4_000
"""Records that are mutated further; beyond them, a new one takes the place of an old one."""
REPORT_EVERY = 250_000
_DIGITS = re.compile(r"\d+")


class Steps:
    """Which steps from line to line of `homes/hermes` were taken so far."""

    def __init__(self) -> None:
        self.seen: set[tuple[str, int, int]] = set()

    def watch(self, work: Callable[[], object]) -> tuple[object, bool]:
        """Does the work; says also whether a new step was among it."""
        before = len(self.seen)
        sys.settrace(self._enter)
        try:
            done = work()
        finally:
            sys.settrace(None)
        return done, len(self.seen) > before

    def _enter(self, frame: FrameType, _event: str, _arg: object) -> Any:
        name = frame.f_code.co_filename
        if not name.startswith(WATCHED):
            return None
        last = 0

        def step(frame: FrameType, _event: str, _arg: object) -> Any:
            nonlocal last
            self.seen.add((name, last, frame.f_lineno))
            last = frame.f_lineno
            return step

        return step


class Run:
    """Inputs, one after the other, and what became of them."""

    def __init__(self, seed: int, failures: Path | None) -> None:
        self._chance = random.Random(seed)  # noqa: S311 - the same inputs each time
        self._mutator, self._steps = Mutator(self._chance), Steps()
        self._failures = failures
        self._kept, self._first = seeds(), len(seeds())
        self._answers: Counter[str] = Counter()
        self.number = self.failed = 0
        self._begun = time.process_time()

    def go(self, inputs: int) -> int:
        """Tests `count` inputs; returns the number of failures."""
        while self.number < inputs:
            data, source = self._draw()
            for mutant in self._mutator.inputs(data, self._draw()[0]):
                self._ask(mutant, source)
                if self.number % REPORT_EVERY == 0:
                    self._tell()
        self._tell()
        return self.failed

    def _draw(self) -> tuple[bytes, str]:
        return self._kept[int(self._chance.random() * len(self._kept))]

    def _ask(self, data: bytes, source: str) -> None:
        self.number += 1
        file, closely, is_new = PendingFile(source, data), self.number % CLOSELY == 0, False
        try:
            if closely:
                parsed, is_new = self._steps.watch(lambda: parse_record("/h", file, READ_AT))
            else:
                parsed = parse_record("/h", file, READ_AT)
            answer = _check(parsed, closely=closely)
        except Exception:  # noqa: BLE001 - whatever it is, it is what is looked for
            self._report(data, source)
            return
        if is_new or answer not in self._answers:
            self._keep((data, source))
        self._answers[answer] += 1

    def _keep(self, mutant: tuple[bytes, str]) -> None:
        if len(self._kept) < MOST_KEPT:
            self._kept.append(mutant)
        else:
            place = self._first + int(self._chance.random() * (MOST_KEPT - self._first))
            self._kept[place] = mutant

    def _report(self, data: bytes, source: str) -> None:
        self.failed += 1
        trace = traceback.format_exc()
        print(f"input {self.number}: {data!r} as {source}", trace, sep="\n", flush=True)
        if self._failures is not None:
            (self._failures / f"{self.number}.json").write_bytes(data)

    def _tell(self) -> None:
        each = (time.process_time() - self._begun) / self.number * 1e6
        proposals = self._answers.total() - self._answers_without_proposal()
        print(
            f"{self.number:,} inputs, {self.failed} failed; {proposals:,} became proposals;"
            f" {len(self._answers)} ways to answer, {len(self._steps.seen)} steps between lines,"
            f" {len(self._kept)} records kept; {each:.0f} µs each",
            flush=True,
        )

    def _answers_without_proposal(self) -> int:
        return sum(n for answer, n in self._answers.items() if not answer.startswith("proposal"))


def _check(parsed: object, *, closely: bool) -> str:
    """How it was answered. Raises AssertionError for an answer that must not be."""
    if isinstance(parsed, Quarantined):
        assert parsed.message and parsed.reason
        return f"{parsed.reason} {_DIGITS.sub('#', parsed.message.partition(' know: ')[0])}"
    assert isinstance(parsed, Proposal), type(parsed)
    assert parsed.created_at is None or 0 <= parsed.created_at.timestamp() <= NOW + 300
    assert parsed.source_id == "0123abcd"
    if closely:
        written = edits_to_json(parsed.edits)
        json.dumps(written, ensure_ascii=False).encode()
        assert edits_from_json(written) == parsed.edits
        for text in (parsed.summary, parsed.origin, parsed.target, *parsed.unknown_keys):
            text.encode()
    kinds = ",".join(type(edit).__name__ for edit in parsed.edits[:3])
    return f"proposal {kinds} {len(parsed.bases)} {min(len(parsed.unknown_keys), 3)}"


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--inputs", type=int, default=10_000_000, metavar="N")
    parser.add_argument("--seed", type=int, default=7, metavar="N")
    parser.add_argument("--failures", type=Path, help="a folder for the inputs that fail")
    arguments = parser.parse_args()
    return 1 if Run(arguments.seed, arguments.failures).go(arguments.inputs) else 0


if __name__ == "__main__":
    sys.exit(main())
