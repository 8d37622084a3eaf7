"""One proposal against one home: Ready, Conflict or Dead, and what is worth noticing."""

from __future__ import annotations

from tests.planning.plain import MEMORY, PlainSnapshot, given, memory, proposal, skill_text

from reviewdeck.model import (
    Base,
    BaseSource,
    Change,
    Conflict,
    Dead,
    DeadReason,
    Document,
    MemoryAdd,
    MemoryRemove,
    MemoryReplace,
    Proposal,
    Ready,
    Restore,
    Severity,
    SkillDelete,
    SkillEdit,
    SkillPatch,
    SkillRemoveFile,
    SkillWriteFile,
    StagedProposal,
)
from reviewdeck.model.documents import revision_of
from reviewdeck.planning.stage import in_new_trees, stage

SKILL = "skills/dev/triage/SKILL.md"
NOTES = "skills/dev/triage/references/notes.md"


def on(texts: dict[str, str], one: Proposal, limit: int = 200) -> StagedProposal:
    return stage(one, PlainSnapshot(texts, limit=limit))


def after(result: StagedProposal, path: str = MEMORY) -> str | None:
    assert isinstance(result.outcome, Ready), result.outcome
    (found,) = [c for c in result.outcome.plan.changes if c.path == path]
    return None if found.after is None else found.after.decode()


def skill_proposal(
    edit: SkillEdit | SkillPatch | SkillWriteFile | SkillRemoveFile | SkillDelete, **bases: Base
) -> Proposal:
    one = proposal(edit, action="patch")
    named = {{"skill": SKILL, "notes": NOTES}[name]: base for name, base in bases.items()}
    return Proposal(**{f: getattr(one, f) for f in one.__slots__} | {"bases": named})


def test_a_base_that_is_live_is_the_plain_case() -> None:
    text = memory("one", "two")
    result = on({MEMORY: text}, proposal(MemoryReplace(MEMORY, "two", "two and a half"), saw=text))
    assert after(result) == memory("one", "two and a half")
    assert [f.code for f in result.findings] == []


def test_an_unknown_base_is_said_and_weighs_less_for_an_addition() -> None:
    added = on({MEMORY: "one"}, proposal(MemoryAdd(MEMORY, "two")))
    replaced = on({MEMORY: "one"}, proposal(MemoryReplace(MEMORY, "one", "one and more")))
    assert [(f.code, f.severity) for f in added.findings] == [("base-unknown", Severity.INFO)]
    assert [(f.code, f.severity) for f in replaced.findings] == [("base-unknown", Severity.LOW)]


def test_an_edit_is_pinned_to_the_entry_that_its_author_saw() -> None:
    """Hermes would search again and hit the newer entry."""
    saw = memory("deploy on Friday", "other")
    live = memory("never deploy, says Ana", "other")
    result = on({MEMORY: live}, proposal(MemoryReplace(MEMORY, "deploy", "deploy daily"), saw=saw))
    assert isinstance(result.outcome, Conflict)


def test_an_addition_goes_beside_what_came_in_the_meantime() -> None:
    result = on({MEMORY: memory("a", "theirs")}, proposal(MemoryAdd(MEMORY, "ours"), saw="a"))
    assert after(result) == memory("a", "theirs", "ours")
    assert "merged" in {f.code for f in result.findings}


def test_a_merge_that_outgrows_the_budget_is_dead() -> None:
    live = {MEMORY: memory("a", "x" * 180)}
    result = on(live, proposal(MemoryAdd(MEMORY, "y" * 50), saw="a"))
    assert isinstance(result.outcome, Dead)
    assert result.outcome.reason is DeadReason.OVER_BUDGET


def test_what_somebody_else_did_already_is_dead_and_not_a_conflict() -> None:
    live = {MEMORY: memory("a", "b2")}
    result = on(live, proposal(MemoryReplace(MEMORY, "b", "b2"), saw=memory("a", "b")))
    assert isinstance(result.outcome, Dead)
    assert result.outcome.reason is DeadReason.ALREADY_THERE


def test_what_is_done_already_is_dead_also_where_the_live_text_has_other_white_space() -> None:
    live = {MEMORY: memory("a", "c") + "\n"}
    gone = proposal(MemoryRemove(MEMORY, "b"), saw=memory("a", "b"), action="remove")
    result = on(live, gone)
    assert isinstance(result.outcome, Dead)
    assert result.outcome.reason is DeadReason.ALREADY_THERE


def test_a_removal_of_something_that_was_rewritten_is_a_conflict() -> None:
    live = {MEMORY: memory("a", "wants emojis now")}
    one = proposal(MemoryRemove(MEMORY, "emojis"), saw=memory("a", "no emojis"), action="remove")
    assert isinstance(on(live, one).outcome, Conflict)


def test_a_base_without_its_text_makes_a_two_sided_conflict() -> None:
    one = proposal(MemoryReplace(MEMORY, "b", "b2"))
    base = Base(revision_of(b"long gone"), None, BaseSource.GIVEN, has_text=False)
    one = Proposal(**{f: getattr(one, f) for f in one.__slots__} | {"bases": {MEMORY: base}})
    outcome = on({MEMORY: memory("a", "b")}, one).outcome
    assert isinstance(outcome, Conflict)
    assert not outcome.base_known


def test_an_unreadable_document_is_dead_and_never_taken_for_empty() -> None:
    class Unreadable(PlainSnapshot):
        def document(self, path: str) -> Document:
            return Document(path, None, problem="input/output error")

    result = stage(proposal(MemoryAdd(MEMORY, "two")), Unreadable())
    assert isinstance(result.outcome, Dead)
    assert result.outcome.reason is DeadReason.UNREADABLE


def test_text_that_a_replacement_would_lose_is_named() -> None:
    live = {MEMORY: "Staging is stg-3. Ask Ana for access."}
    result = on(live, proposal(MemoryReplace(MEMORY, "stg-3", "Staging is stg-4.")))
    lost = [f.quote or "" for f in result.findings if f.code == "lost-text"]
    assert any("Ana" in quote for quote in lost)


def test_a_patch_merges_with_a_hand_edit_elsewhere_in_the_skill() -> None:
    saw = skill_text("triage", "1. Look.", "2. Run the tests.", "3. Wait.", "4. Report.")
    live = saw.replace("4. Report.", "4. Report to Ana.")
    edit = SkillPatch("triage", "1. Look.", "1. Look twice.")
    result = on({SKILL: live}, skill_proposal(edit, skill=given(saw)))
    assert "1. Look twice." in (after(result, SKILL) or "")
    assert "4. Report to Ana." in (after(result, SKILL) or "")


def test_a_rewrite_of_a_skill_that_changed_in_the_same_place_is_a_conflict() -> None:
    saw = skill_text("triage")
    live = saw.replace("2. Run the tests.", "2. Run tox.")
    wanted = saw.replace("2. Run the tests.", "2. Run nox.")
    result = on({SKILL: live}, skill_proposal(SkillEdit("triage", wanted), skill=given(saw)))
    assert isinstance(result.outcome, Conflict)


def test_two_new_files_in_one_place_are_a_conflict() -> None:
    live = {SKILL: skill_text("triage"), NOTES: "theirs\n"}
    edit = SkillWriteFile("triage", "references/notes.md", "ours\n")
    result = on(live, skill_proposal(edit, notes=given(None)))
    assert isinstance(result.outcome, Conflict)


def test_removing_a_file_that_was_changed_since_is_a_conflict() -> None:
    live = {SKILL: skill_text("triage"), NOTES: "new words\n"}
    edit = SkillRemoveFile("triage", "references/notes.md")
    result = on(live, skill_proposal(edit, notes=given("old words\n")))
    assert isinstance(result.outcome, Conflict)


def test_deleting_a_skill_of_which_one_file_changed_is_a_conflict_over_that_file() -> None:
    live = {SKILL: skill_text("triage"), NOTES: "new words\n"}
    result = on(live, skill_proposal(SkillDelete("triage", ""), notes=given("old words\n")))
    assert isinstance(result.outcome, Conflict)
    assert result.outcome.path == NOTES


def test_a_crlf_skill_keeps_its_newlines() -> None:
    live = skill_text("triage").replace("\n", "\r\n")
    edit = SkillPatch("triage", "1. Look.\n2. Run the tests.", "1. Look.\n2. Run tox.")
    result = on({SKILL: live}, skill_proposal(edit))
    expected = skill_text("triage", "1. Look.", "2. Run tox.", "3. Report.")
    assert after(result, SKILL) == expected.replace("\n", "\r\n")


def test_a_skill_that_loses_most_of_its_lines_is_flagged() -> None:
    long = skill_text("triage", *(f"{n}. Step." for n in range(1, 60)))
    result = on({SKILL: long}, skill_proposal(SkillEdit("triage", skill_text("triage"))))
    assert "large-deletion" in {f.code for f in result.findings}


def test_a_loose_patch_is_dead_with_its_candidate() -> None:
    edit = SkillPatch(
        "triage",
        "1. Look about.\n2. Run all the tests there are.\n3. Report.",
        "1. Go.",
    )
    live = {SKILL: skill_text("triage", "1. Look.", "2. Run the tests.", "3. Report.")}
    result = on(live, skill_proposal(edit))
    assert isinstance(result.outcome, Dead)
    assert result.outcome.reason in (DeadReason.LOOSE_MATCH, DeadReason.TARGET_GONE)
    assert result.outcome.candidate


def test_an_undo_of_what_is_still_live_is_exact() -> None:
    one = proposal(Restore(MEMORY, b"a\n\xc2\xa7\nb", b"a"), action="undo")
    assert after(on({MEMORY: memory("a", "b")}, one)) == "a"


def test_an_undo_of_something_that_is_gone_already_is_dead() -> None:
    one = proposal(Restore(MEMORY, b"a\n\xc2\xa7\nb", b"a"), action="undo")
    outcome = on({MEMORY: "a"}, one).outcome
    assert isinstance(outcome, Dead)
    assert outcome.reason is DeadReason.ALREADY_THERE


def test_a_proposal_without_edits_is_dead() -> None:
    one = proposal(MemoryAdd(MEMORY, "x"))
    empty = Proposal(**{f: getattr(one, f) for f in one.__slots__} | {"edits": ()})
    assert isinstance(on({}, empty).outcome, Dead)


def test_what_is_added_to_a_new_tree_in_a_new_tree_is_published_with_the_inner_one() -> None:
    trees = [f"skills{'/a' * depth}" for depth in range(1, 6)]
    made = [Change(f"{tree}/SKILL.md", None, b"", tree=tree) for tree in trees]
    added = Change(f"{trees[-1]}/notes.md", None, b"")
    assert in_new_trees([*made, added])[-1].tree == trees[-1]
