"""An operator's decisions, one at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.engine.kit import (
    MEMORY,
    USER,
    Agent,
    OpenDeck,
    digest_of,
    entries,
    fresh_id,
    remembered,
    set_entries,
    skill_text,
)

from reviewdeck.engine.engine import Engine
from reviewdeck.errors import BadInput, NotDecidable, StaleBase, UnknownId
from reviewdeck.model import (
    ABSENT,
    Conflict,
    Dead,
    DeadReason,
    OperationState,
    Ready,
    Relation,
    State,
)
from reviewdeck.policy.in_force import Policy

SKILL_PATH = "skills/dev/release-notes/SKILL.md"


def test_an_approved_replacement_is_written_as_it_was_shown(
    deck: Engine, agent: Agent, home: Path
) -> None:
    id = agent.replace("staging host", "The staging host is stg-4.")
    deck.intake()
    operation = deck.approve(id, digest_of(deck, id))
    assert entries(home) == [
        "Tests run with tox.",
        "The staging host is stg-4.",
        "Docs use mkdocs.",
    ]
    assert operation.state is OperationState.DONE
    assert deck.find(id).state is State.APPLIED


def test_an_applied_record_leaves_the_pending_folder(
    deck: Engine, agent: Agent, home: Path
) -> None:
    id = agent.replace("staging host", "The staging host is stg-4.")
    deck.intake()
    deck.approve(id, digest_of(deck, id))
    assert not list((home / "pending").rglob("*.json"))


def test_a_digest_of_another_plan_decides_nothing(deck: Engine, agent: Agent, home: Path) -> None:
    id = agent.replace("staging host", "The staging host is stg-4.")
    deck.intake()
    shown = digest_of(deck, id)
    set_entries(home, "The staging host is stg-2.", "The staging host is stg-5, says Bo.")
    with pytest.raises(StaleBase):
        deck.approve(id, shown)
    assert entries(home)[-1] == "The staging host is stg-5, says Bo."
    assert "stg-4" not in (home / MEMORY).read_text("utf-8")


@pytest.mark.parametrize("name", ["memories/MEMORY.md", "memories"])
@pytest.mark.parametrize("own", [None, "Tests run with nox."])
def test_an_approval_does_not_go_to_another_file_that_the_memory_is_a_link_to_since(
    deck: Engine, agent: Agent, home: Path, tmp_path: Path, name: str, own: str | None
) -> None:
    id = agent.replace("tox", "Tests run with make.")
    deck.intake()
    shown = digest_of(deck, id)
    (home / name).rename(tmp_path / "elsewhere")
    (home / name).symlink_to(tmp_path / "elsewhere")
    before = (home / MEMORY).read_bytes()

    def decide(digest: str) -> object:
        if own is None:
            return deck.approve(deck.find(id).id, digest)
        return deck.merge(deck.find(id).id, own, digest, document=MEMORY)

    with pytest.raises(StaleBase):
        decide(shown)
    assert (home / MEMORY).read_bytes() == before
    decide(digest_of(deck, id))
    assert (home / MEMORY).read_bytes() != before


def test_a_conflict_is_not_resolved_in_another_file_that_the_memory_is_a_link_to_since(
    deck: Engine, agent: Agent, home: Path, tmp_path: Path
) -> None:
    deck.intake()
    id = agent.replace("staging host", "The staging host is stg-4.", bases=agent.base_of(MEMORY))
    set_entries(home, "Tests run with tox.", "The staging host is stg-3.")
    deck.intake()
    shown = digest_of(deck, id)
    (home / MEMORY).rename(tmp_path / "elsewhere")
    (home / MEMORY).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StaleBase):
        deck.merge(deck.find(id).id, "The staging host is stg-4.", shown, document=MEMORY)
    assert entries(home)[1] == "The staging host is stg-3."


def test_a_digest_may_be_shortened_but_not_below_twelve_digits(deck: Engine, agent: Agent) -> None:
    id = agent.replace("staging host", "The staging host is stg-4.")
    deck.intake()
    shown = digest_of(deck, id)
    with pytest.raises(BadInput):
        deck.approve(id, shown[:11])
    deck.approve(id, shown[:12])


def test_a_proposal_is_decided_once(deck: Engine, agent: Agent) -> None:
    id = agent.replace("staging host", "The staging host is stg-4.")
    deck.intake()
    shown = digest_of(deck, id)
    deck.approve(id, shown)
    with pytest.raises(NotDecidable):
        deck.approve(id, shown)
    with pytest.raises(NotDecidable):
        deck.reject(id, "too late")


def test_an_entry_changed_after_the_proposal_is_a_conflict(
    deck: Engine, agent: Agent, home: Path
) -> None:
    base = agent.base_of(MEMORY)
    id = agent.replace("staging host", "The staging host is stg-4.", bases=base)
    set_entries(home, "Tests run with tox.", "The staging host is stg-3 (by hand).", "Docs.")
    deck.intake()
    outcome = deck.get(id).staged.outcome
    assert isinstance(outcome, Conflict)
    assert b"stg-2" in (outcome.base or b"")
    assert b"stg-3" in (outcome.live or b"")
    assert b"stg-4" in (outcome.proposed or b"")
    with pytest.raises(NotDecidable, match="conflict"):
        deck.approve(id, outcome.digest)


def test_a_hand_edit_between_two_looks_makes_a_conflict_without_any_recorded_base(
    deck: Engine, agent: Agent, home: Path
) -> None:
    id = agent.replace("staging host", "The staging host is stg-4.")
    deck.intake()
    set_entries(home, "Tests run with tox.", "The staging host is stg-3 (by hand).", "Docs.")
    deck.intake()
    assert deck.find(id).state is State.CONFLICT


def test_a_change_elsewhere_in_the_document_is_merged_and_said(
    deck: Engine, agent: Agent, home: Path
) -> None:
    base = agent.base_of(MEMORY)
    id = agent.replace("staging host", "The staging host is stg-4.", bases=base)
    set_entries(home, "Tests run with nox.", "The staging host is stg-2.", "Docs use mkdocs.")
    deck.intake()
    evaluation = deck.get(id)
    assert isinstance(evaluation.staged.outcome, Ready)
    assert "merged" in {finding.code for finding in evaluation.staged.findings}
    deck.approve(id, digest_of(deck, id))
    assert entries(home)[:2] == ["Tests run with nox.", "The staging host is stg-4."]


def test_a_conflict_is_resolved_with_the_operators_own_text(
    deck: Engine, agent: Agent, home: Path
) -> None:
    base = agent.base_of(MEMORY)
    id = agent.replace("staging host", "The staging host is stg-4.", bases=base)
    set_entries(home, "Tests run with tox.", "The staging host is stg-3.")
    deck.intake()
    own = "Tests run with tox.\n§\nThe staging host is stg-4, before it was stg-3."
    deck.merge(id, own, digest_of(deck, id))
    assert (home / MEMORY).read_text("utf-8") == own
    assert deck.find(id).state is State.APPLIED


def test_an_own_text_over_the_budget_is_refused(deck: Engine, agent: Agent, home: Path) -> None:
    before = (home / MEMORY).read_bytes()
    id = agent.replace("staging host", "The staging host is stg-4.")
    deck.intake()
    with pytest.raises(BadInput, match="2,200"):
        deck.merge(id, "x" * 2201, digest_of(deck, id))
    assert (home / MEMORY).read_bytes() == before


def test_an_own_skill_text_with_broken_front_matter_is_refused(deck: Engine, agent: Agent) -> None:
    id = agent.skill("patch", "release-notes", old_string="2. Run the tests.", new_string="2. Go.")
    deck.intake()
    with pytest.raises(BadInput):
        deck.merge(id, "# no front matter\n", digest_of(deck, id))


def test_a_refused_proposal_is_never_approved_but_the_operator_may_write_their_own(
    deck: Engine, agent: Agent, home: Path
) -> None:
    id = agent.add("First fact.\n§\nSecond fact, smuggled in.")
    deck.intake()
    assert deck.find(id).state is State.REFUSED
    with pytest.raises(NotDecidable):
        deck.approve(id, "0" * 64)
    live = deck.open_homes[0].home.snapshot().document(MEMORY)
    deck.merge(id, live.text + "\n§\nFirst fact.", live.revision)
    assert entries(home)[-1] == "First fact."


def test_a_rejection_keeps_its_reason_and_takes_the_record_away(
    deck: Engine, agent: Agent, home: Path
) -> None:
    id = agent.replace("staging host", "The staging host is stg-4.")
    deck.intake()
    decision = deck.reject(id, "It is stg-2 until Friday.")
    assert deck.ledger.decisions(decision.proposal)[0].reason == "It is stg-2 until Friday."
    assert not list((home / "pending").rglob("*.json"))
    assert deck.find(id).state is State.REJECTED


def test_a_rejection_needs_a_reason(deck: Engine, agent: Agent) -> None:
    id = agent.add("Tabs, never spaces.")
    deck.intake()
    with pytest.raises(BadInput):
        deck.reject(id, "  ")


def test_what_was_rejected_does_not_come_back_by_itself(
    deck: Engine, agent: Agent, home: Path
) -> None:
    first = agent.add("The build server is called otter.", target="user")
    deck.intake()
    deck.reject(first, "It is going away.")
    second = agent.add("The build server is called otter.", target="user")
    report = deck.auto()
    assert [item.source_id for item in report.held] == [second]
    assert "otter" not in (home / USER).read_text("utf-8")


def test_a_deferred_proposal_stays_deferred_until_it_changes(
    deck: Engine, agent: Agent, home: Path
) -> None:
    id = agent.replace("staging host", "The staging host is stg-4.")
    deck.intake()
    deck.defer(id)
    deck.intake()
    assert deck.find(id).state is State.DEFERRED
    set_entries(home, "Tests run with tox.", "The staging host is stg-3.")
    deck.intake()
    assert deck.find(id).state is State.CONFLICT


def test_a_deferred_addition_is_not_applied_by_itself(deck: Engine, agent: Agent) -> None:
    id = agent.add("Wants tests before code.", target="user")
    deck.intake()
    deck.defer(id)
    assert not deck.auto().applied
    assert deck.find(id).state is State.DEFERRED


def test_a_deferred_addition_waits_for_a_person_also_when_its_document_has_changed(
    deck: Engine, agent: Agent, home: Path
) -> None:
    id = agent.add("Wants tests before code.", target="user")
    deck.intake()
    deck.defer(id)
    set_entries(home, "Kim prefers answers in French.", document=USER)
    assert not deck.auto().applied
    item = deck.find(id)
    assert item.state is State.READY
    assert "deferred" in [finding.code for finding in item.findings]


def test_a_record_that_vanished_was_decided_elsewhere(
    deck: Engine, agent: Agent, home: Path
) -> None:
    id = agent.replace("staging host", "The staging host is stg-4.")
    deck.intake()
    (home / "pending" / "memory" / f"{id}.json").unlink()
    report = deck.auto()
    assert [item.source_id for item in report.elsewhere] == [id]
    assert deck.find(id).state is State.ELSEWHERE


def test_two_records_with_one_id_are_two_proposals(deck: Engine, agent: Agent) -> None:
    agent.add("One thing.", id="0000abcd")
    deck.intake()
    agent.add("Another thing altogether.", id="0000abcd")
    deck.intake()
    states = {item.state for item in deck.pending(tuple(State)) if item.source_id == "0000abcd"}
    assert states == {State.ELSEWHERE, State.READY}


def test_a_quarantined_record_stays_where_it_is(deck: Engine, home: Path) -> None:
    broken = home / "pending" / "memory" / "0bad0bad.json"
    broken.write_text("{", "utf-8")
    deck.auto()
    (item,) = deck.pending((State.QUARANTINED,))
    with pytest.raises(NotDecidable):
        deck.defer(item.id)
    deck.reject(item.id, "broken")
    deck.auto()
    assert broken.read_text("utf-8") == "{"


def test_an_unknown_id_is_said_to_be_unknown(deck: Engine) -> None:
    with pytest.raises(UnknownId):
        deck.get("nothing")


def test_a_pinned_skill_may_be_improved_and_not_deleted(
    deck: Engine, agent: Agent, home: Path
) -> None:
    (home / "skills" / ".usage.json").write_text('{"release-notes": {"pinned": true}}', "utf-8")
    better = agent.skill(
        "patch", "release-notes", old_string="2. Run the tests.", new_string="2. Run tox."
    )
    gone = agent.skill("delete", "release-notes", absorbed_into="")
    deck.intake()
    assert isinstance(deck.get(better).staged.outcome, Ready)
    outcome = deck.get(gone).staged.outcome
    assert isinstance(outcome, Dead)
    assert outcome.reason is DeadReason.PINNED


def test_a_skill_that_a_background_review_deletes_goes_to_the_archive(
    deck: Engine, agent: Agent, home: Path
) -> None:
    id = agent.skill("delete", "release-notes", absorbed_into="")
    deck.intake()
    deck.approve(id, digest_of(deck, id))
    assert not (home / SKILL_PATH).exists()
    kept = home / "skills" / ".archive" / "release-notes"
    assert (kept / "SKILL.md").read_text("utf-8") == skill_text("release-notes")
    assert (kept / "references" / "style.md").exists()


def test_two_operators_cannot_both_decide(open_at: OpenDeck, agent: Agent, home: Path) -> None:
    one, other = open_at(home), open_at(home)
    id = agent.replace("staging host", "The staging host is stg-4.")
    one.intake()
    shown = digest_of(other, id)
    one.reject(id, "no")
    with pytest.raises(NotDecidable):
        other.approve(id, shown)
    assert "stg-4" not in (home / MEMORY).read_text("utf-8")


@pytest.mark.parametrize("when", ["while it was asked", "just before it was stored"])
@pytest.mark.parametrize(
    ("first", "back"), [("approve", "reviewdeck undo"), ("reject", "reviewdeck reopen")]
)
@pytest.mark.parametrize("second", ["approve", "reject", "defer"])
def test_who_decides_second_is_told_what_it_is_now_and_how_that_is_taken_back(
    open_at: OpenDeck, agent: Agent, first: str, back: str, second: str, when: str
) -> None:
    one, other = open_at(agent.home), open_at(agent.home)
    record = agent.replace("staging host", "The staging host is stg-4.")
    one.intake()
    id, shown = one.find(record).id, digest_of(one, record)
    now = State.APPLIED if first == "approve" else State.REJECTED

    def decide(deck: Engine, verb: str) -> object:
        match verb:
            case "approve":
                return deck.approve(id, shown)
            case "reject":
                return deck.reject(id, "no")
            case _:
                return deck.defer(id)

    def late() -> str:
        if other.find(id).state.is_open:
            decide(other, first)
        return fresh_id()

    with pytest.raises(NotDecidable, match=f"is {now}: it is decided already") as told:
        if when == "while it was asked" and second == "approve":
            one.approve(id, shown, confirm=lambda _: bool(late()))
        else:
            decide(replace(one, new_id=late), second)
    assert back in told.value.hint and "digest" not in told.value.hint


def test_who_approves_while_another_one_writes_it_is_not_told_that_it_cannot_be_applied(
    open_at: OpenDeck, agent: Agent
) -> None:
    one, other = open_at(agent.home), open_at(agent.home)
    record = agent.add("The linter is ruff.")
    one.intake()
    id, shown = one.find(record).id, digest_of(one, record)
    judging = other.policy

    def late() -> Policy:
        if one.find(id).state.is_open:
            one.approve(id, shown)
        return judging()

    with pytest.raises(NotDecidable, match="is applied: it is decided already"):
        replace(other, policy=late).approve(id, shown)


def rejected_late(deck: Engine, id: str, meanwhile: Callable[[], object]) -> None:
    """Rejects what something else happens to just before the decision is stored."""

    def new_id() -> str:
        meanwhile()
        return fresh_id()

    with pytest.raises(NotDecidable, match="decided already"):
        replace(deck, new_id=new_id).reject(id, "no")


def rejected_texts(deck: Engine) -> tuple[list[str], int]:
    """The rejected texts that the ledger remembers, and how many the home does."""
    known = remembered(deck.ledger, deck.home().id)
    texts = [one.text for one in known if one.relation is Relation.REJECTED]
    return texts, len(deck.home().refusals().rejected - {""})


def test_a_rejection_that_came_too_late_holds_nothing_against_the_text_that_was_applied(
    open_at: OpenDeck, agent: Agent, home: Path
) -> None:
    one, other = open_at(home), open_at(home)
    id = agent.replace("staging host", "The staging host is stg-4.")
    one.intake()
    rejected_late(one, id, lambda: other.approve(id, digest_of(other, id)))
    assert one.find(id).state is State.APPLIED
    assert rejected_texts(one) == ([], 0)


def test_a_rejection_that_came_too_late_leaves_an_earlier_one_of_the_same_text(
    open_at: OpenDeck, agent: Agent, home: Path
) -> None:
    one, other = open_at(home), open_at(home)
    text = "The staging host is stg-4."
    first, second = agent.replace("staging host", text), agent.replace("staging host", text)
    one.intake()
    one.reject(first, "no")
    rejected_late(one, second, lambda: other.approve(second, digest_of(other, second)))
    assert rejected_texts(one) == ([text], 1)


def test_of_two_rejections_at_once_the_text_stays_rejected(
    open_at: OpenDeck, agent: Agent, home: Path
) -> None:
    one, other = open_at(home), open_at(home)
    id = agent.replace("staging host", "The staging host is stg-4.")
    one.intake()
    rejected_late(one, id, lambda: other.reject(id, "no"))
    assert rejected_texts(one) == (["The staging host is stg-4."], 1)


@pytest.mark.parametrize("name", ["foo\n", "../foo", "con", "", "Foo Bar", ".git", "foo\u202e"])
def test_an_unsafe_name_is_no_path_even_for_an_operators_own_text(
    deck: Engine, agent: Agent, home: Path, name: str
) -> None:
    record = agent.skill("create", name, content=skill_text("foo"))
    deck.intake()
    item = deck.find(record)
    assert item.state is State.REFUSED
    before = sorted(home.rglob("*"))
    with pytest.raises(BadInput):
        deck.merge(item.id, skill_text("foo"), ABSENT)
    unsafe = f"skills/{name}/SKILL.md"
    with pytest.raises(BadInput):
        deck.merge(item.id, skill_text("foo"), ABSENT, document=unsafe)
    assert sorted(home.rglob("*")) == before
    deck.merge(item.id, skill_text("foo"), ABSENT, document="skills/dev/foo/SKILL.md")
    assert (home / "skills" / "dev" / "foo" / "SKILL.md").read_text("utf-8") == skill_text("foo")


@pytest.mark.parametrize(
    "file", ["references/../../x.md", "references/skill.md", "/etc/x", "references/a\nb.md"]
)
def test_an_unsafe_file_is_written_where_the_operator_says(
    deck: Engine, agent: Agent, home: Path, file: str
) -> None:
    record = agent.skill("write_file", "release-notes", file_path=file, file_content="# A\n")
    deck.intake()
    item = deck.find(record)
    assert item.state is State.REFUSED
    before = sorted(home.rglob("*"))
    for document in (None, f"skills/dev/release-notes/{file}", "skills/dev/none/references/a.md"):
        with pytest.raises(BadInput):
            deck.merge(item.id, "# A\n", ABSENT, document=document)
    assert sorted(home.rglob("*")) == before
    path = "skills/dev/release-notes/references/a.md"
    deck.merge(item.id, "# A\n", ABSENT, document=path)
    assert (home / path).read_text("utf-8") == "# A\n"
