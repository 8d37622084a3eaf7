"""Which tools bring in whose text. A tool that is not listed is outside.

The names here are Hermes' own, of 0.19 and later; a conversation of another agent brings a table of
its own. A plugin may register a tool under any free name, so that a name that nobody listed says
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Final, TypeAlias

from reviewdeck.ports.conversations import Trust


class ToolKind(StrEnum):
    """The grounds on which a tool's call is classified."""

    OWN = "own"
    """A tool that keeps the agent's own books, or asks the user."""
    SKILL = "skill"
    """The agent's own, unless the skill is somebody else's."""
    WORKSPACE = "workspace"
    FILES = "files"
    """Workspace, unless its path lies in a folder that counts as said by the user."""
    COMMAND = "command"
    """Classified by its command line."""
    SEARCH = "search"
    """The sessions that it found."""
    DELEGATE = "delegate"
    """The sessions of the agents that it started."""
    CATALOGUE = "catalogue"
    """A list of the agent's own tools; outside where connectors of remote accounts are in it."""
    OUTSIDE = "outside"


_TABLE: Final = {
    ToolKind.OWN: "memory skills_list skill_manage todo todo_list clarify review_status",
    ToolKind.SKILL: "skill_view",
    ToolKind.FILES: "read_file write_file patch search_files",
    ToolKind.WORKSPACE: (
        "process process_manage read_terminal close_terminal desktop_project "
        "text_to_speech image_generate video_generate"
    ),
    ToolKind.COMMAND: "terminal",
    ToolKind.SEARCH: "session_search",
    ToolKind.DELEGATE: "delegate_task",
    ToolKind.CATALOGUE: "tool_search tool_describe",
    # Listed so that no setting makes them anything else.
    ToolKind.OUTSIDE: (
        "web_search web_extract x_search vision_analyze video_analyze computer_use cronjob "
        "cronjob_manage discord discord_admin execute_code tool_call"
    ),
}
Tools: TypeAlias = Mapping[str, ToolKind]


def table(names_by_kind: Mapping[ToolKind, str]) -> Tools:
    """The kind of each tool, from the names of each kind."""
    return {name: kind for kind, names in names_by_kind.items() for name in names.split()}


TOOLS: Final = table(_TABLE)

_FAMILIES: Final = {
    "project_": ToolKind.WORKSPACE,
    "web_": ToolKind.OUTSIDE,
    "browser_": ToolKind.OUTSIDE,
}


def kind_of(tool: str, trust: Trust, tools: Tools = TOOLS) -> ToolKind:
    """The kind of a tool, by the operator's settings and the table."""
    if tool in trust.outside_tools:
        return ToolKind.OUTSIDE
    if (known := tools.get(tool)) is not None:
        return known
    for beginning, kind in _FAMILIES.items():
        if tool.startswith(beginning):
            return kind
    return ToolKind.WORKSPACE if tool in trust.workspace_tools else ToolKind.OUTSIDE


_SEARCHING: Final = re.compile(
    r"\bxai\b|\bx\.ai\b|:online\b|\bsonar\b|\bsearch-(?:preview|api)\b|\bdeep-research\b",
    re.IGNORECASE,
)


def searches_by_itself(model: str) -> bool:
    """Whether a model, by its name, provider and address, may read the web without any tool's row.

    Hermes hands xAI's models their own search in the place of its tool: its results come within
    the answer. Others are sold with a search built in.
    """
    return bool(_SEARCHING.search(model))
