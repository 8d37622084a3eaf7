"""What is taken for granted of Claude Code, asked of the real program."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.contract.claude_kit import PROGRAM, RealAgent, make_place, needs_claude
from tests.contract.hooked_kit import Place, call, reviewdeck, turn
from tests.homes.claude.test_edits import EDITS, edit

from reviewdeck.homes.gated.settings import FOLDER

pytestmark = [needs_claude, pytest.mark.slow]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return make_place(tmp_path)


def lose_program(place: Place) -> None:
    """As if reviewdeck were removed from the system, and its entries were not."""
    settings = place.config / "settings.json"
    text = settings.read_text("utf-8")
    assert str(FOLDER) in text
    settings.write_text(text.replace(str(FOLDER), str(place.root / "gone")), "utf-8")


def test_edits_leave_what_is_said_of_them(place: Place) -> None:
    reviewdeck(place, "claude", "uninstall", "--yes")
    script: list[dict[str, Any]] = []
    for number, case in enumerate(EDITS):
        path = place.memory / f"case-{number}.md"
        path.write_bytes(case["before"].encode())
        script.append(turn(call(f"r{number}", "Read", file_path=str(path))))
        script.append(turn(call(f"e{number}", "Edit", file_path=str(path), **edit(case))))
    RealAgent().converse(place, "", script)
    left = [(place.memory / f"case-{at}.md").read_bytes().decode() for at in range(len(EDITS))]
    wanted = [case["before"] if case["after"] is None else case["after"] for case in EDITS]
    assert left == wanted


def test_a_session_leaves_the_settings_as_they_are_and_taking_the_gate_out_as_they_were(
    place: Place,
) -> None:
    reviewdeck(place, "claude", "uninstall", "--yes")
    settings = place.config / "settings.json"
    theirs = b'{"model": "opus",\n "env": {"NOTE": "mine"}}'
    settings.write_bytes(theirs)
    reviewdeck(place, "claude", "install", "--yes")
    ours = settings.read_bytes()
    path = str(place.memory / "a.md")
    RealAgent().converse(place, "", [turn(call("w", "Write", file_path=path, content="x\n"))])
    assert len(place.writes()) == 1
    assert settings.read_bytes() == ours
    reviewdeck(place, "claude", "uninstall", "--yes")
    assert settings.read_bytes() == theirs


def test_a_gate_whose_program_is_gone_blocks_documents_and_nothing_else(place: Place) -> None:
    lose_program(place)
    paths = (place.memory / "a.md", place.project / "main.py")
    script = [
        turn(call(f"w{at}", "Write", file_path=str(path), content="x\n"))
        for at, path in enumerate(paths)
    ]
    outcome = RealAgent().converse(place, "", script)
    assert [path.exists() for path in paths] == [False, True]
    assert list(outcome.refused) == ["toolu_w0"]


def knows_commands_of_skills() -> bool:
    found = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True)
    return tuple(map(int, found.stdout.split()[0].split("."))) >= (2, 1, 332)


@pytest.mark.parametrize("is_lost", [False, True], ids=["with the gate", "without its program"])
def test_a_command_in_a_skills_text_is_gated_where_the_program_asks(
    place: Place, is_lost: bool
) -> None:
    skill = place.config / "skills" / "look" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    writes, other = place.memory / "new.md", place.project / "mark"
    skill.write_text(
        "---\nname: look\ndescription: Looks.\nallowed-tools: Bash(*)\n---\n"
        f"!`cat {place.memory}/store.md`\n!`touch {writes}`\n!`touch {other}`\n"
    )
    if is_lost:
        lose_program(place)
    RealAgent().converse(place, "", [turn(call("s", "Skill", skill="look"))])
    assert writes.exists() is not knows_commands_of_skills()
    assert other.exists() is not (is_lost and knows_commands_of_skills())


def test_every_pattern_of_a_document_starts_the_strict_gate(place: Place) -> None:
    lose_program(place)
    paths = (
        "CLAUDE.md",
        "rules/style.md",
        "rules/python/style.md",
        "skills/deploy/SKILL.md",
        "skills/deploy/scripts/run.sh",
        "agent-memory/reviewer/MEMORY.md",
        f"projects/{place.slug}/memory/deep/er.md",
        "settings.local.json",
    )
    script = [
        turn(call(f"w{at}", "Write", file_path=str(place.config / path), content="x\n"))
        for at, path in enumerate(paths)
    ]
    outcome = RealAgent().converse(place, "", script)
    assert len(outcome.refused) == len(paths)


def test_a_verdict_is_told_once_to_the_session_that_proposed_it(place: Place) -> None:
    path = str(place.memory / "a.md")
    write = turn(call("w", "Write", file_path=path, content="x\n"))
    session = RealAgent().converse(place, "", [write]).session
    verdict = {
        "session": session,
        "document": place.document("a.md"),
        "state": "rejected",
        "reason": "It is out of date.",
        "at": "2026-11-20T10:00:00Z",
    }
    verdicts = place.config / ".reviewdeck" / "claude" / "verdicts.json"
    verdicts.write_text(json.dumps([verdict]), "utf-8")
    told = "\n".join(RealAgent(resumed=session).converse(place, "", []).told)
    assert told.count("It is out of date.") == 1
    other = RealAgent().converse(place, "", []).told
    assert "It is out of date." not in "\n".join(other)


def test_in_a_mode_that_asks_nobody_a_document_is_staged_also_by_another_name(
    place: Place,
) -> None:
    (place.root / "short").symlink_to(place.config)
    linked = place.root / "short" / "projects" / place.slug / "memory" / "a.md"
    script = [
        turn(call(f"w{at}", "Write", file_path=str(path), content="x\n"))
        for at, path in enumerate((linked, place.config / "CLAUDE.md"))
    ]
    RealAgent(mode="bypassPermissions").converse(place, "", script)
    told = [write["document"] for write in place.writes()]
    assert told == [place.document("a.md"), "CLAUDE.md"]
    assert not (place.memory / "a.md").exists()
    assert not (place.config / "CLAUDE.md").exists()


SWITCHES = [
    ("user", {"disableAllHooks": True}),
    ("user", {"env": {"CLAUDE_CODE_SAFE_MODE": "1"}}),
    ("user", {"env": {"CLAUDE_CODE_SIMPLE": "1"}}),
    ("user", {"env": {"CLAUDE_CODE_SIMPLE": "0"}}),
    ("user", {"allowManagedHooksOnly": True}),
    ("project", {"disableAllHooks": True}),
    ("project", {"env": {"CLAUDE_CODE_SIMPLE": "1"}}),
    ("project", {"allowManagedHooksOnly": True}),
    ("project", "no JSON"),
]


@pytest.mark.parametrize(("scope", "keys"), SWITCHES)
def test_the_status_says_that_the_gate_is_off_exactly_where_it_is(
    place: Place, scope: str, keys: dict[str, Any] | str
) -> None:
    folder = place.config if scope == "user" else place.project / ".claude"
    folder.mkdir(exist_ok=True)
    file = folder / "settings.json"
    known = json.loads(file.read_text("utf-8")) if file.exists() else {}
    text = keys if isinstance(keys, str) else json.dumps({**known, **keys}, indent=2)
    file.write_text(text, "utf-8")
    status = json.loads(reviewdeck(place, "claude", "status", "--json").stdout)
    path = str(place.memory / "a.md")
    RealAgent().converse(place, "", [turn(call("w", "Write", file_path=path, content="x\n"))])
    assert bool(status["off"]) == (place.writes() == [])
