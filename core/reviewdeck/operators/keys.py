"""Ed25519 keys sealed by a passphrase with Argon2id."""

from __future__ import annotations

import unicodedata
from typing import Any, Final

import nacl.utils
from nacl.exceptions import CryptoError
from nacl.pwhash import argon2id
from nacl.secret import SecretBox
from nacl.signing import SigningKey, VerifyKey

from reviewdeck.values import dataclass

SEED: Final = 32
"""Bytes of a private key."""
_MOST_MEMORY: Final = 1 << 30
_MOST_PASSES: Final = 64


@dataclass(frozen=True, slots=True)
class KdfCost:
    """The cost of one passphrase guess: Argon2id's two parameters (RFC 9106)."""

    passes: int = 3
    memory: int = 256 << 20
    """Bytes."""


MODERATE: Final = KdfCost()
"""Half a second of one core and 256 MiB for each guess."""


class KeySigner:
    """An open private key."""

    def __init__(self, seed: bytes) -> None:
        self._key: SigningKey = SigningKey(seed)
        self.public: str = bytes(self._key.verify_key).hex()
        """The public half, in hex."""

    def sign(self, data: bytes) -> str:
        """An Ed25519 signature (RFC 8032), in hex."""
        return bytes(self._key.sign(data).signature).hex()

    def seal(self, passphrase: str, hardness: KdfCost) -> dict[str, Any]:
        """The private key encrypted with the passphrase, and the parameters to decrypt it."""
        salt = bytes(nacl.utils.random(argon2id.SALTBYTES))
        box = SecretBox(_derive(passphrase, salt, hardness))
        return {
            "kdf": "argon2id",
            "passes": hardness.passes,
            "memory": hardness.memory,
            "salt": salt.hex(),
            "box": bytes(box.encrypt(bytes(self._key))).hex(),
        }


def generate_key() -> KeySigner:
    return KeySigner(bytes(nacl.utils.random(SEED)))


def unseal(sealed_key: dict[str, Any], passphrase: str) -> KeySigner | None:
    """The key sealed with this passphrase, or None. Raises ValueError for anything else."""
    hardness = KdfCost(int(sealed_key["passes"]), int(sealed_key["memory"]))
    is_within_limits = hardness.memory <= _MOST_MEMORY and hardness.passes <= _MOST_PASSES
    if sealed_key["kdf"] != "argon2id" or not is_within_limits:
        raise ValueError("it is sealed in a way that is not known")
    box = SecretBox(_derive(passphrase, bytes.fromhex(sealed_key["salt"]), hardness))
    try:
        return KeySigner(bytes(box.decrypt(bytes.fromhex(sealed_key["box"]))))
    except CryptoError:
        return None


def is_signed(public: str, data: bytes, signature: str) -> bool:
    """Whether the holder of a key signed these bytes."""
    try:
        VerifyKey(bytes.fromhex(public)).verify(data, bytes.fromhex(signature))
    except (CryptoError, ValueError, TypeError):
        return False
    return True


def fingerprint(public: str) -> str:
    """The public key in short, for people to compare: its first 16 digits in four groups."""
    return " ".join(public[at : at + 4] for at in range(0, 16, 4))


def _derive(passphrase: str, salt: bytes, hardness: KdfCost) -> bytes:
    # Other systems may encode the same typed characters with other code points.
    text = unicodedata.normalize("NFKC", passphrase).encode("utf-8", "surrogatepass")
    key = argon2id.kdf(SEED, text, salt, opslimit=hardness.passes, memlimit=hardness.memory)
    return bytes(key)
