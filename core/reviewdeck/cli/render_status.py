"""Where a home stands, for a person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import Group
from rich.table import Table
from rich.text import Text

from reviewdeck.model import ReviewTotals, State
from reviewdeck.presentation.proposal_words import at_minute
from reviewdeck.presentation.situation import Budget, Situation, waiting
from reviewdeck.presentation.words import (
    GLYPHS,
    STYLES,
    age_of,
    count,
    headline,
    home_words,
    inert,
    one_line,
)

UNRECORDED: Final = (
    "this home keeps no conversations: memories are judged on form alone"
    " (setting `unrecorded` of the policy file)"
)
_BAR: Final = 24
_NEARLY_FULL: Final = 0.9


def status_lines(found: Situation) -> Group:
    """The whole answer of `status`."""
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    for label, text in _rows(found):
        table.add_row(Text(label), text)
    return Group(table)


def _rows(found: Situation) -> Iterator[tuple[str, Text]]:
    yield "home", Text(inert(f"{home_words(found.name, found.kind)}  {found.where}"))
    yield "now", Text(_headline(found), style="bold")
    for label, said in zip(_labels("caution", found.cautions), found.cautions, strict=True):
        yield label, Text(inert(said), style="yellow")
    if found.baseline is not None:
        amount, taken = count(found.baseline.documents, "document"), at_minute(found.baseline.at)
        said = f"{amount}, taken {taken}; `reviewdeck adopt` reviews what was there"
        yield "baseline", Text(said)
    yield "waiting", _waiting(found)
    if found.counts.oldest_open is not None:
        yield "oldest", Text(age_of(found.counts.oldest_open, found.at))
    drafts = found.counts.drafts
    yield "drafts", Text(f"{drafts} not written yet" if drafts else "none")
    done = [s for s in (State.APPLIED, State.REJECTED, State.ELSEWHERE) if found.counts.by_state[s]]
    if done:
        yield "done", _states(found, done)
    for label, budget in zip(_labels("memory", found.budgets), found.budgets, strict=True):
        yield label, budget_line(budget)
    for label, one in zip(_labels("outside", found.outside), found.outside, strict=True):
        said = f"{one_line(one.path)} changed outside review, {age_of(one.at, found.at)} ago"
        yield label, Text(said, style="yellow")
    yield "decisions", Text(found.standing)
    yield from _automatic(found)
    if found.reviews.runs:
        yield "reviews", Text(_reviews(found.reviews))
    if found.unfinished:
        said = f"{count(found.unfinished, 'interrupted run')}: `reviewdeck recover` ends it"
        yield "unfinished", Text(said, style="bold red")


def _headline(found: Situation) -> str:
    states = found.counts.by_state
    oldest = found.counts.oldest_open
    return headline(
        found.learnt,
        states[State.CONFLICT],
        states[State.REFUSED],
        oldest,
        found.at,
        live=states[State.LIVE],
        dangerous=found.counts.dangerous,
    )


def _automatic(found: Situation) -> Iterator[tuple[str, Text]]:
    """What goes in by itself, and what nobody has looked at yet."""
    if found.suspended is not None:
        yield "auto", Text(f"auto-apply is off: {inert(found.suspended)}", style="bold red")
    if found.probation:
        said = f"{found.probation} applied automatically: `reviewdeck since` shows them"
        yield "probation", Text(said)
    if found.is_unrecorded:
        yield "origin", Text(UNRECORDED)
    if found.untold:
        yield "notices", Text(f"the last one did not arrive: {inert(found.untold)}", style="yellow")
    if found.direct and not waiting(found.counts):
        yield "gates", Text(inert(found.direct), style="yellow")


def _reviews(totals: ReviewTotals) -> str:
    said = f"{count(totals.runs, 'review')}, {count(totals.proposals, 'proposal')}"
    said += f", {totals.failed} failed" if totals.failed else ""
    said += f", {count(totals.denied, 'denied call')}" if totals.denied else ""
    if totals.input_tokens:
        share = totals.cached_tokens / totals.input_tokens
        said += f"; {totals.input_tokens:,} tokens, {share:.0%} of the input cached"
    return said if totals.cost is None else f"{said}, ${totals.cost:,.2f}"


def _labels(name: str, items: Sequence[object]) -> list[str]:
    return [name if index == 0 else "" for index in range(len(items))]


def _waiting(found: Situation) -> Text:
    states = [s for s in State if s.is_open and found.counts.by_state[s]]
    said = Text(f"{waiting(found.counts)}  " if states else "nothing")
    return said.append_text(_states(found, states))


def _states(found: Situation, states: Sequence[State]) -> Text:
    said = Text()
    for index, state in enumerate(states):
        said.append("  " if index else "")
        said.append(
            f"{GLYPHS[state]} {found.counts.by_state[state]} {state.value}", STYLES[GLYPHS[state]]
        )
    return said


def budget_line(budget: Budget) -> Text:
    """A bar, and how much of a document is used; characters need no word."""
    one = budget.allowance
    share = one.used / one.limit if one.limit > 0 else 1.0
    filled = min(_BAR, round(share * _BAR))
    style = "red" if share > 1 else "yellow" if share >= _NEARLY_FULL else "green"
    said = Text(f"{budget.label:<10} ")
    said.append("#" * filled, style).append("." * (_BAR - filled), "dim")
    unit = "" if one.unit == "characters" else f" {one.unit}"
    return said.append(f" {one.used:,}/{one.limit:,}{unit}")
