"""The actions of every screen, with their keys and words.

Bindings, key bars, palette, help, keymap and documentation come from this one table.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from textual.binding import Binding
from textual.keys import REPLACED_KEYS
from textual.keys import Keys as TextualKeys

SECRETS: Final = "show secrets, or cover them again"
"""The palette's words for it on every screen."""


class Group(StrEnum):
    """The purpose of an action; the help screen has one part for each."""

    MOVE = "Move"
    LOOK = "Look"
    CHOOSE = "Mark, undo and redo drafts"
    DECIDE = "Draft a decision (saves nothing)"
    APP = "The deck"
    PLACE = "Resolve a conflict (saves nothing)"
    OWN = "Your own, from deck.toml"


@dataclass(frozen=True, slots=True)
class Action:
    """An action of the operator."""

    name: str
    """Its name in a keymap; the screen's method is `action_<name>`, or `decide_<name>`."""
    keys: str
    """Textual's key names, separated by commas."""
    words: str
    """Its effect while the queue is in front."""
    group: Group
    diff: str = ""
    """Its effect while the diff is in front, if that differs."""
    short: str = ""
    """Its word in the key bar; empty keeps it out."""
    does: str = ""
    """Textual's action on a screen of its own; empty if it follows from the name."""

    @property
    def decides(self) -> bool:
        """Whether it makes drafts, so that the guard of decision keys applies."""
        return self.group is Group.DECIDE

    @property
    def call(self) -> str:
        """Textual's action: one that decides goes through the guard first."""
        return self.does or (f"decide('{self.name}')" if self.decides else self.name)


ACTIONS: Final = (
    Action("down", "j,down", "next proposal", Group.MOVE, diff="scroll down", does="move(1)"),
    Action("up", "k,up", "previous proposal", Group.MOVE, diff="scroll up", does="move(-1)"),
    Action("top", "g,home", "first proposal", Group.MOVE, diff="to the top", does="move(-1000000)"),
    Action("bottom", "G,end", "last proposal", Group.MOVE, diff="to the end", does="move(1000000)"),
    Action("page_down", "ctrl+d,pagedown", "half a page down", Group.MOVE, does="page(0.5)"),
    Action("page_up", "ctrl+u,pageup", "half a page up", Group.MOVE, does="page(-0.5)"),
    Action("open", "enter", "read the diff", Group.MOVE, diff="(already open)", short="read"),
    Action("back", "escape", "clear filter and marks", Group.MOVE, diff="back to the queue"),
    Action(
        "next_proposal",
        "J",
        "next proposal, focus stays on the diff",
        Group.MOVE,
        short="next",
        does="proposal(1)",
    ),
    Action(
        "previous_proposal", "K", "previous proposal, likewise", Group.MOVE, does="proposal(-1)"
    ),
    Action(
        "next_hunk",
        "right_square_bracket,full_stop",
        "next change",
        Group.MOVE,
        short="change",
        does="hunk(1)",
    ),
    Action(
        "previous_hunk", "left_square_bracket,comma", "previous change", Group.MOVE, does="hunk(-1)"
    ),
    Action(
        "next_conflict",
        "right_curly_bracket",
        "next conflict in the diff",
        Group.MOVE,
        does="conflict(1)",
    ),
    Action(
        "previous_conflict", "left_curly_bracket", "previous one", Group.MOVE, does="conflict(-1)"
    ),
    Action("lane_decide", "1", "lane Decide: what is waiting", Group.LOOK, does="lane('Decide')"),
    Action(
        "lane_applied",
        "2",
        "lane Applied: what your agent learned",
        Group.LOOK,
        does="lane('Applied')",
    ),
    Action(
        "lane_drafts",
        "3",
        "lane Drafts: decided, not yet written",
        Group.LOOK,
        does="lane('Drafts')",
    ),
    Action("lane_all", "4", "lane All", Group.LOOK, does="lane('All')"),
    Action("conflicts", "C", "conflicts only, or all proposals", Group.LOOK),
    Action("home", "H", "next home, or all homes", Group.LOOK),
    Action("hosts", "U", "machines: whose workers are alive, what waits for them", Group.LOOK),
    Action("filter", "slash", "filter as you type", Group.LOOK, diff="search", short="filter"),
    Action("next_match", "n", "next match of the search", Group.LOOK, does="match(1)"),
    Action("previous_match", "N", "previous match", Group.LOOK, does="match(-1)"),
    Action(
        "style", "s", "sort: risk, newest, oldest, target", Group.LOOK, diff="side by side or not"
    ),
    Action("wrap", "w", "wrap long lines, or not", Group.LOOK),
    Action("left", "h,left", "scroll left, with wrapping off", Group.LOOK, does="sideways(-1)"),
    Action("right", "l,right", "scroll right, likewise", Group.LOOK, does="sideways(1)"),
    Action(
        "more_context", "plus,equals_sign", "more unchanged lines", Group.LOOK, does="context(3)"
    ),
    Action("less_context", "minus", "fewer unchanged lines", Group.LOOK, does="context(-3)"),
    Action(
        "fold",
        "o",
        "show or hide what is outdated",
        Group.LOOK,
        diff="unfold or fold unchanged text",
    ),
    Action("documents", "B", "browse the documents: blame, history, merging", Group.LOOK),
    Action(
        "sources",
        "W",
        "why did it say that? the lines that a sentence comes from",
        Group.LOOK,
        diff="the live lines that its text comes from",
    ),
    Action("evidence", "tab", "Why, Evidence, History", Group.LOOK, short="why"),
    Action("checks", "i", "the six checks, each with its evidence", Group.LOOK, short="checks"),
    Action("reading", "p", "what the model is given of it", Group.LOOK),
    Action("skim", "O", "skim what is held only for its origin", Group.LOOK, short="skim"),
    Action("more_evidence", "greater_than_sign", "scroll down in that pane", Group.LOOK),
    Action("copy", "y", "copy its id and request, secrets covered as on the screen", Group.LOOK),
    Action("mark", "space", "mark, move down", Group.CHOOSE, diff="a page down"),
    Action("mark_range", "v", "mark from the last mark to here", Group.CHOOSE),
    Action("approve", "a", "draft an approval, move on", Group.DECIDE, short="approve"),
    Action("claim", "t", "claim a live change as your own", Group.DECIDE, short="mine"),
    Action("reject", "r", "draft a rejection with a reason", Group.DECIDE, short="reject"),
    Action(
        "send_back", "f", "send it back to the agent with a note", Group.DECIDE, short="send back"
    ),
    Action("defer", "d", "defer", Group.DECIDE, short="defer"),
    Action("own_text", "e", "write your own text in $EDITOR", Group.DECIDE, short="edit"),
    Action(
        "merge", "m", "merge: base, live, proposed, and the result", Group.DECIDE, short="merge"
    ),
    Action(
        "pick",
        "x",
        "in the diff: drop one change",
        Group.DECIDE,
        diff="drop this change, or keep it",
        short="drop",
    ),
    Action(
        "lines",
        "X",
        "in the diff: line by line, or change by change",
        Group.LOOK,
        diff="line by line, or change by change: . , and x act on single lines",
        short="lines",
    ),
    Action("cluster", "b", "take one proposal of a cluster", Group.DECIDE, short="cluster"),
    Action(
        "dismiss_dead",
        "D",
        "draft the dismissal of all outdated ones",
        Group.DECIDE,
        short="dismiss outdated",
    ),
    Action(
        "approve_all", "A", "draft the approval of all ready, unflagged, seen in full", Group.DECIDE
    ),
    Action("reject_all", "R", "draft the rejection of all shown", Group.DECIDE),
    Action(
        "revert_burst",
        "V",
        "draft the revert of a live change and all of its burst",
        Group.DECIDE,
        short="revert burst",
    ),
    Action(
        "make_room",
        "F",
        "propose what makes room for it in a full memory",
        Group.DECIDE,
        short="make room",
    ),
    Action("requeue", "0", "reopen a rejected or dismissed proposal", Group.DECIDE, short="reopen"),
    Action("clear", "u", "drop this draft, or your vote", Group.CHOOSE),
    Action(
        "undo",
        "z",
        "undo what the key bar names: the last draft; after a commit, draft its undo",
        Group.CHOOSE,
        short="undo",
    ),
    Action("redo", "Z", "redo the last undo", Group.CHOOSE),
    Action("rule", "P", "make a rule of what you rejected again and again", Group.APP),
    Action("insights", "I", "insights: charts of the queue over time", Group.APP),
    Action("morning", "M", "what happened, as the report says it", Group.APP),
    Action("summary", "ctrl+s,S", "the summary; y writes there", Group.APP, short="apply"),
    Action("link", "L", "open a link of its evidence in the browser", Group.LOOK),
    Action("ends", "E", "set the last day on which it holds", Group.LOOK),
    Action("note", "c", "add a note to the log", Group.LOOK),
    Action("reload", "ctrl+r", "reload and sort", Group.APP),
    Action("help", "question_mark", "this list", Group.APP, short="help"),
    Action("quit", "q", "quit: drafts are kept", Group.APP, diff="back to the queue"),
)

ON_MERGE: Final = {
    "down": "scroll down",
    "up": "scroll up",
    "top": "to the top",
    "bottom": "to the end",
    "page_down": "half a page down",
    "page_up": "half a page up",
    "open": "switch texts and result",
    "back": "back, picks are kept",
    "next_proposal": "next conflict of the queue",
    "previous_proposal": "previous one",
    "next_hunk": "next conflict",
    "previous_hunk": "previous conflict",
    "filter": "search the result",
    "next_match": "next match of the search",
    "previous_match": "previous match",
    "style": "side by side or not",
    "wrap": "wrap long lines, or not",
    "left": "scroll left, with wrapping off",
    "right": "scroll right, likewise",
    "fold": "unfold or fold unchanged text",
    "evidence": "Automatic, Why, Evidence, History",
    "mark": "a page down",
    "approve": "draft the result, then the next conflict",
    "reject": "draft a rejection with a reason, then the next conflict",
    "send_back": "send it back to the agent with a note, then the next conflict",
    "defer": "defer, then the next conflict",
    "own_text": "edit all in $EDITOR, unresolved conflicts as markers",
    "undo": "undo the last pick",
    "summary": "the summary; picks are kept",
    "help": "this list",
    "quit": "back, picks are kept",
}
"""The actions of the deck that the merge screen has, with their words there."""

MERGE_ONLY: Final = (
    Action(
        "pick_words",
        "4",
        "take both edits, as shown",
        Group.PLACE,
        short="both edits",
        does="take('pick_words')",
    ),
    Action("pick_base", "1", "take the base", Group.PLACE, short="base", does="take('pick_base')"),
    Action(
        "pick_live", "2", "take the live text", Group.PLACE, short="live", does="take('pick_live')"
    ),
    Action(
        "pick_proposed",
        "3",
        "take the proposed text",
        Group.PLACE,
        short="proposed",
        does="take('pick_proposed')",
    ),
    Action(
        "pick_both",
        "b",
        "take both texts: live, then proposed",
        Group.PLACE,
        short="both texts",
        does="take('pick_both')",
    ),
    Action("reopen", "0", "reopen the conflict", Group.PLACE, short="reopen"),
    Action("own_words", "t", "your own text, in $EDITOR", Group.PLACE, short="own text"),
)
"""The actions of the merge screen alone."""

MERGE_ACTIONS: Final = (
    *MERGE_ONLY,
    *(
        replace(action, words=ON_MERGE[action.name], diff="")
        for action in ACTIONS
        if action.name in ON_MERGE
    ),
)

BY_NAME: Final = {action.name: action for action in (*ACTIONS, *MERGE_ONLY)}

# The screens over the deck. An action that the deck's table names has the same keys there, and the
# same entry in a keymap; actions of one screen alone are named here.

Keys = tuple[Action, ...]


def _key(name: str, does: str, words: str, group: Group, keys: str = "") -> Action:
    return Action(name, keys or BY_NAME[name].keys, words, group, does=does)


def _moves(noun: str, far: int = 1_000_000) -> Keys:
    return (
        _key("down", "move(1)", f"next {noun}", Group.MOVE),
        _key("up", "move(-1)", f"previous {noun}", Group.MOVE),
        _key("top", f"move({-far})", "first", Group.MOVE),
        _key("bottom", f"move({far})", "last", Group.MOVE),
        *_PAGES,
    )


def _jumps(noun: str, does: str, *, by_letter: bool = True) -> Keys:
    """The keys for the next and previous proposal or change, on a screen with something else."""
    names = ("next_proposal", "next_hunk") if by_letter else ("next_hunk",)
    back = ("previous_proposal", "previous_hunk") if by_letter else ("previous_hunk",)
    return (
        *(_key(name, f"{does}(1)", f"next {noun}", Group.MOVE) for name in names),
        *(_key(name, f"{does}(-1)", f"previous {noun}", Group.MOVE) for name in back),
    )


_PAGES: Final = (
    _key("page_down", "page(0.5)", "half a page down", Group.MOVE),
    _key("page_up", "page(-0.5)", "half a page up", Group.MOVE),
)
_HELP: Final = _key("help", "help", "this list", Group.APP)
_SUMMARY: Final = (_key("summary", "summary", "the summary; y writes there", Group.APP), _HELP)


def _back(does: str, words: str) -> Keys:
    return (_key("back", does, words, Group.APP), _key("quit", does, words, Group.APP))


CHANGES: Final = (
    *_moves("lesson"),
    *_jumps("document", "document"),
    _key("open", "unfold", "open or close", Group.LOOK),
    _key("fold", "unfold", "the same", Group.LOOK),
    _key("style", "span", "change the period", Group.LOOK),
    _key("copy", "copy", "copy the lesson", Group.LOOK),
    _key("documents", "documents", "the document with its blame and history", Group.LOOK),
    _key("sources", "sources", "which live lines this comes from, who taught it", Group.LOOK),
    _key("home", "home", "next home, or all homes", Group.LOOK),
    _key("lane_decide", "lane('Decide')", "lane Decide", Group.LOOK),
    _key("lane_drafts", "lane('Drafts')", "lane Drafts", Group.LOOK),
    _key("lane_all", "lane('All')", "lane All", Group.LOOK),
    _key("mark", "seen", "mark this document as seen", Group.CHOOSE),
    _key("approve_all", "all_seen", "mark everything as seen", Group.CHOOSE),
    _key("unsee", "unsee", "undo the last mark", Group.CHOOSE, "U"),
    _key("clear", "clear", "drop the draft here", Group.CHOOSE),
    _key("reject", "revert", "draft a revert, with a reason", Group.DECIDE),
    _key("undo", "undo", "draft the undo of the whole operation", Group.DECIDE),
    _key("reload", "reload", "reload", Group.APP),
    *_SUMMARY,
    *_back("lane('Decide')", "back"),
)
DOCUMENTS: Final = (
    _key("down", "move(1)", "down", Group.MOVE),
    _key("up", "move(-1)", "up", Group.MOVE),
    _key("next_proposal", "document(1)", "next document", Group.MOVE),
    _key("previous_proposal", "document(-1)", "previous document", Group.MOVE),
    _key("top", "move(-1000000)", "first", Group.MOVE),
    _key("bottom", "move(1000000)", "last", Group.MOVE),
    *_PAGES,
    _key("open", "open", "read, or compare", Group.LOOK),
    _key("sources", "sources", "which live lines this comes from, who taught it", Group.LOOK),
    _key("evidence", "turn(1)", "list, document, history", Group.LOOK),
    _key("turn_back", "turn(-1)", "the other way", Group.LOOK, "shift+tab"),
    _key("home", "home", "next home, or all homes", Group.LOOK),
    _key("mark", "pick", "pick a revision", Group.CHOOSE),
    _key("reject", "restore", "draft a restore of this revision", Group.DECIDE),
    _key("consolidate", "consolidate", "merge similar entries", Group.DECIDE, "M"),
    _key("own_text", "rewrite", "rewrite it in $EDITOR", Group.DECIDE),
    _key("reload", "reload", "reload", Group.APP),
    *_SUMMARY,
    *_back("back", "back"),
)
COMPARE: Final = (
    _key("down", "move(1)", "down", Group.MOVE),
    _key("up", "move(-1)", "up", Group.MOVE),
    *_PAGES,
    _key("mark", "page(0.5)", "half a page down", Group.MOVE),
    *_jumps("change", "hunk", by_letter=False),
    _key("next_proposal", "step(-1)", "both one revision older", Group.MOVE),
    _key("previous_proposal", "step(1)", "both one revision newer", Group.MOVE),
    _key("style", "layout", "side by side or not", Group.LOOK),
    _key("wrap", "wrap", "wrap, or not", Group.LOOK),
    _key("left", "sideways(-1)", "scroll left, with wrapping off", Group.LOOK),
    _key("right", "sideways(1)", "scroll right, likewise", Group.LOOK),
    _key("fold", "fold", "unfold or fold unchanged text", Group.LOOK),
    _key("more_context", "context(3)", "more unchanged lines", Group.LOOK),
    _key("less_context", "context(-3)", "fewer", Group.LOOK),
    _key("reject", "restore", "draft a restore of the older", Group.DECIDE),
    *_SUMMARY,
    *_back("leave", "back"),
)
CONSOLIDATE: Final = (
    *_moves("entry"),
    *_jumps("group", "group"),
    _key("mark", "mark", "mark, and down", Group.CHOOSE),
    _key("approve", "keep", "draft this wording for all of them", Group.DECIDE),
    _key("own_text", "write", "write one text for all in $EDITOR", Group.DECIDE),
    *_SUMMARY,
    *_back("leave", "clear the marks, or back"),
)
CLUSTER: Final = (
    _key("down", "move(1)", "next wording", Group.MOVE),
    _key("up", "move(-1)", "previous wording", Group.MOVE),
    *_jumps("change", "hunk", by_letter=False),
    *_PAGES,
    _key("mark", "page(0.5)", "half a page down", Group.MOVE),
    _key("pick", "spare", "keep it in the queue, or supersede it", Group.CHOOSE),
    _key("approve", "take", "draft this wording; the others are superseded", Group.DECIDE),
    _key("merge", "merge", "merge this one; the others are superseded", Group.DECIDE),
    _HELP,
    *_back("leave", "back, nothing is drafted"),
)
CHECKS: Final = (
    *_moves("check"),
    *(
        _key(f"check_{name}", f"check('{name}')", f"the check *{name}*", Group.MOVE, name[0])
        for name in ("adds", "plain", "origin", "current", "new", "room")
    ),
    _key("mark", "page(0.5)", "half a page down", Group.MOVE),
    _HELP,
    *_back("leave", "back"),
)
SOURCES: Final = (
    *_moves("line"),
    _key("mark", "page(0.5)", "half a page down", Group.MOVE),
    _key("open", "open", "its document, with blame and history", Group.LOOK),
    _key("filter", "ask", "ask about another sentence", Group.LOOK),
    _key("reject", "revert", "draft the revert of what taught it", Group.DECIDE),
    *_SUMMARY,
    *_back("leave", "back"),
)
MORNING: Final = (
    *_moves("row"),
    *_jumps("part", "part"),
    _key("mark", "page(0.5)", "half a page down", Group.MOVE),
    _key("open", "open", "its proposal in the queue", Group.LOOK),
    _key("style", "span", "change the period", Group.LOOK),
    _key("copy", "copy", "copy the command of the row", Group.LOOK),
    _key("home", "home", "next home, or all homes", Group.LOOK),
    _key("reload", "reload", "reload", Group.APP),
    _HELP,
    *_back("leave", "back"),
)
READING: Final = (
    _key("down", "move(1)", "down", Group.MOVE),
    _key("up", "move(-1)", "up", Group.MOVE),
    *_PAGES,
    _key("mark", "page(0.5)", "half a page down", Group.MOVE),
    _key("wrap", "wrap", "wrap, or not", Group.LOOK),
    _key("left", "sideways(-1)", "scroll left, with wrapping off", Group.LOOK),
    _key("right", "sideways(1)", "scroll right, likewise", Group.LOOK),
    _HELP,
    *_back("leave", "back"),
)
SKIM: Final = (
    *_moves("addition"),
    _key("mark", "page(1)", "a page down", Group.MOVE),
    _key("open", "read", "read this one in the deck", Group.LOOK),
    _key("pick", "spare", "leave this one out, or include it", Group.CHOOSE),
    _key("approve", "take", "draft the approval of all shown in full", Group.DECIDE),
    _key("own_text", "write", "take your own sentence instead, in $EDITOR", Group.DECIDE),
    _HELP,
    *_back("leave", "back, nothing is drafted"),
)
SUMMARY: Final = (
    _key("down", "line(1)", "next line", Group.MOVE),
    _key("up", "line(-1)", "previous line", Group.MOVE),
    _key("next_proposal", "document(1)", "next document", Group.MOVE),
    _key("previous_proposal", "document(-1)", "previous document", Group.MOVE),
    *_jumps("change", "hunk", by_letter=False),
    *_PAGES,
    _key("mark", "page(0.5)", "half a page down", Group.MOVE),
    _key("clear", "drop", "drop the drafts of this line", Group.CHOOSE),
    _key("write", "write", "write exactly what is shown", Group.DECIDE, "y"),
    _HELP,
    *_back("leave", "back, nothing is written"),
)
INSIGHTS: Final = (
    _key("previous_point", "point(-1)", "previous point", Group.MOVE, "h,left"),
    _key("next_point", "point(1)", "next point", Group.MOVE, "l,right"),
    _key("down", "down(1)", "next point, or proposal", Group.MOVE),
    _key("up", "down(-1)", "previous one", Group.MOVE),
    _key("top", "point(-10000)", "first point", Group.MOVE),
    _key("bottom", "point(10000)", "last point", Group.MOVE),
    _key("open", "open", "the proposals of this point", Group.MOVE),
    _key("evidence", "subject(1)", "next chart", Group.LOOK),
    _key("turn_back", "subject(-1)", "previous chart", Group.LOOK, "shift+tab"),
    _key("picture_1", "show(0)", "arrived and decided", Group.LOOK, "1"),
    _key("picture_2", "show(1)", "waiting times", Group.LOOK, "2"),
    _key("picture_3", "show(2)", "acceptance rate", Group.LOOK, "3"),
    _key("picture_4", "show(3)", "memory usage", Group.LOOK, "4"),
    _key("picture_5", "show(4)", "what was decided automatically", Group.LOOK, "5"),
    _key("cluster", "by", "by source, kind or rule", Group.LOOK),
    _key("next_hunk", "span(1)", "more days", Group.LOOK),
    _key("previous_hunk", "span(-1)", "fewer days", Group.LOOK),
    _key("reload", "reload", "reload", Group.APP),
    _HELP,
    *_back("back", "back"),
)

TABLES: Final[Mapping[str, Keys]] = {
    "what was learnt": CHANGES,
    "documents": DOCUMENTS,
    "comparison": COMPARE,
    "consolidation": CONSOLIDATE,
    "cluster": CLUSTER,
    "checks": CHECKS,
    "why": SOURCES,
    "as the model is given it": READING,
    "skim": SKIM,
    "summary": SUMMARY,
    "insights": INSIGHTS,
    "what happened": MORNING,
}
END: Final = (("?", "help"), ("esc", "back "))
"""The right end of a key bar."""
END_OF_DRAFTS: Final = (("^s", "apply"), *END)
"""The same on screens that make drafts."""
NAMES: Final = frozenset(action.name for table in TABLES.values() for action in table)


DISPLAY: Final = {
    "right_square_bracket": "]",
    "left_square_bracket": "[",
    "right_curly_bracket": "}",
    "left_curly_bracket": "{",
    "full_stop": ".",
    "comma": ",",
    "slash": "/",
    "question_mark": "?",
    "plus": "+",
    "equals_sign": "=",
    "greater_than_sign": ">",
    "minus": "-",
    "escape": "esc",
    "pagedown": "pgdn",
    "pageup": "pgup",
    "down": "↓",
    "up": "↑",
}

Keymap = Mapping[str, str]
"""Action name to its keys, as in `Action.keys`."""


def all_keys(keymap: Keymap) -> dict[str, str]:
    """The keys of every action by its name, as `deck.toml` writes them."""
    tables = (ACTIONS, MERGE_ONLY, *TABLES.values())
    default = {action.name: action.keys for table in reversed(tables) for action in table}
    return {
        name: keymap.get(name, default[name])
        for name in (*BY_NAME, *sorted(NAMES - BY_NAME.keys()))
    }


def bindings(actions: Iterable[Action] = ACTIONS) -> list[Binding]:
    """The bindings of these actions. A keymap replaces keys by the action's name."""
    return [Binding(a.keys, a.call, a.words, show=False, id=a.name) for a in actions]


def keys_of(action: Action, keymap: Keymap) -> tuple[str, ...]:
    """The keys of an action as people write them: ``^s`` for ctrl+s."""
    keys = keymap.get(action.name, action.keys).split(",")
    return tuple(key_words(key.strip()) for key in keys if key.strip())


def key_of(name: str, keymap: Keymap) -> str:
    """The first key of a deck's action as people write it; a question mark if it has none."""
    return next(iter(keys_of(BY_NAME[name], keymap)), "?")


def key_words(key: str) -> str:
    """A key as people write it."""
    *modifiers, last = key.split("+") if len(key) > 1 else [key]
    name = DISPLAY.get(last, last)
    shift = "shift+" if "shift" in modifiers else ""
    return ("^" if "ctrl" in modifiers else "") + shift + name


def problems_of(keymap: Keymap) -> list[tuple[str, str]]:
    """The errors of a keymap, each with the name at fault: unknown actions, keys with two."""
    names = NAMES | BY_NAME.keys()
    errors = [(name, f"there is no action {name!r}") for name in keymap if name not in names]
    tables = (ACTIONS, MERGE_ACTIONS, *TABLES.values())
    duplicates = (problem for table in tables for problem in _duplicate_keys(table, keymap))
    return errors + list(dict.fromkeys(duplicates))


def _duplicate_keys(actions: Iterable[Action], keymap: Keymap) -> Iterator[tuple[str, str]]:
    action_by_key: dict[str, str] = {}
    for action in actions:
        for key in keymap.get(action.name, action.keys).split(","):
            if first := action_by_key.get(key.strip()):
                name = action.name if action.name in keymap else first
                yield name, f"{key_words(key.strip())} is both {first} and {action.name}"
            action_by_key[key.strip()] = action.name


OF_THE_APP: Final = {"ctrl+p": "the palette", "ctrl+z": "pause, until fg"}
"""The keys that every screen has beside those of its table."""


def taken_by(key: str, keymap: Keymap) -> str:
    """The deck's action that a key has already; empty if it is free."""
    return next(
        (
            action.name
            for action in ACTIONS
            if key in [one.strip() for one in keymap.get(action.name, action.keys).split(",")]
        ),
        f"{key}: {OF_THE_APP[key]}" if key in OF_THE_APP else "",
    )


def is_key(key: str) -> bool:
    """Whether a terminal may send a key of this name."""
    *modifiers, last = key.split("+") if len(key) > 1 else [key]
    named = {one.value for one in TextualKeys} | {*REPLACED_KEYS.values(), *_TYPED}
    is_known = len(last) == 1 or last in named or _is_character(last)
    return is_known and all(one in ("ctrl", "shift", "alt", "super") for one in modifiers)


_TYPED: Final = ("space", "tab", "enter", "backspace")


def _is_character(name: str) -> bool:
    """Whether it is the name of a character, as Textual writes it: ``full_stop``."""
    try:
        return bool(unicodedata.lookup(name.replace("_", " ")))
    except KeyError:
        return False


def own_actions(filters: Mapping[str, str], commands: Mapping[str, str]) -> Keys:
    """The actions of an operator's own keys: by key, a filter, or the words of a command."""
    return (
        *(
            Action(f"filter_{key}", key, f"filter: {words}", Group.OWN, does=f"own_filter('{key}')")
            for key, words in filters.items()
        ),
        *(
            Action(f"command_{key}", key, words, Group.OWN, does=f"own_command('{key}')")
            for key, words in commands.items()
        ),
    )


def as_markdown() -> str:
    """The table of keys for the documentation."""
    rows = ["| key | queue | diff | merge |", "| --- | --- | --- | --- |"]
    for action in ACTIONS:
        on_merge = ON_MERGE.get(action.name, "")
        rows.append(_row(action, action.words, action.diff or "same", on_merge))
    rows += [_row(action, "", "", action.words) for action in MERGE_ONLY]
    return "\n".join(rows)


def _row(action: Action, *words: str) -> str:
    keys = " ".join(f"`{key}`" for key in keys_of(action, {}))
    return f"| {keys} | {' | '.join(words)} |".replace("|  ", "| ")


def with_keymap(
    keys_and_words: Iterable[tuple[str, str]], table: Iterable[Action], keymap: Keymap
) -> Sequence[tuple[str, str]]:
    """The keys and words of a key bar, ``("J K", "document")``, with the operator's keymap."""
    if not keymap:
        return tuple(keys_and_words)
    own = {
        usual: keys_of(action, keymap)[0]
        for action in table
        if action.name in keymap and keys_of(action, keymap)
        for usual in keys_of(action, {})
    }
    return tuple((_each(keys, own), words) for keys, words in keys_and_words)


def _each(keys: str, own: Mapping[str, str]) -> str:
    joint = "/" if "/" in keys and len(keys) > 1 else " "
    return joint.join(own.get(key, key) for key in keys.split(joint))
