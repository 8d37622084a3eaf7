"""`reviewdeck approve`."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import field
from datetime import date
from functools import partial
from typing import Annotated

from cyclopts import Parameter

from reviewdeck.cli.chosen import Id, Outcomes, States, Targets, Words
from reviewdeck.cli.commands.diff import print_diff
from reviewdeck.cli.exit_codes import WAITING
from reviewdeck.cli.numbers import seconds
from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.outcomes import print_decision, print_operation, print_vote
from reviewdeck.cli.output import say
from reviewdeck.cli.prompts import confirm
from reviewdeck.cli.usage import UsageProblem, missing_digest
from reviewdeck.engine.clusters import same_subject
from reviewdeck.engine.decidable import approvable, check_undecided
from reviewdeck.engine.decide import CommitReport
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.quorum import AwaitsAnother
from reviewdeck.engine.room import check_end, set_end
from reviewdeck.engine.written import written_item
from reviewdeck.errors import NotDecidable, ReviewdeckError
from reviewdeck.model import OUTSIDE, Operation, OperationState, QueueItem, State
from reviewdeck.presentation.elsewhere import machine_of, waiting_for
from reviewdeck.presentation.inspection import inspect
from reviewdeck.presentation.words import count
from reviewdeck.terminal import ask, is_terminal, warn
from reviewdeck.text.redact import redact
from reviewdeck.values import dataclass


def approve(
    *ids: Id,
    digest: Annotated[
        tuple[str, ...],
        Parameter(
            help="The digest at the end of reviewdeck diff ID; 12 digits are enough. One for each"
            " ID, in their order. Without it, a terminal shows each diff and asks.",
        ),
    ] = (),
    state: States = (),
    words: Words = None,
    supersede: Annotated[
        bool, Parameter(help="Supersede all other waiting proposals about the same subject.")
    ] = False,
    mine: Annotated[
        bool, Parameter(help="Keep a live change as written by you: the history names you.")
    ] = False,
    until: Annotated[
        date | None,
        Parameter(help="The last day on which it holds, as 2026-10-31: `room` knows it then."),
    ] = None,
    wait: Annotated[
        float | None,
        Parameter(
            help="Wait up to so many seconds until the machine with the home has written it."
            " Exit code 3: not yet.",
            converter=seconds,
        ),
    ] = None,
    options: Options = DEFAULTS,
) -> int:
    """If it would now do anything else than its diff showed, nothing is written.

    In a terminal, each diff is shown and you are asked. Elsewhere --digest says which diff you saw.
    """
    choice = Targets("approve", ids, state, words)
    choice.check()
    if digest and len(digest) != len(ids):
        raise UsageProblem(
            f"There are {count(len(ids), 'proposal')} and {count(len(digest), 'digest')}.",
            hint="Name one --digest for each ID, in their order.",
        )
    if not digest and (options.json or not is_terminal()):
        raise missing_digest("approve")
    with choice.opened(options) as (engine, items):
        approval = _Approval(
            engine, options, supersede=supersede, mine=mine, until=until, wait=wait
        )
        if digest and choice.is_single:
            approval.apply(items[0], digest[0], None)
            return approval.code_for(0)
        outcomes = Outcomes(options)
        if digest:
            named = {engine.find(id).id: one for id, one in zip(ids, digest, strict=True)}
            pairs: Iterator[tuple[QueueItem, str]] = ((item, named[item.id]) for item in items)
        else:
            pairs = approval.agreed(items, outcomes)
        for item, shown in pairs:
            try:
                approval.apply(item, shown, outcomes)
            except ReviewdeckError as error:
                outcomes.failed(item.id, error)
        return approval.code_for(outcomes.end())


@dataclass(frozen=True, slots=True)
class _Approval:
    """How the proposals of one command are approved."""

    engine: Engine
    options: Options
    supersede: bool
    mine: bool
    until: date | None
    wait: float | None
    unwritten: list[str] = field(default_factory=list)
    """The operations that were waited for in vain."""

    def code_for(self, code: int) -> int:
        """The exit code, where this one says how the decisions ended."""
        return code or (WAITING if self.unwritten else 0)

    def _written(self, operation: Operation) -> Operation:
        """The operation once it is written, if it is to be waited for."""
        if self.wait is None:
            return operation
        operation = wait_until_written(self.engine, operation, time.monotonic() + self.wait)
        if operation.state is OperationState.INTENT:
            self.unwritten.append(operation.id)
        return operation

    def agreed(
        self, items: Sequence[QueueItem], outcomes: Outcomes
    ) -> Iterator[tuple[QueueItem, str]]:
        """Shows each diff and asks; yields what the operator agrees to, with its digest.

        Each is shown as it is once what was agreed to before it is written.
        """
        for number, item in enumerate(items, 1):
            try:
                digest = self._shown(item)
            except ReviewdeckError as error:
                outcomes.failed(item.id, error)
                continue
            verb = "Keep" if item.action == OUTSIDE else "Apply"
            of_all = f" ({number} of {len(items)})" if len(items) > 1 else ""
            choices = "y/N/q" if len(items) > 1 else "y/N"
            answer = ask(f"{verb} exactly this?{of_all} [{choices}] ").strip().lower()
            if answer in {"y", "yes"}:
                yield item, digest
            else:
                say(f"not decided {item.id}")
            if answer in {"q", "quit"}:
                return

    def _shown(self, item: QueueItem) -> str:
        """Prints the diff and gives its digest. Raises NotDecidable where it cannot be approved."""
        inspected = inspect(self.engine, item.id)
        print_diff(inspected, self.engine.ledger, self.options, is_question=True)
        check_undecided(item.id, self.engine.ledger.state_of(item.id))
        if inspected.state is not State.LIVE and inspected.evaluation is not None:
            approvable(inspected.evaluation)
        return inspected.digest or ""

    def apply(self, item: QueueItem, digest: str, outcomes: Outcomes | None) -> None:
        """Approves what had this digest; prints all of it where it is the only one."""
        try:
            self._apply(item, digest, outcomes)
        except AwaitsAnother as vote:
            self._set_end(item)
            if outcomes is None:
                print_vote(vote, item, self.options)
            else:
                outcomes.decided("voted for", item, vote.decision)

    def _apply(self, item: QueueItem, digest: str, outcomes: Outcomes | None) -> None:
        engine, named = self.engine, digest.strip().lower()
        if self.until is not None:
            check_end(engine, item.id, self.until)
        confirmed = partial(confirm, engine)
        if self.mine or item.action == OUTSIDE:
            keep = engine.claim if self.mine else engine.keep
            decision = keep(item.id, named, confirm=confirmed)
            self._set_end(item)
            verb = "claimed" if self.mine else "kept"
            if outcomes is None:
                print_decision(verb, decision, engine.find(decision.proposal), self.options)
            else:
                outcomes.decided(verb, item, decision)
            return
        rivals = same_subject(engine.ledger, item) if self.supersede else ()
        if self.supersede:
            operation, others = engine.approve_for_all(item.id, named, confirmed)
        else:
            operation, others = engine.approve(item.id, named, confirmed), CommitReport()
        self._set_end(item)
        was_elsewhere = operation.state is OperationState.INTENT
        operation = self._written(operation)
        machine = waiting_for(engine, operation)
        if rivals and was_elsewhere:
            others = self._supersede_later(rivals, operation, machine)
        superseded = [(engine.find(each.proposal), each) for each in others.decisions]
        item = written_item(engine.ledger, operation)
        if outcomes is None:
            print_operation(
                "applied",
                operation,
                item,
                self.options,
                superseded,
                digest=named,
                waits_for=machine,
            )
        else:
            outcomes.decided("applied", item, operation, waits_for=machine)
            for loser, decision in superseded:
                outcomes.decided("superseded", loser, decision)
        for id, warning in others.warnings.items():
            warn(f"reviewdeck: {id}: " + redact(f"{warning.message} {warning.hint}".rstrip()))

    def _supersede_later(
        self, rivals: Sequence[QueueItem], operation: Operation, machine: str
    ) -> CommitReport:
        """Supersedes the others once another machine has written this one, if that was awaited."""
        if operation.state is OperationState.DONE:
            return self.engine.supersede(rivals, operation.proposal)
        warn(
            f"reviewdeck: {count(len(rivals), 'other')} about the same thing still"
            f" {'waits' if len(rivals) == 1 else 'wait'}: {machine or 'its machine'} has not"
            " written this one. With --wait SECONDS they are superseded once it has."
        )
        return CommitReport()

    def _set_end(self, item: QueueItem) -> None:
        if self.until is not None:
            set_end(self.engine, item.id, self.until)


_STEP = 1.0
"""Seconds between two looks where the ledger says nothing by itself."""


def wait_until_written(engine: Engine, operation: Operation, until: float) -> Operation:
    """The operation once it is written, or as it is at this moment of the monotonic clock.

    Raises NotDecidable where it could not be written.
    """
    while operation.state is OperationState.INTENT and (left := until - time.monotonic()) > 0:
        engine.ledger.wait_for_news(min(left, _STEP))
        operation = engine.ledger.operation(operation.id)
    if operation.state in (OperationState.INTENT, OperationState.DONE):
        return operation
    machine = machine_of(engine, operation.home) or "this machine"
    raise NotDecidable(
        f"{operation.proposal} was approved, and {machine} could not write it: its document is"
        " another one by now. It is back in the queue.",
        hint=f"`reviewdeck diff {operation.proposal}` shows what it would do now.",
    )
