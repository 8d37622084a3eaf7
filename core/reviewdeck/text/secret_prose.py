"""Secrets that are told in ordinary sentences: what is locked, and what opens it.

Three things have to stand near each other in one sentence: something with a lock, a word that
gives the value away, and a value that looks like a code (digits, numbers in words, or letters and
digits mixed). Where a key is kept says nothing of the kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from reviewdeck.text.secret_forms import Beginnings, Searched, SecretForm, compiled

_LOCKED = (
    r"\b(?:alarm\w*|safe(?!\s+(?:default|value|limit|size|batch)\b)|(?:pad)?lock|lockers?|gate|doors?|keypads?|key\s?(?:safe|box)|shutters?"
    r"|garage|vault|cabinet|cage|cupboard|hut|storage\s+unit|server\s+room|immobili[sz]er"
    r"|brokerage|voicemail|sim|puk|pin(?!\s+(?:diode|header)\b)"
    r"|(?<!country\s)(?<!zip\s)(?<!area\s)(?<!exit\s)(?<!error\s)(?<!status\s)code|combination|passcode|pass\s?phrase|password"
    r"|seed\s+phrase|recovery\s+(?:words?|phrase|key)"
    r"|master(?!\s+(?:branch|node|copy)\b)|root(?!\s+(?:causes?|volume|disk|device|director\w+|node)\b)"
    r"|admin|host\s+key(?!\s+type\b)|wpa|wi-?fi|wlan|router(?!\s+(?:container|is\s+an?)\b)|signing\s+key|immeuble|digicode|portail|alarme|coffre|tresor|t[uü]rcode"
    r"|cassaforte|portone|caja\s+fuerte|clave)\b"
)
_LOCKS = Beginnings(
    "alarm safe lock gate door keypad key shutter garage vault cabinet cage cupboard hut storage"
    " server immobili brokerage voicemail sim puk pin code combination pass seed recovery master"
    " root admin host wpa wifi wi-fi wlan router sign immeuble digicode portail coffre tresor"
    " türcode turcode cassaforte portone caja clave padlock"
)
"""The beginnings of these names."""
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
    r"|cm|litres?|kcal|requests|entries|members|tests|files|users|seconds|minutes|hours|days|tokens"
    r"|bytes|characters|errors|met(?:re|er)s|visitors|times"
)
_A_VALUE = (
    r"(?:(?<![\w.#:/-])(?<!port\s)(?<!build\s)(?<!run\s)(?<!line\s)"
    rf"(?!(?:19|20)\d\d\b)\d{{4,8}}(?![\w:/-]|\.\w|\s?(?:{_UNITS})\b)"
    r"|(?<![\w.:/])\d{1,3}(?:[ ,-]{1,3}(?:(?:then|and|left|right|to)\s+){0,3}\d{1,3}){2,8}"
    r"(?!\w|[.:/]\w)"
    rf"|\b{_WORD}(?:[\s,-]{{1,3}}(?:then\s+|and\s+){{0,2}}{_WORD}){{2,8}}"
    r"|(?<!\w)(?!1password|argon2|pbkdf2|scrypt|fail2ban|sha-?\d|ed25519|rsa|aes|fido2|oauth2|base64"
    r"|x509|totp|ops-"
    # What names a volume, a commit or a host opens nothing.
    r"|[a-z]{1,8}-[0-9a-f]{8,17}(?!\w)|[0-9a-f]{7,40}(?!\w)"
    r"|[\w-]{1,24}(?:\.[\w-]{1,24}){1,4}(?<=\.org|\.com|\.net|\.dev|\.lan)(?!\w))"
    r"(?=[\w#!@$%&*.-]{0,24}[A-Za-z])(?=[\w#!@$%&*.-]{0,24}\d)"
    r"[\w#!@$%&*.-]{7,24}(?!\w))"
)
_IN_VALUES = re.compile(rf"\d|\b{_WORD}\b", re.IGNORECASE)
"""A part of every value, which has a digit or numbers in words."""
_LONGEST_MIXED = 24
_STOP = re.compile(r"[\n.!?]")
_BEFORE = rf"{_LOCKED}[^\n.!?]{{0,60}}?{_GIVEN}[^\n.!?]{{0,30}}\Z"
_IS = r"(?:is|are|ist|lautet|sind|est|es|são|é|jest|è|:|=|starts?\s+with|begins?\s+with)"
_NOT_KEPT = (
    r"(?!(?:\w+\s)?(?:kept|stored|only|never|not|known|written|printed|held|in|with|at|on|by)\b)"
)
_NOT_ONE = r"(?!1password|argon2|pbkdf2|scrypt|bcrypt|sha-?\d|ed25519|rsa|aes|oauth2|base64)"
_CODE = r"(?=\S{0,40}[A-Za-z]\S{0,40}\d|\S{0,40}\d\S{0,40}[A-Za-z]|\d{4})"
_NAMED_SO = Beginnings(
    "رمز كلمة|المرور كلمة|السر パスワード 密码 密碼 비밀번호 รหัสผ่าน סיסמ पासवर्ड"
    " пароль şifre salasana jelszó hasło lösenord wachtwoord passwort kennwort heslo"
)
"""A password, in the words of many languages."""
_LOGIN = Beginnings(
    "inlog логин пријава prijava přihl logowanie kirjautumin innlogging inloggning bejelentkez"
    " κωδικ парол lozinka adgangskode passord parola geslo"
)
_TELLING: Final = (
    (
        "seed recovery mnemonic backup wallet",
        r"\b\w+\s+(?:phrase|words?)\b[^.\n]{0,40}?"
        rf"(?:\b{_IS}|:)\s*{_NOT_KEPT}[\"“]?((?:[a-z]{{3,9}},?\s+){{3,24}}[a-z]{{3,9}})",
    ),
    (
        "pass pin kennwort mot contraseña senha",
        r"\b(?:pass\s?(?:phrase|word|code)|pin|kennwort|passwort|mot\s+de\s+passe|contraseña|senha)"
        r"\s+([\"“„«]\s?[^\"”»\n]{4,40}[\"”“»])",
    ),
    (
        "pass",
        r"\bpass\s?phrase\b(?![^:\n]{0,30}\b(?:polic|rule|length|requirement))[^.\n:]{0,30}:"
        r"\s*(\w+(?:\s\w+){1,24})\s*(?:[.\n]|\Z)",
    ),
    (
        "login log-in credential zugang account",
        r"\b(?:log-?in|credentials?|zugang|account)\b[^.\n]{0,50}\b(?:is|are|:)\s*([\"“]?[\w.@-]+[\"”]?\s+"
        r"(?:/\s*(?=\S{0,40}[\d!#$%&*])|and\s+the\s+(?:word|password)\s"
        r"|with\s+(?:the\s+)?(?:word|password|pass\s?phrase|pin)\s)\s*\S{1,80})",
    ),
    ("user", r"\buser(?:name)?:?\s+(\S+,\s+pass(?:word|phrase):?\s+\S{1,80})"),
    (
        "recovery backup 2fa scratch reset",
        r"\b\w+\s+codes?\b[^.\n]{0,50}?((?:\d{3,}-\d{3,}|\b(?:is|are|:)\s*\d{4,})[\d\s,and-]*)",
    ),
    ("bearer", r"\bbearer\s+(?=\S{0,400}\d)([\w.-]{12,400})"),
    (
        "pin puk cvv cvc security tan",
        r"\b(?:pin|puk|cvv|cvc|security\s+code|tan)\b(?:\s+(?:is|of[^.\n]{0,20}?is|number))?:?\s*(\d{4,8})\b"
        r"|\b(?:cvv|cvc)\b:?\s*(?:is\s+)?(\d{3})\b",
    ),
    ("card", r"\bcard\b[^.\n]{0,60}(\d{3,4})[^.\n]{0,20}\b(?:on\s+the\s+back|cvv|cvc)\b"),
    (
        _NAMED_SO,
        rf"(?:{'|'.join(_NAMED_SO.words)})[^.\n。]{{0,30}}?(?<![A-Za-z0-9_])(?=[A-Za-z0-9_#!@-])"
        rf"{_NOT_ONE}{_CODE}([A-Za-z_#!@-]{{0,24}}\d[A-Za-z0-9_#!@-]{{1,80}})",
    ),
    (_LOGIN, r"\b\w+\b[^.\n]{0,40}:\s*(\S{0,40}\d\S{0,40})"),
)
"""Sentences that tell a secret: their beginnings, and the pattern from there."""
_FORMS: Final = (
    *(
        SecretForm(begins if isinstance(begins, Beginnings) else Beginnings(begins), pattern)
        for begins, pattern in _TELLING
    ),
    SecretForm(
        Beginnings("_live_ _test_ _prod_ _key_ _tok_ _secret_ _api_"),
        r"_[a-z]{3,6}_(?=[A-Za-z]{0,60}\d)[A-Za-z0-9]{8,80}(?!\w)",
        is_cased=True,
        before=r"\b[a-z]{2,6}",
    ),
    SecretForm(
        Beginnings("_"),
        r"_(?:(?<=(?<![\w/.-])[a-z]{2}_)|(?<=(?<![\w/.-])[a-z]{3}_)|(?<=(?<![\w/.-])[a-z]{4}_)"
        r"|(?<=(?<![\w/.-])[a-z]{5}_))(?=[A-Za-z0-9]{0,60}?\d[A-Za-z]{1,60}\d)"
        r"[A-Za-z0-9]{12,80}(?!\w)",
        is_cased=True,
        before=r"[a-z]{2,5}",
    ),
)
_SIGN = re.compile(r"[!&#$%@^*]")
_WORD_AROUND = re.compile(r"\S*")
_SHORTEST_MIXED = 8
_MIXED = re.compile(
    r"(?!\w+@[\w.]|\w+#\d+\b|\w+!\$?[A-Z]+\$?\d|\w{0,20}\d%|[A-Z]&[A-Z])"
    r"(?=\S{0,30}[a-z])(?=\S{0,30}[A-Z])(?=\S{0,30}\d)"
    r"[\w.~+-]{0,30}[!&#$%@^*][^\s/\\`(){}\[\]<>=:,;\"]{0,30}(?=[.,;!?]?(?:\s|\Z))"
)
"""Letters of both cases, digits and signs in one word, as rules for passwords ask for."""
_REACH = 120
"""Characters before a value that tell what it opens."""


def find_told_secrets(searched: Searched) -> Iterator[tuple[int, int]]:
    """The spans of values that open a lock or an account."""
    text = searched.text
    yield from _locked(searched)
    for form in _FORMS:
        yield from form.spans(searched)
    done = 0
    for sign in _SIGN.finditer(text):
        if (start := sign.start()) < done:
            continue
        while start > done and not text[start - 1].isspace():
            start -= 1
        rest = _WORD_AROUND.match(text, sign.end())
        done = rest.end() if rest else len(text)
        if done - start >= _SHORTEST_MIXED and (match := _MIXED.match(text, start)):
            yield match.span()


def _locked(searched: Searched) -> Iterator[tuple[int, int]]:
    """Values after the name of a lock: they are looked for there alone."""
    text = searched.text
    windows: list[tuple[int, int, int]] = []
    """Each with the end of the sentence that names its last lock."""
    named = compiled(_LOCKED)
    for at in searched.places_of(_LOCKS):
        if not (name := named.match(text, at)):
            continue
        start = windows.pop()[0] if windows and at <= windows[-1][1] else at
        end = at + 2 * _REACH
        stop = _STOP.search(text, name.end(), end)
        windows.append((start, end, stop.start() if stop else end))
    for start, end, stop_at in windows:
        if not _IN_VALUES.search(text, start, stop_at + _LONGEST_MIXED):
            continue
        for value in compiled(_A_VALUE).finditer(text, start, end + _REACH):
            if value.start() > stop_at:
                break
            is_cut = value.end() == end + _REACH < len(text)
            window = (max(0, value.start() - _REACH), value.start())
            if not is_cut and compiled(_BEFORE).search(text, *window):
                yield value.span()
