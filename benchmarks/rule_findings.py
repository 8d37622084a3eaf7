"""What the rules about form find in a folder, and what they cost, beside another version.

    python -m benchmarks.rule_findings --before REVISION FOLDER ...

Each text file of at most 200 kB is judged as a file of a skill; one that ends with `.md` also as a
SKILL.md, and its first 3,000 characters as a memory. Each version runs from its own files, in turn.
The findings that only one of them has are printed, and it exits with 1 if there is one. The seconds
are CPU of the rules alone, the least of the runs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.versions import ROOT, core_of

from reviewdeck.model import Edit, MemoryAdd, SkillCreate, SkillWriteFile
from reviewdeck.policy.plain import check_plain

_LARGEST: Final = 200_000
"""Bytes of a file that is read."""
_LONGEST: Final = 3_000
"""Characters of a memory."""
_SHOWN: Final = 40


@dataclass(frozen=True, slots=True)
class Found:
    """All that the rules of one version find, and their CPU seconds."""

    texts: int
    keys: frozenset[str]
    """A line for each finding: file, kind, rule, severity, place and message."""
    seconds: float


def edits_in(folders: Sequence[Path]) -> Iterator[tuple[str, Edit]]:
    """Everything that the files may be proposed as, with its name."""
    for file in (file for folder in folders for file in sorted(folder.rglob("*"))):
        if file.is_symlink() or not file.is_file() or file.stat().st_size > _LARGEST:
            continue
        try:
            text = file.read_text("utf-8")
        except ValueError:
            continue
        yield f"{file} as a file", SkillWriteFile("notes", f"references/{file.name}", text)
        if file.suffix == ".md":
            yield f"{file} as a skill", SkillCreate("notes", text)
            yield f"{file} as a memory", MemoryAdd("memories/MEMORY.md", text[:_LONGEST])


def findings(folders: Sequence[Path]) -> Found:
    """Of this version."""
    texts, seconds, keys = 0, 0.0, set[str]()
    for name, edit in edits_in(folders):
        texts += 1
        began = time.process_time()
        found = check_plain((edit,))
        seconds += time.process_time() - began
        for one in found:
            for each in one.findings:
                span = f"{each.span.start}-{each.span.end}" if each.span else "-"
                effect = " refuses" if one.refuses else ""
                message = f"{each.message} {each.quote!r}"
                keys.add(f"{name}: {each.code}{effect} {each.severity} {span} {message}")
    return Found(texts, frozenset(keys), seconds)


def _found_by(core: Path, folders: Sequence[Path]) -> Found:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.rule_findings", "--json", *map(str, folders)],
        env=os.environ | {"PYTHONPATH": f"{core}:{ROOT}"},
        check=True,
        stdout=subprocess.PIPE,
    )
    texts, keys, seconds = json.loads(done.stdout)
    return Found(texts, frozenset(keys), seconds)


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--before", metavar="REVISION", default="HEAD", help="the other version")
    parser.add_argument("--runs", type=int, default=1, help="of each version")
    parser.add_argument("--json", action="store_true", help="the findings of this version alone")
    arguments = parser.parse_args()
    folders = [folder.resolve() for folder in arguments.folders]
    if arguments.json:
        found = findings(folders)
        json.dump([found.texts, sorted(found.keys), found.seconds], sys.stdout)
        return 0
    with core_of(arguments.before) as before:
        runs = [
            (_found_by(before, folders), _found_by(ROOT / "core", folders))
            for _ in range(arguments.runs)
        ]
    then, now = runs[0]
    for sign, keys in (("-", then.keys - now.keys), ("+", now.keys - then.keys)):
        print("".join(f"{sign} {key}\n" for key in sorted(keys)[:_SHOWN]), end="")
    seconds = [min(run[number].seconds for run in runs) for number in (0, 1)]
    print(f"{now.texts:,} texts, {len(now.keys):,} findings, {len(now.keys ^ then.keys):,} differ")
    ratio = seconds[1] / seconds[0]
    print(f"CPU of the rules: {seconds[0]:.2f} s → {seconds[1]:.2f} s ({ratio:.2f} ×)")
    return int(now.keys != then.keys)


if __name__ == "__main__":
    sys.exit(main())
