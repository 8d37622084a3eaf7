"""The exchange of a review with a model: requests, retries and tool calls.

A review offers a few tools of its own; every other call is denied.
"""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

from reviewdeck.homes.hermes.tool_calls import base_of
from reviewdeck.homes.strict_json import parse_object
from reviewdeck.reviewer.asking import Asking, ExchangeLimits
from reviewdeck.reviewer.author import ReviewAuthor
from reviewdeck.reviewer.conversation import Call, Json, ParsedMessage, Result, Usage
from reviewdeck.reviewer.endings import ExchangeEnd, ReviewEnding
from reviewdeck.reviewer.models import Cancel, Failure, Model, ModelRequest, Reply, write

MEMORY: Final = "memory"
MANAGE: Final = "skill_manage"
VIEW: Final = "skill_view"
LIST: Final = "skills_list"

MEMORY_TOOLS: Final = (MEMORY,)
SKILL_TOOLS: Final = (LIST, VIEW, MANAGE)


def allowed_tools(*, memory: bool, skills: bool) -> tuple[str, ...]:
    """Names of the tools that a review runs; all others are denied."""
    return (MEMORY_TOOLS if memory else ()) + (SKILL_TOOLS if skills else ())


def own_definitions(names: tuple[str, ...]) -> list[Json]:
    """Our definitions of these tools, in OpenAI's form."""
    return [_DEFINITIONS[name] for name in names]


def _tool(tool: str, description: str, required: tuple[str, ...], /, **properties: Any) -> Json:
    parameters = {"type": "object", "properties": properties, "required": list(required)}
    about = {"name": tool, "description": description, "parameters": parameters}
    return {"type": "function", "function": about}


def _text(description: str) -> Json:
    return {"type": "string", "description": description}


_OPERATION: Final[Json] = {
    "type": "object",
    "properties": {
        "action": {"type": "string", "enum": ["add", "replace", "remove"]},
        "content": _text("The whole entry, for add and replace."),
        "old_text": _text("A part of the one entry that is meant, for replace and remove."),
    },
    "required": ["action"],
}

_DEFINITIONS: Final[dict[str, Json]] = {
    MEMORY: _tool(
        MEMORY,
        "Propose changes to what is remembered between sessions. A replace takes the place of the"
        " whole entry that contains old_text. Several changes go together in operations.",
        ("target",),
        target={
            "type": "string",
            "enum": ["memory", "user"],
            "description": "user for the person, memory for everything else.",
        },
        **_OPERATION["properties"],
        operations={"type": "array", "items": _OPERATION},
    ),
    LIST: _tool(LIST, "List all skills with their descriptions.", ()),
    VIEW: _tool(
        VIEW,
        "Read one file of a skill, by default its SKILL.md. Read it before you change it.",
        ("name",),
        name=_text("The skill."),
        file_path=_text("A file of it, such as references/style.md."),
    ),
    MANAGE: _tool(
        MANAGE,
        "Propose a change of a skill: create it, patch or write one of its files, remove one.",
        ("action", "name"),
        action={
            "type": "string",
            "enum": ["create", "edit", "patch", "delete", "write_file", "remove_file"],
        },
        name=_text("The skill: lower-case letters, digits, dots and dashes."),
        content=_text("The whole SKILL.md, with its front matter, for create and edit."),
        category=_text("A directory to put a new skill into."),
        file_path=_text("references/, templates/, assets/ or scripts/ and a name."),
        file_content=_text("The whole file, for write_file."),
        old_string=_text("What to replace, with enough around it to be found once, for patch."),
        new_string=_text("What to put in its place."),
        replace_all={"type": "boolean"},
        absorbed_into=_text("For delete: the skill that has taken over everything in it."),
    ),
}


LONGEST_NAME: Final = 100
"""Characters of a tool's name that are stored: a model can write anything there."""


_ECHOED: Final = frozenset({"kind", "action", "target", "changes"})
_STAGED: Final = _ECHOED | {"message"}
"""The task says already what becomes of a call."""


@dataclass(frozen=True, slots=True)
class HandledCall:
    """One call and its answer."""

    call: Call
    content: Json
    is_denied: bool = False
    is_malformed: bool = False

    @property
    def text(self) -> str:
        return json.dumps(self.content, ensure_ascii=False)

    @property
    def told(self) -> str:
        """The answer as JSON for the model, without what its call or the task said."""
        known = _STAGED if self.content.get("staged") else _ECHOED
        kept = {key: value for key, value in self.content.items() if key not in known}
        return json.dumps(kept, ensure_ascii=False)


class Toolbox:
    """The tools of one review."""

    def __init__(self, author: ReviewAuthor, allowed: tuple[str, ...]) -> None:
        self._author = author
        self.allowed = allowed
        self.denied: Counter[str] = Counter()
        """Denied calls by tool name."""
        self._tools: dict[str, Callable[[Call, Json], Json]] = {
            MEMORY: author.memory,
            MANAGE: author.skill,
            VIEW: lambda call, arguments: self._view(arguments),
            LIST: lambda call, arguments: self._list(),
        }

    def run(self, call: Call) -> HandledCall:
        """Runs one call. Never raises for its content."""
        if call.name not in self.allowed:
            name = call.name[:LONGEST_NAME].encode("utf-8", "replace").decode()
            self.denied[name] += 1
            return HandledCall(call, self._deny(name), is_denied=True)
        arguments = parse_object(call.arguments or "{}")
        if isinstance(arguments, str):
            answer = {"success": False, "error": f"The arguments are no use: {arguments}."}
            return HandledCall(call, answer, is_malformed=True)
        return HandledCall(call, self._tools[call.name](call, arguments))

    def _deny(self, name: str) -> Json:
        runs = ", ".join(self.allowed)
        error = f"Tool {name!r} is denied: a review runs only {runs}, and asks nobody."
        return {"success": False, "denied": True, "tool": name, "error": error}

    def _list(self) -> Json:
        skills = [
            {"name": skill.name, "description": skill.description}
            for skill in self._author.live.skills
        ]
        return {"success": True, "skills": skills}

    def _view(self, arguments: Json) -> Json:
        name, file = arguments.get("name"), arguments.get("file_path") or "SKILL.md"
        if not isinstance(name, str) or not isinstance(file, str):
            return {"success": False, "error": "It needs the name of a skill."}
        snapshot = self._author.home.snapshot()
        skill = snapshot.skill(name)
        if skill is None:
            return {"success": False, "error": f"There is no skill {name!r}."}
        if file not in skill.files:
            files = list(skill.files)
            return {"success": False, "error": f"It has no file {file!r}.", "files": files}
        path = skill.path_of(file)
        document = snapshot.document(path)
        if document.problem is not None:
            return {"success": False, "error": f"{path}: {document.problem}."}
        self._author.viewed[path] = base_of(document)
        about = {"name": skill.name, "file_path": file, "files": list(skill.files)}
        return {"success": True, **about, "content": document.text}


SENDING: Final = "sending"


@dataclass(frozen=True, slots=True)
class ExchangeProgress:
    """A step of a running review, for its watcher."""

    iteration: int
    limit: int
    event: str
    """SENDING before the first request, with the host; `asking`, `waiting`, or a tool's name."""
    detail: str = ""
    usage: Usage = field(default_factory=Usage)


Watch: TypeAlias = Callable[[ExchangeProgress], None]


@dataclass(frozen=True, slots=True)
class ExchangeResult:
    """The result of an exchange."""

    ending: ExchangeEnd
    handled: tuple[HandledCall, ...] = ()
    iterations: int = 0
    usage: Usage = field(default_factory=Usage)
    last_words: str = ""
    failure: Failure | None = None
    said: str = ""
    """What the provider said about an answer that is no whole one."""

    @property
    def told(self) -> ReviewEnding:
        """How it ended, with the provider's reason and what to do."""
        return self.failure.told if self.failure is not None else self.ending.told(self.said)


REASON_SHOWN: Final = 300
"""Characters of what a provider says about the end of an answer."""

CHARACTERS_PER_TOKEN = 4
"""For an estimate, before the provider has counted."""


def estimated_tokens(request: ModelRequest) -> int:
    """A rough estimate of a request's tokens."""
    parts = (request.system, list(request.tools), list(request.messages))
    return len(json.dumps(parts, ensure_ascii=False, default=str)) // CHARACTERS_PER_TOKEN


class Exchange:
    """The requests of one review to one model."""

    def __init__(
        self,
        model: Model,
        toolbox: Toolbox,
        limits: ExchangeLimits,
        cancel: Cancel,
        watch: Watch,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._model = model
        self._toolbox = toolbox
        self._limits = limits
        self._cancel = cancel
        self._watch = watch
        self._clock = clock
        self._deadline = clock() + limits.seconds
        self._asking = Asking(model, limits, cancel, self._report, self._deadline, clock)
        self._handled: list[HandledCall] = []
        self._iterations = 0
        self._malformed = 0
        self._last_text = ""
        self._said = ""

    def run(self, request: ModelRequest) -> ExchangeResult:
        """Sends requests and runs the tool calls of the answers until an end is reached."""
        if self._limit(request) is None and self._model.host:
            self._report(SENDING, self._model.host)
        while True:
            if (ending := self._limit(request)) is not None:
                return self._result(ending)
            self._iterations += 1
            answer = self._asking.ask(request, is_empty_enough=bool(self._handled))
            if isinstance(answer, Failure):
                self._iterations -= 1
                return self._result(answer.told.end, answer)
            self._last_text = answer.text
            if (ending := self._end_at(answer)) is not None:
                return self._result(ending)
            results = self._run_calls(answer)
            if results is None:
                return self._result(ExchangeEnd.CANCELLED)
            if self._malformed >= self._limits.malformed:
                return self._result(ExchangeEnd.MALFORMED)
            request = replace(request, messages=(*request.messages, answer.message, *results))

    def _limit(self, request: ModelRequest) -> ExchangeEnd | None:
        if self._cancel.is_set:
            return ExchangeEnd.CANCELLED
        if self._iterations >= self._limits.iterations:
            return ExchangeEnd.ITERATIONS
        if self._usage.input + estimated_tokens(request) > self._limits.input_tokens:
            return ExchangeEnd.TOKENS
        return ExchangeEnd.TIME if self._clock() > self._deadline else None

    @property
    def _usage(self) -> Usage:
        return self._asking.usage

    def _end_at(self, reply: Reply) -> ExchangeEnd | None:
        """The end of the exchange at this reply; None to go on. No call of a cut one is run."""
        if reply.early is not None:
            self._said = " ".join((reply.said or reply.finish).split())[:REASON_SHOWN]
            return reply.early
        if reply.calls or reply.is_paused:
            return None
        if name := written_call(reply.text, self._toolbox.allowed):
            self._said = f"a call of {name}"
            return ExchangeEnd.WRITTEN
        return ExchangeEnd.EMPTY if reply.is_empty and not self._handled else ExchangeEnd.DONE

    def _run_calls(self, reply: Reply) -> list[Json] | None:
        """Runs all calls of a reply; returns their results as messages, or None if cancelled."""
        handled: list[HandledCall] = []
        for number, call in enumerate(reply.calls):
            if self._cancel.is_set:
                return None
            if number < self._limits.calls:
                self._report(call.name)
                result = self._toolbox.run(call)
            else:
                result = HandledCall(call, {"success": False, "error": "Too many calls at once."})
            self._malformed = self._malformed + 1 if result.is_malformed else 0
            handled.append(result)
            self._handled.append(result)
        results = tuple(Result(result.call.id, result.told) for result in handled)
        if not results:
            return []  # The provider paused, and goes on with its own answer.
        return write(ParsedMessage("tool", results=results), self._model.form)

    def _report(self, event: str, detail: str = "") -> None:
        limit = self._limits.iterations
        self._watch(ExchangeProgress(self._iterations, limit, event, detail, self._usage))

    def _result(self, ending: ExchangeEnd, failure: Failure | None = None) -> ExchangeResult:
        return ExchangeResult(
            ending,
            tuple(self._handled),
            self._iterations,
            self._usage,
            self._last_text,
            failure,
            self._said,
        )


_WRITTEN: Final = re.compile(
    r"<\|?tool[_▁]calls?(?:[_▁]begin)?\|?>|<｜tool▁calls?▁begin｜>|\[TOOL_CALLS\]|<\|python_tag\|>"
    r"|<function(?:_call)?[=>\s]|<invoke\s|^\s*(?:```(?:json|tool_call)?\s*)?[\[{]"
)
"""How models begin a tool call that their server does not recognise."""


def written_call(text: str, tools: Sequence[str]) -> str:
    """The tool that a text calls, as a model writes calls when its server reads none; or empty."""
    start = _WRITTEN.search(text)
    if start is None:
        return ""
    rest = text[start.start() : start.end() + WRITTEN_READ]
    names = "|".join(map(re.escape, tools))
    named = re.search(rf"""[="'>\s](?:functions\.)?({names})(?=["'>:\s\[{{(<]|$)""", rest)
    has_arguments = re.search(r"arguments|parameters|<parameter|\{", rest) is not None
    return named[1] if named is not None and has_arguments else ""


WRITTEN_READ: Final = 300
"""Characters after the beginning of a written call in which its tool has to be named."""


def ignore_progress(progress: ExchangeProgress) -> None:
    """Ignores the progress."""
