"""A hub over a network: on the oldest server that is supported, with TLS, and behind a pooler.

It takes Debian's PostgreSQL, since the wheel's has no TLS. Where that is missing, all are skipped.
"""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from tests.ledger.hub import ledger_at
from tests.ledger.samples import proposal
from tests.ledger.statements import CALLS
from tests.ports import free_port

from reviewdeck.errors import BadInput, LedgerUnavailable, NotPermitted
from reviewdeck.ledger.database import NOBODY
from reviewdeck.ledger.postgres.administration import add_member, create
from reviewdeck.ledger.postgres.creation import FLOOR

PROGRAMS = Path(f"/usr/lib/postgresql/{FLOOR}/bin")
POOLER = shutil.which("pgbouncer", path="/usr/sbin:/usr/bin")
USER = "postgres"
WORD = "marmalade" + "-pier"  # of use nowhere
HOST = socket.gethostname()


@dataclass(frozen=True, slots=True)
class Network:
    """A server that takes logins over TLS alone, and a pooler before it."""

    folder: Path
    port: int
    pooler: int

    def url(self, user: str = "owner", host: str = HOST, said: str = "", word: str = WORD) -> str:
        """What opens the hub over the network."""
        root = self.folder / "root.crt"
        return f"postgresql://{user}:{word}@{host}:{self.port}/hub?sslrootcert={root}{said}"

    @property
    def pooled_url(self) -> str:
        """The same by way of the pooler, on this machine."""
        return f"postgresql://owner@/hub?host={self.folder}&port={self.pooler}"


def run(folder: Path, *words: str | Path) -> None:
    """Runs a program to its end, as the server's user."""
    user = USER if os.geteuid() == 0 else None
    subprocess.run([*map(str, words)], check=True, capture_output=True, user=user, cwd=folder)


def make_certificates(folder: Path) -> None:
    """An authority, a certificate by it for this machine, and another authority."""
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2")
    for name in ("root", "other"):
        run(folder, "openssl", "req", "-x509", *key, "-keyout", f"{name}.key", "-out",
            f"{name}.crt", "-subj", f"/CN={name}")  # fmt: skip
    signed = ("-CA", "root.crt", "-CAkey", "root.key")
    run(folder, "openssl", "req", "-x509", *key, *signed, "-keyout", "server.key", "-out",
        "server.crt", "-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}")  # fmt: skip
    (folder / "server.key").chmod(0o600)


@pytest.fixture(scope="module")
def network() -> Iterator[Network]:
    """The two programs, with an empty hub."""
    known = {entry.pw_name for entry in pwd.getpwall()}
    if not (PROGRAMS / "initdb").exists() or POOLER is None or not shutil.which("openssl"):
        pytest.skip("Debian's PostgreSQL, pgbouncer and openssl are not all installed")
    if os.geteuid() == 0 and USER not in known:
        pytest.skip("this is root, and there is no other user")
    try:
        socket.gethostbyname(HOST)
    except OSError:
        pytest.skip("the name of this machine leads nowhere")
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="reviewdeck-network-"))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        folder.chmod(0o755)
        user = USER if os.geteuid() == 0 else None
        if user is not None:
            shutil.chown(folder, user)
        made = Network(folder, free_port(), free_port())
        make_certificates(folder)
        run(folder, PROGRAMS / "initdb", "-N", "-D", "data", "-E", "UTF8", "--locale=C", "-U",
            "owner", "-A", "trust")  # fmt: skip
        hba = "local all all trust\nhostssl all all all scram-sha-256\n"
        (folder / "data" / "pg_hba.conf").write_text(hba, "ascii")
        settings = {
            "listen_addresses": "*", "port": made.port, "unix_socket_directories": folder,
            "fsync": "off", "ssl": "on", "ssl_cert_file": folder / "server.crt",
            "ssl_key_file": folder / "server.key",
        }  # fmt: skip
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        pooling = folder / "pgbouncer.ini"
        pooling.write_text(
            f"[databases]\nhub = host={folder} port={made.port} dbname=hub user=owner\n"
            f"[pgbouncer]\nunix_socket_dir = {folder}\nlisten_port = {made.pooler}\n"
            "auth_type = any\npool_mode = transaction\ndefault_pool_size = 2\n",
            "ascii",
        )
        for words in ([PROGRAMS / "postgres", "-D", "data", *options], [POOLER, "-q", pooling]):
            program = subprocess.Popen(
                [*map(str, words)], user=user, cwd=folder, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )  # fmt: skip
            stack.callback(program.wait, 60)
            stack.callback(program.terminate)
        local = f"postgresql://owner@/postgres?host={folder}&port={made.port}"
        with closing(connected(local)) as owner:
            owner.execute("CREATE DATABASE hub")
            owner.execute(f"ALTER ROLE owner PASSWORD '{WORD}'")
        create(made.url())
        yield made


def connected(url: str) -> psycopg.Connection[tuple[object, ...]]:
    """A connection, once the server answers."""
    for _ in range(600):
        try:
            return psycopg.connect(url, autocommit=True)
        except psycopg.OperationalError:
            time.sleep(0.1)
    pytest.skip("the server does not start here")


def test_every_method_of_a_ledger_works_on_the_oldest_server_over_tls(network: Network) -> None:
    with ledger_at(network.url(), NOBODY) as ledger:
        for call in CALLS.values():
            call(ledger)
        assert ledger.verify() is None
        with ledger._database.reading() as tx:
            sql = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
            assert [tuple(row) for row in tx.rows(sql)] == [(True,)]
            assert tx.rows("SELECT current_setting('server_version_num')")[0][0] < "160000"


def test_a_member_logs_in_with_its_password_alone(network: Network) -> None:
    add_member(network.url(), "host", "web-1", "long" + WORD)
    with ledger_at(network.url("web-1", word="long" + WORD), NOBODY) as ledger:
        assert ledger.known_homes() is not None
    with pytest.raises(NotPermitted, match="refused the login") as refused:
        ledger_at(network.url("web-1", word=WORD), NOBODY)
    assert WORD not in f"{refused.value}{refused.value.hint}"
    with pytest.raises(NotPermitted, match="refused the login"):
        ledger_at(network.url("web-1", word=""), NOBODY)


@pytest.mark.parametrize("mode", ["disable", "allow", "prefer", "require", "verify-ca"])
def test_less_than_a_proven_server_is_refused_over_a_network(network: Network, mode: str) -> None:
    with pytest.raises(BadInput, match="verify-full") as refused:
        ledger_at(network.url(said=f"&sslmode={mode}"), NOBODY)
    assert WORD not in f"{refused.value}{refused.value.hint}"


def test_a_server_of_another_authority_is_refused(network: Network) -> None:
    url = network.url().replace("root.crt", "other.crt")
    with pytest.raises(LedgerUnavailable, match="does not prove") as refused:
        ledger_at(url, NOBODY)
    assert WORD not in f"{refused.value}{refused.value.hint}"


def test_a_server_of_another_name_is_refused(network: Network) -> None:
    url = network.url(host="localhost", said="&sslmode=verify-full")
    with pytest.raises(LedgerUnavailable, match="does not prove") as refused:
        ledger_at(url, NOBODY)
    assert WORD not in f"{refused.value}{refused.value.hint}"


def test_programs_behind_a_pooler_that_shares_two_connections_write_one_chain(
    network: Network,
) -> None:
    connected(network.pooled_url).close()
    homes, rounds = [f"/pooled/{number}" for number in range(5)], 6

    def write(home: str) -> None:
        with ledger_at(network.pooled_url, NOBODY) as ledger:
            for number in range(rounds):
                ledger.add([proposal(number, home=home)], {})
                ledger.pin("notices:x", str(number))

    writers = [threading.Thread(target=write, args=(home,)) for home in homes]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    with ledger_at(network.pooled_url, NOBODY) as ledger:
        amounts = [sum(ledger.counts([home]).by_state.values()) for home in homes]
        assert amounts == [rounds] * len(homes)
        assert ledger.verify() is None
