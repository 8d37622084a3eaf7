"""`reviewdeck review` as a person runs it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.cli.program import Program, fingerprint
from tests.reviewer.kit import add, call, openai_request
from tests.reviewer.peer import peer
from tests.reviewer.test_conversations import make_database

from reviewdeck.reviewer.conversation import Json

FACT = "The release notes have no emojis."


@pytest.fixture
def talk(tmp_path: Path) -> str:
    """A conversation in a file."""
    path = tmp_path / "talk.json"
    path.write_text(json.dumps(openai_request()), "utf-8")
    return str(path)


def script_of(tmp_path: Path, *lines: Json) -> str:
    """A script in a file."""
    path = tmp_path / "script.json"
    path.write_text(json.dumps(lines), "utf-8")
    return str(path)


def test_a_review_stages_what_the_queue_then_shows(
    program: Program, talk: str, tmp_path: Path
) -> None:
    before = fingerprint(program.home)
    ran = program("review", talk, "--script", script_of(tmp_path, add(FACT)))
    assert ran.code == 0 and "1 proposal staged" in ran.out
    assert fingerprint(program.home) == before
    (item,) = [one for one in program.read("list") if FACT in one["gist"]]
    shown = program.read("show", item["id"])
    assert shown["source"] is None and shown["model"] == "parent-model"
    assert shown["provenance"]["prompt_version"] == "reviewdeck-4"
    assert {base["source"] for base in shown["bases"]} == {"given"}
    assert "reviewdeck-4" in program("show", item["id"]).out


def test_json_gives_the_whole_run(program: Program, talk: str, tmp_path: Path) -> None:
    used = {"usage": {"input": 100, "cached": 90, "output": 5}}
    script = script_of(tmp_path, add(FACT) | used, call("terminal", command="ls") | used)
    run = program("review", talk, "--script", script, "--json").json
    assert run["ending"] == "done" and run["iterations"] == 3
    assert run["tokens"] == {"input": 200, "cached": 180, "output": 10, "saved_by_digest": 0}
    assert run["denied"] == {"terminal": 1} and run["identical_share"] == 1.0
    assert [one["tool"] for one in run["calls"]] == ["memory", "terminal"]
    assert [one["id"] for one in run["staged"]] == run["proposals"]


def test_what_reviews_cost_is_in_the_status(program: Program, talk: str, tmp_path: Path) -> None:
    assert program.read("status")["reviews"]["runs"] == 0
    assert "\nreviews" not in program("status").out
    used = {"usage": {"input": 1000, "cached": 900, "output": 5, "cost": 0.02}}
    script = script_of(tmp_path, add(FACT) | used, call("terminal") | used)
    program("review", talk, "--script", script)
    found = program.read("status")["reviews"]
    assert (found["runs"], found["proposals"], found["denied"]) == (1, 1, 1)
    assert found["tokens"] == {"input": 2000, "cached": 1800, "output": 10}
    assert found["cost"] == pytest.approx(0.04)
    said = " ".join(program("status").out.split())
    assert "1 review" in said and "90% of the input cached" in said and "$0.04" in said


def test_a_review_that_stages_nothing_says_why_there_and_in_the_log(
    program: Program, talk: str, tmp_path: Path
) -> None:
    first = script_of(tmp_path, add(FACT), {"say": "I kept it."})
    assert "the model: I kept it." in program("review", talk, "--script", first).out
    words = "Nothing new. " + "The key is sk-" + "Zx8Kq2LmN4pR" * 3
    again = (add(FACT), call("skill_manage", action="x", name="y"), {"say": words})
    ran = program("review", talk, "--script", script_of(tmp_path, *again))
    assert ran.code == 0 and "nothing staged" in ran.out
    assert "not staged: The same proposal is waiting for an operator already." in ran.out
    assert "not staged: refused: " in ran.out
    assert "the model: Nothing new." in ran.out and "Zx8Kq2LmN4pR" not in ran.out
    *_, last = [one for one in program.read("log")["events"] if one["name"] == "reviewed"]
    assert "waiting for an operator already" in last["detail"]["why"]
    assert last["detail"]["said"].startswith("Nothing new.")
    assert "Zx8Kq2LmN4pR" not in json.dumps(last)


def test_why_the_last_review_failed_is_in_the_status_and_the_log(
    program: Program, talk: str, tmp_path: Path
) -> None:
    failing = {"fail": {"kind": "refused", "message": "This key may not review."}}
    ran = program("review", talk, "--script", script_of(tmp_path, failing))
    assert ran.code != 0
    reviews = program.read("status")["reviews"]
    assert reviews["last_ending"] == "failed"
    assert "This key may not review." in reviews["last_reason"]
    assert "This key may not review." in " ".join(program("status").out.split())
    *_, last = [one for one in program.read("log")["events"] if one["name"] == "reviewed"]
    assert "This key may not review." in last["detail"]["why"]
    program("review", talk, "--script", script_of(tmp_path, {"say": "Nothing to save."}))
    assert "ended early" not in program("status").out


def test_a_review_that_meets_a_limit_is_no_success(
    program: Program, talk: str, tmp_path: Path
) -> None:
    script = script_of(tmp_path, *[call("terminal")] * 20)
    ran = program("review", talk, "--script", script)
    assert ran.code not in (0, 2, 130) and "iteration-limit" in ran.out


def test_one_part_alone_and_a_focus(program: Program, talk: str, tmp_path: Path) -> None:
    script = script_of(tmp_path, call("skill_manage", action="x", name="y"))
    run = program("review", talk, "--script", script, "--only", "memory", "--json").json
    assert run["denied"] == {"skill_manage": 1}


@pytest.mark.parametrize(
    "tokens",
    [(), ("TALK", "--hermes-session", "x"), ("missing.json",), ("TALK", "--only", "else")],
    ids=["nothing", "both", "missing", "no-part"],
)
def test_a_command_line_that_makes_no_sense_is_one_line(
    program: Program, talk: str, tokens: tuple[str, ...]
) -> None:
    ran = program("review", *(talk if one == "TALK" else one for one in tokens))
    assert ran.code in {1, 2} and ran.err.count("\n") == 1 and ran.out == ""


def test_a_model_that_cannot_be_reached_ends_with_1_and_says_why(
    program: Program, talk: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with peer({"fault": "refused"}) as running:
        monkeypatch.setenv("OPENAI_API_KEY", "not" + "-a-key")
        ran = program("review", talk, "--base-url", f"{running.url}/v1")
        assert running.headers[0]["authorization"] == "Bearer not-a-key"
    assert ran.code == 1 and "no: refused" in ran.out
    assert "not-a-key" not in ran.out + ran.err


def test_a_key_is_not_sent_to_an_address_that_a_file_names(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not" + "-a-key")
    path = tmp_path / "session.json"
    with peer({"say": "Nothing to save."}) as running:
        request = openai_request(base_url=f"{running.url}/v1")
        path.write_text(json.dumps(request), "utf-8")
        ran = program("review", str(path))
        assert running.journal == []
        assert ran.code == 1 and f"--base-url {running.url}/v1" in ran.err
        assert program("review", str(path), "--base-url", f"{running.url}/v1").code == 0


def test_a_route_takes_no_address_from_a_file(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "session.json"
    with peer({"say": "Nothing to save."}) as held, peer() as named:
        path.write_text(json.dumps(openai_request(base_url=f"{held.url}/v1")), "utf-8")
        where = ("--provider", "cheap", "--model", "small", "--base-url", f"{named.url}/v1")
        assert program("review", str(path), *where).code == 0
        assert held.journal == [] and len(named.journal) == 1


def test_a_session_of_the_homes_own_database(program: Program, tmp_path: Path) -> None:
    make_database(program.home).close()
    before = fingerprint(program.home)
    script = script_of(tmp_path, add(FACT))
    run = program("review", "--hermes-session", "s-100", "--script", script, "--json").json
    assert fingerprint(program.home) == before
    assert run["session"] == "s-100" and run["identical_share"] is None
    assert "keeps no list of its tools" in run["parity"]["note"]
    (item,) = run["staged"]
    assert program.read("show", item["id"])["provenance"]["parent_session_id"] == "s-099"


def test_another_model_is_sent_a_digest(program: Program, talk: str) -> None:
    with peer({"say": "Nothing to save."}) as running:
        where = ("--base-url", f"{running.url}/v1")
        named = ("--provider", "cheap", "--model", "small")
        run = program("review", talk, *named, *where, "--json").json
    assert run["routed"] is True and run["model"] == "small"


def test_without_the_library_it_says_how_to_get_it(
    program: Program, talk: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "reviewdeck.reviewer.openai_chat", None)
    monkeypatch.delitem(sys.modules, "openai", raising=False)
    monkeypatch.setattr(
        "reviewdeck.reviewer.models.import_module",
        lambda name: (_ for _ in ()).throw(ModuleNotFoundError(name="openai")),
    )
    monkeypatch.setenv("REVIEWDECK_API_KEY", "made-up")
    ran = program("review", talk)
    assert ran.code == 1 and "pip install 'reviewdeck[openai]'" in ran.out


@pytest.mark.slow  # it starts the program
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_in_order_and_keeps_what_was_staged(
    program: Program, talk: str, tmp_path: Path, sent: signal.Signals
) -> None:
    script = script_of(tmp_path, add(FACT), {"wait": 600})
    where = ("--home", str(program.home), "--ledger", str(program.ledger))
    command = [sys.executable, "-m", "reviewdeck.cli.main", "review", talk, "--script", script]
    running = subprocess.Popen([*command, *where], stdout=subprocess.PIPE, env=dict(os.environ))
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if program.ledger.exists() and any(FACT in one["gist"] for one in program.read("list")):
            break
        time.sleep(0.2)
    running.send_signal(sent)
    out, _ = running.communicate(timeout=60)
    assert running.returncode == 128 + sent and b"cancelled" in out and b"1 proposal staged" in out
    assert program.read("status")["reviews"]["last_ending"] == "cancelled"


def test_the_libraries_of_the_providers_are_not_loaded_for_a_script(
    program: Program, talk: str, tmp_path: Path
) -> None:
    code = (
        "import sys; from reviewdeck.cli.main import main; main(sys.argv[1:]);"
        "print(sorted({'openai', 'anthropic', 'difflib', 'textual'} & set(sys.modules)))"
    )
    where = ("--home", str(program.home), "--ledger", str(program.ledger))
    script = script_of(tmp_path, add(FACT))
    done = subprocess.run(
        [sys.executable, "-c", code, "review", talk, "--script", script, *where],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_json_lines_are_a_conversation(program: Program, tmp_path: Path) -> None:
    talk = tmp_path / "talk.jsonl"
    said = "No emojis.\u2028Ever.\x85"
    lines = ({"role": "user", "content": said}, {"role": "assistant", "content": "Noted."})
    talk.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), "utf-8")
    ran = program("review", str(talk), "--script", script_of(tmp_path, add(FACT)))
    assert ran.code == 0 and "1 proposal staged" in ran.out
    talk.write_text(json.dumps(lines[0]) + "\n{broken\n", "utf-8")
    ran = program("review", str(talk), "--script", script_of(tmp_path, add(FACT)))
    assert ran.code == 1 and "line 2 is none" in ran.err


def test_without_a_model_or_a_key_one_line_says_what_to_set(
    program: Program, tmp_path: Path
) -> None:
    talk = tmp_path / "talk.json"
    talk.write_text(json.dumps([{"role": "user", "content": "No emojis."}]), "utf-8")
    ran = program("review", str(talk))
    assert ran.code == 1 and ran.err.count("\n") == 1
    assert "No model is named" in ran.err and "REVIEWDECK_API_KEY" in ran.err
    ran = program("review", str(talk), "--model", "gpt-5")
    assert ran.code == 1 and "There is no key for openai. Set REVIEWDECK_API_KEY" in ran.err


def test_the_model_that_the_home_is_set_to_is_named_and_not_used(
    program: Program, tmp_path: Path
) -> None:
    config = program.home / "config.yaml"
    kept = config.read_text("utf-8") if config.exists() else ""
    url = "https://models.example/v1"
    config.write_text(f"{kept}\nmodel:\n  default: big-one\n  base_url: {url}\n", "utf-8")
    talk = tmp_path / "talk.json"
    talk.write_text(json.dumps([{"role": "user", "content": "No emojis."}]), "utf-8")
    ran = program("review", str(talk))
    assert ran.code == 1
    assert f"--model big-one --base-url {url}" in ran.err and "If you trust" in ran.err
