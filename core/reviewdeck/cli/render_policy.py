"""The answers of the checks, and the results of a backtest, as lines and tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.text import Text

from reviewdeck.cli.output import stretched_table
from reviewdeck.cli.trimmed_table import TrimmedTable
from reviewdeck.engine.backtest import Backtest, ChangedVerdict, JudgedBy
from reviewdeck.model import Judgement
from reviewdeck.presentation.checks import QUESTIONS, evidence_lines
from reviewdeck.presentation.words import count, inert, one_line

_MAX_DIFFERENCES: Final = 20
"""Differences that are listed at most."""


def explanation(judgement: Judgement, summary: str) -> Iterator[RenderableType]:
    """The verdict, the six checks with their reasons and findings, then their evidence."""
    yield Text(one_line(summary), style="bold")
    table = stretched_table(headed=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(ratio=1)
    for check in judgement.checks:
        sign = Text("✓", "green") if check.ok else Text("✗", "yellow")
        lines = [Text(one_line(check.reason))]
        lines += [
            Text(one_line(f"{finding.message} [{finding.code}]"), style="dim")
            for finding in check.findings
            if finding.message != check.reason
        ]
        lines += [_quote(finding.quote) for finding in check.findings if finding.quote]
        table.add_row(sign, Text(QUESTIONS[check.name]), Group(*lines))
    yield table
    for label, text in evidence_lines(judgement):
        yield Text().append(f"{label:<11} ", style="dim").append(one_line(text))


def _quote(quote: str) -> Text:
    return Text(f"\u201c{one_line(quote)}\u201d", style="dim")


def backtest_parts(backtest: Backtest, today: str, *, with_file: bool) -> Iterator[RenderableType]:
    """The figures of a backtest, and with a policy file the differences to today's settings."""
    yield Text(
        f"{count(backtest.replayed, 'proposal')} judged again;"
        f" {backtest.automatic} would have been applied automatically.",
        style="bold",
    )
    yield from _precision_and_recall(backtest)
    table = TrimmedTable(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("outcome")
    table.add_column("all", justify="right")
    table.add_column("would apply", justify="right")
    for outcome, (total, would) in sorted(backtest.by_outcome.items()):
        table.add_row(str(outcome), str(total), str(would))
    yield table
    yield from (_policy_line(judged, today) for judged in backtest.by_policy)
    yield from _differences(backtest.differences) if with_file else ()
    if backtest.without_evidence:
        amount = count(backtest.without_evidence, "proposal")
        yield Text(
            f"{amount} judged by rules that no longer exist: nothing is stored to judge them again."
        )


def _policy_line(judged: JudgedBy, today: str) -> Text:
    """One line on what was decided while one policy held."""
    now = " (today's)" if judged.policy == today else ""
    policy = f"judged by {judged.policy}{now}" if judged.policy else "judged before that was kept"
    counts = f"{judged.automatic} applied automatically, {judged.would} would be now"
    return Text(inert(f"{count(judged.decided, 'decision')} {policy}: {counts}."))


def _differences(differences: Sequence[ChangedVerdict]) -> Iterator[RenderableType]:
    yield Text(f"{count(len(differences), 'difference')} from today's settings.")
    for difference in differences[:_MAX_DIFFERENCES]:
        verdict = "applied now" if difference.goes_in else "is held now"
        reasons = one_line(", ".join(difference.because))
        yield Text(inert(f"  {difference.proposal} {verdict} ({difference.outcome}): {reasons}"))
    if len(differences) > _MAX_DIFFERENCES:
        yield Text(
            f"  and {len(differences) - _MAX_DIFFERENCES} more; --json lists them.", style="dim"
        )


def _precision_and_recall(backtest: Backtest) -> Iterator[Text]:
    """Precision and recall, with the sets that they are shares of."""
    if backtest.precision is None:
        yield Text("precision  unknown: no operator has decided on anything that would be applied")
    else:
        subject = "of what would be applied and an operator decided was approved unchanged"
        yield Text(f"precision  {_percent(backtest.precision)} {subject}")
    if backtest.recall is None:
        yield Text("recall     unknown: operators have approved nothing unchanged yet")
    else:
        subject = "of what operators approved unchanged would be applied"
        yield Text(f"recall     {_percent(backtest.recall)} {subject}")


def _percent(share: float | None) -> str:
    return "unknown" if share is None else f"{share:.0%}"
