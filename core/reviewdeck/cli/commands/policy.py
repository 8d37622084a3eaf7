"""`reviewdeck policy explain`."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import console, print_json
from reviewdeck.cli.session import open_view
from reviewdeck.errors import NotDecidable
from reviewdeck.presentation.checks import checks_json, evidence_json
from reviewdeck.presentation.inspection import Inspected, inspect


def explain(
    id: Annotated[str, Parameter(help="The proposal: our id, a unique prefix, or Hermes' id.")],
    /,
    *,
    options: Options = DEFAULTS,
) -> int:
    """What the six checks answered for one proposal, and from which evidence."""
    with open_view(options, everywhere=True) as view:
        found = inspect(view, id)
    judgement = found.judgement
    if judgement is None:
        raise NotDecidable(
            f"{found.item.id} is {found.item.state}: no check has judged it.",
            hint=f"`reviewdeck show {found.item.id}` tells what became of it.",
        )
    if options.json:
        print_json(
            {
                "proposal": found.item.id,
                "verdict": found.verdict,
                "summary": _summary(found),
                "allowance": found.allowance and found.allowance.message,
                "checks": checks_json(judgement.marks, judgement.origin),
                **evidence_json(judgement),
            }
        )
        return 0
    from reviewdeck.cli.render_policy import explanation

    screen = console(options)
    for part in explanation(judgement, _summary(found)):
        screen.print(part)
    return 0


def _summary(found: Inspected) -> str:
    """The verdict in a sentence or two."""
    if found.evaluation is None:
        return f"Judged when it was decided; it is {found.item.state} now."
    match found.verdict:
        case "auto-apply":
            said = "All six checks say yes: goes in without an operator."
        case "refuse":
            said = f"Refused: {found.reason}"
        case _:
            said = f"Held for review: {found.reason}"
    return said if found.allowance is None else f"{said} It is waiting. {found.allowance.message}"
