"""How fast turns are taken and retained: `python benchmarks/sessions_bench.py [--write] [--small]`.

Prints a table. With --write it goes into docs/internals/performance.md as well. Each case
runs in a process of its own, so that memory is its own. --small does a twentieth of the long one.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import report  # needs the path above

from reviewdeck.model import Message, Role
from reviewdeck.recording import compose_recorder
from reviewdeck.sessions import JsonLines, Recorder, RecorderOptions

TURNS: Final = 1_000_000
SESSIONS: Final = 10_000
SAID: Final = "The staging host moved to stg-4 on Friday, and the docs say so since then. "


def turn(number: int) -> list[Message]:
    """An ordinary turn: a question, a call, what the tool said, an answer; 900 characters."""
    return [
        Message(Role.USER, f"{number}: {SAID * 2}"),
        Message(Role.ASSISTANT, '{"query": "staging host"}', "search", f"call-{number}"),
        Message(Role.TOOL, SAID * 6, "search", f"call-{number}"),
        Message(Role.ASSISTANT, SAID * 4),
    ]


def ledger(folder: Path, every: int = 1) -> Recorder:
    """A recorder into a new ledger."""
    return compose_recorder(
        str(folder / "ledger.db"), pace=RecorderOptions(retain_every_n_turns=every)
    )


def taking(folder: Path, count: int = 3_000, pause: float = 0.002) -> dict[str, float]:
    """Microseconds for one `record`, and for `json.dumps` of the same beside it.

    With a pause between two, and without: after a pause, what other programs did to the
    processor's caches counts too.
    """
    figures: dict[str, float] = {}
    recorder = ledger(folder)
    talk = recorder.begin("bench")
    talk.record(turn(0))
    recorder.drain(60)  # The ledger is open from here on.
    for name, wait in (("paced", pause), ("dense", 0.0)):
        took, bare = [], []
        for number in range(count):
            messages = turn(number)
            began = time.perf_counter()
            talk.record(messages, turn=f"turn-{number}")
            took.append((time.perf_counter() - began) * 1e6)
            time.sleep(wait)
            began = time.perf_counter()
            json.dumps(
                [(message.role, message.text, message.tool, message.call) for message in messages]
            )
            bare.append((time.perf_counter() - began) * 1e6)
            time.sleep(wait)
        recorder.drain(60)
        figures[name] = statistics.median(took)
        figures[f"{name}_p99"] = sorted(took)[int(count * 0.99)]
        figures[f"{name}_bare"] = statistics.median(bare)
    recorder.close()
    return figures


def retaining(folder: Path, sink: str, every: str, count: int = 30_000) -> dict[str, float]:
    """Turns that get from an agent into the sink in a second, taking them included."""
    recorder = ledger(folder, int(every))
    if sink == "lines":
        lines = JsonLines(folder / "lines")
        recorder = compose_lines(folder, lines, int(every))
    talks = [recorder.begin(f"session-{number}") for number in range(10)]
    talks[0].record(turn(0))
    talks[0].flush()
    recorder.drain(60)
    clock, work = time.perf_counter(), time.process_time()
    for number in range(count):
        talks[number % 10].record(turn(number))
    assert recorder.drain(600)
    clock, work = time.perf_counter() - clock, time.process_time() - work
    assert recorder.close()
    return {"clock": count / clock, "work": count / work}


def compose_lines(folder: Path, lines: JsonLines, every: int) -> Recorder:
    """A recorder into a folder of JSON lines."""
    from reviewdeck.clock import utc_now
    from reviewdeck.recording import new_id

    pace = RecorderOptions(retain_every_n_turns=every)
    return Recorder(folder / "spool", lines, now=utc_now, new_id=new_id, pace=pace)


def remembering(folder: Path, part: str) -> dict[str, float]:
    """Resident megabytes while very many turns of very many sessions go through."""
    sessions = SESSIONS // int(part)
    each = TURNS // SESSIONS
    short = [Message(Role.USER, SAID), Message(Role.ASSISTANT, SAID)]
    recorder = ledger(folder)
    talk = recorder.begin("0")
    samples: list[float] = []
    for session in range(sessions):
        for _ in range(each):
            talk.record(short)
        talk.switch(str(session + 1))
        if session % (sessions // 20) == sessions // 20 - 1:
            assert recorder.drain(600)
            samples.append(resident())
    assert recorder.close(600)
    # The first two of twenty warm it up.
    return {"start": samples[1], "end": samples[-1], "most": max(samples), "turns": sessions * each}


def resident() -> float:
    """Megabytes that this process has in memory now."""
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * 4096 / 1e6


CASES: Final[Mapping[str, Callable[..., dict[str, float]]]] = {
    "taking": taking,
    "retaining": retaining,
    "remembering": remembering,
}


def run_case(case: str, *arguments: str) -> dict[str, float]:
    """A case in a process of its own."""
    with TemporaryDirectory() as folder:
        command = [sys.executable, __file__, "--case", case, folder, *arguments]
        figures: dict[str, float] = json.loads(
            subprocess.run(command, check=True, capture_output=True, text=True).stdout
        )
    return figures


def table(part: str) -> list[tuple[str, str, str]]:
    """Every figure with what it should be."""
    took = [run_case("taking") for _ in range(3)]
    paced, dense = (min(took, key=lambda each: each[name]) for name in ("paced", "dense"))
    rows = [
        (
            "`record`, 250 turns a second",
            f"median {paced['paced']:.0f} µs, p99 {paced['paced_p99']:.0f} µs"
            f" (`json.dumps` alone {paced['paced_bare']:.0f} µs)",
            "",
        ),
        (
            "`record`, one after the other",
            f"median {dense['dense']:.0f} µs, p99 {dense['dense_p99']:.0f} µs"
            f" (`json.dumps` alone {dense['dense_bare']:.0f} µs)",
            "median 50 µs",
        ),
    ]
    for sink, every, words in (
        ("ledger", "1", "into SQLite"),
        ("ledger", "10", "into SQLite, in batches of 10"),
        ("lines", "10", "into JSON lines, in batches of 10"),
    ):
        best = max(
            (run_case("retaining", sink, every) for _ in range(3)), key=lambda each: each["work"]
        )
        target = "10,000 turns/s" if (sink, every) == ("ledger", "1") else ""
        rate = f"{best['clock']:,.0f} turns/s ({best['work']:,.0f} per second of work)"
        rows.append((f"Retained {words}", rate, target))
    long = run_case("remembering", part)
    growth = long["end"] - long["start"]
    rows.append(
        (
            f"Resident over {long['turns']:,.0f} turns of {long['turns'] / 100:,.0f} sessions",
            f"{long['start']:.0f} MB after a tenth, {long['end']:.0f} MB at the end"
            f" ({growth:+.1f} MB), most {long['most']:.0f} MB",
            "flat",
        )
    )
    return rows


def section(rows: list[tuple[str, str, str]]) -> str:
    """The table as a section of the page."""
    return (
        "## Sessions\n\n"
        f"Written by `benchmarks/sessions_bench.py --write`. {report.machine()}\n"
        "A turn has four messages and 900 characters; in the long run, two and 150. Measured from\n"
        "`record` to a synchronised transaction, in one process; work is its CPU.\n\n"
        + report.table(("what", "measured", "wanted"), rows)
    )


def main(arguments: list[str]) -> None:
    """Runs one case, or everything."""
    if arguments[:1] == ["--case"]:
        _, name, folder, *options = arguments
        print(json.dumps(CASES[name](Path(folder), *options)))
        return
    rows = table("20" if "--small" in arguments else "1")
    for words, value, target in rows:
        print(f"{words:<52} {value:<64} {target}")
    if "--write" in arguments:
        report.write_section("sessions", section(rows))


if __name__ == "__main__":
    main(sys.argv[1:])
