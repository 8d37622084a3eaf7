"""What edits make of a memory document."""

from __future__ import annotations

import pytest

from reviewdeck.model import (
    Dead,
    DeadReason,
    MemoryAdd,
    MemoryEdit,
    MemoryPatch,
    MemoryRemove,
    MemoryReplace,
)
from reviewdeck.planning.memory import EntryChange, MemoryResult, apply_memory

DOC = "memories/MEMORY.md"
TEXT = "Uses tmux.\n§\nCI is Woodpecker; deploys need two approvals.\n§\nLine length is 100."


def add(content: str) -> MemoryAdd:
    return MemoryAdd(DOC, content)


def replace(old: str, content: str, pinned: str | None = None) -> MemoryReplace:
    return MemoryReplace(DOC, old, content, pinned)


def remove(old: str, pinned: str | None = None) -> MemoryRemove:
    return MemoryRemove(DOC, old, pinned)


def one(edit: MemoryEdit, text: str = TEXT, budget: int | None = 2200) -> MemoryResult | Dead:
    return apply_memory([edit], text, budget, batch=False)


def batch(*edits: MemoryEdit, text: str = TEXT, budget: int | None = 2200) -> MemoryResult | Dead:
    return apply_memory(edits, text, budget, batch=True)


def done(outcome: MemoryResult | Dead) -> MemoryResult:
    assert isinstance(outcome, MemoryResult), outcome
    return outcome


def dead(outcome: MemoryResult | Dead, reason: DeadReason) -> Dead:
    assert isinstance(outcome, Dead), outcome
    assert outcome.reason is reason
    return outcome


def test_an_addition_goes_to_the_end_without_a_newline_after_it() -> None:
    result = done(one(add("  Likes tea. \n")))
    assert result.text == TEXT + "\n§\nLikes tea."
    assert result.touched == (EntryChange(None, None, "Likes tea."),)


def test_the_first_entry_stands_alone() -> None:
    assert done(one(add("Likes tea."), "")).text == "Likes tea."


def test_a_replacement_takes_the_place_of_the_whole_entry() -> None:
    result = done(one(replace("Woodpecker", "CI is Drone.")))
    assert result.text == "Uses tmux.\n§\nCI is Drone.\n§\nLine length is 100."
    assert result.touched == (
        EntryChange(1, "CI is Woodpecker; deploys need two approvals.", "CI is Drone."),
    )
    assert result.lost == ("deploys need two approvals.",)


def test_only_what_the_new_entry_does_not_have_is_lost() -> None:
    result = done(one(replace("Woodpecker", "CI is woodpecker, with a cache.")))
    assert result.lost == ("deploys need two approvals.",)


def test_what_moves_to_another_entry_is_not_lost() -> None:
    result = done(batch(replace("CI is", "CI is Drone."), add("Deploys need two approvals!")))
    assert result.lost == ()


def test_a_removal_takes_the_whole_entry_and_one_delimiter() -> None:
    result = done(one(remove("Woodpecker")))
    assert result.text == "Uses tmux.\n§\nLine length is 100."
    assert result.lost == ()


def test_the_last_entry_can_be_removed() -> None:
    assert done(one(remove("tmux"), "Uses tmux.")).text == ""


def test_text_that_stands_in_several_entries_is_ambiguous_and_they_are_named() -> None:
    outcome = dead(one(remove("e")), DeadReason.AMBIGUOUS)
    assert "3 different entries" in outcome.message
    assert "'Uses tmux.'" in outcome.message
    assert "'Line length is 100.'" in outcome.message


@pytest.mark.parametrize("pinned", [None, "a"])
def test_an_entry_that_stands_several_times_is_one_to_hermes_and_goes_as_one(
    pinned: str | None,
) -> None:
    text = "a\n§\nb\n§\na\n§\nd\n§\nd\n§\na"
    assert done(one(remove("a", pinned), text)).text == "b\n§\nd\n§\nd"
    assert done(one(replace("a", "c", pinned), text)).text == "c\n§\nb\n§\nd\n§\nd"


def test_a_target_that_is_gone_comes_with_the_nearest_entry() -> None:
    outcome = dead(one(replace("The line length is 120", "x")), DeadReason.TARGET_GONE)
    assert outcome.candidate == "Line length is 100."


def test_nothing_is_offered_when_nothing_is_near() -> None:
    assert dead(one(remove("zebra quagga")), DeadReason.TARGET_GONE).candidate is None


def test_a_pinned_entry_is_the_only_one_that_is_meant() -> None:
    text = "CI is Drone now.\n§\nCI is Drone."
    assert done(one(remove("CI is", "CI is Drone."), text)).text == "CI is Drone now."


def test_a_pinned_entry_that_was_changed_is_gone_though_the_old_text_still_matches() -> None:
    outcome = dead(one(remove("tmux", "Uses tmux and vim.")), DeadReason.TARGET_GONE)
    assert outcome.candidate == "Uses tmux."


@pytest.mark.parametrize(
    "edit",
    [
        add("Uses tmux."),
        add(" Uses tmux.\r\n"),
        replace("tmux", "Uses tmux."),
        replace("Emacs", "Uses tmux."),
    ],
)
def test_what_is_there_already_is_recognised(edit: MemoryEdit) -> None:
    dead(one(edit), DeadReason.ALREADY_THERE)


@pytest.mark.parametrize(
    "edit",
    [add(" \n"), replace("tmux", ""), replace(" ", "x"), remove(""), remove("\n")],
)
def test_an_edit_without_its_text_is_invalid(edit: MemoryEdit) -> None:
    dead(one(edit), DeadReason.INVALID)


@pytest.mark.parametrize("content", ["a\n§\nb", "a\r\n§\r\nb", "a\r§\rb", "§\nb", "a\n§", "§"])
def test_an_entry_that_would_become_several_is_invalid(content: str) -> None:
    dead(one(add(content)), DeadReason.INVALID)
    dead(one(replace("tmux", content)), DeadReason.INVALID)


def test_the_sign_within_a_line_separates_nothing() -> None:
    assert done(one(add("See § 3."))).text.endswith("\n§\nSee § 3.")


def test_the_budget_is_for_the_whole_document_with_its_delimiters() -> None:
    full = len(TEXT) + len("\n§\n") + 4
    done(one(add("1234"), budget=full))
    outcome = dead(one(add("12345"), budget=full), DeadReason.OVER_BUDGET)
    assert f"{full + 1:,} of {full:,}" in outcome.message


def test_without_a_budget_anything_fits() -> None:
    done(one(add("x" * 100_000), budget=None))


def test_a_removal_is_possible_over_budget() -> None:
    done(one(remove("tmux"), budget=60))


def test_only_the_final_size_of_a_batch_counts() -> None:
    grown = "x" * 40
    done(batch(add(grown), remove("Woodpecker"), budget=len(TEXT)))
    dead(batch(add(grown), remove("tmux"), budget=len(TEXT)), DeadReason.OVER_BUDGET)


def test_later_operations_of_a_batch_see_the_earlier_ones() -> None:
    result = done(batch(add("Likes tea."), replace("tea", "Likes coffee."), remove("tmux")))
    assert result.text.endswith("Line length is 100.\n§\nLikes coffee.")
    assert result.touched == (
        EntryChange(None, None, "Likes tea."),
        EntryChange(None, "Likes tea.", "Likes coffee."),
        EntryChange(0, "Uses tmux.", None),
    )


def test_a_batch_is_applied_whole_or_not_at_all() -> None:
    outcome = dead(batch(add("Likes tea."), remove("Emacs")), DeadReason.TARGET_GONE)
    assert "Operation 2 (remove)" in outcome.message


def test_an_addition_of_a_batch_that_is_there_already_is_skipped() -> None:
    result = done(batch(add("Uses tmux."), add("Likes tea.")))
    assert result.text == TEXT + "\n§\nLikes tea."
    assert result.touched == (EntryChange(None, None, "Likes tea."),)


def test_a_batch_that_was_applied_before_is_recognised() -> None:
    dead(batch(add("Uses tmux."), replace("Emacs", "Uses tmux.")), DeadReason.ALREADY_THERE)


def test_a_batch_that_was_applied_in_part_is_dead() -> None:
    outcome = batch(add("Likes tea."), replace("Emacs", "Uses tmux."))
    assert "Operation 2 (replace)" in dead(outcome, DeadReason.TARGET_GONE).message


def test_a_batch_cannot_empty_a_memory() -> None:
    dead(batch(remove("tmux"), text="Uses tmux."), DeadReason.INVALID)


def test_an_empty_batch_is_invalid() -> None:
    dead(batch(), DeadReason.INVALID)


@pytest.mark.parametrize("text", ["a\n\n§\nb", "\n§\na\n§\nb", "a\n§\n\n\n§\nb"])
def test_a_file_laid_out_by_hand_is_edited_and_an_addition_leaves_its_bytes(text: str) -> None:
    edited = done(one(replace("a", "c"), text))
    assert (edited.text, edited.tidied) == ("c\n§\nb", True)
    assert done(one(remove("a"), text)).text == "b"
    assert done(batch(add("c"), text=text)).text == "a\n§\nb\n§\nc"
    added = done(one(add("c"), text))
    assert (added.text, added.tidied) == (text + "\n§\nc", False)


def test_an_entry_that_would_fall_in_two_stops_every_edit_but_an_addition() -> None:
    text = "b\n§\na\n§"
    dead(batch(add("c"), text=text), DeadReason.INVALID)
    assert done(one(add("c"), text)).text == f"{text}\n\n§\nc"
    assert done(one(remove("b"), text)).text == "a\n§"


def patch(old: str, new: str, pinned: str | None = None) -> MemoryPatch:
    return MemoryPatch(DOC, old, new, pinned)


CI = "CI is Woodpecker; deploys need two approvals."


def test_a_patch_changes_its_span_and_leaves_the_rest_of_the_entry() -> None:
    result = done(one(patch("two", "three", CI)))
    assert result.text == TEXT.replace("two", "three")
    assert result.touched == (EntryChange(1, CI, CI.replace("two", "three")),)


def test_the_white_space_of_a_patch_counts() -> None:
    assert done(one(patch("Uses ", "Likes  ", "Uses tmux."))).text.startswith("Likes  tmux.")
    padded = done(one(patch("tmux.", "tmux.\n", "Uses tmux.")))
    assert padded.text.startswith("Uses tmux.\n\n§\nCI")


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (patch("e", "x", CI), DeadReason.AMBIGUOUS),
        (patch("00", "11", "Line length is 1000."), DeadReason.AMBIGUOUS),
        (patch("“two”", "three", CI), DeadReason.INVALID),
        (patch("two ", "three", "CI is two"), DeadReason.TARGET_GONE),
        (patch("two", "two", CI), DeadReason.INVALID),
        (patch("two", " \n", CI), DeadReason.INVALID),
        (patch(" ", "x", CI), DeadReason.INVALID),
        (patch("two", "two\n§\nthree", CI), DeadReason.INVALID),
    ],
)
def test_a_patch_that_hermes_refuses_or_that_splits_its_entry_is_dead(
    edit: MemoryPatch, reason: DeadReason
) -> None:
    text = TEXT.replace("is 100.", "is 1000.")
    dead(one(edit, text), reason)
    dead(batch(add("Likes tea."), edit, text=text), reason)


@pytest.mark.parametrize("pin", [f"{CI} ", f" {CI}", f"{CI}\n"])
def test_the_white_space_of_a_named_entry_counts(pin: str) -> None:
    dead(one(patch("two", "three", pin)), DeadReason.TARGET_GONE)
    dead(batch(patch("two", "three\n", CI), patch("three", "four", CI)), DeadReason.TARGET_GONE)


def test_the_operations_of_a_batch_see_what_the_earlier_ones_made() -> None:
    once = CI.replace("two", "three\n")
    result = done(batch(patch("two", "three\n", CI), patch("three\n", "four", once)))
    assert result.text == TEXT.replace("two", "four")


def test_a_patch_counts_against_the_limit_of_the_whole_memory() -> None:
    dead(one(patch("two", "2" * 60, CI), budget=110), DeadReason.OVER_BUDGET)
    dead(one(patch("two", "2" * 60, CI), budget=100), DeadReason.TOO_LARGE)


def test_an_entry_larger_than_the_budget_was_not_written_by_hermes() -> None:
    dead(one(remove("tmux"), budget=30), DeadReason.INVALID)


def test_a_trailing_newline_is_dropped_as_hermes_does() -> None:
    assert done(one(add("c"), "a\n§\nb\n")).text == "a\n§\nb\n§\nc"


def test_a_file_with_crlf_keeps_it() -> None:
    text = "a\r\nb\r\n§\r\nc"
    assert done(one(add("d\ne"), text)).text == "a\r\nb\r\n§\r\nc\r\n§\r\nd\r\ne"
    assert done(one(replace("a\nb", "x"), text)).text == "x\r\n§\r\nc"
    assert done(one(remove("a\r\nb"), text)).text == "c"


def test_carriage_returns_of_an_entry_become_newlines() -> None:
    assert done(one(add("a\r\nb\rc"), "x")).text == "x\n§\na\nb\nc"
    assert done(one(patch("tmux.", "tmux.\r\nB.", "Uses tmux."))).text.startswith("Uses tmux.\nB.")
