"""Opens the model that a runtime names. A vendor's library is imported only when needed."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

from reviewdeck.errors import BadInput
from reviewdeck.reviewer.values import ApiMode, Runtime

if TYPE_CHECKING:
    from reviewdeck.reviewer.models import Model

_ADAPTERS: Final = {
    ApiMode.CHAT: ("openai", "reviewdeck.reviewer.openai_chat"),
    ApiMode.RESPONSES: ("openai", "reviewdeck.reviewer.openai_responses"),
    ApiMode.MESSAGES: ("anthropic", "reviewdeck.reviewer.anthropic_messages"),
}


def open_model(runtime: Runtime) -> Model:
    """The model behind a runtime. Raises BadInput when it cannot be spoken to."""
    if not runtime.model:
        raise BadInput("No model is named.", hint="Name one with --model, or use --script FILE.")
    if runtime.api_mode not in _ADAPTERS:
        raise BadInput(f"The mode {runtime.api_mode} cannot review.")
    extra, module = _ADAPTERS[runtime.api_mode]
    try:
        opened: Model = import_module(module).open_model(runtime)
    except ModuleNotFoundError as error:
        if error.name != extra:
            raise
        raise BadInput(
            f"The library {extra} is not installed.",
            hint=f"Install it with: pip install 'reviewdeck[{extra}]'",
        ) from None
    return opened
