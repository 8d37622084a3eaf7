"""Gemini CLI as an agent whose gate is a hook: its folders, and the entries of its settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from reviewdeck.agents.gated.switches import NAME
from reviewdeck.agents.hermes.kit import items, members
from reviewdeck.errors import BadInput
from reviewdeck.homes.gated.governed import default_config
from reviewdeck.homes.gated.hooked import HookedAgent, managed_by, settings_of
from reviewdeck.homes.gated.layout import layout_by_names
from reviewdeck.homes.gated.open_hooks import OpenHooks
from reviewdeck.homes.gated.settings import FILE, GovernedRoot

if TYPE_CHECKING:
    from reviewdeck.homes.gated.conversations import GatedConversations

_TIMEOUT: Final = 30
"""Seconds that Gemini CLI waits for the gate; then it lets the call through."""
_HOOKS: Final = OpenHooks(
    "gemini",
    before="BeforeTool",
    after=("AfterTool",),
    between=("BeforeAgent", "SessionStart"),
    writers="write_file|replace",
    others="run_shell_command|mcp_.*",
    handler={"name": NAME, "timeout": _TIMEOUT * 1000},
)
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
    return layout_by_names(path, "gemini", _INSTRUCTIONS, ("tmp", "projects.json"), _is_own)


def _is_own(path: Path) -> bool:
    return any(all((path / name).exists() for name in own) for own in _OWN)


def _conversations() -> type[GatedConversations]:
    from reviewdeck.homes.gemini.conversations import GeminiConversations

    return GeminiConversations


def _used_in(env: Mapping[str, str], user_home: Path) -> Iterator[str]:
    """The repositories in its own list, by which it names their folders."""
    file = default_config(env, user_home, "gemini") / "projects.json"
    try:
        yield from members(settings_of(file).get("projects"))
    except BadInput:
        return


def _weaknesses(
    env: Mapping[str, str], user_home: Path, roots: Sequence[GovernedRoot], version: str | None
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
    entries=_HOOKS.entries,
    conversations=_conversations,
    used_in=_used_in,
    weaknesses=_weaknesses,
    reads_comments=True,
    loads_outside=lambda *_: None,
)
