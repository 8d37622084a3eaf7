"""What stands around a statement in its sentence, and leaves it as it is.

An opener that says only that something comes ("quick note first: …"), what people do behind a wish
("call me Jules, nobody says Julian"), and what the user knows or feels by what is stated.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from reviewdeck.origin.derivation import BACKWARD
from reviewdeck.origin.lasting import is_of_a_moment, is_standing_wish, tells_what_lasts
from reviewdeck.origin.phrases import CHANGES, CONDITIONAL, DOUBTED, WITHDRAWS, words_of
from reviewdeck.origin.wording import typed_words
from reviewdeck.text.lazy import regex

_OPENER: Final = regex(
    r"\A(?:(?:ok|okay|hi|hey|hello|so|well|btw|and|also|oh|thanks|hallo|moin|gut|danke)[,!]?\s+)*"
    r"(?:before (?:we|i|you) (?:start|begin|go on|continue|dive in|get (?:started|going))\s*:"
    r"|(?:(?:(?:just|one|a|two|some|another|small|short|quick|little)\s+){1,3}"
    r"(?:notes?|infos?|things?|context|background|heads[- ]up|details?)(?:\s+(?:first|up ?front))?"
    r"|for context|first (?:of all|things first)|to (?:start|begin) with)\s*[:,]"
    r"|(?:bevor (?:wir|ich) (?:anfange|beginne|loslege|starte)n?|(?:kurz )?(?:vorab|vorweg)"
    r"|(?:(?:nur|noch|eine?|kurze?[rs]?|kleine?[rs]?)\s+){1,3}(?:info|anmerkung|hinweis|sache)"
    r"(?:\s+(?:vorab|vorweg))?)\s*:|(?:just )?so you know[,:]|for your information[,:]"
    r"|(?:(?:sorry|sry|oops|ups)[,!]? )?(?:i meant?(?: to say)?(?: that)?(?=\s+(?:my|our|we|i)\b)"
    r"|correction:|korrektur:)|(?:sorry|sry|oops|ups)[,!]"
    r"|you should know(?: that|:)|if (?:you (?:don't|dont) mind|it'?s (?:not too much trouble"
    r"|ok(?:ay)?(?: with you)?)),)\s+(?=\w)",
    re.IGNORECASE,
)
"""Before a statement: that something comes or is put right. "This is what he wrote:" is none."""
_REMARK: Final = regex(
    r",\s+(?:(?:nobody|no one|everybody|everyone|niemand|keiner|jeder)\s+"
    r"|i (?:hate|dislike)\s+)"
    r"(?!.*\b(?:in|for|at|on|with|else|though|should|im|für|bei|mit|sonst)\b)[^,;:–—]{1,60}\Z",
    re.IGNORECASE,
)
"""Behind a wish: what people do, or what the user dislikes, without where or for what."""
_CALLED: Final = regex(r",\s+(?:not|nicht)\s+(?-i:[A-Z])\w+\s*[.!]?\Z", re.IGNORECASE)
"""Behind "call me …": what not."""
_NAMES: Final = regex(r"(?:\w+[,!]?\s+){0,3}(?:call me|nenn\w* mich)\b", re.IGNORECASE)
"""A wish for a name."""
_KNOWS: Final = regex(
    r"(?<!\s),?\s++(?:so|and)\s+(?:i|we)\s+(?:know|feel|hear)\s+[^,;:–—]{1,60}\Z", re.IGNORECASE
)
"""Behind a statement: what the user knows or feels by it."""
_TOLD: Final = regex(
    r"(?<!\s)(?:,|\s++[–—-])?\s++(?:just )?(?:so you (?:know|are aware)|for your information"
    r"|in case you(?:'re)? (?:wonder|ask)\w*|(?:so |and )?(?:please )?(?:remember (?:that|this)"
    r"|(?:keep|bear) (?:that|this|it) in mind(?: (?:when|for|if)\b[^,;:–—]{0,60})?))\s*[.!]*\Z",
    re.IGNORECASE,
)
"""Behind a statement: that the agent is told."""
_OFFERED: Final = regex(r",\s+(?:if|in case) you need (?:it|them)\s*[.!]*\Z", re.IGNORECASE)
_IS: Final = regex(r"(?!(?:i|we)\b).*\b(?:is|are)\b", re.IGNORECASE)
"""Behind what is, and not behind what somebody does: what for the agent is told."""
_NARROWS: Final = words_of("but or only yet still just than too")
"""Words of what an aside leaves of a statement, where it says more than that it holds."""


def without_opener(sentence: str) -> str:
    """A typed sentence without what only says that something comes."""
    opener = _OPENER.match(sentence)
    return sentence[opener.end() :] if opener else sentence


@lru_cache(maxsize=2048)
def without_asides(sentence: str) -> str:
    """A typed sentence without its opener and a remark behind it; as it is where it has neither."""
    text = without_opener(sentence)
    for tail, holds in _TAILS:
        behind = tail.search(text)
        if behind and holds(text[: behind.start()], behind.group()):
            text = text[: behind.start()]
    return text if text == sentence or tells_what_lasts(text) else sentence


def _is_wish(wish: str, remark: str) -> bool:
    return is_standing_wish(wish) and _leaves_as_it_is(remark)


def _is_name(wish: str, remark: str) -> bool:
    return _NAMES.match(wish) is not None and _is_wish(wish, remark)


def _is_known(statement: str, remark: str) -> bool:
    return _is_stated(statement) and _leaves_as_it_is(remark)


def _is_stated(statement: str, _remark: str = "") -> bool:
    return tells_what_lasts(statement) and not is_standing_wish(statement)


def _is_offered(statement: str, _remark: str) -> bool:
    return _IS.match(statement) is not None and _is_stated(statement)


def _leaves_as_it_is(aside: str) -> bool:
    words = {word.text for word in typed_words(aside)}
    speaks_of_it = not words.isdisjoint((BACKWARD - {"so"}) | _NARROWS)
    bends = any(each.search(aside) for each in (CONDITIONAL, DOUBTED, WITHDRAWS, CHANGES))
    return not (speaks_of_it or bends or is_of_a_moment(aside))


_TAILS: Final = (
    (_REMARK, _is_wish),
    (_CALLED, _is_name),
    (_KNOWS, _is_known),
    (_TOLD, _is_stated),
    (_OFFERED, _is_offered),
)
"""What may stand behind, and whether it leaves what stands before it as it is."""
