"""Taking back: from the stored bytes, merged onto what is live, itself undoable."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.engine.kit import (
    DELIMITER,
    MEMORY,
    Agent,
    digest_of,
    entries,
    set_entries,
    skill_text,
)

from reviewdeck.engine.engine import Engine
from reviewdeck.engine.history import applied_again
from reviewdeck.errors import LedgerDamaged, NotDecidable
from reviewdeck.model import CheckName, OperationKind, State, revision_of


def test_an_automatic_addition_can_be_taken_back(deck: Engine, agent: Agent, home: Path) -> None:
    before = (home / MEMORY).read_bytes()
    id = agent.add("The linter is ruff.")
    deck.auto()
    undone = deck.undo(deck.operations()[0].id)
    assert (home / MEMORY).read_bytes() == before
    assert undone.kind is OperationKind.UNDO
    (waiting,) = deck.pending()
    assert (waiting.source_id, waiting.state) == (id, State.READY)
    (finding, *_) = waiting.findings
    assert (finding.code, finding.at) == ("undone", undone.finished_at)


def test_what_went_in_by_itself_and_was_undone_waits_for_a_person(
    deck: Engine, agent: Agent, home: Path
) -> None:
    agent.add("The linter is ruff.")
    deck.auto()
    deck.undo(deck.operations()[0].id)
    for _ in range(3):
        report = deck.auto()
        assert report.applied == ()
        assert [item.verdict for item in report.held] == ["review"]
    assert "The linter is ruff." not in entries(home)
    (waiting,) = deck.pending()
    deck.approve(waiting.id, digest_of(deck, waiting.id))
    assert "The linter is ruff." in entries(home)
    assert deck.pending() == ()


def test_what_was_undone_shows_the_checks_as_they_are_now_and_keeps_what_let_it_in(
    deck: Engine, agent: Agent
) -> None:
    agent.add("The linter is ruff.")
    deck.auto()
    went_in = deck.ledger.judgement(deck.operations()[0].proposal)
    deck.undo(deck.operations()[0].id)
    (waiting,) = deck.pending()
    assert deck.ledger.judgement(waiting.id) == went_in
    assert waiting.checks == deck.get(waiting.id).judgement.marks
    assert waiting.checks is not None and CheckName.NEW in waiting.checks.failing


def test_what_was_undone_waits_as_whatever_it_comes_to_by_now(
    deck: Engine, agent: Agent, home: Path
) -> None:
    id = agent.replace("staging host", "The staging host is stg-4.")
    deck.intake()
    operation = deck.approve(id, digest_of(deck, id))
    deck.undo(operation.id)
    assert deck.find(id).state is State.READY
    set_entries(home, "Tests run with tox.", "The staging host is stg-7.", "Docs use mkdocs.")
    deck.intake()
    assert deck.find(id).state is State.CONFLICT


def test_a_proposal_that_waits_again_outlives_its_pending_file(
    deck: Engine, agent: Agent, home: Path
) -> None:
    id = agent.replace("staging host", "The staging host is stg-4.")
    deck.intake()
    deck.undo(deck.approve(id, digest_of(deck, id)).id)
    assert not list((home / "pending").glob("*/*.json"))
    agent.add("The linter is ruff.")  # The home moves: the pending folder is read again.
    deck.intake()
    assert deck.find(id).state is State.READY
    deck.reject(id, "Not after all.")
    assert deck.find(id).state is State.REJECTED


def test_a_restore_that_is_undone_does_not_wait(deck: Engine, home: Path) -> None:
    deck.intake()
    (first,) = deck.history(MEMORY)
    set_entries(home, "Something else.")
    shown = deck.evaluate_restore(MEMORY, first.revision).digest
    assert shown is not None
    deck.undo(deck.restore(MEMORY, first.revision, shown).id)
    assert [item.state for item in deck.pending()] == [State.LIVE]


def test_what_was_taken_back_does_not_come_back_by_itself(
    deck: Engine, agent: Agent, home: Path
) -> None:
    agent.add("The linter is ruff.")
    deck.auto()
    deck.undo(deck.operations()[0].id)
    agent.add("The linter is ruff.")
    assert deck.auto().applied == ()


def test_one_addition_of_several_that_were_written_together_is_taken_back_alone(
    deck: Engine, agent: Agent, home: Path
) -> None:
    agent.add("The linter is ruff.")
    agent.add("Branches are named after tickets.")
    agent.add("Releases are cut on Mondays.")
    deck.auto()
    middle = next(op for op in deck.operations() if op.proposal == _id_of(deck, "00000002"))
    deck.undo(middle.id)
    assert entries(home)[-2:] == ["The linter is ruff.", "Releases are cut on Mondays."]


def test_an_undo_that_meets_a_later_change_waits_as_a_conflict(
    deck: Engine, agent: Agent, home: Path
) -> None:
    id = agent.replace("staging host", "The staging host is stg-4.")
    deck.intake()
    operation = deck.approve(id, digest_of(deck, id))
    set_entries(home, "Tests run with tox.", "The staging host is stg-5.", "Docs use mkdocs.")
    with pytest.raises(NotDecidable, match="later change"):
        deck.undo(operation.id)
    assert entries(home)[1] == "The staging host is stg-5."
    (waiting,) = deck.pending((State.CONFLICT,))
    assert waiting.action == "undo"
    own = "Tests run with tox.\n§\nThe staging host is stg-2.\n§\nDocs use mkdocs."
    deck.merge(waiting.id, own, digest_of(deck, waiting.id))
    assert entries(home)[1] == "The staging host is stg-2."
    assert deck.ledger.operation(operation.id).undone_by is not None


def test_an_undo_keeps_what_others_changed_elsewhere(
    deck: Engine, agent: Agent, home: Path
) -> None:
    id = agent.replace("staging host", "The staging host is stg-4.")
    deck.intake()
    operation = deck.approve(id, digest_of(deck, id))
    set_entries(home, "Tests run with nox.", "The staging host is stg-4.", "Docs use mkdocs.")
    deck.undo(operation.id)
    assert entries(home) == [
        "Tests run with nox.",
        "The staging host is stg-2.",
        "Docs use mkdocs.",
    ]


def test_an_undo_can_be_taken_back_and_then_done_again(
    deck: Engine, agent: Agent, home: Path
) -> None:
    id = agent.replace("staging host", "The staging host is stg-4.")
    deck.intake()
    operation = deck.approve(id, digest_of(deck, id))
    undone = deck.undo(operation.id)
    deck.undo(undone.id)
    assert entries(home)[1] == "The staging host is stg-4."
    assert deck.find(id).state is State.APPLIED
    assert deck.pending() == ()
    deck.undo(operation.id)
    assert entries(home)[1] == "The staging host is stg-2."


def test_an_undo_that_is_brought_back_holds_again(deck: Engine, agent: Agent, home: Path) -> None:
    id = agent.replace("staging host", "The staging host is stg-4.")
    deck.intake()
    operation = deck.approve(id, digest_of(deck, id))
    first = deck.undo(operation.id)
    deck.undo(deck.undo(first.id).id)
    assert entries(home)[1] == "The staging host is stg-2."
    assert deck.find(id).state is State.READY
    assert deck.ledger.operation(operation.id).undone_by == first.id
    deck.undo(first.id)
    assert entries(home)[1] == "The staging host is stg-4."
    assert deck.find(id).state is State.APPLIED


def test_a_document_is_restored_to_the_same_revision_as_often_as_it_left_it(
    deck: Engine, home: Path
) -> None:
    deck.intake()
    (first,) = deck.history(MEMORY)
    for _ in range(3):
        set_entries(home, "Something else.")
        shown = deck.evaluate_restore(MEMORY, first.revision).digest
        assert shown is not None
        deck.restore(MEMORY, first.revision, shown)
        assert entries(home)[0] == "Tests run with tox."


def test_what_was_merged_and_taken_back_does_not_go_in_as_it_was_asked_for(
    deck: Engine, agent: Agent, home: Path
) -> None:
    id = agent.add("The linter is ruff.")
    deck.intake()
    own = [*entries(home), "Maps are drawn with thick black ink."]
    operation = deck.merge(id, DELIMITER.join(own), digest_of(deck, id), document=MEMORY)
    deck.undo(operation.id)
    agent.add("The linter is ruff.")
    assert deck.auto().applied == ()
    assert "The linter is ruff." not in entries(home)


def test_an_operation_is_taken_back_once(deck: Engine, agent: Agent) -> None:
    agent.add("The linter is ruff.")
    deck.auto()
    operation = deck.operations()[0]
    deck.undo(operation.id)
    with pytest.raises(NotDecidable, match="already"):
        deck.undo(operation.id)


def test_a_new_skill_goes_away_whole_with_its_usage_record(
    deck: Engine, agent: Agent, home: Path
) -> None:
    agent.skill("create", "triage", content=skill_text("triage", "Read logs."), category="ops")
    deck.auto()
    assert (home / "skills/ops/triage/SKILL.md").exists()
    deck.undo(deck.operations()[0].id)
    assert not (home / "skills/ops").exists()
    assert "triage" not in (home / "skills/.usage.json").read_text("utf-8")


def test_a_deleted_skill_comes_back_with_every_file_and_its_mode(
    deck: Engine, agent: Agent, home: Path
) -> None:
    script = home / "skills/dev/release-notes/scripts/run.sh"
    script.parent.mkdir()
    script.write_text("#!/bin/sh\n", "utf-8")
    script.chmod(0o755)
    id = agent.skill("delete", "release-notes", origin="foreground")
    deck.intake()
    operation = deck.approve(id, digest_of(deck, id))
    assert not (home / "skills/dev/release-notes").exists()
    deck.undo(operation.id)
    assert script.read_text("utf-8") == "#!/bin/sh\n"
    assert script.stat().st_mode & 0o777 == 0o755
    assert (home / "skills/dev/release-notes/references/style.md").exists()


def test_an_archived_skill_comes_back_from_the_archive(
    deck: Engine, agent: Agent, home: Path
) -> None:
    id = agent.skill("delete", "release-notes", absorbed_into="")
    deck.intake()
    operation = deck.approve(id, digest_of(deck, id))
    deck.undo(operation.id)
    assert (home / "skills/dev/release-notes/SKILL.md").exists()
    assert not (home / "skills/.archive/release-notes").exists()


def _id_of(deck: Engine, source_id: str) -> str:
    return deck.find(source_id).id


def test_what_went_in_by_itself_keeps_its_evidence_when_it_is_undone(
    deck: Engine, agent: Agent
) -> None:
    agent.add("The linter is ruff.")
    deck.auto()
    (applied,) = deck.operations()
    before = deck.ledger.judgement(applied.proposal)
    deck.undo(applied.id)
    deck.auto()
    assert deck.ledger.judgement(applied.proposal) == before


def shown(deck: Engine, id: str, home: Path) -> str:
    """What a merge names: the digest, or the document as it is where there is none."""
    return deck.get(id).digest or revision_of((home / MEMORY).read_bytes())


def test_undoing_a_chain_applies_again_each_that_it_had_taken_back(
    deck: Engine, agent: Agent
) -> None:
    record = agent.add("The linter is ruff.")
    deck.intake()
    done = [deck.approve(deck.find(record).id, digest_of(deck, record))]
    for _ in range(3):
        done.append(deck.undo(done[-1].id))
    again = [[id for id, _ in applied_again(deck.ledger, each)] for each in done]
    ids = [each.proposal for each in done]
    assert again == [[], [ids[0]], [ids[1]], [ids[2], ids[0]]]


def test_what_was_undone_and_applied_anew_is_not_brought_back_a_second_time(
    deck: Engine, agent: Agent, home: Path
) -> None:
    record = agent.replace("staging host", "The staging host is stg-3.")
    deck.intake()
    id = deck.find(record).id
    applied = deck.approve(id, digest_of(deck, id))
    undone = deck.undo(applied.id)
    set_entries(home, "Tests run with tox.", "The staging host is stg-9.")
    with pytest.raises(NotDecidable, match="conflicts"):
        deck.undo(undone.id)
    (again,) = [item.id for item in deck.pending() if item.id != id]
    anew = deck.merge(id, "The staging host is stg-3.", shown(deck, id, home), document=MEMORY)
    with pytest.raises(NotDecidable):
        text = "The staging host is stg-4."
        deck.merge(again, text, shown(deck, again, home), document=MEMORY)
    deck.intake()
    assert deck.find(again).state is State.DEAD
    assert "applied again" in deck.find(again).reason
    standing = [one.id for one in deck.operations() if one.undone_by is None]
    assert anew.id in standing
    assert applied.id not in standing
    assert entries(home) == ["The staging host is stg-3."]


@pytest.mark.parametrize("way", ["undo", "restore"])
def test_bytes_that_are_not_what_was_stored_never_go_back(
    deck: Engine, agent: Agent, home: Path, tmp_path: Path, way: str
) -> None:
    earlier = revision_of((home / MEMORY).read_bytes())
    agent.replace("staging host", "The staging host is stg-4.")
    deck.intake()
    (item,) = deck.pending()
    done = deck.approve(item.id, digest_of(deck, item.id))
    ledger = tmp_path / "ledger" / "ledger.db"
    with closing(sqlite3.connect(ledger)) as connection:
        (kept,) = connection.execute("SELECT data FROM blob WHERE sha = ?", (earlier,)).fetchone()
        forge = "UPDATE blob SET data = ? WHERE sha = ?"
        connection.execute(forge, (kept.replace(b"tox", b"rot"), earlier))
        connection.commit()
        with pytest.raises(LedgerDamaged, match="not what was stored"):
            if way == "undo":
                deck.undo(done.id)
            else:
                deck.evaluate_restore(MEMORY, earlier)
        assert "rot" not in (home / MEMORY).read_text("utf-8")
        connection.execute(forge, (kept, earlier))
        connection.commit()
