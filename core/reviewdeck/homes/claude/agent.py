"""Claude Code as an agent whose gate is a hook: its folders, and the entries of its settings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from reviewdeck.agents.gated import gate
from reviewdeck.agents.gated.documents import AGENT_LAYOUTS, INDEX, LAYOUTS, SETTINGS
from reviewdeck.agents.gated.spool import MARKS
from reviewdeck.agents.gated.switches import MARK
from reviewdeck.agents.hermes.kit import members
from reviewdeck.errors import BadInput
from reviewdeck.homes.gated.hooked import HookedAgent, settings_of
from reviewdeck.homes.gated.layout import OF_QWEN, is_of_project
from reviewdeck.homes.gated.settings import STARTS, Entries, GovernedRoot

if TYPE_CHECKING:
    from reviewdeck.homes.gated.conversations import GatedConversations

START: Final = STARTS.format(agent="claude")
"""The gate's start. If a missing script were run instead, Python would exit with 2, which refuses
the call."""
TIMEOUT: Final = 5
"""Seconds that Claude Code waits for the gate; its default is 600."""

_EDIT_TOOLS: Final = ("Write", "Edit")
_NOTEBOOK_TOOL: Final = "NotebookEdit"
_WRITE_MATCHER: Final = "^(Write|Edit|MultiEdit|NotebookEdit|Bash|PowerShell|mcp__.*)$"
_AFTER_MATCHER: Final = "^(Bash|PowerShell|mcp__.*)$"
_PATTERN: Final = re.compile(r"([\\*?\[\]])")
_FAILS_CLOSED: Final = (2, 1, 295)
"""The first version of Claude Code that refuses a call when its hook fails."""
_SEES_SKILLS: Final = (2, 1, 332)
"""The first version that has a hook before the commands in a skill's text."""


def layout_of(path: Path) -> str | None:
    """The layout of a folder by its file names; None when it is not Claude Code's.

    The gate's mark comes first: a repository may have a MEMORY.md, or no file of Claude Code yet.
    """
    try:
        marked = next(
            (name for name in AGENT_LAYOUTS["claude"] if (path / MARKS[name]).is_file()), None
        )
        if marked is not None and path.name != ".claude":
            return marked
        if _is_config(path):
            return "config"
        if (path / INDEX).exists() or (path.name == "memory" and is_of_project(path)):
            return "memory"
        instructs = (path / ".claude").is_dir() or any(
            (path / name).is_file() for name in ("CLAUDE.md", "CLAUDE.local.md")
        )
        # A user's home folder contains `.claude` too, and is not a repository for that.
        return "project" if instructs and not (path / ".claude" / "projects").is_dir() else None
    except OSError:
        return None


def _is_config(path: Path) -> bool:
    projects = path / "projects"
    if path.name == ".qwen" or any((path / name).exists() for name in OF_QWEN):
        return False
    if not projects.is_dir():
        return path.name == ".claude" and path.is_dir() and not (path.parent / ".git").exists()
    marks = ("settings.json", ".claude.json", "history.jsonl", "CLAUDE.md")
    if path.name == ".claude" or any((path / name).exists() for name in marks):
        return True
    return any(entry.name.startswith("-") for entry in projects.iterdir())


def entries(python: str, folder: Path, roots: Sequence[GovernedRoot]) -> Entries:
    """The hooks for Claude Code's settings.

    A call on a document starts the gate twice, in parallel. One entry matches only documents and
    blocks when the gate fails. The other also matches links, and every command. A command in a
    skill's text is run by nobody's call: its entry blocks too.
    """
    arguments = ["-I", "-S", "-c", START, str(folder), MARK, *(root.argument for root in roots)]
    command = {"timeout": TIMEOUT, "command": python, "args": arguments}
    common = {"type": "command", **command}
    strict = {"onFailure": "block", **command, "args": [*arguments, gate.STRICT]}
    before: list[dict[str, Any]] = []
    for tool in (*_EDIT_TOOLS, _NOTEBOOK_TOOL):
        rules = [rule for root in roots for rule in _rules(root, tool)]
        if rules:
            handlers = [{"type": "command", "if": rule, **strict} for rule in rules]
            before.append({"matcher": tool, "hooks": handlers})
    before.append({"matcher": _WRITE_MATCHER, "hooks": [common]})
    after, prompt = {"matcher": _AFTER_MATCHER, "hooks": [common]}, {"hooks": [common]}
    return {
        "PreToolUse": before,
        gate.SKILL_COMMAND: [{"hooks": [{"type": "command", **strict}]}],
        "PostToolUse": [after],
        "PostToolUseFailure": [after],
        "UserPromptSubmit": [prompt],
        "SessionStart": [prompt],
    }


def _rules(root: GovernedRoot, tool: str) -> Iterator[str]:
    """Claude Code's rules that match a tool's calls on its documents and settings."""
    patterns = LAYOUTS[root.layout] + SETTINGS[root.layout]
    for place in dict.fromkeys((root.path, root.path.resolve())):
        plain = _PATTERN.sub(r"\\\1", str(place))
        for pattern in patterns:
            if tool != _NOTEBOOK_TOOL or pattern.endswith("**"):
                # A rule's path with two leading slashes is absolute.
                yield f"{tool}(/{plain}/{pattern})"


def _claude_json(env: Mapping[str, str], user_home: Path) -> Path:
    override = env.get("CLAUDE_CONFIG_DIR", "").strip()
    return (Path(override).expanduser() if override else user_home) / ".claude.json"


def _projects(env: Mapping[str, str], user_home: Path) -> Mapping[str, Any]:
    try:
        return members(settings_of(_claude_json(env, user_home)).get("projects"))
    except BadInput:
        return {}


def _used_in(env: Mapping[str, str], user_home: Path) -> Iterator[str]:
    yield from _projects(env, user_home)


def _loads_outside(env: Mapping[str, str], user_home: Path, root: GovernedRoot) -> bool:
    """Of a repository only what a person allowed."""
    project = members(_projects(env, user_home).get(str(root.path)))
    return root.layout != "project" or project.get("hasClaudeMdExternalIncludesApproved") is True


def _weaknesses(
    env: Mapping[str, str], user_home: Path, roots: Sequence[GovernedRoot], version: str | None
) -> Iterator[str]:
    """Repositories that are not trusted yet, where no hook runs; and an old version."""
    projects = _projects(env, user_home)
    for root in roots:
        if root.layout == "project":
            project = projects.get(str(root.path))
            if not isinstance(project, dict) or project.get("hasTrustDialogAccepted") is not True:
                yield f"{root.path} is not trusted yet: no hook runs there before that"
    if version is None:
        return
    if tuple(map(int, version.split("."))) < _FAILS_CLOSED:
        needed = ".".join(map(str, _FAILS_CLOSED))
        yield f"Claude Code {version} lets a write through when the gate fails: {needed} does not"
    if not CLAUDE.has_hook(gate.SKILL_COMMAND, version):
        needed = ".".join(map(str, _SEES_SKILLS))
        yield (
            f"Claude Code {version} has no hook before the commands in a skill's text: they run"
            f" unseen until {needed}"
        )


def _conversations() -> type[GatedConversations]:
    from reviewdeck.homes.gated.conversations import GatedConversations

    return GatedConversations


CLAUDE: Final = HookedAgent(
    key="claude",
    name="Claude Code",
    config="config",
    project="project",
    folder=".claude",
    program="claude",
    projects="projects",
    managed=lambda _: (Path("/etc/claude-code/managed-settings.json"),),
    memory_setting="autoMemoryDirectory",
    layout_of=layout_of,
    entries=entries,
    conversations=_conversations,
    used_in=_used_in,
    weaknesses=_weaknesses,
    newer_hooks=((gate.SKILL_COMMAND, _SEES_SKILLS),),
    loads_outside=_loads_outside,
)
