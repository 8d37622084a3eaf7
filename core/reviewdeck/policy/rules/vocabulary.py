"""The words and phrases that the rules look for, read from `patterns.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from itertools import chain
from typing import Any, Final, NamedTuple, TypeAlias

from reviewdeck.policy.rules.folding import fold

_MET: Final = 65_536
"""Words of which is kept what begins with them."""
_UNSPACED: Final = re.compile("[\u0590-\u1fff\u3040-\uffff]")
"""Letters of scripts whose words are looked for inside of others."""


@dataclass(frozen=True, slots=True)
class Near:
    """Words of several classes close together in one clause, and what they mean."""

    says: str
    words: tuple[str, ...]
    """The classes."""
    within: int = 10
    """Words from the first to the last."""
    in_order: bool = False
    unless_negated: bool = False
    """Whether `never`, just before it, turns it into good advice."""
    is_order: bool = False
    """Whether it counts only where an order begins."""
    parted_by: str = ""
    """What may not stand between them: `code`, `stop`, `sentence`, or nothing special."""


@dataclass(frozen=True, slots=True)
class Follows:
    """One of these words with what follows it."""

    says: str
    on: frozenset[str]
    then: str


Phrase: TypeAlias = Near | Follows


class Listed(NamedTuple):
    """A phrase, the rule that looks for it, and the bits of the words that it needs."""

    needs: int
    rule: str
    phrase: Phrase
    is_memory_only: bool


class Term(NamedTuple):
    """What a class has that begins with one word."""

    of: str
    head: str
    is_word: bool
    """Whether the word alone is one."""
    rests: Mapping[str, Sequence[Sequence[str]]]
    """What follows it otherwise, the longest first, by the next word, or by `*`."""

    def last(self, words: Sequence[str], at: int) -> int | None:
        """The place of its last word in a text that has the first one there."""
        if self.rests and at + 1 < len(words):
            following = self.rests.get(words[at + 1], ())
            for rest in (*following, *self.rests.get("*", ())):
                follow = words[at + 1 : at + 1 + len(rest)]
                if len(follow) == len(rest) and all(map(_is_word, follow, rest)):
                    return at + len(rest)
        return at if self.is_word else None


class Words(NamedTuple):
    """The words of a text."""

    parts: Sequence[str]
    """In order, and an empty one for each further character between two of them."""
    sought: Set[str]
    """Those that begin something which the rules look for."""
    unspaced: Mapping[str, Sequence[str]]
    """By class, the terms of scripts without spaces."""
    bits: int
    """A bit for each class of which a word may stand here, and for each phrase."""


class Begun(NamedTuple):
    """What begins with one word."""

    bits: int
    """The bits of phrases, and of the classes of which it is a whole term."""
    going_on: Sequence[tuple[int, Set[str]]]
    """The bits of classes with terms that need more words, and the next ones; none for any."""
    terms: Mapping[str, Sequence[Term]]
    """All terms, by class."""


class _Met(NamedTuple):
    """The words of texts so far. Both are only added to: another thread may read them."""

    words: set[str]
    begun: dict[str, Begun]
    """What begins with those with which something does."""


_NO_WORDS: Final = Words((), frozenset(), {}, 0)
_NOTHING: Final = Begun(0, (), {})


class Possible(NamedTuple):
    """What a text may have."""

    phrases: Sequence[Listed]
    rules: int
    """The bits of the rules of these phrases."""


class Vocabulary:
    """All of them, with a bit for each class of words and for the words of each phrase."""

    def __init__(self, read: Mapping[str, Any]) -> None:
        self.listed = {name: frozenset(words.split()) for name, words in read["listed"].items()}
        self._parts: Mapping[str, str] = read["parts"]
        self._bits = {words: 1 << number for number, words in enumerate(read["words"])}
        self._triggers: dict[str, int] = {}
        self._heads: dict[str, list[Term]] = {}
        self._unspaced: dict[str, list[tuple[str, str]]] = {}
        self._met = _Met(set(), {})
        for words, terms in read["words"].items():
            self._add(words, fold(terms)[0].split())
        sizes = {self._bits[name]: len(terms) for name, terms in read["words"].items()}
        self._by_rarest: dict[int, list[tuple[int, Listed]]] = {}
        """The phrases with their numbers, each by the words of it that are the fewest."""
        self.phrases = tuple(self._listed(read))
        for number, one in enumerate(self.phrases):
            rarest = min(_single(one.needs), key=lambda bit: sizes.get(bit, 0))
            self._by_rarest.setdefault(rarest, []).append((number, one))
        self._rarest = sum(self._by_rarest)
        first = len(self._bits)
        self._rules = {rule: 1 << first + at for at, rule in enumerate(read["phrases"])}
        self._possible = lru_cache(maxsize=4096)(self._possible_in)

    def _add(self, words: str, terms: Sequence[str]) -> None:
        heads: dict[str, list[list[str]]] = {}
        for term in terms:
            if _UNSPACED.search(term):
                self._unspaced.setdefault(term[0], []).append((term.replace("_", " "), words))
                continue
            head, *following = re.split(r"[_.'-]", term)
            heads.setdefault(head, []).append(following)
        for head, found in heads.items():
            rests: dict[str, list[list[str]]] = {}
            for rest in sorted(filter(None, found), reverse=True):
                rests.setdefault("*" if rest[0].endswith("*") else rest[0], []).append(rest)
            self._heads.setdefault(head[:3], []).append(Term(words, head, [] in found, rests))

    def _listed(self, read: Mapping[str, Any]) -> Iterator[Listed]:
        for rule, groups in read["phrases"].items():
            for group in groups:
                is_memory_only = group.get("memory_only", False)
                for one in group.get("near", ()):
                    near = Near(group["says"], **{**one, "words": tuple(one["words"].split())})
                    yield Listed(self.bits(*near.words), rule, near, is_memory_only)
                for one in group.get("follows", ()):
                    yield self._follows(rule, group["says"], is_memory_only, **one)
        called = {
            on: rf" (?:-\S+ |--user )?(?:{one})(?![\w-])" for on, one in read["subcommands"].items()
        }
        says = read["phrases"]["call"][0]["says"]
        for on, then in (*called.items(), *read["calls"].items()):
            yield self._follows("call", says, False, on=on, then=then)

    def _follows(self, rule: str, says: str, is_memory_only: bool, /, **one: str) -> Listed:
        """A phrase of these words, and those of which one is in whatever follows them."""
        on, then = one["on"], one["then"]
        for name, part in self._parts.items():
            then = then.replace(f"<<{name}>>", part)
        needs = 0
        for key in ("on", "with") if "with" in one else ("on",):
            bit = self._bits[f"{rule}: {key} {on} {then}"] = 1 << len(self._bits)
            for word in one[key].split():
                self._triggers[word] = self._triggers.get(word, 0) | bit
            needs |= bit
        follows = Follows(says, frozenset(on.split()), then.replace(" ", r"\s+"))
        return Listed(needs, rule, follows, is_memory_only)

    @lru_cache(maxsize=256)  # noqa: B019 - there is one vocabulary
    def bits(self, *classes: str) -> int:
        """The bits of a text with words of all these classes."""
        return sum(self._bits[words] for words in set(classes))

    def rule_bits(self, *rules: str) -> int:
        """The bits of a text with words of a phrase of each of these rules."""
        return sum(self._rules[rule] for rule in rules)

    def triggers(self, words: Set[str]) -> frozenset[str]:
        """Those of the words with which something begins."""
        met = self._met
        if len(met.words) > _MET:
            met = self._met = _Met(set(), {})
        if not words <= met.words:
            for word in words - met.words:
                if word[:3] in self._heads or word in self._triggers:
                    self._keep(word, met)
            met.words.update(words)
        return frozenset(met.begun.keys() & words)

    def words(self, parts: Sequence[str], triggers: frozenset[str], unspaced: str) -> Words:
        """The words of a text, of which `triggers` begin something; it has those terms without
        spaces that stand in `unspaced`.
        """
        sought, found = triggers.intersection(parts), self.unspaced_in(unspaced)
        if not (sought or found):
            return _NO_WORDS
        bits, words = self.bits(*found) if found else 0, frozenset(parts)
        for word in sought:
            begun = self.begun_by(word)
            bits |= begun.bits
            for bit, following in begun.going_on:
                if not bits & bit and not (following and following.isdisjoint(words)):
                    bits |= bit
        return Words(parts, sought, found, bits)

    def begun_by(self, word: str) -> Begun:
        """What begins with a word."""
        met = self._met
        return met.begun.get(word) or self._keep(word, met)

    def _keep(self, word: str, met: _Met) -> Begun:
        bits = self._triggers.get(word, 0)
        going_on: list[tuple[int, Set[str]]] = []
        terms: dict[str, list[Term]] = {}
        for term in self._heads.get(word[:3], ()):
            if _is_word(word, term.head):
                terms.setdefault(term.of, []).append(term)
                if term.is_word:
                    bits |= self._bits[term.of]
                else:
                    following = frozenset(() if "*" in term.rests else term.rests)
                    going_on.append((self._bits[term.of], following))
        if not (bits or terms):
            return _NOTHING
        begun = met.begun[word] = Begun(bits, going_on, terms)
        return begun

    def is_whole(self, word: str) -> bool:
        """Whether a word is a whole term of some class."""
        terms = chain.from_iterable(self.begun_by(word).terms.values())
        return any(term.is_word for term in terms)

    def unspaced_in(self, text: str) -> Mapping[str, Sequence[str]]:
        """By class, the terms of scripts without spaces that stand in a text."""
        found: dict[str, list[str]] = {}
        if not text.isascii() and _UNSPACED.search(text):
            for first in self._unspaced.keys() & set(text):
                for term, words in self._unspaced[first]:
                    if term in text:
                        found.setdefault(words, []).append(term)
        return found

    def possible(self, bits: int, is_memory: bool) -> Possible:
        """The phrases that a text with words of these bits may have: mostly none."""
        return self._possible(bits, is_memory)

    def _possible_in(self, bits: int, is_memory: bool) -> Possible:
        filed = (each for bit in _single(bits & self._rarest) for each in self._by_rarest[bit])
        phrases = [
            one
            for _, one in sorted(filed)
            if bits & one.needs == one.needs and (is_memory or not one.is_memory_only)
        ]
        return Possible(phrases, self.rule_bits(*{one.rule for one in phrases}))


def _single(bits: int) -> Iterator[int]:
    while bits:
        lowest = bits & -bits
        yield lowest
        bits ^= lowest


def _is_word(word: str, head: str) -> bool:
    return word.startswith(head[:-1]) if head.endswith("*") else word == head


@lru_cache(maxsize=1)
def vocabulary() -> Vocabulary:
    """The one of `patterns.toml`, read when a text is first judged."""
    source = resources.files("reviewdeck.policy.rules").joinpath("patterns.toml")
    return Vocabulary(tomllib.loads(source.read_text("utf-8")))


@lru_cache(maxsize=1024)
def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern, compiled when a text first has the word in front of it."""
    return re.compile(pattern)
