"""Figures of a review: parity in bytes, the digest, its CPU, the time to cancel.

    python -m benchmarks.reviewer_bench

Uses the official libraries against a provider on the loopback; no network and no key. Times are
those of this machine at this moment; shares and tokens are the same everywhere. Where
REVIEWDECK_HERMES_PYTHON names a Python that has hermes-agent, its own review of the same
conversation is measured beside ours.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import anthropic
import openai

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.reviewer.kit import add, anthropic_request, openai_request, spoken, talk  # noqa: E402
from tests.reviewer.peer import peer  # noqa: E402

from reviewdeck.bootstrap import open_deck  # noqa: E402
from reviewdeck.demo import write_demo  # noqa: E402
from reviewdeck.engine.engine import Engine  # noqa: E402
from reviewdeck.reviewer.conversation import ApiMode, Json, MessageForm, Runtime  # noqa: E402
from reviewdeck.reviewer.embed import background_reviews  # noqa: E402
from reviewdeck.reviewer.exchange import (  # noqa: E402
    allowed_tools,
    estimated_tokens,
)
from reviewdeck.reviewer.fork import (  # noqa: E402
    Prompts,
    digested,
    identical_share,
    replayed,
)
from reviewdeck.reviewer.models import open_model  # noqa: E402
from reviewdeck.reviewer.review import Reviewer, ReviewRequest  # noqa: E402

RUNS = 5
TURNS = 30
PROGRAM = "import sys; from reviewdeck.cli.entry import main; sys.exit(main())"
WORDS = "the ferry leaves the harbour at ten past four and the tide table says so "


def long_talk(amount: int) -> list[Json]:
    """A conversation of `amount` messages, each of some eighty words."""
    return spoken(*(f"message {number}: {WORDS * 5}" for number in range(amount)))


def working_talk(amount: int) -> list[Json]:
    """So many messages of an agent at work: one in four is a tool's output of 3,000 characters."""
    messages: list[Json] = []
    while len(messages) < amount:
        id = f"call_{len(messages)}"
        function = {"name": "terminal", "arguments": '{"command": "uv run pytest -q"}'}
        call = {"id": id, "type": "function", "function": function}
        messages += [
            {"role": "user", "content": WORDS * 4},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": id, "content": (WORDS * 50)[:3000]},
            {"role": "assistant", "content": WORDS * 6},
        ]
    return messages[:amount]


def parity(deck: Engine, mode: ApiMode) -> tuple[float, int]:
    """The share of the parent's bytes that the fork sends again, and how many there are."""
    is_chat = mode is ApiMode.CHAT
    request = (openai_request if is_chat else anthropic_request)(long_talk(60))
    sent = request | {"messages": request["messages"][:-1]}
    with peer({"say": "Fine."}, add("The linter is ruff."), {"say": "Done."}) as running:
        base = f"{running.url}/v1" if is_chat else running.url
        if is_chat:
            with openai.OpenAI(base_url=base, api_key="k") as client:
                client.chat.completions.create(**sent)
        else:
            with anthropic.Anthropic(base_url=base, api_key="k") as two:
                two.messages.create(**sent)
        runtime = Runtime("p", "parent-model", mode, base, "k")
        home = deck.open_homes[0].home
        Reviewer(deck, home, open_model).run(talk(request, runtime=runtime), ReviewRequest())
        parent, fork = running.journal[:2]
    return identical_share(parent, fork), len(parent)


def saved(amount: int) -> tuple[int, int]:
    """Tokens of a replay and of a digest of the same conversation, estimated."""
    conversation = talk(openai_request(working_talk(amount)))
    allowed = allowed_tools(memory=True, skills=True)
    full = replayed(conversation, MessageForm.OPENAI, "task", allowed)
    runtime = Runtime("cheap", "small")
    short = digested(conversation, runtime, MessageForm.OPENAI, "task", allowed, Prompts())
    return estimated_tokens(full.request), estimated_tokens(short.request)


def cpu_of_a_review(home: Path, ledger: Path, turns: int) -> list[float]:
    """Seconds of CPU of `reviewdeck review`, beside the model's, of a talk of so many turns.

    The first run is not counted: it compiles what an installed program has compiled.
    """
    file = home.parent / "talk.json"
    file.write_text(json.dumps(openai_request(long_talk(2 * turns), stream=True)), "utf-8")
    seconds = []
    known = os.environ | {"OPENAI_API_KEY": "k"}
    known.pop("PYTHONDONTWRITEBYTECODE", None)
    for number in range(RUNS + 1):
        with peer(add(f"The ferry has {number} cabins."), {"say": "Done."}) as running:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            words = ["review", str(file), "--base-url", f"{running.url}/v1", "--json"]
            where = ["--home", str(home), "--ledger", str(ledger)]
            subprocess.run(
                [sys.executable, "-c", PROGRAM, *words, *where],
                env=known,
                stdout=subprocess.DEVNULL,
                check=True,
            )
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return seconds[1:]


def _pieces_of(request: Json) -> str:
    """A request in the order in which providers cache it."""
    return json.dumps([request.get("tools"), *request["messages"]], ensure_ascii=False)[:-1]


def beside_hermes(where: Path, mode: str, turns: int) -> tuple[int, int, int, float]:
    """Requests of a review by the real Hermes after so many turns, the tokens of all of them, those
    that no earlier request began with, and the identical share of the first request.

    `mode` is that of our reviewer in its place; empty for Hermes' own.
    """
    from tests.contract.kit import converse, is_review, make_home
    from tests.contract.test_reviewer import both, is_ours, set_up

    home = make_home(where / (mode or "own") / "home", plugin=bool(mode), nudge=turns)
    texts = [f"Turn {number}: {WORDS * 5}" for number in range(turns)]
    with both() as model:
        model.line = lambda: _line(model.requests[-1], is_review)  # type: ignore[method-assign]
        if mode:
            set_up(home, model.url, mode)
        converse(home, model.url, *texts)
        asked = [one for one in model.requests if "tools" in one]
    tokens = uncached = amount = 0
    earlier: list[str] = []
    share = 0.0
    for request in asked:
        pieces = _pieces_of(request)
        if is_ours(request) or is_review(request) or (earlier and amount):
            same = max(len(os.path.commonprefix([pieces, one])) for one in earlier)  # noqa: RUF071
            share = share if amount else same / len(earlier[-1])
            amount, tokens = amount + 1, tokens + len(pieces) // 4
            uncached += (len(pieces) - same) // 4
        earlier.append(pieces)
    return amount, tokens, uncached, share


def _line(asked: Json, is_review: Any) -> Json:
    if "messages" not in asked:  # Hermes asks for the model's context.
        return {"say": "Done."}
    last = asked["messages"][-1]
    said = str([one["content"] for one in asked["messages"] if one["role"] == "user"][-1:])
    if is_review(asked) or "This is a review of it" in said:
        return {"say": "Done."} if last["role"] == "tool" else add("The linter is ruff.")
    return {"say": WORDS * 6}


def times_to_cancel(home: Path, ledger: Path) -> list[float]:
    """Seconds from the user's new turn until the review is gone, while a request is under way."""
    seconds = []
    for _ in range(RUNS):
        with peer({"latency": 30}) as running:
            runtime = Runtime("openai", "m", base_url=f"{running.url}/v1", api_key="k")
            reviews = background_reviews(home, ledger=str(ledger))
            started = time.monotonic()
            reviews.spawn(talk(runtime=runtime), review_memory=True)
            spawned = time.monotonic() - started
            while not running.journal:
                time.sleep(0.01)
            before = time.monotonic()
            has_ended = reviews.live_turn()
            assert has_ended and spawned < 1
            seconds.append(time.monotonic() - before)
    return seconds


def main() -> None:
    """Prints everything."""
    from datetime import UTC, datetime

    with tempfile.TemporaryDirectory() as where:
        home, ledger = Path(where) / "home", Path(where) / "ledger.db"
        write_demo(home, datetime.now(UTC))
        deck = open_deck(home, ledger=str(ledger))
        for mode in (ApiMode.CHAT, ApiMode.MESSAGES):
            share, size = parity(deck, mode)
            print(f"{mode:20} {share:.1%} of the parent's {size:,} bytes are sent again unchanged")
        deck.close()
        for amount in (24, 60, 200, 600):
            full, short = saved(amount)
            print(f"digest of {amount:3} messages  {full:7,} tokens become {short:6,}")
        cpu = cpu_of_a_review(home, ledger, 200)
        print(
            f"CPU of 200 turns     {min(cpu):.2f} s at least, {statistics.median(cpu):.2f} s median"
        )
        if os.environ.get("REVIEWDECK_HERMES_PYTHON"):
            for name in ("", "replace", "typed"):
                amount, tokens, uncached, same = beside_hermes(Path(where), name, TURNS)
                print(
                    f"{name or 'Hermes itself':20} {amount} requests, {tokens:,} tokens,"
                    f" {uncached:,} of them not cached; {same:.2%} of the request before it"
                )
        seconds = times_to_cancel(home, ledger)
        median, worst = statistics.median(seconds) * 1000, max(seconds) * 1000
        print(f"time to cancel       {median:.0f} ms median, {worst:.0f} ms at most, of {RUNS}")
        threads = [thread.name for thread in threading.enumerate() if "review" in thread.name]
        print(f"threads left         {len(threads)}")


if __name__ == "__main__":
    main()
