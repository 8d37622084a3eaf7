"""Looking at the queue and letting what is safe through."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.program import Program, fingerprint

GROUPS = {"applied", "rejected", "held", "refused", "dead", "elsewhere"}
KEYS = {"proposal", "home", "source", "kind", "action", "target", "state", "verdict", "digest"}


def test_auto_applies_what_is_safe_and_reports_the_rest(program: Program) -> None:
    ran = program("auto", "--json")
    report = ran.json
    assert ran.code == 3
    assert set(report) == GROUPS | {"suspended"}
    assert report["suspended"] == []
    assert report["applied"]
    assert {item["state"] for item in report["applied"]} == {"applied"}
    assert all(item["operation"] for item in report["applied"])
    total = sum(len(report[group]) for group in GROUPS)
    assert total == 50


def test_every_item_has_the_keys_that_programs_rely_on(program: Program) -> None:
    report = program("auto", "--dry-run", "--json").json
    for item in (item for group in report.values() for item in group):
        assert item.keys() >= KEYS
        assert all({"code", "severity", "message"} == set(one) for one in item["findings"])
        assert (item["digest"] is None) == (item["state"] in {"dead", "refused"})
        assert item["source"].startswith(f"pending/{item['kind']}/")


def test_what_is_held_refused_or_dead_says_why(program: Program) -> None:
    report = program("auto", "--dry-run", "--json").json
    for item in (*report["held"], *report["refused"], *report["dead"]):
        assert item["reason"]
        assert item["findings"]


def test_quarantined_records_are_refused_and_have_no_proposal(demo: Program) -> None:
    report = demo("auto", "--dry-run", "--json").json
    unreadable = [item for item in report["refused"] if item["state"] == "quarantined"]
    assert len(unreadable) == 2
    assert all(item["proposal"] is None and item["id"] for item in unreadable)
    assert len([item for item in report["held"] if item["state"] == "conflict"]) == 6


def test_a_second_auto_applies_nothing_more(program: Program) -> None:
    program("auto")
    before = fingerprint(program.home)
    ran = program("auto", "--json")
    assert ran.json["applied"] == []
    assert ran.code == 3
    assert fingerprint(program.home) == before


def test_auto_ends_with_0_when_nothing_waits(program: Program) -> None:
    for record in (program.home / "pending").rglob("*.json"):
        record.unlink()
    ran = program("auto")
    assert (ran.code, ran.err) == (0, "")
    assert "Nothing is waiting for you." in ran.out


@pytest.mark.parametrize("waits", [False, True])
def test_an_agent_that_writes_without_staging_is_named_whatever_waits(
    program: Program, waits: bool
) -> None:
    for record in (program.home / "pending").rglob("*.json"):
        if not waits:
            record.unlink()
    (program.home / "config.yaml").write_text("memory: {write_approval: true}\n", "utf-8")
    program("auto")
    memory = program.home / "memories" / "MEMORY.md"
    memory.write_text(f"{memory.read_text('utf-8')}\n§\nUses tabs.", "utf-8")
    for command in ("auto", "list", "status", "since"):
        said = " ".join(program(command).out.split())
        assert "A gate is off: Hermes writes directly: " in said, command
        assert "since yesterday w" in said and "not reviewed." in said, command
        assert "To review skills first: `reviewdeck hermes install`." in said, command
    gates = "memory: {write_approval: true}\nskills: {write_approval: true}\n"
    (program.home / "config.yaml").write_text(gates, "utf-8")
    for command in ("auto", "list", "status", "since"):
        assert "writes directly" not in program(command).out, command


def test_the_morning_is_told_in_one_line(applied: Program) -> None:
    said = " ".join(applied("status").out.split())
    assert (
        "8 applied without you, 3 attacks stopped, 27 to decide, 6 of them conflicts, oldest 3 days"
        in said
    )


def test_the_list_is_in_the_order_of_its_ages(demo: Program) -> None:
    ages = [item["age_seconds"] for item in demo.read("list")]
    assert ages == sorted(ages)


def test_a_dry_run_and_the_run_agree(program: Program) -> None:
    planned = {item["id"] for item in program("auto", "--dry-run", "--json").json["applied"]}
    done = {item["id"] for item in program("auto", "--json").json["applied"]}
    assert planned == done


def test_auto_tells_a_person_what_waits_gravest_first(demo: Program) -> None:
    said = demo("auto").out
    titles = [line[0] for line in said.splitlines() if re.match(r"[!#+x?~] .*\(\d+\)$", line)]
    assert titles == ["!", "!", "#", "+", "x", "?"]
    assert "reviewdeck diff " in said
    assert "MEMORY.md" in said and "/2,200" in said


def test_the_list_shows_states_as_sign_and_word(program: Program) -> None:
    said = program("list").out
    assert len(said.splitlines()) == 51
    assert "x outdated" in said and "! refused" in said and "+ ready" in said


def test_the_list_is_paged_without_gaps(program: Program) -> None:
    whole = [item["id"] for item in program.read("list")]
    paged: list[str] = []
    after: list[str] = []
    while page := program.read("list", "--limit", "7", *after):
        paged += [item["id"] for item in page]
        after = ["--after", str(page[-1]["position"])]
    assert paged == whole
    assert (
        f"--after {program.read('list', '--limit', '7')[-1]['position']}"
        in program("list", "--limit", "7").out
    )


def test_the_list_can_be_narrowed_to_states(program: Program) -> None:
    states = {item["state"] for item in program.read("list", "--state", "dead", "refused")}
    assert states == {"dead", "refused"}
    assert program("list", "--state", "conflict").out == "No proposal matches.\n"


def test_every_item_of_the_list_has_an_age(program: Program) -> None:
    assert all(item["age_seconds"] >= 0 for item in program.read("list"))


def test_status_counts_what_waits(program: Program) -> None:
    found = program.read("status")
    assert found["waiting"] == 50 == sum(found["counts"].values())
    assert found["drafts"] == 0
    assert [budget["limit"] for budget in found["memory"]] == [2200, 1375]
    assert program("status", "--short").out.startswith("reviewdeck: 50 waiting, oldest ")


def test_the_short_status_is_one_line(demo: Program) -> None:
    said = demo("status", "--short").out
    assert said.count("\n") == 1
    assert "(6 conflicts)" in said


def test_the_size_before_is_called_so_once_a_change_is_live(program: Program) -> None:
    ready = program.one("ready", kind="memory")
    assert "characters (now " in program("diff", ready["id"]).out
    (program.home / "memories/MEMORY.md").write_text("By hand.", "utf-8")
    live = program.one("live")
    assert "characters (before " in program("diff", live["id"]).out


def test_status_names_changes_made_outside_review(program: Program) -> None:
    program("status")
    memory = program.home / "memories/MEMORY.md"
    memory.write_text(memory.read_text("utf-8") + "\n§\nBy hand.", "utf-8")
    assert [one["document"] for one in program.read("status")["outside"]] == ["memories/MEMORY.md"]
    assert "changed outside review" in program("status").out


def test_without_a_command_and_a_terminal_the_status_is_printed(program: Program) -> None:
    assert program().out == program("status").out


def test_options_may_stand_before_the_command(program: Program) -> None:
    ids = [item["id"] for item in program("--json", "list").json]
    assert ids == [item["id"] for item in program.read("list")]


def test_two_autos_at_once_apply_everything_once(
    program: Program, spawn: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    import sys

    arguments = [sys.executable, "-m", "reviewdeck.cli.main", "auto", "--json"]
    arguments += ["--home", str(program.home), "--ledger", str(program.ledger)]
    running = [
        subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    answers = [process.communicate(timeout=120) for process in running]
    assert [process.returncode for process in running] == [3, 3], answers
    reports = [json.loads(out) for out, _ in answers]
    applied = [item["id"] for report in reports for item in report["applied"]]
    assert len(applied) == len(set(applied)) == 2
    user = (program.home / "memories/USER.md").read_text("utf-8")
    assert user.count("Wants tests before code.") == 1


def test_show_and_explain_name_the_allowance_that_is_used_up(
    program: Program, tmp_path: Path
) -> None:
    policy = tmp_path / "small.toml"
    policy.write_text("version = 1\n[automatic]\na_day = 1\n")
    report = program("auto", "--policy", str(policy), "--json").json
    (waits,) = (
        one for one in report["held"] if "allowance" in [found["code"] for found in one["findings"]]
    )
    id = waits["proposal"]
    shown = program.read("show", id, "--policy", str(policy))
    assert shown["findings"][-1]["code"] == "allowance"
    assert "1 of 1 additions of this home" in shown["reason"]
    assert "1 of 1 additions" in program("show", id, "--policy", str(policy)).out
    explained = program.read("policy", "explain", id, "--policy", str(policy))
    assert "1 of 1 additions" in explained["allowance"]
    assert "1 of 1 additions" in program("policy", "explain", id, "--policy", str(policy)).out


def test_what_went_in_says_by_which_rules_and_policy_file(program: Program, tmp_path: Path) -> None:
    policy = tmp_path / "mine.toml"
    policy.write_text("version = 1\n[automatic]\na_day = 15\n")
    sum_of_file = hashlib.sha256(policy.read_bytes()).hexdigest()
    report = program("auto", "--policy", str(policy), "--json").json
    (decision,) = program.read("show", report["applied"][0]["id"])["decisions"]
    assert re.fullmatch(
        rf"rules [0-9a-f]{{12}}, policy file {sum_of_file[:12]}", decision["policy"]
    )
    assert decision["policy"] in program("show", report["applied"][0]["id"]).out
    said = [event["detail"] for event in program.read("log")["events"]]
    assert decision["policy"] in [one.get("policy") for one in said]
    held = next(one for one in report["held"] if one["proposal"])
    program("reject", held["proposal"], "--reason", "no")
    (rejection,) = program.read("show", held["id"])["decisions"]
    assert rejection["policy"] == decision["policy"].partition(",")[0]


def test_a_list_in_a_pipe_is_not_cut(demo: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    lines = demo("list").out.splitlines()
    (line,) = (line for line in lines if "ignore all previous instructions" in line)
    assert "https://paste.example/harbour. " in line


def test_no_table_in_a_pipe_is_cut_or_folded(
    demo: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    told = "On macOS the load test wants `ulimit -n 4096` first."
    applied = demo("auto").out.splitlines()
    assert any(line.endswith(f"you said: “{told}”") for line in applied)
    assert any("https://paste.example/harbour." in line for line in applied)
    assert any(
        told in line and " applied automatically: " in line for line in demo("log").out.splitlines()
    )
    checks = demo.read("doctor")
    lines = demo("doctor").out.splitlines()
    for check in checks:  # One tells how long it took, which the next run does not repeat.
        message = check["message"].partition(", responding in")[0]
        assert any(message in line for line in lines)


def test_doctor_tells_a_note_from_a_warning_and_counts_them(demo: Program) -> None:
    said = demo("doctor").out
    assert "note decisions unsigned" in said
    assert said.splitlines()[-1].startswith("0 problems, ")


def test_doctor_names_what_the_deck_does_not_use(
    demo: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "reviewdeck").mkdir()
    (tmp_path / "reviewdeck" / "deck.toml").write_text('layout = "sideways"\n[keys]\nfly = "f"\n')
    found = [one for one in demo.read("doctor") if one["check"] == "deck"]
    assert [one["level"] for one in found] == ["warn", "warn"]
