"""Several edits of skills in one record: one plan with one digest, or nothing at all."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.planning.plain import HOME, PlainSnapshot, given, proposal, skill_text

from reviewdeck.model import (
    Base,
    BaseSource,
    Conflict,
    Dead,
    DeadReason,
    EffectKind,
    Proposal,
    Ready,
    SkillChange,
    SkillCreate,
    SkillDelete,
    SkillEdit,
    SkillPatch,
    SkillRemoveFile,
    SkillWriteFile,
    Staged,
    revision_of,
)
from reviewdeck.planning.compose import batches, writes
from reviewdeck.planning.stage import stage

TRIAGE = "skills/dev/triage/SKILL.md"
NOTES = "skills/dev/triage/references/notes.md"
DEPLOY = "skills/deploy/SKILL.md"
TEXTS = {TRIAGE: skill_text("triage"), NOTES: "- one\n", DEPLOY: skill_text("deploy")}


def batch(*edits: SkillChange, origin: str = "background_review") -> Proposal:
    return replace(proposal(*edits, action="batch"), origin=origin)


def staged(*edits: SkillChange) -> Staged:
    return stage(batch(*edits), PlainSnapshot(TEXTS)).outcome


def ready(*edits: SkillChange) -> Ready:
    outcome = staged(*edits)
    assert isinstance(outcome, Ready), outcome
    return outcome


def dead(*edits: SkillChange) -> Dead:
    outcome = staged(*edits)
    assert isinstance(outcome, Dead), outcome
    return outcome


def results(outcome: Ready) -> dict[str, str | None]:
    return {c.path: None if c.after is None else c.after.decode() for c in outcome.plan.changes}


def test_edits_of_several_skills_are_one_plan_that_is_written_as_a_whole() -> None:
    outcome = ready(
        SkillPatch("triage", "1. Look.", "1. Look twice."),
        SkillWriteFile("triage", "references/new.md", "- new\n"),
        SkillPatch("deploy", "3. Report.", "3. Report to the channel."),
        SkillRemoveFile("triage", "references/notes.md"),
    )
    assert results(outcome) == {
        TRIAGE: skill_text("triage").replace("1. Look.", "1. Look twice."),
        "skills/dev/triage/references/new.md": "- new\n",
        DEPLOY: skill_text("deploy").replace("3. Report.", "3. Report to the channel."),
        NOTES: None,
    }
    assert len(outcome.plan.steps) == 1
    assert len(batches(outcome.plan)) == 1
    assert [effect.kind for effect in outcome.plan.effects] == [EffectKind.COUNT_PATCH] * 4


def test_one_operation_that_cannot_be_done_keeps_all_from_being_done() -> None:
    problem = dead(
        SkillPatch("triage", "1. Look.", "1. Look twice."),
        SkillPatch("deploy", "9. Dance.", "9. Sing."),
    )
    assert problem.reason is DeadReason.TARGET_GONE
    assert problem.message.startswith("Operation 2 (patch on 'deploy'): ")
    assert problem.message.endswith("Nothing was applied.")


def test_a_chain_of_patches_speaks_of_what_each_one_leaves() -> None:
    outcome = ready(
        SkillPatch("triage", "1. Look.", "1. Read the log."),
        SkillWriteFile("triage", "references/new.md", "- new\n"),
        SkillPatch("triage", "Read the log.", "Read the newest log."),
    )
    assert "1. Read the newest log." in (results(outcome)[TRIAGE] or "")


def test_a_chain_is_merged_as_one_with_what_somebody_else_wrote() -> None:
    saw = skill_text("triage")
    now = saw.replace("3. Report.", "3. Report at once.")
    one = replace(
        batch(
            SkillPatch("triage", "1. Look.", "1. Read the log."),
            SkillPatch("triage", "Read the log.", "Read the newest log."),
        ),
        bases={TRIAGE: given(saw)},
    )
    outcome = stage(one, PlainSnapshot(TEXTS | {TRIAGE: now})).outcome
    assert isinstance(outcome, Ready), outcome
    assert results(outcome)[TRIAGE] == now.replace("1. Look.", "1. Read the newest log.")


def test_a_conflict_in_one_text_carries_the_other_changes_along() -> None:
    saw = skill_text("triage")
    one = replace(
        batch(
            SkillPatch("triage", "1. Look.", "1. Read the log."),
            SkillWriteFile("deploy", "references/new.md", "- new\n"),
        ),
        bases={TRIAGE: given(saw)},
    )
    now = saw.replace("1. Look.", "1. Look away.")
    outcome = stage(one, PlainSnapshot(TEXTS | {TRIAGE: now})).outcome
    assert isinstance(outcome, Conflict), outcome
    assert outcome.path == TRIAGE
    assert [c.path for c in outcome.others] == ["skills/deploy/references/new.md"]


def test_a_new_skill_is_made_with_its_files_and_appears_as_a_whole() -> None:
    outcome = ready(
        SkillCreate("scan", skill_text("scan"), "dev"),
        SkillWriteFile("scan", "references/ports.md", "- 22\n"),
        SkillPatch("scan", "2. Run the tests.", "2. Run the scan."),
        SkillPatch("triage", "1. Look.", "1. Scan, then look."),
    )
    made = results(outcome)
    assert made["skills/dev/scan/references/ports.md"] == "- 22\n"
    assert "2. Run the scan." in (made["skills/dev/scan/SKILL.md"] or "")
    trees = {change.path: change.tree for change in outcome.plan.changes}
    assert {change.path: change.tree for change in writes(outcome.plan)} == trees
    assert trees == {
        "skills/dev/scan/SKILL.md": "skills/dev/scan",
        "skills/dev/scan/references/ports.md": "skills/dev/scan",
        TRIAGE: None,
    }


def test_a_patch_with_a_whole_text_rewrites_the_skill() -> None:
    text = skill_text("triage", "1. Start anew.")
    assert results(ready(SkillEdit("triage", text))) == {TRIAGE: text}


@pytest.mark.parametrize(
    ("edits", "words"),
    [
        (tuple(SkillPatch("triage", f"{n}", "x") for n in range(21)), "21 operations"),
        (
            (SkillPatch("triage", "Look", "x"), SkillDelete("deploy")),
            "only operation of its batch",
        ),
        (
            (
                SkillWriteFile("scan", "references/a.md", ""),
                SkillCreate("scan", skill_text("scan")),
            ),
            "created before anything else",
        ),
        (
            (SkillPatch("triage", "1. Look.", "x"), SkillEdit("triage", skill_text("triage"))),
            "overwrite what an earlier operation did to 'SKILL.md'",
        ),
        (
            (
                SkillWriteFile("triage", "references/notes.md", "a"),
                SkillRemoveFile("triage", "references//./notes.md"),
            ),
            "overwrite what an earlier operation did to 'references/notes.md'",
        ),
        (
            (
                SkillWriteFile("triage", "references/notes.md", "a"),
                SkillWriteFile("triage", "/references/x/../notes.md", "b"),
            ),
            "overwrite what an earlier operation did",
        ),
    ],
)
def test_a_batch_against_the_rules_is_dead(edits: tuple[SkillChange, ...], words: str) -> None:
    problem = dead(*edits)
    assert problem.reason is DeadReason.INVALID
    assert words in problem.message


def test_a_patch_after_a_file_was_written_is_no_overwriting() -> None:
    outcome = ready(
        SkillWriteFile("triage", "references/notes.md", "- one\n- two\n"),
        SkillPatch("triage", "two", "three", "references/notes.md"),
    )
    assert results(outcome) == {NOTES: "- one\n- three\n"}


def test_a_deletion_alone_in_its_batch_is_a_deletion() -> None:
    outcome = ready(SkillDelete("triage"))
    assert results(outcome)[TRIAGE] is None
    assert {effect.kind for effect in outcome.plan.effects} == {EffectKind.MARK_ARCHIVED}


def test_an_operation_with_nothing_left_to_do_does_not_hold_the_others_up() -> None:
    result = stage(
        batch(
            SkillWriteFile("triage", "references/notes.md", "- one\n"),
            SkillPatch("deploy", "1. Look.", "1. Look twice."),
        ),
        PlainSnapshot(TEXTS),
    )
    assert isinstance(result.outcome, Ready), result.outcome
    assert [c.path for c in result.outcome.plan.changes] == [DEPLOY]
    assert "partly-there" in [finding.code for finding in result.findings]
    assert dead(SkillWriteFile("triage", "references/notes.md", "- one\n")).reason is (
        DeadReason.ALREADY_THERE
    )


def test_what_a_batch_leaves_is_checked_like_any_other_skill() -> None:
    problem = dead(
        SkillPatch("triage", "name: triage\n", ""),
        SkillWriteFile("deploy", "references/a.md", "x"),
    )
    assert problem.reason is DeadReason.INVALID


def test_the_digest_is_of_all_that_is_written() -> None:
    first = SkillPatch("triage", "1. Look.", "1. Look twice.")
    digests = {
        ready(first).plan.digest,
        ready(first, SkillWriteFile("deploy", "references/a.md", "x")).plan.digest,
        ready(first, SkillWriteFile("deploy", "references/a.md", "y")).plan.digest,
    }
    assert len(digests) == 3
    assert ready(first).plan.home == HOME


def test_a_patch_that_hits_only_loosely_is_noticed_wherever_it_stands_in_a_chain() -> None:
    exact = SkillPatch("triage", "1. Look.", "1. Read the  log.")
    loose = SkillPatch("triage", "1. Read the log.", "1. Read the newest log.")
    result = stage(batch(exact, loose), PlainSnapshot(TEXTS))
    assert isinstance(result.outcome, Ready), result.outcome
    assert "inexact-match" in [finding.code for finding in result.findings]
    plain = stage(batch(exact, SkillPatch("triage", "the  log", "it")), PlainSnapshot(TEXTS))
    assert "inexact-match" not in [finding.code for finding in plain.findings]
    gone = stage(batch(SkillPatch("triage", "nothing of it", "x")), PlainSnapshot(TEXTS))
    assert "inexact-match" not in [finding.code for finding in gone.findings]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_patch_that_was_there_to_the_letter_is_no_loose_one_in_a_conflict(newline: str) -> None:
    saw = TEXTS[TRIAGE].replace("\n", newline)
    now = saw.replace("1. Look.", "1. Look around.")
    base = Base(revision_of(saw.encode()), saw.encode(), BaseSource.GIVEN)
    one = batch(SkillPatch("triage", "1. Look.\n2. Run", "1. Look twice.\n2. Run"))
    for live, kind in ((now, Conflict), (saw, Ready)):
        result = stage(replace(one, bases={TRIAGE: base}), PlainSnapshot({TRIAGE: live}))
        assert isinstance(result.outcome, kind), result.outcome
        assert "inexact-match" not in [finding.code for finding in result.findings]
