"""Fixtures of the deck's benchmark: a small home, and a full ledger."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from benchmarks.engine_stage import facts

from reviewdeck.bootstrap import open_engine
from reviewdeck.engine.options import Settings

_REAL: Final = 200
"""Records that are taken in; all the others are copies of what came of them."""

_COPY: Final = """
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :copies)
INSERT INTO proposal ({names})
SELECT {values} FROM n, proposal AS p WHERE p.position <= :top LIMIT :wanted
"""


def stage(root: Path, amount: int) -> tuple[Path, Path]:
    """A home and a ledger with `amount` waiting proposals, in this folder."""
    home, ledger = root / "home", root / "ledger.db"
    _make_home(home, min(amount, _REAL))
    deck = open_engine(Settings(homes=(home,), ledger=str(ledger), user_home=root))
    deck.intake()
    if amount > _REAL:
        _multiply(ledger, amount)
    (open_home,) = deck.open_homes
    opened, stored = open_home.home, deck.ledger
    stamp = opened.stamp(opened.documents())
    stored.end_refresh(stored.begin_refresh(opened.id), {}, stamp=stamp)
    deck.close()
    return home, ledger


def stage_long(root: Path, lines: int = 50_000, *, removed: bool = True) -> tuple[Path, Path]:
    """A home with a long reference that is to be removed, or edited, and two short proposals."""
    home, ledger = root / "home", root / "ledger.db"
    _make_home(home, 2)
    skill = home / "skills" / "dev" / "long"
    (skill / "references").mkdir(parents=True)
    head = "---\nname: long\ndescription: Many steps.\n---\n# Long\n"
    (skill / "SKILL.md").write_text(head, "utf-8")
    text = "".join(f"step {number}: make {number % 17}, and wait\n" for number in range(lines))
    (skill / "references" / "long.md").write_text(text, "utf-8")
    action = "remove_file" if removed else "write_file"
    payload = {"action": action, "name": "long", "file_path": "references/long.md"}
    if not removed:  # One line in seventeen becomes another one.
        payload["file_content"] = text.replace("make 0, and", "leave 0, but")
    record = {
        "id": "f" * 8,
        "subsystem": "skills",
        "action": action,
        "summary": f"{action} references/long.md of 'long'",
        "origin": "background_review",
        "created_at": datetime.now(UTC).timestamp(),
        "payload": payload,
    }
    (home / "pending" / "skills").mkdir()
    (home / "pending" / "skills" / f"{'f' * 8}.json").write_text(json.dumps(record), "utf-8")
    deck = open_engine(Settings(homes=(home,), ledger=str(ledger), user_home=root))
    deck.intake()
    deck.close()
    return home, ledger


def _make_home(home: Path, amount: int) -> None:
    (home / "memories").mkdir(parents=True)
    (home / "pending" / "memory").mkdir(parents=True)
    (home / "config.yaml").write_text("memory:\n  memory_char_limit: 1000000\n", "utf-8")
    known_facts = list(facts(40))
    (home / "memories" / "MEMORY.md").write_text("\n§\n".join(known_facts), "utf-8")
    for number, fact in enumerate(facts(amount, seed=2)):
        _add_record(home, number, fact, known_facts)


def _add_record(home: Path, number: int, fact: str, known_facts: Sequence[str]) -> None:
    action, old = "add", None
    if number % 7 == 0:
        fact = f"日本語のメモ: {fact}"
    if number % 3 == 0:
        action, old = (
            "replace",
            known_facts[number % len(known_facts)] + (" no" if number % 9 == 0 else ""),
        )
    payload = {"action": action, "target": "memory", "content": fact, "old_text": old}
    record = {
        "id": f"{number:08x}",
        "subsystem": "memory",
        "action": action,
        "summary": f"{action} to memory: {f'old: {old} new: ' if old else ''}{fact}",
        "origin": "background_review",
        "created_at": datetime.now(UTC).timestamp() - 60 * number,
        "payload": payload,
    }
    path = home / "pending" / "memory" / f"{number:08x}.json"
    path.write_text(json.dumps(record, ensure_ascii=False), "utf-8")


def _multiply(ledger: Path, amount: int) -> None:
    """Copies with ids, sources and summaries of their own. The ledger's triggers count them."""
    with sqlite3.connect(ledger) as connection:
        columns = [row[1] for row in connection.execute("PRAGMA table_info(proposal)")]
        own = {
            "id": "p.id || '-' || n.i",
            "source": "p.source || '-' || n.i",
            "source_id": "p.source_id || '-' || n.i",
            "summary": (
                "replace(p.summary, ' The ', printf(' The %08x %s ',"
                " (n.i * 1000 + p.position) * 2654435761 % 4294967296, n.i % 97))"
            ),
        }
        names = [name for name in columns if name != "position"]
        values = [own.get(name, f"p.{name}") for name in names]
        (top, real) = connection.execute("SELECT max(position), count(*) FROM proposal").fetchone()
        sql = _COPY.format(names=", ".join(names), values=", ".join(values))
        remaining = amount - real
        bound = {"copies": -(-remaining // real), "top": top, "wanted": remaining}
        connection.execute(sql, bound)
    connection.close()
