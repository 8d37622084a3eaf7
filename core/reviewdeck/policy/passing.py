"""Rules about what passes: failures of a day, and what happened once."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reviewdeck.model import Severity
from reviewdeck.policy.concepts import Concept
from reviewdeck.policy.reading import Reading
from reviewdeck.policy.rule import IN_MEMORY, Hit, Holds, LooksAt, Piece, Rule, in_text
from reviewdeck.policy.screen import screened
from reviewdeck.policy.signs import signed

_FAILS = screened(
    r"\bnever\s+works\b|\bfalla\s+siempre\b|\bfails?\b(?!\s+(?:if|when|unless|on|below|under|fast|the\s+build|open|closed|over))"
    r"|\berror\s*:|\btraceback\b|\berrno\b|\bexit\s+code\s+[1-9]|\bflak(?:y|es)\s+on\s+this"
)
_QUALIFIED = re.compile(
    r"\b(?:if|when|while|unless|until|without|with|because|since|as|so|use|uses|instead|need\w*|after"
    r"|before|above|below|than|near|on|wenn|weil|ohne|mit|sans|quand|car|sin|con|cuando|porque|senza"
    r"|quando|sem|bez|zonder|als)\b|[;→]|->"
)
"""What makes more of it than that something does not work: a condition, a cause, a way out."""
_UNUSABLE = screened(
    r"\b(?:impossible|useless|hopeless|unusable|offline|refuses|denied|blocked|broken|cassee?|en\s+panne|roto|rota"
    r"|rotto|rotta|kapot|zepsut\w*)\b|\b(?:not|never)\s+(?:available|possible|supported|reachable)\b"
    r"|\b(?:can(?:not|'t|\s+not)|unable\s+to)\s+(?:be\s+)?(?:used?|reach\w*|open\w*|read|access\w*)\b"
)
_TRANSIENT = screened(
    r"\b(?:returned|got|gave)\s+(?:an?\s+)?(?:(?:http\s+)?(?:error|status)\s+)[45]\d\d\b"
    r"|\b(?:returned|got|gave)\s+(?:an?\s+)?[45]\d\d\b(?!\s*(?!error)\w)"
    r"|\b(?:currently|temporarily|momentarily)\s+(?:\w+\s+)?(?:down|offline|blocked|broken|unavailable"
    r"|rate|limited|failing|unreachable|not)\b|\b(?:is|are|was|were)\s+not\s+running\b"
    r"|\brate\s+limit\s+(?:was\s+)?(?:hit|reached)\b|\bretry\s+in\s+\d+\s+(?:s|sec|min|hours?)\w*\b"
    r"|\breturned\s+an?\s+error\b|\b(?:was|were)\s+(?:offline|down|flaky|unreachable|failing)\b"
    r"|\bi\s+can(?:not|['’]t)\s|\b(?:available\s+to\s+me|not\s+an\s+option)\b"
    r"|\bnot\s+worth\s+(?:another|a\s+second)\s+(?:attempt|try)\b"
)
_TOOLS_OF_AGENT = re.compile(
    r"\b(?:tools?|toolset|(?:web|file|code)\s+search|search|ocr|(?:image|speech|voice)\s+recognition|navegador|navigateur|(?:pdf|web|file)\s+reader|(?:mail|chat)\s+client|feed|browser|browsing|terminal|shell|sandbox"
    r"|internet|network\s+access|web\s+access|access\s+to|api\s+access|plugin|integration|mcp|skill"
    r"|(?:pdf|image|file|audio)\s+(?:reading|generation|access|upload)|werkzeuge?|suche|outils?"
    r"|recherche|herramientas?|busqueda|ferramentas?|strumenti?|ricerca|narzedzi\w*|инструмент\w*)\b"
    r"|ツール|検索|工具|搜索|도구|검색"
)
"""What the agent works with: that it does not work is never worth keeping."""
_NUMBERED = screened(
    r"(?<!\w)#\d{2,}\b|\b(?:pr|prs|issue|ticket|bug|mr|pull\s+request|incident"
    r"|case)\s?#?\s?\d{2,}\b|\b(?!utf|iso|sha|rfc|aes|cve|pep"
    r"|tls|ieee|din|rsa|php|http|wcag|es|en|md)[a-z]{2,10}-\d{3,}\b"
)
_DONE = screened(
    r"\b(?:fixed|debugged|resolved|investigated|patched|traced|hotfixed|worked\s+around|refactored"
    r"|migrated|implemented|finished"
    r"|completed|solved|merged)\s+(?:the|a|an|this|that|bug|issue|pr|step|task|phase)\b"
    r"|\b(?:task|step|phase)\s+\d+\s+(?:of\s+\d+\b|is\s+(?:done|finished|half|open|next))"
    r"|\b(?:pr|mr|issue|ticket|pull\s+request)\s?#?\d+\s+was\s+\w+ed\b|\bspent\s+(?:\w+\s+){1,4}(?:fixing|debugging|looking|trying|searching|hunting)\b"
    r"|(?:^|[.;]\s)(?:uploaded|tried|renamed|restarted|ran|asked|drafted|debugged|compared|finished|wrote"
    r"|rewrote|summari[sz]ed|checked)\s+(?:the|an?|two|three|four|it|all|both)\b"
    r"|\b(?:was|were|went|had|got|did|came|asked|failed|broke|took|told|called|gave|tried|lost|stopped)\b"
    r"[^.;\n]{0,60}\b(?:on|last|this)\s+(?:mon|tues|wednes|thurs|fri|satur|sun)day\b(?!\s+(?:of|in))"
    r"|\b(?:in|during|from)\s+(?:this|that|the\s+last|the\s+current)\s+(?:session|conversation|chat|run)\b"
    r"|\bcommit\s+[0-9a-f]{7,40}\b(?=[^.;\n]{0,60}\b(?:fix|contains?|change|has|is|was)\b)"
    r"|\btask\s+done\b|\bwe\s+spent\s|\bran\s+the\s+tests\b|\bin\s+an?\s+(?:bad|good|foul)\s+mood\b"
    r"|\b(?:we|i)\s+(?:tried|renamed|fixed|debugged|installed|restarted|rebooted)\b"
    r"|\b(?:the|my|our)\s+(?:last|previous)\s+(?:message|attempt|session|turn|request|question)\b"
)
_OF_EACH = re.compile(r"\s+of\b")
"""The last week of a month comes back each month."""
_SENTENCE = re.compile(r"[^.!?。]+")
_ONLY = 12
"""Words of a sentence that says no more."""


@signed(Concept.FAILURE, _FAILS)
def _failures(piece: Piece) -> Iterator[Hit]:
    reading = piece.reading
    for mention in reading.all(Concept.FAILURE):
        yield Hit("It says that something does not work.", reading.span(mention.start, mention.end))
    for found in _FAILS.finditer(reading.folded):
        yield Hit("It says that something fails.", reading.span(*found.span()))


@signed(Concept.FAILURE, _FAILS, _UNUSABLE, _TRANSIENT)
def _given_up(piece: Piece) -> Iterator[Hit]:
    reading = piece.reading
    for found in _SENTENCE.finditer(reading.folded):
        if _says_only(reading, *found.span()):
            yield Hit(
                "It says of something that it does not work, as if for good.",
                reading.span(*found.span()),
            )


def _says_only(reading: Reading, start: int, end: int) -> bool:
    said = reading.folded[start:end]
    fails = _FAILS.search(said) or any(
        start <= mention.start < end for mention in reading.all(Concept.FAILURE)
    )
    if _TRANSIENT.search(said):
        return True
    if _TOOLS_OF_AGENT.search(said):
        return bool(fails or _UNUSABLE.search(said))
    return bool(fails) and len(said.split()) <= _ONLY and _QUALIFIED.search(said) is None


@signed(Concept.MOMENT, _DONE)
def _narratives(piece: Piece) -> Iterator[Hit]:
    reading = piece.reading
    for mention in reading.all(Concept.MOMENT):
        if not _OF_EACH.match(reading.folded, mention.end):
            yield Hit("It tells of one moment.", reading.span(mention.start, mention.end))
    for found in _DONE.finditer(reading.folded):
        yield Hit("It tells of work done.", reading.span(*found.span()))


@signed(_NUMBERED)
def _numbered(piece: Piece) -> Iterator[Hit]:
    for found in _NUMBERED.finditer(piece.reading.folded):
        yield Hit("A ticket or pull request number.", piece.reading.span(*found.span()))


RULES = (
    Rule(
        name="failure",
        looks_at=LooksAt.MEMORY,
        severity=Severity.LOW,
        reason="A failure of one day, remembered, keeps the agent from trying again.",
        check=in_text(IN_MEMORY, _failures),
        hits=(
            "browser tools do not work on this machine.",
            "git: command not found",
            "Docker funktioniert nicht.",
        ),
        misses=("CI fails if coverage drops below 90 %.", "Works from Berlin."),
        holds=Holds.UNLESS_CLEAR,
    ),
    Rule(
        name="given-up",
        looks_at=LooksAt.MEMORY,
        severity=Severity.LOW,
        reason="An agent that reads that a tool does not work never tries it again.",
        check=in_text(IN_MEMORY, _given_up),
        hits=(
            "browser tools do not work.",
            "git: command not found",
            "Docker funktioniert nicht.",
            "Web search failed with a timeout, so it is not available here.",
            "The terminal tool refuses large files; avoid it.",
            "GitLab returned error 502 during the push.",
        ),
        misses=(
            "The build fails without libxml2; install it first.",
            "Tests are run before review.",
        ),
    ),
    Rule(
        name="narrative",
        looks_at=LooksAt.MEMORY,
        severity=Severity.LOW,
        reason="What happened once is in the session's own record and ages fast.",
        check=in_text(IN_MEMORY, _narratives),
        hits=(
            "Fixed the bug in the parser.",
            "We merged it today.",
            "Task 4 is done, task 5 is half finished.",
            "Spent Tuesday fixing the date bug.",
        ),
        misses=("Releases follow semver.", "The report is due in the last week of the month."),
    ),
    Rule(
        name="numbered",
        looks_at=LooksAt.MEMORY,
        severity=Severity.LOW,
        reason="What belongs to one ticket is in the ticket.",
        check=in_text(IN_MEMORY, _numbered),
        hits=("PR 4711 changes the parser.", "See #1234."),
        misses=("Releases follow semver.", "Encoding is UTF-8, dates are ISO-8601."),
        holds=Holds.UNLESS_CLEAR,
    ),
)
