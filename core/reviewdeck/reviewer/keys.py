"""The key of a model: from which variable, and that it goes only where an operator means it to."""

from __future__ import annotations

import re
from collections.abc import Mapping

from reviewdeck.environment import HEADERS, KEY
from reviewdeck.errors import BadInput
from reviewdeck.presentation.words import one_line
from reviewdeck.reviewer.addresses import is_own_address
from reviewdeck.text.json import json_object


def key_variable(provider: str) -> str | None:
    """The variable with a provider's own key, such as OPENAI_API_KEY; None for no such name.

    Capitals of other letters may be those of another provider's name, so only ASCII counts.
    """
    if re.fullmatch(r"[a-z0-9][a-z0-9._-]*", provider) is None:
        return None
    return f"{provider.upper().replace('-', '_').replace('.', '_')}_API_KEY"


def model_key(
    provider: str,
    base_url: str | None,
    env: Mapping[str, str],
    variable: str | None = None,
    *,
    is_named: bool = True,
) -> str | None:
    """The key for a provider at an address: from the named variable, else KEY or the provider's.

    The provider's own variable is not read for somebody else's address, and KEY not for a provider
    that no operator named (`is_named`). Raises BadInput for a named variable without a key, and
    for a key that no request can carry.
    """
    if variable:
        if key := _key_in(variable, env):
            return key
        raise BadInput(
            f"The variable {one_line(variable)} has no key.",
            hint="Set it, or name none (--key-variable, key_variable) if the server wants no key.",
        )
    names = [KEY] if is_named else []
    if is_own_address(provider, base_url) and (own := key_variable(provider)):
        names.append(own)
    return next(filter(None, (_key_in(name, env) for name in names)), None)


def _key_in(variable: str, env: Mapping[str, str]) -> str:
    key = env.get(variable, "").strip()
    if not _is_sendable(key):
        raise BadInput(
            f"The key in {one_line(variable)} has a character that no key has.",
            hint="Nothing was sent. Copy the key again.",
        )
    return key


def model_headers(env: Mapping[str, str]) -> dict[str, str]:
    """The headers for the conversation's own model. Raises BadInput."""
    headers = json_object(env.get(HEADERS) or "{}")
    if headers is None or not all(isinstance(v, str) for v in headers.values()):
        raise BadInput(f"{HEADERS} is not a JSON object of texts.")
    if not all(_is_sendable(text) for pair in headers.items() for text in pair):
        raise BadInput(f"{HEADERS} has a character that no header has.")
    return headers


def _is_sendable(text: str) -> bool:
    """Whether a request can carry it: a library would show it in its complaint."""
    return text.isascii() and text.isprintable()
