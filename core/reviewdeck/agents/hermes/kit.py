"""Files and untyped values, as the programs inside other agents read and write them.

No link is followed, and a pipe or a device is never opened for long. It loads only what loads
quickly: the gate inside Claude Code waits for it before each call of a tool.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import IO, Any

OURS = ".reviewdeck"
"""Our own folder in a home."""
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class NotPlain(OSError):
    """It is no regular file, or too large; the message says which."""


def open_plain(
    path: str | os.PathLike[str], folder: int | None = None, *, is_link_followed: bool = False
) -> IO[bytes]:
    """Opens a regular file, of an open folder if one is given. Raises OSError, NotPlain."""
    flags = _READ if is_link_followed else _READ | os.O_NOFOLLOW
    file = os.open(path, flags, dir_fd=folder)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise NotPlain("it is not a plain file")
    return os.fdopen(file, "rb")


def read_with_status(path: str | os.PathLike[str], most: int) -> tuple[bytes, os.stat_result]:
    """A regular file's bytes, at most so many, and its status. Raises OSError, NotPlain."""
    with open_plain(path) as opened:
        status, data = os.fstat(opened.fileno()), opened.read(most + 1)
    if len(data) > most:
        raise NotPlain(f"it is larger than {most:,} bytes")
    return data, status


def read_file(path: str | os.PathLike[str], most: int) -> bytes | None:
    """A regular file's bytes; None where there is no file. Raises OSError, NotPlain."""
    try:
        return read_with_status(path, most)[0]
    except (FileNotFoundError, NotADirectoryError):
        return None


def open_folder(path: str | os.PathLike[str], *below: str, is_made: bool = True) -> int:
    """Opens a folder, or one below it. Below it no link is followed, and `is_made` creates."""
    place = os.open(path, _DIRECTORY & ~os.O_NOFOLLOW)
    for name in below:
        try:
            try:
                if is_made:
                    os.mkdir(name, 0o700, dir_fd=place)
            except FileExistsError:
                pass
            child = os.open(name, _DIRECTORY, dir_fd=place)
        finally:
            os.close(place)
        place = child
    return place


class OpenFolder:
    """A folder as `open_folder` opens it, closed at the end of a `with`."""

    def __init__(self, path: str | os.PathLike[str], *below: str, is_made: bool = True) -> None:
        self._folder = open_folder(path, *below, is_made=is_made)

    def __enter__(self) -> int:
        return self._folder

    def __exit__(self, *_: object) -> None:
        os.close(self._folder)


def names_in(folder: int | str) -> list[str]:
    """The names in a folder, sorted; none where there is no folder. Raises OSError."""
    try:
        return sorted(os.listdir(folder))
    except FileNotFoundError:
        return []


def write_file(
    folder: int, name: str, data: bytes, *, draft: str = "", is_evidence: bool = True
) -> None:
    """Writes a file of an open folder atomically, and durably if it is evidence. Raises OSError.

    Under a draft's name of its own it is locked: who cleans the folder up leaves that one alone.
    """
    is_locked = bool(draft)
    draft = draft or f".{name}.{os.getpid()}.{time.monotonic_ns()}.new"
    try:
        with os.fdopen(os.open(draft, _NEW, 0o600, dir_fd=folder), "wb") as file:
            if is_locked:
                fcntl.flock(file, fcntl.LOCK_EX)
            file.write(data)
            file.flush()
            if is_evidence:
                os.fsync(file.fileno())
            os.replace(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
        if is_evidence:
            os.fsync(folder)
    except BaseException:
        remove(draft, folder)
        raise


def remove(path: str, folder: int | None = None) -> None:
    """Removes a file, of an open folder if one is given; nothing where there is none."""
    try:
        os.unlink(path, dir_fd=folder)
    except FileNotFoundError:
        pass


def digest(data: bytes) -> str:
    """The SHA-256, in hexadecimal digits."""
    # Imported late: it is a tenth of the gate's start-up time, and most calls hash nothing.
    import hashlib

    return hashlib.sha256(data).hexdigest()


def parsed(data: bytes | str | None) -> Any:
    """The value of a JSON text; None for none, and for what is no JSON."""
    try:
        return None if data is None else json.loads(data)
    except (ValueError, RecursionError):
        return None


def encoded(value: object) -> bytes:
    """A value as JSON in UTF-8; half a surrogate pair becomes a question mark."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


def text(value: object) -> str:
    """The value if it is a text, else an empty one."""
    return value if isinstance(value, str) else ""


def text_at(fields: Mapping[str, Any], key: str) -> str:
    """The text of a field; empty where there is none."""
    return text(fields.get(key))


def path_text(value: object) -> str:
    """The value if it is a text that can be a path, else an empty one."""
    try:
        return "" if b"\0" in os.fsencode(text(value)) else text(value)
    except UnicodeEncodeError:
        return ""


def items(value: object) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def members(value: object) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def objects(value: object) -> list[dict[str, Any]]:
    """The objects in a list; none where it is no list."""
    return [item for item in items(value) if isinstance(item, dict)]


def line(text: object, most: int = 200) -> str:
    """The printable characters of a text on one line of at most `most`, without quotes and tags."""
    string = text if isinstance(text, str) else ""
    plain = "".join(char if char.isprintable() else " " for char in string[: 4 * most])
    plain = " ".join(plain.translate(_REPLACED).split())
    return plain if len(plain) <= most else f"{plain[: most - 1]}…"


_REPLACED = str.maketrans({'"': "'", "<": "‹", ">": "›", "`": "'"})
