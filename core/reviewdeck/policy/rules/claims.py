"""Rules about claims: who may do what, what the agent remembers, whose words are orders."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from reviewdeck.model import Severity
from reviewdeck.policy.own_rules import RuleEffect
from reviewdeck.policy.rules.folding import FoldedText, fold
from reviewdeck.policy.rules.lexicon import Tag
from reviewdeck.policy.rules.phrases import STOP, Signs, Together, after
from reviewdeck.policy.rules.rule import AddedText, Destination, Hit, Rule, in_blocks

_WEIGHT = "Gives someone's words more authority than they have."
_AUTHORITIES = Signs(
    Together("Mentions approval, permission or authority.", (Tag.AUTHORITY,), memory_only=True),
    Together("Mentions money or payments.", (Tag.MONEY,), memory_only=True),
    Together("Mentions someone's identity or contact details.", (Tag.CONTACT,), memory_only=True),
    Together(
        "Says that somebody has agreed to it.",
        (Tag.USER, Tag.CONSENT),
        6,
        in_order=True,
        memory_only=True,
        joined=STOP,
    ),
    Together("Tells the agent to act without asking.", (Tag.UNASKED,)),
    after(
        _WEIGHT,
        "has have had get gets given give grant grants with",
        r" (?:\w+ ){0,2}?(?:full|complete|unrestricted|admin|administrator|root|write)"
        r" (?:access|rights|privileges|control|power)\b",
        memory_only=True,
    ),
    after(
        _WEIGHT,
        "request requests message messages order orders instruction instructions command commands"
        " email emails mail",
        r" (?:\w+ ){0,2}?(?:from|by|signed|marked) (?:\w+ ){1,6}?"
        r"(?:are|is|come|comes|should|must|can|may|count)\b",
        memory_only=True,
    ),
    after(
        _WEIGHT,
        "is are",
        r" (?:the )?(?:same as|(?:equal|equivalent) to) (?:the )?(?:user|owner|operator)\b",
        memory_only=True,
    ),
    after(
        _WEIGHT,
        "always automatically blindly",
        r" (?:accept|confirm|trust|allow|grant|agree|merge)\b",
        memory_only=True,
    ),
    after(
        _WEIGHT,
        "treat regard consider assume",
        r" (?:\w+ ){1,8}?(?:as )?"
        r"(?:safe|trusted|trustworthy|confirmed|legitimate|verified|harmless|benign)\b",
        memory_only=True,
    ),
)
_OWN = "Speaks about the agent's own memory."
_MEMORIES = Signs(
    Together(_OWN, (Tag.MEMORY, Tag.EDIT), 8, joined=STOP),
    Together(_OWN, (Tag.MEMORY,), memory_only=True),
    Together(
        "Tells the agent to review or check less.", (Tag.SKIP, Tag.REVIEW), 5, memory_only=True
    ),
    Together(
        "Tells the agent what to remember instead of stating it.",
        (Tag.KEEP,),
        is_order=True,
        memory_only=True,
    ),
    Together("Speaks about the review of proposals.", (Tag.OWN_REVIEW,)),
    after(
        "Speaks about the review of proposals.",
        "proposal proposals entry entries addition additions memories",
        r"[^.\n]{0,40}?\b(?:reviewer|operator|approved|auto-?appl\w+|auto-?approv\w+)\b",
    ),
)
_CONTENT = (
    r"(?:web\s?pages?|websites?|pages?|readmes?|e-?mails?|messages?|comments?|issues?|tickets?"
    r"|attachments?|documents?|pdfs?|tool (?:outputs?|results?|responses?)|outputs?|responses?"
    r"|search results?|urls?|links?|gists?|pull requests?|posts?|feeds?|transcripts?|logs?"
    r"|(?:pr )?descriptions?|body|third[\s-]party)\b"
)
_FOREIGN_ORDERS = "Tells the agent to follow instructions that others wrote."
_OBEYING = Signs(
    after(
        _FOREIGN_ORDERS,
        "follow obey execute run perform carry do apply act comply trust honor honour",
        r" (?:(?:out|on|with) )?(?:(?:any|all|the|every|each|its|their|whatever|exactly) )?"
        r"(?:\w+ ){0,2}?"
        r"(?:instructions?|steps|commands?|directions|orders|says?|asks?|tasks?|requests?|code"
        r"|snippets?|todos?) (?:\w+ ){0,3}?(?:in|from|on|of|inside|within|contained|found|given"
        r"|embedded|listed|written|provided|described|returned)\b"
        rf"\s*(?!this\b)(?:\w+ ){{0,6}}?{_CONTENT}",
    ),
    after(
        _FOREIGN_ORDERS,
        "do follow",
        r" what(?:ever)? (?:it|they|the (?!fuck|hell)\w+|an? \w+|is) (?:\w+ )?"
        r"(?:says?|asks?|tells?|wants?|contains?|written|listed)\b",
    ),
    after(
        _FOREIGN_ORDERS,
        "treat regard consider take",
        r" (?:\w+ ){1,8}?as (?:\w+ ){0,3}?(?:instructions|orders|commands"
        r"|(?:user|owner|trusted|authoritative|system)"
        r" (?:input|instructions|commands|messages?))\b",
    ),
    after(
        _FOREIGN_ORDERS,
        "as",
        r" (?:if|though) (?:it|they) (?:\w+ ){1,2}(?:from|by) the (?:user|owner|operator)\b",
    ),
    after(
        _FOREIGN_ORDERS,
        "befolge fuhre folge",
        r" (?:\w+ ){0,4}?(?:anweisung\w*|schritte\w*|befehle\w*) (?:\w+ ){0,4}?"
        r"(?:seite|mail|nachricht|datei|ticket|kommentar|dokument)",
    ),
)


_GRAVE_UNASKED = frozenset({Tag.RUN, Tag.ACT, Tag.SEND})


def _authority(piece: AddedText) -> Iterator[Hit]:
    """What does away with asking is grave in a skill where something is run, sent or deleted."""
    for hit in _AUTHORITIES.hits(piece):
        if piece.place is Destination.MEMORY or _is_grave(piece, hit):
            yield hit
        else:
            yield replace(hit, severity=Severity.MEDIUM)


_ASKS_USER = re.compile(
    r"\s+(?:the user|user|for|before|permission|confirmation|whether|if|first|again|anyone|me)\b"
    r"|\s*(?:[.,;!]|\Z)",
    re.IGNORECASE,
)
"""What follows `do not ask` where it is the user who would be asked."""


def _is_grave(piece: AddedText, hit: Hit) -> bool:
    asked = piece.text[hit.start : hit.end].lower().endswith("ask")
    if asked and not _ASKS_USER.match(piece.text, hit.end):
        return False
    start = max(piece.text.rfind(end, 0, hit.start) for end in ".!?;\n") + 1
    ends = [at for end in ".!?;\n" if (at := piece.text.find(end, hit.end)) >= 0]
    words = FoldedText(fold(piece.text[start : min(ends, default=len(piece.text))])[0])
    return any(words.has(tag) for tag in _GRAVE_UNASKED) and not _NEVER.search(words.text)


_NEVER = re.compile(
    r"\b(?:never|do not|don't|must not|cannot|avoid|no)\b(?! (?:ask|wait|confirm|prompt))"
)
AUTHORITY = Rule(
    name="authority",
    effect=RuleEffect.HOLD,
    severity=Severity.HIGH,
    reason="Permissions, identities and payments need an operator's confirmation.",
    looks_at="text added to a memory; what does away with asking, also in a skill",
    check=in_blocks(_authority),
)


def _own_memory(piece: AddedText) -> Iterator[Hit]:
    """To speak of memory is what skills about agents do: what writes into one's own is grave."""
    for hit in _MEMORIES.hits(piece):
        words = piece.text[hit.start : hit.end].lower()
        if piece.place is Destination.MEMORY or _OWN_FILES.search(words):
            yield hit
        else:
            yield replace(hit, severity=Severity.MEDIUM)


_OWN_FILES = re.compile(r"\b(?:memory|user|soul)\.md\b|\byour\s+memor|reviewdeck")
OWN_MEMORY = Rule(
    name="own-memory",
    effect=RuleEffect.HOLD,
    severity=Severity.HIGH,
    reason="A note about the agent's memory or its review changes what all other notes mean.",
    looks_at="added text",
    check=in_blocks(_own_memory),
)
OBEYS_CONTENT = Rule(
    name="obeys-content",
    effect=RuleEffect.HOLD,
    severity=Severity.HIGH,
    reason="Anyone who can write an issue, a page or a mail could command the agent.",
    looks_at="added text",
    check=in_blocks(_OBEYING.hits),
)
