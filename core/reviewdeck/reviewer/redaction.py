"""Redacts secrets from the requests to a model."""

from __future__ import annotations

from typing import Any, Final, cast

from reviewdeck.reviewer.conversation import Json, MessageForm
from reviewdeck.reviewer.models import Answer, Cancel, Model, ModelRequest
from reviewdeck.text.redact import redact, redact_value

_UNREDACTED: Final = frozenset(
    {
        *("call_id", "data", "encrypted_content", "id", "media_type", "name", "role", "signature"),
        *("thought_signature", "thoughtSignature", "tool_call_id", "tool_use_id", "type"),
    }
)
"""Fields that stay unredacted: names, and signed or encrypted ones, which must not change."""
_ARGUMENTS: Final = frozenset({"input"})
"""Fields with the arguments of a call as JSON, where a field of these names is just an argument."""


class RedactingModel:
    """A `Model` whose requests are redacted."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._cache: dict[str, str] = {}
        """Redacted texts: each request repeats those of the one before."""

    @property
    def host(self) -> str:
        return self._model.host

    @property
    def form(self) -> MessageForm:
        return self._model.form

    def answer(self, request: ModelRequest, cancel: Cancel) -> Answer:
        """The model's answer to the redacted request."""
        messages = tuple(cast("Json", self._redact(message)) for message in request.messages)
        system = self._redact(request.system)
        return self._model.answer(
            ModelRequest(messages, system, request.tools, request.settings), cancel
        )

    def close(self) -> None:
        self._model.close()

    def _redact(self, value: Any) -> Any:
        return redact_value(value, _UNREDACTED, self._text, foreign=_ARGUMENTS)

    def _text(self, text: str) -> str:
        redacted = self._cache.get(text)
        if redacted is None:
            redacted = self._cache[text] = redact(text)
        return redacted
