"""Commands that install a widely used program as its own page says: they wait, and no more."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from reviewdeck.policy.rules.vocabulary import vocabulary

_VERSION: Final = r"(?:v?\d{1,3}(?:\.\d{1,4}){0,3}|main|master|head|stable|lts|current)"
"""A commit is none: an address of a repository serves those of its forks too."""
_GAP: Final = r"(?:[^\S\n]|\\\n)"
_OPTION: Final = (
    r"(?:-[fslqv]{1,6}|--proto(?:-redir)?[ =][\"']?=https[\"']?|--tlsv1\.[23]|--fail|--silent"
    r"|--show-error|--location|--quiet|-(?:q|nv)?o ?-|--retry \d)"
)
_ARGUMENTS: Final = rf"(?:{_GAP}+-s)?(?:{_GAP}+--?)?(?:{_GAP}+-{{1,2}}[\w-]{{1,40}}){{0,6}}"
_SHELL: Final = r"(?:(?:/usr)?/bin/)?(?:ba|z|da)?sh"
_BEHIND: Final = re.compile(
    r"[\"')\]]*(?:[`.,:*_]+[\"')\]]*(?=\s+[a-z(—–-]|\s*\Z|[^\S\n]*\n)|\s*\Z|[^\S\n]*(?:#[^\n]*)?\n)"
    r"(?!\s*(?:\||&))"
)
"""What may stand behind it: the end of the line, or of the quotation and more words."""
_IN_FRONT: Final = re.compile(r"[^=;&|{}<`\\/@]*\Z")
_HARMLESS: Final = re.compile(r"(?:\bsudo\s+)?(?:/usr)?/bin/(?:env\s+)?\Z|\$\s\Z")


def installer_end(text: str, start: int) -> int | None:
    """Where a command of a folded text ends that only installs a known program; else None.

    The command must be the whole of its line or quotation: its address is one of the list to the
    last character, its options change neither host nor certificate, and no other command is added.
    """
    match = _command().match(text, start)
    if match is None or not _BEHIND.match(text, match.end()):
        return None
    file = match.re.groupindex["file"]
    addresses = [match.group(at) for at in range(1, match.re.groups + 1) if at != file]
    if not all(map(_address().fullmatch, filter(None, addresses))):
        return None
    line = max(text.rfind("`", 0, start), _line_start(text, start)) + 1
    in_front = _HARMLESS.sub("", text[max(line, start - 400) : start])
    is_alone = _IN_FRONT.fullmatch(in_front) and not in_front.rstrip().endswith("$(")
    return match.end() if is_alone else None


@lru_cache(maxsize=1)
def _address() -> re.Pattern[str]:
    addresses = sorted(vocabulary().listed["installers"])
    listed = "|".join(re.escape(one).replace(r"\*", _VERSION) for one in addresses)
    return re.compile(rf"(?:{listed})/?")


@lru_cache(maxsize=1)
def _command() -> re.Pattern[str]:
    bare = r"([\w./-]{4,200})"
    url = rf"https://{bare}"
    link = rf"[\"']?{url}[\"']?"
    fetch = (
        rf"(?:curl|wget)(?:{_GAP}+{_OPTION})*{_GAP}+{link}(?:{_GAP}+{_OPTION})*"
        rf"|(?:irm|iwr|invoke-restmethod|invoke-webrequest){_GAP}+"
        rf"(?:-useb(?:asicparsing)?{_GAP}+)?(?:{link}|{bare}(?=\s))"
    )
    return re.compile(
        rf"(?:{fetch}){_GAP}*\\?\|{_GAP}*(?:sudo{_GAP}+(?:-e{_GAP}+)?)?"
        rf"(?:{_SHELL}{_ARGUMENTS}|iex|python3?(?:{_GAP}+-)?|php)"
        rf"|{_SHELL}{_GAP}+(?:-c{_GAP}+)?[\"']?(?:\$|<)\({_GAP}*(?:{fetch}){_GAP}*\)[\"']?{_ARGUMENTS}"
        rf"|iex{_GAP}*\({_GAP}*(?:{fetch}){_GAP}*\)"
        rf"|(?:curl|wget)(?:{_GAP}+{_OPTION})*{_GAP}+{url}{_GAP}+-o{_GAP}+(?P<file>[\w-]+\.(?:sh|py))"
        rf"{_GAP}*(?:&&|\n){_GAP}*(?:chmod{_GAP}+\+x{_GAP}+(?:\./)?(?P=file){_GAP}*(?:&&|\n){_GAP}*)?"
        rf"(?:sudo{_GAP}+)?(?:(?:{_SHELL}|python3?){_GAP}+(?:\./)?|\./)(?P=file)"
    )


def _line_start(text: str, at: int) -> int:
    """The line break before a place, but for those that a backslash continues."""
    line = text.rfind("\n", 0, at)
    return text.rfind("\n", 0, line) if line > 0 and text[line - 1] == "\\" else line
