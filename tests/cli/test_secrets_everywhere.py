"""No command tells a secret that an agent or a document brought, whatever it prints it for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.cli.program import Program, Ran

from reviewdeck.cli.table import COMMANDS
from reviewdeck.presentation.document_diff import TEXTS

# Put together here, and of no use anywhere.
TOKEN = "ghp_" + "a1B2" * 9
KEY = "sk-" + "livecabin" + "7731" * 5
WORD = "marmalade" + "pier"
CODE = "58" + "213"
VALUES = (TOKEN[4:20], KEY[3:20], WORD, rf"(?<!\w){CODE}(?!\w)")
"""What of them no cover shows: by themselves the five digits, that stand in ids by chance."""
WIFI = f'The Wi-Fi at the cabin opens with "{WORD}".'
SAFE = f"The safe in the office opens on {CODE}."
EXACT = {
    "show": {"text"},
    "diff": set(TEXTS),
    "restore": set(TEXTS),
    "since": {"text", "pair"},
    "blame": {"text"},
}
"""Texts in JSON that programs decide by, as the documentation says."""
WALKED_ELSEWHERE = {
    "demo": "a sample home of our own",
    "serve": "stays; the deck behind it is walked by tests/tui",
    "init": "takes a passphrase from a terminal, and reads no home",
    "record": "takes turns, and prints how many",
    "review": "walked below, over a conversation",
    "purge": "walked by tests/operators/test_purge.py",
    "fsck": "reads no home, and prints how much is whole",
    "repair": "walked by tests/cli/test_repair.py",
    "completion": "prints what a shell runs, and reads no home",
    "worker": "stays; what it says is what `auto` says",
    "mcp": "talks to a program; walked by tests/mcp",
}


def plant(home: Path, name: str, **record: Any) -> None:
    """A record with a secret in each of its texts."""
    subsystem = record.pop("subsystem", "memory")
    whole = {
        "id": name,
        "subsystem": subsystem,
        "action": record["payload"]["action"],
        "created_at": 1_794_788_268,
        "summary": f"add to memory: {WIFI}",
        "origin": f"chat with {TOKEN}",
        "reviewdeck": {"v": 1, "session": f"about {KEY}", "turn": f"turn {TOKEN}"},
        f"extra {TOKEN}": "",
        **record,
    }
    (home / "pending" / subsystem / f"{name}.json").write_text(json.dumps(whole), "utf-8")


def add(content: str, target: str = "memory") -> dict[str, Any]:
    return {"action": "add", "target": target, "content": content}


@pytest.fixture
def keeping(program: Program) -> Program:
    """A home whose documents, proposals, names and reasons carry secrets."""
    home = program.home
    memory = home / "memories" / "MEMORY.md"
    program("status")
    memory.write_text(f"{memory.read_text('utf-8').rstrip()}\n§\n{SAFE}", "utf-8")
    plant(home, "5ec40001", payload=add(f"{WIFI} The CI token is {TOKEN}."))
    plant(home, "5ec40002", payload=add(f"It was told once. {SAFE}"))
    replace = {"action": "replace", "target": "memory", "old_text": SAFE, "content": WIFI}
    plant(home, "5ec40003", payload=replace)
    plant(home, "5ec40004", payload={**replace, "old_text": f"nothing like {KEY}"})
    skill = f"---\nname: {KEY}\ndescription: {WIFI}\n---\n# Cabin\n{SAFE}\n"
    elsewhere = home.parent / "cabin" / "SKILL.md"
    elsewhere.parent.mkdir()
    elsewhere.write_text(skill, "utf-8")
    create = {"action": "create", "name": KEY, "content": skill, "category": f"c-{TOKEN}"}
    plant(home, "5ec40005", subsystem="skills", payload=create)
    patch = {"action": "patch", "name": KEY, "old_string": SAFE, "new_string": WIFI}
    plant(home, "5ec40006", subsystem="skills", payload=patch)
    plant(home, "5ec40007", payload={"action": f"add {TOKEN}", "target": KEY, "content": WIFI})
    (home / "pending" / "memory" / f"{KEY}.json").write_text("{", "utf-8")
    return program


def ids_of(program: Program) -> list[str]:
    return [item["id"] for item in program.read("list", "--limit", "1000")]


def commands(program: Program, ids: list[str], operation: str) -> Iterator[tuple[str, ...]]:
    """Every command, as an operator would give it here."""
    for name in ("status", "list", "log", "history", "blame", "doctor", "recover", "since"):
        yield (
            name,
            *{"history": ("memory",), "blame": ("memory",), "since": ("1w",)}.get(name, ()),
        )
    yield from (("report", "--format", form) for form in ("html", "md", "csv", "json"))
    yield ("auto", "--dry-run")
    yield ("log", "--verify")
    yield ("list", "--state", "rejected", "applied")
    yield ("adopt",)
    yield ("revert", "--since", "1w")
    yield ("policy", "test")
    yield ("policy", "suggest")
    yield ("operators", "list")
    yield ("config",)
    yield ("setup", "--dry-run")
    for id in ids:
        yield from ((name, id) for name in ("show", "diff"))
    yield ("prompt",)
    yield ("why", f"{WIFI} {SAFE} {TOKEN}")
    for file in ("hermes_home/memories/MEMORY.md", "cabin/SKILL.md"):
        yield ("read", str(program.home.parent / file))
    yield ("policy", "explain", ids[0])
    yield ("show", f"no-such-{KEY}")
    yield ("blame", f"no such {TOKEN}")
    yield ("history", KEY)
    first = program.read("history", "memory")[0]["revision"]
    yield ("restore", "memory", first[:12])
    yield ("undo", operation)
    yield ("merge", ids[0], "--digest", "00000000", "--take", "proposed")
    yield ("approve", ids[0], "--digest", "00000000")
    yield ("reject", ids[0], "--reason", f"I know it: {WIFI}")
    yield ("defer", ids[1], "--reason", f"Later, {TOKEN}")
    yield ("reopen", ids[0])
    yield ("withdraw", ids[1])
    yield ("room", ids[1])
    yield ("auto",)
    yield ("pause",)
    yield ("resume",)
    yield ("log",)


def telling(ran: Ran) -> list[str]:
    """The values that an output tells, over line ends and colours."""
    said = " ".join((ran.out + ran.err).replace("|", " ").split())
    return [value for value in VALUES if re.search(value, said)]


def without(value: Any, exact: set[str]) -> Any:
    """A JSON value without what has to be exact."""
    match value:
        case dict():
            return {k: without(v, exact) for k, v in value.items() if k not in exact}
        case list():
            return [without(one, exact) for one in value]
        case _:
            return value


def applied(program: Program) -> str:
    """The operation of one that is approved: its text is in the memory from then on."""
    shown = program.read("show", "5ec40001")
    ran = program("approve", "5ec40001", "--digest", shown["digest"], "--json")
    operation: str = ran.json["operation"]["id"]
    return operation


def test_no_command_tells_a_secret(keeping: Program) -> None:
    ids, operation = ids_of(keeping), applied(keeping)
    assert len(ids) >= 8
    walked = set()
    covers = 0
    for tokens in commands(keeping, ids, operation):
        ran = keeping(*tokens)
        assert telling(ran) == [], tokens
        covers += "•" * 8 in ran.out
        walked.add(tokens[0])
    assert covers > 20, "the secrets are there to be covered"
    missing = {name for name, _, _ in COMMANDS} - walked - WALKED_ELSEWHERE.keys()
    assert missing == set()


def test_no_json_tells_a_secret_but_in_the_texts_that_programs_decide_by(
    keeping: Program,
) -> None:
    ids, operation = ids_of(keeping), applied(keeping)
    assert WORD in keeping("diff", ids[0], "--json").out + keeping("blame", "memory", "--json").out
    for tokens in commands(keeping, ids[:3], operation):
        ran = keeping(*tokens, "--json")
        exact = EXACT.get(tokens[0], set())
        said = json.dumps(without(ran.json, exact), ensure_ascii=False)
        assert telling(Ran(ran.code, said, ran.err)) == [], tokens


def test_our_own_ids_are_never_covered(keeping: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: "root")
    operation = applied(keeping)
    for tokens in (("blame", "memory"), ("since", "1w"), ("show", "5ec40001"), ("log",)):
        assert operation in keeping(*tokens).out, tokens
    assert operation in keeping("history", "memory").out


def test_a_crash_tells_neither_a_secret_nor_a_local_variable(
    keeping: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        local = "a local " + "variable"
        raise RuntimeError(f"cannot read: {WIFI} {len(local)}")

    monkeypatch.setattr("reviewdeck.presentation.inspection.inspect", broken)
    monkeypatch.setattr("reviewdeck.cli.commands.show.inspect", broken, raising=False)
    for debug in ("", "1"):
        monkeypatch.setenv("REVIEWDECK_DEBUG", debug)
        ran = keeping("show", "5ec40001")
        assert ran.code == 1
        assert telling(ran) == []
        assert "a local variable" not in ran.err
        assert ("Traceback" in ran.err) is bool(debug)


def test_what_a_review_prints_tells_no_secret(keeping: Program, tmp_path: Path) -> None:
    conversation, script = tmp_path / "talk.json", tmp_path / "script.json"
    said = [{"role": "user", "content": WIFI}, {"role": "assistant", "content": TOKEN}]
    conversation.write_text(json.dumps({"model": "m", "messages": said}), "utf-8")
    arguments = {"action": "add", "target": "memory", "content": f"{WIFI} Told with {TOKEN}."}
    answers = [{"call": [{"tool": "memory", "args": arguments}]}, {"say": f"Kept {TOKEN}."}]
    script.write_text(json.dumps(answers), "utf-8")
    for more in ((), ("--json",)):
        ran = keeping("review", str(conversation), "--script", str(script), *more)
        assert ran.code == 0, ran.err
        assert telling(ran) == []


GATES = {
    "claude": ".claude/settings.json",
    "qwen": ".qwen/settings.json",
    "gemini": ".gemini/settings.json",
    "openclaw": ".openclaw/openclaw.json",
}


@pytest.mark.parametrize("agent", GATES)
def test_no_command_of_a_gate_tells_a_secret_of_the_settings_it_stands_in(
    keeping: Program, monkeypatch: pytest.MonkeyPatch, agent: str
) -> None:
    folder = keeping.home.parent / "user"
    monkeypatch.setenv("HOME", str(folder))
    settings = folder / GATES[agent]
    (settings.parent / "workspace").mkdir(parents=True)
    settings.write_text(
        json.dumps({"env": {"A_KEY": KEY}, "auth": {"token": TOKEN}}, indent=2),
        "utf-8",
    )
    gate, said = replace(keeping, home=settings.parent), ""
    for command in ("install --dry-run", "install --yes", "status", "uninstall --yes"):
        ran = gate(agent, *command.split())
        assert telling(ran) == [], command
        said += ran.out
        settings.write_text(settings.read_text("utf-8") + "\n", "utf-8")
    assert "Done." in said and "•" * 8 in said
    assert json.loads(settings.read_text("utf-8"))["auth"]["token"] == TOKEN
