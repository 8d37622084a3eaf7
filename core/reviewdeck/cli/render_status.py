"""The status of a home as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import Group
from rich.text import Text

from reviewdeck.cli.trimmed_table import TrimmedTable
from reviewdeck.model import ReviewTotals, State
from reviewdeck.ports import SkillSight
from reviewdeck.presentation.proposal_words import local_minute
from reviewdeck.presentation.situation import Budget, HomeStatus, unit_after, waiting
from reviewdeck.presentation.words import (
    GLYPHS,
    STYLES,
    age_of,
    count,
    headline,
    home_words,
    inert,
    one_line,
    state_word,
)

UNRECORDED: Final = (
    "this home keeps no conversations: memories are judged on form alone"
    " (setting `unrecorded` of the policy file)"
)
_BAR: Final = 24
_NEARLY_FULL: Final = 0.9


def status_lines(situation: HomeStatus, stale: Sequence[str] = ()) -> Group:
    """The status of one home, one row a fact; `stale` is what an earlier version left behind."""
    table = TrimmedTable(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    for label, text in _rows(situation):
        table.add_row(Text(label), text)
    for label, sentence in zip(_labels("stale", stale), stale, strict=True):
        words = f"{inert(sentence)}; `reviewdeck setup` mends it"
        table.add_row(Text(label), Text(words, style="yellow"))
    return Group(table)


def _rows(situation: HomeStatus) -> Iterator[tuple[str, Text]]:
    yield "home", Text(inert(f"{home_words(situation.name, situation.kind)}  {situation.where}"))
    yield from _machine_rows(situation)
    yield "now", Text(_headline(situation), style="bold")
    for label, sentence in zip(
        _labels("caution", situation.cautions), situation.cautions, strict=True
    ):
        yield label, Text(inert(sentence), style="yellow")
    if situation.baseline is not None:
        amount = count(situation.baseline.documents, "document")
        moment = local_minute(situation.baseline.at)
        yield (
            "baseline",
            Text(f"{amount}, taken {moment}; `reviewdeck adopt` reviews what was there"),
        )
    yield "waiting", _waiting_text(situation)
    if situation.counts.oldest_open is not None:
        yield "oldest", Text(age_of(situation.counts.oldest_open, situation.at))
    drafts = situation.counts.drafts
    yield "drafts", Text(f"{drafts} not written yet" if drafts else "none")
    done = [
        s for s in (State.APPLIED, State.REJECTED, State.ELSEWHERE) if situation.counts.by_state[s]
    ]
    if done:
        yield "done", _state_counts(situation, done)
    for label, budget in zip(_labels("memory", situation.budgets), situation.budgets, strict=True):
        yield label, budget_line(budget)
    if situation.skills.live or situation.skills.unloaded:
        yield "skills", _skill_counts(situation.skills)
    for label, observation in zip(
        _labels("outside", situation.outside), situation.outside, strict=True
    ):
        age = age_of(observation.at, situation.at)
        sentence = f"{one_line(observation.path)} changed outside review, {age} ago"
        yield label, Text(sentence, style="yellow")
    yield "decisions", Text(situation.standing)
    yield from _automatic_rows(situation)
    yield from _reviews(situation)
    if situation.unfinished:
        sentence = f"{count(situation.unfinished, 'interrupted run')}: `reviewdeck recover` ends it"
        yield "unfinished", Text(sentence, style="bold red")


def _machine_rows(situation: HomeStatus) -> Iterator[tuple[str, Text]]:
    """Where a home of another machine is, how old what is shown is, and what waits for it."""
    if (sight := situation.sight) is None:
        return
    machine, age = inert(sight.machine), age_of(sight.at, situation.at)
    yield "machine", Text(f"{machine}; as that machine saw it {age} ago")
    by_state = situation.counts.by_state
    if approved := by_state[State.APPROVED] + by_state[State.APPLYING]:
        yield "on the way", Text(f"{approved} approved · waiting for {machine}")


def _skill_counts(skills: SkillSight) -> Text:
    """How many skills are live, seen, and loaded by nobody."""
    unseen = skills.live - skills.seen
    text = Text(f"{skills.live:,} live")
    text.append(f", {unseen:,} of them not" if unseen else ", all of them")
    text.append(" under review")
    if skills.unloaded:
        text.append(
            f"; {skills.unloaded:,} more look like skills, but no agent of this home loads them"
        )
    if unseen or skills.unloaded:
        text.stylize("yellow")
    return text


def _headline(situation: HomeStatus) -> str:
    states = situation.counts.by_state
    oldest = situation.counts.oldest_open
    return headline(
        situation.unseen,
        states[State.READY] + states[State.CONFLICT],
        states[State.CONFLICT],
        states[State.REFUSED],
        oldest,
        situation.at,
        live=states[State.LIVE],
        dangerous=situation.counts.dangerous,
    )


def _automatic_rows(situation: HomeStatus) -> Iterator[tuple[str, Text]]:
    """Rows about auto-apply: why it is off, what is on probation, failed notices, open gates."""
    if situation.suspended is not None:
        yield (
            "auto",
            Text(f"automatic approval is off: {inert(situation.suspended)}", style="bold red"),
        )
    if situation.probation:
        text = f"{situation.probation} applied automatically: `reviewdeck since` shows them"
        yield "probation", Text(text)
    if situation.is_unrecorded:
        yield "origin", Text(UNRECORDED)
    if situation.failed_notice:
        text = f"the last one did not arrive: {inert(situation.failed_notice)}"
        yield "notices", Text(text, style="yellow")
    if situation.direct:
        yield "gates", Text(inert(situation.direct), style="yellow")


def _reviews(situation: HomeStatus) -> Iterator[tuple[str, Text]]:
    if situation.reviews.runs:
        yield "reviews", Text(_review_totals(situation.reviews))
    last = situation.last_review
    if last is not None and last.ending not in ("done", "cancelled"):
        why = f": {one_line(last.detail)}" if last.detail else ""
        yield "", Text(f"the last one ended early, {inert(last.ending)}{why}", style="yellow")


def _review_totals(totals: ReviewTotals) -> str:
    text = f"{count(totals.runs, 'review')}, {count(totals.proposals, 'proposal')}"
    text += f", {totals.failed} failed" if totals.failed else ""
    text += f", {count(totals.denied, 'denied call')}" if totals.denied else ""
    if totals.input_tokens:
        share = totals.cached_tokens / totals.input_tokens
        text += f"; {totals.input_tokens:,} tokens, {share:.0%} of the input cached"
    return text if totals.cost is None else f"{text}, ${totals.cost:,.2f}"


def _labels(name: str, items: Sequence[object]) -> list[str]:
    return [name if index == 0 else "" for index in range(len(items))]


def _waiting_text(situation: HomeStatus) -> Text:
    states = [s for s in State if s.is_open and situation.counts.by_state[s]]
    text = Text(f"{waiting(situation.counts)}  " if states else "nothing")
    return text.append_text(_state_counts(situation, states))


def _state_counts(situation: HomeStatus, states: Sequence[State]) -> Text:
    text = Text()
    for index, state in enumerate(states):
        text.append("  " if index else "")
        text.append(
            f"{GLYPHS[state]} {situation.counts.by_state[state]} {state_word(state)}",
            STYLES[GLYPHS[state]],
        )
    return text


def budget_line(budget: Budget) -> Text:
    """A bar of how much of a document's limit is used; the unit is named unless characters."""
    allowance = budget.allowance
    share = allowance.used / allowance.limit if allowance.limit > 0 else 1.0
    filled = min(_BAR, round(share * _BAR))
    style = "red" if share > 1 else "yellow" if share >= _NEARLY_FULL else "green"
    text = Text(f"{budget.label:<10} ")
    text.append("#" * filled, style).append("." * (_BAR - filled), "dim")
    return text.append(f" {allowance.used:,}/{allowance.limit:,}{unit_after(allowance)}")
