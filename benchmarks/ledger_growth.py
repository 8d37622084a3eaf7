"""What one decision adds to the ledger: `python -m benchmarks.ledger_growth [--decisions N]`.

In a home of its own: a replacement in a memory of 2 KB, a patch of a skill's file of 9 KB, and a
rejection. Each is decided N times; what the ledger's file has grown by is divided by N.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from tests.engine.kit import Agent, Ticking, entries, set_entries
from tests.gate.texts import memories

from reviewdeck import open_deck
from reviewdeck.engine.engine import Engine

FULL: Final = 2_000
"""Characters of the memory."""
HEAD: Final = "---\nname: rollout\ndescription: Rolls a release out.\n---\n\n"
LINE: Final = "Step {n}: look at the dashboard of service {n} before you go on.\n"
FIRST: Final = "The staging host listens on port 8000."
SKILL: Final = "skills/rollout/SKILL.md"


def main() -> None:
    """Prints kilobytes for one decision of each kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decisions", type=int, default=300)
    wanted = parser.parse_args().decisions
    for kind, step in (("replacement", _replace), ("patch", _patch), ("rejection", _reject)):
        print(f"{kind}: {_grown(step, wanted) / wanted / 1000:.1f} KB")


def _grown(step: Callable[[Engine, Agent, int], None], wanted: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        home, ledger = Path(folder, "home"), Path(folder, "ledger.db")
        for name in ("memories", "pending/memory", "pending/skills", "skills/rollout"):
            (home / name).mkdir(parents=True)
        body = "".join(LINE.format(n=n) for n in range(150))
        (home / SKILL).write_text(HEAD + body, "utf-8")
        set_entries(home, FIRST, *_facts())
        agent = Agent(home, Ticking(), talks=False)
        sizes = []
        for numbers in (range(10), range(10, 10 + wanted)):
            deck = open_deck(home, ledger=str(ledger))
            for n in numbers:
                step(deck, agent, n)
            deck.close()
            sizes.append(ledger.stat().st_size)
    return sizes[1] - sizes[0]


def _facts() -> Iterator[str]:
    """Entries of real memories, each about something else, until the memory is as long as said."""
    left = FULL - len(FIRST)
    for entry in [one.said for one in memories() if one.is_ordinary][::7]:
        if left < len(entry) or "§" in entry or len(entry) > FULL // 10:
            continue
        left -= len(entry) + 3
        yield entry


def _replace(deck: Engine, agent: Agent, n: int) -> None:
    agent.replace(entries(agent.home)[0], f"The staging host listens on port {20_000 + n}.")
    _approve(deck)


def _patch(deck: Engine, agent: Agent, n: int) -> None:
    old = "go on" if n == 0 else f"go on, {n - 1}"
    last = LINE.format(n=149).strip().removesuffix(".").replace("go on", old)
    new = LINE.format(n=149).strip().removesuffix(".").replace("go on", f"go on, {n}")
    agent.skill("patch", "rollout", old_string=f"{last}.", new_string=f"{new}.")
    _approve(deck)


def _reject(deck: Engine, agent: Agent, n: int) -> None:
    agent.replace(FIRST, f"The staging host listens on port {20_000 + n}.")
    deck.intake()
    (item,) = deck.pending()
    deck.reject(item.id, "It is not so.")


def _approve(deck: Engine) -> None:
    deck.intake()
    (item,) = deck.pending()
    deck.approve(item.id, item.digest or "")


if __name__ == "__main__":
    main()
