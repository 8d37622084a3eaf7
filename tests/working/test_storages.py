"""What is particular to one storage: bounds, files, servers that go away."""

from __future__ import annotations

import multiprocessing
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.working.kit import Moment, Server, serving

from reviewdeck.bootstrap import open_working
from reviewdeck.engine.options import Settings
from reviewdeck.errors import BadInput, StorageUnavailable
from reviewdeck.working import Scope, Storage, WorkingMemory, create
from reviewdeck.working.fallback import Fallback
from reviewdeck.working.in_process import InProcess
from reviewdeck.working.redis import Redis
from reviewdeck.working.sqlite import Sqlite
from reviewdeck.working.storage import T, Work

SCOPE = Scope("s1")


def opened(storage: Storage, clock: Moment, session: str = "s1") -> WorkingMemory:
    return WorkingMemory(Scope(session), storage, now=clock)


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    """A server that this test may kill."""
    with serving(tmp_path / "own") as found:
        yield found


def test_in_process_the_least_recently_used_session_goes_first(clock: Moment) -> None:
    storage = InProcess(most=3)
    for name in "abc":
        opened(storage, clock, name).close()
    assert storage.get("session:a", "_meta")
    opened(storage, clock, "d").close()
    assert [bool(storage.cells(f"session:{name}")) for name in "abcd"] == [True, False, True, True]
    assert len(storage) == 3


def test_in_process_an_open_session_is_never_dropped(clock: Moment) -> None:
    storage = InProcess(most=2)
    first = opened(storage, clock, "first")
    first.set("key", 1)
    twice = opened(storage, clock, "first")
    twice.close()
    for number in range(10):
        opened(storage, clock, str(number)).close()
    assert first.get("key") == 1
    assert len(storage) == 2
    first.close()
    for number in range(10):
        opened(storage, clock, str(number)).close()
    assert storage.cells("session:first") == {}


def test_in_process_a_hundred_thousand_sessions_take_the_room_of_a_thousand(
    clock: Moment,
) -> None:
    storage = InProcess()
    for number in range(3_000):
        memory = opened(storage, clock, str(number))
        memory.set("key", number)
        memory.close()
    assert len(storage) == 1_000


def test_a_file_is_the_users_own_and_outlives_the_process(tmp_path: Path, clock: Moment) -> None:
    path = tmp_path / "deep" / "working.db"
    first = Sqlite(path, clock)
    opened(first, clock).set("key", 1)
    first.close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert opened(Sqlite(path, clock), clock).get("key") == 1


def test_in_a_file_what_nobody_touched_for_a_month_is_dropped(
    tmp_path: Path, clock: Moment
) -> None:
    storage = Sqlite(tmp_path / "working.db", clock)
    opened(storage, clock, "old").set("key", 1)
    clock.passes(timedelta(days=29).total_seconds())
    opened(storage, clock, "new").set("key", 1)
    storage.close()
    clock.passes(timedelta(days=2).total_seconds())
    again = Sqlite(tmp_path / "working.db", clock)
    assert again.cells("session:old") == {}
    assert opened(again, clock, "new").get("key") == 1


def test_a_file_that_is_no_database_is_unavailable_and_untouched(
    tmp_path: Path, clock: Moment
) -> None:
    path = tmp_path / "working.db"
    path.write_bytes(b"this is no database at all" * 100)
    with pytest.raises(StorageUnavailable):
        Sqlite(path, clock)
    storage = create(str(path), now=clock, tick=clock.tick)
    opened(storage, clock).set("key", 1)
    assert storage.is_using_fallback
    assert path.read_bytes() == b"this is no database at all" * 100


def test_two_processes_share_a_file(tmp_path: Path, clock: Moment) -> None:
    path = tmp_path / "working.db"
    opened(Sqlite(path, clock), clock).note("mine")
    context = multiprocessing.get_context("spawn")
    others = [context.Process(target=_note_often, args=(path, name)) for name in ("a", "b")]
    for other in others:
        other.start()
    for other in others:
        other.join(60)
    notes = opened(Sqlite(path, clock), clock).notes()
    assert sorted(notes) == ["a"] * 20 + ["b"] * 20 + ["mine"]


def _note_often(path: Path, name: str) -> None:
    clock = Moment()
    memory = opened(Sqlite(path, clock), clock)
    for _ in range(20):
        memory.note(name)


def test_a_server_that_is_not_there_leaves_this_process(clock: Moment) -> None:
    storage = create("redis://127.0.0.1:1/0", now=clock, tick=clock.tick)
    memory = opened(storage, clock)
    memory.set("key", 1)
    assert memory.get("key") == 1
    assert memory.stats().is_using_fallback
    assert memory.stats().storage == "in process"
    assert isinstance(storage, Fallback)
    assert "does not answer" in storage.problem


def test_what_was_chosen_to_be_in_process_is_no_fallback(clock: Moment) -> None:
    memory = opened(create("memory:", now=clock, tick=clock.tick), clock)
    assert not memory.stats().is_using_fallback


@pytest.mark.parametrize("address", ["", "ftp://host/x", "postgresql://host/db"])
def test_an_address_that_means_nothing_is_refused(address: str, clock: Moment) -> None:
    with pytest.raises(BadInput):
        create(address, now=clock, tick=clock.tick)


def test_a_server_that_dies_and_returns_has_what_was_written_meanwhile(
    own_server: Server, clock: Moment
) -> None:
    memory = opened(create(own_server.url, now=clock, tick=clock.tick), clock)
    memory.set("before", 1)
    memory.note("before")
    memory.set_task("review")
    own_server.kill()
    memory.set("meanwhile", 2)
    memory.note("meanwhile")
    memory.update_task(50)
    assert memory.get("before") == 1, "what passed before the failure is still known"
    assert memory.stats().is_using_fallback
    own_server.start()
    assert memory.stats().is_using_fallback, "it is not asked again at every step"
    clock.passes(1)
    assert not memory.stats().is_using_fallback
    memory.note("after")
    direct = opened(Redis(own_server.url), clock)
    assert direct.all() == {"before": 1, "meanwhile": 2}
    assert direct.notes() == ["before", "meanwhile", "after"]
    task = direct.task()
    assert task is not None
    assert task.percent == 50.0


def test_what_others_wrote_meanwhile_is_not_overwritten(server: Server, clock: Moment) -> None:
    class Outage(Redis):
        """A network that is gone for one client only."""

        is_down = False

        def change(self, scope: str, work: Work[T]) -> T:
            if Outage.is_down:
                raise StorageUnavailable("no route")
            return super().change(scope, work)

        def check(self) -> None:
            if Outage.is_down:
                raise StorageUnavailable("no route")
            super().check()

    storage = Fallback(lambda: Outage(server.url), clock.tick)
    ours, theirs = opened(storage, clock, "shared"), opened(Redis(server.url), clock, "shared")
    ours.note("ours, before")
    Outage.is_down = True
    ours.note("ours, meanwhile")
    theirs.note("theirs, meanwhile")
    theirs.set("theirs", 1)
    Outage.is_down = False
    clock.passes(1)
    assert ours.notes() == ["ours, before", "theirs, meanwhile", "ours, meanwhile"]
    assert ours.get("theirs") == 1


def test_a_session_that_was_not_handed_over_yet_is_not_dropped(clock: Moment) -> None:
    class Gone(InProcess):
        def __init__(self) -> None:
            raise StorageUnavailable("gone")

    mirror = InProcess(most=2)
    storage = Fallback(Gone, clock.tick, mirror=mirror)
    memory = opened(storage, clock, "mine")
    memory.set("key", 1)
    memory.close()
    for number in range(5):
        opened(storage, clock, str(number)).close()
    assert mirror.get("session:mine", "key") is not None


class Unsure(InProcess):
    """Does what it is asked, and the answer is lost on the way."""

    answers = True

    def change(self, scope: str, work: Work[T]) -> T:
        done = super().change(scope, work)
        if not self.answers:
            self.answers = True
            raise StorageUnavailable("timed out")
        return done


def test_a_note_that_is_sent_twice_is_kept_once(clock: Moment) -> None:
    unsure = Unsure()
    storage = Fallback(lambda: unsure, clock.tick)
    memory = opened(storage, clock)
    unsure.answers = False
    memory.note("once")
    clock.passes(1)
    assert memory.notes() == ["once"]
    assert not storage.is_using_fallback


def test_a_checkpoint_that_is_sent_twice_drops_one_older_one_at_most(clock: Moment) -> None:
    unsure = Unsure()
    storage = Fallback(lambda: unsure, clock.tick)
    memory = opened(storage, clock)
    made = []
    for number in range(50):
        clock.passes(1)
        made.append(memory.checkpoint(str(number)))
    unsure.answers = False
    clock.passes(1)
    last = memory.checkpoint("last")
    clock.passes(1)
    assert not storage.is_using_fallback
    assert memory.checkpoints() == [*made[1:], last]


def test_an_address_may_begin_with_the_users_home(
    tmp_path: Path, clock: Moment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    storage = create("~/kept/w.db", now=clock, tick=clock.tick)
    assert storage.name == "sqlite" and (tmp_path / "kept" / "w.db").is_file()
    storage.close()


def test_nothing_keeps_a_database_open_after_it_was_closed(tmp_path: Path, clock: Moment) -> None:
    storage = create(str(tmp_path / "working.db"), now=clock, tick=clock.tick)
    opened(storage, clock).close()
    storage.close()
    storage.close()
    with closing(sqlite3.connect(tmp_path / "working.db")) as connection, connection:
        assert connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
    connection.close()


def test_work_is_kept_beside_the_ledger_unless_a_variable_says_otherwise(
    tmp_path: Path, clock: Moment
) -> None:
    settings = Settings((), ledger=str(tmp_path / "ledger.db"), user_home=tmp_path)
    storage = open_working(settings, now=clock)
    assert storage.name == "sqlite"
    storage.close()
    assert (tmp_path / "working.db").exists()
    inside = open_working(replace(settings, working="memory:"), now=clock)
    assert (inside.name, inside.is_using_fallback) == ("in process", False)
