"""What the checks answered, and what a look back came to, for a person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from reviewdeck.model import Finding, Judgement
from reviewdeck.policy.backtest import Backtest, ChangedVerdict, JudgedBy
from reviewdeck.presentation.checks import QUESTIONS, evidence_lines
from reviewdeck.presentation.words import count, inert, one_line

_MOST: Final = 20
"""Differences that are listed."""


def explanation(judgement: Judgement, summary: str) -> Iterator[RenderableType]:
    """The verdict, the six checks with their reasons and findings, then their evidence."""
    yield Text(one_line(summary), style="bold")
    table = Table(box=None, pad_edge=False, expand=True, show_header=False, padding=(0, 1, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(ratio=1)
    for check in judgement.checks:
        sign = Text("✓", "green") if check.ok else Text("✗", "yellow")
        said = [Text(one_line(check.reason))]
        said += [_finding(one) for one in check.findings if one.message != check.reason]
        said += [_quote(one.quote) for one in check.findings if one.quote]
        table.add_row(sign, Text(QUESTIONS[check.name]), Group(*said))
    yield table
    for label, text in evidence_lines(judgement):
        yield Text().append(f"{label:<11} ", style="dim").append(one_line(text))


def _finding(finding: Finding) -> Text:
    return Text(one_line(f"{finding.message} [{finding.code}]"), style="dim")


def _quote(quote: str) -> Text:
    return Text(f"\u201c{one_line(quote)}\u201d", style="dim")


def backtest_parts(found: Backtest, today: str, *, with_file: bool) -> Iterator[RenderableType]:
    """The figures, the differences and the suggestions of a look back."""
    yield Text(
        f"{count(found.replayed, 'proposal')} judged again;"
        f" {found.automatic} would have gone in without an operator.",
        style="bold",
    )
    yield from _compared(found)
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("what became of it")
    table.add_column("all", justify="right")
    table.add_column("would go in", justify="right")
    for outcome, (total, would) in sorted(found.by_outcome.items()):
        table.add_row(str(outcome), str(total), str(would))
    yield table
    yield from (_judged_by(one, today) for one in found.by_policy)
    yield from _differences(found.differences) if with_file else ()
    if found.without_evidence:
        amount = count(found.without_evidence, "proposal")
        yield Text(f"{amount} judged by rules that are gone: nothing is stored to judge from.")


def _judged_by(one: JudgedBy, today: str) -> Text:
    """One line on what was decided while one policy held."""
    now = " (today's)" if one.policy == today else ""
    by = f"judged by {one.policy}{now}" if one.policy else "judged before that was kept"
    went = f"{one.automatic} went in without an operator, {one.would} would now"
    return Text(inert(f"{count(one.decided, 'decision')} {by}: {went}."))


def _differences(differences: Sequence[ChangedVerdict]) -> Iterator[RenderableType]:
    yield Text(f"{count(len(differences), 'difference')} to the settings of today.")
    for one in differences[:_MOST]:
        way = "goes in now" if one.goes_in else "is held now"
        because = one_line(", ".join(one.because))
        yield Text(inert(f"  {one.proposal} {way} ({one.outcome}): {because}"))
    if len(differences) > _MOST:
        yield Text(f"  and {len(differences) - _MOST} more; --json lists them.", style="dim")


def _compared(found: Backtest) -> Iterator[Text]:
    """Precision and recall in words: what the shares are of."""
    if found.precision is None:
        yield Text("precision  unknown: no operator has decided on anything that would go in")
    else:
        said = "of what would go in and an operator decided was taken over unchanged"
        yield Text(f"precision  {_percent(found.precision)} {said}")
    if found.recall is None:
        yield Text("recall     unknown: operators have taken nothing over unchanged yet")
    else:
        said = "of what operators took over unchanged would go in"
        yield Text(f"recall     {_percent(found.recall)} {said}")


def _percent(share: float | None) -> str:
    return "unknown" if share is None else f"{share:.0%}"
