"""The folders of agents that have no gate of ours, told by their own files.

Some of them have a `memories`, a `MEMORY.md` or a `config.yaml` too: without this they would be
taken for a home of Hermes or of Claude Code. File names as of autumn 2026.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from reviewdeck.values import dataclass


@dataclass(frozen=True, slots=True)
class OtherAgent:
    """An agent's own folder: what it is called, or what is in it."""

    name: str
    folders: tuple[str, ...]
    """Names of the folder; with a slash, its parent's name too."""
    files: tuple[tuple[str, ...], ...] = ()
    """Sets of files of which one is there whole."""
    key: str = ""
    """Its key in `reading`, where it has one."""
    documents: tuple[str, ...] = ()
    """Patterns of its memories, instructions and skills: changes of these can be watched."""


_AGENTS: Final = (
    OtherAgent(
        "Codex",
        (".codex",),
        tuple(
            ("config.toml", name)
            for name in ("auth.json", "history.jsonl", "sessions", "memories", "version.json")
        ),
        "codex",
        ("AGENTS.md", "memories/**/*.md", "memories_v2/**/*.md", "skills/**"),
    ),
    OtherAgent(
        "OpenClaw",
        (".openclaw", ".clawdbot", ".moltbot"),
        (("openclaw.json",), ("clawdbot.json",), ("moltbot.json",)),
    ),
    OtherAgent("Cursor", (".cursor",)),
    OtherAgent("Windsurf", (".windsurf", ".codeium", ".codeium/windsurf")),
    OtherAgent("GitHub Copilot", (".copilot",), documents=("copilot-instructions.md", "skills/**")),
    OtherAgent("Letta", (".letta",), key="letta", documents=("skills/**",)),
    OtherAgent("Goose", (".config/goose", ".goose")),
    OtherAgent(
        "OpenCode",
        (".config/opencode", ".opencode"),
        (("opencode.json",),),
        "opencode",
        ("AGENTS.md", "skills/**"),
    ),
    OtherAgent("Continue", (".continue",)),
    OtherAgent("Kiro", (".kiro",)),
    OtherAgent("Factory", (".factory",)),
    OtherAgent("Kimi", (".kimi",)),
    OtherAgent("Mistral Vibe", (".vibe",)),
)
_OUR_FOLDERS: Final = (".hermes", ".claude", ".qwen", ".gemini")
_OURS: Final = (
    *(".claude", "CLAUDE.md", ".reviewdeck/claude", "config.yaml", "state.db"),
    *("QWEN.md", "output-language.md", ".reviewdeck/qwen"),
    *("GEMINI.md", ".gemini", ".reviewdeck/gemini"),
)
"""Files of homes that reviewdeck knows: beside them, other agents' files decide nothing."""


def owner_of(path: Path) -> OtherAgent | None:
    """The agent whose folder this is; None for none of these agents."""
    if path.name in _OUR_FOLDERS:
        return None
    try:
        for place in dict.fromkeys((path, path.resolve())):  # It may be a link to one.
            for agent in _AGENTS:
                names = (place.name, f"{place.parent.name}/{place.name}")
                if any(name in agent.folders for name in names):
                    return agent
        if any((path / name).exists() for name in _OURS):
            return None
        for agent in _AGENTS:
            if any(all((path / name).exists() for name in files) for files in agent.files):
                return agent
    except OSError:
        pass  # It cannot be read: whoever opens it says so.
    return None


def agents_below(user_home: Path) -> Iterator[tuple[OtherAgent, Path]]:
    """The folders of these agents in a user's directory, each agent once."""
    for agent in _AGENTS:
        folders = (user_home / name for name in agent.folders)
        if (folder := next(filter(_is_dir, folders), None)) is not None:
            yield agent, folder


def agent_called(name: str) -> OtherAgent | None:
    """One of these agents whose folder can be watched, by its name."""
    return next((agent for agent in _AGENTS if agent.documents and agent.name == name), None)


def _is_dir(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False
