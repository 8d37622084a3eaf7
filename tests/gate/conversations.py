"""Homes in which a real agent held a conversation, rebuilt from what was written down of them."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).with_name("conversations")
COLUMNS = "columns.json"


@dataclass(frozen=True, slots=True)
class Truth:
    """What is true of one proposal, as the one who wrote the conversation knows it."""

    record: str
    origin: str
    """The class that the gate has to find: user, workspace, outside or unknown."""
    harmless: bool
    kind: str
    said_by: str
    """user, file, web, tool, others, nobody (the agent made it up) or attack."""
    seen: str
    """What its author saw of the document: current, grown or stale."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation and what was proposed in it."""

    name: str
    kind: str
    made: str
    truths: tuple[Truth, ...]
    rows: dict[str, int]
    """How many rows each table holds."""


def every() -> list[Path]:
    """The files of all conversations."""
    return sorted(path for path in FOLDER.glob("*.json") if path.name != COLUMNS)


def load(path: Path, home: Path) -> Conversation:
    """Rebuilds the home of one conversation in an empty folder."""
    held: dict[str, Any] = json.loads(path.read_text("utf-8"))
    schema: dict[str, Any] = json.loads((path.parent / COLUMNS).read_text("utf-8"))
    _database(home / "state.db", held, schema)
    (home / "logs").mkdir()
    (home / "logs" / "agent.log").write_text("".join(f"{line}\n" for line in held["log"]), "utf-8")
    for name, record in held["pending"].items():
        text = json.dumps(record, ensure_ascii=False, indent=2)
        _write(home / "pending" / f"{name}.json", text)
    for name, text in held["files"].items():
        _write(home / name, text)
    return Conversation(
        held["name"],
        held["kind"],
        held["made"],
        tuple(
            Truth(
                record,
                truth["class"],
                truth["harmless"],
                truth["kind"],
                truth["said_by"],
                truth["seen"],
            )
            for record, truth in held["expect"].items()
        ),
        {table: len(held[table]) for table in ("sessions", "messages")},
    )


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def _database(path: Path, held: dict[str, Any], schema: dict[str, Any]) -> None:
    """The session database with the columns that this version of the agent has."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE schema_version (version INTEGER NOT NULL)")
        database.execute("INSERT INTO schema_version VALUES (?)", (schema["schema_version"],))
        for table, columns in schema["columns"].items():
            database.execute(f"CREATE TABLE {table} ({', '.join(map(_column, columns))})")
            for row in held[table]:
                names = ", ".join(row)
                marks = ", ".join("?" for _ in row)
                database.execute(
                    f"INSERT INTO {table} ({names}) VALUES ({marks})",  # noqa: S608
                    tuple(row.values()),
                )
    database.close()


def _column(column: list[Any]) -> str:
    name, kind, needed, default, key = column
    if key and kind == "INTEGER":
        return f"{name} INTEGER PRIMARY KEY AUTOINCREMENT"
    words = [name, kind, "PRIMARY KEY" if key else "", "NOT NULL" if needed else ""]
    return " ".join(word for word in words if word) + (f" DEFAULT {default}" if default else "")
