"""A model that answers from a script: the demo and the tests need no network and no key.

A script is a JSON list of answers. One has `say` (text), `call` (a list of `{"tool", "args"}`) or
`fail` (`{"kind", "retry_after"}`), and may have `usage`. After the last one it says that there is
nothing to save.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from reviewdeck.errors import BadInput
from reviewdeck.reviewer.conversation import Call, Json, MessageForm, ParsedMessage, Usage
from reviewdeck.reviewer.models import (
    CANCELLED,
    Answer,
    Cancel,
    Failure,
    FailureKind,
    ModelRequest,
    Reply,
    write,
)
from reviewdeck.text.json import load_json

THE_END: Final[Json] = {"say": "Nothing to save."}


class ScriptedModel:
    """A `Model` that answers from a script and records its requests."""

    def __init__(
        self, script: Sequence[Mapping[str, Any]], form: MessageForm = MessageForm.OPENAI
    ) -> None:
        self.requests: list[ModelRequest] = []
        self.is_closed = False
        self._script = list(script)
        self._form = form
        self._lock = threading.Lock()

    @property
    def host(self) -> str:
        """Empty: a script asks nobody."""
        return ""

    @property
    def form(self) -> MessageForm:
        return self._form

    def answer(self, request: ModelRequest, cancel: Cancel) -> Answer:
        """Answers with the next line of the script."""
        with self._lock:
            number = len(self.requests)
            self.requests.append(request)
            line = self._script[number] if number < len(self._script) else THE_END
        if cancel.wait(float(line.get("wait", 0))):
            return CANCELLED
        if isinstance(failing := line.get("fail"), dict):
            kind = FailureKind(failing.get("kind", FailureKind.OVERLOADED))
            return Failure(kind, str(failing.get("message", kind)), failing.get("retry_after"))
        text = str(line.get("say", ""))
        calls = tuple(
            Call(f"call_{number}_{place}", str(call["tool"]), _arguments(call))
            for place, call in enumerate(line.get("call", ()))
        )
        (message,) = write(ParsedMessage("assistant", text, calls), self._form)
        usage = Usage(**line.get("usage", {}))
        return Reply(message, text, calls, usage, "tool_calls" if calls else "stop")

    def close(self) -> None:
        self.is_closed = True


def _arguments(call: Mapping[str, Any]) -> str:
    args = call.get("args", {})
    return args if isinstance(args, str) else json.dumps(args, ensure_ascii=False)


def load_script(path: Path) -> list[Json]:
    """Loads the answers in a file. Raises BadInput."""
    try:
        value = load_json(path.read_text("utf-8"))
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError:
        raise BadInput(f"{path} is not JSON.") from None
    hint = 'A script is a list of answers, such as {"say": "Nothing to save."}.'
    if not isinstance(value, list) or not all(map(_is_answer, value)):
        raise BadInput(f"{path} is not a script of answers.", hint=hint)
    return value


def _is_answer(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    calls = value.get("call", [])
    usage = value.get("usage", {})
    return (
        isinstance(calls, list)
        and all(isinstance(call, dict) and isinstance(call.get("tool"), str) for call in calls)
        and isinstance(usage, dict)
        and usage.keys() <= {"input", "output", "cached", "written", "cost"}
    )
