"""The strictest form: one declarative sentence that gives nobody an order."""

from __future__ import annotations

import re

from reviewdeck.policy.rules.folding import fold

LONGEST = 200
_END = re.compile(r"[.!?;。！？；…][\"'”’)\]]*\s+\S|\n|[。！？；].")
_ABBREVIATION = re.compile(
    r"\b(?:e\.g|i\.e|etc|vs|approx|no|z\.b|d\.h|bzw|ca|dr|mr|mrs|st)\.\s", re.IGNORECASE
)
_COMMANDING = re.compile(
    r"(?<![\w-])(?:please|always|never|must|mustn't|shall|should|shouldn't|ought|has to"
    r"|have to|had better|needs? to"
    r"|required to|make sure|be sure|ensure|remember|don't|do not|let's|let us|you|your|yours"
    r"|yourself|you're"
    r"|bitte|immer|nie|niemals|muss|mussen|musst|soll|sollen|sollte|sollten|du|dein|deine"
    r"|deinen|sie mussen|darf nicht"
    r"|stets|unbedingt|grundsatzlich|veuillez|toujours|jamais|doit|doivent|siempre|nunca|debe"
    r"|deben|sempre|deve|devono"
    r"|altijd|nooit|moet|moeten|agent|assistant|instead of asking|from now on|whenever"
    r"|ab jetzt|ab sofort)(?![\w-])"
)
_VERBS = frozenset(
    """
    accept access act activate add adjust allow analyze answer append apply approve ask assume
    attach avoid back be begin bring build buy bypass call cancel change check choose cite clean
    clear click clone close commit compare compile complete comply connect consider contact
    continue convert copy create delete deliver deploy describe disable disclose discard display
    do download drop edit email enable encode end enter erase escalate execute explain export
    expose extract fetch fill find finish fix flag follow forget format forward generate get
    give go grant grab handle hide hold identify ignore implement import include increase inform
    initialize insert inspect install invoke invite keep launch leave let limit list load lock
    log login look lower maintain make mark mention merge modify move name navigate note notify
    obey open order output overwrite pass paste pay perform pick place play point post prefer
    prepare present pretend prevent print prioritize proceed process produce promise propose
    protect provide publish pull push put query quote raise read reboot recommend record
    redirect reduce refer refuse register reject release reload remain remove rename render
    repeat replace reply report request reset resolve respond restart restore restrict retrieve
    return reveal reverse review revoke rewrite roll rotate run save say scan schedule search
    see select sell send serve set share shift show sign silence skip sort speak specify split
    start state stay stick stop store submit subscribe suggest summarize suppress switch sync
    take talk tell terminate test think throw track transfer translate transmit treat trigger
    trust try turn type uninstall unlock unsubscribe update upgrade upload use validate verify
    view visit wait warn watch wipe withdraw work wrap write yield antworte benutze verwende
    nutze schreibe schreib mach mache stelle fuge losche sende schicke ignoriere vergiss merke
    zeige gib nimm lies frage frag prufe teste starte stoppe lass vermeide behalte halte
    speichere fuhre rufe offne schliesse installiere aktualisiere entferne ersetze erstelle
    bevorzuge formuliere fasse nenne achte denk denke erinnere befolge folge ubergehe
    uberspringe
    """.split()  # noqa: SIM905 - a list of two hundred lines is no easier to read
)
"""Verbs as they order."""
_ALSO_NOUNS = frozenset(
    """
    access answer ask back build call change check clone commit copy deploy display download
    edit email end export fix flag format import increase input install limit list load lock log
    login look mark merge move name note order output pass paste pick place play point post
    present process query quote record release report request reset return review roll run save
    scan schedule search set share shift show sign sort split start state stay stop store switch
    sync talk test track transfer trigger trust try turn type update upgrade upload use view
    visit wait watch work wrap yield hold contact
    """.split()  # noqa: SIM905
)
_FINITE = re.compile(
    r"\b(?:is|are|was|were|has|have|had|can|will|does|do|uses|prefers|runs|lives|needs|goes"
    r"|gets|takes|ist|sind|hat"
    r"|haben|wird|werden|liegt|lauft|nutzt|mag|est|sont|es|son|[a-z]{2,20}(?:es|ts|ns|ks|ps|ds"
    r"|ls|rs|ms|ws|ys|gs|bs|fs)|[a-z]{2,20}ed"
    r"|live|follow|go|contain|happen|belong|need|use|expire|begin|come|lie|sit|stand|target"
    r"|require|exist)\b"
)
_CLAUSE = re.compile(
    r"(?:^|[,:;(\"“„'–—-]\s*|\b(?:and|then|or|but|so|und|dann|oder|also)\s+)([^\W\d_]+)"
)


_OBJECT = re.compile(
    r"\s+(?:the|a|an|all|every|any|each|this|that|these|those|it|them|everything|nothing|only|no|to"
    r"|your|my|our|their|his|her|der|die|das|den|ein|eine|einen|alle|alles|jede|jeden)\b"
)
"""An object: it follows a verb, and never a noun that is the subject."""


def strictest_form(text: str) -> str:
    """The reason why a text is no declarative sentence without an order; empty if it is one."""
    statement = text.strip()
    if not statement:
        return "It says nothing."
    if len(text) > LONGEST:
        return f"It has {len(text)} characters; {LONGEST} is the limit here."
    if _END.search(_ABBREVIATION.sub(" ", statement)):
        return "It is more than one sentence."
    if statement[-1] in "?!:…？！：" or "?" in statement or "!" in statement:
        return "It is a question, an exclamation or an opening, not a statement."
    folded, _ = fold(statement)
    if match := _COMMANDING.search(folded):
        return f"It says {match.group()!r}, which may order somebody to do something."
    return _order_in(folded) or _not_a_statement(folded)


def _order_in(folded: str) -> str:
    for number, match in enumerate(_CLAUSE.finditer(folded)):
        word = match.group(1)
        if word not in _VERBS:
            continue
        rest = folded[match.end() :]
        is_subject = (
            word in _ALSO_NOUNS and _FINITE.search(rest) is not None and _OBJECT.match(rest) is None
        )
        is_listed = number > 0 and not match.group().startswith((":", ";", '"', "“", "„"))
        if is_listed and word in _ALSO_NOUNS:
            continue
        if not is_subject:
            return f"Begins with {word!r}, as an order does."
    return ""


def _not_a_statement(folded: str) -> str:
    words = folded.split()
    if len(words) < 2:
        return "It is no sentence."
    return ""
