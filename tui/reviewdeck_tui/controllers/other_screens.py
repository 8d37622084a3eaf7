"""The keys that open another screen or ask in a dialog, and what the answer does to the deck.

Each function is an action of the deck's screen, which names it in its class.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from itertools import islice
from typing import TYPE_CHECKING, Final

from reviewdeck.model import Verb
from reviewdeck.presentation.proposal_words import is_held_by_origin, local_clock, request_line
from reviewdeck_tui.keys import key_of
from reviewdeck_tui.proposal.skim import MOST, HeldByOrigin, read_held
from reviewdeck_tui.queue.items import Sort
from reviewdeck_tui.queue.selection import Chosen
from reviewdeck_tui.queue.view import Lane
from reviewdeck_tui.screens.dialogs import HostsDialog, WordsDialog

if TYPE_CHECKING:
    from reviewdeck.engine.engine import Engine
    from reviewdeck.presentation.hosts import HostHealth
    from reviewdeck_tui.proposal.diff_document import DiffDocument
    from reviewdeck_tui.screens.deck import DeckScreen
    from reviewdeck_tui.screens.skim import Skimmed
    from reviewdeck_tui.summary.preview import SummaryPreview

NO_PROPOSAL: Final = "There is no proposal here."


def open_changes(deck: DeckScreen) -> None:
    """Shows what the agents learned."""
    from reviewdeck_tui.screens.changes import ChangesScreen

    def show(lane: Lane) -> None:
        if lane is not Lane.APPLIED:
            deck.set_view(lane=lane)

    deck.ask(ChangesScreen(deck), show)


def open_documents(deck: DeckScreen) -> None:
    """Shows the documents of the homes, that of the open proposal first."""
    from reviewdeck_tui.screens.documents import DocumentsScreen

    item, document = deck.current, ""
    if item is not None and deck.look is not None and deck.look.document.sections:
        document = f"{item.home}\n{deck.look.document.sections[0].title}"
    deck.app.push_screen(DocumentsScreen(deck, document))


def open_sources(deck: DeckScreen) -> None:
    """The live lines that a sentence may come from: the proposal's text, or one to be typed."""
    from reviewdeck_tui.screens.why import QUESTION, WhyScreen

    def show(words: str) -> None:
        deck.app.push_screen(WhyScreen(deck, words))

    if deck.in_diff and (look := deck.current_look) is not None:
        show(look.facts.request())
    else:
        deck.ask(WordsDialog(QUESTION, "search"), show)


def open_checks(deck: DeckScreen) -> None:
    """Shows the six checks of the proposal with their evidence."""
    from reviewdeck_tui.screens.checks import ChecksScreen

    item, look = deck.current, deck.current_look
    if item is None or look is None or look.facts.judgement is None:
        deck.say("No checks were made here.")
    else:
        deck.app.push_screen(ChecksScreen(deck, request_line(item), look, look.facts.judgement))


def open_reading(deck: DeckScreen) -> None:
    """Shows the proposal's documents as the agents of its home would read them."""
    item, look = deck.current, deck.current_look
    if item is None or look is None or not look.document.sections:
        deck.say(NO_PROPOSAL)
        return
    paths = tuple(section.title for section in look.document.sections)

    def show(document: DiffDocument) -> None:
        from reviewdeck_tui.screens.reading import ReadingScreen

        if deck.app.screen is deck:
            deck.app.push_screen(ReadingScreen(deck, request_line(item), document))

    deck.work(lambda: deck.engine.reading(item, paths), show)


def open_skim(deck: DeckScreen) -> None:
    """Lists the proposals held back only by their origin, to be read in a row."""
    drafts, store = deck.backlog.drafts, deck.backlog.store
    order = store.order(Sort.RISK)

    def job() -> tuple[HeldByOrigin, ...]:
        ids = [outline.id for outline in order]
        held_items = (item for item in store.stream(ids) if is_held_by_origin(item))
        items = [item for item in islice(held_items, MOST) if item.id not in drafts]
        return deck.engine.run(lambda engine: read_held(engine, items))

    def show(proposals: tuple[HeldByOrigin, ...]) -> None:
        from reviewdeck_tui.screens.skim import SkimScreen

        if deck.app.screen is not deck:
            return
        if not proposals:
            deck.say("No addition waits only for its origin.")
            return
        deck.ask(SkimScreen(deck, proposals, deck.guard), draft)

    def draft(outcome: Skimmed) -> None:
        if outcome.opened:
            deck.filter.drop()  # The filter may hide it.
            deck.set_view(lane=Lane.DECIDE, conflicts_only=False, home=None)
            deck.queue.move_to(outcome.opened, by_key=True)
        if outcome.is_to_write and (item := deck.items.get(outcome.opened)) is not None:
            deck.decisions.write(item)
        drafted = [
            deck.drafts.new(item, Verb.APPROVE, digest=item.digest) for item in outcome.items
        ]
        if drafted:
            deck.decisions.store(drafted, Chosen(outcome.items), "approval", by_mark=True)

    deck.work(job, show, group="skim")


def open_insights(deck: DeckScreen) -> None:
    """Shows how decisions went, in pictures."""
    from reviewdeck_tui.screens.insights import InsightsScreen

    deck.ask(InsightsScreen(deck), deck.go_to)


def open_morning(deck: DeckScreen) -> None:
    """Shows what happened since the operator looked last."""
    from reviewdeck_tui.screens.morning import MorningScreen

    deck.ask(MorningScreen(deck), deck.go_to)


def open_hosts(deck: DeckScreen) -> None:
    """Shows the machines of the ledger, and whether their workers are alive."""
    from reviewdeck.presentation.hosts import host_healths

    dialog = HostsDialog(lambda: deck.read(host_healths, show, "poll"))

    def show(hosts: tuple[HostHealth, ...]) -> None:
        if not hosts:
            deck.say("This ledger is used on one machine alone.")
            return
        dialog.show(hosts, local_clock(deck.now()))
        if not dialog.is_attached:
            deck.app.push_screen(dialog)

    deck.read(host_healths, show)


def ask_note(deck: DeckScreen) -> None:
    """Asks for a note, and puts it into the log."""
    if (item := deck.current) is None:
        deck.say(NO_PROPOSAL)
        return

    def note(words: str) -> None:
        deck.work(lambda: deck.engine.note(item, words))
        deck.say("The note is in the log.")

    deck.ask(WordsDialog("A note for the log:", "add it"), note)


def ask_end(deck: DeckScreen) -> None:
    """Asks for the last day on which a proposal's addition holds."""
    from reviewdeck.engine.room import set_end

    if (item := deck.current) is None:
        deck.say(NO_PROPOSAL)
        return

    def note(words: str) -> None:
        try:
            end = date.fromisoformat(words)
        except ValueError:
            deck.say("That is no day: write it as 2026-10-31.", "flag")
            return

        def job(engine: Engine) -> str:
            set_end(engine, item.id, end)
            return f"It holds until {end.isoformat()}; after that it can make room."

        deck.read(job, deck.say)

    deck.ask(WordsDialog("The last day on which it holds, as 2026-10-31:", "set it"), note)


def open_summary(deck: DeckScreen) -> None:
    """Combines the drafts, and shows what they would write together."""
    if not deck.has_drafts:
        deck.say("There are no drafts: a, r and d make them.")
        return

    def show(preview: SummaryPreview) -> None:
        from reviewdeck_tui.screens.summary import SummaryScreen

        deck.clear_message()  # It said that the summary is being made.

        def on_dismiss(operations: tuple[str, ...] | None) -> None:
            if screen.dropped:
                deck.drafts.record_drop(screen.dropped)
                drafts = deck.backlog.drafts.items()
                left = {id: draft for id, draft in drafts if id not in screen.dropped}
                deck.show_backlog(replace(deck.backlog, drafts=left, draft_count=len(left)))
            if screen.backlog is not None:
                deck.show_backlog(screen.backlog)
                deck.drafts.record_commit(operations or ())
            deck.poll.awaited = screen.awaited
            if screen.awaited:
                deck.say(f"Approved, waiting for {screen.awaited_machines}.", "ready")
            elif operations:
                deck.say("Written. z drafts the undo.", "ready")
            elif screen.has_voted:
                drop = key_of("clear", deck.preferences.keys)
                deck.say(f"Voted: another operator has to approve. {drop} withdraws it.", "draft")
            if screen.backlog is not None:
                deck.rules.look()
            deck.refresh_backlog(force=True)

        homes, secrets = deck.backlog.homes, deck.shows_secrets
        screen = SummaryScreen(
            deck.open_engine, preview, deck.guard.coverage, homes, secrets=secrets
        )
        deck.app.push_screen(screen, on_dismiss)

    deck.say("Combining drafts…")
    deck.work(lambda: deck.engine.summary(), show)
