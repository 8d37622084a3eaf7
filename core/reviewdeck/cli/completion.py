"""Completion for bash, zsh and fish, and the man page: written from the commands as they are.

Commands and options stand in the script; only ids, operations and documents are asked for.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from typing import Final

from cyclopts import App
from cyclopts.argument import Argument

from reviewdeck.cli.candidates import ASK

_ASKED: Final = {"ID", "OPERATION", "DOCUMENT"}
"""The arguments that the ledger knows values of."""


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
    def asks(self) -> str:
        """The kind of candidates that its first argument has; `FILE` for a path, or nothing."""
        first = self.arguments[0] if self.arguments else ""
        if self.words == ("reopen",):
            return "REJECTED"
        return first if first in _ASKED else "FILE" if first in ("FILE", "PATH") else ""


def commands_of(app: App, above: tuple[str, ...] = ()) -> Iterator[Command]:
    """Each command with all that it takes."""
    for name, below in app.resolved_commands().items():
        if name.startswith("-"):
            continue
        words = (*above, name)
        if below.default_command is not None:
            taken = [one for one in below.assemble_argument_collection() if one.name != "*"]
            yield Command(
                words,
                _plain(str(below.help)),
                tuple(one.name for one in taken if not one.name.startswith("-")),
                tuple(_option(one) for one in taken if one.name.startswith("--")),
            )
        yield from commands_of(below, words)


def _option(one: Argument) -> Option:
    return Option(one.name, _plain(one.parameter.help or ""), one.hint is bool)


def _plain(text: str) -> str:
    return " ".join(text.split())


def script(shell: str, app: App) -> str:
    """What a shell, or man, reads."""
    found = tuple(commands_of(app))
    match shell:
        case "bash":
            return _bash(found)
        case "zsh":
            return _zsh(found)
        case "fish":
            return _fish(found)
        case _:
            return _man(found)


def _firsts(found: tuple[Command, ...]) -> dict[str, str]:
    """The first words with what each is for."""
    return {one.words[0]: one.help if len(one.words) == 1 else "" for one in found}


def _below(found: tuple[Command, ...], first: str) -> list[Command]:
    return [one for one in found if one.words[0] == first and len(one.words) > 1]


def _groups(found: tuple[Command, ...]) -> list[str]:
    return sorted({one.words[0] for one in found if len(one.words) > 1})


def _bash(found: tuple[Command, ...]) -> str:
    cases = "\n".join(
        f'        "{" ".join(one.words)}") options="'
        f'{" ".join(option.name for option in one.options)} --help" kind={one.asks};;'
        for one in found
    )
    nested = "\n".join(
        f'        {name}) words_below="{" ".join(one.words[1] for one in _below(found, name))}";;'
        for name in _groups(found)
    )
    return f"""\
# bash completion of reviewdeck: source <(reviewdeck completion bash)
_reviewdeck() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} command=${{COMP_WORDS[1]}}
    local before=${{COMP_WORDS[COMP_CWORD - 1]}} options="" kind="" words_below="" line
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "{" ".join(_firsts(found))} --help --version" -- "$current"))
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


def _zsh(found: tuple[Command, ...]) -> str:
    def described(pairs: Iterator[tuple[str, str]]) -> str:
        quoted = (shlex.quote(f"{name}:{about}" if about else name) for name, about in pairs)
        return " ".join(quoted)

    cases = "\n".join(
        f"    ({shlex.quote(' '.join(one.words))}) kind={shlex.quote(one.asks)}; options=("
        f"{described((option.name, option.help) for option in one.options)});;"
        for one in found
    )
    nested = "\n".join(
        f"    ({name}) below=("
        f"{described((one.words[1], one.help) for one in _below(found, name))});;"
        for name in _groups(found)
    )
    return f"""\
#compdef reviewdeck
# zsh completion of reviewdeck: reviewdeck completion zsh > a folder of $fpath, as _reviewdeck
_reviewdeck() {{
  local -a firsts below options values
  local kind='' command=${{words[2]}} line
  firsts=({described(iter(_firsts(found).items()))})
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


def _fish(found: tuple[Command, ...]) -> str:
    lines = [
        "# fish completion of reviewdeck: reviewdeck completion fish | source",
        "complete -c reviewdeck -f",
    ]
    for first, about in _firsts(found).items():
        lines.append(
            f"complete -c reviewdeck -n __fish_use_subcommand -a {first} -d {_fished(about)}"
        )
    for one in found:
        seen = "; and ".join(f"__fish_seen_subcommand_from {word}" for word in one.words)
        if len(one.words) > 1:
            siblings = " ".join(other.words[1] for other in _below(found, one.words[0]))
            there = (
                f"__fish_seen_subcommand_from {one.words[0]};"
                f" and not __fish_seen_subcommand_from {siblings}"
            )
            lines.append(
                f"complete -c reviewdeck -n '{there}' -a {one.words[1]} -d {_fished(one.help)}"
            )
        for option in one.options:
            takes = "" if option.is_switch else " -r"
            lines.append(
                f"complete -c reviewdeck -n '{seen}' -l {option.name[2:]}{takes}"
                f" -d {_fished(option.help)}"
            )
        if one.asks == "FILE":
            lines.append(f"complete -c reviewdeck -n '{seen}' -F")
        elif one.asks:
            values = f"(reviewdeck {ASK} {one.asks} (commandline -opc)[2..] 2>/dev/null)"
            lines.append(f"complete -c reviewdeck -n '{seen}' -k -a '{values}'")
    return "\n".join(lines) + "\n"


def _fished(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _man(found: tuple[Command, ...]) -> str:
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
    common = set.intersection(*(set(one.options) for one in found))
    for one in found:
        lines += [".SS " + _roff(" ".join([*one.words, *one.arguments])), _roff(one.help)]
        for option in one.options:
            if option not in common:
                lines += _tagged(option)
    lines.append(".SH OPTIONS OF EVERY COMMAND")
    for option in sorted(common, key=lambda option: option.name):
        lines += _tagged(option)
    lines += [
        ".SH ENVIRONMENT",
        _roff("REVIEWDECK_LEDGER, REVIEWDECK_POLICY, HERMES_HOME, NO_COLOR, REVIEWDECK_DEBUG"),
        ".SH EXIT STATUS",
        "0 done; 1 failed; 2 the command line makes no sense; 3 something waits for an operator.",
    ]
    return "\n".join(lines) + "\n"


def _tagged(option: Option) -> list[str]:
    return [".TP", f"\\fB{_roff(option.name)}\\fR", _roff(option.help)]


def _roff(text: str) -> str:
    escaped = re.sub(r"[\\-]", lambda found: "\\" + ("e" if found[0] == "\\" else "-"), text)
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped
