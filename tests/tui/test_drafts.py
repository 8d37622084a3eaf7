"""Making drafts, taking them back, summing them up, writing them."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event

import pytest
from tests.engine.kit import (
    MEMORY,
    USER,
    entries,
    let_no_record_go,
    set_entries,
    skill_text,
)
from tests.tui.kit_deck import Cockpit, Driver
from textual import events
from textual.strip import Strip

from reviewdeck.cli.main import main
from reviewdeck.model import SHOWN, Draft, Kind, State, Verb
from reviewdeck_tui.queue.view import Backlog
from reviewdeck_tui.screens.dialogs import REASONS, ReasonDialog, SureDialog
from reviewdeck_tui.screens.merge import MergeScreen
from reviewdeck_tui.screens.summary import SummaryScreen


@pytest.fixture
def busy(cockpit: Cockpit) -> Cockpit:
    """Two replacements in one memory, one in the other, and one that is dead."""
    cockpit.agent.replace("mkdocs", "Docs use sphinx.")
    cockpit.agent.replace("staging host", "The staging host is stg-4.")
    cockpit.agent.replace("short answers", "Prefers long answers.", target="user")
    cockpit.agent.replace("Jenkins", "Jenkins builds nothing.")
    cockpit.take_in()
    return cockpit


def about(deck: Driver, words: str) -> str:
    """The proposal whose summary has these words."""
    return next(id for id, item in deck.screen.items.items() if words in item.summary)


async def summed(deck: Driver) -> SummaryScreen:
    """Opens the summary."""
    await deck.press("ctrl+s")
    await deck.until(lambda: isinstance(deck.app.screen, SummaryScreen))
    screen = deck.app.screen
    assert isinstance(screen, SummaryScreen)
    await deck.until(lambda: screen._is_painted)
    return screen


async def written(deck: Driver) -> None:
    """Opens the summary, decides, and comes back."""
    screen = await summed(deck)
    await deck.press("y")
    await deck.until(lambda: screen._report is not None)
    await deck.press("escape")


async def test_an_approval_is_drafted_and_the_cursor_goes_on(busy: Cockpit) -> None:
    async with busy.open() as deck:
        first = deck.cursor
        await deck.press("a")
        assert deck.drafts[first].verb is Verb.APPROVE
        assert deck.cursor != first
        assert entries(busy.home)[1] == "The staging host is stg-2."
        assert "2 to decide, " in deck.line("head")


async def test_the_log_has_how_much_of_what_was_approved_was_on_the_screen(
    cockpit: Cockpit,
) -> None:
    lines = "\n".join(f"Step {number}." for number in range(90))
    cockpit.agent.skill("edit", "release-notes", content=skill_text("release-notes") + lines)
    cockpit.agent.replace("mkdocs", "Docs use sphinx.")
    cockpit.take_in()
    async with cockpit.open() as deck:
        kinds = {id: item.kind for id, item in deck.screen.items.items()}
        await deck.press("a", "a")
        await written(deck)
    engine = cockpit.engine()
    shown = [line for line in engine.log() if line.name == SHOWN]
    engine.close()
    shares = {kinds[line.subject]: str(line.detail["share"]) for line in shown}
    assert shares[Kind.MEMORY] == "100%"
    assert 0 < int(shares[Kind.SKILLS].removesuffix("%")) < 50


async def test_an_approval_names_what_was_on_the_screen(busy: Cockpit) -> None:
    async with busy.open() as deck:
        id, look = deck.cursor, deck.screen.look
        await deck.press("a")
        assert look is not None
        assert deck.drafts[id].digest == look.digest


@pytest.mark.parametrize("digit", [1, 8])
async def test_a_rejection_takes_a_digit_for_its_reason(busy: Cockpit, digit: int) -> None:
    async with busy.open() as deck:
        id = deck.cursor
        await deck.press("r")
        assert isinstance(deck.app.screen, ReasonDialog)
        await deck.press(str(digit))
        assert deck.drafts[id].verb is Verb.REJECT
        assert deck.drafts[id].reason == REASONS[digit - 1]


async def test_a_rejection_takes_words_beside_the_digit_or_alone(busy: Cockpit) -> None:
    async with busy.open() as deck:
        first = deck.cursor
        await deck.press("r", "enter")
        assert "No reason yet" in deck.line("keys")
        await deck.press("c")
        assert "No reason yet" not in deck.line("keys")
        await deck.press("enter")
        assert "No reason yet" in deck.line("keys")
        await deck.press(*"no")
        assert "1-8" not in deck.line("keys"), "a digit is a letter of the words"
        await deck.press("escape")
        assert "1-8 reason" in deck.line("keys")
        await deck.press("2")
        assert deck.drafts[first].reason == "out of date: no"
        second = deck.cursor
        await deck.press("r", "c", *"mine", "enter")
        assert deck.drafts[second].reason == "mine"
        third = deck.cursor
        await deck.press("r", "0", *"ours", "escape", "enter")
        assert deck.drafts[third].reason == "ours"


async def test_no_line_of_a_reason_that_is_pasted_is_lost(busy: Cockpit) -> None:
    async with busy.open() as deck:
        id = deck.cursor
        await deck.press("r", "c")
        deck.app.post_message(events.Paste("It says\nstg-4,\r\nand that\tis gone.\n"))
        await deck.press("enter")
        assert deck.drafts[id].reason == "It says stg-4, and that is gone."
        await deck.press("slash")
        deck.app.post_message(events.Paste("stg-4\nstg-2"))
        await deck.until(lambda: "/ stg-4 stg-2" in deck.line("lanes"))


async def test_keys_typed_ahead_of_the_dialog_reach_it(busy: Cockpit) -> None:
    async with busy.open() as deck:
        id = deck.cursor
        await deck.press_fast("r", "3")
        assert deck.drafts[id].reason == REASONS[2]


async def test_escape_leaves_the_reasons_without_a_draft(busy: Cockpit) -> None:
    async with busy.open() as deck:
        await deck.press("r", "escape")
        assert not deck.drafts


async def test_a_deferral_is_drafted(busy: Cockpit) -> None:
    async with busy.open() as deck:
        id = deck.cursor
        await deck.press("d")
        assert deck.drafts[id].verb is Verb.DEFER


async def test_a_draft_is_dropped_and_the_last_one_taken_back(busy: Cockpit) -> None:
    async with busy.open() as deck:
        first = deck.cursor
        await deck.press("a", "d")
        assert len(deck.drafts) == 2
        await deck.press("z")
        assert set(deck.drafts) == {first}
        await deck.go_to(first)
        await deck.press("u")
        assert not deck.drafts
        await deck.press("z")
        assert set(deck.drafts) == {first}


async def test_taking_back_a_changed_draft_brings_the_earlier_one(busy: Cockpit) -> None:
    async with busy.open() as deck:
        id = deck.cursor
        await deck.press("a")
        await deck.go_to(id)
        await deck.press("r", "1")
        assert deck.drafts[id].verb is Verb.REJECT
        await deck.press("z")
        assert deck.drafts[id].verb is Verb.APPROVE


async def test_marks_are_decided_together_when_they_were_seen(busy: Cockpit) -> None:
    async with busy.open() as deck:
        await deck.press("space", "space")
        marked = deck.screen.queue.marked_ids
        assert len(marked) == 2
        await deck.press("a")
        assert set(deck.drafts) == set(marked)
        assert not deck.screen.queue.marked_ids


async def test_a_range_marks_everything_between(busy: Cockpit) -> None:
    async with busy.open() as deck:
        await deck.press("space", "G", "v")
        assert len(deck.screen.queue.marked_ids) == 4
        await deck.press("d")
        assert len(deck.drafts) == 4


async def test_all_dead_ones_are_dismissed_with_one_answer(busy: Cockpit) -> None:
    async with busy.open() as deck:
        await deck.press("D")
        assert isinstance(deck.app.screen, SureDialog)
        await deck.press("D", "enter", "space")
        assert isinstance(deck.app.screen, SureDialog)
        await deck.press("y")
        (draft,) = deck.drafts.values()
        assert deck.screen.items[draft.proposal].state is State.DEAD
        assert draft.verb is Verb.REJECT


async def test_a_question_about_many_fits_and_says_how_many_it_does_not_name(
    cockpit: Cockpit,
) -> None:
    for number in range(8):
        cockpit.agent.replace(f"gone {number}", f"Nothing of number {number} is there. " * 9)
    cockpit.take_in()
    async with cockpit.open(size=(80, 24)) as deck:
        await deck.press("D")
        said = deck.shown()
        assert "Draft 8 dismissals?" in said
        assert said.count("replace memory:") == 6
        assert "and 2 more" in said
        assert "y dismiss them" in said


async def test_all_that_is_shown_can_be_turned_down(busy: Cockpit) -> None:
    async with busy.open() as deck:
        await deck.press("slash", *"target:memory", "enter", "R")
        assert "Reject these 3 because they are" in deck.shown()
        await deck.press("4")
        assert len(deck.drafts) == 3
        assert {draft.reason for draft in deck.drafts.values()} == {REASONS[3]}


async def test_drafts_have_a_lane_and_survive_leaving(busy: Cockpit) -> None:
    async with busy.open() as deck:
        await deck.press("a", "d", "q")
    async with busy.open() as deck:
        await deck.press("3")
        assert len(deck.ids) == 2
        assert {row.draft for row in deck.screen.queue.rows} == {"A", "D"}


async def test_the_summary_writes_nothing_before_y(busy: Cockpit) -> None:
    async with busy.open() as deck:
        await deck.press("a", "a")
        before = (busy.home / MEMORY).read_bytes()
        screen = await summed(deck)
        assert "nothing is written before y" in deck.line("head")
        assert screen.preview.summary.amount == 2
        await deck.press("escape")
        assert (busy.home / MEMORY).read_bytes() == before
        assert len(deck.drafts) == 2


async def test_a_summary_that_writes_no_document_says_what_it_decides(busy: Cockpit) -> None:
    async with busy.open() as deck:
        await deck.press("r", "4", "d")
        await summed(deck)
        assert deck.line("head").startswith(" DECIDES 2, writes nothing")


async def test_y_writes_all_drafts_of_a_document_at_once(busy: Cockpit) -> None:
    async with busy.open() as deck:
        for words in ("sphinx", "stg-4", "long answers"):
            await deck.go_to(about(deck, words))
            await deck.press("a")
        await written(deck)
        assert entries(busy.home) == [
            "Tests run with tox.",
            "The staging host is stg-4.",
            "Docs use sphinx.",
        ]
        assert entries(busy.home, USER)[1] == "Prefers long answers."
        assert not deck.drafts
        assert "[1 Decide 0]" in deck.line("lanes")


async def test_the_summary_names_what_goes_and_what_is_superseded(busy: Cockpit) -> None:
    twin = busy.agent.replace("The staging host", "The staging host is stg-4.")
    busy.take_in()
    async with busy.open() as deck:
        await deck.go_to(
            next(
                i
                for i in deck.ids
                if i != busy.ours(twin) and "stg-4" in deck.screen.items[i].summary
            )
        )
        await deck.press("a")
        await summed(deck)
        said = deck.line("warnings")
        assert "stg-2. → stg-4. · The staging host is" in said
        assert "superseded" in said


async def test_the_summary_looks_again_at_what_is_lost_and_counts_the_rest(
    cockpit: Cockpit,
) -> None:
    cockpit.agent.replace("mkdocs", "Docs use sphinx.")
    cockpit.take_in()
    async with cockpit.open(size=(120, 60)) as deck:
        await deck.press("a")
        await summed(deck)
        assert "1 entry or line replaced or moved" in deck.line("warnings")
        assert "- lost" not in deck.line("warnings") and "Docs use" not in deck.line("warnings")
        assert "$deck-flag" not in deck.line_markup("again-title"), "nothing is alarming"
        await deck.press("escape")
    cockpit.agent.skill("delete", "release-notes")
    cockpit.agent.memory("remove", old_text="Tests run")
    cockpit.take_in()
    async with cockpit.open(size=(120, 60)) as deck:
        for id in deck.ids:
            await deck.go_to(id)
            await deck.press("a")
        await summed(deck)
        warned = deck.line("warnings")
        assert "- deleted" in warned and "release-notes/SKILL.md" in warned
        assert '- lost           memories/MEMORY.md  "Tests run' in warned
        assert '""' not in warned


async def test_after_a_line_of_the_summary_was_dropped_y_writes_the_rest_or_says_why_not(
    cockpit: Cockpit,
) -> None:
    for text in ("The docs are built by mkdocs.", "Releases leave on Monday."):
        cockpit.agent.memory("add", content=text)
    cockpit.agent.skill("delete", "release-notes")
    cockpit.take_in()
    async with cockpit.open(size=(120, 60)) as deck:
        for words, key in (("mkdocs", "a"), ("Monday", "d"), ("release-notes", "a")):
            await deck.go_to(about(deck, words))
            await deck.press(key)
        screen = await summed(deck)
        await deck.press("j", "j", "u")
        await deck.until(lambda: len(screen.preview.summary.documents) == 1)
        await deck.press("j", "j")
        assert "no changes for this line" in deck.line("title")
        screen._is_painted = False
        await deck.press("y")
        assert "J shows one" in deck.line("keys")
        await deck.press("J")
        await deck.until(lambda: screen._is_painted)
        await deck.press("y")
        await deck.until(lambda: "DONE" in deck.line("head"))


async def test_the_summary_counts_the_lines_that_were_cut_or_below_the_edge(
    cockpit: Cockpit,
) -> None:
    for number in range(9):
        cockpit.agent.add(
            f"Ferry {number} leaves at {number} sharp, " + "and waits for no one " * 4
        )
    cockpit.take_in()
    async with cockpit.open(size=(80, 24)) as deck:
        for id in list(deck.ids):
            await deck.go_to(id)
            await deck.press("a")
        screen = await summed(deck)
        await deck.until(lambda: "9 lines not shown in full" in deck.line("head"))
        await deck.pilot.resize_terminal(50, 24)  # The note outranks the end of the headline.
        await deck.until(lambda: deck.line("head").endswith("not shown: j "))
        await deck.pilot.resize_terminal(80, 24)
        await deck.press("j", "j")
        await deck.until(lambda: "7 lines not shown in full" in deck.line("head"))
        await deck.press(*("j" * 20))
        await deck.until(lambda: "nothing is written before y" in deck.line("head"))
        assert screen.preview.summary.amount == 9


async def test_a_summary_that_is_asked_for_while_its_draft_is_stored_has_it(busy: Cockpit) -> None:
    async with busy.open() as deck:
        engine, released = deck.screen.engine, Event()
        put = engine.put_drafts

        def put_late(drafts: Sequence[Draft]) -> Backlog:
            with engine._lock:
                released.wait(60)
                return put(drafts)

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(engine, "put_drafts", put_late)
            await deck.pilot.press("a", "ctrl+s")
            assert not deck.drafts
            assert "no drafts" not in deck.strip
            released.set()
            await deck.until(lambda: isinstance(deck.app.screen, SummaryScreen))
        screen = deck.app.screen
        assert isinstance(screen, SummaryScreen)
        assert screen.preview.summary.amount == 1
        await deck.press("escape", "z")
        await deck.press("ctrl+s")
        assert "There are no drafts" in deck.strip


async def test_the_keys_of_the_summary_stay_in_the_smallest_terminal(busy: Cockpit) -> None:
    async with busy.open(size=(40, 10)) as deck:
        await deck.press("a", "a", "a")
        await deck.press("ctrl+s")
        await deck.until(lambda: isinstance(deck.app.screen, SummaryScreen))
        keys = deck.app.screen.query_one("#keys")
        assert keys.region.bottom == 10 and keys.region.height == 1


async def test_a_line_can_be_dropped_from_the_summary(busy: Cockpit) -> None:
    async with busy.open() as deck:
        await deck.press("a", "d")
        screen = await summed(deck)
        await deck.press("j", "j", "u")
        await deck.until(lambda: screen.preview.summary.amount == 1)
        await deck.press("escape")
        assert len(deck.drafts) == 1
        assert "z undo: drop the draft of '" in deck.line("keys")
        await deck.press("z")
        await deck.until(lambda: len(deck.drafts) == 2)
        assert "z undo: defer '" in deck.line("keys")


async def test_the_results_say_what_is_on_disk(busy: Cockpit) -> None:
    async with busy.open() as deck:
        await deck.go_to(about(deck, "stg-4"))
        await deck.press("a")
        screen = await summed(deck)
        await deck.press("y")
        await deck.until(lambda: screen._report is not None)
        assert "DONE: 1 decided, 1 written" in deck.line("head")
        assert "operation" in deck.line("lines")
        await deck.pilot.resize_terminal(60, 20)
        await deck.until(lambda: "\n" in deck.line("lines"))
        hanging = " " * len("  = approve   ")
        assert all(line.startswith(hanging) for line in deck.line("lines").splitlines()[1:])
        assert " saved " in deck.line("title")
        assert "z drafts the undo" in deck.line("keys")


async def test_back_from_the_summary_nothing_says_that_it_is_being_made(busy: Cockpit) -> None:
    async with busy.open() as deck:
        await deck.press("a")
        await summed(deck)
        await deck.press("escape")
        assert "..." not in deck.strip


async def test_at_a_written_proposal_the_key_bar_says_that_z_undoes_its_write(
    busy: Cockpit,
) -> None:
    async with busy.open() as deck:
        id = about(deck, "stg-4")
        await deck.go_to(id)
        await deck.press("a")
        await written(deck)
        await deck.press("4")
        await deck.go_to(id)
        assert "z undo: write of '" in deck.line("keys")


async def test_what_moved_since_the_summary_is_not_written_and_says_so(busy: Cockpit) -> None:
    async with busy.open() as deck:
        await deck.go_to(about(deck, "stg-4"))
        await deck.press("a")
        screen = await summed(deck)
        set_entries(busy.home, "By hand.")
        await deck.press("y")
        await deck.until(lambda: screen._report is not None)
        assert entries(busy.home) == ["By hand."]
        assert "not done" in deck.line("lines")
        assert "not saved" in deck.line("title")
        assert "undo" not in deck.line("keys")
        assert "It is still a draft." in " ".join(deck.shown().split())  # no reason is cut


async def test_what_was_not_done_comes_before_what_was(busy: Cockpit) -> None:
    async with busy.open() as deck:
        await deck.go_to(about(deck, "stg-4"))
        await deck.press("a")
        await deck.go_to(about(deck, "long answers"))
        await deck.press("r", "1")
        screen = await summed(deck)
        set_entries(busy.home, "By hand.")
        await deck.press("y")
        await deck.until(lambda: screen._report is not None)
        assert "DONE: 1 decided, 0 written, 1 not done" in deck.line("head")
        assert deck.line("lines").lstrip().startswith("! not done")


async def test_a_rejection_whose_record_stays_is_done_and_says_so(busy: Cockpit) -> None:
    async with busy.open() as deck:
        await deck.go_to(about(deck, "long answers"))
        await deck.press("r", "1")
        screen = await summed(deck)
        let_no_record_go(busy.home)
        await deck.press("y")
        await deck.until(lambda: screen._report is not None)
        assert "DONE: 1 decided, 0 written" in deck.line("head")
        assert "not done" not in deck.line("head")
        assert "It is rejected, but its record could not be removed" in deck.line("lines")


async def test_after_a_commit_z_drafts_its_undo(busy: Cockpit) -> None:
    before = (busy.home / MEMORY).read_bytes()
    async with busy.open() as deck:
        for words in ("sphinx", "stg-4"):
            await deck.go_to(about(deck, words))
            await deck.press("a")
        await written(deck)
        changed = (busy.home / MEMORY).read_bytes()
        await deck.press("z")
        assert len(deck.drafts) == 2
        assert (busy.home / MEMORY).read_bytes() == changed != before
        await written(deck)
        assert (busy.home / MEMORY).read_bytes() == before


async def test_what_was_written_earlier_is_taken_back_from_its_lane(busy: Cockpit) -> None:
    before = (busy.home / MEMORY).read_bytes()
    async with busy.open() as deck:
        await deck.go_to(about(deck, "stg-4"))
        await deck.press("a")
        await written(deck)
    async with busy.open() as deck:
        await deck.press("4")
        await deck.go_to(about(deck, "stg-4"))
        await deck.press("z")
        await written(deck)
        assert (busy.home / MEMORY).read_bytes() == before


async def test_own_text_takes_the_place_of_what_was_proposed(busy: Cockpit) -> None:
    busy.write = lambda text: text.replace("stg-4", "stg-7")
    async with busy.open() as deck:
        await deck.go_to(about(deck, "stg-4"))
        await deck.press("e")
        assert busy.writes[0][1] == MEMORY
        (draft,) = deck.drafts.values()
        assert draft.verb is Verb.MERGE
        await written(deck)
        assert entries(busy.home)[1] == "The staging host is stg-7."


async def test_the_editor_of_a_conflict_is_that_of_its_merge(cockpit: Cockpit) -> None:
    base = cockpit.agent.base_of(MEMORY)
    cockpit.agent.replace("staging host", "The staging host is stg-4.", bases=base)
    set_entries(cockpit.home, "Tests run with tox.", "The staging host is stg-3.")
    async with cockpit.open() as deck:
        assert deck.screen.items[deck.cursor].state is State.CONFLICT
        await deck.press("a")
        assert not deck.drafts
        await deck.press("e")
        await deck.until(lambda: bool(cockpit.writes))
        assert "<<<<<<<" in cockpit.writes[0][0]
        assert isinstance(deck.app.screen, MergeScreen)
        await deck.press("escape")
        cockpit.write = lambda text: "Tests run with tox.\n§\nThe staging host is stg-5."
        await deck.press("e")
        assert not deck.drafts
        await deck.press("a")
        assert deck.drafts[deck.ids[0]].verb is Verb.MERGE
        await written(deck)
        assert entries(cockpit.home)[1] == "The staging host is stg-5."


async def test_what_was_written_between_markers_is_there_after_a_restart(cockpit: Cockpit) -> None:
    base = cockpit.agent.base_of(MEMORY)
    cockpit.agent.replace("staging host", "The staging host is stg-4.", bases=base)
    set_entries(cockpit.home, "Tests run with tox.", "The staging host is stg-3.")
    cockpit.write = lambda text: text.replace("Tests run with tox.", "Tests run with nox.")
    for number in range(2):
        async with cockpit.open() as deck:
            await deck.press("e")
            await deck.until(lambda: len(cockpit.writes) > number)  # noqa: B023 - awaited here
    assert "<<<<<<<" in cockpit.writes[1][0]
    assert "nox" in cockpit.writes[1][0]


async def test_an_unchanged_text_is_no_draft(busy: Cockpit) -> None:
    async with busy.open() as deck:
        await deck.press("e")
        assert not deck.drafts
        assert "nothing is drafted" in deck.strip


async def test_without_an_editor_the_deck_says_so(busy: Cockpit) -> None:
    busy.write = lambda text: None
    async with busy.open() as deck:
        await deck.press("e")
        assert "EDITOR" in deck.strip


async def test_a_summary_of_nothing_is_not_opened(busy: Cockpit) -> None:
    async with busy.open() as deck:
        await deck.press("ctrl+s")
        assert len(deck.app.screen_stack) == 1
        assert "no drafts" in deck.strip


async def test_after_the_last_one_the_cursor_goes_to_the_first_that_was_passed(
    busy: Cockpit,
) -> None:
    async with busy.open() as deck:
        first = deck.cursor
        await deck.press("j", "d", "d", "d")
        assert len(deck.drafts) == 3
        assert deck.cursor == first


async def test_a_narrow_head_gives_up_the_name_of_the_program_before_the_budget(
    busy: Cockpit,
) -> None:
    async with busy.open(size=(114, 24)) as deck:
        assert "reviewdeck" in deck.line("head")
        await deck.press("a")
        assert "1 draft" in deck.line("head")
        assert "MEMORY" in deck.line("head")
        assert "reviewdeck" not in deck.line("head")


async def test_going_to_the_diff_and_back_paints_one_line(
    busy: Cockpit,
) -> None:
    async with busy.open(size=(160, 45)) as deck:
        painted: list[int] = []
        line = deck.screen.queue.line

        def seen(y: int) -> Strip:
            painted.append(y)
            return line(y)

        deck.screen.queue.line = seen  # type: ignore[method-assign]  # to look on
        focused = []
        for key in ("enter", "escape"):
            await deck.press(key)
            focused.append(getattr(deck.screen.focused, "id", None))
        assert focused == ["diff", "queue"]
        assert set(painted) == {1}, "below the heading; it is dim while the diff is in front"


async def test_what_is_undone_waits_again_and_says_since_when(busy: Cockpit) -> None:
    async with busy.open(size=(140, 40)) as deck:
        id = about(deck, "stg-4")
        await deck.go_to(id)
        await deck.press("a")
        await written(deck)
        await deck.press("z")
        await written(deck)
        await deck.press("1")
        await deck.go_to(id)
        assert deck.screen.items[id].state is State.READY
        assert "undone" in deck.line("title")
        assert " ago" in deck.line("title")
        row = next(row for row in deck.screen.queue.rows if row.id == id)
        assert row.gist.startswith("undone ")


async def test_the_key_bar_names_what_z_would_undo(busy: Cockpit) -> None:
    async with busy.open(size=(140, 40)) as deck:
        assert "undo:" not in deck.line("keys")
        await deck.go_to(about(deck, "stg-4"))
        await deck.press("a")
        assert "z undo: approve '" in deck.line("keys")
        assert "'stg-2. → stg-4. · The" in deck.line("keys")
        await deck.pilot.resize_terminal(60, 20)
        await deck.until(lambda: "undo:" not in deck.line("keys"))
        assert "a approve  r reject" in deck.line("keys") and "z undo" in deck.line("keys")
        await deck.pilot.resize_terminal(140, 40)
        await deck.press("d")
        assert "z undo: defer '" in deck.line("keys")
        await deck.press("z")
        assert "z undo: approve '" in deck.line("keys")
        await deck.press("z")
        assert "undo:" not in deck.line("keys")


async def test_what_was_undone_is_done_again(busy: Cockpit) -> None:
    async with busy.open() as deck:
        await deck.press("Z")
        assert "nothing to redo" in deck.strip
        await deck.press("a", "d")
        both = deck.drafts
        await deck.press("z", "z")
        assert not deck.drafts
        await deck.press("Z")
        assert [draft.verb for draft in deck.drafts.values()] == [Verb.APPROVE]
        await deck.press("Z")
        assert {id: d.verb for id, d in deck.drafts.items()} == {
            id: d.verb for id, d in both.items()
        }
        await deck.press("z", "a", "Z")  # Something new: what was undone before is gone.
        assert "nothing to redo" in deck.strip


async def test_what_somebody_else_changed_meanwhile_is_not_undone(busy: Cockpit) -> None:
    async with busy.open() as deck:
        first = deck.cursor
        await deck.press("a", "d")
        engine = busy.engine()
        second = next(id for id in deck.drafts if id != first)
        engine.ledger.clear_draft(second)
        engine.close()
        await deck.press("ctrl+r")
        await deck.until(lambda: second not in deck.drafts)
        await deck.press("z")
        assert "its draft changed since" in deck.strip
        assert list(deck.drafts) == [first]


async def test_an_undo_that_is_written_is_done_again(busy: Cockpit) -> None:
    async with busy.open() as deck:
        await deck.go_to(about(deck, "stg-4"))
        await deck.press("a")
        await written(deck)
        changed = entries(busy.home)
        await deck.press("z", "Z")
        assert not deck.drafts
        await deck.press("z")
        await written(deck)
        assert entries(busy.home) != changed
        await deck.press("Z")
        assert [deck.screen.items[id].action for id in deck.drafts] == ["undo"]
        await written(deck)
        assert entries(busy.home) == changed


async def test_what_was_rejected_is_reopened_from_lane_4(busy: Cockpit) -> None:
    async with busy.open() as deck:
        id = about(deck, "stg-4")
        await deck.go_to(id)
        await deck.press("0")
        assert "Only rejected or dismissed" in deck.strip
        await deck.press("r", "1")
        await written(deck)
        await deck.press("4")
        await deck.go_to(id)
        assert "0 reopen" in deck.line("keys")
        await deck.press("0")
        assert "1 proposal reopened: waits again." in deck.strip
        await deck.press("1")
        again = about(deck, "stg-4")
        assert again != id
        assert deck.screen.items[again].state is State.READY


async def test_fifteen_that_were_dismissed_are_reopened_together(cockpit: Cockpit) -> None:
    for number in range(15):
        cockpit.agent.replace(f"gone {number}", f"Nothing of number {number} is there.")
    cockpit.take_in()
    async with cockpit.open() as deck:
        await deck.press("D", "y")
        await written(deck)
        await deck.press("1")
        assert not deck.ids
        await deck.press("4", *(["space"] * 15), "0")
        await deck.until(lambda: "15 proposals reopened" in deck.strip)
        await deck.press("1")
        assert len(deck.ids) == 15


async def test_a_dropped_draft_of_an_undo_rejects_nothing(busy: Cockpit) -> None:
    async with busy.open() as deck:
        id = about(deck, "stg-4")
        await deck.go_to(id)
        await deck.press("a")
        await written(deck)
        await deck.press("z", "z")
        assert not deck.drafts
        await deck.press("4")
        states = {deck.screen.items[one].state for one in deck.ids}
        assert State.REJECTED not in states
        assert deck.screen.items[id].state is State.APPLIED


async def test_notes_and_reasons_stand_in_the_history_and_in_show(
    busy: Cockpit, capsys: pytest.CaptureFixture[str]
) -> None:
    async with busy.open(size=(140, 50)) as deck:
        id = about(deck, "stg-4")
        await deck.go_to(id)
        await deck.press("c", *"ask Ana", "enter")
        await deck.press("J", "K", "tab", "tab")
        assert "ask Ana" in deck.line("facts")
        await deck.press("r", "c", *"stg-5 is meant", "enter")
        await written(deck)
        await deck.press("4")
        await deck.go_to(id)
        assert "stg-5 is meant" in deck.line("facts")
        assert "ask Ana" in deck.line("facts")
    main(["show", id, "--home", str(busy.home), "--ledger", str(busy.ledger)])
    said = " ".join(capsys.readouterr().out.split())
    assert "ask Ana" in said
    assert "stg-5 is meant" in said
