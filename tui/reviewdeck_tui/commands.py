"""The command palette: our actions in the order of the table of keys, each with its keys."""

from __future__ import annotations

from textual.app import SystemCommand
from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

_KEYS = 12
"""Cells of the keys in front of an action."""


class DeckPalette(CommandPalette):
    """Textual's palette. In a list that has no room, or none yet, there are no pages to turn.

    Textual looks up the line of an option there, which a list without room does not have.
    """

    def _action_command_list(self, action: str) -> None:
        has_room = bool(self.query_one(CommandList).scrollable_content_region)
        if has_room or not action.startswith("page_"):
            super()._action_command_list(action)


class DeckCommands(Provider):
    """The commands of the screen in front, ours first, one line each."""

    async def discover(self) -> Hits:
        for command in self.app.get_system_commands(self.screen):
            yield DiscoveryHit(_line(command, command.title), command.callback, command.title)

    async def search(self, query: str) -> Hits:
        """Those whose words or keys match."""
        matcher = self.matcher(query)
        for command in self.app.get_system_commands(self.screen):
            is_key = query == command.help
            if (score := 1.0 if is_key else matcher.match(command.title)) > 0:
                words = matcher.highlight(command.title)
                yield Hit(score, _line(command, words), command.callback, command.title)


def _line(command: SystemCommand, words: str | Content) -> Content:
    return Content(f"{command.help:<{_KEYS}}") + words
