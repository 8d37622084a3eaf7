"""`reviewdeck policy explain`."""

from __future__ import annotations

from reviewdeck.cli.options import DEFAULTS, Options, ProposalId
from reviewdeck.cli.output import console, print_json
from reviewdeck.cli.render_policy import explanation
from reviewdeck.cli.session import fresh_engine
from reviewdeck.errors import NotDecidable
from reviewdeck.presentation.checks import checks_json, evidence_json
from reviewdeck.presentation.inspection import Inspection, inspect


def explain(
    id: ProposalId,
    /,
    *,
    options: Options = DEFAULTS,
) -> int:
    """Show the answers of the six checks for one proposal, with their evidence."""
    with fresh_engine(options, everywhere=True) as engine:
        inspected = inspect(engine, id)
    judgement = inspected.judgement
    if judgement is None:
        raise NotDecidable(
            f"{inspected.item.id} is {inspected.item.state}: no check has judged it.",
            hint=f"`reviewdeck show {inspected.item.id}` shows what became of it.",
        )
    if options.json:
        print_json(
            {
                "proposal": inspected.item.id,
                "verdict": inspected.verdict,
                "summary": _summary(inspected),
                "allowance": inspected.allowance and inspected.allowance.message,
                "checks": checks_json(judgement.marks, judgement.origin),
                **evidence_json(judgement),
            }
        )
        return 0

    screen = console(options)
    for part in explanation(judgement, _summary(inspected)):
        screen.print(part)
    return 0


def _summary(inspected: Inspection) -> str:
    if inspected.evaluation is None:
        return f"Already {inspected.item.state}. These are the checks as of that decision."
    match inspected.verdict:
        case "auto-apply":
            sentence = "All six checks pass: applied automatically."
        case "refuse":
            sentence = f"Refused: {inspected.reason}"
        case _:
            sentence = f"Held for review: {inspected.reason}"
    if inspected.allowance is None:
        return sentence
    return f"{sentence} It is waiting. {inspected.allowance.message}"
