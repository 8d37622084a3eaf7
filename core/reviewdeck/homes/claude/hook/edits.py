"""What a file would hold after a call of Claude Code's file tools, worked out as Claude Code does.

An edit is exact: the old text occurs once (or all of it is replaced), else once more with
typographic quotes read as straight ones, and the new text then takes the file's quotes. Whatever
else Claude Code may accept is not guessed at.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_STRAIGHT = str.maketrans("“”‘’", "\"\"''")
_OPENS_AFTER = frozenset(" \t\n\r([{—–")
"""A quote after one of these, or at the start, is an opening one."""
_MARK = "\ufeff"
_AGAIN = "read the file again"


class NotExact(Exception):
    """What the call would write cannot be told; the message says why, for the agent."""


def result_of(tool: str, given: dict[str, Any], base: str | None) -> str:
    """The whole text after a call; `base` is the file's text, None for no file. Raises NotExact."""
    if tool == "Write":
        return _text(given, "content")
    if tool == "Edit":
        return _edited(base, [given])
    if tool == "MultiEdit":
        edits = given.get("edits")
        if isinstance(edits, list) and edits and all(isinstance(one, dict) for one in edits):
            return _edited(base, edits)
    raise NotExact(f"a call of {tool} is not staged; use Write with the whole text")


def _edited(base: str | None, edits: list[dict[str, Any]]) -> str:
    text = base or ""
    mark = _MARK if text.startswith(_MARK) else ""
    text = text[len(mark) :]
    breaks, windows = text.count("\n"), text.count("\r\n")
    if windows and windows != breaks:
        raise NotExact("the file mixes line endings; use Write with the whole text")
    text = text.replace("\r\n", "\n")
    for edit in edits:
        text = _with(text, edit)
    return mark + (text.replace("\n", "\r\n") if windows else text)


def _with(text: str, edit: dict[str, Any]) -> str:
    old, new = _text(edit, "old_string"), _text(edit, "new_string")
    everywhere = edit.get("replace_all") is True
    if not old:
        if text:
            raise NotExact(f"the file is not empty, and the edit names no text of it; {_AGAIN}")
        return new
    found = text.count(old)
    if not found:
        old, new = _in_the_quotes_of(text, old, new, everywhere=everywhere)
    elif found > 1 and not everywhere:
        raise NotExact(f"the text to be replaced occurs more than once; {_AGAIN}")
    if not new and not old.endswith("\n") and f"{old}\n" in text:
        old = f"{old}\n"  # A line that is emptied goes, with its end.
    return text.replace(old, new, -1 if everywhere else 1)


def _in_the_quotes_of(text: str, old: str, new: str, *, everywhere: bool) -> tuple[str, str]:
    """Both texts of an edit as the file spells their quotes."""
    plain, wanted = text.translate(_STRAIGHT), old.translate(_STRAIGHT)
    found = plain.count(wanted)
    at = plain.find(wanted)
    spelt = text[at : at + len(old)]
    if not found or text.count(spelt) != found or (found > 1 and not everywhere):
        raise NotExact(f"the text to be replaced is not exactly what stands in it; {_AGAIN}")
    if "“" in spelt or "”" in spelt:
        new = _curled(new, '"', "“", "”")
    if "‘" in spelt or "’" in spelt:
        new = _curled(new, "'", "‘", "’")
    return spelt, new


def _curled(text: str, straight: str, opening: str, closing: str) -> str:
    before = " " + text
    return "".join(
        char if char != straight else opening if before[at] in _OPENS_AFTER else closing
        for at, char in enumerate(text)
    )


def _text(given: dict[str, Any], key: str) -> str:
    value = given.get(key)
    if not isinstance(value, str):
        raise NotExact(f"the call has no {key}")
    return value
