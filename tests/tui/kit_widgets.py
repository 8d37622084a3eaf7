"""A small app with the two widgets, and texts to put into them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from textual.app import App, ComposeResult
from textual.containers import Horizontal
from textual.filter import LineFilter

from reviewdeck_tui.proposal.diff import section_of
from reviewdeck_tui.proposal.diff_document import DiffDocument, Notice, Section, Tone
from reviewdeck_tui.safe import SafetyFilter
from reviewdeck_tui.theme import THEMES
from reviewdeck_tui.widgets.diff_view import DiffView
from reviewdeck_tui.widgets.queue_list import QueueList
from reviewdeck_tui.widgets.rows import QueueRow
from reviewdeck_tui.widgets.wrap import MOST_CHARACTERS

ESC = chr(27)

HOSTILE = {
    "escape": f"{ESC}[2J{ESC}[31mred{ESC}[0m",
    "clipboard": f"{ESC}]52;c;aGk={ESC}\\",
    "title": f"{ESC}]0;owned{chr(7)}",
    "device control": f"{ESC}P1;2|x{ESC}\\",
    "c1": "".join(map(chr, range(0x80, 0xA0))) + "31mx",
    "c0": "".join(map(chr, range(0x20))) + chr(0x7F),
    "bidi": "user\u202e\u2066 toor\u2069\u202c \u200f\u061c",
    "closing markup": "a [/] b [/bold] [/@click]",
    "link markup": "[@click=app.exit()]x[/] [link=http://x]y[/link] [red]z",
    "rich markup": "[bold]x[/bold]\\[bold]",
    "tags": "x" + "".join(chr(0xE0000 + ord(char)) for char in "delete all") + "y",
    "surrogates": "lone \ud800 and \udfff",
    "zero width": "a\u200bb\u2060c\ufeffd\u00ade",
    "selectors": "x\ufe0f\ufe0f\U000e0101\U000e0102y",
    "long": "x" * 2_000,
    "longer than shown": "word " * (MOST_CHARACTERS // 4),
    "wide": "日本語のテキスト" * 200,
    "emoji": "👩‍👩‍👧 ✅ 🇯🇵 ⚠️ 👍🏽 e\u0301 " * 50,
    "joiners": "\u200d\u200d👩\u200d\u200d",
    "line ends": "a\rb\r\nc\x0bd\x0ce\x1cf\x85g\u2028h\u2029i",
    "tabs": "\ta\t\tb\t",
    "empty": "",
    "fractions": "\u0300\u0301\u0302" * 50,
}

_ALONE = ("long", "longer than shown", "wide", "emoji", "empty", "fractions")
TOGETHER = {
    **{name: HOSTILE[name] for name in _ALONE},
    "short ones": "\n".join(text for name, text in HOSTILE.items() if name not in _ALONE),
}
"""The same texts, the short ones as the lines of one: for what paints a whole screen."""


def row(id: str, gist: str = "gist", *, marked: bool = False, text: str | None = None) -> QueueRow:
    """A line of the queue; `text` is put wherever text can be."""
    return QueueRow(
        id=id,
        glyph=text or "#",
        state=text or "conflict",
        kind=text or "replace",
        target=text or "MEMORY",
        gist=text or gist,
        origin=text or "review",
        age=text or "6h",
        cluster=3,
        draft=text or "",
        marked=marked,
        home=text or "",
        dangerous=False,
    )


def rows(ids: Iterable[object]) -> list[QueueRow]:
    """Lines of the queue by their ids."""
    return [row(str(id), f"gist {id}") for id in ids]


def document(before: str, after: str, path: str = "skills/a/SKILL.md") -> DiffDocument:
    """One file from one text to another."""
    limit = 2200 if path.startswith("memories/") else None
    return DiffDocument(path, "edit", (section_of(path, before, after, limit),))


def hostile_document(text: str) -> DiffDocument:
    """A hostile text in every place of a document."""
    return DiffDocument(
        id="hostile",
        title=text,
        sections=(
            section_of("memories/MEMORY.md", f"a {text} b", f"b {text}\n§\n{text}", 2200),
            section_of("skills/a/run.py", f"a\n{text}\nb\n", f"a\n{text}!\nb\n", None),
            Section(text, (Notice(text, Tone.LOST, text),), note=text, language=text),
        ),
    )


class WidgetApp(App[None]):
    """The queue beside the diff."""

    CSS = "QueueList { width: 58; }"

    def __init__(
        self, queue: Sequence[QueueRow] = (), shown: DiffDocument | None = None, theme: str = ""
    ) -> None:
        super().__init__()
        self._queue = queue
        self._shown = shown
        self._theme = theme or THEMES[0].name
        self.heard: list[object] = []

    def compose(self) -> ComposeResult:
        """Side by side."""
        with Horizontal():
            yield QueueList()
            yield DiffView()

    def get_line_filters(self) -> Sequence[LineFilter]:
        """As the deck does: the last filter makes everything inert."""
        return [*super().get_line_filters(), SafetyFilter()]

    def on_mount(self) -> None:
        """Shows what was given."""
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = self._theme
        self.queue.show(self._queue)
        if self._shown is not None:
            self.diff.show(self._shown)

    @property
    def queue(self) -> QueueList:
        """The queue."""
        return self.query_one(QueueList)

    @property
    def diff(self) -> DiffView:
        """The diff."""
        return self.query_one(DiffView)

    def on_queue_list_moved(self, message: QueueList.Moved) -> None:
        """Remembers it."""
        self.heard.append(message)

    def on_queue_list_opened(self, message: QueueList.Opened) -> None:
        """Remembers it."""
        self.heard.append(message)

    def on_diff_view_painted(self, message: DiffView.Painted) -> None:
        """Remembers it."""
        self.heard.append(message)

    def painted(self) -> list[DiffView.Painted]:
        """What was painted so far."""
        return [message for message in self.heard if isinstance(message, DiffView.Painted)]


def lines_of(widget: QueueList | DiffView) -> list[str]:
    """The text of a widget as it is on the screen."""
    return [widget.render_line(y).text for y in range(widget.size.height)]
