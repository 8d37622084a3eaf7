"""What an agent with Claude Code's hooks calls its tools and files, in Claude Code's own words.

Such an agent's events are translated, and everything after that is the same for all of them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class Dialect:
    """One agent's words."""

    __slots__ = ("answer", "edit", "key", "name", "read", "settings_files", "translate", "write")

    def __init__(
        self,
        key: str,
        name: str,
        tools: tuple[str, str, str],
        settings_files: tuple[str, ...],
        translate: Callable[[dict[str, Any]], dict[str, Any]],
        answer: Callable[[dict[str, str]], dict[str, Any]] = lambda said: {
            "hookSpecificOutput": said
        },
    ) -> None:
        """`tools` write, edit and read a file; `translate` gives an event in Claude's words, and
        `answer` an answer in the agent's."""
        self.key, self.name = key, name
        self.write, self.edit, self.read = tools
        self.settings_files = settings_files
        self.translate, self.answer = translate, answer
