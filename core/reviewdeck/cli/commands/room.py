"""`reviewdeck room`."""

from __future__ import annotations

from reviewdeck.cli.next_steps import command
from reviewdeck.cli.options import DEFAULTS, Options, ProposalId
from reviewdeck.cli.output import print_json, say
from reviewdeck.cli.session import engine_for_proposal
from reviewdeck.engine.room import make_room
from reviewdeck.presentation.words import count, one_line
from reviewdeck.text.redact import redact


def room(id: ProposalId, /, *, options: Options = DEFAULTS) -> int:
    """Propose to remove what ended or is said twice, so that an entry fits into a full memory.

    The fewest entries that make room, as one proposal, which you decide like any other.
    """
    with engine_for_proposal(options, id) as engine:
        made = make_room(engine, id)
    own = made.evaluation.proposal.id
    if options.json:
        removed = [
            {"text": redact(each.text), "reason": redact(each.reason)} for each in made.removed
        ]
        print_json({"proposal": own, "document": made.document, "removed": removed})
        return 0
    amount = count(len(made.removed), "entry", "entries")
    say(f"{own} takes {amount} out of {one_line(made.document)}:")
    for each in made.removed:
        say(f"  {one_line(each.text)}")
        say(f"    {one_line(each.reason)}")
    say(f"Nothing is written yet: {command(options, 'approve', own)}")
    return 0
