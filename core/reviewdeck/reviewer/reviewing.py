"""One review from beginning to end: what is live, where it goes, what it says, what it stages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Final, TypeAlias

from reviewdeck.deck import Deck
from reviewdeck.errors import ReviewdeckError
from reviewdeck.homes.hermes.memory import STORES
from reviewdeck.model import Likeness, Relation, ReviewRun
from reviewdeck.origin import has_context_files
from reviewdeck.origin.sources import CONTEXT_FILES
from reviewdeck.ports import Home
from reviewdeck.restaging import REVIEWDECK
from reviewdeck.reviewer.attempts import Attempt, unopened, why_failed
from reviewdeck.reviewer.authoring import Author
from reviewdeck.reviewer.conversing import (
    CHARACTERS_A_TOKEN,
    Ending,
    Exchange,
    Limits,
    Spoken,
    Watch,
    unwatched,
)
from reviewdeck.reviewer.discretion import Discreet
from reviewdeck.reviewer.dispatch import Toolbox
from reviewdeck.reviewer.evidence import keep_turns, named, prompt_of
from reviewdeck.reviewer.forking import Fork, digested, replayed
from reviewdeck.reviewer.guard import guard
from reviewdeck.reviewer.live import LiveState, read_live
from reviewdeck.reviewer.models import Cancel, Model
from reviewdeck.reviewer.notebook import Notebook
from reviewdeck.reviewer.prompts import Prompts
from reviewdeck.reviewer.provenance import BACKGROUND, provenance
from reviewdeck.reviewer.routing import Route, Routed, choose
from reviewdeck.reviewer.tools import allowed_tools
from reviewdeck.reviewer.unattended import reviewing
from reviewdeck.reviewer.values import Conversation, Form, Json, Result, Runtime, Said
from reviewdeck.reviewer.wire import write
from reviewdeck.text.entries import parse

OpenModel: TypeAlias = Callable[[Runtime], Model]
"""Opens a model; raises ReviewdeckError when it cannot be opened."""


class Occasion(StrEnum):
    """When a review runs."""

    TURN = "turn"
    RESET = "reset"
    SESSION_END = "session-end"
    COMMAND = "command"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be reviewed."""

    memory: bool = True
    skills: bool = True
    focus: str = ""
    """What an operator asked to look at above all."""
    occasion: Occasion = Occasion.COMMAND


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
    inherited_form: Form = Form.OPENAI
    notes: tuple[str, ...] = ()
    """What did not go as it was set up."""

    @property
    def answers(self) -> tuple[Json, ...]:
        """What the tools answered in it, as messages in OpenAI's form."""
        results = tuple(Result(one.call.id, one.text) for one in self.spoken.handled)
        return tuple(write(Said("tool", results=results), Form.OPENAI)) if results else ()


@dataclass(slots=True)
class Reviewer:
    """Reviews conversations of one home. Everything it finds becomes a proposal."""

    deck: Deck
    home: Home
    open_model: OpenModel
    route: Route | None = None
    prompts: Prompts = field(default_factory=Prompts)
    limits: Limits = field(default_factory=Limits)
    falls_back: bool = True
    """Whether the conversation's own model reviews when the route fails."""
    notebook: Notebook | None = None
    """Where others can see how far it is."""
    sends_secrets: bool = False
    """Whether the model may read what a screen would cover."""

    def run(
        self,
        conversation: Conversation,
        wanted: Wanted,
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
        ending = Ending.FAILED
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
        conversation: Conversation,
        wanted: Wanted,
        cancel: Cancel,
        watch: Watch,
        seen: Seen,
        denied: Counter[str],
    ) -> Reviewed:
        started = self.deck.desk.now()
        conversation = named(conversation)
        self._catch_up(seen)
        routed = choose(self.route, conversation.runtime)
        notes: tuple[str, ...] = ()
        attempt = self._attempt(conversation, wanted, routed, cancel, watch)
        failed = routed.is_routed and attempt.spoken.ending is Ending.FAILED
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
            self.deck.ledger.remember(self.home.id, gone, self.deck.desk.now())

    def _attempt(
        self,
        conversation: Conversation,
        wanted: Wanted,
        routed: Routed,
        cancel: Cancel,
        watch: Watch,
    ) -> Attempt:
        """One attempt with one model. What is live is read now, and not when it was asked for."""
        live = read_live(self.deck, self.home, memory=wanted.memory, skills=wanted.skills)
        allowed = allowed_tools(memory=wanted.memory, skills=wanted.skills)
        author = self._author(conversation, routed, live)
        toolbox = Toolbox(author, allowed)
        try:
            opened = self.open_model(routed.runtime)
            model = opened if self.sends_secrets else Discreet(opened)
        except ReviewdeckError as error:
            return unopened(error)
        try:
            task = final_message(live, self.prompts, wanted)
            if routed.is_routed:
                fork = digested(
                    conversation, routed.runtime, model.form, task, allowed, self.prompts
                )
            else:
                fork = replayed(conversation, model.form, task, allowed)
            spoken = Exchange(model, toolbox, self.limits, cancel, watch).run(fork.request)
        finally:
            model.close()
        return Attempt(spoken, fork, tuple(author.proposals), dict(toolbox.denied))

    def _author(self, conversation: Conversation, routed: Routed, live: LiveState) -> Author:
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
        return Author(
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
        conversation: Conversation,
        wanted: Wanted,
        routed: Routed,
        attempt: Attempt,
        started: datetime,
        notes: tuple[str, ...],
    ) -> ReviewRun:
        usage, spoken = attempt.spoken.usage, attempt.spoken
        return ReviewRun(
            id=self.deck.desk.new_id(),
            home=self.home.id,
            session=conversation.session,
            occasion=wanted.occasion.value,
            started_at=started,
            finished_at=self.deck.desk.now(),
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


FALLBACK: Final = "the conversation's own model reviewed instead."


def final_message(live: LiveState, prompts: Prompts, wanted: Wanted) -> str:
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
