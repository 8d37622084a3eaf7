"""How that ended which another machine had yet to write when it was decided."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial

from reviewdeck.engine.decide import CommitReport, Committed, Failed
from reviewdeck.engine.engine import Engine
from reviewdeck.errors import NotDecidable, ReviewdeckError
from reviewdeck.model import Operation, OperationState
from reviewdeck.presentation.words import count, one_line


def ends_of(engine: Engine, awaited: Iterable[Operation]) -> dict[str, Operation | ReviewdeckError]:
    """By id, those of these that are written by now, and why others were not."""
    ids = [operation.id for operation in awaited]
    with engine.ledger.at_once():
        engine.ledger.foresee(partial(engine.ledger.operation, id) for id in ids)
        now = [engine.ledger.operation(id) for id in ids]
    ends: dict[str, Operation | ReviewdeckError] = {}
    for operation in now:
        if operation.state is OperationState.DONE:
            ends[operation.id] = operation
        elif operation.state is not OperationState.INTENT:
            ends[operation.id] = NotDecidable(engine.ledger.item(operation.proposal).reason)
    return ends


def with_ends(
    report: CommitReport, ends: Mapping[str, Operation | ReviewdeckError]
) -> CommitReport:
    """The report as it is once these have ended."""
    committed, failed = list[Committed](), list(report.failed)
    for one in report.committed:
        end = ends.get(one.result.id)
        if isinstance(end, ReviewdeckError):
            failed.append(Failed(one.proposal, end))
        else:
            committed.append(one if end is None else replace(one, result=end))
    return CommitReport(tuple(committed), tuple(failed))


def end_words(
    ends: Mapping[str, Operation | ReviewdeckError],
    awaited: Iterable[Operation],
    machines: Mapping[str, str],
) -> str:
    """What has ended since, in a line; empty for nothing."""
    ended = [operation for operation in awaited if operation.id in ends]
    refused = [end for end in ends.values() if isinstance(end, ReviewdeckError)]
    names = dict.fromkeys(one_line(machines.get(each.home, each.home)) for each in ended)
    who = " and ".join(names)
    if refused:
        return f"{who} has not written it: {one_line(refused[0].message)} It is a draft again."
    return f"{who} has written {count(len(ended), 'change')}." if ended else ""
