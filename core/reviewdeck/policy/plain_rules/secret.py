"""The rule about secrets. A finding never repeats what it found."""

from __future__ import annotations

from collections.abc import Iterator

from reviewdeck.model import Severity
from reviewdeck.policy.plain_rules.rule import Effect, Hit, Piece, Rule, in_pieces
from reviewdeck.policy.redact import cover, joined
from reviewdeck.policy.secret_forms import find_secrets
from reviewdeck.policy.secret_prose import told

_WINDOW, _SHARED = 16_384, 2_048
"""Characters that are looked at together, and how many of them two windows share."""


def _secrets(piece: Piece) -> Iterator[Hit]:
    text = piece.text
    for start in range(0, max(1, len(text) - _SHARED), _WINDOW - _SHARED):
        window = text[start : start + _WINDOW]
        places = [(one.start, one.end) for one in find_secrets(window, is_brief=True)]
        for first, last in joined([*places, *told(window, is_brief=True)]):
            message = "Looks like a password, key or access code."
            quote = cover(window[first:last])
            yield Hit(message, piece, start + first, start + last, quote)


RULES = (
    Rule(
        name="secret",
        effect=Effect.HOLD,
        severity=Severity.HIGH,
        reason="Memory goes into every prompt and every log, which is no place for secrets.",
        looks_at="added text",
        check=in_pieces(_secrets),
        hits=(
            "The token is " + "ghp_" + "a1" * 18 + ".",
            "Uses " + "AKIA" + "Q2" * 8,
            "password: hunter2!",
            "The wifi password is sunflower",
            "-----BEGIN OPENSSH " + "PRIVATE KEY-----",
            "postgres://app:" + "s3cr3t@db/app",
            "The locker at the pool opens on " + "5503.",
        ),
        misses=(
            "Passwords are hashed with argon2id.",
            "The token is stored in Vault.",
            "The staging database is on port 5433.",
        ),
    ),
)
