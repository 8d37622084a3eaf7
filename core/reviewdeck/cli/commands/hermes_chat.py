"""`reviewdeck hermes chat`."""

from __future__ import annotations

from reviewdeck.cli.chat import receive_chat
from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.outcomes import print_decision, print_operation, print_vote
from reviewdeck.cli.session import engine_for_proposal
from reviewdeck.engine.confirmation import is_grave
from reviewdeck.engine.quorum import AwaitsAnother
from reviewdeck.engine.written import written_item
from reviewdeck.errors import BadInput, NotPermitted


def chat(*, options: Options = DEFAULTS) -> int:
    """Carry out a decision that a person typed in Hermes' chat; standard input is the request."""
    source = receive_chat(0)
    id = source.request.get("id", "")
    with engine_for_proposal(options, id, chat=source) as engine:
        match source.request:
            case {"verb": "approve", "digest": digest}:
                if is_grave(engine.get(id).findings):
                    raise NotPermitted(
                        "It has a finding of high severity.",
                        hint="Nothing was changed. Decide it in the deck, which shows all of it.",
                    )
                try:
                    operation = engine.approve(id, digest)
                except AwaitsAnother as vote:
                    print_vote(vote, engine.find(id), options)
                    return 0
                item = written_item(engine.ledger, operation)
                print_operation("applied", operation, item, options, digest=digest)
            case {"verb": "reject", "reason": reason}:
                decision = engine.reject(id, reason)
                print_decision("rejected", decision, engine.find(decision.proposal), options)
            case _:
                raise BadInput("In a chat, approve a proposal with its digest, or reject it.")
    return 0
