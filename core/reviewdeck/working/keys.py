"""The names that are ours within a scope. A user's key never begins like them."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Final

from reviewdeck.errors import BadInput

RESERVED: Final = "_"
META: Final = "_meta"
TASK: Final = "_task"
NOTES: Final = "_notes"
CHECKPOINT: Final = "_checkpoint:"
LONGEST_KEY: Final = 500
"""Characters of a key."""


def checked(key: str) -> str:
    """A key that may be used. Raises BadInput for one that is reserved or names nothing."""
    if key.startswith(RESERVED):
        raise BadInput(
            f"The key {key[:40]!r} is reserved.",
            hint="Keys that begin with an underscore are kept for tasks, notes and checkpoints.",
        )
    if not key or len(key) > LONGEST_KEY or "\x00" in key:
        raise BadInput(f"A key is text of 1 to {LONGEST_KEY} characters, without NUL.")
    try:
        key.encode("utf-8")
    except UnicodeEncodeError as error:
        raise BadInput("A key cannot hold half a surrogate pair.") from error
    return key


def is_users(key: str) -> bool:
    """Whether a key is not one of ours."""
    return not key.startswith(RESERVED)


def matches(key: str, glob: str) -> bool:
    """Whether a user's key is one of those that a glob means: `*`, `?`, `[abc]`."""
    return is_users(key) and fnmatchcase(key, glob)
