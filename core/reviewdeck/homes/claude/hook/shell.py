"""Shell commands: whether one names a governed file, and whether it plainly only reads.

A command is taken to write unless each program in it, with each of its options, is known to read
only and to start no other program. A name that is built at run time is missed: the comparison after
the call finds what was missed.
"""

from __future__ import annotations

import os
import re
from glob import iglob
from itertools import islice

from reviewdeck.text.shell import (
    SimpleCommand,
    Word,
    braces_expanded,
    split_commands,
    variables_filled,
)

from .roots import Root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    Check = Callable[[Sequence[Word]], bool]

_VARIABLES = ("HOME", "CLAUDE_CONFIG_DIR", "CLAUDE_PROJECT_DIR", "PWD")
"""Variables that name a folder: a word that begins with one is a path."""
_MOST, _FOLDERS = 500, 5
"""The most words of a command that are examined, and the most folders that it may change to."""
_INNER_WORDS = re.compile(r"[^\s'\"`;|&<>()=,{}]+")
"""The words within a word: it may itself be a command or a program."""
_QUOTES = str.maketrans("", "", "'\"\\")


def names_documents(roots: list[Root], command: str, folder: str, env: Mapping[str, str]) -> bool:
    """Whether a word of a command is a document, a settings file or a folder of documents."""
    places = _places(command, folder, env)
    return any(root.is_touched_by(place) for place in places for root in roots)


def _places(command: str, folder: str, env: Mapping[str, str]) -> Iterator[str]:
    folders = [folder]
    for word in islice(dict.fromkeys(_words(command, env)), _MOST):
        if "\0" in word or len(word) > 4096:
            continue
        places = [os.path.join(start, word) for start in folders]
        yield from places
        if any(char in word for char in "*?["):
            for place in places:
                yield from islice(iglob(place), _MOST)
        # Later words may be relative to this folder: `cd` has many variants.
        if len(folders) < _FOLDERS and os.path.isdir(places[0]) and places[0] not in folders:
            folders.append(places[0])


def _words(command: str, env: Mapping[str, str]) -> Iterator[str]:
    """The words of a command as its programs may get them, and the words within them."""
    commands = split_commands(command)
    values = {name: env[name] for name in _VARIABLES if env.get(name)}
    if commands is None:
        texts = [command, command.translate(_QUOTES)]
    else:
        words = [word for each in commands for word in _all_words(each)]
        values |= {name: word.text for each in commands for name, word in each.assignments}
        texts = [word.text for word in words]
    for text in texts[:_MOST]:
        for choice in (text, *braces_expanded(text)):
            yield _expand(choice, values)
            for inner in _INNER_WORDS.findall(choice)[:_MOST]:
                yield _expand(inner, values)
            yield _expand(choice.partition("=")[2], values)


def _all_words(command: SimpleCommand) -> Iterator[Word]:
    yield from command.words
    yield from (word for _, word in command.assignments)
    yield from (word for _, word in command.redirections)


def _expand(word: str, values: Mapping[str, str]) -> str:
    if word == "~" or word.startswith("~/"):
        word = f"$HOME{word[1:]}"
    return variables_filled(word, values) if "$" in word else word


def plainly_reads(command: str) -> bool:
    """Whether every part of a command is known to read only, and redirects to no file."""
    commands = split_commands(command)
    return commands is not None and all(map(_reads, commands))


def _reads(command: SimpleCommand) -> bool:
    redirects = any(not _opens_no_file(*pair) for pair in command.redirections)
    assigns = any(name not in _HARMLESS for name, _ in command.assignments)
    # A name that is nothing but quotes is no name.
    if redirects or assigns or not command.name:
        return False
    check = _READING.get(command.name)
    if check is None:
        return False
    return check(command.arguments)


def _opens_no_file(operator: str, target: Word) -> bool:
    if operator in ("<", "<&"):
        return True
    if not target.is_literal:
        return False
    return target.text == "/dev/null" or (operator == ">&" and target.text.isdigit())


_HARMLESS = {"LC_ALL", "LC_CTYPE", "LC_COLLATE", "LANG", "TZ"}
"""Variables that no program takes another program or file from."""


def _any(arguments: Sequence[Word]) -> bool:
    return True


def _test(arguments: Sequence[Word]) -> bool:
    # These evaluate what stands in the brackets of a name.
    return not any(word.text in ("-v", "-R") for word in arguments)


def _printf(arguments: Sequence[Word]) -> bool:
    return not any(word.text.startswith("-v") or _may_be_option(word) for word in arguments[:1])


def _only(options: str) -> Check:
    """A check that every option among the words matches a pattern as a whole."""
    pattern = re.compile(options)

    def check(arguments: Sequence[Word]) -> bool:
        for word in arguments:
            if _may_be_option(word):
                return False
            if word.text == "--":
                return True
            if len(word.text) > 1 and word.text[0] in "-+" and not pattern.fullmatch(word.text):
                return False
        return True

    return check


def _may_be_option(word: Word) -> bool:
    """Whether a word may turn out to be an option: `$x`, or `*` beside a file `-o`."""
    path = re.match(r"\$\{?(\w+)\}?(?:/|$)", word.text)
    return word.may_begin_otherwise and not (path and path[1] in _VARIABLES)


_GIT_READS = re.compile(
    r"-\d+|-[abcdefghiklmnopqrstuvwzEFGHIMCPRSW]+|-[nUSGLMCABe].+|--(?:stat|name-only|name-status|"
    r"numstat|shortstat|summary|oneline|cached|staged|patch|no-patch|graph|all|branches|tags|"
    r"remotes|decorate|no-decorate|color|no-color|color-words|word-diff|no-ext-diff|no-textconv|"
    r"ignore-(?:all-space|space-change|space-at-eol|blank-lines|case)|follow|reverse|merges|"
    r"no-merges|first-parent|raw|check|exit-code|quiet|short|long|porcelain|branch|ignored|"
    r"show-stash|no-index|full-index|abbrev-commit|no-abbrev-commit|abbrev|text|binary|minimal|"
    r"patience|histogram|no-renames|find-renames|find-copies|topo-order|date-order|deleted|"
    r"modified|others|exclude-standard|stage|unmerged|killed|error-unmatch|full-name|line-number|"
    r"count|files-with-matches|name-only|word-regexp|extended-regexp|fixed-strings|untracked|"
    r"invert-match|heading|break|root|source|line-porcelain|show-name|show-email|unified=\d+|"
    r"(?:format|pretty)=(?!.*%G).*|(?:date|since|until|after|before|author|committer|grep|diff-filter|"
    r"max-count|skip|decorate|color|word-diff|abbrev|porcelain|untracked-files|stat|"
    r"diff-algorithm|relative|find-renames|find-copies|ignore-submodules)=.*)"
)
_GIT_OPTIONS = {
    **dict.fromkeys(("status", "diff", "log", "show", "blame", "ls-files", "grep"), _GIT_READS),
    "add": re.compile(r"-[AunvfN]+|--(?:all|update|dry-run|verbose|force|intent-to-add)"),
    "commit": re.compile(
        r"-[aqvnsom]+|-[aqvns]*m.+|-F|-F.+|--(?:all|quiet|amend|no-edit|signoff|no-verify|only|"
        r"message|message=.*|file|file=.*|allow-empty|author=.*|date=.*|dry-run)"
    ),
    "push": re.compile(
        r"\+.*|-[ufqvn]+|--(?:set-upstream|force|force-with-lease|tags|quiet|verbose|dry-run|delete)"
    ),
}
"""Options of git, by subcommand, that start no pager, no editor and no program that they name."""


def _git(arguments: Sequence[Word]) -> bool:
    words = list(arguments)
    while words and words[0].is_literal and words[0].text in ("-C", "--no-pager"):
        del words[: 2 if words[0].text == "-C" else 1]
    if not words or not words[0].is_literal or words[0].text not in _GIT_OPTIONS:
        return False
    name, rest = words[0].text, words[1:]
    options = _GIT_OPTIONS[name].pattern
    if name == "commit" and not any(
        re.match(r"-[aqvnso]*m|-F|--(?:message|file|no-edit)", word.text) for word in rest
    ):
        return False  # It opens an editor.
    if name == "push" and any("::" in word.text for word in rest):
        return False  # An address may name a program.
    return _only(options)(rest)


def _find(arguments: Sequence[Word]) -> bool:
    tests = (
        r"-(?:i?name|i?path|i?wholename|i?regex|regextype|type|xtype|maxdepth|mindepth|newer\w*|"
        r"[acm]time|[acm]min|size|print0?|printf|ls|o|or|a|and|not|prune|empty|perm|user|group|"
        r"links?|lname|samefile|inum|quit|depth|d|follow|xdev|mount|true|false|readable|"
        r"executable|writable|[HLP]|daystart)|[-+]\d+\w*"
    )
    return _only(tests)(arguments)


def _sed(arguments: Sequence[Word]) -> bool:
    prints = r"(?:\d+(?:,(?:\d+|\$))?|\$)p"
    texts = [word.text for word in arguments[:2] if word.is_literal]
    if len(texts) < 2 or texts[0] != "-n" or not re.fullmatch(prints, texts[1]):
        return False
    return _only("-")(arguments[2:])


def _diff(arguments: Sequence[Word]) -> bool:
    options = (
        r"-[abBcdeEinNpqrstTuwy\d]+|-[CUIFxXSW].*|--(?:unified|unified=\d+|brief|recursive|"
        r"side-by-side|new-file|text|color|color=\w+|ignore-(?:case|all-space|space-change|"
        r"blank-lines|trailing-space)|suppress-common-lines|label|label=.*|exclude=.*|normal)"
    )
    return _only(options)(arguments)


def _rg(arguments: Sequence[Word]) -> bool:
    options = (
        r"-[a0-9ceFHhIilLNnopPqSsTtUuvwx]+|-[ABCEefgjMmrtT].*|--(?:files|hidden|no-ignore|json|"
        r"line-number|no-line-number|ignore-case|smart-case|case-sensitive|files-with-matches|"
        r"files-without-match|count|count-matches|word-regexp|fixed-strings|multiline|no-heading|"
        r"heading|with-filename|no-filename|only-matching|invert-match|follow|quiet|stats|"
        r"sort|sortr|type|type-not|glob|iglob|context|after-context|before-context|max-count|"
        r"max-depth|regexp|color|colors|encoding|replace|pcre2|text|vimgrep|trim|null|no-config|"
        r"(?:sort|sortr|type|type-not|glob|iglob|context|after-context|before-context|max-count|"
        r"max-depth|regexp|color|colors|encoding|replace)=.*)"
    )
    return _only(options)(arguments)


def _sort(arguments: Sequence[Word]) -> bool:
    options = (
        r"-[bcCdfghiMmnrRsuVz]+|-[bdfgiMhnrRVsu]*[kt].*|--(?:unique|reverse|numeric-sort|"
        r"human-numeric-sort|version-sort|general-numeric-sort|ignore-case|stable|check|"
        r"key=.*|field-separator=.*)"
    )
    return _only(options)(arguments)


_READING = {
    **dict.fromkeys(("cat", "head", "tail", "wc", "ls", "stat", "cut", "tr", "nl", "cmp"), _any),
    **dict.fromkeys(("grep", "egrep", "fgrep", "sha256sum", "md5sum", "echo", "pwd", "cd"), _any),
    **dict.fromkeys(("realpath", "readlink", "basename", "dirname", "true", "false", "jq"), _any),
    **dict.fromkeys(("test", "["), _test),
    "printf": _printf,
    "diff": _diff,
    "find": _find,
    "git": _git,
    "rg": _rg,
    "sed": _sed,
    "sort": _sort,
}
"""Programs that only read, each with a check of its arguments."""
