"""What little is read of a sentence that is in neither English nor German.

It is said where it was typed letter for letter. What is typed behind it in such a language may
change it, and nobody can tell: it waits, but for thanks, greetings and orders for an answer.
"""

from __future__ import annotations

import re
from typing import Final

from reviewdeck.origin.phrases import any_of
from reviewdeck.origin.wording import CONTRACTED
from reviewdeck.text.languages import language_of
from reviewdeck.text.lazy import regex

_MOMENT: Final = any_of(
    r"""
    aujourd'hui | ce (?:matin|soir) | cette (?:semaine|nuit) | maintenant | demain | hier
    je suis (?:malade|fatigué\w*|pressée?|perdue?|prête?|occupée?|en (?:retard|route|réunion))
    je suis (?:à la|à l'\w+|au|dans) | je (?:cherche|veux|voudrais) une?
    j'ai (?:faim|soif|mal|froid|chaud|sommeil|besoin|rendez-vous|un problème|une question)
    hoy | ahora | (?<!la\s)mañana | ayer | anoche | esta (?:tarde|noche|semana) | estoy | estamos
    tengo (?:hambre|sed|frío|calor|sueño|fiebre|prisa|dolor|un problema|una pregunta|una cita)
    (?:necesito|quiero|quisiera|busco|preciso de|quero|procuro) (?:una?|uma?)
    (?:vorrei|voglio|cerco) (?:una?|uno) | hoje | agora | amanhã | ontem | estou
    oggi | adesso | domani | ieri | stasera | stamattina | questa settimana | sto | stiamo
    ho (?:fame|sete|freddo|caldo|sonno|mal|bisogno|fretta|un problema|una domanda)
    sono (?:in|a|al|alla|sul|stanc\w|malat\w|occupat\w)
    vandaag | nu | gisteren | vanavond | straks | nodig | ik (?:zit|sta|zoek)
    ik ben (?:moe|ziek|onderweg|op) | i ?dag | i ?morgon | i ?kväll | i kveld | i ?går
    j[ae]g (?:sitter|sidder|står|behöver) | j[ae]g (?:är|er) (?:tr\w+t|s[jy]u?[gk]|hungrig|sulten)
    dziś | dzisiaj | jutro | wczoraj | teraz | potrzebuję | szukam | bugün | şimdi | yarın | dün
    сегодня | сейчас | завтра | вчера | мне (?:нуж|над)\w* | ищу
    اليوم | الآن | غدا | أمس | היום | עכשיו | מחר | आज | अभी
    """
)
_MOMENT_UNSPACED: Final = regex(
    r"今[日夜朝晩天晚]|明[日天]|昨[日天]|さっき|今(?=は|、|から)|现在|現在|刚[才刚]|剛[才剛]|正在|我(?:需要|想要)"
    r"|が(?:必要|欲し|ほし)|お腹|痛い|疲れ|오늘|지금|내일|어제|방금|필요"
)
_PAST_OR_HOUR: Final = regex(
    r"\b\d{1,2}(?:[:h]\d\d|\s?(?:h|uur)\b)"
    r"|\b(?:j'ai|on a|nous avons|he|hemos|ho|abbiamo|ik heb|we hebben|jag har|jeg har)\s+"
    r"(?:\w+\s+){0,2}?(?:\w+(?:é|és|ée|ado|ido|ato|uto|ito|it)|ge\w+[dt]n?)\b"
    r"|\w(?:łam|łem|liśmy|łyśmy)\b|\w[dt][ıiuü]m\b|了[。！]?\Z|(?:ました|かった)[。！]?\Z"
    r"|[았었했][어습다]",
    re.IGNORECASE,
)
"""An hour, or a tense of what is done, where the letters of a verb tell it."""
_CHANGES_NOTHING: Final = regex(
    r"\s*(?:(?:thanks|ok|okay|hi|hello|merci(?: beaucoup)?|bonjour|salut|d'accord|hola|vale"
    r"|(?:muchas )?gracias|grazie(?: mille)?|ciao|obrigad[oa]|olá|dank je|bedankt|tack|tak|takk"
    r"|dzięki|dziękuję|cześć|спасибо|привет|teşekkür\w*|merhaba|谢谢|謝謝|你好|ありがとう\w*"
    r"|こんにちは|감사합니다)[\s.!。！]*\Z"
    r"|(?:écris|montre|explique|aide|traduis|escribe|muestra|explica|ayuda|traduce|scrivi|mostra"
    r"|spiega|aiuta|escreve|mostre|schrijf|laat|skriv|visa|vis|napisz|pokaż|pomóż)"
    r"(?:[- ]?(?:moi|me|mi|mij))?\s|(?:напиши|покажи|помоги|объясни)\b"
    r"|(?:请|請)?(?:帮我|幫我|给我)(?!忘|删|刪|别|改))",
    re.IGNORECASE,
)
"""Thanks, greetings and orders for an answer."""
_SHARED: Final = any_of(
    "a | in | no | des | as | do | so | to | on | man | es | me | er | for | her"
)
"""Words of English and German that other languages have as well."""


def is_unread(sentence: str) -> bool:
    """Whether a sentence has no word that tells English or German."""
    return language_of(_SHARED.sub(" ", CONTRACTED.sub(" ", sentence)), least=1) is None


def passes(sentence: str) -> bool:
    """Whether such a sentence tells of a moment, as far as the commonest words tell it."""
    text = sentence.replace("’", "'")
    signs = (_MOMENT, _MOMENT_UNSPACED, _PAST_OR_HOUR)
    return is_unread(text) and any(sign.search(text) for sign in signs)


def may_change(sentence: str) -> bool:
    """Whether such a sentence may change what stands before it."""
    return is_unread(sentence) and _CHANGES_NOTHING.match(sentence) is None
