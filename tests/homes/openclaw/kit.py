"""OpenClaw's folder of state, as a session of the real program left it."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from backports import zstd

from reviewdeck.homes.kinds import HomeContext
from reviewdeck.homes.openclaw.home import OpenClawHome
from reviewdeck.homes.openclaw.kind import KIND

RECORDED = Path(__file__).parents[2] / "fixtures" / "openclaw" / "session.json"
SESSION = "session-1"
AFTER = datetime(2026, 11, 29, 7, tzinfo=UTC)
"""A moment after all that the recorded session did."""
BY_TOOLS = "# Memory\n\n- The user likes nox.\n"
"""What the session's own tools left in the memory."""
BY_SHELL = f"{BY_TOOLS}- appended by shell\n"
NOTE = "- Daily note.\n"


def make_workspace(root: Path) -> Path:
    """A workspace below a folder of state, as OpenClaw seeds them."""
    workspace = root / ".openclaw" / "workspace"
    (workspace / "memory").mkdir(parents=True)
    for name in ("AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md"):
        (workspace / name).write_text(f"# {name}\n", "utf-8")
    settings = {"agents": {"defaults": {"workspace": str(workspace)}, "entries": {"main": {}}}}
    (workspace.parent / "openclaw.json").write_text(json.dumps(settings, indent=2), "utf-8")
    return workspace


def make_state(workspace: Path, *, is_compressed: bool = False) -> Path:
    """The databases of the recorded session, beside this workspace."""
    state = workspace.parent
    key = hashlib.sha256(str(workspace.resolve()).encode()).hexdigest()
    text = RECORDED.read_text("utf-8").replace("WORKSPACE_KEY", key)
    told = json.loads(text.replace("WORKSPACE", str(workspace)))
    rows = told["agent"]["transcript_events"]["rows"]
    for row in rows if is_compressed else ():
        _compress(row)
    _fill(state / "state" / "openclaw.sqlite", told["state"])
    _fill(agent_database(state), told["agent"])
    return state


def make_dreams(workspace: Path) -> None:
    """What the dreaming of the real program left: the documents, and its own log."""
    text = (RECORDED.parent / "dreaming.json").read_text("utf-8")
    told = json.loads(text.replace("WORKSPACE", str(workspace)))
    _fill(workspace.parent / "state" / "openclaw.sqlite", told["state"])
    for name, content in told["files"].items():
        (workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (workspace / name).write_text(content, "utf-8")


def make_workshop(workspace: Path) -> Path:
    """An agent's own folder: a session of the real program proposed two skills in its Workshop."""
    state = workspace.parent
    text = (RECORDED.parent / "workshop.json").read_text("utf-8").replace("STATE", str(state))
    told = json.loads(text.replace("HOME", str(state.parent)))
    _fill(state / "state" / "openclaw.sqlite", told["state"])
    _fill(agent_database(state), told["agent"])
    for name, content in told["files"].items():
        (state / name).parent.mkdir(parents=True, exist_ok=True)
        (state / name).write_text(content, "utf-8")
    return agent_database(state).parent


def agent_database(state: Path) -> Path:
    return state / "agents" / "main" / "agent" / "openclaw-agent.sqlite"


def change_rows(path: Path, statement: str, *values: Any) -> None:
    """Changes a database, as OpenClaw would."""
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(statement, values)


def opened(workspace: Path) -> OpenClawHome:
    context = HomeContext({}, workspace.parent.parent, lambda: AFTER)
    return KIND.home(workspace, context)


def question(workspace: Path, tool: str, path: str, **params: Any) -> dict[str, Any]:
    """What the plugin asks of a call."""
    return {
        "tool": tool,
        "params": {"path": path, **params},
        "paths": [path],
        "cwd": str(workspace),
        "agent": "main",
        "session": SESSION,
        "run": "run-1",
        "call": "call_1",
    }


def _compress(row: dict[str, Any]) -> None:
    data = row["event_json"].encode()
    row |= {"event_json": None, "event_zstd": zstd.compress(data), "event_utf8_bytes": len(data)}
    row["navigation_json"] = None


def _fill(path: Path, tables: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("PRAGMA journal_mode = WAL")
        for name, table in tables.items():
            # The checks of a compressed row belong to OpenClaw, and concern what is not read here.
            columns = table["sql"].partition("(")[2]
            if name == "transcript_events":
                columns = columns.partition(", FOREIGN KEY")[0] + ") STRICT"
            database.execute(f"CREATE TABLE {name} ({columns}")
            for row in table["rows"]:
                marks = ", ".join(f":{key}" for key in row)
                insert = f"INSERT INTO {name} ({', '.join(row)}) VALUES ({marks})"  # noqa: S608
                database.execute(insert, row)
    path.chmod(0o600)
