"""What one plain statement is, for homes that keep no conversations.

One sentence of English or German in positive form: what it is about, then a verb of a closed list
that tells what is. It orders nobody, and speaks of no rule, prompt, consent, permission or review.
What is not known to be one is none.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import Final

from reviewdeck.policy.rules.folding import fold
from reviewdeck.text.languages import Language, language_of
from reviewdeck.text.lazy import regex

LONGEST: Final = 200
"""Characters of a statement."""
_MOST: Final = 2
"""Statements of one entry, parted by a semicolon."""
_LONGEST_SUBJECT: Final = 9
"""Words."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_STATES: Final = (
    "add answer appear apply ask attend avoid base begin belong block blog build call care carry"
    " check climb code collect come commute communicate consist contain cook cost cover cycle debug"
    " deliver depend describe design develop dislike drink drive eat employ end enjoy enter expire"
    " explain export extend fail favor favour feed feel fill find finish fit focus follow format"
    " gather generate go grow handle happen hate have help hike hold host implement import include"
    " index install interact join keep know last lead learn lie lift like listen live load lock log"
    " look love maintain make manage mean measure meet mentor mirror move need object occupy occur"
    " offer open operate order organise organize own package paint park pick plan play point prefer"
    " prepare print produce provide publish pull range reach read receive refer remain render"
    " report represent require return ride run save schedule see sell send serve share show sing"
    " sit sleep sound speak spend stand start stay stop store stream study supply support swim"
    " switch sync synchronise synchronize take talk target teach test think tile track trade train"
    " translate travel treat try type understand update use value vary visit volunteer wait wake"
    " walk want watch wear work write adopt"
)
"""English verbs, as they stand for what somebody likes, has and does, and for what a thing does."""
_BE: Final = _words("is are was were am be been being has have had")
DONE: Final = _words(
    "allergic interested married engaged retired located named situated connected written"
    " configured deployed stored divided tested pinned mounted ordered linked capped trained"
    " created compiled compressed dated deleted detected disabled edited enabled encoded expected"
    " formatted grouped kept labelled labeled logged mapped measured patched placed planned"
    " preferred proxied rendered renamed routed saved scheduled signed sized sorted structured"
    " tagged timed translated versioned wired red excited involved tired used needed inspired"
    " addicted supposed united mixed unused indexed archived cached split bundled cured learnt"
    " learned addressed preinstalled trimmed dropped started paused run served hosted"
    " synchronised committed restored rotated sampled wrapped nested shipped"
)
"""What is told of a thing that was done to it, or of a person."""


def third_of(verb: str) -> str:
    if re.search(r"(?:[sxz]|ch|sh|o)\Z", verb):
        return verb + "es"
    return re.sub(r"([^aeiou])y\Z", r"\1ie", verb) + "s"


def past_of(verb: str) -> str:
    if verb.endswith("e"):
        return verb + "d"
    return re.sub(r"([^aeiou])y\Z", r"\1i", verb) + "ed"


VERBS: Final = _words(_STATES)
_PRESENT: Final = frozenset(map(third_of, VERBS)) | {"has", "does"}
_PAST: Final = (
    frozenset(map(past_of, VERBS))
    | DONE
    | _words(
        "ate became began bought built drank drove flew found grew met ran rode sang slept sold"
        " swam taught went won wrote"
    )
)
GERMAN_VERBS: Final = _words(
    "ist sind war waren hat haben hatte hatten mag mogen heisst heissen liegt liegen lauft laufen"
    " nutzt nutzen arbeitet arbeiten wohnt wohnen lebt leben bevorzugt bevorzugen spricht sprechen"
    " schreibt schreiben liest lesen trinkt isst braucht brauchen verwendet verwenden benutzt"
    " benutzen steht stehen kommt kommen geht gehen fahrt fahren lernt lernen studiert spielt"
    " spielen kennt kennen liebt lieben beginnt beginnen endet enden dauert dauern kostet kosten"
    " enthalt enthalten gehort gehoren besteht bestehen bleibt bleiben findet stammt stammen baut"
    " bauen betreibt leitet plant sammelt testet schlaft hort kocht reist wandert"
    " schatzt sieht nimmt nehmen beantwortet antwortet erreicht unterstutzt"
)
_GERMAN_DONE: Final = _words(
    "installiert gespeichert geschrieben gebaut geboren verheiratet benannt gehostet getestet"
    " konfiguriert organisiert interessiert eingerichtet verbunden verteilt aufgeteilt"
    " umgezogen gewohnt gelegen gelernt studiert gefunden"
)
LASTING: Final = (
    DONE
    | _GERMAN_DONE
    | _words(
        "allowed permitted forbidden banned required supported recommended advanced"
        " complicated gifted talented experienced limited dedicated divorced widowed"
        " vaccinated employed certified qualified licensed insured registered subscribed related"
        " encrypted protected reserved automated shared sealed salted heated furnished fenced"
        " aged skilled bearded tattooed versed privileged unmarried unlisted untested undivided"
        " geschieden verwitwet versichert verwandt befreundet beliebt bekannt beruhmt begabt"
        " geeignet verschieden verboten erlaubt behindert verschlusselt gemeinsam angestellt"
        " ausgebildet eingezaunt geschutzt geimpft geheizt gepflastert getrennt"
    )
)

DETERMINERS: Final = _words(
    "the a an this that these those my our his her their its your one both two three four five six"
    " seven eight nine ten some most many several which what der die das den dem des ein eine einen"
    " einem einer eines dieser diese dieses mein meine unser unsere sein seine ihr ihre zwei drei"
    " einige viele"
)
_PRONOUNS: Final = _words(
    "he she it they we i there er sie es wir ich man user users nutzer nutzerin benutzer benutzerin"
)
PREPOSITIONS: Final = _words(
    "of in on at to for with from by about into over under as after before since than through per"
    " via mit fur von auf an zu nach bei im am vom zum zur aus uber unter vor seit durch um"
)
_CONJUNCTIONS: Final = _words(
    "and or but so because while who whose that though although und oder aber weil dass wahrend"
    " sondern denn"
)
_NEVER_LAST: Final = (
    (
        DETERMINERS
        - _words("one two three four five six seven eight nine ten that this those these her")
    )
    | PREPOSITIONS - _words("in on up over after before since about")
    | _CONJUNCTIONS
)
_MAY_STAND_ALONE: Final = _words("this that these those one both two three some most many der die")
_ALSO_NOUNS: Final = _words(
    "answer apply block blog build call care check climb code cost cover cycle design drink drive"
    " end export extend feed fit focus format handle hike host import index install lead lift load"
    " lock log look measure mirror move need object offer order package paint park plan play point"
    " prefer print pull range report return ride run schedule share show sleep sound start stay"
    " stop store stream study supply support swim switch sync talk target test trade train travel"
    " treat type update use value visit wait walk watch work"
)
_PLURAL: Final = regex(r"(?:[^sui']s|people)\Z")
_GERMAN_BE: Final = _words("ist sind war waren hat haben hatte hatten")

_ENDS: Final = regex(r"[.!?;。！？；…][\"'”’)\]]*\s+\S|[\r\n\u2028\u2029]|[。！？；].")
_ABBREVIATION: Final = regex(
    r"\b(?:e\.g|i\.e|etc|vs|approx|no|z\.b|d\.h|bzw|ca|dr|mr|mrs|ms|st|prof)\.(?=\s)", re.IGNORECASE
)
_OPENS: Final = regex(r"[?!？！]|[:：](?:\s|\Z)|[,;–—-]\Z")
_RESIDUE: Final = regex(
    r"[{}<>|\\^=\[\]*#→⇒]|__|--|\.\.\.|…|^[^\w'\"“„(]|\b(?:null|undefined|nan|traceback|exception"
    r"|stderr|stdout|fixme|lorem|object object)\b|\b(?=\w*\d)[0-9a-f]{12,}\b|\w{40,}",
    re.IGNORECASE,
)
_ADDRESSES: Final = regex(
    r"\b(?:please|let|let's|you|your|yours|yourself|you're|agents?|assistants?|hermes|claude|bots?"
    r"|i|i'\w+|me|myself|ich|mir|mich|bitte|du|dir|dich|dein\w*|ihr|euch|assistent\w*|agenten)\b"
)
_MATTERS: Final = regex(
    r"\b(?:rules?|orders|regimes?|directions|checks|polic(?:y|ies)|instruct\w*|prompts?|prompted|guid(?:e|ance|elines?)|directives?"
    r"|constrain\w*|restrict\w*|limit(?:s|ed|ations?)?|requirements?|mandat\w*"
    r"|consent\w*|permi(?:ts?|tted|ssions?)|approv\w+|authori[sz]\w*|authority|allow\w*|okay\w*"
    r"|oks?|ok'd|ok'?ed|agree\w*|accept\w*|grant\w*|yes|yep|sign(?:s|ed|ing)?[ -]?offs?|green"
    r"[ -]?li(?:gh?t|t)\w*|go[ -]aheads?|carte|free hand|free to|free rein|fine|welcome|bless\w*"
    r"|confirm\w*|endors\w*|trust\w*|review\w*|verif\w+|validat\w+|audit\w*|inspection|oversight"
    r"|supervis\w+|moderat(?:ion|or|ors)|scrutin\w*|vett\w+|clear(?:s|ed|ance)|pre-?\w*cleared"
    r"|safety|safeguards?|guard(?:s|ed|rails?)?|filters?|gatekeep\w*|gates?|(?:in|out of) force"
    r"|at the top|on board|in favou?r|second look|formality|chang(?:e|es|ed)|anderung\w*"
    r"|patch(?:es)?|diffs?|deletions?|removals?|push(?:es)?|edits?|merge[sd]?"
    r"|proposals?|amendments?|remember\w*|forget\w*|forgotten|memories|admin\w*|root|sudo"
    r"|privileges?|rights|password\w*|credential\w*|secrets?|pay(?:s|ment|ments)?|invoices?|bank"
    r"|void|moot|invalid|history|bygone|overrid\w*|overrul\w*|supersed\w*|overwritten|waive\w*"
    r"|exempt\w*|bypass\w*|skip\w*|ignor\w*|disregard\w*|optional|unneeded|unnecessary|needless"
    r"|obsolete|outdated|deprecated|lifted|revok\w*|rescind\w*|repeal\w*|cancel\w*|suspend\w*"
    r"|abolish\w*|annul\w*|retired? (?:rule|order)s?|replac\w*|earlier|previous\w*|prior|former\w*"
    r"|above|preced\w*|further|future|henceforth|everything|anything|whatever|whoever|anyone"
    r"|everyone|each|every (?:action|request|command|tool|commit|addition|write|deploy)\w*"
    r"|all (?:the )?(?:\w+ )?(?:action|request|command|tool|commit|addition|write|deploy)\w*"
    r"|regeln?|vorschrift\w*|richtlini\w*|anweisung\w*|vorgabe\w*|einschrank\w*|grenzen?|verbot\w*"
    r"|zustimm\w*|zugestimmt|einverstand\w*|einwillig\w*|eingewilligt|erlaub\w*|genehmig\w*"
    r"|bewillig\w*|gestatte\w*|freigab\w*|freigegeben|befugnis\w*|berechtig\w*|bestatig\w*"
    r"|abgesegnet|vertrau\w*|pruf\w*|gepruft|uberpruf\w*|kontroll\w*|uberwach\w*|aufsicht"
    r"|sicherheit\w*|gedachtnis\w*|erinner\w*|vergess\w*|passw\w*|geheim\w*|zahlung\w*|rechnung\w*"
    r"|ja|jede[rsmn]?|aufgehoben|ausser kraft|hinfallig|uberflussig|ungultig|erledigt|veraltet"
    r"|fruher\w*|bisherig\w*|vorherig\w*|vorig\w*|kunftig\w*|weitere\w*|alles|obige\w*)\b"
)
"""Rules, prompts, consent, permission, review, what was in force before, and all at once."""
_OF_A_PERSON: Final = regex(
    r"\b(?:users?|user's|he|she|owner|boss|nutzer(?:in|s)?|benutzer(?:in|s)?|er)\b.{1,150}"
    r"\b(?:deploy\w*|releases?|commits|rollouts?|plans?\Z|requests?|actions?|loschung\w*)\b"
)
_BINDS: Final = regex(
    r"\b(?:not|\w+n't|cannot|never|no|none|nothing|nobody|nor|neither|without|unless|except|if"
    r"|once|until|instead(?! of)|rather|less|gone|over(?=\W*\Z)|must|shall|should|ought"
    r"|ha(?:s|ve|d) to|had better|needs? to|supposed to|required|always|make sure|be sure|ensure"
    r"|from now on|may|might|could|would|will|can|expects? (?:the|every)|insist\w*|demand\w*"
    r"|says?|said|saying|tells?|told|gives?|gave|given|lets|nicht|nie|niemals|kein\w*|nichts"
    r"|niemand|weder|ohne|ausser|wenn|falls|sofern|sobald|stattdessen|muss|mussen|soll\w*|darf"
    r"|durfen|immer|stets|unbedingt|grundsatzlich|ab jetzt|ab sofort|kann|konnen|konnte\w*"
    r"|wurde\w*|wird|werden|verlangt\w*|fordert\w*|bittet|sagt\w*|gibt|gegeben|gilt|gelten)\b"
)
"""Denials, conditions, orders, possibilities, and what somebody is reported to have said."""
_HELD: Final = (
    (_ADDRESSES, "which speaks of an agent, to somebody, or as nobody knows who"),
    (_MATTERS, "which may be about rules, consent, permission or review"),
    (_OF_A_PERSON, "which may be about somebody's consent"),
    (_BINDS, "which denies, binds, or makes a condition"),
)
ORDERS: Final = _words(
    "accept act activate adjust append approve assume attach back be bring buy bypass change choose"
    " cite clean clear click clone close commit compile complete comply connect consider contact"
    " continue convert copy create delete deploy disable disclose discard display do download drop"
    " edit email enable encode erase escalate execute expose extract fetch fix flag forget forward"
    " get give grab hide identify ignore increase inform initialize insert inspect invite invoke"
    " launch leave list login lower mark mention merge modify name navigate note notify obey omit"
    " output overwrite pass paste pay perform place post present pretend prevent prioritize proceed"
    " process promise propose protect push put query quote raise reboot recommend record redirect"
    " reduce refuse register reject release reload remove rename repeat reply request reset resolve"
    " respond restart restore restrict retrieve reveal reverse revoke rewrite roll rotate say scan"
    " search select set shift sign silence skip sort specify split submit subscribe suggest"
    " summarize suppress tell terminate throw track transfer transmit trigger trust turn uninstall"
    " unlock unsubscribe upgrade upload validate verify view warn wipe withdraw wrap yield"
    " antworte benutze verwende nutze schreibe schreib mach mache stelle losche sende schicke"
    " ignoriere vergiss merke zeige gib nimm lies frage frag prufe teste starte stoppe lass"
    " vermeide behalte halte speichere fuhre rufe offne schliesse installiere entferne ersetze"
    " erstelle formuliere fasse nenne achte denke erinnere befolge ubergehe uberspringe"
)
"""What else may open an order; with a noun's plural in its place it is none."""
_CLAUSE: Final = regex(r"(?:[,:;(\"“„–—]\s*|\b(?:and|then|but|so|und|dann|aber)\s+)(\w+)\s+(\w+)")
_EVENT: Final = regex(r"\b([^\W\d_]+(?:ed(?= an? )|(?:ed|s)(?= (?:the|all|any|it|them)\b)))")
_NO_VERBS: Final = _words("is was has does as across plus towards besides versus vs")
_GERMAN_EVENT: Final = regex(
    r"\b((?:\w*ge\w{2,}|(?:be|ver|er|ent|zer)\w{3,})(?:t|en)|\w{3,}iert)\W*\Z"
)


def why_no_statement(text: str) -> str:
    """The reason why a text is no plain statement, as a sentence; empty when it is one."""
    if len(text) > LONGEST:
        return f"It has {len(text)} characters; {LONGEST} is the limit here."
    sides = text.strip().split("; ")
    if len(sides) > _MOST:
        return f"It has more than {_MOST} statements."
    # Each has a subject and a verb of its own, so none leans on the other.
    reasons = (_outside(side) or _inside(side.strip()) for side in sides)
    return next(filter(None, reasons), "")


def orders(sentence: str) -> bool:
    """Whether a clause behind the first one of a typed sentence gives an order."""
    folded = fold(sentence.replace("’", "'"))[0]
    return any(
        match[1] in ORDERS or (match[1] in VERBS and match[2] in DETERMINERS | _PRONOUNS)
        for match in _CLAUSE.finditer(folded)
    )


def _outside(text: str) -> str:
    """Why a text is not one sentence of people, at first sight."""
    statement = text.strip()
    if not statement:
        return "It says nothing."
    if _ENDS.search(_ABBREVIATION.sub("", statement)):
        return "It is more than one sentence."
    if _OPENS.search(statement):
        return "It is a question, an exclamation or an opening, not a statement."
    if not statement.isprintable():
        return "It holds characters that nobody sees."
    if match := _RESIDUE.search(statement):
        return f"It holds {match.group()!r}, as the output of a program does."
    return ""


@lru_cache(maxsize=4_096)  # as many texts as the rules keep what they found in
def _inside(statement: str) -> str:
    language = language_of(statement, least=1)
    if language is None:
        return "It has no word of English or German that tells the language, or one of another."
    folded = fold(statement.replace("’", "'"))[0]
    for pattern, what in _HELD:
        if match := pattern.search(folded):
            return f"It says {match.group()!r}, {what}."
    words = [word.strip("\"'“”„`(),.") for word in folded.split()]
    verb = _verb(words, language)
    if verb is None or "," in " ".join(folded.split()[:verb]):
        return "It does not say what it is about and then, in a verb known to the gate, what is."
    if words[-1] in _NEVER_LAST or verb == len(words) - 1:
        return "It breaks off."
    if words[verb] in _BE | _GERMAN_BE and language_of(statement) is None:
        return f"It has too few words of {language.value} to be told as a sentence."
    return _other_clause(words, folded, verb, language)


def _verb(words: list[str], language: Language) -> int | None:
    """The place of the verb that states; none where no subject stands before it."""
    subject_left_out = language is Language.ENGLISH and words[0] in _PRESENT
    if subject_left_out or (words[0] in GERMAN_VERBS and words[0].endswith(("t", "mag"))):
        return 0
    for place, word in enumerate(words[1 : _LONGEST_SUBJECT + 1], 1):
        if _states(word, words[:place], language):
            return place if _is_subject(words[:place]) else None
    return None


def _states(word: str, subject: list[str], language: Language) -> bool:
    before = subject[-1]
    if before in DETERMINERS | PREPOSITIONS:
        return before in _MAY_STAND_ALONE and word in _BE | GERMAN_VERBS
    if language is Language.GERMAN:
        return word in GERMAN_VERBS
    if word in _BE or word in _PRESENT:
        return True
    is_person = before in _PRONOUNS
    is_plural = before in {"they", "we"} or any(map(_PLURAL.search, subject))
    return (word in VERBS and is_plural) or (word in _PAST and is_person and word not in DONE)


def _is_subject(words: list[str]) -> bool:
    first, *rest = words
    if first in PREPOSITIONS | _CONJUNCTIONS:
        return False
    if first in DETERMINERS | _PRONOUNS:
        return not _CONJUNCTIONS.difference({"and", "und", "or", "oder"}) & set(rest)
    if first in ORDERS or first in VERBS - _ALSO_NOUNS:
        return False
    objects = (DETERMINERS | _PRONOUNS | _CONJUNCTIONS) - {"and", "und"}
    return not any(
        word in objects and before not in PREPOSITIONS for before, word in pairwise(words)
    )


def _other_clause(words: list[str], folded: str, verb: int, language: Language) -> str:
    for match in _CLAUSE.finditer(folded):
        if match[1] in ORDERS or (match[1] in VERBS and match[2] in DETERMINERS | _PRONOUNS):
            return f"Goes on with {match[1]!r}, as an order does."
    if language is Language.GERMAN:
        match_done = _GERMAN_EVENT.search(folded)
        if match_done and words[verb] in _GERMAN_BE and match_done[1] not in _GERMAN_DONE:
            return f"It says {match_done.group()!r}, which may tell of a decision."
        return ""
    for place, word in enumerate(words[1:], 1):
        before = {*words[max(0, place - 2) : place]}
        if word.endswith("ed") and before & _BE and word not in _PAST:
            return f"It says {word!r}, which may tell of a decision."
    for match in _EVENT.finditer(folded):
        if match[1] not in _PRESENT | _PAST | _NO_VERBS:
            return f"It says {match[1]!r}, which may tell of a decision."
    return ""
