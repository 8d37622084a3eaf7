"""One review from beginning to end: live state, route, exchange with the model, staged proposals.

Where a route fails, another one is tried. The turns of the reviewed conversation are kept as
evidence unless the agent has recorded them already. Notes on progress are kept in working memory.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, TypeAlias

from reviewdeck.engine.deck import Deck
from reviewdeck.engine.refresh import REVIEWDECK
from reviewdeck.errors import ReviewdeckError
from reviewdeck.homes.hermes.snapshot import STORES
from reviewdeck.model import (
    Likeness,
    Lineage,
    Message,
    Relation,
    ReviewRun,
    Role,
    SessionMode,
    Transcript,
    Turn,
    TurnBatch,
)
from reviewdeck.origin.prompt import has_context_files
from reviewdeck.origin.sources import CONTEXT_FILES
from reviewdeck.ports import Home, Ledger
from reviewdeck.reviewer.author import BACKGROUND, ReviewAuthor, provenance
from reviewdeck.reviewer.conversation import (
    Json,
    MessageForm,
    Result,
    ReviewedConversation,
    Runtime,
    Said,
)
from reviewdeck.reviewer.exchange import (
    CHARACTERS_A_TOKEN,
    Exchange,
    ExchangeEnd,
    ExchangeLimits,
    ExchangeProgress,
    Spoken,
    Toolbox,
    Watch,
    allowed_tools,
    unwatched,
)
from reviewdeck.reviewer.fork import Fork, Parity, Prompts, digested, replayed
from reviewdeck.reviewer.guard import guard
from reviewdeck.reviewer.live_state import LiveState, read_live
from reviewdeck.reviewer.models import (
    SYSTEM_ROLES,
    Cancel,
    Failure,
    FailureKind,
    Model,
    ModelRequest,
    Route,
    Routed,
    choose,
    text_of,
    write,
)
from reviewdeck.reviewer.redaction import Discreet
from reviewdeck.reviewer.typed_words import typed_alone
from reviewdeck.reviewer.unattended import reviewing
from reviewdeck.sessions.recorder import messages_of
from reviewdeck.text.entries import parse
from reviewdeck.working import Scope, Storage, TaskState, WorkingMemory
from reviewdeck.working.memory import peek_task


@dataclass(frozen=True, slots=True)
class Attempt:
    """What one model made of it."""

    spoken: Spoken
    fork: Fork
    proposals: tuple[str, ...]
    denied: dict[str, int]

    def after(self, earlier: Attempt) -> Attempt:
        """Together with an attempt before it, whose proposals and costs stand."""
        denied = dict(Counter(earlier.denied) + Counter(self.denied))
        spoken = replace(
            self.spoken,
            usage=earlier.spoken.usage + self.spoken.usage,
            iterations=earlier.spoken.iterations + self.spoken.iterations,
            handled=earlier.spoken.handled + self.spoken.handled,
        )
        proposals = earlier.proposals + self.proposals
        return Attempt(spoken, self.fork, proposals, denied)


def unopened(error: ReviewdeckError) -> Attempt:
    """Of a model that could not even be opened."""
    failure = Failure(FailureKind.REFUSED, f"{error.message} {error.hint}".strip())
    nothing = Fork(ModelRequest(()), Parity(None, "Nothing was sent."))
    return Attempt(Spoken(ExchangeEnd.FAILED, (), failure=failure), nothing, (), {})


def why_failed(spoken: Spoken) -> str:
    """What a provider said; empty for anything but a failure."""
    if spoken.failure is None or spoken.failure.kind is FailureKind.CANCELLED:
        return ""
    return f"{spoken.failure.kind.value}: {spoken.failure.message}"


def named(conversation: ReviewedConversation) -> ReviewedConversation:
    """The conversation with names for its session and its last turn, where it has none."""
    session = conversation.session or f"conversation-{_digest(conversation.messages)[:12]}"
    turn = conversation.turn or f"turn-{len(_turns(conversation))}"
    return replace(conversation, session=session, turn=turn)


def prompt_of(conversation: ReviewedConversation) -> str:
    """What the system prompt of a conversation says, wherever it stands."""
    messages = (one for one in conversation.messages if one.get("role") in SYSTEM_ROLES)
    said = (conversation.system, *(one.get("content") for one in messages))
    return "\n\n".join(filter(None, map(text_of, said)))


def keep_turns(
    ledger: Ledger, home: str, conversation: ReviewedConversation, now: datetime
) -> None:
    """Keeps the turns of a named conversation, unless the agent has recorded its session."""
    id = _digest([home, conversation.session])[:24]
    known = [one.id for one in ledger.transcripts(conversation.session) if one.home in {"", home}]
    said = _turns(conversation)
    if not said or any(one != id for one in known):
        return
    at = conversation.started_at or now
    names = [f"turn-{number}" for number in range(1, len(said))]
    turns = tuple(
        Turn(number, at, messages, name)
        for number, (messages, name) in enumerate(
            zip(said, [*names, conversation.turn], strict=True)
        )
    )
    transcript = Transcript(
        id=id,
        lineage=Lineage(conversation.session, conversation.parent_session or None),
        started_at=at,
        last_at=at,
        turns=len(turns),
        messages=sum(map(len, said)),
        home=home,
        platform=conversation.platform,
    )
    # A conversation that is reviewed again may have gone on, or been compressed.
    ledger.retain([TurnBatch(transcript, turns, SessionMode.REPLACE)])


def _turns(conversation: ReviewedConversation) -> list[tuple[Message, ...]]:
    return list(_split(messages_of(conversation.messages)))


def _split(messages: tuple[Message, ...]) -> Iterator[tuple[Message, ...]]:
    """A turn begins where the user speaks after somebody else did."""
    turn: list[Message] = []
    for message in messages:
        if message.role is Role.SYSTEM:
            continue
        if message.role is Role.USER and any(one.role is not Role.USER for one in turn):
            yield tuple(turn)
            turn = []
        turn.append(message)
    if turn:
        yield tuple(turn)


def _digest(value: object) -> str:
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


RUNNING: Final = "running"
SILENT: Final = timedelta(minutes=15)
"""A review that said nothing for so long has died: no request may take longer."""


def scope_of(home: str) -> Scope:
    """Where the review of a home keeps its notes."""
    project = hashlib.sha256(home.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return Scope("review", agent="reviewer", project=project)


class Notebook:
    """What a review writes down while it runs. Losing it costs nothing: it is told, not needed."""

    def __init__(self, memory: WorkingMemory) -> None:
        self._memory = memory

    def begin(self, session: str) -> None:
        """A review begins."""
        with suppress(ReviewdeckError):
            self._memory.clear_notes()
            self._memory.set_task(f"review of session {session}" if session else "review")

    def watched(self, watch: Watch) -> Watch:
        """The same watch, with each step written down."""

        def step(progress: ExchangeProgress) -> None:
            self._note(progress)
            watch(progress)

        return step

    def end(self, ending: ExchangeEnd) -> None:
        """The review has ended, however it did."""
        with suppress(ReviewdeckError):
            self._memory.update_task(100.0, step="", status=ending.value)

    def _note(self, progress: ExchangeProgress) -> None:
        with suppress(ReviewdeckError):
            share = 100.0 * progress.iteration / max(1, progress.limit)
            said = f"answer {progress.iteration} of at most {progress.limit}: {progress.event}"
            self._memory.update_task(share, step=said)
            self._memory.note([progress.event, progress.detail])


def open_notebook(storage: Storage, home: str, now: Callable[[], datetime]) -> Notebook | None:
    """The notebook of a home's reviews; None when its storage refuses."""
    try:
        return Notebook(WorkingMemory(scope_of(home), storage, now=now, most_notes=200))
    except ReviewdeckError:
        return None


def running_review(storage: Storage, home: str, now: datetime) -> TaskState | None:
    """The review of a home that runs just now, as far as its notes tell. Changes nothing.

    Raises StorageUnavailable.
    """
    task = peek_task(storage, scope_of(home))
    if task is None or task.status != RUNNING or now - task.updated_at > SILENT:
        return None
    return task


OpenModel: TypeAlias = Callable[[Runtime], Model]
"""Opens a model; raises ReviewdeckError when it cannot be opened."""


class Occasion(StrEnum):
    """When a review runs."""

    TURN = "turn"
    RESET = "reset"
    SESSION_END = "session-end"
    COMMAND = "command"


@dataclass(frozen=True, slots=True)
class ReviewRequest:
    """What is to be reviewed."""

    memory: bool = True
    skills: bool = True
    focus: str = ""
    """What an operator asked to look at above all."""
    occasion: Occasion = Occasion.COMMAND
    is_typed: bool = False
    """On the user's typed words alone: then it is memory that is reviewed, and nothing else."""


Seen: TypeAlias = Mapping[str, bytes]
"""Memory documents as they were at an earlier moment, by path."""


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A review that has ended, however it did."""

    run: ReviewRun
    spoken: Spoken
    fork: Fork
    routed: Routed
    inherited: tuple[Json, ...] = ()
    """The messages of the conversation: what they tell of is not news."""
    inherited_form: MessageForm = MessageForm.OPENAI
    notes: tuple[str, ...] = ()
    """What did not go as it was set up."""

    @property
    def answers(self) -> tuple[Json, ...]:
        """What the tools answered in it, as messages in OpenAI's form."""
        results = tuple(Result(one.call.id, one.text) for one in self.spoken.handled)
        return tuple(write(Said("tool", results=results), MessageForm.OPENAI)) if results else ()


@dataclass(slots=True)
class Reviewer:
    """Reviews conversations of one home. Everything it finds becomes a proposal."""

    deck: Deck
    home: Home
    open_model: OpenModel
    route: Route | None = None
    prompts: Prompts = field(default_factory=Prompts)
    limits: ExchangeLimits = field(default_factory=ExchangeLimits)
    falls_back: bool = True
    """Whether the conversation's own model reviews when the route fails."""
    notebook: Notebook | None = None
    """Where others can see how far it is."""
    sends_secrets: bool = False
    """Whether the model may read what a screen would cover."""

    def run(
        self,
        conversation: ReviewedConversation,
        wanted: ReviewRequest,
        *,
        cancel: Cancel | None = None,
        watch: Watch = unwatched,
        seen: Seen | None = None,
    ) -> Reviewed:
        """Reviews one conversation and records that it did. Raises nothing for what goes wrong
        with a model; the record says how it ended.

        `seen` is what the memories were when the review was asked for: what has gone since then
        does not come back unseen.
        """
        book = self.notebook
        if book is not None:
            book.begin(conversation.session)
            watch = book.watched(watch)
        ending = ExchangeEnd.FAILED
        try:
            with reviewing() as denied:
                stop = cancel or Cancel()
                reviewed = self._run(conversation, wanted, stop, watch, seen or {}, denied)
            ending = reviewed.spoken.ending
            return reviewed
        finally:
            if book is not None:
                book.end(ending)

    def _run(
        self,
        conversation: ReviewedConversation,
        wanted: ReviewRequest,
        cancel: Cancel,
        watch: Watch,
        seen: Seen,
        denied: Counter[str],
    ) -> Reviewed:
        started = self.deck.context.now()
        if wanted.is_typed:
            conversation, wanted = typed_alone(conversation), replace(wanted, skills=False)
        conversation = named(conversation)
        self._catch_up(seen)
        routed = choose(self.route, conversation.runtime)
        notes: tuple[str, ...] = ()
        attempt = self._attempt(conversation, wanted, routed, cancel, watch)
        failed = routed.is_routed and attempt.spoken.ending is ExchangeEnd.FAILED
        if failed and self.falls_back:
            notes = (f"{routed.runtime.model} failed ({why_failed(attempt.spoken)}): {FALLBACK}",)
            routed = choose(None, conversation.runtime)
            attempt = self._attempt(conversation, wanted, routed, cancel, watch).after(attempt)
        attempt = replace(attempt, denied=dict(Counter(attempt.denied) + denied))
        run = self._run_of(conversation, wanted, routed, attempt, started, notes)
        self._record(run)
        if run.proposals:
            keep_turns(self.deck.ledger, self.home.id, conversation, started)
        return Reviewed(
            run,
            attempt.spoken,
            attempt.fork,
            routed,
            conversation.messages,
            conversation.form,
            notes,
        )

    def _record(self, run: ReviewRun) -> None:
        """Into the ledger, and a line into its log."""
        self.deck.ledger.add_review(run)
        denied = ", ".join(f"{name} {amount}" for name, amount in run.denied.items())
        detail: dict[str, object] = {
            "ending": run.ending,
            "proposals": " ".join(run.proposals),
            "denied": denied,
            "model": run.model,
        }
        self.deck.ledger.append(
            "reviewed",
            home=run.home,
            subject=run.id,
            actor=REVIEWDECK,
            at=run.finished_at,
            detail=detail,
        )

    def _catch_up(self, seen: Seen) -> None:
        """Takes the home in as it is, and remembers what went since the review was asked for."""
        self.deck.intake(self.home.id)
        snapshot, gone = self.home.snapshot(), []
        for path, data in seen.items():
            now = snapshot.document(path)
            if now.problem is None:
                left = set(parse(now.text))
                then = parse(data.decode("utf-8", "replace"))
                gone += [
                    Likeness(Relation.REMOVED, entry, 100.0, path, exact=True)
                    for entry in then
                    if entry not in left
                ]
        if gone:
            self.deck.ledger.remember(self.home.id, gone, self.deck.context.now())

    def _attempt(
        self,
        conversation: ReviewedConversation,
        wanted: ReviewRequest,
        routed: Routed,
        cancel: Cancel,
        watch: Watch,
    ) -> Attempt:
        """One attempt with one model. What is live is read now, and not when it was asked for."""
        live = read_live(self.deck.ledger, self.home, memory=wanted.memory, skills=wanted.skills)
        allowed = allowed_tools(memory=wanted.memory, skills=wanted.skills)
        if wanted.is_typed:
            # What waits and what was rejected are the words of others too.
            live = replace(live, pending=(), rejected=())
        author = self._author(conversation, routed, live)
        toolbox = Toolbox(author, allowed)
        try:
            opened = self.open_model(routed.runtime)
            model = opened if self.sends_secrets else Discreet(opened)
        except ReviewdeckError as error:
            return unopened(error)
        try:
            task = final_message(live, self.prompts, wanted)
            if routed.is_routed or wanted.is_typed:
                fork = digested(
                    conversation, routed.runtime, model.form, task, allowed, self.prompts
                )
                if wanted.is_typed:
                    fork = replace(fork, parity=Parity(None, TYPED))
            else:
                fork = replayed(conversation, model.form, task, allowed)
            spoken = Exchange(model, toolbox, self.limits, cancel, watch).run(fork.request)
        finally:
            model.close()
        return Attempt(spoken, fork, tuple(author.proposals), dict(toolbox.denied))

    def _author(
        self, conversation: ReviewedConversation, routed: Routed, live: LiveState
    ) -> ReviewAuthor:
        has_files = has_context_files(prompt_of(conversation))
        about = provenance(
            write_origin=BACKGROUND,
            execution_context="background",
            platform=conversation.platform,
            session_id=conversation.session,
            parent_session_id=conversation.parent_session,
            session_start=_moment(conversation.started_at),
            task_id=conversation.task,
            model=routed.runtime.model,
            prompt_version=self.prompts.version,
            **({CONTEXT_FILES: "in its prompt"} if has_files else {}),
        )
        return ReviewAuthor(
            self.deck,
            self.home,
            live,
            about,
            session=conversation.session,
            turn=conversation.turn,
            model=routed.runtime.model,
            most=self.limits.proposals,
        )

    def _run_of(
        self,
        conversation: ReviewedConversation,
        wanted: ReviewRequest,
        routed: Routed,
        attempt: Attempt,
        started: datetime,
        notes: tuple[str, ...],
    ) -> ReviewRun:
        usage, spoken = attempt.spoken.usage, attempt.spoken
        return ReviewRun(
            id=self.deck.context.new_id(),
            home=self.home.id,
            session=conversation.session,
            occasion=wanted.occasion.value,
            started_at=started,
            finished_at=self.deck.context.now(),
            ending=spoken.ending.value,
            detail=" ".join([*notes, why_failed(spoken)]).strip(),
            provider=routed.runtime.provider,
            model=routed.runtime.model,
            is_routed=routed.is_routed,
            prompts=self.prompts.version,
            iterations=spoken.iterations,
            input_tokens=usage.input,
            output_tokens=usage.output,
            cached_tokens=usage.cached,
            cost=usage.cost,
            shared=attempt.fork.parity.share,
            saved_tokens=attempt.fork.characters_saved // CHARACTERS_A_TOKEN,
            denied=attempt.denied,
            proposals=attempt.proposals,
        )


TYPED: Final = "The review is given what the user typed alone, and nothing of it is in a cache."
FALLBACK: Final = "the conversation's own model reviewed instead."


def final_message(live: LiveState, prompts: Prompts, wanted: ReviewRequest) -> str:
    """The one message that a review adds: what is live now, the guard, and the task."""
    allowed = allowed_tools(memory=wanted.memory, skills=wanted.skills)
    task = prompts.task(allowed, memory=wanted.memory, skills=wanted.skills, focus=wanted.focus)
    return "\n\n".join(part for part in (guard(live), task) if part)


def memories_of(home: Home) -> dict[str, bytes]:
    """The memories as they are at this moment, for `Reviewer.run(seen=…)`."""
    snapshot = home.snapshot()
    found = {path: snapshot.document(path).data for path in STORES.values()}
    return {path: data for path, data in found.items() if data is not None}


def _moment(moment: datetime | None) -> str:
    return "" if moment is None else moment.isoformat()
