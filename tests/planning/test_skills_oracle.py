"""Every record of the fixture home: what comes out is what Hermes itself would write."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.planning.plain import PlainPlaces

from reviewdeck.model import (
    Dead,
    DeadReason,
    Document,
    MemoryAdd,
    MemoryEdit,
    MemoryRemove,
    MemoryReplace,
    Skill,
    SkillChange,
    SkillCreate,
    SkillDelete,
    SkillEdit,
    SkillPatch,
    SkillRemoveFile,
    SkillWriteFile,
)
from reviewdeck.planning.memory import apply_memory
from reviewdeck.planning.skills import locate, removals, rewrite

DOCUMENTS = {"memory": ("memories/MEMORY.md", 2200), "user": ("memories/USER.md", 1375)}

ON_PURPOSE = {
    "add-embedded-delimiter": DeadReason.INVALID,
    "add-dup-of-live": DeadReason.ALREADY_THERE,
}
"""Hermes calls these a success. The first would smuggle in a second entry; the second writes
nothing, and is not offered for a decision."""

SCANNED = frozenset({"add-injection"})
"""Hermes refuses these for what they say: a matter of the policy, not of the edit."""


@dataclass(frozen=True)
class Files(PlainPlaces):
    """Just enough of a home to plan against, read from its files."""

    root: Path

    @property
    def home(self) -> str:
        return str(self.root)

    def document(self, path: str) -> Document:
        file = self.root / path
        return Document(path, file.read_bytes() if file.is_file() else None)

    def skill(self, name: str) -> Skill | None:
        for found in sorted((self.root / "skills").rglob(f"{name}/SKILL.md")):
            folder = found.parent
            files = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*.*"))
            return Skill(name, folder.relative_to(self.root).as_posix(), tuple(files))
        return None

    def budget(self, path: str) -> int | None:
        return dict(DOCUMENTS.values()).get(path)


def memory_edit(raw: dict[str, Any], path: str) -> MemoryEdit:
    content, old_text = raw.get("content") or "", raw.get("old_text") or ""
    make: dict[str, Callable[[], MemoryEdit]] = {
        "add": lambda: MemoryAdd(path, content),
        "replace": lambda: MemoryReplace(path, old_text, content),
        "remove": lambda: MemoryRemove(path, old_text),
    }
    return make[raw["action"]]()


def skill_edit(raw: dict[str, Any]) -> SkillChange:
    name, file = raw["name"], raw.get("file_path", "SKILL.md")
    make: dict[str, Callable[[], SkillChange]] = {
        "create": lambda: SkillCreate(name, raw["content"], raw.get("category")),
        "edit": lambda: SkillEdit(name, raw["content"]),
        "patch": lambda: SkillPatch(
            name, raw["old_string"], raw["new_string"], file, raw["replace_all"]
        ),
        "write_file": lambda: SkillWriteFile(name, file, raw["file_content"]),
        "remove_file": lambda: SkillRemoveFile(name, file),
        "delete": lambda: SkillDelete(name, raw.get("absorbed_into")),
    }
    return make[raw["action"]]()


def plan_memory(home: Files, payload: dict[str, Any]) -> dict[str, str | None] | Dead:
    path, budget = DOCUMENTS[payload["target"]]
    is_batch = payload["action"] == "batch"
    raw = payload["operations"] if is_batch else [payload]
    edits = [memory_edit(one, path) for one in raw]
    result = apply_memory(edits, home.document(path).text, budget, batch=is_batch)
    return result if isinstance(result, Dead) else {path: result.text}


def plan_skill(home: Files, payload: dict[str, Any]) -> dict[str, str | None] | Dead:
    edit = skill_edit(payload)
    located = locate(edit, home)
    if isinstance(located, Dead):
        return located
    if isinstance(edit, SkillRemoveFile | SkillDelete):
        assert located.skill is not None
        gone = removals(edit, located.skill)
        return gone if isinstance(gone, Dead) else dict.fromkeys(gone)
    document = home.document(located.path)
    text = rewrite(edit, document.text if document.exists else None)
    return text if isinstance(text, Dead) else {located.path: text}


def plan(home: Files, record: dict[str, Any]) -> dict[str, str | None] | Dead:
    planner = plan_memory if record["subsystem"] == "memory" else plan_skill
    return planner(home, record["payload"])


def records() -> list[Any]:
    oracle = Path(__file__).parents[1] / "fixtures" / "hermes-oracle.json"
    found = json.loads(oracle.read_text("utf-8"))["records"]
    return [pytest.param(record, id=record["label"]) for record in found]


def shas(texts: dict[str, str | None]) -> dict[str, str | None]:
    return {
        path: None if text is None else hashlib.sha256(text.encode()).hexdigest()
        for path, text in texts.items()
    }


@pytest.mark.parametrize("expected", records())
def test_each_record_comes_to_the_bytes_that_hermes_writes(
    hermes_home: Path, expected: dict[str, Any]
) -> None:
    label = expected["label"]
    source = hermes_home / "pending" / expected["subsystem"] / f"{expected['id']}.json"
    outcome = plan(Files(hermes_home), json.loads(source.read_text("utf-8")))
    if label in ON_PURPOSE:
        assert isinstance(outcome, Dead)
        assert outcome.reason is ON_PURPOSE[label]
    elif expected["apply"]["success"] or label in SCANNED:
        assert not isinstance(outcome, Dead), outcome
        assert label in SCANNED or shas(outcome) == expected["changed"]
    else:
        assert isinstance(outcome, Dead), outcome
        assert outcome.message
