"""Which model reviews, on the command line."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter

NO_DEFAULT: Final = Parameter(show_default=False)
"""An option whose default says nothing."""


class Part(StrEnum):
    """What can be reviewed alone."""

    MEMORY = "memory"
    SKILLS = "skills"


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """A model, where it answers, and with which key."""

    provider: Annotated[
        str,
        Parameter(
            help="openai, anthropic, or another that speaks as OpenAI does.", show_default=False
        ),
    ] = ""
    model: Annotated[
        str,
        Parameter(
            help="The model that reviews; by default the conversation's own.", show_default=False
        ),
    ] = ""
    base_url: Annotated[str | None, Parameter(help="Where it answers, if elsewhere.")] = None
    key_variable: Annotated[
        str | None, Parameter(help="The environment variable that holds its key.")
    ] = None
    timeout: Annotated[float, Parameter(help="Seconds for one answer of the model.")] = 120.0
    script: Annotated[
        Path | None, Parameter(help="Answers from a file in the place of a model: works offline.")
    ] = None
    send_secrets: Annotated[
        bool,
        Parameter(
            help="Send the model secrets too. Without it they are covered as on a screen.",
            negative="",
        ),
    ] = False


MODEL_DEFAULTS: Final = ModelOptions()
