"""Qwen Code as an agent with Claude Code's hooks: its folders, and the entries of its settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from reviewdeck.agents.claude.documents import AGENTS, INDEX
from reviewdeck.agents.claude.roots import Root
from reviewdeck.agents.claude.spool import MARKS
from reviewdeck.homes.claude.hooked import HookedAgent, managed_by
from reviewdeck.homes.claude.layout import OF_QWEN
from reviewdeck.homes.claude.settings import Entries, GovernedRoot, starts_of

if TYPE_CHECKING:
    from reviewdeck.homes.claude.transcripts import Form

_TIMEOUT: Final = 30
"""Seconds that Qwen Code waits for the gate; then it lets the call through."""
_TOOLS: Final = "^(write_file|edit|notebook_edit|run_shell_command|monitor|mcp__.*)$"
_AFTER: Final = "^(run_shell_command|monitor|mcp__.*)$"
_BESIDE: Final = ("settings.json", "installation_id", "projects")
"""In Qwen Code's own folder, whatever it is called, one of these is beside one of `OF_QWEN`."""
_MOVING: Final = ("QWEN_RUNTIME_DIR", "QWEN_CODE_MEMORY_BASE_DIR")
"""Variables that name another folder for the memories."""


def layout_of(path: Path) -> str | None:
    """The layout of a folder by its file names; None when it is not Qwen Code's."""
    try:
        names = AGENTS["qwen"]
        marked = next((name for name in names if (path / MARKS[name]).is_file()), None)
        if marked is not None:
            return marked
        if path.name == ".qwen":
            return "qwen" if path.is_dir() and not (path.parent / ".git").exists() else None
        is_repository = (path / ".git").exists() or (path / ".qwen").is_dir()
        if not is_repository and _has_any(path, OF_QWEN) and _has_any(path, _BESIDE):
            return "qwen"
        is_user_home = (path / ".qwen" / "projects").is_dir()
        instructs = (path / ".qwen").is_dir() or (path / "QWEN.md").is_file()
        return "qwen-project" if instructs and not is_user_home else None
    except OSError:
        return None


def _has_any(path: Path, names: Sequence[str]) -> bool:
    return any((path / name).exists() for name in names)


def entries(python: str, folder: Path, roots: Sequence[GovernedRoot]) -> Entries:
    """The hooks for Qwen Code's settings."""
    before, gate = starts_of("qwen", python, folder, roots)
    after, prompt = {"matcher": _AFTER, "hooks": [_handler(gate)]}, {"hooks": [_handler(gate)]}
    return {
        "PreToolUse": [{"matcher": _TOOLS, "hooks": [_handler(before)]}],
        "PostToolUse": [after],
        "PostToolUseFailure": [after],
        "UserPromptSubmit": [prompt],
        "SessionStart": [prompt],
    }


def _handler(command: str) -> dict[str, Any]:
    return {"type": "command", "shell": "bash", "timeout": _TIMEOUT, "command": command}


def _form() -> Form:
    from reviewdeck.homes.qwen.transcripts import QWEN_FORM  # not needed for a home

    return QWEN_FORM


def _used_in(env: Mapping[str, str], user_home: Path) -> Iterator[str]:
    """None: Qwen Code keeps no list of them."""
    yield from ()


def _weaknesses(
    env: Mapping[str, str],
    user_home: Path,
    roots: Sequence[GovernedRoot],
    version: str | None,
) -> Iterator[str]:
    """What lets a write through, and a memory that is elsewhere."""
    yield f"Qwen Code lets a write through when the gate takes more than {_TIMEOUT} seconds"
    governed = [Root(root.layout, str(root.path)) for root in roots]
    for name in _MOVING:
        moved = env.get(name, "").strip()
        place = f"{Path(moved).expanduser()}/memories/{INDEX}" if moved else ""
        if moved and not any(root.covers(place) for root in governed):
            yield f"the variable {name} moves the memory to {moved}, which is not covered"


QWEN: Final = HookedAgent(
    key="qwen",
    name="Qwen Code",
    config="qwen",
    project="qwen-project",
    folder=".qwen",
    program="qwen",
    projects="projects",
    managed=managed_by("QWEN_CODE", "/etc/qwen-code/settings.json"),
    memory_setting="",
    layout_of=layout_of,
    entries=entries,
    form=_form,
    used_in=_used_in,
    weaknesses=_weaknesses,
    reads_comments=True,
)
