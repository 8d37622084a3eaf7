"""The queue as a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from rich.console import Group
from rich.table import Table
from rich.text import Text

from reviewdeck.cli.queue_page import id_length
from reviewdeck.model import QueueItem, State
from reviewdeck.presentation.proposal_words import (
    creation_time,
    finding_count,
    is_dangerous,
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
        "! already live and dangerous: keep or revert it",
        "! refused by the policy: never applied as it is",
        "! dangerous: look closely",
        "# conflict: somebody else changed the same text",
        "* already live: keep or revert it",
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
            return 6
        case State.DEAD:
            return 7
        case State.QUARANTINED:
            return 8
        case _:
            return 2 if is_dangerous(item) else 5


def _highest_severity(item: QueueItem) -> int:
    return max((finding.severity.rank for finding in item.findings), default=0)


def reasons_table(items: Sequence[QueueItem], now: datetime, *, headed: bool) -> Table:
    """Two lines a proposal: what it would do, and why it is waiting."""
    table = _table(items)
    table.show_header = headed
    table.add_column("kind", no_wrap=True, width=6)
    table.add_column("gist and reason", ratio=1, overflow="fold")
    _add_age_and_findings(table)
    length = id_length(item.id for item in items)
    for item in items:
        summary = Group(
            Text(request_line(item), no_wrap=True, overflow="ellipsis"),
            Text(one_line(item.reason), style="dim"),
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
