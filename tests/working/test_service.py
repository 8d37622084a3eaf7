"""The examples of docs/internals/working-memory.md, run; limits and variables of one."""

from __future__ import annotations

import asyncio
import inspect
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.working.conftest import Opener
from tests.working.kit import Moment, Server

from reviewdeck.errors import BadInput
from reviewdeck.working import AsyncWorkingMemory, Scope, WorkingMemory, open_memory
from reviewdeck.working.opening import TTL, ttl_in

PAGE = Path(__file__).parents[2] / "docs" / "internals" / "working-memory.md"
SERVICE, BY_HAND = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
FILES = ("a.csv", "b.csv", "c.csv", "d.csv")


def importer() -> Any:
    names: dict[str, Any] = {}
    exec(SERVICE, names)  # noqa: S102 - the example as it is printed
    return names["Importer"]


class Died(Exception):
    """The service is killed."""


class Work:
    """The work of the service: it dies or waits where it is told to."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.dies_at = ""
        self.before: dict[str, Any] = {}

    async def __call__(self, file: str) -> int:
        if file == self.dies_at:
            raise Died
        self.before.get(file, lambda: None)()
        self.done.append(file)
        return len(self.done)


def test_the_example_goes_on_after_a_restart_and_while_valkey_is_away(server: Server) -> None:
    asyncio.run(_over_a_restart_and_an_outage(server))


async def _over_a_restart_and_an_outage(server: Server) -> None:
    service, work = importer(), Work()
    first = service(server.url, "restart", {})
    work.dies_at = "c.csv"
    with pytest.raises(Died):
        await first.run(FILES, work)
    await first.close()
    # Another process goes on, and the server goes down under it.
    work.dies_at = ""
    work.before = {"d.csv": server.kill}
    second = service(server.url, "restart", {})
    assert (await second.state())["task"] == ("import", "running", 50.0)
    assert (await second.state())["is_healthy"]
    result = await second.run(FILES, work)
    assert work.done == list(FILES) and list(result) == [f"done:{file}" for file in FILES]
    state = await second.state()
    assert state["task"] == ("import", "done", 100.0) and state["values"] == 4
    assert state["is_using_fallback"] and not state["is_healthy"]
    server.start()
    await _until_healthy(second)
    await second.close()
    # The server was empty: the service filled it again.
    third = service(server.url, "restart", {})
    assert (await third.state())["values"] == 4
    await third.close()


async def _until_healthy(service: Any) -> None:
    for _ in range(300):
        if (await service.state())["is_healthy"]:
            return
        await asyncio.sleep(0.1)  # it looks for the server once a second
    pytest.fail("the server was not found again")


def test_the_example_by_hand_runs() -> None:
    exec(BY_HAND, {})  # noqa: S102 - the example as it is printed


def test_every_method_is_awaited_under_the_same_name_and_arguments() -> None:
    for name, method in vars(WorkingMemory).items():
        if not name.startswith("_") and callable(method):
            awaited = getattr(AsyncWorkingMemory, name)
            assert inspect.iscoroutinefunction(awaited)
            assert inspect.signature(awaited) == inspect.signature(method), name


def test_one_value_too_many_is_refused_and_what_is_there_stays(
    opened: Opener, clock: Moment
) -> None:
    memory = opened(most_values=2)
    memory.set("a", 1)
    memory.set("b", 2, ttl=timedelta(seconds=5))
    memory.set("b", 3, ttl=timedelta(seconds=5))
    with pytest.raises(BadInput, match="at most 2 values"):
        memory.set("c", 4)
    assert memory.all() == {"a": 1, "b": 3}
    clock.passes(5)
    memory.set("c", 4)
    assert memory.all() == {"a": 1, "c": 4}


def test_the_lifetime_of_a_value_can_be_a_setting() -> None:
    clock = Moment()
    memory = open_memory(Scope("s"), env={TTL: "2m"}, now=clock, tick=clock.tick)
    memory.set("a", 1)
    memory.set("b", 2, ttl=None)
    clock.passes(120)
    assert memory.all() == {"b": 2} and memory.is_healthy()
    memory.close()


@pytest.mark.parametrize(
    ("text", "seconds"), [("", None), ("90", 90), ("15m", 900), ("12h", 43_200), ("30d", 2_592_000)]
)
def test_a_duration_has_a_unit(text: str, seconds: int | None) -> None:
    assert ttl_in({TTL: text}) == (None if seconds is None else timedelta(seconds=seconds))


@pytest.mark.parametrize("text", ["0", "-1", "1.5h", "soon", "9" * 9 + "d"])
def test_what_is_no_duration_is_named(text: str) -> None:
    with pytest.raises(BadInput, match="no duration"):
        ttl_in({TTL: text})
