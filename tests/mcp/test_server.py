"""The server as agents start it: the SDK's own client on a real pipe."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.cli.program import fingerprint

pytest.importorskip("mcp", reason="the extra 'mcp' is not installed")

from mcp.client.stdio import StdioServerParameters
from mcp_types import Implementation

from mcp import Client  # the tests before this line are skipped without it


@pytest.fixture
def command(home: Path, tmp_path: Path) -> Callable[..., list[str]]:
    """The command that an agent's configuration names."""

    def words(*more: str) -> list[str]:
        where = ("--home", str(home), "--ledger", str(tmp_path / "ledger.db"))
        return [sys.executable, "-m", "reviewdeck.cli.main", "mcp", *where, *more]

    return words


def environment(tmp_path: Path) -> dict[str, str]:
    """Nobody's environment, with what it takes to find the program."""
    paths = os.pathsep.join(path for path in sys.path if path)
    return {"PYTHONPATH": paths, "HOME": str(tmp_path), "PATH": os.environ["PATH"]}


@asynccontextmanager
async def connected(words: list[str], tmp_path: Path, name: str) -> AsyncIterator[Client]:
    """A client of a server that was started for it."""
    server = StdioServerParameters(
        command=words[0], args=words[1:], env=environment(tmp_path), cwd=tmp_path
    )
    info = Implementation(name=name, version="1.0")
    async with Client(server, client_info=info, read_timeout_seconds=60) as client:
        yield client


async def called(client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    """One call; text and structured answer say the same."""
    result = await client.call_tool(name, arguments)
    said: dict[str, Any] = json.loads(result.content[0].model_dump()["text"])
    assert said == result.structured_content
    return said | {"is_error": result.is_error}


def add(client: Client, text: str) -> Awaitable[dict[str, Any]]:
    """Proposes an entry."""
    given = {"document": "memory", "action": "add", "text": text, "why": "The user said so."}
    return called(client, "memory_propose", **given)


def decide(words: list[str], tmp_path: Path, *more: str) -> dict[str, Any]:
    """A command of the operator over the same home and ledger, with its JSON."""
    at = words.index("mcp")
    line = [*words[:at], *more, *words[at + 1 :], "--json"]
    done = subprocess.run(line, env=environment(tmp_path), capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.slow
async def test_an_agent_proposes_an_operator_rejects_and_the_agent_reads_why(
    command: Callable[..., list[str]], home: Path, tmp_path: Path
) -> None:
    before = fingerprint(home)
    words = command()
    async with connected(words, tmp_path, "claude-code") as client:
        offered = (await client.list_tools()).tools
        first, again = await asyncio.gather(add(client, "Use nox."), add(client, "Use nox."))
        assert {first["state"], again["state"]} == {"pending", "duplicate"}
        assert first["id"] == again["id"] and fingerprint(home) == before
        shown = await asyncio.to_thread(decide, words, tmp_path, "show", first["id"])
        assert shown["origin"] == "mcp:claude-code"
        await asyncio.to_thread(
            decide, words, tmp_path, "reject", first["id"], "--reason", "We use tox."
        )
        told = await called(client, "review_status", id=first["id"])
        assert (told["state"], told["reason"]) == ("rejected", "We use tox.")
        wrong = await called(client, "memory_propose", document="soul")
        assert wrong["is_error"] and "one of memory, user" in wrong["note"]
        refused = await called(client, "approve", id=first["id"])
        assert refused["is_error"] and "There is no tool" in refused["note"]
    assert {one.name for one in offered} == {
        *("memory_propose", "skill_propose", "memory_view", "skills_list", "skill_view"),
        "said_search",
        "review_status",
    }
    for one in offered:
        assert one.annotations is not None and one.annotations.destructive_hint is False
        assert one.annotations.read_only_hint is not one.name.endswith("_propose")
        assert not any("path" in name for name in one.input_schema["properties"])
    after = fingerprint(home)
    assert before.items() <= after.items()  # What was rejected stands in the home, and no more.
    assert {path.partition("/")[0] for path in after.keys() - before.keys()} == {".reviewdeck"}


@pytest.mark.slow
async def test_work_in_progress_outlives_the_session_that_kept_it(
    command: Callable[..., list[str]], tmp_path: Path
) -> None:
    words = command("--working")
    async with connected(words, tmp_path, "codex") as client:
        await called(client, "work_task", title="Port the tests", percent=40)
        await called(client, "work_note", text="conftest is shared")
    async with connected(words, tmp_path, "codex") as client:
        kept = await called(client, "work_view")
        assert kept["task"]["title"] == "Port the tests"
        assert [note["text"] for note in kept["notes"]] == ["conftest is shared"]


@pytest.mark.slow
def test_what_is_no_message_is_answered_and_nothing_of_it_is_logged(
    command: Callable[..., list[str]], home: Path, tmp_path: Path
) -> None:
    before = fingerprint(home)
    hostile = "\x1b]0;gotcha\x07"
    lines = [
        "not json",
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": hostile}),
        json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": hostile}),
        json.dumps({"jsonrpc": "2.0", "method": "tools/call", "params": {"name": hostile}}),
    ]
    done = subprocess.run(
        command(),
        input="\n".join(lines) + "\n",
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0
    assert "\x1b" not in done.stdout + done.stderr and "gotcha" not in done.stderr
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in done.stdout.splitlines())
    assert fingerprint(home) == before
