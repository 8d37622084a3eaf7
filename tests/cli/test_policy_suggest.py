"""`reviewdeck policy suggest` at the command line."""

from __future__ import annotations

from tests.cli.program import Program
from tests.cli.test_report import plant, record


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
