"""CPU of the looks at a home in which a checkout brought many skills, beside a conversation.

    python -m benchmarks.outside_bench [SKILLS]

The second look comes within the minute in which the writer may still be found.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from tests.engine.kit import set_entries
from tests.origin.kit import Chat

from reviewdeck import open_deck

MANY = 2_500


def make_skills(home: Path, amount: int) -> None:
    """Skills of words that no two share in the same order."""
    dice = random.Random(3)  # noqa: S311 - no secret
    words = ["".join(dice.choices("abdefgiklmnorstu", k=dice.randint(4, 8))) for _ in range(6_000)]

    def lines(count: int) -> str:
        return "".join(f"{' '.join(dice.choices(words, k=9))}.\n" for _ in range(count))

    for number in range(amount):
        name = f"skill-{number}"
        folder = home / "skills" / f"group-{number % 50}" / name
        (folder / "references").mkdir(parents=True)
        front = f"---\nname: {name}\ndescription: Use when {lines(1).strip()}\n---\n"
        (folder / "SKILL.md").write_text(f"{front}# {name}\n\n{lines(20)}", "utf-8")
        (folder / "references" / "more.md").write_text(f"# More\n\n{lines(20)}", "utf-8")


def main(amount: int) -> None:
    """Prints the CPU seconds of each look."""
    with tempfile.TemporaryDirectory() as place:
        home = Path(place) / "home"
        (home / "memories").mkdir(parents=True)
        set_entries(home, "Tests run with tox.")
        deck = open_deck(home, ledger=str(Path(place) / "ledger.db"))
        deck.intake()
        Chat("s1", ["Hello."], at=datetime.now(UTC)).write(home)
        make_skills(home, amount)
        for look in ("first", "second", "third"):
            began = time.process_time()
            deck.intake()
            print(f"{look} look at {amount} skills: {time.process_time() - began:.2f} s of CPU")
        deck.close()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else MANY)
