"""What is wrong with a command line, in one line and a hint.

The words are ours, since those of cyclopts come with difflib.
"""

from __future__ import annotations

from collections.abc import Iterable

from cyclopts import (
    CoercionError,
    CycloptsError,
    MissingArgumentError,
    UnknownCommandError,
    UnknownOptionError,
    UnusedCliTokensError,
)

from reviewdeck.errors import ReviewdeckError

SEE_DIGEST = "`reviewdeck diff ID` shows the digest below what it stands for."


class UsageProblem(ReviewdeckError):
    """The command line does not make sense."""

    code = "usage"
    default_hint = "`reviewdeck --help` lists the commands."


def problem_of(error: CycloptsError, commands: Iterable[str]) -> UsageProblem:
    """The same complaint in our own words."""
    asked = " ".join(error.command_chain or ())
    help_hint = f"See `reviewdeck {asked} --help`." if asked else UsageProblem.default_hint
    match error:
        case MissingArgumentError():
            return _missing(error, asked, help_hint)
        case UnknownOptionError():
            given = error.token.keyword or error.token.value
            known = [name for one in error.argument_collection for name in one.names if one.parse]
            return UsageProblem(
                f"There is no option {given}.", hint=_meant(given, known) or help_hint
            )
        case CoercionError():
            return UsageProblem(_unusable(error), hint=help_hint)
        case UnknownCommandError() | UnusedCliTokensError():
            return unexpected((error.unused_tokens or [""])[0], asked, list(commands))
        case _:
            error.verbose = False
            return UsageProblem(" ".join(str(error).split()), hint=help_hint)


def _missing(error: MissingArgumentError, asked: str, help_hint: str) -> UsageProblem:
    name = error.argument.name if error.argument is not None else "argument"
    hint = SEE_DIGEST if name == "--digest" and not error.keyword else help_hint
    if error.keyword:
        return UsageProblem(f"{error.keyword} needs a value.", hint=hint)
    return UsageProblem(f"`reviewdeck {asked}` needs {name}.", hint=hint)


def unexpected(token: str, asked: str, commands: list[str]) -> UsageProblem:
    """A word that nothing takes: no command, or nothing to the command before it."""
    if asked:
        hint = f"See `reviewdeck {asked} --help`."
        return UsageProblem(f"`reviewdeck {asked}` does not take {token!r}.", hint=hint)
    hint = _meant(token, commands) or UsageProblem.default_hint
    return UsageProblem(f"There is no command {token!r}.", hint=hint)


def _unusable(error: CoercionError) -> str:
    if error.msg is not None:
        return str(error.msg)
    value = error.token.value if error.token is not None else ""
    name = error.argument.name if error.argument is not None else "the argument"
    members = getattr(error.target_type, "__members__", None)
    choices = f" Choose from {', '.join(str(one) for one in members.values())}." if members else ""
    return f"{name} cannot be {value!r}.{choices}"


def _meant(given: str, known: Iterable[str]) -> str:
    from rapidfuzz import fuzz, process

    found = process.extractOne(given, list(known), scorer=fuzz.ratio, score_cutoff=60)
    return f"Did you mean {found[0]}?" if found else ""
