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
    r"|\b(?:j'ai|on a|nous avons|he|hemos|ho|abbiamo)\s+"
    r"(?:\w+\s+){0,2}?\w+(?:é|és|ée|ado|ido|ato|uto|ito)\b"
    r"|\w(?:łam|łem|liśmy|łyśmy)\b|\w[dt][ıiuü]m\b|了[。！]?\Z|(?:ました|かった)[。！]?\Z"
    r"|[았었했][어습다]",
    re.IGNORECASE,
)
"""An hour, or a tense of what is done, where the letters of a verb tell it."""
_PERFECT: Final = regex(
    # Italian, Spanish, Portuguese, French: the participle stands behind "have".
    r"\b(?:ho|hai|ha|abbiamo|avete|hanno|he|has|hemos|han)\s+"
    r"(?:(?:già|appena|anche|mai|sempre|ancora|quasi|finalmente|ya)\s+)*"
    r"(?!(?:molt|tant|quant|tutt|quest|spess|cent)o\b)"
    r"(?:\w+(?:[aui]to|[aiu]d[oa]|[rsnlt]to|[eiuor]so|cho)|roto)\b"
    r"|(?:\bj'|\b(?:on|il|elle|tu|nous|vous|ils|elles)\s+|\b(?:mon|ma|mes)\s+\w+\s+)"
    r"(?:ai|as?|avons|avez|ont)\s+(?:(?:déjà|bien|mal|tout|trop|aussi|encore|enfin|presque)\s+)*"
    r"(?!(?:trois|huit|mauvais|petit|demi|parmi|depuis|jamais|aussi|un)\b)"
    r"(?:\w+(?:é|i[st]?|ert|u)e?s?|[evlp]us?)\b"
    # Dutch: it ends the clause, and stands behind no article.
    r"|\b(?:heb|hebt|heeft|hebben|had|hadden)\s+(?:\S+\s+){0,7}?"
    r"(?<!\been\s)(?<!\bgeen\s)(?<!\bde\s)(?<!\bhet\s)(?<!\bmijn\s)(?<!\bveel\s)"
    r"(?!(?:geheugen|geduld|verstand)\b)(?:\w*ge\w{2,}|(?:be|her|ont|ver)\w{2,})(?:t|d|en)(?=\s*(?:[.,;!]|\Z)|\s+(?:en|maar)\b)"
    # Swedish, Danish, Norwegian: a supine is no word of how much, how or whose.
    r"|\b(?:har|hade|hadde|havde)\s+"
    r"(?:(?:jag|jeg|vi|inte|ikke|just|redan|precis|aldrig|aldri|lige|bara|allerede|nettopp)\s+)*"
    r"(?!(?:[msd]?i?tt|ett|vårt|vort|ert|allt?|alt|mycket|meget|lidt|litt|lite?t|stort|ont|fast"
    r"|nytt?|godt?|gott|svårt|svært|lätt|let|lett|rätt|rett|kort|långt|langt|lyst?|ljust|mörkt|mørkt"
    r"|rött|rødt|svart|sort|blått|blåt|brunt|grått|vitt|hvidt|tjockt|tykt|varmt|kallt|koldt)\b)"
    r"\w{2,}t\b(?!.*\b(?:sedan|siden)\b)",
    re.IGNORECASE,
)
"""A participle where it stands with "have", and not "have" alone: "Ho due gatti" lasts."""
_SIMPLE_PAST: Final = regex(
    r"\A(?:(?:yo|eu|ya|já|me|te|se|nos|lo|la|le|les|los|las)\s+)*"
    r"(?!(?:aquí|ahí|allí|así|josé|andré|noé|café|però|può|perciò)\b)"
    r"(?:\w{2,}[éíóò]\b|\w{3,}ei\b"
    r"|\w{3,}i\s+(?:[oa]s?|uma?s?|meus?|minhas?|nossos?|nossas?|n[oa]s?|aos?|dois|duas|três)\b)"
    r"|\b(?:jag|jeg|vi|ik)\s+(?!inte\b)\w{2,}[td]e\b",
    re.IGNORECASE,
)
"""The beginning of a sentence with a verb that its ending puts in the past."""
_CHANGES_NOTHING: Final = regex(
    r"[\s¡]*(?:(?:thanks|ok|okay|hi|hello|merci(?: beaucoup)?|bonjour|salut|d'accord|hola|vale"
    r"|(?:muchas |mil )?gracias"
    r"|grazie(?: mille)?|ciao|obrigad[oa]|olá|dank je|bedankt|tack|tak|takk"
    r"|dzięki|dziękuję|cześć|спасибо|привет|teşekkür\w*|merhaba|谢谢|謝謝|你好|ありがとう\w*"
    r"|こんにちは|감사합니다)[\s.!。！]*\Z"
    r"|(?!.*[,;–—]\s+(?!(?:por|per|s'il|alsjeblieft|tack|takk|prosz\w*|пожалуйста|merci|gracias|grazie"
    r"|obrigad[oa])\b))(?:(?:me\s+(?:d[áêi]|diga|mostre|escreva|explique|ajude|faça|passe|envie)"
    r"|dame|dime|dammi|dimmi|fammi|mandami|(?:d[áê]|diga|geef|giv|ge|gi|daj|podaj)"
    r"(?=[- ](?:me|mi|mij|mig|meg)\b)|dê|escreva|(?:donne|dis|fais)(?=[- ]?(?:moi|nous)\b)"
    r"|écris|montre|explique|aide|traduis|escribe|muestra|explica|ayuda|traduce|scrivi|mostra"
    r"|spiega|aiuta|escreve|mostre|schrijf|laat|skriv|visa|vis|napisz|pokaż|pomóż)"
    r"(?:[- ]?(?:moi|nous|me|mi|mij|mig|meg))?\s|(?:напиши|покажи|помоги|объясни)\b)"
    r"|(?:请|請)?(?:帮我|幫我|给我)(?!忘|删|刪|别|改))",
    re.IGNORECASE,
)
"""Thanks, greetings and orders for an answer, behind which no comma leads to something else."""
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
    signs = (_MOMENT, _MOMENT_UNSPACED, _PAST_OR_HOUR, _PERFECT, _SIMPLE_PAST)
    return is_unread(text) and any(sign.search(text) for sign in signs)


def may_change(sentence: str) -> bool:
    """Whether such a sentence may change what stands before it."""
    return is_unread(sentence) and _CHANGES_NOTHING.match(sentence) is None
