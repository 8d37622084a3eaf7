"""A home as a later Hermes (0.21 and up) leaves it, and the records that it stages there.

Made from the facts that are known of those versions; nothing in it comes from their code.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from reviewdeck.homes.hermes.home import HermesHome
from reviewdeck.homes.hermes.writer import HermesWriter

NOW = datetime(2027, 1, 12, 10, tzinfo=UTC)
MEMORY = "memories/MEMORY.md"
USER = "memories/USER.md"
TRIAGE = "skills/dev/triage/SKILL.md"
NOTES = "skills/dev/triage/references/notes.md"
DEPLOY = "skills/deploy/SKILL.md"
LEDGER = "skills/.curator_ledger.jsonl"
ENTRIES = ("Tests run with make test.", "Deploys happen on Tuesdays.")


def skill_text(name: str, *steps: str) -> str:
    """A small SKILL.md."""
    lines = "\n".join(steps or ("1. Look.", "2. Test.", "3. Report."))
    return f"---\nname: {name}\ndescription: Use when {name} is due.\n---\n# {name}\n\n{lines}\n"


def lock_of(skill: str) -> str:
    """Where a later Hermes keeps the lock of a skill."""
    return f"skills/.locks/{hashlib.sha256(skill.encode()).hexdigest()}.lock"


@dataclass(frozen=True)
class Later:
    """Such a home on a real disk."""

    root: Path

    def write(self, path: str, data: str | bytes) -> Path:
        """Puts a file there."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data if isinstance(data, bytes) else data.encode())
        return file

    def text(self, path: str) -> str:
        """What a file says."""
        return (self.root / path).read_text("utf-8")

    def config(self, text: str) -> None:
        """Sets `config.yaml`."""
        self.write("config.yaml", text)

    def stage(self, payload: dict[str, Any], *, id: str = "0123abcd", **changes: Any) -> str:
        """Stages a record as those versions do; gives its path."""
        folder = "skills" if "name" in payload or _is_skill_batch(payload) else "memory"
        record = {
            "id": id,
            "subsystem": folder,
            "action": payload["action"],
            "summary": "",
            "origin": "background_review",
            "created_at": NOW.timestamp() - 60,
            "payload": payload,
        }
        source = f"pending/{folder}/{id}.json"
        self.write(source, json.dumps(record | changes, ensure_ascii=False, indent=2))
        return source

    def home(self) -> HermesHome:
        """The side for looking."""
        return HermesHome(self.root, env={}, user_home=self.root.parent, clock=lambda: NOW)

    def writer(self, **options: Any) -> HermesWriter:
        """The side for writing."""
        return HermesWriter(self.root, clock=lambda: NOW, **options)

    def rows(self) -> list[dict[str, Any]]:
        """The curator's ledger."""
        return [json.loads(line) for line in self.text(LEDGER).splitlines()]


def _is_skill_batch(payload: dict[str, Any]) -> bool:
    return payload["action"] == "batch" and "target" not in payload


def make_later_home(root: Path) -> Later:
    """A home with two memories, two skills, a ledger and locks."""
    home = Later(root)
    home.write(MEMORY, "\n§\n".join(ENTRIES))
    home.write(USER, "Prefers short answers.")
    home.write(TRIAGE, skill_text("triage"))
    home.write(NOTES, "- Look at the logs first.\n")
    home.write(DEPLOY, skill_text("deploy"))
    owned = {"created_by": "agent", "state": "active", "patch_count": 0}
    home.write("skills/.usage.json", json.dumps({"triage": owned, "deploy": owned}, indent=2))
    home.write(LEDGER, "")
    (root / "skills/.locks").mkdir()
    return home
