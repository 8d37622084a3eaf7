"""What a writer promises about single documents, directories, modes, links and pending records."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from reviewdeck.errors import BadInput, HomeReadOnly, HomeUnavailable, StaleBase, WriteFailed
from reviewdeck.files.syscalls import Kernel, describe_weakness
from reviewdeck.homes.folder_writer import FolderWriter
from reviewdeck.homes.hermes.writer import HermesWriter
from reviewdeck.model.documents import revision_of
from reviewdeck.model.plans import Change
from reviewdeck.ports import ForeignBytes

MEMORY = "memories/MEMORY.md"
SKILL = "skills/dev/notes/SKILL.md"
NOTE = "skills/dev/notes/references/a.md"
TOKEN = "a1b2c3d4e5f6"  # noqa: S105 - the name of a batch


@pytest.fixture
def home(tmp_path: Path) -> Path:
    root = tmp_path / "home"
    (root / "memories").mkdir(parents=True)
    (root / "pending/memory").mkdir(parents=True)
    (root / "skills/dev/notes/references").mkdir(parents=True)
    (root / MEMORY).write_bytes(b"one")
    (root / SKILL).write_bytes(b"main")
    (root / NOTE).write_bytes(b"a")
    return root


@pytest.fixture
def writer(home: Path) -> HermesWriter:
    return HermesWriter(home)


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def at(wanted: str, deed: Callable[[], object], *, nth: int = 0) -> Callable[[str], None]:
    """A probe that does something before the nth step of this kind."""
    seen = -1

    def probe(step: str) -> None:
        nonlocal seen
        if step.startswith(wanted):
            seen += 1
            if seen == nth:
                deed()

    return probe


def overwrite(path: Path, data: bytes) -> None:
    """Another program's careful write."""
    temp = path.with_name(".foreign.tmp")
    temp.write_bytes(data)
    temp.replace(path)


@pytest.mark.parametrize("found", [b"newer", None])
def test_one_stale_document_keeps_the_whole_call_from_touching_anything(
    home: Path, writer: HermesWriter, found: bytes | None
) -> None:
    if found is None:
        (home / NOTE).unlink()
    else:
        (home / NOTE).write_bytes(found)
    with pytest.raises(StaleBase) as caught:
        writer.write((Change(MEMORY, b"one", b"two"), Change(NOTE, b"a", b"b")), TOKEN)
    assert (caught.value.path, caught.value.found) == (NOTE, found)
    assert (home / MEMORY).read_bytes() == b"one"
    assert not (home / ".reviewdeck").exists()


def test_of_two_texts_that_are_written_in_the_gap_the_later_stays_and_the_other_is_given_back(
    home: Path,
) -> None:
    memory, texts = home / MEMORY, [b"third", b"second"]

    def probe(step: str) -> None:
        if step.startswith("exchange") and texts:
            overwrite(memory, texts.pop())

    with pytest.raises(StaleBase) as caught:
        HermesWriter(home, probe=probe).write((Change(MEMORY, b"one", b"ours"),), TOKEN)
    assert caught.value.found == b"second"
    assert memory.read_bytes() == b"third"
    again = HermesWriter(home)
    for _ in range(2):
        assert again.settle(TOKEN) == (ForeignBytes(MEMORY, b"second"),)


@pytest.mark.parametrize("name", ["trash", "write.lock"])
def test_a_link_among_our_own_files_is_named_and_not_followed(
    tmp_path: Path, home: Path, name: str
) -> None:
    (home / ".reviewdeck").mkdir(exist_ok=True)
    (tmp_path / "elsewhere").mkdir()
    (home / ".reviewdeck" / name).symlink_to(tmp_path / "elsewhere")
    writer = FolderWriter(home)
    with (
        pytest.raises(WriteFailed, match=rf"{name}.* is a symbolic link\.$"),
        writer.lock([MEMORY]),
    ):
        writer.write((Change(MEMORY, b"one", b"two"),), TOKEN)
    assert (home / MEMORY).read_bytes() == b"one"
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_an_editor_that_goes_on_in_the_old_file_is_not_lost(
    home: Path, writer: HermesWriter
) -> None:
    with (home / MEMORY).open("ab", buffering=0) as editor:
        writer.write((Change(MEMORY, b"one", b"two"),), TOKEN)
        editor.write(b" and more")
    assert writer.settle(TOKEN) == (ForeignBytes(MEMORY, b"one and more"),)
    assert (home / MEMORY).read_bytes() == b"two"


def test_an_editor_in_a_withdrawn_skill_is_not_lost(home: Path, writer: HermesWriter) -> None:
    tree = "skills/dev/notes"
    changes = (Change(SKILL, b"main", None, tree=tree), Change(NOTE, b"a", None, tree=tree))
    with (home / NOTE).open("ab", buffering=0) as editor:
        writer.write(changes, TOKEN)
        editor.write(b"bc")
    for _ in range(2):
        assert writer.settle(TOKEN) == (ForeignBytes(NOTE, b"abc"),)
    assert not (home / "skills/dev").exists()


def test_nothing_displaced_goes_away_before_it_is_settled(home: Path, writer: HermesWriter) -> None:
    writer.write((Change(MEMORY, b"one", b"two"), Change(NOTE, b"a", None)), TOKEN)
    kept = {
        path.read_bytes()
        for path in (home / ".reviewdeck/trash" / TOKEN).iterdir()
        if path.name != "manifest.json"
    }
    assert kept == {b"one", b"a"}
    assert writer.settle(TOKEN) == ()
    assert writer.settle(TOKEN) == ()
    assert list((home / ".reviewdeck/trash").iterdir()) == []


def test_the_same_token_may_take_back_what_it_did(home: Path, writer: HermesWriter) -> None:
    writer.write((Change(MEMORY, b"one", b"two"),), TOKEN)
    writer.write((Change(MEMORY, b"two", b"one"),), TOKEN)
    assert (home / MEMORY).read_bytes() == b"one"
    assert writer.settle(TOKEN) == ()


def test_modes_are_kept_given_or_as_hermes_has_them(home: Path, writer: HermesWriter) -> None:
    (home / MEMORY).chmod(0o640)
    (home / "skills").chmod(0o750)
    new = "skills/ops/triage"
    writer.write(
        (
            Change(MEMORY, b"one", b"two"),
            Change(NOTE, b"a", b"b", mode=0o604),
            Change(f"{new}/SKILL.md", None, b"x", tree=new),
            Change(f"{new}/scripts/run.sh", None, b"x", 0o755, new),
        ),
        TOKEN,
    )
    assert mode_of(home / MEMORY) == 0o640
    assert mode_of(home / NOTE) == 0o604
    assert mode_of(home / new / "SKILL.md") == 0o600
    assert mode_of(home / new / "scripts/run.sh") == 0o755
    assert mode_of(home / "skills/ops") == mode_of(home / new / "scripts") == 0o750
    assert mode_of(home / ".reviewdeck") == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_files_stay_with_their_owner_when_another_user_writes(
    home: Path, writer: HermesWriter
) -> None:
    for path in (home, home / "memories", home / MEMORY):
        os.chown(path, 1234, 1235)
    with writer.lock([MEMORY, NOTE]):
        writer.write((Change(MEMORY, b"one", b"two"),), TOKEN)
        writer.write((Change("memories/USER.md", None, b"two"),), TOKEN)
    for name in (MEMORY, "memories/USER.md", "memories/MEMORY.md.lock", ".reviewdeck"):
        assert ((home / name).stat().st_uid, (home / name).stat().st_gid) == (1234, 1235), name


def test_a_memory_behind_a_link_is_replaced_where_it_is_and_the_link_stays(
    home: Path, tmp_path: Path, writer: HermesWriter
) -> None:
    real = tmp_path / "dotfiles/memory.md"
    real.parent.mkdir()
    (home / MEMORY).rename(real)
    (home / MEMORY).symlink_to("../../dotfiles/memory.md")
    document = writer.read(MEMORY)
    assert (document.data, document.problem, document.link) == (b"one", None, str(real))
    writer.write((Change(MEMORY, b"one", b"two"),), TOKEN)
    assert (home / MEMORY).is_symlink()
    assert real.read_bytes() == b"two"
    assert writer.settle(TOKEN) == ()
    assert [path.name for path in real.parent.iterdir()] == ["memory.md"]


@pytest.fixture
def elsewhere(home: Path) -> Iterator[Path]:
    """A directory on another file system."""
    for folder in (Path("/dev/shm"), Path(tempfile.gettempdir()), Path(__file__).parent):  # noqa: S108
        if os.access(folder, os.W_OK) and folder.stat().st_dev != home.stat().st_dev:
            with tempfile.TemporaryDirectory(dir=folder) as name:
                yield Path(name)
            return
    pytest.skip("there is no second file system to write across")


def test_a_memory_on_another_file_system_is_replaced_and_the_old_bytes_are_kept(
    home: Path, elsewhere: Path, writer: HermesWriter
) -> None:
    (elsewhere / "m.md").write_bytes(b"one")
    (home / MEMORY).unlink()
    (home / MEMORY).symlink_to(elsewhere / "m.md")
    writer.write((Change(MEMORY, b"one", b"two"),), TOKEN)
    assert [(path.name, path.read_bytes()) for path in elsewhere.iterdir()] == [("m.md", b"two")]
    assert any(
        path.read_bytes() == b"one" for path in (home / ".reviewdeck/trash" / TOKEN).iterdir()
    )
    assert writer.settle(TOKEN) == ()


def make_link(home: Path) -> None:
    (home / NOTE).rename(home / "real.md")
    (home / NOTE).symlink_to(home / "real.md")


def make_linked_directory(home: Path) -> None:
    (home / "skills/dev/notes/references").rename(home / "real")
    (home / "skills/dev/notes/references").symlink_to(home / "real")


def make_second_name(home: Path) -> None:
    os.link(home / NOTE, home / "second.md")


@pytest.mark.parametrize("spoil", [make_link, make_linked_directory, make_second_name])
def test_a_skill_behind_a_link_is_not_touched(
    home: Path, writer: HermesWriter, spoil: Callable[[Path], None]
) -> None:
    spoil(home)
    document = writer.read(NOTE)
    assert document.problem is not None
    assert document.exists
    with pytest.raises(WriteFailed):
        writer.write((Change(NOTE, b"a", b"b"),), TOKEN)
    assert (home / NOTE).read_bytes() == b"a"


def test_a_directory_that_somebody_added_to_is_not_withdrawn(
    home: Path, writer: HermesWriter
) -> None:
    tree = "skills/dev/notes"
    (home / tree / "mine.txt").write_bytes(b"mine")
    with pytest.raises(StaleBase) as caught:
        writer.write(
            (Change(SKILL, b"main", None, tree=tree), Change(NOTE, b"a", None, tree=tree)), TOKEN
        )
    assert (caught.value.path, caught.value.found) == (f"{tree}/mine.txt", b"mine")
    assert (home / SKILL).read_bytes() == b"main"


def test_a_directory_that_cannot_be_withdrawn_keeps_the_rest_from_being_touched(
    home: Path, writer: HermesWriter
) -> None:
    old, new = "skills/dev/notes", "skills/.archive/notes"
    (home / old / "mine.txt").write_bytes(b"mine")
    changes = (
        Change(f"{new}/SKILL.md", None, b"main", tree=new),
        Change(MEMORY, b"one", b"two"),
        Change(SKILL, b"main", None, tree=old),
        Change(NOTE, b"a", None, tree=old),
    )
    with pytest.raises(StaleBase):
        writer.write(changes, TOKEN)
    assert (home / MEMORY).read_bytes() == b"one"
    assert not (home / "skills/.archive").exists()


def test_a_file_added_while_a_directory_is_taken_away_brings_it_back(home: Path) -> None:
    tree = "skills/dev/notes"
    probe = at("rename notes", lambda: (home / tree / "mine.txt").write_bytes(b"mine"))
    writer = HermesWriter(home, probe=probe)
    with pytest.raises(StaleBase):
        writer.write(
            (Change(SKILL, b"main", None, tree=tree), Change(NOTE, b"a", None, tree=tree)), TOKEN
        )
    assert (home / tree / "mine.txt").read_bytes() == b"mine"
    assert (home / SKILL).read_bytes() == b"main"
    assert writer.settle(TOKEN) == ()


def test_a_directory_that_appears_first_is_not_merged_into(home: Path) -> None:
    new = "skills/ops/triage"

    def appear() -> None:
        (home / new).mkdir()
        (home / new / "other.md").write_bytes(b"theirs")

    writer = HermesWriter(home, probe=at("rename", appear))
    with pytest.raises(StaleBase) as caught:
        writer.write((Change(f"{new}/SKILL.md", None, b"x", tree=new),), TOKEN)
    assert (caught.value.path, caught.value.found) == (f"{new}/other.md", b"theirs")
    assert [path.name for path in (home / new).iterdir()] == ["other.md"]
    assert writer.settle(TOKEN) == ()
    assert not (home / ".reviewdeck/stage" / TOKEN).exists()


def test_a_skill_is_never_seen_in_part(home: Path) -> None:
    new = "skills/ops/triage"
    seen: list[list[str]] = []
    writer = HermesWriter(
        home,
        probe=lambda step: seen.append(sorted(path.name for path in (home / new).rglob("*"))),
    )
    names = ["SKILL.md", "a.md", "b.md"]
    writer.write(tuple(Change(f"{new}/{name}", None, b"x", tree=new) for name in names), TOKEN)
    assert {tuple(step) for step in seen} == {(), tuple(names)}


def test_directories_made_for_a_write_that_fails_go_away_again(home: Path) -> None:
    def refuse() -> None:
        raise OSError(28, "No space left on device")

    new = "skills/ops/triage"
    for change in (
        Change(f"{new}/SKILL.md", None, b"x", tree=new),
        Change("skills/ops/sub/deep/x.md", None, b"x"),
    ):
        with pytest.raises(WriteFailed, match="No space left"):
            HermesWriter(home, probe=at("rename", refuse)).write((change,), TOKEN)
        assert not (home / "skills/ops").exists()


def test_directories_that_are_empty_afterwards_go_away(home: Path, writer: HermesWriter) -> None:
    writer.write((Change(NOTE, b"a", None),), TOKEN)
    assert not (home / "skills/dev/notes/references").exists()
    writer.write((Change(SKILL, b"main", None, tree="skills/dev/notes"),), TOKEN)
    assert not (home / "skills/dev").exists()
    assert (home / "skills").is_dir()


def test_archiving_is_a_directory_that_appears_and_one_that_goes(
    home: Path, writer: HermesWriter
) -> None:
    old, new = "skills/dev/notes", "skills/.archive/notes"
    moves = (("SKILL.md", b"main"), ("references/a.md", b"a"))
    there = tuple(Change(f"{new}/{name}", None, data, tree=new) for name, data in moves)
    here = tuple(Change(f"{old}/{name}", data, None, tree=old) for name, data in moves)
    writer.write(here + there, TOKEN)
    assert not (home / "skills/dev").exists()
    assert (home / new / "references/a.md").read_bytes() == b"a"
    back = tuple(Change(c.path, c.after, c.before, c.mode, c.tree) for c in here + there)
    writer.write(back, "undo")
    assert (home / NOTE).read_bytes() == b"a"
    assert not (home / "skills/.archive").exists()
    assert writer.settle(TOKEN) == writer.settle("undo") == ()


def test_a_change_of_a_skill_drops_the_cached_list_of_skills(
    home: Path, writer: HermesWriter
) -> None:
    cache = home / ".skills_prompt_snapshot.json"
    cache.write_text("{}")
    writer.write((Change(MEMORY, b"one", b"two"),), TOKEN)
    assert cache.exists()
    writer.write((Change(NOTE, b"a", b"b"),), TOKEN)
    assert not cache.exists()


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "skills/../x", "skills//x", "", ".reviewdeck/README", "a\0b"]
)
def test_a_path_that_leads_anywhere_else_is_refused(writer: HermesWriter, path: str) -> None:
    with pytest.raises(BadInput):
        writer.write((Change(path, None, b"x"),), TOKEN)


@pytest.mark.parametrize("token", ["", "../x", "a/b", "a" * 65])
def test_a_token_that_is_no_plain_name_is_refused(writer: HermesWriter, token: str) -> None:
    with pytest.raises(BadInput):
        writer.write((Change(MEMORY, b"one", b"two"),), token)


def test_a_home_that_is_not_there_is_said_to_be_so(tmp_path: Path) -> None:
    with pytest.raises(HomeUnavailable):
        HermesWriter(tmp_path / "none").write((Change(MEMORY, None, b"x"),), TOKEN)
    assert not (tmp_path / "none").exists()


def test_doctor_is_told_when_the_system_cannot_exchange_files() -> None:
    assert describe_weakness(Kernel().weaker) is None
    told = describe_weakness(Kernel(renames=False).weaker)
    assert told is not None
    assert "overwritten" in told


def run_as_nobody(home: Path, body: str) -> str:
    """Runs lines of Python with the writer `w`, as a user who owns nothing here."""
    lines = f"""
        import os, sys
        from pathlib import Path
        from reviewdeck.homes.hermes.writer import HermesWriter
        from reviewdeck.model.plans import Change
        from reviewdeck.errors import ReviewdeckError
        w = HermesWriter(Path(sys.argv[1]))
        os.geteuid() or os.setuid(65534)
        try:
            {body}
        except ReviewdeckError as error:
            print(type(error).__name__, error)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(lines), str(home)],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@pytest.fixture
def locked_home(home: Path) -> Iterator[Path]:
    """A home that others may look at and not write."""
    shared = Path(tempfile.mkdtemp())
    shared.chmod(0o755)
    shutil.copytree(home, shared / "home")
    for path in [shared / "home", *(shared / "home").rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    yield shared / "home"
    for path in [shared / "home", *(shared / "home").rglob("*")]:
        path.chmod(0o755)
    shutil.rmtree(shared)


@pytest.mark.parametrize(
    "body",
    [
        "w.write((Change('memories/MEMORY.md', b'one', b'two'),), 'abc')",
        "with w.lock(['memories/MEMORY.md']): pass",
        "with w.lock(['skills/x/SKILL.md']): pass",
        "w.retire([('pending/memory/x.json', 'y')])",
    ],
)
def test_a_home_that_may_not_be_written_is_said_to_be_read_only(
    locked_home: Path, body: str
) -> None:
    (locked_home / "pending/memory").chmod(0o755)
    (locked_home / "pending/memory/x.json").write_bytes(b"x")
    assert run_as_nobody(locked_home, body).startswith(HomeReadOnly.__name__)
    assert (locked_home / MEMORY).read_bytes() == b"one"


def test_a_document_that_may_not_be_read_is_not_taken_for_absent(locked_home: Path) -> None:
    (locked_home / MEMORY).chmod(0)
    said = run_as_nobody(locked_home, f"d = w.read({MEMORY!r}); print(d.exists, d.problem)")
    assert said == "True cannot be read: Permission denied"


def after_rename(deed: Callable[[], object]) -> Callable[[str], None]:
    """A probe that does something at the first step after a rename."""
    renamed = False

    def probe(step: str) -> None:
        nonlocal renamed
        if renamed:
            deed()
        renamed = step.startswith("rename ")

    return probe


RECORD = "pending/memory/0123abcd.json"


def test_a_record_is_retired_once(home: Path, writer: HermesWriter) -> None:
    (home / RECORD).write_bytes(b"{}")
    sha = revision_of(b"{}")
    assert writer.retire([(RECORD, sha)])[0]
    assert not (home / RECORD).exists()
    assert not writer.retire([(RECORD, sha)])[0]
    assert list((home / ".reviewdeck/trash/retired").iterdir()) == []


def test_a_record_with_other_content_is_left_where_it_is(home: Path, writer: HermesWriter) -> None:
    (home / RECORD).write_bytes(b"[]")
    assert not writer.retire([(RECORD, revision_of(b"{}"))])[0]
    assert (home / RECORD).read_bytes() == b"[]"


def test_a_retirement_that_was_cut_short_is_finished_or_taken_back(home: Path) -> None:
    class Stop(Exception):
        """Stands for the end of the process."""

    def stop() -> None:
        raise Stop

    for data in (b"{}", b"[]"):
        (home / RECORD).write_bytes(data)
        with pytest.raises(Stop):
            HermesWriter(home, probe=after_rename(stop)).retire([(RECORD, "")])[0]
        done = HermesWriter(home).retire([(RECORD, revision_of(b"{}"))])[0]
        assert done is (data == b"{}")
        assert (home / RECORD).exists() is (data == b"[]")


def test_after_a_retirement_that_was_cut_short_a_new_record_of_that_name_is_retired_too(
    home: Path,
) -> None:
    class Stop(Exception):
        """Stands for the end of the process."""

    def stop() -> None:
        raise Stop

    (home / RECORD).write_bytes(b"{}")
    with pytest.raises(Stop):
        HermesWriter(home, probe=after_rename(stop)).retire([(RECORD, "")])[0]
    (home / RECORD).write_bytes(b"{}")
    assert HermesWriter(home).retire([(RECORD, revision_of(b"{}"))])[0]
    assert not (home / RECORD).exists()
    assert list((home / ".reviewdeck/trash/retired").iterdir()) == []


def test_a_record_that_is_written_anew_meanwhile_is_kept_with_the_one_it_replaced(
    home: Path,
) -> None:
    (home / RECORD).write_bytes(b"first")
    probe = at(
        f"rename {revision_of(RECORD.encode())[:16]}.json",
        lambda: (home / RECORD).write_bytes(b"second"),
    )
    assert not HermesWriter(home, probe=probe).retire([(RECORD, revision_of(b"{}"))])[0]
    assert (home / RECORD).read_bytes() == b"second"
    kept = list((home / ".reviewdeck/trash/retired").iterdir())
    assert [path.read_bytes() for path in kept] == [b"first"]


def test_only_pending_records_are_retired(writer: HermesWriter) -> None:
    with pytest.raises(BadInput):
        writer.retire([(MEMORY, revision_of(b"one"))])[0]
