"""`reviewdeck log`, with `--verify` and `--export`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Final

from cyclopts import Parameter

from reviewdeck.cli.exit_codes import DONE, FAILED, OUTSIDE
from reviewdeck.cli.numbers import HIGHEST, whole
from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import console, print_json, say
from reviewdeck.cli.session import open_engine
from reviewdeck.cli.usage import UsageProblem
from reviewdeck.clock import utc_now
from reviewdeck.engine.written import written_items
from reviewdeck.errors import NotVerified
from reviewdeck.model import SHOWN, Event, Verb
from reviewdeck.model.codec import seal_to_json
from reviewdeck.model.decisions import CHECKPOINT, PINNED
from reviewdeck.presentation.elsewhere import logs_read
from reviewdeck.presentation.items import (
    actor_json,
    decision_json,
    event_json,
    moment_json,
    operation_json,
)
from reviewdeck.presentation.proposal_words import request_line
from reviewdeck.presentation.words import count, one_line
from reviewdeck.text.inert import json_escaped

if TYPE_CHECKING:
    from reviewdeck.engine.engine import Engine
    from reviewdeck.operators.audit import AutomaticAudit, Irregularity


DECISIONS: Final = frozenset(verb.value for verb in Verb)
"""Lines that say what was decided about a proposal."""
STEPS: Final = frozenset({"begin", "finish", "settle", SHOWN})
"""Lines that say how far the writing of a decision is, and how much of it was on the screen."""
BESIDE: Final = frozenset(
    {CHECKPOINT, "taken-in", "remembered", "forgotten", "restaged", "returned"}
)
"""Lines that say what was read or remembered, or what a decision had as its effect."""


def verify_log(engine: Engine, options: Options, *, alone: bool = False) -> int:
    """Verifies every decision against keys, counters, the log and the files.

    With `alone`, those of these homes, by their own chains.
    """
    from reviewdeck.operators.audit import audit
    from reviewdeck.operators.authority import operators_in

    report = audit(engine.ledger, operators_in(engine.authority), engine.open_homes, alone=alone)
    code = FAILED if report.irregularities else OUTSIDE if report.moved else DONE
    homes = engine.home_ids if alone else engine.ledger.homes_read()
    if options.json:
        print_json(
            {
                "sound": not report.irregularities,
                "events": report.events,
                "decisions": report.decisions,
                "signed": report.signed,
                "checked": None if homes is None else sorted(homes),
                "irregular": list(map(_json, report.irregularities)),
                "moved": list(map(_json, report.moved)),
                "reviewed": list(map(_json, report.reviewed)),
                "marked": list(map(_json, report.covered)),
                "automatic": {
                    "judged": report.automatic.judged,
                    "rules_gone": report.automatic.unjudged,
                    "differing": [
                        {"decision": flaw.decision, "message": flaw.message}
                        for flaw in report.automatic.flaws
                        if not flaw.is_grave
                    ],
                },
            }
        )
        return code
    say(
        f"{count(report.events, 'line')} of the log, {count(report.decisions, 'decision')},"
        f" {report.signed} of them signed."
    )
    if (read := logs_read(engine)) is not None and not alone:
        say(f"Checked: {read}.")
    _print_automatic(report.automatic)
    for irregularity in report.irregularities:
        say(f"{irregularity.code}  {one_line(irregularity.subject)}: {irregularity.message}")
    for irregularity in report.moved:
        say(f"moved on  {one_line(irregularity.subject)}: {irregularity.message}")
    for irregularity in report.reviewed:
        say(f"reviewed afterwards  {one_line(irregularity.subject)}: {irregularity.message}")
    for irregularity in report.covered:
        say(f"only marked as seen  {one_line(irregularity.subject)}: {irregularity.message}")
    if report.irregularities:
        say("The log, the decisions and the files are not consistent.")
    elif report.moved:
        amount = count(len(report.moved), "document")
        say(f"The log and all decisions are consistent; {amount} changed without review.")
    else:
        say("The log, the decisions and the files are consistent.")
    return code


def _print_automatic(automatic: AutomaticAudit) -> None:
    """Prints what was applied without an operator, and where today's rules differ."""
    if not automatic.judged and not automatic.unjudged:
        return
    summary = f"{automatic.judged} automatic decisions judged again from stored evidence"
    say(f"{summary}, {automatic.unjudged} judged by rules that no longer exist.")
    for flaw in automatic.flaws:
        if not flaw.is_grave:
            say(f"differs  {one_line(flaw.decision)}: {flaw.message}")


def _json(irregularity: Irregularity) -> dict[str, str]:
    return {
        "code": irregularity.code,
        "subject": irregularity.subject,
        "message": irregularity.message,
    }


def print_log(engine: Engine) -> None:
    """One JSON object a line: keys, then events, then decisions with their signatures."""
    for line in _lines(engine):
        text = json.dumps(line, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        sys.stdout.write(json_escaped(text) + "\n")


def _lines(engine: Engine) -> Iterator[dict[str, Any]]:
    from reviewdeck.operators.authority import operators_in

    try:
        keys = list(operators_in(engine.authority).vault.ring().keys.values())
    except NotVerified:
        keys = []
    for key in keys:
        times = {"since": moment_json(key.since), "until": moment_json(key.until)}
        yield {"record": "key", "operator": key.name, "key": key.public} | times
    for event in engine.log():
        yield {"record": "event", "previous": event.previous} | event_json(event)
    for decision, about in engine.ledger.all_decisions():
        yield (
            {
                "record": "decision",
                "home": about.home,
                "batch": decision.batch,
                "proposals": list(about.proposals),
                "revisions": [list(revision) for revision in about.revisions],
                "seal": seal_to_json(decision.seal),
            }
            | decision_json(decision)
            | {"actor": actor_json(decision.actor)}
        )


def decision_lines(lines: Sequence[Event]) -> list[Event]:
    """One line for each decision: the steps of writing it are left out, their operation named.

    So are pins and checkpoints: the lines of what they are made for tell it. What a pass read
    is no decision, nor is what one had as its effect.
    """
    decided = {line.subject for line in lines if line.name in DECISIONS}
    operations: dict[object, str] = {}
    remaining: list[Event] = []
    for line in reversed(lines):
        proposal = line.detail.get("proposal")
        if line.name.startswith(PINNED) or line.name in BESIDE:
            continue
        if line.name in STEPS and proposal in decided:
            if line.name == "begin":
                operations[proposal] = line.subject
            continue
        operation = operations.pop(line.subject, None) if line.name in DECISIONS else None
        remaining.append(
            replace(line, detail={**line.detail, "operation": operation}) if operation else line
        )
    return remaining[::-1]


def gists_of(engine: Engine, lines: Sequence[Event]) -> dict[str, str]:
    """What the decisions of these lines wrote, or what was requested, by the proposal's id."""
    ids = dict.fromkeys(line.subject for line in lines if line.name in DECISIONS)
    items = written_items(engine.ledger, engine.ledger.items(list(ids)))
    return {item.id: request_line(item) for item in items}


def log(
    *,
    after: Annotated[
        int | None,
        Parameter(
            help="Only lines with a higher number. By default, the last ones.",
            converter=whole(0, HIGHEST),
        ),
    ] = None,
    limit: Annotated[
        int, Parameter(help="List at most this many lines.", converter=whole(1, 1_000_000))
    ] = 50,
    verify: Annotated[
        bool,
        Parameter(
            help="Check every decision against signatures, counters, the log and the files. The"
            " exit code is 1 when something is not consistent, 4 when all of it is and documents"
            " were changed without review."
        ),
    ] = False,
    alone: Annotated[
        bool,
        Parameter(help="With --verify: check this home by its own chain, without other homes."),
    ] = False,
    export: Annotated[
        bool, Parameter(help="Print the whole log as JSON, one object a line.")
    ] = False,
    events: Annotated[
        bool, Parameter(help="List every line of the log, not one for each decision.")
    ] = False,
    options: Options = DEFAULTS,
) -> int:
    """Show the append-only log of this home, and the operations that can be undone."""
    if alone and not verify:
        raise UsageProblem("--alone needs --verify.", hint="See `reviewdeck log --help`.")
    if verify and export:
        raise UsageProblem("--verify and --export exclude each other.", hint="Choose one of them.")
    if verify or export:
        return _print_whole_log(options, export=export, alone=alone)
    with open_engine(options, for_looking=True) as engine:
        homes = engine.home_ids
        places = {*homes, ""}  # Keys, pauses and purges concern the ledger, and so each home.
        own_events = [event for event in engine.log(after=after or 0) if event.home in places]
        lines = own_events if events or options.json else decision_lines(own_events)
        page = lines[-limit:] if after is None else lines[:limit]
        gists = {} if events else gists_of(engine, page)
        candidates = (
            operation
            for home in homes
            for operation in engine.ledger.operations(home=home, limit=limit)
        )
        newest = sorted(candidates, key=lambda operation: operation.started_at, reverse=True)
        operations = newest[:limit]
    if options.json:
        print_json(
            {
                "events": [event_json(event) for event in page],
                "operations": [operation_json(operation) for operation in operations],
            }
        )
        return 0
    if not page:
        say("Nothing has been decided yet." if after is None else "Nothing more.")
        return 0
    from reviewdeck.cli.render_history import decisions_table, log_table, operations_table

    screen = console(options)
    screen.print(log_table(page) if events else decisions_table(page, gists))
    if operations:
        screen.print()
        screen.print(operations_table(operations, utc_now()))
    return 0


def _print_whole_log(options: Options, *, export: bool, alone: bool) -> int:
    with open_engine(options, for_looking=True) as engine:
        if not export:
            return verify_log(engine, options, alone=alone)
        print_log(engine)
    return 0
