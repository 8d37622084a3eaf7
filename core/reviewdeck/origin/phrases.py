"""Words of English and German that say how a typed sentence is meant.

Each list errs on one side: a sentence that is meant as it stands may carry one of these words, and
then its memory waits for a person.
"""

from __future__ import annotations

import re
from typing import Final

from reviewdeck.text.lazy import regex


def any_of(phrases: str) -> re.Pattern[str]:
    """A pattern of phrases, parted by line ends or by ` | `; a space is any white space."""
    parts = (part.strip() for part in re.split(r" \| |\n", phrases.strip()))
    words = "|".join(part.replace(" ", r"\s+") for part in parts if part)
    return regex(rf"(?<![\w'-])(?:{words})(?![\w'])", re.IGNORECASE)


def words_of(words: str) -> frozenset[str]:
    """The words of a list, parted by blanks."""
    return frozenset(words.split())


_GIVES: Final = (
    r"here(?:'s| is| are| comes)|i(?:'ll| will|'m going to) (?:\w+ )?(?:give|send|show|paste|type"
    r"|tell|read)|hier (?:ist|sind|kommt|folgt)|ich (?:gebe|schicke|zeige|schreibe|sage) dir"
)
_WORKS: Final = (
    r"translate|summari[sz]e|proofread|correct|rephrase|übersetz\w*|korrigier\w*|tradu(?:is|ce|ci|z)"
    r"|corrige"
)
_GIVEN: Final = (
    r"this|the following|it|das|dies|ceci|esto|questo|what (?:\w+ ){1,3}?(?:wrote|said|sent|typed)"
)
_TEXTS: Final = (
    r"texts?|statements?|messages?|sentences?|paragraphs?|copy|content|lines?|e?-?mails?|letters?|data"
    r"|quotes?|claims?|drafts?|comments?|sheets?|\w*(?:text|aussage|satz|sätze|nachricht|entwurf|behauptung)"
)

TEXT: Final = any_of(
    rf"""
    it | this | that | these | das | es | ihn | sie | {_TEXTS} | bio | grammar | wording | english
    """
)
"""What an order to work on a text names, where that text stands before it."""

QUESTION: Final = any_of(
    r"""
    whether | (?<!\byou\s)(?<!\byou're\s)wonder\w* | not sure | unsure | no idea | curious | guess
    or not | let me know if | isn't (?:it|that) | aren't they | doesn't it | don't you
    right(?=\W*\Z) | ob | stimmt das
    keine ahnung | oder nicht | nicht wahr | gell | ich frage mich
    """
)
"""Words with which a sentence asks, whatever it ends with."""

ASKS_FIRST: Final = regex(
    r"\s*(?:(?:so|and|but|then|und|aber|also|na|oh|hey|hi|ok|okay)[, ]+)*"
    r"(?:(?:who|whom|whose|what|what's|which|where|where's|why|how|how's|when's"
    r"|wer|wem|wen|was|wann|wo|warum|wieso|weshalb|wie|welche[rsnm]?|woher|wohin)\b"
    r"|(?!(?:don't|do not)\s+(?:use|write|add)\b)"
    r"(?:is|are|am|was|were|do|does|did|can|could|will|would|shall|should|may|might|must|has"
    r"|have|had|isn't|aren't|wasn't|don't|doesn't|didn't|can't|couldn't|won't|wouldn't|hasn't"
    r"|haven't|shouldn't)\s+(?:i|you|we|they|he|she|it|this|that|these|those|there|the|a|an|my"
    r"|your|our|his|her|their|its|any|anyone|anybody|someone|somebody|all|[A-Z]\w+)\b"
    r"|(?:ist|sind|bin|war|waren|hat|haben|habe|hatte|kann|können|könnte|könnten|darf|dürfen|soll"
    r"|sollen|muss|müssen|wird|werden|würde|gibt|kennst|weißt|weisst|hast|bist|kannst|willst"
    r"|macht|geht)\s+(?:ich|du|er|sie|es|wir|ihr|man|der|die|das|den|dem|ein|eine|einen|mein\w*"
    r"|dein\w*|unser\w*|sein\w*|ihr\w*|jemand|[A-ZÄÖÜ]\w+)\b)",
    re.IGNORECASE,
)
"""The beginning of a question that may go without its mark."""

ASKS_LAST: Final = regex(r"(?:[?？؟]|吗|嗎|呢|か|かな)[\s\"'”’)\]]*[。.!]*\s*\Z")

FRAME: Final = any_of(
    r"""
    examples? | for instance | e\.g\.? | suppos\w+ | imagin\w+ | pretend\w* | hypothe\w+ | assum\w+
    let's say | lets say | say that i | what if | kidding | joking | jokes? | jk | sarcas\w+
    ironi\w+ | irony | yeah,? right | yeah sure | sure thing | as if | lol | lmao | rofl | haha\w*
    hehe | not! | novel | fiction\w* | stor(?:y|ies) | character | role-?play\w* | dream\w*
    scenario
    lyrics? | poems? | screenplay | quot\w+ | translat(?!ors?\b)\w+ | typos? | sentence | phrase
    wording | proofread\w* | rephrase | rewrite | reword\w* | paraphras\w+ | grammar
    (?<!british\s)(?<!american\s)(?<!uk\s)(?<!us\s)spelling | a lie
    wrong\w* | false\w* | untrue | incorrect | mistaken | lied? | lies | lying | myths? | rumou?rs?
    fake | opposite | forwarded | verbatim | placeholder | dummy | prompt | pasted? | excerpt
    maths? problem | textaufgabe | make (?:it|this|that|them) \w+er\b | make it (?:more|less|sound)
    april fool\w* | bullshit | nonsense | fib | fibbed | fibbing | made (?:that|it|this) up
    beispiel\w* | z\.\s?b\.? | angenommen | stell dir vor | nehmen wir an | scherz\w* | witz\w*
    spaß | spass | gelogen | lüge\w* | falsch\w* | stimmt nicht | unwahr
    roman | geschichte | figur | gedicht | liedtext | übersetz\w* | korrigier\w* | formulier\w*
    zitat\w* | zitier\w* | satz | gerücht\w* | quatsch | unsinn | frei erfunden | erfunden
    exemple | blague | ejemplo | broma | esempio | scherzo | grapje | exemplo | brincadeira
    """
)
"""Words of an example, a made-up case, a joke or somebody else's text: they colour a message."""

_PLAYED: Final = "gespräch|interview|dialog|szene|telefonat|prüfung|sketch|rolle|debatte"

SCENE: Final = regex(
    # Of blanks with a line end, however many, the first place alone is tried.
    r"(?:^|[.!?,;:]\s*+|(?<!\s)[^\S\n]*+\n\s*+|\b(?:let's|lets|let us"
    r"|please|can you|could you|now|and|so|bitte|lass uns|lasst uns)\s+)"
    r"(?:imagine|pretend|suppose|make believe|act (?:as|like)|role-?play|rehearse|practi[sc]e"
    r"|(?:jou|imagin|suppos)ons|supongamos|imaginemos|juguemos|immaginiamo|facciamo finta"
    r"|simulate|be my|stell dir vor|angenommen|nehmen wir an|tu so|simulier\w*"
    r"|assume (?:that |for a moment )?(?:i|i'm|my|we|we're|our|you|you're|he|she|these|this|the)"
    r"|play (?:the|a) (?:role|part)|spiel(?:e|en|st)? (?:mal |wir |den |die |einen? |du )+)\b"
    r"|\b(?:role-?play\w*|rollenspiel\w*|mock|in character|two truths|our (?:campaign|adventure)"
    r"|let'?s play|we play a"
    r"|(?:practi[sc]e|pretend|test|trial|fictional|made-?up) (?:interview|dialog(?:ue)?|talk|exam"
    r"|conversation|chat|call|scenario|person|persona|user|customer)"
    r"|(?:i'm|i am|i'll be|i play) (?:now )?(?:the|an?|your) [^.!?\n]{1,40}[,;.] ?(?:and )?"
    r"you(?:'re| are|'ll)"
    r"|you(?:'re| are|'ll be| be| play) (?:now )?(?:the|an?|my) [^.!?\n]{1,40}[,;.]? ?(?:and )?"
    r"(?:i'm|i am|i'll be|i play) (?:the|an?|your)"
    r"|du (?:bist|spielst) [^.!?\n]{1,40}(?:[,;.] ?|\s)(?:und )?ich (?:bin|spiele|d(?:er|ie|ein))"
    r"|ich (?:bin|spiele) [^.!?\n]{1,40}(?:[,;.] ?|\s)(?:und )?du (?:bist|spielst|d(?:er|ie)|mein)"
    r"|(?:interview|quiz|examine) me|i(?:'ll| will|'m going to) (?:answer|reply|speak|write) as"
    r"|(?:write|draft|speak|talk|answer|reply)\b[^.!?\n]{0,40} as if (?:i|we|you) \w+"
    r"|(?:frag|hör)\w* mich [^.!?\n]{0,30}?\bab|prüf\w* mich|stell\w* mir fragen"
    r"|beantworte (?:\w+ )?deine fragen"
    r"|you(?:'re| are) (?:now (?:the|an?|my)|(?:the|an?|my) \w+(?: \w+)? now)"
    rf"|\w*(?:{_PLAYED})s? (?:üben|nachspielen|proben|spielen|simulieren)"
    rf"|(?:wir|ich) (?:üben?|proben?|spielen?|simulieren?) (?:\w+ ){{0,2}}?\w*(?:{_PLAYED})"
    r"|(?:the|my) (?:next|following) (?:thing|message|sentence|text|paragraph|statement|line"
    r"|word)s?|(?:de[rnm]|das|die) (?:nächste|folgende)[nr]? \w*(?:satz|sätze|text|nachricht"
    r"|aussage|zeile)n?"
    r"|(?:everything|anything|whatever|all) (?:that )?i (?:say|write|type) (?:next|now|from)"
    r"|what (?:follows|comes next)|die nächsten? (?:nachricht|sätze|zeile)n?|das folgende"
    r"|alles,? was ich (?:jetzt|gleich|nun))\b",
    re.IGNORECASE,
)
"""What sets a scene, or says how what comes is meant: it holds for the messages behind it."""

ANNOUNCES: Final = any_of(
    rf"""
    (?:{_GIVES}) [^.!?\n]{{0,40}}?\b(?:{_TEXTS})
    (?:this|here|that) is what (?:\w+ ){{1,4}}?(?:wrote|said|sent|typed|told)
    (?:texted|sent|wrote|told|mailed) (?:me|us|him|her|them) this
    das hat (?:mir|uns) (?:\w+ ){{1,4}}?(?:geschickt|geschrieben|gesagt|gemailt)
    i(?:'m| am) (?:writing|rehearsing|practi[sc]ing) (?:an?|my|the) \w+
    (?:{_WORKS}) (?:{_GIVEN})\b[^.!?\n]{{0,30}}[.!\s]*\Z
    """
)
"""What a text is given with: it is what the next message holds."""

WORKS_ON_TEXT: Final = regex(
    r"\s*(?:(?:please|can you|could you|would you|now|and|then|bitte|kannst du)[, ]+)*"
    r"(?:(?P<makes>explain|reply|answer|write|draft|say|tell (?:him|her|them)"
    r"|ask (?:him|her|them)|send|post|compare|schreib\w*|sag|sage|antworte|schick\w*|frag\w*)"
    r"|fix|correct|shorten|polish|improve|edit|summari[sz]e|read|tidy|complete|continue|repeat"
    r"|check|review|format|convert|spell|pronounce|verbesser\w*|kürz\w*|lies|fass\w*)\b"
    r"(?! in\b| with\b| auf\b| of\b| is\b| are\b)"
    r"(?!\s+(?:the|my|our|all|this|these)\s+(?:\w+\s+){0,2}?(?:tests?|builds?|bugs?|plots?|charts?|scripts?"
    r"|functions?|ci|pipelines?|servers?|databases?|imports?|quer(?:y|ies)|linter|migrations?|schema"
    r"|api|branch|repo(?:sitory)?|components?|class(?:es)?|methods?|modules?|dockerfile|endpoints?)"
    r"(?:\s+(?:now|again|first|please|pls))?\s*(?:[.!?]|\Z))",
    re.IGNORECASE,
)
"""The beginning of an order to work on a text: the rest of the message may be that text; only what
follows may be it where a text is to be made. A part of a program that is named to the end of its
sentence is none.
"""

NO_KEEP: Final = regex(
    r"(?:(?<!\bi )(?<!\bwe )(?<!\bthey )(?<!\bpeople )\b"
    r"(?:don't|dont|do not|never|not|no need to|needn't|without|shouldn't|should not|mustn't"
    r"|must not|rather not|nothing to)"
    r"\s+(?:\w+\s+){0,2}?(?:remember\w*|sav(?:e|ed|ing)|stor(?:e|ed|ing)|keep|kept|keeping"
    r"|memori[sz]\w+|record\w*|not(?:e|ed|ing)|log(?:ged|ging)?|writ(?:e|ing|ten) (?:\w+ )?down"
    r"|learn\w*|retain\w*|(?:hang|hold)\w* on ?to"
    r"|(?:repeat|tell|share|mention|add|put)\s+(?:it|this|that|these|them|any"
    r"|anyone|anybody|anything|a soul|my))\b"
    r"|(?:^|[.,;:!?–—]\s*|\b(?:please|just|can you|could you|and|then|you can|you may|so|ok|okay"
    r"|actually|better)\s+)(?:forget|unlearn|ignore|disregard|delete|erase|drop|skip)\b"
    r"|(?<!\bi )(?<!\bwe )(?<!\bthey )(?<!\bpeople )\b(?:remember|save|store|note|record|keep"
    r"|retain|memori[sz]e|log)\s+(?:nothing|none)\b"
    r"|\b(?:remove|clear|take|strip|cut)\b[^.!?]{0,30}\b(?:from|out of) (?:your |the )?"
    r"(?:\w+ )?(?:notes?|memor(?:y|ies)|records?|profile)\b"
    r"|\b(?:wipe|purge|scrub|unsave) (?:that|this|it|everything|all|my)\b"
    r"|\b(?:remove|clear) (?:that|this|it)(?: again)?(?:,? (?:please|pls|plz))?[\s.!]*\Z"
    r"|\b(?:streich|entfern|nimm)e? (?:das|dies|es)\b"
    r"|\b(?:off the record|to yourself|between (?:us|you and me)|private(?:ly)?|confidential\w*"
    r"|secret(?:ly)?|not for (?:your|the) memory|for your (?:eyes|ears) only|in confidence"
    r"|unter uns|vertraulich\w*|geheim\w*|privat|im vertrauen|vergiss|vergesst|vergessen sie"
    r"|lösch\w*|ignorier\w*)\b"
    r"|\b(?:nicht|nichts|nie|niemals|kein\w*)\s+(?:\w+\s+){0,3}?(?:merk\w*|speicher\w*|behalt\w*"
    r"|notier\w*|aufschreib\w*|sicher\w*|festhalt\w*)\b"
    r"|\b(?:merk|merke|speicher|speichere|notier|notiere|behalt|behalte)\b[^.!?]{0,30}\b"
    r"(?:nicht|nichts|nie)\b"
    r"|\b(?:lass|lasst|lassen sie)\b[^.!?]{0,30}\b(?:weg|aus|raus)\b"
    r"|\bleave (?:that|this|it) (?:out|off)\b"
    r"|\b(?:out of|off) (?:your|the|any)(?: \w+)? (?:notes?|memor(?:y|ies)|records?|profile)\b"
    r"|\b(?:nothing|none|no|not|never|nowhere|\w+n't)\b[^.!?]{0,40}"
    r"\b(?:in|into|to|for) (?:your|the|any)(?: \w+)? (?:notes?|memor(?:y|ies)|records?|profile)\b"
    r"|\bstays? (?:in this (?:chat|conversation|room)|between|with you)\b"
    r"|\b(?:only|just|strictly)\b[^.!?]{0,20}\bfor this (?:chat|conversation|session|thread)\b"
    r"|\bfor this (?:chat|conversation|session|thread) only\b|\bnur für diese[ns]? "
    r"(?:chat|gespräch|sitzung|unterhaltung)\b"
    r"|\baus (?:dein\w*|de[nmr]) (?:notizen|gedächtnis|speicher|memory)\b"
    r"|\b(?:nichts|nicht|nie|kein\w*)\b[^.!?]{0,40}\b(?:ins?|in (?:dein\w*|das|die|den))"
    r" (?:notizen|gedächtnis|speicher|memory)\b"
    r"|\b(?:oublie\w*|n'enregistre|ne (?:garde|note|retiens|sauvegarde)|olvida\w*|no (?:guardes"
    r"|recuerdes|lo guardes)|dimentica\w*|non (?:salvare|ricordare)|vergeet|onthoud\b.{0,20}\bniet"
    r"|esque[cç]\w+|não (?:guarde|salve)|zapomnij|забудь\w*|не (?:запоминай|сохраняй))"
    r"|忘れて|忘记|忘掉|忘了|别记|不要记|不要保存|覚えないで|保存しないで)",
    re.IGNORECASE,
)
"""An order not to keep something: it holds for the whole conversation."""

WITHDRAWS: Final = any_of(
    r"""
    jk | j/k | j\.k | april fool\w* | made (?:that|this|it) up
    (?:scratch|strike) (?:that|this|it|the|my|what) | take (?:that|it|this) back | cancel that
    ignore (?:that|this|it|what|my|the) | disregard | never ?mind | nvm | kidding | joking | joke
    lied? | lying | not true | untrue | not right | not correct | incorrect | correction
    i meant? | i'm mistaken | mistake\w* | misspoke | mixed (?:it|that|this|them)? ?up | mix-?up
    wrong | false | on second thoughts? | on reflection | come to think of it | changed my mind
    change my mind | make (?:that|it) | no,? wait | oops | whoops | my bad | any ?more | no longer
    or rather | rather | instead | not quite | not really | outdated | obsolete | old news | update
    edit | revers\w+ | undo | revok\w+ | retract\w* | withdraw\w* | takes? that back | typo
    autocorrect\w* | vertippt
    what i said | i said | i wrote | i told you | as i said | strike | hold on | nope
    ach nein | doch nicht | ich mein(?:e|te) | meinte | korrektur | korrigier\w* | gelogen
    scherz | stimmt (?:(?:gar|ja|so|doch) )?nicht | falsch | entschuldigung
    stattdessen | nicht mehr | besser gesagt | vielmehr | quatsch | moment
    vertan | verwechselt | versehen | nee | nö | irrtum | geirrt
    désolé | perdón | scusa | en fait | quiero decir | je voulais dire | in realtà | plutôt
    """
)
"""Words that take something back or put another in its place, whatever it was."""

_SOUNDS: Final = (
    "oh|ah|ach|eh|erm?|hm+|uh|um|ugh|oops|whoops|(?:ha)+|lol|hehe|ok|okay|well|but|aber"
)
WITHDRAWS_FIRST: Final = regex(
    rf"\s*(?:(?:{_SOUNDS})[,.! ]+)*(?:\*+\w|s/\w"
    r"|(?:(?:that|it|this)(?:'?s| is| was) |(?:(?:das|es) )?(?:ist|war) "
    r"|(?:what|just|total|nur|ein|so ein) )*"
    r"(?:nonsense|rubbish|bs|bullshit|bollocks|sike|psych|gotcha|(?:blöd|un)sinn|schmarrn"
    r"|spa(?:ß|ss)|witz|reingelegt|verarscht|ach was|von wegen)(?![\w'])"
    r"|(?:sorry|sry|argh|ups|hoppla|excuse me|verzeih\w*|actually|wait|but"
    r"|(?:let me|lemme) (?:check|see|look)|you(?:'re| are) right|i (?:double-?)?checked"
    r"|(?:du )?hast recht|(?:ich )?hab\w? nachges\w+"
    r"|nope|(?:nah|no)(?!,? (?:more|less|problem|worries|need|idea|rush|thanks|thank you"
    r"|i'?m (?:good|fine)|all good|that'?s (?:all|it|fine))\b)"
    r"|not(?! yet\b)"
    r"|except|only|well|nein|nicht|doch|sondern|aber|ne|non|nie|nu|não|нет"
    r"|apologies|pardon|en realidad|mejor dicho|mentira|aspetta|anzi)(?![\w']))",
    re.IGNORECASE,
)
"""The beginning of a sentence that answers, and changes, what was said just before."""

WITHDRAWS_LAST: Final = regex(
    r"(?:\b(?:sorry|sry|apologies|pardon|excuse me|actually|of course|obviously|verzeihung"
    r"|eigentlich|natürlich)|\w\*+)[\s.!)]*\Z",
    re.IGNORECASE,
)
"""The end of a few words that put another in the place of what was said just before."""
ANSWERS_BACK: Final = regex(
    rf"\s*(?:(?:{_SOUNDS}|ja|yes)[,.! ]+)*"
    r"(?:\w+ (?:that|this|it|das)(?=\s*[,.;:—–!-])"
    r"|(?:that|this|it|those|these|he|she|they|das|es|er|sie)"
    r"(?:'s (?:no|not|only|old|out|over)\b|\w+n't\b"
    r"| (?:is|are|ist|sind) (?:no|not|only|old|out|over|nicht|nur|kein\w*|vorbei)\b"
    r"| (?!(?:is|are|sounds|looks|works|helps|seems|makes|fits|ist|sind|klingt|passt"
    r"|(?:hate|love|like|prefer|speak|eat|play|want|enjoy)s?)\b)\w)"
    r"|(?:i|we) \w+(?:ed|id|ld|ft|st) (?:it|him|her|them)\b"
    r"|(?:[^,;:.!?]{1,40}[,;:–-]\s*)?(?:it's|its|it is|that's|that is|es ist|das ist)"
    r"(?! (?:all|enough|right|true|great|good|fine|nice|ok|okay|cool|perfect|working|done|clear"
    r"|alles|genug|richtig|gut|super|klar|prima|fertig)\b)(?: [\w.:/'-]+){1,4}\s*[.!]*\Z)",
    re.IGNORECASE,
)
"""A beginning that says something else of what was said just before, and names it by a pronoun."""

ASKS_BACK: Final = regex(
    r"\s*(?:(?:and|but|or|wait|hm+|so|oder)[,. ]+)*"
    r"(?:(?:is|isn't|was|wasn't|aren't|are)\s+(?:that|this|it|they|i)\b\s*"
    r"(?:still\s+|actually\s+|really\s+)?(?:right|correct|true|so|the case|accurate|wrong|not)?"
    r"|am i (?:right|wrong|correct|mistaken)|right|correct|true|or not|no|yes|oder"
    r"|stimmt\w*(?: das| es)?"
    r"|(?<=or )(?:do|does|did|is|are|am|was)\s+(?:i|we|it|they|my|our)\b[^?]*"
    r"|(?:do|don't|does|doesn't|did|didn't)\s+(?:i|we|you|he|she|it|they)"
    r"(?:\s+(?:agree|think so|think|believe (?:that|it)))?"
    r"|(?:can|could) you (?:please )?(?:confirm|verify|(?:double-)?check)"
    r"(?: (?:that|this|it|if|whether)\b[^?]{0,40})?)\s*\?",
    re.IGNORECASE,
)
"""A question whether what was said just before is so."""

CHANGES: Final = any_of(
    r"""
    moved | switched | changed | replaced | migrated | quit | left | sold | stopped | gave up
    given up | ended | renamed | closed | cancelled | canceled | used to | since then | these days
    nowadays | meanwhile
    any longer | former\w* | ex | previously | gone | lost | over | dead | died | retired | divorced
    umgezogen | gewechselt | gekündigt | inzwischen | mittlerweile | seit gestern
    nunmehr | früher | ehemals | vorbei | verkauft | aufgehört | ersetzt | abgeschafft
    """
)
"""Words of a change: beside something said earlier about the same, they make it old."""

NEGATIVE: Final = any_of(
    r"""
    not | \w+n't | (?:do|does|did|wo|ca|is|are|was|were|ha[sdv]e?|would|could|should|ai|need)nt
    cannot | no | never | none
    nothing | nobody | no one | nowhere | neither | nor | without | hardly | barely | scarcely
    rarely | seldom | no longer | anything but | far from | refus\w+ | stop | stops | stopped
    stopping | quit\w* | gave up | give up | giv(?:es|en|ing) up | avoid\w* | hat(?:e|es|ed|ing)
    dislik\w+ | lack\w* | fail(?:s|ed|ing)? | unable | unwilling | unlikely | impossible | except
    excluding | apart from | aside from | other than | instead | rather than | against | forb\w+
    ban | bans | banned | prohibit\w* | disallow\w* | disabl\w+ | deny | den(?:y|ies|ied|ying)
    doubt\w* | miss(?:es|ing)? | absent | free of | free from | few | little | skip\w* | omit\w*
    drop(?:s|ped|ping)? | exclud\w+ | reject\w* | oppos\w+ | discourag\w+ | prevent\w* | unless
    leave out | left out | leaves out | get rid | got rid | away from | out of | allergic
    un\w+able
    cancel\w* | declin\w+ | cease\w* | ended | lost | sold | broke\w* | nope | nah | minus | gone
    nicht | nichts | nie | niemals | niemand\w* | nirgends | kein\w* | ohne | weder | noch nie
    kaum | selten | außer | ausser | statt | anstatt | ungern | hass(?:e|t|en|te) | vermeid\w+
    weiger\w* | fehl(?:t|en|te|ten) | aufgehört | verzicht\w* | verbot\w* | verbiet\w* | gegen
    last (?:person|man|woman|one|thing) (?:to|i|who|that) | ausgetreten | ausgestiegen | abgemeldet
    abbestellt | gekündigt | abgeschafft | aufgegeben | verkauft | verloren | beendet
    unmöglich | lehn\w* | abgesehen von | bis auf | wenig\w* | mangel\w* | zweif\w+ | bezweif\w+
    """
)
"""Words that deny, refuse or take away."""

CONDITIONAL: Final = any_of(
    r"""
    if | in case of | in the event | im falle? | unless | when | whenever | once | provided
    providing | as long as | so long as
    as soon as | should (?:you|he|she|they|we|i|it|the) | were (?:i|he|she|we|they|it)
    had (?:i|he|she|we|they|it)
     until | till | while | whereas | depending | otherwise | except
    suppose\w* | assuming | given that | on condition | lest | after | before | during
    falls | wenn | sofern | sobald | solange | bis | sonst | außer | es sei denn | vorausgesetzt
    angenommen | während | nachdem | bevor | nur | sollte(?:st|n|t)? | erst wenn
    """
)
"""Words that bind a statement to something."""

DOUBTED: Final = any_of(
    r"""
    (?-i:may) | might | could | maybe | perhaps | possibly | probably | likely | apparently
    ideally | allegedly | reportedly | supposedly | officially | plan(?:s|ned|ning)? to
    hop(?:e|es|ing) | consider\w* | thinking (?:of|about) | seems? | about to | sort of | kind of
    könnte\w* | würde\w* | wäre\w* | vielleicht | wahrscheinlich | möglicherweise | angeblich
    vermutlich | eventuell | eigentlich | hoffentlich | anscheinend | scheint | überleg\w* | bald
    if (?:i|we|he|she|it|they) were | if \w+ ever | were i | had i | if only | as far as
    memory serves | convinced | with (?:a bit of |some )?luck | the plan (?:is|was) | i remember
    i recall | in theory | on paper | i (?:guess|suppose|assume|bet) | nehme? an | soweit ich
    meines wissens | zufolge | mit (?:etwas )?glück | überzeugt
    """
)
"""Words of what may be, or is not known to be so."""

ATTRIBUTED: Final = any_of(
    r"""
    (?<!\bi\s)say | sa(?:ys|id|ying) | tells? | told | think\w* | thought | believ\w+ | claim\w*
    insist\w* | suggest\w* | according to | wrote | writes that | (?<!\bi\s)ask\w* | argu\w+
    report\w* | heard | hear
    mention\w* | know | knows | knew | feel | feels | felt | swear\w* | pretend\w* | admit\w*
    announc\w+ | promis\w+ | complain\w* | rumou?r\w* | somebody | someone
    per the \w+ | state[sd]? that
    in (?:his|her|their) view | word is | legend has it | es heißt | man munkelt
    sag\w* | mein(?:t|te|ten) | (?:wir|sie) meinen
    glaub\w* | denk\w* | dachte\w* | behaupt\w* | laut | schrieb\w*
    gehört | erzähl\w* | findet | fand | jemand | vermut\w* | gesagt | gemeint | sei | seien
    """
)
"""Words that give a statement to somebody."""

STANDING: Final = any_of(
    r"""
    always | never | from now on | from here on | by default | in future | in the future
    in general | as a rule | every time | each time | going forward
    in (?:everything|anything|all) (?:that )?you (?:write|do|send|say)
    unless i (?:say|ask|tell you)(?: so| otherwise| for it)?
    whenever(?! (?:you|it|that) (?:can|could|want|like|have|are|is|feel|get|works|suits)\b)
    immer | nie | niemals | ab jetzt | ab sofort | von jetzt an | künftig | in zukunft
    grundsätzlich | generell | jedes mal
    """
)
"""Words of what holds every time: an order with one is a wish that stands."""

IRONIC: Final = regex(
    r"\A\s*(?:oh|wow|yay|yeah|sure|of course|obviously|clearly|hooray|na|ach|klar|natürlich)\b"
    r"|\b(?:just|so|absolutely|totally|really|simply|truly|einfach)\s+(?:love|loves|adore|enjoy"
    r"|liebe)\b"
    r"|\A\s*(?:great|fantastic|wonderful|brilliant|lovely|super|perfect|awesome|toll|herrlich"
    r"|wunderbar|klasse|prima)\b.*\b(?:love|enjoy|adore|exactly what|genau was)\b"
    r"|\b(?:what a|because that|as always|as usual|thanks a lot|how nice|wie schön|wie immer)\b",
    re.IGNORECASE,
)
"""Forms in which the opposite is often said."""
