"""Gemini CLI's inbox: `tmp/<project>/memory/.inbox/*/*.patch`, and the patches of its skills.

A patch that no longer applies stays there for ever. Here it has a base: the document as it is,
where the patch applies to that; else, around each hunk that is not in it, the lines that the hunk
shows, so that everything else there is merged as an addition. The next extraction writes the same
file anew, with the lines of the last one too: it is another proposal then.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Final

from reviewdeck.agents.gated.documents import INDEX, matches_any
from reviewdeck.agents.gated.stage import WRITES
from reviewdeck.agents.hermes.kit import line
from reviewdeck.files.reads import read_quietly
from reviewdeck.files.syscalls import Kernel
from reviewdeck.homes.gated.layout import GatedLayout
from reviewdeck.homes.gated.records import StagedWrite, proposal_of
from reviewdeck.homes.gemini.extractions import extracted_from, memory_of
from reviewdeck.homes.gemini.patches import NEW, FilePatch, parse_patch
from reviewdeck.homes.pattern_layout import glob
from reviewdeck.homes.pending import scan_records, see_records
from reviewdeck.homes.record import quarantine, text_of
from reviewdeck.homes.strict_json import Malformed
from reviewdeck.model import ABSENT, Base, BaseSource, Kind, Proposal, Quarantined, revision_of
from reviewdeck.model.ledger import Sighting
from reviewdeck.ports import PendingFile

_PRIVATE: Final = "tmp/*/memory/.inbox/private/**/*.patch"
_GLOBAL: Final = "tmp/*/memory/.inbox/global/**/*.patch"
_SKILLS: Final = "tmp/*/memory/skills/*.patch"
_INSTRUCTIONS: Final = "GEMINI.md"
_LARGEST: Final = 1024 * 1024
_LAYOUT: Final = GatedLayout("gemini")
_HEADING: Final = "# Project Memory\n"


class Inbox:
    """The patches of every project. Implements `Queue`."""

    top = "tmp"
    folders = ("tmp/*/memory/.inbox/private", "tmp/*/memory/.inbox/global")

    def holds(self, source: str) -> bool:
        """Whether this path is that of a patch."""
        return matches_any((_PRIVATE, _GLOBAL, _SKILLS), source)

    def is_folder(self, folder: str) -> bool:
        """Whether a patch may lie in this folder."""
        return self.holds(f"{folder}/x.patch")

    def see(self, home: Path, kernel: Kernel, now: int) -> Iterator[Sighting]:
        """Each patch, without opening any."""
        return see_records(home, _places(home), kernel, now)

    def scan(
        self, home: Path, kernel: Kernel, only: Collection[str] | None
    ) -> Iterator[PendingFile]:
        """Each patch, or only these."""
        return scan_records(home, _places(home), _LARGEST, kernel, only)

    def parse(
        self, home: str, root: Path, file: PendingFile, now: datetime
    ) -> Proposal | Quarantined:
        """A patch as a proposal. Never raises for what it contains."""
        try:
            text, _ = _plain(text_of(file))
            writes = _Reader(root, file.source).writes(parse_patch(text))
            session = extracted_from(root, file.source)
            proposal = proposal_of(home, _LAYOUT, file, writes, session, now)
            return replace(proposal, origin="auto-memory", ingested_at=now)
        except Malformed as malformed:
            return quarantine(home, file, Kind.DOCUMENTS, malformed, now)


def _places(home: Path) -> Iterator[tuple[str, str]]:
    for pattern in (_PRIVATE, _GLOBAL, _SKILLS):
        for place in sorted(glob(home, pattern)):
            folder, _, name = place.relative_to(home).as_posix().rpartition("/")
            yield folder, name


@dataclass(slots=True)
class _Reader:
    """Reads one patch: for each document the text before and after."""

    root: Path
    source: str
    texts: dict[str, tuple[Base, str]] = field(default_factory=dict)

    def writes(self, patches: Sequence[FilePatch]) -> list[StagedWrite]:
        if len(patches) > WRITES:
            raise Malformed("too-large", f"it has {len(patches)} parts; {WRITES} is the limit")
        for patch in patches:
            document = self._document(patch)
            base, before = self.texts.get(document) or self._live(document)
            is_first = document not in self.texts
            before, end = _plain(before)
            if patch.is_new and is_first and base.data is not None and _is_list(document):
                after = patch.added_to(before)  # Somebody began it meanwhile.
            elif patch.is_new and is_first:
                base, after = Base(ABSENT, None, BaseSource.GIVEN), patch.text
            else:
                applied = patch.apply(before)
                if applied is None and not is_first:
                    raise Malformed(
                        "bad-patch", f"its parts for {document!r} contradict each other"
                    )
                after = applied or ""
                if applied is None:
                    shown, after = patch.from_shown(before)
                    base = _base(shown.replace("\n", end).encode(), BaseSource.GIVEN)
            self.texts[document] = base, after.replace("\n", end)
        self._point_to_new()
        return [StagedWrite(name, base, text) for name, (base, text) in self.texts.items()]

    def _document(self, patch: FilePatch) -> str:
        """The document of a patch. Raises Malformed for one that Gemini CLI refuses too."""
        target = patch.new
        if not target.startswith("/") or patch.old not in (NEW, target):
            names = f"{line(patch.old)!r}, {line(target)!r}"
            raise Malformed("bad-patch", f"it does not name one file: {names}")
        document = os.path.relpath(os.path.realpath(target), self.root)
        if matches_any((_GLOBAL,), self.source):
            is_allowed = document == _INSTRUCTIONS
        elif matches_any((_SKILLS,), self.source):
            is_allowed = document.startswith("skills/")
        else:
            is_allowed = posixpath.dirname(document) == memory_of(self.source)
        if not is_allowed or not _LAYOUT.governs(document):
            raise Malformed("no-document", f"it may not change {line(target)!r}")
        return document

    def _live(self, document: str) -> tuple[Base, str]:
        """A document as it is. Raises Malformed."""
        live = read_quietly(self.root, document, kernel=Kernel())
        if live.problem is not None:
            raise Malformed("unreadable", f"{document!r} {live.problem}")
        if not live.exists:
            return Base(ABSENT, None, BaseSource.FIRST_SEEN), ""
        return _base(live.text.encode(), BaseSource.FIRST_SEEN), live.text

    def _point_to_new(self) -> None:
        """Names each new file in the index, as Gemini CLI does: nothing else leads to it."""
        index = f"{memory_of(self.source)}/{INDEX}"
        for document, (base, _) in list(self.texts.items()):
            is_beside = posixpath.dirname(document) == memory_of(self.source)
            if base.revision != ABSENT or document == index or not is_beside:
                continue
            name = posixpath.basename(document)
            known, text = self.texts.get(index) or self._live(index)
            if name not in text:
                about = name.removesuffix(".md").replace("-", " ").replace("_", " ").strip()
                pointer = f"- See {self.root / document} for {about or name} notes."
                text, end = _plain(text or _HEADING)
                text = f"{text.removesuffix(chr(10))}\n{pointer}\n"
                self.texts[index] = known, text.replace("\n", end)


def _plain(text: str) -> tuple[str, str]:
    """A text with plain line breaks, and those that it has, where all are the same."""
    is_windows = 0 < text.count("\r\n") == text.count("\n")
    return (text.replace("\r\n", "\n"), "\r\n") if is_windows else (text, "\n")


def _is_list(document: str) -> bool:
    """Whether a document is made of lines that stand for themselves."""
    return posixpath.basename(document) in (INDEX, _INSTRUCTIONS)


def _base(data: bytes, source: BaseSource) -> Base:
    return Base(revision_of(data), data, source)
