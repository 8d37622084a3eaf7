"""Writes the frozen merges of `tests/text/frozen-merges.json`: `python benchmarks/text_freeze.py`.

Cases by lines are kept where both of git's merges agree with us; those by entry and by structure
are what the merge came to when they were frozen. A merge that changes fails the test that reads
them: then look at each difference before freezing anew.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final

ROOT: Final = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.text.cases import KINDS, WORDS, Triple, edited, seeded, triple  # noqa: E402
from tests.text.frozen import PAGE, Case, outcome  # noqa: E402
from tests.text.git import merge_file, merge_ort  # noqa: E402

from reviewdeck.text.conflicts import Clean  # noqa: E402
from reviewdeck.text.merge import merge  # noqa: E402

EACH: Final = 18
LARGEST: Final = 700
FACTS: Final = (
    "Project uses Python 3.12 with poetry; tests run with make test.",
    "The staging database is PostgreSQL 16 on port 5433.",
    "Prefers short answers without apologies.",
    "CI is GitHub Actions; the deploy job needs approval.",
    "Docs are built with mkdocs and published from main.",
    "Wants tests before code.",
)
NUMBERS: Final = (
    "one", "two", "three", "four", "five", "six",
    "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
SKILL: Final = (
    "---\nname: notes\ndescription: Write notes\ntags: [a]\n---\n\n# Notes\n\n## Steps\n\n"
    "- collect them\n- group them\n  by reader\n- read aloud\n\nSome text.\n\n"
    "```yaml\n- a: 1\n- b: 2\n```\n\n## Pitfalls\n\n1. one\n2. two\n\n## See also\n\n- others\n"
)


def line_cases() -> list[Case]:
    """Merges by lines on which we and both of git's merges agree."""
    random = seeded(51)
    drawn = [triple(kind, random) for kind in KINDS for _ in range(EACH * 4)]
    cases = [case for case in drawn if len(case.base + case.ours + case.theirs) <= LARGEST]
    with TemporaryDirectory() as folder:
        by_ort = merge_ort(Path(folder), cases)
        by_file = [merge_file(Path(folder), case) for case in cases]
    cases_by_kind: dict[str, list[Case]] = {kind: [] for kind in KINDS}
    for case, first, second in zip(cases, by_ort, by_file, strict=True):
        merged = merge(case.base, case.ours, case.theirs)
        text = merged.text if isinstance(merged, Clean) else None
        if text == first == second and len(cases_by_kind[case.kind]) < EACH:
            cases_by_kind[case.kind].append(_freeze("lines", case))
    return [case for cases in cases_by_kind.values() for case in cases]


def memory_cases() -> list[Case]:
    """Merges by entry, some without a base and some with CRLF."""
    random = seeded(52)
    cases = []
    for number in range(110):
        base = random.sample(FACTS, random.randint(0, 5))
        sides = [base, _entries(base, random), _entries(base, random)]
        texts = ["\n§\n".join(side) for side in sides]
        if number % 10 == 0:
            texts[random.randrange(3)] = texts[random.randrange(3)].replace("\n", "\r\n")
        case = Triple("memory", *texts)
        cases.append(_freeze("memory", case, base_known=number % 9 != 0))
    return cases


def word_cases() -> list[Case]:
    """Merges of one entry that both sides edited, near each other and far apart."""
    random = seeded(54)
    words = list(NUMBERS)
    cases = []
    for _ in range(45):
        ours, theirs = (_reword(words, random) for _ in range(2))
        cases.append(_freeze("memory", Triple("words", " ".join(words), ours, theirs)))
    return cases


def _reword(words: list[str], random: Random) -> str:
    edited_words = list(words)
    for at in sorted(random.sample(range(12), random.choice([1, 1, 1, 2])), reverse=True):
        edited_words[at : at + random.choice([0, 1, 1])] = random.choice([["new"], ["x", "y"], []])
    return " ".join(edited_words)


def _entries(base: list[str], random: Random) -> list[str]:
    entries = list(base)
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(entries)) if entries else 0
        match random.randrange(6) if entries else 0:
            case 0 | 1:
                entries.insert(random.choice([0, len(entries)]), random.choice(FACTS))
            case 2:
                del entries[at]
            case 3:
                entries.insert(0, entries.pop(at))
            case _:
                words = entries[at].split()
                words[random.randrange(len(words))] = random.choice(WORDS)
                entries[at] = " ".join(words)
    return entries


def skill_cases() -> list[Case]:
    """Merges of two documents with edits that structure may settle."""
    random = seeded(53)
    cases = []
    for number in range(240):
        base, changes = (SKILL, CHANGES) if number % 2 else (PLAIN, PLAIN_CHANGES)
        ours, theirs = (_skill(base, changes, random) for _ in range(2))
        case = Triple("skill", base, ours, theirs)
        cases.append(_freeze("skill", case, base_known=number % 30 != 0))
    return cases


PLAIN: Final = (
    "# Top\n\nLead.\n\n### Deep\n\ntext\n\n## Two\n\n~~~\n```\n# not a heading\n~~~\n\n"
    "* star\n* other\n\n## Last\n\nend"
)
PLAIN_CHANGES: Final = (
    ("\nend", "\nend\n\n## Added\n\nours"),
    ("\nend", "\nend\n\n## Appended\n\ntheirs\n"),
    ("\nend", "\nend\n* item"),
    ("* other\n", "* other\n* third one\n"),
    ("* other\n", "* other\n* quite different\n  with more\n"),
    ("* other\n", "* other\n\tand more\n"),
    ("* other\n", "* other\n* a third one\n"),
    ("* star\n* other\n", "* other\n* star\n"),
    ("* star\n", ""),
    ("* star\n", "* before all\n* star\n"),
    ("# not a heading\n", "# not a heading\n# ours\n"),
    ("# not a heading\n", "# not a heading\n# theirs, too\n"),
    ("Lead.\n", "Lead.\n\n## Early\n\nnew\n"),
    ("Lead.\n", "Lead.\n\n### Earlier\n\nother\n"),
    ("Lead.\n", "Lead.\n\n## First\n\nother\n\n### Under\n\nmore\n"),
    ("## Last\n", "### Sub\n\ndeep\n\n## Last\n"),
    ("## Last\n", "## Before last\n\nx\n\n### Sub\n\ny\n\n## Last\n"),
    ("## Last\n", "```\n## in code\n```\n\n## Last\n"),
    ("## Last\n", "## New\n\n```\n## in code\n```\n\n## Last\n"),
    ("## Two\n", "## Between\n\n## Two\n"),
    ("## Two\n", "## Last\n\nagain\n\n## Two\n"),
    ("## Two\n", "# Other\n\nb\n\n## Two\n"),
    ("## Last\n", "## Final\n"),
)


CHANGES: Final = (
    ("- read aloud\n", "- read aloud\n- ask Priya\n"),
    ("- read aloud\n", "- read aloud\n- let Jonas see\n"),
    ("- read aloud\n", "- read aloud\n- ask Peter\n"),
    ("- read aloud\n", ""),
    ("- read aloud\n", "- read it aloud\n"),
    ("  by reader\n", "  by reader and team\n"),
    ("- collect them\n", "- first of all\n- collect them\n"),
    ("tags: [a]\n", "tags: [a]\nversion: 2\n"),
    ("tags: [a]\n", "tags: [a]\nauthor: x\n"),
    ("tags: [a]\n", "tags: [a, b]\n"),
    ("name: notes\n", "name: notes\nversion: 3\n"),
    ("name: notes\n", "name: notes\nversion: 2\n"),
    ("- b: 2\n", "- b: 2\n- c: 3\n"),
    ("- b: 2\n", "- b: 2\n- another: 4\n"),
    ("2. two\n", "2. two\n3. three\n"),
    ("2. two\n", "2. two\n3. drei\n"),
    ("- others\n", "- others\n\n## Examples\n\nOne.\n"),
    ("- others\n", "- others\n\n## Links\n\nTwo.\n"),
    ("- others\n", "- others\n\n## Examples\n\nThree.\n"),
    ("## See also\n\n- others\n", ""),
    ("## Pitfalls\n", "## Between\n\nNew.\n\n## Pitfalls\n"),
    ("## Pitfalls\n", "## Middle\n\nOther.\n\n## Pitfalls\n"),
    ("Some text.\n", "Some other text.\n"),
    ("Some text.\n", "### Deeper\n\nMore.\n\nSome text.\n"),
)


def _skill(base: str, changes: Sequence[tuple[str, str]], random: Random) -> str:
    text = base
    for old, new in random.sample(changes, random.randint(1, 3)):
        text = text.replace(old, new, 1)
    if random.random() < 0.1:
        lines = edited(text.split("\n")[:-1], random, lambda r: r.choice(WORDS), 2)
        text = "\n".join(lines) + "\n"
    return text


def _freeze(by: str, case: Triple, *, base_known: bool = True) -> Case:
    base = case.base if base_known else None
    frozen: Case = {"by": by, "base": base, "ours": case.ours, "theirs": case.theirs}
    return frozen | outcome(frozen)


def main() -> None:
    """Writes the page."""
    cases = [*line_cases(), *memory_cases(), *word_cases(), *skill_cases()]
    lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases)
    PAGE.write_text(f"[\n{lines}\n]\n", "utf-8")
    clean = sum("text" in case["merged"] for case in cases)
    print(f"{len(cases)} cases, {clean} of them clean, {PAGE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
