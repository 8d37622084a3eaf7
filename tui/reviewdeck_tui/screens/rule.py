"""A rule from decisions: in words, with what it would have done, and the lines of the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, TypeAlias

from textual.binding import BindingType
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from reviewdeck.engine.suggestions import Suggestion
from reviewdeck.policy.own_rules import RuleEffect, as_toml
from reviewdeck_tui.queue import bars
from reviewdeck_tui.screens.dialogs import Dialog

Choice: TypeAlias = tuple[Suggestion, RuleEffect]


class RuleDialog(Dialog[Choice | None]):
    """Offers one rule after the other. Only ``h`` and ``x`` choose; neither applies anything."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("h", "choose('hold')", "let it hold"),
        ("x", "choose('reject')", "let it reject"),
        ("j,down", "step(1)", "next rule"),
        ("k,up", "step(-1)", "previous rule"),
        ("escape,q", "back", "back"),
    ]

    def __init__(
        self, offered: Sequence[Suggestion], path: str, *, is_signed: bool, why_not: str = ""
    ) -> None:
        """`path` is the policy file, and `why_not` says why it takes no rule."""
        super().__init__("", ())
        self._offered = offered
        self._path = path
        self._is_signed = is_signed
        self._why_not = why_not
        self._at = 0

    @property
    def current(self) -> Suggestion:
        """The rule that is shown."""
        return self._offered[self._at]

    def body(self) -> Iterator[Widget]:
        yield Static(id="words")
        yield Static(id="lines")

    def on_mount(self) -> None:
        """Shows the first rule."""
        self._show()

    def _show(self) -> None:
        offer, amount = self.current, len(self._offered)
        number = f" ({self._at + 1} of {amount})" if amount > 1 else ""
        title = bars.styled(f"A rule from your decisions{number}", "strong")
        words = [bars.styled(offer.sentence, "text"), bars.styled(offer.replay, "text")]
        keys = [("h", "write it: it holds"), ("x", "write it: it rejects")]
        rule = as_toml(offer.rule(RuleEffect.HOLD)).splitlines()
        where = f"At the end of {self._path}, all else stays as it is:"
        signed = " Your key signs the file again." if self._is_signed else ""
        lines = [bars.styled(where + signed, "quiet")]
        lines += [bars.styled(f"  {line}", "quiet") for line in rule]
        if self._why_not:
            keys, lines = [], [bars.styled(f"It cannot be written: {self._why_not}", "flag")]
        keys += [("j k", "another")] if amount > 1 else []
        self.query_one("#question", Static).update(title)
        self.query_one("#words", Static).update(Content("\n").join(words))
        self.query_one("#lines", Static).update(Content("\n").join(lines))
        self.query_one("#keys", Static).update(
            bars.key_words([*keys, ("esc", "back, nothing is written")])
        )

    def action_step(self, step: int) -> None:
        """Shows another rule."""
        self._at = (self._at + step) % len(self._offered)
        self._show()

    def action_choose(self, effect: str) -> None:
        """Answers with the shown rule, if the file takes one."""
        if not self._why_not:
            self.dismiss((self.current, RuleEffect(effect)))

    def action_back(self) -> None:
        """Answers with none."""
        self.dismiss(None)
