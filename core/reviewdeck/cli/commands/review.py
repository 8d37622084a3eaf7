"""`reviewdeck review`: the choice of a model and its key, interruption, and the report."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final

from cyclopts import Parameter

from reviewdeck.bootstrap import open_working
from reviewdeck.cli.chosen_model import (
    ChosenModel,
    choose_model,
    interruptible,
    reach,
)
from reviewdeck.cli.model_options import MODEL_DEFAULTS, ModelOptions
from reviewdeck.cli.moments import moment_of
from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import print_json, say
from reviewdeck.cli.session import open_engine, settings_of
from reviewdeck.cli.usage import UsageProblem
from reviewdeck.clock import utc_now
from reviewdeck.engine.engine import Engine
from reviewdeck.environment import reviewer_file
from reviewdeck.errors import BadInput
from reviewdeck.homes.hermes.config import CONFIG
from reviewdeck.model import ReviewRun
from reviewdeck.ports import Home
from reviewdeck.presentation.items import item_json, moment_json
from reviewdeck.presentation.proposal_words import glyph_of, request_line
from reviewdeck.presentation.words import count, one_line
from reviewdeck.reviewer.background import ReviewMode, changes
from reviewdeck.reviewer.conversation import (
    MessageForm,
    ReviewedConversation,
    load_conversation,
    load_session,
)
from reviewdeck.reviewer.due import activities_of, due_sessions, last_reviews, turns_in
from reviewdeck.reviewer.endings import ExitCode
from reviewdeck.reviewer.exchange import SENDING, ExchangeProgress, Watch, ignore_progress
from reviewdeck.reviewer.kept_documents import extracts_itself, has_memory, has_skills
from reviewdeck.reviewer.models import Cancel
from reviewdeck.reviewer.review import (
    Occasion,
    Reviewed,
    Reviewer,
    ReviewRequest,
    last_words,
    open_notebook,
    why_not_staged,
)
from reviewdeck.reviewer.settings import ReviewerSettings, limits_in, load_settings
from reviewdeck.terminal import warn
from reviewdeck.text.redact import redact


def run_json(run: ReviewRun) -> dict[str, Any]:
    return {
        "id": run.id,
        "home": run.home,
        "session": run.session,
        "occasion": run.occasion,
        "started_at": moment_json(run.started_at),
        "finished_at": moment_json(run.finished_at),
        "ending": run.ending,
        "detail": run.detail,
        "provider": run.provider,
        "model": run.model,
        "routed": run.is_routed,
        "prompts": run.prompts,
        "iterations": run.iterations,
        "tokens": {
            "input": run.input_tokens,
            "cached": run.cached_tokens,
            "output": run.output_tokens,
            "saved_by_digest": run.saved_tokens,
        },
        "cost": run.cost,
        "identical_share": run.shared,
        "denied": dict(run.denied),
        "proposals": list(run.proposals),
    }


def review_json(engine: Engine, reviewed: Reviewed) -> dict[str, Any]:
    """The whole run: its figures, each call with its answer, and the staged proposals."""
    now, items = utc_now(), engine.ledger.items(reviewed.run.proposals)
    return run_json(reviewed.run) | {
        "parity": {
            "identical_share": reviewed.fork.parity.share,
            "note": reviewed.fork.parity.note,
        },
        "routing": reviewed.routed.reason,
        "notes": list(reviewed.notes),
        "calls": [
            {
                "id": answer.call.id,
                "tool": answer.call.name,
                "arguments": answer.call.arguments,
                "denied": answer.is_denied,
                "answer": answer.content,
            }
            for answer in reviewed.exchange.handled
        ],
        "said": last_words(reviewed.exchange),
        "not_staged": list(why_not_staged(reviewed.exchange)),
        "announcement": {
            mode.value: changes(
                reviewed.answers,
                reviewed.inherited_messages,
                MessageForm.OPENAI,
                mode,
                reviewed.inherited_form,
            )
            for mode in (ReviewMode.ON, ReviewMode.VERBOSE)
        },
        "hint": reviewed.exchange.told.hint,
        "staged": [item_json(item, now) for item in items],
    }


def print_review(engine: Engine, reviewed: Reviewed) -> None:
    """Prints the proposals, how the run ended, and what it used."""
    run = reviewed.run
    for note in reviewed.notes:
        say(one_line(note))
    for item in engine.ledger.items(run.proposals):
        say(f"{glyph_of(item)} {item.id}  {request_line(item)}")
    say(_ending_line(run, reviewed.exchange.told.reason))
    if hint := reviewed.exchange.told.hint:
        say(f"hint: {one_line(hint)}")
    for reason in why_not_staged(reviewed.exchange):
        say(f"not staged: {one_line(reason)}")
    if said := last_words(reviewed.exchange):
        say(f"the model: {one_line(said)}")
    say(_usage_line(run))
    if reviewed.fork.parity.note:
        say(f"prompt cache: {one_line(reviewed.fork.parity.note)}")
    for name, amount in run.denied.items():
        say(f"denied: {one_line(name)}, {count(amount, 'time')}")


def _ending_line(run: ReviewRun, why: str) -> str:
    staged = (
        count(len(run.proposals), "proposal") + " staged" if run.proposals else "nothing staged"
    )
    if run.ending == "done":
        return f"Review finished: {staged}."
    reason = f" ({one_line(why)})" if why else ""
    return f"The review ended early, {run.ending}{reason}: {staged}."


def _usage_line(run: ReviewRun) -> str:
    shared = "" if run.shared is None else f", {run.shared:.1%} of the request had been sent before"
    cost = "" if run.cost is None else f", ${run.cost:.4f}"
    tokens = f"{run.input_tokens:,} tokens in, {run.cached_tokens:,} of them cached"
    answers = count(run.iterations, "answer")
    return (
        f"{answers} of {run.model or 'a script'}: {tokens}, {run.output_tokens:,} out{cost}{shared}"
    )


class Part(StrEnum):
    """The part of a home that a review is restricted to."""

    MEMORY = "memory"
    SKILLS = "skills"


def reviewer_for(
    engine: Engine,
    home: Home,
    conversation: ReviewedConversation,
    choice: ChosenModel,
    settings: ReviewerSettings,
    options: ModelOptions,
) -> tuple[Reviewer, ReviewedConversation]:
    """The reviewer with this model, and the conversation with a model to answer it."""
    reachable = reach(home, conversation, choice, options)
    reviewer = Reviewer(
        engine,
        home,
        reachable.open,
        reachable.route,
        settings.prompts,
        limits_in(settings),
        # An operator who names a model may not want the conversation sent to another one.
        falls_back=False,
        sends_secrets=options.send_secrets,
    )
    return reviewer, replace(conversation, runtime=reachable.parent)


@contextmanager
def with_notebook(options: Options, reviewer: Reviewer) -> Iterator[None]:
    """Notes the review's progress in the working memory, where the deck shows it."""
    storage = open_working(settings_of(options))
    try:
        reviewer.notebook = open_notebook(storage, reviewer.home.id, reviewer.engine.now)
        yield
    finally:
        storage.close()


def progress_watch(options: Options) -> Watch:
    """Prints where the conversation is sent; each step too, if standard error is a terminal."""
    if options.json:
        return ignore_progress
    return _show if sys.stderr.isatty() else _show_host


def _show_host(progress: ExchangeProgress) -> None:
    if progress.event == SENDING:
        warn(f"The conversation goes to {one_line(progress.detail)}.")


def _show(progress: ExchangeProgress) -> None:
    _show_host(progress)
    if progress.event == SENDING:
        return
    usage = progress.usage
    tokens = f"{usage.input:,} tokens in, {usage.cached:,} of them cached, {usage.output:,} out"
    event = f"{progress.event} {redact(progress.detail)}".rstrip()
    warn(f"  {progress.iteration}/{progress.limit}  {event}  ({tokens})")


def _parts(home: Home, only: Part | None, *, is_typed: bool) -> tuple[bool, bool]:
    """Whether memory and skills are reviewed. Raises BadInput before a model is asked in vain."""
    if only is Part.SKILLS and not has_skills(home):
        raise BadInput(
            f"{home.name} keeps no skills: a review of them could propose nothing.",
            hint="Review it with --only memory, or name another home with --home PATH.",
        )
    if only is Part.SKILLS or has_memory(home):
        return only is not Part.SKILLS, only is not Part.MEMORY and has_skills(home)
    if (only is Part.MEMORY or is_typed) and extracts_itself(home):
        raise BadInput(
            f"A review proposes no memory for {home.name}, a home of the kind {home.kind}: its"
            " agent extracts memories by itself, and what it writes is proposed.",
            hint="Review it with --only skills, or name a home of Hermes or Claude Code with --home"
            " PATH.",
        )
    if only is Part.MEMORY or is_typed:
        raise BadInput(
            f"{home.name} keeps skills alone: a review of memory could propose nothing.",
            hint="Review it with --only skills, or name another home with --home PATH.",
        )
    return False, True


def review(
    file: Annotated[
        Path | None,
        Parameter(
            help="A conversation: an OpenAI or Anthropic request, Hermes' session JSON, or a"
            " transcript of Claude Code."
        ),
    ] = None,
    /,
    *,
    hermes_session: Annotated[
        str | None, Parameter(help="A session of the home's own state.db, by its id.")
    ] = None,
    since: Annotated[
        str | None,
        Parameter(
            help="Review the home's own sessions that are due, with something said since a time."
        ),
    ] = None,
    only: Annotated[Part | None, Parameter(help="Review memory or skills alone.")] = None,
    focus: Annotated[str, Parameter(help="What to focus on, in your words.")] = "",
    digest: Annotated[
        bool,
        Parameter(
            help="Send a digest of the older messages: for a model with a small context.",
        ),
    ] = False,
    typed: Annotated[
        bool,
        Parameter(
            help="Review memory on the user's typed words alone: no answers, no tool results.",
        ),
    ] = False,
    model: ModelOptions = MODEL_DEFAULTS,
    options: Options = DEFAULTS,
) -> int:
    """Review a conversation, and propose what is worth keeping.

    Nothing is written to the home: the reviewer's proposals wait like all others. The exit code is
    0 when it is done, 1 when nobody answered and something has to be changed, 5 when the same
    command may work later, 6 when it ended early, 130 after Ctrl-C.
    """

    settings = load_settings(reviewer_file())
    typed = typed or (settings.typed and only is not Part.SKILLS)
    if typed and only is Part.SKILLS:
        raise UsageProblem("--typed reviews memory alone: typed words say nothing about skills.")
    reviews = _Reviews(only, focus, digest, typed, settings, model, options)
    if since is not None:
        if file is not None or hermes_session is not None:
            raise UsageProblem("--since reviews sessions of the home: give no other one.")
        return _review_since(since, reviews)
    with open_engine(options) as engine:
        home = engine.home_by_id().home
        if file is not None and hermes_session is None:
            conversation = load_conversation(file)
        elif file is None and hermes_session is not None:
            conversation = load_session(Path(home.where), hermes_session)
        else:
            hint = "Give FILE, --hermes-session ID, or --since TIME."
            raise UsageProblem("No conversation to review is named.", hint=hint)
        occasion = Occasion.TURN if conversation.occasion == Occasion.TURN else Occasion.COMMAND
        with interruptible() as cancel:
            is_own = hermes_session is not None
            reviewed = reviews.run(engine, conversation, occasion, cancel, is_own=is_own)
        if options.json:
            print_json(review_json(engine, reviewed))
        else:
            print_review(engine, reviewed)
    return int(reviewed.exchange.told.exit_code)


@dataclass(frozen=True, slots=True)
class _Reviews:
    """What the command line says of each review."""

    only: Part | None
    focus: str
    is_digest: bool
    is_typed: bool
    settings: ReviewerSettings
    model: ModelOptions
    options: Options

    def run(
        self,
        engine: Engine,
        conversation: ReviewedConversation,
        occasion: Occasion,
        cancel: Cancel,
        *,
        is_own: bool,
    ) -> Reviewed:
        """Reviews one conversation; of the home's own sessions, its own model may be asked."""
        home = engine.home_by_id().home
        is_of_hermes = is_own and home.kind == "hermes"
        own = home.snapshot().document(CONFIG) if is_of_hermes else None
        settings, model = self.settings, self.model
        choice = choose_model(model, settings, conversation, own)
        reviewer, conversation = reviewer_for(engine, home, conversation, choice, settings, model)
        parts = _parts(home, self.only, is_typed=self.is_typed)
        request = ReviewRequest(*parts, self.focus, occasion, self.is_typed, self.is_digest)
        watch = progress_watch(self.options)
        with with_notebook(self.options, reviewer):
            return reviewer.run(conversation, request, cancel=cancel, watch=watch)


def _review_since(since: str, reviews: _Reviews) -> int:
    """Reviews the home's sessions that are due; the exit code is that of the worst review."""
    options, when = reviews.options, reviews.settings.when
    reports: list[dict[str, Any]] = []
    codes: list[ExitCode] = []
    with open_engine(options) as engine, interruptible() as cancel:
        home, now = engine.home_by_id().home, utc_now()
        due = due_sessions(
            activities_of(home),
            last_reviews(engine.ledger, home.id),
            when,
            moment_of(since, now),
            now,
        )
        for session in due:
            if cancel.is_set:
                break
            try:
                conversation = session.activity.load()
            except BadInput as error:
                warn(f"reviewdeck: {error.message} It is left out.")
                codes.append(ExitCode.EARLY)
                continue
            if turns_in(conversation) < when.turns:
                continue
            if not options.json:
                say(f"-- {one_line(session.activity.session)} ({session.occasion.value})")
            reviewed = reviews.run(engine, conversation, session.occasion, cancel, is_own=True)
            codes.append(reviewed.exchange.told.exit_code)
            if options.json:
                reports.append(review_json(engine, reviewed))
            else:
                print_review(engine, reviewed)
            if codes[-1] in _IN_VAIN or codes[-2:] == [ExitCode.FAILED] * 2:
                break
    if options.json:
        print_json({"reviews": reports, "due": len(due)})
    elif not codes:
        say("No session is due for a review.")
    return int(max(codes, default=ExitCode.DONE, key=[*_BY_GRAVITY].index))


_BY_GRAVITY: Final = (
    *(ExitCode.DONE, ExitCode.EARLY, ExitCode.LATER, ExitCode.FAILED, ExitCode.CANCELLED),
)
_IN_VAIN: Final = (ExitCode.LATER, ExitCode.CANCELLED)
"""After these the next session would be asked for in vain; it may fail alone, and two may not."""
