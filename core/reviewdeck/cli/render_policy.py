"""What the rules said, for a person: those that spoke first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from reviewdeck.cli.words import count, inert, one_line
from reviewdeck.policy.backtest import Backtest, Difference, JudgedBy
from reviewdeck.policy.explain import Row

_MOST: Final = 20
"""Differences that are listed."""

_STYLES: Final = {"refuses": "bold red", "holds": "yellow", "notes": "cyan", "passes": "green"}


def trail_parts(
    rows: Sequence[Row], summary: str, *, everything: bool = False
) -> Iterator[RenderableType]:
    """The verdict, then the rules that spoke, or every rule, in the order they were asked in."""
    shown = [row for row in rows if everything or row.effect != "passes"]
    yield Text(one_line(summary), style="bold")
    table = Table(box=None, pad_edge=False, expand=True, header_style="dim", padding=(0, 1, 0, 0))
    table.add_column("rule", no_wrap=True)
    table.add_column("effect", no_wrap=True)
    table.add_column("said, and why the rule exists", ratio=1)
    for row in shown:
        why = Text(one_line(row.why), style="dim")
        said = why if row.effect == "passes" else Group(Text(one_line(row.said)), why)
        table.add_row(Text(one_line(row.rule)), Text(row.effect, _STYLES.get(row.effect, "")), said)
    if shown:
        yield table
    passed = len(rows) - len(shown)
    rest = f"{passed} others passed; --all shows them."
    if not shown:
        rest = f"All {count(len(rows), 'rule')} passed; --all shows them."
    yield Text(rest if passed else f"{count(len(rows), 'rule')} asked.", style="dim")


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
    for one in found.suggestions:
        said = f"{one.rule} alone held {one.saved} that were taken over ({one.kind})"
        yield Text(f"suggestion: {said}; without it {one.besides} more would go in.")


def _judged_by(one: JudgedBy, today: str) -> Text:
    """One line on what was decided while one policy held."""
    now = " (today's)" if one.policy == today else ""
    by = f"judged by {one.policy}{now}" if one.policy else "judged before that was kept"
    went = f"{one.automatic} went in without an operator, {one.would} would now"
    return Text(inert(f"{count(one.decided, 'decision')} {by}: {went}."))


def _differences(differences: Sequence[Difference]) -> Iterator[RenderableType]:
    yield Text(f"{count(len(differences), 'difference')} to the policy without the file.")
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
