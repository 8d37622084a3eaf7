"""`reviewdeck policy suggest` at the command line."""

from __future__ import annotations

from tests.cli.program import Program
from tests.cli.test_hostile import plant
from tests.cli.test_report import record


def test_the_command_that_writes_a_rule_is_for_the_home_that_was_asked_about(
    program: Program,
) -> None:
    for number in range(3):
        plant(program.home, f"ccccccc{number}", record(f"ccccccc{number}", f"See HARB-{number}11."))
    ids = [item["id"] for item in program.read("list") if "HARB-" in item["gist"]]
    program("reject", *ids, "--reason", "Not ours.")
    home = ("--home", str(program.home))
    offered = program("policy", "suggest", *home).out
    assert "You rejected 3 of 3 that name a ticket" in offered
    assert f"policy suggest --add NAME {' '.join(home)}" in offered
    unknown = program("policy", "suggest", "--add", "other", *home)
    assert unknown.code == 1
    assert f"policy suggest {' '.join(home)}" in unknown.err


def test_a_rule_about_an_action_names_it_in_the_words_of_the_policy_file(program: Program) -> None:
    for number, text in enumerate(("The pier is old.", "Gulls eat bread.", "Ropes are wet.")):
        plant(program.home, f"ddddddd{number}", record(f"ddddddd{number}", text))
    ids = [item["id"] for item in program.read("list") if item["action"] == "add"]
    program("reject", *ids, "--reason", "Not ours.")
    assert program.read("policy", "suggest") == []
    others = [item for item in program.read("list", "--state", "ready") if item["id"] not in ids]
    for item in others[:3]:
        program("approve", item["id"], "--digest", item["digest"])
    offered = program.read("policy", "suggest")
    (words,) = (rule["words"] for rule in offered if rule["name"] == "memory-add")
    assert words == "have the action add (memory)"
