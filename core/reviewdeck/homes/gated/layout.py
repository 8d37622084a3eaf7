"""The layouts of agents' folders: which files are documents, and when each is loaded.

The table of documents is the gate's own (`agents/gated/documents.py`), so that the gate and the
review cover the same files.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from reviewdeck.agents.gated.documents import AGENT_LAYOUTS, INDEX, LAYOUTS, SHARED, is_derived
from reviewdeck.agents.gated.roots import ours_in
from reviewdeck.agents.gated.spool import MARKS
from reviewdeck.files.syscalls import Kernel
from reviewdeck.homes.gated.imports import imported_targets
from reviewdeck.homes.link_targets import LinkTarget
from reviewdeck.homes.pattern_layout import PatternLayout, glob
from reviewdeck.model import Limit, Loading, Measure
from reviewdeck.reading.memory import CLAUDE_LINES, CLAUDE_UNITS

OF_QWEN: Final = ("memories", "output-language.md", "QWEN.md")
"""One of these is in Qwen Code's own folder, whatever that is called."""
_SLUG: Final = 200
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
_EXCLUDED: Final = frozenset({".git", ".reviewdeck"})


def layout_by_names(
    path: Path, agent: str, instructions: str, in_use: Sequence[str], is_own: Callable[[Path], bool]
) -> str | None:
    """The layout of a folder of an agent that has its own folder and repositories; None for others.

    `in_use` are names in the agent's own folder once it was used: a folder above it is the user's,
    and no repository. `is_own` tells its own folder under another name.
    """
    own, repository = AGENT_LAYOUTS[agent]
    folder = path / f".{agent}"
    try:
        marked = next(
            (name for name in AGENT_LAYOUTS[agent] if (path / MARKS[name]).is_file()), None
        )
        if marked is not None:
            return marked
        if path.name == folder.name:
            return own if path.is_dir() and not (path.parent / ".git").exists() else None
        is_repository = (path / ".git").exists() or folder.is_dir()
        if not is_repository and is_own(path):
            return own
        instructs = folder.is_dir() or (path / instructions).is_file()
        is_user_home = any((folder / name).exists() for name in in_use)
        return repository if instructs and not is_user_home else None
    except OSError:
        return None


def is_of_project(path: Path) -> bool:
    """Whether a folder is that of one project in a folder of projects."""
    return path.parent.parent.name == "projects"


def slug_of(path: str) -> str:
    """The name of Claude Code's project folder for a directory. Several may share one."""
    plain = re.sub(r"[^A-Za-z0-9]", "-", path)
    return plain if len(plain) <= _SLUG else f"{plain[:_SLUG]}-{_hash(path)}"


def _hash(text: str) -> str:
    """The 32-bit hash of a text's UTF-16 units, in base 36."""
    units = text.encode("utf-16-le")
    value = 0
    for index in range(0, len(units), 2):
        value = (value * 31 + int.from_bytes(units[index : index + 2], "little")) & 0xFFFFFFFF
    value = abs(value - (1 << 32) if value >= 1 << 31 else value)
    digits = ""
    while value:
        value, digit = divmod(value, 36)
        digits = _DIGITS[digit] + digits
    return digits or "0"


def memory_of(layout: str, path: str) -> str | None:
    """The memory folder of a document, relative to the home; None for other documents."""
    parts = path.split("/")
    match layout, parts:
        case "memory", _:
            return ""
        case "config" | "qwen", ["projects", _, "memory", _, *_]:
            return "/".join(parts[:3])
        case "gemini", ["tmp", _, "memory", _]:
            return "/".join(parts[:3])
        case "qwen", ["memories", _, *_]:
            return parts[0]
        case "qwen-project" | "both" | "shared", [".qwen", "memory" | "team-memory", _, *_]:
            return "/".join(parts[:2])
        case "config", ["agent-memory", _, _, *_]:
            return "/".join(parts[:2])
        case "project" | "both" | "shared", [
            ".claude",
            "agent-memory" | "agent-memory-local",
            _,
            _,
            *_,
        ]:
            return "/".join(parts[:3])
        case _:
            return None


def layout_here(path: Path, layout: str) -> str:
    """The layout of a home, or the shared one where the gate of another agent has marked it too."""
    gates = SHARED["shared"]
    marked = {layout, *(gate for gate in gates if (path / MARKS[gate]).is_file())}
    if layout not in gates or len(marked) == 1:
        return layout
    return "shared" if "workspace" in marked else "both"


def gates_in(layout: str) -> tuple[str, ...]:
    """The layouts of the gates that stage into a home of this layout."""
    return SHARED.get(layout, (layout,))


def pending_in(layout: str) -> tuple[str, ...]:
    """The folders of records."""
    return tuple(f"{ours_in(gate)}/pending" for gate in gates_in(layout))


def is_stamped(layout: str, path: str) -> bool:
    """Whether Claude Code adds stamps to this document."""
    return layout == "memory" or (layout == "config" and path.startswith("projects/"))


@dataclass(frozen=True, slots=True)
class GatedLayout(PatternLayout):
    """One layout. Implements `FolderLayout`."""

    layout: str

    @property
    def patterns(self) -> tuple[str, ...]:
        """The patterns of the gate."""
        return LAYOUTS[self.layout]

    @property
    def kind(self) -> str:
        """The name of the kind."""
        return ours_in(self.layout).rpartition("/")[2]

    def label(self, root: Path) -> str:
        """The name of the repository, or of the project whose memory it is."""
        if self.layout == "memory" and root.name == "memory" and is_of_project(root):
            return root.parent.name.strip("-") or root.name
        return root.name.lstrip(".") or root.name

    def places(self, root: Path) -> Iterator[str]:
        """Every folder in which a document outside of skills may appear, existing or not."""
        for pattern in self.patterns:
            head, _, deep = pattern.partition("**")
            if not deep:  # One file, or skills; or the files of a folder in each project.
                above = posixpath.dirname(head) if head.endswith(".md") else ""
                found = glob(root, f"{above}/") if "*" in above else ()
                yield from (place.relative_to(root).as_posix() for place in found)
                continue
            projects, _, inner = head.partition("*")
            for top in glob(root, f"{projects}*") if inner else [root / head]:
                place = top / inner.strip("/") if inner else top
                yield place.relative_to(root).as_posix()
                for folder in glob(place, "**/"):
                    if _EXCLUDED.isdisjoint(folder.relative_to(root).parts):
                        yield folder.relative_to(root).as_posix()

    def starts(self, root: Path) -> tuple[str, ...]:
        """The existing documents whose imports are followed: instructions and rules."""
        return tuple(path for path in self.texts(root) if self.index_of(path) is None)

    def imported(self, root: Path, kernel: Kernel) -> tuple[LinkTarget, ...]:
        """The other files of the home that its instructions bring into the prompt."""
        # Of Claude Code's own folder the user's is the one above; `~` in a repository leads out.
        return imported_targets(root, self.layout, root.parent, kernel, self.starts(root))

    def loading(self, path: str) -> Loading:
        """An index and instructions are in each prompt; a fact is loaded on demand."""
        if any(path.startswith(f"{root}/") for root in self.skill_roots):
            return Loading.EXECUTES
        return Loading.ALWAYS if self.index_of(path) in (None, path) else Loading.ON_DEMAND

    def limits(self, path: str) -> tuple[Limit, ...]:
        """The lines and the UTF-16 units of an index that are loaded."""
        if self.index_of(path) != path or self.kind == "gemini":
            return ()  # Gemini CLI loads the whole of an index.
        lines, units = Measure.INDEX_LINES, Measure.INDEX_UNITS
        if is_derived(self.layout, path):
            lines, units = Measure.STRIPPED_LINES, Measure.STRIPPED_UNITS
        return Limit(lines, CLAUDE_LINES), Limit(units, CLAUDE_UNITS)

    def index_of(self, path: str) -> str | None:
        """The index of the document's memory; None outside of a memory."""
        folder = memory_of(self.layout, path)
        return None if folder is None else posixpath.join(folder, INDEX)
