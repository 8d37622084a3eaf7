"""Made up records of memories: each comes to what the real Hermes 0.22 makes of it, to the byte."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from tests.contract.kit import inside, make_home, needs_hermes
from tests.homes.later import MEMORY, NOW, Later, make_later_home

from reviewdeck.model import Plan, Quarantined, Ready
from reviewdeck.planning.stage import stage

pytestmark = [needs_hermes, pytest.mark.slow]  # each starts the real Hermes

RECORDS = 1_500
PIECES = (
    *("tea", " tea", "tea ", "a", "aa", "00", "1000", "x\ny", "  ", "\t", "Z", "é", "e\u0301"),
    *("\u00a0", "\u3000", "\u2028", "\x0b", '"ops"', "“ops”", "it's", "it’s", "—", "-", "ß"),
)
"""What overlaps, folds, is white space, or is spelled in two ways."""
APPLIED = """
    import json, sys
    from pathlib import Path
    from tools.memory_tool import MEMORY_SCHEMA, apply_memory_pending, load_on_disk_store
    made, place = json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2])
    place.parent.mkdir(exist_ok=True)
    found = []
    if "patch" in MEMORY_SCHEMA["parameters"]["properties"]["action"]["enum"]:
        for text, payload in made:
            place.write_text(text)
            said = apply_memory_pending(payload, load_on_disk_store())
            found.append([bool(said.get("success")), place.read_text()])
    Path(sys.argv[1]).write_text(json.dumps(found))
"""


class Maker:
    """Makes memories and payloads for them, the same ones each time."""

    def __init__(self) -> None:
        self._chance = random.Random(22)  # noqa: S311 - test data

    def case(self) -> tuple[str, dict[str, Any]]:
        """A memory, and a payload that Hermes might have staged for it, or nearly so."""
        entries = list(dict.fromkeys(self._entry() for _ in range(self._chance.randint(0, 4))))
        text, operations = "\n§\n".join(entries), []
        for _ in range(self._chance.randint(1, 4)):
            operations.append(self._operation(entries))
            entries = _after(entries, operations[-1])
        if len(operations) == 1:
            return text, {"target": "memory", **operations[0]}
        return text, {"action": "batch", "target": "memory", "operations": operations}

    def _entry(self) -> str:
        pieces = self._chance.choices(PIECES, k=self._chance.randint(1, 5))
        return self._chance.choice(("", " ")).join(pieces).strip() or "tea"

    def _span(self, entry: str) -> str:
        start = self._chance.randrange(len(entry))
        return entry[start : start + self._chance.choice((1, 2, 4, 9))]

    def _operation(self, entries: list[str]) -> dict[str, Any]:
        entry = self._chance.choice([*filter(None, entries), self._entry()])
        content = self._chance.choice(
            (self._entry(), entry, self._span(entry), "", " ", "\n", " end\n", "\nhead")
        )
        action = self._chance.choice(("patch", "patch", "patch", "remove", "add"))
        if action == "add":
            return {"action": action, "content": content}
        pinned = self._chance.choice((*[entry] * 9, f"{entry} "))
        found = {"action": action, "old_text": self._span(entry), "matched_entry": pinned}
        return found if action == "remove" else found | {"content": content}


def _after(entries: list[str], operation: dict[str, Any]) -> list[str]:
    """The entries that the next operation of a batch is about."""
    content, pinned = operation.get("content", ""), operation.get("matched_entry")
    match operation["action"]:
        case "add":
            return entries if content.strip() in {*entries, ""} else [*entries, content.strip()]
        case "remove":
            return [entry for entry in entries if entry != pinned]
        case _:
            new = str(pinned).replace(operation["old_text"], content, 1)
            return [new if entry == pinned else entry for entry in entries]


def planned(home: Later, text: str, payload: dict[str, Any]) -> Plan | None:
    """What we would write; None where we would not."""
    home.write(MEMORY, text)
    home.stage(payload)
    (file,) = home.home().pending()
    proposal = home.home().parse(file, NOW)
    assert not isinstance(proposal, Quarantined), proposal
    outcome = stage(proposal, home.home().snapshot()).outcome
    return outcome.plan if isinstance(outcome, Ready) else None


def test_each_record_has_the_bytes_that_hermes_writes_or_is_refused_by_both(tmp_path: Path) -> None:
    theirs, maker = make_home(tmp_path / "theirs" / ".hermes", plugin=False), Maker()
    made, file = [maker.case() for _ in range(RECORDS)], tmp_path / "made.json"
    file.write_text(json.dumps(made), "utf-8")
    inside(theirs, APPLIED, str(file), str(theirs / MEMORY))
    if not (found := json.loads(file.read_text("utf-8"))):
        pytest.skip("this Hermes has no patch of a memory")
    ours, applied = make_later_home(tmp_path / "ours"), 0
    for (text, payload), (is_applied, written) in zip(made, found, strict=True):
        plan = planned(ours, text, payload)
        if not is_applied or written == text:
            assert plan is None, (text, payload, written)
            continue
        assert plan is not None, (text, payload, written)
        assert [change.after for change in plan.changes] == [written.encode()], (text, payload)
        applied += 1
    assert applied > RECORDS // 10
