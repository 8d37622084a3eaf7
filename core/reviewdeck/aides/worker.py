"""The end of the pipe that judges: a process that ends when nobody is at the other end any more."""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
from typing import IO, Any

from reviewdeck.aides.packing import HEAD, packed, unpacked
from reviewdeck.footing import Spoken, program
from reviewdeck.judging import Case, Judged
from reviewdeck.model import Judgement
from reviewdeck.policy.in_force import Policy


def main() -> int:
    """Judges what comes in on standard input; writes the answers to standard output."""
    # A key that ends a program goes to all of it: who asked ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    asked = sys.stdin.buffer
    # What anything prints by mistake must not come between the answers.
    told = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    mark, tuning, problem, live_text = _next(asked)
    if mark != program():
        return 1  # it would judge by other rules
    policy = Policy(tuning, problem=problem, timer=time.thread_time)
    spoken = Spoken.of(live_text)
    _tell(told, [])
    gc.freeze()
    while (cases := _next(asked)) is not None:
        _tell(told, [judged(policy, case, spoken) for case in cases])
    return 0


def judged(policy: Policy, case: Case, spoken: Spoken) -> Judged:
    """What the policy says of a case, and what it looked for in the live texts."""
    asked: set[str] = set()
    spoken.listen(asked)
    found = policy.judge(case.staged, case.alike, live_text=spoken, skills=case.skills)
    return Judged(Judgement(found.verdict), frozenset(asked))


def _next(stream: IO[bytes]) -> Any:
    head = stream.read(HEAD)
    if len(head) < HEAD:
        return None
    return unpacked(stream.read(int.from_bytes(head, "big")))


def _tell(stream: IO[bytes], answers: list[Judged]) -> None:
    stream.write(packed(answers))
    stream.flush()


if __name__ == "__main__":
    sys.exit(main())
