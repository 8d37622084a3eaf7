"""The URL of a ledger on PostgreSQL: what a connection needs of it, and what people are shown."""

from __future__ import annotations

import hashlib
import re
from ipaddress import ip_address
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

from reviewdeck.errors import BadInput
from reviewdeck.values import dataclass

_PORT: Final = "5432"
_VERIFIED: Final = "verify-full"
_OF_A_CONNECTION: Final = frozenset(
    {"host", "port", "user", "passfile", "sslmode", "sslrootcert", "sslcert", "sslkey", "sslcrl"}
    | {"sslpassword", "channel_binding", "require_auth", "target_session_attrs"}
    | {"load_balance_hosts", "krbsrvname", "gssencmode"}
)
"""What a URL may say after `?`. Others would change what the adapter rests on."""
_EXAMPLE: Final = "Use postgresql://user@host:5432/database."


@dataclass(frozen=True, slots=True)
class PostgresAddress:
    """Where a database is."""

    label: str
    """What people are shown: host, port and database."""
    parameters: dict[str, str]
    """What libpq is told, with the password if the URL has one."""
    is_local: bool
    """Whether no network lies between: a socket, or this machine's own address."""

    @property
    def password(self) -> str | None:
        return self.parameters.get("password")

    @property
    def folder(self) -> str:
        """The name of a folder for what this host keeps of it."""
        readable = re.sub(r"[^A-Za-z0-9.-]+", "-", self.label).strip("-")[-60:]
        return f"{readable}-{hashlib.sha256(self.label.encode()).hexdigest()[:8]}"


def read_address(url: str) -> PostgresAddress:
    """What a URL says. Raises BadInput, whose words never repeat the URL: it may hold a password.

    A server that is reached over a network has to prove who it is.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        raise BadInput("The ledger's URL cannot be read.", hint=_EXAMPLE) from None
    said = dict(parse_qsl(parts.query, keep_blank_values=True))
    if odd := sorted(said.keys() - _OF_A_CONNECTION):
        raise BadInput(f"The ledger's URL cannot say {odd[0]}.", hint=_EXAMPLE)
    login, _, servers = parts.netloc.rpartition("@")
    user, separator, password = login.partition(":")
    hosts, ports = _servers(servers, said)
    database = unquote(parts.path.removeprefix("/"))
    if not database or "/" in database or not all(hosts):
        raise BadInput("The ledger's URL needs a host and a database.", hint=_EXAMPLE)
    is_local = all(map(_is_local, hosts))
    if not is_local:
        mode = said.setdefault("sslmode", _VERIFIED)
        if mode != _VERIFIED:
            raise BadInput(
                f"A ledger over a network needs sslmode={_VERIFIED}: with sslmode={mode} nothing"
                " says that the server is the one that you named.",
                hint="Leave sslmode out, and name who signed the server's certificate:"
                " ?sslrootcert=FILE, or ?sslrootcert=system.",
            )
    parameters = said | {"host": ",".join(hosts), "port": ",".join(ports), "dbname": database}
    parameters |= {"user": unquote(user)} if user else {}
    parameters |= {"password": unquote(password)} if separator else {}
    where = ",".join(f"{host}:{port}" for host, port in zip(hosts, ports, strict=True))
    return PostgresAddress(f"{where}/{database}", parameters, is_local)


def _servers(netloc: str, said: dict[str, str]) -> tuple[list[str], list[str]]:
    """The hosts and the port of each. A socket's folder is named after `?`, as libpq has it."""
    hosts, ports = [], []
    for server in netloc.split(",") if netloc else ():
        host, separator, port = server.rpartition(":")
        if not separator or "]" in port:  # an address of IPv6 without a port
            host, port = server, ""
        hosts.append(unquote(host).strip("[]"))
        ports.append(port or said.get("port", _PORT))
    if not netloc:
        hosts = said.get("host", "").split(",")
        given = said.get("port", _PORT).split(",")
        ports = given if len(given) == len(hosts) else given[:1] * len(hosts)
    if not all(port.isdecimal() for port in ports):
        raise BadInput("The port in the ledger's URL is not a number.", hint=_EXAMPLE)
    return hosts, ports


def _is_local(host: str) -> bool:
    if host.startswith(("/", "@")) or host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
