"""Whether the user said a text: each of its sentences is one that was typed (`derivation`).

Nothing typed beside it may take it back. What nobody typed so may be close to something typed,
which is then written in its place (`own_words`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from reviewdeck.model import Edit, Hearing, MemoryAdd, SkillCreate, SkillWriteFile, Utterance
from reviewdeck.origin.asides import without_asides
from reviewdeck.origin.corrections import ANSWERS, keeps_nothing, objection_beside, takes_back
from reviewdeck.origin.derivation import BACKWARD, derives
from reviewdeck.origin.inflection import bases, content, shares
from reviewdeck.origin.lasting import lasts
from reviewdeck.origin.leaning import leans_on_another
from reviewdeck.origin.own_words import own_words
from reviewdeck.origin.phrases import IRONIC
from reviewdeck.origin.skill_request import FORMS, hear_request
from reviewdeck.origin.typed import Sentence, read_sentences, sentences_of
from reviewdeck.origin.wording import entry_words

LONGEST: Final = 2_000
"""Characters of a text that a user may have said: no message that counts as typed is longer."""
NEAR: Final = 0.4
"""The part of the words of a text that a sentence has to share to count as close to it."""
_PASSES: Final = "It is not known to last"
_WISHES_WORDS: Final = "want wants prefer prefers like likes anything möchte bevorzugt mag"
_WISHES: Final = frozenset(_WISHES_WORDS.split())
"""Words by which an entry tells a wish, as the wish itself does not."""


def hear(text: str, utterances: Sequence[Utterance]) -> Hearing:
    """What the typed words say about a text: what says it, what is close, what speaks against."""
    if len(text) > LONGEST:
        return Hearing(objection=f"It is longer than {LONGEST:,} characters.")
    spoken = sentences_of(utterances)
    if not spoken:  # nearly always, for a change outside review
        return Hearing()
    near = nearest(text, spoken)
    closest = near.text if near else ""
    if unkept := keeps_nothing(spoken):
        return Hearing("", closest, f"You asked not to keep something: “{unkept}”")
    said, objection = _said(text, spoken)
    own = ""
    is_free = not objection or objection.startswith(_PASSES)  # of a clause beside it, at most
    if near is not None and not said and is_free and not near.objection:
        own = own_words(text, near, spoken)
        objection = "" if own else objection
    if near is not None and not said and not objection and near.objection:
        objection = f"What is closest to it does not state it: {near.objection}."
    return Hearing(said, closest, objection, own)


def hearings(edits: Sequence[Edit], utterances: Sequence[Utterance]) -> tuple[Hearing, ...]:
    """What the typed words say about each text that these edits add.

    A file of a skill is more than a sentence: nothing is written in its place.
    """
    heard = []
    for edit in edits:
        match edit:
            case MemoryAdd(content=text):
                heard.append(hear(text, utterances))
            case SkillWriteFile(content=text):
                heard.append(replace(hear(text, utterances), own=""))
            case SkillCreate():
                heard.append(hear_request(utterances))
            case _:
                pass
    return tuple(heard)


def parts_of(text: str) -> tuple[str, ...]:
    """The sentences of an entry."""
    return tuple(part for part, _ in read_sentences(text.strip()))


def _said(text: str, spoken: Sequence[Sentence]) -> tuple[str, str]:
    """The sentences that say a text, or the reason why another one speaks against them."""
    found: list[Sentence] = []
    parts = parts_of(text)
    for at, part in enumerate(parts):
        # What an entry itself goes on with takes nothing back behind the entry's back.
        beside = _without_next(spoken, part, parts[at + 1 : at + 2])
        sentence, objection = _sayer(part, beside, found)
        if sentence is None:
            return "", objection
        if not found and leans_on_another(part):
            return "", "It points to something that it does not name."
        if not any(lasts(text, part) for text in _readings(sentence.text)):
            return "", f"{_PASSES}: “{sentence.text}”"
        if IRONIC.search(sentence.text):
            return "", f"It may be meant the other way round: “{sentence.text}”"
        found.append(sentence)
    return " ".join(dict.fromkeys(sentence.text for sentence in found)), ""


def _without_next(
    spoken: Sequence[Sentence], part: str, following: Sequence[str]
) -> Sequence[Sentence]:
    """The typed sentences without one that stands behind this part as it does in the entry."""
    places = {(each.message, each.at + 1) for each in spoken if each.text == part}
    return [
        each
        for each in spoken
        if each.text not in following or (each.message, each.at) not in places
    ]


def _sayer(
    part: str, spoken: Sequence[Sentence], before: Sequence[Sentence]
) -> tuple[Sentence | None, str]:
    """The last sentence that says this part of an entry, or what takes it back."""
    if part.endswith(("?", "…", "...")):
        return None, ""
    for sentence in reversed(spoken):
        if sentence.objection or not any(derives(part, text) for text in _readings(sentence.text)):
            continue
        if before and not _follows(part, sentence, before[-1]):
            continue
        objection = objection_beside(sentence, spoken, part)
        return (None, objection) if objection else (sentence, "")
    return None, ""


def _readings(sentence: str) -> frozenset[str]:
    """A typed sentence as it is, and without what stands around its statement."""
    return frozenset({sentence, without_asides(sentence)})


def _follows(part: str, sentence: Sentence, last: Sentence) -> bool:
    """Whether a further sentence stands behind the last one, where it may speak of it."""
    if sentence.message == last.message and sentence.at == last.at + 1:
        return True
    return all(word.text not in BACKWARD for word in entry_words(part))


def nearest(text: str, spoken: Sequence[Sentence]) -> Sentence | None:
    """The sentence with most words of a text, of those with at least `NEAR` of them."""
    words = [word for word in content(text[:LONGEST]) if word not in _WISHES]
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
        elif takes_back(utterance.text) or FORMS.search(utterance.text):
            kept.add(at)
    chosen = {id(utterance) for at, utterance in enumerate(typed) if at in kept}
    return tuple(
        utterance for utterance in utterances if not utterance.is_typed or id(utterance) in chosen
    )


def _letters(text: str) -> frozenset[str]:
    """The words of a text for a first choice: with their bases, or every letter without spaces."""
    words = frozenset(base for word in content(text) for base in bases(word))
    return words or frozenset(character for character in text if character.isalnum())
