"""One review from start to end: live state, route, exchange with the model, staged proposals.

If a route fails, the conversation's own model is tried. The turns of the reviewed conversation are
stored as evidence unless the agent has recorded them. Progress is noted in working memory.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, TypeAlias

from reviewdeck.engine.engine import Engine
from reviewdeck.engine.refresh import REVIEWDECK
from reviewdeck.errors import ReviewdeckError
from reviewdeck.homes.hermes.snapshot import STORES
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import (
    BACKGROUND_REVIEW,
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
from reviewdeck.ports import Home
from reviewdeck.reviewer.asking import ExchangeLimits
from reviewdeck.reviewer.author import ReviewAuthor, provenance
from reviewdeck.reviewer.conversation import (
    Json,
    MessageForm,
    ParsedMessage,
    Result,
    ReviewedConversation,
    Runtime,
)
from reviewdeck.reviewer.endings import ExchangeEnd
from reviewdeck.reviewer.exchange import (
    CHARACTERS_PER_TOKEN,
    Exchange,
    ExchangeProgress,
    ExchangeResult,
    Toolbox,
    Watch,
    allowed_tools,
    estimated_tokens,
    ignore_progress,
)
from reviewdeck.reviewer.fork import Fork, Parity, Prompts, digested, replayed
from reviewdeck.reviewer.guard import OWN_SENTENCE, guard
from reviewdeck.reviewer.kept_documents import kept_documents
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
from reviewdeck.reviewer.redaction import RedactingModel
from reviewdeck.reviewer.typed_words import cut_to_typed
from reviewdeck.reviewer.unattended import review_context
from reviewdeck.sessions.recorder import messages_of
from reviewdeck.text.entries import parse
from reviewdeck.text.redact import redact
from reviewdeck.working import Scope, Storage, TaskState, WorkingMemory
from reviewdeck.working.memory import peek_task


@dataclass(frozen=True, slots=True)
class Attempt:
    """The result of a review with one model."""

    exchange: ExchangeResult
    fork: Fork
    proposals: tuple[str, ...]
    denied: dict[str, int]

    def after(self, earlier: Attempt) -> Attempt:
        """This attempt with the proposals and costs of an earlier one added."""
        denied = dict(Counter(earlier.denied) + Counter(self.denied))
        spoken = replace(
            self.exchange,
            usage=earlier.exchange.usage + self.exchange.usage,
            iterations=earlier.exchange.iterations + self.exchange.iterations,
            handled=earlier.exchange.handled + self.exchange.handled,
        )
        proposals = earlier.proposals + self.proposals
        return Attempt(spoken, self.fork, proposals, denied)


def failed_to_open(error: ReviewdeckError) -> Attempt:
    """The attempt of a model that could not be opened."""
    failure = Failure(FailureKind.REFUSED, error.message, hint=error.hint)
    empty_fork = Fork(ModelRequest(()), Parity(None, "Nothing was sent."))
    return Attempt(ExchangeResult(ExchangeEnd.FAILED, failure=failure), empty_fork, (), {})


def why_failed(spoken: ExchangeResult) -> str:
    """The reason of an early end in the provider's words; empty without one."""
    return "" if spoken.ending is ExchangeEnd.CANCELLED else spoken.told.reason


def _is_too_long(spoken: ExchangeResult) -> bool:
    return spoken.failure is not None and spoken.failure.kind is FailureKind.CONTEXT


SAID_KEPT: Final = 600
"""The most characters of a model's last words that are kept."""
REASONS_SHOWN: Final = 5


def last_words(spoken: ExchangeResult) -> str:
    """What the model said last, in one line, with secrets redacted."""
    return bounded(spoken.last_words, SAID_KEPT)


def bounded(text: str, length: int) -> str:
    """Text of a model or a provider in one line of at most `length` characters, redacted."""
    words = " ".join(redact(text[: length * 4]).split())
    return words if len(words) <= length else f"{words[: length - 1]}…"


def why_not_staged(spoken: ExchangeResult) -> tuple[str, ...]:
    """Why calls for a change staged none: each reason once, with how often; the commonest first."""
    reasons: Counter[str] = Counter()
    for handled in spoken.handled:
        content = handled.content
        if handled.is_denied:
            continue  # These are counted by the tool's name.
        if content.get("success") is not True:
            reasons[bounded(f"refused: {content.get('error', '')}", SAID_KEPT)] += 1
        elif content.get("staged") is False:
            reasons[bounded(str(content.get("message", "")), SAID_KEPT)] += 1
    shown = [
        f"{reason} ({amount} times)" if amount > 1 else reason
        for reason, amount in reasons.most_common(REASONS_SHOWN)
    ]
    more = len(reasons) - len(shown)
    return (*shown, f"{more} more reasons") if more > 0 else tuple(shown)


SHORT_CONTEXT: Final = 4096
"""Tokens that a server reads at least: Ollama's default, which it does not exceed and not say."""


def _unread(attempt: Attempt) -> Iterator[str]:
    """A note if the server counted far fewer tokens than it was sent: it read the end alone."""
    sent, read = estimated_tokens(attempt.fork.request), attempt.exchange.usage.input
    if sent > SHORT_CONTEXT and 0 < read < sent // 3:
        yield (
            f"The server counted {read:,} tokens of about {sent:,}: it may have read the end"
            " alone. Raise its context (Ollama: num_ctx), or say --digest."
        )


def with_names(conversation: ReviewedConversation) -> ReviewedConversation:
    """The conversation with generated ids for its session and last turn, where missing."""
    session = conversation.session or f"conversation-{_digest(conversation.messages)[:12]}"
    turn = conversation.turn or f"turn-{len(_turns(conversation))}"
    return replace(conversation, session=session, turn=turn)


def prompt_of(conversation: ReviewedConversation) -> str:
    """The text of a conversation's system prompt, from the request and the messages."""
    messages = (message for message in conversation.messages if message.get("role") in SYSTEM_ROLES)
    contents = (conversation.system, *(message.get("content") for message in messages))
    return "\n\n".join(filter(None, map(text_of, contents)))


def keep_turns(
    ledger: Ledger, home: str, conversation: ReviewedConversation, now: datetime
) -> None:
    """Stores the turns of a conversation with ids, unless the agent has recorded its session."""
    id = _digest([home, conversation.session])[:24]
    stored_ids = [
        transcript.id
        for transcript in ledger.transcripts(conversation.session)
        if transcript.home in {"", home}
    ]
    turn_messages = _turns(conversation)
    if not turn_messages or any(stored_id != id for stored_id in stored_ids):
        return
    at = conversation.started_at or now
    names = [f"turn-{number}" for number in range(1, len(turn_messages))]
    turns = tuple(
        Turn(number, at, messages, name)
        for number, (messages, name) in enumerate(
            zip(turn_messages, [*names, conversation.turn], strict=True)
        )
    )
    transcript = Transcript(
        id=id,
        lineage=Lineage(conversation.session, conversation.parent_session or None),
        started_at=at,
        last_at=at,
        turns=len(turns),
        messages=sum(map(len, turn_messages)),
        home=home,
        platform=conversation.platform,
    )
    # A conversation that is reviewed again may have grown, or been compressed.
    ledger.retain([TurnBatch(transcript, turns, SessionMode.REPLACE)])


def _turns(conversation: ReviewedConversation) -> list[tuple[Message, ...]]:
    return list(_split(messages_of(conversation.messages)))


def _split(messages: tuple[Message, ...]) -> Iterator[tuple[Message, ...]]:
    """Splits messages into turns: one begins at a user message after another's message."""
    turn: list[Message] = []
    for message in messages:
        if message.role is Role.SYSTEM:
            continue
        if message.role is Role.USER and any(earlier.role is not Role.USER for earlier in turn):
            yield tuple(turn)
            turn = []
        turn.append(message)
    if turn:
        yield tuple(turn)


def _digest(value: object) -> str:
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


RUNNING: Final = "running"
LONGEST_SILENCE: Final = timedelta(minutes=15)
"""A review without progress for this long has died: no request may take longer."""


def scope_of(home: str) -> Scope:
    """The working memory of the reviews of a home."""
    project = hashlib.sha256(home.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return Scope("review", agent="reviewer", project=project)


class Notebook:
    """The progress notes of a running review, for display only: losing them does no harm."""

    def __init__(self, memory: WorkingMemory) -> None:
        self._memory = memory

    def begin(self, session: str) -> None:
        """Records the start of a review."""
        with suppress(ReviewdeckError):
            self._memory.clear_notes()
            self._memory.set_task(f"review of session {session}" if session else "review")

    def watched(self, watch: Watch) -> Watch:
        """A watch that also writes each step down."""

        def step(progress: ExchangeProgress) -> None:
            with suppress(ReviewdeckError):
                share = 100.0 * progress.iteration / max(1, progress.limit)
                step = f"answer {progress.iteration} of at most {progress.limit}: {progress.event}"
                self._memory.update_task(share, step=step)
                self._memory.note([progress.event, progress.detail])
            watch(progress)

        return step

    def end(self, ending: ExchangeEnd) -> None:
        """Records the end of a review."""
        with suppress(ReviewdeckError):
            self._memory.update_task(100.0, step="", status=ending.value)


def open_notebook(storage: Storage, home: str, now: Callable[[], datetime]) -> Notebook | None:
    """The notebook of a home's reviews; None when its storage is unavailable."""
    try:
        return Notebook(WorkingMemory(scope_of(home), storage, now=now, most_notes=200))
    except ReviewdeckError:
        return None


def running_review(storage: Storage, home: str, now: datetime) -> TaskState | None:
    """The running review of a home, according to its notes; read-only.

    Raises StorageUnavailable.
    """
    task = peek_task(storage, scope_of(home))
    if task is None or task.status != RUNNING or now - task.updated_at > LONGEST_SILENCE:
        return None
    return task


OpenModel: TypeAlias = Callable[[Runtime], Model]
"""Opens a model; raises ReviewdeckError when it cannot be opened."""


class Occasion(StrEnum):
    """The event that started a review."""

    TURN = "turn"
    RESET = "reset"
    SESSION_END = "session-end"
    COMPACTION = "compaction"
    COMMAND = "command"


@dataclass(frozen=True, slots=True)
class ReviewRequest:
    """The scope of a review."""

    memory: bool = True
    skills: bool = True
    focus: str = ""
    """An operator's instruction on what to look at above all."""
    occasion: Occasion = Occasion.COMMAND
    is_typed: bool = False
    """Review only the user's typed words, and only for memory."""
    is_digest: bool = False
    """Send a digest of the conversation, though its own model reviews."""


MemoryTexts: TypeAlias = Mapping[str, bytes]
"""Texts of memory documents at an earlier time, by path."""


@dataclass(frozen=True, slots=True)
class Reviewed:
    """An ended review."""

    run: ReviewRun
    exchange: ExchangeResult
    fork: Fork
    routed: Routed
    inherited_messages: tuple[Json, ...] = ()
    """The messages of the conversation: tool results in them are not the review's."""
    inherited_form: MessageForm = MessageForm.OPENAI
    notes: tuple[str, ...] = ()
    """Deviations from the configuration, such as a fallback."""

    @property
    def answers(self) -> tuple[Json, ...]:
        """The tool results of the review, as messages in OpenAI's form."""
        results = tuple(Result(handled.call.id, handled.text) for handled in self.exchange.handled)
        return (
            tuple(write(ParsedMessage("tool", results=results), MessageForm.OPENAI))
            if results
            else ()
        )


@dataclass(slots=True)
class Reviewer:
    """Reviews conversations of one home, and stages proposals."""

    engine: Engine
    home: Home
    open_model: OpenModel
    route: Route | None = None
    prompts: Prompts = field(default_factory=Prompts)
    limits: ExchangeLimits = field(default_factory=ExchangeLimits)
    falls_back: bool = True
    """Whether the conversation's own model reviews when the route fails."""
    notebook: Notebook | None = None
    """Progress notes for other processes."""
    sends_secrets: bool = False
    """Whether the model may read secrets that a screen would redact."""

    def run(
        self,
        conversation: ReviewedConversation,
        request: ReviewRequest,
        *,
        cancel: Cancel | None = None,
        watch: Watch = ignore_progress,
        memories: MemoryTexts | None = None,
    ) -> Reviewed:
        """Reviews one conversation and records the run. Failures of a model are not raised; the
        record says how the run ended.

        `memories` are the memories when the review was requested: entries removed since then are
        remembered, so that proposing them again is noticed.
        """
        book = self.notebook
        if book is not None:
            book.begin(conversation.session)
            watch = book.watched(watch)
        ending = ExchangeEnd.FAILED
        try:
            with review_context() as denied:
                stop = cancel or Cancel()
                reviewed = self._run(conversation, request, stop, watch, memories or {}, denied)
            ending = reviewed.exchange.ending
            return reviewed
        finally:
            if book is not None:
                book.end(ending)

    def _run(
        self,
        conversation: ReviewedConversation,
        request: ReviewRequest,
        cancel: Cancel,
        watch: Watch,
        memories: MemoryTexts,
        denied: Counter[str],
    ) -> Reviewed:
        started = self.engine.now()
        if request.is_typed:
            conversation, request = cut_to_typed(conversation), replace(request, skills=False)
        conversation = with_names(conversation)
        self._catch_up(memories)
        routed = choose(self.route, conversation.runtime)
        notes: tuple[str, ...] = ()
        attempt = self._attempt(conversation, request, routed, cancel, watch)
        failed = routed.is_routed and attempt.exchange.ending is ExchangeEnd.FAILED
        if failed and self.falls_back:
            notes = (f"{routed.runtime.model} failed ({why_failed(attempt.exchange)}): {FALLBACK}",)
            routed = choose(None, conversation.runtime)
            attempt = self._attempt(conversation, request, routed, cancel, watch).after(attempt)
        if _is_too_long(attempt.exchange) and not attempt.fork.is_digest:
            notes = (*notes, TOO_LONG)
            shorter = replace(request, is_digest=True)
            attempt = self._attempt(conversation, shorter, routed, cancel, watch).after(attempt)
        notes = (*notes, *_unread(attempt))
        attempt = replace(attempt, denied=dict(Counter(attempt.denied) + denied))
        run = self._build_run(conversation, request, routed, attempt, started, notes)
        self._record(run, why_not_staged(attempt.exchange))
        if run.proposals:
            keep_turns(self.engine.ledger, self.home.id, conversation, started)
        return Reviewed(
            run,
            attempt.exchange,
            attempt.fork,
            routed,
            conversation.messages,
            conversation.form,
            notes,
        )

    def _record(self, run: ReviewRun, not_staged: Sequence[str]) -> None:
        self.engine.ledger.add_review(run)
        denied = ", ".join(f"{name} {amount}" for name, amount in run.denied.items())
        detail: dict[str, object] = {
            "ending": run.ending,
            "proposals": " ".join(run.proposals),
            "denied": denied,
            "model": run.model,
            "why": run.detail if run.ending != ExchangeEnd.DONE else "; ".join(not_staged),
            "said": run.detail if run.ending == ExchangeEnd.DONE else "",
        }
        self.engine.ledger.append(
            "reviewed",
            home=run.home,
            subject=run.id,
            actor=REVIEWDECK,
            at=run.finished_at,
            detail=detail,
        )

    def _catch_up(self, memories: MemoryTexts) -> None:
        """Takes in the home, and remembers entries removed since the review was requested."""
        self.engine.intake(self.home.id)
        snapshot, removed = self.home.snapshot(), []
        for path, data in memories.items():
            now = snapshot.document(path)
            if now.problem is None:
                live_entries = set(parse(now.text))
                earlier_entries = parse(data.decode("utf-8", "replace"))
                removed += [
                    Likeness(Relation.REMOVED, entry, 100.0, path, exact=True)
                    for entry in earlier_entries
                    if entry not in live_entries
                ]
        if removed:
            self.engine.ledger.remember(self.home.id, removed, self.engine.now())

    def _attempt(
        self,
        conversation: ReviewedConversation,
        request: ReviewRequest,
        routed: Routed,
        cancel: Cancel,
        watch: Watch,
    ) -> Attempt:
        """One attempt with one model, on the live state of now, not of the request."""
        live = read_live(
            self.engine.ledger,
            self.home,
            memory=request.memory,
            skills=request.skills,
            kept=kept_documents(self.home, conversation.folder),
        )
        allowed = allowed_tools(memory=request.memory, skills=request.skills)
        if request.is_typed:
            # Pending and rejected proposals have words of others in them.
            live = replace(live, pending=(), rejected=())
        author = self._author(conversation, routed, live)
        toolbox = Toolbox(author, allowed)
        try:
            opened = self.open_model(routed.runtime)
            model = opened if self.sends_secrets else RedactingModel(opened)
        except ReviewdeckError as error:
            return failed_to_open(error)
        try:
            task = final_message(live, self.prompts, request)
            if routed.is_routed or request.is_typed or request.is_digest:
                fork = digested(
                    conversation, routed.runtime, model.form, task, allowed, self.prompts
                )
                if request.is_typed:
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
            write_origin=BACKGROUND_REVIEW,
            execution_context="background",
            platform=conversation.platform,
            session_id=conversation.session,
            parent_session_id=conversation.parent_session,
            session_start=conversation.started_at.isoformat() if conversation.started_at else "",
            task_id=conversation.task,
            model=routed.runtime.model,
            prompt_version=self.prompts.version,
            **({CONTEXT_FILES: "in its prompt"} if has_files else {}),
        )
        return ReviewAuthor(
            self.engine,
            self.home,
            live,
            about,
            session=conversation.session,
            turn=conversation.turn,
            model=routed.runtime.model,
            most=self.limits.proposals,
        )

    def _build_run(
        self,
        conversation: ReviewedConversation,
        request: ReviewRequest,
        routed: Routed,
        attempt: Attempt,
        started: datetime,
        notes: tuple[str, ...],
    ) -> ReviewRun:
        usage, spoken = attempt.exchange.usage, attempt.exchange
        return ReviewRun(
            id=self.engine.new_id(),
            home=self.home.id,
            session=conversation.session,
            occasion=request.occasion.value,
            started_at=started,
            finished_at=self.engine.now(),
            ending=spoken.ending.value,
            detail=" ".join(filter(None, [*notes, why_failed(spoken) or last_words(spoken)])),
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
            saved_tokens=attempt.fork.characters_saved // CHARACTERS_PER_TOKEN,
            denied=attempt.denied,
            proposals=attempt.proposals,
        )


TYPED: Final = "The review is given what the user typed alone, and nothing of it is in a cache."
TOO_LONG: Final = "The conversation is longer than the model's context: a digest was sent."
FALLBACK: Final = "the conversation's own model reviewed instead."


def final_message(live: LiveState, prompts: Prompts, request: ReviewRequest) -> str:
    """The message that a review appends: the live state with its rules, and the task."""
    allowed = allowed_tools(memory=request.memory, skills=request.skills)
    task = prompts.task(allowed, memory=request.memory, skills=request.skills, focus=request.focus)
    shown = guard(live, asks_for_own_sentence=request.memory and OWN_SENTENCE not in task)
    return "\n\n".join(part for part in (shown, task) if part)


def memories_of(home: Home) -> dict[str, bytes]:
    """The present texts of the memories, for `Reviewer.run(memories=…)`."""
    snapshot = home.snapshot()
    texts = {path: snapshot.document(path).data for path in STORES.values()}
    return {path: data for path, data in texts.items() if data is not None}
