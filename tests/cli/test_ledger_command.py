"""`reviewdeck ledger`, against a real server: and no output ever has the password of a URL."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import pytest
from tests.cli.program import Ran, run_here
from tests.ledger.samples import HOME, clock, id_of, proposal
from tests.postgres import Server

from reviewdeck.errors import NotPermitted
from reviewdeck.ledger.opening import open_ledger
from reviewdeck.model import State
from reviewdeck.model.ledger import DirectoryIdentity, Opener

SECRET = "marmalade" + "-pier-7731"  # of use nowhere


class Command:
    """The program, with one database that has nothing in it."""

    def __init__(self, server: Server, name: str, capsys: pytest.CaptureFixture[str]) -> None:
        self.server, self.name = server, name
        self.url = server.url(name)
        self.secret_url = self.url.replace("postgres@", f"postgres:{quote(SECRET)}@")
        self._capsys = capsys
        self.printed: list[str] = []

    def __call__(self, *words: str) -> Ran:
        ran = run_here(self._capsys, *words)
        self.printed += [ran.out, ran.err]
        return ran

    def ask(self, sql: str) -> list[object]:
        """The first column of a query, by the server's owner."""
        with closing(self.server.connect(self.name)) as connection:
            return [row[0] for row in connection.execute(sql).fetchall()]


@pytest.fixture
def run(
    postgres_server: Server,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Command]:
    """The program in a user's empty home. Nothing that it prints may have the password."""
    for name, folder in (("HOME", ""), ("XDG_DATA_HOME", "data"), ("XDG_CONFIG_HOME", "config")):
        monkeypatch.setenv(name, str(tmp_path / folder))
    with postgres_server.database() as name:
        command = Command(postgres_server, name, capsys)
        yield command
        assert not any(SECRET in text or quote(SECRET) in text for text in command.printed)


def test_a_hub_is_made_joined_left_and_made_no_second_time(run: Command, tmp_path: Path) -> None:
    made = run("ledger", "create", run.secret_url, "--yes")
    assert made.code == 0 and "the schema reviewdeck" in made.out
    again = run("ledger", "create", run.secret_url, "--yes")
    assert again.code == 1 and "already" in again.err
    file = tmp_path / "password"
    file.write_text(f"{SECRET}\n", "utf-8")
    added = run(
        "ledger", "add-host", run.secret_url, "web-9", "--password-file", str(file), "--yes"
    )
    assert added.code == 0
    file.write_bytes(b"\xff\xfe\n")  # No text; it is a password all the same.
    again = run(
        "ledger", "add-host", run.secret_url, "web-9", "--password-file", str(file), "--yes"
    )
    assert again.code == 0
    assert (
        run("ledger", "add-operator", run.secret_url, "ivy", "--yes", "--json").json["kind"]
        == "operator"
    )
    assert run.ask("SELECT role FROM reviewdeck.member ORDER BY role") == ["ivy", "web-9"]
    (verifier,) = run.ask("SELECT rolpassword FROM pg_authid WHERE rolname = 'web-9'")
    assert str(verifier).startswith("SCRAM-SHA-256$") and SECRET not in str(verifier)
    assert "no host" in run("ledger", "add-host", run.secret_url, "ivy", "--yes").err
    assert run("ledger", "remove", run.secret_url, "web-9", "--yes").code == 0
    assert run.ask("SELECT rolcanlogin FROM pg_roles WHERE rolname = 'web-9'") == [False]
    assert run("ledger", "remove", run.secret_url, "nobody", "--yes").code == 1


def test_the_sql_is_printed_and_nothing_is_made(run: Command) -> None:
    script = run("ledger", "create", run.secret_url, "--sql").out
    assert script.startswith("BEGIN;") and "CREATE POLICY" in script
    assert "CREATE ROLE" in run("ledger", "add-host", run.secret_url, "web-9", "--sql").out
    assert run.ask("SELECT to_regnamespace('reviewdeck') IS NULL") == [True]


@pytest.mark.parametrize("name", ["", "x y", 'x"; DROP', "pg_monitor", "reviewdeck_host", "é"])
def test_a_name_that_is_none_is_refused(run: Command, name: str) -> None:
    run("ledger", "create", run.url, "--yes")
    before = run.ask("SELECT count(*) FROM pg_roles")
    assert run("ledger", "add-host", run.url, name, "--yes").code in (1, 2)
    assert run.ask("SELECT count(*) FROM pg_roles") == before


def test_who_brings_a_ledger_up_to_date_is_told_of_the_backup_and_asked(run: Command) -> None:
    run("ledger", "create", run.secret_url, "--yes")
    refused = run("ledger", "upgrade", run.secret_url)
    assert refused.code == 2 and "pg_dump" in refused.out
    assert "up to date" in run("ledger", "upgrade", run.secret_url, "--yes").out


def test_a_ledger_is_copied_there_and_back_and_is_whole(run: Command, tmp_path: Path) -> None:
    run("ledger", "create", run.secret_url, "--yes")
    first, second = str(tmp_path / "first.db"), str(tmp_path / "second.db")
    with open_ledger(first, now=clock) as ledger:
        ledger.add([proposal(1), proposal(2)], {})
    there = run("ledger", "copy", first, run.secret_url, "--json").json
    back = run("ledger", "copy", run.secret_url, second, "--json").json
    assert there["digests"] == back["digests"]
    assert "not empty" in run("ledger", "copy", first, run.secret_url).err
    assert run("fsck", "--ledger", run.secret_url).code == 0
    assert run("fsck", "--ledger", second).code == 0
    with open_ledger(second, now=clock) as ledger:
        assert ledger.proposal(id_of(2)).summary == proposal(2).summary


def test_a_hub_is_pruned_and_purged_by_its_owner_who_is_told_what_its_server_keeps(
    run: Command, tmp_path: Path
) -> None:
    run("ledger", "create", run.url, "--yes")
    run("ledger", "add-operator", run.url, "ivy", "--yes")
    with open_ledger(run.url, now=clock) as ledger:
        ledger.add([proposal(1)], {})
    file = tmp_path / "secret"
    file.write_text("Remember entry 1", "utf-8")
    home = tmp_path / "home"
    (home / "memories").mkdir(parents=True)
    words = ("purge", "--reason", "x", "--file", str(file), "--home", str(home), "--ledger")
    refused = run(*words, run.server.url(run.name, "ivy"))
    assert refused.code == 1 and "nobody but the ledger's owner purges it" in refused.err
    assert "0 texts" in run("fsck", "--prune", "--ledger", run.url).out
    purged = run(*words, run.url)
    assert purged.code == 0, purged.err
    assert "backup of" not in purged.out and "VACUUM FULL reviewdeck." in purged.out
    for place in ("dead rows", "write-ahead log", "archive", "replicas", "base backups", "dumps"):
        assert place in purged.out
    assert run.ask("SELECT summary FROM reviewdeck.proposal") == ["[purged]"]
    assert run(*words, run.url, "--json").json["gone"] is None
    assert run("fsck", "--ledger", run.url).code == 0


def test_a_host_of_a_ledger_that_was_copied_has_its_homes_again(
    run: Command, tmp_path: Path
) -> None:
    here, file = Opener(host="a" * 16), str(tmp_path / "copy.db")
    run("ledger", "create", run.url, "--yes")
    with open_ledger(file, now=clock, opener=here) as ledger:
        ledger.put_place(HOME, DirectoryIdentity(HOME, "1-2", "m" * 32), "spare")
        ledger.add([proposal(1)], {})
    run("ledger", "copy", file, run.url)
    run("ledger", "add-host", run.url, "web-7", "--yes")
    url = run.server.url(run.name, "web-7")
    with open_ledger(url, now=clock, opener=here) as ledger, pytest.raises(NotPermitted):
        ledger.put_place(HOME, DirectoryIdentity(HOME, "1-2", "m" * 32), "spare")
    assert run("ledger", "add-host", run.url, "web-7", "--machine", "x", "--yes").code == 1
    run("ledger", "add-host", run.url, "web-7", "--machine", "a" * 16, "--yes")
    with open_ledger(url, now=clock, opener=here) as ledger:
        ledger.put_place(HOME, DirectoryIdentity(HOME, "1-2", "m" * 32), "spare")
        assert ledger.state_of(id_of(1)) == State.READY


def test_fsck_names_the_damage_of_a_hub(run: Command, tmp_path: Path) -> None:
    run("ledger", "create", run.secret_url, "--yes")
    with open_ledger(run.url, now=clock) as ledger:
        ledger.add([proposal(1), proposal(2)], {})
    run.ask("UPDATE reviewdeck.counter SET amount = 7 RETURNING 1")
    with closing(run.server.connect(run.name)) as owner:
        owner.execute("ALTER TABLE reviewdeck.event DISABLE TRIGGER ALL")
    run.ask("UPDATE reviewdeck.event SET subject = 'other' WHERE sequence = 1 RETURNING 1")
    report = run("fsck", "--ledger", run.secret_url, "--json")
    assert report.code == 1
    assert "the counter says 7" in report.out and "hash chain" in report.out


def test_a_host_cannot_check_the_whole(run: Command) -> None:
    run("ledger", "create", run.secret_url, "--yes")
    run("ledger", "add-host", run.secret_url, "web-8", "--yes")
    ran = run("fsck", "--ledger", run.server.url(run.name, "web-8"))
    assert ran.code == 1 and "one host alone" in ran.err


@pytest.mark.parametrize(
    "words",
    [
        ("status",),
        ("status", "--json"),
        ("list",),
        ("config",),
        ("config", "--json"),
        ("doctor",),
        ("doctor", "--json"),
        ("log",),
        ("fsck",),
        ("fsck", "--backup"),
        ("fsck", "--prune"),
        ("recover",),
        ("auto",),
        ("service", "install", "--dry-run"),
        ("hermes", "install", "--dry-run"),
        ("purge", "--reason", "x", "--file", "/dev/null"),
        ("completion", "bash"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("is_made", [False, True])
def test_no_command_shows_the_password_of_a_ledgers_url(
    run: Command, tmp_path: Path, words: tuple[str, ...], is_made: bool
) -> None:
    home = tmp_path / "hermes"
    (home / "memories").mkdir(parents=True)
    (home / "config.yaml").write_text("model: x\n", "utf-8")
    if is_made:
        run("ledger", "create", run.url, "--yes")
    run(*words, "--ledger", run.secret_url, "--home", str(home))
    for url in (
        f"postgresql://iris:{SECRET}@127.0.0.1:1/x",
        f"postgresql://iris:{SECRET}@db.invalid/x?sslmode=disable",
        f"postgresql://iris:{SECRET}@/x?odd={SECRET}",
    ):
        run(*words, "--ledger", url, "--home", str(home))


def test_json_is_json(run: Command) -> None:
    made = run("ledger", "create", run.secret_url, "--yes", "--json")
    assert json.loads(made.out)["schema"] == "reviewdeck"
    assert run("ledger", "create", run.secret_url, "--json").code == 2
