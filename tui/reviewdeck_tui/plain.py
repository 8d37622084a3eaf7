"""The deck as lines of text, for a screen reader or a terminal without drawing.

The same engine, drafts and rules: an approval covers what was printed, and nothing is written
before the summary was printed and answered with ``yes``.
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
from reviewdeck.ports import Clock
from reviewdeck.presentation.proposal_words import (
    creation_time,
    finding_count,
    glyph_of,
    request_line,
)
from reviewdeck.presentation.words import age_of, count, state_word
from reviewdeck.terminal import ask
from reviewdeck.text.inert import visible
from reviewdeck.text.redact import NOTHING, redact
from reviewdeck.text.rows import Row, RowKind
from reviewdeck_tui.engine import EngineWorker
from reviewdeck_tui.guard import Guard
from reviewdeck_tui.proposal.diff_document import (
    Authors,
    DiffDocument,
    Fold,
    Notice,
    Quote,
    SideBySide,
)
from reviewdeck_tui.proposal.diff_document import Line as DiffLine
from reviewdeck_tui.proposal.panes import Line, Pane
from reviewdeck_tui.proposal.redaction import COVERED, error_words, redacted_line
from reviewdeck_tui.queue import selection
from reviewdeck_tui.queue.view import LETTERS, WAITING, Backlog, QueueView, arrange, undrafted
from reviewdeck_tui.summary.lines import entries_of, headline, outcome_lines, warning_lines
from reviewdeck_tui.summary.preview import SummaryPreview
from reviewdeck_tui.summary.requirements import requirements_of

Ask: TypeAlias = Callable[[str], str]
"""Asks for one line; raises EOFError at the end of the input."""
Say: TypeAlias = Callable[[str], None]
"""Prints one line."""

HELP: Final = (
    "list: what is waiting. show N: one proposal with its diff and why it is waiting.",
    "approve N, reject N REASON, defer N: draft a decision. clear N: drop the draft.",
    "send-back N NOTE: draft a rejection that asks the agent for another proposal.",
    "mine N: draft a claim that you wrote this live change.",
    "summary: all drafts together. write: the summary, then a question; yes writes.",
    "secrets: show secrets, or cover them again.",
    "quit: leave. Drafts are kept, nothing is written.",
)
_SIGNS: Final = {
    RowKind.SAME: "unchanged",
    RowKind.REMOVED: "removed",
    RowKind.ADDED: "added",
}


def no_secret(question: str) -> str:
    """Refuses: there is no terminal on which to ask for a passphrase."""
    raise NotPermitted("There is no terminal to ask on.")


class PlainDeck:
    """The deck as a dialog of lines."""

    def __init__(
        self, engine: EngineWorker, *, now: Clock, ask: Ask, say: Say, ask_secret: Ask = no_secret
    ) -> None:
        self._engine = engine
        self._now = now
        self._ask = ask
        self._ask_secret = ask_secret
        self._say_line = say
        self._guard = Guard(lambda: 0.0)
        self._backlog = Backlog()
        self._items: list[QueueItem] = []
        self._shows_secrets = False

    def run(self) -> int:
        """Runs until `quit`; returns the number of drafts that are not written."""
        self._replace_backlog(self._engine.refresh(force=True))
        with suppress(ReviewdeckError):
            self._guard.add_earlier(self._engine.bookmarks.sightings())
        self._list()
        self._say("help lists the commands.")
        while True:
            try:
                words = self._ask("reviewdeck> ").split(maxsplit=2)
            except EOFError:
                words = ["quit"]
            if words[:1] == ["quit"]:
                return len(self._backlog.drafts)
            try:
                self._run_command(words)
            except ReviewdeckError as error:
                self._say(error_words(error))

    def _run_command(self, words: list[str]) -> None:
        commands = {
            "list": self._refresh_and_list,
            "summary": self._summary,
            "write": self._write,
            "secrets": self._toggle_secrets,
        }
        item_commands = {
            "show": self._show,
            "approve": lambda item: self._draft_shown(item, Verb.APPROVE),
            "mine": lambda item: self._draft_shown(item, Verb.CLAIM),
            "defer": lambda item: self._draft(item, Verb.DEFER),
            "clear": self._clear,
        }
        match words:
            case []:
                return
            case [name] if name in commands:
                commands[name]()
            case [name, number] if name in item_commands:
                self._run_on_item(number, item_commands[name])
            case ["reject" | "send-back" as name, number, said]:
                reason = said if name == "reject" else f"{SENT_BACK}{said}"
                self._run_on_item(
                    number, lambda item: self._draft(item, Verb.REJECT, reason=reason)
                )
            case _:
                for line in HELP:
                    self._say(line)

    def _toggle_secrets(self) -> None:
        self._shows_secrets = not self._shows_secrets
        self._say("Secrets are shown." if self._shows_secrets else "Secrets are covered.")

    def _refresh_and_list(self) -> None:
        self._replace_backlog(self._engine.refresh(force=True))
        self._list()

    def _list(self) -> None:
        left = undrafted(self._backlog)
        waiting = sum(left[state] for state in WAITING)
        self._say(f"{waiting} waiting, {count(len(self._backlog.drafts), 'draft')}.")
        for number, item in enumerate(self._items, 1):
            draft = self._backlog.drafts.get(item.id)
            draft_words = f", draft {LETTERS[draft.verb]}" if draft else ""
            age = age_of(creation_time(item), self._now())
            home = self._backlog.home_of(item)
            home_words = f", home {home}" if home else ""
            line = f"{number}. {glyph_of(item)} {state_word(item.state)}, {request_line(item)}"
            line += f"{home_words}, {age} old"
            self._say(f"{line}, {count(finding_count(item.findings), 'finding')}{draft_words}")

    def _show(self, item: QueueItem) -> None:
        look = self._engine.look(item, lambda: False)
        if look is None:
            return
        for line in document_lines(look.visible_document(secrets=self._shows_secrets)):
            self._say(line)
        for pane in (Pane.WHY, Pane.EVIDENCE):
            self._say(f"{pane}:")
            votes = self._backlog.people.said.get(item.id, "")
            for fact in look.lines(pane, self._now(), secrets=self._shows_secrets, votes=votes):
                self._say(_join(fact))
        self._guard.note_painted(item.id, look.digest, 1.0)
        with suppress(ReviewdeckError):
            self._engine.bookmarks.save_sightings(self._guard.sightings)

    def _draft_shown(self, item: QueueItem, verb: Verb) -> None:
        """Drafts an approval or a claim of exactly what was printed."""
        choose = selection.for_approval if verb is Verb.APPROVE else selection.for_claim
        item = self._backlog.store.get(item.id, item)  # with the digest that it was shown under
        choice = choose([item], self._guard, by_mark=False)
        if choice.items:
            self._draft(item, verb, digest=item.digest)
        else:
            self._say(
                selection.why_not(item, selection.left_out_reasons(choice)) + " show N shows it."
            )

    def _draft(
        self, item: QueueItem, verb: Verb, *, digest: str | None = None, reason: str = ""
    ) -> None:
        draft = Draft(item.id, verb, digest, self._now(), reason=reason)
        self._replace_backlog(self._engine.put_drafts([draft]))
        self._say(f"Drafted: {verb.value} {request_line(item)}. Nothing is written.")

    def _clear(self, item: QueueItem) -> None:
        self._replace_backlog(self._engine.restore_drafts({item.id: None}))
        self._say("Its draft is dropped.")

    def _summary(self) -> SummaryPreview:
        preview = self._engine.summary()
        redaction = NOTHING if self._shows_secrets else preview.redaction
        self._say(headline(preview))
        for entry in entries_of(preview, self._backlog.homes):
            self._say(_join(redacted_line(entry.line, redaction)))
        for line in warning_lines(preview, self._guard.coverage):
            self._say(_join(redacted_line(line, redaction)))
        for diff in preview.visible_diffs(secrets=self._shows_secrets):
            for text in document_lines(diff):
                self._say(text)
        return preview

    def _write(self) -> None:
        preview = self._summary()
        if not preview.summary.amount:
            return
        if self._ask("Write exactly this? Type yes: ").strip() != "yes":
            self._say("Nothing was written.")
            return
        if not self._meets_requirements(preview):
            self._say("Nothing was written.")
            return
        report, backlog = self._engine.commit(
            preview.summary, lambda done, total: None, self._guard.coverage
        )
        self._replace_backlog(backlog)
        for line in outcome_lines(report, preview.names, backlog.hosts):
            self._say(_join(line))

    def _meets_requirements(self, preview: SummaryPreview) -> bool:
        """Asks for the passphrase and the codes, if decisions are signed."""
        requirements = self._engine.run(lambda engine: requirements_of(engine, preview))
        if requirements.is_locked:
            passphrase = self._ask_secret("Passphrase: ")
            self._engine.run(lambda engine: engine.authority.unlock(passphrase))
        return all(
            is_code(self._ask(f"The code at the end of {visible(code.title)}: "), code.digest)
            for code in requirements.codes
        )

    def _run_on_item(self, number: str, do: Callable[[QueueItem], None]) -> None:
        if number.isdecimal() and 1 <= int(number) <= len(self._items):
            do(self._items[int(number) - 1])
        else:
            self._say(f"There is no number {number}: list shows the numbers.")

    def _replace_backlog(self, backlog: Backlog | None) -> None:
        if backlog is None:
            return
        self._backlog = backlog
        places = {item.id: place for place, item in enumerate(self._items)}
        # Numbers are stable: a number must not come to mean another proposal.
        arranged = arrange(backlog, QueueView(unfolds=True)).stream()
        self._items = sorted(arranged, key=lambda item: places.get(item.id, len(places)))

    def _say(self, text: str) -> None:
        self._say_line(visible(text.rstrip(), keep=""))


def run_plain(settings: Settings, now: Clock) -> int:
    """The deck over the standard streams; returns the number of drafts that are not written."""
    engine = EngineWorker(settings, now)
    try:
        hidden = partial(ask, is_secret=True)
        return PlainDeck(engine, now=now, ask=input, say=print, ask_secret=hidden).run()
    finally:
        engine.close()


def document_lines(document: DiffDocument) -> Iterator[str]:
    """A diff in words: each line starts with its kind."""
    for section in document.sections:
        yield redact(f"Document {section.title}. {section.note}".rstrip())
        for line in section.lines:
            yield from _line_words(line)


def _line_words(line: DiffLine) -> Iterator[str]:
    match line:
        case Row():
            yield from _row_words(line)
        case Notice() if line == COVERED:
            yield "Secrets are covered here; secrets shows them."
        case Notice(text=text, aside=aside):
            if notice := f"{text} {aside}".strip():
                yield notice
        case Authors(left=left, right=right):
            yield f"{left}. {right}"
        case Quote(text=text):
            yield f"quoted: {text}"
        case SideBySide(columns=columns):
            yield from (
                f"column {number}: {column.text or ''}" for number, column in enumerate(columns, 1)
            )
        case Fold(label=label):
            yield label
        case _:
            assert_never(line)


def _row_words(row: Row) -> Iterator[str]:
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


def _join(line: Line) -> str:
    return " ".join(text.strip() for text, _ in line if text.strip())
