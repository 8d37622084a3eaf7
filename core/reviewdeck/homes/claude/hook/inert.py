"""Words of others as one line that does nothing to a terminal and starts nothing in a prompt."""

from __future__ import annotations


def line(text: object, most: int = 200) -> str:
    """The printable characters of a text on one line, cut, without quotes and markup of ours."""
    known = text if isinstance(text, str) else ""
    plain = "".join(char if char.isprintable() else " " for char in known[: 4 * most])
    plain = " ".join(plain.translate(_REPLACED).split())
    return plain if len(plain) <= most else f"{plain[: most - 1]}…"


_REPLACED = str.maketrans({'"': "'", "<": "‹", ">": "›", "`": "'"})
