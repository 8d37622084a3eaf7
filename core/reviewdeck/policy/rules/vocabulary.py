"""The words and phrases that the rules look for, read from `patterns.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
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
    """What a class has that begins with one word, and a pattern of what follows it."""

    of: str
    head: str
    rest: str
    is_word: bool
    """Whether the word alone is one."""


class Vocabulary:
    """All of them, with a bit for each class of words and for the words of each phrase."""

    def __init__(self, read: Mapping[str, Any]) -> None:
        self.listed = {name: frozenset(words.split()) for name, words in read["listed"].items()}
        self._parts: Mapping[str, str] = read["parts"]
        self._bits = {words: 1 << number for number, words in enumerate(read["words"])}
        self._triggers: dict[str, int] = {}
        self._heads: dict[str, list[Term]] = {}
        self._unspaced: dict[str, list[tuple[str, str]]] = {}
        self._met: dict[str, tuple[int, Sequence[Term]]] = {}
        for words, terms in read["words"].items():
            self._add(words, fold(terms)[0].split())
        self._phrases = tuple(self._listed(read))
        self._possible = lru_cache(maxsize=4096)(self._possible_in)

    def _add(self, words: str, terms: Sequence[str]) -> None:
        rests: dict[str, list[str]] = {}
        for term in terms:
            if _UNSPACED.search(term):
                self._unspaced.setdefault(term[0], []).append((term.replace("_", " "), words))
                continue
            head, *rest = re.split(r"[_.'-]", term)
            parts = (re.escape(part).replace(r"\*", r"[^\W_]*") for part in rest)
            rests.setdefault(head, []).append("".join(rf"[\W_]++{part}" for part in parts))
        for head, found in rests.items():
            others = "|".join(sorted(found, reverse=True))
            pattern = rf"(?:{others})(?![^\W_])"
            self._heads.setdefault(head[:3], []).append(Term(words, head, pattern, "" in found))

    def _listed(self, read: Mapping[str, Any]) -> Iterator[Listed]:
        for rule, groups in read["phrases"].items():
            for group in groups:
                is_memory_only = group.get("memory_only", False)
                for one in group.get("near", ()):
                    near = Near(group["says"], **{**one, "words": tuple(one["words"].split())})
                    yield Listed(self.bits(*near.words), rule, near, is_memory_only)
                for one in group.get("follows", ()):
                    yield self._follows(rule, group["says"], one["on"], one["then"], is_memory_only)
        called = {
            on: rf" (?:-\S+ |--user )?(?:{one})(?![\w-])" for on, one in read["subcommands"].items()
        }
        for on, then in (*called.items(), *read["calls"].items()):
            yield self._follows("call", read["phrases"]["call"][0]["says"], on, then, False)

    def _follows(self, rule: str, says: str, on: str, then: str, is_memory_only: bool) -> Listed:
        for name, part in self._parts.items():
            then = then.replace(f"<<{name}>>", part)
        bit = self._bits[f"{rule}: {on} {then}"] = 1 << len(self._bits)
        words = frozenset(on.split())
        for word in words:
            self._triggers[word] = self._triggers.get(word, 0) | bit
        return Listed(bit, rule, Follows(says, words, then.replace(" ", r"\s+")), is_memory_only)

    @lru_cache(maxsize=256)  # noqa: B019 - there is one vocabulary
    def bits(self, *classes: str) -> int:
        """The bits of a text with words of all these classes."""
        return sum(self._bits[words] for words in set(classes))

    def bits_of(self, words: Set[str]) -> int:
        """The bits of a text with these words."""
        bits, met = 0, self._met
        for word in words:
            bits |= (met.get(word) or self.of_word(word))[0]
        return bits

    def of_word(self, word: str) -> tuple[int, Sequence[Term]]:
        """The bits of a word, and the terms that begin with it."""
        known = self._met.get(word)
        if known is None:
            if len(self._met) >= _MET:
                self._met.clear()
            terms = [one for one in self._heads.get(word[:3], ()) if _is_word(word, one.head)]
            bits = self._triggers.get(word, 0)
            for term in terms:
                bits |= self._bits[term.of]
            known = self._met[word] = bits, terms
        return known

    def unspaced_in(self, text: str) -> Mapping[str, Sequence[str]]:
        """By class, the terms of scripts without spaces that stand in a text."""
        found: dict[str, list[str]] = {}
        if not text.isascii() and _UNSPACED.search(text):
            for first in self._unspaced.keys() & set(text):
                for term, words in self._unspaced[first]:
                    if term in text:
                        found.setdefault(words, []).append(term)
        return found

    def possible(self, bits: int) -> Sequence[Listed]:
        """The phrases that a text with words of these bits may have: mostly none."""
        return self._possible(bits)

    def _possible_in(self, bits: int) -> Sequence[Listed]:
        return [one for one in self._phrases if bits & one.needs == one.needs]


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
