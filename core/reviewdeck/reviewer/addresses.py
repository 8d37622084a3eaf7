"""Which runtimes may be asked without an address: only those of a vendor whose library has its own.

A library sends every request without an address to its maker, with whatever key it is given. So
another provider has to come with one, and a variable of one vendor is used for that vendor alone.
"""

from __future__ import annotations

from typing import Any, Final

from reviewdeck.errors import BadInput
from reviewdeck.presentation.words import one_line
from reviewdeck.reviewer.conversation import ApiMode, Runtime

_AT_OPENAI: Final = frozenset({ApiMode.CHAT, ApiMode.RESPONSES})
_OWN: Final = {
    "openai": _AT_OPENAI,
    "openai-codex": _AT_OPENAI,
    "anthropic": frozenset({ApiMode.MESSAGES}),
}
"""By provider, the APIs whose library has the provider's own address."""
_FROM_VARIABLES: Final = ("organization", "project", "admin_api_key", "auth_token")
"""What a vendor's library adds to each request from its variables, besides headers."""


def check_address(runtime: Runtime) -> None:
    """Raises BadInput for a runtime without an address, unless its library has the right one."""
    if runtime.base_url or is_at_vendor(runtime):
        return
    if not runtime.provider:
        raise BadInput(
            "The conversation does not tell its provider, and nothing was sent.",
            hint="Name it with --provider NAME, and with --base-url URL where it answers.",
        )
    raise BadInput(
        f"Where {one_line(runtime.provider)} answers is not known, and nothing was sent.",
        hint="Name its address with --base-url URL.",
    )


def is_at_vendor(runtime: Runtime) -> bool:
    """Whether the library of a runtime's API is that of its provider."""
    return runtime.api_mode in _OWN.get(runtime.provider, ())


def forget_variables(client: Any, runtime: Runtime) -> None:
    """Removes from a client what its library read from variables, for any other provider.

    The libraries have no switch for that. Raises BadInput where a later one differs.
    """
    if is_at_vendor(runtime):
        return
    if "_custom_headers" not in vars(client):
        raise BadInput("The library is of a version whose headers reviewdeck cannot control.")
    client._custom_headers = dict(runtime.headers)
    for name in _FROM_VARIABLES:
        if getattr(client, name, None) is not None:
            setattr(client, name, None)
