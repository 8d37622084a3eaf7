"""Eight approvers of one proposal, who never stop: each round has one winner.

    python -m benchmarks.rounds [--rounds 10000] [--seed 1] [--seconds N] [--write]

Eight processes open the engine over one home and one ledger, once, and keep it open. In each round
all of them decide on the same proposal at the same moment, or within a few milliseconds: most
approve, some reject. Each round is held against what the winner did: one winner, one decision, the
memory byte for byte. In the end ledger and log have to hold together, every operation has to be
one that somebody won with, and nothing may be left behind in the home. Exits with 1 and names the
round when something is not as it should. With --seconds it stops then, and says how far it got.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from pathlib import Path

from benchmarks.engine_stage import facts, make_home, open_at
from benchmarks.report import machine, table, write_section
from tests.processes import Running, heard

from reviewdeck.engine.engine import Engine
from reviewdeck.errors import ReviewdeckError
from reviewdeck.ledger.inspection import find_damage
from reviewdeck.model import OperationState, State, Verb

ROOT = Path(__file__).parents[1]
REPORT = ROOT / "docs" / "internals" / "reliability.md"
MEMORY = "memories/MEMORY.md"
FIRST = "Tests run with tox."
APPROVERS = 8
LEAD = 0.004
"""Seconds between the call and the moment that all of them wait for."""
SPREAD = 0.02
"""In every second round each approver is late by up to so many seconds, to arrive mid-work."""
ANSWERS = ("won", "not-decidable", "stale")
"""The possible answers to an approver: it won, or somebody else did."""


@dataclass
class Rounds:
    """One run over a home and a ledger of its own."""

    root: Path
    seed: int = 1
    approvers: int = APPROVERS
    done: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    wins: Counter[str] = field(default_factory=Counter)
    took: float = 0.0

    def __post_init__(self) -> None:
        self.home = make_home(self.root / "home")
        self.ledger = self.root / "ledger.db"
        self._chance = random.Random(self.seed)  # noqa: S311 - no secret
        self._live = FIRST
        self._applied: list[str] = []
        """The proposals that were applied, oldest first."""

    def run(self, rounds: int, *, seconds: float = float("inf"), every: int = 0) -> list[str]:
        """Plays the rounds within the time limit; returns the problems."""
        texts, begun = facts(rounds, seed=self.seed), time.monotonic()
        deck = open_at(self.home, self.ledger)
        deck.intake()  # What is there now was there first.
        with closing(deck), ExitStack() as approvers:
            running = [
                approvers.enter_context(Running(approve_for_ever, self.home, self.ledger))
                for _ in range(self.approvers)
            ]
            for approver in running:
                approver.receive()  # It is ready.
            for number, text in enumerate(texts, 1):
                if problems := [*self._round(deck, running, number, text)]:
                    return [f"round {number}: {problem}" for problem in problems]
                self.done, self.took = number, time.monotonic() - begun
                if every and not number % every:
                    sys.stderr.write(f"{number:,} rounds in {self.took:,.0f} s\n")
                    sys.stderr.flush()
                if self.took > seconds:
                    break
            return [*self._sound(deck)]

    def _round(
        self, deck: Engine, running: Sequence[Running], number: int, text: str
    ) -> Iterator[str]:
        """One proposal, decided on by all at once."""
        source = self._stage(number, text)
        deck.intake()
        item = deck.find(source.stem)
        digest = deck.get(item.id).digest
        verbs = [Verb.APPROVE if self._chance.random() < 0.85 else Verb.REJECT for _ in running]
        is_late, moment = number % 2 == 0, time.monotonic() + LEAD
        for approver, verb in zip(running, verbs, strict=True):
            at = moment + (self._chance.uniform(0, SPREAD) if is_late else 0)
            approver.send((item.id, digest, verb, at))
        answers = [approver.receive() for approver in running]
        won = [verb for verb, answer in zip(verbs, answers, strict=True) if answer == "won"]
        self.answers.update(answers)
        self.wins.update(won)
        if len(won) != 1:
            yield f"{len(won)} winners instead of 1: {answers}"
        for answer in sorted(set(answers) - {*ANSWERS}):
            yield f"somebody was told {answer!r}"
        if Verb.APPROVE in won:
            self._live = text
            self._applied.append(item.id)
        yield from self._check_round(deck, item.id, won, source)

    def _check_round(
        self, deck: Engine, id: str, won: Sequence[Verb], source: Path
    ) -> Iterator[str]:
        """Whether memory, ledger and record are what the winner made of them."""
        memory_text = (self.home / MEMORY).read_text("utf-8")
        if memory_text != self._live:
            yield f"the memory is {memory_text!r} instead of {self._live!r}"
        want = State.APPLIED if Verb.APPROVE in won else State.REJECTED
        if (state := deck.ledger.item(id).state) is not want:
            yield f"the proposal is {state} instead of {want}"
        decided = [decision.verb for decision in deck.ledger.decisions(id)]
        if decided != [*won]:
            yield f"the ledger has the decisions {decided} instead of {[*won]}"
        if source.exists():
            yield f"its record is still there: {source.name}"

    def _stage(self, number: int, text: str) -> Path:
        """A record that puts a text in the place of the only entry, as Hermes stages it."""
        id = f"{number:08x}"
        record = {
            "id": id,
            "subsystem": "memory",
            "action": "replace",
            "summary": "replace something",
            "origin": "background_review",
            "created_at": datetime.now(UTC).timestamp(),
            "payload": {
                "action": "replace",
                "target": "memory",
                "content": text,
                "old_text": self._live,
            },
        }
        folder = self.home / "pending" / "memory"
        folder.mkdir(parents=True, exist_ok=True)
        file, beside = folder / f"{id}.json", folder / f".{id}.tmp"
        beside.write_text(json.dumps(record, indent=2), "utf-8")
        return beside.replace(file)

    def _sound(self, deck: Engine) -> Iterator[str]:
        """Whether what all rounds left holds together."""
        if deck.recover():
            yield "the end: something was left begun"
        operations = deck.operations()
        if [operation for operation in operations if operation.state is not OperationState.DONE]:
            yield "the end: an operation was not carried out"
        applied = [operation.proposal for operation in reversed(operations)]
        if applied != self._applied:
            yield f"the end: {len(applied)} operations instead of the {len(self._applied)} that won"
        if (broken := deck.ledger.verify()) is not None:
            yield f"the end: the log breaks at line {broken}"
        yield from (f"the end: {problem}" for problem in find_damage(str(self.ledger)))
        ours = self.home / ".reviewdeck"
        expected = {
            ours / name for name in ("README", ".gitignore", "identity", "rejected", "skills.lock")
        }
        for path in sorted(self.home.rglob("*")):
            is_ours = path.is_relative_to(ours) or path.name.startswith(".reviewdeck-")
            if path.is_file() and path not in expected and (is_ours or "pending" in path.parts):
                yield f"the end: left behind: {path.relative_to(self.home)}"

    def figures(self) -> list[tuple[str, str]]:
        """The results for the report."""
        return [
            ("rounds, each with exactly one winner", f"{self.done:,}"),
            ("won by an approval", f"{self.wins[Verb.APPROVE]:,}"),
            ("won by a rejection", f"{self.wins[Verb.REJECT]:,}"),
            ("answers that it was already decided", f"{self.answers['not-decidable']:,}"),
            ("answers that the document had changed", f"{self.answers['stale']:,}"),
            ("seconds", f"{self.took:,.0f}"),
        ]


def approve_for_ever(pipe: Connection, home: Path, ledger: Path) -> None:
    """One approver: decides on each call, until the pipe is closed."""
    with closing(open_at(home, ledger)) as deck:
        pipe.send("ready")
        while (called := heard(pipe)) is not None:
            id, digest, verb, at = called
            time.sleep(max(0.0, at - time.monotonic()))
            try:
                if verb is Verb.APPROVE:
                    deck.approve(id, digest)
                else:
                    deck.reject(id, "no")
                pipe.send("won")
            except ReviewdeckError as error:
                pipe.send(error.code)


def main() -> None:
    """Runs, prints, and writes it when asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--every", type=int, default=250, help="rounds between lines of progress")
    parser.add_argument("--write", action="store_true", help="into docs/internals/reliability.md")
    options = parser.parse_args()
    where = machine()
    with tempfile.TemporaryDirectory() as folder:
        run = Rounds(Path(folder).resolve(), options.seed)
        problems = run.run(options.rounds, seconds=options.seconds, every=options.every)
    verdict = "\n".join(f"- {problem}" for problem in problems) or (
        "Each round had one winner; the memory, the ledger and its log hold exactly the winners'"
        " decisions."
    )
    text = (
        f"Written by `python -m benchmarks.rounds`, seed {options.seed}. {where}\n\n"
        f"{verdict}\n\n{table(('what', 'figure'), run.figures())}"
    )
    sys.stdout.write(text + "\n")
    if options.write:
        write_section("rounds", text, REPORT)
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
