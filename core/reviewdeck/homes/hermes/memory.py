"""The memory documents of a home."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from reviewdeck.homes.hermes.reading import read_quietly
from reviewdeck.homes.hermes.stamps import STORES as STORES
from reviewdeck.homes.syscalls import Kernel
from reviewdeck.model import Document


def is_memory(path: str) -> bool:
    """Whether this path is one of the memory documents."""
    return path in STORES.values()


def read_memory(home: Path, path: str, *, kernel: Kernel) -> Document:
    """A memory document. A link is followed, once, on purpose: people link to their dotfiles.

    `link` then says where the file really is. A link that leads nowhere is a problem, not an
    absent document.
    """
    document = read_quietly(home, path, kernel=kernel, follow=True)
    if not document.exists and (home / path).is_symlink():
        return replace(document, problem=f"is a link to {document.link}, which is not there")
    return document
