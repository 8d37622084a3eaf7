"""How the app paints: its themes, its filters, and what goes to the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import RenderableType
from textual._compositor import CompositorUpdate
from textual.app import App
from textual.filter import LineFilter
from textual.screen import Screen

from reviewdeck_tui.safe import SafetyFilter
from reviewdeck_tui.sending import Sent
from reviewdeck_tui.themes import PREFIX, THEMES, meanings


class PaintedApp(App[int]):
    """An app in our colours that sends no cell twice."""

    # The palette is Textual's own: as tight as our screens, its scrollbar in our colours.
    CSS = """
    CommandPalette > Vertical { margin-top: 2; }
    CommandPalette SearchIcon { display: none; }
    CommandPalette #--input { border: none; padding: 1 0 0 0; }
    CommandPalette CommandInput, CommandPalette CommandInput:focus {
        border: none; height: 1; padding: 0 2;
    }
    CommandPalette CommandList {
        border: none; padding: 1 0;
        scrollbar-size-vertical: 1; scrollbar-color: $secondary 60%;
        scrollbar-background: $surface; scrollbar-background-hover: $surface;
    }
    CommandPalette CommandList:focus { border: none; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.sent = Sent()
        for theme in THEMES:
            self.register_theme(theme)

    def on_resize(self) -> None:
        """Another size, another screen."""
        self.sent.forget()

    def repaint(self) -> None:
        """Sends everything again: what another program wrote over it is gone."""
        self.sent.forget()
        self.refresh(layout=True)

    def on_mount(self) -> None:
        """After a stop of the whole program the terminal shows something else."""
        self.app_resume_signal.subscribe(self, self._forget)

    def _forget(self, _: Any) -> None:
        self.sent.forget()

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Our colours by meaning, for the themes that do not bring them."""
        return {f"{PREFIX}{name}": colour for name, colour in meanings(self.current_theme).items()}

    def get_line_filters(self) -> Sequence[LineFilter]:
        """The second layer against hostile text comes last."""
        return [*super().get_line_filters(), SafetyFilter()]

    def _display(
        self, screen: Screen[object], renderable: RenderableType | CompositorUpdate | None
    ) -> None:
        """Sends what is not on the terminal yet."""
        if isinstance(renderable, CompositorUpdate) and self._running and not self._batch_count:
            renderable = self.sent.only_changes(renderable)
        super()._display(screen, renderable)  # type: ignore[arg-type]  # as Textual hands it over
