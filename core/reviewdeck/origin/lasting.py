"""What a typed sentence tells beyond its moment.

A memory is read long after it was typed. A sentence of English or German goes in where it has one
of the forms of what lasts (`forms`), or is a wish that stands, and has no word of a moment.
"""

from __future__ import annotations

import re
from typing import Final

from reviewdeck.origin.elsewhere import is_unread, passes
from reviewdeck.origin.forms import has_lasting_form, is_act, is_appointment
from reviewdeck.origin.phrases import STANDING, any_of
from reviewdeck.origin.wording import CONTRACTED, SHORT_PLEASE
from reviewdeck.policy.statement import ORDERS, VERBS
from reviewdeck.text.languages import Language, language_of
from reviewdeck.text.lazy import regex

_MOMENT: Final = any_of(
    r"""
    no,? wait | i mean | sorry | (?:äh|oder) nein | today | tonight | tomorrow | yesterday
    right now | just now | at the moment | for now | ago | currently | later | soon | recently
    lately | in a (?:bit|hurry|fortnight) | for once | just this | only this | the other day
    on (?:my|our) way | this time | this (?:morning|afternoon|evening|week|weekend)
    (?:next|last) (?:night|week|weekend|time)
    next (?:month|year|quarter|summer|winter|spring|autumn)
    \A(?:this|these) (?!(?:project|repo\w*|team|company|house|flat|laptop|account|is|are)\b)\w+
    run(?:s|ning)? out of | \A(?:until|till|while|as long as|solange|während|bis)
    in (?:a|an|\d+|two|three|four|five|ten|half an) (?:minute|hour|day|week|month|year|moment)\w*
    heute | gestern | vorgestern | morgen | übermorgen | gerade | neulich | vorhin | momentan
    bald | gleich | später | derzeit | im moment | zur zeit | diesmal | auf dem weg (?:nach|zu\w*)
    regnet | schneit | (?:nächste|kommende)[nmrs]? (?:monat|jahr)
    (?:diese|nächste|letzte|kommende)[nmrs]? (?:woche|tage?|mal|wochenende|\w+tag|nacht)
    """
)
"""Words of a moment: what they tell is another thing once it has passed."""
_ASKED: Final = any_of(
    r"""
    (?:remember|note|memori[sz]e|know|mind|record|reference|future|fyi|save|store)(?:,|:| that)
    (?:merk|merke|notier|notiere)\w* (?:\w+ ){0,3}?(?:dass|:) | fürs nächste mal | für die zukunft
    """
)
"""An order to keep what follows."""
_OF_A_KIND: Final = (
    r"(?!(?:the|an?|this|that|these|those|it|them|my|your|his|her|our|their|one|two|three|some|another"
    r"|now|here|there|yet|again|first|then|i|we|he|she|they|you|ich|wir|er|sie|d(?:er|ie|as|en|em|es)|ein\w*|dies\w*|mein\w*)\b)"
    r"[^\W\d][\w'/-]*"
)
_KINDS: Final = rf"{_OF_A_KIND}(?:,?\s+{_OF_A_KIND}){{0,8}}"
"""Words that name things of a kind, and none of them."""
_MANNER: Final = regex(
    r"\A(?:(?:and|please|so|ok|hi|hey|btw|also|then|und|bitte)[,\s]+)*"
    r"(?:(?:answer|reply|respond|explain)\s+(?:to\s+me\s+|me\s+)?(?:in|with|without|as)\s+"
    r"|(?:(?:don'?t|do not)\s+(?:use|write|add)|use|keep|write|format|spell|avoid)"
    r"\s+(?!to\b|for\b|back\b|down\b)|give\s+me\s+"
    r"|(?<=please )no\s+|(?<=bitte )keine?\s+"
    r"|antworte\w*\s+(?:mir\s+)?(?:bitte\s+)?(?:auf|in|mit|ohne|als)\s+|(?:verwende|benutze|nutze|schreib\w?)\s+)"
    rf"{_KINDS}(?:,\s+(?:but\s+)?(?:\w+\s+){{1,2}}(?:aber\s+)?(?:in|auf)\s+\w+)?\s*[.!]?\Z"
    r"|\A(?:(?:and|please|so|ok|hi|hey|btw|also|und|bitte)[,\s]+)*"
    r"(?:(?:you (?:can|may) |just )?call me (?!(?:tomorrow|later|back|again|soon|today|now"
    r"|tonight|then|when|if|maybe|asap|up|out|old|crazy|any\w*|\w+day)\b)(?:(?:dr|mrs?|ms)\.? )?\w+"
    r"|nenn\w* mich (?:bitte )?(?!\w+tag\b)(?-i:[A-Z])\w+"
    r"|(?:duze?|sieze?)(?:n sie)? mich)"
    r"(?: (?:please|bitte))?\s*[.!]?\Z",
    re.IGNORECASE,
)
"""How things are to be: "answer in French", "use metric units"."""
_THINGS: Final = regex(
    rf"(?:\A|[,;]\s+)(?:(?:and|und)\s+)?({_KINDS}),?\s+(?:please|bitte)(?=\s*[,.;!]|\s*\Z)",
    re.IGNORECASE,
)
"""What is asked for politely, without a verb: "weights in grams please"."""
_NONE: Final = regex(
    r"(?:\A|[,;]\s+)(?:no|keine?)\s+[^,.;!?]{1,60}\s(?:please|bitte)(?=\s*[,.;!]|\s*\Z)",
    re.IGNORECASE,
)
_SEVERAL: Final = regex(r"\b(?:no|nothing|nichts|keine|[^\W\d]{2,}(?:s|en))\b", re.IGNORECASE)
"""Words that tell more than one thing, as what is to be so every time does."""
_CONDITION: Final = regex(
    r"(?:if|when|whenever|wenn|falls)\s+(?:i|you|we|ich|du|wir)\s"
    r"(?!(?:(?:are|am) )?(?:(?:don'?t )?mind|can|could|may|want|like|finish|get|done|ready|finished"
    r"|through|back|have (?:(?:a|the|some) )?(?:time|minute|moment|second|chance))\b)[^,]+,\s+"
    r"(?:(?:please|bitte|just|then|dann|always)\s+)*(\w+)",
    re.IGNORECASE,
)
"""What is to be done each time: "when I ask for code, give me only the code"."""
_PREFERS: Final = any_of(
    """
    (?:i|we)(?:'d| would)? (?:rather|prefer|like|want|love) | ich (?:möchte|mag|bevorzuge|will)
    ich hätte gern\\w* | mir ist .{1,30} lieber
    """
)


def lasts(sentence: str, clause: str = "") -> bool:
    """Whether a typed sentence surely tells what lasts, or is in a language that is not read.

    A clause of it, as it was typed, may last beside one that passes.
    """
    if tells_what_lasts(sentence):
        return True
    if is_of_a_moment(sentence):
        return False
    if clause and clause.rstrip(".!") in sentence and tells_what_lasts(clause):
        return True
    if not is_unread(sentence) or passes(sentence) or is_appointment(sentence):
        return False
    # Without a function word nobody knows the language: "Sofia quit", "Release 2 mends boats".
    return not is_act(sentence) or has_lasting_form(sentence, Language.ENGLISH, is_asked=False)


def tells_what_lasts(sentence: str) -> bool:
    """Whether a sentence of English or German surely lasts, or wishes what holds every time."""
    language = language_of(sentence, least=1)
    if is_of_a_moment(sentence):
        return False
    is_asked = _ASKED.search(sentence) is not None
    if language is not None and has_lasting_form(sentence, language, is_asked=is_asked):
        return True
    return is_standing_wish(sentence)


def is_of_a_moment(sentence: str) -> bool:
    """Whether a sentence has a word of a moment."""
    texts = (sentence, CONTRACTED.sub("", sentence))
    return any(_MOMENT.search(text) for text in texts)


def is_standing_wish(sentence: str) -> bool:
    """Whether a sentence wishes what holds every time, or says how things are to be."""
    sentence = SHORT_PLEASE.sub("please", sentence)
    condition = _CONDITION.match(sentence)
    if condition is not None and condition[1].casefold() in ORDERS | VERBS:
        return True
    if any(wish.search(sentence) for wish in (STANDING, _MANNER, _NONE)):
        return True
    things = _THINGS.search(sentence)
    return things is not None and _SEVERAL.search(things[1]) is not None


def is_wish(sentence: str) -> bool:
    """Whether a sentence tells a wish that stands, or what the user prefers."""
    return is_standing_wish(sentence) or _PREFERS.search(sentence) is not None
