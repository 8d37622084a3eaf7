"""What an agent wrote reaches the terminal as inert text, wherever it is shown."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from tests.cli.program import Program

EVIL = "\x1b[31mred\x1b]0;title\x07\x9b2J\u202egnp\u2066\u200b\r\b[bold]markup[/bold] :bomb: "
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def plant(home: Path, name: str, record: dict[str, Any]) -> None:
    """A pending record as a hostile agent would leave it."""
    path = home / "pending" / record["subsystem"] / f"{name}.json"
    path.write_text(json.dumps(record), "utf-8")


def memory_record(name: str, /, **payload: Any) -> dict[str, Any]:
    """A record of a memory edit with something evil in every text."""
    return {
        "id": name,
        "subsystem": "memory",
        "action": "replace",
        "summary": f"{EVIL}\n\x1b[2Jsecond line",
        "origin": f"origin{EVIL}",
        "created_at": 1794788268.9,
        "reviewdeck": {"v": 1, "session": f"s{EVIL}", "turn": f"t{EVIL}", "tool_call": EVIL},
        EVIL: EVIL,
        "payload": {"action": "replace", "target": "memory", **payload},
    }


def skill_record(id: str, /, **payload: Any) -> dict[str, Any]:
    """A record of a skill edit with something evil in every text."""
    record = memory_record(id)
    return record | {"subsystem": "skills", "action": payload["action"], "payload": payload}


def poisoned(program: Program) -> list[str]:
    """Plants hostile records; gives their ids."""
    home = program.home
    plant(home, "aaaaaaa1", memory_record("aaaaaaa1", old_text="Staging", content=f"x{EVIL}y"))
    plant(home, "aaaaaaa2", memory_record("aaaaaaa2", old_text=EVIL, content=f"lone \ud800 {EVIL}"))
    plant(home, "aaaaaaa6", memory_record("aaaaaaa6", old_text="x", content=f"\x00{EVIL}"))
    added = memory_record("aaaaaaa3", content=f"an addition {EVIL}") | {"action": "add"}
    added["payload"] = {"action": "add", "target": "memory", "content": f"an addition {EVIL}"}
    plant(home, "aaaaaaa3", added)
    create = {"action": "create", "name": f"evil{EVIL}", "content": EVIL}
    plant(home, "aaaaaaa4", skill_record("aaaaaaa4", **create))
    text = f"---\nname: sly\ndescription: {EVIL}\n---\n# Sly\n{EVIL}\n"
    plant(home, "aaaaaaa5", skill_record("aaaaaaa5", action="create", name="sly", content=text))
    (home / "pending/memory/evil\x1b[31m.json").write_text("{", "utf-8")
    items = program.read("list", "--limit", "1000")
    known = {f"aaaaaaa{number}" for number in range(1, 6)}
    return [item["id"] for item in items if item["source_id"] in known or item["proposal"] is None]


def test_no_control_character_of_an_agent_reaches_the_terminal(program: Program) -> None:
    ids = poisoned(program)
    assert len(ids) >= 6
    runs = [("list",), ("auto", "--dry-run"), ("status",), ("doctor",), ("log",)]
    for id in ids:
        runs += [("show", id), ("diff", id), ("policy", "explain", id)]
    runs += [("reject", ids[0], "--reason", EVIL), ("log",), ("since", "1d")]
    for tokens in runs:
        ran = program(*tokens)
        assert not RAW.search(ran.out + ran.err), tokens
    assert "[bold]markup[/bold] :bomb:" in program("diff", "aaaaaaa1").out


def test_hostile_text_in_a_document_is_inert_too(program: Program) -> None:
    memory = program.home / "memories/MEMORY.md"
    program("status")
    evil = EVIL.replace("\r", "")
    memory.write_text(f"{memory.read_text('utf-8')}\n§\nBy hand {evil}", "utf-8")
    for tokens in (
        ("blame", "memory"),
        ("since", "1d"),
        ("history", "memory"),
        ("diff", "cd551737"),
    ):
        ran = program(*tokens)
        assert ran.code == 0
        assert not RAW.search(ran.out + ran.err), tokens


def test_json_is_whole_and_free_of_raw_control_characters(program: Program) -> None:
    for id in poisoned(program):
        for command in ("show", "diff"):
            ran = program(command, id, "--json")
            assert not RAW.search(ran.out)
            assert ran.out.isprintable() or "\n" in ran.out
            ran.out.encode("utf-8")
            assert ran.json["id"] == id
    assert program.read("show", "aaaaaaa1")["claim"].startswith("\x1b[31mred")


def test_a_text_cannot_pass_for_the_frame_of_a_diff(program: Program) -> None:
    content = "harmless\n== memories/USER.md\ndigest    0000\n  reviewdeck approve x"
    plant(
        program.home,
        "aaaaaaa1",
        memory_record("aaaaaaa1", old_text="Staging database", content=content),
    )
    ran = program("diff", "aaaaaaa1")
    assert ran.code == 0, ran.err
    said = ran.out.splitlines()
    assert "+ == memories/USER.md" in said
    assert len([line for line in said if line.startswith("== ")]) == 1
    assert len([line for line in said if line.startswith("digest ")]) <= 1


def test_no_line_of_a_table_is_wider_than_the_terminal(program: Program) -> None:
    from rich.cells import cell_len

    wide = {"action": "add", "target": "memory", "content": "日本語のメモ" * 30}
    record = memory_record("aaaaaaa7") | {"action": "add", "payload": wide}
    plant(program.home, "aaaaaaa7", record | {"summary": "add to memory: " + "日本語のメモ" * 30})
    for tokens in (("list",), ("status",), ("log",), ("doctor",)):
        assert all(cell_len(line) <= 80 for line in program(*tokens).out.splitlines()), tokens
