"""A standby takes over from the hub: what was lost is asked for or reported again, nothing doubles.

Two real servers, replication as PostgreSQL has it; each URL names both.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest
from tests import postgres
from tests.engine.kit import digest_of, entries
from tests.operators.signed import Office, operators_of
from tests.operators.test_hub_roles import Team, enrolled, made, work

from reviewdeck.engine.engine import Engine
from reviewdeck.engine.recovery import report_again
from reviewdeck.errors import LedgerBehind
from reviewdeck.ledger.inspection import find_damage
from reviewdeck.model import State
from reviewdeck.operators import audit
from reviewdeck.ports import Head

PATIENCE = 60.0

pytestmark = pytest.mark.slow


class Pair:
    """A primary, and its standby."""

    def __init__(self) -> None:
        self.primary = postgres.server.__wrapped__()
        folder = self.primary.folder.with_name(f"{self.primary.folder.name}-standby")
        self.standby = postgres.Server(self.primary.programs, folder, self.primary.user)
        folder.mkdir(mode=0o755)
        if self.primary.user is not None:
            shutil.chown(folder, self.primary.user)
        self.name = self.primary.create()
        made(self.primary.url(self.name))
        copied = self.primary.run(
            "pg_basebackup", "-D", str(self.standby.data), "-R", "-X", "stream",
            "-d", self.primary.url("postgres"), "--checkpoint=fast",
        )  # fmt: skip
        if copied.returncode:
            pytest.skip(f"no standby can be made here: {copied.stderr}")
        self.start(self.standby)
        self.wait(lambda: self.ask(self.primary, "SELECT count(*) = 1 FROM pg_stat_replication"))

    def url(self, role: str) -> str:
        """Whichever of the two takes writes."""
        both = f"{self.primary.folder},{self.standby.folder}"
        return f"postgresql://{role}@/{self.name}?host={both}&target_session_attrs=read-write"

    def cut_replication(self) -> None:
        """From now on the standby receives nothing."""
        self.wait(
            lambda: self.ask(
                self.primary,
                "SELECT replay_lsn >= pg_current_wal_insert_lsn() FROM pg_stat_replication",
            )
        )
        self.ask(self.standby, "ALTER SYSTEM SET primary_conninfo = ''")
        self.ask(self.standby, "SELECT pg_reload_conf()")
        self.wait(lambda: self.ask(self.primary, "SELECT count(*) = 0 FROM pg_stat_replication"))

    def fail_over(self) -> None:
        """The primary dies, and the standby takes over."""
        self.stop(self.primary)
        assert self.ask(self.standby, "SELECT pg_promote()")

    def fail_back(self) -> None:
        """The old primary takes writes again, as if nothing had happened; the other one is gone."""
        self.stop(self.standby)
        self.start(self.primary)

    def start(self, server: postgres.Server) -> None:
        """Starts one."""
        words = f"-c listen_addresses= -c unix_socket_directories={server.folder} -c fsync=off"
        log = str(server.folder / "again")
        done = server.run("pg_ctl", "-w", "-D", str(server.data), "-l", log, "-o", words, "start")
        assert done.returncode == 0, done.stderr

    def stop(self, server: postgres.Server) -> None:
        """Ends one as a power cut would."""
        server.run("pg_ctl", "-w", "-D", str(server.data), "-m", "immediate", "stop")

    def ask(self, server: postgres.Server, sql: str) -> object:
        """The first answer to a statement."""
        with closing(server.connect()) as connection:
            cursor = connection.execute(sql)
            return cursor.fetchone()[0] if cursor.description else None

    def wait(self, is_so: Callable[[], object]) -> None:
        """Waits for what the servers do by themselves."""
        deadline = time.monotonic() + PATIENCE
        while not is_so():
            assert time.monotonic() < deadline
            time.sleep(0.1)

    def end(self) -> None:
        """Ends both."""
        for server in (self.primary, self.standby):
            self.stop(server)
            server.stop()


class TeamOfTwoServers(Team):
    """A team whose hub has a standby."""

    pair: Pair

    def url(self, role: str) -> str:
        return self.pair.url(role)


@pytest.fixture
def team(office: Office) -> Iterator[TeamOfTwoServers]:
    pair = Pair()
    try:
        found = TeamOfTwoServers(office, pair.primary, pair.name)
        found.pair = pair
        enrolled(found)
        yield found
    finally:
        while office.decks:
            office.decks.pop().close()
        pair.end()


def noted(host: Engine) -> dict[str, Head]:
    """The lines that a worker remembers after it asked this hub."""
    ids = [open_home.home.id for open_home in host.here]
    return host.ledger.heads(["", *ids])


def assert_behind(host: Engine, saw: dict[str, Head]) -> None:
    """A hub that lacks what a worker saw is refused."""
    host.ledger.require(saw)
    with pytest.raises(LedgerBehind):
        host.ledger.counts()


def test_an_asynchronous_standby_lacks_what_is_asked_for_and_reported_again(
    team: TeamOfTwoServers,
) -> None:
    agent, home = team.office.agent, team.office.home
    agent.memory("remove", old_text="tox")
    host, desk = team.host(), team.desk()
    host.intake()
    (written,) = (item.id for item in desk.pending())
    agent.memory("remove", old_text="stg-2")
    host.intake()
    (decided,) = (item.id for item in desk.pending() if item.id != written)
    team.pair.cut_replication()
    desk.approve(written, digest_of(desk, written))
    assert work(host) == ["finished"]
    agent.talks = False
    agent.add("Ask the harbour master before each deploy to the piers.")
    host.intake()
    (unknown,) = (item.id for item in desk.pending() if item.id != decided)
    desk.approve(unknown, digest_of(desk, unknown))
    assert work(host) == ["finished"]
    desk.approve(decided, digest_of(desk, decided))
    saw = noted(host)
    operations = {op.id for op in desk.operations()}
    team.pair.fail_over()

    # The worker takes nothing from it until somebody says that it is meant.
    host, desk = team.host(), team.desk()
    assert_behind(team.host(), saw)
    # Its role may not say what an operator decided; what has lost its proposal nobody can tell.
    with pytest.raises(LedgerBehind) as first:
        report_again(host, host.here[0])
    assert "with the URL of the hub's owner" in str(first.value.hint)
    owner = team.host("postgres")
    again = {each.proposals: each.ending for each in report_again(owner, owner.here[0])}
    assert again == {(written,): "finished", (unknown,): "refused"}
    (refused,) = report_again(host, host.here[0])
    assert refused.proposals == (unknown,)
    assert "has lost the proposal too" in refused.detail
    assert desk.find(written).state is State.APPLIED
    assert {op.id for op in desk.operations()} < operations  # under the id that it had
    assert "Tests run with tox." not in entries(home)

    # What was only decided waits again. The key goes on after what it had signed.
    host.refresh()
    live, waiting = desk.pending()
    assert live.state is State.LIVE and "harbour master" in live.gist
    assert waiting.id == decided
    assert "The staging host is stg-2." in entries(home)
    desk.approve(decided, digest_of(desk, decided))
    assert work(host) == ["finished"] and "The staging host is stg-2." not in entries(home)
    found = audit.audit(desk.ledger, operators_of(desk), desk.open_homes).irregularities
    assert [each.code for each in found] == ["missing"], found
    assert desk.ledger.verify() is None
    assert find_damage(team.url("postgres")) == ()
    saw = noted(host)

    # The old primary comes back, with the decision that was made twice: it is refused.
    team.pair.fail_back()
    assert_behind(team.host(), saw)


def test_a_synchronous_standby_lacks_nothing(team: TeamOfTwoServers) -> None:
    primary = team.pair.primary
    team.pair.ask(primary, f"ALTER DATABASE {team.pair.name} SET synchronous_commit = on")
    team.pair.ask(primary, "ALTER SYSTEM SET synchronous_standby_names = '*'")
    team.pair.ask(primary, "SELECT pg_reload_conf()")
    team.office.agent.memory("remove", old_text="tox")
    host, desk = team.host(), team.desk()
    host.intake()
    (item,) = desk.pending()
    desk.approve(item.id, digest_of(desk, item.id))
    saw = noted(host)
    team.pair.fail_over()

    host, desk = team.host(), team.desk()
    host.ledger.require(saw)
    assert work(host) == ["finished"]
    assert "Tests run with tox." not in entries(team.office.home)
    assert desk.find(item.id).state is State.APPLIED
    found = audit.audit(desk.ledger, operators_of(desk), desk.open_homes)
    assert found.irregularities == ()
