"""A pending record as a proposal, or as something to be looked at and left alone."""

from __future__ import annotations

import hashlib
import re
from datetime import UTC, datetime, timedelta
from pathlib import PurePosixPath
from typing import Any

from reviewdeck.homes.hermes.payloads import read_payload
from reviewdeck.homes.hermes.provenance import KEY, Provenance, read_provenance
from reviewdeck.homes.hermes.strict import Malformed, load_object
from reviewdeck.homes.hermes.summaries import telling
from reviewdeck.model import Kind, Proposal, Quarantined
from reviewdeck.ports import PendingFile

CLOCK_SKEW = timedelta(minutes=5)
"""How far in the future a record may say it was made."""

_ID = re.compile(r"[0-9a-f]{8,32}")
_KNOWN_KEYS = frozenset(
    {"id", "subsystem", "action", "summary", "origin", "created_at", "payload", KEY}
)
_SHAPE = ("id", "subsystem", "payload")


def parse_record(
    home: str, file: PendingFile, now: datetime, *, is_repaired: bool = False
) -> Proposal | Quarantined:
    """Reads one pending file, strictly. Never raises for what the file contains.

    One that an operator has repaired says itself what it is: others lie where Hermes files them.
    """
    kind = _kind_of(file.source)
    if file.data is None:
        reason, _, message = (file.problem or "unreadable: it was not read").partition(": ")
        return _quarantined(home, file, kind, Malformed(reason, message), now)
    try:
        return _proposal(home, file, file.data, None if is_repaired else kind, now)
    except Malformed as malformed:
        return _quarantined(home, file, kind, malformed, now)


def proposal_id(home: str, source: str, payload_sha: str) -> str:
    """Our id: the same record of the same home is the same proposal, whenever it is read."""
    name = "\0".join((home, source, payload_sha)).encode("utf-8", "backslashreplace")
    return hashlib.sha256(name).hexdigest()[:12]


def _proposal(
    home: str, file: PendingFile, data: bytes, filed: Kind | None, now: datetime
) -> Proposal:
    record = load_object(data)
    _check_shape(record)
    kind = _said_kind(record) if filed is None else filed
    if filed is not None:
        _check_place(record, file.source, filed)
    request = read_payload(kind, record["payload"])
    if record.get("action", request.action) != request.action:
        raise Malformed("wrong-action", "it names one action and its payload another")
    created_at, late = _moment(record, now)
    known = Provenance()
    if KEY in record:
        known = read_provenance(record[KEY], request.edits)
    unknown = sorted(set(record) - _KNOWN_KEYS)
    sha = hashlib.sha256(data).hexdigest()
    return Proposal(
        id=proposal_id(home, file.source, sha),
        home=home,
        kind=kind,
        action=request.action,
        target=request.target,
        edits=request.edits,
        payload_sha=sha,
        origin=_text(record, "origin") or "unknown",
        source=file.source,
        source_id=record["id"],
        summary=telling(_text(record, "summary"), request.edits),
        created_at=created_at,
        ingested_at=now,
        bases=known.bases,
        session=known.texts.get("session"),
        turn=known.texts.get("turn"),
        tool_call=known.texts.get("tool_call"),
        model=known.texts.get("model"),
        unknown_keys=(*unknown, *known.ignored, *late),
    )


def _check_shape(record: dict[str, Any]) -> None:
    """Whether this is one of Hermes' own records."""
    if any(key not in record for key in _SHAPE):
        raise Malformed("foreign", "it has another shape than Hermes' own records")
    id, payload = record["id"], record["payload"]
    if not isinstance(payload, dict):
        raise Malformed("wrong-type", "its payload is not an object")
    if not isinstance(id, str) or not _ID.fullmatch(id):
        raise Malformed("bad-id", "its id is not 8 to 32 hexadecimal digits")
    if not isinstance(record.get("action", ""), str):
        raise Malformed("wrong-type", "its action is not a text")


def _check_place(record: dict[str, Any], source: str, kind: Kind) -> None:
    """Whether it is filed where it belongs."""
    if record["id"] != PurePosixPath(source).stem:
        raise Malformed("wrong-id", "its id is not the name of its file")
    if record["subsystem"] != kind:
        raise Malformed("wrong-subsystem", "it lies in the folder of another subsystem")


def _said_kind(record: dict[str, Any]) -> Kind:
    try:
        return Kind(record["subsystem"])
    except ValueError:
        raise Malformed("wrong-subsystem", "its subsystem is neither memory nor skills") from None


def _moment(record: dict[str, Any], now: datetime) -> tuple[datetime | None, tuple[str, ...]]:
    """When it says it was made; without it, and saying so, when that cannot be."""
    value = record.get("created_at")
    if value is None:
        return None, ()
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Malformed("wrong-type", "its created_at is not a number")
    if not 0 <= value <= (now + CLOCK_SKEW).timestamp():
        return None, ("created_at",)
    return datetime.fromtimestamp(value, UTC), ()


def _text(record: dict[str, Any], key: str) -> str:
    value = record.get(key)
    if value is None or isinstance(value, str):
        return value or ""
    raise Malformed("wrong-type", f"its {key} is not a text")


def _kind_of(source: str) -> Kind:
    return Kind.SKILLS if source.split("/")[1:2] == [str(Kind.SKILLS)] else Kind.MEMORY


def _quarantined(
    home: str, file: PendingFile, kind: Kind, malformed: Malformed, now: datetime
) -> Quarantined:
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
