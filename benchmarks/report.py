"""Tables of results, each between two comments of its own in `docs/internals/performance.md`."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

PAGE: Final = Path(__file__).parents[1] / "docs" / "internals" / "performance.md"
INTRODUCTION: Final = """\
# Performance

Every table here is written by the benchmark that it names, on the machine that it names. Times
drift with the load of a machine: compare within one row.
"""


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def machine() -> str:
    """The machine of the measurement, in one sentence."""
    return (
        f"{os.cpu_count()} CPUs ({platform.machine()}), Python {platform.python_version()}, "
        f"{sys.platform}; load average at the start {os.getloadavg()[0]:.1f}."
    )


def write_section(name: str, text: str, page: Path = PAGE) -> None:
    """Puts a section between its comments, in the place of an earlier one or at the end."""
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->\n"
    old = page.read_text("utf-8") if page.exists() else INTRODUCTION
    before, marker, remaining = old.partition(begin)
    after = remaining.partition(end)[2] if marker else ""
    lead = before if marker else before.rstrip("\n") + "\n\n"
    page.parent.mkdir(exist_ok=True)
    page.write_text(f"{lead}{begin}{text.strip()}\n{end}{after}", "utf-8")
