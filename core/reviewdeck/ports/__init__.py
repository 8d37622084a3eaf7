"""The seams of the engine: what it asks of a home, of a ledger, of the outside world.

Each Protocol has one contract suite in `tests/`, which every adapter passes.
"""

from reviewdeck.ports.authority import (
    Ancestry,
    Attest,
    Authority,
    AuthorityReader,
    Head,
    Process,
    Sign,
    unattested,
    unsigned,
)
from reviewdeck.ports.conversations import Conversations, Trust
from reviewdeck.ports.environment import Clock, NewId, Probe, Progress
from reviewdeck.ports.homes import Home, HomeWriter, OpenHome, PendingFile, Rescued, Snapshot
from reviewdeck.ports.journal import Automatic, Claim, Fence, Journal, OpenBatch, Undone
from reviewdeck.ports.ledger import (
    AuditLog,
    DirectoryIdentity,
    Drafts,
    KnownHome,
    Ledger,
    LedgerReader,
    Memory,
    Places,
    Reviews,
)
from reviewdeck.ports.passes import (
    ANY_DOMAIN,
    Evaluations,
    Records,
    RefreshStart,
    Sighting,
    Staging,
    Subject,
    Subjects,
)
from reviewdeck.ports.queue import (
    Baseline,
    Counts,
    Filter,
    Proposals,
    QueueReader,
    RevisionReader,
    Revisions,
)
from reviewdeck.ports.sessions import TurnReader, Turns, TurnSink

__all__ = [
    "ANY_DOMAIN",
    "Ancestry",
    "Attest",
    "AuditLog",
    "Authority",
    "AuthorityReader",
    "Automatic",
    "Baseline",
    "Claim",
    "Clock",
    "Conversations",
    "Counts",
    "DirectoryIdentity",
    "Drafts",
    "Evaluations",
    "Fence",
    "Filter",
    "Head",
    "Home",
    "HomeWriter",
    "Journal",
    "KnownHome",
    "Ledger",
    "LedgerReader",
    "Memory",
    "NewId",
    "OpenBatch",
    "OpenHome",
    "PendingFile",
    "Places",
    "Probe",
    "Process",
    "Progress",
    "Proposals",
    "QueueReader",
    "Records",
    "RefreshStart",
    "Rescued",
    "Reviews",
    "RevisionReader",
    "Revisions",
    "Sighting",
    "Sign",
    "Snapshot",
    "Staging",
    "Subject",
    "Subjects",
    "Trust",
    "TurnReader",
    "TurnSink",
    "Turns",
    "Undone",
    "unattested",
    "unsigned",
]
