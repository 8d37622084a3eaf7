"""The clauses of a typed sentence of English or German, each with its finite verb.

English has the verb behind a pronoun, or behind the first words that can be a subject; German has
it beside "ich" or "wir", or where the first verb of a closed list stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from reviewdeck.origin.derivation import EDGE
from reviewdeck.origin.phrases import words_of
from reviewdeck.origin.wording import ME, MINE, Word
from reviewdeck.policy.rules.folding import fold
from reviewdeck.policy.statement import (
    DETERMINERS,
    GERMAN_VERBS,
    ORDERS,
    PREPOSITIONS,
    VERBS,
    third_of,
)
from reviewdeck.text.languages import Language
from reviewdeck.text.lazy import regex
from reviewdeck.values import dataclass

BE: Final = words_of("is are am ist sind bin")
HAVE: Final = words_of("has have hat hab habe haben")
HELPS: Final = words_of("do does can cannot must should may would")
WILL: Final = words_of("will might could shall gonna gotta going")
"""What is to come, or may."""
_PAST: Final = words_of(
    "was were had did went came got left lost won broke brought bought built burnt caught chose"
    " drank drove ate fell felt found flew forgot froze gave grew hid hit held kept knew led lent"
    " made met paid put quit rang ran said sat saw sent sold shook shot shut slept spent spoke"
    " stole stood stuck swam took taught tore threw told thought understood woke wore wrote became"
    " began bit blew cut dug dealt fed fought heard hurt meant rose shrank spilt split swept swore"
    " upset burst sank hatte hatten war waren wurde wurden ging gingen kam kamen nahm fuhr fuhren"
    " fand gab sah lag sass lief schlief trank ass schrieb verlor brach fiel rief liess blieb hielt"
    " traf"
)
"""The past of the verbs that do not end in -ed."""
ACTS: Final = (
    VERBS
    | ORDERS
    | words_of(
        "bake bark bill border breed brush cache cater clash coach craft crash dance deter"
        " dial dine dip earn face fence ferment flow fold forbid graze grill grind"
        " groom harvest heat jog juggle knit lack leak match mend mind moor mow number paddle"
        " pair pickle plough plumb pour practise preserve prune recycle rehearse relax rely"
        " rent repair row sail sew shave shear skate ski smell smoke snore spin"
        " squash stack steam stir stitch surf sweat tag tend thrive tow tune tutor"
        " upcycle vote wash water weave weigh weld"
    )
)
"""English verbs, for what a thing or another person does."""
_ACTS_OF_ONE: Final = frozenset(map(third_of, ACTS))
"""The same of one thing or person: "runs"."""
_GERMAN: Final = GERMAN_VERBS | words_of(
    "bin hab habe betragt probt proben tagt tagen misst messen hangt hangen unterrichtet"
    " unterrichten backt backen kauft kaufen verkauft verkaufen zahlt zahlen schliesst schliessen"
    " offnet offnen mietet mieten singt singen malt malen raucht rauchen tragt vertragt vertragen"
    " reinigt heizt heizen lagert lagern verbindet erhalt pflegt pflegen nennt nennen esse lese"
    " arbeite leite sitzt sitzen miete halte kann konnen darf durfen muss mussen soll sollen mochte"
)
"""German verbs, in the forms that stand beside a noun, and those of "ich" without an -e."""
_ADVERBS: Final = EDGE | words_of(
    "always never usually often mostly generally normally sometimes rarely seldom hardly barely"
    " really only not still both all just simply immer nie oft selten nicht gern gerne nur sehr"
    " very quite rather too pretty longer noch schon ganz"
)
_OPENS: Final = EDGE | words_of("that dass daß , : ; – remember know merk dir now")
_JOINTS: Final = words_of(", ; – : and but und aber so because weil denn")
_AND: Final = words_of("and und")
_RELATIVE: Final = words_of("who which whose where")
_CONDITIONS: Final = words_of("if when whenever unless wenn falls sobald obwohl although since")
WE: Final = frozenset({ME, "we", "wir"})
_PRONOUNS: Final = WE | words_of("he she it this that there they these those people er sie es")
PLACED: Final = PREPOSITIONS | words_of(
    "beim ins behind above inside near beside below between outside across"
)
"""Prepositions."""
NAMING: Final = DETERMINERS | words_of("no kein keine keinen more") | {MINE}
"""What stands before a noun."""
_MAY_STAND_ALONE: Final = words_of("this that these those one both two three in on up")
_PLURAL: Final = regex(r"(?:[^su']s|people|children|data|staff|and)\Z")
_LONGEST_SUBJECT: Final = 10
"""Words."""


@dataclass(frozen=True, slots=True)
class Predicate:
    """The finite verb of a clause, in folded words."""

    verb: str
    subject: str
    """The word of the subject beside it."""
    rest: tuple[str, ...]
    """What stands behind it, without the adverbs at its beginning."""
    raw: tuple[str, ...]
    """The same words as they were typed."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause, and its predicate where its verb is known."""

    words: tuple[str, ...]
    predicate: Predicate | None

    @property
    def introduces(self) -> bool:
        """Whether it tells when, where or for what the next one holds."""
        return self.words[0] in _CONDITIONS or (self.words[0] in PLACED and not self.predicate)

    @property
    def tells_more(self) -> bool:
        """Whether it has a subject of its own, or goes on with what was done; not "that's fine"."""
        told = self.predicate
        is_polite = told is not None and not told.rest and not is_past(told.verb)
        return (self.words[0] in _PRONOUNS | NAMING and not is_polite) or is_past(self.words[0])


def is_past(word: str) -> bool:
    """Whether an English or German word may be a verb of the past."""
    return (word.endswith("ed") and not word.endswith("eed") and len(word) > 4) or word in _PAST


def read_clauses(words: Sequence[Word], language: Language) -> list[Clause]:
    """The clauses of a sentence, without what opens it and without what only introduces it."""
    found = [_read(part, language) for part in _parts(words, language)]
    while len(found) > 1 and found[0].introduces:
        del found[0]
    return found


def folded(word: Word) -> str:
    """A word in small letters, without accents; "hätte" is "möchte"."""
    text = "möchte" if word.text.startswith("hätte") else word.text
    return fold(text)[0].strip("\"'“”„`()")


def _parts(words: Sequence[Word], language: Language) -> list[list[Word]]:
    """What stands between two marks or conjunctions; names joined by "and" stay together."""
    begin = next((at for at, word in enumerate(words) if folded(word) not in _OPENS), len(words))
    found: list[list[Word]] = [[]]
    for at in range(begin, len(words)):
        text, following = words[at].text, words[at + 1].text if at + 1 < len(words) else ""
        is_list = text in _AND and found[-1] and not _read(found[-1], language).predicate
        if text not in _JOINTS or is_list:
            found[-1].append(words[at])
        elif found[-1] and not (text == "," and following in _RELATIVE):
            found.append([])
    return [part for part in found if part]


def _read(part: Sequence[Word], language: Language) -> Clause:
    texts = tuple(map(folded, part))
    at = _german_verb(part, texts) if language is Language.GERMAN else _english_verb(texts)
    if at is None:
        return Clause(texts, None)
    before = [text for text in texts[:at] if text not in _ADVERBS][-1:]
    near = (*before, *texts[at + 1 : at + 2])
    subject = next((text for text in near if text in WE), before[0] if before else "")
    behind = [
        (text, word.raw)
        for text, word in zip(texts[at + 1 :], part[at + 1 :], strict=True)
        if language is Language.ENGLISH or text not in _PRONOUNS
    ]
    while behind and _is_adverb(behind[0][0]):
        del behind[0]
    rest, raw = (tuple(each[side] for each in behind) for side in (0, 1))
    return Clause(texts, Predicate(texts[at], subject, rest, raw))


def _is_adverb(word: str) -> bool:
    return word in _ADVERBS or word.endswith("ly")


def _english_verb(texts: tuple[str, ...]) -> int | None:
    begin = 0
    if texts[0] in PLACED | {"every", "each"} or texts[0].endswith("days"):
        begin = next((at for at, text in enumerate(texts) if text in _PRONOUNS), 0)
    if texts[begin] in _PRONOUNS:
        behind = range(begin + 1, len(texts))
        return next((at for at in behind if not _is_adverb(texts[at])), None)
    for at in range(1, min(len(texts), _LONGEST_SUBJECT)):
        word, before, following = texts[at], texts[at - 1], "".join(texts[at + 1 : at + 2])
        if word in BE | HAVE | HELPS | WILL:
            return at
        if before in NAMING | PLACED and before not in _MAY_STAND_ALONE:
            continue
        is_noun = following in BE | HAVE | HELPS | _ACTS_OF_ONE
        if (is_past(word) and following not in PLACED) or (word in _ACTS_OF_ONE and not is_noun):
            return at
        if word in ACTS and any(map(_PLURAL.search, texts[:at])):
            return at
    past = (at for at, text in enumerate(texts[:-1]) if is_past(text))
    return next((at for at in past if at == 0 or texts[at - 1] not in NAMING), None)


def _german_verb(part: Sequence[Word], texts: tuple[str, ...]) -> int | None:
    for at, text in enumerate(texts[:_LONGEST_SUBJECT]):
        near = texts[max(0, at - 1) : at] + texts[at + 1 : at + 2]
        is_first_person = (ME in near and text.endswith("e")) or (
            "wir" in near and text[-2:] in ("en", "ln", "rn")
        )
        is_known = text in _GERMAN or is_past(text) or (is_first_person and text not in NAMING)
        if is_known and not (at and part[at].raw[:1].isupper()):
            return at
    return None
