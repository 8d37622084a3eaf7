"""Gemini CLI as an agent with hooks like Claude Code's: its folders, and its settings' entries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from reviewdeck.agents.claude.documents import AGENTS
from reviewdeck.agents.claude.spool import MARKS
from reviewdeck.agents.claude.switches import NAME
from reviewdeck.agents.hermes.kit import items, members
from reviewdeck.errors import BadInput
from reviewdeck.homes.claude.hooked import HookedAgent, managed_by, settings_of
from reviewdeck.homes.claude.settings import FILE, Entries, GovernedRoot, starts_of

if TYPE_CHECKING:
    from reviewdeck.homes.claude.transcripts import Form

_TIMEOUT: Final = 30
"""Seconds that Gemini CLI waits for the gate; then it lets the call through."""
_TOOLS: Final = "^(write_file|replace|run_shell_command|mcp_.*)$"
_AFTER: Final = "^(run_shell_command|mcp_.*)$"
_INSTRUCTIONS: Final = "GEMINI.md"
_OWN: Final = (
    ("settings.json", "google_accounts.json"),
    ("settings.json", "installation_id"),
    ("settings.json", _INSTRUCTIONS),
    (_INSTRUCTIONS, "oauth_creds.json"),
)
"""Sets of files of which one is whole in Gemini CLI's own folder, whatever that is called."""


def layout_of(path: Path) -> str | None:
    """The layout of a folder by its file names; None when it is not Gemini CLI's."""
    try:
        names = AGENTS["gemini"]
        marked = next((name for name in names if (path / MARKS[name]).is_file()), None)
        if marked is not None:
            return marked
        if path.name == ".gemini":
            return "gemini" if path.is_dir() and not (path.parent / ".git").exists() else None
        folder = path / ".gemini"
        is_repository = (path / ".git").exists() or folder.is_dir()
        if not is_repository and any(all((path / name).exists() for name in own) for own in _OWN):
            return "gemini"
        is_user_home = (folder / "tmp").is_dir() or (folder / "projects.json").is_file()
        instructs = folder.is_dir() or (path / _INSTRUCTIONS).is_file()
        return "gemini-project" if instructs and not is_user_home else None
    except OSError:
        return None


def entries(python: str, folder: Path, roots: Sequence[GovernedRoot]) -> Entries:
    """The hooks for Gemini CLI's settings."""
    before, gate = starts_of("gemini", python, folder, roots)
    prompt = {"hooks": [_handler(gate)]}
    return {
        "BeforeTool": [{"matcher": _TOOLS, "hooks": [_handler(before)]}],
        "AfterTool": [{"matcher": _AFTER, "hooks": [_handler(gate)]}],
        "BeforeAgent": [prompt],
        "SessionStart": [prompt],
    }


def _handler(command: str) -> dict[str, Any]:
    milliseconds = _TIMEOUT * 1000
    return {"type": "command", "name": NAME, "timeout": milliseconds, "command": command}


def _form() -> Form:
    from reviewdeck.homes.gemini.transcripts import GEMINI_FORM  # not needed for a home

    return GEMINI_FORM


def _used_in(env: Mapping[str, str], user_home: Path) -> Iterator[str]:
    """The repositories in its own list, by which it names their folders."""
    from reviewdeck.homes.claude.governed import default_config

    file = default_config(env, user_home, "gemini") / "projects.json"
    try:
        yield from members(settings_of(file).get("projects"))
    except BadInput:
        return


def _weaknesses(
    env: Mapping[str, str],
    user_home: Path,
    roots: Sequence[GovernedRoot],
    version: str | None,
) -> Iterator[str]:
    """What lets a write through, and instructions that have another name."""
    yield (
        f"Gemini CLI lets a write through when the gate takes more than {_TIMEOUT} seconds or is"
        " killed"
    )
    for root in roots:
        folder = root.path if root.layout == "gemini" else root.path / ".gemini"
        try:
            named = members(settings_of(folder / FILE, comments=True).get("context")).get(
                "fileName"
            )
        except BadInput:
            continue
        for name in [named] if isinstance(named, str) else items(named):
            if name != _INSTRUCTIONS:
                yield f"{folder / FILE} names instructions {name}, which is not covered"


GEMINI: Final = HookedAgent(
    key="gemini",
    name="Gemini CLI",
    config="gemini",
    project="gemini-project",
    folder=".gemini",
    program="gemini",
    projects="tmp",
    managed=managed_by("GEMINI_CLI", "/etc/gemini-cli/settings.json"),
    memory_setting="",
    layout_of=layout_of,
    entries=entries,
    form=_form,
    used_in=_used_in,
    weaknesses=_weaknesses,
    reads_comments=True,
)
