"""Rules about orders to the agent and claims to it.

To drop its instructions, to keep secrets or give them away; who may do what, what it remembers,
whose words are orders; and notes that address whoever reads them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from reviewdeck.model import Severity
from reviewdeck.policy.own_rules import RuleEffect
from reviewdeck.policy.rules.commands import PLACEHOLDER, leaking_commands
from reviewdeck.policy.rules.folding import fold
from reviewdeck.policy.rules.quotation import (
    is_followed,
    is_merely_quoted,
    is_quoted,
    sentence_after,
    sentence_before,
    severity_told,
)
from reviewdeck.policy.rules.reach import ahead_of, behind, line_around, reach
from reviewdeck.policy.rules.rule import (
    AddedText,
    Hit,
    InPieces,
    Look,
    Rule,
    in_blocks,
)
from reviewdeck.policy.rules.survey import Sought
from reviewdeck.policy.rules.views import CODE, STATEMENT, Mention, View, is_near
from reviewdeck.policy.rules.vocabulary import Near, vocabulary
from reviewdeck.text.lazy import regex

_SET_ASIDE: Final = "Tells the agent to ignore its instructions."
_HIDDEN: Final = "Tells the agent to hide something from the user."
_ROLE: Final = "Gives the agent another role or lifts its limits."
_FOREIGN: Final = regex(
    r"[\s-]like\b|\s+(?:that\s+|which\s+)?(?:it|they|the\s+\w+)\s+(?:may\s+|might\s+)?"
    r"(?:contain|hold|include|carry|carrie)s?\b|(?:\s+(?:that|which|you))?(?:\s+(?:are|is|may|might|appear|appears|occur|come|find|found"
    r"|embedded|contained|hidden|present|placed|given|written))*"
    r"\s+(?:in(?:side)?|within|from|by|on|inside\s+of)\s+"
    r"(?!(?:this|your|the)\s+(?:system|prompt|user|owner|operator|developer))"
)
"""What goes on after instructions that somebody else wrote: to ignore those is right."""


def _override(piece: AddedText) -> Iterator[Hit]:
    for hit in piece.said("override"):
        after = behind(piece.text, hit.end, _REACH).lower()
        if hit.message != _SET_ASIDE or not _FOREIGN.match(after):
            yield _graded_order(piece, hit)


def _graded_order(piece: AddedText, hit: Hit) -> Hit:
    if severity := severity_told(piece, hit.start, hit.end):
        return hit.graded(severity)
    if _is_no_order(piece, hit):
        return hit.graded(Severity.MEDIUM)
    if piece.is_memory:
        return hit
    if piece.is_code and not is_followed(piece):
        return hit.graded(Severity.HIGH)
    if is_merely_quoted(piece, hit.start, hit.end) or not _is_ordered(piece, hit):
        return hit.graded(Severity.HIGH, is_refused=True)
    return hit


_LED: Final = regex(r"\b(?:start|begin|by|keep|continue)\s+\Z", re.IGNORECASE)
_TELLS: Final = regex(
    r"\b(?:tell|inform|notify|alert|mention|disclos|reveal|report|know|see|learn|notice|find|say|hid"
    r"|keep|conceal|withh)"
)
_MAY: Final = regex(r"\b(?:can|could|may|might|would|attackers?)\b", re.IGNORECASE)
_SECRET_BEHIND: Final = regex(
    r"\s*(?:[.!;,)]|\Z|\n\s*\n)|\s+(?:about|of|anything)\b|\s+(?:that|what|why|how)\s+(?:you|this)\b"
    r"|\s+(?:this|it|these|those)(?=\s*[.!;,)]|\s*\Z|\s+(?:and|or|step|file|note|instruction|message"
    r"|entry|memory|skill|rule|action)s?\b)",
    re.IGNORECASE,
)
"""What is kept from a user: this, or what the agent does. Anything else is how it is told."""
_WITHOUT_LIMITS: Final = regex(
    r"\b(?:dan|jailbr\w+|un(?:restricted|filtered|limited|bound|censored)|no|not|free|without|root"
    r"|admin\w*|god|evil|system|owner|operator|anything|instructions|anweisungen)\b"
    r"|\b(?:are|bist|['’]re)\s+(?:now\s+|jetzt\s+|du\s+)*(?-i:[A-Z][a-z]+)",
    re.IGNORECASE,
)
"""A role that lifts limits, or a name: any other is how skills speak."""
_OWN_PROMPT: Final = regex(
    r"\b(?:your|system|hidden|secret|initial|original|above|preceding|prior)\b"
)
_OF_OTHERS: Final = regex(
    r"\b(?:page|web|e?-?mail|file|document|embedded|injected|untrusted|external|malicious|inline"
    r"|third-party|such) instructions?"
)


def _is_ordered(piece: AddedText, hit: Hit) -> bool:
    """Whether a skill orders what is found, rather than to tell of it or of something else."""
    words = hit.words.lower()
    before = sentence_before(piece.text, hit.start)
    if piece.is_fenced and not is_followed(piece):  # it shows what is said
        return False
    if words.partition(" ")[0].endswith("ing"):
        return _LED.search(before) is not None
    if hit.message == _HIDDEN:
        is_secret = _SECRET_BEHIND.match(piece.text, hit.end)
        is_how = words.startswith(("without", "secretly", "covertly")) and not _MAY.search(before)
        return not _TELLS.search(words) or bool(is_secret and (is_how or leads_to_order(before)))
    if hit.message == _ROLE:
        return _WITHOUT_LIMITS.search(hit.words + behind(piece.text, hit.end, 60)) is not None
    if hit.message == _REVEALED and not _OWN_PROMPT.search(words):
        return False
    if hit.message == _SET_ASIDE:
        is_other = piece.is_cell and not _OWN_ORDERS.search(words)
        is_name = words.endswith(("-override", "-bypass"))
        if is_other or is_name or _OF_OTHERS.search(words):
            return False
        if _BEFORE.search(words):
            return True
    return leads_to_order(before)


_BEFORE: Final = regex(
    r"\b(?:you\w*|previous|prior|above|earlier|bisherigen|vorherigen|obigen?|ihre|deine)\b"
)
"""What was said to the agent: nobody tells of that."""
_HEAD: Final = regex(r"[^\W_]+(?:['’][^\W_]+)?|[:;,()—–]")
_ENDS: Final = frozenset(":;—–")
_JOINS: Final = frozenset(("and", "then", "but", "und", "dann", "et", "y", "e"))
_IN_CASE: Final = frozenset(
    ("if", "when", "whenever", "once", "before", "after", "every", "on", "wenn", "falls", "sobald")
)


@lru_cache(maxsize=1024)
def leads_to_order(before: str) -> bool:
    """Whether an order begins behind these words of its sentence: only what leads to one stands
    there, or a clause ends.
    """
    listed = vocabulary().listed
    words = _HEAD.findall(before.lower())
    for at in reversed(range(len(words))):
        word, behind = words[at], words[at + 1 :]
        if word in _ENDS:
            return True
        if word in _JOINS:
            return behind != ["you"]
        if word == ",":
            return words[0] in _IN_CASE
        if word not in listed["leads"] and word not in listed["leads_on"]:
            return False
    return True


_REVEALED: Final = "Asks the agent to reveal its instructions."
_MANNER: Final = regex(r"(?:respond|answer|reply|act|operate|speak|behave)\s", re.IGNORECASE)
_OWN_ORDERS: Final = regex(r"\b(?:instructions?|prompts?|directives?|your?|orders)\b")
"""Whose words are set aside: settings and policies of a system are overridden too."""
_BLANKED: Final = {2: " ", 3: " "}
"""The two marks of the patterns below, where the text itself has them: there they mark nothing."""
_DENIED: Final = (
    r"(?:\b(?:never|not|don['’]t|cannot|nobody|they)|n['’]t)\s+(?:to\s+)?"
    r"(?:(?:let|allow|permit|have|make)\s+(?:[\w'’]+\s+){1,3}?(?:to\s+)?)?\x02"
    r"|\b(?:instructions?|rules?|texts?|commands?)\s+(?:that|which)\s+\x02"
)
_WITHOUT: Final = r"\b(?:never|not|don['’]t|must not|nobody)\b[^,;:\x02]*\x02without\b"
_NO_ORDER: Final = {
    _SET_ASIDE: regex(
        rf"{_DENIED}|(?:everything|anything)\x03\s+(?:else|below|except|but|outside|after)\b"
        r"|\x02[^\x03]*\b(?:(?:that|which|who)\s+(?:\w+\s+)?|(?:attempt|tr(?:y|ie))s?\s+to\s+)"
        r"(?:override|ignore|bypass|disregard)"
    ),
    # Nobody can tell what a user wants.
    _HIDDEN: regex(rf"{_WITHOUT}|\bcan['’]\x02t "),
    _ROLE: regex(_DENIED),
}
"""By message, what turns a sentence into no order. Its words stand between two marks."""
_NO_ORDER_OF_SKILL: Final = {
    # What a model knows of a program may be older than the program.
    _SET_ASIDE: regex(r"training\x03[\s-]+(?:data|knowledge|cut-?off|set)\b"),
    # What a user did not say or may not know; that there is such a user, which no login reveals to
    # strangers; and not to claim that something is done before it is.
    _HIDDEN: regex(
        r"\b(?:did|had|has|have|was|were)\s+\x02|\bdidn['’]\x02|\x02[^\x03]*users? may not\b"
        r"|\b(?:if|whether)\s+(?:(?:the|an?|that)\s+)?users?\s*\x03"
        r"\s*(?:names?\s+|accounts?\s+|e-?mails?\s+)?"
        r"(?:exists?|(?:is|was|are)\s+(?:not\s+)?(?:registered|found|valid|known))\b"
        r"(?=\s*(?:[^\w\s]|\Z|\n)|\s+(?:or|in|at|during|on)\b)"
        r"|users?\s*\x03(?=\s+(?:that\s+)?(?:you|it|they|a|an|the|something|everything|work)\b)"
        r"[^.!?\n]*\n?[^.!?\n]*\b(?:unless|until|before|without)\s+"
        r"(?:(?:you|it|they|all|each|every|both)\b|\w+(?:ing|ed)\b)(?!\s+(?:ask|want|request)\w*)"
    ),
    # What a device or a model suffers.
    _ROLE: regex(r"\x02jailbreak(?:s|ed|ing)?\x03"),
    # A prompt that is written, and not the agent's own that is shown.
    _REVEALED: regex(
        r"\b(?:in|into|inside|within|to|for|of|with)\s+(?:the|a|an|each|its|their)\s+"
        r"(?:system|developer|initial|original)[\s-](?:prompts?|messages?)\x03"
        r"|\x02(?![^\x03]*\b(?:your|system|initial|hidden)\b)[^\x03]*\bprompt\s+texts?\x03"
    ),
}


def _is_no_order(piece: AddedText, hit: Hit) -> bool:
    """Whether these words forbid what they name, or say another thing: they wait, and no more."""
    if _MANNER.match(hit.words):  # people speak without a filter
        return not piece.reading.plain.begins_order(Mention(hit.start, hit.end))
    sentence = (
        sentence_before(piece.text, hit.start),
        hit.words,
        behind(piece.text, hit.end, _REACH),
    )
    before, words, after = (part.translate(_BLANKED).lower() for part in sentence)
    said = f"{before}\x02{words}\x03{after}"
    forms = (_NO_ORDER,) if piece.is_memory else (_NO_ORDER, _NO_ORDER_OF_SKILL)
    return any(hit.message in each and each[hit.message].search(said) for each in forms)


_GIVES_AWAY: Final = "Sends secrets or conversations to someone else."
_LEAKS: Final = "Runs a command that sends secrets or files over the network."


def _exfiltration(piece: AddedText) -> Iterator[Hit]:
    for hit in piece.said("exfiltration"):
        yield _graded_danger(piece, hit)
    for view in piece.reading.views:
        for mention in _sent_away(view, STATEMENT if piece.is_code else CODE):
            hit = Hit(_GIVES_AWAY, piece, *view.span(*mention))
            is_subject = not piece.is_memory and _is_subject(view, mention)
            yield hit.graded(Severity.MEDIUM) if is_subject else _graded_sending(piece, hit)
        for leak in leaking_commands(view):
            hit, severity = Hit(_LEAKS, piece, *view.span(*leak)), _severity_of_leak(view, leak)
            is_shown = severity is None and _leaks_nothing(piece, hit.start, hit.end)
            yield hit.graded(Severity.HIGH if is_shown else severity, is_refused=is_shown)


def _graded_danger(piece: AddedText, hit: Hit) -> Hit:
    if severity := severity_told(piece, hit.start, hit.end):
        return hit.graded(severity)
    if piece.is_memory:
        return hit
    if _is_named(piece, hit):
        return hit.graded(Severity.MEDIUM)
    is_told = hit.message == _GIVES_AWAY and _is_told(piece, hit.start, hit.end)
    if is_told or _is_act_alone(piece, hit) or _is_to_be_filled_in(piece, hit):
        return hit.graded(Severity.HIGH, is_refused=True)
    return hit


def _graded_sending(piece: AddedText, hit: Hit) -> Hit:
    if severity := severity_told(piece, hit.start, hit.end):
        return hit.graded(severity)
    if _is_of_use(piece.text, hit.start, hit.end):
        return hit.graded(Severity.MEDIUM)
    is_told = not piece.is_memory and _is_told(piece, hit.start, hit.end)
    return hit.graded(Severity.HIGH if is_told else None, is_refused=is_told)


_NOWHERE: Final = regex(
    r"(?://|@|\s)(?:[\w-]+\.)*(?:attacker|evil|malicious)[\w-]*\.|\bexample\.(?:com|org|net)\b"
    r"|\.(?:example|test|invalid)\b|\blocalhost\b|\b127\.0\.0\.1\b"
    r"|fetch\(\s*`\$\{\w*(?:url|base|host|endpoint)\w*\}",
    re.IGNORECASE,
)
"""A host of examples, that nobody has or that calls itself an attacker's, or one to be set."""


def _leaks_nothing(piece: AddedText, start: int, end: int) -> bool:
    """Whether a skill shows a leak rather than causes one: to a host of examples, or in two pieces
    of inline code that a sentence names one after the other.
    """
    if piece.is_memory:
        return False
    words = piece.text[start:end]
    is_parted = not piece.is_code and "`" in words
    if is_parted or _NOWHERE.search(words + behind(piece.text, end, 60)):
        return True
    return not (_PRIVATE.search(words) or piece.text[end : end + 1].isalnum())


_PRIVATE: Final = regex(
    r"env\b|secret|token|key|cred|passw|pwd|cookie|history|id_\w|\.(?:aws|ssh|kube|netrc|gnupg)"
    r"|wallet|shadow|memor|hermes|claude|\$\(\s*(?:env|printenv|security|gpg)|base64|!\[",
    re.IGNORECASE,
)
"""What is nobody else's business: any other file may be what is published."""


def _is_act_alone(piece: AddedText, hit: Hit) -> bool:
    """Whether a skill has data leave a system, and says neither whose nor where to."""
    if not _ACT.fullmatch(hit.words):
        return False
    first, last = reach(piece.text, hit.start, hit.end, _REACH, _REACH)
    around = piece.text[first:last]
    return not (_DESTINATION.search(around) or _USERS_OWN.search(around))


def _is_to_be_filled_in(piece: AddedText, hit: Hit) -> bool:
    """Whether a skill shows in code how a host is taken over, with its address left open."""
    if hit.message == _GIVES_AWAY or not (
        piece.is_code or is_quoted(piece.text, hit.start, hit.end)
    ):
        return False
    line = line_around(piece.text, hit.start, hit.end, _REACH, _LONGEST_LINE)
    return bool(PLACEHOLDER.search(line) or _NOWHERE.search(line))


def _is_told(piece: AddedText, start: int, end: int) -> bool:
    """Whether a skill quotes or tells that something is sent, and does not order it."""
    if is_followed(piece):
        return False
    if piece.is_code or is_merely_quoted(piece, start, end):
        return True
    verb = _SENDS.search(piece.text, start, end)
    if verb is None:  # in another language
        return False
    is_order = not verb.group().lower().endswith(("s", "ed", "ing"))
    return not (is_order and leads_to_order(sentence_before(piece.text, verb.start())))


_SENDS: Final = regex(
    r"\b(?:send|post|upload|forward|transmit|leak|exfiltrat|share|submit|deliver|publish)\w*", re.I
)
_LONGEST_LINE: Final = 1_000
_ACT: Final = regex(r"exfiltrat\w+", re.IGNORECASE)
_USERS_OWN: Final = regex(
    r"\b(?:users?|your|my|owner|secrets?|keys?|tokens?|passwords?|credentials?|conversation|memory"
    r"|memories|env(?:ironment)?|dotfiles?|wallets?|home|\.\w+)\b",
    re.IGNORECASE,
)


_IDENTIFIER: Final = regex(r"[^\W_]*[_/]|[^\W_]*-(?=\w)|(?<=[_/])|(?<=\w-)")


def _is_identifier(text: str, start: int) -> bool:
    return _IDENTIFIER.match(text, start) is not None


def _is_named(piece: AddedText, hit: Hit) -> bool:
    """Whether a skill only names a danger: a word of it alone, or what an attacker does."""
    words = hit.words
    if hit.message == _GIVES_AWAY:
        return " " not in words or _is_identifier(piece.text, hit.start)
    if _AWAITED.match(words):
        first, last = reach(piece.text, hit.start, hit.end, _REACH, _REACH)
        return _OBEYED.search(piece.text[first:last]) is None
    if not _DANGER.fullmatch(_PARTED.sub(" ", words).strip()):
        return False
    if piece.is_code or is_quoted(piece.text, hit.start, hit.end):
        return True
    before = ahead_of(piece.text, hit.start, 20)
    if words.lower().startswith("exfiltrat") and words.lower() != "exfiltrate":
        return True
    if _GLOSS.search(before):
        return True
    if words.lower() == "exfiltrate":
        is_ordered = leads_to_order(sentence_before(piece.text, hit.start))
        return _MERELY.search(before) is not None or not is_ordered
    return not _puts_in(sentence_before(piece.text, hit.start) + words)


@lru_cache(maxsize=1024)
def _puts_in(text: str) -> bool:
    """Whether a sentence orders that something be put in place or run."""
    sentence = View(fold(_COMPOUNDED.sub("_", text))[0])
    orders = (one for verb in _PUT_IN for one in sentence.mentions(verb))
    return any(map(sentence.begins_order, orders))


_COMPOUNDED: Final = regex(r"(?<=\w)-(?=\w)|\bexfiltration\b", re.IGNORECASE)
"""The hyphen of "dual-use", and a noun: neither orders anything."""
_AWAITED: Final = regex(r"(?:fetch|poll|pull|get|retrieve|await|check|register)\b", re.I)
_OBEYED: Final = regex(
    r"\b(?:run|execut\w+|carry|follow|obey|perform|do)\b[^.\n]{0,20}\b(?:them|it|each|every|whatever"
    r"|these|those|all|any|instructions?|commands?|orders)\b",
    re.IGNORECASE,
)
"""What the skill has done with the tasks that it gets."""
_PARTED: Final = regex(r"[^\w.]+|_")
_DANGER: Final = regex(
    r"c2[\s_-]\w+|command.and.control.\w+|reverse shell|bind shell|backdoor|keylog\w*|meterpreter"
    r"|cobalt.strike|exfiltrat\w+",
    re.IGNORECASE,
)
_MERELY: Final = regex(r"(?:\bto|\bnot|n['’]t|\bnever|\bcannot|\bcan|\bcould|\bmay)\s+\Z", re.I)
"""What is attempted, possible or forbidden is not ordered."""
_GLOSS: Final = regex(r"`\)?\s+(?:--|[—–]|->|→)\s*\Z")
"""What a piece of code in front does is told; the code is judged by itself."""
_PUT_IN: Final = ("run", "write", "fetch", "send", "act", "put_in")
_SHARED: Final = regex(r"(?:tokens?|keys?|secrets?|cookies?)\b[^.;:]*\bshare\Z")


def _is_subject(view: View, mention: Mention) -> bool:
    """Whether secrets and what stands beside them share something, and nobody shares them."""
    if not _SHARED.match(view.text, *mention):
        return False
    return not view.begins_order(Mention(mention.end - len("share"), mention.end))


_PURPOSE: Final = regex(
    r"(?:tokens?|keys?|credentials?|passwords?|cookies?|secrets?)\W+(?:to|that|which)\s+\w+\Z", re.I
)


def _is_of_use(text: str, start: int, end: int) -> bool:
    """Whether a secret is only what one sends with, or a part of another name."""
    words = text[start:end]
    if words.istitle() or not any(map(str.isspace, words)):  # a title, or a part of an address
        return True
    if _is_identifier(text, start):
        return True
    return _PURPOSE.fullmatch(words) is not None


_OWN_KEY: Final = regex(
    r"[?&\s\"'](?:api_?key|key|access_token|token|client_secret)\\?[\"']?\s?[=:]\s?\\?[\"']?"
    r"\$(?:\{?\w+|\(cat \S+token\))|/bot\$\{?\w*token"
)


def _severity_of_leak(view: View, leak: tuple[int, int]) -> Severity | None:
    """A request for a token, and a key in its field, go to the service that gave them."""
    first, last = reach(view.text, *leak, 200, 400)
    line = view.text[first:last]
    if "grant_type" in line:
        return Severity.MEDIUM
    return Severity.HIGH if _OWN_KEY.search(line) else None


_SENT: Final = Near(_GIVES_AWAY, ("send", "secrets"), 12)
_DESTINATION: Final = regex(r"https?:|hxxps?:|ftp:|@(?<=[\w.+-]@)[\w-]+\.\w")
_REACH: Final = 240
"""Characters around a destination in which what is sent there is named."""


def _sent_away(view: View, parting: re.Pattern[str]) -> Iterator[Mention]:
    """The places where secrets are sent to a link or a mail address in one clause."""
    if not view.has(*_SENT.words):
        return
    places = [match.start() for match in _DESTINATION.finditer(view.text)]
    for mention in view.together(_SENT, parting) if places else ():
        is_there = is_near(view, mention, places, before=_REACH, after=_REACH)
        if is_there and not view.is_negated(mention):
            yield mention


OVERRIDE = Rule(
    name="override",
    effect=RuleEffect.REFUSE,
    severity=Severity.CRITICAL,
    reason="Memory and skills become part of the prompt, where such words take over the agent.",
    looks_at="added text, with disguises undone",
    check=in_blocks(_override, Sought(("override",))),
)
EXFILTRATION = Rule(
    name="exfiltration",
    effect=RuleEffect.REFUSE,
    severity=Severity.CRITICAL,
    reason="Commands and links in a memory can exfiltrate secrets and conversations.",
    looks_at="added text, with disguises undone",
    check=in_blocks(
        _exfiltration,
        Sought(("exfiltration",), (_SENT.words, ("network",)), regex(r"!\[")),
    ),
)


def _authority(piece: AddedText) -> Iterator[Hit]:
    """What does away with asking is grave in a skill where something is sent, paid or deleted."""
    lead = ahead_of(piece.context, len(piece.context), _REACH)
    is_named = piece.is_code or piece.is_cell or _FORBIDDEN.search(lead)
    for hit in piece.said("authority"):
        before = sentence_before(piece.text, hit.start)
        if _UNASKED.match(hit.words) and _NOT_TO_BE_DONE.fullmatch(before):
            continue
        is_grave = piece.is_memory or (not is_named and _is_grave(piece, hit))
        yield hit if is_grave else hit.graded(Severity.MEDIUM)


_UNASKED: Final = regex(r"(?:without|ohne)\b", re.IGNORECASE)
_NOT_TO_BE_DONE: Final = regex(
    r"\s*(?:please )?(?:never|don['’]?t|do not|must not|nie|niemals) "
    r"(?!(?:ask|avoid|be|block|bother|delay|fail|fear|forget|have|hesitate|hold|let|mind|miss|need"
    r"|refuse|shy|skip|stop|wait|worry)\b)"
    r"[\w'-]+"
    r"(?: (?!(?:and|but|just|instead|then|or|if|unless|to ask|und|sondern)\b)[\w'/-]+){0,6} ",
    re.IGNORECASE,
)
"""What may not be done without asking: an order to ask."""
_FORBIDDEN: Final = regex(
    r"\b(?:never|don['’]t|do not|avoid|red flags|mistakes|anti-?patterns|must not)\W*\Z",
    re.IGNORECASE,
)
"""What introduces a list of what is not to be done."""
_ASKS: Final = regex(r"\b(?:ask|confirm|consent|consult|permission|approv|user|tell|notif)", re.I)
"""What is left out is a word to the user, and not only a check."""
_ASKS_USER: Final = regex(
    r"\s+(?:the user|user|for|before|permission|confirmation|whether|if|first|again|anyone|me)\b"
    r"|\s*(?:[.,;!]|\Z)",
    re.IGNORECASE,
)
"""What follows `do not ask` where it is the user who would be asked."""


def _is_grave(piece: AddedText, hit: Hit) -> bool:
    if hit.words.lower().endswith("ask") and not _ASKS_USER.match(piece.text, hit.end):
        return False
    if not _ASKS.search(hit.words + behind(piece.text, hit.end, 20)):
        return False
    before, after = sentence_before(piece.text, hit.start), sentence_after(piece.text, hit.end)
    return _orders_grave(f"{before}{hit.words}{after}")


@lru_cache(maxsize=1024)
def _orders_grave(sentence: str) -> bool:
    words = View(fold(sentence)[0])
    is_ordered = any(map(words.begins_order, words.mentions("grave_act")))
    return is_ordered and _NEVER.search(words.text) is None


_NEVER = regex(
    r"\b(?:never|do not|don't|must not|cannot|avoid|no)\b(?! (?:ask|wait|confirm|prompt))"
)
AUTHORITY = Rule(
    name="authority",
    effect=RuleEffect.HOLD,
    severity=Severity.HIGH,
    reason="Permissions, identities and payments need an operator's confirmation.",
    looks_at="text added to a memory; what does away with asking, also in a skill",
    check=in_blocks(_authority, Sought(("authority",))),
)


def _graver_with(rule: str, words: re.Pattern[str]) -> Look:
    """The phrases of a rule, which in a skill are grave only with some of these words."""

    def look(piece: AddedText) -> Iterator[Hit]:
        for hit in piece.said(rule):
            is_grave = piece.is_memory or words.search(hit.words)
            yield hit if is_grave else hit.graded(Severity.MEDIUM)

    return look


_OWN_FILES = regex(r"\b(?:memory|user|soul)\.md\b|\byour\s+memor|reviewdeck", re.IGNORECASE)
"""To speak of memory is what skills about agents do: what writes into one's own is grave."""
OWN_MEMORY = Rule(
    name="own-memory",
    effect=RuleEffect.HOLD,
    severity=Severity.HIGH,
    reason="A note about the agent's memory or its review changes what all other notes mean.",
    looks_at="added text",
    check=in_blocks(_graver_with("own-memory", _OWN_FILES), Sought(("own-memory",))),
)


_OTHERS: Final = regex(
    r"\b(?:web\s?)?(?:pages?|sites?|websites?|e?-?mails?|messages?|comments?|issues?|tickets?"
    r"|attachments?|documents?|pdfs?|results?|outputs?|responses?|posts?|feeds?|transcripts?|logs?"
    r"|readmes?|urls?|links?|gists?|pull requests?|descriptions?|body|third.party|contents?|user"
    r"|owner|operator|system|trusted|nachricht|seite|mail|ticket|kommentar|dokument|datei)\b|https?:",
    re.IGNORECASE,
)
"""To do what a test or an expert says is work: these are what others can write."""
OBEYS_CONTENT = Rule(
    name="obeys-content",
    effect=RuleEffect.HOLD,
    severity=Severity.HIGH,
    reason="Anyone who can write an issue, a page or a mail could command the agent.",
    looks_at="added text",
    check=in_blocks(_graver_with("obeys-content", _OTHERS), Sought(("obeys-content",))),
)


_SPEAKING = (
    (regex(r"[?？](?=[\s\"'”’)]|\Z)"), "Asks a question instead of stating a fact."),
    (
        regex(
            r"\A\W*+(?:you are|you're|du bist|sie sind|imagine|pretend|act as|hello|hi)\b",
            re.IGNORECASE,
        ),
        "Addresses the reader instead of stating a fact.",
    ),
    (regex(r"(?:\b[A-Z]{4,}\b[\s,.:!_]{1,3}){3}|!!"), "Shouts at the reader."),
    (
        regex(
            r"^[^\w\n]{0,20}(?:[A-Z]{2,20}[ _]){0,3}(?:OVERRIDE|INSTRUCTIONS?|ORDERS?"
            r"|DIRECTIVES?|COMMANDS?|ALERT)\s{0,3}:",
            re.MULTILINE,
        ),
        "Poses as a message to the agent.",
    ),
)
"""Forms of address to the reader, each with its message."""


def _addressed(piece: AddedText) -> Iterator[Hit]:
    if piece.is_memory:
        for pattern, message in _SPEAKING:
            if match := pattern.search(piece.text):
                yield Hit(message, piece, *match.span())
        yield from piece.phrases("addressed")


ADDRESSED = Rule(
    name="addressed",
    effect=RuleEffect.HOLD,
    severity=Severity.LOW,
    reason="A memory states facts; a question or a request addresses its reader.",
    looks_at="text added to a memory",
    check=InPieces(_addressed),
)
