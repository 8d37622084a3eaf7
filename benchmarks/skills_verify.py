"""CPU of `skills verify` over 12 MB of skills: `python -m benchmarks.skills_verify [--runs N]`.

Beside start-up, and compared with a Python that reads and sums the same files. Each figure is the
least of some runs. It exits with 1 beyond 0.15 s more.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

MORE = 0.15
SUMS = """
import hashlib, os, sys
for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        with open(os.path.join(folder, name), "rb") as file:
            hashlib.sha256(file.read()).hexdigest()
"""
LINE = "A line of some words, as there are many in a reference of a skill.\n"


def write(root: Path, skills: int, references: int) -> None:
    """Writes skills of 60 KB each."""
    for at in range(skills):
        folder = root / f"skill-{at:03d}"
        (folder / "references").mkdir(parents=True)
        head = f"---\nname: skill-{at:03d}\ndescription: Purpose {at}\n---\n\n"
        (folder / "SKILL.md").write_text(head + LINE * 60, "utf-8")
        for number in range(references):
            text = f"Reference {number} of {at}.\n" + LINE * 105
            (folder / "references" / f"{number}.md").write_text(text, "utf-8")


def cpu(words: list[str], home: Path) -> float:
    """Seconds of the processor that a program takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = os.environ | {"HOME": str(home)}
    subprocess.run([sys.executable, *words], env=environment, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        program, many, one = ["-m", "reviewdeck.cli.main", "skills"], home / "many", home / "one"
        write(many, 200, 8)
        write(one, 1, 0)
        size = sum(file.stat().st_size for file in many.rglob("*.md"))
        for root in (many, one):
            cpu([*program, "lock", str(root), "--yes", "--ledger", str(home / "ledger.db")], home)
        verify, start, sums, bare = (
            min(cpu(words, home) for _ in range(runs))
            for words in (
                [*program, "verify", str(many)],
                [*program, "verify", str(one)],
                ["-c", SUMS, str(many)],
                ["-c", "import hashlib, os, sys"],
            )
        )
    more = verify - start - (sums - bare)
    print(f"{size / 1e6:.1f} MB: verify {verify:.3f} s, of one skill {start:.3f} s")
    print(f"reading and summing {sums - bare:.3f} s; verify beside start-up {more:.3f} s more")
    return more > MORE


if __name__ == "__main__":
    sys.exit(main())
