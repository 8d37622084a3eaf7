"""The merge screen's keys: decide places, see what comes of it, draft the result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar, Final

from textual import on
from textual.binding import BindingType

from reviewdeck.cli.words import count
from reviewdeck.model import Draft, QueueItem, Verb
from reviewdeck.planning.merge import Decided, Merging, as_text, read_back, to_progress
from reviewdeck.ports.unfinished import Unfinished
from reviewdeck.text.conflicts import Own, Take, UnreadableMarkers, chosen
from reviewdeck_tui.actions import MERGE_ACTIONS, bindings
from reviewdeck_tui.covering import complaint
from reviewdeck_tui.merge_desk import OpenMerge
from reviewdeck_tui.merge_session import Session
from reviewdeck_tui.messages import MergeDrafted, MergeOpened, Refused
from reviewdeck_tui.screens.dialogs import ReasonDialog
from reviewdeck_tui.screens.merge_looking import MergeLooking

KEPT_LIVE: Final = "what is live stays"
"""The reason of a rejection that a merge came to."""
_NOUNS: Final = {Verb.MERGE: "merge", Verb.REJECT: "rejection", Verb.DEFER: "deferral"}


class MergeScreen(MergeLooking, inherit_bindings=False):
    """One merge after the other. Nothing here writes to a home."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(MERGE_ACTIONS)]
    OFFERED = MERGE_ACTIONS
    is_to_write = False
    """Whether the editor opens with the screen."""

    def on_mount(self) -> None:
        """Says what was taken up again."""
        super().on_mount()
        self.call_after_refresh(self.decide_own_text if self.is_to_write else self._greet)

    def _greet(self) -> None:
        shown = self.session.shown
        if shown.held or shown.lost:
            said = f"Taken up again: {count(shown.held, 'pick')} of an earlier time"
            gone = f", {shown.lost} let go because the texts changed" if shown.lost else ""
            self.say(f"{said}{gone}.", "draft")
        elif shown.anchor is not None:
            self.say("Its target is gone: this is the likely new place. All of it is open.", "flag")

    # Deciding places.

    def action_pick_base(self) -> None:
        """The text that the agent saw."""
        self._take("pick_base", "The base is not known: 2 and 3 are there.")

    def action_pick_live(self) -> None:
        """The text that is live."""
        self._take("pick_live", "")

    def action_pick_proposed(self) -> None:
        """The text that is proposed."""
        self._take("pick_proposed", "")

    def action_pick_both(self) -> None:
        """Live, then proposed."""
        self._take("pick_both", "There are no two texts here to take both of.")

    def action_pick_words(self) -> None:
        """The words that each side changed, as one text."""
        self._take("pick_words", "Both changed the same words here: there is no one text of them.")

    def _take(self, name: str, why_not: str) -> None:
        if not self.session.places:
            self.say("All of it is your own text: z takes that back.")
        elif not self.session.can(name):
            self.say(why_not, "flag")
        else:
            self._changed(lambda: self.session.take(name))

    def action_reopen(self) -> None:
        """Nothing is decided here after all."""
        if self.session.can("reopen"):
            self._changed(self.session.reopen)
        else:
            self.say("This place is open.")

    def action_undo(self) -> None:
        """Takes the last pick back."""
        if self.session.can_undo:
            self._changed(lambda: self.session.undo())
        else:
            self.say("There is no pick to take back.")

    def _changed(self, change: Callable[[], object]) -> None:
        """Something is decided otherwise: shown, and kept for another day."""
        here, ground = self.session.at, self.session.merging.ground
        change()
        moved = self.session.at != here or self.session.merging.ground is not ground
        self.forget_words()
        self.show_sides()
        self.show_result(moved=moved)
        self._keep()

    def _keep(self) -> None:
        session = self.session

        def latest() -> Merging:
            return session.merging

        self.work_on(lambda: self.bench.keep_merge(session.shown.id, latest))

    # The editor.

    def decide_own_text(self) -> None:
        """The whole text as it stands; open places between markers."""
        merging = self.session.merging
        start = as_text(merging)
        edited = self.host.edit_text(start, self.session.shown.path)
        if edited is None:
            self.say("No editor could be started: set VISUAL or EDITOR.", "dangerous")
        elif edited == start and merging.kept is None:
            self.say("You changed nothing.")
        else:
            self._read_back(edited)

    def _read_back(self, edited: str) -> None:
        merging = self.session.merging
        try:
            now = read_back(replace(merging, kept=None), edited)
        except UnreadableMarkers as error:
            self._changed(lambda: self.session.become(replace(merging, kept=edited)))
            self.say(f"{error}. Your text is kept: e opens it again.", "dangerous")
            return
        self._changed(lambda: self.session.become(now))
        left = len(now.open)
        self.say(f"Read back; {count(left, 'place is', 'places are')} open." if left else "Read.")

    def action_own_words(self) -> None:
        """My own words in the place, from what is taken, else from what is proposed."""
        session = self.session
        if not session.places:
            self.decide_own_text()
            return
        place = session.places[session.at]
        choice = session.merging.choices.get(session.at, Take.THEIRS)
        start = chosen(place, choice, session.merging.ground.joint)
        edited = self.host.edit_text(start, session.shown.path)
        if edited is None:
            self.say("No editor could be started: set VISUAL or EDITOR.", "dangerous")
            return
        own = edited.strip() if session.merging.ground.joint else _closed_like(edited, start)
        self._changed(lambda: session.pick(Own(own)))

    # Leaving, and deciding on the proposal.

    def action_back(self) -> None:
        """Back to the queue; what is decided is kept."""
        self.dismiss("")

    def action_quit(self) -> None:
        """The same."""
        self.dismiss("")

    def action_summary(self) -> None:
        """Back, and on to the summary."""
        self.dismiss("summary")

    def action_next_proposal(self) -> None:
        """The next conflict of the queue."""
        self._go(self.host.neighbour(self.session.shown.id, 1), "It is the last conflict.")

    def action_previous_proposal(self) -> None:
        """The conflict before."""
        self._go(self.host.neighbour(self.session.shown.id, -1), "It is the first conflict.")

    def _go(self, item: QueueItem | None, why_not: str) -> None:
        if item is None:
            self.say(why_not)
        else:
            self.work(lambda: MergeOpened(self.bench.open_merge(item.id)))

    def action_decide(self, name: str) -> None:
        """Every decision key comes through here: the same press is not meant twice."""
        if not self.host.guard.is_repeat(name):
            getattr(self, f"decide_{name}")()

    def decide_reject(self) -> None:
        """A rejection, with its reason, in the place of a result. Without one, all is as it was."""
        self.app.push_screen(ReasonDialog("this"), self._reject)

    def _reject(self, reason: str | None) -> None:
        if reason is not None:
            self._turn_down(Verb.REJECT, reason)

    def decide_defer(self) -> None:
        """Puts it off."""
        self._turn_down(Verb.DEFER)

    def _turn_down(self, verb: Verb, reason: str = "") -> None:
        draft = Draft(self.session.shown.id, verb, None, self.host.clock(), reason=reason)
        self.work(lambda: MergeDrafted(draft, self.bench.put_drafts([draft])), group="draft")

    def decide_approve(self) -> None:
        """Drafts the result. Never with an open place, never over a newer text."""
        result = self.session.merging.result
        why = self.against or self.checked.against
        if why or not isinstance(result, Decided):
            self.say(f"Not drafted: {why}.", "flag")
        elif not self.is_painted:
            self.say("A moment: the result is not on the screen yet.")
        elif self.checked.keeps_live:
            self._turn_down(Verb.REJECT, KEPT_LIVE)
        else:
            shown, text = self.session.shown, result.text
            others = self.host.giving_way(shown.id)
            self.work(
                lambda: MergeDrafted(*self.bench.draft_merge(shown, text, others)), group="draft"
            )

    @on(MergeDrafted)
    def _drafted(self, event: MergeDrafted) -> None:
        event.stop()
        if event.draft.verb is Verb.MERGE:
            self.host.guard.merged(event.draft.proposal, self.seen)
        said = f"The {_NOUNS[event.draft.verb]}"
        self.host.merged(event.draft, event.stock, f"{said} is drafted, nothing is written.")
        following = self.host.undrafted(event.draft.proposal)
        if following is None:
            self.dismiss("drafted")
        else:
            self.work(lambda: MergeOpened(self.bench.open_merge(following.id), drafted=said))

    @on(MergeOpened)
    def _opened(self, event: MergeOpened) -> None:
        event.stop()
        if event.moved:
            self._moved(event.shown)
            return
        self.against = ""
        self._begin(event.shown)
        if event.drafted:
            self.say(f"{event.drafted} is drafted. This is the next conflict.", "draft")
        else:
            self._greet()

    def _begin(self, shown: OpenMerge) -> None:
        self.session = Session(shown)
        self.in_result = False
        self.sides.clear()
        self.result.clear()
        self.is_painted = False
        self.forget_words()
        self.show_all()

    # When the live text moves under the screen.

    def look_again(self) -> None:
        """Something moved somewhere: the texts are held against what is live now."""
        session = self.session
        known = Unfinished(session.merging.sides.digest, to_progress(session.merging))
        self.work(
            lambda: MergeOpened(self.bench.open_merge(session.shown.id, known), moved=True),
            group="moved",
        )

    def _moved(self, shown: OpenMerge) -> None:
        before = self.session
        if shown.id != before.shown.id:
            return
        if shown.merging.sides.digest == before.merging.sides.digest:
            self.against = ""
            before.shown = replace(shown, alone=before.shown.alone)
            self.show_bars()
            return
        had = len(before.merging.choices)
        self.against = ""
        self._begin(shown)
        self._keep()
        held = f" {shown.held} of your {count(had, 'pick')} hold." if had else ""
        self.say(f"The live text changed under you.{held} Look again.", "flag")

    @on(Refused)
    def _refused(self, event: Refused) -> None:
        event.stop()
        said = complaint(event.error)
        if event.what == "moved":
            self.against = f"It is no merge any more: {said} What is decided is kept."
            self.show_bars()
            return
        self.say(said, "dangerous")
        if event.what == "draft":
            self.look_again()


def _closed_like(edited: str, start: str) -> str:
    """With a line end after the last line where the text had one."""
    if edited and start.endswith("\n") and not edited.endswith("\n"):
        return edited + "\n"
    return edited
