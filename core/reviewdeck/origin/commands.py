"""Whether a shell command brings in a text from elsewhere.

A command counts as local when every program in it is on a list of those that fetch nothing; all
others fetch, as far as anybody can tell. This sorts honest use: what a workspace's own tests and
hooks do, nobody reads here. They are no worse than its files, which count as workspace too.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from typing import Final

_LOCAL_NAMES: Final = (
    "ls dir cat bat head tail less more wc grep egrep fgrep rg ag find fd fdfind sed awk gawk "
    "mawk sort uniq cut tr echo printf pwd cd pushd popd mkdir rmdir rm cp mv touch ln chmod "
    "stat file du df tree basename dirname realpath readlink diff cmp comm paste column tac "
    "rev nl fold fmt expand date cal printenv whoami id groups uname hostname uptime ps free "
    "lscpu lsblk nproc which type true false test [ [[ sleep seq tee md5sum sha1sum sha256sum "
    "sha512sum cksum base64 xxd od hexdump strings gzip gunzip zcat bzip2 xz tar zip unzip jq "
    "yq export set unset exit wait jobs read shift local return : ] ]] git ruff black isort "
    "flake8 pyflakes mypy pyright shellcheck gofmt rustfmt tsc prettier tokei cloc patch "
    "pytest make"
)
LOCAL: Final = frozenset(_LOCAL_NAMES.split())
"""Programs that fetch nothing by themselves; of some, what they are asked for decides."""

MAKE_LOCAL: Final = frozenset({"check", "test", "tests", "lint", "format", "fmt", "clean"})
"""Targets of make that work on the files that are there already."""

_GIT_NAMES: Final = (
    "status log diff show add commit branch checkout switch restore stash reset rev-parse "
    "blame grep ls-files ls-tree describe tag init merge rebase cherry-pick revert mv rm "
    "shortlog reflog worktree cat-file rev-list merge-base clean apply format-patch version"
)
GIT_LOCAL: Final = frozenset(_GIT_NAMES.split())
"""Subcommands of git that reach no other machine."""

_WRAPPERS: Final = frozenset(
    {"time", "nohup", "nice", "command", "builtin", "env", "xargs", "timeout", "stdbuf", "exec"}
)
_LOOPS: Final = frozenset({"for", "case", "in"})
_KEYWORDS: Final = _LOOPS | frozenset(
    {"if", "then", "else", "elif", "fi", "do", "done", "while", "until", "esac", "!", "{", "}"}
)
_PLACES: Final = ("/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/")

_FETCHES: Final = re.compile(r"[A-Za-z][\w+.-]*://|/dev/(?:tcp|udp)|/inet[46]?/|\bwww\.")
_STARTS: Final = re.compile(
    r"\b(?:system|getline|popen)\b|\|\s*\"|--checkpoint-action|--to-command"
)
"""Ways to start a program from within awk and tar."""
_SPLIT: Final = re.compile(r"&&|\|\||[;|&\n(){}`]|\$\(|<\(|>\(")
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*\+?=")
_REDIRECTION: Final = re.compile(r"\d*(?:>>?|<<?<?|>&|&>>?)\d*")
_FLAG_OR_NUMBER: Final = re.compile(r"-.*|\d+(?:\.\d+)?[smhd]?")


def fetches(command: str) -> bool:
    """Whether this command line may bring in a text from elsewhere."""
    if not command.strip() or "\0" in command or _FETCHES.search(command):
        return True
    pieces = _pieces(command)
    return pieces is None or any(_program_fetches(words) for words in pieces)


def _pieces(command: str) -> list[list[str]] | None:
    """The simple commands of a line as words; None when it cannot be told where they end."""
    if "<<" in command:
        return None  # What follows is a text for a program, not a command.
    try:
        lexer = shlex.shlex(command, posix=True, punctuation_chars=";|&()<>\n")
        lexer.whitespace = " \t\r"
        lexer.whitespace_split = True
        lexer.commenters = ""
        words = list(lexer)
    except ValueError:
        return None
    commands: list[list[str]] = [[]]
    for word in words:
        if word and not word.strip(";|&()\n"):
            commands.append([])
        else:
            commands[-1].append(word)
    return [piece for words in commands for piece in _unquoted(words)]


def _unquoted(words: list[str]) -> Iterator[list[str]]:
    """The words of one command, and those of commands that stand within its words."""
    yield words
    for word in words:
        if "`" in word or "$(" in word or "<(" in word:
            for inner in _SPLIT.split(word)[1:]:
                yield inner.split()


def _program_fetches(words: Sequence[str]) -> bool:
    """Whether one simple command may fetch."""
    words = list(_arguments(words))
    if not words:
        return False
    name, arguments = words[0], words[1:]
    for place in _PLACES:
        name = name.removeprefix(place)
    if name in _KEYWORDS:
        # What loops goes over words, and what follows any other keyword is a command.
        return name not in _LOOPS and _program_fetches(arguments)
    if name in _WRAPPERS:
        return _program_fetches(_without_options(arguments))
    if arguments and all(word in ("--version", "-V", "--help") for word in arguments):
        return not re.fullmatch(r"[a-z][\w.-]*", name)
    if name not in LOCAL:
        return True
    return _is_more(name, arguments)


def _arguments(words: Sequence[str]) -> Iterator[str]:
    """The words of a command without assignments before it and redirections."""
    begun = skip = False
    for word in words:
        if skip:
            skip = False
        elif _REDIRECTION.fullmatch(word):
            skip = True
        elif begun or not _ASSIGNMENT.match(word):
            begun = True
            yield word


def _without_options(words: Sequence[str]) -> list[str]:
    """The command that a wrapper runs, without the wrapper's options, numbers and assignments."""
    at = 0
    while at < len(words) and (
        _FLAG_OR_NUMBER.fullmatch(words[at]) or _ASSIGNMENT.match(words[at])
    ):
        at += 1
    return list(words[at:])


def _is_more(name: str, arguments: Sequence[str]) -> bool:
    """Whether the arguments make more of a local program than it is on its own."""
    match name:
        case "git":
            return _git_fetches(arguments)
        case "make":
            return not arguments or not MAKE_LOCAL.issuperset(arguments)
        case "find" | "fd" | "fdfind":
            return any(
                word in ("-x", "-X", "--exec", "--exec-batch") or word.startswith(("-exec", "-ok"))
                for word in arguments
            ) and _runs_more(arguments)
        case "awk" | "gawk" | "mawk" | "tar" | "sed":
            text = " ".join(arguments)
            return bool(_STARTS.search(text)) or (name == "sed" and _sed_runs(arguments))
        case _:
            return False


def _runs_more(arguments: Sequence[str]) -> bool:
    """Whether what `find` starts for each file fetches."""
    for at, word in enumerate(arguments):
        if word.startswith(("-exec", "-ok", "--exec")) or word in ("-x", "-X"):
            run = [word for word in arguments[at + 1 :] if word not in ("{}", ";", "\\;", "+")]
            return not run or _program_fetches(run)
    return False


def _sed_runs(arguments: Sequence[str]) -> bool:
    """Whether a script of sed runs what it finds."""
    return any(
        re.search(r"(?:^|[;\d}/])\s*e(?:\s|$)|/[gpI\d]*e[gpI\d]*$", word) for word in arguments
    )


def _git_fetches(arguments: Sequence[str]) -> bool:
    words = iter(arguments)
    for word in words:
        if word == "-C":
            next(words, None)
        elif word in ("-c", "--exec-path", "--config-env"):
            return True
        elif not word.startswith("-"):
            return word not in GIT_LOCAL and [word, *words] not in (["remote"], ["remote", "-v"])
    return False
