"""`reviewdeck completion`: scripts for bash, zsh and fish, and the man page, from the commands.

Commands and options are part of the script; ids, operations and documents are asked for on Tab.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from importlib.metadata import version
from typing import Annotated, Final

from cyclopts import App, Parameter
from cyclopts.argument import Argument

from reviewdeck.cli.candidates import ASK
from reviewdeck.cli.options import DEFAULTS, Options


class Reader(StrEnum):
    """Who reads the script."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"
    MAN = "man"


def completion(
    reader: Annotated[Reader, Parameter(help="bash, zsh or fish; man for the manual page.")],
    /,
    *,
    options: Options = DEFAULTS,
) -> int:
    """Print shell completions or the man page."""
    from reviewdeck.cli.table import build_app  # would load every command with this module

    del options  # Every command takes them.
    sys.stdout.write(script(reader, build_app()))
    return 0


_COMPLETED: Final = {"ID", "OPERATION", "DOCUMENT"}
"""The arguments whose values are completed from the ledger."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a command."""

    name: str
    help: str
    is_switch: bool


@dataclass(frozen=True, slots=True)
class Command:
    """One command that can be run, with the words that call it."""

    words: tuple[str, ...]
    help: str
    arguments: tuple[str, ...]
    options: tuple[Option, ...]

    @property
    def candidate_kind(self) -> str:
        """The kind of candidates for its first argument: `FILE` for a path; empty for none."""
        first = self.arguments[0] if self.arguments else ""
        if self.words == ("reopen",):
            return "REJECTED"
        return first if first in _COMPLETED else "FILE" if first in ("FILE", "PATH") else ""


def commands_of(app: App, prefix: tuple[str, ...] = ()) -> Iterator[Command]:
    """Each command with its arguments and options."""
    for name, subapp in app.resolved_commands().items():
        if name.startswith("-"):
            continue
        words = (*prefix, name)
        if subapp.default_command is not None:
            arguments = [
                argument
                for argument in subapp.assemble_argument_collection()
                if argument.name != "*"
            ]
            yield Command(
                words,
                _plain(str(subapp.help)),
                tuple(argument.name for argument in arguments if not argument.name.startswith("-")),
                tuple(
                    _option(argument) for argument in arguments if argument.name.startswith("--")
                ),
            )
        yield from commands_of(subapp, words)


def _option(argument: Argument) -> Option:
    return Option(argument.name, _plain(argument.parameter.help or ""), argument.hint is bool)


def _plain(text: str) -> str:
    return " ".join(text.split())


def script(shell: str, app: App) -> str:
    """The completion script of a shell; the source of the man page for anything else."""
    commands = tuple(commands_of(app))
    match shell:
        case "bash":
            return _bash(commands)
        case "zsh":
            return _zsh(commands)
        case "fish":
            return _fish(commands)
        case _:
            return _man(commands)


def _heads(commands: tuple[Command, ...]) -> dict[str, str]:
    return {
        command.words[0]: command.help if len(command.words) == 1 else "" for command in commands
    }


def _nested(commands: tuple[Command, ...], first: str) -> list[Command]:
    return [command for command in commands if command.words[0] == first and len(command.words) > 1]


def _groups(commands: tuple[Command, ...]) -> list[str]:
    return sorted({command.words[0] for command in commands if len(command.words) > 1})


def _bash(commands: tuple[Command, ...]) -> str:
    cases = "\n".join(
        f'        "{" ".join(command.words)}") options="'
        f'{" ".join(option.name for option in command.options)} --help"'
        f" kind={command.candidate_kind};;"
        for command in commands
    )
    nested = "\n".join(
        f"        {name}) words_below="
        f'"{" ".join(command.words[1] for command in _nested(commands, name))}";;'
        for name in _groups(commands)
    )
    return f"""\
# bash completion of reviewdeck: source <(reviewdeck completion bash)
_reviewdeck() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} command=${{COMP_WORDS[1]}}
    local before=${{COMP_WORDS[COMP_CWORD - 1]}} options="" kind="" words_below="" line
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "{" ".join(_heads(commands))} --help --version" -- "$current"))
        return
    fi
    case $command in
{nested}
    esac
    if [ -n "$words_below" ]; then
        if [ "$COMP_CWORD" -eq 2 ]; then
            COMPREPLY=($(compgen -W "$words_below" -- "$current"))
            return
        fi
        command="$command ${{COMP_WORDS[2]}}"
    fi
    case $command in
{cases}
    esac
    if [ "${{current#-}}" != "$current" ]; then
        COMPREPLY=($(compgen -W "$options" -- "$current"))
    elif [ "$kind" = FILE ] || [ "${{before#--}}" != "$before" ]; then
        COMPREPLY=($(compgen -f -- "$current"))
    elif [ -n "$kind" ]; then
        while IFS= read -r line; do
            case $line in "$current"*) COMPREPLY+=("$line");; esac
        done < <("${{COMP_WORDS[0]}}" {ASK} "$kind" "${{COMP_WORDS[@]:1}}" 2>/dev/null)
        # A gist is somebody else's text: it is listed among others, and never where readline
        # would insert it, as it does with one match and in menus.
        case ${{#COMPREPLY[@]}}:$COMP_TYPE:$kind in
            1:*|*:DOCUMENT) COMPREPLY=("${{COMPREPLY[@]%%$'\\t'*}}");;
            *:9:*|*:33:*|*:63:*|*:64:*) COMPREPLY=("${{COMPREPLY[@]/$'\\t'/  }}");;
            *) COMPREPLY=("${{COMPREPLY[@]%%$'\\t'*}}");;
        esac
    fi
}}
complete -o nosort -F _reviewdeck reviewdeck
"""


def _zsh(commands: tuple[Command, ...]) -> str:
    def described(pairs: Iterator[tuple[str, str]]) -> str:
        quoted = (shlex.quote(f"{name}:{about}" if about else name) for name, about in pairs)
        return " ".join(quoted)

    cases = "\n".join(
        f"    ({shlex.quote(' '.join(command.words))})"
        f" kind={shlex.quote(command.candidate_kind)}; options=("
        f"{described((option.name, option.help) for option in command.options)});;"
        for command in commands
    )
    nested = "\n".join(
        f"    ({name}) below=("
        f"{described((command.words[1], command.help) for command in _nested(commands, name))});;"
        for name in _groups(commands)
    )
    return f"""\
#compdef reviewdeck
# zsh completion of reviewdeck: reviewdeck completion zsh > a folder of $fpath, as _reviewdeck
_reviewdeck() {{
  local -a firsts below options values
  local kind='' command=${{words[2]}} line
  firsts=({described(iter(_heads(commands).items()))})
  if (( CURRENT == 2 )); then _describe command firsts; return; fi
  case $command in
{nested}
  esac
  if (( $#below )); then
    if (( CURRENT == 3 )); then _describe command below; return; fi
    command="$command ${{words[3]}}"
  fi
  case $command in
{cases}
  esac
  if [[ $PREFIX == -* ]]; then _describe option options; return; fi
  if [[ $kind == FILE || ${{words[CURRENT-1]}} == --* ]]; then _files; return; fi
  [[ -n $kind ]] || return 1
  for line in "${{(@f)$(${{words[1]}} {ASK} $kind ${{words[2,-1]}} 2>/dev/null)}}"; do
    line=${{line%$'\\t'}}
    values+=("${{line/$'\\t'/:}}")
  done
  _describe -V $kind values
}}
# From a folder of $fpath this file is the function itself; sourced, it has to be registered.
if [[ $funcstack[1] == _reviewdeck ]]; then _reviewdeck "$@"
else compdef _reviewdeck reviewdeck; fi
"""


def _fish(commands: tuple[Command, ...]) -> str:
    lines = [
        "# fish completion of reviewdeck: reviewdeck completion fish | source",
        "complete -c reviewdeck -f",
    ]
    for first, about in _heads(commands).items():
        lines.append(
            f"complete -c reviewdeck -n __fish_use_subcommand -a {first} -d {_fish_quoted(about)}"
        )
    for command in commands:
        is_command = "; and ".join(f"__fish_seen_subcommand_from {word}" for word in command.words)
        if len(command.words) > 1:
            siblings = " ".join(sibling.words[1] for sibling in _nested(commands, command.words[0]))
            is_group = (
                f"__fish_seen_subcommand_from {command.words[0]};"
                f" and not __fish_seen_subcommand_from {siblings}"
            )
            lines.append(
                f"complete -c reviewdeck -n '{is_group}' -a {command.words[1]}"
                f" -d {_fish_quoted(command.help)}"
            )
        for option in command.options:
            takes = "" if option.is_switch else " -r"
            lines.append(
                f"complete -c reviewdeck -n '{is_command}' -l {option.name[2:]}{takes}"
                f" -d {_fish_quoted(option.help)}"
            )
        if command.candidate_kind == "FILE":
            lines.append(f"complete -c reviewdeck -n '{is_command}' -F")
        elif command.candidate_kind:
            values = (
                f"(reviewdeck {ASK} {command.candidate_kind} (commandline -opc)[2..] 2>/dev/null)"
            )
            lines.append(f"complete -c reviewdeck -n '{is_command}' -k -a '{values}'")
    return "\n".join(lines) + "\n"


def _fish_quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _man(commands: tuple[Command, ...]) -> str:
    lines = [
        f'.TH REVIEWDECK 1 "" "reviewdeck {version("reviewdeck")}" "User Commands"',
        ".SH NAME",
        "reviewdeck \\- review what an agent proposes to remember before it is written",
        ".SH SYNOPSIS",
        ".B reviewdeck",
        "[\\fICOMMAND\\fR] [\\fIOPTIONS\\fR]",
        ".SH DESCRIPTION",
        "Without a command the deck opens. Options that every command takes are listed once.",
        ".SH COMMANDS",
    ]
    common = set.intersection(*(set(command.options) for command in commands))
    for command in commands:
        lines += [
            ".SS " + _roff_escaped(" ".join([*command.words, *command.arguments])),
            _roff_escaped(command.help),
        ]
        for option in command.options:
            if option not in common:
                lines += _man_option(option)
    lines.append(".SH OPTIONS OF EVERY COMMAND")
    for option in sorted(common, key=lambda option: option.name):
        lines += _man_option(option)
    lines += [
        ".SH ENVIRONMENT",
        _roff_escaped(
            "REVIEWDECK_LEDGER, REVIEWDECK_POLICY, HERMES_HOME, NO_COLOR, REVIEWDECK_DEBUG"
        ),
        ".SH EXIT STATUS",
        "0 done; 1 failed; 2 the command line makes no sense; 3 something waits for an operator.",
    ]
    return "\n".join(lines) + "\n"


def _man_option(option: Option) -> list[str]:
    return [".TP", f"\\fB{_roff_escaped(option.name)}\\fR", _roff_escaped(option.help)]


def _roff_escaped(text: str) -> str:
    escaped = re.sub(r"[\\-]", lambda match: "\\" + ("e" if match[0] == "\\" else "-"), text)
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped
