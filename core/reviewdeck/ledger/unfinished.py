"""Unfinished merges as small files in a folder beside the ledger."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reviewdeck.errors import LedgerUnavailable
from reviewdeck.ports.unfinished import Unfinished


class MergeFolder:
    """One file for each proposal, replaced as a whole, for its owner's eyes alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def save(self, proposal: str, digest: str, value: Mapping[str, Any]) -> None:
        """Writes a file and puts it in the place of the old one."""
        said = json.dumps({"proposal": proposal, "digest": digest, "value": value})
        path = self._path(proposal)
        fresh = path.with_suffix(".new")
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            with os.fdopen(descriptor, "w", encoding="ascii") as file:
                file.write(said)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(path)
        except OSError as error:
            raise LedgerUnavailable(
                f"What is decided so far cannot be kept in {self._folder}: {error.strerror}."
            ) from error

    def load(self, proposal: str) -> Unfinished | None:
        """Reads the file; one that is damaged counts as none."""
        try:
            found = json.loads(self._path(proposal).read_bytes())
        except (OSError, ValueError):
            return None
        if not isinstance(found, dict) or found.get("proposal") != proposal:
            return None
        digest, value = found.get("digest"), found.get("value")
        if not isinstance(digest, str) or not isinstance(value, dict):
            return None
        return Unfinished(digest, value)

    def forget(self, proposal: str) -> None:
        """Removes the file."""
        try:
            self._path(proposal).unlink(missing_ok=True)
        except OSError as error:
            raise LedgerUnavailable(
                f"{self._path(proposal)} cannot be removed: {error.strerror}."
            ) from error

    def _path(self, proposal: str) -> Path:
        """A name that any text can have without leaving the folder."""
        return self._folder / f"{hashlib.sha256(proposal.encode()).hexdigest()[:32]}.json"
