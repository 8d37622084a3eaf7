"""The proposals that a decision is about: named one by one, or all that are in a state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

from cyclopts import Parameter

from reviewdeck.cli.consent import check_asking, is_confirmed
from reviewdeck.cli.options import Options
from reviewdeck.cli.output import print_json, say
from reviewdeck.cli.session import engine_for_proposal
from reviewdeck.cli.usage import UsageProblem, missing
from reviewdeck.clock import utc_now
from reviewdeck.engine.clusters import outlines_of
from reviewdeck.model import Decision, Operation, QueueItem, State, Verb
from reviewdeck.model.ledger import Filter
from reviewdeck.presentation.items import decision_json, operation_json
from reviewdeck.presentation.proposal_words import request_line
from reviewdeck.presentation.words import count, home_words, state_word
from reviewdeck.terminal import warn
from reviewdeck.text.redact import redact
from reviewdeck.values import dataclass

if TYPE_CHECKING:
    from reviewdeck.engine.engine import Engine
    from reviewdeck.errors import ReviewdeckError

MOST: Final = 100_000
"""The most proposals that one command lists or decides."""

Id: TypeAlias = Annotated[
    str, Parameter(name="ID", help="The proposals: each its id, a unique prefix, or Hermes' id.")
]
States: TypeAlias = Annotated[
    tuple[State, ...],
    Parameter(
        help="All proposals in this state; may be given more than once.", consume_multiple=True
    ),
]


Words: TypeAlias = Annotated[
    str | None,
    Parameter(
        name="--filter",
        help="All proposals that this filter of the deck matches: state:outdated, age:>3d,"
        " severity:high, check:origin, target:memory, words, NOT, OR.",
    ),
]


def filtered(
    engine: Engine,
    states: Sequence[State],
    words: str,
    *,
    after: int | None = None,
    limit: int = MOST,
    is_fuzzy: bool = True,
) -> tuple[QueueItem, ...]:
    """As `Engine.pending`, those that a filter of the deck matches. Raises UsageProblem."""
    from reviewdeck.presentation.queue_filter import matching, parse

    query = parse(words)
    wrong = query.problem or query.gap
    if wrong or not query.alternatives:
        raise UsageProblem(
            f"--filter cannot be {words!r}. {wrong}".rstrip(),
            hint="For example: --filter 'state:outdated age:>3d'.",
        )
    chosen = tuple(states) or tuple(state for state in State if state.is_open)
    selection = outlines_of(engine.ledger, Filter(engine.home_ids, chosen))
    outlines = {outline.id: outline for outline in selection}
    names = {home.id: home_words(home.name, home.kind) for home in engine.homes}
    found = matching(query, outlines, names, utc_now(), is_fuzzy=is_fuzzy) or ()
    ids = [
        outline.id
        for outline in outlines.values()
        if outline.id in found and (after is None or outline.position < after)
    ]
    return tuple(map(engine.find, ids[:limit]))


@dataclass(frozen=True, slots=True)
class Targets:
    """What the command line names: ids, or states and words of a filter."""

    verb: str
    ids: tuple[str, ...]
    states: tuple[State, ...] = ()
    words: str | None = None

    def check(self) -> None:
        """Raises UsageProblem where nothing is named, or both, or what is decided already."""
        is_all_of = bool(self.states) or self.words is not None
        if not self.ids and not is_all_of:
            raise missing(self.verb, "ID")
        if self.ids and is_all_of:
            raise UsageProblem(
                "Name the proposals, or what they have in common.",
                hint=f"See `reviewdeck {self.verb} --help`.",
            )
        for state in self.states:
            if not state.is_open:
                raise UsageProblem(
                    f"Proposals in the state {state} are decided already.",
                    hint="Choose a state that waits: `reviewdeck list` shows them.",
                )

    @property
    def is_single(self) -> bool:
        """Whether one proposal was named by its id."""
        return len(self.ids) == 1

    @contextmanager
    def opened(self, options: Options) -> Iterator[tuple[Engine, tuple[QueueItem, ...]]]:
        """The engine over the homes of these proposals, and the proposals, each once."""
        self.check()
        with engine_for_proposal(options, *self.ids) as engine:
            if self.words is not None:
                # A word that is misspelt decides nothing.
                yield engine, filtered(engine, self.states, self.words, is_fuzzy=False)
            elif self.states:
                yield engine, engine.pending(self.states, limit=MOST)
            else:
                found = (engine.find(id) for id in self.ids)
                yield engine, tuple({item.id: item for item in found}.values())

    def is_agreed(self, items: Sequence[QueueItem], options: Options, *, yes: bool) -> bool:
        """Lists what was not named by its id and asks. Raises UsageProblem, NotPermitted."""
        if self.ids or yes:
            return True
        check_asking(options, yes=False)
        for item in items:
            say(f"{item.id}  {state_word(item.state):<11}  {request_line(item)}")
        if not items:
            say("There is no such proposal.")
            return False
        question = f"{self.verb.capitalize()} {count(len(items), 'proposal')}? [y/N] "
        return is_confirmed(yes=False, question=question)


class Outcomes:
    """How each of several decisions ended, printed as it ends or as one JSON object."""

    def __init__(self, options: Options) -> None:
        self._is_json = options.json
        self._decisions: list[Decision] = []
        self._operations: list[Operation] = []
        self._failed: list[tuple[str, ReviewdeckError]] = []

    def decided(
        self,
        verb: str,
        item: QueueItem,
        result: Decision | Operation | None,
        *,
        waits_for: str = "",
    ) -> None:
        """One proposal is decided; an operation says what was written, or what which machine will
        write.
        """
        operation = f" (operation {result.id})" if isinstance(result, Operation) else ""
        if isinstance(result, Operation):
            self._operations.append(result)
        elif result is not None:
            self._decisions.append(result)
        if not self._is_json:
            then = f" · waiting for {waits_for}" if waits_for else ""
            did = "approved" if waits_for else verb
            say(f"{did} {item.id}: {request_line(item)}{operation}{then}")

    def failed(self, id: str, error: ReviewdeckError) -> None:
        """One proposal is not decided, and why; the others are."""
        self._failed.append((id, error))
        if not self._is_json:
            told = redact(f"{error.message} {error.hint}".rstrip())
            warn(f"reviewdeck: {told}" if id in error.message else f"reviewdeck: {id}: {told}")

    def decide_each(
        self, engine: Engine, items: Sequence[QueueItem], verb: Verb, reason: str, done: str
    ) -> int:
        """Makes a decision that writes nothing on each of these, and gives the exit code."""
        report = engine.decide_each([item.id for item in items], verb, reason)
        decided = {decision.proposal: decision for decision in report.decisions}
        for item in items:
            if item.id in decided:
                self.decided(done, item, decided[item.id])
        for id, error in report.warnings.items():
            self.failed(id, error)
        return self.end()

    def end(self) -> int:
        """Prints the JSON, and gives the exit code."""
        if self._is_json:
            print_json(
                {
                    "decisions": [decision_json(decision) for decision in self._decisions],
                    "operations": [operation_json(operation) for operation in self._operations],
                    "failed": [
                        {"id": id, "code": error.code, "message": error.message, "hint": error.hint}
                        for id, error in self._failed
                    ],
                }
            )
        return 1 if self._failed else 0
