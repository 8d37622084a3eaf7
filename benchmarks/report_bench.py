"""CPU and memory of `reviewdeck report`: `python benchmarks/report_bench.py`.

A thousand decisions as they are made (237 entries applied by the policy, 300 rejections, 463
deferrals), and a hundred thousand rows of which most are rejections. Each figure is of a process of
its own. With --write the tables go into docs/internals/performance.md as well.
"""

from __future__ import annotations

import json
import resource
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import report  # needs the path above
from benchmarks.engine_stage import make_home, open_at

from reviewdeck.engine.engine import Engine
from reviewdeck.model import State, Verb
from reviewdeck.model.ledger import Filter

DECISIONS = 1_000
MANY = 100_000
REJECTED = 60_000
COPIES = (
    """
    INSERT INTO proposal (id, home, kind, action, target, state, verdict, digest, origin,
        created_at, ingested_at, since, payload_sha, reason, summary, findings, paths, body, gist,
        gravity)
    WITH RECURSIVE copy (number) AS (
        SELECT 1 UNION ALL SELECT number + 1 FROM copy WHERE number < :amount)
    SELECT printf('%012x', number), home, kind, action, target,
        CASE WHEN number <= :rejected THEN 'rejected' ELSE 'ready' END, verdict, digest, origin,
        created_at - 23000000 * number, ingested_at, since - 23000000 * number, payload_sha, reason,
        summary, findings, paths, body, printf('%s Build %d.', gist, number), gravity
    FROM proposal, copy WHERE position = 1
    """,
    """
    INSERT INTO judgement SELECT copy.id, policy, is_settled, marks, judgement.body
    FROM judgement, proposal AS copy WHERE copy.position > 1
    """,
    """
    INSERT INTO decision (id, proposal, verb, actor, at, reason)
    SELECT 'd' || id, id, 'reject', json_object('ancestry', json_array('sh ' || position),
        'host', 'h', 'kind', 'operator', 'name', 'ada', 'terminal', '', 'tier', 'unsigned'),
        since + 1, 'Not about our work.'
    FROM proposal WHERE state = 'rejected' ORDER BY position
    """,
)
"""A proposal with its judgement so many times, and a decision for each that is rejected."""
FORMS = ("html", "md", "csv", "json")
TITLE = """## The report

`python benchmarks/report_bench.py --write`: one process each. *Reading* makes the
report from the ledger, *writing* puts it into its form, *loading* are the modules of that form; the
last column compares all three with what `reviewdeck since` reads. Below: the most memory that a
process ever held; an upper bound, since it includes what the process that starts them held.

"""


def thousand(root: Path) -> None:
    """A home with a thousand decisions."""
    home = make_home(root / "home", DECISIONS)
    with closing(open_at(home, root / "ledger.db")) as engine:
        engine.intake()
        engine.decide_each(_ready(engine)[:300], Verb.REJECT, "Not about our work.")
        engine.auto()
        engine.decide_each(_ready(engine), Verb.DEFER, "Later.")
        engine.intake()


def _ready(engine: Engine) -> list[str]:
    ready = Filter(engine.home_ids, (State.READY,))
    return [item.id for item in engine.ledger.page(ready, limit=DECISIONS)]


def many(root: Path) -> None:
    """A ledger of a hundred thousand proposals, most of them rejected within a month."""
    home = make_home(root / "home", 1)
    with closing(open_at(home, root / "ledger.db")) as engine:
        engine.intake()
    with closing(sqlite3.connect(root / "ledger.db")) as database, database:
        for statement in COPIES:
            database.execute(statement, {"amount": MANY, "rejected": REJECTED})


def measure(root: Path, form: str) -> dict[str, float]:
    """Seconds of the processor and the most memory, of this process."""
    from reviewdeck.cli.options import Options

    now = datetime.now(UTC)
    since = now - timedelta(days=28)
    engine = open_at(root / "home", root / "ledger.db")
    began = time.process_time()
    loading = writing = 0.0
    if form == "since":
        engine.since(since)
    elif form in ("html", "md"):
        from reviewdeck.presentation.report import report_of

        made = report_of(engine, since, now)
        read = time.process_time()
        if form == "html":
            from reviewdeck.cli.report.html import write_html as write
        else:
            from reviewdeck.cli.report.markdown import write_markdown as write
        loaded = time.process_time()
        write(made, Options(), StringIO())
        loading, writing = loaded - read, time.process_time() - loaded
    elif form in ("csv", "json"):
        from reviewdeck.cli.report.csv import write_csv
        from reviewdeck.cli.report.json import write_json
        from reviewdeck.presentation.report import every_row, facts_of

        with Path("/dev/null").open("w") as out, engine.ledger.at_once():
            told = facts_of(engine, since, now)
            rows = every_row(engine, since, told.totals)
            (write_csv if form == "csv" else write_json)(rows, told, Options(), out)
    spent = time.process_time() - began
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    reading = spent - loading - writing
    return {"all": spent, "reading": reading, "loading": loading, "writing": writing, "kib": most}


def in_a_process(root: Path, form: str) -> dict[str, float]:
    """The same in a new process."""
    command = [sys.executable, __file__, "--measure", str(root), form]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main() -> None:
    """Prints the tables."""
    with TemporaryDirectory() as folder:
        root = Path(folder)
        thousand(root / "thousand")
        many(root / "many")
        since = in_a_process(root / "thousand", "since")["all"]
        rows = []
        for form in FORMS:
            found = min(
                (in_a_process(root / "thousand", form) for _ in range(3)),
                key=lambda one: one["all"],
            )
            times = [f"{found[part]:.2f} s" for part in ("all", "reading", "loading", "writing")]
            rows.append([form, *times, f"{found['all'] / since:.1f}"])
        memory = []
        for form in FORMS:
            found = in_a_process(root / "many", form)
            memory.append([form, f"{found['kib'] / 1024:.0f} MiB", f"{found['all']:.0f} s"])
    text = (
        f"{TITLE}{report.machine()}\n\n"
        + report.table(
            [f"CPU, {DECISIONS:,} decisions", "all", "reading", "loading", "writing", "since = 1"],
            rows,
        )
        + "\n"
        + report.table([f"{MANY:,} rows", "memory", "CPU"], memory)
    )
    print(text)
    if "--write" in sys.argv:
        report.write_section("report", text)


if __name__ == "__main__":
    if "--measure" in sys.argv:
        print(json.dumps(measure(Path(sys.argv[-2]), sys.argv[-1])))
    else:
        main()
