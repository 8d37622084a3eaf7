"""A deck over OpenClaw's Workshop: the skills that the real program proposed are decided here."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from sqlite3 import connect
from typing import Any

import pytest
from tests.engine.kit import OpenDeck
from tests.homes.openclaw.kit import (
    agent_database,
    change_rows,
    make_workshop,
    make_workspace,
    opened,
    question,
)
from tests.steps import LINEAR, Work, growth

from reviewdeck.agents.gated.roots import Root
from reviewdeck.agents.openclaw import gate
from reviewdeck.engine.engine import Engine
from reviewdeck.homes.openclaw.database import STATE
from reviewdeck.homes.openclaw.kind import KIND
from reviewdeck.homes.openclaw.workshop import skill_text
from reviewdeck.model import KnownBy, Origin, Proposal, QueueItem, State

FOLDER = "skill-workshop/proposals"
CAT = '---\nname: "feed-cat"\ndescription: "Feeds the cat."\n---\n\n# Feed\n\nThree times a day.\n'
NOW = datetime(2099, 1, 1, tzinfo=UTC)
SESSION = "5f44624d-d780-43bb-a7d2-28f3ae1c616d"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """An agent's own folder."""
    return make_workshop(make_workspace(tmp_path))


@pytest.fixture
def state(own: Path) -> Path:
    return own.parents[2]


def waiting(deck: Engine) -> dict[str, QueueItem]:
    deck.intake()
    return {item.target: item for item in deck.pending() if item.state.is_open}


def approve(deck: Engine, id: str) -> str:
    digest = deck.get(id).digest
    assert digest is not None
    return deck.approve(id, digest).id


def origin(deck: Engine, id: str) -> Origin:
    found = deck.get(id).judgement.origin
    assert found is not None
    return found


def drafts(state: Path, skill: str) -> list[Path]:
    return [*(state / FOLDER).glob(f"{skill}-*/**/PROPOSAL.md")]


def change_record(state: Path, skill: str, **changes: Any) -> None:
    """Changes what OpenClaw recorded of a proposal."""
    query = "SELECT record_json FROM skill_workshop_proposals WHERE proposal_id LIKE ?"
    with closing(connect(state / STATE)) as database:
        (text,) = database.execute(query, (f"{skill}-%",)).fetchone()
    record = json.dumps({**json.loads(text), **changes})
    statement = (
        "UPDATE skill_workshop_proposals SET record_json = ?, status = ? WHERE proposal_id LIKE ?"
    )
    status = changes.get("status", "pending")
    change_rows(state / STATE, statement, record, status, f"{skill}-%")


def test_its_proposals_wait_with_the_call_that_made_them_and_stale_ones_do_not(
    own: Path, open_at: OpenDeck
) -> None:
    deck = open_at(own)
    found = waiting(deck)
    assert sorted(found) == ["feed-cat", "water-plants"]
    for item in found.values():
        origin_of = origin(deck, item.id)
        assert (origin_of.known_by, origin_of.sessions) == (KnownBy.EXACT, (SESSION,))


def test_an_approved_one_is_the_skill_that_openclaw_would_write_and_has_no_draft_any_more(
    own: Path, state: Path, open_at: OpenDeck
) -> None:
    deck = open_at(own)
    kept = (state / STATE).read_bytes()
    decision = approve(deck, waiting(deck)["feed-cat"].id)
    skill = own / "workshop-skills" / "feed-cat" / "SKILL.md"
    assert skill.read_text("utf-8") == CAT
    assert drafts(state, "feed-cat") == [] and sorted(waiting(deck)) == ["water-plants"]
    assert (state / STATE).read_bytes() == kept
    (caution,) = [each for each in opened(own).cautions if "openclaw doctor --fix" in each]
    assert caution.startswith("1 proposal has no draft")
    deck.undo(decision)
    assert not skill.exists()


def test_its_further_files_come_with_it(own: Path, open_at: OpenDeck) -> None:
    deck = open_at(own)
    approve(deck, waiting(deck)["water-plants"].id)
    skill = own / "workshop-skills" / "water-plants"
    assert (skill / "references" / "list.md").read_text("utf-8") == "- fern\n"
    assert "  x: 1\n---\n\n# Water" in (skill / "SKILL.md").read_text("utf-8")


def test_a_rejected_one_has_no_draft_any_more_either_and_its_session_is_told(
    own: Path, state: Path, open_at: OpenDeck
) -> None:
    deck = open_at(own)
    deck.reject(waiting(deck)["feed-cat"].id, "No cat.")
    assert drafts(state, "feed-cat") == [] and len(drafts(state, "water-plants")) == 1
    workspace = state / "workspace"
    roots = [Root("workspace", str(workspace)), Root("workshop", str(own))]
    asked = question(workspace, "write", "MEMORY.md", content="x\n") | {"session": SESSION}
    assert 'feed-cat: rejected by a person, with the reason "No cat."' in gate.answer_to(
        asked, roots
    )


def multiply(state: Path, times: int) -> None:
    """So many proposals beside feed-cat that say the same."""
    (draft,) = drafts(state, "feed-cat")
    for number in range(times):
        copy = state / FOLDER / f"again-{number:06d}" / "PROPOSAL.md"
        copy.parent.mkdir()
        copy.write_bytes(draft.read_bytes())
    statement = (
        "INSERT INTO skill_workshop_proposals (proposal_id, record_json, owner_agent_id, kind,"
        " status, created_at, updated_at, draft_hash)"
        " WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)"
        " SELECT printf('again-%06d', i), json_set(record_json, '$.id', printf('again-%06d', i),"
        " '$.draftFile', 'PROPOSAL.md'), owner_agent_id, kind, status, created_at, updated_at,"
        " draft_hash FROM n, skill_workshop_proposals WHERE proposal_id LIKE 'feed-cat-%'"
    )
    change_rows(state / STATE, statement, times)


def test_each_of_many_proposals_is_read_from_one_look_at_openclaws_records(
    tmp_path: Path,
) -> None:
    def prepare(size: int) -> Work:
        (root := tmp_path / str(size)).mkdir()
        own = make_workshop(make_workspace(root))
        multiply(own.parents[2], size)
        home = opened(own)

        def look() -> None:
            parsed = [home.parse(file, NOW) for file in home.pending()]
            assert len(parsed) == size + 2
            assert all(isinstance(each, Proposal) for each in parsed)

        return look

    assert growth(prepare, 40) < LINEAR


def revise(state: Path, text: str) -> None:
    """A revision of the proposal: OpenClaw writes another draft, and removes the one before."""
    (before,) = drafts(state, "feed-cat")
    name = "generations/11111111-1111-4111-8111-111111111111/PROPOSAL.md"
    after = before.parents[2] / name
    after.parent.mkdir(parents=True)
    after.write_text(text, "utf-8")
    before.unlink()
    sha = sha256(text.encode()).hexdigest()
    change_record(state, "feed-cat", draftFile=name, draftHash=sha)


def test_a_revision_is_another_proposal_and_no_decision_of_the_one_before_ends_it(
    own: Path, state: Path, open_at: OpenDeck
) -> None:
    deck = open_at(own)
    first = waiting(deck)["feed-cat"]
    revise(state, drafts(state, "feed-cat")[0].read_text("utf-8") + "\nAnd at night.\n")
    approve(deck, first.id)
    assert len(drafts(state, "feed-cat")) == 1
    second = waiting(deck)["feed-cat"]
    assert second.id != first.id
    told = origin(deck, second.id)
    assert told.known_by is KnownBy.UNION and "somebody else revised it" in told.reason


def update(own: Path, state: Path, live: str, after: str) -> None:
    """The proposal as one that changes a skill which its author saw like this."""
    (draft,) = drafts(state, "feed-cat")
    draft.write_text(after, "utf-8")
    record = {"kind": "update", "draftHash": sha256(after.encode()).hexdigest()}
    top = own / "workshop-skills" / "feed-cat"
    target = {
        "skillName": "feed-cat",
        "skillKey": "feed-cat",
        "skillDir": str(top),
        "skillFile": str(top / "SKILL.md"),
        "currentContentHash": sha256(live.encode()).hexdigest(),
    }
    change_record(state, "feed-cat", target=target, **record)


def test_a_change_of_a_skill_that_changed_meanwhile_keeps_both_edits(
    own: Path, state: Path, open_at: OpenDeck
) -> None:
    skill = own / "workshop-skills" / "feed-cat" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text(CAT, "utf-8")
    deck = open_at(own)
    deck.intake()
    update(own, state, CAT, CAT + "\nOnly dry food.\n")
    skill.write_text(CAT.replace("# Feed", "# Feed the cat"), "utf-8")
    waiting(deck)
    (item,) = [
        each for each in deck.pending() if each.target == "feed-cat" and each.state is State.READY
    ]
    approve(deck, item.id)
    after = skill.read_text("utf-8")
    assert "# Feed the cat" in after and after.endswith("Only dry food.\n")


def gone(state: Path) -> None:
    change_rows(state / STATE, "DROP TABLE skill_workshop_proposals")


def of_another(state: Path) -> None:
    target = {"skillDir": str(state / "agents" / "ops" / "agent" / "workshop-skills" / "x")}
    for skill in ("feed-cat", "water-plants"):
        change_record(state, skill, target=target)


def astray(state: Path) -> None:
    for skill in ("feed-cat", "water-plants"):
        change_record(state, skill, draftFile="../../../openclaw.json")


def applied(state: Path) -> None:
    for skill in ("feed-cat", "water-plants"):
        change_record(state, skill, status="applied")


@pytest.mark.parametrize("change", [gone, of_another, astray, applied])
def test_what_is_not_waiting_for_this_agent_is_no_proposal(
    own: Path, state: Path, open_at: OpenDeck, change: Callable[[Path], None]
) -> None:
    change(state)
    assert waiting(open_at(own)) == {}


def test_a_draft_or_a_file_that_is_not_the_recorded_one_is_shown_and_left_alone(
    own: Path, state: Path, open_at: OpenDeck
) -> None:
    (draft,) = drafts(state, "feed-cat")
    draft.write_text(draft.read_text("utf-8") + "Also the dog.\n", "utf-8")
    (more,) = (state / FOLDER).rglob("list.md")
    more.write_text("- ivy\n", "utf-8")
    deck = open_at(own)
    deck.intake()
    assert {item.state for item in deck.pending()} == {State.QUARANTINED}
    assert draft.exists() and more.exists()


def test_a_database_that_cannot_be_read_loses_no_proposal(
    own: Path, state: Path, open_at: OpenDeck
) -> None:
    deck = open_at(own)
    before = set(waiting(deck))
    kept = (state / STATE).read_bytes()
    (state / STATE).write_bytes(b"no database")
    deck.intake()
    (state / STATE).write_bytes(kept)
    assert set(waiting(deck)) == before


def test_what_openclaw_applied_by_itself_is_known_by_its_draft(
    own: Path, state: Path, open_at: OpenDeck
) -> None:
    deck = open_at(own)
    waiting(deck)
    skill = own / "workshop-skills" / "feed-cat" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text(CAT, "utf-8")
    change_record(state, "feed-cat", status="applied")
    deck.intake()
    (item,) = [each for each in deck.pending() if each.state is State.LIVE]
    told = origin(deck, item.id)
    assert (told.known_by, told.sessions) == (KnownBy.EXACT, (SESSION,))


def test_one_that_a_background_review_made_says_that_openclaw_keeps_no_record_of_it(
    own: Path, state: Path, open_at: OpenDeck
) -> None:
    change_rows(
        agent_database(state), "DELETE FROM transcript_events WHERE session_id = ?", SESSION
    )
    change_record(state, "feed-cat", autonomousCapture=True)
    deck = open_at(own)
    told = origin(deck, waiting(deck)["feed-cat"].id)
    assert told.known_by is KnownBy.UNION and "background review" in told.reason


def test_a_skill_is_the_text_that_openclaw_makes_of_its_draft() -> None:
    draft = '---\r\nname: "x"\r\nstatus: proposal\r\nVersion: "v1"\r\ndate: "d"\r\n---\r\n\r\nDo.'
    assert skill_text(draft) == '---\nname: "x"\n---\n\nDo.\n'
    assert skill_text("---\nstatus: proposal\n---\n\nDo.\n") == "Do.\n"
    assert skill_text("Do.") == "Do.\n"


def test_the_folder_of_the_proposals_is_watched(own: Path, state: Path) -> None:
    assert str(state / FOLDER) in KIND.watched(own).settings
    assert KIND.watched(state / "workspace").settings.count(str(state / FOLDER)) == 0
