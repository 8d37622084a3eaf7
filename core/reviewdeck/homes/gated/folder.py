"""A folder of documents with the records of our gate, and with those of its agent's own queues."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from pathlib import Path
from time import time_ns

from reviewdeck.agents.gated.documents import is_derived
from reviewdeck.homes.folder_home import FolderHome
from reviewdeck.homes.gated import derived_index
from reviewdeck.homes.gated.layout import GatedLayout, pending_in
from reviewdeck.homes.gated.records import LARGEST, parse_record
from reviewdeck.homes.kinds import HomeContext
from reviewdeck.homes.pattern_layout import links_to
from reviewdeck.homes.queues import Queue, queues_of
from reviewdeck.model import Proposal, Quarantined
from reviewdeck.model.ledger import Sighting
from reviewdeck.ports import PendingFile, Snapshot


class GatedFolder(FolderHome):
    """One folder, read only."""

    def __init__(
        self, path: Path, layout: GatedLayout, around: HomeContext, *queues: Queue
    ) -> None:
        """Raises HomeUnavailable."""
        super().__init__(path, layout)
        self.pending_folders = dict.fromkeys(pending_in(layout.layout), LARGEST)
        self._layout, self._around = layout, around
        self._queues = (*queues, *queues_of(layout.layout))

    def index_of(self, path: str) -> str | None:
        """The index document of the memory that a document belongs to."""
        return self._layout.index_of(path)

    def is_derived(self, path: str, snapshot: Snapshot) -> bool:
        """Whether a document is an index that has nothing but the lines of its facts."""
        if not is_derived(self._layout.layout, path) or not snapshot.document(path).exists:
            return False
        top = f"{posixpath.dirname(path)}/"
        paths = [fact for fact in self._layout.texts(self.path) if fact.startswith(top)]
        facts = {fact.removeprefix(top): snapshot.document(fact) for fact in paths if fact != path}
        texts = {name: fact.text for name, fact in facts.items() if fact.data and not fact.problem}
        return derived_index.is_derived(snapshot.document(path).text, texts)

    def own_cautions(self) -> Iterator[str]:
        """What waits unseen behind links."""
        patterns = [pattern for queue in self._queues for pattern in queue.folders]
        links = (link for pattern in patterns for link in links_to(self.path, pattern))
        for path, target in dict.fromkeys(links):
            yield f"{path} is a link to {target}: what waits there is not shown."

    def parse(
        self, file: PendingFile, now: datetime, *, is_repaired: bool = False
    ) -> Proposal | Quarantined:
        """Reads one record, strictly. Never raises for what it contains."""
        for queue in self._queues:
            if queue.holds(file.source):
                return queue.parse(self._id, self.path, file, now)
        return parse_record(self._id, self.path, self._layout, file, now)

    def scan(self) -> Iterator[Sighting]:
        """The waiting records, those of the agent's own queues too; none of them is opened."""
        yield from super().scan()
        yield from self._see_queues()

    def _see_queues(self) -> Iterator[Sighting]:
        for queue in self._queues:
            yield from queue.see(self.path, self._kernel, time_ns())

    def pending(self, only: Collection[str] | None = None) -> Iterator[PendingFile]:
        """The waiting records, those of the agent's own queues too; or only these."""
        yield from super().pending(only)
        for queue in self._queues:
            yield from queue.scan(self.path, self._kernel, only)

    def stamp(self, paths: Iterable[str], *facts: str) -> str:
        """A stamp that changes when a document or a record may have changed. Never raises."""
        records = (f"{record.source} {record.hint}" for record in self._see_queues())
        return super().stamp([*paths, *self._layout.places(self.path)], *facts, *records)
