"""`reviewdeck room`."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from reviewdeck.cli.consent import check_asking
from reviewdeck.cli.model_options import MODEL_DEFAULTS, ModelOptions
from reviewdeck.cli.next_steps import command
from reviewdeck.cli.options import DEFAULTS, Options, ProposalId, Yes
from reviewdeck.cli.output import print_json, say
from reviewdeck.cli.session import engine_for_proposal
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.room import RoomNeeded, make_room, room_needed
from reviewdeck.planning.room import Removable
from reviewdeck.presentation.words import count, one_line
from reviewdeck.terminal import warn
from reviewdeck.text.redact import redact


def room(
    id: ProposalId,
    /,
    *,
    rewrite: Annotated[
        bool,
        Parameter(
            help="Where that is too little, ask a model to put several entries into one. What is"
            " sent is shown first."
        ),
    ] = False,
    yes: Yes = False,
    model: ModelOptions = MODEL_DEFAULTS,
    options: Options = DEFAULTS,
) -> int:
    """Propose to remove what ended or is said twice, so that an entry fits into a full memory.

    The fewest entries that make room, as one proposal, which you decide like any other.
    """
    check_asking(options, yes=yes or not rewrite)
    with engine_for_proposal(options, id) as engine:
        if rewrite and (needed := room_needed(engine, id)).freed < needed.need:
            return _rewritten(engine, needed, model, options, yes=yes)
        made = make_room(engine, id)
    own = made.evaluation.proposal.id
    if options.json:
        print_json({"proposal": own, "document": made.document, "removed": _json(made.removed)})
        return 0
    amount = count(len(made.removed), "entry", "entries")
    say(f"{own} takes {amount} out of {one_line(made.document)}:")
    _say_removed(made.removed)
    say(f"Nothing is written yet: {command(options, 'approve', own)}")
    return 0


def _rewritten(
    engine: Engine, needed: RoomNeeded, model: ModelOptions, options: Options, *, yes: bool
) -> int:
    from reviewdeck.cli.room_rewrite import RoomRewritten, rewrite_for_room

    made = rewrite_for_room(engine, needed, model, yes=yes, is_quiet=options.json)
    if made is None:
        return 0
    if not isinstance(made, RoomRewritten):
        warn(f"reviewdeck: {redact(one_line(made.reason or made.end.sentence))}")
        if made.hint:
            warn(f"hint: {one_line(made.hint)}")
        return int(made.exit_code)
    if options.json:
        rewritten = [
            {"entries": [redact(entry) for entry in each.entries], "text": redact(each.text)}
            for each in made.rewrites
        ]
        told = {"proposal": made.proposal, "document": needed.path}
        print_json({**told, "removed": _json(needed.found), "rewritten": rewritten})
        return 0
    say(f"{made.proposal} changes {one_line(needed.path)}:")
    _say_removed(needed.found)
    for each in made.rewrites:
        say(f"  {one_line(each.text)}")
        for entry in each.entries:
            say(f"    in the place of “{one_line(entry)}”")
    say(f"Nothing is written yet: {command(options, 'approve', made.proposal)}")
    return 0


def _say_removed(removed: tuple[Removable, ...]) -> None:
    for each in removed:
        say(f"  {one_line(each.text)}")
        say(f"    {one_line(each.reason)}")


def _json(removed: tuple[Removable, ...]) -> list[dict[str, str]]:
    return [{"text": redact(each.text), "reason": redact(each.reason)} for each in removed]
