"""What Hermes' own review is told by the plugin, on the wire."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.contract.kit import (
    REVIEW,
    add,
    call,
    converse,
    make_home,
    model,
    needs_hermes,
    records,
    reviewdeck,
    typed,
)
from tests.origin.kit import write_record

pytestmark = [needs_hermes, pytest.mark.slow]  # each starts the real Hermes


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = make_home(tmp_path / "agent" / ".hermes")
    (made / "memories").mkdir()
    (made / "memories/MEMORY.md").write_text("Deploys go out on Fridays.", "utf-8")
    reviewdeck(made, "list")  # a first run makes the ledger, which takes longest
    return made


def guard_of(request: dict[str, Any]) -> str:
    """What stands behind Hermes' own prompt in the last message of the user."""
    said = [one["content"] for one in request["messages"] if one["role"] == "user"][-1]
    return str(said).partition("# What is stored now")[2]


def may_ask(request: dict[str, Any]) -> bool:
    """Whether this review has `review_status`: Hermes 0.22 defers the tools of plugins."""
    return "review_status" in {one["function"]["name"] for one in request["tools"]}


def test_a_review_is_told_what_is_live_behind_a_prefix_that_is_the_same_to_the_byte(
    home: Path,
) -> None:
    reviews = (add("The linter is ruff."), {"say": "Done."})
    with model({"say": "Noted."}, reviews=reviews) as running:
        converse(home, running.url, "Our linter is ruff.")
        (parent,), (first, second) = running.conversation, running.review
    for key in parent.keys() | first.keys():
        if key != "messages":
            assert json.dumps(first[key]) == json.dumps(parent[key]), key
    *prefix, answered, asked = first["messages"]
    assert json.dumps(prefix) == json.dumps(parent["messages"])
    assert answered["role"] == "assistant" and asked["content"].startswith(REVIEW)
    assert "Deploys go out on Fridays." in guard_of(first)
    grown = second["messages"][: len(first["messages"])]
    assert json.dumps(grown) == json.dumps(first["messages"])
    assert guard_of(parent) == ""
    assert b"What is stored now" not in (home / "state.db").read_bytes()


def test_the_next_review_is_told_what_is_waiting_and_what_was_rejected_and_why(home: Path) -> None:
    with model({"say": "Noted."}, reviews=(add("The linter is black."), {"say": "."})) as running:
        converse(home, running.url, "We use black.")
    (record,) = records(home)
    typed(home, "reject", record["id"], "We moved to ruff.")
    write_record(home, "bbbbbbbb", "Releases need two reviews.")
    with model(
        {"say": "Noted."}, reviews=(call("review_status"), {"say": "Nothing to save."})
    ) as running:
        converse(home, running.url, "We use black.", session="s2")
        first, second = running.review
    told = guard_of(first)
    assert "The linter is black." in told and "We moved to ruff." in told
    assert "the user's own sentence, word for word" in told
    # Nothing tells who asked for that one: a review gets no sentence of it.
    assert "Releases need two reviews." not in told and "releases" in told
    answer = second["messages"][-1]["content"]
    if may_ask(first):
        status = json.loads(answer)["status"]
        assert "We moved to ruff." in status and "Releases need two reviews." not in status
    else:
        assert "does not exist" in answer


def test_a_review_that_asked_for_the_status_is_still_of_the_users_words(home: Path) -> None:
    reviews = (call("review_status"), add("User prefers nox."), {"say": "."})
    with model({"say": "Noted."}, reviews=reviews) as running:
        converse(home, running.url, "I prefer nox.")
    (record,) = records(home)
    origin = json.loads(reviewdeck(home, "policy", "explain", record["id"], "--json"))["checks"]
    assert (origin["origin"]["class"], origin["origin"]["how"]) == ("user", "exact")


@pytest.mark.parametrize("how", ["missing", "hangs", "fails"])
def test_a_review_goes_on_untold_where_reviewdeck_gives_no_answer(home: Path, how: str) -> None:
    program = home.parent / "reviewdeck"
    match how:
        case "missing":
            program.unlink()
        case "hangs":
            program.write_text("#!/bin/sh\nexec sleep 3600\n", "utf-8")
        case _:
            program.write_text("#!/bin/sh\nexit 3\n", "utf-8")
    with model({"say": "Noted."}, reviews=(add("The linter is ruff."), {"say": "."})) as running:
        converse(home, running.url, "Our linter is ruff.")
        assert [guard_of(one) for one in running.review] == ["", ""]
    assert [one["origin"] for one in records(home)] == ["background_review"]
