"""Qwen Code as an agent whose gate is a hook: its folders, and the entries of its settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from reviewdeck.agents.gated.documents import INDEX
from reviewdeck.agents.gated.roots import Root
from reviewdeck.homes.gated.hooked import HookedAgent, managed_by
from reviewdeck.homes.gated.layout import OF_QWEN, layout_by_names
from reviewdeck.homes.gated.open_hooks import OpenHooks
from reviewdeck.homes.gated.settings import GovernedRoot

if TYPE_CHECKING:
    from reviewdeck.homes.gated.conversations import GatedConversations

_TIMEOUT: Final = 30
"""Seconds that Qwen Code waits for the gate; then it lets the call through."""
_HOOKS: Final = OpenHooks(
    "qwen",
    before="PreToolUse",
    after=("PostToolUse", "PostToolUseFailure"),
    between=("UserPromptSubmit", "SessionStart"),
    writers="write_file|edit|notebook_edit",
    others="run_shell_command|monitor|mcp__.*",
    handler={"shell": "bash", "timeout": _TIMEOUT},
)
_BESIDE: Final = ("settings.json", "installation_id", "projects")
"""In Qwen Code's own folder, whatever it is called, one of these is beside one of `OF_QWEN`."""
_MOVING: Final = ("QWEN_RUNTIME_DIR", "QWEN_CODE_MEMORY_BASE_DIR")
"""Variables that name another folder for the memories."""


def layout_of(path: Path) -> str | None:
    """The layout of a folder by its file names; None when it is not Qwen Code's."""
    return layout_by_names(path, "qwen", "QWEN.md", ("projects",), _is_own)


def _is_own(path: Path) -> bool:
    return all(any((path / name).exists() for name in names) for names in (OF_QWEN, _BESIDE))


def _conversations() -> type[GatedConversations]:
    from reviewdeck.homes.qwen.transcripts import QwenConversations

    return QwenConversations


def _used_in(env: Mapping[str, str], user_home: Path) -> Iterator[str]:
    """None: Qwen Code keeps no list of them."""
    yield from ()


def _weaknesses(
    env: Mapping[str, str], user_home: Path, roots: Sequence[GovernedRoot], version: str | None
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
    entries=_HOOKS.entries,
    conversations=_conversations,
    used_in=_used_in,
    weaknesses=_weaknesses,
    reads_comments=True,
)
