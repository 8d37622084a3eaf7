"""From a record of a later Hermes to the disk and back: decided as shown, whole, and noted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.homes.later import (
    DEPLOY,
    ENTRIES,
    LEDGER,
    MEMORY,
    NOTES,
    NOW,
    TRIAGE,
    Later,
    make_later_home,
    skill_text,
)
from tests.homes.test_writer import At, die, in_child

from reviewdeck.bootstrap import open_engine
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.evaluation import Evaluation
from reviewdeck.engine.options import Settings
from reviewdeck.errors import NotDecidable
from reviewdeck.homes.hermes.writer import HermesWriter
from reviewdeck.model import Actor, ActorKind, Proposal, State
from reviewdeck.planning.compose import writes
from reviewdeck.planning.stage import stage

TOKEN = "a1b2c3d4e5f6"  # noqa: S105 - the name of a batch
SCAN = "skills/dev/scan/SKILL.md"
PORTS = "skills/dev/scan/references/ports.md"

BATCH: dict[str, Any] = {
    "action": "batch",
    "operations": [
        {"name": "scan", "action": "create", "content": skill_text("scan"), "category": "dev"},
        {"name": "scan", "action": "write_file", "file_path": "references/ports.md",
         "file_content": "- 22\n"},
        {"name": "triage", "action": "patch", "old_string": "1. Look.",
         "new_string": "1. Scan, then look."},
        {"name": "triage", "action": "patch", "old_string": "then look",
         "new_string": "then look twice"},
        {"name": "triage", "action": "remove_file", "file_path": "references/notes.md"},
        {"name": "deploy", "action": "patch", "content": skill_text("deploy", "1. Start anew.")},
    ],
}  # fmt: skip


class Clock:
    """A clock that moves on a second with each look."""

    def __init__(self) -> None:
        self.moment = NOW

    def __call__(self) -> Any:
        self.moment += timedelta(seconds=1)
        return self.moment


@pytest.fixture
def deck(later: Later, tmp_path: Path) -> Iterator[Engine]:
    settings = Settings(
        homes=(later.root,),
        ledger=str(tmp_path / "ledger" / "ledger.db"),
        user_home=tmp_path,
        actor=Actor(ActorKind.OPERATOR, "dana", host="desk", terminal=""),
        lock_wait=5.0,
    )
    deck = open_engine(settings, now=Clock())
    yield deck
    deck.close()


def files(home: Later) -> dict[str, str]:
    """Every file below the skills and the memories that is a document."""
    return {
        str(path.relative_to(home.root)): path.read_text("utf-8")
        for folder in ("skills", "memories")
        for path in sorted((home.root / folder).rglob("*.md"))
    }


def only(deck: Engine) -> Evaluation:
    deck.intake()
    staged = (item for item in deck.pending() if item.state is not State.LIVE)
    (one,) = (deck.get(item.id) for item in staged)
    return one


def test_a_batch_waits_for_an_operator_and_is_applied_as_it_was_shown(
    deck: Engine, later: Later
) -> None:
    source = later.stage(BATCH)
    before = files(later)
    report = deck.auto()
    assert (report.applied, len(report.held)) == ((), 1)
    assert files(later) == before
    one = only(deck)
    assert (one.state, one.proposal.target) == (State.READY, "deploy, scan, triage")
    assert one.digest is not None
    operation = deck.approve(one.proposal.id, one.digest)
    after = files(later)
    assert after[SCAN] == skill_text("scan")
    assert after[PORTS] == "- 22\n"
    assert "1. Scan, then look twice." in after[TRIAGE]
    assert NOTES not in after
    assert after[DEPLOY] == skill_text("deploy", "1. Start anew.")
    assert not (later.root / source).exists()
    assert {row["skill"] for row in later.rows()} == {"scan", "triage", "deploy"}
    usage = json.loads(later.text("skills/.usage.json"))
    assert usage["scan"]["created_by"] == "agent"
    assert usage["triage"]["patch_count"] == 3
    deck.undo(operation.id)
    assert files(later) == before
    assert not (later.root / "skills/dev/scan").exists()
    assert len(later.rows()) == 6


def test_a_batch_of_which_one_text_moved_is_refused_whole(deck: Engine, later: Later) -> None:
    later.stage(BATCH)
    one = only(deck)
    later.write(DEPLOY, skill_text("deploy", "1. Look elsewhere."))
    before = files(later)
    assert one.digest is not None
    with pytest.raises(NotDecidable, match="is a conflict"):
        deck.approve(one.proposal.id, one.digest)
    assert files(later) == before
    assert later.rows() == []


def test_one_operation_that_died_meanwhile_is_named(deck: Engine, later: Later) -> None:
    later.stage(BATCH)
    only(deck)
    later.write(SCAN, skill_text("scan", "1. Somebody else's."))
    one = only(deck)
    assert one.state is State.DEAD
    assert one.reason.startswith("Operation 1 (create on 'scan'): There is a skill 'scan' already")


def test_a_pinned_replacement_is_never_automatic_and_hits_the_pinned_entry(
    deck: Engine, later: Later
) -> None:
    later.stage(
        {"action": "replace", "target": "memory", "old_text": "s", "content": "Tests run daily.",
         "matched_entry": ENTRIES[0]}
    )  # fmt: skip
    assert deck.auto().applied == ()
    one = only(deck)
    assert one.digest is not None
    deck.approve(one.proposal.id, one.digest)
    assert later.text(MEMORY) == f"Tests run daily.\n§\n{ENTRIES[1]}"


def test_a_pinned_removal_is_a_conflict_once_its_entry_was_rewritten_before_we_looked(
    deck: Engine, later: Later
) -> None:
    later.stage(
        {"action": "remove", "target": "memory", "old_text": "Tests", "content": None,
         "matched_entry": "Tests run with tox."}
    )  # fmt: skip
    source = later.root / "pending/memory/0123abcd.json"
    assert deck.auto().applied == ()
    one = only(deck)
    assert one.state is State.CONFLICT
    assert "base-unknown" not in {finding.code for finding in one.findings}
    assert source.exists()
    assert later.text(MEMORY) == "\n§\n".join(ENTRIES)


def test_a_record_from_before_pinning_says_so(deck: Engine, later: Later) -> None:
    later.stage({"action": "remove", "target": "memory", "old_text": "Tuesdays", "content": None})
    one = only(deck)
    assert one.state is State.READY
    assert "unpinned" in {finding.code for finding in one.findings}


def test_what_is_not_for_a_memory_that_is_switched_off_stays_on_the_disk(
    deck: Engine, later: Later
) -> None:
    later.config("memory:\n  memory_enabled: false\n")
    source = later.stage({"action": "add", "target": "memory", "content": "The linter is ruff."})
    report = deck.auto()
    assert (len(report.dead), report.applied) == (1, ())
    assert (later.root / source).exists()
    later.config("memory:\n  memory_enabled: true\n")
    assert len(deck.auto().applied) == 1
    assert not (later.root / source).exists()


def test_records_of_others_stay_where_they_are_and_are_listed(deck: Engine, later: Later) -> None:
    foreign = later.write("pending/memory/mnemosyne-7.json", '{"type": "memory_candidate"}')
    newer = later.stage({"action": "batch", "operations": [{"name": "a", "action": "fork"}]})
    added = later.stage(
        {"action": "add", "content": "The linter is ruff.", "target": "memory"}, id="00000001"
    )
    report = deck.auto()
    assert len(report.applied) == 1
    assert not (later.root / added).exists()
    assert foreign.read_text() == '{"type": "memory_candidate"}'
    assert (later.root / newer).exists()
    assert {item.source for item in report.refused} == {
        "pending/memory/mnemosyne-7.json",
        newer,
    }


@pytest.mark.slow
def test_a_kill_at_any_step_leaves_a_ledger_that_can_be_read_and_is_finished_once(
    later: Later, tmp_path: Path
) -> None:
    later.stage(BATCH)
    (file,) = later.home().pending()
    proposal = later.home().parse(file, NOW)
    assert isinstance(proposal, Proposal)
    outcome = stage(proposal, later.home().snapshot()).outcome
    plan = getattr(outcome, "plan", None)
    assert plan is not None, outcome
    changes = writes(plan)
    steps: list[str] = []
    HermesWriter(make_later_home(tmp_path / "rehearsal").root, probe=steps.append).write(
        changes, TOKEN
    )
    for number in range(0, len(steps), 5):
        home = make_later_home(tmp_path / f"home-{number}")
        status = in_child(
            lambda home=home, number=number: home.writer(  # type: ignore[misc]  # bound here
                probe=At({number: die})
            ).write(changes, TOKEN)
        )
        assert status == 9
        home.writer().write(changes, TOKEN)
        home.writer().settle(TOKEN)
        assert {c.path: c.after for c in changes} == {
            c.path: home.home().snapshot().document(c.path).data for c in changes
        }
        told = sorted(row["skill"] for row in home.rows())
        assert told == ["deploy", "scan", "triage"], steps[number]
        assert (home.root / LEDGER).read_bytes().endswith(b"\n")
