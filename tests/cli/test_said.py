"""What the user said is told apart from what only comes closest to it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.cli.program import Program
from tests.gate.statements import Pair, build

from reviewdeck.model import AutoApply, Judgement, OriginClass
from reviewdeck.model.codec import judgement_from_json, judgement_to_json

SAID, CLOSEST, ASKED = "a5e10c84", "a6f3b9d2", "0a51c3e8"
"""Hermes' ids of a memory that the user said, of one that they spoke near, of a skill asked for."""


def test_you_said_stands_only_before_what_the_user_said(demo: Program) -> None:
    labels = {"said": "you", "closest": "closest"}
    for id, field, other in ((SAID, "said", "closest"), (CLOSEST, "closest", "said")):
        found = demo.read("policy", "explain", id)
        assert found[field] and found[other] is None
        for words in (("policy", "explain", id), ("show", id)):
            first = {line.split()[0] for line in demo(*words).out.splitlines() if line.strip()}
            assert labels[field] in first and labels[other] not in first
    lines = [line.strip() for line in demo("auto").out.splitlines()]
    memory = next(n for n, line in enumerate(lines) if "On macOS the load test" in line)
    assert lines[memory + 1].startswith("you said: “")
    skill = next(n for n, line in enumerate(lines) if "create ferry-load-test" in line)
    assert lines[skill + 1] == "you said: “Write down how we did it, as a skill.”"


def test_auto_says_as_json_which_of_both_it_is(demo: Program) -> None:
    applied = {item["source_id"]: item for item in demo.read("auto")["applied"]}
    assert applied[SAID]["said"] and applied[SAID]["closest"] is None
    assert CLOSEST not in applied
    assert applied[ASKED]["said"] == "Write down how we did it, as a skill."


def test_what_nobody_typed_so_waits_beside_the_closest_sentence(run: Any, tmp_path: Path) -> None:
    pair = Pair("waits", ("The docs might move to sphinx.",), "The docs are moving to sphinx.")
    build(pair, tmp_path / "home", OriginClass.WORKSPACE)
    place = ("--home", str(tmp_path / "home"), "--ledger", str(tmp_path / "l.db"))
    closest = "closest to it, you said: “The docs might move to sphinx.”"
    _, title, group = run("auto", *place).out.partition("+ In other words: not as you typed")
    assert title and closest in " ".join(group.split())
    (held,) = json.loads(run("auto", *place, "--json").out)["held"]
    assert held["closest"] == pair.messages[0]
    assert closest[:50] in run("list", *place).out


def test_a_judgement_that_was_stored_when_both_were_one_claims_nothing() -> None:
    judgement = Judgement(AutoApply("memory-addition"), said="I prefer short answers.")
    stored = judgement_to_json(judgement)
    assert judgement_from_json(stored) == judgement
    del stored["closest"]
    read = judgement_from_json(stored)
    assert (read.said, read.closest) == ("", "I prefer short answers.")
