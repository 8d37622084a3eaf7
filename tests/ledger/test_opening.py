"""Making, checking, migrating and refusing a ledger."""

from __future__ import annotations

import os
import re
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from alembic.script import ScriptDirectory
from tests.ledger.samples import START, clock, proposal

from reviewdeck.errors import BadInput, LedgerDamaged, LedgerTooNew, LedgerUnavailable
from reviewdeck.ledger import opening, place, schema, versions
from reviewdeck.ledger.connecting import connect
from reviewdeck.ledger.creation import SCHEMA, creation_script
from reviewdeck.ledger.opening import back_up, is_current, open_ledger
from reviewdeck.ledger.place import address_of, backups_of, file_system_of, path_of
from reviewdeck.ledger.reader import open_reader
from reviewdeck.ledger.sqlite import prepared
from reviewdeck.ledger.upgrade import configuration
from reviewdeck.model import State
from reviewdeck.model.ledger import Filter

MOUNTS = """\
/dev/vda / ext4 rw 0 0
server:/home /home nfs4 rw 0 0
/dev/vdb /home/iris/local\\040disk xfs rw 0 0
//nas/share /mnt/nas cifs rw 0 0
"""


def test_a_new_ledger_is_made_from_the_declared_tables() -> None:
    assert SCHEMA.read_text("utf-8") == creation_script(), "python -m reviewdeck.ledger.creation"


def use_known(monkeypatch: pytest.MonkeyPatch, *known: str) -> None:
    """A program that knows these versions."""
    monkeypatch.setattr(schema, "KNOWN", known)
    monkeypatch.setattr(opening, "HEAD", known[-1])


def set_version(path: Path, version: str) -> None:
    """Says that a ledger has this version."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", (version,))


def test_a_new_ledger_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "data" / "reviewdeck" / "ledger.db"
    before = os.umask(0)
    try:
        with open_ledger(f"sqlite:///{path}", now=clock) as ledger:
            ledger.add([proposal(1)], {})
            files = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert files == {"ledger.db": 0o600, "ledger.db-wal": 0o600, "ledger.db-shm": 0o600}


def test_every_connection_is_durable_and_keeps_its_references(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    open_ledger(str(path), now=clock).close()
    with closing(prepared(connect(path, "mode=rw"))) as connection:
        pragmas = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        values = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in pragmas]
    assert values[:3] == ["wal", 2, 1]
    assert isinstance(values[3], int) and values[3] >= 5000


def test_opening_again_finds_everything_and_makes_no_backup(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    for expected in (0, 1):
        with open_ledger(str(path), now=clock) as ledger:
            assert len(ledger.page(Filter())) == expected
            ledger.add([proposal(1)], {})
    assert [file.name for file in tmp_path.iterdir()] == ["ledger.db"]


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///", "", ":memory:"])
def test_a_url_that_names_no_file_is_refused(url: str) -> None:
    with pytest.raises(BadInput):
        open_ledger(url, now=clock)
    with pytest.raises(BadInput):
        open_reader(url)


def test_a_url_names_a_path() -> None:
    assert path_of("sqlite:////var/l.db") == Path("/var/l.db")
    assert path_of("sqlite:///l.db") == Path("l.db")
    assert path_of("/var/l?é%20.db") == Path("/var/l?é%20.db")


def test_an_address_says_what_opens_a_ledger_what_is_shown_of_it_and_where_its_host_keeps_things(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    address = address_of("sqlite:///own.db")
    assert (address.url, address.label) == (str(tmp_path / "own.db"), "own.db")
    assert (address.spool, address.working) == (Path("own.db.spool"), Path("working.db"))
    assert address_of(address.url).spool == tmp_path / "own.db.spool"


def test_nobody_but_the_ledger_asks_for_its_file() -> None:
    """Another database has none."""
    package = Path(place.__file__).parents[1]
    asking = [
        str(module.relative_to(package))
        for module in package.rglob("*.py")
        if module.parent != Path(place.__file__).parent
        and re.search(
            r"ledger\.place import .*\b(path_of|backups_of|is_lost)\b", module.read_text()
        )
    ]
    assert asking == []


def test_a_path_may_begin_with_the_users_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/iris")
    assert path_of("~/l.db") == path_of("sqlite:///~/l.db") == Path("/home/iris/l.db")
    assert path_of("~nobody-at-all/l.db") == Path("~nobody-at-all/l.db")


def test_a_path_with_odd_characters_is_used_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a?mode=memory#%20é" / "l.db"
    with open_ledger(str(path), now=clock) as ledger, open_reader(str(path)) as reader:
        ledger.add([proposal(1)], {})
        assert len(reader.page(Filter())) == 1
    assert path.exists()


def test_a_reader_is_empty_until_there_is_a_ledger(tmp_path: Path) -> None:
    path = tmp_path / "none" / "ledger.db"
    with open_reader(str(path)) as reader:
        assert reader.page(Filter()) == ()
        assert reader.counts().by_state == dict.fromkeys(State, 0)
        assert reader.stamp("/home") is None
        assert not path.parent.exists()
        path.parent.mkdir()
        path.touch()
        assert reader.page(Filter()) == ()
        with open_ledger(str(path), now=clock) as ledger:
            ledger.add([proposal(1)], {})
        assert len(reader.page(Filter())) == 1


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    open_ledger(str(path), now=clock).close()
    with open_reader(str(path)) as reader:
        reader.counts()
        with (
            pytest.raises(LedgerUnavailable, match="read-only"),
            reader._database.reading() as tx,
        ):
            tx.run("DELETE FROM proposal")
        with pytest.raises(LedgerUnavailable, match="opened to be read"):
            reader._database.writing()


Opener = Callable[[Path], object]


def open_and_look(path: Path) -> object:
    """Opens the ledger."""
    return open_ledger(str(path), now=clock)


def read_and_look(path: Path) -> object:
    """Reads the ledger."""
    with open_reader(str(path)) as reader:
        return reader.counts()


@pytest.mark.parametrize("look", [open_and_look, read_and_look])
def test_a_ledger_from_the_future_is_refused_and_left_alone(tmp_path: Path, look: Opener) -> None:
    path = tmp_path / "ledger.db"
    open_ledger(str(path), now=clock).close()
    set_version(path, "9999")
    before = path.read_bytes()
    with pytest.raises(LedgerTooNew, match="9999") as caught:
        look(path)
    assert "Update reviewdeck" in caught.value.hint
    assert path.read_bytes() == before


@pytest.mark.parametrize("look", [open_and_look, read_and_look])
def test_a_ledger_from_long_before_the_first_release_is_refused_and_left_alone(
    tmp_path: Path, look: Opener
) -> None:
    path = tmp_path / "ledger.db"
    open_ledger(str(path), now=clock).close()
    set_version(path, "0008")
    before = path.read_bytes()
    with pytest.raises(LedgerUnavailable, match="before the first release: its schema is 0008"):
        look(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("look", [open_and_look, read_and_look])
@pytest.mark.parametrize("content", [b"not a database " * 100, b"SQLite format 3\x00" + b"x" * 500])
def test_a_file_that_is_not_a_database_is_damage(
    tmp_path: Path, look: Opener, content: bytes
) -> None:
    path = tmp_path / "ledger.db"
    path.write_bytes(content)
    with pytest.raises(LedgerDamaged) as caught:
        look(path)
    assert caught.value.hint
    assert path.read_bytes() == content


@pytest.mark.parametrize("look", [open_and_look, read_and_look])
def test_another_programs_database_is_left_alone(tmp_path: Path, look: Opener) -> None:
    path = tmp_path / "ledger.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    with pytest.raises(LedgerDamaged, match="another program"):
        look(path)


def test_a_ledger_whose_tables_are_gone_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with open_ledger(str(path), now=clock) as ledger, open_reader(str(path)) as reader:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("DROP TABLE counter")
        with pytest.raises(LedgerDamaged):
            ledger.counts()
        with pytest.raises(LedgerDamaged):
            reader.counts()
        with pytest.raises(LedgerDamaged):
            ledger.add([proposal(1)], {})


def test_a_row_that_makes_no_sense_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with open_ledger(str(path), now=clock) as ledger, open_reader(str(path)) as reader:
        ledger.add([proposal(1)], {})
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("DROP TRIGGER proposal_moves")
            connection.execute("UPDATE proposal SET state = 'odd', findings = '{', body = '{}'")
        for look in (reader.counts, ledger.counts):
            with pytest.raises(LedgerDamaged):
                look()
        with pytest.raises(LedgerDamaged):
            reader.page(Filter())
        with pytest.raises(LedgerDamaged):
            ledger.proposal(proposal(1).id)


def test_a_directory_in_the_place_of_the_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LedgerUnavailable):
        open_ledger(str(tmp_path), now=clock)
    (tmp_path / "file").touch()
    with pytest.raises(LedgerUnavailable):
        open_ledger(str(tmp_path / "file" / "ledger.db"), now=clock)


def test_an_older_ledger_is_backed_up_before_it_is_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ledger.db"
    with open_ledger(str(path), now=clock) as ledger:
        ledger.add([proposal(1)], {})
    set_version(path, "0000")
    use_known(monkeypatch, "0000", "0001")
    with pytest.raises(LedgerUnavailable, match="cannot be brought up to date"):
        # There is no migration from 0000: it fails, and the copy is there already.
        open_ledger(str(path), now=clock)
    (copy,) = tmp_path.glob("ledger.db.backup-0000-*")
    assert copy.name.endswith(START.strftime("%Y%m%dT%H%M%S%fZ"))
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("SELECT count(*) FROM proposal").fetchone() == (1,)


def test_a_reader_does_not_touch_an_older_ledger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ledger.db"
    open_ledger(str(path), now=clock).close()
    set_version(path, "0000")
    use_known(monkeypatch, "0000", "0001")
    with pytest.raises(LedgerUnavailable, match="earlier version"):
        read_and_look(path)


def test_a_backup_opens_as_a_ledger(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with open_ledger(str(path), now=clock) as ledger:
        ledger.add([proposal(1)], {})
        copy = back_up(path, "0001", clock)
        ledger.add([proposal(2)], {})
    assert not is_current(copy)
    with open_ledger(str(copy), now=clock) as ledger:
        assert len(ledger.page(Filter())) == 1
    assert is_current(copy)
    with pytest.raises(LedgerUnavailable, match="already"):
        back_up(path, "0001", clock)


def test_an_interrupted_backup_is_none(tmp_path: Path) -> None:
    path = tmp_path / "ledger.unfinished.db"
    with open_ledger(str(path), now=clock) as ledger:
        ledger.add([proposal(1)], {})
    copy = back_up(path, "0001", clock)
    for end in ("", "-journal"):
        copy.with_name(f"{path.name}.backup-0001-99999999.unfinished{end}").write_bytes(b"half")
    assert backups_of(path) == (copy,)


def test_a_backup_that_fails_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ledger.db"
    open_ledger(str(path), now=clock).close()

    def refuse(_: Path) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("reviewdeck.ledger.opening._connect", refuse)
    with pytest.raises(LedgerUnavailable):
        back_up(path, "0001", clock)
    assert [file.name for file in tmp_path.iterdir()] == ["ledger.db"]


def test_the_versions_that_are_known_are_the_migrations_that_are_shipped() -> None:
    script = ScriptDirectory.from_config(configuration())
    shipped = [revision.revision for revision in script.walk_revisions()]
    assert tuple(reversed(shipped)) == versions.SHIPPED


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/home/iris", "nfs4"),
        ("/home/iris/local disk/x", "xfs"),
        ("/homestead", "ext4"),
        ("/mnt/nas/a", "cifs"),
    ],
)
def test_the_file_system_of_a_folder_is_that_of_its_nearest_mount(folder: str, kind: str) -> None:
    assert file_system_of(Path(folder), MOUNTS) == kind
    assert file_system_of(Path(folder), "") is None


def test_a_network_file_system_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = tmp_path / "mounts"
    table.write_text(f"/dev/vda / ext4 rw 0 0\nserver:/x {tmp_path.resolve()} nfs rw 0 0\n")
    monkeypatch.setattr("reviewdeck.ledger.place._MOUNTS", table)
    with pytest.raises(LedgerUnavailable, match="network file system") as caught:
        open_ledger(str(tmp_path / "ledger.db"), now=clock)
    assert "local disk" in caught.value.hint
    assert not (tmp_path / "ledger.db").exists()
