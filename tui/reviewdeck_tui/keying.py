"""Keys in the order in which they were typed, however fast they come."""

from __future__ import annotations

from reviewdeck_tui.painting import PaintedApp
from reviewdeck_tui.widgets.line_scroll import LineScroll
from reviewdeck_tui.widgets.roll import Roll


class OrderedApp(PaintedApp):
    """An app in which what is typed after a key meets what that key has opened.

    Textual hands a key to the widget that has the focus when the key comes, and its action runs
    later: of `/approve`, typed in one breath, all letters would still be commands of the queue.
    """

    async def _check_bindings(self, key: str, priority: bool = False) -> bool:
        """Does what a key stands for at once where no widget could want the key itself."""
        if await super()._check_bindings(key, priority):
            return True
        if priority and (self.focused is None or isinstance(self.focused, LineScroll | Roll)):
            return await super()._check_bindings(key)
        return False
