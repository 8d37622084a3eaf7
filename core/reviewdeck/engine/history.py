"""History: who added each part of a document, and whether an operation can still be undone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

from reviewdeck.engine.ahead import MOST_AHEAD
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import ABSENT, Cause, Observation, Operation, Revision, State, became
from reviewdeck.ports import Home
from reviewdeck.text.diff import diff
from reviewdeck.text.entries import parse
from reviewdeck.text.hunks import Hunk
from reviewdeck.text.lines import bare_lines
from reviewdeck.values import dataclass


@dataclass(frozen=True, slots=True)
class Blamed:
    """One part of a document and the observation that added it."""

    text: str
    """A memory entry, or a line."""
    added_by: Observation
    """Its cause tells whether it was there at the first observation."""


@dataclass(frozen=True, slots=True)
class BlamedText:
    """A document with the author of each part. Two lists: long ones need little memory."""

    texts: Sequence[str] = ()
    by: Sequence[Observation] = ()

    def __getitem__(self, at: int) -> Blamed:
        return Blamed(self.texts[at], self.by[at])

    def between(self, start: int, end: int | None = None) -> list[Blamed]:
        """Some of its parts."""
        return list(map(Blamed, self.texts[start:end], self.by[start:end]))

    def followed(
        self, hunks: Sequence[Hunk], texts: Sequence[str], observation: Observation
    ) -> BlamedText:
        """The next version: kept parts keep their author, new ones get this observation."""
        by: list[Observation] = []
        at = 0
        for hunk in hunks:
            by += self.by[at : hunk.a_start]
            by += [observation] * (hunk.b_end - hunk.b_start)
            at = hunk.a_end
        return BlamedText(texts, [*by, *self.by[at:]])


Split = Callable[[str], Sequence[str]]


def split_of(*, is_memory: bool) -> Split:
    """Into entries, or into lines."""
    return parse if is_memory else bare_lines


def blame(ledger: Ledger, home: Home, path: str) -> tuple[Blamed, ...]:
    """The author of each part of a document, as last observed."""
    version = BlamedText()
    split = split_of(is_memory=home.snapshot().has_entries(path))
    was_lost = False
    observations = iter(ledger.observations(home.id, path))
    while part := list(islice(observations, MOST_AHEAD)):
        with ledger.at_once():
            ledger.foresee(questions_of_contents(ledger, part))
            for observation in part:
                if is_pruned(ledger, observation):
                    version, was_lost = BlamedText(), True
                    continue
                by = without_author(observation) if was_lost else observation
                texts = parts_at(ledger, observation.revision, split)
                version, was_lost = version.followed(diff(version.texts, texts), texts, by), False
    return tuple(version.between(0))


def questions_of_contents(
    ledger: Ledger, observations: Iterable[Observation]
) -> Iterator[Callable[[], object]]:
    """What reading the first of these texts asks the ledger."""
    revisions = dict.fromkeys(observation.revision for observation in observations)
    yield from (partial(ledger.content, revision) for revision in islice(revisions, MOST_AHEAD))


def mode_changes(observations: Sequence[Observation]) -> tuple[str, ...]:
    """For each observation of a document, the change of its executable bit; else empty."""
    changes: list[str] = []
    mode: int | None = None
    for observation in observations:
        changes.append(became(mode, observation.mode))
        mode = mode if observation.mode is None else observation.mode
    return tuple(changes)


def is_pruned(ledger: Ledger, observation: Observation) -> bool:
    """Whether its text was pruned."""
    revision = observation.revision
    return revision != ABSENT and ledger.content(revision) is None


def without_author(observation: Observation) -> Observation:
    """The observation without its author: the text before it was pruned, so nobody is credited."""
    return replace(observation, cause=Cause.SEEN, operation=None, proposal=None, actor=None)


def parts_at(ledger: Ledger, revision: Revision, split: Split) -> Sequence[str]:
    """The parts of a document at a revision; none when it was absent or is not kept."""
    data = ledger.content(revision)
    return split(data.decode("utf-8", errors="replace")) if data else ()


def why_not_undoable(ledger: Ledger, operation: Operation) -> str | None:
    """Why an operation that wrote cannot be undone any more; None where it can.

    An undo that is undone applies the proposal again that it had taken back: unless an operator
    has applied that one anew.
    """
    if operation.undone_by is not None:
        return f"The operation {operation.id} was undone already, by {operation.undone_by}."
    for proposal, state in applied_again(ledger, operation):
        if state is State.APPLIED:
            return f"The proposal {proposal} was applied again since it was undone."
    return None


def applied_again(ledger: Ledger, operation: Operation) -> Sequence[tuple[str, State]]:
    """The proposals that it had undone, which its undo applies again, with their states."""
    return () if operation.undoes is None else ledger.undoing(operation.id)[::2]
