"""Figures of a review: parity in bytes, the digest, the time to cancel.

    python benchmarks/reviewer_bench.py

Uses the official libraries against a provider on the loopback; no network and no key. Times are
those of this machine at this moment; shares and tokens are the same everywhere.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

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
        seconds = times_to_cancel(home, ledger)
        median, worst = statistics.median(seconds) * 1000, max(seconds) * 1000
        print(f"time to cancel       {median:.0f} ms median, {worst:.0f} ms at most, of {RUNS}")
        threads = [thread.name for thread in threading.enumerate() if "review" in thread.name]
        print(f"threads left         {len(threads)}")


if __name__ == "__main__":
    main()
