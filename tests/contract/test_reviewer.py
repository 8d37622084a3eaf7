"""Our reviewer in the place of the real Hermes' own: what it sends, and what comes of it."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.contract.kit import (
    PYTHON,
    Model,
    add,
    converse,
    environment,
    inside,
    is_review,
    make_home,
    needs_hermes,
    patience,
    reviewdeck,
)

from reviewdeck.ledger.reader import open_reader

pytestmark = [needs_hermes, pytest.mark.slow]  # each starts the real Hermes

TEXT = "The tests run with nox now."


def is_ours(request: Mapping[str, Any]) -> bool:
    """Whether a request is one of our reviews."""
    said = [one for one in request.get("messages", ()) if one["role"] == "user"]
    return any("This is a review of it" in str(one["content"]) for one in said)


class BothReviews(Model):
    """Answers conversations, Hermes' reviews, and ours: the first of them as late as it is told."""

    latency = 0.0

    def line(self) -> Mapping[str, Any]:
        asked = self.requests[-1]
        if "messages" not in asked or is_review(asked):
            return {"say": "Nothing to save."}
        if not is_ours(asked):
            return {"say": "Understood."}
        if asked["messages"][-1]["role"] == "tool":
            return {"say": "Done."}
        late, self.latency = self.latency, 0.0
        return add(TEXT) | {"latency": late}

    @property
    def ours(self) -> list[Any]:
        return [one for one in self.requests if is_ours(one)]

    @property
    def talk(self) -> list[Any]:
        return [
            one
            for one in self.requests
            if "tools" in one and not is_ours(one) and not is_review(one)
        ]


@contextmanager
def both() -> Iterator[BothReviews]:
    running = BothReviews((), ())
    try:
        yield running
    finally:
        running.close()


def set_up(home: Path, url: str, mode: str) -> Path:
    """What the installer adds, and where turns are spooled."""
    place = home / ".reviewdeck" / "plugin.json"
    known = json.loads(place.read_text("utf-8"))
    spool = home.parent / "ledger.db.spool"
    reviewer = {"mode": mode, "base_url": f"{url}/v1"}
    place.write_text(json.dumps(known | {"spool": str(spool), "reviewer": reviewer}), "utf-8")
    return spool


def proposals(home: Path) -> list[Any]:
    return list(json.loads(reviewdeck(home, "list", "--json")))


def test_the_fork_sends_the_parents_request_again_to_the_byte(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home")
    with both() as model:
        set_up(home, model.url, "replace")
        converse(home, model.url, TEXT)
        (parent,), (fork, *_) = model.talk, model.ours
        assert not any(map(is_review, model.requests))
    assert fork.keys() == parent.keys()
    for key in parent.keys() - {"messages"}:
        assert json.dumps(fork[key]) == json.dumps(parent[key]), key
    earlier = fork["messages"][: len(parent["messages"])]
    assert json.dumps(earlier) == json.dumps(parent["messages"])
    log = (home / "logs" / "agent.log").read_text("utf-8")
    assert "is done: 1 staged, 100.0% of its request was sent before" in log


def test_typed_words_alone_make_proposals_that_are_the_users(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home")
    with both() as model:
        set_up(home, model.url, "typed")
        converse(home, model.url, TEXT)
        sent = model.ours[0]
        assert not any(map(is_review, model.requests))
    texts = [str(one["content"]) for one in sent["messages"] if one["role"] != "system"]
    assert any(text.startswith(TEXT) for text in texts) and "Understood." not in str(texts)
    (proposal,) = proposals(home)
    origin = json.loads(reviewdeck(home, "show", proposal["id"], "--json"))["checks"]["origin"]
    assert (origin["class"], origin["ok"]) == ("user", True)
    assert [one["text"] for one in origin["turns"]] == [TEXT]


def test_turns_are_recorded_while_they_are_held(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home", nudge=0)
    with both() as model:
        spool = set_up(home, model.url, "replace")
        converse(home, model.url, TEXT, "And the linter is ruff.")
        assert not model.ours
    assert len(list(spool.glob("*.spool"))) == 2
    reviewdeck(home, "list")
    ledger = open_reader(str(home.parent / "ledger.db"))
    (transcript,) = ledger.transcripts("s1")
    found = [[one.text for one in turn.messages] for turn in ledger.turns(transcript.id)]
    ledger.close()
    assert found == [[TEXT, "Understood."], ["And the linter is ruff.", "Understood."]]
    assert (transcript.home, transcript.platform) == (str(home), "cli")
    assert not list(spool.iterdir())


def test_hermes_own_review_goes_on_where_the_address_was_not_confirmed(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home")
    with both() as model:
        set_up(home, "http://127.0.0.1:9", "replace")
        converse(home, model.url, TEXT)
        assert not model.ours and any(map(is_review, model.requests))
    log = (home / "logs" / "agent.log").read_text("utf-8")
    assert "Hermes' own review runs: its model answers at" in log


TWO_TURNS = """
import sys, threading, time
from hermes_logging import setup_logging
from run_agent import AIAgent
setup_logging()
agent = AIAgent(base_url=sys.argv[1], api_key="mock", provider="custom", model="mock-model",
                enabled_toolsets=["memory", "skills"], quiet_mode=True, session_id="s1",
                platform="cli")
def reviews():
    return [one for one in threading.enumerate() if one.name.startswith("bg-review")]
history = agent.run_conversation("The tests run with nox now.")["messages"]
(first,) = reviews()
time.sleep(float(sys.argv[2]))
agent.run_conversation("And the linter is ruff.", conversation_history=history)
first.join(30)
print("still alive:", first.is_alive())
for one in reviews():
    one.join(60)
"""


def test_the_users_next_turn_ends_a_review_that_is_under_way(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home")
    with both() as model:
        model.latency = 600
        set_up(home, model.url, "replace")
        done = subprocess.run(
            [PYTHON, "-c", TWO_TURNS, f"{model.url}/v1", str(patience(6))],
            env=environment(home),
            cwd=home.parent,
            capture_output=True,
            text=True,
            timeout=patience(150),
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert model.broken_off.is_set()
    assert "still alive: False" in done.stdout.splitlines()
    log = (home / "logs" / "agent.log").read_text("utf-8")
    assert "went away for the user's turn" in log and "is done: 1 staged" in log


CHAT = """
import json, sys, threading
from hermes_logging import setup_logging
from run_agent import AIAgent
setup_logging()
agent = AIAgent(base_url=sys.argv[1], api_key="mock", provider="custom", model="mock-model",
                enabled_toolsets=["memory", "skills"], quiet_mode=True, session_id="s1",
                platform="cli")
printed, sent, status = [], [], []
agent._print_fn = lambda *words, **_: printed.append(" ".join(map(str, words)))
agent.background_review_callback = sent.append
agent.status_callback = lambda *words: status.append(" ".join(map(str, words)))
agent.run_conversation("The tests run with nox now.")
for one in threading.enumerate():
    if one.name.startswith("bg-review"):
        one.join(60)
print(json.dumps([printed, sent, status]))
"""


def chat(home: Path, url: str) -> tuple[list[str], list[str], list[str]]:
    """What the real Hermes prints, sends to a chat and reports, in one turn with its review."""
    done = subprocess.run(
        [PYTHON, "-c", CHAT, f"{url}/v1"],
        env=environment(home),
        cwd=home.parent,
        capture_output=True,
        text=True,
        timeout=patience(150),
        check=False,
    )
    assert done.returncode == 0, done.stderr
    printed, sent, status = json.loads(done.stdout.splitlines()[-1])
    return printed, sent, status


def show_notifications(home: Path, mode: str) -> None:
    """Sets how much Hermes tells of memories."""
    config = home / "config.yaml"
    text = config.read_text("utf-8") + f"display: {{memory_notifications: {mode}}}\n"
    config.write_text(text, "utf-8")


STAGED = "💾 Self-improvement review: "


@pytest.mark.parametrize(
    ("mode", "told"),
    [
        ("on", "memory update staged"),
        ("verbose", f'memory + "{TEXT}" staged'),
        ("off", ""),
    ],
)
def test_the_chat_is_told_what_was_staged_as_much_as_hermes_is_set_to(
    tmp_path: Path, mode: str, told: str
) -> None:
    home = make_home(tmp_path / "home")
    show_notifications(home, mode)
    with both() as model:
        set_up(home, model.url, "replace")
        printed, sent, _ = chat(home, model.url)
    assert len(proposals(home)) == 1
    assert sent == ([f"{STAGED}{told}"] if told else [])
    assert [line.strip() for line in printed if STAGED.strip() in line] == sent


class Refusing(BothReviews):
    """Answers conversations; the key is not good enough for reviews."""

    def line(self) -> Mapping[str, Any]:
        if is_ours(self.requests[-1]):
            return {"fault": "refused"}
        return super().line()


def test_the_chat_is_told_why_a_review_failed(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home")
    model = Refusing((), ())
    try:
        set_up(home, model.url, "replace")
        _, sent, status = chat(home, model.url)
    finally:
        model.close()
    (failure,) = [line for line in status if "review" in line]
    assert "failed" in failure and "no: refused" in failure and not sent
    known = json.loads(reviewdeck(home, "status", "--json"))["reviews"]
    assert known["last_ending"] == "failed" and "no: refused" in known["last_reason"]


def test_a_review_that_outlives_hermes_is_told_at_the_next_turn(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home")
    with both() as model:
        model.latency = patience(3)
        set_up(home, model.url, "replace")
        leave = CHAT.replace("one.join(60)", "one.join(0.0)")
        done = subprocess.run(
            [PYTHON, "-c", leave, f"{model.url}/v1"],
            env=environment(home),
            cwd=home.parent,
            capture_output=True,
            text=True,
            timeout=patience(150),
            check=False,
        )
        assert done.returncode == 0, done.stderr
        until = time.monotonic() + patience(60)
        while not proposals(home) and time.monotonic() < until:
            time.sleep(0.2)
        told = inside(home, NEXT_TURN, str(home / ".reviewdeck" / "reviews"))
    assert f"{STAGED}memory update staged" in told


NEXT_TURN = """
    import sys, time
    from pathlib import Path
    sys.stderr = sys.stdout
    from hermes_cli import plugins
    plugins.discover_plugins()
    reviews, until = Path(sys.argv[1]), time.monotonic() + 30
    while time.monotonic() < until:
        plugins.invoke_hook("transform_llm_output", response_text="Hi.", platform="cli")
        time.sleep(0.2)
        if not any(reviews.iterdir()):
            break
"""
