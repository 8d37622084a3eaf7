"""What is frozen of a merge: its outcome, and what becomes of it in every resolution."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from reviewdeck.text import entries
from reviewdeck.text.conflicts import Conflicted, Merged, OwnText, Take, resolve, to_data
from reviewdeck.text.linemerge import two_way
from reviewdeck.text.lines import newline_of
from reviewdeck.text.merge import merge, merge_memory, merge_skill

PAGE: Final = Path(__file__).parent / "frozen-merges.json"
MERGES: Final[dict[str, Callable[..., Merged]]] = {
    "lines": merge,
    "memory": merge_memory,
    "skill": merge_skill,
}
Case = dict[str, Any]


def cases() -> list[Case]:
    """All of them, as they were frozen."""
    found: list[Case] = json.loads(PAGE.read_text("utf-8"))
    return found


_TAKES = tuple(take for take in Take if take is not Take.WORDS)
"""What a person could choose when the merges were frozen."""


def outcome(case: Mapping[str, Any]) -> Case:
    """What the merge of a case comes to now: the value, and a digest of all that follows."""
    texts = (case["base"], case["ours"], case["theirs"])
    merged = MERGES[case["by"]](*texts)
    follows = [
        _resolutions(merged),
        _resolutions(two_way(case["ours"], case["theirs"])),
        [_of_entries(text) for text in texts if text is not None],
    ]
    digest = hashlib.sha256(json.dumps(follows).encode()).hexdigest()[:16]
    return {"merged": to_data(merged), "follows": digest}


def _resolutions(merged: Merged) -> list[object]:
    if not isinstance(merged, Conflicted):
        return []
    last = len(merged.hunks) - 1
    whole = [resolve(merged, dict.fromkeys(range(last + 1), take)) for take in _TAKES]
    parts = [resolve(merged, {0: Take.BOTH}), resolve(merged, {last: OwnText("own\n")})]
    return [to_data(resolved) for resolved in (*whole, *parts)]


def _of_entries(text: str) -> object:
    parsed = entries.parse(text)
    return [
        [*parsed],
        entries.size(parsed),
        [entries.round_trips(text, limit) for limit in (None, 20, 55, 200)],
        newline_of(text),
    ]
