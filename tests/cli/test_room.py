"""`room` and `approve --until` on the command line."""

from __future__ import annotations

from typing import Any

from tests.cli.program import Program

from reviewdeck.model.decisions import ENDS

LONG = "The linter is ruff, as it was for a long time in this project."


def ends(program: Program) -> list[dict[str, Any]]:
    return [each for each in program.read("log")["events"] if each["name"] == ENDS]


def test_the_end_of_an_entry_is_noted_only_once_it_is_approved(demo: Program) -> None:
    item = demo.one("ready", kind="memory", action="add")
    ran = demo("approve", item["id"], "--until", "2099-10-31", "--digest", "0" * 12)
    assert ran.code != 0
    assert ends(demo) == []
    ran = demo("approve", item["id"], "--until", "2020-10-31", "--digest", item["digest"])
    assert ran.code == 1 and "is over" in ran.err
    assert demo.read("show", item["id"])["state"] == "ready"
    assert (
        demo("approve", item["id"], "--until", "2099-10-31", "--digest", item["digest"]).code == 0
    )
    assert [each["detail"]["on"] for each in ends(demo)] == ["2099-10-31"]
