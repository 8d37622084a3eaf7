"""What follows in a home from decisions that were made on another machine.

A rejection is the ledger's at once. That the home notes it, the agent is told and the pending
record goes is left to the machine with the home, as an errand that is stored with the decision. It
may be killed at any step: it does the same again.
"""

from __future__ import annotations

from reviewdeck.engine.context import EngineContext
from reviewdeck.errors import Busy, HomeReadOnly, HomeUnavailable, WriteFailed
from reviewdeck.model import About, Verb
from reviewdeck.model.ledger import Errand
from reviewdeck.ports import OpenHome


def run_errands(engine: EngineContext, open_home: OpenHome) -> tuple[str, ...]:
    """Does the errands of one home of this machine; gives the proposals that they were about.

    One that the system does not let us do stays for the next time. Where decisions are signed, one
    without a signature that holds is dropped, and nothing is done for it.
    """
    if engine.machine is None:
        return ()
    done: list[str] = []
    for errand in engine.ledger.errands(open_home.home.id):
        decision = errand.decision
        about = About(open_home.home.id, (decision.proposal,))
        if not engine.authority.signs or engine.authority.flaw(decision, about) is None:
            try:
                with engine.uninterrupted():
                    _run(engine, open_home, errand)
            except (Busy, WriteFailed, HomeReadOnly, HomeUnavailable):
                continue
            done.append(decision.proposal)
        engine.probe("errand")
        engine.ledger.end_errand(decision.id)
    return tuple(done)


def _run(engine: EngineContext, open_home: OpenHome, errand: Errand) -> None:
    decision, home, writer = errand.decision, open_home.home, open_home.writer
    noted = home.refusals().rejected
    if decision.verb is Verb.REOPEN:
        if not noted.isdisjoint(errand.digests):
            writer.note_rejected(errand.digests, taken_back=True)
        return
    if new := [digest for digest in errand.digests if digest not in noted]:
        writer.note_rejected(new)
    proposal = engine.ledger.proposal(decision.proposal)
    writer.notify_rejection(proposal, decision.reason, decision.at)
    if proposal.source is not None:
        writer.retire([(proposal.source, proposal.payload_sha)])
