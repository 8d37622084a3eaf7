"""What is shown of a proposal, for every way in which it can stand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewdeck.bootstrap import open_deck
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.evaluation import Evaluation
from reviewdeck.model import (
    Change,
    Conflict,
    Dead,
    DeadReason,
    Edit,
    Finding,
    Judgement,
    Kind,
    MemoryAdd,
    MemoryReplace,
    Plan,
    Proposal,
    Ready,
    Review,
    Severity,
    SkillCreate,
    SkillDelete,
    SkillEdit,
    Span,
    Staged,
    StagedProposal,
    State,
    Step,
)
from reviewdeck.policy.rules.names import LENGTH
from reviewdeck.policy.rules.rule import RuleInput
from reviewdeck.text.rows import Row, RowKind
from reviewdeck_tui.proposal.diff import compose_diff, language_of, present, section_of
from reviewdeck_tui.proposal.diff_document import (
    Authors,
    DiffDocument,
    Fold,
    Line,
    Notice,
    Quote,
    Section,
    SideBySide,
    Tone,
)

MEMORY = "memories/MEMORY.md"
LIVE = "Staging is stg-3. Ask Ana for access through the bastion.\n§\nPrefers tabs.\n§\nUses uv."
PROPOSED = LIVE.replace("stg-3", "stg-4").replace(" through the bastion", "")


def evaluation(
    outcome: Staged, edits: tuple[Edit, ...] = (), findings: tuple[Finding, ...] = ()
) -> Evaluation:
    """A proposal that came to this."""
    proposal = Proposal("1f94", "home", Kind.MEMORY, "replace", "MEMORY", edits, "sha")
    staged = StagedProposal(proposal, outcome, findings)
    return Evaluation(staged, Judgement(Review(findings)), (), (MEMORY,))


def ready(*changes: Change) -> Ready:
    """A plan of these changes."""
    return Ready(Plan("home", (Step("1f94", "sha", changes),)))


def change(path: str, before: str | None, after: str | None) -> Change:
    """One document."""
    return Change(path, encoded(before), encoded(after))


def encoded(text: str | None) -> bytes | None:
    """The bytes of a document that may be absent."""
    return None if text is None else text.encode()


def told(section: Section) -> list[str]:
    """Every line as plain text with its sign."""
    return [said for line in section.lines for said in _told(line)]


def _told(line: Line) -> Iterator[str]:
    match line:
        case Row(kind=RowKind.CHANGED, left=left, right=right):
            yield from (f"- {left}", f"+ {right}")
        case Row(kind=RowKind.ADDED, right=right):
            yield f"+ {right}"
        case Row(kind=RowKind.REMOVED, left=left):
            yield f"- {left}"
        case Row(left=left):
            yield f"  {left}"
        case Notice(text, _, aside):
            yield f"{text} | {aside}" if aside else text
        case Authors(left, right):
            yield f"{left} / {right}"
        case Quote(text):
            yield f"> {text}"
        case SideBySide(columns):
            yield " | ".join(f"{one.sign} {one.text or ''}".rstrip() for one in columns)
        case Fold(_, label):
            yield f"... {label}"


def limit(path: str) -> int | None:
    """What a memory may have."""
    return 2200 if path.startswith("memories/") else None


def test_a_replaced_entry_stands_whole_before_and_after_with_what_is_lost_and_the_budget() -> None:
    shown = present(evaluation(ready(change(MEMORY, LIVE, PROPOSED))), budget=limit)
    assert shown.id == "1f94"
    assert told(shown.sections[0]) == [
        "entry 1 of 3, replaced",
        "- Staging is stg-3. Ask Ana for access through the bastion.",
        "+ Staging is stg-4. Ask Ana for access.",
        "... 2 entries unchanged",
        f'LOST: "through the bastion" | after: {len(PROPOSED)}/2200',
    ]


def test_an_added_entry_loses_nothing() -> None:
    shown = present(evaluation(ready(change(MEMORY, LIVE, f"{LIVE}\n§\nnew"))), budget=limit)
    assert told(shown.sections[0]) == [
        "... 3 entries unchanged",
        "entry 4 of 4, new",
        "+ new",
        f" | after: {len(LIVE) + 6}/2200",
    ]


def test_an_entry_of_several_lines_is_compared_line_by_line() -> None:
    section = section_of(MEMORY, "one\ntwo\nthree", "one\n2\nthree", None)
    assert told(section)[1:5] == ["  one", "- two", "+ 2", "  three"]


def test_a_memory_that_is_full_says_so() -> None:
    section = section_of(MEMORY, "a", "b" * 30, 20)
    last = section.lines[-1]
    assert isinstance(last, Notice)
    assert last.aside == "after: 30/20 OVER BUDGET"
    assert last.tone is Tone.OVER


def test_a_folded_entry_can_be_read() -> None:
    section = section_of(MEMORY, LIVE, f"{LIVE}\n§\nnew", 2200)
    fold = section.lines[0]
    assert isinstance(fold, Fold)
    said = [row.left for row in fold.rows if isinstance(row, Row)]
    assert said[:3] == [LIVE.split("\n")[0], "§", "Prefers tabs."]


def test_a_skill_is_a_file_diff_with_numbers_and_colours() -> None:
    section = section_of("skills/a/SKILL.md", "# A\n\none\n", "# A\n\ntwo\n", None)
    assert (section.numbered, section.language, section.note) == (True, "markdown", "")
    assert told(section) == ["  # A", "  ", "- one", "+ two"]


def test_a_new_file_is_shown_whole_and_one_that_goes_away_too() -> None:
    new = section_of("skills/a/run.sh", None, "set -e\nls\n", None)
    assert (told(new), new.note, new.language) == (["+ set -e", "+ ls"], "new", "bash")
    gone = section_of("skills/a/run.sh", "set -e\nls\n", None, None)
    assert (told(gone), gone.note) == (["- set -e", "- ls"], "deleted")


def test_a_file_whose_text_stays_says_so() -> None:
    assert told(section_of("a/run.sh", "a\n", "a\n", None)) == ["The text stays as it is.", "  a"]
    assert told(section_of("a/run.sh", None, "", None)) == ["An empty file."]
    assert told(section_of("a/run.sh", "", None, None)) == ["An empty file is deleted."]


def test_several_documents_have_a_section_each() -> None:
    plan = ready(change("skills/a/SKILL.md", "a\n", "b\n"), change("skills/a/x.py", None, "1\n"))
    assert [section.title for section in present(evaluation(plan)).sections] == [
        "skills/a/SKILL.md",
        "skills/a/x.py",
    ]


def conflict(
    base: str | None, live: str | None, proposed: str | None, *, base_known: bool = True
) -> Conflict:
    """A memory that somebody else changed."""
    return Conflict(
        home="home",
        proposal="1f94",
        payload_sha="sha",
        path=MEMORY,
        base=encoded(base),
        live=encoded(live),
        proposed=encoded(proposed),
        reason="both sides edited one entry",
        base_known=base_known,
    )


EDITS = (MemoryReplace(MEMORY, "stg-2", "Staging is stg-4. Ask Ana for access."),)


def test_a_conflict_shows_base_live_and_proposed_with_who_and_when() -> None:
    base = LIVE.replace("stg-3", "stg-2").replace(" through the bastion", "")
    authors = {
        "base": "what the agent saw, 01:50",
        "live": "by hand, 08:05",
        "proposed": "session 41c2 turn 9, 02:14",
    }
    stands = evaluation(conflict(base, LIVE, PROPOSED), EDITS)
    section = present(stands, budget=limit, authors=authors).sections[0]
    assert section.note == "# conflict: both sides edited one entry"
    assert section.conflicts == (0,)
    assert told(section) == [
        "base: what the agent saw, 01:50 / proposed: session 41c2 turn 9, 02:14",
        "- Staging is stg-2. Ask Ana for access.",
        "+ Staging is stg-4. Ask Ana for access.",
        "base: what the agent saw, 01:50 / live: by hand, 08:05",
        "- Staging is stg-2. Ask Ana for access.",
        "+ Staging is stg-3. Ask Ana for access through the bastion.",
        f'LOST if taken as proposed: "through the bastion" | after: {len(PROPOSED)}/2200',
    ]


def test_of_an_entry_that_one_side_removes_no_missing_newline_is_told() -> None:
    base, live = "Docs use mkdocs.\n§\nCI is slow.", "Docs use sphinx.\n§\nCI is slow."
    section = present(evaluation(conflict(base, live, "CI is slow."), EDITS)).sections[0]
    removed = next(row for row in section.lines if isinstance(row, Row) and row.right is None)
    assert (removed.left, removed.note) == ("Docs use mkdocs.", "")


def test_each_place_of_a_conflict_can_be_jumped_to() -> None:
    base, live, proposed = ("\n§\n".join((f"a {x}", "same", f"b {x}")) for x in "123")
    section = present(evaluation(conflict(base, live, proposed), EDITS), budget=limit).sections[0]
    starts = [section.lines[at] for at in section.conflicts]
    assert starts == [Notice(f"conflict {n} of 2", Tone.HEADING) for n in (1, 2)]


def test_what_merges_by_itself_beside_a_conflict_is_shown_too() -> None:
    base = "Staging is stg-2.\n§\nThe images are built on arm64 with Python 3.11."
    live = base.replace("stg-2", "stg-3")
    proposed = base.replace("stg-2", "stg-4").replace("3.11", "3.12")
    sections = present(evaluation(conflict(base, live, proposed), EDITS), budget=limit).sections
    assert [section.note for section in sections][1:] == ["merged automatically"]
    assert "+ The images are built on arm64 with Python 3.12." in told(sections[1])


def test_an_unknown_base_is_called_unknown() -> None:
    stands = evaluation(conflict(None, LIVE, PROPOSED, base_known=False), EDITS)
    assert "base unknown" in told(present(stands).sections[0])


def test_a_removal_against_a_change_shows_the_whole_document() -> None:
    section = present(evaluation(conflict("a", "a b", None), EDITS), budget=limit).sections[0]
    assert told(section)[:5] == ["base / proposed", "- a", "base / live", "- a", "+ a b"]


def test_what_is_dead_shows_what_it_wanted_and_the_nearest_thing() -> None:
    dead = Dead(DeadReason.TARGET_GONE, "No entry contains it.", "Staging is stg-3.")
    section = present(evaluation(dead, EDITS)).sections[0]
    assert section.note == "x cannot be applied: target gone"
    assert told(section) == [
        "No entry contains it.",
        "replace the entry that contains",
        "> stg-2",
        "with",
        "> Staging is stg-4. Ask Ana for access.",
        "nearest live text",
        "> Staging is stg-3.",
    ]


def test_a_request_without_a_text_quotes_nothing() -> None:
    dead = Dead(DeadReason.PINNED, "The skill is pinned.")
    lines = told(present(evaluation(dead, (SkillDelete("old"),))).sections[0])
    assert lines == ["The skill is pinned.", "delete the skill old"]


def is_flagged(document: DiffDocument) -> list[str]:
    """The texts that are marked for findings."""
    return [
        line.right[mark.start : mark.end]
        for section in document.sections
        for index, marks in section.flags.items()
        for mark in marks
        if isinstance(line := section.lines[index], Row) and line.right is not None
    ]


def finding(text: str, words: str) -> Finding:
    """A finding about some words of a text."""
    at = text.index(words)
    return Finding("x", Severity.HIGH, "Careful.", Span(at, at + len(words)))


def test_that_a_text_is_long_marks_none_of_its_words() -> None:
    text = "Run the tests. " * 40
    (hit,) = LENGTH.check(RuleInput((MemoryAdd(MEMORY, text),)))
    found = hit.finding(LENGTH.name, LENGTH.severity)
    plan = ready(change(MEMORY, LIVE, f"{LIVE}\n§\n{text.strip()}"))
    assert is_flagged(present(evaluation(plan, (MemoryAdd(MEMORY, text),), (found,)))) == []


def test_the_words_of_a_finding_are_marked_in_what_is_added() -> None:
    text = "  run curl x | sh every day "
    add = MemoryAdd(MEMORY, text)
    plan = ready(change(MEMORY, LIVE, f"{LIVE}\n§\n{text.strip()}"))
    shown = present(evaluation(plan, (add,), (finding(text, "curl x | sh"),)), budget=limit)
    assert is_flagged(shown) == ["curl x | sh"]
    (at,) = shown.sections[0].flags
    line = shown.sections[0].lines[at]
    assert isinstance(line, Row)
    assert line.note == "x"  # The name of the check stands at its line.


def test_a_finding_over_several_lines_is_marked_in_each() -> None:
    text = "---\r\nname: a\r\n---\r\nfirst\r\nsecond\r\n"
    create = SkillCreate("a", text)
    plan = ready(change("skills/a/SKILL.md", None, text))
    shown = present(evaluation(plan, (create,), (finding(text, "first\r\nsec"),)))
    assert is_flagged(shown) == ["first", "sec"]


def test_nothing_is_marked_when_it_is_unclear_which_edit_is_meant() -> None:
    edits = (MemoryAdd(MEMORY, "first text"), MemoryAdd(MEMORY, "other text"))
    plan = ready(change(MEMORY, "", "first text\n§\nother text"))
    assert is_flagged(present(evaluation(plan, edits, (finding("first text", "text"),)))) == []


def test_a_finding_about_text_that_is_not_there_is_left_alone() -> None:
    edit = SkillEdit("a", "gone")
    plan = ready(change("skills/a/SKILL.md", "a\n", "b\n"))
    assert is_flagged(present(evaluation(plan, (edit,), (finding("gone", "gone"),)))) == []


def test_composed_changes_are_a_document_too() -> None:
    shown = compose_diff("all", "3 drafts", [change(MEMORY, LIVE, PROPOSED)], budget=limit)
    assert (shown.id, shown.title, shown.sections[0].title) == ("all", "3 drafts", MEMORY)


@pytest.mark.parametrize(
    ("path", "language"),
    [("a/SKILL.md", "markdown"), ("x.py", "python"), ("bin/run", ""), (".sh", "bash"), ("a.", "")],
)
def test_a_file_is_coloured_by_its_name(path: str, language: str) -> None:
    assert language_of(path) == language


@pytest.fixture
def deck(hermes_home: Path, tmp_path: Path) -> Iterator[Engine]:
    """A deck over the real home."""
    ledger = f"sqlite:///{tmp_path}/ledger.db"
    with closing(open_deck(hermes_home, ledger=ledger, env={"HOME": str(tmp_path)})) as deck:
        deck.intake()
        yield deck


@pytest.mark.slow
def test_every_record_of_a_real_home_can_be_shown(deck: Engine) -> None:
    items = [item for item in deck.pending() if item.state is not State.QUARANTINED]
    assert len(items) > 40
    for item in items:
        stands = deck.get(item.id)
        shown = present(stands, budget=limit)
        assert shown.sections, item.id
        assert all(section.lines for section in shown.sections), item.id
        assert ("conflict" in shown.sections[0].note) == isinstance(stands.staged.outcome, Conflict)


def test_a_file_that_became_executable_says_so_beside_its_name() -> None:
    text = encoded("# Forms\n")
    made = Change("skills/pdf/forms.md", text, text, mode=0o755, was_mode=0o644)
    for one, said in ((made, "became executable"), (made.reversed, "no longer executable")):
        (section,) = present(evaluation(ready(one)), budget=limit).sections
        assert section.note == said
        assert told(section)[0] == "The text stays as it is."
