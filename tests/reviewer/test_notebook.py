"""How far a review is can be seen from elsewhere while it runs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from tests.engine.kit import Ticking
from tests.reviewer.kit import Desk, add, talk

from reviewdeck.engine.engine import Engine
from reviewdeck.errors import StorageUnavailable
from reviewdeck.reviewer.endings import ExchangeEnd
from reviewdeck.reviewer.exchange import ExchangeProgress
from reviewdeck.reviewer.review import LONGEST_SILENCE, open_notebook, running_review, scope_of
from reviewdeck.working import WorkingMemory
from reviewdeck.working.in_process import InProcess
from reviewdeck.working.storage import Storage


@pytest.fixture
def storage() -> InProcess:
    """A working memory that both sides see."""
    return InProcess()


def noted(desk: Desk, storage: Storage, clock: Callable[[], Any]) -> Desk:
    """The same desk, whose reviews write down how far they are."""
    desk.options["notebook"] = open_notebook(storage, desk.home.id, clock)
    return desk


def test_while_it_runs_its_task_says_how_far_it_is(
    desk: Desk, deck: Engine, clock: Ticking, storage: InProcess
) -> None:
    seen = []

    def watch(progress: ExchangeProgress) -> None:
        task = running_review(storage, desk.home.id, clock())
        assert task is not None
        seen.append((task.title, task.step))

    noted(desk, storage, clock).review([add("The linter is ruff.")], watch=watch)
    assert {title for title, _ in seen} == {"review of session s-1"}
    assert any("memory" in step for _, step in seen)
    assert running_review(storage, desk.home.id, clock()) is None, "it has ended"


def test_when_it_has_ended_its_notes_tell_how_and_what_it_did(
    desk: Desk, clock: Ticking, storage: InProcess
) -> None:
    noted(desk, storage, clock).review([add("The linter is ruff.")])
    memory = WorkingMemory(scope_of(desk.home.id), storage, now=clock)
    task = memory.task()
    assert task is not None
    assert (task.status, task.percent) == (ExchangeEnd.DONE.value, 100.0)
    assert ["memory", ""] in memory.notes()


def test_a_review_that_was_killed_is_not_shown_for_ever(
    desk: Desk, clock: Ticking, storage: InProcess
) -> None:
    book = open_notebook(storage, desk.home.id, clock)
    assert book is not None
    book.begin("s-1")
    assert running_review(storage, desk.home.id, clock()) is not None
    clock.moment += LONGEST_SILENCE + timedelta(seconds=1)
    assert running_review(storage, desk.home.id, clock()) is None


def test_a_review_goes_on_when_its_notes_cannot_be_kept(desk: Desk, clock: Ticking) -> None:
    class Broken(InProcess):
        is_broken = False

        def put(self, *given: Any) -> None:
            self._refuse()
            super().put(*given)

        def change(self, *given: Any) -> Any:
            self._refuse()
            return super().change(*given)

        def _refuse(self) -> None:
            if self.is_broken:
                raise StorageUnavailable("gone")

    storage = Broken()
    noted(desk, storage, clock)
    storage.is_broken = True
    assert desk.review([add("The linter is ruff.")]).run.proposals
    assert open_notebook(storage, desk.home.id, clock) is None


def test_the_conversation_may_have_no_session(
    desk: Desk, clock: Ticking, storage: InProcess
) -> None:
    reviewed = noted(desk, storage, clock).review([], talk(session=""))
    assert reviewed.exchange.ending in set(ExchangeEnd)
