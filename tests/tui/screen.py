"""A terminal that understands as much as our updates need: places, colours, wide characters."""

from __future__ import annotations

import re

from rich.cells import cell_len

_PARTS = re.compile(
    r"\x1b\[(\d+)(?:;(\d+))?H|\x1b\[(\d+)C|\x1b\[([\d;]*)m|(\n)|([^\x1b\n])",
)
_UNSEEN_ON_BLANKS = {"1", "2", "3", "38"}

Look = tuple[tuple[str, str], ...]


class Screen:
    """Cells with their looks, as a terminal has them."""

    def __init__(self, width: int, height: int) -> None:
        self.cells: dict[tuple[int, int], tuple[str, Look]] = {
            (x, y): (" ", ()) for x in range(width) for y in range(height)
        }
        self._x = self._y = 0
        self._look: dict[str, str] = {}

    def feed(self, data: str) -> None:
        """Draws what came."""
        for line, column, right, codes, newline, character in _PARTS.findall(data):
            if line:
                self._x, self._y = int(column or 1) - 1, int(line) - 1
            elif right:
                self._x += int(right)
            elif character:
                self._put(character)
            elif not newline:
                self._colour(codes)

    def _put(self, character: str) -> None:
        size = cell_len(character)
        is_blank = character == " " and not {"4", "7"} & self._look.keys()
        self._part(self._x - 1, self._x)
        self._part(self._x + size - 1, self._x + size)
        for offset in range(size):
            shown = character if offset == 0 else ""
            look = {
                code: value
                for code, value in self._look.items()
                if not is_blank or code not in _UNSEEN_ON_BLANKS
            }
            self.cells[self._x + offset, self._y] = (shown, tuple(sorted(look.items())))
        self._x += size

    def _part(self, left: int, right: int) -> None:
        """Half of a wide character is a blank."""
        after = self.cells.get((right, self._y))
        if after is not None and after[0] == "":
            look = tuple(part for part in after[1] if part[0] not in _UNSEEN_ON_BLANKS)
            self.cells[left, self._y] = self.cells[right, self._y] = (" ", look)

    def _colour(self, codes: str) -> None:
        left = (codes or "0").split(";")
        while left:
            code = left.pop(0)
            if code == "0":
                self._look = {}
            elif code in ("38", "48"):
                size = 4 if left[0] == "2" else 2
                self._look[code] = ";".join(left[:size])
                del left[:size]
            elif code in ("39", "49"):
                self._look.pop("38" if code == "39" else "48", None)
            elif code in ("22", "23", "24", "27", "29"):
                for mark in {"22": "12"}.get(code, code[1]):
                    self._look.pop(mark, None)
            elif code.isdecimal() and 30 <= int(code) < 50:
                self._look["38" if int(code) < 40 else "48"] = code
            else:
                self._look[code] = ""
