"""`why --replay` against a model on the loopback: what it shows, asks, sends and names."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.program import Program, Ran, fingerprint
from tests.reviewer.stand_in import StandIn, stand_in

STAGING = "Staging moved to ferry-stage-2: PostgreSQL 16 on port 5434."
SAID = "It is in staging: ferry-stage-2, port 5434."


def answer(body: str) -> str:
    return SAID if STAGING in body else "It is in staging."


@pytest.fixture
def session(demo: Program) -> str:
    return str(demo.home / "sessions/session_demo.json")


def ask(demo: Program, model: StandIn, file: str, *words: str, text: str = SAID) -> Ran:
    where = ("--provider", "ollama", "--model", "made-up", "--base-url", f"{model.url}/v1")
    return demo("why", text, "--replay", file, *where, *words)


def test_it_names_the_entry_and_says_what_it_took(demo: Program, session: str) -> None:
    demo("auto")
    before = fingerprint(demo.home)
    with stand_in(answer) as model:
        ran = ask(demo, model, session, "--yes")
        assert ran.code == 0, ran.err
        assert STAGING in ran.out and "Without this line the model no longer says it" in ran.out
        assert "revert --line" in ran.out and f"{len(model.requests)} requests" in ran.out
        head, _, _ = ran.out.partition("Without this line")
        for words in ("tokens each time", "requests for one cause", "provider knows", "two of two"):
            assert words in head
        assert model.url.removeprefix("http://") in head
        assert "It keeps no memory of its prompt" in head
        told = ask(demo, model, session, "--yes", "--json").json
    assert told["replay"]["verdict"] == "found" and told["replay"]["requests"] <= 22
    assert told["replay"]["needed"] == [told["sources"][0]["line"]]
    assert told["sources"][0]["text"] == STAGING
    assert fingerprint(demo.home) == before


def test_nothing_is_sent_without_a_yes(
    demo: Program, session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with stand_in(answer) as model:
        ran = ask(demo, model, session)
        assert ran.code == 2 and "--yes" in ran.err and "requests for one cause" in ran.out
        assert ask(demo, model, session, "--json").code == 2
        monkeypatch.setattr("reviewdeck.cli.consent.ask", lambda question: "n")
        ran = ask(demo, model, session)
        assert (ran.code, ran.out.splitlines()[-1]) == (0, "Nothing was sent.")
        assert model.requests == []
        monkeypatch.setattr("reviewdeck.cli.consent.ask", lambda question: "y")
        assert ask(demo, model, session).code == 0 and model.requests


def test_two_entries_of_which_each_is_enough_are_both_named(demo: Program, session: str) -> None:
    other = "Sea charts come from OpenSeaMap; the tile cache may be rebuilt at any time."

    def either(body: str) -> str:
        return SAID if STAGING in body or other in body else "Done."

    with stand_in(either) as model:
        ran = ask(demo, model, session, "--yes")
    assert ran.code == 0 and STAGING in ran.out and other in ran.out
    assert "Any one of these is enough" in ran.out


@pytest.mark.parametrize(
    ("says", "code", "words"),
    [
        (lambda body: SAID, 0, "without any of the"),
        (lambda body: "\x1b[31mBananas [bold]!", 0, "does not say it, in 2 of 2"),
        (lambda body: {"fault": "refused"}, 1, "It ended early"),
        (lambda body: {"fault": "malformed"}, 5, "It ended early"),
        (lambda body: {"say": SAID, "latency": 20}, 5, "It ended early"),
    ],
)
def test_whatever_a_model_does_is_told_in_words_and_by_the_code(
    demo: Program, session: str, says: Callable[[str], Any], code: int, words: str
) -> None:
    with stand_in(says) as model:
        ran = ask(demo, model, session, "--yes", "--timeout", "0.3")
    assert ran.code == code, ran.out + ran.err
    assert words in ran.out and "\x1b[31m" not in ran.out + ran.err
    assert "revert --line" not in ran.out


def test_an_answer_that_varies_by_itself_is_reported(demo: Program, session: str) -> None:
    turns = iter(range(50))
    with stand_in(lambda body: SAID if next(turns) % 2 else "No.") as model:
        ran = ask(demo, model, session, "--yes")
    assert ran.code == 0 and "varies by itself, and no line can be blamed" in ran.out


def test_a_limit_ends_it_early_with_the_lines_that_are_left(demo: Program, session: str) -> None:
    with stand_in(answer) as model:
        ran = ask(demo, model, session, "--yes", "--limit", "8")
        assert len(model.requests) == 8
        assert ran.code == 6 and "limit of 8 requests" in ran.out and STAGING in ran.out
        assert "--limit" in ran.out
        ran = ask(demo, model, session, "--yes", "--limit", "3")
        assert ran.code == 1 and "4 at least" in ran.err and len(model.requests) == 8


def test_a_conversation_that_is_gone_or_no_conversation_is_refused_before_anything_is_sent(
    demo: Program, tmp_path: Path
) -> None:
    empty = tmp_path / "empty.json"
    empty.write_text(json.dumps({"messages": [{"role": "assistant", "content": SAID}]}))
    garbage = tmp_path / "garbage.json"
    garbage.write_bytes(b"\x00\xff{")
    with stand_in(answer) as model:
        for file in (tmp_path / "gone.json", garbage, empty):
            ran = ask(demo, model, str(file), "--yes")
            assert ran.code == 1 and ran.err.startswith("reviewdeck: ") and not ran.out
        ran = demo("why", SAID, "--hermes-session", "nobody", "--yes")
        assert ran.code == 1 and "no session" in ran.err
        ran = ask(demo, model, str(empty), "--hermes-session", "x", "--yes")
        assert ran.code == 2
        assert model.requests == []


def test_a_session_of_the_homes_own_is_replayed_too(demo: Program) -> None:
    demo("auto")
    session = "20261129_harbour_2"
    with stand_in(answer) as model:
        where = ("--provider", "ollama", "--model", "made-up", "--base-url", f"{model.url}/v1")
        ran = demo("why", SAID, "--hermes-session", session, *where, "--yes")
        assert ran.code == 0, ran.err
        assert STAGING in ran.out and model.requests


def test_secrets_are_redacted_in_every_request(demo: Program, session: str) -> None:
    token = "ghp_" + "a1B2" * 9
    memory = demo.home / "memories/MEMORY.md"
    demo("status")
    memory.write_text(f"{memory.read_text('utf-8')}\n§\nThe CI token is {token}.", "utf-8")
    with stand_in(answer) as model:
        assert ask(demo, model, session, "--yes").code == 0
        assert token not in b"".join(model.journal).decode()
        assert ask(demo, model, session, "--yes", "--send-secrets").code == 0
        assert token in b"".join(model.journal).decode()
