"""Several decisions worked out together, and split into what must be written together."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given as over
from hypothesis import strategies as st
from tests.planning.plain import MEMORY, PlainSnapshot, memory, proposal, skill_text

from reviewdeck.model import (
    Conflict,
    Dead,
    DeadReason,
    MemoryAdd,
    MemoryRemove,
    MemoryReplace,
    Proposal,
    Ready,
    SkillCreate,
    SkillPatch,
    SkillWriteFile,
)
from reviewdeck.planning.compose import ChosenProposal, batches, compose, writes

SKILL = "skills/dev/triage/SKILL.md"


def wanted(*proposals: Proposal) -> list[ChosenProposal]:
    return [ChosenProposal(one) for one in proposals]


def adding(text: str, id: str) -> Proposal:
    return proposal(MemoryAdd(MEMORY, text), id=id)


def test_two_decisions_on_one_document_have_one_before_and_one_after() -> None:
    live = PlainSnapshot({MEMORY: memory("one", "two")})
    composed = compose(
        wanted(
            adding("three", "a"), proposal(MemoryReplace(MEMORY, "one", "uno"), id="b", action="r")
        ),
        live,
    )
    (change,) = composed.plan.changes
    assert change.before == memory("one", "two").encode()
    assert change.after == memory("uno", "two", "three").encode()
    assert composed.unapplicable == ()


def test_each_proposal_keeps_its_own_step() -> None:
    live = PlainSnapshot({MEMORY: memory("one")})
    composed = compose(wanted(adding("two", "a"), adding("three", "b")), live)
    first, second = composed.plan.steps
    assert first.changes[0].after == second.changes[0].before
    assert [first.proposal, second.proposal] == ["a", "b"]


def test_the_budget_is_a_joint_one() -> None:
    live = PlainSnapshot({MEMORY: "x" * 150}, limit=200)
    composed = compose(wanted(adding("y" * 40, "a"), adding("z" * 40, "b")), live)
    (left,) = composed.unapplicable
    assert left.proposal.id == "b"
    assert isinstance(left.outcome, Dead)
    assert left.outcome.reason is DeadReason.OVER_BUDGET


def test_a_decision_can_make_room_for_the_next() -> None:
    live = PlainSnapshot({MEMORY: memory("x" * 150, "short")}, limit=200)
    composed = compose(
        wanted(
            proposal(MemoryRemove(MEMORY, "xxx"), id="a", action="remove"), adding("z" * 90, "b")
        ),
        live,
    )
    assert composed.unapplicable == ()
    assert composed.plan.changes[0].after == memory("short", "z" * 90).encode()


def test_two_that_fight_over_one_entry_do_not_both_fit() -> None:
    text = memory("host is stg-2", "other")
    live = PlainSnapshot({MEMORY: text})
    composed = compose(
        wanted(
            proposal(MemoryReplace(MEMORY, "host", "host is stg-4"), id="a", action="r", saw=text),
            proposal(MemoryReplace(MEMORY, "host", "host is stg-5"), id="b", action="r", saw=text),
        ),
        live,
    )
    (left,) = composed.unapplicable
    assert left.proposal.id == "b"
    assert isinstance(left.outcome, Conflict)


def test_an_operators_own_text_is_merged_onto_what_was_decided_before_it() -> None:
    live = PlainSnapshot({MEMORY: memory("one", "two", "last")})
    own = ChosenProposal(
        adding("never mind", "b"), document=MEMORY, text=memory("one", "zwei", "last")
    )
    composed = compose([ChosenProposal(adding("three", "a")), own], live)
    assert composed.unapplicable == ()
    assert composed.plan.changes[0].after == memory("one", "zwei", "last", "three").encode()


def test_the_digest_names_the_bytes_and_the_payloads_and_nothing_else() -> None:
    live = PlainSnapshot({MEMORY: memory("one")})
    plan = compose(wanted(adding("two", "a")), live).plan
    assert plan.digest == compose(wanted(adding("two", "a")), live).plan.digest
    other_text = compose(wanted(adding("zwei", "a")), live).plan
    other_live = compose(wanted(adding("two", "a")), PlainSnapshot({MEMORY: "eins"})).plan
    other_record = replace(plan, steps=(replace(plan.steps[0], payload_sha="other"),))
    digests = {plan.digest, other_text.digest, other_live.digest, other_record.digest}
    assert len(digests) == 4
    assert plan.digest != replace(plan, home="elsewhere").digest


def test_decisions_on_different_documents_are_written_apart() -> None:
    live = PlainSnapshot({MEMORY: "one", SKILL: skill_text("triage")})
    patch = proposal(SkillPatch("triage", "3. Report.", "3. Shout."), id="b", action="patch")
    parts = batches(compose(wanted(adding("two", "a"), patch), live).plan)
    assert [part.proposals for part in parts] == [("a",), ("b",)]


def test_a_file_for_a_new_skill_is_published_with_it() -> None:
    create = SkillCreate("triage", skill_text("triage"), "dev")
    extra = SkillWriteFile("triage", "references/a.md", "# A\n")
    plan = compose(
        wanted(
            proposal(create, id="a", action="create"),
            proposal(extra, id="b", action="write_file"),
        ),
        PlainSnapshot(),
    ).plan
    (part,) = batches(plan)
    assert {change.tree for change in writes(part)} == {"skills/dev/triage"}
    assert plan.steps[1].changes[0].tree is None


def test_two_new_skills_of_one_name_do_not_both_fit() -> None:
    create = SkillCreate("triage", skill_text("triage"), "dev")
    again = SkillCreate("triage", skill_text("triage", "1. Other."), "ops")
    composed = compose(
        wanted(proposal(create, id="a", action="create"), proposal(again, id="b", action="create")),
        PlainSnapshot(),
    )
    (left,) = composed.unapplicable
    assert isinstance(left.outcome, Dead)
    assert left.outcome.reason is DeadReason.NAME_TAKEN


@over(st.lists(st.text("abc ", min_size=1, max_size=6).filter(str.strip), max_size=8))
def test_composing_is_applying_one_after_the_other(texts: list[str]) -> None:
    live = PlainSnapshot({MEMORY: memory("start")}, limit=10_000)
    proposals = [adding(text, f"p{number}") for number, text in enumerate(texts)]
    together = compose(wanted(*proposals), live)
    state = live
    for one in proposals:
        alone = compose(wanted(one), state)
        for change in alone.plan.changes:
            state = PlainSnapshot({MEMORY: (change.after or b"").decode()}, limit=10_000)
    after = {change.path: change.after for change in together.plan.changes}
    assert after.get(MEMORY, memory("start").encode()) == state.texts[MEMORY].encode()
    assert all(isinstance(s.outcome, Ready | Dead) for s in together.staged.values())
