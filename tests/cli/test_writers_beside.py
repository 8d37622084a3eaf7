"""An agent, a person and reviewdeck itself write one memory beside the watch: who wrote which line?

REVIEWDECK_SOAK says for how many seconds; a few, where it is not set.
"""

from __future__ import annotations

import fcntl
import os
import random
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from tests.cli.test_watch import Watching
from tests.engine.kit import MEMORY, Agent, Ticking, entries, set_entries
from tests.origin.kit import Chat, tool

from reviewdeck import open_deck
from reviewdeck.engine.engine import Engine
from reviewdeck.errors import ReviewdeckError
from reviewdeck.model import OUTSIDE, Cause, KnownBy, MemoryAdd, MemoryReplace, State
from reviewdeck.model.ledger import Filter

SECONDS = float(os.environ.get("REVIEWDECK_SOAK", "6"))
FEWEST = 24
"""Writes however long they take: on a busy machine few fit into those seconds."""
MOST = 12
"""Entries of the memory: who adds another one takes the oldest out."""


@contextmanager
def locked(home: Path) -> Iterator[None]:
    """The lock that Hermes takes when it writes a memory, and reviewdeck with it."""
    with (home / f"{MEMORY}.lock").open("a+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def add(home: Path, text: str) -> str:
    """Adds an entry at once; gives the one that it took the place of, where there was no room."""
    with locked(home):
        kept = entries(home)
        gone = kept.pop(0) if len(kept) >= MOST else ""
        set_entries(home, *kept, text)
    return gone


def agent_writes(home: Path, number: int) -> None:
    """A session whose agent adds an entry, and makes room for it."""
    text = f"Agent fact {number} of session s{number}."
    gone = add(home, text)
    calls = [tool("memory", {"action": "add", "target": "memory", "content": text})]
    if gone:
        about = {"action": "remove", "target": "memory", "old_text": gone}
        calls.append(tool("memory", about))
    Chat(f"s{number}", ["Tidy up.", *calls], at=datetime.now(UTC)).write(home)


def keep_all(home: Path, ledger: Path) -> None:
    """An operator keeps what waits: what comes then is a change of its own."""
    deck = open_deck(home, ledger=str(ledger))
    try:
        deck.intake()
        for item in deck.pending((State.LIVE,), limit=500):
            with suppress(ReviewdeckError):  # It went on meanwhile.
                deck.keep(item.id, deck.get(item.id).digest or "")
    finally:
        deck.close()


def test_every_line_is_credited_to_who_wrote_it_and_to_nobody_else(tmp_path: Path) -> None:
    home, ledger = tmp_path / "home", tmp_path / "ledger" / "ledger.db"
    for name in ("memories", "pending/memory", "skills"):
        (home / name).mkdir(parents=True)
    set_entries(home, "Tests run with tox.")
    Chat("first", ["Hello."], at=datetime.now(UTC)).write(home)
    watch = Watching(home, ledger, "--json")
    watch.wait_for("watching")
    agent, dice = Agent(home, Ticking()), random.Random(7)  # noqa: S311 - no secret
    number, end = 0, time.monotonic() + SECONDS
    while time.monotonic() < end or number < FEWEST:
        for _ in range(dice.choice((1, 1, 2, 4))):
            number += 1
            match dice.randrange(4):
                case 0 | 1:
                    agent_writes(home, number)
                case 2:
                    add(home, f"Hand fact {number} by a person.")
                case _:
                    agent.add(f"Asked fact {number} of a record.")
            time.sleep(dice.choice((0.0, 0.1, 0.4)))
        watch.read()
        keep_all(home, ledger)
    assert watch.stop() == 0
    deck = open_deck(home, ledger=str(ledger))
    try:
        found = credited(deck)
        print(f"\n{number} writes: {dict(found)}")
        assert not {name for name in found if name.startswith("wrong")}, found
        assert found["exact"] > 0
        assert_ours_are_ours(deck)
    finally:
        deck.close()


def credited(deck: Engine) -> Counter[str]:
    """How each change outside review is credited, beside who wrote its lines."""
    found: Counter[str] = Counter()
    home = deck.home_ids[0]
    after: int | None = None
    while page := deck.ledger.page(Filter((home,), tuple(State)), after=after, limit=500):
        for item in page:
            if item.action == OUTSIDE:
                found[_credit(deck, item.id)] += 1
        after = page[-1].position
    return found


def _credit(deck: Engine, id: str) -> str:
    edits = deck.ledger.proposal(id).edits
    said = [one.content for one in edits if isinstance(one, MemoryAdd | MemoryReplace)]
    writers = {text.rpartition(" ")[2].rstrip(".") if "Agent" in text else "hand" for text in said}
    judgement = deck.ledger.judgement(id)
    origin = judgement and judgement.origin
    if any(text.startswith("Asked") for text in said):
        return "wrong: what a record asked for counts as written outside review"
    if origin and origin.known_by in (KnownBy.EXACT, KnownBy.LOG) and origin.sessions:
        own = writers <= {origin.sessions[0]}
        return "exact" if own else f"wrong: exactly {origin.sessions[0]}, and it was {writers}"
    if len(writers) == 1 and writers != {"hand"}:
        return "an agent's alone, and not known exactly"
    return "hand" if writers == {"hand"} else "several"


def assert_ours_are_ours(deck: Engine) -> None:
    """Each line that was asked for in a record came by an operation, and no other line did."""
    home = deck.home_ids[0]
    before: set[str] = set()
    for seen in deck.ledger.observations(home, MEMORY):
        data = deck.ledger.content(seen.revision) or b""
        now = {text.strip() for text in data.decode().split("\n§\n")}
        for text in now - before:
            is_ours = seen.cause is Cause.OPERATION
            assert text.startswith("Asked") == is_ours or seen.cause is Cause.SEEN, (text, seen)
        before = now
