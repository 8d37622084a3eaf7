"""`reviewdeck why --replay`: a model is asked what it says without parts of the memory."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, assert_never

from reviewdeck.cli.chosen_model import choose_model, interruptible, reach
from reviewdeck.cli.consent import is_confirmed
from reviewdeck.cli.model_options import ModelOptions
from reviewdeck.cli.output import say
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.prompt import InPrompt, in_prompt
from reviewdeck.engine.why import LiveLine, SourceLine, live_lines, with_credit
from reviewdeck.environment import reviewer_file
from reviewdeck.errors import BadInput
from reviewdeck.homes.hermes.config import CONFIG
from reviewdeck.ports import Home
from reviewdeck.presentation.words import count, one_line
from reviewdeck.reading.agents import agents_called
from reviewdeck.reviewer.causes import TRIES, Causes, Verdict
from reviewdeck.reviewer.conversation import ReviewedConversation, load_conversation, load_session
from reviewdeck.reviewer.endings import ExchangeEnd
from reviewdeck.reviewer.models import choose
from reviewdeck.reviewer.redaction import RedactingModel
from reviewdeck.reviewer.replay import (
    RemovableLine,
    Replay,
    ReplayCost,
    ReplayLimits,
    ReplayPrompt,
    ReplayResult,
    cost_of,
    replay_prompt,
)
from reviewdeck.reviewer.settings import load_settings
from reviewdeck.terminal import warn
from reviewdeck.text.attribution import Attribution
from reviewdeck.text.redact import redact

LEAST: Final = 4
"""The fewest requests that can tell anything: two with the whole memory, two without."""
_SAID: Final = 200
"""Characters of the model's answer that are quoted."""
_AMONG: Final = 10
"""Lines that are named where a search ended early."""


@dataclass(frozen=True, slots=True)
class ReplayRequest:
    """What to replay, and how much it may take."""

    file: Path | None
    hermes_session: str | None
    limit: int
    yes: bool
    model: ModelOptions


@dataclass(frozen=True, slots=True)
class Replayed:
    """A finished search, with its lines credited."""

    prompt: ReplayPrompt
    cost: ReplayCost
    result: ReplayResult
    sources: tuple[SourceLine, ...]
    """The lines that are the cause; where the search ended early, those among which it is."""


def run_replay(
    engine: Engine, text: str, request: ReplayRequest, *, is_quiet: bool
) -> Replayed | None:
    """Shows what it would take, asks, and searches; None where nothing was sent.

    Raises BadInput before anything is sent, NotPermitted where nobody can be asked.
    """
    if request.limit < LEAST:
        raise BadInput(f"--limit has to be {LEAST} at least: fewer requests tell nothing.")
    home = engine.home_by_id().home
    conversation = _conversation(home, request)
    settings = load_settings(reviewer_file())
    is_of_hermes = request.hermes_session is not None and home.kind == "hermes"
    own = home.snapshot().document(CONFIG) if is_of_hermes else None
    choice = choose_model(request.model, settings, conversation, own)
    reachable = reach(home, conversation, choice, request.model)
    runtime = choose(reachable.route, reachable.parent).runtime
    conversation = replace(conversation, runtime=reachable.parent)
    model = reachable.open(runtime)
    try:
        shown = _in_prompt(home)
        prompt = replay_prompt(
            conversation, text, _parts(home, shown), _memory_of(shown), runtime, model.form
        )
        if not prompt.parts:
            raise BadInput(
                "The prompt has no line that is live: nothing could be left out.",
                hint="Name the home of the conversation with --home PATH.",
            )
        cost = cost_of(prompt)
        if not is_quiet:
            for line in cost_lines(prompt, cost, request.limit, model.host):
                say(line)
        if not is_confirmed(
            yes=request.yes, question="Send them? [y/N] ", otherwise="Nothing was sent."
        ):
            return None
        limits = ReplayLimits(request.limit, seconds=settings.time_limit or ReplayLimits().seconds)
        asked = model if request.model.send_secrets else RedactingModel(model)
        with interruptible() as cancel:
            step = _step(request.limit, is_quiet=is_quiet)
            result = Replay(prompt, text, asked, limits, cancel, step).run()
    finally:
        model.close()
    return Replayed(prompt, cost, result, with_credit(engine, _found(prompt, result.causes)))


def _conversation(home: Home, request: ReplayRequest) -> ReviewedConversation:
    if request.file is not None:
        return load_conversation(request.file)
    return load_session(Path(home.where), request.hermes_session or "")


def _in_prompt(home: Home) -> tuple[InPrompt, ...]:
    agents = agents_called(home.readers)
    return in_prompt(home, agents[0]) if agents else ()


def _memory_of(shown: Sequence[InPrompt]) -> str:
    texts = (f"## {part.path}\n\n{part.text.strip()}" for part in shown if part.text.strip())
    return "\n\n".join(texts)


def _parts(home: Home, shown: Sequence[InPrompt]) -> Iterator[RemovableLine]:
    """The live lines, and the skills as the list of skills has them."""
    lines = list(live_lines(home))
    yield from (RemovableLine(line, line.text) for line in lines)
    described: dict[str, LiveLine] = {}
    for line in lines:
        if line.text.startswith("description:"):
            described.setdefault(line.path, line)
    for part in shown:
        line_of_list = described.get(part.source)
        if line_of_list is not None and part.text.startswith("- "):
            yield RemovableLine(line_of_list, part.text)


def _found(prompt: ReplayPrompt, causes: Causes) -> list[tuple[LiveLine, Attribution]]:
    among = causes.among if _is_narrowed(prompt, causes) else ()
    numbers = (*causes.needed, *causes.together, *among[:_AMONG])
    return [(prompt.parts[number].line, Attribution(number, 0.0, ())) for number in numbers]


def _is_narrowed(prompt: ReplayPrompt, causes: Causes) -> bool:
    return bool(causes.needed) or len(causes.among) < len(prompt.parts)


def _step(limit: int, *, is_quiet: bool) -> Callable[[int, int, str], None]:
    if is_quiet or not sys.stderr.isatty():
        return lambda requests, left, event: None
    return lambda requests, left, event: warn(
        f"  {requests + 1}/{limit}  without {count(left, 'line')}  {redact(event)}"
    )


def cost_lines(prompt: ReplayPrompt, cost: ReplayCost, limit: int, host: str) -> Iterator[str]:
    """What a search would send, where to, and how far its answer can be trusted."""
    if not prompt.is_said:
        yield "The conversation does not have the sentence: its last answer is asked for again."
    if prompt.is_memory_added:
        yield "It keeps no memory of its prompt: the memory as it is now was added."
    yield (
        f"A prompt of {count(cost.messages, 'message')} is run again without some of"
        f" {count(cost.parts, 'line')} of memory: about {cost.tokens:,} tokens each time."
    )
    one, two = (cost.requests(members) for members in (1, 2))
    yield (
        f"At most {one} requests for one cause ({one * cost.tokens:,} tokens), {two} for two;"
        f" no more than {limit} are sent. Their price only the provider knows."
    )
    yield (
        "A line is a cause only if the answer lacks the sentence without it in two of two tries;"
        " an answer that varies by itself is reported."
    )
    if host:
        yield f"The conversation goes to {one_line(host)}."


def result_lines(replayed: Replayed) -> Iterator[str]:
    """What was found, before the lines themselves."""
    causes, result = replayed.result.causes, replayed.result
    parts = count(len(replayed.prompt.parts), "line")
    match causes.verdict:
        case Verdict.FOUND:
            yield _found_words(causes)
        case Verdict.ELSEWHERE:
            yield (
                f"The model says it without any of the {parts} too: it comes from the conversation,"
                " from the model itself, or from a text that is not live."
            )
        case Verdict.UNSAID:
            yield f"With the whole prompt the model does not say it, in {TRIES} of {TRIES} tries."
            yield f"It says: “{_excerpt(result.answer)}”"
        case Verdict.VARIES:
            yield (
                f"With the whole prompt the model says it in one of {TRIES} tries: the answer"
                " varies by itself, and no line can be blamed."
            )
        case Verdict.OPEN:
            yield from _open_lines(replayed)
        case _:
            assert_never(causes.verdict)
    if causes.varied:
        yield (
            f"The same prompt was answered both ways {count(causes.varied, 'time')} in"
            f" {count(causes.prompts, 'prompt')}: take it with care."
        )


def usage_line(result: ReplayResult) -> str:
    """What it took."""
    usage = result.usage
    cost = "" if usage.cost is None else f", ${usage.cost:.4f}"
    return (
        f"{count(result.requests, 'request')}: {usage.input:,} tokens in, {usage.cached:,} of them"
        f" cached, {usage.output:,} out{cost}."
    )


def _found_words(causes: Causes) -> str:
    tries = f"in {TRIES} of {TRIES} tries"
    if causes.together:
        return (
            f"These together are the cause: without the first the model no longer says it, {tries},"
            " and with the first alone of all lines it does not say it either."
        )
    if len(causes.needed) > 1:
        return (
            "Any one of these is enough: only without all of them the model no longer says it,"
            f" {tries}."
        )
    return f"Without this line the model no longer says it, {tries}; with it alone, it does."


def _open_lines(replayed: Replayed) -> Iterator[str]:
    causes, ending = replayed.result.causes, replayed.result.ending
    reason = ending.reason or ending.end.sentence
    if ending.end is ExchangeEnd.CANCELLED:
        reason = "The search was cancelled."
    yield f"It ended early: {one_line(redact(reason))}"
    if ending.hint:
        yield f"hint: {one_line(ending.hint)}"
    if _is_narrowed(replayed.prompt, causes):
        among = len(causes.among)
        more = f"the {_AMONG} likeliest of them" if among > _AMONG else "these"
        known = f"{count(len(causes.needed), 'line')} found; " if causes.needed else ""
        yield f"{known}the rest is among {count(among, 'line')}: {more}."


def _excerpt(text: str) -> str:
    words = one_line(text)
    return words if len(words) <= _SAID else f"{words[: _SAID - 1]}…"


def replay_json(replayed: Replayed) -> dict[str, Any]:
    """The search, without its lines."""
    causes, result = replayed.result.causes, replayed.result
    ids = [part.line.id for part in replayed.prompt.parts]
    return {
        "verdict": causes.verdict.value,
        "needed": [ids[number] for number in causes.needed],
        "together": [ids[number] for number in causes.together],
        "among": [ids[number] for number in causes.among],
        "parts": len(ids),
        "requests": result.requests,
        "varied": causes.varied,
        "tokens": {
            "input": result.usage.input,
            "cached": result.usage.cached,
            "output": result.usage.output,
        },
        "cost": result.usage.cost,
        "ending": result.ending.end.value,
        "reason": result.ending.reason or None,
        "memory_added": replayed.prompt.is_memory_added,
        "answer": result.answer,
    }
