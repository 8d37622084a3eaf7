"""Small questions. Neither the key that asked, nor space, answers one.

Enter submits the typed text; it never chooses an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar, Final, TypeVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Input, Static

from reviewdeck.engine.confirmation import is_code
from reviewdeck.errors import ReviewdeckError
from reviewdeck.presentation.hosts import HostHealth
from reviewdeck_tui.proposal.redaction import error_words
from reviewdeck_tui.queue import bars
from reviewdeck_tui.summary.requirements import CodedChange
from reviewdeck_tui.widgets.one_line import OneLine

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

_REASON_KEYS: Final = (
    ("1-8", "reason"),
    ("c", "own words"),
    ("enter", "done"),
    ("esc", "back"),
)
_TYPING_KEYS: Final = (("enter", "done"), ("esc", "back to the reasons"))

Answer = TypeVar("Answer")

ASK_AGAIN: Final = 5.0
"""Seconds after which what is said of machines is asked again."""


class Dialog(ModalScreen[Answer]):
    """A box over the screen: a question, what is to be read or typed, and the keys."""

    DEFAULT_CSS = """
    Dialog {
        align: center bottom;
        background: $background 40%;
        #box { width: 100%; height: auto; background: $panel;
               border-top: solid $primary; padding: 0 1; }
        Input { display: none; border: none; height: 1; padding: 0; background: $surface; }
        Input:focus { border: none; }
        Input.-open { display: block; }
    }
    """

    def __init__(self, question: str, keys: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self.question = question
        self.keys = bars.key_words(keys)

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Static(bars.styled(self.question, "strong"), id="question")
            yield from self.body()
            yield Static(self.keys, id="keys")

    def body(self) -> Iterator[Widget]:
        """The widgets between the question and the keys."""
        yield OneLine(classes="-open")


class ReasonDialog(Dialog[str | None]):
    """Asks for the reason of a rejection or revert: a digit, the operator's words, or both."""

    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        *((str(number), f"pick({number})", reason) for number, reason in enumerate(REASONS, 1)),
        ("c,0", "add", "own words"),
        ("enter", "submit", "these words"),
        ("escape", "back", "back"),
    ]

    def __init__(self, amount: int = 1, *, many: str = "", verb: str = "Reject") -> None:
        """`many` names what is rejected, if it is more than one."""
        this, lead = ("this", "it is") if amount == 1 else (many or f"these {amount}", "they are")
        super().__init__(f"{verb} {this} because {lead}", _REASON_KEYS)

    def body(self) -> Iterator[Widget]:
        yield Static(_columns())
        yield OneLine(placeholder="your words; esc, then a digit adds a reason", id="words")

    @property
    def _words(self) -> str:
        return " ".join(self.query_one(Input).value.split())

    def action_pick(self, number: int) -> None:
        """Answers with the reason of this digit."""
        reason = REASONS[number - 1]
        self.dismiss(f"{reason}: {self._words}" if self._words else reason)

    def action_add(self) -> None:
        """Opens the input: its words stand alone, or follow the reason of a digit."""
        self.set_focus(self.query_one(Input).add_class("-open"))
        self._show_keys(_TYPING_KEYS)

    def action_submit(self) -> None:
        """Answers with the words; without any it asks for a reason again."""
        if self._words:
            self.dismiss(self._words)
        else:
            keys = _TYPING_KEYS if self.query_one(Input).has_focus else _REASON_KEYS
            self._show_keys(keys, "No reason yet: choose a digit, or type your own words.")

    def action_back(self) -> None:
        """From the input to the reasons, from there to the screen below."""
        if self.query_one(Input).has_focus:
            self.set_focus(None)
            self._show_keys(_REASON_KEYS)
        else:
            self.dismiss(None)

    def _show_keys(self, keys: Sequence[tuple[str, str]], words: str = "") -> None:
        lines = [bars.styled(f" {words}", "flag")] if words else []
        self.query_one("#keys", Static).update(Content("\n").join([*lines, bars.key_words(keys)]))

    @on(Input.Submitted)
    def _submit(self) -> None:
        if self.is_current:  # A second enter, typed ahead, arrives when this is answered.
            self.action_submit()


class SureDialog(Dialog[bool]):
    """Asks for confirmation of several drafts: only ``y`` confirms."""

    DEFAULT_CSS = "SureDialog .name { text-wrap: nowrap; text-overflow: ellipsis; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        ("y", "answer(True)", "yes"),
        ("escape,n,q", "answer(False)", "back"),
    ]

    def __init__(self, lines: tuple[str, ...], yes: str, names: tuple[str, ...] = ()) -> None:
        question, *self._details = lines
        super().__init__(question, [("y", yes), ("esc", "back, nothing is drafted")])
        self._names = names

    def body(self) -> Iterator[Widget]:
        for line in self._details:
            yield Static(bars.styled(line, "text"))
        for name in self._names:  # One line each, which keeps the keys below visible.
            yield Static(bars.styled(name, "text"), classes="name")

    def action_answer(self, yes: bool) -> None:
        """Answers; only ``y`` confirms."""
        self.dismiss(yes)


class LinesDialog(Dialog[None]):
    """Lines to read, which may be hostile. With `by_any_key`, whatever key comes closes it."""

    DEFAULT_CSS = """
    LinesDialog VerticalScroll { height: auto; max-height: 20; scrollbar-size-vertical: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape,q,enter", "close", "back"),
        ("j,down", "scroll(1)", "down"),
        ("k,up", "scroll(-1)", "up"),
        ("space,pagedown", "scroll(10)", "page down"),
        ("pageup", "scroll(-10)", "page up"),
    ]

    def __init__(
        self, title: str, lines: Sequence[str], *, meaning: str = "text", by_any_key: bool = False
    ) -> None:
        keys = [("any key", "go on")] if by_any_key else [("j k", "scroll"), ("esc", "back")]
        super().__init__(title, keys)
        self._lines = lines
        self._meaning = meaning
        self._by_any_key = by_any_key

    def body(self) -> Iterator[Widget]:
        yield VerticalScroll(*self.lines(), can_focus=False)

    def lines(self) -> Iterator[Widget]:
        """The lines that scroll."""
        lines = (bars.styled(line, self._meaning) for line in self._lines)
        yield Static(Content("\n").join(lines))

    def on_key(self, event: events.Key) -> None:
        """Closes it; the key does nothing else."""
        if self._by_any_key:
            event.stop()
            event.prevent_default()
            self.action_close()

    def action_close(self) -> None:
        self.dismiss(None)

    def action_scroll(self, lines: int) -> None:
        self.query_one(VerticalScroll).scroll_relative(y=lines, animate=False)


class HostsDialog(LinesDialog):
    """The machines of a ledger; those that somebody has to look after are flagged."""

    DEFAULT_CSS = """
    HostsDialog .host { height: auto; }
    HostsDialog .mark { width: 2; }
    HostsDialog .words { width: 1fr; }
    """

    def __init__(self, ask: Callable[[], None]) -> None:
        """`ask` has it shown again, as the machines are then."""
        super().__init__("Machines", ())
        self._hosts: Sequence[HostHealth] = ()
        self._ask = ask

    def on_mount(self) -> None:
        """What it says is of a moment: it asks again for as long as it is open."""
        self.set_interval(ASK_AGAIN, self._ask)

    def show(self, hosts: Sequence[HostHealth], at: str) -> None:
        """Shows the machines as they are at a time of day."""
        self._hosts, self.question = hosts, f"Machines at {at}"
        if self.is_attached:
            self.refresh(recompose=True)

    def lines(self) -> Iterator[Widget]:
        for host in self._hosts:
            meaning = "flag" if host.is_alarming else "text"
            yield Horizontal(
                Static(bars.styled("!" if host.is_alarming else "", meaning), classes="mark"),
                Static(bars.styled(host.words, meaning), classes="words"),
                classes="host",
            )


class LinkDialog(Dialog[str | None]):
    """Asks which link to open: a digit opens one, and nothing is opened before."""

    DEFAULT_CSS = "LinkDialog .link { text-wrap: nowrap; text-overflow: ellipsis; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        *((str(number), f"pick({number})", "open it") for number in range(1, 10)),
        ("escape,q", "pick(0)", "back"),
    ]

    def __init__(self, links: Sequence[str], shown: Sequence[str], does: str) -> None:
        """`shown` has the links as the screen may show them, `does` what a digit does."""
        digits = f"1-{len(links)}" if len(links) > 1 else "1"
        keys = [(digits, does), ("esc", "back")]
        super().__init__("Links in this proposal and its evidence", keys)
        self._links = links
        self._shown = shown

    def body(self) -> Iterator[Widget]:
        for number, link in enumerate(self._shown, 1):
            yield Static(bars.styled(f" {number}  {link}", "text"), classes="link")

    def action_pick(self, number: int) -> None:
        if number <= len(self._links):
            self.dismiss(self._links[number - 1] if number else None)


SEND_BACK: Final = "Send it back to the agent; what should it propose instead?"
"""The question that a note to the agent answers."""


class WordsDialog(Dialog[str | None]):
    """One line of free text."""

    AUTO_FOCUS = "Input"
    BINDINGS: ClassVar[list[BindingType]] = [("escape", "back", "back")]

    def __init__(self, question: str, does: str) -> None:
        """`does` says what enter does with the words."""
        super().__init__(question, [("enter", does), ("esc", "back")])

    def action_back(self) -> None:
        self.dismiss(None)

    @on(Input.Submitted)
    def _submit(self, event: Input.Submitted) -> None:
        words = " ".join(event.value.split())
        if self.is_current:  # A second enter, typed ahead, arrives when this is answered.
            self.dismiss(words or None)


class PassphraseDialog(Dialog[bool]):
    """One hidden line. A password manager may paste into it.

    It stays until the passphrase is right: what is typed again would else be commands of the screen
    below. Ends with whether the key is open.
    """

    AUTO_FOCUS = "Input"
    BINDINGS: ClassVar[list[BindingType]] = [("escape", "back", "back")]

    def __init__(
        self,
        unlock: Callable[[str], None],
        question: str = "",
    ) -> None:
        """`unlock` opens the key, in a thread; it raises ReviewdeckError for a wrong passphrase.

        `question` says what is signed if it is not the write of what is shown.
        """
        keys = ("sign", "back") if question else ("sign and write", "back, no write")
        question = question or "Your passphrase signs exactly what is shown."
        super().__init__(question, list(zip(("enter", "esc"), keys, strict=True)))
        self._unlock = unlock

    def body(self) -> Iterator[Widget]:
        yield Input(password=True, classes="-open")

    def action_back(self) -> None:
        """Cancels: nothing is signed."""
        self.dismiss(False)

    @on(Input.Submitted)
    def _submit(self, event: Input.Submitted) -> None:
        passphrase, field = event.value, event.input
        field.value = ""
        if not passphrase:
            return
        field.disabled = True  # What is typed before the answer is for nobody.

        def run() -> None:
            try:
                self._unlock(passphrase)
            except ReviewdeckError as error:
                self.app.call_from_thread(self._ask_again, error_words(error))
            else:
                self.app.call_from_thread(self._end)

        self.run_worker(run, thread=True, group="unlock")

    def _ask_again(self, reason: str) -> None:
        if not self.is_attached:
            return
        words = bars.styled(reason, "dangerous")
        self.query_one("#keys", Static).update(Content("\n").join([words, self.keys]))
        field = self.query_one(Input)
        field.disabled = False
        self.set_focus(field)

    def _end(self) -> None:
        if self.is_attached and self.app.screen is self:
            self.dismiss(True)


class CodeDialog(Dialog[bool]):
    """Asks for the code of each change of weight, one after the other."""

    AUTO_FOCUS = "Input"
    BINDINGS: ClassVar[list[BindingType]] = [("escape", "back", "back")]

    def __init__(self, codes: tuple[CodedChange, ...]) -> None:
        keys = [("enter", "go on"), ("esc", "back to read it")]
        super().__init__(f"The code at the end of {codes[0].title}", keys)
        self._codes = list(codes)

    def action_back(self) -> None:
        """Cancels: nothing is written."""
        self.dismiss(False)

    @on(Input.Submitted)
    def _submit(self, event: Input.Submitted) -> None:
        is_right = is_code(event.value, self._codes[0].digest)
        if is_right:
            self._codes.pop(0)
        if not self._codes:
            self.dismiss(True)
            return
        lead = "The code at the end of" if is_right else "That is not the code at the end of"
        question = bars.styled(f"{lead} {self._codes[0].title}", "strong")
        self.query_one("#question", Static).update(question)
        self.query_one(Input).value = ""


def _columns() -> Content:
    half = len(REASONS) // 2
    lines = []
    for row in range(half):
        pair = [
            Content.styled(f" {number + 1} ", "bold $deck-heading")
            + Content.styled(f"{REASONS[number]:<22}", "$deck-text")
            for number in (row, row + half)
        ]
        lines.append(Content("").join(pair))
    return Content("\n").join(lines)
