"""Whether a shell command brings in a text from elsewhere.

A command counts as local when every program in it is on a list of those that fetch nothing; all
others fetch, as far as anybody can tell. This sorts honest use: what a workspace's own tests and
hooks do, nobody reads here. They are no worse than its files, which count as workspace too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from reviewdeck.text.shell import SimpleCommand, split_commands

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
_STARTS: Final = re.compile(r"\b(?:system|getline|popen)\b|\|\s*\"|\|&|@load")
"""Ways to start a program from within a program of awk."""
_STARTING: Final = {
    name: re.compile(pattern)
    for names, pattern in (
        ("awk gawk mawk", r"-[lEi].*|--(?:lo|ex|inc).*"),
        ("tar", r"-?[A-Za-z]*[IF]|-[IF].*|--(?:use|to-c|chec|info|new-v|rs|rm).*|[\w.@-]+:.*"),
        ("zip", r"-[A-Za-z]*T.*|--(?:test|unz).*"),
        ("sort", r"--comp.*"),
        ("rg", r"--pre(?!-glob)(?:=.*)?|--hostname-bin.*|-[A-Za-z0-9]*z.*|--search-zip"),
        ("ag bat", r"--pager.*|-z|--search-zip"),
        ("less more", r"\+.*|-[A-Za-z]*[kPtT].*|--(?:les|prompt|tag).*"),
        ("patch", r"-[A-Za-z]*e.*|--ed"),
        ("pytest", r"-p.*|-c.*|-o.*|--(?:pdbc|over|conf|rootd|confcut|p).*"),
        ("git", r"-O.*|--open.*|--ext-diff|--textconv|--upl.*|--rec.*|--exec.*|--temp.*"),
    )
    for name in names.split()
}
"""Options that name a program to run, or a file that may, with their abbreviations."""
_STEERING: Final = re.compile(
    r"(?:GIT|LD|DYLD|PYTHON|PYTEST|PERL|RUBY|NODE|NPM|MAKE|LESS|MAN|GREP|BASH|ZIP|TAR)(?:_?\w+)?|"
    r"\w*(?:PAGER|EDITOR|VISUAL|BROWSER|COMMAND|CMD|SHELL|PATH|OPT|OPTS|OPTIONS|FLAGS|ARGS|CONFIG|"
    r"PRELOAD|STARTUP|PROXY|ASKPASS|HOOK|HOOKS|EXEC|PROGRAM|WRAPPER|HOME|DIR|FILTER|OPEN|CLOSE)"
    r"(?:_\w+)?|(?:ENV|IFS|PS[0-4]|CC|CXX|AR|LD)"
)
"""Variables that name a program, its options or where it is found: pagers, editors, `GIT_*`."""
_TAKES_NAMES: Final = frozenset({"export", "local", "set", "env", "read", "declare", "unset"})
_ASSIGNMENT: Final = re.compile(r"([A-Za-z_]\w*)\+?=")
_TEXT_TAKERS: Final = frozenset({"cat", "git", "tee", "wc"})
"""Programs that do not execute what they read."""
_FLAG_OR_NUMBER: Final = re.compile(r"-.*|\d+(?:\.\d+)?[smhd]?")


def fetches(command: str) -> bool:
    """Whether this command line may bring in a text from elsewhere."""
    if not command.strip() or _FETCHES.search(command):
        return True
    commands = split_commands(command)
    return commands is None or any(map(_command_fetches, commands))


def _command_fetches(command: SimpleCommand) -> bool:
    """Whether one simple command may fetch."""
    if any(map(_steers, (name for name, _ in command.assignments))):
        return True
    is_given_text = any(operator.startswith("<<") for operator, _ in command.redirections)
    if is_given_text and command.name not in _TEXT_TAKERS:
        return True  # The text may be a program.
    words = [word.text for word in command.words]
    others = [word.text for _, word in (*command.assignments, *command.redirections)]
    if any(map(_FETCHES.search, (*words, *others))):
        return True
    if words and not command.name and words[0] not in _KEYWORDS | LOCAL:
        return True
    return _program_fetches(words)


def _steers(name: str) -> bool:
    return _STEERING.fullmatch(name) is not None


def _program_fetches(words: Sequence[str]) -> bool:
    """Whether a program with its arguments may fetch."""
    if not words:
        return False
    name, arguments = words[0], words[1:]
    for place in _PLACES:
        name = name.removeprefix(place)
    assigned = [match[1] for word in words if (match := _ASSIGNMENT.match(word))]
    if name in _TAKES_NAMES and any(map(_steers, assigned)):
        return True
    if name in _KEYWORDS:
        # What loops goes over words, and what follows any other keyword is a command.
        return name not in _LOOPS and _program_fetches(_without_assignments(arguments))
    if name in _WRAPPERS:
        if name == "env" and any(re.match(r"-[A-Za-z]*S|--s", word) for word in arguments):
            return True  # It splits a word into a command.
        return any(map(_steers, assigned)) or _program_fetches(_without_options(arguments))
    if arguments and all(word in ("--version", "-V", "--help") for word in arguments):
        return not re.fullmatch(r"[a-z][\w.-]*", name)
    if name not in LOCAL:
        return True
    return _is_more(name, arguments)


def _without_assignments(words: Sequence[str]) -> list[str]:
    at = 0
    while at < len(words) and _ASSIGNMENT.match(words[at]):
        at += 1
    return list(words[at:])


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
    starting = _STARTING.get(name)
    if starting is not None and any(map(starting.fullmatch, arguments)):
        return True
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
        case "awk" | "gawk" | "mawk":
            return _STARTS.search(" ".join(arguments)) is not None
        case "sed":
            return _sed_runs(arguments)
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
        elif word.startswith(("-c", "--exec-path", "--config-env")):
            return True
        elif not word.startswith("-"):
            options = [*words]
            if word == "rebase" and any(option.startswith("-x") for option in options):
                return True
            return word not in GIT_LOCAL and [word, *options] not in (["remote"], ["remote", "-v"])
    return False
