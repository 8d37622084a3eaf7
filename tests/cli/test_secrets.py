"""Secrets are covered wherever a person or a log only looks, and stay what they are."""

from __future__ import annotations

import json

import pytest
from tests.cli.program import Program

from reviewdeck.text.redact import Redaction

TOKEN = "ghp_" + "a1B2" * 9
LINE = "MIIEpAIBAAKCAQEAtesttesttesttest"
KEY = "-----BEGIN RSA " + f"PRIVATE KEY-----\n{LINE}\n{LINE[::-1]}\n-----END RSA PRIVATE KEY-----"


@pytest.fixture
def id_of_secret(program: Program) -> str:
    """A proposal with a token in it."""
    record = {
        "id": "5ec4e701",
        "subsystem": "memory",
        "action": "add",
        "created_at": 1_750_000_000,
        "summary": f"add to memory: The CI token is {TOKEN}",
        "payload": {
            "action": "add",
            "target": "memory",
            "content": f"The CI token is {TOKEN}, and the linter is ruff.",
        },
    }
    (program.home / "pending" / "memory" / "5ec4e701.json").write_text(json.dumps(record))
    return "5ec4e701"


@pytest.mark.parametrize("command", ["list", "show", "diff"])
def test_a_token_is_covered_where_it_is_only_looked_at(
    program: Program, id_of_secret: str, command: str
) -> None:
    named = () if command == "list" else (id_of_secret,)
    ran = program(command, *named)
    assert ran.code == 0
    assert TOKEN[4:14] not in ran.out
    assert "•" * 8 in ran.out or command == "list"


@pytest.mark.parametrize("command", ["show", "diff"])
def test_it_is_shown_on_demand(program: Program, id_of_secret: str, command: str) -> None:
    assert TOKEN in program(command, id_of_secret, "--reveal").out


def test_what_is_decided_on_and_written_is_the_true_text(
    program: Program, id_of_secret: str
) -> None:
    digest = program.read("show", id_of_secret)["digest"]
    assert digest in program("diff", id_of_secret).out
    assert program("approve", id_of_secret, "--digest", digest).code == 0
    assert TOKEN in (program.home / "memories" / "MEMORY.md").read_text("utf-8")
    assert TOKEN[4:14] not in program("blame", "memory").out
    assert TOKEN in program("blame", "memory", "--reveal").out
    assert TOKEN[4:14] not in program("since", "1w").out
    assert TOKEN[4:14] not in program("log").out


def test_summaries_in_json_are_covered(program: Program, id_of_secret: str) -> None:
    found = program.read("list")
    ours = next(item for item in found if item["source_id"] == id_of_secret)
    assert TOKEN[4:14] not in json.dumps(ours)


def test_a_key_is_covered_down_to_its_end() -> None:
    cover = Redaction([KEY])
    assert LINE not in cover.text(KEY)
    assert LINE not in cover.text(f"  {LINE}"), "also where a screen shows one line of it"
    assert Redaction([KEY], is_off=True).text(KEY) == KEY


@pytest.mark.parametrize(
    "command",
    [
        ("since", "1d"),
        ("report",),
        ("report", "--format", "md"),
        ("report", "--format", "csv"),
        ("report", "--json"),
    ],
    ids=" ".join,
)
def test_a_line_of_a_key_that_changed_alone_is_covered(
    program: Program, command: tuple[str, ...]
) -> None:
    lines = [f"MIIEpAIBAAKCAQEAteste{number}testtest" for number in range(9)]
    begin, end = KEY.split("\n")[0], KEY.split("\n")[-1]
    file = next((program.home / "skills").glob("*/*/references/*.md"))
    file.write_text("\n".join(["# Keys", begin, *lines, end, ""]), "utf-8")
    program("status")
    lines[4] = "QUtIAzKCAQEAqbV0h1cXk0"
    file.write_text("\n".join(["# Keys", begin, *lines, end, ""]), "utf-8")
    program("status")
    out = program(*command).out
    assert file.name in out
    assert lines[4] not in out
    assert "MIIEpAIBAAKCAQEAteste4" not in out
