"""What a sentence tells beyond its moment, and what can be understood without the one before it.

A memory is read long after it was typed, and alone. A state that passes is another one by then, and
a word that points to another sentence points to nothing, or to something else.
"""

from __future__ import annotations

import re
from typing import Final

from reviewdeck.origin.elsewhere import passes
from reviewdeck.origin.inflection import content, is_light
from reviewdeck.origin.phrases import CONDITIONAL, STANDING, any_of
from reviewdeck.origin.wording import ME, typed_words
from reviewdeck.policy.statement import tells_what_lasts
from reviewdeck.text.lazy import regex

_MOMENT: Final = any_of(
    r"""
    today | tonight | tomorrow | yesterday | right now | just now | at the moment | for now | ago
    currently | later | soon | recently | lately | just (?:got|came|did|had|finished|started)
    this (?:morning|afternoon|evening|week|weekend)
    this time
    (?:next|last) (?:night|week|weekend|time)
    (?:this|next|last) (?:mon|tues|wednes|thurs|fri|satur|sun)day(?! of)
    in (?:a|an|\d+|two|three|four|five|ten|half an) (?:minute|hour|day|week|month|year|moment)\w*
    (?:i'm|i am|we're|we are) (?:so |very |a bit |still )?(?:tired|hungry|busy|sick|ill|late)
    (?:i'm|i am|we're|we are) (?:so |very |a bit |still )?(?:done|stuck|ready|bored|lost|back)
    i have a (?:headache|cold|fever|question|problem)
    ich bin (?:so |sehr |noch )?(?:müde|krank|fertig|unterwegs|beschäftigt|bereit|verwirrt)
    in a bit | in a hurry | in a fortnight | for once | just this | only this | the other day
    (?:on|for) (?:mon|tues|wednes|thurs|fri|satur|sun)day(?!\s\w+s\b)
    (?<!day\s)(?:until|till) (?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|the \d{1,2}\w*)
    on (?:my|our) way | auf dem weg (?:nach|zu\w*) | my \w+ hurts? | tut (?:mir )?weh
    i have (?:a|an) (?:sore|bad|terrible|splitting) \w+
    (?:i feel|i'm feeling|i am feeling) (?!that\b)\w+
    (?:it's|it is|is|was) (?:raining|snowing|shining)
    (?:is|are|ist|sind|battery|akku) [^,;.]{0,20}(?:at|bei|auf) \d+\s?(?:percent|prozent|%)
    heute | gestern | vorgestern | morgen | übermorgen | gerade | neulich | vorhin | momentan | bald
    gleich | später | derzeit | im moment | zur zeit | diesmal
    (?:diese|nächste|letzte|kommende)[nmrs]? (?:woche|tage?|mal|wochenende|\w+tag|nacht)
    am (?:mon|diens|donners|frei|sams|sonn)tag | am mittwoch
    (?<!tag\s)(?<!mittwoch\s)bis (?:(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch)
    ich habe (?:hunger|durst|fieber|schnupfen|husten|\w*schmerzen|eine frage|ein problem)
    mir ist (?:so |sehr |etwas )?(?:kalt|warm|heiß|schlecht|übel|langweilig|schwindel?ig)
    ich fühle mich \w+ | regnet es | es regnet | schneit es | es schneit
    """
)
"""Words of a moment: what they tell is another thing once it has passed."""
_SEASON: Final = any_of(
    """
    (?:this|next|last) (?:month|year|quarter|summer|winter|spring|autumn)
    (?:diese|nächste|letzte|kommende)[nmrs]? (?:monat|jahr)
    """
)
_END: Final = r"(?=\s*(?:[,.;!)]|\Z)|\s+(?:again|now|and|but|because|since|until|till|due)\b)"
_STATES: Final = regex(
    r"(?:\b(?:is|are|am)|'s|'re|'m)\s+"
    r"(?:(?:not|now|still|all|already|fully|completely|currently|almost|half)\s+)*"
    r"(?:(?:down|up|on|off|red|green|failing|stuck|offline|online|open|done|ready|missing|empty|full"
    r"|crashing|hanging|gone|commented\s+out|checked\s+(?:in|out)|up\s+to\s+date|running|passing"
    r"|flaky|pending|away|asleep|awake|late|busy|dirty|wet|unwell|hurt|shut|loading|building|burning"
    r"|leaking|waiting|restarting|rebooting|charging|queuing|syncing|merged|deployed|disabled"
    r"|enabled|fixed|paused|started|restored|deleted|committed|shipped|paid|sent|sold|broken|frozen"
    r"|stolen|swollen|fallen|taken|torn|bent|burnt|lost|\w+\s+(?:off|on|down|up|out|away|over)"
    rf"|(?P<done>\w+ed)){_END}"
    r"|being\s+\w+|out\s+of\s+(?!town\b)\w+|on\s+(?:fire|hold|leave|holiday|vacation|strike)\b"
    r"|in\s+(?:review|progress|maintenance|repair)\b|under\s+(?:maintenance|repair)\b"
    r"|at\s+risk\b|behind\s+schedule\b|parked\s+(?:on|in|at|behind|outside|near)\b)"
    r"|(?:\b(?:has|have)|'ve)\s+(?:(?:just|already|finally)\s+)*(?:crashed|failed|stopped|died|expired"
    rf"|gone\s+\w+|run\s+out|broken|arrived|started|finished){_END}"
    r"|\brun\s+out\s+of\b"
    r"|\b(?:ist|sind|bin)\s+(?:(?:nicht|jetzt|noch|schon|alle|wieder|komplett)\s+)*(?:kaputt|rot|grün"
    r"|offen|zu|offline|online|fertig|leer|voll|weg|auskommentiert|aus|an|krank|im\s+urlaub"
    r"|in\s+arbeit|unterwegs|deployt|(?P<getan>(?:ab|an|auf|aus|ein|um|vor|zu|weg|los|nach|runter|hoch)?"
    r"ge\w+(?:t|en)|(?:be|er|ver|zer|ent)\w+(?:t|en)|\w{3,}iert))"
    r"(?=\s*(?:[,.;!)]|\Z)|\s+(?:und|aber|weil|seit|bis)\b)",
    re.IGNORECASE,
)
"""A state that passes: at the end of its clause, what was done to a thing or where it stands."""
_ASKS_FOR_ONE: Final = any_of(
    r"""
    (?:i|we)(?: just| really| also)*(?: want| need| would like|'d like) (?:a|an|some|another)
    (?:i|we)(?: just| really| also)*(?: want| need) (?:just|quickly)
    (?:i|we)(?: would love|'d love) (?:a|an|some|another)
    (?:i|we)(?: just)?(?: want| need| would like| would love|'d like|'d love) (?:one|two|help|more)
    (?:i|we)(?: just)?(?: want| need| would like) to (?:know|see|hear|ask|find|get|have|buy|go)
    (?:i|we)'d (?:like|love) to
    (?:i am|i'm|we are|we're) (?:just )?(?:looking|searching|trying|waiting|wondering|asking)
    (?:i am|i'm|we are|we're) going to | looking for
    i'll | i will | we'll | we will | let's | let me
    (?:i|we) (?:agree|disagree|accept|approve|choose|pick|vote)
    (?:i|we)(?: just| already| have|'ve)* (?:sent|fixed|ran|tried|checked|opened|deleted|installed)
    (?:i|we)(?: just| already| have|'ve)* (?:pushed|merged|committed|restarted|uploaded|copied)
    (?:ich|wir) (?:brauchen?|möchten?|will|wollen|suchen?) (?:mal|schnell|kurz|bitte|eben|dringend)
    (?:ich|wir) (?:brauchen?|möchten?|will|wollen|suchen?|hätten? gern\w*) (?:ein\w*|noch|mehr)
    (?:ich|wir) (?:brauchen?|möchten?|will|wollen|suchen?|hätten? gern\w*) (?:hilfe|wissen|jetzt)
    """
)
"""A wish for one thing, which is fulfilled once it is there, an answer, or what was done once."""
_ONCE: Final = regex(
    r"\b(?:i|we)\s+(?:(?:just|already|have|also)\s+|'ve\s+)*(?:"
    r"(?:\w+ed|put|took|made|wrote|sent|ran|did"
    r"|got|found|left|shut|cut|reset|broke|built|set|gave|threw)\s+(?:out\s+|up\s+|off\s+|down\s+)?"
    r"(?:the|this|that|it|them|both|these|those)\b"
    r"|(?:forgot|left|lost|misplaced|moved|parked|put|packed|dropped)\s+(?:my|our)\b)"
    r"|\b(?:ich\s+habe?|wir\s+haben)\s+(?:(?:auch|schon|jetzt)\s+)?"
    r"(?:d(?:ie|as|en|em)|diese[nms]?|es|ihn|sie|alles?)\b[^,;.]{0,60}\s"
    r"(?:\w*ge\w+(?:t|en)|\w*(?:be|er|ver|zer|ent)\w+(?:t|en)|\w{3,}iert)"
    r"(?=\s*(?:[,.;!)]|\Z)|\s+und\b)",
    re.IGNORECASE,
)
"""What was done to a thing once."""
_UNDER_WAY: Final = regex(
    r"(?<!\bhobby )(?<!\bjob )(?<!\bwork )(?<!\btask )(?<!\brole )(?<!\bpassion )(?<!\bpastime )"
    r"(?:\b(?:is|are|am)|'s|'re|'m)\s+(?:(?:still|now|just|busy|currently|both|all)\s+)*(?:"
    r"reading|watching|listening\s+to|cooking|baking|preparing|painting|fixing|repairing"
    r"|mending|cleaning|washing|packing|unpacking|migrating|debugging|reviewing|installing"
    r"|updating|upgrading|rewriting|refactoring|porting|replacing|renovating|redecorating|sitting"
    r"|standing|driving\s+(?:to|home|back)|walking|calling|printing|downloading|uploading|compiling|finishing"
    r"|starting|switching|trying|checking|shopping|visiting|investigating|setting\s+up|mowing"
    r"|digging|ironing|drawing|sorting|counting|comparing|merging|deploying|releasing|ordering"
    r"|buying|booking|leaving|coming|going|travelling|traveling|flying"
    r"|moving\s+(?:the|a|an|my|our|some)\b|eating(?!\s+(?:no|only|less|more|vegan|vegetarian|halal|kosher)\b)"
    r"|(?:writing|sending)\s+(?:(?:a|an|the|my|our)\s+)?(?:e?-?mails?|letter|message|reply|note|list"
    r"|report|invoice))\b"
    r"|\b(?:warten|warte|wartet)\s+auf\b|\bhat\s+(?:\w+\s+){0,2}Verspätung\b"
    r"|\b(?:i|we)(?:'ve got|\s+have(?:\s+got)?)\s+an?\s+(?:[\w']+\s+){0,2}(?:appointment|meeting"
    r"|call|exam|interview|flight|deadline|date)\b"
    r"|\b(?:ich\s+habe?|wir\s+haben)\s+(?:\w+\s+){0,3}?\w*(?:termin|besprechung|prüfung|verabredung)\b",
    re.IGNORECASE,
)
"""A work that ends."""
_HAPPENED: Final = regex(
    r"(?<![\w-])(?<!\bthe )(?<!\b(?:is|be) )(?<!\b(?:was|are|not) )(?<!\b(?:were|been) )"
    r"(?:(?:changed|arrived|stopped|started|ended|finished|left|closed|opened|lost|won|called|rang|shipped"
    r"|cancell?ed|dropped(?:\s+again)?|filled\s+up"
    r"|went\s+(?:off|down|out|up|wrong|well|fine|badly|through)|came\s+(?:in|back|up)|fell\s+\w+"
    rf"|knocked\s+\w+){_END}"
    r"|(?:failed|crashed|broke|jammed|expired|leaked|snapped|bounced|burst|froze|slipped|complained|exploded)\b"
    r"|(?:phone|laptop|battery|server|router|screen|disk|drive|car|engine|motor|lamp|bulb)\s+died\b"
    r"|called\s+(?:about|back|again)\b|(?:stopped|started)\s+(?:working|failing|leaking|crashing)\b"
    r"|sent\s+(?:the|a|an|his|her|their)\b|knocked\s+over\b|got\s+(?:cancel\w+|delayed|stolen|stuck|lost)\b"
    r"|(?:kam|kamen|fiel|fielen|schlug|stürzte|stürzten|ging|gingen|brach|lief|rief|riefen)\s"
    r"[^,;.]{0,40}?(?:\ban|\baus|\bfehl|\bab|\bkaputt|\bschief|\blos|\bzusammen))"
    r"(?=\s*(?:[,.;!)]|\Z)|\s)",
    re.IGNORECASE,
)
"""What happened once."""
_AGAIN: Final = any_of(
    r"""
    every | each | daily | weekly | monthly | always | usually | often | sometimes | regularly
    on \w+days | (?:once|twice|times) (?:a|per) | when | whenever | (?:19|20)\d\d | years?
    jed\w+ | immer | oft | manchmal | \w+tags | wenn | sobald
    """
)
"""What happens time and again, or is told of a year."""
_PLACE: Final = regex(
    r"\b(?:i'm|i\s+am|we're|we\s+are|ich\s+bin|wir\s+sind|ich\s+sitze|wir\s+sitzen)\s+"
    r"(?:(?:still|already|now|back|noch|schon|jetzt|wieder)\s+)*(?:"
    r"(?:at|on|in)\s+(?:(?:the|a|an|my|our)\s+)?(?:train|bus|plane|tram|ferry|car|airport|station"
    r"|hotel|home|work|school|gym|supermarket|hospital|office|meeting|call|hurry)"
    r"|(?:im|am|auf|in|beim|bei\s+der)\s+(?:(?:der|dem|einer|einem)\s+)?(?:zug|bus|flieger|flugzeug"
    r"|auto|flughafen|bahnhof|hotel|büro|supermarkt|krankenhaus|besprechung|meeting|arbeit|arzt)"
    r"|(?:zu\s+hause|daheim)"
    r")\b(?!\s+(?:on\s+\w+days|every|each|\w+tags|jeden?)\b)",
    re.IGNORECASE,
)
"""Where somebody is while typing."""
_OF_A_KIND: Final = (
    r"(?!(?:the|an?|this|that|these|those|it|them|my|your|his|her|our|their|one|two|three|some|another"
    r"|now|here|i|we|he|she|they|you|ich|wir|er|sie|d(?:er|ie|as|en|em|es)|ein\w*|dies\w*|mein\w*)\b)"
    r"[^\W\d][\w'/-]*"
)
_KINDS: Final = rf"{_OF_A_KIND}(?:,?\s+{_OF_A_KIND}){{0,8}}"
"""Words that name things of a kind, and none of them."""
_MANNER: Final = regex(
    r"\A(?:(?:and|please|so|ok|hi|hey|btw|also|then|und|bitte)[,\s]+)*"
    r"(?:(?:answer|reply|respond|explain)\s+(?:to\s+me\s+|me\s+)?(?:in|with|without|as)\s+"
    r"|(?:use|keep|write|format|spell|avoid)\s+(?!to\b|for\b|back\b|down\b)|give\s+me\s+"
    r"|antworte\w*\s+(?:mir\s+)?(?:auf|in|mit|ohne|als)\s+|(?:verwende|benutze|nutze|schreib\w?)\s+)"
    rf"{_KINDS}\s*[.!]?\Z"
    r"|\A(?:(?:and|please|so|ok|hi|hey|btw|also|und|bitte)[,\s]+)*"
    r"(?:call me (?!\w+day\b)(?-i:[A-Z])\w+|nenn\w* mich (?!\w+tag\b)(?-i:[A-Z])\w+"
    r"|(?:duze?|sieze?)(?:n sie)? mich)"
    r"(?: (?:please|bitte))?\s*[.!]?\Z",
    re.IGNORECASE,
)
_THINGS: Final = regex(
    rf"(?:\A|[,;]\s+)(?:(?:and|und)\s+)?({_KINDS}),?\s+(?:please|bitte)(?=\s*[,.;!]|\s*\Z)",
    re.IGNORECASE,
)
_SEVERAL: Final = regex(r"\b(?:no|nothing|nichts|keine|[^\W\d]{2,}(?:s|en))\b", re.IGNORECASE)
"""How things are to be: "answer in French", "use metric units", "weights in grams please"."""
_PREFERS: Final = any_of(
    """
    (?:i|we)(?:'d| would)? (?:rather|prefer|like|want|love) | ich (?:möchte|mag|bevorzuge|will)
    ich hätte gern\\w* | mir ist .{1,30} lieber
    """
)
_CHOICES: Final = any_of(
    """
    both (?:are|is|work)\\w* | neither | none of | all (?:two|three|of) | former | latter
    (?:first|second|third|last|other|short|long|shorter|longer|new|old) (?:option|variant|version
    |draft|suggestion|idea|approach|answer|proposal|example|try|attempt) | (?:option|variant) \\w
    that (?:is|was|one) | (?:the|this|that|my|our|other) \\w* ?ones?
    the (?:first|second|third|last|other)(?=\\s*[,.;!]|\\s*\\Z|\\s(?:better|best|more|always)\\b)
    the (?:first|second|third|last|other)(?=\\s(?:is|are)\\b)
    (?:likes?|prefers?|wants?|takes?) \\d+(?=\\s*[,.;!]|\\s*\\Z|\\s(?:better|always|every\\w+)\\b)
    (?:erste|zweite|dritte|letzte|andere)n? (?:option|variante|version|vorschlag|idee|entwurf)
    """.replace("\n    |", "|")
)
"""Words that choose among what was named before."""
_PLACED_WORDS: Final = (
    "first second third last other left right upper lower middle next new old same"
)
_PLACED: Final = frozenset(_PLACED_WORDS.split())
_IS_SOMEBODY: Final = regex(r"\s+(?:is|are)\s+(?:my|our)(?:\s+[a-z]+){1,4}\s+[A-Z]\w+")
"""What says who it is: "the coeliac one is my sister Marit"."""
_PRONOUNS: Final = any_of(
    r"""
    it | its | he | him | she | they | them | theirs | this | these | those | there | here | same
    es | er | ihn | ihm | ihnen | dies\w* | dort | hier | da | davon | damit | daran | dabei
    dafür | that(?=\s*[,.;!]|\s*\Z)
    """
)
"""Words that point to what was said before, which a sentence alone has to have itself."""
_LEADS: Final = any_of(
    r"""
    it | its | he | him | his | she | her | they | them | their | theirs | same | it's
    (?:there|that|this|these|those)'s
    (?:this|these|those|that)(?=\s+(?:is|are|was|were|has|have|does|do|can|will|works?)\b|\s*[,.;!])
    there(?!'s|\s+(?:is|are|was|were|has|have|will|can|must)\b) | here
    the others?(?!\s+hand\b) | d(?:ie|er|as|en|em) andere\w*
    er | sie | ihn | ihm | ihnen | ihre?[nmrs]? | sein | seine | dort | davon | damit | daran
    dabei | dafür
    (?:das|dies|es)(?=\s+(?:ist|sind|war|hat|wird|läuft|liegt|steht|heißt)\b)
    """
)
"""Those of them that stand for a thing rather than beside its name."""
_CONTRACTED: Final = regex(r"['’](?:s|re|ll|d|ve)\b")
_SELF: Final = frozenset({"we", "wir", ME, "user"})
_JOINTS: Final = frozenset(
    [",", ";", "–", ":", "and", "but", "und", "aber", "so", "because", "weil", "denn"]
)


_ONE_ACT: Final = regex(
    r"\A(?:(?:and|please|so|ok|hi|hey|btw|also|then|now|und|bitte)[,\s]+)*"
    r"(?:(?:call|ring|phone) me(?: back| up| again| at .*| \w+day.*)?"
    r"|(?:rename|move|copy) (?:the|this|that|my|our) .{1,60}"
    r"|(?:restart|reboot|close|open|merge|fix|print|cancel|revert|install|remove|update|start|stop"
    r"|deploy|publish|release|rebuild|push|commit) (?:the|this|that|my|our) \w[\w-]*(?: \w[\w-]*)?"
    r"|rufe? mich .*|(?:starte?|schließe?|öffne|lösche?|benenne?|verschiebe?|kopiere?|druck\w?)"
    r" (?:den|die|das|meine?n?|unsere?n?) .{1,60})\s*[.!]*\Z",
    re.IGNORECASE,
)
"""An order that is done once it is carried out: "restart the server", "call me back"."""


def is_passing(sentence: str) -> bool:
    """Whether a sentence tells of a moment, of a state that ends, of what was done to a thing
    once, or asks for one thing or act.
    """
    if any(each.search(sentence) for each in (_ASKS_FOR_ONE, _ONCE, _PLACE)):
        return True
    if _ONE_ACT.match(sentence) and not (STANDING.search(sentence) or CONDITIONAL.search(sentence)):
        return True
    if _happens(sentence.replace("’", "'")):
        return True
    if _MOMENT.search(_CONTRACTED.sub("", sentence)) or _MOMENT.search(sentence):
        return True
    states = _STATES.finditer(sentence.replace("’", "'"))
    if passes(sentence):
        return True
    return any(not tells_what_lasts(state["done"] or state["getan"] or "") for state in states)


def _happens(sentence: str) -> bool:
    """Whether it tells of an act or a work, and not of one that comes again."""
    is_act = _UNDER_WAY.search(sentence) or _HAPPENED.search(sentence)
    return is_act is not None and _AGAIN.search(sentence) is None


def is_of_a_season(sentence: str) -> bool:
    """Whether a sentence tells of a month, a year or a part of it."""
    return _SEASON.search(sentence) is not None


def is_standing_wish(sentence: str) -> bool:
    """Whether a sentence wishes what holds every time, or says how things are to be."""
    if STANDING.search(sentence) or _MANNER.search(sentence):
        return True
    things = _THINGS.search(sentence)
    return things is not None and _SEVERAL.search(things[1]) is not None


def is_wish(sentence: str) -> bool:
    """Whether a sentence tells a wish that stands, or what the user prefers."""
    return is_standing_wish(sentence) or _PREFERS.search(sentence) is not None


def points_back(sentence: str) -> bool:
    """Whether a word points to something that the sentence does not name before it."""
    return leans_on_another(sentence) or _is_unnamed(_PRONOUNS, sentence)


def chooses(sentence: str) -> bool:
    """Whether it chooses among what it does not name: "the first option", "the red one"."""
    return _is_unnamed(_CHOICES, sentence)


def leans_on_another(sentence: str) -> bool:
    """Whether it tells of a thing that only another sentence names: "It is the staging one"."""
    return chooses(sentence) or any(
        not content(sentence[: match.start()]) for match in _LEADS.finditer(sentence)
    )


def _is_unnamed(words: re.Pattern[str], sentence: str) -> bool:
    text = _CONTRACTED.sub(" is", sentence)
    for match in words.finditer(text):
        before = [word.text for word in typed_words(text[: match.start()])]
        if match.group().casefold().endswith(("one", "ones")):
            named = [word for word in before if content(word) and not is_light(word)]
            least = 2 if _SELF & set(before[:2]) else 1
            is_placed = _PLACED & set(match.group().casefold().split())
            if not is_placed and _IS_SOMEBODY.match(text, match.end()):
                continue
        else:
            joint = max((at for at, word in enumerate(before) if word in _JOINTS), default=0)
            named = [word for word in before[:joint] if content(word)]
            least = 2
        if len(named) < least:
            return True
    return False
