"""A cluster: several proposals about one thing, of which one wording is approved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static
from textual.worker import get_current_worker

from reviewdeck.model import State
from reviewdeck.ports import Clock
from reviewdeck.presentation.words import count
from reviewdeck.text.redact import redact
from reviewdeck_tui.guard import Guard
from reviewdeck_tui.keys import CLUSTER
from reviewdeck_tui.merge.cluster import ClusterChoice, Member, member_line, reason_against
from reviewdeck_tui.queue import bars
from reviewdeck_tui.screens.base import EngineScreen
from reviewdeck_tui.widgets.bar import Bar
from reviewdeck_tui.widgets.diff_view import DiffView

if TYPE_CHECKING:
    from reviewdeck_tui.engine import EngineWorker
    from reviewdeck_tui.proposal.view import ProposalView

SHORT: Final = (
    ("a", "take this wording"),
    ("j k", "another"),
    ("m", "merge this one"),
    ("x", "keep or supersede"),
    ("./,", "change"),
)


class ClusterScreen(EngineScreen[ClusterChoice | None]):
    """The choice of one wording; it supersedes the others. Writes nothing."""

    AUTO_FOCUS = "#diff"
    KEYS = CLUSTER
    DEFAULT_CSS = """
    ClusterScreen {
        #head, #keys { background: $panel; }
        #list { height: auto; max-height: 50%; scrollbar-size-vertical: 1; }
        #lines { width: 1fr; height: auto; }
        #diff { height: 1fr; min-height: 4; }
    }
    """

    def __init__(
        self,
        open_engine: Callable[[], EngineWorker],
        members: Sequence[Member],
        current: str,
        guard: Guard,
        now: Clock,
        *,
        secrets: bool = False,
    ) -> None:
        super().__init__(open_engine)
        self.members = tuple(members)
        self._secrets = secrets
        """Whether secrets are shown."""
        self._at = next(
            (number for number, member in enumerate(members) if member.item.id == current), 0
        )
        self._spared: set[str] = set()
        self._guard = guard
        self._now = now
        self._look: ProposalView | None = None

    def compose(self) -> ComposeResult:
        yield Bar(id="head")
        with VerticalScroll(id="list", can_focus=False):
            yield Static(id="lines", markup=False)
        yield DiffView(id="diff")
        yield Bar(id="strip")
        yield Bar(id="keys")

    def on_mount(self) -> None:
        """Shows the cluster once the width is known."""
        self.call_after_refresh(self._show)
        self._look_at()

    @property
    def member(self) -> Member:
        """The proposal under the cursor."""
        return self.members[self._at]

    @property
    def superseded(self) -> tuple[Member, ...]:
        """The proposals that the one under the cursor would supersede."""
        members = (member for number, member in enumerate(self.members) if number != self._at)
        return tuple(member for member in members if member.item.id not in self._spared)

    def _show(self) -> None:
        width = self.width
        first = self.members[0].item
        title = bars.styled(f" CLUSTER of {len(self.members)}", "flag").stylize("bold")
        title += bars.styled(f"   about one thing in {redact(first.target)}", "strong")
        position = f"{self._at + 1} of {len(self.members)}, nothing is written here "
        note = bars.styled(position, "quiet")
        self.bar("head").show(bars.spread(title, note, width))
        line_width = max(20, width - 3)
        lines = [
            Content.styled(" > " if at == self._at else "   ", "bold $deck-cursor")
            + self._line(at, line_width)
            for at in range(len(self.members))
        ]
        self.query_one("#lines", Static).update(Content("\n").join(lines))
        self.show_strip()
        merges = self.member.item.state is State.CONFLICT
        self.show_keys(entry for entry in SHORT if entry[0] != ("a" if merges else "m"))

    def _line(self, number: int, width: int) -> Content:
        member = self.members[number]
        fate = "stays" if member.item.id in self._spared else "superseded"
        if not self._secrets:
            member = member.redacted
        line = member_line(member, "take" if number == self._at else fate, self._now())
        first, *more = bars.wrap_hanging(line, width).split("\n")
        return Content("\n").join([first, *(Content("   ") + line for line in more)])

    def standing_words(self) -> Content:
        if why := reason_against(self.member.item):
            return bars.styled(f" {why}", "flag")
        others = count(len(self.superseded), "other")
        return bars.styled(
            f" a takes this wording; {others} superseded by it, z undoes all.", "quiet"
        )

    def _look_at(self) -> None:
        item = self.member.item

        def job() -> ProposalView | None:
            worker = get_current_worker()
            return self.engine.look(item, lambda: worker.is_cancelled)

        self.work(job, self._show_diff, group="look")

    def _show_diff(self, look: ProposalView) -> None:
        if look.id == self.member.item.id:
            self._look = look
            self.diff.show(look.visible_document(secrets=self._secrets))

    @on(DiffView.Painted)
    def _note_painted(self, event: DiffView.Painted) -> None:
        event.stop()
        if event.is_current and self._look is not None and self._look.id == event.id:
            self._guard.note_painted(event.id, self._look.digest, event.fraction_seen)

    def action_move(self, step: int) -> None:
        self._at = max(0, min(len(self.members) - 1, self._at + step))
        self._show()
        self._look_at()

    def action_spare(self) -> None:
        self._spared ^= {self.member.item.id}
        self._show()

    def action_take(self) -> None:
        """Chooses this wording, exactly as it was painted."""
        item = self.member.item
        if self._guard.is_repeat("take"):
            return
        if why := reason_against(item):
            self.say(why, "flag")
        elif not self._guard.is_seen(item.id, item.digest):
            self.say("Wait: its current diff is not on the screen yet.", "flag")
        else:
            self.dismiss(self._choice())

    def action_merge(self) -> None:
        self.dismiss(self._choice(to_merge=True))

    def _choice(self, *, to_merge: bool = False) -> ClusterChoice:
        superseded = tuple(member.item for member in self.superseded)
        return ClusterChoice(self.member.item, superseded, to_merge)

    def redraw(self) -> None:
        self._show()
