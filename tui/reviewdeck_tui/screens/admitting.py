"""Asking for the passphrase and the codes, where decisions are signed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from reviewdeck.engine.decide import is_code
from reviewdeck_tui import bars
from reviewdeck_tui.admission import Admission, Coded, admission
from reviewdeck_tui.screens.dialogs import DIALOG
from reviewdeck_tui.screens.working import WorkingScreen

if TYPE_CHECKING:
    from reviewdeck_tui.showing import Shown

Answer = TypeVar("Answer")


class Asked(Message):
    """What has to be given before the decision."""

    def __init__(self, admission: Admission) -> None:
        super().__init__()
        self.admission = admission


class PassphraseDialog(ModalScreen[str | None]):
    """One hidden line. A password manager may paste into it."""

    AUTO_FOCUS = "Input"
    DEFAULT_CSS = DIALOG.format(name="PassphraseDialog")
    BINDINGS: ClassVar[list[BindingType]] = [("escape", "back", "back")]

    def __init__(self, said: str = "Your passphrase signs exactly what is shown.") -> None:
        super().__init__()
        self._said = said

    def compose(self) -> ComposeResult:
        """What it is for, and the line."""
        with Vertical(id="box"):
            yield Static(bars.styled(self._said, "strong"))
            yield Input(password=True, classes="-open")
            yield Static(bars.key_words([("enter", "sign and write"), ("esc", "back, no write")]))

    def action_back(self) -> None:
        """Nothing is signed."""
        self.dismiss(None)

    @on(Input.Submitted)
    def _given(self, event: Input.Submitted) -> None:
        self.dismiss(event.value or None)


class CodeDialog(ModalScreen[bool]):
    """The code at the end of each change of weight, one after the other."""

    AUTO_FOCUS = "Input"
    DEFAULT_CSS = DIALOG.format(name="CodeDialog")
    BINDINGS: ClassVar[list[BindingType]] = [("escape", "back", "back")]

    def __init__(self, codes: tuple[Coded, ...]) -> None:
        super().__init__()
        self._codes = list(codes)

    def compose(self) -> ComposeResult:
        """Which document it is about, and the line."""
        with Vertical(id="box"):
            yield Static(self._question("The code at the end of"), id="question")
            yield Input(classes="-open")
            yield Static(bars.key_words([("enter", "go on"), ("esc", "back to read it")]))

    def _question(self, said: str) -> Content:
        return bars.styled(f"{said} {self._codes[0].title}", "strong")

    def action_back(self) -> None:
        """Nothing is written."""
        self.dismiss(False)

    @on(Input.Submitted)
    def _given(self, event: Input.Submitted) -> None:
        is_right = is_code(event.value, self._codes[0].digest)
        if is_right:
            self._codes.pop(0)
        if not self._codes:
            self.dismiss(True)
            return
        said = "The code at the end of" if is_right else "That is not the code at the end of"
        self.query_one("#question", Static).update(self._question(said))
        self.query_one(Input).value = ""


class Admitting(WorkingScreen[Answer]):
    """A screen whose decision may have to be signed."""

    def admit_then(
        self, shown: Shown, write: Callable[[], None], stop: Callable[[str], None]
    ) -> None:
        """Asks for what is needed: then `write`, or `stop` when the operator went back."""
        self._write = write
        self._stop = stop
        self._shown = shown
        self._ask()

    def _ask(self) -> None:
        shown = self._shown
        self.work(
            lambda: Asked(self.bench.with_deck(lambda deck: admission(deck, shown))), "commit"
        )

    @on(Asked)
    def _asked(self, event: Asked) -> None:
        if event.admission.is_locked:
            self.app.push_screen(PassphraseDialog(), self._unlock)
        elif event.admission.codes:
            self.app.push_screen(CodeDialog(event.admission.codes), self._coded)
        else:
            self._write()

    def _unlock(self, passphrase: str | None) -> None:
        if passphrase is None:
            self._stop("Nothing was signed, and nothing is written.")
            return
        shown = self._shown

        def job() -> Message:
            self.bench.with_deck(lambda deck: deck.desk.authority.unlock(passphrase))
            return Asked(self.bench.with_deck(lambda deck: admission(deck, shown)))

        self.work(job, "commit")

    def _coded(self, is_right: bool | None) -> None:
        if is_right:
            self._write()
        else:
            self._stop("Nothing is written.")
