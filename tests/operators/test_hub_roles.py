"""Signed decisions in a hub where each has a role: who decides, who writes, and what is refused."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from tests.engine.crashes import make_home
from tests.engine.kit import digest_of, entries
from tests.engine.machines import DESK, HOST
from tests.ledger.hub import make_hub
from tests.operators.signed import WORDS, Office, operators_of
from tests.operators.terminals import account, program, typed
from tests.postgres import Server

from reviewdeck.bootstrap import open_engine
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.options import Settings
from reviewdeck.engine.pause import pause, paused_elsewhere, resume, why_paused
from reviewdeck.errors import Locked, NotPermitted, WrongPassphrase
from reviewdeck.ledger.audit import Break
from reviewdeck.ledger.inspection import find_damage
from reviewdeck.ledger.postgres.administration import add_member
from reviewdeck.model import Draft, State, Verb
from reviewdeck.operators import audit, enrolment
from reviewdeck.operators.ring import Act, RingEntry

SOON = "Deploys run on Fridays."
OTHER = "2" * 16
BY_HAND = "Somebody wrote this by hand."
SKILL = "---\nname: up\ndescription: Brings it up.\n---\n# Up\n\n## Steps\n1. Look.\n"


@dataclass
class Team:
    """Dana's machine, which has the key, and a machine with a home, which has the list of keys."""

    office: Office
    server: Server
    name: str

    def url(self, role: str) -> str:
        """The hub under this role."""
        return self.server.url(self.name, role)

    def host(self, role: str = "web-1", id: str = HOST, home: Path | None = None) -> Engine:
        """The machine with the home, or another one."""
        homes = self.office.settings.homes if home is None else (home,)
        return self._open(
            replace(
                self.office.settings,
                homes=homes,
                ledger=self.url(role),
                host=id,
                operators=self.ring,
            )
        )

    def desk(self, id: str = DESK) -> Engine:
        """Dana's machine; she has typed the passphrase."""
        mine = replace(self.office.settings, homes=(), host=id, elsewhere=())
        desk = self._open(replace(mine, ledger=self.url("dana")))
        desk.authority.unlock(WORDS)
        return desk

    @property
    def ring(self) -> Path:
        """What the host has of the operators."""
        return self.office.root / "ring"

    def as_owner(self, sql: str) -> int:
        """Changes rows as whoever owns the database can; how many."""
        with self.server.connect(self.name) as connection:
            connection.execute("SET search_path = reviewdeck")
            connection.execute("SET session_replication_role = replica")
            count: int = connection.execute(sql).rowcount
            return count

    def _open(self, settings: Settings) -> Engine:
        engine = open_engine(settings, now=self.office.clock)
        self.office.decks.append(engine)
        return engine


@pytest.fixture
def team(office: Office, postgres_server: Server) -> Iterator[Team]:
    with postgres_server.database("signed_team", made) as name:
        found = Team(office, postgres_server, name)
        enrolled(found)
        yield found
        while office.decks:
            office.decks.pop().close()


def enrolled(team: Team) -> None:
    """Makes the first operator; the host, which knows the hub already, gets the list."""
    team.host().intake()
    signer = team.office.vault.make_key("dana", WORDS)
    team.office.vault.note(RingEntry(Act.TRUST, "dana", signer.public), signer, team.office.clock())
    desk = team.desk()
    enrolment.sign_policy(operators_of(desk), desk.policy().mark)
    desk.operator()
    shutil.copytree(team.office.root / "operators", team.ring, ignore=lambda *_: ["dana.key"])


def made(url: str) -> None:
    """An empty hub with a host and an operator."""
    make_hub(url)
    add_member(url, "host", "web-1", None)
    add_member(url, "host", "web-2", None)
    add_member(url, "operator", "dana", None)


def work(host: Engine) -> list[str]:
    """What a worker does; how each batch ended."""
    endings = [each.ending for each in host.recover()]
    host.run_errands()
    host.refresh()
    return endings


def only(desk: Engine) -> str:
    """The proposal that waits."""
    (item,) = desk.pending()
    return item.id


def test_each_role_can_do_what_its_part_in_a_team_needs(team: Team) -> None:
    agent, home = team.office.agent, team.office.home
    agent.add(SOON)
    record = agent.memory("remove", old_text="tox")
    host, desk = team.host(), team.desk()
    host.intake()
    assert len(host.auto().applied) == 1 and SOON in entries(home)

    done = desk.approve(only(desk), digest_of(desk, only(desk)))
    assert work(host) == ["finished"] and "Tests run with tox." not in entries(home)
    desk.undo(done.id)
    assert work(host) == ["finished"] and "Tests run with tox." in entries(home)

    desk.defer(only(desk), "later")
    desk.ledger.put_draft(Draft(only(desk), Verb.REJECT, None, desk.now(), "no"))
    rejected = only(desk)
    desk.reject(rejected, "no")
    assert work(host) == [] and not (home / f"pending/memory/{record}.json").exists()
    desk.reopen(rejected, "after all")
    work(host)
    text = "\n§\n".join(["Tests run with nox.", *entries(home)[1:]])
    desk.merge(only(desk), text, digest_of(desk, only(desk)))
    assert work(host) == ["finished"] and "Tests run with nox." in entries(home)

    agent.skill("create", "up", content=SKILL)
    work(host)
    desk.approve(only(desk), digest_of(desk, only(desk)))
    assert work(host) == ["finished"] and (home / "skills" / "up" / "SKILL.md").exists()

    desk.mark_seen()
    assert pause(desk) and resume(desk)
    host.ledger.note_host("web-1", "1.0")
    assert audit.audit(desk.ledger, operators_of(desk), desk.open_homes).irregularities == ()
    assert desk.ledger.verify() is None
    assert find_damage(team.url("postgres")) == ()


@pytest.mark.slow  # A program in a terminal, and Argon2id as hard as it is meant to be.
def test_a_key_made_in_a_hub_is_the_roles_whatever_the_account_is_called(
    office: Office, postgres_server: Server
) -> None:
    with postgres_server.database("signed_team", made) as name:
        words, env = ("--ledger", postgres_server.url(name, "dana")), account(office.root)
        other = typed(program("init", "--name", "eve", *words), [], env)
        assert other.code == 1 and "decides as dana, and not as eve" in other.screen
        asked = [("New passphrase", WORDS), ("Repeat passphrase", WORDS)]
        done = typed(program("init", *words), asked, env)
        assert done.code == 0 and "dana signs decisions" in done.screen, done.screen


def test_a_host_pauses_its_own_homes_and_resumes_them_with_an_operators_key(team: Team) -> None:
    host, desk = team.host(), team.desk()
    assert pause(host)
    assert why_paused(host.ledger, host.homes) and not desk.ledger.pinned("paused")
    with pytest.raises(NotPermitted) as refused:
        resume(host)
    assert "no operator's key is on this machine" in refused.value.message
    assert f"NAME.key in {team.ring}" in str(refused.value.hint)
    # With the key there for that time it is resumed.
    shutil.copy(team.office.root / "operators" / "dana.key", team.ring)
    with pytest.raises(Locked):
        resume(host)
    host.authority.unlock(WORDS)
    assert resume(host)


def test_a_home_that_was_paused_on_its_own_machine_is_named_where_all_is_resumed(
    team: Team,
) -> None:
    host = team.host()
    pause(host)
    desk = team.desk()
    assert not resume(desk)
    assert [sight.machine for sight in paused_elsewhere(desk)] == ["web-1"]


def test_a_home_that_is_as_the_ledger_has_it_is_shown_to_others_all_the_same(team: Team) -> None:
    team.host().intake()
    assert team.as_owner("DELETE FROM look") == 1  # As in a ledger that was copied from a file.
    team.host().auto()
    assert [sight.machine for sight in team.desk().ledger.sights()] == ["web-1"]


def test_an_operator_decides_on_the_hosts_own_machine_without_naming_its_home(team: Team) -> None:
    team.office.agent.memory("remove", old_text="tox")
    host, desk = team.host(), team.desk(HOST)
    host.intake()
    desk.approve(only(desk), digest_of(desk, only(desk)))
    assert "Tests run with tox." in entries(team.office.home)
    assert work(host) == ["finished"] and "Tests run with tox." not in entries(team.office.home)


def test_a_host_verifies_the_logs_of_its_own_homes_and_misses_those_of_others_nowhere(
    team: Team, tmp_path: Path
) -> None:
    other = team.host("web-2", OTHER, make_home(tmp_path / "other"))
    other.intake()
    team.office.agent.add(SOON)
    host, desk = team.host(), team.desk()
    host.auto()
    assert desk.ledger.homes_read() is None and desk.ledger.verify() is None
    for engine in (host, other):
        assert engine.ledger.homes_read() == frozenset(engine.home_ids)
        assert engine.ledger.verify() is None
    assert audit.audit(host.ledger, operators_of(host), host.open_homes).irregularities == ()
    assert team.as_owner(f"DELETE FROM event WHERE chain = '{host.homes[0].id}'") > 0  # noqa: S608
    assert host.ledger.verify() == desk.ledger.verify() == Break(host.homes[0].id, 0)
    assert other.ledger.verify() is None


def test_a_home_that_is_another_machines_is_refused_with_what_to_do(team: Team) -> None:
    team.host().intake()
    for role in ("dana", "web-2"):
        mine = replace(team.office.settings, ledger=team.url(role), host=HOST)
        with pytest.raises(NotPermitted) as refused:
            team._open(replace(mine, homes=team.office.settings.homes)).intake()
        assert "of another host" in refused.value.message
        assert "leaves --home out" in refused.value.hint
        assert "ledger add-host" in refused.value.hint


def test_a_wrong_passphrase_is_called_that_under_each_role(team: Team) -> None:
    for engine in (team.host(), team.desk()):
        with pytest.raises(WrongPassphrase):
            engine.authority.unlock("these are not the words")


@pytest.mark.parametrize(
    "forged",
    [
        "UPDATE decision SET seal = NULL, signer = NULL, counter = NULL WHERE verb = 'approve'",
        "UPDATE decision SET digest = 'another' WHERE verb = 'approve'",
        "UPDATE batch_write SET path = 'memories/USER.md'",
        "UPDATE operation SET actor = replace(actor, '\"operator\"', '\"policy\"')",
        "DELETE FROM decision",
    ],
)
def test_what_the_owner_of_the_database_forged_is_not_written(team: Team, forged: str) -> None:
    team.office.agent.memory("remove", old_text="tox")
    host, desk = team.host(), team.desk()
    host.intake()
    id = only(desk)
    desk.approve(id, digest_of(desk, id))
    before = entries(team.office.home)
    assert team.as_owner(forged) > 0
    assert work(host) == ["refused"] and entries(team.office.home) == before
    assert desk.find(id).state is not State.APPLIED
