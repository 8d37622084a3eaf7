"""The text of a file after a call of the agent's file tools, computed as the agent does.

An edit is exact: the old text occurs once, or all occurrences are replaced. Otherwise Claude Code
matches it with typographic quotes read as straight ones, and the new text takes the file's quotes.
Any other match that the agent may accept is refused.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_STRAIGHT = str.maketrans("“”‘’", "\"\"''")
_OPENS_AFTER = frozenset(" \t\n\r([{—–")
"""A quote after one of these, or at the start of the text, is an opening one."""
_MARK = "\ufeff"
_AGAIN = "read the file again"


class NotExact(Exception):
    """The call's result cannot be computed; the message gives the reason to the agent."""


def result_of(tool: str, tool_input: dict[str, Any], base: str | None, agent: str) -> str:
    """The whole text after a call; `base` is the text before, None for no file. Raises NotExact."""
    if tool == "Write":
        return _text(tool_input, "content")
    if tool == "Edit":
        return _apply_edits(base, [tool_input], agent)
    if tool == "MultiEdit":
        edits = tool_input.get("edits")
        if isinstance(edits, list) and edits and all(isinstance(edit, dict) for edit in edits):
            return _apply_edits(base, edits, agent)
    raise NotExact(f"a call of {tool} is not staged; write the whole text instead")


def _apply_edits(base: str | None, edits: list[dict[str, Any]], agent: str) -> str:
    text = base or ""
    mark = _MARK if text.startswith(_MARK) else ""
    text = text[len(mark) :]
    breaks, windows = text.count("\n"), text.count("\r\n")
    if windows and windows != breaks:
        raise NotExact("the file mixes line endings; write the whole text instead")
    text = text.replace("\r\n", "\n")
    for edit in edits:
        text = _apply_edit(text, edit, agent)
    return mark + (text.replace("\n", "\r\n") if windows else text)


def _apply_edit(text: str, edit: dict[str, Any], agent: str) -> str:
    old, new = _text(edit, "old_string"), _text(edit, "new_string")
    everywhere = edit.get("replace_all") is True
    if not old:
        if text:
            raise NotExact(f"the file is not empty, and the edit names no text of it; {_AGAIN}")
        return new
    count = text.count(old)
    if not count and agent != "claude":
        raise NotExact(f"the text to be replaced is not exactly what stands in it; {_AGAIN}")
    if not count:
        old, new = _match_quotes(text, old, new, everywhere=everywhere)
    elif count > 1 and not everywhere:
        raise NotExact(f"the text to be replaced occurs more than once; {_AGAIN}")
    if agent != "gemini" and not new and not old.endswith("\n") and f"{old}\n" in text:
        old = f"{old}\n"  # Deleting a whole line removes its line break too.
    return text.replace(old, new, -1 if everywhere else 1)


def _match_quotes(text: str, old: str, new: str, *, everywhere: bool) -> tuple[str, str]:
    """Both texts of an edit with the quotes of the file."""
    plain, straight_old = text.translate(_STRAIGHT), old.translate(_STRAIGHT)
    count = plain.count(straight_old)
    start = plain.find(straight_old)
    original = text[start : start + len(old)]
    if not count or text.count(original) != count or (count > 1 and not everywhere):
        raise NotExact(f"the text to be replaced is not exactly what stands in it; {_AGAIN}")
    if "“" in original or "”" in original:
        new = _curl_quotes(new, '"', "“", "”")
    if "‘" in original or "’" in original:
        new = _curl_quotes(new, "'", "‘", "’")
    return original, new


def _curl_quotes(text: str, straight: str, opening: str, closing: str) -> str:
    before = " " + text
    return "".join(
        char if char != straight else opening if before[index] in _OPENS_AFTER else closing
        for index, char in enumerate(text)
    )


def _text(fields: dict[str, Any], key: str) -> str:
    value = fields.get(key)
    if not isinstance(value, str):
        raise NotExact(f"the call has no {key}")
    return value
