"""How many secrets are missed, and how many ordinary words are covered, on sentences of both kinds.

The values are made up here: ids, hashes and versions on one side, codes and tokens on the other.
"""

from __future__ import annotations

import json
import random
import string
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from reviewdeck.text.redact import redact

ROUNDS: Final = 3
"""Sentences of each kind that are made of one line."""
MISSED: Final = 0.02
COVERED: Final = 0.01
"""Shares that are let pass; today's are in the documentation."""

_made = random.Random()  # noqa: S311 - no secret is made of it
_HEX: Final = "0123456789abcdef"
_WORDS: Final = ("lamp", "otter", "violet", "mound", "carbon", "tiger", "pier", "saddle", "cloud")


def _of(letters: str, length: int) -> str:
    return "".join(_made.choice(letters) for _ in range(length))


def _hex(length: int) -> str:
    return _of(_HEX, length)


def _number(low: int, high: int) -> Callable[[], str]:
    return lambda: str(_made.randint(low, high))


def _token(begins: str, length: int) -> Callable[[], str]:
    return lambda: begins + _of(string.ascii_letters + string.digits, length - 2) + "a7"


def _uuid() -> str:
    return "-".join(map(_hex, (8, 4, 4, 4, 12)))


def _version() -> str:
    return ".".join(str(_made.randint(0, 30)) for _ in range(3))


ORDINARY: Final[dict[str, Callable[[], str]]] = {
    **{f"sha{n}": lambda n=n: _hex(n) for n in (7, 8, 12, 32, 40, 64)},  # type: ignore[misc]
    "uuid": _uuid,
    "ver": _version,
    "build": _number(10_000, 99_999_999),
    "adr": lambda: f"{_made.randint(1, 400):04d}",
    "vol": lambda: f"vol-0{_hex(16)}",
    "inst": lambda: f"i-0{_hex(16)}",
    "port": _number(1_024, 65_535),
    "host": lambda: f"ci-{_made.randint(1, 40):02d}.example.org",
    "cores": _number(2, 128),
    "exit": _number(1, 255),
    "ms": _number(10, 30_000),
    "secs": _number(10, 9_999),
    "kb": _number(4_096, 1_048_576),
    "rows": _number(100, 250_000),
    "pkg": lambda: _made.choice(("attrs", "rich", "numpy", "left-pad")),
    "errno": lambda: _made.choice(("EAGAIN", "EBUSY", "11", "16")),
    "part": lambda: f"BPW{_made.randint(10, 99)}-{_made.randint(100, 999)}",
    "pinno": _number(2, 40),
    "module": lambda: _made.choice(("ledger", "billing", "atlas", "intake")),
    "line": _number(10, 2_000),
    "http": lambda: _made.choice(("200", "304", "503")),
    "digits5": _number(10_000, 99_999),
    "errcode": lambda: f"E{_made.randint(1_000, 9_999)}",
    "time": lambda: f"{_made.randint(0, 23):02d}:{_made.randint(0, 59):02d}:07",
    "date": lambda: (
        f"20{_made.randint(20, 29)}-{_made.randint(1, 12):02d}-{_made.randint(1, 28):02d}"
    ),
    "ticket": lambda: f"OPS-{_made.randint(100, 99_999)}",
    "ticketno": _number(100, 99_999),
    "room": lambda: f"{_made.choice('ABC')}{_made.randint(100, 999)}",
    "iban": lambda: "DE00 0000 0000 0000 0000 00",
    "n": _number(2, 12),
    "ctx": _number(8_000, 200_000),
    "days": _number(30, 90),
    "ip": lambda: ".".join(str(_made.randint(1, 254)) for _ in range(4)),
    "mac": lambda: ":".join(_hex(2) for _ in range(6)),
    "chan": _number(1, 165),
    "year": _number(2_001, 2_026),
    "flight": lambda: f"LH{_made.randint(100, 9_999)}",
    "parcel": lambda: f"1Z{_of(string.digits, 16)}",
    "isbn": lambda: f"978-3-{_made.randint(10, 99)}-{_made.randint(100_000, 999_999)}-1",
}
SECRET: Final[dict[str, Callable[[], str]]] = {
    "token": _token("ghp_", 36),
    "aws": lambda: "AKIA" + _of(string.ascii_uppercase + string.digits, 16),
    "hexkey": lambda: _hex(32),
    "pw": lambda: _of(string.ascii_lowercase, 6).title() + _of(string.digits, 2) + "!",
    "pw2": lambda: _of(string.ascii_lowercase, 5) + _of(string.digits, 4),
    "word": lambda: _made.choice(_WORDS) + _made.choice(_WORDS),
    "mixed": lambda: _of(string.ascii_letters, 7) + _of(string.digits, 3) + "x",
    "pin4": lambda: str(_made.randint(1_000, 1_899)),
    "pin6": _number(100_000, 999_999),
    "pin8": _number(10_000_000, 99_999_999),
    "cvv": _number(100, 999),
    "jwt": lambda: (
        f"eyJ{_of(string.ascii_letters, 20)}.eyJ{_of(string.ascii_letters, 30)}.{_hex(20)}"
    ),
    "words": lambda: " ".join(_made.sample(_WORDS, 6)),
    "combo": lambda: "-".join(str(_made.randint(10, 59)) for _ in range(3)),
    "slack": _token("xoxb-", 24),
    "sk": _token("sk-", 32),
    "stripe": _token("sk_live_", 24),
    "npm": _token("npm_", 36),
    "glpat": _token("glpat-", 20),
    "aiza": _token("AIza", 35),
}
LINES: Final = json.loads((Path(__file__).parent / "redaction.json").read_text("utf-8"))


def _filled(line: str, values: dict[str, Callable[[], str]]) -> str:
    while "{" in line:
        name = line.partition("{")[2].partition("}")[0]
        line = line.replace(f"{{{name}}}", values[name](), 1)
    return line


@pytest.fixture(autouse=True)
def _made_alike() -> None:
    """Each test has the same values, whichever ran before it in this process."""
    _made.seed(20)


def test_few_ordinary_words_are_covered() -> None:
    sentences = [_filled(line, ORDINARY) for _ in range(ROUNDS) for line in LINES["ordinary"]]
    assert len(sentences) >= 300
    wrong = [f"{one}  ->  {redact(one)}" for one in sentences if redact(one) != one]
    print(f"covered wrongly: {len(wrong)} of {len(sentences)}", *wrong, sep="\n")
    assert len(wrong) <= COVERED * len(sentences)


def test_few_secrets_are_missed() -> None:
    missed = []
    for line in LINES["secret"] * ROUNDS:
        value = SECRET[line["value"]]()
        text = line["text"].replace(f"{{{line['value']}}}", value)
        text = _filled(text, SECRET)
        # Four letters at the beginning of a longer one tell its kind, on purpose.
        told = value[4:] if len(value) > 12 else value
        if told in redact(text):
            missed.append(f"{text}  ->  {redact(text)}")
    total = ROUNDS * len(LINES["secret"])
    print(f"missed: {len(missed)} of {total}", *missed, sep="\n")
    assert total >= 150
    assert len(missed) <= MISSED * total
