"""`policy check` and `policy test`."""

from __future__ import annotations

import hashlib
from pathlib import Path

from tests.cli.program import Program, fingerprint

_RULE = '[[rule]]\nname="none"\neffect="hold"\nreason="Nothing goes in."\n'


def test_a_sound_file_is_called_sound(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_text(_RULE)
    ran = program("policy", "check", str(file))
    assert (ran.code, "is valid" in ran.out) == (0, True)
    assert program.read("policy", "check", str(file))["sound"] is True


def test_a_broken_file_is_told_line_by_line(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_text(_RULE + "colour = 1\n")
    ran = program("policy", "check", str(file))
    assert ran.code == 1
    (line,) = ran.out.splitlines()
    assert line.startswith(f"{file}:5: there is no setting 'colour' in [rule]: name, effect, ")
    tried = program("policy", "test", "--policy", str(file))
    assert tried.code == 1
    assert "line 5" in tried.err


def test_a_file_that_is_no_text_or_not_there_is_told_in_one_line(
    program: Program, tmp_path: Path
) -> None:
    file = tmp_path / "policy.toml"
    file.write_bytes(b"\n\xff")
    assert ":2: it is not UTF-8" in program("policy", "check", str(file)).out
    missing = program("policy", "check", str(tmp_path / "none.toml"))
    assert missing.code == 1
    assert "cannot be read" in missing.err


def test_a_look_back_counts_what_went_in(program: Program) -> None:
    before = program.read("policy", "test")
    assert before["outcomes"]["open"]["all"] == before["replayed"] == 50
    assert before["precision"] is None
    program("auto")
    item = program.one("ready", action="remove")
    program("reject", item["id"], "--reason", "no")
    after = program.read("policy", "test")
    assert after["outcomes"]["automatic"]["all"] == 2
    assert after["outcomes"]["rejected"] == {"all": 1, "automatic": 0}
    assert "would have been applied" in program("policy", "test").out


def test_a_look_back_with_a_file_lists_the_differences(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_text(_RULE)
    looked = fingerprint(program.home)
    found = program.read("policy", "test", "--policy", str(file))
    assert found["automatic"] == 0
    assert found["differences"]
    assert all(one["because"] == ["plain"] for one in found["differences"])
    assert "is held now" in program("policy", "test", "--policy", str(file)).out
    assert fingerprint(program.home) == looked


def test_an_explanation_shows_all_six_checks_with_their_reasons(program: Program) -> None:
    item = program.one("refused", source_id="f39f14c3")
    said = program("policy", "explain", item["id"]).out
    for check in ("only adds", "plain", "origin", "current", "new", "room"):
        assert f" {check} " in said
    assert "✗ plain" in said
    assert "Ignore all previous instructions" in said


def test_a_file_with_a_table_that_is_none_of_its_settings_holds_everything(
    program: Program, tmp_path: Path
) -> None:
    file = tmp_path / "policy.toml"
    file.write_text(_RULE.replace("Nothing", "Not this") + "pattern='vim'\n[caps]\npending=5\n")
    report = program("auto", "--policy", str(file), "--json").json
    assert report["applied"] == []
    assert "there is no setting 'caps'" in program("auto", "--policy", str(file)).err


def test_looking_back_says_in_words_what_its_shares_are_of(program: Program) -> None:
    said = program("policy", "test").out
    assert "precision  unknown: no operator has decided" in said
    assert "recall     unknown: operators have approved nothing" in said
    first = next(one for one in program.read("list") if one["state"] == "ready")
    assert program("approve", first["proposal"], "--digest", first["digest"]).code == 0
    assert "of what operators approved unchanged would be applied" in program("policy", "test").out


def test_a_look_back_names_the_policies_that_decided_then(program: Program, tmp_path: Path) -> None:
    program("auto")
    item = program.one("ready", action="remove")
    file = tmp_path / "policy.toml"
    file.write_text(_RULE)
    program("reject", item["id"], "--reason", "no", "--policy", str(file))
    found = program.read("policy", "test")["policies"]
    tuned, plain = sorted(found, key=lambda one: one["today"])
    assert (plain["today"], tuned["today"], tuned["decided"]) == (True, False, 1)
    assert plain["went_in"] == plain["decided"] == 2
    sum_of_file = hashlib.sha256(file.read_bytes()).hexdigest()
    assert f"policy file {sum_of_file[:6]}" in tuned["policy"]
    said = " ".join(program("policy", "test").out.split())
    assert (
        f"judged by {plain['policy']} (today's): {plain['went_in']} applied automatically" in said
    )
    assert f"1 decision judged by {tuned['policy']}: 0 applied automatically" in said


def test_status_names_the_mistake_for_which_nothing_is_applied(
    program: Program, tmp_path: Path
) -> None:
    file = tmp_path / "policy.toml"
    file.write_text("colour = 1\n")
    assert "is wrong in line 1" in program.read("status", "--policy", str(file))["suspended"]
    assert program.read("status")["suspended"] is None
