"""The deck as lines of text, for a screen reader or a terminal that draws nothing.

The same engine, the same drafts, the same rules: an approval is about what was shown, and nothing
is written before the summary was read and answered with ``yes``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Final, TypeAlias, assert_never

from reviewdeck.engine.confirmation import is_code
from reviewdeck.engine.options import Settings
from reviewdeck.errors import NotPermitted, ReviewdeckError
from reviewdeck.model import SENT_BACK, Draft, QueueItem, Verb
from reviewdeck.policy.redact import NOTHING, redact
from reviewdeck.ports import Clock
from reviewdeck.presentation.proposal_words import finding_count, glyph_of, made_at, wanted
from reviewdeck.presentation.words import age_of, count
from reviewdeck.terminal import ask
from reviewdeck.text.inert import visible
from reviewdeck.text.rows import Row, RowKind
from reviewdeck_tui.engine import Engine
from reviewdeck_tui.guard import Guard
from reviewdeck_tui.proposal.diff_document import (
    Abreast,
    Authors,
    DiffDocument,
    Fold,
    Notice,
    Quote,
)
from reviewdeck_tui.proposal.diff_document import Line as DiffLine
from reviewdeck_tui.proposal.panes import Line, Pane
from reviewdeck_tui.proposal.redaction import COVERED, complaint, covered_line
from reviewdeck_tui.queue import selection
from reviewdeck_tui.queue.view import LETTERS, QueueView, Stock, arrange, left_to_decide
from reviewdeck_tui.summary.lines import entries_of, headline, look_again, outcome_lines
from reviewdeck_tui.summary.preview import SummaryPreview
from reviewdeck_tui.summary.requirements import admission

Ask: TypeAlias = Callable[[str], str]
"""Asks for one line; raises EOFError when there are no more."""
Say: TypeAlias = Callable[[str], None]
"""Says one line."""

HELP: Final = (
    "list: what is waiting. show N: one proposal with its diff and why it is waiting.",
    "approve N, reject N REASON, defer N: draft a decision. clear N: drop the draft.",
    "send-back N NOTE: draft a rejection that asks the agent for another proposal.",
    "mine N: draft that what is live already was written by you.",
    "summary: what all drafts come to. write: the summary, then a question; yes writes.",
    "secrets: show secrets, or cover them again.",
    "quit: leave. Drafts are kept, nothing is written.",
)
_SIGNS: Final = {
    RowKind.SAME: "unchanged",
    RowKind.REMOVED: "removed",
    RowKind.ADDED: "added",
}


def no_secret(question: str) -> str:
    """Nobody is there to be asked for a passphrase."""
    raise NotPermitted("There is no terminal to ask on.")


class PlainDeck:
    """A conversation in lines."""

    def __init__(
        self, engine: Engine, *, now: Clock, ask: Ask, say: Say, ask_secret: Ask = no_secret
    ) -> None:
        self._engine = engine
        self._now = now
        self._ask = ask
        self._ask_secret = ask_secret
        self._say_line = say
        self._guard = Guard(lambda: 0.0)
        self._stock = Stock()
        self._items: list[QueueItem] = []
        self._shows_secrets = False

    def run(self) -> int:
        """Talks until it is told to quit; gives the number of drafts that are not written."""
        self._take(self._engine.refresh(force=True))
        with suppress(ReviewdeckError):
            self._guard.remember(self._engine.bookshelf.sightings())
        self._list()
        self._say("help lists the commands.")
        while True:
            try:
                words = self._ask("reviewdeck> ").split(maxsplit=2)
            except EOFError:
                words = ["quit"]
            if words[:1] == ["quit"]:
                return len(self._stock.drafts)
            try:
                self._obey(words)
            except ReviewdeckError as error:
                self._say(complaint(error))

    def _obey(self, words: list[str]) -> None:
        alone = {
            "list": self._look_and_list,
            "summary": self._summary,
            "write": self._write,
            "secrets": self._turn_secrets,
        }
        about = {
            "show": self._show,
            "approve": self._approve,
            "mine": self._claim,
            "defer": lambda item: self._draft(item, Verb.DEFER),
            "clear": self._clear,
        }
        match words:
            case []:
                return
            case [name] if name in alone:
                alone[name]()
            case [name, number] if name in about:
                self._with(number, about[name])
            case ["reject", number, reason]:
                self._with(number, lambda item: self._draft(item, Verb.REJECT, reason=reason))
            case ["send-back", number, note]:
                reason = f"{SENT_BACK}{note}"
                self._with(number, lambda item: self._draft(item, Verb.REJECT, reason=reason))
            case _:
                for line in HELP:
                    self._say(line)

    def _turn_secrets(self) -> None:
        self._shows_secrets = not self._shows_secrets
        self._say("Secrets are shown." if self._shows_secrets else "Secrets are covered.")

    def _look_and_list(self) -> None:
        self._take(self._engine.refresh(force=True))
        self._list()

    def _list(self) -> None:
        left, total = left_to_decide(self._stock)
        self._say(f"{left} of {total} left, {count(len(self._stock.drafts), 'draft')}.")
        for number, item in enumerate(self._items, 1):
            draft = self._stock.drafts.get(item.id)
            drafted = f", draft {LETTERS[draft.verb]}" if draft else ""
            age = age_of(made_at(item), self._now())
            home = self._stock.home_of(item)
            where = f", home {home}" if home else ""
            said = f"{number}. {glyph_of(item)} {item.state.value}, {wanted(item)}{where}"
            said += f", {age} old"
            self._say(f"{said}, {count(finding_count(item.findings), 'finding')}{drafted}")

    def _show(self, item: QueueItem) -> None:
        look = self._engine.look(item, lambda: False)
        if look is None:
            return
        for line in document_lines(look.shown(secrets=self._shows_secrets)):
            self._say(line)
        for pane in (Pane.WHY, Pane.EVIDENCE):
            self._say(f"{pane}:")
            for fact in look.lines(pane, self._now(), secrets=self._shows_secrets):
                self._say(_joined(fact))
        self._guard.painted(item.id, look.digest, 1.0)
        with suppress(ReviewdeckError):
            self._engine.bookshelf.keep_sightings(self._guard.sightings)

    def _approve(self, item: QueueItem) -> None:
        choice = selection.for_approval([item], self._guard, by_mark=False)
        if choice.taken:
            self._draft(item, Verb.APPROVE, digest=item.digest)
        else:
            self._say(selection.why_not(item, choice.said) + " show N shows it.")

    def _claim(self, item: QueueItem) -> None:
        choice = selection.for_claim([item], self._guard, by_mark=False)
        if choice.taken:
            self._draft(item, Verb.CLAIM, digest=item.digest)
        else:
            self._say(selection.why_not(item, choice.said) + " show N shows it.")

    def _draft(
        self, item: QueueItem, verb: Verb, *, digest: str | None = None, reason: str = ""
    ) -> None:
        draft = Draft(item.id, verb, digest, self._now(), reason=reason)
        self._take(self._engine.put_drafts([draft]))
        self._say(f"Drafted: {verb.value} {wanted(item)}. Nothing is written.")

    def _clear(self, item: QueueItem) -> None:
        self._take(self._engine.restore_drafts({item.id: None}))
        self._say("There is no draft of it now.")

    def _summary(self) -> SummaryPreview:
        shown = self._engine.summary()
        cover = NOTHING if self._shows_secrets else shown.cover
        self._say(headline(shown.summary))
        for entry in entries_of(shown, self._stock.homes):
            self._say(_joined(covered_line(entry.line, cover)))
        for line in look_again(shown, self._guard.coverage):
            self._say(_joined(covered_line(line, cover)))
        for diff in shown.seen(secrets=self._shows_secrets):
            for said in document_lines(diff):
                self._say(said)
        return shown

    def _write(self) -> None:
        shown = self._summary()
        if not shown.summary.amount:
            return
        if self._ask("Write exactly this? Type yes: ").strip() != "yes":
            self._say("Nothing was written.")
            return
        if not self._is_admitted(shown):
            self._say("Nothing was written.")
            return
        report, stock = self._engine.commit(
            shown.summary, lambda done, total: None, self._guard.coverage
        )
        self._take(stock)
        for line in outcome_lines(report, shown.names):
            self._say(_joined(line))

    def _is_admitted(self, shown: SummaryPreview) -> bool:
        """Asks for the passphrase and the codes, where decisions are signed."""
        asked = self._engine.with_deck(lambda deck: admission(deck, shown))
        if asked.is_locked:
            passphrase = self._ask_secret("Passphrase: ")
            self._engine.with_deck(lambda deck: deck.context.authority.unlock(passphrase))
        return all(
            is_code(self._ask(f"The code at the end of {visible(one.title)}: "), one.digest)
            for one in asked.codes
        )

    def _with(self, number: str, do: Callable[[QueueItem], None]) -> None:
        if number.isdecimal() and 1 <= int(number) <= len(self._items):
            do(self._items[int(number) - 1])
        else:
            self._say(f"There is no number {number}. list says which there are.")

    def _take(self, stock: Stock | None) -> None:
        if stock is None:
            return
        self._stock = stock
        known = {item.id: at for at, item in enumerate(self._items)}
        # What has a number keeps its place: a number must not come to mean another proposal.
        arranged = arrange(stock, QueueView()).stream()
        self._items = sorted(arranged, key=lambda item: known.get(item.id, len(known)))

    def _say(self, text: str) -> None:
        self._say_line(visible(text.rstrip(), keep=""))


def run_plain(settings: Settings, now: Clock) -> int:
    """The deck over the standard streams; gives the number of drafts that are not written."""
    engine = Engine(settings, now)
    try:
        hidden = partial(ask, is_secret=True)
        return PlainDeck(engine, now=now, ask=input, say=print, ask_secret=hidden).run()
    finally:
        engine.close()


def document_lines(document: DiffDocument) -> Iterator[str]:
    """A diff in words: each line says what it is before it says its text."""
    for section in document.sections:
        yield redact(f"Document {section.title}. {section.note}".rstrip())
        for line in section.lines:
            yield from _spoken(line)


def _spoken(line: DiffLine) -> Iterator[str]:
    match line:
        case Row():
            yield from _row(line)
        case Notice() if line == COVERED:
            yield "Secrets are covered here; secrets shows them."
        case Notice(text=text, aside=aside):
            if said := f"{text} {aside}".strip():
                yield said
        case Authors(left=left, right=right):
            yield f"{left}. {right}"
        case Quote(text=text):
            yield f"quoted: {text}"
        case Abreast(columns=columns):
            yield from (f"column {at}: {one.text or ''}" for at, one in enumerate(columns, 1))
        case Fold(label=label):
            yield label
        case _:
            assert_never(line)


def _row(row: Row) -> Iterator[str]:
    match row.kind:
        case RowKind.CHANGED:
            yield f"before: {row.left}"
            yield f"after: {row.right}"
        case RowKind.GAP | RowKind.NOTICE:
            yield row.note
        case RowKind.SAME | RowKind.REMOVED | RowKind.ADDED:
            yield f"{_SIGNS[row.kind]}: {row.left if row.right is None else row.right}"
        case _:
            assert_never(row.kind)


def _joined(line: Line) -> str:
    return " ".join(text.strip() for text, _ in line if text.strip())
