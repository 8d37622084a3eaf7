"""The entry that a record names is the only one that it is about."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.planning.plain import MEMORY, PlainSnapshot, memory, proposal

from reviewdeck.model import (
    Base,
    BaseSource,
    Conflict,
    Dead,
    DeadReason,
    MemoryAdd,
    MemoryEdit,
    MemoryRemove,
    MemoryReplace,
    Ready,
    Restore,
    StagedProposal,
    revision_of,
)
from reviewdeck.planning.merge import start_merge
from reviewdeck.planning.resolution import resolve
from reviewdeck.planning.stage import stage

TUESDAY, FRIDAY = "Deploys happen on Tuesdays.", "Deploys never happen on Fridays."


def staged(
    *edits: MemoryEdit, text: str = memory(TUESDAY, FRIDAY), pins: bool = True, batch: bool = False
) -> StagedProposal:
    action = "batch" if batch else "replace"
    home = PlainSnapshot({MEMORY: text}, pins_entries=pins)
    return stage(proposal(*edits, action=action), home)


def after(result: StagedProposal) -> str:
    assert isinstance(result.outcome, Ready), result.outcome
    (change,) = result.outcome.plan.changes
    return (change.after or b"").decode()


def codes(result: StagedProposal) -> set[str]:
    return {finding.code for finding in result.findings} - {"base-unknown", "lost-text"}


def test_a_pinned_entry_is_found_where_the_search_alone_would_be_ambiguous() -> None:
    result = staged(MemoryReplace(MEMORY, "Deploys", "Deploys happen daily.", TUESDAY))
    assert after(result) == memory("Deploys happen daily.", FRIDAY)
    assert codes(result) == set()


def test_a_newer_entry_that_the_search_finds_is_not_the_pinned_one() -> None:
    text = memory("Deploys happen on Tuesdays and Thursdays.")
    result = staged(MemoryRemove(MEMORY, "Tuesdays", TUESDAY), text=text)
    assert isinstance(result.outcome, Conflict)
    assert places(result) == [(TUESDAY, text, "")]
    assert codes(result) == set()


def places(result: StagedProposal) -> list[tuple[str | None, str, str]]:
    """The places of a conflict as an operator is asked about them."""
    assert isinstance(result.outcome, Conflict), result.outcome
    merging = start_merge(result.outcome, result.proposal)
    return [(place.base, place.ours, place.theirs) for place in merging.places]


def test_a_named_entry_is_what_its_author_saw_and_so_its_base() -> None:
    result = staged(MemoryReplace(MEMORY, "Tuesdays", "Deploys happen daily.", TUESDAY))
    assert isinstance(result.outcome, Ready)
    assert "base-unknown" not in {finding.code for finding in result.findings}
    unnamed = staged(MemoryReplace(MEMORY, "Tuesdays", "Deploys happen daily."))
    assert "base-unknown" in {finding.code for finding in unnamed.findings}


def test_a_named_entry_counts_for_more_than_a_hash_of_the_whole_memory() -> None:
    edit = MemoryReplace(MEMORY, "Tuesdays", "Deploys happen daily.", TUESDAY)
    bare = Base(revision_of(b"other"), None, BaseSource.GIVEN, has_text=False)
    one = replace(proposal(edit, action="replace"), bases={MEMORY: bare})
    result = stage(one, PlainSnapshot({MEMORY: memory(TUESDAY, FRIDAY)}))
    assert after(result) == memory("Deploys happen daily.", FRIDAY)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_named_entry_that_was_edited_since_is_a_conflict_of_three(newline: str) -> None:
    live = memory(FRIDAY, "Deploys happen on Tuesdays, at noon.", "Ana is on call.") + "\n"
    edit = MemoryReplace(MEMORY, "Tuesdays", "Deploys happen on Mondays.", TUESDAY)
    result = staged(edit, text=live.replace("\n", newline))
    wanted = (TUESDAY, "Deploys happen on Tuesdays, at noon.", "Deploys happen on Mondays.")
    assert places(result) == [wanted]


def test_a_named_entry_that_is_gone_and_became_nothing_is_a_conflict_of_three() -> None:
    edit = MemoryReplace(MEMORY, "Tuesdays", "Deploys happen on Mondays.", TUESDAY)
    result = staged(edit, text="Ana is on call.")
    assert places(result) == [(TUESDAY, "", "Deploys happen on Mondays.")]


def test_what_fits_beside_what_became_of_a_named_entry_is_still_asked_about() -> None:
    """That one came of the other is a guess: nothing merges by it."""
    live = memory("Ana is on call.", "The roof is green.")
    result = staged(MemoryReplace(MEMORY, "Tues", "No more releases.", TUESDAY), text=live)
    assert places(result) == [(None, "", "No more releases.")]


def test_a_named_entry_that_is_gone_need_not_be_removed_again() -> None:
    outcome = staged(MemoryRemove(MEMORY, "Tuesdays", TUESDAY), text="Ana is on call.\n").outcome
    assert isinstance(outcome, Dead)
    assert outcome.reason is DeadReason.TARGET_GONE


def test_each_operation_of_a_batch_is_about_its_own_entry() -> None:
    result = staged(
        MemoryAdd(MEMORY, "Deploys need a ticket."),
        MemoryReplace(MEMORY, "Deploys", "Deploys happen daily.", TUESDAY),
        MemoryRemove(MEMORY, "daily", "Deploys happen daily."),
        MemoryReplace(MEMORY, "Deploys", "Fridays are free.", FRIDAY),
        batch=True,
    )
    assert after(result) == memory("Fridays are free.", "Deploys need a ticket.")


def test_one_operation_whose_entry_is_gone_keeps_the_batch_from_being_done() -> None:
    result = staged(
        MemoryAdd(MEMORY, "Deploys need a ticket."),
        MemoryRemove(MEMORY, "Tuesdays", "Deploys happen on Tuesdays or so."),
        batch=True,
    )
    assert isinstance(result.outcome, Conflict)
    assert result.outcome.reason.startswith("Operation 2 (remove): ")
    assert (result.outcome.live or b"").decode() == memory(TUESDAY, FRIDAY)


def test_an_unpinned_edit_is_noticed_where_records_are_usually_pinned() -> None:
    edit = MemoryReplace(MEMORY, "Tuesdays", "Deploys happen daily.")
    assert codes(staged(edit)) == {"unpinned"}
    assert codes(staged(edit, pins=False)) == set()
    assert codes(staged(MemoryAdd(MEMORY, "x"))) == set()


@pytest.mark.parametrize("pins", [True, False])
def test_a_batch_that_pins_some_edits_and_not_others_is_noticed_anywhere(pins: bool) -> None:
    result = staged(
        MemoryRemove(MEMORY, "Tuesdays", TUESDAY),
        MemoryReplace(MEMORY, "Fridays", "Fridays are free."),
        pins=pins,
        batch=True,
    )
    (found,) = [finding for finding in result.findings if finding.code == "unpinned"]
    assert found.message.startswith("1 of its edits")


def test_a_search_that_speaks_of_another_entry_than_the_pinned_one_is_noticed() -> None:
    result = staged(MemoryRemove(MEMORY, "Fridays", TUESDAY))
    assert after(result) == FRIDAY
    assert codes(result) == {"pin-mismatch"}


def test_a_batch_that_would_empty_a_memory_is_dead_and_a_removal_is_not() -> None:
    remove = MemoryRemove(MEMORY, "Tuesdays", TUESDAY)
    dead = staged(remove, text=TUESDAY, batch=True).outcome
    assert isinstance(dead, Dead)
    assert dead.reason is DeadReason.INVALID
    assert after(staged(remove, text=TUESDAY)) == ""


def test_a_memory_that_is_switched_off_takes_nothing() -> None:
    home = PlainSnapshot({MEMORY: TUESDAY}, shut={MEMORY: "it is switched off in config.yaml"})
    outcome = stage(proposal(MemoryAdd(MEMORY, "x")), home).outcome
    assert isinstance(outcome, Dead)
    assert outcome.reason is DeadReason.CLOSED
    assert "switched off in config.yaml" in outcome.message


def test_an_operators_own_text_is_not_for_a_memory_that_is_switched_off_either() -> None:
    home = PlainSnapshot({MEMORY: TUESDAY}, shut={MEMORY: "it is switched off in config.yaml"})
    outcome = resolve(stage(proposal(MemoryAdd(MEMORY, "x")), home), "mine", MEMORY, home).outcome
    assert isinstance(outcome, Dead)
    assert outcome.reason is DeadReason.CLOSED


MARKED = "\ufeff" + memory(TUESDAY, FRIDAY)


@pytest.mark.parametrize(
    ("edit", "wanted"),
    [
        (MemoryAdd(MEMORY, "x"), "\ufeff" + memory(TUESDAY, FRIDAY, "x")),
        (MemoryReplace(MEMORY, TUESDAY, "x", TUESDAY), "\ufeff" + memory("x", FRIDAY)),
        (MemoryRemove(MEMORY, "Tue", TUESDAY), "\ufeff" + FRIDAY),
    ],
)
def test_a_byte_order_mark_stays_and_is_no_part_of_the_first_entry(
    edit: MemoryEdit, wanted: str
) -> None:
    assert after(staged(edit, text=MARKED)) == wanted


def test_an_entry_behind_a_byte_order_mark_is_a_duplicate_like_any_other() -> None:
    outcome = staged(MemoryAdd(MEMORY, TUESDAY), text=MARKED).outcome
    assert isinstance(outcome, Dead)
    assert outcome.reason is DeadReason.ALREADY_THERE


def test_a_merge_with_what_somebody_else_wrote_keeps_the_mark_too() -> None:
    now = MARKED + "\n§\nSomebody was here."
    edit = MemoryReplace(MEMORY, "Tue", "Deploys happen daily.", TUESDAY)
    one = proposal(edit, action="replace", saw=MARKED)
    result = stage(one, PlainSnapshot({MEMORY: now}))
    assert after(result) == "\ufeff" + memory("Deploys happen daily.", FRIDAY, "Somebody was here.")


def test_a_mark_is_not_counted_against_the_budget() -> None:
    room = len(TUESDAY) + 4
    home = PlainSnapshot({MEMORY: "\ufeff" + TUESDAY}, limit=room)
    assert isinstance(stage(proposal(MemoryAdd(MEMORY, "x")), home).outcome, Ready)


def test_an_operators_own_text_and_an_undo_keep_the_mark() -> None:
    home = PlainSnapshot({MEMORY: MARKED})
    result = resolve(stage(proposal(MemoryAdd(MEMORY, "x")), home), FRIDAY, MEMORY, home)
    assert after(result) == "\ufeff" + FRIDAY
    now = PlainSnapshot({MEMORY: MARKED + "\n§\nx\n§\ny"})
    restore = Restore(MEMORY, (MARKED + "\n§\nx").encode(), MARKED.encode())
    undo = replace(proposal(MemoryAdd(MEMORY, "x")), edits=(restore,), undoes="op")
    assert after(stage(undo, now)) == MARKED + "\n§\ny"
