"""The queue as a table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from rich.console import Group
from rich.table import Table
from rich.text import Text

from reviewdeck.cli.output import stretched_table
from reviewdeck.cli.queue_page import id_length
from reviewdeck.model import QueueItem
from reviewdeck.presentation.proposal_words import (
    closest_words,
    creation_time,
    finding_count,
    is_in_other_words,
    request_line,
)
from reviewdeck.presentation.sections import TITLES, QueueSection, Title, section_of_item
from reviewdeck.presentation.words import age_of, kind_word, one_line

_IN_OTHER_WORDS = Title("+", "In other words", "not as you typed it")


@dataclass(frozen=True, slots=True)
class ReasonGroup:
    """Proposals of one section, under its title."""

    title: str
    items: tuple[QueueItem, ...]


def group_by_reason(items: Iterable[QueueItem]) -> list[ReasonGroup]:
    """Waiting proposals by section, the gravest first; what nobody typed so by itself."""
    groups = defaultdict[tuple[QueueSection, bool], list[QueueItem]](list)
    for item in items:
        section = section_of_item(item)
        groups[section, section is QueueSection.TO_DECIDE and not is_in_other_words(item)].append(
            item
        )
    return [
        ReasonGroup(
            _title(*key), tuple(sorted(group, key=lambda i: (-_highest_severity(i), i.position)))
        )
        for key, group in sorted(groups.items())
    ]


def _title(section: QueueSection, is_plain: bool) -> str:
    title = TITLES[section]
    if section is QueueSection.TO_DECIDE and not is_plain:
        title = _IN_OTHER_WORDS
    return f"{title.sign} {title.name}: {title.words}"


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
        why = closest_words(closest.get(item.id, "")) if is_in_other_words(item) else item.reason
        summary = Group(
            Text(request_line(item), no_wrap=True, overflow="ellipsis"),
            Text(one_line(why), style="dim"),
        )
        id = Text(item.id[:length])
        table.add_row(id, Text(kind_word(item.kind.value)), summary, *_age_and_findings(item, now))
    return table


def _table(items: Sequence[QueueItem]) -> Table:
    table = stretched_table()
    table.add_column("id", no_wrap=True, width=id_length(item.id for item in items))
    return table


def _add_age_and_findings(table: Table) -> None:
    table.add_column("age", no_wrap=True, justify="right", width=3)
    table.add_column("f", no_wrap=True, justify="right", width=2)


def _age_and_findings(item: QueueItem, now: datetime) -> tuple[Text, Text]:
    return Text(age_of(creation_time(item), now)), Text(str(finding_count(item.findings) or ""))
