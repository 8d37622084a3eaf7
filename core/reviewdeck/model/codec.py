"""Values to plain JSON and back: edits, bases, findings, effects, actors.

We wrote what is read back, so a shape that does not fit raises KeyError or TypeError,
which the ledger reports as damage. Bytes travel as base64.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeAlias, assert_never

from reviewdeck.model.decisions import Actor, Marks, Seal
from reviewdeck.model.documents import Revision
from reviewdeck.model.edits import (
    DocumentWrite,
    Edit,
    MemoryAdd,
    MemoryPatch,
    MemoryRemove,
    MemoryReplace,
    Restore,
    SkillCreate,
    SkillDelete,
    SkillEdit,
    SkillPatch,
    SkillRemoveFile,
    SkillWriteFile,
)
from reviewdeck.model.judgements import (
    AutoApply,
    Check,
    CheckMarks,
    Finding,
    Judgement,
    Refuse,
    Review,
    Room,
    Severity,
    Span,
    Verdict,
)
from reviewdeck.model.origins import Currency, KnownBy, Origin, OriginClass
from reviewdeck.model.plain import from_plain, to_plain
from reviewdeck.model.plans import Effect
from reviewdeck.model.proposals import Base, BaseSource

Json: TypeAlias = dict[str, Any]
"""One JSON object."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

_EDITS: dict[str, type[Edit]] = {
    "memory-add": MemoryAdd,
    "memory-replace": MemoryReplace,
    "memory-remove": MemoryRemove,
    "memory-patch": MemoryPatch,
    "skill-create": SkillCreate,
    "skill-edit": SkillEdit,
    "skill-patch": SkillPatch,
    "skill-write-file": SkillWriteFile,
    "skill-remove-file": SkillRemoveFile,
    "skill-delete": SkillDelete,
    "document-write": DocumentWrite,
    "restore": Restore,
}
_EDIT_NAMES = {cls: name for name, cls in _EDITS.items()}
_EDIT_FIELDS = {cls: tuple(field.name for field in fields(cls)) for cls in _EDITS.values()}


def edits_to_json(edits: Iterable[Edit]) -> list[Json]:
    """Each edit as an object that names its kind under `edit`."""
    return [
        {"edit": _EDIT_NAMES[type(edit)]}
        | {name: _pack(getattr(edit, name)) for name in _EDIT_FIELDS[type(edit)]}
        for edit in edits
    ]


def edits_from_json(raw: Iterable[Json]) -> tuple[Edit, ...]:
    """The edits that `edits_to_json` was given."""
    return tuple(
        _EDITS[item["edit"]](**{k: _unpack(v) for k, v in item.items() if k != "edit"})
        for item in raw
    )


def bases_to_json(bases: Mapping[str, Base]) -> Json:
    """The bases by document path."""
    return {
        path: {
            "revision": base.revision,
            "data": _pack(base.data),
            "source": base.source.value,
            "has_text": base.has_text,
        }
        for path, base in bases.items()
    }


def bases_from_json(raw: Json) -> dict[str, Base]:
    """The bases that `bases_to_json` was given."""
    return {
        path: Base(
            revision=Revision(item["revision"]),
            data=_unpack(item["data"]),
            source=BaseSource(item["source"]),
            has_text=item["has_text"],
        )
        for path, item in raw.items()
    }


def findings_to_json(findings: Iterable[Finding]) -> list[Json]:
    """Each finding as an object; a span is a pair."""
    return [
        {
            "code": finding.code,
            "severity": finding.severity.value,
            "message": finding.message,
            "span": None if finding.span is None else [finding.span.start, finding.span.end],
            "quote": finding.quote,
            **({} if finding.at is None else {"at": finding.at.isoformat()}),
        }
        for finding in findings
    ]


def findings_from_json(raw: Iterable[Json]) -> tuple[Finding, ...]:
    """The findings that `findings_to_json` was given."""
    return tuple(
        Finding(
            code=item["code"],
            severity=Severity(item["severity"]),
            message=item["message"],
            span=None if item["span"] is None else Span(*item["span"]),
            quote=item["quote"],
            at=None if item.get("at") is None else datetime.fromisoformat(item["at"]),
        )
        for item in raw
    )


def answers_to_json(marks: CheckMarks | None) -> list[Any] | None:
    """The answers of the checks, the class of the origin, and how it is known."""
    return None if marks is None else [[*marks.answers], str(marks.origin), str(marks.known_by)]


def answers_from_json(raw: list[Any] | None) -> CheckMarks | None:
    """The answers that `answers_to_json` was given; the ledger may keep more behind them."""
    if raw is None or raw[0] is None:
        return None
    answers, origin, known_by = raw[:3]
    return CheckMarks(tuple(answers), OriginClass(origin), KnownBy(known_by))


def judgement_to_json(judgement: Judgement) -> Json:
    """A judgement as an object of plain values."""
    body: Json = to_plain(judgement)
    return body | {"verdict": _verdict_to_json(judgement.verdict)}


def judgement_from_json(raw: Json) -> Judgement:
    """The judgement that `judgement_to_json` was given."""
    if "closest" not in raw:
        # An older row has one field for both: the user may not have said it.
        raw = {**raw, "said": "", "closest": raw["said"]}
    return Judgement(
        verdict=_verdict_from_json(raw["verdict"]),
        checks=tuple(from_plain(Check, check) for check in raw["checks"]),
        origin=origin_from_json(raw["origin"]),
        currency=tuple(from_plain(Currency, currency) for currency in raw["currency"]),
        said=raw["said"],
        room=None if raw["room"] is None else _room_from_json(raw["room"]),
        closest=raw["closest"],
        own=tuple(raw.get("own", ())),
    )


def _room_from_json(raw: Json) -> Room:
    """In older rows a budget is a path and two numbers of characters."""
    budgets = [
        (budget[0], {"used": budget[1], "limit": budget[2]}) if len(budget) == 3 else budget
        for budget in raw["budgets"]
    ]
    return from_plain(Room, {"budgets": budgets})


def origin_from_json(raw: Json | None) -> Origin | None:
    """The origin within a judgement."""
    return None if raw is None else from_plain(Origin, raw)


def _verdict_to_json(verdict: Verdict) -> Json:
    match verdict:
        case AutoApply(rule, instead):
            return {"is": "auto-apply", "rule": rule, "instead": list(instead)}
        case Review(findings):
            return {"is": "review", "findings": to_plain(findings)}
        case Refuse(findings):
            return {"is": "refuse", "findings": to_plain(findings)}
        case _:
            assert_never(verdict)


def _verdict_from_json(raw: Json) -> Verdict:
    if raw["is"] == "auto-apply":
        return AutoApply(raw["rule"], tuple(raw.get("instead", ())))
    findings = tuple(from_plain(Finding, finding) for finding in raw["findings"])
    return Refuse(findings) if raw["is"] == "refuse" else Review(findings)


def effects_to_json(effects: Iterable[Effect]) -> list[Json]:
    """Each effect as an object."""
    return [to_plain(effect) for effect in effects]


def effects_from_json(raw: Iterable[Json]) -> tuple[Effect, ...]:
    """The effects that `effects_to_json` was given."""
    return tuple(from_plain(Effect, item) for item in raw)


def actor_to_json(actor: Actor) -> Json:
    """An actor, as an object; earlier rows have no ancestry, and one without any has none now."""
    body: Json = to_plain(actor)
    return body if actor.ancestry else {k: v for k, v in body.items() if k != "ancestry"}


def actor_from_json(raw: Json) -> Actor:
    """The actor that `actor_to_json` was given."""
    return from_plain(Actor, raw)


def seal_to_json(seal: Seal | None) -> Json | None:
    """An operator's signature, as an object."""
    body: Json | None = to_plain(seal)
    return body


def seal_from_json(raw: Json | None) -> Seal | None:
    """The seal that `seal_to_json` was given."""
    return None if raw is None else from_plain(Seal, raw)


def marks_to_json(marks: Marks) -> Json:
    """Marks as microseconds since 1970; null where nobody has looked."""
    everything = None if marks.everything is None else _micros(marks.everything)
    documents = {path: _micros(at) for path, at in sorted(marks.documents.items())}
    return {"everything": everything, "documents": documents}


def marks_from_json(raw: Mapping[str, Any]) -> Marks:
    """The marks that `marks_to_json` was given."""
    everything = raw["everything"]
    return Marks(
        None if everything is None else _EPOCH + timedelta(microseconds=everything),
        {path: _EPOCH + timedelta(microseconds=at) for path, at in raw["documents"].items()},
    )


def _micros(moment: datetime) -> int:
    if moment.tzinfo is None:
        raise ValueError(f"a time needs a zone: {moment!r}")
    return (moment - _EPOCH) // timedelta(microseconds=1)


def _pack(value: object) -> object:
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode("ascii")}
    return value


def _unpack(value: Any) -> Any:
    if isinstance(value, dict):
        return base64.b64decode(value["base64"], validate=True)
    return tuple(value) if isinstance(value, list) else value
