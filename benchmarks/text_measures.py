"""How long a diff or a merge takes, here and elsewhere, on the same texts in the same run."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final

from tests.text.cases import WORDS
from tests.text.git import ENVIRONMENT

from reviewdeck.text.diff import diff
from reviewdeck.text.lines import split
from reviewdeck.text.merge import merge
from reviewdeck.text.words import marks, tokens

MEMORY: Final = """
import sys, tracemalloc
from reviewdeck.text.diff import diff
from reviewdeck.text.lines import split
from reviewdeck.text.merge import merge
texts = [open(name, newline="").read() for name in sys.argv[1:]]
sides = [split(text) for text in texts]
diff(["a"], ["b"]), merge("a", "b", "c")
tracemalloc.start()
if len(texts) == 2:
    diff(*sides)
else:
    merge(*texts)
print(tracemalloc.get_traced_memory()[1] / 1e6)
"""


def best(work: Callable[[], object], times: int = 7) -> float:
    """The shortest of several runs, in milliseconds."""
    shortest = float("inf")
    for _ in range(times):
        started = time.perf_counter()
        work()
        shortest = min(shortest, time.perf_counter() - started)
    return shortest * 1000


@dataclass(frozen=True, slots=True)
class Measured:
    """Milliseconds for one input, and the memory that ours took."""

    name: str
    ours: float
    git: float
    megabytes: float
    hunks: int


def document(random: Random, count: int, distinct: int | None = None) -> list[str]:
    """Lines of prose and code; every fourth one is empty, the others hardly ever repeat."""
    if distinct:
        pool = [f"{' '.join(random.choices(WORDS, k=6))}\n" for _ in range(distinct)]
        return [random.choice(pool) for _ in range(count)]
    return [
        "\n" if number % 4 == 3 else f"{' '.join(random.choices(WORDS, k=7))} {number}\n"
        for number in range(count)
    ]


def changed(lines: Sequence[str], random: Random, share: float) -> list[str]:
    """The lines with this share of them replaced, removed or added to."""
    result: list[str] = []
    for line in lines:
        chance = random.random() / share
        if chance < 1 / 3:
            continue
        if chance < 2 / 3:
            result.append(f"changed {random.getrandbits(30):x}\n")
            continue
        result.append(line)
        if chance < 1:
            result.append(f"added {random.getrandbits(30):x}\n")
    return result


def measure_diff(name: str, old: Sequence[str], new: Sequence[str], *, times: int = 7) -> Measured:
    """Compares two lists of lines."""
    with TemporaryDirectory() as folder:
        files = _write_files(Path(folder), ("".join(old), "".join(new)))
        command = ["git", "diff", "--no-index", "--histogram", *files]
        git = best(lambda: _run(command), times)
        memory = _python(MEMORY, *files)
    a, b = list(old), list(new)
    return Measured(name, best(lambda: diff(a, b), times), git, memory, len(diff(a, b)))


def measure_merge(name: str, sides: Sequence[Sequence[str]]) -> Measured:
    """Merges base, ours and theirs."""
    base, ours, theirs = ("".join(side) for side in sides)
    with TemporaryDirectory() as folder:
        files = _write_files(Path(folder), (base, ours, theirs))
        command = ["git", "merge-file", "-p", files[1], files[0], files[2]]
        git = best(lambda: _run(command))
        memory = _python(MEMORY, *files)
    return Measured(name, best(lambda: merge(base, ours, theirs)), git, memory, 0)


def measure_entry() -> Measured:
    """Marks the words of one memory entry of 200 characters."""
    old = (
        "Project uses Python 3.12 with poetry; tests run with `poetry run pytest`. The linter is "
        "ruff with line length 100 and mypy strict; CI is GitHub Actions with a deploy job on main "
        "that needs approval."
    )
    new = old.replace("3.12", "3.13").replace("poetry", "uv").replace("approval", "two approvals")
    ours = best(lambda: [marks(old, new) for _ in range(100)]) / 100
    words = ["".join(f"{token}\n" for token in tokens(text)) for text in (old, new)]
    git = measure_diff("", split(words[0]), split(words[1]))
    name = "a memory entry of 200 characters, by words"
    return Measured(name, ours, git.git, git.megabytes, git.hunks)


def _write_files(folder: Path, texts: Sequence[str]) -> list[str]:
    files = []
    for number, text in enumerate(texts):
        path = folder / str(number)
        path.write_text(text, "utf-8", newline="")
        files.append(str(path))
    return files


def _run(command: Sequence[str]) -> None:
    subprocess.run(command, env=ENVIRONMENT, capture_output=True, check=False)


def _python(code: str, *arguments: str) -> float:
    """The number that a program in a process of its own prints."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=environment,
        capture_output=True,
        check=True,
        text=True,
    )
    return float(done.stdout)
