"""Small questions. None is answered by the key that asked it, and none by space.

Enter answers with what was typed, and with nothing else.
"""

from __future__ import annotations

from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from reviewdeck.engine.confirmation import is_code
from reviewdeck_tui.queue import bars
from reviewdeck_tui.summary.requirements import CodedChange

REASONS: Final = (
    "wrong",
    "out of date",
    "already known",
    "not worth keeping",
    "too vague",
    "belongs elsewhere",
    "unsafe",
    "not asked for",
)

DIALOG: Final = """
    {name} {{
        align: center bottom;
        background: $background 40%;
        #box {{ width: 100%; height: auto; background: $panel;
                border-top: solid $primary; padding: 0 1; }}
        Input {{ display: none; border: none; height: 1; padding: 0; background: $surface; }}
        Input:focus {{ border: none; }}
        Input.-open {{ display: block; }}
    }}
"""


class ReasonDialog(ModalScreen[str | None]):
    """Why something is turned down: a digit, and words of one's own when wanted."""

    AUTO_FOCUS = ""
    DEFAULT_CSS = DIALOG.format(name="ReasonDialog")
    BINDINGS: ClassVar[list[BindingType]] = [
        *((str(number), f"pick({number})", reason) for number, reason in enumerate(REASONS, 1)),
        ("c,0", "add", "own words"),
        ("enter", "submit", "these words"),
        ("escape", "back", "back"),
    ]

    def __init__(self, what: str, verb: str = "Reject") -> None:
        super().__init__()
        self._what = f"{verb} {what}"

    def compose(self) -> ComposeResult:
        """The reasons in two columns, and a line for words."""
        with Vertical(id="box"):
            yield Static(bars.styled(f"{self._what} because it is", "strong"))
            yield Static(_columns())
            yield Input(placeholder="your words; esc, then a digit adds a reason", id="words")
            yield Static(
                bars.key_words(
                    [("1-8", "reason"), ("c", "own words"), ("enter", "done"), ("esc", "back")]
                )
            )

    @property
    def _words(self) -> str:
        return " ".join(self.query_one(Input).value.split())

    def action_pick(self, number: int) -> None:
        """A digit answers."""
        reason = REASONS[number - 1]
        self.dismiss(f"{reason}: {self._words}" if self._words else reason)

    def action_add(self) -> None:
        """Words of one's own: alone, or beside the reason that a digit gives after them."""
        self.set_focus(self.query_one(Input).add_class("-open"))

    def action_submit(self) -> None:
        """The words are the reason; without any there is none yet."""
        if self._words:
            self.dismiss(self._words)

    def action_back(self) -> None:
        """From the words to the reasons, from there to the queue."""
        if self.query_one(Input).has_focus:
            self.set_focus(None)
        else:
            self.dismiss(None)

    @on(Input.Submitted)
    def _submitted(self) -> None:
        self.action_submit()


class SureDialog(ModalScreen[bool]):
    """Whether many drafts are meant: only ``y`` says yes."""

    DEFAULT_CSS = (
        DIALOG.format(name="SureDialog")
        + "SureDialog .name { text-wrap: nowrap; text-overflow: ellipsis; }"
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        ("y", "answer(True)", "yes"),
        ("escape,n,q", "answer(False)", "back"),
    ]

    def __init__(self, lines: tuple[str, ...], yes: str, names: tuple[str, ...] = ()) -> None:
        super().__init__()
        self._lines = lines
        self._names = names
        self._yes = yes

    def compose(self) -> ComposeResult:
        """What would be drafted, what is left out, and the two keys."""
        with Vertical(id="box"):
            first, *rest = self._lines
            yield Static(bars.styled(first, "strong"))
            for line in rest:
                yield Static(bars.styled(line, "text"))
            for name in self._names:  # One line each, so that the keys below stay in sight.
                yield Static(bars.styled(name, "text"), classes="name")
            yield Static(bars.key_words([("y", self._yes), ("esc", "back, nothing is drafted")]))

    def action_answer(self, yes: bool) -> None:
        """``y`` or nothing."""
        self.dismiss(yes)


SEND_BACK: Final = "Send it back to the agent; what should it propose instead?"
"""What a note to the agent answers."""


class WordsDialog(ModalScreen[str | None]):
    """One line of free text."""

    AUTO_FOCUS = "Input"
    DEFAULT_CSS = DIALOG.format(name="WordsDialog")
    BINDINGS: ClassVar[list[BindingType]] = [("escape", "back", "back")]

    def __init__(self, what: str) -> None:
        super().__init__()
        self._what = what

    def compose(self) -> ComposeResult:
        """What it is for, and the line."""
        with Vertical(id="box"):
            yield Static(bars.styled(self._what, "strong"))
            yield Input(classes="-open")
            yield Static(bars.key_words([("enter", "keep"), ("esc", "back")]))

    def action_back(self) -> None:
        """Nothing is kept."""
        self.dismiss(None)

    @on(Input.Submitted)
    def _kept(self, event: Input.Submitted) -> None:
        words = " ".join(event.value.split())
        self.dismiss(words or None)


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

    def __init__(self, codes: tuple[CodedChange, ...]) -> None:
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


def _columns() -> Content:
    half = len(REASONS) // 2
    lines = []
    for left in range(half):
        pair = [
            Content.styled(f" {number + 1} ", "bold $deck-heading")
            + Content.styled(f"{REASONS[number]:<22}", "$deck-text")
            for number in (left, left + half)
        ]
        lines.append(Content("").join(pair))
    return Content("\n").join(lines)
