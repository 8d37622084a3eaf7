"""`reviewdeck merge`: a conflict resolved with one of its sides, or with a text of one's own."""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from typing import Annotated

from cyclopts import Parameter

from reviewdeck.cli.documents import resolve_document
from reviewdeck.cli.given import given_text
from reviewdeck.cli.options import DEFAULTS, Options, ProposalId
from reviewdeck.cli.outcomes import print_operation, print_vote
from reviewdeck.cli.prompts import confirm
from reviewdeck.cli.session import engine_for_proposal
from reviewdeck.cli.usage import UsageProblem
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.evaluation import Evaluation
from reviewdeck.engine.quorum import AwaitsAnother
from reviewdeck.engine.written import written_item
from reviewdeck.errors import NotDecidable
from reviewdeck.model import Conflict, Verb
from reviewdeck.planning.skills import check_new_document
from reviewdeck.presentation.document_diff import conflicted_merge
from reviewdeck.presentation.elsewhere import waiting_for
from reviewdeck.text.conflicts import Clean, Conflicted, Take, combine_conflict, resolve
from reviewdeck.text.lines import decoded

_TAKES = {
    "base": Take.BASE,
    "live": Take.OURS,
    "proposed": Take.THEIRS,
    "words": Take.WORDS,
}


def take_side(evaluation: Evaluation, side: str) -> str | None:
    """The document with every conflict resolved in favour of one side; None if that removes it.

    Changes of both sides elsewhere in the document stay merged. Raises NotDecidable.
    """
    conflict = evaluation.staged.outcome
    if not isinstance(conflict, Conflict):
        raise NotDecidable(
            f"{evaluation.proposal.id} is not a conflict: it has no sides to take.",
            hint="Give your own text with --file.",
        )
    if side == "base" and not conflict.base_known:
        raise NotDecidable("The text that the agent saw is not known: there is no base to take.")
    merged = conflicted_merge(conflict, evaluation.proposal)
    if side == "words" and not _can_combine(merged):
        raise NotDecidable(
            "Both sides changed the same words: they cannot be combined.",
            hint=f"`reviewdeck diff {evaluation.proposal.id}` shows both sides; give your own"
            " text with --file.",
        )
    text = _text_of(conflict, side)
    if merged is not None:
        resolution = resolve(merged, dict.fromkeys(range(len(merged.hunks)), _TAKES[side]))
        text = resolution.text if isinstance(resolution, Clean) else text
    if text == _text_of(conflict, "live"):
        raise NotDecidable(
            f"That leaves {conflict.path} unchanged: there is nothing to apply.",
            hint=f"`reviewdeck reject {evaluation.proposal.id} --reason TEXT` rejects it.",
        )
    return text


def _can_combine(merged: Conflicted | None) -> bool:
    """Whether at each place of a memory the sides changed different words."""
    return merged is not None and bool(merged.joint) and all(map(combine_conflict, merged.hunks))


def _text_of(conflict: Conflict, side: str) -> str | None:
    texts = {"base": conflict.base, "live": conflict.live, "proposed": conflict.proposed}
    return decoded(texts.get(side))


class Side(StrEnum):
    """One side of a conflict, or the words of both."""

    BASE = "base"
    LIVE = "live"
    PROPOSED = "proposed"
    WORDS = "words"


def merge(
    id: ProposalId,
    /,
    *,
    digest: Annotated[
        str,
        Parameter(
            help="The digest at the end of reviewdeck diff ID; 12 digits are enough. For a"
            " dead or refused proposal, the revision of the document that it showed there."
        ),
    ],
    file: Annotated[
        str | None,
        Parameter(help="Your text for the whole document; - reads the standard input."),
    ] = None,
    take: Annotated[
        Side | None,
        Parameter(
            help="Resolve every conflict with this side; the rest stays merged. words puts the"
            " words of both sides into one entry, as reviewdeck diff ID shows it, where they"
            " changed different words."
        ),
    ] = None,
    document: Annotated[
        str | None, Parameter(help="The document that the text is for, if there are several.")
    ] = None,
    of: Annotated[
        str | None,
        Parameter(help="Take the text that this operator voted for, where two have to approve it."),
    ] = None,
    options: Options = DEFAULTS,
) -> int:
    """Apply your own text instead of the proposed one."""
    if sum(each is not None for each in (file, take, of)) != 1:
        raise UsageProblem("A merge needs either --file or --take.")
    own = None if file is None else given_text(file)
    with engine_for_proposal(options, id) as engine:
        text = own if take is None else take_side(engine.get(id), take.value)
        path = None if document is None else _path(engine, document)
        if of is not None:
            text, path = _voted(engine, id, of)
        named, ask = digest.strip().lower(), partial(confirm, engine)
        try:
            operation = engine.merge(id, text, named, document=path, confirm=ask)
        except AwaitsAnother as vote:
            print_vote(vote, engine.find(id), options)
            return 0
        item = written_item(engine.ledger, operation)
        machine = waiting_for(engine, operation)
        print_operation("merged", operation, item, options, digest=named, waits_for=machine)
    return 0


def _voted(engine: Engine, id: str, operator: str) -> tuple[str | None, str | None]:
    """The text that an operator voted for, and its document. Raises NotDecidable."""
    proposal = engine.find(id).id
    for vote in engine.ledger.votes([proposal]).get(proposal, ()):
        if vote.operator == operator and vote.verb is Verb.MERGE:
            return vote.text, vote.document
    raise NotDecidable(
        f"{operator} voted for no text of their own.",
        hint=f"`reviewdeck show {proposal}` lists the votes.",
    )


def _path(engine: Engine, document: str) -> str:
    if check_new_document(document) is None:
        return document  # It may be one that is still to be written.
    return resolve_document(engine, document)
