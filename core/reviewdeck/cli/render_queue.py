"""The queue as a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from rich.console import Group
from rich.table import Table
from rich.text import Text

from reviewdeck.cli.queue_page import id_length
from reviewdeck.model import QueueItem, State
from reviewdeck.presentation.proposal_words import (
    closest_words,
    creation_time,
    finding_count,
    is_dangerous,
    is_from_workspace,
    request_line,
)
from reviewdeck.presentation.words import age_of, kind_word, one_line


@dataclass(frozen=True, slots=True)
class ReasonGroup:
    """Proposals that are waiting for the same kind of reason."""

    title: str
    items: tuple[QueueItem, ...]


def group_by_reason(items: Iterable[QueueItem]) -> list[ReasonGroup]:
    """Waiting proposals grouped by kind of reason, the gravest first."""
    titles = (
        "! already live and dangerous: keep it, or revert it",
        "! refused by the policy: never applied as it is",
        "! dangerous: look closely",
        "# conflict: somebody else changed the same thing",
        "* already live: keep it, or revert it",
        "+ from your workspace: nobody typed it so",
        "+ for you to decide",
        "~ deferred",
        "x cannot be applied any more",
        "? records that cannot be read: left untouched",
    )
    groups: list[list[QueueItem]] = [[] for _ in titles]
    for item in items:
        groups[_group_of(item)].append(item)
    return [
        ReasonGroup(
            title, tuple(sorted(group, key=lambda item: (-_highest_severity(item), item.position)))
        )
        for title, group in zip(titles, groups, strict=True)
        if group
    ]


def _group_of(item: QueueItem) -> int:
    match item.state:
        case State.REFUSED:
            return 1
        case State.LIVE:
            return 0 if is_dangerous(item) else 4
        case State.CONFLICT:
            return 3
        case State.DEFERRED:
            return 7
        case State.DEAD:
            return 8
        case State.QUARANTINED:
            return 9
        case _ if is_dangerous(item):
            return 2
        case _:
            return 5 if is_from_workspace(item) else 6


def _highest_severity(item: QueueItem) -> int:
    return max((finding.severity.rank for finding in item.findings), default=0)


def reasons_table(
    items: Sequence[QueueItem], now: datetime, closest: Mapping[str, str], *, headed: bool
) -> Table:
    """Two lines a proposal: what it would do, and why it waits or what was typed instead of it."""
    table = _table(items)
    table.show_header = headed
    table.add_column("kind", no_wrap=True, width=6)
    table.add_column("gist and reason", ratio=1, overflow="fold")
    _add_age_and_findings(table)
    length = id_length(item.id for item in items)
    for item in items:
        why = closest_words(closest.get(item.id, "")) if is_from_workspace(item) else item.reason
        summary = Group(
            Text(request_line(item), no_wrap=True, overflow="ellipsis"),
            Text(one_line(why), style="dim"),
        )
        id = Text(item.id[:length])
        table.add_row(id, Text(kind_word(item.kind.value)), summary, *_age_and_findings(item, now))
    return table


def _table(items: Sequence[QueueItem]) -> Table:
    table = Table(box=None, pad_edge=False, expand=True, header_style="dim", padding=(0, 1, 0, 0))
    table.add_column("id", no_wrap=True, width=id_length(item.id for item in items))
    return table


def _add_age_and_findings(table: Table) -> None:
    table.add_column("age", no_wrap=True, justify="right", width=3)
    table.add_column("f", no_wrap=True, justify="right", width=2)


def _age_and_findings(item: QueueItem, now: datetime) -> tuple[Text, Text]:
    return Text(age_of(creation_time(item), now)), Text(str(finding_count(item.findings) or ""))
