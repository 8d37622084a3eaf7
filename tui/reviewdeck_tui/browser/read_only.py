"""The read-only deck: keys that decide are off and say so, and the engine refuses their calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, cast

from textual.actions import ActionParseResult
from textual.dom import DOMNode

from reviewdeck.engine.engine import Engine
from reviewdeck.engine.options import Settings
from reviewdeck.errors import NotPermitted
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.ports import Clock
from reviewdeck_tui.app import DeckApp
from reviewdeck_tui.engine import EngineWorker
from reviewdeck_tui.queue.view import Backlog
from reviewdeck_tui.screens.deck import DeckScreen
from reviewdeck_tui.screens.secondary import SecondaryScreen

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
        *(
            "rewrite",
            "consolidate",
            "rule",
            "ends",
            "keep",
            "take",
            "merge",
            "seen",
            "all_seen",
            "unsee",
            "own_command",
        ),
    }
)
"""The screens' actions that draft, decide, write or mark."""
WRITING: Final = frozenset(
    {
        *("put_draft", "clear_draft", "put_marks", "pin", "begin", "claim_batch", "decide"),
        *("claim", "disclaim", "finish", "abandon", "rescue", "settle"),
    }
)
"""The ledger's methods that store an operator's actions. An intake needs none of them."""


class ReadOnlyLedger:
    """A ledger that refuses drafts, decisions, writes and marks."""

    def __init__(self, ledger: Ledger, off: str) -> None:
        self._ledger = ledger
        self._off = off

    def __getattr__(self, name: str) -> Any:
        if name in WRITING:
            raise NotPermitted("Nothing is decided here.", hint=self._off)
        return getattr(self._ledger, name)


class ReadOnlyEngine(EngineWorker):
    """The engine that refuses what the keys should not have let through."""

    def __init__(self, settings: Settings, now: Clock, off: str) -> None:
        super().__init__(settings, now)
        self._off = off

    def _open(self) -> Engine:
        engine = super()._open()
        ledger = cast("Ledger", ReadOnlyLedger(engine.ledger, self._off))
        return replace(engine, ledger=ledger)

    def refresh(self, *, force: bool = False, looking: str = "") -> Backlog | None:
        """The backlog, whose head says that this deck is read-only, and how to decide."""
        backlog = super().refresh(force=force)
        return backlog and replace(
            backlog, standing="read-only", is_first_run=False, notice=self._off
        )


class ReadOnlyApp(DeckApp):
    """The read-only deck. Its bookmark is not stored."""

    turned_off = DECIDING
    off: str = OFF
    """What to do in order to decide."""

    def make_engine(self, settings: Settings, now: Clock) -> EngineWorker:
        """Makes the engine that refuses."""
        return ReadOnlyEngine(replace(settings, working="memory:"), now, self.off)

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Runs an action of a key or of the palette, unless it decides."""
        _, name, _ = self._parse_action(action, default_namespace or self, namespaces)
        if name not in DECIDING:
            return await super().run_action(action, default_namespace, namespaces)
        if isinstance(self.screen, DeckScreen | SecondaryScreen):
            self.screen.say(self.off, "flag")
        else:
            self.notify(self.off, markup=False)
        return True
