"""Real Markdown: the skills of the fixture home, and the documentation of installed packages."""

from __future__ import annotations

import sysconfig
import tarfile
from functools import cache
from pathlib import Path
from typing import Final

HOME: Final = Path(__file__).parents[1] / "fixtures" / "hermes-home.tar.gz"
LARGEST: Final = 40_000


@cache
def markdown() -> tuple[str, ...]:
    """The texts, LF only, between 300 and 40,000 characters long."""
    with tarfile.open(HOME) as archive:
        members = [member for member in archive if member.name.endswith(".md")]
        files = [file.read() for member in members if (file := archive.extractfile(member))]
    return tuple(text for data in [*files, *_descriptions()] if (text := _usable(data)))


def _descriptions() -> list[bytes]:
    """What packages say of themselves: their README, behind the headers of their METADATA."""
    packages = Path(sysconfig.get_paths()["purelib"])
    found = sorted([*packages.glob("*.dist-info/METADATA"), *packages.rglob("*.md")])
    return [path.read_bytes().partition(b"\n\n")[2] for path in found]


def _usable(data: bytes) -> str:
    text = data.decode("utf-8", "replace").replace("\r\n", "\n").strip() + "\n"
    return text if 300 <= len(text) <= LARGEST else ""
