"""A prompt that is run again with parts of the memory left out, until the smallest part is found
without which the answer no longer says a sentence.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

from reviewdeck.engine.why import LiveLine
from reviewdeck.errors import BadInput
from reviewdeck.reviewer.asking import Asking, ExchangeLimits
from reviewdeck.reviewer.causes import Causes, CauseSearch, Left, most_runs
from reviewdeck.reviewer.conversation import Json, MessageForm, ReviewedConversation, Runtime, Usage
from reviewdeck.reviewer.endings import ExchangeEnd, ReviewEnding
from reviewdeck.reviewer.exchange import estimated_tokens
from reviewdeck.reviewer.fork import for_another, forces_a_tool, from_store, in_form
from reviewdeck.reviewer.models import (
    SYSTEM_ROLES,
    Cancel,
    Failure,
    Model,
    ModelRequest,
    convert_tools,
    read,
    without_open_calls,
)
from reviewdeck.text.attribution import attribute, sentences
from reviewdeck.text.json import json_object
from reviewdeck.text.similarity import contradicts, percent_alike
from reviewdeck.text.terms import normalise, words_of

ALIKE: Final = 80.0
"""How much of two sentences is the same, 0 to 100, from which one says the other."""
MEMORY_HEAD: Final = "# What is remembered from earlier sessions"
_REMINDER: Final = "<system-reminder>"
"""How Claude Code begins a text of a user's message that it wrote itself."""
_BULLET: Final = re.compile(r"(?:[-*•]|\d+[.)])\s+")
_DELIMITER: Final = "§"
_FEWEST_WORDS: Final = 2
"""Words of a line that is left out by itself; a shorter one says nothing."""


@dataclass(frozen=True, slots=True)
class RemovableLine:
    """A part of a prompt that can be left out: a live line, as it stands there."""

    line: LiveLine
    text: str
    """As the prompt has it: of a skill, its line in the list of skills."""


@dataclass(frozen=True, slots=True)
class _Cut:
    """A text with the parts in it: pieces, each with the number of its part."""

    pieces: tuple[tuple[str, int | None], ...]

    def without(self, left: Left) -> str:
        return "".join(text for text, part in self.pieces if part is None or part not in left)


@dataclass(frozen=True, slots=True)
class _CutJson:
    """A text that is a JSON object, with cut texts in it."""

    value: Any

    def without(self, left: Left) -> str:
        return json.dumps(_rendered(self.value, left), ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class ReplayPrompt:
    """A prompt as it was sent, with the parts that can be left out."""

    parts: tuple[RemovableLine, ...]
    """Those that it has, in its order."""
    is_said: bool
    """Whether the conversation has the sentence: then the prompt ends before it."""
    is_memory_added: bool
    """Whether the conversation keeps no memory of its prompt, so that the live one was added."""
    _system: Any
    _messages: tuple[Any, ...]
    _tools: tuple[Json, ...]
    _settings: Json

    def request(self, left: Left = frozenset()) -> ModelRequest:
        """The prompt without some of its parts."""
        return ModelRequest(
            tuple(_rendered(message, left) for message in self._messages),
            _rendered(self._system, left),
            self._tools,
            self._settings,
        )


def says(answer: str, text: str) -> bool:
    """Whether an answer has a text, or as many of its sentences are at least 80 % the same.

    Without a number or name in code that the text has, or with another negation, none is.
    """
    if f" {normalise(text)} " in f" {normalise(answer)} ":
        return True
    told, amount = sentences(answer), len(sentences(text))
    windows = (" ".join(told[at : at + amount]) for at in range(len(told) - amount + 1))
    return any(_is_alike(text, window) for window in windows)


def _is_alike(text: str, told: str) -> bool:
    shorter, longer = sorted((len(text), len(told)))
    if 2 * shorter < longer or percent_alike(text, told) < ALIKE:
        return False
    difference = contradicts(text, told)
    return not difference.numbers[0] and not difference.negated


def replay_prompt(
    conversation: ReviewedConversation,
    text: str,
    parts: Iterable[RemovableLine],
    memory: str,
    runtime: Runtime,
    form: MessageForm,
) -> ReplayPrompt:
    """The prompt before the answer that says a text; before the last answer, if none does.

    `memory` is what the agent's prompt has of it now, for a conversation that keeps none. Raises
    BadInput where nothing precedes the answer.
    """
    kept, is_said = _before(conversation, text)
    system, messages = _as_sent(replace(conversation, messages=kept), runtime, form)
    tools = _tools(conversation, kept, form)
    cutter = _Cutter(parts)
    is_memory_added = not cutter.finds_any(system, messages) and bool(memory)
    if is_memory_added:
        system, messages = _with_memory(system, messages, f"{MEMORY_HEAD}\n\n{memory}", form)
    cut_system = cutter.cut(system)
    cut_messages = tuple(cutter.cut_message(message) for message in messages)
    return ReplayPrompt(
        cutter.found,
        is_said,
        is_memory_added,
        cut_system,
        cut_messages,
        tools,
        _settings(conversation, runtime, form),
    )


def _before(conversation: ReviewedConversation, text: str) -> tuple[tuple[Json, ...], bool]:
    """The messages before the last answer that says a text, and whether one does."""
    messages, form = conversation.messages, conversation.form
    answers = [at for at, each in enumerate(messages) if each.get("role") == "assistant"]
    said = [at for at in answers if says(read(messages[at], form).text, text)]
    end = said[-1] if said else len(messages)
    if not said and answers[-1:] == [len(messages) - 1]:
        end -= 1
    kept = without_open_calls(messages[:end], form)
    if not any(each.get("role") not in SYSTEM_ROLES for each in kept):
        raise BadInput(
            "Nothing precedes the answer: there is no prompt to run again.",
            hint="The file has to have the conversation up to the answer.",
        )
    return kept, bool(said)


def _as_sent(
    conversation: ReviewedConversation, runtime: Runtime, form: MessageForm
) -> tuple[Any, list[Json]]:
    """The system prompt and the messages in the form of the model that is asked."""
    messages = conversation.messages
    if runtime.provider != conversation.runtime.provider:
        messages = for_another(messages, conversation.form)
    elif conversation.is_rebuilt:
        messages = from_store(messages, runtime)
    return in_form(conversation, messages, form)


def _settings(conversation: ReviewedConversation, runtime: Runtime, form: MessageForm) -> Json:
    is_same = conversation.form is form and conversation.runtime.model == runtime.model
    if not is_same or conversation.runtime.provider != runtime.provider:
        return {"model": runtime.model}
    settings = dict(conversation.settings)
    if forces_a_tool(settings.get("tool_choice")):
        del settings["tool_choice"]
    return settings


def _tools(
    conversation: ReviewedConversation, messages: Sequence[Json], form: MessageForm
) -> tuple[Json, ...]:
    """The tools as they were offered; where they are not known, those that were called."""
    if conversation.tools is not None:
        return tuple(convert_tools(conversation.tools, conversation.form, form))
    calls = (call for each in messages for call in read(each, conversation.form).calls)
    names = dict.fromkeys(call.name for call in calls)
    schema = {"type": "object", "properties": {}}
    known = [
        {"type": "function", "function": {"name": name, "description": "", "parameters": schema}}
        for name in names
    ]
    return tuple(convert_tools(known, MessageForm.OPENAI, form))


def _with_memory(
    system: Any, messages: list[Json], memory: str, form: MessageForm
) -> tuple[Any, list[Json]]:
    if form is MessageForm.ANTHROPIC:
        return _joined(system, memory), messages
    if messages and messages[0].get("role") in SYSTEM_ROLES:
        first = messages[0] | {"content": _joined(messages[0].get("content"), memory)}
        return system, [first, *messages[1:]]
    return system, [{"role": "system", "content": memory}, *messages]


def _joined(content: Any, text: str) -> Any:
    if isinstance(content, list | tuple):
        return [*content, {"type": "text", "text": text}]
    return f"{content}\n\n{text}" if content else text


class _Cutter:
    """Finds parts in the texts of a prompt that its user and its model did not write."""

    def __init__(self, parts: Iterable[RemovableLine]) -> None:
        self._by_line: dict[str, list[tuple[tuple[str, ...], RemovableLine]]] = {}
        for part in parts:
            lines = tuple(map(_bare, part.text.strip().splitlines()))
            is_telling = part.line.is_entry or len(words_of(part.text)) >= _FEWEST_WORDS
            if lines and is_telling:
                self._by_line.setdefault(lines[0], []).append((lines, part))
        for candidates in self._by_line.values():  # The longest match is the part that is meant.
            candidates.sort(key=lambda each: -len(each[0]))
        self._numbers: dict[tuple[str, ...], int] = {}
        self._found: list[RemovableLine] = []

    @property
    def found(self) -> tuple[RemovableLine, ...]:
        return tuple(self._found)

    def finds_any(self, system: Any, messages: Sequence[Json]) -> bool:
        """Whether a prompt has any part, apart from the results of tools."""
        instructions = [
            self.cut(system),
            *(self.cut_message(each) for each in messages if each.get("role") != "tool"),
        ]
        was_found = any(map(_has_cut, instructions))
        self._numbers.clear()
        self._found.clear()
        return was_found

    def cut_message(self, message: Json) -> Any:
        """A message with its parts cut, where neither user nor model wrote it."""
        role = message.get("role")
        if role in SYSTEM_ROLES or role == "tool":
            return message | {"content": self.cut(message.get("content"))}
        content = message.get("content")
        if role != "user":
            return message
        if isinstance(content, str):
            return message | {"content": self.cut(content)} if _REMINDER in content else message
        if isinstance(content, list | tuple):
            return message | {"content": [self._cut_block(block) for block in content]}
        return message

    def _cut_block(self, block: Any) -> Any:
        if not isinstance(block, dict):
            return block
        if block.get("type") == "tool_result":
            return block | {"content": self.cut(block.get("content"))}
        text = block.get("text")
        if isinstance(text, str) and _REMINDER in text:
            return block | {"text": self.cut(text)}
        return block

    def cut(self, value: Any) -> Any:
        """A value with the texts in it cut where they have parts."""
        match value:
            case dict():
                return {
                    key: each if key in ("type", "id", "name", "tool_use_id") else self.cut(each)
                    for key, each in value.items()
                }
            case list() | tuple():
                return [self.cut(each) for each in value]
            case str():
                if value.startswith("{") and (inner := json_object(value)) is not None:
                    cut = self.cut(inner)
                    return _CutJson(cut) if _has_cut(cut) else value
                pieces = tuple(self._pieces(value.splitlines(keepends=True)))
                return _Cut(pieces) if any(part is not None for _, part in pieces) else value
            case _:
                return value

    def _pieces(self, lines: Sequence[str]) -> Iterator[tuple[str, int | None]]:
        bare = list(map(_bare, lines))
        at = 0
        while at < len(lines):
            end, number = self._part_at(bare, at)
            if number is not None and bare[end : end + 1] == [_DELIMITER]:
                end += 1
            yield "".join(lines[at:end]), number
            at = end

    def _part_at(self, bare: Sequence[str], at: int) -> tuple[int, int | None]:
        for lines, part in self._by_line.get(bare[at], ()):
            end = at + len(lines)
            if tuple(bare[at:end]) == lines:
                if lines not in self._numbers:
                    self._numbers[lines] = len(self._found)
                    self._found.append(part)
                return end, self._numbers[lines]
        return at + 1, None


def _bare(line: str) -> str:
    """A line without indentation and bullet."""
    stripped = line.strip()
    match = _BULLET.match(stripped)
    return stripped[match.end() :] if match is not None else stripped


def _has_cut(value: Any) -> bool:
    match value:
        case _Cut() | _CutJson():
            return True
        case dict():
            return any(map(_has_cut, value.values()))
        case list() | tuple():
            return any(map(_has_cut, value))
        case _:
            return False


def _rendered(value: Any, left: Left) -> Any:
    match value:
        case _Cut() | _CutJson():
            return value.without(left)
        case dict():
            return {key: _rendered(each, left) for key, each in value.items()}
        case list() | tuple():
            return [_rendered(each, left) for each in value]
        case _:
            return value


@dataclass(frozen=True, slots=True)
class ReplayLimits:
    """Limits of the runs of one search."""

    requests: int = 60
    """Repeated ones included."""
    input_tokens: int = 600_000
    seconds: float = 900.0


@dataclass(frozen=True, slots=True)
class ReplayCost:
    """What a search takes at most, as far as it can be told beforehand."""

    parts: int
    messages: int
    tokens: int
    """An estimate for one request."""

    def requests(self, members: int) -> int:
        """The most requests, if so many lines turn out to be the cause."""
        return most_runs(self.parts, members)


def cost_of(prompt: ReplayPrompt) -> ReplayCost:
    """What a search over a prompt takes at most."""
    request = prompt.request()
    return ReplayCost(len(prompt.parts), len(request.messages), estimated_tokens(request))


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """How a search ended, and what it found until then."""

    causes: Causes
    ending: ReviewEnding
    requests: int
    usage: Usage
    answer: str = ""
    """What the model said to the whole prompt, first."""


Step: TypeAlias = Callable[[int, int, str], None]
"""Takes the requests so far, how many parts the next one leaves out, and what is waited for."""


@dataclass(slots=True)
class Replay:
    """Runs of one prompt by one model."""

    prompt: ReplayPrompt
    text: str
    model: Model
    limits: ReplayLimits = field(default_factory=ReplayLimits)
    cancel: Cancel = field(default_factory=Cancel)
    step: Step = lambda requests, left, event: None
    clock: Callable[[], float] = time.monotonic

    def run(self) -> ReplayResult:
        """Searches until the causes are found, or an end is reached. Never raises for an answer."""
        texts = [part.text for part in self.prompt.parts]
        likely = [each.index for each in attribute(self.text, texts, len(texts))]
        search = CauseSearch([*dict.fromkeys((*likely, *range(len(texts))))])
        deadline = self.clock() + self.limits.seconds
        limits = ExchangeLimits(seconds=self.limits.seconds)
        left_out = 0

        def report(event: str, detail: str) -> None:
            self.step(asking.sent, left_out, f"{event} {detail}".rstrip())

        asking = Asking(self.model, limits, self.cancel, report, deadline, self.clock)
        answers: list[str] = []

        def result(ending: ReviewEnding) -> ReplayResult:
            first = answers[0] if answers else ""
            return ReplayResult(search.result, ending, asking.sent, asking.usage, first)

        sent = 0
        while (left := search.next_run()) is not None:
            request, left_out = self.prompt.request(left), len(left)
            tokens = estimated_tokens(request)
            # A server that counts nothing is counted by estimates.
            used = asking.usage.input or sent
            if (ending := self._limit(asking.sent, used + tokens, deadline)) is not None:
                return result(ending)
            sent += tokens
            answer = asking.ask(request, is_empty_enough=True)
            if isinstance(answer, Failure):
                return result(answer.told)
            holds = says(answer.text, self.text)
            if answer.early is not None and not holds:
                return result(answer.early.told())
            answers.append(answer.text)
            search.tell(holds=holds)
        return result(ExchangeEnd.DONE.told())

    def _limit(self, sent: int, tokens: int, deadline: float) -> ReviewEnding | None:
        """Why no further request is sent; None where it may be."""
        if self.cancel.is_set:
            return ExchangeEnd.CANCELLED.told()
        if sent >= self.limits.requests:
            reason = f"The limit of {self.limits.requests} requests is reached."
            return ReviewEnding(ExchangeEnd.ITERATIONS, reason, "Say --limit with a higher number.")
        if tokens > self.limits.input_tokens:
            reason = f"The limit of {self.limits.input_tokens:,} tokens is reached."
            hint = "Replay a shorter conversation, or one that was summed up."
            return ReviewEnding(ExchangeEnd.TOKENS, reason, hint)
        if self.clock() > deadline:
            reason = f"The time of {self.limits.seconds:.0f} seconds is over."
            return ReviewEnding(ExchangeEnd.TIME, reason, "time_limit in reviewer.toml is longer.")
        return None
