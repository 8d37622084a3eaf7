"""The summary: exactly what ``y`` decides and writes, and then the outcome."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from reviewdeck.engine.decide import CommitReport
from reviewdeck.errors import ReviewdeckError
from reviewdeck.model import Operation, OperationState, Verb
from reviewdeck.presentation.words import count, one_line
from reviewdeck.text.redact import NOTHING, Redaction
from reviewdeck_tui.engine import EngineWorker
from reviewdeck_tui.keys import SUMMARY
from reviewdeck_tui.proposal.panes import Line
from reviewdeck_tui.proposal.redaction import error_words, redacted_line
from reviewdeck_tui.queue import bars
from reviewdeck_tui.queue.view import Backlog
from reviewdeck_tui.screens.base import EngineScreen, Room
from reviewdeck_tui.screens.dialogs import CodeDialog
from reviewdeck_tui.summary.ends import ends_of, with_ends
from reviewdeck_tui.summary.lines import (
    Coverage,
    SummaryLine,
    entries_of,
    headline,
    outcome_lines,
    warning_lines,
)
from reviewdeck_tui.summary.preview import SummaryPreview
from reviewdeck_tui.summary.requirements import Requirements, requirements_of
from reviewdeck_tui.widgets.bar import Bar
from reviewdeck_tui.widgets.diff_view import DiffView
from reviewdeck_tui.widgets.on_screen import is_in, visible_rows

SHORT: Final = (
    ("y", "write"),
    ("j k", "line"),
    ("u", "drop line"),
    ("./,", "change"),
    ("J K", "document"),
)
_ENDS: Final = "ends"
POLL: Final = 1.0
"""Seconds between two questions whether another machine has written what is approved."""
_WRITTEN: Final = "the exact bytes that y writes "
END: Final = (("?", "help"), ("esc", "back, nothing is written "))


class SummaryScreen(EngineScreen[tuple[str, ...]]):
    """All drafts, composed. Ends with the operations that were written."""

    KEYS = SUMMARY
    DEFAULT_CSS = """
    SummaryScreen {
        #head, #keys { background: $panel; }
        #keys { dock: bottom; }
        #list { height: auto; max-height: 8; scrollbar-size-vertical: 1; }
        #again { height: auto; max-height: 7; scrollbar-size-vertical: 1; }
        #lines, #warnings { width: 1fr; height: auto; text-wrap: nowrap; text-overflow: ellipsis; }
        #diff { height: 1fr; min-height: 4; }
        &.-high #list { max-height: 16; }
        &.-high #again { max-height: 14; }
    }
    """
    VERTICAL_BREAKPOINTS = [(0, "-low"), (32, "-high")]  # noqa: RUF012 - as Textual declares it

    def __init__(
        self,
        open_engine: Callable[[], EngineWorker],
        preview: SummaryPreview,
        coverage: Coverage,
        homes: Mapping[str, str],
        *,
        secrets: bool = False,
    ) -> None:
        super().__init__(open_engine)
        self.preview = preview
        self._coverage = coverage
        self._homes = homes
        self.shows_secrets = secrets
        self._entries: list[SummaryLine] = []
        self._at = 0
        self._is_painted = False
        self._warnings: list[Line] = []
        self._seen_lines: set[Line] = set()
        """The lines of both lists that were on the screen in full."""
        self._is_writing = self._is_following = False
        self._report: CommitReport | None = None
        self.dropped: list[str] = []
        """The proposals whose drafts were dropped here."""
        self.backlog: Backlog | None = None
        """The backlog after the commit; None until something was written."""

    @property
    def has_voted(self) -> bool:
        """Whether something was stored as a vote."""
        return self._report is not None and any(
            one.verb is Verb.VOTE for one in self._report.committed
        )

    @property
    def written(self) -> tuple[Operation, ...]:
        """The operations that are on disk."""
        return tuple(one for one in self._operations if one.state is not OperationState.INTENT)

    @property
    def awaited(self) -> tuple[Operation, ...]:
        """The operations that another machine has yet to write."""
        return tuple(one for one in self._operations if one.state is OperationState.INTENT)

    @property
    def awaited_machines(self) -> str:
        """The names of the machines that have yet to write something."""
        names = self.backlog.hosts if self.backlog is not None else {}
        machines = dict.fromkeys(names.get(one.home, one.home) for one in self.awaited)
        return ", ".join(map(one_line, machines))

    @property
    def _operations(self) -> tuple[Operation, ...]:
        return () if self._report is None else self._report.operations

    def compose(self) -> ComposeResult:
        yield Bar(id="head")
        with VerticalScroll(id="list", can_focus=False):
            yield Static(id="lines", markup=False)
        yield Bar(id="again-title")
        with VerticalScroll(id="again", can_focus=False):
            yield Static(id="warnings", markup=False)
        yield Bar(id="title")
        yield DiffView(id="diff")
        yield Bar(id="keys")

    def on_mount(self) -> None:
        """Shows the first document once the width is known."""
        self.call_after_refresh(self._show)

    def _show(self) -> None:
        self._entries = entries_of(self.preview, self._homes)
        self._at = min(self._at, max(0, len(self._entries) - 1))
        self._leave_heading(-1)
        self._show_lines()
        lines = self._warnings = list(warning_lines(self.preview, self._coverage))
        warnings = [self._whole(line) for line in lines]
        self.query_one("#warnings", Static).update(Content("\n").join(warnings))
        self.query_one("#again").display = bool(warnings)
        title = self.bar("again-title")
        title.display = bool(warnings)
        meaning = "flag" if any(line[0][1] != "quiet" for line in lines) else "quiet"
        title.show(bars.rule_line(bars.styled(" LOOK AGAIN ", meaning), self.width))
        self._show_document()

    def _whole(self, line: Line) -> Content:
        """A line in as many rows as it needs."""
        return bars.wrap_hanging(redacted_line(line, self._redaction), self.width - 1)

    def _show_lines(self) -> None:
        summary = self.preview.summary
        lines = []
        for number, entry in enumerate(self._entries):
            if number == self._at:
                lines.append(self._whole(((" > ", "cursor"), *entry.line)))
            else:
                lines.append(
                    bars.content_of(redacted_line((("   ", ""), *entry.line), self._redaction))
                )
        self.query_one("#lines", Static).update(Content("\n").join(lines))
        self.query_one("#list", VerticalScroll).scroll_to(
            y=max(0, self._at - 5), animate=False, force=True
        )
        self._show_head()
        self._note_later()
        digest = bars.styled(f"digest {summary.digest[:4]} {summary.digest[4:8]}  ", "quiet")
        is_vote = summary.amount == len(summary.votes) > 0
        is_elsewhere = all(one.home in self.preview.machines for one in summary.documents)
        decides: Sequence[tuple[str, str]] = SHORT[: bool(summary.amount)]
        if is_vote or (is_elsewhere and summary.documents):
            decides = (("y", "vote" if is_vote else "approve"),)
        self.show_keys((*decides, *SHORT[1:]), END, before_end=digest)

    def _show_head(self) -> None:
        title = bars.styled(f" {headline(self.preview)}", "strong")
        lines = [*(entry.line for entry in self._entries), *self._warnings]
        unseen = sum(line not in self._seen_lines for line in lines)
        words = f"{count(unseen, 'line')} not shown in full: j " if unseen else ""
        note = bars.styled(words or "nothing is written before y ", "flag" if words else "quiet")
        short = bars.styled(f"{unseen} not shown: j " if unseen else "", "flag")
        self.bar("head").show(bars.spread(title, note, self.width, short))

    def _note_later(self) -> None:
        # The first refresh lays the lists out anew, the second one has them on the screen.
        self.call_after_refresh(self.call_after_refresh, self._note_shown)

    def _note_shown(self) -> None:
        """Notes the lines of which every row was on the screen, and none was cut."""
        if self._report is not None:
            return
        listed = [entry.line for entry in self._entries]
        for id, lines, whole in (("lines", listed, self._at), ("warnings", self._warnings, None)):
            widget, row = self.query_one(f"#{id}", Static), 0
            width = widget.size.width
            rows = {y for y, spans in visible_rows(widget) if is_in((0, width), spans)}
            for number, line in enumerate(lines):
                is_whole = whole is None or number == whole
                lead: Line = () if whole is None else (("   ", ""),)
                text = self._whole((*lead, *line))
                height = len(text.split("\n")) if is_whole else 1
                is_cut = not is_whole and len(text.split("\n")) > 1
                if not is_cut and rows.issuperset(range(row, row + height)):
                    self._seen_lines.add(line)
                row += height
        self._show_head()

    @property
    def room(self) -> Room:
        return *super().room, self.query_one("#list").size, self.query_one("#again").size

    def redraw(self) -> None:
        if self._report is not None:
            self._show_outcome_lines()
        elif self._entries:
            self._show()

    def _show_document(self) -> None:
        number = self._entries[self._at].document if self._entries else None
        diffs = self.preview.visible_diffs(secrets=self.shows_secrets)
        if number is None or number >= len(diffs):
            caption = bars.styled(" no changes for this line ", "quiet")
            self.diff.clear()
            self._is_painted = self._is_painted or not diffs
        else:
            words = f" composed diff, {number + 1} of {len(diffs)}: {diffs[number].title}, "
            words += self._fate_of(number)
            caption = bars.styled(words, "heading")
            if self.diff.document is not diffs[number]:
                self.diff.show(diffs[number])
        self.bar("title").show(bars.rule_line(caption, self.width))

    def _fate_of(self, number: int) -> str:
        """What becomes of a document that is shown, and by whom."""
        documents = self.preview.summary.documents
        if number >= len(documents):
            return "the exact bytes that y votes for "
        machine = self.preview.machines.get(documents[number].home)
        return f"the exact bytes that {one_line(machine)} is to write " if machine else _WRITTEN

    @on(DiffView.Painted)
    def _note_painted(self, event: DiffView.Painted) -> None:
        self._is_painted = self._is_painted or event.is_current
        self._note_later()

    @property
    def _redaction(self) -> Redaction:
        return NOTHING if self.shows_secrets else self.preview.redaction

    def action_secrets(self) -> None:
        """Shows secrets, or covers them again, on this screen alone."""
        self.shows_secrets = not self.shows_secrets
        if self._report is None:
            self._show()

    def action_line(self, step: int) -> None:
        if self._report is not None:
            self.query_one("#list", VerticalScroll).scroll_relative(y=step, animate=False)
        elif self._scrolls_warnings(step):
            self.query_one("#again", VerticalScroll).scroll_relative(y=step, animate=False)
            self._note_later()
        elif self._entries:
            self._at = max(0, min(len(self._entries) - 1, self._at + step))
            self._leave_heading(step)
            self._show_lines()
            self._show_document()

    def _leave_heading(self, step: int) -> None:
        """A heading has nothing to drop, and no diff; the first line may be one."""
        if self._entries and not self._entries[self._at].proposals:
            self._at += -1 if step < 0 and self._at else 1

    def _scrolls_warnings(self, step: int) -> bool:
        """Whether a step goes on from the last line of the list into the warnings, or back."""
        again = self.query_one("#again", VerticalScroll)
        if step < 0:
            return again.scroll_y > 0
        return self._at >= len(self._entries) - 1 and again.scroll_y < again.max_scroll_y

    def action_document(self, step: int) -> None:
        if self._report is not None:
            return
        current = self._entries[self._at].document if self._entries else None
        target = (current if current is not None else -1) + step
        for number, entry in enumerate(self._entries):
            if entry.document == target:
                self.action_line(number - self._at)
                return

    def action_drop(self) -> None:
        if self._is_writing or self._report is not None or not self._entries:
            return
        dropped = self._entries[self._at].proposals

        def job() -> SummaryPreview:
            self.engine.restore_drafts(dict.fromkeys(dropped))
            return self.engine.summary()

        self.work(job, partial(self._show_composed, dropped), group="commit")

    def _show_composed(self, dropped: Sequence[str], preview: SummaryPreview) -> None:
        self.dropped.extend(dropped)
        self.preview = preview
        self._is_painted = False
        self._show()

    def action_write(self) -> None:
        """Decides exactly what is shown, and nothing else."""
        if self._is_writing or self._report is not None:
            return
        if not self.preview.summary.amount:
            self._stop("Nothing is drafted.")
        elif not self._is_painted:
            self._stop("No diff has been on the screen yet: J shows one, then y writes.")
        else:
            self._is_writing = True
            self._read_requirements()

    # What a signed decision requires is asked for one thing after the other.

    def _read_requirements(self) -> None:
        preview = self.preview
        self.work(
            lambda: self.engine.run(lambda engine: requirements_of(engine, preview)),
            self._ask_requirements,
            group="commit",
        )

    def _ask_requirements(self, requirements: Requirements) -> None:
        if requirements.is_locked:
            self.ask_passphrase(
                self._read_requirements, lambda: self._stop("Nothing was signed or written.")
            )
        elif requirements.codes:
            self.app.push_screen(CodeDialog(requirements.codes), self._check_codes)
        else:
            self._write()

    def _check_codes(self, is_right: bool | None) -> None:
        if is_right:
            self._write()
        else:
            self._stop("Nothing was written.")

    def _stop(self, reason: str) -> None:
        self._is_writing = False
        self._show_lines()
        self.bar("keys").show(bars.styled(f" {reason}", "flag"))

    def _write(self) -> None:
        summary = self.preview.summary
        self._say_progress(0, summary.amount)

        def progress(done: int, total: int) -> None:
            self.call_later(self._say_progress, done, total)

        self.work(
            lambda: self.engine.commit(summary, progress, self._coverage),
            self._show_outcome,
            group="commit",
        )

    def _say_progress(self, done: int, total: int) -> None:
        cells = 20 * done // max(1, total)
        bar = f" deciding  [{'#' * cells}{'.' * (20 - cells)}]  {done} of {total}"
        self.bar("keys").show(bars.styled(bar, "heading"))

    def _show_outcome(self, outcome: tuple[CommitReport, Backlog]) -> None:
        report, self.backlog = outcome
        self._report = report
        self._show_outcome_lines()
        self.query_one("#list", VerticalScroll).scroll_home(animate=False)
        failed = f", {len(report.failed)} not done" if report.failed else ""
        waits = f", {len(self.awaited)} waiting for {self.awaited_machines}" if self.awaited else ""
        done = f" DONE: {len(report.committed)} decided, {len(self.written)} written{waits}{failed}"
        self.bar("head").show(bars.styled(done, "dangerous" if report.failed else "ready"))
        keys = [("esc", "back to the queue")]
        keys += [("then z", "drafts the undo")] if self.written else []
        self.bar("keys").show(bars.key_words(keys))
        self.bar("title").show(
            bars.rule_line(self._outcome_title(report, self.backlog), self.width)
        )
        if self.awaited and not self._is_following:
            self._is_following = True
            self.set_timer(POLL, self._follow)

    def _follow(self) -> None:
        """Asks whether other machines have written by now."""
        self.read(lambda engine: ends_of(engine, self.awaited), self._show_ends, _ENDS)

    def _show_ends(self, ends: Mapping[str, Operation | ReviewdeckError]) -> None:
        self._is_following = False
        if self._report is not None and self.backlog is not None:
            self._show_outcome((with_ends(self._report, ends), self.backlog))

    def _show_outcome_lines(self) -> None:
        """Each in as many rows as it needs: a reason why nothing was written is never cut."""
        if self._report is None or self.backlog is None:
            return
        lines = outcome_lines(self._report, self.preview.names, self.backlog.hosts)
        wrapped = (bars.wrap_hanging(line, self.width - 1) for line in lines)
        self.query_one("#lines", Static).update(Content("\n").join(wrapped))

    def _outcome_title(self, report: CommitReport, backlog: Backlog) -> Content:
        """Whether the document below is on disk now."""
        number = self._entries[self._at].document if self._entries else None
        if number is None:
            return bars.styled(" no changes for this line ", "quiet")
        proposals = self.preview.summary.shown[number].proposals
        verbs = {one.proposal: one.verb for one in report.committed}
        if all(verbs.get(id) is Verb.VOTE for id in proposals):
            return bars.styled(" not saved: it waits for another operator ", "flag")
        waiting = {one.proposal: one.home for one in self.awaited}
        if (home := next((waiting[id] for id in proposals if id in waiting), None)) is not None:
            machine = one_line(backlog.hosts.get(home, home))
            return bars.styled(f" approved: {machine} has yet to write it ", "flag")
        if all(id in verbs for id in proposals):
            return bars.styled(" saved ", "heading")
        return bars.styled(" not saved: see what was not done ", "dangerous")

    def show_refusal(self, error: ReviewdeckError, group: str) -> None:
        if group == _ENDS:
            self.set_timer(POLL, self._follow)
            return
        self._is_writing = False
        self.bar("keys").show(bars.styled(f" {error_words(error)}", "dangerous"))

    def action_leave(self) -> None:
        """Back, unless a commit is running."""
        if self._is_writing and self._report is None:
            return
        self.dismiss(tuple(operation.id for operation in self.written))
