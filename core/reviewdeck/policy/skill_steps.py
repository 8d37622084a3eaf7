"""Whether the steps of a skill are plain ones: reading, comparing, writing, showing, asking.

A skill is made of orders, so the words of an order say nothing. What its verbs do does: steps that
look and write are plain; steps that send, remove, open, accept or leave out are for a person to
read, and so is whatever is about a matter where a wrong step does harm.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from reviewdeck.model import Severity, SkillCreate, Span
from reviewdeck.policy.plain_verbs import HABITS, WORKINGS
from reviewdeck.policy.plain_words import GLUE, KINDS, ROLES, THINGS
from reviewdeck.policy.reading import HOLD_LIMIT, fold
from reviewdeck.policy.rule import IN_SKILLS, Hit, LooksAt, Piece, Rule, in_text
from reviewdeck.policy.stakes import at_stake, at_stake_elsewhere
from reviewdeck.policy.wordlist import words

STEPS = words("""
    add scope contrast
    bump collect changes change gather celebrate  assume lead skim
    aim analyse analyze annotate answer  arrange ask assess  avoid back balance
    be begin benchmark break brainstorm build calculate capture caption categorise check choose
    cite clarify classify clean colour combine comment compare compile complete compute confirm
    consider convert correct count cover create cut debug decide define describe design determine
    diff discuss divide document double draft draw echo edit encourage end ensure estimate evaluate
    examine expand explain explore express extract figure filter find finish fit fix focus
    format generate get give go greet group  highlight identify illustrate implement
    import include  indent inspect interview introduce iterate jot keep label
    learn let lint list listen locate look make map mark match measure mention minimise mock model
     name narrow normalise note number observe offer-alternatives order organise outline
    paraphrase parse pause phrase pick plan plot polish practise praise predict prefer prepare
    present preview  prioritise produce profile proofread propose prototype
    quantify query question quote rank rate read rebuild recap  record reduce
    refactor refer reflect rename render repeat rephrase reproduce report research restate
    retry return review revise rewrite round run sample scan score search see select separate set
    shorten show simplify simulate sketch slice sort spell split stage start state  stop
    structure study suggest summarise summarize support switch tabulate tag   teach tell
    test think time track trace translate trim try   type typeset understand update use
    validate vary verify version visualise wait walk warn watch weigh work wrap write
    analyse only first then finally next also please
""")
"""What a plain step does."""

_CODE = re.compile(r"^[ ]{0,3}(```|~~~).*?(?:^[ ]{0,3}\1|\Z)", re.DOTALL | re.MULTILINE)
_FRONT = re.compile(r"\A---[ \t]*\n.*?\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_SENTENCE = re.compile(r"[^\n.!?;。！？]+(?:[.!?;](?!\s|$)[^\n.!?;。！？]*)*")
_BULLET = re.compile(r"^[\s>*•|#-]*(?:\d{1,3}[.)]\s*)?(?:\[[ x]\]\s*)?[*_\"'(]*")
_LEAD = re.compile(
    r"(?:if|when|whenever|once|before|after|while|for|in|on|with|unless|where|as|to"
    r"|by)\b[^,\n]{1,100},\s*"
)
_FORBIDS = re.compile(r"(?:do\s+not|don't|never|not|no|avoid)\b\s*(\w*)")
_NEVER_FORBIDDEN = words("""
    ask tell report mention look warn show wait stop check read confirm verify review inform notify
    question interrupt disclose explain hesitate
""")
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
        if sentence.strip() and not is_title:
            why = _why(fold(sentence)[0].strip(), is_english=is_english)
            if why is not None:
                yield found.start(), found.end(), why


def _blank(pattern: re.Pattern[str], text: str) -> str:
    """The text with matches replaced by spaces, so that places stay the same."""
    return pattern.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


def _why(sentence: str, *, is_english: bool) -> str | None:
    if not is_english:
        touched = at_stake(sentence) or at_stake_elsewhere(sentence)
        return "It is about a matter where a wrong step does harm." if touched else None
    sentence = re.sub(r"`[^`]*`", "code", sentence)
    step = _LEAD.sub("", sentence, count=1) if _LEAD.match(sentence) else sentence
    forbids = _FORBIDS.match(step)
    if forbids:
        hides = forbids.group(1) in _NEVER_FORBIDDEN
        return "It forbids to ask, look or tell." if hides else None
    if re.search(r"\b(?:do\s+not|don't|never|without)\s+(?:ask|tell|look|report|show)", step):
        return "It forbids to ask, look or tell."
    if at_stake(sentence) or _WATCHED.search(sentence):
        return "It is about a matter where a wrong step does harm."
    return None if _begins_plainly(step) else "It is not plainly a step of looking or writing."


def _begins_plainly(step: str) -> bool:
    first, *others = re.findall(r"[\w'-]+", step) or [""]
    if first in STEPS or len(others) <= 3 or first == "code":
        return True
    if first in GLUE | THINGS | KINDS | ROLES or first.endswith(("s", "ing")):
        return True
    main = others[: next((n for n, word in enumerate(others) if word in _SUBORDINATES), 8)]
    return any(word in _FINITE for word in main)


_SUBORDINATES = words("until who that which when if so because even as while where and or")
_FINITE = WORKINGS | HABITS | words("is are was were should must can may will would could")


def _steps(piece: Piece) -> Iterator[Hit]:
    for start, end, why in strange_steps(piece.text):
        yield Hit(why, Span(start, end))


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
