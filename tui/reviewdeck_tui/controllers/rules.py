"""Rules from decisions: offered after a commit, and written once an operator chose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from reviewdeck.engine.suggestions import Suggestion, suggest
from reviewdeck.policy.own_rules import RuleEffect
from reviewdeck_tui.queue.view import Backlog

if TYPE_CHECKING:
    from reviewdeck_tui.screens.deck import DeckScreen
    from reviewdeck_tui.screens.rule import Choice

UNLOCK: Final = "Your passphrase signs the policy file with the rule."
NONE: Final = "No three decisions have enough in common for a rule."


class RuleOffers:
    """Asks the engine what decisions have in common, and the operator what to make of it."""

    def __init__(self, screen: DeckScreen) -> None:
        self._screen = screen
        self.words = ""
        """The offer in a line, until it was looked at; empty for none."""
        self._known: set[str] = set()

    def look(self) -> None:
        """After a commit: finds a rule that was not offered yet, and says so in the strip."""

        def show(found: Sequence[Suggestion]) -> None:
            fresh = [each for each in found if each.feature.name not in self._known]
            if fresh:
                self._known |= {each.feature.name for each in fresh}
                self.words = fresh[0].sentence
                self._screen.show_bars()

        self._screen.read(suggest, show, "rules")

    def open(self) -> None:
        """Shows the rules that can be made now."""
        screen = self._screen

        def read() -> tuple[Sequence[Suggestion], str]:
            return screen.engine.run(suggest), screen.engine.why_no_rule()

        def show(offers: tuple[Sequence[Suggestion], str]) -> None:
            from reviewdeck_tui.screens.rule import RuleDialog

            found, why_not = offers

            self.words = ""
            if screen.app.screen is not screen:
                return
            if not found:
                drafts = " Drafts count once they are written." if screen.has_drafts else ""
                screen.say(f"{NONE}{drafts}")
                return
            self._known |= {each.feature.name for each in found}
            path, signs = screen.engine.policy_path, screen.engine.signs
            dialog = RuleDialog(found, path, is_signed=signs, why_not=why_not)
            screen.ask(dialog, write)

        def write(choice: Choice) -> None:
            screen.sign(lambda: self._write(*choice), UNLOCK, "No rule was written.", "rules")

        screen.work(read, show, group="rules")

    def _write(self, offer: Suggestion, effect: RuleEffect) -> None:
        screen = self._screen

        def show(written: tuple[str, Backlog]) -> None:
            name, backlog = written
            is_rejecting = effect is RuleEffect.REJECT
            fate = "auto rejects what it matches" if is_rejecting else "what it matches waits"
            screen.show_backlog(backlog, f"The rule {name} is in the policy file: {fate}.")

        screen.work(lambda: screen.engine.add_rule(offer, effect), show, group="rules")
