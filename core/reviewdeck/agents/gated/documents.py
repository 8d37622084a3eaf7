"""The files of a home that are documents, and those that may switch the gate off.

A home is a folder with one of these layouts: the agent's own folder (`config`, `qwen`, `gemini`),
a repository (`project`, `qwen-project`, `gemini-project`; `both` where several agents are gated),
a memory folder by itself (`memory`), OpenClaw's workspace (`shared` with other agents' gates), or
the own folder of one of its agents (`workshop`). Paths are relative to it and use `/`. In a pattern
`*` matches within one part of a path and `**` any number of parts.
"""

from __future__ import annotations

LAYOUTS = {
    "config": (
        "CLAUDE.md",
        "projects/*/memory/**/*.md",
        "agent-memory/**/*.md",
        "rules/**/*.md",
        "skills/**",
    ),
    "project": (
        "CLAUDE.md",
        "CLAUDE.local.md",
        ".claude/CLAUDE.md",
        ".claude/agent-memory/**/*.md",
        ".claude/agent-memory-local/**/*.md",
        ".claude/rules/**/*.md",
        ".claude/skills/**",
    ),
    "memory": ("**/*.md",),
    "workspace": (
        "MEMORY.md",
        "USER.md",
        "AGENTS.md",
        "SOUL.md",
        "IDENTITY.md",
        "TOOLS.md",
        "HEARTBEAT.md",
        "BOOTSTRAP.md",
        "BOOT.md",
        "DREAMS.md",
        "users/*/USER.md",
        "memory/**/*.md",
        "skills/**",
    ),
    "workshop": ("workshop-skills/**",),
    "qwen": (
        "QWEN.md",
        "AGENTS.md",
        "memories/**/*.md",
        "projects/*/memory/**/*.md",
        "rules/**/*.md",
        "skills/**",
    ),
    "qwen-project": (
        "QWEN.md",
        "AGENTS.md",
        ".qwen/QWEN.local.md",
        ".qwen/memory/**/*.md",
        ".qwen/team-memory/**/*.md",
        ".qwen/rules/**/*.md",
        ".qwen/skills/**",
    ),
    "gemini": ("GEMINI.md", "tmp/*/memory/*.md", "skills/**"),
    "gemini-project": ("GEMINI.md", ".gemini/skills/**"),
}
"""The documents of each layout: they are staged, reviewed and compared.

Skills come last: only they may have very many files."""

AGENT_LAYOUTS = {
    "claude": ("config", "project", "both", "memory"),
    "openclaw": ("workspace", "workshop", "shared"),
    "qwen": ("qwen", "qwen-project"),
    "gemini": ("gemini", "gemini-project"),
}
"""The layouts of each agent: our folder in a home has its agent's name."""

SETTINGS = {
    "config": ("settings.json", "settings.local.json"),
    "project": (".claude/settings.json", ".claude/settings.local.json"),
    "memory": (),
    "workspace": (),
    "workshop": (),
    "qwen": ("settings.json",),
    "qwen-project": (".qwen/settings.json",),
    "gemini": ("settings.json",),
    "gemini-project": (".gemini/settings.json",),
}
"""Files with hooks and switches: no proposal is ever made of them."""

REPOSITORIES = ("project", "qwen-project", "gemini-project")
"""The layouts of a repository, for each agent."""
SHARED = {"both": REPOSITORIES, "shared": ("workspace", *REPOSITORIES)}
"""The layouts of a repository with the gates of several agents, and those of these gates."""
for _name, _gates in SHARED.items():
    _of_all = dict.fromkeys(pattern for gate in _gates for pattern in LAYOUTS[gate])
    LAYOUTS[_name] = (
        *(pattern for pattern in _of_all if not pattern.endswith("/**")),
        *(pattern for pattern in _of_all if pattern.endswith("/**")),
    )
    SETTINGS[_name] = tuple(file for gate in _gates for file in SETTINGS[gate])

INDEX = "MEMORY.md"
_DERIVED = {
    "qwen": ("memories/MEMORY.md", "projects/*/memory/MEMORY.md"),
    "qwen-project": (".qwen/memory/MEMORY.md", ".qwen/team-memory/MEMORY.md"),
}
_DERIVED |= dict.fromkeys(SHARED, _DERIVED["qwen-project"])
"""Indexes that the agent itself makes of the facts' front matter."""

_EXCLUDED = {"", ".", "..", ".git"}
_OURS = ".reviewdeck"
"""The prefix of our own folder and of every temporary file."""


def governed(layout: str, path: str) -> bool:
    """Whether a file of a home is a document."""
    return is_inside(path) and matches_any(LAYOUTS[layout], path)


def is_derived(layout: str, path: str) -> bool:
    """Whether a document is an index that the agent itself writes."""
    return matches_any(_DERIVED.get(layout, ()), path)


def is_repository(layout: str) -> bool:
    """Whether a layout is that of a repository."""
    return layout in (*REPOSITORIES, *SHARED)


def is_loose(layout: str, path: str) -> bool:
    """Whether a document lies beside the skills and in none: no proposal can be made of it."""
    folders = [pattern[:-2] for pattern in LAYOUTS[layout] if pattern.endswith("/**")]
    return any(path.startswith(top) and "/" not in path[len(top) :] for top in folders)


def holds_settings(layout: str, path: str) -> bool:
    """Whether a file of a home is one of the agent's settings files."""
    return is_inside(path) and matches_any(SETTINGS[layout], path)


def leads_to_documents(layout: str, folder: str) -> bool:
    """Whether there may be documents in a folder of a home, or below it."""
    return is_inside(folder) and any(
        _may_lead_to(pattern.split("/"), folder.split("/")) for pattern in LAYOUTS[layout]
    )


def is_inside(path: str) -> bool:
    """Whether a relative path stays in its home, and is neither git's nor ours."""
    parts = path.split("/")
    is_ours = any(part.startswith(_OURS) for part in parts)
    return "\0" not in path and not is_ours and not _EXCLUDED.intersection(parts)


def matches_any(patterns: tuple[str, ...], path: str) -> bool:
    """Whether a pattern matches a path."""
    parts = path.split("/")
    return any(_matches(pattern.split("/"), parts) for pattern in patterns)


def _matches(pattern: list[str], parts: list[str]) -> bool:
    if not pattern or not parts:
        return not pattern and not parts
    first, remaining = pattern[0], pattern[1:]
    if first == "**":
        # As the last part it matches everything below; before others, also no part.
        return not remaining or any(
            _matches(remaining, parts[index:]) for index in range(len(parts))
        )
    return _part_matches(first, parts[0]) and _matches(remaining, parts[1:])


def _may_lead_to(pattern: list[str], parts: list[str]) -> bool:
    if not parts or not pattern:
        return bool(pattern)
    if pattern[0] == "**":
        return True
    return _part_matches(pattern[0], parts[0]) and _may_lead_to(pattern[1:], parts[1:])


def _part_matches(pattern: str, name: str) -> bool:
    """Whether a name matches one part of a pattern: a name, `*`, or `*` with a suffix."""
    if pattern.startswith("*"):
        return name.endswith(pattern[1:]) and len(name) >= len(pattern)
    return name == pattern
