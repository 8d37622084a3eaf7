"""Where a provider answers, and that its key and conversation go to no other company.

A vendor's library sends every request without an address to its maker, with whatever key it is
given. So another provider has an address here or has to come with one, a variable of one vendor is
used for that vendor alone, and a provider's name is not accepted for the host of another.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import replace
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

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

ADDRESSES: Final = {
    "cerebras": "https://api.cerebras.ai/v1",
    "deepseek": "https://api.deepseek.com/v1",
    "fireworks": "https://api.fireworks.ai/inference/v1",
    "gemini": "https://generativelanguage.googleapis.com/v1beta/openai",
    "groq": "https://api.groq.com/openai/v1",
    "mistral": "https://api.mistral.ai/v1",
    "moonshot": "https://api.moonshot.ai/v1",
    "openrouter": "https://openrouter.ai/api/v1",
    "together": "https://api.together.xyz/v1",
    "xai": "https://api.x.ai/v1",
    # Servers on this computer, by their default ports.
    "llamacpp": "http://127.0.0.1:8080/v1",
    "lmstudio": "http://127.0.0.1:1234/v1",
    "ollama": "http://127.0.0.1:11434/v1",
    "vllm": "http://127.0.0.1:8000/v1",
}
"""Addresses of OpenAI's chat completions, by provider; docs/internals/reviewer.md names them."""
_DOMAINS: Final = {
    "openai": ("openai.com",),
    "openai-codex": ("openai.com", "chatgpt.com"),
    "anthropic": ("anthropic.com", "claude.com"),
    **{
        provider: (".".join((urlsplit(address).hostname or "").split(".")[-2:]),)
        for provider, address in ADDRESSES.items()
        if address.startswith("https:")
    },
}
"""The domains of the companies behind these names."""


def addressed(runtime: Runtime) -> Runtime:
    """The runtime with the address of its provider, where it has none of its own.

    The libraries know those of their makers. Raises BadInput for a provider without an address,
    for an address that is none, and for one of another company than the provider's name says.
    """
    if runtime.base_url:
        _check_owner(runtime.provider, runtime.base_url)
    elif runtime.provider in ADDRESSES and runtime.api_mode is ApiMode.CHAT:
        runtime = replace(runtime, base_url=ADDRESSES[runtime.provider])
    if runtime.base_url or is_at_vendor(runtime):
        _check_key(runtime)
        return runtime
    if not runtime.provider:
        raise BadInput(
            "The conversation does not tell its provider, and nothing was sent.",
            hint="Name it with --provider NAME, and with --base-url URL where it answers.",
        )
    raise BadInput(
        f"Where {one_line(runtime.provider)} answers is not known, and nothing was sent.",
        hint="Name its address with --base-url URL.",
    )


def _check_owner(provider: str, base_url: str) -> None:
    """Raises BadInput for an address that is none, or is that of another provider than named."""
    if not _is_address(base_url):
        raise BadInput(
            f"{one_line(base_url)} is no address, and nothing was sent.",
            hint="An address begins with https:// (or http:// on your own network).",
        )
    owners = sorted(name for name, domains in _DOMAINS.items() if _is_in(base_url, domains))
    if owners and provider in _DOMAINS and provider not in owners:
        raise BadInput(
            f"{host_of(base_url)} is an address of {owners[0]} and not of {provider}: nothing was"
            " sent.",
            hint=f"Say --provider {owners[0]} if it is meant, so that its key goes there.",
        )


_KEYS: Final = {
    "sk-or-": "openrouter",
    "sk-ant-": "anthropic",
    "sk-proj-": "openai",
    "AIza": "gemini",
    "csk-": "cerebras",
    "gsk_": "groq",
    "xai-": "xai",
}
"""How the keys of some companies begin."""


def _check_key(runtime: Runtime) -> None:
    """Raises BadInput for a key that begins as those of another company than is asked."""
    key = runtime.api_key or ""
    owner = next((name for start, name in _KEYS.items() if key.startswith(start)), "")
    asked = [
        name
        for name, domains in _DOMAINS.items()
        if (_is_in(runtime.base_url, domains) if runtime.base_url else name == runtime.provider)
    ]
    if owner and asked and owner not in {*asked, runtime.provider}:
        raise BadInput(
            f"The key is one of {owner}, and would have gone to {asked[0]}: nothing was sent.",
            hint=f"Say --provider {owner}, or name the variable with the right key with"
            " --key-variable NAME.",
        )


def is_own_address(provider: str, base_url: str | None) -> bool:
    """Whether the key of a provider may go to this address without being named for it.

    So it is for the company's own domain and for this computer, and for every address of a
    provider whose company is not known here.
    """
    if base_url is None or (domains := _DOMAINS.get(provider)) is None:
        return True
    return _is_in(base_url, domains) or is_loopback(base_url)


def _is_in(base_url: str, domains: tuple[str, ...]) -> bool:
    host = _hostname(base_url)
    return any(host == domain or host.endswith(f".{domain}") for domain in domains)


def _hostname(base_url: str) -> str:
    try:
        return (urlsplit(base_url).hostname or "").rstrip(".").lower()
    except ValueError:
        return ""


def is_loopback(base_url: str) -> bool:
    """Whether an address is on this computer."""
    host = _hostname(base_url)
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _is_address(base_url: str) -> bool:
    try:
        urlsplit(base_url).port  # noqa: B018 - it is checked when it is read
    except ValueError:
        return False
    return base_url.startswith(("https://", "http://")) and bool(_hostname(base_url))


def host_of(base_url: str) -> str:
    """The host and port of an address, without a user's name."""
    return one_line(urlsplit(base_url).netloc.rpartition("@")[2])


_ENDPOINTS: Final = re.compile(r"/(chat/completions|completions|responses|messages|models)$")
_VERSION: Final = re.compile(r"/v\d+[a-z0-9]*(/|$)")


def other_address(runtime: Runtime) -> str:
    """The address that was probably meant, of an address where nothing answers; empty for none.

    A version is missing or doubled, a library adds it itself, or the path of a call was given.
    """
    if not runtime.base_url:
        return ""
    parts = urlsplit(runtime.base_url)
    path = _ENDPOINTS.sub("", parts.path.rstrip("/"))
    path = re.sub(r"(/v\d+[a-z0-9]*)(/v\d+)+(?=/|$)", r"\1", path)
    if runtime.api_mode is ApiMode.MESSAGES:
        path = path.removesuffix("/v1")  # The library adds it.
    elif (known := _known_at(parts.netloc)) is not None:
        path = urlsplit(known).path
    elif not _VERSION.search(path):
        path += "/v1"
    found = urlunsplit((parts.scheme, parts.netloc, path, "", ""))
    return "" if found == runtime.base_url.rstrip("/") else found


def _known_at(netloc: str) -> str | None:
    return next((a for a in ADDRESSES.values() if urlsplit(a).netloc == netloc), None)


def is_at_vendor(runtime: Runtime) -> bool:
    """Whether the library of a runtime's API is that of its provider."""
    return runtime.api_mode in _OWN.get(runtime.provider, ())


def forget_variables(client: Any, runtime: Runtime) -> None:
    """Removes from a client what its library read from variables, for any other provider.

    The libraries have no switch for that. Raises BadInput where a later one differs.
    """
    at = runtime.base_url
    if is_at_vendor(runtime) and (not at or _is_in(at, _DOMAINS[runtime.provider])):
        return
    if "_custom_headers" not in vars(client):
        raise BadInput("The library is of a version whose headers reviewdeck cannot control.")
    client._custom_headers = dict(runtime.headers)
    for name in _FROM_VARIABLES:
        if getattr(client, name, None) is not None:
            setattr(client, name, None)
