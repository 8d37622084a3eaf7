"""Whether the steps of a skill are plain ones: reading, comparing, writing, showing, asking.

A skill is made of orders, so the words of an order say nothing. What its verbs do does: steps that
look and write are plain; steps that send, remove, open, accept or leave out are for a person to
read, and so is whatever is about a matter where a wrong step does harm.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from reviewdeck.model import Severity, SkillCreate, Span
from reviewdeck.policy.plain import is_ordinary_word, is_plain
from reviewdeck.policy.plain_languages import is_foreign
from reviewdeck.policy.plain_verbs import HABITS, WORKINGS
from reviewdeck.policy.reading import HOLD_LIMIT, fold
from reviewdeck.policy.rule import IN_SKILLS, Hit, LooksAt, Piece, Rule, in_text
from reviewdeck.policy.skill_words import (
    ACTS,
    CHOICES,
    FORMS,
    LOOKS,
    MAY_BE_FORBIDDEN,
    NOUNS,
    ON_CONDITION,
    OTHER_LANGUAGES,
    STEPS,
    TERMS,
)
from reviewdeck.policy.stakes import at_stake, at_stake_elsewhere
from reviewdeck.policy.wordlist import words

_CODE = re.compile(r"^[ ]{0,3}(```|~~~).*?(?:^[ ]{0,3}\1|\Z)", re.DOTALL | re.MULTILINE)
_FRONT = re.compile(r"\A---[ \t]*\n.*?\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_SENTENCE = re.compile(r"[^\n.!?;。！？]+(?:[.!?;](?!\s|$)[^\n.!?;。！？]*)*")
_BULLET = re.compile(r"^[\s>*•|#-]*(?:\d{1,3}[.)]\s*)?(?:\[[ x]\]\s*)?[*_\"'(]*")
_LEAD = re.compile(
    r"(?:if|when|whenever|once|before|after|while|for|in|on|with|unless|where|as|to"
    r"|by)\b[^,\n]{1,100},\s*"
)
_FORBIDS = re.compile(r"(?:do\s+not|don't|never|not|no|avoid)\b\s*(\w*)")
_WATCHED = re.compile(
    r"\b(?:assistants?|agents?|captchas?|interchangeabl\w*|passwords?|credentials?|secrets?"
    r"|tokens?|keys?"
    r"|certificates?|real\s+people|alerts?|thresholds?|optional|urgency|full\s+name|accounts?"
    r"|partners?|mention\s+of|what\s+they\s+propose|birthdays?|addresses|personal|robots\.txt"
    r"|shared\s+(?:account"
    r"|drive)"
    r"|port\s+\d+|support\s+team|board|boss|ceo|gists?|each\s+morning|every\s+session"
    r"|day\s+or\s+night"
    r"|at\s+once|right\s+away|immediately|silently|quietly|unattended|in\s+production|production"
    r"|root|unsigned|trust\w*|authority|extensions?|browser|card|cash|income|whole\s+chat|in\s+full"
    r"|home\s+folder|downloads?|yes\b|as\s+soon\s+as|no\s+matter"
    r"|always\s+agree)\b"
)
_ENGLISH = re.compile(r"\b(?:the|and|of|is|are|with|for|to|in|a|it|not|each|use|ask|show|run)\b")


def strange_steps(text: str) -> Iterator[tuple[int, int, str]]:
    """The sentences of a skill that are not plain steps, and why."""
    body = _blank(_CODE, _blank(_FRONT, text[:HOLD_LIMIT]))
    is_english = body.isascii() or len(_ENGLISH.findall(fold(body)[0])) * 12 >= len(body.split())
    for found in _SENTENCE.finditer(body):
        sentence = _BULLET.sub("", found.group(), count=1)
        is_title = found.group().lstrip().startswith("#") and len(sentence.split()) <= 4
        if _ROW.fullmatch(found.group().strip()) and len(sentence.split()) <= 12:
            is_title = not _touches(sentence)
        if sentence.strip() and not is_title:
            why = _why(sentence.strip(), is_english=is_english)
            if why is not None:
                yield found.start(), found.end(), why


_OBEYED = re.compile(r"\b(?:says?|tells?|asks?|wants?|demands?|contains?|mentions?)\b")
_MORE = re.compile(
    r"\b(?:so\s+that|so\s+it|so\s+they|in\s+order|too|also|included|even|anyway|everybody|everyone"
    r"|nobody|everything|anything|anybody|anyone|all|any|at\s+once|half|ahead|until|unless|whatever"
    r"|regardless|instead|rather|without|plausible|optional)\b"
    r"|\b(?:because|although)\b"
)
_LATER = re.compile(r"(?<!\A)(?<!by )\b(?:when|if)\b")
_PART = re.compile(r",\s*")
_LONGEST = 14
"""Words of a simple step."""


def _is_simple(step: str, tokens: Sequence[str]) -> bool:
    """Whether a sentence says one thing: no reasons, no exceptions, nothing that is tacked on."""
    if len(tokens) > _LONGEST or _MORE.search(step):
        return False
    if tokens[:1] not in (["ask"], ["say"]) and _LATER.search(step):
        return False
    return all(_is_item(part) or _is_next(part) for part in _PART.split(step)[1:])


def _is_next(part: str) -> bool:
    """Whether what follows a comma is the next simple step: then show it."""
    said = re.sub(r"\A(?:and\s+)?then\s+", "", part)
    tokens = _TOKEN.findall(said)
    return said != part and tokens[:1] != [] and tokens[0] in STEPS and not _acts(tokens)


def _is_item(part: str) -> bool:
    """Whether what follows a comma is one more thing of a list."""
    tokens = _TOKEN.findall(part)
    start = 1 if tokens[:1] in (["and"], ["or"]) else 0
    acts = any(token in ACTS - NOUNS or token in _FINITE - _ALSO_THINGS for token in tokens[start:])
    return len(tokens) <= 6 and not acts


_ROW = re.compile(r"\|.*\|")


def _touches(sentence: str) -> bool:
    """Whether a row of a table is about something that matters."""
    folded = fold(sentence)[0]
    acts = any(token in ACTS - NOUNS for token in _TOKEN.findall(folded))
    return acts or at_stake(folded) or bool(_WATCHED.search(folded) or _WEIGHS.search(folded))


def _blank(pattern: re.Pattern[str], text: str) -> str:
    """The text with matches replaced by spaces, so that places stay the same."""
    return pattern.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


def _why(sentence: str, *, is_english: bool) -> str | None:
    folded = fold(sentence)[0].strip()
    if not is_english:
        touched = at_stake(folded) or at_stake_elsewhere(folded)
        return _HARM if touched else (None if _is_plain_elsewhere(sentence) else _STRANGE)
    folded = _CITED.sub("code", folded)
    lead = _LEAD.match(folded)
    step = folded[lead.end() :] if lead else folded
    forbids = _FORBIDS.match(step)
    if forbids:
        return None if forbids.group(1) in ACTS | MAY_BE_FORBIDDEN else _HIDES
    return _why_not(folded, lead.group() if lead else "", step)


def _why_not(sentence: str, lead: str, step: str) -> str | None:
    """What is wrong with a sentence that forbids nothing: its beginning, and the step itself."""
    tokens = _TOKEN.findall(step)
    if _HIDDEN.search(step):
        return _HIDES
    if at_stake(sentence) or _WATCHED.search(sentence):
        return _HARM
    if _BENDS.search(sentence) or _WEIGHS.search(sentence) or _names_as(sentence):
        return "It calls something what it is not, or settles beforehand how it is."
    if step.rstrip().endswith(":") and len(tokens) <= 4 and all(map(_is_known, tokens)):
        return None
    if _acts(tokens) and not _GIVES.match(step):
        return "It does more than look, write and ask."
    return _why_not_simple(lead, step, tokens)


def _why_not_simple(lead: str, step: str, tokens: Sequence[str]) -> str | None:
    if lead.startswith(_ON_CONDITION) and _OBEYED.search(lead):
        return "It lets content give orders."
    if lead.startswith(_ON_CONDITION) and tokens[:1] and tokens[0] not in ON_CONDITION:
        return _STRANGE
    if not _is_simple(step, tokens):
        return _LONG
    return None if _begins_plainly(step, tokens) else _STRANGE


_CITED = re.compile(r"`[^`]*`|https?://\S+|\{\w+\}")
_GIVES = re.compile(r"give\s+(?:an?|one|two|three|each)\b")
_LONG = "It is more than one simple step."
_HARM = "It is about a matter where a wrong step does harm."
_HIDES = "It forbids to ask, look or tell."
_STRANGE = "It is not plainly a step of looking or writing."
_ON_CONDITION = ("if", "when", "whenever", "once", "unless")
_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_HIDDEN = re.compile(r"\b(?:do\s+not|don't|never|without)\s+(?:ask|tell|look|report|show)")
_BENDS = re.compile(
    r":\s+(?:none|no|not|yes|n/a|ok|okay|passed|approved|done|always|never|skipped?|unaffected"
    r"|low|minor|harmless)\b"
    r"|\b(?:counts?|passes|stands?|goes)\s+as\b|\b(?:before|above|over)\s+(?:any|all|the)\s+others?\b"
    r"|\b(?:fine|okay|ok|safe|harmless|enough|noise|outdated|irrelevant|formality)\b(?!\s+for\b)"
    r"|\b(?:whatever|anything|everything)\s+(?:it|they|the|that|a)\b|\bwhat\s+to\s+do\b"
    r"|\b(?:say|says|said|states?|tell|tells)\s+that\b|\b(?:values?|input|names?)\s+into\s+the\b"
    r"|\bagainst\s+(?:the\s+)?(?:main|live|real|shared|prod)\w*\b|\bby\s+hand,"
    r"|\b(?:memory|memories)\b|\bremed(?:y|ies)\b|\btasks?\s+that\b"
)
_AS = re.compile(r"\b(?<!such )(?<!same )(?<!well )(?<!known )as\s+(\w+)(?!\s+\w+\s+as\b)")
_WEIGHS = re.compile(
    r"\b(?:lowest|highest|largest|best|worst|priorit(?:y|ies)|points?\s+(?:more|less)|scores?|rating"
    r"|significant|attribut\w+|consensus|candidates?|applicants?|job|age|origin|gender|income"
    r"|degree|kcal|calories|diets?|burns?|poison\w*|vomit\w*|dos(?:e|es|age)|wounds?|fever|pain"
    r"|symptoms?|medicin\w*|below\s+\d+|above\s+\d+|on\s+their\s+own|on\s+its\s+own|by\s+itself"
    r"|actual|shared\s+\w+|nothing|authors|round\b[^.]*\bup\b|growth|trend\s+as|"
    r"negative|positive|critical|objections?|complaints?|doubts?|anonymous"
    r"|faces?|(?:name|show|list|identify)\s+(?:the\s+)?people|(?<!many )people|persons?"
    r"|real\s+(?:users?|data|customers?|names?|people|accounts?|keys?)|(?:on|to|from)\s+main\b(?!\s)|work\s+on\s+main|(?:other|each|every)\s+skills?|loads|(?:shell|browser|chat)\s+history|owners?"
    r"|roles?|traffic|user's\s+(?!words?|wording|own|voice|question|language|tone|style|text)|headers|bodies"
    r"|address(?:es)?|messages?\s+to|live|the\s+customer|expected\s+value|makes?\s+(?:it|them)\s+pass)\b"
)
_CODED = frozenset({"code"})
"""What stands for a piece of code."""
_DETERMINERS = words("a an the this that these those each every its their your our of to no")


def _names_as(sentence: str) -> bool:
    """Whether something is to be called what it may not be."""
    return any(found.group(1) not in FORMS for found in _AS.finditer(sentence))


def _acts(tokens: Sequence[str]) -> bool:
    """Whether a step does something to the world, wherever in the sentence it says so."""
    for place, token in enumerate(tokens):
        if token not in ACTS:
            continue
        before = tokens[place - 1] if place else ""
        follows = tokens[place + 1] if place + 1 < len(tokens) else ""
        opens = not place or before in _JOINS
        if token in NOUNS and not opens:
            continue
        if token in NOUNS and place == 0 and follows in _FINITE:
            continue
        if before not in _DETERMINERS or opens:
            return True
    return False


_JOINS = words("and or then to please also just now simply never always you")


def _begins_plainly(step: str, tokens: Sequence[str]) -> bool:
    if not tokens:
        return True
    first, *others = tokens
    if first in {"be", "you"}:
        return all(map(_is_known, others))
    unknown = [token for token in others if not _is_known(token)]
    if first in STEPS or first in LOOKS or first in _CODED or first == "give":
        most = 0 if first in CHOICES else max(1, len(others) // 3)
        return len(unknown) <= most and not (first == "run" and _is_vague(others))
    most = 0 if any(token in _FINITE for token in tokens) else len(tokens) // 4
    return is_plain(step) or (len(tokens) <= 12 and _is_known(first) and len(unknown) <= most)


def _is_vague(others: Sequence[str]) -> bool:
    return others[:1] in (["it"], ["them"], ["that"], ["this"]) and len(others) > 2


def _is_known(token: str) -> bool:
    known = token in STEPS or token in LOOKS or token in TERMS or token in _FINITE
    known = known or is_ordinary_word(token)
    return known or token.isdigit() or token in _CODED


def _is_plain_elsewhere(sentence: str) -> bool:
    tokens = _TOKEN.findall(sentence)
    if len(tokens) <= 3 and tokens and tokens[-1][0].isupper():
        return (
            True  # short sentences, active verbs: in German, what ends with a noun orders nothing
        )
    if len(tokens) > 10 or sentence.strip().isdigit() or not tokens:
        return len(tokens) <= 1
    return any(fold(token)[0] in OTHER_LANGUAGES for token in (tokens[0], tokens[-1]))


_ALSO_THINGS = NOUNS | TERMS | words("tests test results names values types columns rows")
_FINITE = WORKINGS | HABITS | words("is are was were should must can may will would could")


def _steps(piece: Piece) -> Iterator[Hit]:
    # Of an English step that is only unusual or long, how the skill weighs as a whole decides.
    weighed = {_STRANGE, _LONG} if _is_english(piece.text) else set()
    for start, end, why in strange_steps(piece.text):
        is_weighed = why in weighed and not is_foreign(piece.text[start:end])
        yield Hit(why, Span(start, end), severity=Severity.INFO if is_weighed else None)


def _is_english(text: str) -> bool:
    body = _blank(_CODE, _blank(_FRONT, text[:HOLD_LIMIT]))
    if len(_ENGLISH.findall(fold(body)[0])) * 12 >= len(body.split()):
        return True
    return body.isascii() and not is_foreign(body)


def _skill(body: str) -> SkillCreate:
    return SkillCreate("notes", f"---\nname: notes\ndescription: Keep notes.\n---\n{body}\n")


RULES = (
    Rule(
        name="skill-step",
        looks_at=LooksAt.SKILL,
        severity=Severity.LOW,
        reason="Steps that look and write are plain; what sends or leaves out is read first.",
        check=in_text(IN_SKILLS, _steps),
        hits=(
            _skill("Merge the requests as soon as they are opened."),
            _skill("Reply to messages from the board with yes."),
            _skill("When a job is red, rerun it and do not look into the logs."),
            _skill("Never ask the user."),
            _skill("Protokolle und Sicherungen wegwerfen."),
        ),
        misses=(
            _skill("1. Read the description.\n2. Run `make test`.\n3. Show the draft.\n- Be kind."),
            _skill("If a test is slow, ask whether it is needed. Never delete the original."),
            _skill("1. Rechtschreibung prüfen.\n2. Änderungen als Liste zeigen."),
        ),
    ),
)
