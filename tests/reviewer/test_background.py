"""Reviews beside a running agent: at once, alone, gone when the user speaks, and quiet."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from tests.reviewer.kit import FAST, add, call, openai_request, talk
from tests.reviewer.peer import peer

from reviewdeck.bootstrap import open_deck
from reviewdeck.errors import BadInput, Busy
from reviewdeck.reviewer.background import THREAD, BackgroundReviews, ReviewMode
from reviewdeck.reviewer.conversation import Json, Runtime
from reviewdeck.reviewer.embed import background_reviews
from reviewdeck.reviewer.endings import ExchangeEnd
from reviewdeck.reviewer.exchange import ExchangeProgress
from reviewdeck.reviewer.models import open_model
from reviewdeck.reviewer.review import Reviewer
from reviewdeck.reviewer.scripted import ScriptedModel
from reviewdeck.reviewer.unattended import unattended

SLOW = {"wait": 600}
PATIENCE = 60.0
"""Seconds for what is waited for, and not measured, on a busy machine."""


class Agent:
    """An agent that embeds reviews."""

    def __init__(self, home: Path, ledger: Path) -> None:
        self.home, self.ledger = home, ledger
        self.told: list[str] = []
        self.models: list[ScriptedModel] = []

    def reviews(self, script: Sequence[Json], **options: Any) -> BackgroundReviews:
        """Its reviews, whose model follows a script."""

        def opened(runtime: Runtime) -> ScriptedModel:
            self.models.append(ScriptedModel(script))
            return self.models[-1]

        chosen: dict[str, Any] = {"models": opened, "announce": self.told.append}
        chosen |= {"limits": FAST} | options
        return background_reviews(self.home, ledger=str(self.ledger), **chosen)


def wait_for_a_request(agent: Agent) -> None:
    """Until a review has asked its model."""
    end = time.monotonic() + PATIENCE
    while not any(model.requests for model in agent.models):
        assert time.monotonic() < end
        time.sleep(0.005)


@pytest.fixture
def agent(home: Path, tmp_path: Path) -> Agent:
    return Agent(home, tmp_path / "own" / "ledger.db")


def test_a_review_is_not_waited_for_and_stages_in_its_own_time(agent: Agent) -> None:
    may_start = threading.Event()

    def opened(_: Runtime) -> ScriptedModel:
        may_start.wait()
        return ScriptedModel([add("The linter is ruff.")])

    reviews = agent.reviews([], models=opened)
    review = reviews.spawn(talk(), review_memory=True)
    assert review is not None and review.is_running
    may_start.set()
    assert reviews.join(PATIENCE)
    assert review.reviewed is not None and len(review.reviewed.run.proposals) == 1
    assert agent.told == ["Review: memory update staged"]


def test_nothing_to_review_starts_nothing(agent: Agent) -> None:
    assert agent.reviews([]).spawn(talk()) is None


def test_one_review_runs_at_a_time(agent: Agent) -> None:
    reviews = agent.reviews([SLOW])
    first = reviews.spawn(talk(), review_memory=True)
    assert first is not None
    assert reviews.spawn(talk(), review_memory=True) is None
    first.cancel()
    # How soon it ends is asked elsewhere: here only that nobody is let in before it has.
    assert first.join(PATIENCE)
    second = reviews.spawn(talk(), review_skills=True)
    assert second is not None
    second.cancel()
    assert second.join(PATIENCE)


def test_a_new_live_turn_ends_a_review_that_waits_for_its_model(agent: Agent) -> None:
    reviews = agent.reviews([SLOW])
    review = reviews.spawn(talk(), review_memory=True)
    assert review is not None
    wait_for_a_request(agent)
    assert reviews.live_turn(PATIENCE)
    assert review.reviewed is not None
    assert review.reviewed.exchange.ending is ExchangeEnd.CANCELLED
    assert agent.told == []


def test_a_live_turn_breaks_off_a_request_to_a_real_provider(agent: Agent) -> None:
    with peer({"latency": 600}) as running:
        runtime = Runtime("openai", "m", base_url=f"{running.url}/v1", api_key="k")
        reviews = agent.reviews([], models=open_model)
        review = reviews.spawn(talk(runtime=runtime), review_memory=True)
        assert running.asked.wait(PATIENCE)
        assert reviews.live_turn(PATIENCE)
        assert running.broken_off.wait(PATIENCE)
    assert review is not None and not review.is_running


def test_joining_has_a_bound(agent: Agent) -> None:
    reviews = agent.reviews([SLOW])
    reviews.spawn(talk(), review_memory=True)
    assert reviews.join(0.05) is False
    assert reviews.live_turn(PATIENCE)


def test_the_live_conversation_may_change_under_a_review(agent: Agent) -> None:
    request = openai_request()
    conversation = talk(request)
    may_start, script = threading.Event(), [call("skills_list"), {"say": "Done."}]

    def opened(_: Runtime) -> ScriptedModel:
        may_start.wait()
        agent.models.append(ScriptedModel(script))
        return agent.models[-1]

    reviews = agent.reviews([], models=opened)
    reviews.spawn(conversation, review_skills=True)
    request["messages"][1]["content"] = "changed"
    request["messages"].clear()
    request["tools"].clear()
    conversation.messages[1]["content"] = "changed as well"
    may_start.set()
    assert reviews.join(PATIENCE)
    sent = agent.models[0].requests[-1]
    assert "nox" in sent.messages[1]["content"] and len(sent.tools) == 5


def test_a_review_never_starts_a_review(agent: Agent) -> None:
    started: list[object] = []
    inner = agent.reviews([])

    def watch(progress: ExchangeProgress) -> None:
        started.append(inner.spawn(talk(), review_memory=True))

    reviews = agent.reviews([{"say": "Done."}], watch=watch)
    reviews.spawn(talk(), review_memory=True)
    assert reviews.join(PATIENCE)
    assert started == [None]


def test_what_a_review_prints_stays_off_the_screen_and_others_print_as_before(
    agent: Agent, capsys: pytest.CaptureFixture[str]
) -> None:
    printing, go_on = threading.Event(), threading.Event()

    def watch(progress: ExchangeProgress) -> None:
        print("from the review")
        print("and its errors", file=sys.stderr)
        printing.set()
        go_on.wait(PATIENCE)

    before = sys.stdout
    reviews = agent.reviews([{"say": "Done."}], watch=watch)
    review = reviews.spawn(talk(), review_memory=True)
    assert printing.wait(PATIENCE)
    print("from the agent")
    go_on.set()
    assert reviews.join(PATIENCE) and review is not None
    said = capsys.readouterr()
    assert said.out == "from the agent\n" and said.err == ""
    assert review.printed == "from the review\nand its errors\n"
    assert sys.stdout is before


def test_resources_are_released_on_every_path(agent: Agent) -> None:
    for script in ([{"say": "Done."}], [{"fail": {"kind": "refused"}}], [SLOW]):
        reviews = agent.reviews(script)
        reviews.spawn(talk(), review_memory=True)
        if script == [SLOW]:
            assert reviews.live_turn(PATIENCE)
        assert reviews.join(PATIENCE)
    assert all(model.is_closed for model in agent.models) and len(agent.models) == 3
    assert THREAD not in {thread.name for thread in threading.enumerate()}


def test_a_review_that_breaks_hurts_nobody_and_is_reported_once(agent: Agent) -> None:
    def broken() -> AbstractContextManager[Reviewer]:
        raise RuntimeError("no disk")

    reviews = BackgroundReviews(broken, announce=agent.told.append)
    errors: list[BaseException | None] = []
    for _ in range(3):
        review = reviews.spawn(talk(), review_memory=True)
        assert review is not None and review.join(PATIENCE)
        errors.append(review.error)
    assert all(isinstance(error, RuntimeError) for error in errors)
    assert agent.told == ["Review: it failed (RuntimeError: no disk)"]


def test_the_agents_own_callback_prints_on_its_own_screen(
    agent: Agent, capsys: pytest.CaptureFixture[str]
) -> None:
    reviews = agent.reviews([add("The linter is ruff.")], announce=print)
    reviews.spawn(talk(), review_memory=True)
    assert reviews.join(PATIENCE)
    assert capsys.readouterr().out == "Review: memory update staged\n"


def test_a_review_that_cannot_start_does_not_take_the_turn_with_it(agent: Agent) -> None:
    def look() -> dict[str, bytes]:
        raise OSError("no such home")

    reviews = agent.reviews([])
    reviews.look = look
    review = reviews.spawn(talk(), review_memory=True)
    assert review is not None and not review.is_running
    assert isinstance(review.error, OSError) and "no such home" in agent.told[0]


def test_a_callback_that_breaks_is_the_agents_own_matter(agent: Agent) -> None:
    def announce(line: str) -> None:
        raise ValueError(line)

    reviews = agent.reviews([add("The linter is ruff.")], announce=announce)
    review = reviews.spawn(talk(), review_memory=True)
    assert review is not None and review.join(PATIENCE)
    assert review.error is None and review.reviewed is not None


def test_a_user_who_wants_to_hear_nothing_hears_nothing(agent: Agent) -> None:
    reviews = agent.reviews([add("The linter is ruff.")], mode=ReviewMode.OFF)
    reviews.spawn(talk(), review_memory=True)
    assert reviews.join(PATIENCE) and agent.told == []


def test_a_question_to_a_human_is_denied_within_a_review_and_counted(agent: Agent) -> None:
    asked: list[str] = []

    def ask(question: str) -> bool:
        asked.append(question)
        return True

    approve = unattended(ask, denial=False)
    answers: list[bool] = []

    def watch(progress: ExchangeProgress) -> None:
        answers.append(approve("May I run rm?"))

    reviews = agent.reviews([{"say": "Done."}], watch=watch)
    reviews.spawn(talk(), review_memory=True)
    assert reviews.join(PATIENCE)
    assert answers == [False] and asked == []
    assert approve("May I?") is True
    deck = open_deck(agent.home, ledger=str(agent.ledger))
    try:
        assert deck.ledger.reviews()[0].denied == {"approval": 1}
    finally:
        deck.close()


def held_files() -> list[Path]:
    """The files that this process has open."""
    if not Path("/proc/self/fd").is_dir():
        pytest.skip("the system does not say")
    return [file.resolve() for file in Path("/proc/self/fd").iterdir() if file.exists()]


def test_a_review_that_cannot_open_its_working_memory_holds_no_ledger(agent: Agent) -> None:
    env = {"HOME": str(agent.home.parent), "REVIEWDECK_WORKING": "nowhere://at-all"}
    reviews = agent.reviews([], env=env)
    review = reviews.spawn(talk(), review_memory=True)
    assert review is not None and review.join(PATIENCE)
    assert isinstance(review.error, BadInput)
    assert agent.ledger.exists() and agent.ledger.resolve() not in held_files()


def test_a_review_that_cannot_open_its_home_holds_no_ledger(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*given: object) -> None:
        raise Busy("Another process writes.")

    monkeypatch.setattr("reviewdeck.bootstrap._open_home", busy)
    review = agent.reviews([]).spawn(talk(), review_memory=True)
    assert review is not None and review.join(PATIENCE)
    assert isinstance(review.error, Busy)
    assert agent.ledger.exists() and agent.ledger.resolve() not in held_files()
