"""Several proposals in one command, and what a terminal is shown before it is asked."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from tests.cli.program import Program, contents
from tests.operators.terminals import Said, typed

MEMORY = "memories/MEMORY.md"


def in_terminal(program: Program, tokens: list[str], answers: list[tuple[str, str]]) -> Said:
    """A command in a terminal, answered."""
    command = [sys.executable, "-m", "reviewdeck.cli.main", *tokens]
    command += ["--home", str(program.home), "--ledger", str(program.ledger)]
    return typed(command, answers, {**os.environ, "TERM": "dumb"})


def ids_of(program: Program, *words: str) -> list[str]:
    """The ids that `list` prints."""
    return program("list", "--format", "{id}", *words).out.split()


def test_several_proposals_are_rejected_by_id_with_one_reason(program: Program) -> None:
    first, second, *_ = ids_of(program, "--state", "ready")
    ran = program("reject", first, second[:8], "--reason", "not so")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"rejected {first}: ") and f"\nrejected {second}: " in ran.out
    for id in (first, second):
        (decision,) = program.read("show", id)["decisions"]
        assert (decision["verb"], decision["reason"]) == ("reject", "not so")


def test_all_of_a_state_are_listed_and_asked_about(program: Program) -> None:
    dead = ids_of(program, "--state", "dead")
    assert len(dead) > 1
    before = contents(program.home)
    said = in_terminal(
        program, ["reject", "--state", "dead", "--reason", "old"], [(r"\[y/N\]", "n")]
    )
    assert said.code == 0 and all(id in said.screen for id in dead)
    assert ids_of(program, "--state", "dead") == dead and contents(program.home) == before
    said = in_terminal(
        program, ["reject", "--state", "dead", "--reason", "old"], [(r"\[y/N\]", "y")]
    )
    assert f"Reject {len(dead)} proposals?" in said.screen
    assert ids_of(program, "--state", "dead") == []


def test_without_a_terminal_a_state_is_decided_only_with_yes(program: Program) -> None:
    dead = ids_of(program, "--state", "dead")
    assert (
        "Add --yes"
        in program("defer", "--state", "dead", "--json").err
        + program("defer", "--state", "dead", "--json").out
    )
    report = program.read("defer", "--state", "dead", "--yes")
    assert [decision["proposal"] for decision in report["decisions"]] == dead
    assert report["failed"] == []
    assert set(dead) <= set(ids_of(program, "--state", "deferred"))


def test_what_cannot_be_decided_is_named_and_the_others_are_decided(program: Program) -> None:
    first, second, *_ = ids_of(program, "--state", "ready")
    program("reject", first, "--reason", "no")
    ran = program("reject", first, second, "--reason", "no")
    assert ran.code == 1
    assert first in ran.err and "decided already" in ran.err
    assert ran.out.startswith(f"rejected {second}: ")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("reject", "--reason", "x"), "`reviewdeck reject` needs ID."),
        (("defer",), "`reviewdeck defer` needs ID."),
        (("approve",), "`reviewdeck approve` needs ID."),
        (("defer", "abc", "--state", "dead"), "or what they have in common"),
        (("defer", "--filter", "age:soon"), "age: takes 3h"),
        (("list", "--filter", " "), "--filter cannot be"),
        (("reject", "--filter", "state:", "--yes", "--reason", "x"), "state: has no value."),
        (("defer", "--filter", "NOT stat:dead", "--yes"), "did you mean state?"),
        (("reject", "--state", "applied", "--reason", "x"), "decided already"),
        (("approve", "--state", "ready"), "needs --digest"),
        (
            ("approve", "abc", "--digest", "1" * 12, "--digest", "2" * 12),
            "1 proposal and 2 digests",
        ),
        (("undo",), "`reviewdeck undo` needs OPERATION."),
        (("list", "--format", "{id"), "--format cannot be"),
    ],
)
def test_a_choice_that_makes_no_sense_is_a_usage_error(
    program: Program, words: tuple[str, ...], told: str
) -> None:
    before = contents(program.home)
    ran = program(*words)
    assert ran.code == 2 and told in ran.err and ran.err.count("\n") == 1
    assert contents(program.home) == before


def test_lines_of_ones_own_are_no_json(program: Program) -> None:
    ran = program("list", "--format", "{id}", "--json")
    assert ran.code == 2 and "Choose one of --format and --json." in ran.out


def test_an_unknown_operation_is_told_where_operations_are_listed(program: Program) -> None:
    ran = program("undo", "nothing-like-it")
    assert ran.code == 1
    assert ran.err.endswith(
        "There is no operation nothing-like-it. `reviewdeck log` lists the operations.\n"
    )


def test_who_shows_an_operation_is_told_its_proposal(program: Program) -> None:
    item = program.one("ready", action="replace", target="memory")
    done = program.read("approve", item["id"], "--digest", item["digest"])
    ran = program("show", done["operation"]["id"])
    assert ran.code == 1
    assert f"It is an operation, of the proposal {item['proposal'][:8]}." in ran.err


def test_an_unknown_id_among_several_decides_nothing(program: Program) -> None:
    first, *_ = ids_of(program, "--state", "ready")
    ran = program("reject", first, "nothing-like-it", "--reason", "x")
    assert ran.code == 1 and "nothing-like-it" in ran.err
    assert first in ids_of(program, "--state", "ready")


def test_a_terminal_is_shown_the_diff_before_an_approval(program: Program) -> None:
    item = program.one("ready", action="replace", target="memory")
    (document,) = program.read("diff", item["id"])["documents"]
    before = (program.home / MEMORY).read_bytes()
    said = in_terminal(program, ["approve", item["id"]], [("exactly this", "")])
    assert said.code == 0 and f"digest    {item['digest']}" in said.screen
    assert (program.home / MEMORY).read_bytes() == before
    said = in_terminal(program, ["approve", item["id"]], [("exactly this", "y")])
    assert said.code == 0 and f"applied {item['id']}" in said.screen
    assert (program.home / MEMORY).read_text("utf-8") == document["after"]


def test_each_of_several_is_shown_as_it_is_by_then_and_q_leaves_the_rest(program: Program) -> None:
    ready = [
        item["id"]
        for item in program.read("list", "--state", "ready")
        if item["target"] == "memory" and item["action"] == "add"
    ]
    assert len(ready) > 2
    answers = [(r"\(1 of", "y"), (r"\(2 of", "n"), (r"\(3 of", "q")]
    said = in_terminal(program, ["approve", *ready], answers)
    assert f"applied {ready[0]}" in said.screen and f"not decided {ready[2]}" in said.screen
    assert program.read("show", ready[0])["state"] == "applied"
    assert all(id in ids_of(program) for id in ready[1:])


def test_a_conflict_is_shown_and_not_asked_about(demo: Program) -> None:
    conflict, *_ = ids_of(demo, "--state", "conflict")
    said = in_terminal(demo, ["approve", conflict], [])
    assert said.code == 1 and "is a conflict" in said.screen and "exactly this" not in said.screen


def test_several_digests_approve_several_proposals(program: Program) -> None:
    lines = program("list", "--state", "ready", "--format", "{id} {digest} {target}").out
    pairs = [line.split()[:2] for line in lines.splitlines() if line.endswith(" memory")][:2]
    words = [word for id, digest in pairs for word in (id, "--digest", digest)]
    report = program.read("approve", *words)
    assert [one["proposal"] for one in report["operations"]] == [id for id, _ in pairs]


def test_a_wrong_digest_among_several_fails_alone(program: Program) -> None:
    (first, digest), (second, _) = (
        line.split()
        for line in program(
            "list", "--state", "ready", "--format", "{id} {digest}"
        ).out.splitlines()[:2]
    )
    ran = program("approve", first, second, "--digest", digest, "--digest", "0" * 64)
    assert ran.code == 1 and ran.out.startswith(f"applied {first}") and second in ran.err


def test_undo_alone_shows_the_last_operation_and_asks(program: Program) -> None:
    before = (program.home / MEMORY).read_bytes()
    item = program.one("ready", action="replace", target="memory")
    done = program.read("approve", item["id"], "--digest", item["digest"])
    operation = done["operation"]["id"]
    after = (program.home / MEMORY).read_bytes()
    said = in_terminal(program, ["undo"], [("Undo exactly this", "n")])
    assert said.code == 0 and "Nothing was changed" in said.screen
    assert (program.home / MEMORY).read_bytes() == after
    said = in_terminal(program, ["undo"], [("Undo exactly this", "y")])
    assert said.code == 0 and f"undid {operation}" in said.screen
    assert (program.home / MEMORY).read_bytes() == before
    said = in_terminal(program, ["undo"], [])
    assert said.code == 1 and "There is no operation to undo." in said.screen


def test_a_format_takes_the_fields_of_json_and_makes_texts_inert(program: Program) -> None:
    items = program.read("list")
    lines = program("list", "--format", r"{id}\t{age_seconds}{{{state}}}").out.splitlines()
    assert [line.split("\t")[0] for line in lines] == [item["id"] for item in items]
    assert lines[0].endswith("{" + items[0]["state"] + "}")
    ran = program("list", "--format", "{id} {nothing}")
    assert ran.code == 2 and "no field 'nothing'" in ran.err and "digest" in ran.err
    assert "\x1b" not in program("list", "--format", "{gist}{reason}").out


def test_the_ids_of_an_empty_queue_are_nothing(program: Program, tmp_path: Path) -> None:
    assert program("list", "--state", "kept", "--format", "{id}").out == ""


def test_the_filter_of_the_deck_lists_and_decides(program: Program) -> None:
    words = "state:dead NOT kind:skills OR action:patch"
    ids = ids_of(program, "--filter", words)
    assert ids == [
        item["id"]
        for item in program.read("list")
        if (item["state"] == "dead" and item["kind"] != "skills") or item["action"] == "patch"
    ]
    report = program.read("reject", "--filter", words, "--reason", "old", "--yes")
    assert {one["proposal"] for one in report["decisions"]} == set(ids)
    assert ids_of(program, "--filter", words) == []


def test_a_page_of_a_filter_goes_on_where_the_last_one_ended(program: Program) -> None:
    whole = ids_of(program, "--filter", "kind:memory")
    first = program.read("list", "--filter", "kind:memory", "--limit", "2")
    rest = ids_of(program, "--filter", "kind:memory", "--after", str(first[-1]["position"]))
    assert [item["id"] for item in first] + rest == whole


def test_a_misspelt_word_finds_and_decides_nothing(program: Program) -> None:
    assert ids_of(program, "--filter", "postgrs")
    ran = program("defer", "--filter", "postgrs")
    assert (ran.code, ran.out) == (0, "There is no such proposal.\n")
