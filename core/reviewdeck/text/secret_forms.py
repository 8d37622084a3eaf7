"""The forms of secrets, by which they are recognised.

Each form names how it begins, and its pattern is tried there alone: most texts have none of these
words, and no text makes a pattern run over it from every character.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import lru_cache
from itertools import chain
from typing import Final, NamedTuple

from reviewdeck.values import dataclass

_IS: Final = r"\s?(?::|=|：|\bis\b|\bist\b|\best\b|\bes\b|是|は|->|→)\s*"
_SIGNS: Final = (":", "=", "：", "is", "est", "es", "是", "は", "->", "→")
_VALUE: Final = (
    r"[\"'`„“]?(?!\d+\s(?:tokens|characters|bytes|seconds|minutes|days)\b)([^\s\"'`,;“”。、]{4,})"
)
_PASSWORDS: Final = (
    "passwort password passwd pwd passphrase passcode secret token api_key api-key api|key apikey"
    " access_key access-key access|key accesskey credential pin kennwort mot|de|passe contrasen"
    " contraseñ senha wachtwoord haslo hasło пароль паролья парол"
)
_HARMLESS: Final = re.compile(
    r"[a-z]{2,}(?:ed|en|ing)?|[A-Z][A-Z_]{3,}|\$\{?\w+\}?|<[\w -]+>?|\*+|\.\.\.|xxx+|\{\{.*",
    re.ASCII,
)


class Searched:
    """A text in which secrets are looked for, in lower case.

    Whether it has one of the many beginnings is asked of its words. They repeat themselves within a
    text and from one text to the next, so that few are new.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.lowered = lower(text)
        """Every character in its place."""
        encoded = self.lowered.encode("utf-8", "surrogatepass").translate(_BETWEEN)
        self._parts = _parts.standing_in(set(encoded.split()))
        self._places: dict[str, Sequence[int]] = {}

    def places_of(self, begins: Beginnings) -> Sequence[int]:
        """The places of these beginnings, in order."""
        if begins.parts.isdisjoint(self._parts):  # almost always
            return ()
        found = [word for word, part in begins.words.items() if part in self._parts]
        return sorted(chain.from_iterable(map(self._places_of, found)))

    def _places_of(self, word: str) -> Sequence[int]:
        """Of one beginning; kept, since several forms have it."""
        places = self._places.get(word)
        if places is None:
            places = self._places[word] = []
            at = self.lowered.find(word)
            while at >= 0:
                places.append(at)
                at = self.lowered.find(word, at + len(word))
        return places


class _Met(NamedTuple):
    """The words of texts so far. They are only added to: another thread may read them."""

    words: set[bytes]
    having: dict[bytes, list[bytes]]
    """The parts of beginnings that stand in those that have any."""


class _Parts:
    """The parts of all beginnings, and in which words they stand."""

    def __init__(self) -> None:
        self._known: frozenset[bytes] = frozenset()
        self._met = _Met(set(), {})

    def learn(self, parts: Iterable[bytes]) -> None:
        """Looks for further parts, in all words from now on."""
        self._known |= frozenset(filter(None, parts))
        self._met = _Met(set(), {})

    def standing_in(self, words: Set[bytes]) -> Set[bytes]:
        """Those that stand in some of these words."""
        met = self._met
        if len(met.words) > _MOST_WORDS:
            met = self._met = _Met(set(), {})
        having, new = met.having, words - met.words
        joined = b" ".join((b"", *new, b""))
        for part in self._known if new else ():
            at = joined.find(part)
            while at >= 0:
                start, end = joined.rfind(b" ", 0, at) + 1, joined.find(b" ", at)
                having.setdefault(joined[start:end], []).append(part)
                at = joined.find(part, end)
        met.words.update(new)
        return {b"", *chain.from_iterable(map(having.__getitem__, having.keys() & words))}


_parts: Final = _Parts()
_BETWEEN: Final = bytes(code if code > 127 or chr(code).isalnum() else 32 for code in range(256))
_MOST_WORDS: Final = 32_768


def _longest_part(word: str) -> bytes:
    return max(word.encode().translate(_BETWEEN).split(), key=len, default=b"")


class Beginnings:
    """Words with which secrets of a form begin, or parts of words, in lower case."""

    def __init__(self, listed: str) -> None:
        """A bar stands for a space."""
        words = (word.replace("|", " ") for word in listed.split())
        self.words = {word: _longest_part(word) for word in words}
        """Each, with the longest part of it that has no sign."""
        self.parts = frozenset(self.words.values())
        _parts.learn(self.parts)


@dataclass(frozen=True, slots=True)
class SecretForm:
    """One form of a secret: its beginnings, and the pattern that goes on from there.

    The group that matched, where the pattern has any, is the secret; what is in front names it.
    """

    begins: Beginnings
    pattern: str
    is_cased: bool = False
    before: str = ""
    """A pattern for the part of the secret that stands before its beginning."""
    unless: re.Pattern[str] | None = None
    """Values that are none."""
    signs: tuple[str, ...] = ("",)
    """What of which one is in each of them, in lower case."""

    def spans(self, searched: Searched) -> Iterator[tuple[int, int]]:
        """The spans of the secrets of this form."""
        if not any(sign in searched.lowered for sign in self.signs):
            return
        if not (places := searched.places_of(self.begins)):
            return
        done, text, matched_at = 0, searched.text, compiled(self.pattern, self.is_cased).match
        for at in places:
            if at < done or not (match := matched_at(text, at)):
                continue
            start, end = match.span(match.lastindex or 0)
            if self.unless is not None and self.unless.fullmatch(text[start:end].rstrip(".!?)")):
                continue
            done = match.end()
            yield (self._start(text, start) if self.before else start), end

    def _start(self, text: str, at: int) -> int:
        match = compiled(rf"{self.before}\Z", self.is_cased).search(text, max(0, at - 40), at)
        return match.start() if match else at


@lru_cache(maxsize=128)
def compiled(pattern: str, is_cased: bool = False) -> re.Pattern[str]:
    """A pattern, compiled where a text has what it begins with: many runs need few of them."""
    return re.compile(pattern, 0 if is_cased else re.IGNORECASE)


FORMS: Final = (
    SecretForm(
        Beginnings(
            "gho_ ghp_ ghu_ ghs_ ghr_ github_pat_ glpat- sk- sk_ rk_ pk_ akia asia xoxa xoxb xoxe"
            " xoxo xoxp xoxr xoxs aiza ya29. npm_ pypi- hf_ sg. dop_v1_ eyj age-secret-key- shpat_"
            " sq0 akc accountkey="
        ),
        r"\b(?:gh[opusr]_[A-Za-z0-9]{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|sk-[\w-]{16,}"
        r"|(?:sk|rk|pk)_(?:live|test)_\w{10,}|(?:AKIA|ASIA)[0-9A-Z]{12,}|xox[abeoprs]-[\w-]{10,}"
        r"|AIza[\w-]{20,}|ya29\.[\w-]{10,}|npm_\w{20,}|pypi-[\w-]{16,}|hf_\w{20,}|SG\.[\w-]{10,}"
        r"|dop_v1_\w{16,}|eyJ[\w-]{8,}\.[\w-]{8,}|AGE-SECRET-KEY-\w+|shpat_\w{16,}"
        r"|sq0[a-z]{3}-[\w-]{20,}|AKC[a-zA-Z0-9]{10,}|AccountKey=[A-Za-z0-9+/=]{40,})",
        is_cased=True,
    ),
    SecretForm(
        Beginnings("."),
        r"\.(?:(?<=[MNO][\w-]{23}.)|(?<=[MNO][\w-]{24}.)|(?<=[MNO][\w-]{25}.))[\w-]{6}\.[\w-]{27,}",
        is_cased=True,
        before=r"\b[MNO][\w-]{23,25}",
    ),
    SecretForm(Beginnings(":aa"), r":AA[\w-]{30,}", is_cased=True, before=r"\b\d{8,10}"),
    SecretForm(Beginnings("-us"), r"-us\d{1,2}\b", is_cased=True, before=r"\b[a-f0-9]{32}"),
    SecretForm(
        Beginnings("-----"),
        r"-----\s?BEGIN[A-Z0-9 ]{0,40}(?:PRIVATE KEY|PGP MESSAGE|CERTIFICATE)",
        is_cased=True,
    ),
    SecretForm(
        Beginnings("://"),
        # The password alone; with it what is no name, since a key may stand there too.
        r"://(?:([a-z][a-z._-]{0,20}\d{0,3}):(?!x-|\1@)([^\s/@]{3,80})@"
        r"|([^\s/:@]{0,80}:[^\s/@]{3,80})@)",
    ),
    SecretForm(
        Beginnings("secret password passwd token apikey api_key accesskey access_key"),
        r"(?:secret|password|passwd|token|api_?key|access_?key)"
        r"\w{0,40}\s?[:=]\s?(?:[\"'][^\"'\n]{2,80}[\"']|(?<==)[\w-]{8,80}(?![\w.(\[]))",
        before=r"\w{1,40}",
        signs=(":", "="),
    ),
    SecretForm(
        Beginnings("passwort password passphrase passcode pin"),
        r"(?:passwor[dt]|passphrase|passcode|\bpin\b)[\w ]{0,20}\b(?:is|ist|est|es)\s+[\"'`„“]?"
        r"(?!\w+(?:ed|ing)\b)(?!(?:not|never|only|always|kept|in|at|a|the|too|set|sent|part)\b|required)"
        r"\w{3,}",
        signs=("is", "est", "es"),
    ),
    SecretForm(
        Beginnings("wifi wi-fi wlan ssid router safe door gate alarm lock"),
        r"\b(?:(?:wi-?fi|wlan|ssid|router)\b[^\n]{0,40}\b(?:key|code|passwor[dt]|schlussel)\s{0,2}"
        r"(?:is|:)?\s{1,2}(?=\S*[\d-])[\w-]{8,}"
        r"|(?:wi-?fi|safe|door|gate|alarm|lock)\b[^.\n]{0,30}\b(?:opens|unlocks)\s(?:with|by|on)\s"
        r"(?:[\"“]\w{6,}|\d{1,2}\b|\d{4,8}\b))",
    ),
    SecretForm(
        Beginnings(_PASSWORDS),
        r"(?:passwor[dt]|passwd|pwd|passphrase|passcode|secret|token|api[ _-]?key"
        r"|access[ _-]?key|credentials?|\bpin\b|kennwort|mot de passe|contrase[nñ]a|senha"
        rf"|wachtwoord|has[lł]o|парол[ья])[\w \"'`)]{{0,24}}?{_IS}{_VALUE}",
        unless=_HARMLESS,
        signs=_SIGNS,
    ),
    SecretForm(
        Beginnings("密码 口令 パスワード 비밀번호"),
        rf"(?:密码|口令|パスワード|비밀번호)[\w \"'`)]{{0,8}}?{_IS}{_VALUE}",
        unless=_HARMLESS,
        signs=_SIGNS,
    ),
)
"""The forms, those with the surest name first."""


def find_secrets(searched: Searched) -> Iterator[tuple[int, int]]:
    """The spans of all that looks like a secret."""
    for form in FORMS:
        yield from form.spans(searched)


def lower(text: str) -> str:
    """The text in lower case, every character in its place."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(
        small if len(small := character.lower()) == 1 else character for character in text
    )
