"""Shell commands: whether one names a governed file, and whether it plainly only reads.

A command is taken to write unless each program in it, with each of its options, is known to read
only and to start no other program. A name that is built at run time is missed: the comparison after
the call finds what was missed.
"""

from __future__ import annotations

import os
import re
from itertools import islice

from reviewdeck.text.shell import (
    ShellWord,
    SimpleCommand,
    braces_expanded,
    split_commands,
    variables_filled,
)

from .roots import Root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    Check = Callable[[Sequence[ShellWord]], bool]

_VARIABLES = ("HOME", "CLAUDE_CONFIG_DIR", "CLAUDE_PROJECT_DIR", "PWD")
"""Variables that name a folder: a word that begins with one is a path."""
_MOST, _FOLDERS = 500, 5
"""The most words of a command that are examined, and the most folders that it may change to."""
_FLAGS = 8
"""The most letters of a word of options before a value that stands in it: `-uoCLAUDE.md`."""
_SHORT_OPTION = re.compile(r"-[A-Za-z]")
_PATTERN = re.compile(r"[*?\[]")
_LETTER = re.compile(r"[^\W_]")
_INNER_WORDS = re.compile(r"[^\s'\"`;|&<>()=,{}]+")
"""The words within a word: it may itself be a command or a program."""
_QUOTES = str.maketrans("", "", "'\"\\")


def names_documents(roots: list[Root], command: str, folder: str, env: Mapping[str, str]) -> bool:
    """Whether a word of a command is a document, a settings file or a folder of documents."""
    places = _places(roots, command, folder, env)
    return any(root.is_touched_by(place) for place in places for root in roots)


def _places(roots: list[Root], command: str, folder: str, env: Mapping[str, str]) -> Iterator[str]:
    folders = [folder]
    for word, is_unquoted in islice(dict.fromkeys(_words(command, env)), _MOST):
        if "\0" in word or len(word) > 4096:
            continue
        places = [os.path.join(start, word) for start in folders]
        yield from places
        # A quoted `*` is an operator or a text far more often than a pattern.
        if _PATTERN.search(word) and (is_unquoted or _LETTER.search(word)):
            for place in places:
                for root in roots:
                    yield from root.matches(place)
        # Later words may be relative to this folder: `cd` has many variants.
        if len(folders) < _FOLDERS and os.path.isdir(places[0]) and places[0] not in folders:
            folders.append(places[0])


def _words(command: str, env: Mapping[str, str]) -> Iterator[tuple[str, bool]]:
    """The words of a command as its programs may get them, and the words within them.

    With each, whether the shell replaces a pattern in it.
    """
    commands = split_commands(command)
    values = {name: env[name] for name in _VARIABLES if env.get(name)}
    if commands is None:
        words = [ShellWord(text, is_literal=True) for text in (command, command.translate(_QUOTES))]
    else:
        words = [word for each in commands for word in _all_words(each)]
        values |= {name: word.text for each in commands for name, word in each.assignments}
    for word in words[:_MOST]:
        for choice in (word.text, *braces_expanded(word.text)):
            yield _expand(choice, values), not word.is_literal
            yield _expand(choice.partition("=")[2], values), not word.is_literal
            if _SHORT_OPTION.match(choice):
                for start in range(2, min(len(choice), _FLAGS)):
                    yield _expand(choice[start:], values), False
            for inner in _INNER_WORDS.findall(choice)[:_MOST]:
                yield _expand(inner, values), False


def _all_words(command: SimpleCommand) -> Iterator[ShellWord]:
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
    assigns = any(not _is_harmless(name) for name, _ in command.assignments)
    return not redirects and not assigns and _words_read(command.words)


def _words_read(words: Sequence[ShellWord]) -> bool:
    """Whether a program with its arguments only reads; no words are no program."""
    while words and words[0].is_literal and words[0].text in _BEFORE:
        words = words[1:]
    if not words:
        return True
    # A name that is nothing but quotes is no name.
    check = _READING.get(words[0].text) if words[0].is_literal else None
    return check is not None and check(words[1:])


_BEFORE = {"if", "then", "else", "elif", "while", "until", "do", "!", "time"}
"""Words before a command that do not change what it does."""


def _opens_no_file(operator: str, target: ShellWord) -> bool:
    if operator in ("<", "<&", "<<", "<<-", "<<<"):
        return True
    if not target.is_literal:
        return False
    return target.text in _NO_FILES or (operator == ">&" and target.text.isdigit())


_NO_FILES = {"/dev/null", "/dev/stdout", "/dev/stderr"}
_HARMLESS = {"LC_ALL", "LC_CTYPE", "LC_COLLATE", "LANG", "TZ"}
"""Variables that no program takes another program or file from."""
_OWN_VARIABLE = re.compile(r"(?!\w*path|aliases$|builtins$|commands$|functions$)[a-z]\w*")
"""Variables of the line itself. In zsh some of that form are not: `path` is `PATH`."""


def _is_harmless(name: str) -> bool:
    return name in _HARMLESS or _OWN_VARIABLE.fullmatch(name) is not None


def _loop(arguments: Sequence[ShellWord]) -> bool:
    return len(arguments) > 1 and arguments[1].text == "in" and _is_harmless(arguments[0].text)


def _read_line(arguments: Sequence[ShellWord]) -> bool:
    return all(
        word.is_literal and (word.text == "-r" or _is_harmless(word.text)) for word in arguments
    )


def _no_words(arguments: Sequence[ShellWord]) -> bool:
    return not arguments


def _any(arguments: Sequence[ShellWord]) -> bool:
    return True


def _test(arguments: Sequence[ShellWord]) -> bool:
    # These evaluate what stands in the brackets of a name.
    return not any(word.text in ("-v", "-R") for word in arguments)


def _printf(arguments: Sequence[ShellWord]) -> bool:
    return not any(word.text.startswith("-v") or _may_be_option(word) for word in arguments[:1])


def _only(options: str) -> Check:
    """A check that every option among the words matches a pattern as a whole."""
    pattern = re.compile(options)

    def check(arguments: Sequence[ShellWord]) -> bool:
        for word in arguments:
            if _may_be_option(word):
                return False
            if word.text == "--":
                return True
            if len(word.text) > 1 and word.text[0] in "-+" and not pattern.fullmatch(word.text):
                return False
        return True

    return check


def _may_be_option(word: ShellWord) -> bool:
    """Whether a word may turn out to be an option: `$x`, or `*` beside a file `-o`."""
    path = re.match(r"\$\{?(\w+)\}?(?:/|$)", word.text)
    return word.may_begin_otherwise and not (path and path[1] in _VARIABLES)


def _long(names: str) -> str:
    """A pattern of these long options, each with its opposite and with any value."""
    return rf"--(?:no-)?(?:{'|'.join(names.split())})(?:=.*)?"


_GIT_NAMES = _long(
    "stat name-only name-status numstat shortstat summary oneline cached staged patch all branches "
    "tags remotes decorate decorate-refs clear-decorations color color-words color-moved word-diff "
    "word-diff-regex ignore-all-space ignore-space-change ignore-space-at-eol ignore-blank-lines "
    "ignore-cr-at-eol ignore-case ignore-missing follow reverse merges first-parent raw check "
    "exit-code quiet short long porcelain branch ignored show-stash full-index abbrev-commit "
    "abbrev text binary minimal patience histogram renames find-renames find-copies topo-order "
    "date-order author-date-order deleted modified others exclude-standard stage unmerged killed "
    "error-unmatch full-name untracked break root source line-porcelain show-name show-email "
    "unified date since until after before author committer grep all-match invert-grep "
    "perl-regexp extended-regexp fixed-strings diff-filter max-count skip untracked-files "
    "diff-algorithm relative relative-date ignore-submodules submodule graph inter-hunk-context "
    "function-context prefix src-prefix dst-prefix compact-summary dirstat cumulative merge-base "
    "indent-heuristic ws-error-highlight pickaxe-regex pickaxe-all cherry cherry-pick cherry-mark "
    "left-right left-only right-only walk-reflogs notes mailmap use-mailmap cc diff-merges "
    "full-history simplify-merges simplify-by-decoration ancestry-path walk min-parents "
    "max-parents boundary parents children expand-tabs encoding dense sparse remove-empty max-age "
    "min-age not glob exclude log-size stdin ahead-behind column score-debug color-lines "
    "color-by-age progress ignore-rev ignore-revs-file incremental eol deduplicate directory "
    "with-tree recurse-submodules resolve-undo"
)
_GIT_READS = (
    rf"-\d+|-[abcdefghiklmnopqrstuvwxzEFGHILMCPRSWU]+|-[nUSGLMCABeuI].+|{_GIT_NAMES}|--pretty"
    r"|--no-(?:ext-diff|textconv|index)|--(?:format|pretty)=(?!.*%G).*"
)
_GIT_GREP = r"-\d+|-[abcdefghHiIlLnopPqrvwWzEFG]*(?:[ABCem].*)?|--no-textconv|" + _long(
    "cached untracked index exclude-standard recurse-submodules text ignore-case word-regexp "
    "invert-match full-name extended-regexp basic-regexp perl-regexp fixed-strings line-number "
    "column files-with-matches name-only files-without-match null only-matching count color break "
    "heading show-function context after-context before-context function-context max-count "
    "threads and or not all-match quiet max-depth recursive"
)
_GIT_OPTIONS = {
    **dict.fromkeys(("status", "diff", "log", "show", "blame", "ls-files"), _GIT_READS),
    "grep": _GIT_GREP,
    "add": r"-[AunvfN]+|"
    + _long(
        "all update dry-run verbose force intent-to-add renormalize refresh ignore-errors sparse "
        "chmod pathspec-from-file"
    ),
    "commit": r"-[aqvnsomiuC]+|-[aqvnsio]*m.+|-[FC].+|-F|--fixup(?:=[^:]*)?|"
    + _long(
        "all quiet amend signoff verify only include message file reuse-message allow-empty "
        "allow-empty-message author date dry-run reset-author cleanup status trailer post-rewrite "
        "short porcelain verbose untracked-files"
    )
    + "|--no-edit|--no-gpg-sign",
    "push": r"\+.*|-[ufqvndo46]+|"
    + _long(
        "set-upstream force force-with-lease force-if-includes tags follow-tags quiet verbose "
        "dry-run delete all branches mirror prune atomic porcelain progress verify thin push-option"
    )
    + "|--recurse-submodules=(?:check|no)",
}
"""Options of git, by subcommand, that start no pager, no editor and no program that they name."""
_GIT_MESSAGE = re.compile(
    r"-[aqvnsio]*m|-[FC]|--(?:message|file|no-edit|reuse-message|fixup|dry-run)(?:=|$)"
)
"""Options with which a commit opens no editor."""


def _git(arguments: Sequence[ShellWord]) -> bool:
    words = list(arguments)
    while words and words[0].is_literal and words[0].text in ("-C", "--no-pager"):
        del words[: 2 if words[0].text == "-C" else 1]
    if not words or not words[0].is_literal or words[0].text not in _GIT_OPTIONS:
        return False
    name, rest = words[0].text, words[1:]
    if name == "commit" and not any(_GIT_MESSAGE.match(word.text) for word in rest):
        return False  # It opens an editor.
    if name == "commit":
        rest = list(_without_messages(rest))
    if name == "push" and any("::" in word.text for word in rest):
        return False  # An address may name a program.
    return _only(_GIT_OPTIONS[name])(rest)


def _without_messages(words: Sequence[ShellWord]) -> Iterator[ShellWord]:
    """The words of a commit without its messages, which no expansion turns into options."""
    is_message = False
    for word in words:
        if not (is_message and word.is_single):
            yield word
        is_message = not is_message and word.text in _MESSAGE_OPTIONS


_MESSAGE_OPTIONS = {"-m", "-am", "-sm", "-qm", "--message"}
_FIND_TESTS = (
    r"-(?:i?name|i?path|i?wholename|i?regex|regextype|type|xtype|maxdepth|mindepth|newer\w*|"
    r"[ac]newer|[acm]time|[acm]min|size|print0?|printf|ls|o|or|a|and|not|prune|empty|perm|user|"
    r"group|uid|gid|nouser|nogroup|used|fstype|context|links?|lname|samefile|inum|quit|depth|d|"
    r"follow|xdev|mount|true|false|readable|executable|writable|noleaf|nowarn|warn|files0-from|"
    r"ignore_readdir_race|[HLP]|O\d|daystart)|[-+]\d+\w*|-[ugoa]+[-+=][rwxXst]+(?:,[^-]*)?"
)


def _find(arguments: Sequence[ShellWord]) -> bool:
    words = list(arguments)
    while (at := next((n for n, word in enumerate(words) if word.text in _RUNS), -1)) >= 0:
        end = next((n for n in range(at, len(words)) if words[n].text in (";", "+")), at)
        if not _reads_any(words[at + 1 : end]) or any(map(_is_unknown, words[at:end])):
            return False
        del words[at : end + 1]
    return _only(_FIND_TESTS)(words)


_RUNS = {"-exec", "-execdir"}


def _is_unknown(word: ShellWord) -> bool:
    """Whether the shell may put other words in its place, as the end of what `find` runs."""
    return not word.is_literal and any(char in word.text for char in "$`*?[")


def _xargs(arguments: Sequence[ShellWord]) -> bool:
    words = list(arguments)
    while words and words[0].is_literal and re.fullmatch(r"-[0rt]+|-[nLPI].*", words[0].text):
        del words[: 2 if len(words[0].text) == 2 and words[0].text[1] in "nLPI" else 1]
    return not words or _reads_any(words)


def _reads_any(words: Sequence[ShellWord]) -> bool:
    """Whether a program only reads whatever words are added to it."""
    return bool(words) and words[0].is_literal and _READING.get(words[0].text) is _any


_SED_ADDRESS = r"(?:\d+|\$|/[^/\[\\\n]*/)"
_SED_PRINTS = re.compile(rf"(?:(?:^|;)\s*{_SED_ADDRESS}?(?:,{_SED_ADDRESS})?\s*[pq=]\s*)+")


def _sed(arguments: Sequence[ShellWord]) -> bool:
    texts = [word.text for word in arguments[:3] if word.is_literal]
    script = 2 if texts[1:2] == ["-e"] else 1
    if len(texts) <= script or texts[0] not in ("-n", "-ne"):
        return False
    if not _SED_PRINTS.fullmatch(texts[script]):
        return False
    return _only("-")(arguments[script + 1 :])


_DIFF_OPTIONS = r"-[abBcdeEinNpqrstTuwy\d]*(?:[CUIFxXSWD].*)?|" + _long(
    "unified context brief recursive side-by-side new-file text color ignore-case ignore-all-space "
    "ignore-space-change ignore-blank-lines ignore-trailing-space ignore-tab-expansion "
    "ignore-matching-lines suppress-common-lines suppress-blank-empty label exclude exclude-from "
    "normal ed rcs width left-column strip-trailing-cr report-identical-files minimal dereference "
    "from-file to-file expand-tabs initial-tab tabsize speed-large-files horizon-lines "
    "show-c-function show-function-line line-format old-line-format new-line-format "
    "unchanged-line-format changed-group-format unchanged-group-format old-group-format "
    "new-group-format version help"
)
_RG_OPTIONS = r"-[a0-9bceFHhIilLNnopPqSsTtUuvwx.]*(?:[ABCdEefgjMmrtT].*)?|" + _long(
    "files hidden ignore ignore-vcs ignore-parent ignore-global ignore-dot ignore-exclude "
    "ignore-file ignore-files ignore-messages json line-number ignore-case smart-case "
    "case-sensitive files-with-matches files-without-match count count-matches include-zero "
    "word-regexp line-regexp fixed-strings multiline multiline-dotall heading filename "
    "with-filename only-matching invert-match follow quiet stats sort sortr type type-not type-add "
    "type-clear type-list glob iglob glob-case-insensitive context after-context before-context "
    "max-count max-depth maxdepth max-columns max-columns-preview max-filesize regexp file color "
    "colors encoding replace pcre2 engine auto-hybrid-regex text binary vimgrep trim null "
    "null-data config byte-offset column passthru passthrough messages one-file-system "
    "line-buffered block-buffered mmap threads unrestricted unicode crlf stop-on-nonmatch "
    "dfa-size-limit regex-size-limit context-separator field-match-separator "
    "field-context-separator path-separator hyperlink-format require-git debug trace pretty "
    "version help pcre2-version"
)
_SORT_OPTIONS = r"-[bcCdfghiMmnrRsuVz]*(?:[ktS].*)?|" + _long(
    "unique reverse numeric-sort human-numeric-sort version-sort general-numeric-sort random-sort "
    "month-sort dictionary-order ignore-case ignore-leading-blanks ignore-nonprinting stable check "
    "key field-separator merge sort parallel buffer-size batch-size debug zero-terminated "
    "files0-from version help"
)


_READING = {
    **dict.fromkeys(("cat", "head", "tail", "wc", "ls", "stat", "cut", "tr", "nl", "cmp"), _any),
    **dict.fromkeys(("grep", "egrep", "fgrep", "sha256sum", "md5sum", "echo", "pwd", "cd"), _any),
    **dict.fromkeys(("realpath", "readlink", "basename", "dirname", "true", "false", "jq"), _any),
    **dict.fromkeys(("test", "["), _test),
    **dict.fromkeys(("fi", "done"), _no_words),
    "diff": _only(_DIFF_OPTIONS),
    "find": _find,
    "for": _loop,
    "git": _git,
    "printf": _printf,
    "read": _read_line,
    "rg": _only(_RG_OPTIONS),
    "sed": _sed,
    "sort": _only(_SORT_OPTIONS),
    "xargs": _xargs,
}
"""Programs and words of the shell that only read, each with a check of its arguments."""
