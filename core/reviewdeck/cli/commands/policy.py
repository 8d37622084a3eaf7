"""`reviewdeck policy explain`."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from reviewdeck.cli.inspection import inspect
from reviewdeck.cli.options import DEFAULTS, FLAG, Options
from reviewdeck.cli.output import console, print_json
from reviewdeck.cli.session import looking
from reviewdeck.errors import NotDecidable


def explain(
    id: Annotated[str, Parameter(help="The proposal: our id, a unique prefix, or Hermes' id.")],
    /,
    *,
    all: Annotated[bool, FLAG, Parameter(help="Show the rules that passed as well.")] = False,
    options: Options = DEFAULTS,
) -> int:
    """What the rules said of one proposal, and why they exist."""
    from reviewdeck.policy import explain as trail

    with looking(options, everywhere=True) as deck:
        found = inspect(deck, id)
    if found.examined is None:
        raise NotDecidable(
            f"{found.item.id} is {found.item.state}: the rules have nothing to say of it.",
            hint=f"`reviewdeck show {found.item.id}` tells what became of it.",
        )
    judgement = found.examined.judgement
    rows, said = trail.explain(judgement), trail.summarise(judgement)
    if found.cap is not None:
        said = f"{said} It waits all the same. {found.cap.message}"
    if options.json:
        print_json(
            {
                "proposal": found.item.id,
                "verdict": found.examined.verdict,
                "summary": said,
                "cap": found.cap and found.cap.message,
                "rules": [
                    {"rule": row.rule, "effect": row.effect, "said": row.said, "why": row.why}
                    for row in rows
                ],
            }
        )
        return 0
    from reviewdeck.cli.render_policy import trail_parts

    screen = console(options)
    for part in trail_parts(rows, said, everything=all):
        screen.print(part)
    return 0
