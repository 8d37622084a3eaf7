"""What Gemini CLI notes about its extractions: `tmp/<project>/memory/.extraction-state.json`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from reviewdeck.agents.hermes.kit import items, members, objects, parsed, text_at
from reviewdeck.files.reads import read_quietly
from reviewdeck.files.syscalls import Kernel

_STATE: Final = ".extraction-state.json"


def memory_of(source: str) -> str:
    """The memory folder of a path in a project's folder."""
    return "/".join(source.split("/")[:3])


def extracted_from(root: Path, source: str) -> str:
    """The session from which a patch was extracted last; empty where that is not one alone."""
    folder = memory_of(source)
    name = source.removeprefix(f"{folder}/")
    state = members(parsed(read_quietly(root, f"{folder}/{_STATE}", kernel=Kernel()).data))
    made = "memoryCandidatesCreated"
    runs = [run for run in objects(state.get("runs")) if name in items(run.get(made))]
    read = objects(runs[-1].get("processedSessions") or ()) if runs else []
    sessions = {text_at(session, "sessionId") for session in read}
    return next(iter(sessions)) if len(sessions) == 1 else ""
