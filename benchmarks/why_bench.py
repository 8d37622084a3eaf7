"""What `why` costs: CPU over 500 entries and 200 skills, and the requests of ten planted causes.

`python -m benchmarks.why_bench` exits with 1 beyond 0.4 s of CPU for looking (reading the home,
searching and crediting), or beyond 4 x log2 n requests for each cause. The whole command is printed
beside `blame`, which starts, reads and prints too.
"""

from __future__ import annotations

import argparse
import math
import random
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from benchmarks.imports import PROGRAM, cpu, environment
from tests.reviewer.test_causes import CASES, searched

ENTRIES: Final = 500
SKILLS: Final = 200
LINES: Final = 40
"""Lines of a skill."""
GOAL: Final = 0.4
"""Seconds of CPU for looking."""
WORDS: Final = 3_000
"""Different words in the home."""
SENTENCE: Final = "The harbour office closes at quarter past six, said quay-17 in line 4."
_SYLLABLES: Final = ("ba", "ke", "lo", "mi", "nu", "ras", "ten", "vor", "dun", "sil", "gar", "pol")


def main() -> None:
    """Prints both tables."""
    parser = argparse.ArgumentParser(description="What `why` costs.")
    parser.add_argument("--runs", type=int, default=5, help="runs a command; the least counts")
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as folder:
        env = environment(Path(folder))
        write_home(Path(env["HERMES_HOME"]))
        for words in (("status",), ("status",)):
            subprocess.run([sys.executable, *PROGRAM, *words], env=env, capture_output=True)
        bare = cpu(["-c", "pass"], env, runs)
        blame = cpu([*PROGRAM, "blame", "memory"], env, runs)
        seconds = cpu([*PROGRAM, "why", SENTENCE], env, runs)
        looking = min(look_once(env) for _ in range(runs))
    print(f"{ENTRIES} entries, {SKILLS} skills of {LINES} lines, seconds of CPU")
    for name, value in (
        *(("python -c pass", bare), ("blame memory", blame), ("why TEXT", seconds)),
        ("looking alone", looking),
    ):
        print(f"{name:16} {value:7.3f}")
    is_within = looking <= GOAL
    print(f"goal {GOAL} s for looking: {'kept' if is_within else 'missed'}\n")
    print(f"{'lines':>6} {'causes':>7} {'requests':>9} {'4 x log2 n each':>16}")
    for parts, holds, (needed, together) in CASES:
        found = searched(range(parts), holds)
        members = max(1, len(needed | together))
        most = 4 * math.log2(parts) * members
        print(f"{parts:6} {len(needed | together):7} {found.runs:9} {most:16.1f}")
        is_within &= found.runs <= most
    if not is_within:
        sys.exit(1)


def look_once(env: Mapping[str, str]) -> float:
    """The seconds of CPU of one look in an interpreter that has everything loaded, and read nothing
    yet.
    """
    code = (
        "import time; from reviewdeck.cli.options import Options;"
        "from reviewdeck.cli.session import fresh_engine;"
        "from reviewdeck.engine.why import find_sources\n"
        "with fresh_engine(Options()) as engine:\n"
        "    before = time.process_time()\n"
        f"    assert find_sources(engine, {SENTENCE!r})[0].line.at == 100\n"
        "    print(time.process_time() - before)"
    )
    command = [sys.executable, "-c", code]
    return float(subprocess.run(command, env=env, capture_output=True, check=True).stdout)


def write_home(home: Path) -> None:
    """A home of Hermes with random words that look like words."""
    chance = random.Random(4)  # noqa: S311 - the same home each time
    words = ["".join(chance.choices(_SYLLABLES, k=chance.randint(2, 4))) for _ in range(WORDS)]

    def sentence() -> str:
        return " ".join(chance.choices(words, k=chance.randint(6, 14))).capitalize() + "."

    (home / "memories").mkdir(parents=True)
    entries = [sentence() for _ in range(ENTRIES - 1)]
    entries.insert(100, "The harbour office (quay-17) closes at a quarter past six.")
    (home / "memories" / "MEMORY.md").write_text("\n§\n".join(entries), "utf-8")
    for number in range(SKILLS):
        skill = home / "skills" / "dev" / f"skill-{number}"
        skill.mkdir(parents=True)
        body = "\n".join(f"{at}. {sentence()}" for at in range(LINES))
        head = f"---\nname: skill-{number}\ndescription: {sentence()}\n---\n\n"
        (skill / "SKILL.md").write_text(f"{head}{body}\n", "utf-8")
    (home / "config.yaml").write_text("{}\n", "utf-8")


if __name__ == "__main__":
    main()
