"""`reviewdeck show`."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import Parameter

from reviewdeck.cli.options import DEFAULTS, Options, Reveal
from reviewdeck.cli.output import console, print_json
from reviewdeck.cli.session import open_view
from reviewdeck.clock import utc_now
from reviewdeck.presentation.checks import checks_json, evidence_json
from reviewdeck.presentation.inspection import Inspected, inspect, redaction_of
from reviewdeck.presentation.items import decision_json, item_json, note_json, operation_json
from reviewdeck.presentation.turns import behind_json


def show(
    id: Annotated[str, Parameter(help="The proposal: our id, a unique prefix, or Hermes' id.")],
    /,
    *,
    reveal: Reveal = False,
    options: Options = DEFAULTS,
) -> int:
    """One proposal with its findings, its evidence and what can be done."""
    with open_view(options, everywhere=True) as view:
        found = inspect(view, id, with_turns=True)
    if options.json:
        print_json(show_json(found), exact={"text"})
        return 0
    from reviewdeck.cli.render_proposal import show_lines

    screen, redaction = console(options), redaction_of(found, is_off=reveal)
    for line in show_lines(found, options, utc_now(), redaction):
        screen.print(line, soft_wrap=True)
    return 0


def show_json(found: Inspected) -> dict[str, Any]:
    """Everything that is known of a proposal."""
    evaluation = found.evaluation
    proposal = found.proposal if evaluation is None else evaluation.proposal
    judgement = found.judgement
    return item_json(found.item, utc_now()) | {
        "state": found.state.value,
        "reason": found.reason,
        "digest": found.digest,
        "verdict": found.verdict,
        "findings": [
            {
                "code": one.code,
                "severity": one.severity.value,
                "message": one.message,
                "quote": one.quote,
                "span": one.span and [one.span.start, one.span.end],
            }
            for one in found.findings
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
                "relation": one.relation.value,
                "score": round(one.score, 1),
                "where": one.where,
                "text": one.text,
                "exact": one.exact,
            }
            for one in (evaluation.alike if evaluation else ())
        ],
        "behind": behind_json(found.behind),
        "revisions": found.revisions,
        "decisions": [decision_json(one) for one in found.decisions],
        "operations": [operation_json(one) for one in found.operations],
        "notes": [note_json(one) for one in found.notes],
    }
