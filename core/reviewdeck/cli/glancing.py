"""Whether a text may hold a secret, seen at a glance: before the rules look at it."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

LONG: Final = 2_000
"""Characters from which RE2 goes over a text first: it takes a hundredth of the time."""

TOLD: Final = 20_000
"""Characters in which is looked for sentences that tell a secret."""
_RUN: Final = r"[\w+/=.-]"
_LEAST: Final = 14
"""Characters of a run with a digit in it from which it may be a key."""
_WORDS: Final = (
    r"\b(?:AKIA|ASIA|gh[opusr]_|sk-|xox|eyJ|npm_|pypi-|hf_|SG\.)"
    r"|-----[\s\x0b\x1c-\x1f]?BEGIN|://[^\s/@]*:[^\s@]*@|passw|pwd|passphrase|passcode|secret|token"
    r"|(?:api|access|account)[ _-]?key|credential|\bpin\b|kennwort|mot de passe|contrase|senha"
    r"|wachtwoord"
)
_FOREIGN: Final = r"has[lł]o|парол|密码|口令|パスワード|비밀번호"

MAY_BE: Final = re.compile(
    rf"(?<!\w)(?={_RUN}{{{_LEAST}}}){_RUN}*\d"
    # What any of the rest begins with: looking at one character first takes half the time.
    rf"|(?=[-:aceghkmnpstwxп密口パ비])(?:{_WORDS}|{_FOREIGN})",
    re.IGNORECASE,
)
"""Without any of this a text holds no secret, and the rules need not be loaded to see that."""


_OPENED: Final = re.compile(
    r"(?=[abcdghiklmprstuvwz])(?:alarm|safe|lock|gate|door|keypad|key\s?(?:safe|box)"
    r"|host\s+key|signing\s+key|shutter|garage|vault|cabinet|cage|cupboard|hut|storage|server\s+room"
    r"|immobil|brokerage|voicemail|sim\b|puk|pin\b|code|combination|pass|recovery|phrase|words?\b"
    r"|root|admin|master|wpa|wi-?fi|wlan|router|immeuble|portail|coffre|tresor|cassaforte|portone|caja"
    r"|clave|login|log-in|credential|zugang|account|user|bearer|cvv|cvc|security|tan\b|card|t[uü]rcode"
    r"|digicode)"
    r"|[a-z]_[a-z0-9]|[!&#$%@^*]"
    r"|رمز|كلمة|パスワード|密码|密碼|비밀|รหัส|סיסמ|पास|пароль|şifre|salasana|jelszó|hasło|lösenord"
    r"|wachtwoord|kennwort|heslo|mot\s+de|contraseña|senha|inlog|логин|пријава|prijava|přihl|logowanie"
    r"|kirjautumin|innlogg|bejelentkez|κωδικ|парол|lozinka|adgangskode|parola|geslo",
    re.IGNORECASE,
)
"""What a text names that tells in a sentence how something is opened."""
_VALUE: Final = re.compile(
    r"\d|[\"“„«:]|\b(?:phrase|words?|login|log-in|credentials?|account|user)\b"
    r"|(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|teen|ty|star|hash)"
    r"[\s,-]{1,3}(?:then\s+|and\s+)*(?:zero|one|two|three|four|five|six|seven|eight|nine|ten"
    r"|eleven|twelve|twen|thir|fif|double|star|hash)",
    re.IGNORECASE,
)
"""What it gives for that: digits, words in quotation marks or after a colon, numbers in words."""


def may_hold(text: str) -> bool:
    """Whether a text may hold a secret, by its form or because it tells what opens something."""
    return _may_have_form(text) or (_may_tell(text[:TOLD]) and _tells(text))


def _may_tell(text: str) -> bool:
    return _VALUE.search(text) is not None and _OPENED.search(text) is not None


def _tells(text: str) -> bool:
    from reviewdeck.policy.secret_prose import told  # a text in ten asks for it

    return any(told(text))


def _may_have_form(text: str) -> bool:
    """Whether `MAY_BE` finds anything in a text, in a fraction of the time where it is long.

    RE2 finds all that is made of ASCII alone; lines with anything else are asked by themselves,
    for nothing else that is looked for goes over a line end.
    """
    if len(text) < LONG or _in_ascii()(text.encode("ascii", "replace")):
        return MAY_BE.search(text) is not None
    if text.isascii():
        return False
    others = "\n".join(line for line in text.split("\n") if not line.isascii())
    return MAY_BE.search(others) is not None


@lru_cache(maxsize=1)
def _in_ascii() -> Callable[[bytes], object]:
    import re2  # type: ignore[import-untyped]  # it ships no types

    options = re2.Options()
    options.log_errors = False
    options.encoding = re2.Options.Encoding.LATIN1
    digit_at = [
        rf"{_RUN}{{{at}}}\d{_RUN}{{{_LEAST - 1 - at}}}" if at else rf"\d{_RUN}{{{_LEAST - 1}}}"
        for at in range(_LEAST - 1)
    ]
    runs = "|".join([*digit_at, rf"{_RUN}{{{_LEAST - 1},}}\d"])
    pattern = f"(?i){runs}|{_WORDS}|haslo".encode("ascii")
    search: Callable[[bytes], object] = re2.compile(pattern, options).search
    return search
