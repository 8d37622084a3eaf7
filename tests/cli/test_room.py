"""`room` and `approve --until` on the command line."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.cli.program import Program, Ran
from tests.engine.kit import Agent, Ticking, entries, set_entries
from tests.reviewer.stand_in import StandIn, stand_in

from reviewdeck.model.decisions import ENDS

LONG = "The linter is ruff, as it was for a long time in this project."


def ends(program: Program) -> list[dict[str, Any]]:
    return [each for each in program.read("log")["events"] if each["name"] == ENDS]


def test_the_end_of_an_entry_is_noted_only_once_it_is_approved(demo: Program) -> None:
    item = demo.one("ready", kind="memory", action="add")
    ran = demo("approve", item["id"], "--until", "2099-10-31", "--digest", "0" * 12)
    assert ran.code != 0
    assert ends(demo) == []
    ran = demo("approve", item["id"], "--until", "2020-10-31", "--digest", item["digest"])
    assert ran.code == 1 and "is over" in ran.err
    assert demo.read("show", item["id"])["state"] == "ready"
    assert (
        demo("approve", item["id"], "--until", "2099-10-31", "--digest", item["digest"]).code == 0
    )
    assert [each["detail"]["on"] for each in ends(demo)] == ["2099-10-31"]


ONE = "The database of staging is PostgreSQL 16 on the host ferry-stage-2, which Dana runs."
OTHER = "Staging has its database on ferry-stage-2, and it is PostgreSQL 16 as Dana says too."
BOTH = "Staging's database is PostgreSQL 16 on ferry-stage-2, which Dana runs."
SECRET = "The CI token is ghp_" + "a1B2" * 9 + "."


def answered(text: str, numbers: tuple[int, ...] = (1, 2)) -> str:
    return json.dumps({"rewrites": [{"entries": [*numbers], "text": text}]})


@pytest.fixture
def full(program: Program) -> str:
    """A memory with no room for one entry more, which waits, and two that one could replace."""
    set_entries(program.home, ONE, OTHER, SECRET, "x" * 1930)
    own = Agent(program.home, Ticking()).add(LONG)
    found = [item for item in program.read("list", "--state", "dead") if item["source_id"] == own]
    return str(found[0]["id"])


def ask(program: Program, model: StandIn, id: str, *words: str) -> Ran:
    where = ("--provider", "ollama", "--model", "made-up", "--base-url", f"{model.url}/v1")
    return program("room", id, "--rewrite", *where, *words)


def test_a_model_puts_two_into_one_and_an_operator_decides(program: Program, full: str) -> None:
    memory = program.home / "memories/MEMORY.md"
    before = memory.read_bytes()
    with stand_in(lambda body: answered(BOTH)) as model:
        ran = ask(program, model, full, "--yes")
        assert ran.code == 0, ran.err
        assert len(model.requests) == 1
        assert "ghp_" not in model.journal[0].decode() and ONE in model.journal[0].decode()
        head, _, _ = ran.out.partition("Nothing is written yet")
        for words in ("tokens", "at most 3 requests", "1 entry with a secret", BOTH, ONE, OTHER):
            assert words in head
        assert model.url.removeprefix("http://") in head
    assert memory.read_bytes() == before
    program("auto")
    assert memory.read_bytes() == before
    id = ran.out.split("reviewdeck approve ")[1].split()[0]
    own = program.read("show", id)
    assert own["state"] == "ready" and own["origin"] == "background_review"
    assert program("approve", id, "--digest", own["digest"]).code == 0
    assert entries(program.home)[0] == BOTH and OTHER not in entries(program.home)
    assert program.read("show", full)["state"] == "ready"


def test_nothing_is_sent_without_a_yes(
    program: Program, full: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with stand_in(lambda body: answered(BOTH)) as model:
        assert ask(program, model, full).code == 2
        assert ask(program, model, full, "--json").code == 2
        monkeypatch.setattr("reviewdeck.cli.consent.ask", lambda question: "n")
        ran = ask(program, model, full)
        assert (ran.code, ran.out.splitlines()[-1]) == (0, "Nothing was sent.")
        assert model.requests == []
        told = ask(program, model, full, "--yes", "--json").json
    assert told["rewritten"] == [{"entries": [ONE, OTHER], "text": BOTH}]


@pytest.mark.parametrize(
    ("says", "code", "words"),
    [
        (answered("Staging's database is PostgreSQL 15 on ferry-stage-2, says Dana."), 1, "16"),
        (answered("Staging's database is PostgreSQL 16, which Dana runs."), 1, "ferry-stage-2"),
        (answered(BOTH, (1,)), 1, "two entries"),
        (answered(BOTH, (1, 9)), 1, "two entries"),
        ("\x1b[31mBananas [bold]!", 6, "no list of rewrites"),
        ({"fault": "refused"}, 1, "reviewdeck: "),
        ({"fault": "overloaded"}, 5, "reviewdeck: "),
    ],
)
def test_an_answer_that_is_no_use_queues_nothing_and_is_told(
    program: Program, full: str, says: Any, code: int, words: str
) -> None:
    before = program.read("list")
    with stand_in(lambda body: says) as model:
        ran = ask(program, model, full, "--yes")
        assert len(model.requests) <= 3
    assert ran.code == code, ran.out + ran.err
    assert words in ran.err and "\x1b[31m" not in ran.out + ran.err
    assert [each["id"] for each in program.read("list")] == [each["id"] for each in before]


def test_without_a_model_it_says_how_one_is_named(program: Program, full: str) -> None:
    ran = program("room", full)
    assert ran.code == 1 and "frees 0" in ran.err and f"room {full} --rewrite" in ran.err
    ran = program("room", full, "--rewrite", "--yes")
    assert ran.code == 1 and "No model is named" in ran.err and "--model" in ran.err


def test_no_model_is_asked_where_enough_can_go_without(program: Program, full: str) -> None:
    set_entries(program.home, ONE, ONE.upper(), "x" * 2000)
    program("list")
    with stand_in(lambda body: answered(BOTH)) as model:
        ran = ask(program, model, full, "--yes")
        assert ran.code == 0 and "says it as well" in ran.out and model.requests == []


def test_what_ended_goes_with_the_rewrite_in_one_proposal(program: Program, full: str) -> None:
    freeze = "The code freeze is on until October 2025."
    set_entries(program.home, freeze, ONE, OTHER, "x" * 2000)
    program("list")
    with stand_in(lambda body: answered(BOTH)) as model:
        ran = ask(program, model, full, "--yes")
        assert ran.code == 0, ran.err
        assert freeze not in model.journal[0].decode()
    id = ran.out.split("reviewdeck approve ")[1].split()[0]
    assert program("approve", id, "--digest", program.read("show", id)["digest"]).code == 0
    assert entries(program.home) == [BOTH, "x" * 2000]
    assert program.read("show", full)["state"] == "ready"
