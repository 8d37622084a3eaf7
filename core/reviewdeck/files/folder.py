"""Our own folder in a home: the stage for new trees and the trash for displaced files.

It is on the home's file system, outside the folders that the agent scans. A manifest names the
revisions that the ledger has, so that anything else is recognised and given back.
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
from reviewdeck.files import OURS
from reviewdeck.files.reads import FileRead, directory_beneath, read_place
from reviewdeck.files.steps import Steps, owner_of
from reviewdeck.files.syscalls import NameIn, exists
from reviewdeck.model.documents import revision_of
from reviewdeck.model.plans import Change
from reviewdeck.text.json import load_json

NAME = OURS
STAGE = "stage"
TRASH = "trash"
IDENTITY = "identity"
"""The file with the mark by which a ledger recognises a home that was moved."""
MANIFEST = "manifest.json"
COPY = "copy.tmp"
"""The name of a copy on its way into the trash from another file system."""
_README = (
    b"reviewdeck keeps half-written and replaced files here while it changes this home; "
    b"`reviewdeck recover` clears it.\n"
)
_TOKEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


def key_of(path: str) -> str:
    """A short name for a path, safe as a file name."""
    return hashlib.sha256(path.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def temp_name(token: str, path: str) -> str:
    """The name under which a document's new bytes are written, next to it."""
    return f".reviewdeck-{token}-{key_of(path)}.tmp"


def check_token(token: str) -> str:
    """The token, unchanged, if it is safe in a file name. Raises BadInput."""
    if not _TOKEN.fullmatch(token):
        raise BadInput(f"{token!r} cannot name a batch of writes.")
    return token


def make_directories(
    steps: Steps, root: int, parts: Sequence[str], mode: int | None = None
) -> list[tuple[str, ...]]:
    """Creates the missing directories of a path; returns those that it created."""
    created: list[tuple[str, ...]] = []
    for depth in range(len(parts)):
        parents = tuple(parts[:depth])
        with directory_beneath(steps.kernel, root, parents) as directory:
            place = NameIn(directory, parts[depth])
            try:
                if not exists(place) and steps.make_directory(place, mode):
                    created.append((*parents, parts[depth]))
            except OSError:
                with suppress(OSError):
                    prune(steps, root, created)
                raise
    return created


def prune(steps: Steps, root: int, directories: Sequence[tuple[str, ...]]) -> None:
    """Removes those of these directories that are empty, deepest first."""
    for parts in sorted(directories, key=len, reverse=True):
        with (
            suppress(FileNotFoundError, NotADirectoryError),
            directory_beneath(steps.kernel, root, parts[:-1]) as directory,
        ):
            steps.remove_directory(NameIn(directory, parts[-1]))


def read_tree(steps: Steps, place: NameIn) -> dict[str, FileRead]:
    """Every file below a directory, by its path there. A link is an unreadable file."""
    files: dict[str, FileRead] = {}
    with directory_beneath(steps.kernel, place.directory, (place.name,)) as directory:
        with os.scandir(directory) as entries:
            kinds = sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries)
        for name, is_directory in kinds:
            child = NameIn(directory, name)
            if is_directory:
                subtree = read_tree(steps, child)
                files |= {f"{name}/{path}": file for path, file in subtree.items()}
            else:
                files[name] = read_place(child)
    return files


class Folder:
    """The part of our folder that belongs to one token."""

    def __init__(self, steps: Steps, root: int, token: str) -> None:
        self.steps = steps
        self.root = root
        self.token = check_token(token)

    @contextmanager
    def opened(self, kind: str) -> Iterator[int]:
        """Holds the token's stage or trash open; creates it if needed."""
        make_own_folder(self.steps, self.root)
        parts = (NAME, kind, self.token)
        make_directories(self.steps, self.root, parts, 0o700)
        with directory_beneath(self.steps.kernel, self.root, parts) as directory:
            yield directory

    def park(self, place: NameIn, path: str) -> None:
        """Moves a displaced file into the trash, where it stays until `empty_trash`."""
        with self.opened(TRASH) as trash:
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
        """Copies the bytes when the trash is on another file system."""
        file = read_place(place)
        if file.data is None:
            raise OSError(errno.EXDEV, file.problem or "is gone", place.name)
        copy = NameIn(target.directory, COPY)
        self.steps.remove(copy)
        self.steps.write_file(copy, file.data, 0o600, owner_of(target.directory, FileRead()))
        self.steps.rename_new(copy, target)
        self.steps.remove(place)
        self.steps.sync(place.directory)

    def remember(self, changes: Sequence[Change]) -> None:
        """Adds the revisions of these changes to the manifest, before any file moves."""
        with self.opened(TRASH) as trash:
            manifest = read_manifest(trash)
            updated = {path: set(revisions) for path, revisions in manifest.items()}
            for change in changes:
                for name in (change.path, change.tree):
                    updated.setdefault(name, set()) if name else None
                updated[change.path] |= {change.before_revision, change.after_revision}
            if {path: frozenset(revisions) for path, revisions in updated.items()} != manifest:
                self._write_manifest(trash, updated)

    def _write_manifest(self, trash: int, revisions: dict[str, set[str]]) -> None:
        text = json.dumps(
            {path: sorted(shas) for path, shas in sorted(revisions.items())}, indent=1
        )
        self.steps.rewrite(NameIn(trash, MANIFEST), f"{MANIFEST}.tmp", text.encode())

    def clear(self, kind: str) -> None:
        """Removes the token's directory once it is empty."""
        prune(self.steps, self.root, [(NAME, kind, self.token)])


def make_own_folder(steps: Steps, root: int, mark: str = "") -> None:
    """Creates our folder, private to its owner, with a README and a `.gitignore`.

    A mark is written as the home's identity, unless the folder has one already.
    """
    make_directories(steps, root, (NAME,), 0o700)
    with directory_beneath(steps.kernel, root, (NAME,)) as directory:
        files = (("README", _README), (".gitignore", b"*\n"), (IDENTITY, f"{mark}\n".encode()))
        for name, content in files:
            place = NameIn(directory, name)
            if not exists(place) and (mark or name != IDENTITY):
                with suppress(FileExistsError):
                    steps.write_file(place, content, 0o600, owner_of(directory, FileRead()))
                    steps.sync(directory)


def read_manifest(trash: int) -> dict[str, frozenset[str]]:
    """The recorded revisions by path; empty when the manifest cannot be read."""
    data = read_place(NameIn(trash, MANIFEST)).data
    try:
        revisions = load_json(data or b"{}")
        return {str(path): frozenset(map(str, shas)) for path, shas in revisions.items()}
    except (ValueError, AttributeError, TypeError):
        return {}


def is_recorded(manifest: dict[str, frozenset[str]], path: str, file: FileRead) -> bool:
    """Whether the ledger has these bytes of this document."""
    return file.data is not None and revision_of(file.data) in manifest.get(path, frozenset())
