"""A host's role and an operator's role, against a real server: each thing that they must not do."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any, TypeAlias

import psycopg
import pytest
from psycopg import errors
from tests.ledger.hub import ledger_at
from tests.ledger.samples import (
    HOME,
    MEMORY,
    OPEN_FOR_ALL,
    OPERATOR,
    START,
    claim,
    clock,
    decision,
    id_of,
    proposal,
)
from tests.postgres import Server

from reviewdeck.errors import NotPermitted
from reviewdeck.ledger.audit import Note, head_of, log
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.ledger.postgres.creation import create
from reviewdeck.ledger.postgres.members import add_member, remove_member
from reviewdeck.ledger.postgres.rights import _REACHED_BY
from reviewdeck.ledger.purge import purge
from reviewdeck.ledger.retention import prune
from reviewdeck.ledger.tables import METADATA
from reviewdeck.model import Actor, ActorKind, Draft, Marks, State, Verb
from reviewdeck.model.ledger import DirectoryIdentity, Filter, Opener, Staging

OTHERS = "/homes/otto"
POLICY = Actor(ActorKind.POLICY, "built-in")
MEMBERS = {"web-1": "host", "web-2": "host", "iris": "operator", "otto": "operator"}
OPENERS = {
    "web-1": Opener(host="a" * 16),
    "web-2": Opener(host="b" * 16),
    "iris": Opener("iris", "c" * 16),
    "otto": Opener("otto", "c" * 16),
}
Tries: TypeAlias = Callable[..., Any]


def made(url: str) -> None:
    """A hub with two hosts of one home each, and two operators; one proposal in each home."""
    with psycopg.connect(url, autocommit=True) as connection:
        create(connection, "the test's")
        for name, kind in MEMBERS.items():
            add_member(connection, kind, name)  # type: ignore[arg-type]  # the names above
    for name, home in (("web-1", HOME), ("web-2", OTHERS)):
        with ledger_at(url.replace("postgres@", f"{name}@"), OPENERS[name]) as ledger:
            ledger.put_place(home, DirectoryIdentity(home, "1-2", name * 4), "spare")
            ledger.add([proposal(1, home=home), proposal(2, home=home)], {"r": b"record"})


class Hub:
    """The ledgers and the plain connections of a hub's members."""

    def __init__(self, server: Server, name: str) -> None:
        self._server, self.name = server, name
        self._stack = ExitStack()

    def ledger(self, member: str, opener: Opener | None = None) -> Ledger:
        """The ledger under this role."""
        url = self._server.url(self.name, member)
        return self._stack.enter_context(ledger_at(url, opener or OPENERS.get(member, Opener())))

    def run(self, member: str, sql: str, values: Any = ()) -> Any:
        """Runs one statement under this role, alone; gives its rows."""
        with closing(self._server.connect(self.name, member)) as connection:
            connection.execute("SET search_path = reviewdeck")
            cursor = connection.execute(sql, values)
            return cursor.fetchall() if cursor.description else cursor.rowcount

    def close(self) -> None:
        """Ends every connection."""
        self._stack.close()


@pytest.fixture
def hub(postgres_server: Server) -> Iterator[Hub]:
    """A hub with two hosts and two operators."""
    with (
        postgres_server.database("hub_of_members", made) as name,
        closing(Hub(postgres_server, name)) as opened,
    ):
        yield opened


def test_a_host_takes_in_stages_and_carries_out_what_was_decided(hub: Hub) -> None:
    host, operator = hub.ledger("web-1"), hub.ledger("iris")
    host.stage([Staging(id_of(1), State.READY, "review", "d", (), "")])
    host.begin_refresh(HOME)
    assert [item.id for item in operator.page(Filter((HOME,)))] == [id_of(2), id_of(1)]
    assert operator.begin([claim(1, batch="b")]) == ("b",)
    assert host.claim_batch("b")
    host.rescue("b", MEMORY, b"theirs", START)
    host.finish("b", START, [])
    host.settle("b")
    assert operator.state_of(id_of(1)) == State.APPLIED
    assert operator.verify() is host.verify(HOME) is None
    assert host.decisions(id_of(1))[0].actor == OPERATOR


def test_a_host_records_what_its_policy_applied(hub: Hub) -> None:
    host = hub.ledger("web-1")
    by_policy = claim(1, batch="b")
    decided = replace(by_policy.decisions[0], actor=POLICY)
    began = replace(by_policy.operations[0], actor=POLICY)
    assert host.begin([replace(by_policy, decisions=(decided,), operations=(began,))]) == ("b",)
    assert hub.ledger("iris").verify() is None


def test_an_operator_decides_drafts_and_marks_as_itself(hub: Hub) -> None:
    iris = hub.ledger("iris")
    iris.put_draft(Draft(id_of(2), Verb.REJECT, None, START, "no"))
    iris.put_marks(HOME, Marks(START, {}), OPERATOR, START)
    assert iris.decide(decision(2, verb=Verb.REJECT), State.REJECTED, OPEN_FOR_ALL)
    iris.append("note", home=HOME, subject=id_of(1), actor=OPERATOR, at=START)
    iris.pin("operators", "head")
    assert iris.state_of(id_of(2)) == State.REJECTED and iris.verify() is None


def test_a_host_sees_no_row_of_another_hosts_home(hub: Hub) -> None:
    hub.ledger("iris").begin([claim(1, batch="b")])
    for table in METADATA.sorted_tables:
        key = "id" if table.name == "home" else "home"
        if key in table.columns and table.name not in ("place", "draft"):
            homes = hub.run("web-2", f"SELECT DISTINCT {key} FROM {table.name}")  # noqa: S608 - a name of the schema
            assert {home for (home,) in homes} <= {OTHERS, ""}, table.name
        elif table.name in _REACHED_BY:
            count = f"SELECT count(*) FROM {table.name}"  # noqa: S608 - a name of the schema
            found, own = hub.run("web-2", count), hub.run("web-1", count)
            assert found == [(0,)] or own != found, table.name


DECIDE = (
    "INSERT INTO decision (id, proposal, verb, actor, at, reason)"
    " VALUES ('x', %s, 'approve', %s, 0, '')"
)
BY_IRIS = '{"host":"desk","kind":"operator","name":"iris","terminal":"","tier":"signed"}'
BY_OTTO = BY_IRIS.replace("iris", "otto")
BY_RULE = '{"host":"","kind":"policy","name":"built-in","terminal":"","tier":"unsigned"}'


@pytest.mark.parametrize(
    "actor",
    [
        BY_IRIS,
        BY_IRIS.replace('"kind":', '"kind" :'),
        BY_IRIS.replace('"operator"', r'"\u006fperator"'),
        BY_RULE.replace("}", ',"kind":"operator"}'),
        BY_RULE.replace("}", r',"\u006bind":"operator"}'),
        "{}",
        "no JSON",
    ],
)
def test_a_host_decides_nothing_as_an_operator(hub: Hub, actor: str) -> None:
    with pytest.raises(errors.InsufficientPrivilege, match="its own name"):
        hub.run("web-1", DECIDE, (id_of(1), actor))


VOTE = (
    "INSERT INTO vote (decision, proposal, home, operator, verb, revisions, ended)"
    " VALUES ('x', %s, %s, %s, 'approve', '[]', FALSE)"
)
LOOK = (
    "INSERT INTO look (home, host, machine, at, name, kind, path, sha, body)"
    " VALUES (%s, %s, '', 0, '', '', '', '', '{}')"
)
REPORT = "INSERT INTO host (id, name, version, seen_at) VALUES (%s, '', '', 0)"

FORBIDDEN_TO_HOSTS = {
    "a vote": (VOTE, (id_of(1), HOME, "iris")),
    "the end of a vote": ("UPDATE vote SET ended = TRUE", ()),
    "a vote's removal": ("DELETE FROM vote", ()),
    "a look at a home of another host": (LOOK, (OTHERS, "b" * 16)),
    "an errand in a home of another host": (
        "INSERT INTO errand (decision, home, digests) VALUES ('x', %s, '[]')",
        (OTHERS,),
    ),
    "a report of another host": (REPORT, ("b" * 16,)),
    "the removal of a report": ("DELETE FROM host", ()),
    "a decision of its own in another's home": (DECIDE, (id_of(1, OTHERS), BY_RULE)),
    "a signed decision": (
        DECIDE.replace("reason)", "reason, signer)").replace("'')", "'', 'key')"),
        (id_of(1), BY_RULE),
    ),
    "a proposal in another's home": (
        "INSERT INTO proposal (id, home, kind, action, target, state, origin, ingested_at, since,"
        " payload_sha, reason, summary, findings, paths, body) SELECT 'x', %s, kind, action,"
        " target, state, origin, ingested_at, since, payload_sha, reason, summary, findings, paths,"
        " body FROM proposal LIMIT 1",
        (OTHERS,),
    ),
    "a proposal that is decided already": (
        "INSERT INTO proposal (id, home, kind, action, target, state, origin, ingested_at, since,"
        " payload_sha, reason, summary, findings, paths, body) SELECT 'x', home, kind, action,"
        " target, 'applied', origin, ingested_at, since, payload_sha, reason, summary, findings,"
        " paths, body FROM proposal LIMIT 1",
        (),
    ),
    "an approval by a change of the state": (
        "UPDATE proposal SET state = 'approved' WHERE id = %s",
        (id_of(1),),
    ),
    "a rejection by a change of the state": (
        "UPDATE proposal SET state = 'rejected' WHERE id = %s",
        (id_of(1),),
    ),
    "a state that does not follow": (
        "UPDATE proposal SET state = 'applying' WHERE id = %s",
        (id_of(1),),
    ),
    "the home of a proposal": ("UPDATE proposal SET home = %s", (OTHERS,)),
    "the order of the queue": ("UPDATE proposal SET position = 10 WHERE id = %s", (id_of(1),)),
    "a proposal's removal": ("DELETE FROM proposal", ()),
    "a decision's removal": ("DELETE FROM decision", ()),
    "another decision": ("UPDATE decision SET verb = 'reject'", ()),
    "another line": ("UPDATE event SET detail = '{}'", ()),
    "a line's removal": ("DELETE FROM event", ()),
    "an emptied log": ("TRUNCATE event", ()),
    "other bytes": ("UPDATE blob SET data = ''", ()),
    "a counter": ("UPDATE counter SET amount = 0", ()),
    "the home of another host": ("UPDATE place SET host = %s WHERE home = %s", ("a" * 16, OTHERS)),
    "a home of another machine": (
        "INSERT INTO place (home, path, number, mark, host) VALUES ('/new', '/new', '', '', %s)",
        ("b" * 16,),
    ),
    "its home for another machine": ("UPDATE place SET host = %s WHERE home = %s", ("", HOME)),
    "the operators' keys": ("INSERT INTO pin (name, value) VALUES ('operators', 'mine')", ()),
    "a pin of another's home": ("INSERT INTO pin (name, value) VALUES (%s, '')", ("x:" + OTHERS,)),
    "a draft": (
        "INSERT INTO draft (proposal, operator, home, verb, at, reason)"
        " VALUES (%s, 'iris', %s, 'approve', 0, '')",
        (id_of(1), HOME),
    ),
    "what a draft says": ("SELECT verb, reason FROM draft", ()),
    "a mark": ("INSERT INTO seen (home, operator, path, at) VALUES (%s, 'iris', '', 0)", (HOME,)),
    "membership": ("INSERT INTO member (role, kind, name) VALUES ('x', 'operator', 'x')", ()),
    "another's name": ("UPDATE member SET kind = 'operator'", ()),
    "the version": ("UPDATE alembic_version SET version_num = ''", ()),
    "the rights of operators": ("SET ROLE reviewdeck_operator", ()),
    "the rights of an operator": ("SET ROLE iris", ()),
    "the rights of the owner": ("SET ROLE postgres", ()),
    "another session's user": ("SET SESSION AUTHORIZATION postgres", ()),
    "a rule's end": ("ALTER TABLE event DISABLE TRIGGER ALL", ()),
    "a policy's end": ("ALTER TABLE proposal DISABLE ROW LEVEL SECURITY", ()),
    "triggers that do not fire": ("SET session_replication_role = replica", ()),
    "a table": ("CREATE TABLE reviewdeck.mine (x int)", ()),
}


def assert_refused(hub: Hub, member: str, sql: str, values: Any) -> None:
    """The server refuses it, or there is no row that it could be done to."""
    with suppress(errors.InsufficientPrivilege, errors.CheckViolation):
        assert hub.run(member, sql, values) == 0


@pytest.mark.parametrize("what", FORBIDDEN_TO_HOSTS)
def test_a_host_cannot_write(hub: Hub, what: str) -> None:
    hub.ledger("iris").put_draft(Draft(id_of(1), Verb.APPROVE, None, START))
    assert_refused(hub, "web-1", *FORBIDDEN_TO_HOSTS[what])
    assert hub.ledger("iris").verify() is None


FORBIDDEN_TO_OPERATORS = {
    "a vote of another's": (VOTE, (id_of(1), HOME, "otto")),
    "a look at a host's home": (LOOK, (HOME, "a" * 16)),
    "a report of a host": (REPORT, ("a" * 16,)),
    "a decision of another's": (DECIDE, (id_of(1), BY_OTTO)),
    "a draft of another's": (
        "INSERT INTO draft (proposal, operator, home, verb, at, reason)"
        " VALUES (%s, 'otto', %s, 'approve', 0, '')",
        (id_of(1), HOME),
    ),
    "an answer in another's draft": ("UPDATE draft SET verb = 'approve'", ()),
    "a draft's passing to another": ("UPDATE draft SET operator = 'iris'", ()),
    "the end of another's draft": ("DELETE FROM draft WHERE operator = 'otto'", ()),
    "a mark of another's": (
        "INSERT INTO seen (home, operator, path, at) VALUES (%s, 'otto', '', 0)",
        (HOME,),
    ),
    "a host's home": ("UPDATE place SET host = %s", ("c" * 16,)),
    "a home for a host": (
        "INSERT INTO place (home, path, number, mark, host) VALUES ('/new', '/new', '', '', %s)",
        ("a" * 16,),
    ),
    **{
        name: FORBIDDEN_TO_HOSTS[name]
        for name in (
            "a vote's removal",
            "the removal of a report",
            "a state that does not follow",
            "a proposal that is decided already",
            "the home of a proposal",
            "a proposal's removal",
            "a decision's removal",
            "another decision",
            "another line",
            "a line's removal",
            "an emptied log",
            "other bytes",
            "a counter",
            "membership",
            "another's name",
            "the version",
            "the rights of the owner",
            "another session's user",
            "a rule's end",
            "triggers that do not fire",
        )
    },
    "the rights of another": ("SET ROLE otto", ()),
    "the rights of hosts": ("SET ROLE reviewdeck_host", ()),
}


@pytest.mark.parametrize("what", FORBIDDEN_TO_OPERATORS)
def test_an_operator_cannot_write(hub: Hub, what: str) -> None:
    otto = hub.ledger("otto")
    otto.put_draft(Draft(id_of(1), Verb.REJECT, None, START, "mine"))
    assert_refused(hub, "iris", *FORBIDDEN_TO_OPERATORS[what])
    assert otto.drafts() == (Draft(id_of(1), Verb.REJECT, None, START, "mine"),)
    assert otto.verify() is None


def test_an_operator_does_not_read_what_another_prepared(hub: Hub) -> None:
    hub.ledger("otto").put_draft(Draft(id_of(1), Verb.REJECT, None, START, "mine"))
    assert hub.run("iris", "SELECT * FROM draft") == []


def test_the_key_of_one_operator_signs_for_no_other(hub: Hub) -> None:
    signed = DECIDE.replace("reason)", "reason, signer, counter)").replace("'')", "'', 'key', 1)")
    hub.run("iris", signed, (id_of(1), BY_IRIS))
    with pytest.raises(errors.InsufficientPrivilege, match="another operator"):
        hub.run("otto", signed.replace("'x'", "'y'").replace("1)", "2)"), (id_of(1), BY_OTTO))


LINES = {
    "in another's name": Note("note", HOME, "x", replace(OPERATOR, name="otto"), START),
    "of a decision that it did not make": Note("approve", HOME, "x", OPERATOR, START),
    "in the chain of another's home": Note("elsewhere", OTHERS, "x", POLICY, START),
    "in the ledger's own chain": Note("anything", "", "x", POLICY, START),
    "of a purge": Note("purge", HOME, "x", POLICY, START, {"lines": {"1": "0"}}),
    "of other operators": Note("operators-anew", "", "x", POLICY, START),
    "that pins the operators": Note("pinned-operators", "", "x", POLICY, START, {"value": "x"}),
    "that covers what is not there": Note(
        "checkpoint", "", "ledger", POLICY, START, {"heads": {OTHERS: [1, "0"]}}
    ),
}


@pytest.mark.parametrize("line", LINES)
def test_a_host_cannot_add_a_line(hub: Hub, line: str) -> None:
    host = hub.ledger("web-1")
    with pytest.raises(NotPermitted), host._database.writing() as tx:
        log(tx, [LINES[line]])
    assert hub.ledger("iris").verify() is None


@pytest.mark.parametrize("line", ["in another's name"])
def test_an_operator_cannot_add_a_line(hub: Hub, line: str) -> None:
    iris = hub.ledger("iris")
    with pytest.raises(NotPermitted), iris._database.writing() as tx:
        log(tx, [LINES[line]])


@pytest.mark.parametrize("changed", ["sha", "previous", "sequence"])
def test_a_line_follows_from_the_one_before_or_is_refused(hub: Hub, changed: str) -> None:
    line = {
        "chain": HOME, "sequence": 0, "at": 0, "name": "n", "home": HOME, "subject": "",
        "actor": BY_RULE, "detail": "{}", "previous": "", "sha": "",
    }  # fmt: skip
    with hub.ledger("web-1")._database.reading() as tx:
        number, line["previous"] = head_of(tx, HOME)
    line["sequence"] = number + 1
    names = ", ".join(line)
    sql = f"INSERT INTO event ({names}) VALUES ({', '.join(['%s'] * len(line))})"  # noqa: S608 - names
    line["sha"] = hashlib.sha256(
        f'{line["previous"]}{{"actor":{BY_RULE},"at":0,"detail":{{}},"home":"{HOME}","name":"n"'
        f',"previous":"{line["previous"]}","sequence":{number + 1},"subject":""}}'.encode()
    ).hexdigest()
    odd = {"sha": "0" * 64, "previous": "0" * 64, "sequence": number + 2}
    with pytest.raises(errors.InsufficientPrivilege, match="next line"):
        hub.run("web-1", sql, [*(line | {changed: odd[changed]}).values()])
    assert hub.run("web-1", sql, [*line.values()]) == 1
    assert hub.ledger("iris").verify() is None


@pytest.mark.parametrize(
    "subject",
    [
        "",
        "plain",
        'quo"te \\ back',
        "\x00\x01\x1f\x7f\n\r\t\b\f",
        "ä€😀",
        "\udcff\ud83d\ude00",
        "\ufdd0",
    ],
)
def test_the_server_computes_a_lines_checksum_as_the_ledger_does(hub: Hub, subject: str) -> None:
    host = hub.ledger("web-1")
    host.append("elsewhere", home=HOME, subject=subject, actor=POLICY, at=START)
    assert host.chain(HOME)[-1].subject == subject and host.verify(HOME) is None


def test_a_checkpoint_of_many_lines_is_a_hosts_to_add(hub: Hub) -> None:
    host = hub.ledger("web-1")
    with host._database.writing() as tx:
        log(tx, [Note("elsewhere", HOME, str(n), POLICY, START) for n in range(600)])
    host.append("elsewhere", home=HOME, subject="x", actor=POLICY, at=START)
    host.pin(f"notices:{HOME}", '{"a": 1}')
    assert hub.ledger("iris").verify() is None


def test_a_stolen_hosts_role_carries_out_no_decision_that_is_not_signed(hub: Hub) -> None:
    """It may write a decision of its policy; who checks signatures sees that nobody signed it."""
    host = hub.ledger("web-1")
    hub.run("web-1", DECIDE, (id_of(1), BY_RULE))
    assert host.decisions(id_of(1))[0].seal is None
    assert host.decisions(id_of(1))[0].actor.kind is ActorKind.POLICY


def test_a_host_that_was_removed_reads_nothing_and_is_itself_again_when_added(hub: Hub) -> None:
    with closing(hub._server.connect(hub.name)) as owner:
        remove_member(owner, "web-1")
        with pytest.raises(psycopg.OperationalError, match="not permitted to log in"):
            hub.run("web-1", "SELECT 1")
        add_member(owner, "host", "web-1")
    assert hub.ledger("web-1").state_of(id_of(1)) == State.READY


def test_a_role_that_is_no_member_sees_nothing(hub: Hub) -> None:
    with closing(hub._server.connect(hub.name)) as owner:
        owner.execute("DROP ROLE IF EXISTS stranger")
        owner.execute("CREATE ROLE stranger LOGIN")
        owner.execute("GRANT reviewdeck_host TO stranger")
    assert hub.run("stranger", "SELECT * FROM proposal") == []
    with pytest.raises(errors.InsufficientPrivilege):
        hub.run("stranger", DECIDE, (id_of(1), BY_RULE))


@pytest.mark.parametrize("member", ["web-1", "iris"])
def test_nobody_but_the_owner_prunes_or_purges(
    hub: Hub, postgres_server: Server, member: str
) -> None:
    url = postgres_server.url(hub.name, member)
    before = hub.ledger("otto").events()
    with pytest.raises(NotPermitted, match="nobody but the ledger's owner prunes"):
        prune(url, keep=timedelta(days=1), now=clock)
    with pytest.raises(NotPermitted, match="nobody but the ledger's owner purges"):
        purge(url, "a long secret", "because", actor=OPERATOR, now=clock)
    assert hub.ledger("otto").events() == before
