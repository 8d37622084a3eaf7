"""Secrets that are told in ordinary sentences: what is locked, and what opens it.

Three things have to stand near each other in one sentence: something with a lock, a word that
gives the value away, and a value that looks like a code (digits, numbers in words, or letters and
digits mixed). Where a key is kept says nothing of the kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from reviewdeck.policy.screen import screened

_LOCKED = (
    r"\b(?:alarm\w*|safe|(?:pad)?lock|lockers?|gate|doors?|keypads?|key\s?(?:safe|box)|shutters?"
    r"|garage|vault|cabinet|cage|cupboard|hut|storage\s+unit|server\s+room|immobili[sz]er"
    r"|brokerage|voicemail|sim|puk|pin|code|combination|passcode|pass\s?phrase|password"
    r"|seed\s+phrase|recovery\s+(?:words?|phrase|key)|master|root|admin|host\s+key|wpa|wi-?fi"
    r"|wlan|router|signing\s+key|immeuble|digicode|portail|alarme|coffre|tresor|t[uü]rcode"
    r"|cassaforte|portone|caja\s+fuerte|clave)\b"
)
_GIVEN = (
    r"(?:\b(?:opens?|opened|unlocks?|disarm\w*|decrypts?|dial\w*|turns?|spin|enter\w*|typ(?:e|ing)"
    r"|accepts?|takes?|wants?|raised|bypassed|is|are|est|ist|öffnet|with|mit|says|combination"
    r"|keypad|pin|puk|code|key|figures|meaning|answers|given|giving|hence|so|phrase|secret)\b"
    r"|[:,;])"
)
_WORD = (
    r"(?:zero|one|two|three|four|five|six(?:es)?|seven|eight|nine|ten|eleven|twelve"
    r"|(?:thir|four|fif|six|seven|eigh|nine)teen"
    r"|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:-\w{3,5})?|double\s+\w{3,5}|star|hash)"
)
_UNITS = (
    r"m|km|kg|g|eur|euros?|€|%|mb|gb|rpm|px|people|steps|words|hz|k|w|v|ms|s|lines|rows|items|mm"
    r"|cm|litres?|kcal|requests|entries|members|tests|files|users"
)
_VALUE = (
    rf"(?:(?<![\w.#:/-])(?!(?:19|20)\d\d\b)\d{{4,8}}(?![\w:/-]|\.\w|\s?(?:{_UNITS})\b)"
    r"|(?<![\w.:/])\d{1,3}(?:[ ,-]{1,3}(?:(?:then|and|left|right|to)\s+){0,3}\d{1,3}){2,8}"
    r"(?!\w|[.:/]\w)"
    rf"|\b{_WORD}(?:[\s,-]{{1,3}}(?:then\s+|and\s+){{0,2}}{_WORD}){{2,8}}"
    r"|(?<!\w)(?!1password|argon2|pbkdf2|scrypt|fail2ban|sha-?\d|ed25519|rsa|aes|fido2|oauth2|base64"
    r"|x509|totp|ops-)(?=[\w#!@$%&*.-]{0,24}[A-Za-z])(?=[\w#!@$%&*.-]{0,24}\d)"
    r"[\w#!@$%&*.-]{7,24}(?!\w))"
)
LOCKED = screened(_LOCKED, re.IGNORECASE)
"""What has to be there for anything to be opened."""
_A_VALUE = re.compile(_VALUE, re.IGNORECASE)
_BEFORE = re.compile(rf"{_LOCKED}[^\n.!?]{{0,60}}?{_GIVEN}[^\n.!?]{{0,30}}\Z", re.IGNORECASE)
_IS = r"(?:is|are|ist|lautet|sind|est|es|são|é|to|jest|è|:|=|starts?\s+with|begins?\s+with)"
GIVEN_AWAY = screened(
    r"\b(?:seed|recovery|mnemonic|backup|wallet)\s+(?:phrase|words?)\b[^.\n]{0,40}?"
    rf"(?:\b{_IS}|:)\s*[\"“]?(?:[a-z]{{3,9}},?\s+){{3}}"
    r"|\b(?:pass\s?(?:phrase|word|code)|pin|kennwort|passwort|mot\s+de\s+passe|contraseña|senha)\s+[\"“„«]\s?[^\"”»\n]{4,40}[\"”“»]"
    r"|\bpass\s?phrase\b[^.\n:]{0,30}:\s*\w+(?:\s\w+){1,6}\s*(?:[.\n]|\Z)"
    r"|\b(?:log-?in|credentials?|zugang|account)\b[^.\n]{0,50}\b(?:is|are|:)\s*[\"“]?[\w.@-]+[\"”]?\s+"
    r"(?:/|and\s+the\s+(?:word|password)\s|with\s+(?:the\s+)?(?:word|password|pass\s?phrase|pin)\s)\s*\S"
    r"|\buser(?:name)?:?\s+\S+,\s+pass(?:word|phrase)?:?\s+\S"
    r"|\b(?:recovery|backup|2fa|scratch|reset)\s+codes?\b[^.\n]{0,50}\d{3}|\bbearer\s+[\w.-]{12}"
    r"|\b(?:pin|puk|cvv|cvc|security\s+code|tan)\b(?:\s+(?:is|of[^.\n]{0,20}?is|number))?:?\s*\d{3,8}\b"
    r"|\bcard\b[^.\n]{0,60}\d{3,4}[^.\n]{0,20}\b(?:back|cvv|cvc)\b"
    r"|(?:رمز|كلمة\s+المرور|كلمة\s+السر|パスワード|密码|密碼|비밀번호|รหัสผ่าน|סיסמ|पासवर्ड|пароль|şifre|salasana|jelszó|hasło|lösenord|wachtwoord|passwort|kennwort|heslo)"
    r"[^.\n。]{0,30}?(?!1password)[A-Za-z_#!@-]*\d[A-Za-z0-9_#!@-]+"
    r"|\b(?:inlog|логин|пријава|prijava|přihl\w+|logowanie|kirjautumin\w+|innlogging|inloggning|bejelentkez\w+"
    r"|κωδικ\w+|парол\w+|lozinka|adgangskode|passord|parola|geslo)\b[^.\n]{0,40}:\s*\S*\d\S*"
    r"|\b[a-z]{2,6}_(?:live|test|prod|key|tok|secret|api)_\w{8,80}"
    r"|(?<![\w/.-])[a-z]{2,5}_(?=[a-zA-Z]*\d)[A-Za-z0-9]{12,80}(?!\w)",
    re.IGNORECASE,
)
"""Where a text says of a value or of words that they open something."""
MIXED = screened(
    r"(?<![\S`])(?=\S{0,30}[a-z])(?=\S{0,30}[A-Z])(?=\S{0,30}\d)(?=\S{0,30}[!&#$%@^*])"
    r"[^\s/\\`(){}\[\]<>=:,;\"]{8,30}(?=[.,;!?]?(?:\s|\Z))"
)
"""Letters of both cases, digits and signs in one word: what rules for passwords ask for."""
_REACH = 120
"""Characters before a value that tell what it opens."""
_LONGEST, _MOST = 4_000, 200
"""Characters and values that are looked at: what has more is held for that."""


def told(text: str) -> Iterator[tuple[int, int]]:
    """Where values stand that open something. Values come first: few texts have any."""
    for value in islice(_A_VALUE.finditer(text[:_LONGEST]), _MOST):
        if _BEFORE.search(text, max(0, value.start() - _REACH), value.start()):
            yield value.span()
    for pattern in (GIVEN_AWAY, MIXED):
        yield from (found.span() for found in islice(pattern.finditer(text[:_LONGEST]), _MOST))
