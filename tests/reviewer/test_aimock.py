"""The real libraries against a protocol peer that others wrote: aimock, from npm.

It runs where node is and REVIEWDECK_AIMOCK names a directory in which
`npm install @copilotkit/aimock@1.43.0` was run.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import anthropic
import openai
import pytest
from tests.ports import free_port
from tests.reviewer.kit import FAST, anthropic_request, openai_request, talk

from reviewdeck.engine.engine import Engine
from reviewdeck.reviewer.conversation import ApiMode, Json, Runtime
from reviewdeck.reviewer.endings import ExchangeEnd
from reviewdeck.reviewer.models import open_model
from reviewdeck.reviewer.review import Reviewed, Reviewer, ReviewRequest

CLI = Path(
    os.environ.get("REVIEWDECK_AIMOCK", "nowhere"), "node_modules/@copilotkit/aimock/dist/cli.js"
)
pytestmark = [
    pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed"),
    pytest.mark.skipif(not CLI.is_file(), reason="REVIEWDECK_AIMOCK names no aimock"),
    pytest.mark.slow,  # it starts a server of node
]

USAGE = {
    "prompt_tokens": 1000,
    "completion_tokens": 20,
    "total_tokens": 1020,
    "prompt_tokens_details": {"cached_tokens": 900},
    "cost": 0.003,
}
ENTRY = {"action": "add", "target": "memory", "content": "The linter is ruff."}
FIXTURES: Json = {
    "fixtures": [
        {
            "match": {"userMessage": "This is a review of it", "hasToolResult": False},
            "response": {"toolCalls": [{"name": "memory", "arguments": ENTRY}], "usage": USAGE},
        },
        {
            "match": {"userMessage": "This is a review of it", "hasToolResult": True},
            "response": {"content": "One thing kept.", "usage": USAGE},
        },
        {"match": {"userMessage": "emojis"}, "response": {"content": "Understood: no emojis."}},
    ]
}


@pytest.fixture(scope="module")
def aimock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The peer's address."""
    fixtures = tmp_path_factory.mktemp("aimock") / "fixtures.json"
    fixtures.write_text(json.dumps(FIXTURES), "utf-8")
    port = str(free_port())
    command = ["node", str(CLI), "-p", port, "-f", str(fixtures), "--strict", "--log-level", "warn"]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + 60
        while not _is_up(url) and time.monotonic() < deadline:
            time.sleep(0.1)
        yield url
    finally:
        running.terminate()
        running.wait(60)


def _is_up(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/health", timeout=10):  # noqa: S310 - ours, on the loopback
            return True
    except OSError:
        return False


def journal(url: str) -> list[Any]:
    """The requests that the peer was sent."""
    with urllib.request.urlopen(f"{url}/__aimock/journal", timeout=60) as found:  # noqa: S310
        entries = json.loads(found.read())
    listed = entries["entries"] if isinstance(entries, dict) else entries
    return [one["body"] for one in listed]


def review(deck: Engine, request: Json, runtime: Runtime, **headers: str) -> Reviewed:
    """One review of a conversation whose model is the peer."""
    conversation = talk(request, runtime=replace(runtime, headers=headers))
    home = deck.open_homes[0].home
    return Reviewer(deck, home, open_model, limits=FAST).run(conversation, ReviewRequest())


def runtimes(url: str) -> dict[str, tuple[Json, Runtime]]:
    """Each interface that it speaks."""
    chat = Runtime("openai", "parent-model", ApiMode.CHAT, f"{url}/v1", "k", timeout=60.0)
    return {
        "chat": (openai_request(), chat),
        "openrouter": (openai_request(), replace(chat, base_url=f"{url}/api/v1")),
        "messages": (
            anthropic_request(),
            replace(chat, provider="anthropic", api_mode=ApiMode.MESSAGES, base_url=url),
        ),
        "responses": (openai_request(), replace(chat, api_mode=ApiMode.APP_SERVER)),
    }


KINDS = ("chat", "openrouter", "messages", "responses")


@pytest.mark.parametrize("streamed", [False, True], ids=("whole", "streamed"))
@pytest.mark.parametrize("kind", KINDS)
def test_a_review_against_the_peer_stages(
    deck: Engine, aimock: str, kind: str, streamed: bool
) -> None:
    request, runtime = runtimes(aimock)[kind]
    if streamed:
        request["stream"] = True
        if kind != "messages":
            request["stream_options"] = {"include_usage": True}
    reviewed = review(deck, request, runtime)
    assert reviewed.run.ending == "done" and len(reviewed.run.proposals) == 1
    assert reviewed.exchange.last_words == "One thing kept."
    if kind == "openrouter":
        assert reviewed.run.cached_tokens == 1800
        assert reviewed.run.cost == pytest.approx(0.006)


@pytest.mark.parametrize("kind", ["chat", "messages"])
def test_parity_in_the_journal_of_the_peer(deck: Engine, aimock: str, kind: str) -> None:
    request, runtime = runtimes(aimock)[kind]
    sent = request | {"messages": request["messages"][:-1]}
    if kind == "chat":
        with openai.OpenAI(base_url=runtime.base_url, api_key="k") as one:
            one.chat.completions.create(**sent)
    else:
        with anthropic.Anthropic(base_url=runtime.base_url, api_key="k") as two:
            two.messages.create(**sent)
    review(deck, request, runtime)
    parent, fork, _ = journal(aimock)[-3:]
    earlier = len(parent["messages"])
    assert json.dumps(fork["messages"][:earlier]) == json.dumps(parent["messages"])
    for key in parent.keys() - {"messages"}:
        assert json.dumps(fork[key]) == json.dumps(parent[key]), key


FAULTS = ("ratelimit", "disconnect", "malformed", "drop")


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("kind", ["chat", "messages"])
def test_every_fault_that_the_peer_injects_ends_in_order(
    deck: Engine, aimock: str, kind: str, fault: str
) -> None:
    request, runtime = runtimes(aimock)[kind]
    reviewed = review(deck, request, runtime, **{f"x-aimock-chaos-{fault}": "1"})
    assert reviewed.exchange.ending is ExchangeEnd.FAILED and reviewed.run.detail
    assert deck.pending() == () and deck.ledger.reviews()[0].ending == "failed"


@pytest.mark.parametrize("kind", ["chat", "messages"])
def test_a_peer_that_takes_its_time_runs_into_the_timeout(
    deck: Engine, aimock: str, kind: str
) -> None:
    request, runtime = runtimes(aimock)[kind]
    slow = {"x-aimock-chaos-latency": "60000"}
    reviewed = review(deck, request, replace(runtime, timeout=0.3), **slow)
    assert "timeout" in reviewed.run.detail
