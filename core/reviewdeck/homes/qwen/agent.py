"""Qwen Code as an agent with Claude Code's hooks: its folders, and the entries of its settings."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from reviewdeck.agents.claude.documents import AGENTS, INDEX, LAYOUTS
from reviewdeck.agents.claude.roots import Root
from reviewdeck.agents.claude.spool import MARKS
from reviewdeck.agents.claude.switches import MARK
from reviewdeck.homes.claude.hooked import HookedAgent
from reviewdeck.homes.claude.layout import OF_QWEN
from reviewdeck.homes.claude.settings import STARTS, Entries, GovernedRoot

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
_WHEN_FAILED: Final = (
    r"path=${{event#*\"tool_input\":}}; path=${{path#*_path\":\"}}; code=1; "
    r"case $path in {named}) code=2;; esac; "
    r"case ${{path%%\"*}} in *//*|*/./*|*/../*) code=2;; esac; "
    r"[ $code = 1 ] || echo {says} >&2; exit $code"
)
"""The shell's look at a call: at the path of a file tool's, `file_path` or `notebook_path`."""
_FAILED: Final = "The gate of reviewdeck failed. This file is reviewed: it is as it was."


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
    """The hooks for Qwen Code's settings.

    Qwen Code lets a call through when its hook fails or is gone. So the shell that starts the gate
    looks at the event itself then, and refuses a call that names a document, or a path that may be
    spelled otherwise.
    """
    start = STARTS.format(agent="qwen")
    arguments = [python, "-I", "-S", "-c", start, str(folder), MARK]
    gate = shlex.join([*arguments, *(root.argument for root in roots)])
    named = "|".join(f"{shlex.quote(path)}*" for path in _beginnings(roots))
    failed = _WHEN_FAILED.format(named=named, says=shlex.quote(_FAILED))
    guarded = _handler(f'event=$(cat); printf %s "$event" | {gate} || {{ {failed}; }}')
    after, prompt = {"matcher": _AFTER, "hooks": [_handler(gate)]}, {"hooks": [_handler(gate)]}
    return {
        "PreToolUse": [{"matcher": _TOOLS, "hooks": [guarded]}],
        "PostToolUse": [after],
        "PostToolUseFailure": [after],
        "UserPromptSubmit": [prompt],
        "SessionStart": [prompt],
    }


def _handler(command: str) -> dict[str, Any]:
    return {"type": "command", "shell": "bash", "timeout": _TIMEOUT, "command": command}


def _beginnings(roots: Sequence[GovernedRoot]) -> Iterator[str]:
    """How the paths of documents begin, as JSON has them."""
    for root in roots:
        heads = dict.fromkeys(pattern.split("*")[0] for pattern in LAYOUTS[root.layout])
        for place in dict.fromkeys((root.path, root.path.resolve())):
            for head in heads:
                yield json.dumps(f"{place}/{head}", ensure_ascii=False)[1:-1]


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
    managed=Path("/etc/qwen-code/settings.json"),
    memory_setting="",
    layout_of=layout_of,
    entries=entries,
    form=_form,
    used_in=_used_in,
    weaknesses=_weaknesses,
)
