"""The engine's side of the merge screen: opening a merge, and drafting its result."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final, assert_never

from reviewdeck.engine.engine import Engine
from reviewdeck.engine.evaluate import Evaluator
from reviewdeck.engine.evaluation import Evaluation
from reviewdeck.engine.holding import shown_digest
from reviewdeck.errors import BadInput, StaleBase
from reviewdeck.model import Conflict, Dead, Draft, QueueItem, Ready, State, Verb
from reviewdeck.planning.merge import (
    CleanChange,
    MergeProgress,
    Reanchored,
    Sides,
    carry_over,
    clean_changes,
    reanchor,
    resume_merge,
    start_merge,
)
from reviewdeck.planning.resolution import resolve
from reviewdeck.ports.merges import Unfinished
from reviewdeck.text import lines
from reviewdeck.text.redact import NOTHING, Redaction, secret_places
from reviewdeck_tui.merge.checks import check
from reviewdeck_tui.merge.result import ResultView
from reviewdeck_tui.proposal.evidence import Facts

_SECONDS: Final = re.compile(r"(\d\d:\d\d):\d\d")


@dataclass(frozen=True, slots=True)
class OpenMerge:
    """A merge that is ready for the screen."""

    item: QueueItem
    merging: MergeProgress
    """With the picks made so far."""
    digest: str
    """The digest that a draft of it names."""
    automatic: tuple[CleanChange, ...]
    view: ResultView
    facts: Facts
    authors: dict[str, str]
    limit: int | None
    """The character limit of the document."""
    redaction: Redaction | None = None
    """The redaction of the three texts; None if they have no secrets."""
    evidence_redaction: Redaction = NOTHING
    """The redaction of the evidence."""
    anchor: Reanchored | None = None
    """For a dead proposal: its likely new place."""
    kept_picks: int = 0
    """The number of earlier picks that still apply."""
    dropped_picks: int = 0
    """The number of earlier picks dropped because their places changed."""

    @property
    def id(self) -> str:
        """The id of the proposal."""
        return self.item.id

    @property
    def path(self) -> str:
        """The path of the document."""
        return self.merging.sides.path

    def authors_of(self, live: str) -> dict[str, str]:
        """The authors of the three texts of a place; of its live text if it is known."""
        author = _to_the_minute(self.facts.live_author(live))
        return {**self.authors, **({"live": author} if author else {})}


def open_merge(
    evaluation: Evaluation,
    evaluator: Evaluator,
    facts: Facts,
    progress: Unfinished | None,
    now: datetime,
) -> OpenMerge:
    """The merge of a proposal against the live texts, with its picks so far. Raises BadInput."""
    fresh, anchor = _fresh_merge(evaluation, evaluator)
    merging, earlier_picks = _resume(fresh, progress)
    path = fresh.sides.path
    alone = clean_changes(merging)
    redaction = redaction_of(merging.sides)
    view = ResultView(merging, alone, is_inline=redaction is None)
    limit = evaluator.snapshot.budget(path)
    check(merging, limit)  # loads what later checks need, so that the first key does not wait
    return OpenMerge(
        item=facts.item,
        merging=merging,
        digest=shown_digest(evaluation, path, evaluator.snapshot),
        automatic=alone,
        view=view,
        facts=facts,
        authors=_author_words(facts, merging, now),
        limit=limit,
        redaction=redaction,
        evidence_redaction=Redaction(facts.texts()),
        anchor=anchor,
        kept_picks=len(merging.choices),
        dropped_picks=max(0, earlier_picks - len(merging.choices)),
    )


def redaction_of(sides: Sides) -> Redaction | None:
    """The redaction of the texts; None if they have no secrets."""
    live = sides.live or ""
    texts = [text for text in (sides.base, sides.live, sides.proposed) if text is not None]
    live_lines = frozenset(lines.split(live))
    new_texts = (
        "".join(line for line in lines.split(text or "") if line not in live_lines)
        for text in (sides.base, sides.proposed)
    )
    if not any(secret_places(text) for text in (live, *new_texts)):
        return None
    return Redaction(texts)


def _author_words(facts: Facts, merging: MergeProgress, now: datetime) -> dict[str, str]:
    """The authors of the three texts, with times to the minute."""
    author_words = facts.authors(now)
    if not merging.sides.base_known:
        author_words["base"] = "what the agent saw is not known"
    return {name: _to_the_minute(words) for name, words in author_words.items()}


def _to_the_minute(words: str) -> str:
    return _SECONDS.sub(r"\1", words)


def _fresh_merge(
    evaluation: Evaluation, evaluator: Evaluator
) -> tuple[MergeProgress, Reanchored | None]:
    if evaluation.state is State.REFUSED:
        raise BadInput("The policy refuses it as it is: e writes your own text.")
    match evaluation.staged.outcome:
        case Conflict() as conflict:
            return start_merge(conflict, evaluation.proposal), None
        case Dead() as dead:
            anchor = reanchor(evaluation.staged, evaluator.snapshot)
            if anchor is not None:
                return anchor.merging, anchor
            raise BadInput(f"No likely new target: e writes your own text. {dead.message}")
        case Ready() if evaluation.proposal.outside:
            explanation = (
                "It is live without a conflict: x drops a part of it, e writes your own text."
            )
            raise BadInput(explanation)
        case Ready():
            raise BadInput("There is no conflict here. e writes your own text.")
        case _:
            assert_never(evaluation.staged.outcome)


def merge_draft(
    merge: OpenMerge, text: str | None, evaluation: Evaluation, evaluator: Evaluator, now: datetime
) -> Draft:
    """The draft of a result that could be written now. Raises StaleBase, BadInput.

    A result is never drafted over a text that is newer than the one on the screen.
    """
    path = merge.path
    if shown_digest(evaluation, path, evaluator.snapshot) != merge.digest:
        raise StaleBase("The live text changed just now: nothing is drafted.")
    outcome = resolve(evaluation.staged, text, path, evaluator.snapshot).outcome
    if isinstance(outcome, Dead):
        raise BadInput(f"{outcome.message} Nothing is drafted.")
    return Draft(merge.id, Verb.MERGE, merge.digest, now, text=text, document=path)


def evaluate_open(engine: Engine, evaluator: Evaluator, id: str) -> Evaluation:
    """The evaluation of an open proposal. Raises BadInput for any other."""
    state = engine.ledger.state_of(id)
    if state is None or not state.is_open or state is State.QUARANTINED:
        raise BadInput("There is nothing to merge here: it is decided or cannot be read.")
    return evaluator.evaluate(engine.ledger.proposal(id))


def _resume(fresh: MergeProgress, progress: Unfinished | None) -> tuple[MergeProgress, int]:
    """The merge with its earlier picks, and how many of them there were."""
    if progress is None:
        return fresh, 0
    try:
        if progress.digest == fresh.sides.digest:
            resumed_merge = resume_merge(fresh, progress.value)
            return resumed_merge, len(resumed_merge.choices)
        return carry_over(fresh, progress.value), len(progress.value["choices"])
    except ValueError:
        return fresh, 0
