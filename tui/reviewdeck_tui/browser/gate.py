"""Who gets in: one link that works once, one cookie that it is changed for. Pure but for chance.

Whoever else is on this machine, and every page in the operator's browser, can reach a port of the
loopback. So each request has to name this very address (another name that leads here is DNS
rebinding), must come from no other page, and has to carry the cookie.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final

HOST: Final = "127.0.0.1"
"""The loopback by number: a name could be made to mean something else."""


class Pass(Enum):
    """What becomes of a request."""

    IN = auto()
    NEW = auto()
    """It brought the token: it gets the cookie and comes again without the token."""
    OUT = auto()


def _random() -> str:
    return secrets.token_urlsafe(32)


@dataclass
class Gate:
    """One server's door. The token is gone when it was used once."""

    port: int
    chance: Callable[[], str] = field(default=_random, repr=False)
    _token: str | None = field(default=None, repr=False)
    _session: str | None = field(default=None, repr=False)

    @property
    def origin(self) -> str:
        """The only address that is ours."""
        return f"http://{HOST}:{self.port}"

    @property
    def cookie_name(self) -> str:
        """Of its own for each port: browsers do not tell ports apart for cookies."""
        return f"reviewdeck-{self.port}"

    def new_link(self) -> str:
        """A link that works once. An earlier one works no more."""
        self._token = self.chance()
        return f"{self.origin}/?token={self._token}"

    def judge(
        self,
        headers: Mapping[str, str],
        cookies: Mapping[str, str],
        token: str | None,
        *,
        is_socket: bool,
    ) -> Pass:
        """Whether a request may come in."""
        if headers.get("Host") != f"{HOST}:{self.port}" or self._is_foreign(headers, is_socket):
            return Pass.OUT
        if token is not None and not is_socket:
            return Pass.NEW if _is_same(token, self._token) else Pass.OUT
        return Pass.IN if _is_same(cookies.get(self.cookie_name), self._session) else Pass.OUT

    def open_session(self) -> str:
        """Changes the token for a cookie; whoever had an earlier cookie is out."""
        self._token, self._session = None, self.chance()
        return self._session

    def _is_foreign(self, headers: Mapping[str, str], is_socket: bool) -> bool:
        """A socket always says where it comes from; a page that is typed in does not."""
        origin = headers.get("Origin")
        return origin != self.origin if is_socket or origin is not None else False


def _is_same(given: str | None, known: str | None) -> bool:
    """Compared in a time that says nothing."""
    if given is None or known is None:
        return False
    return secrets.compare_digest(given.encode("utf-8", "replace"), known.encode())
