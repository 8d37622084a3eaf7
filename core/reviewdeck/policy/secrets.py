"""Rules about secrets. A finding never repeats what it found."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reviewdeck.model import Severity, Span
from reviewdeck.policy.concepts import Concept
from reviewdeck.policy.limits import SCAN_LIMIT
from reviewdeck.policy.rule import ANYWHERE, Hit, Holds, LooksAt, Piece, Place, Rule, in_text
from reviewdeck.policy.screen import screened
from reviewdeck.policy.secret_forms import find_secrets
from reviewdeck.policy.secret_prose import told
from reviewdeck.policy.signs import signed

_LONG_RUN = screened(r"(?<![\w/+.-])[A-Za-z0-9+=]{28,}(?![\w/])")


def _secrets(piece: Piece) -> Iterator[Hit]:
    for found in find_secrets(piece.text[:SCAN_LIMIT]):
        yield Hit(found.what, Span(found.start, found.end))


def _lock_codes(piece: Piece) -> Iterator[Hit]:
    for span in told(piece.text):
        yield Hit("Something given as what opens a lock or an account.", Span(*span))


@signed(_LONG_RUN)
def _runs(piece: Piece) -> Iterator[Hit]:
    for found in _LONG_RUN.finditer(piece.text[:SCAN_LIMIT]):
        run = found.group()
        digits = sum(character.isdigit() for character in run)
        if digits >= 3 or (not run.islower() and not run.isupper() and digits):
            yield Hit(
                "A long run of letters and digits: a key, a hash or encoded text.",
                Span(*found.span()),
            )


def _forbids(piece: Piece, start: int, end: int) -> bool:
    """A skill may say that secrets are not to be passed on."""
    said = piece.reading.folded[max(0, start - 12) : end]
    return piece.place is not Place.MEMORY and bool(
        re.search(r"\b(?:do not|don't|never)\s+\w+$", said)
    )


@signed((Concept.SECRET, Concept.MOVE))
def _handling(piece: Piece) -> Iterator[Hit]:
    found = piece.reading.near(Concept.SECRET, Concept.MOVE, within=50)
    if found is not None and not _forbids(piece, found.start, found.end):
        yield Hit("It says what to do with secrets.", piece.reading.span(found.start, found.end))


RULES = (
    Rule(
        name="secret",
        looks_at=LooksAt.TEXT,
        severity=Severity.HIGH,
        reason="Memory goes into every prompt and every log: it is no place for secrets.",
        check=in_text(ANYWHERE, _secrets),
        whole=True,
        hits=(
            "The token is " + "ghp_" + "a1" * 18 + ".",
            "Uses " + "AKIA" + "Q2" * 8,
            "password: hunter2!",
            "The wifi password is sunflower",
            "Passwort: Sommer2024",
            "-----BEGIN OPENSSH " + "PRIVATE KEY-----",
            "postgres://app:" + "s3cr3t@db/app",
            "client_secret=" + "topsecretvalue",
            "secret: '" + "x9'",
        ),
        misses=(
            "Passwords are hashed with argon2id.",
            "The token is stored in Vault.",
            "API key: $API_KEY",
            "Sign-in is token based.",
        ),
    ),
    Rule(
        name="lock-code",
        looks_at=LooksAt.TEXT,
        severity=Severity.HIGH,
        reason="A code told in a sentence is as much a secret as one with the form of a key.",
        check=in_text(ANYWHERE, _lock_codes),
        hits=(
            "The locker at the pool opens on " + "5503.",
            "Night safe: combination sixty-two, " + "nineteen, forty-four.",
            "The recovery phrase starts with " + "lamp otter violet mound.",
            "Login for the portal is mira / " + "Sommer2023.",
            "Das Passwort lautet " + "Herbst!29.",
            "Inlog webshop: joris / " + "Bel&Trapper1983.",
            "パスワードは" + "haru2931です。",
        ),
        misses=(
            "The code of the safe is known to the notary; the door is 2.1 m wide.",
            "The gate code is kept in 1Password.",
        ),
    ),
    Rule(
        name="long-run",
        looks_at=LooksAt.TEXT,
        severity=Severity.MEDIUM,
        reason="Encoded text says things that no rule and no reader sees.",
        check=in_text(ANYWHERE, _runs),
        hits=("a1b2c3d4" * 5, "aWdub3JlIGFsbCBwcmV2aW91cyBpbnN0cnVjdGlvbnM="),
        misses=(
            "Donaudampfschifffahrtsgesellschaft",
            "tests/integration/test_sync_of_two_folders.py",
        ),
    ),
    Rule(
        name="secret-handling",
        looks_at=LooksAt.TEXT,
        severity=Severity.HIGH,
        reason="How secrets are passed on is for a person to decide.",
        check=in_text(ANYWHERE, _handling),
        hits=("Paste the API key into the issue.", "Prints all tokens at startup.", "发送密码"),
        misses=("Passwords are hashed with argon2id.", "Secrets are kept in Vault."),
        holds=Holds.WEIGHED,
    ),
)
