"""What the checks said of a proposal, as it is stored: verdict, answers, origin, what was seen."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, assert_never

from pydantic import TypeAdapter
from sqlalchemy import Connection, bindparam, select, text

from reviewdeck.ledger import pass_sql
from reviewdeck.ledger.cells import dump, shield, unshield
from reviewdeck.ledger.database import LedgerPart, asked, chunks
from reviewdeck.ledger.faults import decoding
from reviewdeck.ledger.list_sql import OPEN_SQL
from reviewdeck.ledger.tables import JudgementRow, table_of
from reviewdeck.model import (
    AutoApply,
    Check,
    Currency,
    Finding,
    Judgement,
    Origin,
    Refuse,
    Review,
    Room,
    Verdict,
)
from reviewdeck.model.codec import answers_to_json
from reviewdeck.ports import Staging

_TABLE = table_of(JudgementRow)
_PUT = text(f"""
    INSERT INTO judgement (proposal, policy, is_settled, marks, body)
    SELECT :proposal, :policy, :is_settled, :marks, :body
    WHERE EXISTS (SELECT 1 FROM proposal WHERE id = :proposal AND {OPEN_SQL})
    ON CONFLICT (proposal) DO UPDATE SET
        policy = excluded.policy, is_settled = excluded.is_settled,
        marks = excluded.marks, body = excluded.body
""")  # noqa: S608 - constant states
"""What was decided keeps the judgement that it was decided by."""
_ONE = select(_TABLE.c.body).where(_TABLE.c.proposal == bindparam("of"))


class SqlJudgements(LedgerPart):
    """Reads what was judged."""

    def origins(self, proposals: Collection[str], policy: str) -> Mapping[str, Origin]:
        """Where these proposals come from, as it was found for good under this policy file."""
        ids = dump([shield(id) for id in proposals])
        with self._storage.viewing() as session, decoding("A judgement"):
            rows = asked(session, pass_sql.ORIGINS, ids, policy)
            read = _adapter(_PARTS["origin"]).validate_json
            return {unshield(id): origin for id, text in rows if (origin := read(text))}

    def judgement(self, proposal: str) -> Judgement | None:
        """What was judged last of a proposal while it waited; None for what nobody judged."""
        with self._storage.viewing() as session, decoding("A judgement"):
            body = session.scalar(_ONE, {"of": proposal})
            return None if body is None else judgement_from_json(body)

    def sessions(self, proposals: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """By proposal, the conversations that it came from, as far as any is known."""
        found: dict[str, tuple[str, ...]] = {}
        with self._storage.viewing() as session, decoding("A judgement"):
            for chunk in chunks(proposals):
                query = select(_TABLE.c.proposal, _TABLE.c.body).where(_TABLE.c.proposal.in_(chunk))
                for id, body in session.execute(query):
                    origin = body["origin"]
                    found[id] = tuple(origin["sessions"]) if origin else ()
        return found


def store_judgements(connection: Connection, stagings: Iterable[Staging]) -> None:
    """Stores what was judged with these, in the caller's transaction."""
    rows = [
        {
            "proposal": one.proposal,
            "policy": one.judged_by,
            "is_settled": one.judgement.origin is None or one.judgement.origin.is_settled,
            "marks": dump(answers_to_json(one.judgement.marks)),
            "body": dump(judgement_to_json(one.judgement)),
        }
        for one in stagings
        if one.judgement is not None
    ]
    if rows:
        connection.execute(_PUT, rows)


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


_PARTS = {
    "checks": tuple[Check, ...],
    "origin": Origin | None,
    "currency": tuple[Currency, ...],
    "said": str,
    "room": Room | None,
    "closest": str,
}


def judgement_to_json(judgement: Judgement) -> dict[str, Any]:
    """A judgement as an object of plain values."""
    body = {
        name: _adapter(kind).dump_python(getattr(judgement, name), mode="json")
        for name, kind in _PARTS.items()
    }
    return body | {"verdict": _verdict_to_json(judgement.verdict)}


def judgement_from_json(raw: Mapping[str, Any]) -> Judgement:
    """The judgement that `judgement_to_json` was given."""
    if "closest" not in raw:
        # Stored when both were one: nothing tells that the user said it.
        raw = {**raw, "said": "", "closest": raw["said"]}
    parts = {name: _adapter(kind).validate_python(raw[name]) for name, kind in _PARTS.items()}
    return Judgement(_verdict_from_json(raw["verdict"]), **parts)


def _verdict_to_json(verdict: Verdict) -> dict[str, Any]:
    match verdict:
        case AutoApply(rule):
            return {"is": "auto-apply", "rule": rule}
        case Review(findings):
            return {"is": "review", "findings": _findings().dump_python(findings, mode="json")}
        case Refuse(findings):
            return {"is": "refuse", "findings": _findings().dump_python(findings, mode="json")}
        case _:
            assert_never(verdict)


def _verdict_from_json(raw: Mapping[str, Any]) -> Verdict:
    if raw["is"] == "auto-apply":
        return AutoApply(raw["rule"])
    findings = _findings().validate_python(raw["findings"])
    return Refuse(findings) if raw["is"] == "refuse" else Review(findings)


def _findings() -> TypeAdapter[tuple[Finding, ...]]:
    return _adapter(tuple[Finding, ...])
