"""A team over a real PostgreSQL: two workers as processes of their own, and two operators."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests import postgres
from tests.cli.test_watch import WAIT, Watching
from tests.cli.test_worker_faults import KILLED_AT_THE_SECOND_FILE, approve_two_files
from tests.engine.crashes import make_home
from tests.engine.kit import MEMORY, OPERATOR, USER, Agent, Ticking, digest_of, entries
from tests.ledger.hub import make_hub

from reviewdeck.bootstrap import open_engine
from reviewdeck.clock import utc_now
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.options import Settings
from reviewdeck.errors import NotDecidable
from reviewdeck.ledger.postgres.administration import add_member
from reviewdeck.model import Actor, ActorKind, State

WANTED = "The staging host is stg-4."
PROGRAM = "{more}\nfrom reviewdeck.cli.main import main\nraise SystemExit(main())"
IRIS = OPERATOR
OTTO = Actor(ActorKind.OPERATOR, "otto", host="desk", terminal="")

pytestmark = pytest.mark.slow


class Hub:
    """A server of its own, which can be stopped and started again."""

    def __init__(self) -> None:
        # A power cut may take nothing that was acknowledged.
        self.server = postgres.server.__wrapped__("synchronous_commit=on")
        self.name = self.server.create()
        self.url = self.server.url(self.name)
        make_hub(self.url)

    def stop(self) -> None:
        """Ends it as a power cut would."""
        assert self._control("stop", "-m", "immediate") == 0

    def start(self) -> None:
        """Starts it again."""
        words = f"-c listen_addresses= -c unix_socket_directories={self.server.folder}"
        log = str(self.server.folder / "again")
        assert self._control("start", "-l", log, "-o", words) == 0

    def end(self) -> None:
        """Ends what runs, whoever started it."""
        self._control("stop", "-m", "immediate")

    def _control(self, *words: str) -> int:
        done = self.server.run("pg_ctl", "-w", "-D", str(self.server.data), *words)
        code: int = done.returncode
        return code


class Host:
    """A machine with one home, and its worker."""

    def __init__(self, root: Path, hub: Hub) -> None:
        self.root, self.hub, self.home = root, hub, make_home(root / "home")
        self.agent = Agent(self.home, Ticking())

    def worker(self, more: str = "") -> Watching:
        """Starts its worker."""
        parts: dict[str, Any] = {
            "program": ("-c", PROGRAM.format(more=more)),
            "command": ("worker",),
            "env": self._environment(),
        }
        kind = type("Working", (Watching,), parts)
        working = kind(self.home, self.hub.url, "--json", "--poll", "2")
        assert isinstance(working, Watching)
        return working

    def _environment(self) -> Mapping[str, str]:
        own = {"HOME": str(self.root), "XDG_DATA_HOME": str(self.root / "data")}
        kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
        return {**kept, **own}


@pytest.fixture
def ending() -> Iterator[ExitStack]:
    """What is ended with the test."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def hub(ending: ExitStack) -> Hub:
    """An empty hub."""
    made = Hub()
    ending.callback(made.end)
    return made


def started(working: Watching, ending: ExitStack) -> Watching:
    """A worker that ends with the test."""

    def end() -> None:
        if working.process.poll() is None:
            working.process.kill()
        working.close()

    ending.callback(end)
    return working


def desk_of(actor: Actor, root: Path, hub: Hub) -> Engine:
    """What an operator has on a machine without a home."""
    host = actor.name.ljust(16, "0")
    settings = Settings((), hub.url, root, actor=actor, host=host, elsewhere=())
    return open_engine(settings, now=utc_now)


def wait_for(found: Callable[[], Any]) -> Any:
    """The first answer that is none of nothing."""
    deadline = time.monotonic() + WAIT
    while not (answer := found()):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return answer


def waiting(desk: Callable[[], Engine], home: Path) -> str:
    """The proposal that waits in a home, as a desk sees it."""

    def look() -> str:
        with closing(desk()) as engine:
            items = [item for item in engine.pending() if item.home.startswith(str(home))]
            return items[0].id if items else ""

    found: str = wait_for(look)
    return found


def test_a_team_loses_nothing_when_its_hub_restarts_and_a_worker_is_killed(
    hub: Hub, ending: ExitStack, tmp_path: Path
) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    a, b = Host(tmp_path / "a", hub), Host(tmp_path / "b", hub)
    a.agent.replace("staging host", WANTED)
    b.agent.replace("staging host", WANTED)
    worker_a = started(a.worker(), ending)
    worker_b = started(b.worker(more=KILLED_AT_THE_SECOND_FILE), ending)
    for worker in (worker_a, worker_b):
        worker.wait_for("watching")

    def otto() -> Engine:
        return desk_of(OTTO, tmp_path, hub)

    def iris() -> Engine:
        return desk_of(IRIS, tmp_path, hub)

    of_a, of_b = waiting(otto, a.home), waiting(iris, b.home)
    # The hub goes away and comes back between two decisions; no worker has to be told.
    hub.stop()
    worker_a.wait_for("failed")
    hub.start()
    with closing(otto()) as desk:
        operation = desk.approve(of_a, digest_of(desk, of_a))
        assert operation.proposal == of_a
    with closing(iris()) as desk:  # The second operator sees it at once, and cannot decide it too.
        assert desk.find(of_a).state in (State.APPROVED, State.APPLYING, State.APPLIED)
        with pytest.raises(NotDecidable):
            desk.reject(of_a, "no")
    wait_for(lambda: WANTED in entries(a.home))

    def is_applied(id: str) -> bool:
        with closing(iris()) as desk:
            return desk.find(id).state is State.APPLIED

    wait_for(lambda: is_applied(of_a))
    assert "stg-2" in "".join(entries(b.home))  # the other host had nothing to do with it

    with closing(iris()) as desk:
        approve_two_files(of_b)(desk)
    assert worker_b.process.wait(WAIT) == -signal.SIGKILL
    ends = [entries(b.home, path)[-1] for path in (MEMORY, USER)]
    assert ends.count("One more.") == 1
    hub.stop()
    again = started(b.worker(), ending)
    again.wait_for("recovered", ending="finished")
    assert [entries(b.home, path)[-1] for path in (MEMORY, USER)] == ["One more."] * 2
    hub.start()
    wait_for(lambda: is_applied(of_b))
    with closing(replace(otto())) as desk:
        names = [event.name for event in desk.log()]
        assert names.count("finish") == 2
        assert desk.ledger.verify() is None
        assert all(host.problem == "" for host in desk.ledger.hosts())
        assert len(desk.ledger.hosts()) == 2
    assert [worker_a.stop(), again.stop()] == [0, 0]


def test_who_logs_in_as_an_operator_decides_as_that_one(hub: Hub, tmp_path: Path) -> None:
    add_member(hub.url, "operator", "iris", None)
    (tmp_path / "a").mkdir()
    host = Host(tmp_path / "a", hub)
    with closing(open_engine(Settings((host.home,), hub.url, tmp_path, host="a" * 16))) as here:
        here.intake()
    names = []
    for user in ("iris", postgres.OWNER):
        hub.url = hub.server.url(hub.name, user)
        with closing(desk_of(OTTO, tmp_path, hub)) as desk:
            names.append((desk.actor.name, desk.ledger.operator))
    assert names == [("iris", "iris"), ("otto", "otto")]


def test_a_machine_is_called_as_its_role_on_the_hub_is(hub: Hub, tmp_path: Path) -> None:
    add_member(hub.url, "host", "web-1", None)
    (tmp_path / "a").mkdir()
    host = Host(tmp_path / "a", hub)
    url = hub.server.url(hub.name, "web-1")
    with closing(open_engine(Settings((host.home,), url, tmp_path, host="a" * 16))) as here:
        here.intake()
    with closing(desk_of(OTTO, tmp_path, hub)) as desk:
        assert [sight.machine for sight in desk.ledger.sights()] == ["web-1"]
        assert [home.name for home in desk.homes] == ["web-1"]
        assert desk.home("web-1").where == str(host.home)
