"""Shell commands: whether one names a governed file, and whether it plainly only reads.

This is not a shell parser. A name that is built at run time is missed, and a command that is not
understood does not count as reading: the comparison after the call finds what was missed.
"""

from __future__ import annotations

import os
import re
import shlex

from .roots import Root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

READING = {
    *("cat", "head", "tail", "wc", "ls", "stat", "grep", "egrep", "fgrep", "rg", "diff", "cmp"),
    *("sha256sum", "md5sum", "test", "[", "echo", "printf", "pwd", "cd", "cut", "tr", "nl", "jq"),
    *("realpath", "readlink", "basename", "dirname", "true", "false", "sort", "find", "git", "sed"),
}
"""Commands that write no file, except with the options below."""
_WRITES = {
    "find": re.compile(r"-(?:exec|execdir|ok|okdir|delete|fprint\w*|fls)"),
    "git": re.compile(r"--ou.*|--ext-diff|--textconv|-O.*|--open.*"),
    "rg": re.compile(r"--pre.*|--hostname-bin.*"),
    "sort": re.compile(r"-[a-zA-Z]*[oT].*|--(?:o|te|comp).*"),
    "sed": re.compile(r"-.*"),
}
"""Options with which one of them writes or starts a program."""
_GIT = {"status", "diff", "log", "show", "blame", "ls-files", "grep", "add", "commit", "push"}
_SED_PRINTS = re.compile(r"(?:\d+(?:,(?:\d+|\$))?|\$)p")
_NO_FILE = re.compile(r"\d*>&\d|[\d&]?>>?\s*/dev/null(?![\w/])|\\\n")
_SUBSTITUTION = re.compile(r"\$\(|`|<\(|>\(")
_WORDS = (re.compile(r"[^\s'\"`;|&<>()=,]+"), re.compile(r"[^\s'\"`;|&<>()=,{}]+"))
"""Words with braces, which may belong to a variable, and without."""
_OPERATORS = ";()<>|&"
_VARIABLES = ("HOME", "CLAUDE_CONFIG_DIR", "CLAUDE_PROJECT_DIR", "PWD")
_MOST, _FOLDERS = 500, 5
"""The most words of a command that are examined, and the most folders that it may change to."""


def names_documents(roots: list[Root], command: str, folder: str, env: Mapping[str, str]) -> bool:
    """Whether a word of a command is a document, a settings file or a folder of documents."""
    places = _places(command, folder, env)
    return any(root.is_touched_by(place) for place in places for root in roots)


def _places(command: str, folder: str, env: Mapping[str, str]) -> Iterator[str]:
    matches = [word for pattern in _WORDS for word in pattern.findall(command)[:_MOST]]
    words = [*dict.fromkeys(matches)]
    try:
        # A name with blanks, after a shell's unquoting.
        words += [word for word in shlex.split(command)[:_MOST] if " " in word and "/" in word]
    except ValueError:
        pass
    folders = [folder]
    for word in words:
        expanded = _expand(word, env)
        if "\0" in expanded or len(expanded) > 4096:
            continue
        places = [os.path.join(start, expanded) for start in folders]
        yield from places
        # Later words may be relative to this folder: `cd` has many variants.
        if len(folders) < _FOLDERS and os.path.isdir(places[0]) and places[0] not in folders:
            folders.append(places[0])


def _expand(word: str, env: Mapping[str, str]) -> str:
    if word == "~" or word.startswith("~/"):
        word = f"$HOME{word[1:]}"
    for name in _VARIABLES:
        if (value := env.get(name)) and name in word:
            word = word.replace(f"${{{name}}}", value).replace(f"${name}", value)
    return word


def plainly_reads(command: str) -> bool:
    """Whether every part of a command is known to read only, and redirects to no file."""
    command = _NO_FILE.sub(" ", command)
    if _SUBSTITUTION.search(command):
        return False
    lexer = shlex.shlex(command.replace("\n", " ; "), posix=True, punctuation_chars=_OPERATORS)
    lexer.commenters, lexer.whitespace_split = "", True
    parts: list[list[str]] = [[]]
    try:
        for word in lexer:
            if not set(word) <= set(_OPERATORS):
                parts[-1].append(word)
            elif set(word) <= set(";|&"):
                parts.append([])
            elif word != "<":
                return False
    except ValueError:
        return False
    return all(_reads(part) for part in parts if part)


def _reads(words: list[str]) -> bool:
    name, arguments = words[0], words[1:]
    if name == "sed":
        prints = len(arguments) > 1 and arguments[0] == "-n" and _SED_PRINTS.fullmatch(arguments[1])
        if not prints:
            return False
        arguments = arguments[2:]
    if name == "git" and arguments[:1] and arguments[0] not in _GIT:
        return False
    writes = _WRITES.get(name)
    return name in READING and not (writes and any(map(writes.fullmatch, arguments)))
