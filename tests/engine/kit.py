"""A deck over a real home and a real ledger, and an agent that stages records as Hermes does."""

from __future__ import annotations

import hashlib
import itertools
import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.origin.kit import Chat, Said, staged

from reviewdeck.bootstrap import new_id
from reviewdeck.engine.engine import Engine
from reviewdeck.ledger.cells import unshield
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import Actor, ActorKind, Likeness, Relation

OpenDeck = Callable[..., Engine]

OPERATOR = Actor(ActorKind.OPERATOR, "dana", host="desk", terminal="")
MEMORY = "memories/MEMORY.md"
USER = "memories/USER.md"
DELIMITER = "\n§\n"


def quiet(step: str) -> None:
    """A probe that lets everything pass."""


class Ticking:
    """A clock that moves on a second with each look."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.moment += timedelta(seconds=1)
        return self.moment


@dataclass
class Agent:
    """Writes pending records into a home, in Hermes' own format."""

    home: Path
    clock: Ticking
    talks: bool = True
    """Whether the home keeps the conversation in which each record was asked for."""
    _ids: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    _talks: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def memory(self, action: str, *, target: str = "memory", **payload: Any) -> str:
        """Stages one memory edit; gives the record's id."""
        content, old = payload.pop("content", None), payload.pop("old_text", None)
        body = {"action": action, "target": target, "content": content, "old_text": old}
        return self._stage("memory", action, body | payload.pop("extra", {}), **payload)

    def add(self, content: str, **options: Any) -> str:
        """Stages an addition."""
        return self.memory("add", content=content, **options)

    def replace(self, old_text: str, content: str, **options: Any) -> str:
        """Stages a replacement."""
        return self.memory("replace", old_text=old_text, content=content, **options)

    def skill(self, action: str, name: str, **payload: Any) -> str:
        """Stages one skill edit; gives the record's id."""
        options = {k: payload.pop(k) for k in ("origin", "bases", "created_at") if k in payload}
        body = {"action": action, "name": name, "replace_all": False} | payload
        return self._stage("skills", action, body, **options)

    def base_of(self, *paths: str) -> dict[str, dict[str, str]]:
        """What a record says of what its author sees at this moment."""
        found = {}
        for path in paths:
            data = (self.home / path).read_bytes()
            sha = hashlib.sha256(data).hexdigest()
            found[path] = {"sha256": sha, "text": data.decode()}
        return found

    def _stage(
        self,
        subsystem: str,
        action: str,
        payload: dict[str, Any],
        *,
        origin: str = "background_review",
        bases: dict[str, dict[str, str]] | None = None,
        created_at: float | None = None,
        id: str | None = None,
        session: str | None = None,
        typed: str = "",
    ) -> str:
        id = id or f"{next(self._ids):08x}"
        record: dict[str, Any] = {
            "id": id,
            "subsystem": subsystem,
            "action": action,
            "summary": f"{action} something",
            "origin": origin,
            "created_at": self.clock().timestamp() if created_at is None else created_at,
            "payload": payload,
        }
        if bases is not None:
            record["reviewdeck"] = {"v": 1, "bases": bases}
        if session is not None:
            record.setdefault("reviewdeck", {"v": 1})["session"] = session
        folder = self.home / "pending" / subsystem
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(record, ensure_ascii=False, indent=2)
        (folder / f"{id}.json").write_text(text, encoding="utf-8")
        if self.talks:
            self._keep_conversation(record, session or f"session-{id}-{next(self._talks)}", typed)
        return id

    def _keep_conversation(self, record: dict[str, Any], session: str, typed: str) -> None:
        """The session in which the user asked for it, or typed this, and nothing else took part."""
        began = datetime.fromtimestamp(record["created_at"], UTC)
        tool = "memory" if record["subsystem"] == "memory" else "skill_manage"
        payload = record["payload"]
        asked = str(payload.get("file_content") or "Please make a skill of this.")
        if tool == "memory":
            asked = typed or str(payload.get("content") or "Please keep this.")
        said: list[Said] = [asked, staged(record["id"], tool)]
        Chat(session, said, at=began).write(self.home)


SKILL = """---
name: {name}
description: {description}
---
# {name}

## Steps
1. Look at the repository.
2. Run the tests.
3. Report.

List the failures in a table: file, line, message.
Show the table to the user and ask what comes first.
"""


def skill_text(name: str, description: str = "Say what is there.") -> str:
    """A small, valid SKILL.md."""
    return SKILL.format(name=name, description=description)


def entries(home: Path, document: str = MEMORY) -> list[str]:
    """The entries of a memory as they are on disk."""
    return (home / document).read_text("utf-8").split(DELIMITER)


def set_entries(home: Path, *texts: str, document: str = MEMORY) -> None:
    """Writes a memory by hand."""
    (home / document).write_text(DELIMITER.join(texts), "utf-8")


def let_no_record_go(home: Path) -> None:
    """Puts a file in the way of the folder through which a pending record leaves."""
    trash = home / ".reviewdeck" / "trash"
    shutil.rmtree(trash, ignore_errors=True)
    trash.parent.mkdir(exist_ok=True)
    trash.write_text("in the way", "utf-8")


def digest_of(deck: Engine, id: str) -> str:
    """The digest that a person would copy from the screen."""
    digest = deck.get(id).digest
    assert digest is not None
    return digest


def fresh_id() -> str:
    """An id like those of operations."""
    return new_id()


def remembered(ledger: Ledger, home: str) -> tuple[Likeness, ...]:
    """The texts that are remembered of a home, oldest first."""
    sql = (
        'SELECT relation, text, score, "where", exact FROM likeness'
        " WHERE home = :home ORDER BY sequence"
    )
    with ledger._database.reading() as tx:
        return tuple(
            Likeness(Relation(relation), unshield(text), score, unshield(where), bool(exact))
            for relation, text, score, where, exact in tx.rows(sql, {"home": home})
        )
