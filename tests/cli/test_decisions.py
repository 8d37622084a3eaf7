"""Deciding from the command line, and taking it back."""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.program import Program, fingerprint

MEMORY = "memories/MEMORY.md"


def test_a_proposal_is_applied_as_it_was_shown_and_taken_back(program: Program) -> None:
    item = program.one("ready", action="replace", target="memory")
    before = (program.home / MEMORY).read_bytes()
    shown = program.read("diff", item["id"])
    (document,) = shown["documents"]
    done = program.read("approve", item["id"], "--digest", shown["digest"])
    assert (program.home / MEMORY).read_text("utf-8") == document["after"]
    assert not (program.home / item["source"]).exists()
    assert program("undo", done["operation"]["id"]).code == 0
    assert (program.home / MEMORY).read_bytes() == before


def test_the_diff_ends_with_the_digest_and_the_commands_that_take_it(program: Program) -> None:
    item = program.one("ready", action="replace", target="memory")
    said = program("diff", item["id"]).out
    assert f"digest    {item['digest']}" in said
    assert f"reviewdeck approve {item['id']} --digest {item['digest'][:16]}" in said


def test_a_diff_marks_the_words_that_change(program: Program) -> None:
    item = program.one("ready", source_id="cd551737")
    said = program("diff", item["id"]).out
    assert "- Staging database is PostgreSQL [-15-] on port 5433." in said
    assert "+ Staging database is PostgreSQL [+16+] on port 5433." in said
    assert "after: " in said and "/2,200 characters" in said


def test_a_stale_digest_is_refused_and_nothing_is_written(program: Program) -> None:
    item = program.one("ready", action="replace", target="memory")
    memory = program.home / MEMORY
    (document,) = program.read("diff", item["id"])["documents"]
    came = [row["right"] for row in document["rows"] if row["kind"] in ("added", "changed")]
    memory.write_text(memory.read_text("utf-8") + f"\n§\n{came[0]} By hand.", "utf-8")
    before = memory.read_bytes()
    ran = program("approve", item["id"], "--digest", item["digest"])
    assert ran.code == 1
    assert "Nothing was changed" in ran.err
    assert memory.read_bytes() == before


def test_an_approval_without_a_digest_is_a_usage_error_that_says_where_to_see_it(
    program: Program,
) -> None:
    item = program.one("ready", action="replace", target="memory")
    ran = program("approve", item["id"])
    assert ran.code == 2
    assert "--digest" in ran.err and "reviewdeck diff" in ran.err


def test_a_rejection_needs_a_reason_and_keeps_it(program: Program) -> None:
    item = program.one("ready", action="replace", target="memory")
    assert program("reject", item["id"]).code == 2
    assert program("reject", item["id"], "--reason", "  ").code == 1
    assert program("reject", item["id"], "--reason", "not so").code == 0
    (decision,) = program.read("show", item["id"])["decisions"]
    assert (decision["verb"], decision["reason"]) == ("reject", "not so")


def test_who_names_what_is_decided_reads_its_id_once_and_where_it_waits_again(
    program: Program,
) -> None:
    first, second = (item["id"] for item in program.read("list", "--state", "ready")[:2])
    for id in (first, second):
        assert program("reject", id, "--reason", "No.").code == 0
    told = program("reject", first, second, "--reason", "No.").err.splitlines()
    for id, line in zip((first, second), told[:2], strict=True):
        assert line.startswith(f"reviewdeck: The proposal {id} is rejected: it is decided already.")
        assert f"`reviewdeck reopen {id}` puts it back into the queue, or says as what" in line


def test_a_proposal_is_sent_back_with_a_note(program: Program) -> None:
    item = program.one("ready", action="replace", target="memory")
    sent = program("reject", item["id"], "--send-back", "--reason", "name the host")
    assert sent.out.startswith(f"sent back {item['id']}")
    assert "sent back: name the host" in program("show", item["id"]).out


def test_what_is_put_off_stays_and_can_still_be_decided(program: Program) -> None:
    item = program.one("ready", action="replace", target="memory")
    assert program("defer", item["id"], "--reason", "ask Ana").code == 0
    assert program.one("deferred")["id"] == item["id"]
    assert program("approve", item["id"], "--digest", item["digest"]).code == 0


def test_a_conflict_is_settled_with_the_operators_own_text(demo: Program, tmp_path: Path) -> None:
    item = demo.one("conflict", action="replace", target="memory")
    shown = demo.read("diff", item["id"])
    own = tmp_path / "own.md"
    own.write_text("Only this.", "utf-8")
    ran = demo("merge", item["id"], "--file", str(own), "--digest", shown["digest"])
    assert ran.code == 0, ran.err
    assert (demo.home / MEMORY).read_text("utf-8") == "Only this."


def test_an_own_text_is_described_by_what_was_written_wherever_it_is_listed(
    demo: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    item = demo.one("conflict", action="replace", target="memory")
    live = (demo.home / MEMORY).read_text("utf-8")
    (tmp_path / "own").write_text(f"{live}\n§\nAsk Ana about ferries.", "utf-8")
    digest = demo.read("diff", item["id"])["digest"]
    said = demo("merge", item["id"], "--file", str(tmp_path / "own"), "--digest", digest).out
    wrote = "replace memory: Ask Ana about ferries."
    assert said.splitlines()[0] == f"merged {item['id']}: {wrote}"
    assert demo.one("applied", id=item["id"])["gist"] == "Ask Ana about ferries."
    for listed in (demo("log").out, demo("show", item["id"]).out):
        assert wrote in " ".join(listed.split()) and item["gist"] not in listed
    operation = demo.read("show", item["id"])["operations"][0]["id"]
    assert demo("undo", operation).code == 0
    assert demo.read("show", item["id"])["gist"] == item["gist"], "it waits as it was requested"


@pytest.mark.parametrize("side", ["live", "proposed"])
def test_a_conflict_is_settled_by_taking_a_side(demo: Program, side: str) -> None:
    item = demo.one("conflict", action="replace", target="memory")
    shown = demo.read("diff", item["id"])
    (place,) = shown["conflict"]["places"]
    ran = demo("merge", item["id"], "--take", side, "--digest", shown["digest"])
    after = (demo.home / MEMORY).read_text("utf-8")
    if side == "live":
        assert ran.code == 1
        assert "reviewdeck reject" in ran.err
        assert after == shown["conflict"]["live"]
    else:
        assert ran.code == 0, ran.err
        assert place["proposed"] in after and place["live"] not in after


def test_the_diff_of_a_conflict_shows_three_texts_with_their_authors(demo: Program) -> None:
    item = demo.one("conflict", action="replace", target="memory")
    said = demo("diff", item["id"]).out
    for side in ("base      what the agent saw", "live      as first seen", "proposed  review"):
        assert side in said
    assert f"reviewdeck merge {item['id']} --take" in said


def test_a_merge_takes_a_file_or_a_side_and_never_both(demo: Program, tmp_path: Path) -> None:
    item = demo.one("conflict", action="replace", target="memory")
    digest = ("--digest", item["digest"])
    assert demo("merge", item["id"], *digest).code == 2
    both = demo("merge", item["id"], "--take", "live", "--file", str(tmp_path / "x"), *digest)
    assert both.code == 2


def test_a_merge_file_that_is_not_text_or_not_there_is_refused(
    demo: Program, tmp_path: Path
) -> None:
    item = demo.one("conflict", action="replace", target="memory")
    (tmp_path / "own").write_bytes(b"\xff\xfe")
    before = fingerprint(demo.home)
    for name, words in (("own", "not UTF-8"), ("none", "cannot be read")):
        ran = demo("merge", item["id"], "--file", str(tmp_path / name), "--digest", item["digest"])
        assert ran.code == 1
        assert words in ran.err
    assert fingerprint(demo.home) == before


def test_a_refused_proposal_can_be_replaced_by_the_operators_version(
    program: Program, tmp_path: Path
) -> None:
    item = program.one("refused", kind="memory", source_id="f39f14c3")
    assert program("approve", item["id"], "--digest", "0" * 64).code == 1
    shown = program.read("diff", item["id"])
    own = tmp_path / "own.md"
    own.write_text("Mine.", "utf-8")
    revision = shown["revisions"][MEMORY]
    ran = program("merge", item["id"], "--file", str(own), "--digest", revision)
    assert ran.code == 0, ran.err
    assert (program.home / MEMORY).read_text("utf-8") == "Mine."


def test_the_diff_of_a_dead_proposal_shows_what_it_wanted_and_what_is_nearest(
    demo: Program,
) -> None:
    item = demo.one("dead", action="replace")
    said = demo("diff", item["id"]).out
    assert "replace the entry that contains" in said
    assert "revision  " in said


def test_hermes_own_id_and_a_unique_prefix_name_a_proposal(program: Program) -> None:
    item = program.one("ready", source_id="cd551737")
    for name in ("cd551737", item["id"][:8], item["id"]):
        assert program.read("show", name)["id"] == item["id"]


def test_an_unknown_or_ambiguous_id_says_so(program: Program) -> None:
    program("status")
    for name in ("zzzz", "", "0000000000000000"):
        ran = program("show", name)
        assert ran.code == 1
        assert ran.err.count("\n") == 1
        assert f"There is no proposal {name or repr(name)}." in ran.err
    first = [item["id"][0] for item in program.read("list")]
    shared = next(digit for digit in first if first.count(digit) > 1)
    assert program("show", shared).code == 1


def test_show_tells_everything_that_is_known(demo: Program) -> None:
    item = demo.one("conflict", action="replace", target="memory")
    shown = demo.read("show", item["id"])
    assert shown["session"] and shown["turn"]
    assert shown["bases"][0]["source"] == "given"
    said = demo("show", item["id"]).out
    for word in (shown["session"], "as recorded by the agent", shown["digest"], "merge"):
        assert word in said


def test_show_and_diff_of_a_record_that_cannot_be_read_say_why(demo: Program) -> None:
    item = demo.one("quarantined")
    for command in ("show", "diff"):
        ran = demo(command, item["id"])
        assert ran.code == 0, ran.err
        assert "? unreadable" in ran.out
    assert demo("approve", item["id"], "--digest", "0" * 64).code == 1
    assert demo("policy", "explain", item["id"]).code == 1


def test_policy_explain_answers_every_check(program: Program) -> None:
    item = program.one("refused", source_id="f39f14c3")
    told = program.read("policy", "explain", item["id"])
    assert told["verdict"] == "refuse"
    assert list(told["checks"]) == ["adds", "plain", "origin", "current", "new", "room"]
    assert told["checks"]["plain"] is False
    assert told["checks"]["origin"]["class"] == "unrecorded"
    (plain,) = (one for one in told["answers"] if one["check"] == "plain")
    assert "override" in plain["findings"]


def test_the_operators_text_can_come_from_the_standard_input(
    demo: Program, spawn: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    item = demo.one("conflict", action="replace", target="memory")
    where = ("--home", str(demo.home), "--ledger", str(demo.ledger))
    tokens = ("merge", item["id"], "--file", "-", "--digest", item["digest"], *where)
    done = spawn("-m", "reviewdeck.cli.main", *tokens, input="From a pipe.")
    assert done.returncode == 0, done.stderr
    assert (demo.home / MEMORY).read_text("utf-8") == "From a pipe."


def test_a_dead_proposal_about_an_absent_document_takes_the_operators_text(
    program: Program, tmp_path: Path
) -> None:
    item = program.one("dead", source_id="fbf2bc6e")
    ((path, revision),) = program.read("diff", item["id"])["revisions"].items()
    assert revision == "absent"
    (tmp_path / "own").write_text("mine\n", "utf-8")
    merge = ("merge", item["id"], "--file", str(tmp_path / "own"), "--digest")
    assert program(*merge, "abs").code == 1
    assert program(*merge, revision).code == 0
    assert (program.home / path).read_text("utf-8") == "mine\n"


def test_what_merges_by_itself_beside_a_conflict_is_shown(program: Program) -> None:
    memory = program.home / MEMORY
    base = memory.read_text("utf-8")
    first, second, *_ = base.split("\n§\n")
    memory.write_text(base.replace(first, f"{first} By hand."), "utf-8")
    operations = [
        {"action": "replace", "old_text": first, "content": f"{first} By the agent."},
        {"action": "replace", "old_text": second, "content": f"{second} Besides."},
    ]
    seen = {"sha256": hashlib.sha256(base.encode()).hexdigest(), "text": base}
    record = {
        "id": "abcd1234",
        "subsystem": "memory",
        "action": "batch",
        "summary": "two at once",
        "origin": "foreground",
        "created_at": 1794788268.9,
        "reviewdeck": {"v": 1, "bases": {MEMORY: seen}},
        "payload": {"action": "batch", "target": "memory", "operations": operations},
    }
    pending = program.home / "pending/memory/abcd1234.json"
    pending.write_text(json.dumps(record), "utf-8")
    assert program.read("show", "abcd1234")["state"] == "conflict"
    said = program("diff", "abcd1234").out
    assert "-- also merged automatically:" in said
    assert f"+ {second}[+ Besides.+]" in said
    assert 'LOST if taken as proposed: "By hand."' in said
    shown = program.read("diff", "abcd1234")
    taken = program("merge", "abcd1234", "--take", "proposed", "--digest", shown["digest"])
    assert taken.code == 0, taken.err
    assert f"{first} By the agent.\n§\n{second} Besides." in memory.read_text("utf-8")


def test_show_names_the_effect_of_each_command_on_a_live_change(program: Program) -> None:
    program("status")
    memory = program.home / MEMORY
    memory.write_text(memory.read_text("utf-8").partition("\n§\n")[2], "utf-8")
    said = program("show", program.one("live")["id"]).out.splitlines()
    for purpose, verb in (("keep", "approve"), ("revert", "reject")):
        assert any(line.startswith(f"{purpose:<9} reviewdeck {verb} ") for line in said), said


def test_an_undo_that_meets_a_later_change_waits_as_a_conflict(program: Program) -> None:
    item = program.one("ready", source_id="cd551737")
    done = program.read("approve", item["id"], "--digest", item["digest"])
    memory = program.home / MEMORY
    moved = memory.read_text("utf-8").replace("PostgreSQL 16", "PostgreSQL 17")
    memory.write_text(moved, "utf-8")
    ran = program("undo", done["operation"]["id"])
    assert ran.code == 1
    assert memory.read_text("utf-8") == moved
    waiting = program.one("conflict", action="undo")
    said = program("diff", waiting["id"]).out
    assert "live      changed outside review" in said
    assert (
        program("merge", waiting["id"], "--take", "proposed", "--digest", waiting["digest"]).code
        == 0
    )
    assert "PostgreSQL 15" in memory.read_text("utf-8")


def test_a_long_text_is_shown_in_part_and_its_diff_is_whole(program: Program) -> None:
    item = program.one("ready", source_id="510121c4")
    shown, whole = program("show", item["id"]).out, program("diff", item["id"]).out
    assert "more lines: see its diff" in shown
    assert len(shown.splitlines()) < 50
    assert whole.count("\n+ - fact ") == 900


def test_what_is_about_the_same_thing_gives_way(demo: Program) -> None:
    record = demo.home / demo.one("ready", action="replace", target="memory")["source"]
    twin = json.loads(record.read_text("utf-8"))
    twin["id"] = "7" * 8
    record.with_name("77777777.json").write_text(json.dumps(twin), "utf-8")
    demo("auto", "--dry-run")
    first, second = (
        item for item in demo.read("list") if item["source"] in _sources(record, "77777777.json")
    )
    done = demo.read("approve", first["id"], "--digest", first["digest"], "--supersede")
    (gave_way,) = done["superseded"]
    assert gave_way["proposal"] == second["id"]
    assert gave_way["verb"] == "supersede"
    assert not (demo.home / second["source"]).exists()
    assert demo("reopen", second["id"]).code == 0


def _sources(record: Path, name: str) -> set[str]:
    folder = "/".join(record.parts[-3:-1])
    return {f"{folder}/{record.name}", f"{folder}/{name}"}
