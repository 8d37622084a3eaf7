"""`reviewdeck review` over Claude Code's transcripts, for a home of Claude Code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.program import run_here
from tests.homes.claude.kit import make_config
from tests.homes.claude.talk import Talk
from tests.reviewer.kit import add, call
from tests.reviewer.peer import peer

MEMORY = "projects/-w-app/memory"
FACT = "The tests run with nox now."


@pytest.fixture(autouse=True)
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A ledger of its own."""
    monkeypatch.setenv("REVIEWDECK_LEDGER", str(tmp_path / "ledger.db"))


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """Claude Code's folder, with a fact and instructions."""
    config = make_config(tmp_path / "claude")
    (config / "CLAUDE.md").write_text("- Answers in German.\n- Uses ruff.\n", "utf-8")
    return config


@pytest.fixture
def talk(config: Path) -> Path:
    """A transcript with a tool call in it."""
    talk = Talk(config, "s1")
    talk.user(FACT)
    talk.call("Read", result="import nox", file_path="/w/app/noxfile.py")
    talk.say("Noted.")
    talk.write()
    return config / "projects" / "-w-app" / "s1.jsonl"


def review(capsys: Any, config: Path, talk: Path, tmp_path: Path, *lines: Any) -> Any:
    script = tmp_path / "script.json"
    script.write_text(json.dumps(lines), "utf-8")
    at = ("--home", str(config))
    return run_here(capsys, "review", str(talk), "--script", str(script), "--json", *at).json


def test_a_fact_is_proposed_with_its_line_of_the_index(
    capsys: Any, config: Path, talk: Path, tmp_path: Path
) -> None:
    run = review(capsys, config, talk, tmp_path, add(FACT))
    assert run["session"] == "s1" and run["model"]
    (item,) = run["staged"]
    assert (item["kind"], item["state"]) == ("documents", "ready")
    at = ("--home", str(config))
    digest = run_here(capsys, "show", item["id"], "--json", *at).json["digest"]
    assert run_here(capsys, "approve", item["id"], "--digest", digest, *at).code == 0
    fact = (config / MEMORY / "the-tests-run-with-nox-now.md").read_text("utf-8")
    assert fact.endswith(f"\n\n{FACT}\n") and "originSessionId: s1" in fact
    index = (config / MEMORY / "MEMORY.md").read_text("utf-8")
    assert index.startswith("- [A](a.md) — a\n")
    assert "](the-tests-run-with-nox-now.md) — The tests run with nox now." in index


def test_the_instructions_are_added_to_and_a_passage_is_replaced(
    capsys: Any, config: Path, talk: Path, tmp_path: Path
) -> None:
    lines = (
        add("Wants short answers.", "user"),
        call("memory", action="replace", target="user", old_text="Uses ruff", content="Uses nox"),
        call("memory", action="remove", target="user", old_text="Answers in German."),
        call("memory", action="replace", target="memory", old_text="A fact", content="B."),
    )
    run = review(capsys, config, talk, tmp_path, *lines)
    assert len(run["staged"]) == 3
    answers = [one["answer"] for one in run["calls"]]
    assert "Nothing is removed" in answers[2]["error"]
    at = ("--home", str(config))
    shown = [run_here(capsys, "diff", one["id"], *at).out for one in run["staged"]]
    assert (
        "Wants short answers." in shown[0] and "[+nox+]" in shown[1] and "memory/a.md" in shown[2]
    )


def test_the_review_is_told_what_is_stored_and_reads_what_was_said(
    capsys: Any, config: Path, talk: Path
) -> None:
    with peer({"say": "Nothing to save."}) as running:
        where = ("--provider", "small", "--model", "m", "--base-url", f"{running.url}/v1")
        ran = run_here(capsys, "review", str(talk), *where, "--home", str(config))
        asked = json.dumps(running.requests[0], ensure_ascii=False)
    assert ran.code == 0
    assert "A fact." in asked and "Answers in German." in asked and FACT in asked


def test_what_was_said_with_a_line_separator_of_unicode_is_read_too(
    capsys: Any, config: Path, tmp_path: Path
) -> None:
    talk = Talk(config, "s3")
    talk.user("We moved to Porto.")
    talk.say("Noted:\u2028Porto.\x85")
    talk.user(FACT)
    talk.write()
    file = config / "projects" / "-w-app" / "s3.jsonl"
    # Claude Code escapes none of them.
    text = file.read_text("utf-8").replace("\\u2028", "\u2028").replace("\\u0085", "\x85")
    file.write_text(text, "utf-8")
    with peer({"say": "Nothing to save."}) as running:
        where = ("--provider", "small", "--model", "m", "--base-url", f"{running.url}/v1")
        assert run_here(capsys, "review", str(file), *where, "--home", str(config)).code == 0
        asked = json.dumps(running.requests[0], ensure_ascii=False)
    assert FACT in asked and "Porto.\x85" in asked and "We moved to Porto." in asked


def test_a_torn_line_and_a_subagent_are_left_out_and_a_summary_is_where_it_begins(
    capsys: Any, config: Path, tmp_path: Path
) -> None:
    talk = Talk(config, "s2")
    talk.user("Long ago.")
    talk.say("Yes.")
    talk.last = None
    talk.user("What was said before, in short.", isCompactSummary=True)
    talk.user(FACT)
    talk.say("Noted.")
    talk.write()
    file = config / "projects" / "-w-app" / "s2.jsonl"
    with file.open("a") as opened:
        opened.write('{"type": "user", "mess')
    with peer({"say": "Nothing to save."}) as running:
        where = ("--provider", "small", "--model", "m", "--base-url", f"{running.url}/v1")
        assert run_here(capsys, "review", str(file), *where, "--home", str(config)).code == 0
        asked = json.dumps(running.requests[0], ensure_ascii=False)
    assert FACT in asked and "in short." in asked and "Long ago." not in asked


def test_a_home_that_keeps_no_memory_is_refused_before_a_model_is_asked(
    capsys: Any, talk: Path, tmp_path: Path
) -> None:
    home = tmp_path / "agent" / "skills"
    (home / "triage").mkdir(parents=True)
    (home / "triage" / "SKILL.md").write_text("---\nname: triage\ndescription: x\n---\nx\n")
    with peer() as running:
        where = ("--provider", "small", "--model", "m", "--base-url", f"{running.url}/v1")
        ran = run_here(capsys, "review", str(talk), "--only", "memory", *where, "--home", str(home))
        assert running.journal == []
    assert ran.code == 1 and "keeps skills alone" in ran.err and "--only skills" in ran.err
