"""A whole text for a document that is no list of entries: what becomes of it."""

from __future__ import annotations

from dataclasses import replace

from tests.planning.plain import HOME, PlainSnapshot, given

from reviewdeck.model import (
    Conflict,
    Dead,
    DeadReason,
    DocumentWrite,
    Kind,
    Loading,
    Proposal,
    Ready,
    StagedProposal,
)
from reviewdeck.planning.gist import gist_of
from reviewdeck.planning.stage import stage

INDEX = "- [Port](port.md) — 8081\n- [CI](ci.md) — GitHub\n- [Names](names.md) — short\n"
ADDED = f"{INDEX}- [Times](times.md) — in UTC\n"
PATH = "memory/MEMORY.md"


class Texts(PlainSnapshot):
    """A home of texts that are read whole."""

    def has_entries(self, path: str) -> bool:
        return False

    def loading(self, path: str) -> Loading:
        return Loading.ALWAYS


def write(live: str | None, content: str | None, saw: str | None) -> StagedProposal:
    home = Texts({} if live is None else {PATH: live})
    proposal = Proposal(
        "p1",
        HOME,
        Kind.DOCUMENTS,
        "write",
        "memory",
        (DocumentWrite(PATH, content, "- [Times](times.md) — in UTC\n"),),
        "sha",
        bases={PATH: given(saw)},
    )
    return stage(proposal, home)


def after(staged: StagedProposal) -> str | None:
    assert isinstance(staged.outcome, Ready)
    (change,) = staged.outcome.plan.changes
    return None if change.after is None else change.after.decode()


def test_it_is_written_as_its_author_wants_where_nothing_moved() -> None:
    assert after(write(INDEX, ADDED, INDEX)) == ADDED
    assert after(write(None, ADDED, None)) == ADDED
    assert after(write(INDEX, None, INDEX)) is None


def test_what_came_in_since_stays_beside_it() -> None:
    live = f"- [Team](team.md) — five\n{INDEX}"
    assert after(write(live, ADDED, INDEX)) == f"- [Team](team.md) — five\n{ADDED}"


def test_the_same_line_changed_by_both_is_a_conflict() -> None:
    live = INDEX.replace("8081", "9090")
    assert isinstance(write(live, ADDED.replace("8081", "8082"), INDEX).outcome, Conflict)


def test_a_file_that_appeared_meanwhile_is_a_conflict_and_not_overwritten() -> None:
    assert isinstance(write("Somebody's own.\n", ADDED, None).outcome, Conflict)


def test_a_removed_file_that_changed_meanwhile_is_a_conflict() -> None:
    assert isinstance(write(f"{INDEX}More.\n", None, INDEX).outcome, Conflict)


def test_what_is_there_already_is_nothing_to_do() -> None:
    outcome = write(ADDED, ADDED, INDEX).outcome
    assert isinstance(outcome, Dead)
    assert outcome.reason is DeadReason.ALREADY_THERE


def test_a_memory_of_entries_is_not_written_as_a_whole() -> None:
    home = PlainSnapshot({"memories/MEMORY.md": "One."})
    proposal = write(None, ADDED, None).proposal
    edit = DocumentWrite("memories/MEMORY.md", "Two.")
    outcome = stage(replace(proposal, edits=(edit,), bases={}), home).outcome
    assert isinstance(outcome, Dead)
    assert outcome.reason is DeadReason.INVALID


def test_its_gist_is_the_line_that_changes() -> None:
    staged = write(INDEX, ADDED, INDEX)
    assert gist_of(staged, Texts({PATH: INDEX})) == "- [Times](times.md) — in UTC"
