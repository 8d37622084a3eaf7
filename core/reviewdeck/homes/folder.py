"""Our own folder in a home: where a tree is staged and where what was displaced waits.

It is on the home's file system, outside the folders that the agent scans. A manifest says which
bytes are known to the ledger, so that anything else can be told apart and given back.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from reviewdeck.errors import BadInput
from reviewdeck.homes.files import OURS, FileRead, directory_beneath, read_place
from reviewdeck.homes.steps import Steps, owner_of
from reviewdeck.homes.syscalls import NameIn, exists
from reviewdeck.model.documents import revision_of
from reviewdeck.model.plans import Change

NAME = OURS
STAGE = "stage"
TRASH = "trash"
IDENTITY = "identity"
"""The mark by which a ledger knows the home, wherever it is moved."""
MANIFEST = "manifest.json"
COPY = "copy.tmp"
"""A copy on its way into the trash from another file system."""
_README = (
    b"reviewdeck keeps half-written and replaced files here while it changes this home; "
    b"`reviewdeck recover` clears it.\n"
)
_TOKEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


def key_of(path: str) -> str:
    """A short name for a path, free of anything that a file system minds."""
    return hashlib.sha256(path.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def temp_name(token: str, path: str) -> str:
    """The name under which a document's new bytes are written, next to it."""
    return f".reviewdeck-{token}-{key_of(path)}.tmp"


def checked(token: str) -> str:
    """The token, if it can be a part of a file name. Raises BadInput."""
    if not _TOKEN.fullmatch(token):
        raise BadInput(f"{token!r} cannot name a batch of writes.")
    return token


def ensure(
    steps: Steps, root: int, parts: Sequence[str], mode: int | None = None
) -> list[tuple[str, ...]]:
    """Makes the directories that are missing on the way; gives back those it made."""
    made: list[tuple[str, ...]] = []
    for depth in range(len(parts)):
        above = tuple(parts[:depth])
        with directory_beneath(steps.kernel, root, above) as directory:
            place = NameIn(directory, parts[depth])
            try:
                if not exists(place) and steps.make_directory(place, mode):
                    made.append((*above, parts[depth]))
            except OSError:
                with suppress(OSError):
                    prune(steps, root, made)
                raise
    return made


def prune(steps: Steps, root: int, directories: Sequence[tuple[str, ...]]) -> None:
    """Removes these directories, deepest first, as far as they are empty."""
    for parts in sorted(directories, key=len, reverse=True):
        with (
            suppress(FileNotFoundError, NotADirectoryError),
            directory_beneath(steps.kernel, root, parts[:-1]) as directory,
        ):
            steps.remove_directory(NameIn(directory, parts[-1]))


def survey(steps: Steps, place: NameIn) -> dict[str, FileRead]:
    """Every file below a directory by its path there. A link is a file that cannot be read."""
    found: dict[str, FileRead] = {}
    with directory_beneath(steps.kernel, place.directory, (place.name,)) as directory:
        with os.scandir(directory) as entries:
            kinds = sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries)
        for name, is_directory in kinds:
            inner = NameIn(directory, name)
            if is_directory:
                below = survey(steps, inner)
                found |= {f"{name}/{path}": file for path, file in below.items()}
            else:
                found[name] = read_place(inner)
    return found


class Folder:
    """The part of our folder that belongs to one token."""

    def __init__(self, steps: Steps, root: int, token: str) -> None:
        self.steps = steps
        self.root = root
        self.token = checked(token)

    @contextmanager
    def held(self, kind: str) -> Iterator[int]:
        """Holds the token's stage or trash open, made if need be."""
        make_home(self.steps, self.root)
        parts = (NAME, kind, self.token)
        ensure(self.steps, self.root, parts, 0o700)
        with directory_beneath(self.steps.kernel, self.root, parts) as directory:
            yield directory

    def park(self, place: NameIn, path: str) -> None:
        """Moves what was displaced into the trash, where it stays until it is settled."""
        with self.held(TRASH) as trash:
            for count in range(1_000_000):
                with suppress(FileExistsError):
                    self._move(place, NameIn(trash, f"{key_of(path)}-{count}"))
                    return

    def _move(self, place: NameIn, target: NameIn) -> None:
        try:
            self.steps.rename_new(place, target)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            self._copy(place, target)

    def _copy(self, place: NameIn, target: NameIn) -> None:
        """Keeps the bytes when the trash is on another file system."""
        found = read_place(place)
        if found.data is None:
            raise OSError(errno.EXDEV, found.problem or "is gone", place.name)
        copy = NameIn(target.directory, COPY)
        self.steps.remove(copy)
        self.steps.write_file(copy, found.data, 0o600, owner_of(target.directory, FileRead()))
        self.steps.rename_new(copy, target)
        self.steps.remove(place)
        self.steps.sync(place.directory)

    def remember(self, changes: Sequence[Change]) -> None:
        """Notes which bytes of which documents the ledger has, before any of them moves."""
        with self.held(TRASH) as trash:
            old = read_manifest(trash)
            new = {path: set(known) for path, known in old.items()}
            for change in changes:
                for name in (change.path, change.tree):
                    new.setdefault(name, set()) if name else None
                new[change.path] |= {change.before_revision, change.after_revision}
            if {path: frozenset(known) for path, known in new.items()} != old:
                self._write_manifest(trash, new)

    def _write_manifest(self, trash: int, known: dict[str, set[str]]) -> None:
        text = json.dumps({path: sorted(shas) for path, shas in sorted(known.items())}, indent=1)
        temp = NameIn(trash, f"{MANIFEST}.tmp")
        self.steps.remove(temp)
        self.steps.write_file(temp, text.encode(), 0o600, owner_of(trash, FileRead()))
        self.steps.replace(temp, NameIn(trash, MANIFEST))

    def clear(self, kind: str) -> None:
        """Removes the token's directory once it is empty."""
        prune(self.steps, self.root, [(NAME, kind, self.token)])


def make_home(steps: Steps, root: int, mark: str = "") -> None:
    """Makes our folder, for its owner only, with a line that says what it is. Git leaves it alone.

    With a mark, the folder says from then on which home this is, unless it says so already.
    """
    ensure(steps, root, (NAME,), 0o700)
    with directory_beneath(steps.kernel, root, (NAME,)) as directory:
        files = (("README", _README), (".gitignore", b"*\n"), (IDENTITY, f"{mark}\n".encode()))
        for name, data in files:
            place = NameIn(directory, name)
            if not exists(place) and (mark or name != IDENTITY):
                with suppress(FileExistsError):
                    steps.write_file(place, data, 0o600, owner_of(directory, FileRead()))
                    steps.sync(directory)


def read_manifest(trash: int) -> dict[str, frozenset[str]]:
    """The known revisions by path; empty when it cannot be read, and then nothing is known."""
    data = read_place(NameIn(trash, MANIFEST)).data
    try:
        raw = json.loads(data or b"{}")
        return {str(path): frozenset(map(str, shas)) for path, shas in raw.items()}
    except (ValueError, AttributeError, TypeError):
        return {}


def known_here(known: dict[str, frozenset[str]], path: str, found: FileRead) -> bool:
    """Whether the ledger has these bytes of this document."""
    return found.data is not None and revision_of(found.data) in known.get(path, frozenset())
