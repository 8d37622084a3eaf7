"""Errors in a command line, as one line and a hint.

They are worded here because the messages of cyclopts need difflib.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Final, get_args

from cyclopts import (
    Argument,
    CoercionError,
    CycloptsError,
    MissingArgumentError,
    RepeatArgumentError,
    Token,
    UnknownCommandError,
    UnknownOptionError,
    UnusedCliTokensError,
    ValidationError,
)

from reviewdeck.errors import ReviewdeckError

_ELSEWHERE: Final = {
    "redo": "To redo, undo the undo: `reviewdeck log` lists its operation.",
    "version": "`reviewdeck --version` prints it.",
}
"""What other programs have as a command, and this one in another."""


class UsageProblem(ReviewdeckError):
    """The command line does not make sense."""

    code = "usage"
    default_hint = "`reviewdeck --help` lists the commands."


def problem_of(
    error: CycloptsError, commands: Iterable[str], groups: Mapping[str, Sequence[str]]
) -> UsageProblem:
    """A parser error in reviewdeck's own words."""
    command = " ".join(error.command_chain or ())
    help_hint = f"See `reviewdeck {command} --help`." if command else UsageProblem.default_hint
    match error:
        case MissingArgumentError():
            return _missing_value(error, command, help_hint)
        case UnknownOptionError():
            option = error.token.keyword or error.token.value
            options = [
                name
                for argument in error.argument_collection
                for name in argument.names
                if argument.parse
            ]
            return UsageProblem(
                f"There is no option {option}.", hint=_suggest(option, options) or help_hint
            )
        case CoercionError():
            return UsageProblem(_describe_bad_value(error), hint=help_hint)
        case ValidationError(argument=Argument(tokens=[token, *_]) as argument):
            why = error.exception_message.rstrip(".")
            message = f"{argument.name} cannot be {token.value!r}: {why[:1].lower()}{why[1:]}."
            return UsageProblem(message, hint=help_hint)
        case UnknownCommandError() | UnusedCliTokensError():
            return unexpected((error.unused_tokens or [""])[0], command, list(commands), groups)
        case RepeatArgumentError(token=Token(keyword=str(option), value=value)):
            # The parser counts an option without its value as one that is there again.
            told = "is given once" if value else "needs a value"
            return UsageProblem(f"{option} {told}.", hint=help_hint)
        case _:
            error.verbose = False
            return UsageProblem(" ".join(str(error).split()), hint=help_hint)


def _missing_value(error: MissingArgumentError, command: str, help_hint: str) -> UsageProblem:
    name = error.argument.name if error.argument is not None else "argument"
    if error.keyword:
        return needs_value(error.keyword, help_hint)
    return missing_digest(command) if name == "--digest" else missing(command, name)


def needs_value(option: str, hint: str = UsageProblem.default_hint) -> UsageProblem:
    """The problem of an option without its value."""
    return UsageProblem(f"{option} needs a value.", hint=hint)


def missing_digest(command: str) -> UsageProblem:
    """The problem of a decision that does not name what was shown."""
    return missing(command, "--digest", "`reviewdeck diff ID` prints the digest at its end.")


def missing(command: str, name: str, hint: str = "") -> UsageProblem:
    """The problem of a command that was not given what it needs."""
    return UsageProblem(
        f"`reviewdeck {command}` needs {name}.", hint=hint or f"See `reviewdeck {command} --help`."
    )


def _unknown_subcommand(token: str, command: str, commands: Sequence[str]) -> UsageProblem:
    names = ", ".join(commands)
    if token.startswith("-"):
        return UsageProblem(f"`reviewdeck {command}` needs a command.", hint=f"It has {names}.")
    hint = _suggest(token, commands) or f"`reviewdeck {command}` has {names}."
    return UsageProblem(f"There is no command '{command} {token}'.", hint=hint)


def unexpected(
    token: str, command: str, commands: list[str], groups: Mapping[str, Sequence[str]]
) -> UsageProblem:
    """The problem of an unknown command, or of an argument that the command does not take.

    `groups` are the commands with subcommands, and their names.
    """
    if command in groups:
        return _unknown_subcommand(token, command, groups[command])
    if command:
        hint = f"See `reviewdeck {command} --help`."
        return UsageProblem(f"`reviewdeck {command}` does not take {token!r}.", hint=hint)
    hint = _ELSEWHERE.get(token) or _suggest(token, commands) or UsageProblem.default_hint
    return UsageProblem(f"There is no command {token!r}.", hint=hint)


def _describe_bad_value(error: CoercionError) -> str:
    if error.msg is not None:
        return str(error.msg)
    value = error.token.value if error.token is not None else ""
    name = error.argument.name if error.argument is not None else "the argument"
    return f"{name} cannot be {value!r}. {_allowed(error.target_type)}".rstrip()


def _allowed(kind: object) -> str:
    """What a value of this type may be."""
    members = getattr(kind, "__members__", None)
    values = [*members.values()] if members else list(get_args(kind))
    if values and all(isinstance(value, str) for value in values):
        return f"Choose from {', '.join(map(str, values))}."
    forms = {date: "Write a day, such as 2026-10-31.", bool: "It is there or not, without a value."}
    return next((said for form, said in forms.items() if kind is form or form in values), "")


def _suggest(word: str, words: Iterable[str]) -> str:
    from rapidfuzz import fuzz, process

    names = {name: name.lstrip("-").lower() for name in words}
    match = process.extractOne(word.lstrip("-").lower(), names, scorer=fuzz.ratio, score_cutoff=60)
    return f"Did you mean {match[2]}?" if match else ""
