"""The keys of the screens beside queue, diff and merge.

What the deck's own table has a name for has the same keys here, and the operator's keymap holds
for it; what only one screen has is named here, and can be mapped as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from reviewdeck_tui.actions import BY_NAME, Action, Group, Keymap, keys_of

Keys = tuple[Action, ...]


def _key(name: str, does: str, words: str, group: Group, keys: str = "") -> Action:
    return Action(name, keys or BY_NAME[name].keys, words, group, does=does)


def _moves(what: str, far: int = 1_000_000) -> Keys:
    return (
        _key("down", "move(1)", f"next {what}", Group.MOVE),
        _key("up", "move(-1)", f"previous {what}", Group.MOVE),
        _key("top", f"move({-far})", "first", Group.MOVE),
        _key("bottom", f"move({far})", "last", Group.MOVE),
        *_PAGES,
    )


def _jumps(what: str, does: str, *, by_letter: bool = True) -> Keys:
    """The keys of the next proposal and the next change, for what a screen has instead."""
    names = ("next_proposal", "next_hunk") if by_letter else ("next_hunk",)
    back = ("previous_proposal", "previous_hunk") if by_letter else ("previous_hunk",)
    return (
        *(_key(name, f"{does}(1)", f"next {what}", Group.MOVE) for name in names),
        *(_key(name, f"{does}(-1)", f"previous {what}", Group.MOVE) for name in back),
    )


_PAGES: Final = (
    _key("page_down", "page(0.5)", "half a page down", Group.MOVE),
    _key("page_up", "page(-0.5)", "half a page up", Group.MOVE),
)
_SCROLLS: Final = (
    _key("page_down", "scroll(0.5)", "half a page down", Group.MOVE),
    _key("page_up", "scroll(-0.5)", "half a page up", Group.MOVE),
)
_HELP: Final = _key("help", "help", "this list", Group.APP)
_SUMMARY: Final = (_key("summary", "summary", "the summary; y there writes", Group.APP), _HELP)


def _back(does: str, words: str) -> Keys:
    return (
        _key("back", does, words, Group.APP),
        _key("quit", does, words, Group.APP),
    )


LEARNT: Final = (
    *_moves("lesson"),
    *_jumps("document", "document"),
    _key("open", "unfold", "open or close", Group.LOOK),
    _key("fold", "unfold", "the same", Group.LOOK),
    _key("style", "span", "how far back", Group.LOOK),
    _key("copy", "copy", "copy the lesson", Group.LOOK),
    _key("documents", "documents", "the document with its blame and history", Group.LOOK),
    _key("home", "home", "next home, or all of them", Group.LOOK),
    _key("lane_decide", "lane('Decide')", "lane Decide", Group.LOOK),
    _key("lane_drafts", "lane('Drafts')", "lane Drafts", Group.LOOK),
    _key("lane_all", "lane('All')", "lane All", Group.LOOK),
    _key("mark", "seen", "this document is seen", Group.CHOOSE),
    _key("approve_all", "all_seen", "everything is seen", Group.CHOOSE),
    _key("unsee", "unsee", "take the last mark back", Group.CHOOSE, "U"),
    _key("clear", "clear", "drop the draft here", Group.CHOOSE),
    _key("reject", "revert", "draft a revert, with a reason", Group.DECIDE),
    _key("undo", "undo", "draft the undo of the whole operation", Group.DECIDE),
    _key("reload", "reload", "look again", Group.APP),
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
    _key("evidence", "turn(1)", "list, document, history", Group.LOOK),
    _key("turn_back", "turn(-1)", "the other way", Group.LOOK, "shift+tab"),
    _key("home", "home", "next home, or all of them", Group.LOOK),
    _key("mark", "pick", "pick a revision", Group.CHOOSE),
    _key("reject", "restore", "draft that it becomes this revision again", Group.DECIDE),
    _key("consolidate", "consolidate", "merge entries that are alike", Group.DECIDE, "M"),
    _key("own_text", "rewrite", "write it anew in $EDITOR", Group.DECIDE),
    _key("reload", "reload", "look again", Group.APP),
    *_SUMMARY,
    *_back("back", "back"),
)
COMPARING: Final = (
    _key("down", "scroll(1)", "down", Group.MOVE),
    _key("up", "scroll(-1)", "up", Group.MOVE),
    *_PAGES,
    _key("mark", "page(0.5)", "half a page down", Group.MOVE),
    *_jumps("change", "hunk", by_letter=False),
    _key("next_proposal", "step(-1)", "both one revision older", Group.MOVE),
    _key("previous_proposal", "step(1)", "both one revision newer", Group.MOVE),
    _key("style", "layout", "side by side or not", Group.LOOK),
    _key("wrap", "wrap", "wrap, or not", Group.LOOK),
    _key("fold", "fold", "open or close unchanged text", Group.LOOK),
    _key("more_context", "context(3)", "more unchanged lines", Group.LOOK),
    _key("less_context", "context(-3)", "fewer", Group.LOOK),
    _key("reject", "restore", "draft the older one", Group.DECIDE),
    *_SUMMARY,
    *_back("leave", "back"),
)
CONSOLIDATING: Final = (
    *_moves("entry"),
    *_jumps("group", "group"),
    _key("mark", "mark", "mark, and down", Group.CHOOSE),
    _key("approve", "keep", "draft that this wording stays for all", Group.DECIDE),
    _key("own_text", "write", "write one text for all in $EDITOR", Group.DECIDE),
    *_SUMMARY,
    *_back("leave", "drop the marks, or back"),
)
CLUSTER: Final = (
    _key("down", "move(1)", "next wording", Group.MOVE),
    _key("up", "move(-1)", "previous wording", Group.MOVE),
    *_jumps("change", "hunk", by_letter=False),
    *_SCROLLS,
    _key("mark", "scroll(0.5)", "half a page down", Group.MOVE),
    _key("pick", "spare", "let it stay in the queue, or give way", Group.CHOOSE),
    _key("approve", "take", "draft this wording; the others give way", Group.DECIDE),
    _key("merge", "merge", "merge this one; the others give way", Group.DECIDE),
    _HELP,
    *_back("leave", "back, nothing is drafted"),
)
SUMMARY: Final = (
    _key("down", "line(1)", "next line", Group.MOVE),
    _key("up", "line(-1)", "previous line", Group.MOVE),
    _key("next_proposal", "document(1)", "next document", Group.MOVE),
    _key("previous_proposal", "document(-1)", "previous document", Group.MOVE),
    *_jumps("change", "hunk", by_letter=False),
    *_SCROLLS,
    _key("mark", "scroll(0.5)", "half a page down", Group.MOVE),
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
    _key("evidence", "subject(1)", "next picture", Group.LOOK),
    _key("turn_back", "subject(-1)", "previous picture", Group.LOOK, "shift+tab"),
    _key("picture_1", "show(0)", "what came and what went", Group.LOOK, "1"),
    _key("picture_2", "show(1)", "how long proposals wait", Group.LOOK, "2"),
    _key("picture_3", "show(2)", "how much you accept", Group.LOOK, "3"),
    _key("picture_4", "show(3)", "how full the memories are", Group.LOOK, "4"),
    _key("picture_5", "show(4)", "what went in by itself", Group.LOOK, "5"),
    _key("cluster", "by", "by origin, kind or rule", Group.LOOK),
    _key("next_hunk", "span(1)", "more days", Group.LOOK),
    _key("previous_hunk", "span(-1)", "fewer days", Group.LOOK),
    _key("reload", "reload", "look again", Group.APP),
    _HELP,
    *_back("back", "back"),
)

TABLES: Final[Mapping[str, Keys]] = {
    "what was learnt": LEARNT,
    "documents": DOCUMENTS,
    "comparison": COMPARING,
    "consolidation": CONSOLIDATING,
    "cluster": CLUSTER,
    "summary": SUMMARY,
    "insights": INSIGHTS,
}
END: Final = (("?", "help"), ("esc", "back "))
"""What stands at the right of a key bar."""
END_OF_DRAFTS: Final = (("^s", "apply"), *END)
"""The same where drafts are made."""
NAMES: Final = frozenset(one.name for table in TABLES.values() for one in table)


def mapped(
    said: Iterable[tuple[str, str]], table: Iterable[Action], keymap: Keymap
) -> Sequence[tuple[str, str]]:
    """Keys and words of a key bar, ``("J K", "document")``, as the operator mapped them."""
    if not keymap:
        return tuple(said)
    own = {
        usual: keys_of(one, keymap)[0]
        for one in table
        if one.name in keymap and keys_of(one, keymap)
        for usual in keys_of(one, {})
    }
    return tuple((_each(keys, own), words) for keys, words in said)


def _each(keys: str, own: Mapping[str, str]) -> str:
    joint = "/" if "/" in keys and len(keys) > 1 else " "
    return joint.join(own.get(key, key) for key in keys.split(joint))
