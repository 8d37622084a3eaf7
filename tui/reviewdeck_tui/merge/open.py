"""The engine's side of the merge screen: opening a merge, and drafting what came of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final, assert_never

from reviewdeck.engine.deck import Deck
from reviewdeck.engine.draft_upkeep import shown_digest
from reviewdeck.engine.evaluate import Evaluation, Evaluator
from reviewdeck.errors import BadInput, StaleBase
from reviewdeck.model import Conflict, Dead, Draft, QueueItem, Ready, State, Verb
from reviewdeck.planning.merge import (
    Alone,
    Merging,
    Reanchored,
    Sides,
    carried,
    merged_alone,
    merging_of,
    reanchor,
    resumed,
)
from reviewdeck.planning.resolution import resolve
from reviewdeck.policy.redact import NOTHING, Redaction, places
from reviewdeck.ports.ledger import Unfinished
from reviewdeck.text import lines
from reviewdeck_tui.merge.checks import check
from reviewdeck_tui.merge.result import ResultView
from reviewdeck_tui.proposal.evidence import Facts

_SECONDS: Final = re.compile(r"(\d\d:\d\d):\d\d")


@dataclass(frozen=True, slots=True)
class OpenMerge:
    """One merge, ready for the screen."""

    item: QueueItem
    merging: Merging
    """As far as it had come when it was left."""
    digest: str
    """What a draft of it names."""
    alone: tuple[Alone, ...]
    view: ResultView
    facts: Facts
    authors: dict[str, str]
    limit: int | None
    """Characters that the document may have."""
    cover: Redaction | None = None
    """Covers the secrets in the three texts; None where there are none."""
    told: Redaction = NOTHING
    """Covers those in what is known of the proposal."""
    anchor: Reanchored | None = None
    """For a dead proposal: the place that it is aimed at now."""
    held: int = 0
    """How many earlier picks are in it."""
    lost: int = 0
    """How many are not, because their places changed."""

    @property
    def id(self) -> str:
        """The proposal."""
        return self.item.id

    @property
    def path(self) -> str:
        """The document."""
        return self.merging.sides.path

    def authors_of(self, live: str) -> dict[str, str]:
        """Who wrote the three texts of a place; that of its live text where it can be told."""
        said = _to_the_minute(self.facts.live_author(live))
        return {**self.authors, **({"live": said} if said else {})}


def open_merge(
    evaluation: Evaluation,
    evaluator: Evaluator,
    facts: Facts,
    kept: Unfinished | None,
    now: datetime,
) -> OpenMerge:
    """The merge of a proposal as it stands now, with what was decided of it. Raises BadInput."""
    fresh, anchor = _fresh(evaluation, evaluator)
    merging, had = _taken_up(fresh, kept)
    path = fresh.sides.path
    alone = merged_alone(merging)
    cover = cover_of(merging.sides)
    view = ResultView(merging, alone, is_inline=cover is None)
    limit = evaluator.snapshot.budget(path)
    check(merging, limit)  # what it needs is loaded here, not with the first key
    return OpenMerge(
        item=facts.item,
        merging=merging,
        digest=shown_digest(evaluation, path, evaluator.snapshot),
        alone=alone,
        view=view,
        facts=facts,
        authors=_authors(facts, merging, now),
        limit=limit,
        cover=cover,
        told=Redaction(facts.texts()),
        anchor=anchor,
        held=len(merging.choices),
        lost=max(0, had - len(merging.choices)),
    )


def cover_of(sides: Sides) -> Redaction | None:
    """What covers the secrets in the texts; None where there are none."""
    live = sides.live or ""
    texts = [text for text in (sides.base, sides.live, sides.proposed) if text is not None]
    known = frozenset(lines.split(live))
    others = (
        "".join(line for line in lines.split(text or "") if line not in known)
        for text in (sides.base, sides.proposed)
    )
    if not any(places(text) for text in (live, *others)):
        return None
    return Redaction(texts)


def _authors(facts: Facts, merging: Merging, now: datetime) -> dict[str, str]:
    """Who wrote the three texts and when, to the minute."""
    said = facts.authors(now)
    if not merging.sides.base_known:
        said["base"] = "what the agent saw is not known"
    return {name: _to_the_minute(words) for name, words in said.items()}


def _to_the_minute(words: str) -> str:
    return _SECONDS.sub(r"\1", words)


def _fresh(evaluation: Evaluation, evaluator: Evaluator) -> tuple[Merging, Reanchored | None]:
    """The merge that a proposal asks for, with nothing decided."""
    if evaluation.state is State.REFUSED:
        raise BadInput("The policy refuses it as it is: e writes your own version.")
    match evaluation.staged.outcome:
        case Conflict() as conflict:
            return merging_of(conflict, evaluation.proposal), None
        case Dead() as dead:
            anchor = reanchor(evaluation.staged, evaluator.snapshot)
            if anchor is not None:
                return anchor.merging, anchor
            raise BadInput(f"{dead.message} No likely new place is known: e writes your own text.")
        case Ready() if evaluation.proposal.outside:
            said = "It is live, and no conflict: x drops a part of it, e writes your own version."
            raise BadInput(said)
        case Ready():
            raise BadInput("There is no conflict here. e writes your own version.")
        case _:
            assert_never(evaluation.staged.outcome)


def merge_draft(
    open_one: OpenMerge,
    text: str | None,
    evaluation: Evaluation,
    evaluator: Evaluator,
    now: datetime,
) -> Draft:
    """The draft of a result, when it could be written as things stand. Raises StaleBase, BadInput.

    Nothing is drafted over a text that is newer than what was on the screen.
    """
    path = open_one.path
    if shown_digest(evaluation, path, evaluator.snapshot) != open_one.digest:
        raise StaleBase("The live text changed just now: nothing is drafted.")
    outcome = resolve(evaluation.staged, text, path, evaluator.snapshot).outcome
    if isinstance(outcome, Dead):
        raise BadInput(f"{outcome.message} Nothing is drafted.")
    return Draft(open_one.id, Verb.MERGE, open_one.digest, now, text=text, document=path)


def evaluated_now(deck: Deck, evaluator: Evaluator, id: str) -> Evaluation:
    """A proposal as it stands. Raises BadInput for what is decided."""
    state = deck.ledger.state_of(id)
    if state is None or not state.is_open or state is State.QUARANTINED:
        raise BadInput("There is nothing to merge here: it is decided, or cannot be read.")
    return evaluator.evaluate(deck.ledger.proposal(id))


def _taken_up(fresh: Merging, kept: Unfinished | None) -> tuple[Merging, int]:
    """The merge where it was left, and how many picks had been made."""
    if kept is None:
        return fresh, 0
    try:
        if kept.digest == fresh.sides.digest:
            again = resumed(fresh, kept.value)
            return again, len(again.choices)
        return carried(fresh, kept.value), len(kept.value["choices"])
    except ValueError:
        return fresh, 0
