"""Parts that records of every kind share: ids, bases, and quarantine."""

from __future__ import annotations

import hashlib
from datetime import datetime

from reviewdeck.homes.strict_json import Malformed
from reviewdeck.model import ABSENT, Base, BaseSource, Kind, Quarantined, Revision, revision_of
from reviewdeck.ports import PendingFile
from reviewdeck.text.lazy import regex

_SHA256 = regex(r"[0-9a-f]{64}")


def proposal_id(home: str, source: str, payload_sha: str) -> str:
    """The id of a proposal: the same record of the same home always gets the same one."""
    name = "\0".join((home, source, payload_sha)).encode("utf-8", "backslashreplace")
    return hashlib.sha256(name).hexdigest()[:12]


def read_base(value: object, source: BaseSource) -> Base | None:
    """One base; None when it is malformed or its text does not match its hash."""
    if not isinstance(value, dict) or not isinstance(sha := value.get("sha256"), str):
        return None
    text = value.get("text")
    if text is None:
        if sha == ABSENT:
            return Base(ABSENT, None, source)
        if _SHA256.fullmatch(sha):
            return Base(Revision(sha), None, source, has_text=False)
    elif isinstance(text, str) and revision_of(data := text.encode()) == sha:
        return Base(Revision(sha), data, source)
    return None


def data_of(file: PendingFile) -> bytes:
    """The bytes of a record. Raises Malformed for one that was not read."""
    if file.data is None:
        reason, _, message = (file.problem or "unreadable: it was not read").partition(": ")
        raise Malformed(reason, message)
    return file.data


def text_of(file: PendingFile) -> str:
    """The text of a record. Raises Malformed for one that was not read, or is no text."""
    try:
        return data_of(file).decode("utf-8")
    except UnicodeDecodeError:
        raise Malformed("not-utf-8", "it is not UTF-8 text") from None


def quarantine(
    home: str, file: PendingFile, kind: Kind, malformed: Malformed, now: datetime
) -> Quarantined:
    """A record that cannot be read as a proposal, and why."""
    # No bytes, no hash: then nothing on the disk can ever be taken for what we read.
    sha = "" if file.data is None else hashlib.sha256(file.data).hexdigest()
    return Quarantined(
        id=proposal_id(home, file.source, sha),
        home=home,
        source=file.source,
        reason=malformed.reason,
        message=malformed.message,
        payload_sha=sha,
        kind=kind,
        ingested_at=now,
    )
