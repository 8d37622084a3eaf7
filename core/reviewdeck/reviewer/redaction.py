"""What a model is sent, without the secrets that a screen would cover."""

from __future__ import annotations

from typing import Any, Final, cast

from reviewdeck.policy.redact import redact, redact_value
from reviewdeck.reviewer.conversation import Json, MessageForm
from reviewdeck.reviewer.models import Answer, Cancel, Model, ModelRequest

_AS_THEY_ARE: Final = frozenset(
    {
        *("call_id", "data", "encrypted_content", "id", "media_type", "name", "role", "signature"),
        *("tool_call_id", "tool_use_id", "type"),
    }
)
"""Names, and what a provider signed or encrypted: it refuses what is changed."""


class Discreet:
    """A model that gets no secret to read. Satisfies `Model`."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._known: dict[str, str] = {}
        """Texts as they are sent: each request has those of the one before it."""

    @property
    def form(self) -> MessageForm:
        """The form of the model."""
        return self._model.form

    def answer(self, request: ModelRequest, cancel: Cancel) -> Answer:
        """What the model answers to the request without secrets."""
        messages = tuple(cast("Json", self._without(one)) for one in request.messages)
        system = self._without(request.system)
        return self._model.answer(
            ModelRequest(messages, system, request.tools, request.settings), cancel
        )

    def close(self) -> None:
        """Lets go of the model."""
        self._model.close()

    def _without(self, value: Any) -> Any:
        return redact_value(value, _AS_THEY_ARE, self._text)

    def _text(self, text: str) -> str:
        found = self._known.get(text)
        if found is None:
            found = self._known[text] = redact(text)
        return found
