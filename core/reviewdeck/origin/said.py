"""Whether the user said a text: each of its sentences is one sentence that was typed.

The whole sentence in any language, but for "I" and "user"; or in English and German an excerpt of a
sentence that nothing limits: words of a closed list are left out, or a clause that stands for
itself. A wish may use another verb. Nothing typed beside it may take it back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from reviewdeck.model import Utterance
from reviewdeck.origin.inflection import bases, clauses_about, content, is_light, shares
from reviewdeck.origin.phrases import (
    ANSWERS_BACK,
    CHANGES,
    LIMITS,
    NEGATIVE,
    NO_KEEP,
    RENEWS,
    WITHDRAWS,
    WITHDRAWS_FIRST,
)
from reviewdeck.origin.skill_request import FORMS
from reviewdeck.origin.typed import QUESTION_OBJECTION, Sentence, read_sentences, sentences_of
from reviewdeck.origin.wording import ME, MINE, Word, entry_words, is_same, typed_words

LONGEST: Final = 2_000
"""Characters of a text that a user may have said: no message that counts as typed is longer."""
NEAR: Final = 0.4
"""The part of the words of a text that a sentence has to share to count as close to it."""
ANSWERS: Final = 2
"""So many messages behind a sentence may begin by taking it back without naming it."""

_EDGE_WORDS: Final = (
    "hi hello hey ok okay yes yeah thanks please btw well also so note fyi actually great good"
    " fine nice cool perfect hallo hey moin danke bitte ja übrigens also gut super und and"
)
EDGE: Final = frozenset(_EDGE_WORDS.split())
"""Words of politeness, which a sentence may lose at its ends."""
_REMEMBER: Final = frozenset({"remember", "note", "know", "fyi", "merk", "dir"})
_INNER_WORDS: Final = "also really please btw too auch übrigens bitte mal ja a an the"
_INNER: Final = frozenset(_INNER_WORDS.split())
"""Words that a sentence without limits may lose anywhere."""
_OWN: Final = frozenset({ME, MINE, "we", "our", "wir"})
_SUBJECTS_WORDS: Final = "he she they the my der die das er sie"
_SUBJECTS: Final = _OWN | frozenset(_SUBJECTS_WORDS.split())
_BACKWARD_WORDS: Final = (
    "it this that these those which who whom whose its there so es das dies dieser diese dieses"
    " dem den daran davon damit darauf both either he she they them him her er sie ihn ihm"
)
_BACKWARD: Final = frozenset(_BACKWARD_WORDS.split())
"""Words that speak of what was said before them."""
_REASONS: Final = frozenset({"because", "weil"})
_LIKES: Final = {
    "prefer": {"prefer"},
    "like": {"like", "prefer"},
    "love": {"like", "love", "prefer"},
    "want": {"want", "prefer"},
    "rather": {"want", "prefer"},
    "mag": {"mag", "bevorzugt"},
    "möchte": {"möchte", "will", "bevorzugt"},
    "will": {"will", "möchte", "bevorzugt"},
    "bevorzuge": {"bevorzugt"},
}
"""The verbs of a wish, each with the words under which an entry may tell it."""
_ENTRY_LIKES: Final = {
    "prefers": "prefer",
    "likes": "like",
    "loves": "love",
    "wants": "want",
    "bevorzugt": "bevorzugt",
    "mag": "mag",
    "möchte": "möchte",
    "will": "will",
}


def said_by_user(text: str, utterances: Sequence[Utterance]) -> str:
    """The sentences in which the user said this text; empty when nobody did."""
    if not utterances or not text.strip() or len(text) > LONGEST:
        return ""
    spoken = sentences_of(utterances)
    if spoken and keeps_nothing(spoken):
        return ""
    found: list[Sentence] = []
    for part in parts_of(text):
        sentence = _sayer(part, spoken, found)
        if sentence is None:
            return ""
        found.append(sentence)
    return " ".join(sentence.text for sentence in found)


def parts_of(text: str) -> tuple[str, ...]:
    """The sentences of an entry."""
    return tuple(part for part, _ in read_sentences(text.strip()))


def _sayer(part: str, spoken: Sequence[Sentence], before: Sequence[Sentence]) -> Sentence | None:
    """The last sentence that says this part of an entry, and that nothing takes back."""
    if part.endswith(("?", "…", "...")):
        return None
    for sentence in reversed(spoken):
        if sentence.objection or not says(part, sentence.text):
            continue
        if before and not _follows(part, sentence, before[-1]):
            continue
        if objection_beside(sentence, spoken, part):
            return None
        return sentence
    return None


def _follows(part: str, sentence: Sentence, last: Sentence) -> bool:
    """Whether a further sentence stands behind the last one, where it may speak of it."""
    if sentence.message == last.message and sentence.at == last.at + 1:
        return True
    return all(word.text not in _BACKWARD for word in entry_words(part))


def nearest(text: str, spoken: Sequence[Sentence]) -> Sentence | None:
    """The sentence with most words of a text, of those with at least `NEAR` of them."""
    words = content(text[:LONGEST])
    closest, most = None, 0.0
    for sentence in spoken:
        others = content(sentence.text)
        shared = sum(shares(word, others) for word in words)
        # Among equals the one that says least else, and that counts as a statement.
        score = shared - 0.01 * len(others) - (0.5 if sentence.objection else 0.0)
        if words and shared and shared >= NEAR * len(words) and score > most:
            closest, most = sentence, score
    return closest


def relevant_utterances(
    texts: Sequence[str], utterances: Sequence[Utterance]
) -> tuple[Utterance, ...]:
    """The utterances that are evidence for these texts: the typed ones that share a word with
    one of them, take something back or ask for a skill, their neighbours, and all others.
    """
    wanted = frozenset[str]().union(*(_letters(text[:LONGEST]) for text in texts))
    typed = [utterance for utterance in utterances if utterance.is_typed]
    kept: set[int] = set()
    for at, utterance in enumerate(typed):
        if not wanted.isdisjoint(_letters(utterance.text)):
            kept.update(range(at - 1, at + ANSWERS + 1))
        elif _takes_back(utterance.text) or FORMS.search(utterance.text):
            kept.add(at)
    chosen = {id(utterance) for at, utterance in enumerate(typed) if at in kept}
    return tuple(
        utterance for utterance in utterances if not utterance.is_typed or id(utterance) in chosen
    )


def _letters(text: str) -> frozenset[str]:
    """The words of a text for a first choice: with their bases, or every letter without spaces."""
    words = frozenset(base for word in content(text) for base in bases(word))
    return words or frozenset(character for character in text if character.isalnum())


@lru_cache(maxsize=4096)
def _takes_back(text: str) -> bool:
    return any(pattern.search(text) for pattern in (NO_KEEP, WITHDRAWS, CHANGES))


def keeps_nothing(spoken: Iterable[Sentence]) -> str:
    """The sentence that asks for something not to be kept; empty when there is none."""
    return next((sentence.text for sentence in spoken if NO_KEEP.search(sentence.text)), "")


def objection_beside(sentence: Sentence, spoken: Sequence[Sentence], part: str) -> str:
    """Why another typed sentence speaks against this one; empty when none does."""
    about = content(part)
    for other in spoken:
        if other is sentence or other.text == sentence.text:
            continue
        is_later = (other.message, other.at) > (sentence.message, sentence.at)
        if _is_against(other, sentence, about, is_later=is_later):
            return f"Another sentence may change it: “{other.text}”"
    return ""


def _is_against(
    other: Sentence, sentence: Sentence, about: Sequence[str], *, is_later: bool
) -> bool:
    words, its_words = content(other.text), content(sentence.text)
    shared = [word for word in about if shares(word, words) and shares(word, its_words)]
    telling = [word for word in shared if not is_light(word)]
    if not is_later:
        return bool(telling) and (
            bool(WITHDRAWS.search(other.text)) or _denies(other, sentence, shared)
        )
    distance = other.message - sentence.message
    if WITHDRAWS.search(other.text):
        return True
    is_answer = WITHDRAWS_FIRST.match(other.text) or ANSWERS_BACK.match(other.text)
    if distance <= ANSWERS and is_answer:
        return True
    if distance and CHANGES.search(other.text) and _is_own(other.text):
        return True
    if other.objection == QUESTION_OBJECTION:
        return False
    is_changed = CHANGES.search(other.text) or RENEWS.search(other.text)
    if telling and (is_changed or _denies(other, sentence, shared)):
        return True
    half = max(1.0, min(len(about), len(words)) / 2)
    if len(shared) < half:
        return False
    return _begins_alike(other.text, sentence.text) or (bool(telling) and distance > 0)


def _begins_alike(first: str, second: str) -> bool:
    """Whether two sentences begin with the same two words: "I live in", "My cat is"."""
    one, two = ([word.text for word in typed_words(text)[:2]] for text in (first, second))
    return one == two


def _is_own(text: str) -> bool:
    return any(word.text in _OWN for word in typed_words(text))


def _denies(other: Sentence, sentence: Sentence, shared: Sequence[str]) -> bool:
    """Whether only one of two sentences denies something about these words."""
    one, two = (clauses_about(shared, each.text) for each in (other, sentence))
    return bool(NEGATIVE.search(one)) != bool(NEGATIVE.search(two))


def says(part: str, sentence: str) -> bool:
    """Whether a typed sentence says a sentence of an entry."""
    if _bare(part) == _bare(sentence):
        return True
    typed, entry = typed_words(sentence), entry_words(part)
    if not entry or not typed:
        return False
    limited = is_limited(sentence)
    me = Word(ME, ME, is_first=True)
    forms = [entry]
    if all(word.text not in (ME, MINE) for word in entry):
        forms += [(me, *entry), (*entry[:1], me, *entry[1:])]
    return any(_covers(form, typed, may_omit=not limited) or _wishes(form, typed) for form in forms)


def _bare(sentence: str) -> str:
    return sentence.strip().rstrip(".!。").strip()


@lru_cache(maxsize=4096)
def is_limited(sentence: str) -> bool:
    """Whether a sentence holds a negation, condition, modal, quantity or attribution."""
    text = sentence.replace("’", "'")
    return "`" in text or any(pattern.search(text) for pattern in LIMITS)


def _covers(entry: Sequence[Word], typed: Sequence[Word], *, may_omit: bool) -> bool:
    return any(
        _matches(entry, typed, start, may_omit=may_omit) for start in _starts(typed, may_omit)
    )


def _starts(typed: Sequence[Word], may_omit: bool) -> Iterator[int]:
    """Where an entry may begin in a sentence."""
    at = 0
    yield at
    while at < len(typed) - 1 and (
        typed[at].text in EDGE
        or typed[at].text in (",", ":")
        or (typed[at].text in _REMEMBER and not _is_mine_before(typed, at))
        or (at > 0 and typed[at].text in ("that", "dass", "daß") and _is_note(typed[at - 1]))
    ):
        at += 1
        yield at
    if not may_omit or typed[at].text not in _OWN:
        return
    for place in range(at + 3, len(typed) - 1):
        follows = typed[place - 1].text
        if follows not in (",", ";", "and", "und") or typed[place].text in _BACKWARD:
            continue
        if typed[place].text in _SUBJECTS and _stands_alone(typed[at:place]):
            yield place


def _is_mine_before(typed: Sequence[Word], at: int) -> bool:
    return any(word.text == ME for word in typed[:at])


def _is_note(word: Word) -> bool:
    return word.text in _REMEMBER


def _matches(entry: Sequence[Word], typed: Sequence[Word], start: int, *, may_omit: bool) -> bool:
    at, place = 0, start
    was_left_out = start > 0
    while at < len(entry):
        if place >= len(typed):
            return False
        if is_same(entry, at, typed, place):
            at += 1
            was_left_out = False
        elif may_omit and at and typed[place].text in _INNER:
            was_left_out = True
        elif not (typed[place].text == "," and (was_left_out or _is_inner(typed, place + 1))):
            return False
        place += 1
    return _may_end(typed[place:], may_omit=may_omit)


def _is_inner(typed: Sequence[Word], place: int) -> bool:
    return place < len(typed) and (typed[place].text in _INNER or typed[place].text in EDGE)


def _may_end(rest: Sequence[Word], *, may_omit: bool) -> bool:
    """Whether the end of a sentence may be left out."""
    if all(word.text in EDGE or word.text == "," for word in rest):
        return all(word.text not in ("and", "und", "so", "also") for word in rest[-1:])
    if not may_omit or any(word.text in _BACKWARD for word in rest[1:]):
        return False
    words = [word for word in rest if word.text not in (",", ";")]
    if words and words[0].text in _REASONS:
        return _stands_alone(words[1:])
    is_joined = rest[0].text in (",", ";", "and", "und", "–")
    words = [word for word in words if word.text not in ("and", "und", "–")]
    return is_joined and bool(words) and words[0].text in _OWN and _stands_alone(words)


def _stands_alone(words: Sequence[Word]) -> bool:
    """Whether words may be a clause of their own: a subject, a verb and something more."""
    return sum(word.text.isalnum() or word.text in (ME, MINE) for word in words) >= 3


def _wishes(entry: Sequence[Word], typed: Sequence[Word]) -> bool:
    """Whether both tell one wish of the user, in two verbs."""
    told, spoken = _entry_wish(entry), _typed_wish(typed)
    if told is None or spoken is None:
        return False
    names, denied, rest = told
    verb, is_denied, object_words = spoken
    if denied is not is_denied:
        return False
    if verb == "never":
        return _is_done(rest, object_words)
    if names not in _LIKES[verb]:
        return False
    goal, aim = list(rest), list(object_words)
    if verb in ("rather", "prefer") and names == "prefer":
        goal, aim = _compared(goal), _compared(aim)
    return len(goal) == len(aim) and all(is_same(goal, at, aim, at) for at in range(len(goal)))


def _compared(words: Sequence[Word]) -> list[Word]:
    """A comparison in one form: than, over and to."""
    one = Word("to", "to")
    return [one if word.text in ("than", "over", "to") else word for word in words]


def _entry_wish(entry: Sequence[Word]) -> tuple[str, bool, Sequence[Word]] | None:
    texts = [word.text for word in entry]
    if texts[:1] != [ME] or len(texts) < 3:
        return None
    if texts[1] in _ENTRY_LIKES:
        return _ENTRY_LIKES[texts[1]], False, entry[2:]
    if texts[1:3] == ["does", "not"] and texts[3:4] and texts[3] in ("like", "want", "prefer"):
        return texts[3], True, entry[4:]
    return None


def _typed_wish(typed: Sequence[Word]) -> tuple[str, bool, Sequence[Word]] | None:
    """The verb of a typed wish, whether it is denied, and what is wished."""
    words = list(typed)
    while words and (words[0].text in EDGE or words[0].text == ","):
        if words[0].text == "please" and [word.text for word in words[1:2]] == ["never"]:
            return "never", True, words[2:]
        words.pop(0)
    while words and words[-1].text in (",", "please", "thanks", "always", "btw"):
        words.pop()
    texts = [word.text for word in words]
    if texts[:1] != [ME]:
        return None
    at = 1
    if texts[at : at + 2] == ["would", "rather"]:
        at += 3 if texts[at + 2 : at + 3] and texts[at + 2] in ("see", "have", "get") else 2
        return "rather", False, words[at:]
    denied = texts[at : at + 2] in (["do", "not"], ["would", "not"])
    if texts[at] in ("would", "do") if len(texts) > at else False:
        if texts[at] == "would" and texts[at + 1 : at + 2] == ["like"]:
            return "want", False, words[at + 2 :]
        at += 2 if denied else 1
    if at < len(texts) and texts[at] in _LIKES:
        return texts[at], denied, words[at + 1 :]
    return None


def _is_done(rest: Sequence[Word], order: Sequence[Word]) -> bool:
    """Whether "customer abbreviated as cust" tells what "abbreviate customer as cust" orders."""
    if len(rest) != len(order) or len(order) < 2:
        return False
    verb = order[0].text
    done = {f"{verb}ed", f"{verb}d" if verb.endswith("e") else "", f"{verb}{verb[-1]}ed"}
    left = [word for word in rest if word.text not in done]
    return len(left) == len(rest) - 1 and all(
        is_same(left, at, order[1:], at) for at in range(len(left))
    )
