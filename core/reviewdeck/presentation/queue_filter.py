"""The filter of the queue: fields and words, with NOT, OR and comparisons. Pure.

Fields are matched exactly, words fuzzily: a word that stands nowhere as typed is tried again as
misspelt. It works in steps, so that a newer filter can cancel it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from rapidfuzz import fuzz, process

from reviewdeck.model import CheckName, Kind, Outline, Severity, State
from reviewdeck.presentation.words import origin_word, state_word

STEP: Final = 2_000
"""Proposals between two checks for cancellation."""
SIMILAR: Final = 80.0
"""Similarity, 0 to 100, from which a misspelt word matches one of the text."""
SIMILAR_FIELD: Final = 82.0
"""Similarity, 0 to 100, from which a misspelt name of a field is told from a word of the text."""
SHORTEST_FUZZY: Final = 4
"""Letters of a word from which it may be misspelt."""
LONGEST_FUZZY: Final = 64

Test: TypeAlias = Callable[[Outline], bool]

_TOKEN: Final = re.compile(r'(?:[^\s"]|"[^"]*"?)+')
_AGE: Final = re.compile(r"([<>]?)(\d{1,6})([mhdw])")
_SECONDS: Final = {"m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_FIELD: Final = re.compile(r"-?([a-z]+):")
_BESIDE_OR: Final = "A filter is missing beside OR."
FACETS: Final = ("state", "kind", "origin", "home", "host", "session", "action", "target")
"""The fields whose value may be typed in part: ``state:conf``."""


@dataclass(frozen=True, slots=True)
class FilterTerm:
    """One condition of a filter."""

    field: str
    """Its field; empty for a word of the text."""
    value: str
    """In lower case."""
    is_negated: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """A filter: proposals that meet all conditions of one of the alternatives."""

    alternatives: tuple[tuple[FilterTerm, ...], ...]
    problem: str = ""
    """Why a field or a value cannot be used, so that nothing matches; empty if all can."""
    gap: str = ""
    """What is not typed yet, so that more matches than the whole filter will; empty if whole."""


def parse(words: str) -> Query:
    """``state:conflict NOT tests OR severity:high age:>3d`` as a query."""
    alternatives: list[list[FilterTerm]] = [[]]
    is_negated, problem, gap = False, "", ""
    for token in _TOKEN.findall(words):
        match token:
            case "OR":
                gap = gap or ("" if alternatives[-1] and not is_negated else _BESIDE_OR)
                alternatives.append([])
            case "NOT":
                is_negated = not is_negated
            case _:
                condition = _condition(token, is_negated=is_negated)
                problem = problem or _problem(condition, token)
                gap = gap or ("" if condition.value else f"{token} has no value.")
                alternatives[-1].append(condition)
                is_negated = False
    if is_negated:
        gap = gap or "Nothing follows NOT."
    elif len(alternatives) > 1 and not alternatives[-1]:
        gap = gap or _BESIDE_OR
    whole = tuple(tuple(dict.fromkeys(conditions)) for conditions in alternatives if conditions)
    return Query(whole, problem, gap)


def matching(
    query: Query,
    outlines: Mapping[str, Outline],
    homes: Mapping[str, str],
    now: datetime,
    *,
    hosts: Mapping[str, str] = MappingProxyType({}),
    texts: dict[str, str] | None = None,
    is_over: Callable[[], bool] = lambda: False,
    is_fuzzy: bool = True,
) -> frozenset[str] | None:
    """The ids of the outlines that a query matches; None when cancelled.

    `homes` has the name of each home, `hosts` that of its machine, `texts` keeps what is searched
    for the next query. Unless `is_fuzzy`, a misspelt word matches nothing.
    """
    if query.problem:
        return frozenset()  # With NOT, what cannot be used would match everything.
    found = set[str]()
    searched = {} if texts is None else texts
    try:
        places = _Places(homes, hosts)
        _fill(searched, outlines, places, is_over)
        for conditions in query.alternatives:
            ids: Sequence[str] = list(outlines)
            # Fields first: they are quick, and leave less to search.
            for condition in sorted(conditions, key=lambda condition: not condition.field):
                if not ids:
                    break
                hits = _hits(condition, ids, outlines, searched, places, now, is_over)
                if not hits and is_fuzzy and _may_be_misspelt(condition, searched):
                    hits = set(_misspelt(condition.value, ids, searched, is_over))
                ids = [id for id in ids if (id in hits) is not condition.is_negated]
            found.update(ids)
    except _Cancelled:
        return None
    return frozenset(found)


class _Cancelled(Exception):
    pass


class _Places(NamedTuple):
    """The names of homes and of their machines, by home."""

    homes: Mapping[str, str]
    hosts: Mapping[str, str]


def _hits(
    condition: FilterTerm,
    ids: Sequence[str],
    outlines: Mapping[str, Outline],
    texts: Mapping[str, str],
    homes: _Places,
    now: datetime,
    is_over: Callable[[], bool],
) -> set[str]:
    """Those of the proposals that have what a condition names, as it is typed."""
    if condition.field:
        test = _test(condition, homes, now)
        return {id for part in _parts(ids, is_over) for id in part if test(outlines[id])}
    return {id for part in _parts(ids, is_over) for id in part if condition.value in texts[id]}


def _fill(
    texts: dict[str, str],
    outlines: Mapping[str, Outline],
    homes: _Places,
    is_over: Callable[[], bool],
) -> None:
    """By id, what a word is searched in: gist, ids, the values of the fields, and the reason."""
    if len(texts) == len(outlines):
        return
    for part in _parts([id for id in outlines if id not in texts], is_over):
        for id in part:
            outline = outlines[id]
            gist, values = (
                " ".join(outline.gist.split()),
                " ".join(_values(outline, homes).values()),
            )
            text = f"{gist} {outline.source_id} {id} {values} {outline.reason}"
            texts[id] = text.casefold()


def _misspelt(
    word: str, ids: Sequence[str], texts: Mapping[str, str], is_over: Callable[[], bool]
) -> Iterator[str]:
    for part in _parts(ids, is_over):
        similar = process.extract(
            word,
            [texts[id] for id in part],
            scorer=fuzz.partial_ratio,
            processor=None,
            score_cutoff=SIMILAR,
            limit=None,
        )
        yield from (part[at] for _, _, at in similar)


def _parts(ids: Sequence[str], is_over: Callable[[], bool]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), STEP):
        if is_over():
            raise _Cancelled
        yield ids[start : start + STEP]


def _condition(token: str, *, is_negated: bool) -> FilterTerm:
    """A word, or a field with its value; a field takes a minus for NOT as well."""
    name, colon, value = token.removeprefix("-").partition(":")
    if colon and (name in FACETS or name in _COMPARED):
        is_negated ^= token.startswith("-")
        return FilterTerm(name, value.replace('"', "").casefold(), is_negated)
    return FilterTerm("", token.replace('"', "").casefold(), is_negated)


def _values(outline: Outline, places: _Places) -> dict[str, str]:
    return {
        "state": outline.state,
        "kind": outline.kind,
        "origin": origin_word(outline.origin),
        "home": places.homes.get(outline.home, ""),
        "host": places.hosts.get(outline.home, ""),
        "session": outline.session,
        "action": outline.action,
        "target": outline.target,
    }


def _test(condition: FilterTerm, homes: _Places, now: datetime) -> Test:
    if not condition.value:
        return lambda _: True  # It is still being typed.
    compared = _COMPARED.get(condition.field)
    if compared is not None:
        return compared[0](condition.value, now) or (lambda _: False)

    def test(outline: Outline) -> bool:
        values = [_values(outline, homes)[condition.field]]
        if condition.field == "state":  # By its name, and by the word that the lists have for it.
            values.append(state_word(outline.state))
        return any(value.casefold().startswith(condition.value) for value in values)

    return test


def _problem(condition: FilterTerm, token: str) -> str:
    """Why the value of a field cannot be used, or which field a token means that names none."""
    field, value = condition.field, condition.value
    if not field and (match := _FIELD.match(token)):
        # With NOT, a field that is misspelt would match everything.
        names = [name for name in (*FACETS, *_COMPARED) if name[0] == match[1][0]]
        similar = process.extractOne(match[1], names, scorer=fuzz.ratio, score_cutoff=SIMILAR_FIELD)
        return f"There is no field {match[1]}: did you mean {similar[0]}?" if similar else ""
    if not value:
        return ""
    if field in _COMPARED:
        make, usage = _COMPARED[field]
        return "" if make(value, datetime.min) else f"{field}: takes {usage}."
    words = _CLOSED.get(field)
    if words is None or any(word.startswith(value) for word in words):
        return ""
    return f"{field}: takes {', '.join(words)}."


_CLOSED: Final[Mapping[str, Sequence[str]]] = {
    "state": tuple(dict.fromkeys(word for one in State for word in (one, state_word(one)))),
    "kind": tuple(Kind),
}
"""The fields whose values are known, and these."""


def _older(value: str, now: datetime) -> Test | None:
    age = _AGE.fullmatch(value)
    if age is None:
        return None
    sign, amount, unit = age.groups()
    since = (int(amount) * _SECONDS[unit]) * 1_000_000

    def test(outline: Outline) -> bool:
        passed = now.timestamp() * 1_000_000 - outline.created
        return passed < since if sign == "<" else passed >= since

    return test


def _at_least(value: str, _: datetime) -> Test | None:
    rank = next((one.rank for one in Severity if one.startswith(value)), None)
    return None if rank is None else lambda outline: outline.gravity >= rank


def _fails(value: str, _: datetime) -> Test | None:
    names = [name for name in CheckName if name.startswith(value)]
    return (lambda outline: any(name in outline.failing for name in names)) if names else None


_COMPARED: Final[Mapping[str, tuple[Callable[[str, datetime], Test | None], str]]] = {
    "age": (_older, "3h, 2d or 1w, with < for newer"),
    "severity": (_at_least, ", ".join(Severity)),
    "check": (_fails, ", ".join(CheckName)),
}
"""The fields with a test of their own, and the values that they take."""


def _may_be_misspelt(condition: FilterTerm, texts: Mapping[str, str]) -> bool:
    """A short word would match anything, and NOT means the word as it is typed."""
    if (
        condition.field
        or condition.is_negated
        or not SHORTEST_FUZZY <= len(condition.value) <= LONGEST_FUZZY
    ):
        return False
    return not any(condition.value in text for text in texts.values())
