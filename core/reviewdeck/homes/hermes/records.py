"""Pending records: reading the pending folder, a record as a proposal, retiring a decided one.

What cannot be read is a value to be shown, and its file is left alone. The `reviewdeck` key of a
record helps and is not needed: whatever is wrong in it is left out and named.

Retiring never takes a record that has changed. It does not wait for the disk: the ledger has
record and decision, and one that a power cut brings back is taken out by the next pass.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath
from typing import Any

from reviewdeck.errors import BadInput
from reviewdeck.homes.files import (
    FileRead,
    directory_beneath,
    names_in,
    opened,
    parts_of,
    read_place,
)
from reviewdeck.homes.folder import NAME, TRASH, Folder, key_of
from reviewdeck.homes.hermes.payloads import Malformed, load_object, read_payload
from reviewdeck.homes.hermes.skills import SKILLS
from reviewdeck.homes.skill_tree import SKILL_FILE
from reviewdeck.homes.steps import Steps
from reviewdeck.homes.syscalls import Kernel, NameIn, exists
from reviewdeck.model import (
    ABSENT,
    Base,
    BaseSource,
    DocumentWrite,
    Edit,
    Kind,
    MemoryAdd,
    MemoryRemove,
    MemoryReplace,
    Proposal,
    Quarantined,
    Restore,
    Revision,
    SkillCreate,
    SkillDelete,
    SkillEdit,
    SkillPatch,
    SkillRemoveFile,
    SkillWriteFile,
    revision_of,
)
from reviewdeck.ports import PendingFile, Sighting

CAPS = {Kind.MEMORY: 256 * 1024, Kind.SKILLS: 3 * 512 * 1024}
"""Bytes of one record: 256 KiB for memory, 1.5 MiB for skills."""


_CLAIM = re.compile(
    r"\.?([0-9a-f]{8,32})(?:\.json)?\.(?:applying|claimed|claim)(?:[^0-9A-Za-z].*)?"
)
"""How programs that decide on records call what they hold: the record under another name, or a file
beside it (`<id>.json.applying.4711`, `.<id>.applying`, `<id>.claim`)."""

UNSETTLED = 100_000_000
"""Nanoseconds for which a file system may give two versions of a file the same times."""


def see_pending(home: Path, *, kernel: Kernel, clock: Callable[[], int]) -> Iterator[Sighting]:
    """Every record of the home, by folder and name, without opening any: one look at each.

    The hint is size, both times and inode. The time of the last change of the inode cannot be set
    by a program. A file that was written this very moment has no hint yet.
    """
    for kind in Kind:
        yield from _see_folder(home, kind, kernel, clock() - UNSETTLED)


def claims(home: Path, *, kernel: Kernel) -> dict[str, str]:
    """The records that another program is deciding on, each with the file that says so."""
    found: dict[str, str] = {}
    for kind in Kind:
        folder = f"pending/{kind}"
        try:
            with (
                opened(home) as top,
                directory_beneath(kernel, top, ("pending", str(kind))) as place,
            ):
                names = names_in(place)
        except OSError:
            continue
        for name in names:
            if (match := _CLAIM.fullmatch(name)) is not None:
                found[f"{folder}/{match[1]}.json"] = f"{folder}/{_shown(name)}"
    return found


def _see_folder(home: Path, kind: Kind, kernel: Kernel, settled: int) -> Iterator[Sighting]:
    folder = f"pending/{kind}"
    try:
        with (
            opened(home) as top,
            directory_beneath(kernel, top, ("pending", str(kind))) as place,
            os.scandir(place) as entries,
        ):
            found = [(one.name, _hint(one, settled)) for one in entries if _is_record(one.name)]
    except FileNotFoundError:
        return
    except OSError:
        yield Sighting(folder, "")
        return
    found.sort()
    for name, hint in found:
        if hint is not None:
            yield Sighting(f"{folder}/{_shown(name)}", hint)


def _hint(entry: os.DirEntry[str], settled: int) -> str | None:
    try:
        facts = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None
    except OSError:
        return ""
    if max(facts.st_mtime_ns, facts.st_ctime_ns) > settled:
        return ""
    return f"{facts.st_size}-{facts.st_mtime_ns}-{facts.st_ctime_ns}-{facts.st_ino}"


def scan_pending(
    home: Path, *, kernel: Kernel, only: Collection[str] | None = None
) -> Iterator[PendingFile]:
    """Every record of the home, or only these, by folder and name. What was not read says why.

    A problem is a short code, a colon and a sentence: `too-large: ...`.
    """
    for kind in Kind:
        folder = f"pending/{kind}"
        if only is None or any(one.startswith(folder) for one in only):
            yield from _scan_folder(home, kind, kernel, only)


def _scan_folder(
    home: Path, kind: Kind, kernel: Kernel, only: Collection[str] | None
) -> Iterator[PendingFile]:
    folder = f"pending/{kind}"
    try:
        with opened(home) as top, directory_beneath(kernel, top, ("pending", str(kind))) as place:
            for name in filter(_is_record, names_in(place)):
                if only is not None and f"{folder}/{_shown(name)}" not in only:
                    continue
                if (file := _read(place, folder, name, CAPS[kind])) is not None:
                    yield file
    except FileNotFoundError:
        return
    except OSError as error:
        code = "link" if error.errno == errno.ELOOP else "unreadable"
        yield PendingFile(folder, None, f"{code}: the folder cannot be read: {error.strerror}")


def _shown(name: str) -> str:
    """The name as text: bytes that are not UTF-8 are spelt out."""
    return name if name.isascii() else os.fsencode(name).decode("utf-8", "backslashreplace")


def _is_record(name: str) -> bool:
    return name.endswith(".json") and not name.startswith(".")


def _read(directory: int, folder: str, name: str, cap: int) -> PendingFile | None:
    """One file; None when it went away in the meantime: it was decided elsewhere."""
    source = f"{folder}/{_shown(name)}"
    if source != f"{folder}/{name}":
        return PendingFile(source, None, "bad-name: the file's name is not UTF-8")
    try:
        facts = os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return None
    except OSError as error:
        return PendingFile(source, None, f"unreadable: it cannot be read: {error.strerror}")
    if (problem := _shape_problem(facts, cap)) is not None:
        return PendingFile(source, None, problem)
    found = read_place(NameIn(directory, name), cap)
    if found.absent:
        return None
    if found.links != 1:  # It may have got one since the look at it.
        return PendingFile(source, None, "not-plain: it has a second name (a hard link)")
    return PendingFile(source, found.data, found.problem and f"unreadable: it {found.problem}")


def _shape_problem(facts: os.stat_result, cap: int) -> str | None:
    """Why a file of this shape is not opened at all."""
    if stat.S_ISLNK(facts.st_mode):
        return "link: it is a symbolic link"
    if not stat.S_ISREG(facts.st_mode):
        return "not-plain: it is not a regular file"
    if facts.st_nlink != 1:
        return "not-plain: it has a second name (a hard link)"
    if facts.st_size > cap:
        return f"too-large: it has {facts.st_size:,} bytes; {cap:,} is the limit"
    return None


KEY = "reviewdeck"

_SHA256 = re.compile(r"[0-9a-f]{64}")
_TEXTS = ("session", "turn", "tool_call", "model")


@dataclass(frozen=True, slots=True)
class ClaimedProvenance:
    """What the key said, as far as it could be used."""

    bases: Mapping[str, Base] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    """session, turn, tool_call, model: those that were given."""
    ignored: tuple[str, ...] = ()
    """Names of what was left out."""


def read_provenance(value: object, edits: tuple[Edit, ...]) -> ClaimedProvenance:
    """Reads the key's value for a proposal of these edits. Never raises."""
    if not isinstance(value, dict) or value.get("v") != 1 or value["v"] is True:
        return ClaimedProvenance(ignored=(KEY,))
    texts = {key: value[key] for key in _TEXTS if isinstance(value.get(key), str)}
    given = value.get("bases", {})
    bases = read_bases(given, edits, BaseSource.GIVEN) if isinstance(given, dict) else {}
    ignored = {key for key in value if key not in texts and key not in {"v", "bases"}}
    if not isinstance(given, dict) or len(bases) != len(given):
        ignored.add("bases")
    return ClaimedProvenance(bases, texts, tuple(f"{KEY}.{key}" for key in sorted(ignored)))


def read_bases(
    given: Mapping[str, Any], edits: tuple[Edit, ...], source: BaseSource
) -> dict[str, Base]:
    """Those of these bases that are sound, for documents that the edits may touch."""
    found: dict[str, Base] = {}
    for path, value in given.items():
        if (base := _base(value, source)) is not None and any(
            may_touch(edit, path) for edit in edits
        ):
            found[path] = base
    return found


def _base(value: object, source: BaseSource) -> Base | None:
    """One base; None when it is not one or its text is not what its hash says."""
    if not isinstance(value, dict) or not isinstance(sha := value.get("sha256"), str):
        return None
    text = value.get("text")
    if text is None:
        if sha == ABSENT:
            return Base(ABSENT, None, source)
        if _SHA256.fullmatch(sha):
            return Base(Revision(sha), None, source, has_text=False)
    elif isinstance(text, str) and revision_of(data := text.encode()) == sha:
        return Base(Revision(sha), data, source)
    return None


def may_touch(edit: Edit, path: str) -> bool:
    """Whether this edit could change the document at this path, wherever its skill lives."""
    match edit:
        case MemoryAdd() | MemoryReplace() | MemoryRemove() | DocumentWrite() | Restore():
            return path == edit.document
        case SkillCreate() | SkillEdit():
            return _is_file_of(path, edit.name, SKILL_FILE)
        case SkillPatch() | SkillWriteFile() | SkillRemoveFile():
            return _is_file_of(path, edit.name, edit.file)
        case SkillDelete():
            return _is_file_of(path, edit.name, None)


def _is_file_of(path: str, skill: str, file: str | None) -> bool:
    """Whether a path is a skill's file below the local root; None for any of its files."""
    parts = path.split("/")
    if parts[0] != SKILLS or skill not in parts[1:-1] or not {"", ".", ".."}.isdisjoint(parts):
        return False
    return file is None or path.endswith(f"/{skill}/{file}")


CLOCK_SKEW = timedelta(minutes=5)
"""How far in the future a record may say it was made."""

_ID = re.compile(r"[0-9a-f]{8,32}")
_KNOWN_KEYS = frozenset(
    {"id", "subsystem", "action", "summary", "origin", "created_at", "payload", KEY}
)
_SHAPE = ("id", "subsystem", "payload")


def parse_record(
    home: str, file: PendingFile, now: datetime, *, is_repaired: bool = False
) -> Proposal | Quarantined:
    """Reads one pending file, strictly. Never raises for what the file contains.

    One that an operator has repaired says itself what it is: others lie where Hermes files them.
    """
    kind = _kind_of(file.source)
    if file.data is None:
        reason, _, message = (file.problem or "unreadable: it was not read").partition(": ")
        return _quarantined(home, file, kind, Malformed(reason, message), now)
    try:
        return _proposal(home, file, file.data, None if is_repaired else kind, now)
    except Malformed as malformed:
        return _quarantined(home, file, kind, malformed, now)


def proposal_id(home: str, source: str, payload_sha: str) -> str:
    """Our id: the same record of the same home is the same proposal, whenever it is read."""
    name = "\0".join((home, source, payload_sha)).encode("utf-8", "backslashreplace")
    return hashlib.sha256(name).hexdigest()[:12]


def _proposal(
    home: str, file: PendingFile, data: bytes, filed: Kind | None, now: datetime
) -> Proposal:
    record = load_object(data)
    _check_shape(record)
    kind = _said_kind(record) if filed is None else filed
    if filed is not None:
        _check_place(record, file.source, filed)
    request = read_payload(kind, record["payload"])
    if record.get("action", request.action) != request.action:
        raise Malformed("wrong-action", "it names one action and its payload another")
    created_at, late = _moment(record, now)
    known = ClaimedProvenance()
    if KEY in record:
        known = read_provenance(record[KEY], request.edits)
    unknown = sorted(set(record) - _KNOWN_KEYS)
    sha = hashlib.sha256(data).hexdigest()
    return Proposal(
        id=proposal_id(home, file.source, sha),
        home=home,
        kind=kind,
        action=request.action,
        target=request.target,
        edits=request.edits,
        payload_sha=sha,
        origin=_text(record, "origin") or "unknown",
        source=file.source,
        source_id=record["id"],
        summary=_text(record, "summary"),
        created_at=created_at,
        ingested_at=now,
        bases=known.bases,
        session=known.texts.get("session"),
        turn=known.texts.get("turn"),
        tool_call=known.texts.get("tool_call"),
        model=known.texts.get("model"),
        unknown_keys=(*unknown, *known.ignored, *late),
    )


def _check_shape(record: dict[str, Any]) -> None:
    """Whether this is one of Hermes' own records."""
    if any(key not in record for key in _SHAPE):
        raise Malformed("foreign", "it has another shape than Hermes' own records")
    id, payload = record["id"], record["payload"]
    if not isinstance(payload, dict):
        raise Malformed("wrong-type", "its payload is not an object")
    if not isinstance(id, str) or not _ID.fullmatch(id):
        raise Malformed("bad-id", "its id is not 8 to 32 hexadecimal digits")
    if not isinstance(record.get("action", ""), str):
        raise Malformed("wrong-type", "its action is not a text")


def _check_place(record: dict[str, Any], source: str, kind: Kind) -> None:
    """Whether it is filed where it belongs."""
    if record["id"] != PurePosixPath(source).stem:
        raise Malformed("wrong-id", "its id is not the name of its file")
    if record["subsystem"] != kind:
        raise Malformed("wrong-subsystem", "it lies in the folder of another subsystem")


def _said_kind(record: dict[str, Any]) -> Kind:
    try:
        return Kind(record["subsystem"])
    except ValueError:
        raise Malformed("wrong-subsystem", "its subsystem is neither memory nor skills") from None


def _moment(record: dict[str, Any], now: datetime) -> tuple[datetime | None, tuple[str, ...]]:
    """When it says it was made; without it, and saying so, when that cannot be."""
    value = record.get("created_at")
    if value is None:
        return None, ()
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Malformed("wrong-type", "its created_at is not a number")
    if not 0 <= value <= (now + CLOCK_SKEW).timestamp():
        return None, ("created_at",)
    return datetime.fromtimestamp(value, UTC), ()


def _text(record: dict[str, Any], key: str) -> str:
    value = record.get(key)
    if value is None or isinstance(value, str):
        return value or ""
    raise Malformed("wrong-type", f"its {key} is not a text")


def _kind_of(source: str) -> Kind:
    return Kind.SKILLS if source.split("/")[1:2] == [str(Kind.SKILLS)] else Kind.MEMORY


def _quarantined(
    home: str, file: PendingFile, kind: Kind, malformed: Malformed, now: datetime
) -> Quarantined:
    # No bytes, no hash: then nothing on the disk can ever be taken for what we read.
    sha = "" if file.data is None else hashlib.sha256(file.data).hexdigest()
    return Quarantined(
        id=proposal_id(home, file.source, sha),
        home=home,
        source=file.source,
        reason=malformed.reason,
        message=malformed.message,
        payload_sha=sha,
        kind=kind,
        ingested_at=now,
    )


TOKEN = "retired"  # noqa: S105 - the name of a folder
ASIDE = ".json"


def retire(steps: Steps, home: int, records: Sequence[tuple[str, str]]) -> list[bool]:
    """Takes each file aside, looks at it there, and puts it back if it is another one.

    A record is a source with the SHA-256 of its content. Says of each whether it was taken.
    """
    folders: dict[tuple[str, ...], list[tuple[str, str, str]]] = {}
    for source, payload_sha in records:
        *parents, name = parts_of(source)
        if parents[:1] != ["pending"]:
            raise BadInput(f"{source!r} is not a pending record.")
        folders.setdefault(tuple(parents), []).append((name, source, payload_sha))
    taken: dict[str, bool] = {}
    for parents_of, group in folders.items():
        taken |= _retire_beneath(Folder(steps, home, TOKEN), parents_of, group)
    return [taken.get(source, False) for source, _ in records]


def left_aside(steps: Steps, home: int) -> dict[str, str]:
    """What lies aside: the SHA-256 of each file that can be read, by its name."""
    found: dict[str, str] = {}
    with (
        suppress(FileNotFoundError),
        directory_beneath(steps.kernel, home, (NAME, TRASH, TOKEN)) as trash,
    ):
        for name in names_in(trash):
            data = read_place(NameIn(trash, name)).data
            if name.endswith(ASIDE) and data is not None:
                found[name] = revision_of(data)
    return found


def end_retiring(steps: Steps, home: int, decided: Iterable[tuple[str, str]]) -> None:
    """Ends what an attempt that did not end had taken aside.

    A record that was decided goes; another one, which somebody wrote in its place, goes back.
    """
    left = left_aside(steps, home)
    records: dict[str, str] = {}
    for source, payload_sha in decided:
        found = left.get(f"{key_of(source)}{ASIDE}")
        if found is not None and records.get(source) != found:
            records[source] = payload_sha
    retire(steps, home, list(records.items()))


def _retire_beneath(
    folder: Folder, parents: tuple[str, ...], group: Sequence[tuple[str, str, str]]
) -> dict[str, bool]:
    taken: dict[str, bool] = {}
    with (
        suppress(FileNotFoundError),
        directory_beneath(folder.steps.kernel, folder.root, parents) as pending,
        # The folder stays: another process may be about to move its own record into it.
        folder.held(TRASH) as trash,
    ):
        for name, source, payload_sha in group:
            aside, place = NameIn(trash, f"{key_of(source)}{ASIDE}"), NameIn(pending, name)
            with suppress(FileNotFoundError):
                taken[source] = _take(folder, aside, place, source, payload_sha)
    return taken


def _take(folder: Folder, aside: NameIn, place: NameIn, source: str, payload_sha: str) -> bool:
    try:
        folder.steps.rename_new(place, aside, durable=False)
    except FileNotFoundError:  # perhaps because an attempt that did not end took it aside
        return _finish(folder, aside, place, source, payload_sha)
    except FileExistsError:
        return _take_again(folder, aside, place, source, payload_sha)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        return _remove_in_place(folder, place, payload_sha)
    return _finish(folder, aside, place, source, payload_sha)


def _take_again(
    folder: Folder, aside: NameIn, place: NameIn, source: str, payload_sha: str
) -> bool:
    """An attempt that did not end left one aside: that comes first."""
    taken = _finish(folder, aside, place, source, payload_sha)
    if not exists(place):
        return taken
    folder.steps.rename_new(place, aside, durable=False)
    return _finish(folder, aside, place, source, payload_sha)


def _finish(folder: Folder, aside: NameIn, place: NameIn, source: str, payload_sha: str) -> bool:
    """Looks at what is aside. False when there is nothing there, or another record."""
    found = read_place(aside)
    if found.absent:
        return False
    if _is(found, payload_sha):
        folder.steps.remove(aside)
        return True
    try:
        folder.steps.rename_new(aside, place, durable=False)
    except FileExistsError:
        folder.park(aside, source)
    return False


def _remove_in_place(folder: Folder, place: NameIn, payload_sha: str) -> bool:
    """The pending folder is on another file system: compare as late as possible."""
    if not _is(read_place(place), payload_sha):
        return False
    folder.steps.remove(place)
    return True


def _is(found: FileRead, payload_sha: str) -> bool:
    return found.data is not None and revision_of(found.data) == payload_sha
