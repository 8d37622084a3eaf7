"""What proposals have in common, as rules: each feature has words and the scope of a rule.

The set is small on purpose. A person reads the words and knows what the rule does.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from enum import StrEnum
from itertools import islice
from typing import Final, TypeAlias, assert_never

from reviewdeck.model import Kind, Proposal, added_text
from reviewdeck.policy.own_rules import BadPattern, RuleScope, path_of, read_pattern
from reviewdeck.text.redact import redact, secret_places
from reviewdeck.text.terms import is_telling
from reviewdeck.values import dataclass

READ: Final = 4_000
"""Characters of a text in which hosts and phrases are looked for."""
_SECRET: Final = 2_000
"""Characters behind them in which a secret may end."""
MOST_WORDS: Final = 3
"""Words of a phrase."""
MOST_PHRASES: Final = 2_000
"""Phrases of one proposal."""

_VALUES: Final = {
    "ticket": ("name a ticket (as ABC-123)", r"\b[A-Z]{2,10}-[0-9]{1,6}\b"),
    "issue": ("name an issue by number (as #123)", r"(?:^|[\s(])#[0-9]{1,6}\b"),
    "mail-address": ("have a mail address", r"\b[\w.+-]{1,64}@[\w-]{1,63}\.[a-zA-Z]"),
    "link": ("have a link", r"(?i)\bhttps?://"),
    "date": ("have a date (as 2026-03-01)", r"\b[12][0-9]{3}-[01][0-9]-[0-3][0-9]\b"),
    "time": ("have a time of day (as 14:30)", r"\b[0-2]?[0-9]:[0-5][0-9]\b"),
    "version": ("name a version (as 1.4.2)", r"\bv?[0-9]{1,4}\.[0-9]{1,4}\.[0-9]{1,4}\b"),
    "commit": ("name a commit", r"(?i)\bcommit [0-9a-f]{7,40}\b"),
    "address": ("have an IP address", r"\b[0-9]{1,3}(?:\.[0-9]{1,3}){3}\b"),
    "money": ("have an amount of money", r"[$€£] ?[0-9]|[0-9] ?(?:EUR|USD|GBP|CHF)\b"),
    "path": ("name a path (as /srv/data)", r"(?:^|[\s(`'\"])~?/[\w.-]{1,64}/[\w.-]"),
}
"""By name: the words, and a pattern that RE2 and Python read alike."""
_HOST: Final = re.compile(
    r"(?i)(?:https?://|[\w+-]@)((?:[a-z0-9-]{1,63}\.){1,6}[a-z]{2,24})(?![\w.-]*@)\b"
)
_WORD: Final = re.compile(r"[^\W_]+")
_GLOB: Final = frozenset("*?[")
_EDGE: Final = r"[^\pL\pN]"


class Trait(StrEnum):
    """What a feature is about, the most telling first."""

    VALUE = "value"
    """A kind of value that the text names, such as a ticket."""
    HOST = "host"
    PHRASE = "phrase"
    SKILL = "skill"
    DOCUMENT = "document"
    ACTION = "action"
    ORIGIN = "origin"
    """The origin that the record claims."""

    @property
    def rank(self) -> int:
        """Its place among the others."""
        return list(Trait).index(self)


Key: TypeAlias = tuple[Trait, tuple[str, ...]]
"""A feature before it is a rule: what it is about, and its words."""


@dataclass(frozen=True, slots=True)
class Feature:
    """Something that a rule can be about."""

    name: str
    """The rule's name."""
    words: str
    """The words after "proposals that"."""
    scope: RuleScope


def keys_of(proposal: Proposal) -> frozenset[Key]:
    """The values, hosts, phrases and places of one proposal."""
    text = "\n".join(text for edit in proposal.edits if (text := added_text(edit)))
    text = _without_secrets(text[: READ + _SECRET])[:READ]
    hosts = {match.group(1).lower() for match in _HOST.finditer(text)}
    keys: set[Key] = {(Trait.HOST, (host,)) for host in hosts}
    keys |= {
        (Trait.VALUE, (name,)) for name, (_, pattern) in _VALUES.items() if re.search(pattern, text)
    }
    keys |= {(Trait.PHRASE, phrase) for phrase in islice(_phrases(text), MOST_PHRASES)}
    if _is_plain(proposal.action):
        keys.add((Trait.ACTION, (str(proposal.kind), proposal.action)))
    if _is_plain(proposal.origin):
        keys.add((Trait.ORIGIN, (proposal.origin,)))
    if proposal.kind is Kind.SKILLS:
        places: set[Key] = {(Trait.SKILL, (proposal.target,))}
    else:
        places = {(Trait.DOCUMENT, (path_of(edit),)) for edit in proposal.edits}
    return frozenset(keys | {key for key in places if _is_plain(key[1][0])})


def _without_secrets(text: str) -> str:
    """A text without its secrets: a word of one looks like none, and a rule would tell it."""
    kept, at = [], 0
    for start, end in secret_places(text):
        kept.append(text[at:start])
        at = end
    return "\n".join([*kept, text[at:]])


def feature_of(key: Key) -> Feature | None:
    """The feature of a key; None for one that cannot be a rule: it has a secret, or no pattern."""
    trait, words = key
    try:
        match trait:
            case Trait.VALUE:
                named, source = _VALUES[words[0]]
                found = f"names-{words[0]}", named, RuleScope(pattern=read_pattern(source))
            case Trait.HOST:
                pattern = read_pattern(rf"(?i)\b{re.escape(words[0])}\b")
                found = f"names-{words[0]}", f"name the host {words[0]}", RuleScope(pattern=pattern)
            case Trait.PHRASE:
                said = f"{_EDGE}+".join(words)
                pattern = read_pattern(f"(?i)(?:^|{_EDGE}){said}(?:$|{_EDGE})")
                phrase = f"say “{' '.join(words)}”"
                found = f"says-{'-'.join(words)}", phrase, RuleScope(pattern=pattern)
            case Trait.SKILL:
                scope = RuleScope(kinds=(str(Kind.SKILLS),), targets=words)
                found = f"skill-{words[0]}", f"change the skill {words[0]}", scope
            case Trait.DOCUMENT:
                found = f"in-{words[0]}", f"change {words[0]}", RuleScope(paths=words)
            case Trait.ACTION:
                kind, action = words
                scope = RuleScope(kinds=(kind,), actions=(action,))
                found = f"{kind}-{action}", f"have the action {action} ({kind})", scope
            case Trait.ORIGIN:
                claim = f"say that they come from {words[0]}"
                found = f"from-{words[0]}", claim, RuleScope(origins=words)
            case _:
                assert_never(trait)
    except BadPattern:
        return None
    name, said_of, scope = found
    return None if redact(said_of) != said_of else Feature(_slug(name), said_of, scope)


def _phrases(text: str) -> Iterator[tuple[str, ...]]:
    """Runs of words in one line that begin and end with a telling word, the longest first."""
    lines = [[match.group().lower() for match in _WORD.finditer(line)] for line in text.split("\n")]
    for length in range(MOST_WORDS, 0, -1):
        for words in lines:
            for at in range(len(words) - length + 1):
                phrase = tuple(words[at : at + length])
                if is_telling(phrase[0]) and is_telling(phrase[-1]):
                    yield phrase


def _is_plain(value: str) -> bool:
    """Whether a glob of these characters is about this value alone, and can be read."""
    return value.isprintable() and 0 < len(value) <= 120 and not _GLOB & set(value)


def _slug(name: str) -> str:
    """A rule's name of these words: small letters, digits and dashes."""
    ascii_only = unicodedata.normalize("NFKD", name.lower()).encode("ascii", "ignore").decode()
    plain = re.sub(r"[^a-z0-9]+", "-", ascii_only).strip("-")
    return plain[:48].strip("-") or "rule"


def free_name(name: str, taken: Collection[str]) -> str:
    """This name, or with a number behind it that makes it another one."""
    numbered = (f"{name}-{number}" for number in range(2, len(taken) + 3))
    return next(each for each in (name, *numbered) if each not in taken)
