"""The access control of the page: a link that works once, and the cookie it is exchanged for.

Everyone else on this machine, and every page in the operator's browser, can reach a port of the
loopback. So each request must name this very address (another name for it is DNS rebinding),
must come from no other page, and must carry the cookie.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final

HOST: Final = "127.0.0.1"
"""The loopback by number: a name could resolve to something else."""


class Pass(Enum):
    """The decision on a request."""

    IN = auto()
    NEW = auto()
    """The request brought the token: it gets the cookie and is redirected without the token."""
    OUT = auto()


@dataclass
class Gate:
    """The access control of one server. A token works once."""

    port: int
    _token: str | None = field(default=None, repr=False)
    _session: str | None = field(default=None, repr=False)

    @property
    def origin(self) -> str:
        """The only address that is ours."""
        return f"http://{HOST}:{self.port}"

    @property
    def cookie_name(self) -> str:
        """One for each port: browsers do not separate cookies by port."""
        return f"reviewdeck-{self.port}"

    def new_link(self) -> str:
        """A link that works once. It invalidates the earlier one."""
        self._token = secrets.token_urlsafe(32)
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
        """Exchanges the token for a cookie, and invalidates the earlier cookie."""
        self._token, self._session = None, secrets.token_urlsafe(32)
        return self._session

    def _is_foreign(self, headers: Mapping[str, str], is_socket: bool) -> bool:
        """Whether another page sent a request. A socket always has an origin, a typed URL none."""
        origin = headers.get("Origin")
        return origin != self.origin if is_socket or origin is not None else False


def _is_same(candidate: str | None, secret: str | None) -> bool:
    """Compares in constant time."""
    if candidate is None or secret is None:
        return False
    return secrets.compare_digest(candidate.encode("utf-8", "replace"), secret.encode())
