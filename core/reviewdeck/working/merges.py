"""Merges that were begun and not finished, kept in a working memory."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from reviewdeck.ports.unfinished import Unfinished
from reviewdeck.working.memory import WorkingMemory


class WorkingMerges:
    """Satisfies `ports.unfinished.UnfinishedMerges`."""

    def __init__(self, memory: WorkingMemory) -> None:
        self._memory = memory

    def save(self, proposal: str, digest: str, value: Mapping[str, Any]) -> None:
        """Keeps a value in the place of what was kept for this proposal."""
        # As ASCII text: what an operator typed or a file held may be no whole Unicode.
        said = json.dumps({"proposal": proposal, "digest": digest, "value": value})
        self._memory.set(_key(proposal), said)

    def load(self, proposal: str) -> Unfinished | None:
        """What was kept; None for nothing, and for what cannot be read any more."""
        try:
            found = json.loads(self._memory.get(_key(proposal), default=""))
        except (TypeError, ValueError):
            return None
        if not isinstance(found, dict) or found.get("proposal") != proposal:
            return None
        digest, value = found.get("digest"), found.get("value")
        if not isinstance(digest, str) or not isinstance(value, dict):
            return None
        return Unfinished(digest, value)

    def forget(self, proposal: str) -> None:
        """Drops what was kept, if anything was."""
        self._memory.delete(_key(proposal))


def _key(proposal: str) -> str:
    """A key that any text can have."""
    digest = hashlib.sha256(proposal.encode("utf-8", "surrogatepass")).hexdigest()
    return f"merge:{digest[:32]}"
