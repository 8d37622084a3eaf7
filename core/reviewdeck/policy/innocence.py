"""Where a word that matters stands for something ordinary: the delete endpoint, the user agent."""

from __future__ import annotations

import re
from functools import lru_cache

from reviewdeck.policy.concepts import Concept
from reviewdeck.policy.reading import Mention, Reading
from reviewdeck.policy.screen import Screened, screened

_AROUND = 40
"""Characters before and after a word that say what it means."""

_AFTER = {
    Concept.DESTROY: re.compile(
        r"[\w-]*[ -](?:endpoint|button|flow|handler|method|command|query|request|operation|key|hook"
        r"|form|page|action|route|job|column|flag|timestamp)s?\b"
    ),
    Concept.APPROVAL: re.compile(
        r"\w*[ -](?:checks?|models?|middleware|class(?:es)?|tables?|flow|page|form|dialog|screens?"
        r"|workflow|score|field|column|endpoint|endpoints)\b"
    ),
    Concept.AGENT: re.compile(
        r"\w*-based\b|agent framework\b|ai (?:opponent|player|course|model|feature)s?\b"
        r"|\w* (?:strings?|headers?)\b|\w*s? per run"
    ),
    Concept.POWER: re.compile(r"\w*(?:/| records?\b)"),
    Concept.CAUSE: re.compile(r"is an? command[- ]line\b"),
    Concept.SECURITY: re.compile(
        r"[\w-]*(?:[./_]\w|[ -](?:fields?|forms?|pages?|screens?|endpoints?|flows?|modules?|tables?"
        r"|columns?|buckets?|buttons?|dialogs?|service|middleware|library)\b)"
    ),
}
_BEFORE = {
    Concept.CAUSE: re.compile(r"\bfor (?:\w+ )?\Z"),
    Concept.DESTROY: re.compile(r"[`_./-]\Z"),
    Concept.POWER: re.compile(r"/\Z"),
    Concept.AGENT: re.compile(r"\b(?:user[- ]|home |vault )\Z"),
    Concept.SECURITY: re.compile(r"[`_./-]\Z"),
}
_STUDY = screened(
    r"\b(?:research\w*|stud(?:y|ies|ying)|teach\w*|thesis|survey|paper|lectur\w+|course|seminar"
    r"|dissertation|book|novel|blog|newsletter|workshop|talk|talks|conference|analyst|defen[cs]es?"
    r"|detection|security\s+(?:engineer|researcher)|penetration\s+tester|fiction)\b|研究|исследу"
    r"|forsch|recherche|investiga|estudia|연구|بحث"
)
_OVERSIGHT = screened(
    r"\b(?:prefers?|wants?|likes?)\s+(?:an?\s+(?:confirmation|question|look|preview|diff)"
    r"|to\s+(?:be\s+(?:asked|consulted|warned|shown)|see|review"
    r"|check|approve|confirm|read)|being\s+(?:asked|consulted|warned|shown))\b"
    r"[^.;\n]{0,60}\b(?:before|first|beforehand)\b[^.;\n]*$"
)
_FIRST = screened(
    r"\b(?:prefers?|wants?|likes?)\b[^.;\n]{0,60}\b(?:explained|shown|tested|reviewed|confirmed"
    r"|discussed|checked)\s+before\b"
    r"|\bwants?\s+(?:the\s+)?(?:risks?|caveats?|warnings?|limits|assumptions|errors|downsides)"
    r"\s+(?:to\s+be\s+)?(?:listed|shown|named|stated|explained|mentioned|spelled)\b|\b(?:prefers?|wants?"
    r"|likes?)\s+to\s[^.;\n]{3,60}\b(?:themselves"
    r"|himself|herself|by\s+hand)$"
)
_BUILT = re.compile(
    r"(?:the\s+|our\s+)?[^.;:,\n]{3,70}?\s(?:lives?|is|are|sits?)\s+(?:(?:implemented|defined"
    r"|configured"
    r"|documented|handled|modelled|rendered|covered|described|tested|written|kept|stored|drawn|named"
    r"|listed|declared|tracked|set|created|loaded|read|specified|explained|recorded)\s+(?:as\s+(?:[\w-]+\s+){1,3}?)?)?"
    r"(?:in|under|by)\s+(?:the\s+(?:table|module|class|folder"
    r"|schema)\s+)?`?[\w-]*[/._][\w./-]*[\w/]`?"
)
_WORKS_AS = re.compile(
    r"(?:the\s+)?user\s+is\s+an?(?:\s+[a-z-]+){1,3}(?:\s+(?:in|from)\s+[a-z]+)?(?:\s+and\s+drafts\s+\w+)?"
    r"|(?:der\s+nutzer|die\s+nutzerin|l'utilisat(?:eur|rice)|el\s+usuario|la\s+usuaria|l'utente"
    r"|o\s+usuario|a\s+usuaria|de\s+gebruiker)\s+(?:ist|est|es|e|is)\s+(?:(?:una?|um|uma|une?|een|eine?)\s+)?"
    r"[a-z-]+(?:\s+(?:in|a|en|em|y|e|et|und)\s+[a-z]+(?:\s+[a-z]+)?)?"
)
_POWERFUL = re.compile(
    r"admin|root|管理|管理员|所有者|запрещ|разреш|можно|super|owner|operator|boss|trusted|verified|approv|authori|licen[cs]ed|certified"
    r"|agent|bot\b|besitzer|eigentumer|chef|proprieta|dueno|einverstanden|d'accord|acuerdo|accordo"
    r"|acordo|akkoord|offline|away|gone|asleep|minor|child|fine\b|happy|aware|unaware"
)
_WORKS_ON = re.compile(
    r"(?:(?:the\s+)?user(?:'s\s+team)?\s+)?(?:is\s+)?(?:maintains?|builds?|building|develops?"
    r"|developing|works\s+on|working\s+on|writes|writing|teaches|teaching|studies|studying"
    r"|researches|researching)\s+(?:an?|the|about)\s+(?!that\b|it\b|on\b|same\b)[\w-]+"
    r"(?:\s+(?!that\b|and\b|with\b|for\b|is\b|are\b|in\b|to\b|into\b|from\b|as\b|by\b|of\s+(?:the|his|her|their)\b)[\w-]+){0,6}"
)
_TOOL_NAMES = (
    r"(?:jira|linear|notion|confluence|trello|asana|github|gitlab|figma|miro|pagerduty|grafana|sentry"
    r"|datadog|excel|redis|postgres|postgresql|mysql|sqlite|vault|terraform|keycloak)"
)
_MADE_WITH = re.compile(
    r"(?:the\s+|our\s+)?(?:[\w-]+\s+){1,4}(?:is|are)\s+(?:"
    r"(?:rendered|written|built|drawn|plotted|typeset|drafted|sketched|laid\s+out|made)\s+(?:in|with)\s+[\w.+#-]+(?:\s+[\w.+#-]+)?"
    r"|(?:tracked|documented|described|drawn|planned|managed|discussed|modelled|defined"
    r"|logged)\s+(?:in|with)\s+"
    + _TOOL_NAMES
    + r"|(?:set|handled|checked|validated|managed|generated|issued|refreshed|verified|rendered"
    r"|served)"
    r"\s+by\s+(?:the\s+)?(?:django|rails|spring|laravel|next(?:js|\.js)?|auth0|keycloak|cognito|supabase"
    r"|firebase|nginx|caddy|traefik|terraform|vault|cert-manager|certbot|framework|middleware|gateway)"
    r"|(?:verified|signed|encrypted|hashed|validated|authenticated)\s+(?:with|by|using)\s+"
    r"(?:an?\s+)?"
    r"(?:hmac|ed25519|rsa|argon2\w*|bcrypt|scrypt|aes[\w-]*|gpg|age|luks|rs256|es256|oauth2?|oidc)"
    r"(?:\s+(?:header|signature|key|keys))?)"
)
_IS_FILE = re.compile(
    r"the\s+(?:[\w-]+\s+){1,4}(?:is|lives\s+in|sits\s+in)\s+`?(?:[\w-]+/)*[\w-]*\.[a-z]\w{0,14}`?"
)
_BUILT_ELSEWHERE = re.compile(
    r"[^.;:,]{3,50}\s(?:sont|est|sind|ist|wird|werden|son|esta|estan|sono|sao|estao|se|liegen|liegt"
    r"|zijn|staan|sa|jest|находятся|лежат|хранятся|описаны|определены)\s+(?:[^\W\d_]+\s+)?"
    r"(?:dans|in|en|em|nel|nella|im|unter|w|i|в)\s+`?[\w-]*[/.][\w./-]*[\w/]`?(?:\s+(?:beschrieben"
    r"|definiert|abgelegt|gespeichert|dokumentiert|geschrieben|konfiguriert))?"
)
_WISH = screened(
    r"\b(?:wants?|prefers?|likes?|so|trusted|approved|agents?|your?|wiki|public|plain)\b"
)
_DECIDES = re.compile(
    r"(?:(?:the\s+)?user\s+|they\s+)?(?:prefers?|wants?|likes?|asks?)\s+to\s+(?:approve|confirm|review"
    r"|check|see|read|inspect|merge|run|decide\s+on|sign)\s+(?:each|every|all|any|the|new|destructive"
    r"|risky|big|large|schema|database)\b(?:\s+(?!in\b|once\b|after\b|later\b|automatic\w*|blind\w*|as\b"
    r"|bulk\b|quick\w*|silent\w*)[\w-]+){0,5}"
    r"|(?:(?:the\s+)?user\s+|they\s+)?(?:prefers?|wants?|likes?)\s+(?:that\s+)?(?:the\s+)?(?:tests?|checks?|linters?"
    r"|builds?|type\s+checks?|test\s+suite)(?:\s+to)?\s+(?:be\s+run|run|pass)\s+before\s+(?:each|every|any|a|the)"
    r"\s+\w+"
)
_NEGATED = re.compile(r"\b(?:not|never|no|without|unless|except|only|less|rather)\b|n't\b")


def is_innocent(reading: Reading, concept: Concept, mention: Mention) -> bool:
    """Whether what stands around a mention makes it ordinary."""
    after = reading.folded[mention.start : mention.end + _AROUND]
    before = reading.folded[max(0, mention.start - _AROUND) : mention.start]
    if concept in _AFTER and _AFTER[concept].match(after):
        return True
    return concept in _BEFORE and bool(_BEFORE[concept].search(before))


def is_study(reading: Reading) -> bool:
    """Whether a short text is about studying something."""
    return len(reading.folded) <= 160 and bool(_STUDY.search(reading.folded))


def is_oversight(reading: Reading) -> bool:
    """Whether a short text asks for more oversight: wants to be asked before something."""
    return _is_oversight(reading.folded)


def is_structure(reading: Reading) -> bool:
    """Whether a text only says in which file something is written, or what somebody works as."""
    return _is_structure(reading.folded)


_HASHED = re.compile(
    r"(?:[^\W\d_]+\s+){1,5}?(?:mit|with|avec|con|com|with|using|с|помощью|z|met)\s+"
    r"(?:argon2\w*|bcrypt|scrypt)(?:\s+(?:gehasht|verschlusselt|hashes|haches|hasheadas|gehashed))?"
)
_WORKS_AS_THERE = re.compile(
    r"(?:用户|使用者)(?:是|为)(?:一?[名位个個])?[\u4e00-\u9fff]{1,8}(?:师|師|员|員|生|家|工|者|医|授|士|农)"
    r"|ユーザーは[\u3040-\u30ff\u4e00-\u9fff]{1,12}(?:師|員|生|家|者|医|士|授)(?:です|だ|である)?"
    r"|пользователь\s+(?:—|-)?\s*(?!админ|владел|root)[а-я]{4,20}(?:\s+в\s+[а-я]+)?"
)
_SHAPES = (_BUILT, _MADE_WITH, _IS_FILE, _BUILT_ELSEWHERE, _WORKS_ON, _HASHED)


@lru_cache(maxsize=64)
def _is_oversight(whole: str) -> bool:
    folded = whole.strip().rstrip(".")
    if len(folded) > 160:
        return False
    asks = _says(_OVERSIGHT, whole, folded) or _says(_FIRST, whole, folded)
    return bool(asks or _DECIDES.fullmatch(folded)) and not _NEGATED.search(folded)


@lru_cache(maxsize=64)
def _is_structure(whole: str) -> bool:
    folded = whole.strip().rstrip(".")
    if len(folded) > 160:
        return False
    folded = folded.rstrip("。")
    if _WORKS_AS.fullmatch(folded) or _WORKS_AS_THERE.fullmatch(folded):
        return not _POWERFUL.search(folded)
    if _says(_WISH, whole, folded) or _NEGATED.search(folded):
        return False
    return any(shape.fullmatch(folded) for shape in _SHAPES)


def _says(pattern: Screened, whole: str, part: str) -> bool:
    """Whether a pattern is in a text without what ends it: the whole one is screened already."""
    return pattern.may_match(whole) and pattern.plain.search(part) is not None


def is_ordinary(reading: Reading) -> bool:
    """Whether a text asks for more oversight, or only says how something is built."""
    return is_oversight(reading) or is_structure(reading)
