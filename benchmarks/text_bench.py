"""Measures the text core beside git: `python benchmarks/text_bench.py [--full] [PART]`.

Writes its tables into `docs/internals/performance.md`. With `--full` more merges are judged and a
corpus of a million entries is searched; that takes some minutes. A PART is the first word of a
title in lower case: then only these tables are written anew.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks import report, text_agreement, text_likeness  # noqa: E402 - needs the path above
from benchmarks.text_measures import (  # noqa: E402
    Measured,
    best,
    changed,
    document,
    measure_diff,
    measure_entry,
    measure_merge,
)
from tests.text.cases import seeded  # noqa: E402

from reviewdeck.text.diff import compare  # noqa: E402
from reviewdeck.text.inert import visible  # noqa: E402


def main(arguments: Sequence[str]) -> None:
    """Measures everything and writes the page."""
    full = "--full" in arguments
    text = "\n".join(
        [
            "## The text core",
            "",
            f"Written by `benchmarks/text_bench.py`. {report.machine()}",
            "",
            *_section("Diff", diffs),
            *_section("Merge", merges),
            *_section("Shapes that are hard to compare", shapes),
            *_section("Agreement with git", lambda: agreement(1_000 if full else 100)),
            *_section("Likeness", lambda: likeness(full=full)),
            *_section("Visible text", visible_text),
        ]
    )
    report.write_section("text-core", text)


def _section(title: str, measure: Callable[[], str]) -> list[str]:
    """The part of the page under this title: measured, or kept where only others were asked for."""
    names = [name for name in sys.argv[1:] if not name.startswith("-")]
    page = f"\n{report.PAGE.read_text('utf-8')}" if report.PAGE.exists() else ""
    old = page.partition(f"\n### {title}\n")[2].partition("\n###")[0].partition("\n<!--")[0]
    if names and title.split()[0].lower() not in names and old.strip():
        return [f"### {title}", "", old.strip() + "\n"]
    body = measure()
    print(f"{title}\n\n{body}", flush=True)
    return [f"### {title}", "", body]


def diffs() -> str:
    """A table of diffs."""
    random = seeded(1)
    rows = [measure_entry()]
    for name, lines, share in (
        ("a skill of 10 KB, 20 % edited", 170, 0.2),
        ("100 KB, 20 % edited", 1_700, 0.2),
        ("5,000 lines, 1 % edited", 5_000, 0.01),
        ("5,000 lines, 20 % edited", 5_000, 0.2),
        ("50,000 lines, 1 % edited", 50_000, 0.01),
        ("50,000 lines, 20 % edited", 50_000, 0.2),
    ):
        old = document(random, lines)
        rows.append(measure_diff(name, old, changed(old, random, share)))
    head = ["input", "ours", "git --histogram", "ours / git"]
    note = (
        "Milliseconds, the best of seven runs. git is a process of its own, and its time includes "
        "starting it and printing. Memory is the peak of what Python allocated; rapidfuzz adds at "
        "most 8 MB of its own."
    )
    return f"{note}\n\n" + report.table([*head, "ours, MB"], [_diff_row(row) for row in rows])


def _diff_row(row: Measured) -> list[str]:
    ratio = f"{row.ours / row.git:.2f}"
    ours = f"{row.ours:.2f}" if row.ours >= 1 else f"{row.ours:.3f}"
    return [row.name, ours, f"{row.git:.1f}", ratio, f"{row.megabytes:.0f}"]


def merges() -> str:
    """A table of merges."""
    random = seeded(2)
    rows = []
    for name, lines, share in (
        ("10 KB, 5 % edited on each side", 170, 0.05),
        ("5,000 lines, 1 % edited on each side", 5_000, 0.01),
        ("50,000 lines, 1 % edited on each side", 50_000, 0.01),
    ):
        base = document(random, lines)
        sides = [base, changed(base, random, share), changed(base, random, share)]
        rows.append(measure_merge(name, sides))
    head = ["input", "ours", "git merge-file", "ours / git", "ours, MB"]
    return report.table(
        head,
        [
            [r.name, f"{r.ours:.2f}", f"{r.git:.1f}", f"{r.ours / r.git:.2f}", f"{r.megabytes:.0f}"]
            for r in rows
        ],
    )


def shapes() -> str:
    """A table of hostile inputs of 50,000 lines."""
    from tests.text.test_diff import SHAPES

    rows = []
    for name, shape in SHAPES.items():
        old, new = shape(seeded(5), 50_000)
        row = measure_diff(name, [f"{x}\n" for x in old], [f"{x}\n" for x in new], times=1)
        coarse = "yes" if compare(old, new).coarse else "no"
        rows.append([name, f"{row.ours:.0f}", f"{row.git:.0f}", f"{row.megabytes:.0f}", coarse])
    return report.table(["50,000 lines", "ours, ms", "git, ms", "ours, MB", "coarse"], rows)


def agreement(count: int) -> str:
    """How often our diffs and merges are those of git."""
    same, pairs = text_agreement.identical_diffs(3_000)
    summary = (
        f"{same:,} of {pairs:,} diffs of edited Markdown ({100 * same / pairs:.2f} %) have exactly "
        "the hunks of `git diff --histogram`. Merges are judged where `git merge-file` and the ort "
        "strategy agree with each other. The other diffs repeat a few lines over and over, which "
        "can be paired in several equally correct ways:"
    )
    head = [
        "kind",
        "cases",
        "same text or conflict",
        "missed conflict",
        "other text",
        "false conflict",
    ]
    verdicts = ("same", "missed conflict", "other text", "false conflict")
    rows = [
        [
            agreement.kind,
            f"{agreement.cases:,}",
            *(agreement.share(verdict) for verdict in verdicts),
        ]
        for agreement in text_agreement.all_kinds(count)
    ]
    return f"{summary}\n\n" + report.table(head, rows)


def likeness(*, full: bool) -> str:
    """Search for texts similar to a proposal, by scan and by index."""
    sizes = [(1_000, True), (10_000, True), (100_000, False)] + [(1_000_000, False)] * full
    rows = []
    for count, scan in sizes:
        search = text_likeness.search(count, scan=scan)
        cells = [
            "–" if share is None else f"{100 * share:.1f} %"
            for share in (search.recall, search.recall_close)
        ]
        scans = ["–" if ms is None else f"{ms:.1f}" for ms in (search.first, search.scan)]
        rows.append([f"{count:,}", *scans, f"{search.index:.2f}", *cells])
    head = [
        "entries",
        "first scan, ms",
        "each further one, ms",
        "rare words (FTS5), ms",
        "recall",
        "recall of matches from 75 on",
    ]
    note = (
        "One proposal against all entries of a dozen words each, drawn by Zipf's law. The index "
        "looks up the four rarest words; the entries it misses share only common words with the "
        "proposal. reviewdeck uses no sentence model: one finds more paraphrases, but rates a "
        "contradiction as similar as a duplicate. Similarity decides nothing."
    )
    return f"{note}\n\n" + report.table(head, rows)


def visible_text() -> str:
    """How long it takes to make a text inert."""
    samples = {
        "plain ASCII": "hello world, plain\n" * 47_000,
        "some accents": "héllo wörld, plain\n" * 47_000,
        "Japanese": "日本語テキスト\n" * 112_000,
        "full of escapes": "\x1b[31m x\x1b[0m\n" * 75_000,
    }
    rows = [
        [name, f"{len(text):,}", f"{best(partial(visible, text), 5):.1f}"]
        for name, text in samples.items()
    ]
    return report.table(["text", "characters", "ms"], rows)


if __name__ == "__main__":
    main(sys.argv[1:])
