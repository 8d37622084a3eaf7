"""Whether a sentence of an entry can be derived from one typed sentence, by a closed list of steps.

No step adds, loses, replaces or moves a word that carries something:

- the sentence verbatim, in any language;
- "user" for "I", with the verb that goes with it;
- words of politeness left out at the ends;
- one clause of several that stand side by side, each with a subject of its own, and without a
  reason, a consequence or an "in case" behind it;
- hyphens and the marks between clauses in one form.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from reviewdeck.origin.phrases import ASKS_LAST, ATTRIBUTED, CONDITIONAL, DOUBTED, words_of
from reviewdeck.origin.wording import ME, MINE, Word, entry_words, is_same, typed_words

EDGE: Final = words_of(
    "hi hello hey ok okay yes yeah thanks please btw well also so note fyi actually great good"
    " fine nice cool perfect hallo moin danke bitte ja übrigens gut super und and"
)
"""Words of politeness, which a sentence may lose at its ends."""
_PARTED: Final = words_of("thanks great good fine nice cool perfect well gut super note")
"""Those that a mark has to part from it: else they say how something is, as in "super glue"."""
_PARTING: Final = words_of(", : – that dass daß")
_REMEMBER: Final = words_of("remember note know fyi merk dir")
_OWN: Final = frozenset({ME, MINE, "we", "our", "wir", "unser", "unsere"})
_SUBJECTS: Final = _OWN | words_of("he she they the one der die das er sie")
BACKWARD: Final = words_of(
    "it this that these those which who whom whose its there so es das dies dieser diese dieses"
    " dem den daran davon damit darauf both either he she they him them her er sie ihn ihm"
)
"""Words that speak of what was said before them."""
_COPULAS: Final = words_of("is are has have am ist sind hat haben bin habe")
_ACTS: Final = _COPULAS | words_of("do does own live work keep use eat drink play run teach read")
_CLAUSE_MARKS: Final = words_of("; –")
_JOINTS: Final = words_of("; and und –")
_REASONS: Final = words_of("because weil")
_CONSEQUENCES: Final = words_of("so")
_ASKS: Final = words_of("please bitte")
_EVERY_TIME: Final = words_of("always immer")
_ANSWERS: Final = words_of("answer reply respond explain antworte erkläre erklär")
"""What is asked of the agent behind a statement, and leaves that as it is."""
_HARD: Final = (CONDITIONAL, DOUBTED, ATTRIBUTED)
"""What binds the clauses beside it as well."""

_TELLS_OF_NOBODY: Final = Word(ME, ME, is_first=True)


def derives(part: str, sentence: str) -> bool:
    """Whether a sentence of an entry follows from a typed sentence."""
    if _bare(part) == _bare(sentence):
        return True
    if ASKS_LAST.search(sentence):
        return False
    typed, entry = typed_words(sentence), entry_words(part)
    if not entry or not typed:
        return False
    forms = [entry]
    if all(word.text not in (ME, MINE) for word in entry):
        me = _TELLS_OF_NOBODY
        forms += [(me, *entry), (*entry[:1], me, *entry[1:])]
    stretches = [*_stretches(typed, sentence)]
    return any(
        _covers(form, stretch, may_end=may_end) for form in forms for stretch, may_end in stretches
    )


def _bare(sentence: str) -> str:
    return sentence.strip().rstrip(".!。").strip()


def _stretches(typed: Sequence[Word], sentence: str) -> Iterator[tuple[Sequence[Word], bool]]:
    """The sentence from each place where a derived one may begin; whether it may end early."""
    binds = _binds(sentence)
    at = 0
    yield typed, not binds
    while at < len(typed) - 1 and (
        (typed[at].text in EDGE - _PARTED)
        or (typed[at].text in _PARTED and typed[at + 1].text in _PARTING)
        or typed[at].text in (",", ":")
        or (at and typed[at].text == "–")
        or (
            typed[at].text in _REMEMBER - _PARTED
            and not any(word.text == ME for word in typed[:at])
        )
        or (at and typed[at].text in ("that", "dass", "daß") and typed[at - 1].text in _REMEMBER)
    ):
        at += 1
        yield typed[at:], not binds
    if binds:
        return
    for place in range(at + 3, len(typed) - 1):
        if typed[place].text in _SUBJECTS - BACKWARD and _is_parted(typed[at:place]):
            yield typed[place:], True


@lru_cache(maxsize=4096)
def _binds(sentence: str) -> bool:
    """Whether something in a sentence binds all of its clauses."""
    return "`" in sentence or any(hard.search(sentence.replace("’", "'")) for hard in _HARD)


def _is_parted(words: Sequence[Word]) -> bool:
    """Whether words end a clause of their own, behind which another one begins."""
    *clause, mark = words
    if mark.text not in _JOINTS and mark.text != ",":
        return False
    if clause and clause[-1].text == ",":
        clause.pop()
    return _is_clause(clause, is_spliced=mark.text == ",")


def _is_clause(words: Sequence[Word], *, is_spliced: bool = False) -> bool:
    """Whether words are surely a main clause: a subject, a verb and something more."""
    texts = [word.text for word in words]
    if sum(text.isalnum() or text in (ME, MINE) for text in texts) < 3:
        return False
    if texts[0] in (ME, "we", "wir"):
        return not is_spliced or texts[1] in _ACTS
    return texts[0] in _SUBJECTS and (not is_spliced or texts[2] in _COPULAS)


def _covers(entry: Sequence[Word], typed: Sequence[Word], *, may_end: bool) -> bool:
    """Whether the words of an entry are these, from the first on, up to where a clause ends."""
    end = len(entry)
    if end > len(typed) or not all(_is_alike(entry, typed, at) for at in range(end)):
        return False
    return _may_end(typed[end:]) or (may_end and _may_lose(typed[end:]))


def _is_alike(entry: Sequence[Word], typed: Sequence[Word], at: int) -> bool:
    is_mark = entry[at].text in _CLAUSE_MARKS and typed[at].text in (",", *_CLAUSE_MARKS)
    return is_mark or is_same(entry, at, typed, at)


def _may_end(rest: Sequence[Word]) -> bool:
    """Whether only politeness follows."""
    texts = [word.text for word in rest]
    if not all(text in EDGE or text == "," for text in texts):
        return False
    is_parted = texts[:1] == [","] or _PARTED.isdisjoint(texts)
    return is_parted and texts[-1:] not in (["and"], ["und"], ["so"], ["also"])


def _may_lose(rest: Sequence[Word]) -> bool:
    """Whether what follows leaves the words before it as they are."""
    texts = [word.text for word in rest]
    at = 1 if texts[0] == "," else 0
    if texts[at] in _REASONS or (at and texts[at] in _CONSEQUENCES):
        return len(texts) > at + 2
    if at and texts[at] in _ASKS:
        asked = next((text for text in texts[at + 1 :] if text not in _EVERY_TIME), "")
        return asked in _ANSWERS and BACKWARD.isdisjoint(texts)
    if at and texts[at : at + 2] == ["in", "case"] and texts[at + 2 : at + 3] != ["of"]:
        return len(texts) > at + 3
    if texts[0] not in _JOINTS and not at:
        return False
    is_spliced = at == 1 and texts[at] not in _JOINTS
    clause = rest[at:] if is_spliced else rest[at + (texts[at] in _JOINTS) :]
    return (
        bool(clause)
        and clause[0].text in (_OWN if is_spliced else _SUBJECTS - BACKWARD)
        and not any(word.text in BACKWARD for word in clause[1:])
        and _is_clause(clause, is_spliced=is_spliced)
    )
