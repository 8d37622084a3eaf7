"""The deck that only looks: keys that decide are off and say so, and so is what they would call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

from textual.actions import ActionParseResult
from textual.dom import DOMNode

from reviewdeck.engine.options import Settings
from reviewdeck.errors import NotPermitted
from reviewdeck.ports import Clock, Ledger
from reviewdeck_tui.app import DeckApp
from reviewdeck_tui.engine import Engine
from reviewdeck_tui.queue.view import Stock
from reviewdeck_tui.screens.deck import DeckScreen
from reviewdeck_tui.screens.secondary import SecondaryScreen

if TYPE_CHECKING:
    from reviewdeck.engine.deck import Deck

OFF: Final = "Read-only: type unlock in the terminal that serves this page, then reload it."
DECIDING: Final = frozenset(
    {
        *(
            "decide",
            "summary",
            "write",
            "drop",
            "undo",
            "redo",
            "clear",
            "note",
            "revert",
            "restore",
        ),
        *("rewrite", "consolidate", "keep", "take", "merge", "seen", "all_seen", "unsee"),
    }
)
"""What drafts, decides, writes or marks, by the names of the screens' methods."""
WRITING: Final = frozenset(
    {
        *("put_draft", "clear_draft", "put_marks", "pin", "begin", "decide", "claim"),
        *("finish", "abandon", "rescue", "settle"),
    }
)
"""What of the ledger an operator's doing is stored by. Taking a home in does without."""


class ReadOnlyLedger:
    """A ledger in which nothing can be drafted, decided, written or marked."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def __getattr__(self, name: str) -> Any:
        if name in WRITING:
            raise NotPermitted("Nothing is decided here.", hint=OFF)
        return getattr(self._ledger, name)


class ReadOnlyEngine(Engine):
    """The engine, which refuses what the keys should not have let through."""

    def _composed(self) -> Deck:
        from reviewdeck.engine.deck import Deck

        context = super()._composed().context
        return Deck(replace(context, ledger=cast("Ledger", ReadOnlyLedger(context.ledger))))

    def refresh(self, *, force: bool = False) -> Stock | None:
        """The queue; its head says that nothing is decided here, and nobody is told how to."""
        found = super().refresh(force=force)
        return found and replace(found, standing="read-only", is_first_run=False)


class ReadOnlyApp(DeckApp):
    """The deck, read-only. Its own place is kept nowhere."""

    def make_bench(self, settings: Settings, now: Clock) -> Engine:
        """The engine that refuses."""
        return ReadOnlyEngine(replace(settings, working="memory:"), now)

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Every key and every command of the palette comes through here."""
        _, name, _ = self._parse_action(action, default_namespace or self, namespaces)
        if name not in DECIDING:
            return await super().run_action(action, default_namespace, namespaces)
        if isinstance(self.screen, DeckScreen | SecondaryScreen):
            self.screen.say(OFF, "flag")
        else:
            self.notify(OFF, markup=False)
        return True
