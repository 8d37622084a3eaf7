"""A merge in an operator's hands: places, picks, the editor, and taking it up again."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from reviewdeck.model import Conflict, Kind, Proposal
from reviewdeck.planning.merge import (
    ChangedBy,
    Decided,
    MergeProgress,
    Sides,
    as_text,
    carry_over,
    clean_changes,
    progress_to_data,
    read_back,
    resume_merge,
    start_merge,
)
from reviewdeck.text.conflicts import OwnText, Take, UnreadableMarkers

MEMORY = "memories/MEMORY.md"
SKILL = "skills/dev/notes/SKILL.md"
JOINT = "\n§\n"
BASE = JOINT.join(["Staging is stg-2.", "Prefers tabs.", "Uses uv.", "CI is slow."])
LIVE = JOINT.join(["Staging is stg-3.", "Prefers tabs.", "Uses uv.", "CI is slow.", "CI is arm64."])
PROPOSED = JOINT.join(["Staging is stg-4.", "Prefers spaces.", "Uses uv.", "CI is slow."])
LINES = "# Title\none\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n"


def memory(base: str | None = BASE, live: str = LIVE, proposed: str = PROPOSED) -> MergeProgress:
    """A merge of a memory."""
    return merging(MEMORY, base, live, proposed, Kind.MEMORY)


def skill(
    base: str | None, live: str | None, proposed: str | None, path: str = SKILL
) -> MergeProgress:
    """A merge of a file of a skill."""
    return merging(path, base, live, proposed, Kind.SKILLS)


def merging(
    path: str, base: str | None, live: str | None, proposed: str | None, kind: Kind
) -> MergeProgress:
    """The merge of a conflict between these texts; no base means that it is not known."""
    proposal = Proposal("p", "home", kind, "edit", "t", (), "sha")
    before, now, after = (None if t is None else t.encode() for t in (base, live, proposed))
    known = base is not None
    conflict = Conflict("home", "p", "sha", path, before, now, after, "why", base_known=known)
    return start_merge(conflict, proposal)


def text(merging: MergeProgress) -> str | None:
    """The result, which has to be decided."""
    assert isinstance(merging.result, Decided)
    return merging.result.text


def test_one_place_is_open_and_the_rest_merged_by_itself() -> None:
    found = memory()
    assert len(found.places) == 1
    assert found.open == (0,)
    assert [(one.by, one.added) for one in clean_changes(found)] == [
        (ChangedBy.PROPOSED, ("Prefers spaces.",)),
        (ChangedBy.LIVE, ("CI is arm64.",)),
    ]


@pytest.mark.parametrize(
    ("take", "entry"),
    [
        (Take.BASE, "Staging is stg-2."),
        (Take.OURS, "Staging is stg-3."),
        (Take.THEIRS, "Staging is stg-4."),
        (Take.BOTH, "Staging is stg-3.\n§\nStaging is stg-4."),
        (OwnText("Staging moved."), "Staging moved."),
    ],
)
def test_a_pick_decides_the_place_and_nothing_else(take: Take | OwnText, entry: str) -> None:
    decided = memory().pick(0, take)
    assert not decided.open
    assert text(decided) == JOINT.join(
        [entry, "Prefers spaces.", "Uses uv.", "CI is slow.", "CI is arm64."]
    )


def test_a_place_can_be_opened_again() -> None:
    found = memory().pick(0, Take.OURS).reopen(0)
    assert found.open == (0,)
    assert found == memory()


def test_a_place_that_does_not_exist_cannot_be_picked() -> None:
    with pytest.raises(IndexError):
        memory().pick(1, Take.OURS)


def test_without_a_base_what_stands_in_the_place_of_what_is_one_choice() -> None:
    live = JOINT.join(["One.", "Staging is stg-3.", "Three."])
    found = memory(None, live, live.replace("stg-3", "stg-4"))
    assert [(one.base, one.ours, one.theirs) for one in found.places] == [
        (None, "Staging is stg-3.", "Staging is stg-4.")
    ]
    assert not found.offers(0, Take.BASE)
    assert text(found.pick(0, Take.THEIRS)) == live.replace("stg-3", "stg-4")
    assert clean_changes(found) == ()


def test_a_file_that_one_side_removes_is_one_place() -> None:
    found = skill(LINES, LINES + "nine\n", None)
    assert found.is_whole_document
    assert not found.offers(0, Take.BOTH)
    assert text(found.pick(0, Take.THEIRS)) is None
    assert text(found.pick(0, Take.OURS)) == LINES + "nine\n"
    assert text(found.pick(0, OwnText("mine\n"))) == "mine\n"


def several() -> MergeProgress:
    """Two places in a file, with something between and around them."""
    live = LINES.replace("one", "one live").replace("six", "six live")
    proposed = LINES.replace("one", "one new").replace("six", "six new")
    found = skill(LINES, live, proposed, "skills/dev/notes/notes.txt")
    assert len(found.places) == 2
    return found


def test_the_editor_gives_each_place_its_own_text_back() -> None:
    found = several().pick(1, Take.OURS)
    edited = as_text(found)
    assert edited.count("<<<<<<<") == 1
    start, end = edited.index("<<<<<<<"), edited.index(">>>>>>> proposed\n")
    edited = edited[:start] + "one of mine\n" + edited[end + len(">>>>>>> proposed\n") :]
    now = read_back(found, edited)
    assert now.choices == {0: OwnText("one of mine\n"), 1: Take.OURS}
    assert now.reopen(0).open == (0,)


def test_the_editor_left_as_it_was_changes_nothing() -> None:
    for found in (several(), memory(), several().pick(0, Take.BASE)):
        assert read_back(found, as_text(found)) == found


def test_a_version_that_was_kept_in_the_editor_counts_as_that_version() -> None:
    found = several()
    edited = as_text(found.pick(0, Take.THEIRS).pick(1, Take.OURS))
    now = read_back(found, edited)
    assert now.choices == {0: Take.THEIRS, 1: Take.OURS}


def test_text_around_the_places_can_be_changed_as_well() -> None:
    found = several()
    edited = as_text(found).replace("three\n", "three and a half\n")
    now = read_back(found, edited)
    assert now.is_rewritten
    assert len(now.open) == 2
    done = now.pick(0, Take.OURS).pick(1, Take.OURS)
    assert text(done) == (found.sides.live or "").replace("three\n", "three and a half\n")


def test_an_entry_that_was_written_in_the_editor_is_that_of_the_place() -> None:
    found = memory()
    edited = as_text(found.pick(0, Take.OURS)).replace("stg-3", "stg-9")
    now = read_back(found, edited)
    assert now.choices == {0: OwnText("Staging is stg-9.")}


def test_markers_that_do_not_fit_together_change_nothing() -> None:
    found = several()
    with pytest.raises(UnreadableMarkers):
        read_back(found, as_text(found).replace("=======\n", "", 1))
    assert as_text(replace(found, unparsed="half")) == "half"


@pytest.mark.parametrize(
    "found", [several().pick(0, OwnText("mine\n")), memory().pick(0, Take.BOTH)]
)
def test_what_was_kept_is_taken_up_again(found: MergeProgress) -> None:
    data = json.loads(json.dumps(progress_to_data(replace(found, unparsed="half"))))
    again = resume_merge(replace(found, choices={}), data)
    assert again == replace(found, unparsed="half")


def test_picks_hold_where_their_place_is_the_same() -> None:
    found = several().pick(0, Take.THEIRS).pick(1, Take.OURS)
    moved = (found.sides.live or "").replace("six live", "six moved")
    fresh = skill(LINES, moved, found.sides.proposed, "skills/dev/notes/notes.txt")
    assert fresh.sides.digest != found.sides.digest
    now = carry_over(fresh, progress_to_data(found))
    assert now.choices == {0: Take.THEIRS}
    assert now.open == (1,)


def test_a_text_of_ones_own_is_carried_where_it_merges_and_dropped_where_not() -> None:
    found = several()
    mine = read_back(found, LINES.replace("three", "three of mine"))
    assert mine.is_rewritten
    apart = (found.sides.live or "") + "nine\n"
    fresh = skill(LINES, apart, found.sides.proposed, "skills/dev/notes/notes.txt")
    now = carry_over(fresh, progress_to_data(mine))
    assert "three of mine" in (text(now) or "")
    assert "nine" in (text(now) or "")
    clash = (found.sides.live or "").replace("three", "three live")
    fresh = skill(LINES, clash, found.sides.proposed, "skills/dev/notes/notes.txt")
    assert carry_over(fresh, progress_to_data(mine)) == fresh


@pytest.mark.parametrize(
    "data",
    [{}, {"v": 2}, {"v": 1, "path": "p", "live": "l", "ground": {}, "choices": [], "kept": None}],
)
def test_anything_else_is_no_stored_merge(data: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="is"):
        resume_merge(memory(), data)


def test_a_digest_is_for_these_texts_alone() -> None:
    one = Sides(MEMORY, "a", "b", "c")
    others = [
        replace(one, base=None),
        replace(one, live="c", proposed="b"),
        replace(one, path=SKILL),
        replace(one, base_known=False),
    ]
    assert len({each.digest for each in (one, *others)}) == 5
