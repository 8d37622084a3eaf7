"""Fixtures of the engine's benchmark: generated homes and full ledgers."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from reviewdeck.bootstrap import open_engine
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.evaluation import EvaluationKey
from reviewdeck.engine.options import PolicyPlace, Settings
from reviewdeck.engine.similarity import subjects_of
from reviewdeck.model import Proposal, State
from reviewdeck.model.ledger import Staging

POLICY = """[automatic]
a_day = 100000
a_conversation = 100000
"""
"""Allowances for a bench, which puts in within a minute what an agent proposes within years."""
CONFIG = "memory:\n  memory_char_limit: 100000000\n"
_CHUNK = 2_000
_SHAPES = (
    "The {a} module is written in {b}, {c} and {d}.",
    "The {a} font is kept in the {b} {c} {d} folder.",
    "The {a} {b} plugin uses {c} and {d}.",
)


def facts(amount: int, seed: int = 1) -> Iterator[str]:
    """Plain facts about made-up things: nothing in them holds a record back."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    names = [_name(chance) for _ in range(4 * max(amount, 1000))]
    for _ in range(amount):
        a, b, c, d = chance.sample(names, 4)
        yield chance.choice(_SHAPES).format(a=a, b=b, c=c, d=d)


def _name(chance: random.Random) -> str:
    """Letters without any order: made-up words of one build would be taken for each other."""
    return "".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(9, 12))).title()


def make_home(root: Path, amount: int = 0) -> Path:
    """A home with `amount` waiting additions."""
    (root / "memories").mkdir(parents=True)
    (root / "skills").mkdir()
    (root / "config.yaml").write_text(CONFIG, "utf-8")
    (root / "policy.toml").write_text(POLICY, "utf-8")
    (root / "memories" / "MEMORY.md").write_text("Tests run with tox.", "utf-8")
    for number, fact in enumerate(facts(amount)):
        add_record(root, number, fact)
    return root


def add_record(home: Path, number: int, content: str) -> None:
    """One pending addition, as Hermes stages it."""
    id = f"{number:08x}"
    payload = {"action": "add", "target": "memory", "content": content, "old_text": None}
    record = {
        "id": id,
        "subsystem": "memory",
        "action": "add",
        "summary": "add something",
        "origin": "background_review",
        "created_at": datetime.now(UTC).timestamp() - 3600,
        "payload": payload,
    }
    folder = home / "pending" / "memory"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{id}.json").write_text(json.dumps(record, indent=2), "utf-8")


def open_at(home: Path, ledger: Path) -> Engine:
    """A deck over a home."""
    place = PolicyPlace(home / "policy.toml", is_named=True)
    settings = Settings((home,), str(ledger), home.parent, policy=place)
    return open_engine(settings)


def fill(deck: Engine) -> None:
    """Puts the records of a home into the ledger as a pass would have left them, unjudged.

    To judge a hundred thousand takes minutes, and what is measured is what comes afterwards.
    """
    (open_home,) = deck.open_homes
    ledger, home = deck.ledger, open_home.home
    hints = {sighting.source: sighting.hint for sighting in home.scan()}
    sources = list(hints)
    for at in range(0, len(sources), _CHUNK):
        files = list(home.pending(set(sources[at : at + _CHUNK])))
        records = [home.parse(file, datetime.now(UTC)) for file in files]
        ledger.add(records, {}, hints)
        read = [record for record in records if isinstance(record, Proposal)]
        ledger.index(home.id, [subject for proposal in read for subject in subjects_of(proposal)])
        ledger.stage([_as_reviewed(proposal) for proposal in read])
    key = EvaluationKey(deck.evaluator_of(home).rules, {}, {}, "", "", "").to_text()
    keys, stamp = dict.fromkeys(ledger.last_evaluations(home.id), key), home.stamp(home.documents())
    ledger.end_refresh(ledger.begin_refresh(home.id), keys, stamp=stamp)


def _as_reviewed(proposal: Proposal) -> Staging:
    paths = ("memories/MEMORY.md",)
    reason = "An operator decides."
    return Staging(proposal.id, State.READY, "review", "0" * 64, (), reason, paths=paths)
