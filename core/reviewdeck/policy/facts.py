"""Rules about kinds of facts that memory is not for, or that a person has to check."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from reviewdeck.model import MemoryAdd, MemoryReplace, Severity, SkillCreate, Span
from reviewdeck.policy.concepts import Concept
from reviewdeck.policy.reading import HOLD_LIMIT
from reviewdeck.policy.rule import (
    ANYWHERE,
    IN_MEMORY,
    Hit,
    Holds,
    LooksAt,
    Piece,
    Place,
    Rule,
    Subject,
    in_text,
)
from reviewdeck.policy.screen import screened
from reviewdeck.policy.signs import signed

_EMAIL = screened(r"(?<![\w.+-])[\w.+-]{1,64}[ ]?(?:@|\(at\)|\[at\])[ ]?[\w-]{1,63}\.[\w.-]{2,63}")
_PHONE = screened(
    r"(?<![\w.])(?:\+\d[\d ()/.-]{7,18}\d|\(?0\d{2,5}\)?[ /-]\d[\d -]{4,10}\d"
    r"|\d{3}-\d{3}-\d{4})(?![\w.]*\w)"
)
_IBAN = screened(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b")
_DIGITS = screened(r"(?<![\w.])\d(?:[ -]?\d){12,18}(?![\w.]*\w)")
_COIN = screened(r"\b(?:0x[0-9a-fA-F]{40}|bc1[a-z0-9]{20,60}|[13][A-HJ-NP-Za-km-z1-9]{26,34})\b")
_NUMBER_OF = screened(
    r"\b(?:identity|insurance|passport|tax|licen[cs]e|account|card|social\s+security|id)\s+"
    r"(?:number|no\.|nr\.)\s{0,2}(?:is|:)?\s{1,2}[A-Z]{0,3}\d[\dA-Z -]{4,20}",
    re.IGNORECASE,
)
_SOCIAL = screened(r"\b\d{3}-\d{2}-\d{4}\b")
_WHO = screened(
    r"\b(?:(?:user|owner|operator|boss|manager|admin)(?:'s)?\s+(?:(?:full|real|legal"
    r"|new)\s+)?(?:name|identity|handle|username|account)"
    r"|has\s+(?:two|three|another|a\s+second|other)\s+(?:names?|accounts?|identit\w+)"
    r"|real\s+name|also\s+known\s+as|is\s+actually|is\s+really|goes\s+by|new\s+(?:name|owner|user"
    r"|boss|manager|address|email|e-mail|phone|number)"
    r"|(?:date\s+of\s+birth|birthday|home\s+address|lives\s+at|social\s+security|passport"
    r"|driver'?s?\s+licen[cs]e|medical\s+(?:records?|history|conditions?|files?)|diagnos\w+)"
    r"|changed\s+(?:his|her|their|its)\s+(?:name|email|e-mail|address|number|account))\b"
)
_NAMED = re.compile(r"\bname\s*(?::|is\b)")
_NAMES = screened(_NAMED.pattern)
_ENDS = re.compile(r"[.!?。]+(?=\s|\Z)|\n")
_LISTED = re.compile(r"[,;、，]\s")
_MOST_LISTED = 20
_REPEATED = re.compile(r"([^\w\s.=*#~_-])\1{5}|\b(\w+)(?:\s+\2\b){7}")
_FILLER = re.compile(r"\blorem\s+ipsum\b", re.IGNORECASE)
_MOST_SENTENCES = 8
_MOST_ALIKE = 5
"""Sentences of an entry that begin alike."""
_STEP = screened(r"^[ \t]*(?:[-*•–]|\d{1,2}[.)]|step\s+\d+)[ \t:]+\S", re.MULTILINE | re.IGNORECASE)
_STEPS = screened(
    r"\bstep\s*\d|\bfirst\b.{1,80}\bthen\b|\bthen\b.{1,80}\bfinally\b|(?:→.{1,60}){2,}→",
    re.IGNORECASE,
)
_PACKAGE = screened(
    r"\b(?:package|library|module|dependency|plugin|extension|image|gem|crate|mcp\s+server"
    r"|connector)s?\s+(?:called\s+|named\s+|is\s+)?[`\"'“]?([a-z@][\w@/.-]{3,})",
    re.IGNORECASE,
)
_FROM_SOURCE = screened(
    r"\b(?:index|registry|mirror|proxy|channel|feed)\b[^.\n]{0,40}\b(?:at|from|is|via|through"
    r"|instead)\b|\b(?:installed?|pulled|fetched|downloaded|served)\s+(?:\w+\s+){0,2}from\b"
    r"|\b(?:resolved|pulled|fetched)\s+(?:against|via|through)\b"
)
_COMMON_LIST = """
    split built kept
    manager managers version versions versioning level names name boundary files file docs
    registry registries layout structure structures scope size sizes lock update updates upgrade
    upgrades tests test path paths with that which from uses used should must have has into need
    needs does only this system systems graph tree json code named imports import support pins
    pinning review format resolution extension dependencies docstrings docstring comments
    registry injection under build builds where host marketplace runs live lives follow follows
    start starts tags tag sets keep are were been over them they and the for not but via per
"""
_COMMON = frozenset(_COMMON_LIST.split())


@signed(_EMAIL, _PHONE, _IBAN, _COIN, _SOCIAL, _NUMBER_OF, _DIGITS)
def _personal(piece: Piece) -> Iterator[Hit]:
    text = piece.text[:HOLD_LIMIT]
    for pattern, what in (
        (_EMAIL, "An e-mail address."),
        (_PHONE, "A telephone number."),
        (_IBAN, "A bank account."),
        (_COIN, "A wallet address."),
        (_SOCIAL, "A personal number."),
        (_NUMBER_OF, "A personal number."),
    ):
        for found in pattern.finditer(text):
            yield Hit(what, Span(*found.span()))
    for found in _DIGITS.finditer(text):
        if _is_card(found.group()):
            yield Hit("A card number.", Span(*found.span()))


def _is_card(text: str) -> bool:
    """The check digit that every payment card has."""
    digits = [int(character) for character in reversed(text) if character.isdigit()]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[1::2]]
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0


@signed((Concept.PAYMENT, Concept.TOWARDS))
def _money(piece: Piece) -> Iterator[Hit]:
    near = piece.reading.near(Concept.PAYMENT, Concept.TOWARDS, within=40)
    if near is not None:
        yield Hit("It says where money goes.", piece.reading.span(near.start, near.end))


@signed(_WHO, _NAMES)
def _identity(subject: Subject) -> Iterator[Hit]:
    known = _NAMED.search(subject.live_text.lower())
    for piece in subject.pieces:
        if piece.place is not Place.MEMORY:
            continue
        for found in _WHO.finditer(piece.reading.folded):
            if "name" in found.group() and not known and "new" not in found.group():
                continue
            yield Hit(
                "It changes who somebody is or how to reach them.",
                piece.reading.span(*found.span()),
            )
        found_name = _NAMED.search(piece.reading.folded)
        if known and found_name:
            yield Hit(
                "It names somebody, and memory has a name already.",
                piece.reading.span(*found_name.span()),
            )


def _flooded(piece: Piece) -> Iterator[Hit]:
    if piece.place is not Place.MEMORY:
        yield from _said_over(piece)
        return
    said = [words.split(maxsplit=1)[0] for words in _ENDS.split(piece.text) if words.strip()]
    if len(said) > _MOST_ALIKE:
        most = max(Counter(said).values())
        if len(said) > _MOST_SENTENCES or most > _MOST_ALIKE:
            yield Hit(f"{len(said)} sentences in one entry.")
    if len(_LISTED.findall(piece.text)) > _MOST_LISTED or _REPEATED.search(piece.text):
        yield Hit("More of one kind than anybody reads.")
    if _FILLER.search(piece.text):
        yield Hit("Filler that says nothing.")


def _said_over(piece: Piece) -> Iterator[Hit]:
    """Of a skill: the same sentence again and again."""
    parts = map(str.strip, _ENDS.split(piece.text))
    said = Counter(one for one in parts if " " in one and one[0].isalpha())
    if max(said.values(), default=0) > _MOST_SENTENCES:
        yield Hit("One sentence, again and again.")


def _too_long(subject: Subject) -> Iterator[Hit]:
    for piece in subject.pieces:
        limits = subject.limits
        limit = limits.entry if piece.place is Place.MEMORY else limits.skill
        length = piece.length or len(piece.text)
        if length > min(limit, HOLD_LIMIT):
            yield Hit(f"{length:,} characters; up to {limit:,} go in without an operator.")


@signed(_STEP, _STEPS)
def _procedures(piece: Piece) -> Iterator[Hit]:
    steps = list(_STEP.finditer(piece.text[:HOLD_LIMIT]))
    if len(steps) >= 3 or _STEPS.search(piece.text[:4_000]):
        yield Hit("A list of steps belongs in a skill.")


@signed(_PACKAGE, _FROM_SOURCE)
def _packages(subject: Subject) -> Iterator[Hit]:
    for piece in subject.pieces:
        text = piece.text[:HOLD_LIMIT]
        for found in _PACKAGE.finditer(text):
            name = found.group(1).lower().rstrip(".")
            if "/" in name and not name.startswith("@"):
                continue
            if piece.place is Place.MEMORY and _is_news(name, subject.live_text):
                yield Hit("A package that the home does not know.", Span(*found.span(1)))
        if piece.place is Place.MEMORY:
            for mention in _FROM_SOURCE.finditer(piece.reading.folded):
                yield Hit("It says where software comes from.", piece.reading.span(*mention.span()))


def _is_news(name: str, live_text: str) -> bool:
    describes = name in _COMMON or name.endswith(("ed", "en"))
    return not describes and name not in live_text.lower()


_DOC = "memories/USER.md"

RULES = (
    Rule(
        name="personal",
        looks_at=LooksAt.TEXT,
        severity=Severity.MEDIUM,
        reason="Who is reached or paid must not change without a person looking.",
        check=in_text(ANYWHERE, _personal),
        hits=(
            "Write to dana@acme.example.",
            "Call +49 30 1234567.",
            "DE89 3704 0044 0532 0130 00",
            "4111 1111 1111 1111",
        ),
        misses=(
            "Uses @dataclass everywhere.",
            "Timeouts are 3000 ms, ports 8000-8010.",
            "Released on 2024-05-01.",
        ),
    ),
    Rule(
        name="money",
        looks_at=LooksAt.MEMORY,
        severity=Severity.HIGH,
        reason="Where money goes must not change without a person looking.",
        check=in_text(IN_MEMORY, _money),
        hits=("Invoices go to the new account.", "Vendor payments changed in May."),
        misses=("Fixtures live in tests/data.",),
        holds=Holds.UNLESS_CLEAR,
    ),
    Rule(
        name="identity",
        looks_at=LooksAt.MEMORY,
        severity=Severity.MEDIUM,
        reason="Who the user is must not change without a person looking.",
        check=_identity,
        hits=(
            "The user is actually called Bob.",
            Subject(edits=(MemoryAdd(_DOC, "Name: Bob."),), live_text="Name: Dana."),
            "Has a new e-mail.",
        ),
        misses=("Name: Dana. Works in Europe/Berlin.", "Branch names are kebab-case."),
        holds=Holds.UNLESS_CLEAR,
    ),
    Rule(
        name="flood",
        looks_at=LooksAt.TEXT,
        severity=Severity.LOW,
        reason="An entry says one thing; among many, one is overlooked.",
        check=in_text(ANYWHERE, _flooded),
        hits=(
            "Likes tea. " * 9,
            "Lorem ipsum dolor sit amet.",
            SkillCreate("notes", "Kind regards. " * 10),
            "Prefers a. Prefers b. Prefers c. Prefers d. Prefers e. Prefers f.",
        ),
        misses=(
            SkillCreate("notes", "- [ ] Done\n" * 10),
            "Likes tea. Likes coffee. Likes milk.",
            "One. Two. Three. Four. Five. Six. Seven.",
        ),
    ),
    Rule(
        name="too-long",
        looks_at=LooksAt.TEXT,
        severity=Severity.LOW,
        reason="What is long is skimmed, and crowds out the rest.",
        check=_too_long,
        hits=("word " * 130, SkillCreate("notes", "word " * 4_001)),
        misses=("Short.", SkillCreate("notes", "word " * 3_000)),
    ),
    Rule(
        name="procedure",
        looks_at=LooksAt.MEMORY,
        severity=Severity.LOW,
        reason="A list of steps is a skill, where it is read only when it is needed.",
        check=in_text(IN_MEMORY, _procedures),
        hits=("Release:\n- tag\n- wait\n- tell Bob", "Step 1: tag. Step 2: wait."),
        misses=(
            "Likes tea.\nLikes coffee.",
            MemoryReplace(_DOC, "a", "Editor: neovim\nShell: fish"),
        ),
        holds=Holds.WEIGHED,
    ),
    Rule(
        name="supply",
        looks_at=LooksAt.MEMORY,
        severity=Severity.LOW,
        reason="An unknown package or source is how other people's code gets in.",
        check=_packages,
        hits=("Uses the package reqeusts for HTTP.", "Wheels are installed from the new index."),
        misses=("The package manager is uv.", "Pins every dependency version."),
        holds=Holds.WEIGHED,
    ),
)
