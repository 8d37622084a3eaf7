"""`reviewdeck adopt`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

from cyclopts import Parameter

from reviewdeck.cli.consent import check_asking, is_confirmed
from reviewdeck.cli.next_steps import command
from reviewdeck.cli.options import DEFAULTS, Options, Yes
from reviewdeck.cli.output import print_json, say
from reviewdeck.cli.prompts import admit
from reviewdeck.cli.session import fresh_engine
from reviewdeck.cli.usage import UsageProblem
from reviewdeck.engine import adopt as baseline
from reviewdeck.interruption import uninterrupted
from reviewdeck.model import CheckName, Severity
from reviewdeck.presentation.checks import ticks
from reviewdeck.presentation.words import count, one_line
from reviewdeck.text.redact import redact

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reviewdeck.engine.adopt import LiveItem
    from reviewdeck.model import Finding

SERIOUS: Final = Severity.MEDIUM.rank
"""The severity from which an entry is worth a decision."""
_QUOTED: Final = 80
"""Characters of a quote."""
_SIGNS: Final = {Severity.HIGH.rank: "!", Severity.CRITICAL.rank: "!", SERIOUS: "*"}


def adopt(
    *,
    take: Annotated[bool, Parameter(help="Accept all of it as reviewed, and log that.")] = False,
    queue: Annotated[
        bool,
        Parameter(help="Queue what needs a decision, as changes that are live."),
    ] = False,
    yes: Yes = False,
    options: Options = DEFAULTS,
) -> int:
    """Review what is in the agent's memory and skills now, most dangerous first.

    The first look at a home accepts its content as it is. Nothing here changes the home. --take
    shows what it would accept, and asks.
    """
    if take and queue:
        raise UsageProblem("--take and --queue exclude each other.", hint="Choose one of them.")

    if not (take or queue):
        with fresh_engine(options) as engine, engine.ledger.at_once():
            home = engine.home()
            entries = baseline.live_items(engine, home)
            _print(entries, baseline.unread(home), options)
            if not options.json:
                _print_next_steps(entries, options)
        return 0
    check_asking(options, yes=yes or queue)
    with fresh_engine(options, writes=True) as engine:
        admit(engine)
        home = engine.home()
        entries, unread = baseline.live_items(engine, home), baseline.unread(home)
        if take:
            if not yes:
                _print(entries, unread, options)
                if not is_confirmed(yes=False, question="Accept all of this? [y/N] "):
                    return 0
                unread = ()  # Was shown.
            with uninterrupted():
                baseline.take(engine, home, entries)
            result: dict[str, Any] = {"taken": len(entries)}
            message = f"Accepted {count(len(entries), 'entry', 'entries')} as reviewed."
        else:
            careful = [entry for entry in entries if entry.gravity >= SERIOUS]
            with uninterrupted():
                ids = baseline.queue(engine, home, careful)
            result = {"queued": list(ids)}
            message = f"{count(len(ids), 'change')} live, to decide on: "
            message += command(options, "list")
    behind = [entry for entry in entries if entry.target and entry.gravity >= SERIOUS]
    if options.json:
        linked = [entry.path for entry in behind]
        print_json(result | {"unread": _unread_json(unread), "behind_links": linked})
    else:
        _print_unread(unread)
        for entry in behind:
            say(f"! {_place(entry)}: behind a link: change or remove what it leads to")
        say(message)
    return 0


def _print_unread(unread: Sequence[tuple[str, str]]) -> None:
    for path, problem in unread:
        say(f"! {one_line(path)}: not judged: {one_line(problem)}")


def _unread_json(unread: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"document": path, "problem": problem} for path, problem in unread]


def _print(
    entries: Sequence[LiveItem], unread: Sequence[tuple[str, str]], options: Options
) -> None:
    if options.json:
        possessions = [_json(entry) for entry in entries]
        fields = {"possessions": possessions, "unread": _unread_json(unread)}
        print_json(fields, exact={"text"})
        return
    _print_unread(unread)
    for entry in entries:
        marks = entry.evaluation.judgement.marks
        checks = ticks(marks) if marks is not None else ""
        gist = one_line(redact(entry.evaluation.gist)) or "nothing"
        say(f"{_SIGNS.get(entry.gravity, ' ')} {_place(entry)}: {gist}")
        serious = [finding for finding in entry.findings if finding.severity.rank >= SERIOUS]
        for line in _by_rule(serious):
            say(f"    {line}")
        if serious:
            say(f"    {checks}")
    careful = len(_to_decide(entries))
    amount = count(len(entries), "entry or skill", "entries and skills")
    in_prompt = sum(entry.is_in_prompt for entry in entries)
    say(f"{amount}, {in_prompt} in front of the model at the next start; {careful} to decide on.")
    if behind := sum(entry.gravity >= SERIOUS for entry in entries) - careful:
        say(f"{count(behind, 'skill')} behind links: change or remove what the links lead to.")


def _to_decide(entries: Sequence[LiveItem]) -> list[LiveItem]:
    return [entry for entry in entries if entry.gravity >= SERIOUS and not entry.target]


def _print_next_steps(entries: Sequence[LiveItem], options: Options) -> None:
    if _to_decide(entries):
        say(f"To decide on them: {command(options, 'adopt', '--queue')}")
    say(f"To accept all of it as reviewed: {command(options, 'adopt', '--take')}")


def _place(entry: LiveItem) -> str:
    """Its path, and where a link leads."""
    return one_line(entry.path) + (f" → {one_line(entry.target)}" if entry.target else "")


def _by_rule(findings: Sequence[Finding]) -> Iterator[str]:
    """One line for each rule: its gravest finding, the words, and how many more there are."""
    by_code: dict[str, list[Finding]] = {}
    for finding in findings:
        by_code.setdefault(finding.code, []).append(finding)
    for found in by_code.values():
        gravest = max(found, key=lambda finding: finding.severity.rank)
        line = f"{gravest.severity.value}: {one_line(redact(gravest.message))}"
        if gravest.quote and gravest.quote not in gravest.message:
            line += f" “{one_line(redact(gravest.quote))[:_QUOTED]}”"
        yield line + (f" (and {len(found) - 1} more)" if len(found) > 1 else "")


def _json(entry: LiveItem) -> dict[str, Any]:
    evaluation = entry.evaluation
    marks = evaluation.judgement.marks
    return {
        "id": evaluation.proposal.id,
        "kind": evaluation.proposal.kind.value,
        "document": entry.path,
        "target": entry.target or None,
        "in_prompt": entry.is_in_prompt,
        "gist": evaluation.gist,
        "checks": marks and {str(name): marks.says(name) for name in CheckName},
        "findings": [
            {
                "code": finding.code,
                "severity": finding.severity.value,
                "message": finding.message,
                "quote": finding.quote,
            }
            for finding in entry.findings
        ],
    }
