"""`reviewdeck show`."""

from __future__ import annotations

from typing import Any

from reviewdeck.cli.options import DEFAULTS, Options, ProposalId, Reveal
from reviewdeck.cli.output import console, print_json, redacted_json
from reviewdeck.cli.session import fresh_engine
from reviewdeck.clock import utc_now
from reviewdeck.presentation.checks import checks_json, evidence_json
from reviewdeck.presentation.inspection import Inspection, inspect, redaction_of
from reviewdeck.presentation.items import decision_json, item_json, note_json, operation_json
from reviewdeck.presentation.turns import source_turns_json
from reviewdeck.presentation.votes import votes_json


def show(
    id: ProposalId,
    /,
    *,
    reveal: Reveal = False,
    options: Options = DEFAULTS,
) -> int:
    """Show one proposal with its findings, its evidence and the possible decisions."""
    with fresh_engine(options, everywhere=True) as engine:
        inspected = inspect(engine, id, with_turns=True)
    if options.json:
        print_json(show_json(inspected), exact={"text"})
        return 0
    from reviewdeck.cli.render_proposal import show_lines

    screen, redaction = console(options), redaction_of(inspected, is_off=reveal)
    for line in show_lines(inspected, options, utc_now(), redaction):
        screen.print(line, soft_wrap=True)
    return 0


def show_json(inspected: Inspection) -> dict[str, Any]:
    """Everything that is known of a proposal."""
    evaluation = inspected.evaluation
    proposal = inspected.proposal if evaluation is None else evaluation.proposal
    judgement = inspected.judgement
    return item_json(inspected.item, utc_now()) | {
        "state": inspected.state.value,
        "reason": inspected.reason,
        "digest": inspected.digest,
        "verdict": inspected.verdict,
        "findings": [
            {
                "code": finding.code,
                "severity": finding.severity.value,
                "message": finding.message,
                "quote": finding.quote,
                "span": finding.span and [finding.span.start, finding.span.end],
            }
            for finding in inspected.findings
        ],
        "checks": judgement and checks_json(judgement.marks, judgement.origin),
        "evidence": judgement and evidence_json(judgement),
        "session": proposal and proposal.session,
        "turn": proposal and proposal.turn,
        "tool_call": proposal and proposal.tool_call,
        "model": proposal and proposal.model,
        "provenance": dict(proposal.provenance) if proposal else {},
        "unknown_keys": list(proposal.unknown_keys) if proposal else [],
        "undoes": proposal and proposal.undoes,
        "bases": [
            {"document": path, "revision": base.revision, "source": base.source.value}
            for path, base in sorted(proposal.bases.items() if proposal else ())
        ],
        "alike": [
            {
                "relation": similar.relation.value,
                "score": round(similar.score, 1),
                "where": similar.where,
                "text": similar.text,
                "exact": similar.exact,
            }
            for similar in (evaluation.similar if evaluation else ())
        ],
        "behind": redacted_json(source_turns_json(inspected.source_turns)),
        "revisions": inspected.revisions,
        "decisions": [decision_json(decision) for decision in inspected.decisions],
        "operations": [operation_json(operation) for operation in inspected.operations],
        "needs": inspected.needs,
        "votes": votes_json(inspected.votes, inspected.digest),
        "notes": [note_json(note) for note in inspected.notes],
        "reading": list(inspected.reading),
    }
