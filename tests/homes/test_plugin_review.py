"""The plugin's reviewer: when it stands in for Hermes' own, what it starts, and what ends it."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from reviewdeck.agents.hermes import agent, announce, review
from reviewdeck.reviewer.conversation import conversation_of

Json = dict[str, Any]
ADDRESS = "https://models.example/v1"
PROGRAM = """\
import json, os, signal, sys, time
place = sys.argv[1]
said = sys.stdin.read()
deadline = time.monotonic() + 60
while os.nice(0) < 10 and time.monotonic() < deadline:
    time.sleep(0.01)  # whoever starts this gives it its priority a moment later
known = {name: os.environ[name] for name in os.environ if "KEY" in name or "HEADERS" in name}
what = {"words": sys.argv[2:], "said": json.loads(said), "env": known, "nice": os.nice(0)}
with open(place + ".new", "w") as file:
    json.dump(what, file)
def stop(number, frame):
    open(place + ".stopped", "w").close()
    sys.exit(130)
signal.signal(signal.SIGINT, stop)
os.rename(place + ".new", place)
time.sleep(float(os.environ.get("REVIEWDECK_TEST_SLEEP", "0")))
told = {"on": "memory update staged", "verbose": "memory + \\"x\\" staged"}
print(os.environ.get("REVIEWDECK_TEST_ANSWER") or json.dumps(
    {"ending": "done", "proposals": ["p1"], "identical_share": 1.0, "announcement": told}))
"""


class Agent:
    """Hermes' agent, as far as a review looks at it."""

    provider, api_mode, session_id = "custom", "chat_completions", "s1"
    _client_kwargs = {"default_headers": {"X-Title": "Hermes"}}  # noqa: RUF012
    memory_notifications = "on"

    def __init__(self) -> None:
        self.told: list[str] = []
        self.background_review_callback: Any = lambda text: self.told.append(f"sent {text}")

    def _safe_print(self, text: str) -> None:
        self.told.append(f"printed {text.strip()}")

    def _emit_auxiliary_failure(self, task: str, error: Exception) -> None:
        self.told.append(f"{task} failed: {error}")


class Hermes:
    """Hermes as far as it starts reviews: its function, and what its own reviews did."""

    def __init__(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.home, self.place = home, home / "started.json"
        self.own: list[tuple[bool, bool]] = []
        self.runtime: Json = {
            "provider": "custom",
            "model": "m",
            "api_key": "the-key",
            "base_url": f"{ADDRESS}/",
            "api_mode": "chat_completions",
            "routed": False,
        }
        module: Any = ModuleType("agent.background_review")
        self.module = module

        def spawn_background_review_thread(
            agent: Any, messages_snapshot: Any, review_memory: bool = False,
            review_skills: bool = False,
        ) -> tuple[Callable[[], None], str]:  # fmt: skip
            return lambda: self.own.append((review_memory, review_skills)), "theirs"

        module.spawn_background_review_thread = spawn_background_review_thread
        module._resolve_review_runtime = lambda live: self.runtime
        self.runner: Any = ModuleType("run_agent")
        exec(  # noqa: S102 - a class whose method imports as that of Hermes does
            "class AIAgent:\n"
            "    def _spawn_background_review(self):\n"
            "        from agent.background_review import spawn_background_review_thread\n",
            self.runner.__dict__,
        )
        for name, module in (
            ("agent", ModuleType("agent")),
            ("agent.background_review", self.module),
            ("run_agent", self.runner),
        ):
            monkeypatch.setitem(sys.modules, name, module)

    def set_up(self, **known: object) -> None:
        """What the installer writes."""
        program = self.home / "program.py"
        program.write_text(PROGRAM, "utf-8")
        said = {
            "v": 1,
            "command": [sys.executable, str(program), str(self.place)],
            "reviewer": {"mode": "replace", "base_url": ADDRESS, **known},
        }
        place = self.home / ".reviewdeck" / "plugin.json"
        place.parent.mkdir(exist_ok=True)
        place.write_text(json.dumps(said), "utf-8")
        place.chmod(0o600)

    def request(self, **more: Any) -> None:
        """Hermes sends a request of the conversation."""
        body: Json = {
            "model": "m",
            "messages": [
                {"role": "system", "content": "You are an agent."},
                {"role": "user", "content": "Staging moved."},
            ],
            "tools": [{"type": "function", "function": {"name": "memory", "parameters": {}}}],
            "timeout": object(),
            "extra_body": {"reasoning": {"effort": "low"}},
            **more,
        }
        review.note_request(original_request=body, session_id="s1", turn_id="t1", platform="cli")

    def due(self, *, memory: bool = True, skills: bool = False, live: Any = None) -> None:
        """A review is due: its thread runs to the end."""
        history = [{"role": "assistant", "content": "Noted."}]
        work, _ = self.module.spawn_background_review_thread(
            live or Agent(), history, review_memory=memory, review_skills=skills
        )
        work()

    @property
    def started(self) -> Json:
        """What our program was given; nothing when it was not started."""
        return json.loads(self.place.read_text("utf-8")) if self.place.exists() else {}


@pytest.fixture
def hermes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hermes]:
    monkeypatch.setattr(agent, "home", lambda: tmp_path)
    monkeypatch.setattr(review, "_has_tried", False)
    for known in (review._requests, review._running):
        known.clear()
    monkeypatch.setenv("OPENROUTER_API_KEY", "another-key")
    made = Hermes(tmp_path, monkeypatch)
    made.set_up()
    yield made


def test_the_conversations_own_request_is_handed_over_with_the_answer(hermes: Hermes) -> None:
    hermes.request()
    hermes.due()
    said = hermes.started["said"]
    assert [one["role"] for one in said["messages"]] == ["system", "user", "assistant"]
    assert said["reasoning"] == {"effort": "low"} and said["stream"] is True
    assert {"timeout", "extra_body"}.isdisjoint(said)
    conversation = conversation_of(said)
    assert (conversation.session, conversation.turn, conversation.occasion) == ("s1", "t1", "turn")
    assert hermes.own == []


def test_the_program_is_told_what_to_review_and_where(hermes: Hermes) -> None:
    hermes.set_up(timeout=30)
    hermes.request()
    hermes.due(skills=True)
    words = hermes.started["words"]
    expected = ["review", "/dev/stdin", "--home", str(hermes.home), "--json"]
    assert words == [*expected, "--base-url", ADDRESS, "--timeout", "30"]
    assert hermes.started["nice"] == review.NICENESS


def test_a_key_goes_by_the_environment_alone_and_no_other_key_with_it(hermes: Hermes) -> None:
    hermes.request()
    hermes.due()
    assert hermes.started["env"] == {
        "REVIEWDECK_API_KEY": "the-key",
        "REVIEWDECK_API_HEADERS": '{"X-Title": "Hermes"}',
    }
    assert "the-key" not in json.dumps([hermes.started["words"], hermes.started["said"]])


def test_another_model_that_hermes_is_set_to_for_reviews_is_named(hermes: Hermes) -> None:
    hermes.runtime |= {"routed": True, "provider": "openrouter", "model": "cheap"}
    hermes.request()
    hermes.due()
    words = hermes.started["words"]
    assert words[words.index("--provider") + 1 :][:3] == ["openrouter", "--model", "cheap"]
    assert "REVIEWDECK_API_HEADERS" not in hermes.started["env"]


@pytest.mark.parametrize(
    ("known", "why"),
    [
        ({"base_url": "https://elsewhere.example/v1"}, "was confirmed: run `reviewdeck hermes"),
        ({"api_key": None}, "no key can be handed on"),
        ({"api_key": object()}, "no key can be handed on"),
        ({"provider": "anthropic", "api_mode": "", "api_key": "sk-ant-oat01-x"}, "no key can be"),
        ({"api_mode": "codex_responses"}, "spoken to as codex_responses"),
    ],
)
def test_hermes_own_review_runs_where_its_model_cannot_be_asked(
    hermes: Hermes, caplog: pytest.LogCaptureFixture, known: Json, why: str
) -> None:
    hermes.runtime |= known
    hermes.request()
    hermes.due(skills=True)
    assert hermes.own == [(True, True)] and not hermes.started
    assert why in caplog.text and "the-key" not in caplog.text


def test_hermes_own_review_runs_where_its_request_was_not_seen_whole(hermes: Hermes) -> None:
    hermes.request(messages=None, input=[])
    hermes.due()
    hermes.request(messages=[{"role": "user", "content": object()}])
    hermes.due()
    assert hermes.own == [(True, False)] * 2


def test_hermes_own_review_runs_where_the_program_is_gone(hermes: Hermes) -> None:
    hermes.request()
    place = hermes.home / ".reviewdeck" / "plugin.json"
    place.write_text(place.read_text().replace(sys.executable, "/no/such/program"), "utf-8")
    hermes.due(skills=True)
    assert hermes.own == [(True, True)] and not review._running


def test_a_hermes_that_starts_its_reviews_in_another_way_is_left_alone(
    hermes: Hermes, caplog: pytest.LogCaptureFixture
) -> None:
    theirs = hermes.module.spawn_background_review_thread
    hermes.runner.AIAgent._spawn_background_review = lambda self: None
    hermes.request()
    assert hermes.module.spawn_background_review_thread is theirs
    assert "the reviewer is not used" in caplog.text
    del hermes.module.spawn_background_review_thread
    review._has_tried = False
    hermes.request()
    assert caplog.text.count("the reviewer is not used") == 2


def test_a_home_without_a_reviewer_keeps_hermes_own(hermes: Hermes) -> None:
    hermes.request()
    hermes.set_up(mode="off")
    hermes.due()
    assert hermes.own == [(True, False)] and not hermes.started


def test_typed_words_are_for_memory_and_skills_stay_with_hermes(hermes: Hermes) -> None:
    hermes.set_up(mode="typed")
    hermes.request()
    hermes.due(memory=True, skills=True)
    assert hermes.own == [(False, True)]
    words = hermes.started["words"]
    assert words[words.index("--only") + 1 :][:2] == ["memory", "--typed"]
    hermes.place.unlink()
    hermes.due(memory=False, skills=True)
    assert hermes.own == [(False, True)] * 2 and not hermes.started


def test_the_users_next_turn_ends_a_review(
    hermes: Hermes, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    monkeypatch.setattr(review, "GRACE", 60.0)  # A busy machine starts a signal's handler late.
    monkeypatch.setenv("REVIEWDECK_TEST_SLEEP", "600")
    hermes.request()
    thread = threading.Thread(target=hermes.due)
    thread.start()
    deadline = time.monotonic() + 60
    while not hermes.place.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    review.note_request(original_request={}, session_id="another")
    assert review._running
    hermes.request()
    thread.join(60)
    assert not thread.is_alive() and not review._running
    assert hermes.place.with_name("started.json.stopped").exists()
    assert "went away for the user's turn" in caplog.text and hermes.own == []


def test_what_a_review_itself_sends_ends_nothing(
    hermes: Hermes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent, "origin", lambda: agent.BACKGROUND)
    hermes.request()
    assert not review._requests


def test_what_came_of_a_review_is_logged(hermes: Hermes, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    hermes.request()
    hermes.due()
    assert "the review of s1 is done: 1 staged, 100.0% of its request was sent" in caplog.text


def test_the_user_is_told_as_hermes_tells(hermes: Hermes) -> None:
    live = Agent()
    hermes.request()
    hermes.due(live=live)
    line = "💾 Self-improvement review: memory update staged"
    assert live.told == [f"printed {line}", f"sent {line}"]
    assert not list((hermes.home / ".reviewdeck" / "reviews").iterdir())


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ({"ending": "failed", "detail": "refused: no\x1b[31m"}, "refused: no�[31m"),
        ({"ending": "iteration-limit", "detail": ""}, "iteration-limit"),
        ({"error": {"message": "The home is gone."}}, "The home is gone."),
        ([], "[]"),
    ],
)
def test_the_user_is_told_why_a_review_failed(
    hermes: Hermes, monkeypatch: pytest.MonkeyPatch, answer: Any, why: str
) -> None:
    live = Agent()
    given = {"proposals": [], "identical_share": None, **answer} if "ending" in answer else answer
    monkeypatch.setenv("REVIEWDECK_TEST_ANSWER", json.dumps(given))
    hermes.request()
    hermes.due(live=live)
    assert live.told == [f"background review failed: {why}"]


def test_what_a_running_review_writes_is_not_taken_for_a_left_one(tmp_path: Path) -> None:
    file, path = announce.open_answer(tmp_path)
    with file:
        file.write(b'{"error": {"message": "No."}}')
        file.flush()
        assert announce.left_lines(tmp_path) == [] and path is not None and path.exists()
    assert announce.left_lines(tmp_path) == ["⚠ Auxiliary background review failed: No."]
    assert announce.left_lines(tmp_path) == []


def test_a_model_of_the_operators_own_reviews_with_its_key_and_not_with_hermes(
    hermes: Hermes, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = hermes.home / "reviewer.toml"
    file.write_text(
        'provider = "small"\nmodel = "s"\nbase_url = "https://own.example/v1"\n', "utf-8"
    )
    hermes.set_up(settings=str(file), base_url="")
    monkeypatch.setenv("SMALL_API_KEY", "operators-own")
    hermes.request()
    hermes.due()
    assert hermes.started["env"] == {"SMALL_API_KEY": "operators-own"}
    assert "--base-url" not in hermes.started["words"] and hermes.own == []


def test_settings_that_cannot_be_read_leave_the_review_to_hermes(
    hermes: Hermes, caplog: pytest.LogCaptureFixture
) -> None:
    file = hermes.home / "reviewer.toml"
    file.write_text("provider = small\n", "utf-8")
    hermes.set_up(settings=str(file))
    hermes.request()
    hermes.due()
    assert hermes.own == [(True, False)] and "reviewer.toml cannot be used" in caplog.text


def test_a_platform_that_hermes_does_not_name_is_that_of_its_variable(
    hermes: Hermes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HERMES_SESSION_SOURCE", "telegram")
    body: Json = {"model": "m", "messages": [{"role": "user", "content": "Staging moved."}]}
    review.note_request(original_request=body, session_id="s1", turn_id="t1")
    hermes.due()
    assert hermes.started["said"]["reviewdeck"]["platform"] == "telegram"
