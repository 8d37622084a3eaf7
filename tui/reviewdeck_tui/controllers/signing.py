"""The credentials that a signed decision asks for before it is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

from reviewdeck_tui.summary.requirements import Requirements, requirements_of

if TYPE_CHECKING:
    from reviewdeck_tui.screens.summary import SummaryScreen
    from reviewdeck_tui.summary.preview import SummaryPreview


class RequirementsRead(Message):
    """The requirements of a decision, as a worker read them."""

    def __init__(self, requirements: Requirements) -> None:
        super().__init__()
        self.requirements = requirements


class Signing:
    """Asks for what a decision requires, one thing after the other."""

    def __init__(self, screen: SummaryScreen) -> None:
        self._screen = screen

    def begin(self, preview: SummaryPreview) -> None:
        """Reads the requirements of a decision on this summary."""
        self._preview = preview
        self._read_requirements()

    def _read_requirements(self) -> None:
        preview, screen = self._preview, self._screen

        def job() -> Message:
            return RequirementsRead(
                screen.engine.run(lambda engine: requirements_of(engine, preview))
            )

        screen.work(job, "commit")

    def go_on(self, requirements: Requirements) -> None:
        """Asks for the next requirement, or writes."""
        if requirements.is_locked:
            self._screen.ask_passphrase(self._go_on_unlocked)
        elif requirements.codes:
            self._screen.ask_codes(requirements.codes, self._check_codes)
        else:
            self._screen.write()

    def _go_on_unlocked(self, is_unlocked: bool | None) -> None:
        if is_unlocked:
            self._read_requirements()
        else:
            self._screen.stop("Nothing was signed or written.")

    def _check_codes(self, is_right: bool | None) -> None:
        if is_right:
            self._screen.write()
        else:
            self._screen.stop("Nothing was written.")
