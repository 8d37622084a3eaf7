"""The text of a file after a call of OpenClaw's file tools, computed as OpenClaw does.

Every edit is exact: its old text occurs once in the text as it was. Matches that OpenClaw finds by
folding characters or white space are refused.
"""

from __future__ import annotations

from reviewdeck.agents.gated.edits import NotExact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MARK = "\ufeff"
_AGAIN = "read the file again"


def result_of(tool: str, params: dict[str, Any], base: str | None) -> str:
    """The whole text after a call; `base` is the text before, None for no file. Raises NotExact."""
    if tool == "write" and isinstance(params.get("content"), str):
        content: str = params["content"]
        return content
    if tool == "edit" and base is not None:
        return _apply(base, _edits(params))
    if tool == "edit":
        raise NotExact("there is no such file; use write")
    raise NotExact(f"a call of {tool} is not staged; use write with the whole text, or edit")


def _edits(params: dict[str, Any]) -> list[tuple[str, str]]:
    edits = params.get("edits")
    if not isinstance(edits, list) or not edits or "oldText" in params:
        raise NotExact("the call has no list of edits")
    pairs = [(edit.get("oldText"), edit.get("newText")) for edit in edits if isinstance(edit, dict)]
    texts = [(old, new) for old, new in pairs if isinstance(old, str) and isinstance(new, str)]
    if len(texts) < len(edits):
        raise NotExact("one of its edits has no text")
    return texts


def _apply(base: str, edits: list[tuple[str, str]]) -> str:
    mark = _MARK if base.startswith(_MARK) else ""
    text = base[len(mark) :]
    breaks, windows = text.count("\n"), text.count("\r\n")
    if "\r" in text.replace("\r\n", "") or (windows and windows != breaks):
        raise NotExact("the file mixes line endings; use write with the whole text")
    text = text.replace("\r\n", "\n")
    spans = sorted(_span(text, _plain(old), _plain(new)) for old, new in edits)
    pieces, end = [], 0
    for start, stop, new in spans:
        if start < end:
            raise NotExact("two of its edits overlap")
        pieces += [text[end:start], new]
        end = stop
    text = "".join([*pieces, text[end:]])
    return mark + (text.replace("\n", "\r\n") if windows else text)


def _span(text: str, old: str, new: str) -> tuple[int, int, str]:
    """The place of an old text, and what comes there."""
    count = text.count(old) if old else 0
    if count != 1:
        why = "occurs more than once" if count else "is not exactly what stands in it"
        raise NotExact(f"the text to be replaced {why}; {_AGAIN}")
    start = text.index(old)
    return start, start + len(old), new


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
