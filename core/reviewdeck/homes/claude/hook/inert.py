"""Untrusted text as one line that is harmless in a terminal and in a prompt."""

from __future__ import annotations


def line(text: object, most: int = 200) -> str:
    """The printable characters of a text on one line of at most `most`, without quotes and tags."""
    string = text if isinstance(text, str) else ""
    plain = "".join(char if char.isprintable() else " " for char in string[: 4 * most])
    plain = " ".join(plain.translate(_REPLACED).split())
    return plain if len(plain) <= most else f"{plain[: most - 1]}…"


_REPLACED = str.maketrans({'"': "'", "<": "‹", ">": "›", "`": "'"})
