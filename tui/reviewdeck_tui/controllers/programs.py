"""Other programs that the deck starts: the operator's own commands, and a browser for a link."""

from __future__ import annotations

import os
import subprocess
from functools import partial
from typing import TYPE_CHECKING

from reviewdeck.text.redact import redact
from reviewdeck_tui.controllers.other_screens import NO_PROPOSAL
from reviewdeck_tui.links import browser_for, links_in, open_link
from reviewdeck_tui.own_command import ProgramEnd, end_own, fill, run_own
from reviewdeck_tui.screens.dialogs import LinesDialog, LinkDialog

if TYPE_CHECKING:
    from reviewdeck_tui.screens.deck import DeckScreen


class Programs:
    """Starts them beside the deck, says how they ended, and ends those that outlive it."""

    def __init__(self, deck: DeckScreen) -> None:
        self._deck = deck
        self._running: list[subprocess.Popen[bytes]] = []

    def run(self, key: str) -> None:
        """Runs the operator's own command on this key, about the proposal under the cursor."""
        deck = self._deck
        command, item, look = deck.preferences.commands[key], deck.current, deck.look
        if deck.app.is_web:
            deck.say("Programs of your own run only in a terminal.")
            return
        sections = look.document.sections if look is not None and item is not None else ()
        document = f"{item.home}/{sections[0].title}" if item is not None and sections else ""
        home = item.home if item is not None else next(iter(deck.backlog.homes), "")
        values = {"{id}": item.id if item is not None else "", "{home}": home}
        arguments = fill(command.arguments, values | {"{document}": document})
        deck.say(f"Running: {command.words}")
        deck.work(
            lambda: run_own(arguments, started=self._running.append),
            partial(self._show_ended, command.words),
            group="own",
        )

    def _show_ended(self, words: str, ended: ProgramEnd) -> None:
        deck = self._deck
        lines = [line for line in ended.output.splitlines() if line.strip()]
        title = f"{words}: {ended.outcome}"
        if len(lines) > 1 and deck.app.screen is deck:
            deck.clear_message()
            deck.app.push_screen(LinesDialog(title, lines))
        else:
            deck.say(" · ".join([title, *lines[:1]]), "text" if ended.is_good else "flag")

    def end(self) -> None:
        """Ends the operator's own commands that still run."""
        for program in self._running:
            end_own(program)

    def choose_link(self) -> None:
        """Lists the links of the proposal and its evidence; the chosen one is opened or copied."""
        deck = self._deck
        if (look := deck.current_look) is None:
            deck.say(NO_PROPOSAL)
            return
        links = links_in(look.facts.texts())
        if not links:
            deck.say("There is no link in this proposal or its evidence.")
            return
        browser = "" if deck.app.is_web else browser_for(os.environ)
        does = "open it in your browser" if browser or deck.app.is_web else "copy it"
        shown = links if deck.shows_secrets else tuple(map(redact, links))
        deck.ask(LinkDialog(links, shown, does), partial(self._open_link, browser))

    def _open_link(self, browser: str, link: str) -> None:
        deck = self._deck
        if deck.app.is_web:
            deck.app.open_url(link)
            return
        if not browser:
            deck.copy(link, "Copied: there is no browser on this screen.", deck.say)
            return

        def run() -> None:
            why = open_link(browser, link)
            words = f"Not opened: {why}." if why else "Opened in your browser."
            deck.app.call_from_thread(deck.say, words, "flag" if why else "text")

        deck.run_worker(run, thread=True, group="link")
