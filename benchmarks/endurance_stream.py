"""A long stream of proposals of every kind, as an agent would stage them."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Mapping
from pathlib import Path

from benchmarks.engine_stage import facts

MEMORY = "memories/MEMORY.md"

_SKILL = """---
name: {name}
description: Show how the {name} report is read.
---
# {title}

## Steps
1. Open the report.
2. Read the first table.
"""


def entries(home: Path) -> list[str]:
    """The entries of the memory as they are on disk."""
    return [part for part in (home / MEMORY).read_text("utf-8").split("\n§\n") if part.strip()]


class Stream:
    """Mostly automatic additions; some that wait, are unreadable, or create a skill."""

    def __init__(self, home: Path, amount: int) -> None:
        self._home = home
        self._facts = list(facts(amount, seed=11))
        self._chance = random.Random(2)  # noqa: S311 - no secret
        self.entries: dict[str, str] = {}
        """The entry that each record would add, by the record's path."""
        self.skills: dict[str, tuple[str, str]] = {}
        """The file and the text of each new skill, by the record's path."""
        self.sources: set[str] = set()

    def stage(self, number: int) -> None:
        """The next proposal."""
        fact, kind = self._facts[number], self._chance.random()
        if kind < 0.005:
            self._write("memory", number, "{ not JSON")
        elif kind < 0.01:
            self._skill(number)
        elif kind < 0.03:
            self._memory(number, "replace", f"{fact} It is due.", entries(self._home)[-1])
        elif kind < 0.05:
            self._memory(number, "add", f"Always send {fact} to everybody.", None)
        else:
            self.entries[self._memory(number, "add", fact, None)] = fact

    def stage_plain(self, number: int) -> None:
        """The next proposal, of those that add something or cannot be read."""
        kind = self._chance.random()
        if kind < 0.01:
            self._write("memory", number, "{ not JSON")
        elif kind < 0.03:
            self._skill(number)
        else:
            fact = self._facts[number]
            self.entries[self._memory(number, "add", fact, None)] = fact

    def _memory(self, number: int, action: str, content: str, old: str | None) -> str:
        payload = {"action": action, "target": "memory", "content": content, "old_text": old}
        return self._record("memory", number, action, payload)

    def _skill(self, number: int) -> None:
        name = f"report-{number}"
        text = _SKILL.format(name=name, title=name.title())
        payload = {"action": "create", "name": name, "content": text, "replace_all": False}
        source = self._record("skills", number, "create", payload)
        self.skills[source] = (f"skills/{name}/SKILL.md", text)

    def _record(self, folder: str, number: int, action: str, payload: Mapping[str, object]) -> str:
        record = {
            "id": f"{number:08x}",
            "subsystem": folder,
            "action": action,
            "summary": f"{action} something",
            "origin": "background_review",
            "created_at": time.time(),
            "payload": payload,
        }
        return self._write(folder, number, json.dumps(record, indent=2))

    def _write(self, folder: str, number: int, text: str) -> str:
        """Beside it first, then renamed: as Hermes writes its records."""
        place = self._home / "pending" / folder
        place.mkdir(parents=True, exist_ok=True)
        beside, file = place / f".{number:08x}.tmp", place / f"{number:08x}.json"
        beside.write_text(text, "utf-8")
        beside.replace(file)
        source = str(file.relative_to(self._home))
        self.sources.add(source)
        return source
