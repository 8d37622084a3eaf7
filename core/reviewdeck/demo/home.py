"""Writes the demo home. The same `now` gives the same bytes."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Collection
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from reviewdeck.demo.conversations import DATABASE, SESSION, conversation, session_database
from reviewdeck.demo.records import DATA, demo_records
from reviewdeck.errors import BadInput

MARKER = ".reviewdeck-demo"

_OURS = ("memories", "skills", "pending", "sessions", ".reviewdeck")
_BUNDLED = "code-review"
_AGENT_CREATED = (
    *("database-migrations", "incident-triage", "old-ci-fixes", "release-notes"),
    "timetable-import",
)
_PINNED = "harbour-emails"
_MARKER_TEXT = "A sample home, written by `reviewdeck demo`. It may be written anew at any time.\n"


def write_demo(root: Path, now: datetime) -> None:
    """Writes the demo home, or rewrites it. Raises BadInput for a directory that is not a demo."""
    prepare_folder(root, _OURS)
    for path, data in _contents(now).items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)  # never through a link that somebody put there
        target.write_bytes(data)
        if path.endswith(".sh"):
            target.chmod(0o755)


def prepare_folder(root: Path, names: Collection[str]) -> None:
    """Creates the demo's directory, or removes what is called so from it. Raises BadInput."""
    if root.exists() and not root.is_dir():
        raise BadInput(f"{root} is not a directory.")
    root.mkdir(parents=True, exist_ok=True)
    if not any(root.iterdir()):
        (root / MARKER).write_text(_MARKER_TEXT, "utf-8")  # One that is half-written is one too.
        return
    if (root / MARKER).is_symlink() or not (root / MARKER).is_file():
        raise BadInput(
            f"{root} is not empty, and is not a sample home.",
            hint="Name a directory that does not exist yet.",
        )
    for name in names:
        if (root / name).is_symlink():
            raise BadInput(f"{root / name} is a link: the sample home has none.")
        if (root / name).is_file():
            (root / name).unlink()
        shutil.rmtree(root / name, ignore_errors=True)


def _contents(now: datetime) -> dict[str, bytes]:
    """Every file of the home but the marker."""
    files = {}
    for path in sorted((DATA / "home").rglob("*")):
        if path.is_file():
            files[path.relative_to(DATA / "home").as_posix()] = path.read_bytes()
    review = files[f"skills/{_BUNDLED}/SKILL.md"]
    manifest = f"{_BUNDLED}:{hashlib.sha256(review).hexdigest()[:32]}\n"
    files["skills/.bundled_manifest"] = manifest.encode("utf-8")
    files["skills/.usage.json"] = _usage(now)
    records = demo_records()
    for record in records:
        files[f"pending/{record.subsystem}/{record.id}.json"] = record.render(now)
    files[DATABASE] = session_database(records, now)
    files["pending/memory/6d41e07a.json"] = records[0].render(now)[:217]
    files["pending/memory/note-7781.json"] = _foreign(now)
    return files | {SESSION: conversation(now)}


def _usage(now: datetime) -> bytes:
    owners: dict[str, str | None] = dict.fromkeys(_AGENT_CREATED, "agent")
    records = {
        name: _usage_record(owner, now, age=9 + index, pinned=name == _PINNED)
        for index, (name, owner) in enumerate((owners | {_PINNED: None}).items())
    }
    return json.dumps(records, ensure_ascii=False, indent=2, sort_keys=True).encode("utf-8")


def _usage_record(owner: str | None, now: datetime, *, age: int, pinned: bool) -> dict[str, Any]:
    return {
        "archived_at": None,
        "created_at": (now - timedelta(days=7 * age)).isoformat(),
        "created_by": owner,
        "last_patched_at": None,
        "last_used_at": (now - timedelta(days=age)).isoformat(),
        "last_viewed_at": (now - timedelta(days=age)).isoformat(),
        "patch_count": 0,
        "pinned": pinned,
        "state": "active",
        "use_count": 31 - 2 * age,
        "view_count": 40 - 2 * age,
    }


def _foreign(now: datetime) -> bytes:
    """A record of another program in the same folder."""
    note = {
        "kind": "tide-log",
        "version": 3,
        "written": now.date().isoformat(),
        "body": {"subject": "Spring tide on Thursday", "weight": 0.42, "tags": ["tides", "vik"]},
    }
    return json.dumps(note, indent=1).encode("utf-8")
