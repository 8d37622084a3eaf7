"""A document, or a part of it, in the operator's own editor: what comes of it is a draft."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewdeck.engine.drafts import draft_own
from reviewdeck.engine.restore import propose_rewrite

if TYPE_CHECKING:
    from reviewdeck_tui.screens.documents import DocumentsScreen


def rewrite(screen: DocumentsScreen) -> None:
    """Opens the editor on the document under the cursor."""
    held = screen.held
    if held is None or held.problem:
        screen.say("There is nothing to write here.")
        return
    snapshot = screen.bench.with_deck(lambda deck: deck.desk.one_home(held.home).home.snapshot())
    seen = snapshot.document(held.path).data
    before = (seen or b"").decode("utf-8", errors="replace")
    after = screen.deck.edit(before, held.path)
    if after is None:
        screen.say("No editor could be started: set VISUAL or EDITOR.", "dangerous")
        return
    if after == before:
        screen.say("You changed nothing: nothing is drafted.")
        return

    def job() -> None:
        screen.bench.with_deck(
            lambda deck: draft_own(
                deck.desk,
                propose_rewrite(deck.desk, held.home, held.path, seen, after, "in my own words"),
                "my own text",
            )
        )

    screen.draft(job, "Your text is drafted, nothing is written: ^s shows it.")
