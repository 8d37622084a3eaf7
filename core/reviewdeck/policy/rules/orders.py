"""Rules about orders to the agent: to drop its instructions, keep secrets, give them away.

Notes that address whoever reads them are orders too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from reviewdeck.model import Severity
from reviewdeck.policy.own_rules import RuleEffect
from reviewdeck.policy.rules.commands import leaking_commands
from reviewdeck.policy.rules.folding import FoldedText, Mention
from reviewdeck.policy.rules.lexicon import Tag
from reviewdeck.policy.rules.phrases import (
    CODE,
    STOP,
    Signs,
    Together,
    after,
    compiled,
    is_near,
)
from reviewdeck.policy.rules.quotation import severity_told
from reviewdeck.policy.rules.rule import AddedText, Destination, Hit, Rule, RuleInput, in_blocks

_SET_ASIDE = "Tells the agent to ignore its instructions."
_TAKEN_OVER = "Gives the agent another role or lifts its limits."
_LEAKED = "Asks the agent to reveal its instructions."
_HIDDEN = "Tells the agent to hide something from the user."
SENTENCE: Final = re.compile(rf"{CODE.pattern}|[.!?。！？](?:\s|\Z)|[。！？]")
"""What stands between two sentences, or between words of code."""
_FOREIGN = (
    r"(?: (?:that|which|you))?(?: (?:are|is|may|might|appear|appears|occur|come|find|found"
    r"|embedded|contained|hidden|present|placed|given|written))*"
    r" (?:in(?:side)?|within|from|by|on|inside of) "
    r"(?!(?:this|your|the) (?:system|prompt|user|owner|operator|developer))"
)
"""What goes on after instructions that somebody else wrote: to ignore those is right."""
_TELLS = (
    r"(?:tell|telling|inform|informing|notify|notifying|alert|alerting|mention|mentioning"
    r"|disclose|disclosing|reveal|revealing|report|reporting)"
)
_THE_USER = r"(?:(?:the|your|my|its|any|our|a) )?(?:\w+ )??(?:users?|humans?|operators?|owners?)\b"
_OVERRIDES = Signs(
    Together(_SET_ASIDE, (Tag.DROP, Tag.PRIOR, Tag.ORDERS), 4, in_order=True),
    Together(_SET_ASIDE, (Tag.DROP, Tag.PRIOR, Tag.ORDERS), 9, joined=SENTENCE),
    Together(_SET_ASIDE, (Tag.DROP, Tag.PRIOR, Tag.RULES), 6, in_order=True, joined=SENTENCE),
    Together(_SET_ASIDE, (Tag.DROP, Tag.EVERY, Tag.ORDERS), 6, in_order=True, joined=STOP),
    Together(_SET_ASIDE, (Tag.PRIOR, Tag.ORDERS, Tag.VOID), 12, in_order=True, joined=SENTENCE),
    Together(_SET_ASIDE, (Tag.EVERY, Tag.ORDERS, Tag.VOID), 10, in_order=True, joined=SENTENCE),
    Together(_SET_ASIDE, (Tag.PRIOR, Tag.RULES, Tag.VOID), 7, in_order=True, joined=STOP),
    Together(_SET_ASIDE, (Tag.RULES, Tag.PRIOR, Tag.VOID), 7, in_order=True, joined=STOP),
    Together(_SET_ASIDE, (Tag.VOID, Tag.PRIOR, Tag.RULES), 5, in_order=True, joined=STOP),
    Together(_SET_ASIDE, (Tag.VOID, Tag.RULES, Tag.PRIOR), 5, in_order=True, joined=STOP),
    Together(_SET_ASIDE, (Tag.OVERRIDDEN,)),
    Together(_SET_ASIDE, (Tag.FORGET,), is_order=True, unless_negated=True),
    after(
        _SET_ASIDE,
        "forget ignore disregard",
        r" (?:everything|anything|all|what(?:ever)?) (?:\w+ ){0,3}"
        r"(?:said|told|learned|learnt|above|before|know|were|asked|instructed)\b",
    ),
    after(
        _SET_ASIDE,
        "what everything whatever",
        r" (?:you were told|was said|you have been told|i said|was agreed|you learned|you learnt)"
        r" (?:before|earlier|previously|so far|until now)"
        r" (?:\w+ ){0,2}(?:no longer|not|void|wrong|obsolete|invalid)\b",
    ),
    after(
        _SET_ASIDE,
        "new updated real actual true",
        r" (?:system )?(?:instructions?|prompt|directives?)\s*:",
    ),
    after(_SET_ASIDE, "override", r" (?:\w+ ){0,2}safety\b"),
    after(
        _SET_ASIDE,
        "ignore disregard forget ignoriere ignorieren vergiss",
        r" (?:sie )?(?:the |your |my |das |die |den )?"
        r"(?:user|human|directions?|above|obige|(?:previous|earlier|last|above) (?:request|message"
        r"|question|answer|text)s?|obigen \w+)\s*(?:[.,;:!]|and\b|und\b|\Z)",
    ),
    after(
        _SET_ASIDE,
        "change replace update",
        r" (?:all )?(?:of )?your (?:instructions|directives|system prompt|guidelines)\b",
    ),
    Together("Demands obedience without question.", (Tag.OBEY, Tag.BLINDLY), 10, joined=SENTENCE),
    Together(
        _LEAKED,
        (Tag.REVEAL, Tag.PROMPT),
        8,
        in_order=True,
        unless_negated=True,
        is_order=True,
        joined=SENTENCE,
    ),
    after(
        _LEAKED,
        "repeat print output copy show display recite reproduce",
        r" (?:\w+ ){0,4}?(?:(?:above|preceding|initial) (?:prompt|text|conversation|instructions)"
        r"|(?:prompt|text|words|conversation|instructions) (?:above|before)\b)",
    ),
    after(
        _SET_ASIDE,
        "all alle",
        r" (?:previous|prior|vorherigen|bisherigen) informati[\w]{2,5}\b[^.\n]{0,60}"
        r"\b(?:irrelevant|void|wrong|nicht|ungultig|falsch)\b",
    ),
    Together(_TAKEN_OVER, (Tag.TAKEN_OVER,)),
    after(
        _TAKEN_OVER,
        "you",
        r"(?:\s?['’]re| are) now (?!ready|able|done|in\b|on\b|at\b|logged|connected|set\b|finished"
        r"|using|running|viewing|free to (?:close|start))\w"
        r"| (?:now )?(?:have no|are free (?:of|from)|no longer have|are not bound by)"
        r" (?:\w+ ){0,2}(?:restriction|limit|rule|filter|guideline|polic)",
    ),
    after(
        _TAKEN_OVER,
        "from",
        r" (?:now|this point) (?:on|onwards?),?"
        r" (?:you (?:are|will be|act|must|shall|obey|respond|answer)|act\b|respond\b|behave\b)",
    ),
    after(
        _TAKEN_OVER,
        "act",
        r" as (?:(?:if|though) you|(?:an? )?(?:unrestricted|unfiltered|root|admin|administrator|dan"
        r"|the (?:system|user|owner|operator)))\b",
    ),
    after(_TAKEN_OVER, "pretend", r" (?:that )?(?:you\b|to be\b|the user\b)"),
    after(
        _TAKEN_OVER,
        "enable enter activate switch turn",
        r" (?:to |on )?(?:\w+ ){0,2}(?:developer|dan|jailbreak|god|unrestricted|sudo) mode\b",
    ),
    after(
        _TAKEN_OVER,
        "respond answer reply act operate speak behave",
        r" without (?:\w+ ){0,2}(?:restriction|limitation|filter|safety|guardrail|censor|ethic"
        r"|moral)",
    ),
    after(
        _TAKEN_OVER,
        "your agent assistant",
        r"(?:['’]s)? (?:new|real|true|actual) (?:role|identity|purpose|goal|task|mission|objective"
        r"|owner|master|name) (?:is|will)\b",
    ),
    after(
        _HIDDEN,
        "not never t dont without avoid nothing",
        rf" (?:\w+ ){{0,2}}?{_TELLS}(?: [\w'’]+){{0,4}}? {_THE_USER}(?! to )",
    ),
    after(_HIDDEN, "tell inform say show", rf" (?:nothing to )?{_THE_USER} nothing\b"),
    after(
        _HIDDEN,
        "say mention",
        rf" (?:nothing|none of it|not a word) (?:[\w'’]+ ){{0,4}}?to {_THE_USER}",
    ),
    Together(_HIDDEN, (Tag.NOT, Tag.TELL_ABROAD, Tag.USER), 7, joined=STOP),
    after(
        _HIDDEN,
        "hide hiding conceal concealing withhold withholding keep keeping",
        r" (?:[\w'’]+ ){0,8}?from the (?:user|users|human|operator|owner)\b",
    ),
    Together(_HIDDEN, (Tag.HIDE, Tag.USER), 8, unless_negated=True, joined=STOP),
    Together(_HIDDEN, (Tag.CONCEALED,)),
    after(
        _HIDDEN,
        "user users human humans operator operators owner owners",
        r" (?:must|should|shall|may|need)\s*(?:not|never)"
        r" (?:know|see|learn|notice|find out|be (?:told|informed|notified|aware))",
    ),
    after(
        _HIDDEN,
        "without",
        r" (?:the )?(?:user|owner|operator|human)(?:['’]?s)? (?:knowing|knowledge|noticing)\b",
    ),
    after(
        _HIDDEN,
        "not t never",
        r" (?:let (?:the )?(?:user|owner|operator|human) (?:know|find|notice|see)"
        r"|(?:reveal|mention|disclose) (?:that )?(?:this|these)"
        r" (?:entry|note|instruction|memory|rule|message))",
    ),
    after(_HIDDEN, "nutzer benutzer", r" darf \w+ nicht (?:wissen|erfahren|merken)\b"),
)


def _override(piece: AddedText) -> Iterator[Hit]:
    foreign = compiled(_FOREIGN)
    for hit in _OVERRIDES.hits(piece):
        if hit.message == _SET_ASIDE and foreign.match(piece.text.lower(), hit.end):
            continue
        yield replace(hit, severity=severity_told(piece, hit.start, hit.end))


_GIVES_AWAY = "Sends secrets or conversations to someone else."
_COMMANDED = "Puts the agent under remote control."
_EXFILTRATIONS = Signs(
    Together(
        _GIVES_AWAY, (Tag.SEND, Tag.SECRETS, Tag.OUTSIDE), 16, unless_negated=True, joined=CODE
    ),
    Together(_COMMANDED, (Tag.REMOTE_CONTROL,)),
    after(
        _COMMANDED,
        "fetch poll pull get retrieve await check",
        r" (?:for )?(?:\w+ ){0,2}(?:tasks?|tasking|commands?|orders|instructions)"
        r" (?:from|at|via|on) (?:https?:|the (?:server|hub|host|c2|channel|gist|url|operator)"
        r"|an? (?:server|gist|url|remote)|\w+\.\w{2,6}\b)",
    ),
    after(
        _COMMANDED,
        "register",
        r" (?:\w+ ){0,2}as an? (?:\w+ )?(?:node|bot|worker|zombie) (?:with|at|of)\b",
    ),
    after(_COMMANDED, "bash zsh dash sh", r" -i [>&|]"),
    after(_COMMANDED, "dev", r"(?<=/dev)/(?:tcp|udp)/"),
    after(_COMMANDED, "nc ncat netcat", r" (?:-\w+ )*-\w*[ec]\w*\s"),
)


def _exfiltration(piece: AddedText) -> Iterator[Hit]:
    for hit in _said_to_send(piece):
        yield replace(hit, severity=severity_told(piece, hit.start, hit.end))
    for view in piece.reading.views:
        for start, end in leaking_commands(view):
            message = "Runs a command that sends secrets or files over the network."
            yield Hit(message, piece, *view.span(start, end))


def _said_to_send(piece: AddedText) -> Iterator[Hit]:
    yield from _EXFILTRATIONS.hits(piece)
    for view in piece.reading.views:
        for mention in _sent_away(view):
            yield Hit(_GIVES_AWAY, piece, *view.span(mention.start, mention.end))


_DESTINATION = re.compile(r"https?:|hxxps?:|ftp:|@(?<=[\w.+-]@)[\w-]+\.\w")
_REACH = 240
"""Characters around a destination in which what is sent there is named."""


def _sent_away(view: FoldedText) -> Iterator[Mention]:
    """The places where secrets are sent to a link or a mail address in one clause."""
    if not view.has(Tag.SEND, Tag.SECRETS):
        return
    places = [match.start() for match in _DESTINATION.finditer(view.text)]
    for mention in view.together((Tag.SEND, Tag.SECRETS), 12, joined=CODE) if places else ():
        is_there = is_near(view, mention, places, before=_REACH, after=_REACH)
        if is_there and not view.is_negated(mention):
            yield mention


OVERRIDE = Rule(
    name="override",
    effect=RuleEffect.REFUSE,
    severity=Severity.CRITICAL,
    reason="Memory and skills become part of the prompt, where such words take over the agent.",
    looks_at="added text, with disguises undone",
    check=in_blocks(_override),
)
EXFILTRATION = Rule(
    name="exfiltration",
    effect=RuleEffect.REFUSE,
    severity=Severity.CRITICAL,
    reason="Commands and links in a memory can exfiltrate secrets and conversations.",
    looks_at="added text, with disguises undone",
    check=in_blocks(_exfiltration),
)


_SPEAKING = (
    (re.compile(r"[?？](?=[\s\"'”’)]|\Z)"), "Asks a question instead of stating a fact."),
    (
        re.compile(
            r"\A\W*+(?:you are|you're|du bist|sie sind|imagine|pretend|act as|hello|hi)\b",
            re.IGNORECASE,
        ),
        "Addresses the reader instead of stating a fact.",
    ),
    (re.compile(r"(?:\b[A-Z]{4,}\b[\s,.:!_]{1,3}){3}|!!"), "Shouts at the reader."),
    (
        re.compile(
            r"^[^\w\n]{0,20}(?:[A-Z]{2,20}[ _]){0,3}(?:OVERRIDE|INSTRUCTIONS?|ORDERS?"
            r"|DIRECTIVES?|COMMANDS?|ALERT)\s{0,3}:",
            re.MULTILINE,
        ),
        "Poses as a message to the agent.",
    ),
)
"""Forms of address to the reader, each with its message."""
_REQUESTED = "Makes a request of the reader instead of stating a fact."
_REQUESTS = Signs(
    after(_REQUESTED, "please bitte", r"(?!\s+(?:note|see))"),
    after(_REQUESTED, "favor favore", r"(?<=por\sfavor)|(?<=per\sfavore)"),
    after(_REQUESTED, "plait", r"(?<=te\splait)|(?<=vous\splait)"),
    after(
        "Dictates what the agent is to say.",
        "respond reply answer say print repeat antworte antworten sag sage sagen schreib schreibe"
        " schreiben",
        r"[^.\n\"“„]{0,40}[\"“„][^\"”“\n]",
    ),
)


def _addressed(subject: RuleInput) -> Iterator[Hit]:
    for piece in subject.texts:
        if piece.place is Destination.MEMORY:
            for pattern, message in _SPEAKING:
                if match := pattern.search(piece.text):
                    yield Hit(message, piece, *match.span())
            yield from _REQUESTS.hits(piece)


RULES = (
    Rule(
        name="addressed",
        effect=RuleEffect.HOLD,
        severity=Severity.LOW,
        reason="A memory states facts; a question or a request addresses its reader.",
        looks_at="text added to a memory",
        check=_addressed,
    ),
)
