"""The options that name a model. Loads no part of the reviewer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter

from reviewdeck.cli.numbers import seconds


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """A model, where it answers, and with which key."""

    provider: Annotated[
        str,
        Parameter(
            help="openai, anthropic, or another with an OpenAI-compatible API.", show_default=False
        ),
    ] = ""
    model: Annotated[
        str,
        Parameter(
            help="The model that is asked; by default the conversation's own.", show_default=False
        ),
    ] = ""
    base_url: Annotated[
        str | None, Parameter(help="The address of its API, if not the provider's own.")
    ] = None
    key_variable: Annotated[
        str | None, Parameter(help="The environment variable that holds its key.")
    ] = None
    timeout: Annotated[
        float | None,
        Parameter(
            help="Seconds to wait for one answer of the model; by default 120.", converter=seconds
        ),
    ] = None
    script: Annotated[
        Path | None, Parameter(help="Take answers from a file instead of a model: works offline.")
    ] = None
    send_secrets: Annotated[
        bool,
        Parameter(
            help="Send secrets to the model too. Without it, they are redacted as on a screen."
        ),
    ] = False


MODEL_DEFAULTS: Final = ModelOptions()
