"""The folders of agents that reviewdeck has no kind of home for, told by their own files.

Some of them have a `memories`, a `MEMORY.md` or a `config.yaml` too: without this they would be
taken for a home of Hermes or of Claude Code. File names as of autumn 2026.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from reviewdeck.values import dataclass


@dataclass(frozen=True, slots=True)
class _Agent:
    """An agent's own folder: what it is called, or what is in it."""

    name: str
    folders: tuple[str, ...]
    """Names of the folder; with a slash, its parent's name too."""
    files: tuple[tuple[str, ...], ...] = ()
    """Sets of files of which one is there whole."""


_AGENTS: Final = (
    _Agent(
        "Codex",
        (".codex",),
        tuple(
            ("config.toml", name)
            for name in ("auth.json", "history.jsonl", "sessions", "memories", "version.json")
        ),
    ),
    _Agent(
        "Gemini CLI",
        (".gemini",),
        (
            ("settings.json", "google_accounts.json"),
            ("settings.json", "GEMINI.md"),
            ("settings.json", "installation_id"),
            ("GEMINI.md", "oauth_creds.json"),
        ),
    ),
    _Agent(
        "OpenClaw",
        (".openclaw", ".clawdbot", ".moltbot"),
        (
            ("openclaw.json",),
            ("clawdbot.json",),
            ("moltbot.json",),
        ),
    ),
    _Agent("Cursor", (".cursor",)),
    _Agent("Windsurf", (".windsurf", ".codeium", ".codeium/windsurf")),
    _Agent("GitHub Copilot", (".copilot",)),
    _Agent("Letta", (".letta",)),
    _Agent("Goose", (".config/goose", ".goose")),
    _Agent("OpenCode", (".config/opencode", ".opencode"), (("opencode.json",),)),
    _Agent("Continue", (".continue",)),
    _Agent("Kiro", (".kiro",)),
    _Agent("Factory", (".factory",)),
    _Agent("Kimi", (".kimi",)),
    _Agent("Mistral Vibe", (".vibe",)),
)
_OUR_FOLDERS: Final = (".hermes", ".claude", ".qwen")
_OURS: Final = (
    *(".claude", "CLAUDE.md", ".reviewdeck/claude", "config.yaml", "state.db"),
    *("QWEN.md", "output-language.md", ".reviewdeck/qwen"),
)
"""Files of homes that reviewdeck knows: beside them, other agents' files decide nothing."""


def owner_of(path: Path) -> str:
    """The agent whose folder this is, for people; empty for none of these agents."""
    if path.name in _OUR_FOLDERS:
        return ""
    try:
        for agent in _AGENTS:
            if path.name in agent.folders or f"{path.parent.name}/{path.name}" in agent.folders:
                return agent.name
        if any((path / name).exists() for name in _OURS):
            return ""
        for agent in _AGENTS:
            if any(all((path / name).exists() for name in files) for files in agent.files):
                return agent.name
    except OSError:
        pass  # It cannot be read: whoever opens it says so.
    return ""


def agents_below(user_home: Path) -> Iterator[tuple[str, Path]]:
    """The folders of these agents in a user's directory, each agent once, with its name."""
    for agent in _AGENTS:
        folders = (user_home / name for name in agent.folders)
        if (folder := next(filter(_is_dir, folders), None)) is not None:
            yield agent.name, folder


def _is_dir(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False
