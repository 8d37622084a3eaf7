"""Every storage under one set of tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import cast
from uuid import uuid4

import pytest
from tests.working.kit import Awaited, Moment, Server, serving

from reviewdeck.working import Scope, Storage, WorkingMemory
from reviewdeck.working.fallback import Fallback
from reviewdeck.working.in_process import InProcess
from reviewdeck.working.redis import Redis
from reviewdeck.working.sqlite import Sqlite

STORAGES = ("in process", "sqlite", "valkey", "sqlite, or in process", "valkey, or in process")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tests of a process; each test has scopes of its own."""
    with serving(tmp_path_factory.mktemp("valkey")) as found:
        yield found


@pytest.fixture
def clock() -> Moment:
    """A clock that stands still until it is moved."""
    return Moment()


@pytest.fixture(params=STORAGES)
def storage(request: pytest.FixtureRequest, tmp_path: Path, clock: Moment) -> Iterator[Storage]:
    """Each storage in turn."""
    kind, _, has_fallback = str(request.param).partition(", ")

    def connect() -> Storage:
        match kind:
            case "sqlite":
                return Sqlite(tmp_path / "working.db", clock)
            case "valkey":
                return Redis(request.getfixturevalue("server").url)
            case _:
                return InProcess()

    found = Fallback(connect, clock.tick) if has_fallback else connect()
    yield found
    found.close()


Opener = Callable[..., WorkingMemory]


@pytest.fixture(params=["called", "awaited"])
def opened(request: pytest.FixtureRequest, storage: Storage, clock: Moment) -> Opener:
    """Opens a scope of this test, with its methods called or awaited."""
    mine = uuid4().hex

    def open_scope(
        session: str | None = "s1",
        *,
        agent: str | None = None,
        project: str | None = None,
        ttl: timedelta | None = None,
        most_notes: int = 1_000,
        most_values: int = 10_000,
    ) -> WorkingMemory:
        project = mine if project is None else f"{mine} {project}"
        scope = Scope(session, agent, project)
        memory = WorkingMemory(
            scope, storage, now=clock, ttl=ttl, most_notes=most_notes, most_values=most_values
        )
        return memory if request.param == "called" else cast("WorkingMemory", Awaited(memory))

    return open_scope


@pytest.fixture
def memory(opened: Opener) -> WorkingMemory:
    """One session's working memory."""
    return opened()
