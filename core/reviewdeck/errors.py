"""The errors that an operator can act on.

    ReviewdeckError
    ├── HomeUnavailable     the home is missing, unreadable or ambiguous
    ├── HomeReadOnly        the home can be looked at and not written
    ├── Busy                another program holds a lock for too long
    ├── StaleBase           a document is no longer what the decision was made on
    ├── NotDecidable        the proposal's state does not allow this decision
    │   └── LeaseLost       another host took over what this one was writing
    ├── UnknownId           no proposal or operation by that id, or more than one
    │   └── UnknownCheckpoint   no checkpoint of a working memory by that id
    ├── BadInput            an argument or a file that was given cannot be used
    ├── NotPermitted        this caller may not decide
    │   ├── DescendsFromAgent   a known agent started this process
    │   ├── AncestorsUnknown    the system does not show what started this process
    │   ├── Locked              the operator's passphrase was not given yet
    │   ├── WrongPassphrase     it opens no key
    │   ├── TooManyTries        wrong passphrases: a pause comes first
    │   └── NotVerified         a signature, a key or the operators' file is not valid
    ├── LedgerUnavailable   the ledger cannot be opened or written
    │   ├── LedgerReadOnly  it can be read and not written: a full disk, a read-only one
    │   ├── LedgerTooNew    a later version of reviewdeck wrote it
    │   ├── LedgerBehind    it lacks what this host saw in it: an older copy, or another one
    │   └── LedgerDamaged   its contents are inconsistent
    ├── SpoolUnavailable    a turn of a session cannot be stored
    │   └── SpoolFull       too many turns are waiting for their sink
    ├── StorageUnavailable  a working memory does not answer
    └── WriteFailed         the operating system refused a write

Front ends catch the root and print ``message`` and ``hint``.
"""

from __future__ import annotations


class ReviewdeckError(Exception):
    """Something the operator can act on."""

    code = "error"
    """Stable name for ``--json``."""
    default_hint = ""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = self.default_hint if hint is None else hint


class HomeUnavailable(ReviewdeckError):
    """The home is missing, unreadable or ambiguous."""

    code = "home-unavailable"
    default_hint = "Name a home with --home PATH, or try `reviewdeck demo PATH`."


class HomeReadOnly(ReviewdeckError):
    """The home can be looked at and not written."""

    code = "home-read-only"
    default_hint = "Nothing was changed. Run as the user who owns the home."


class Busy(ReviewdeckError):
    """Another program holds a lock for longer than we wait."""

    code = "busy"
    default_hint = "Nothing was changed. Try again in a moment."


class StaleBase(ReviewdeckError):
    """A document is no longer what the decision was made on."""

    code = "stale"
    default_hint = "Nothing was changed. Look at the proposal again: it was staged again."

    def __init__(
        self, message: str, *, path: str = "", found: bytes | None = None, hint: str | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.path = path
        self.found = found
        """The bytes found instead; None if the document is absent."""


class NotDecidable(ReviewdeckError):
    """The proposal's state does not allow this decision."""

    code = "not-decidable"


class LeaseLost(NotDecidable):
    """Another host took over what this one was writing: that one says how it ended."""

    code = "lease-lost"


class UnknownId(ReviewdeckError):
    """No proposal or operation goes by that id, or more than one does."""

    code = "unknown-id"
    default_hint = "`reviewdeck list` and `reviewdeck log` show the ids."


class UnknownOperation(UnknownId):
    """No operation goes by that id, or more than one does."""

    default_hint = "`reviewdeck log` lists the operations."


class UnknownCheckpoint(UnknownId):
    """No checkpoint of this working memory goes by that id."""

    code = "unknown-checkpoint"
    default_hint = "Its list of checkpoints shows the ids."


class BadInput(ReviewdeckError):
    """An argument or a file that was given cannot be used."""

    code = "bad-input"


class NotPermitted(ReviewdeckError):
    """This caller may not decide."""

    code = "not-permitted"


class DescendsFromAgent(NotPermitted):
    """This process was started by a known agent, directly or through others."""

    code = "agent"
    default_hint = "Nothing was changed. Decide in a terminal of your own. `auto` stays allowed."


class AncestorsUnknown(NotPermitted):
    """The system does not show which programs started this process, and nothing is signed."""

    code = "ancestors-unknown"
    default_hint = (
        "Nothing was changed. With a key, decisions rest on your passphrase instead:"
        " `reviewdeck init` creates one."
    )


class Locked(NotPermitted):
    """The operator's passphrase was not given, or not lately."""

    code = "locked"
    default_hint = "Nothing was changed. Give your passphrase in a terminal of your own."


class WrongPassphrase(NotPermitted):
    """This passphrase opens no key."""

    code = "wrong-passphrase"
    default_hint = "Nothing was changed. Try again; after three mistakes there is a pause."


class TooManyTries(NotPermitted):
    """Several passphrases were wrong: a pause comes first."""

    code = "too-many-tries"
    default_hint = "Nothing was changed. Too many passphrases were wrong: wait, then try again."


class NotVerified(NotPermitted):
    """A signature, a key or the operators' file is not valid."""

    code = "not-verified"
    default_hint = "Nothing was written because of it. `reviewdeck log --verify` lists every error."


class LedgerUnavailable(ReviewdeckError):
    """The ledger cannot be opened or written."""

    code = "ledger-unavailable"
    default_hint = "Check the path given with --ledger, its owner and the space on its disk."


class LedgerReadOnly(LedgerUnavailable):
    """The ledger can be read and not written: its disk is full, or read-only."""


class LedgerTooNew(LedgerUnavailable):
    """A later version of reviewdeck wrote this ledger."""

    code = "ledger-too-new"
    default_hint = "Update reviewdeck, or name another ledger with --ledger."


class LedgerBehind(LedgerUnavailable):
    """The ledger lacks what this host saw in it."""

    code = "ledger-behind"
    default_hint = (
        "Is it the right server? If it was restored from a backup, or a standby took over:"
        " `reviewdeck worker --accept-ledger`, once with the URL of its owner, goes on with it and"
        " reports again what it lacks."
    )


class LedgerDamaged(LedgerUnavailable):
    """The ledger's contents are inconsistent."""

    code = "ledger-damaged"
    default_hint = "`reviewdeck doctor` says what is wrong and where the last backup is."


class SpoolUnavailable(ReviewdeckError):
    """A turn of a session cannot be stored: the disk refuses it."""

    code = "spool-unavailable"
    default_hint = "Nothing that was taken before is lost. Look at the disk of the ledger."


class SpoolFull(SpoolUnavailable):
    """Too many turns are waiting for their sink."""

    code = "spool-full"
    default_hint = "Nothing that was taken before is lost. Find out why the ledger takes nothing."


class StorageUnavailable(ReviewdeckError):
    """A working memory does not answer."""

    code = "storage-unavailable"
    default_hint = "Nothing decided is kept there. Check its server, or the file and its disk."


class WriteFailed(ReviewdeckError):
    """The operating system refused a write."""

    code = "write-failed"
    default_hint = "Nothing was lost: `reviewdeck recover` finishes or takes back what was begun."
