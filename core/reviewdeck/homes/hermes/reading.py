"""Reads documents of a home for planning: whatever is wrong is the document's problem."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from reviewdeck.errors import ReviewdeckError
from reviewdeck.homes.files import read_document
from reviewdeck.homes.syscalls import Kernel
from reviewdeck.model import Document


def read_quietly(root: Path, path: str, *, kernel: Kernel, follow: bool = False) -> Document:
    """The document at a path below a directory. Never raises, whatever the path."""
    try:
        document = read_document(root, path, follow=follow, kernel=kernel)
    except (ReviewdeckError, ValueError):
        return Document(path, None, problem="is not a path within the home")
    if document.problem is None and b"\0" in (document.data or b""):
        return replace(document, problem="contains a NUL character")
    return document
