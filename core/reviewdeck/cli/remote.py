"""`--host`: the same command on another machine, over ssh, on the ledger of that machine."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from reviewdeck import environment
from reviewdeck.cli.program_name import REACHED_AS
from reviewdeck.cli.usage import UsageProblem
from reviewdeck.engine.authorisation import admitted
from reviewdeck.errors import BadInput, ReviewdeckError
from reviewdeck.locations import additional_agents
from reviewdeck.terminal import is_terminal

OPTION: Final = "--host"
_UNREACHED, _NOT_FOUND = 255, 127
"""The exit codes of ssh itself, and of a shell that does not find a program."""
_CARRIED: Final = ("NO_COLOR", "COLORTERM", "COLUMNS", REACHED_AS)
"""Variables about the output; ssh itself carries the terminal's type and its size."""
_FOLDERS: Final = "$HOME/.local/bin:/usr/local/bin:/opt/homebrew/bin"
"""Where programs are that a shell without a terminal may not find."""


class NotReached(ReviewdeckError):
    """The other machine did not answer, or has no reviewdeck."""

    code = "host-unavailable"


def take_host(tokens: Sequence[str]) -> tuple[str | None, list[str]]:
    """The machine that the tokens name, and the tokens without it. Raises UsageProblem."""
    end = tokens.index("--") if "--" in tokens else len(tokens)
    hosts: list[str] = []
    kept: list[str] = []
    words = iter(tokens[:end])
    for word in words:
        if word == OPTION:
            hosts.append(next(words, ""))
        elif word.startswith(f"{OPTION}="):
            hosts.append(word.removeprefix(f"{OPTION}="))
        else:
            kept.append(word)
    if not hosts:
        return None, [*tokens]
    if len(hosts) > 1:
        raise UsageProblem(f"Name one machine with {OPTION}, not {len(hosts)}.")
    return _checked(hosts[0]), [*kept, *tokens[end:]]


def _checked(host: str) -> str:
    """The host, where ssh takes it for one: never for an option or for two words."""
    if not host:
        raise UsageProblem(f"{OPTION} needs a machine.", hint="For example: user@machine.")
    user, at, name = host.rpartition("@")
    is_option = name.startswith("-") or (at and user.startswith("-"))
    if not name or (at and not user) or is_option or not all(c.isprintable() for c in host):
        raise UsageProblem(
            f"{OPTION} cannot be {host!r}.", hint="Write a machine as ssh takes it: user@machine."
        )
    if any(c.isspace() for c in host):
        raise UsageProblem(f"{OPTION} cannot be {host!r}.", hint="A name has no spaces.")
    return host


def run_there(host: str, tokens: Sequence[str]) -> int:
    """Runs a command on another machine and gives its exit code.

    Raises DescendsFromAgent, BadInput where there is no ssh, NotReached.
    """
    admitted(environment.process_ancestry()(), additional_agents())
    # Relative entries are skipped: the current folder may be anybody's.
    folders = os.environ.get("PATH", "").split(os.pathsep)
    places = os.pathsep.join(folder for folder in folders if Path(folder).is_absolute())
    ssh = shutil.which("ssh", path=places) if places else None
    if ssh is None:
        raise BadInput("There is no ssh on this machine.", hint=f"{OPTION} needs OpenSSH.")
    # With a terminal of its own, the other end mixes its errors into the output.
    terminal = "-t" if is_terminal() and "--json" not in tokens else "-T"
    sys.stdout.flush()
    code = _run([ssh, terminal, "--", host, command_line(tokens, {**os.environ, REACHED_AS: host})])
    if code == _UNREACHED:
        raise NotReached(f"ssh did not reach {host}, or lost it.", hint=f"Try `ssh {host}`.")
    if code == _NOT_FOUND:
        raise NotReached(
            f"There is no reviewdeck on {host}.",
            hint="Install it there, where a shell finds it: in ~/.local/bin, for example.",
        )
    return code


def _run(command: Sequence[str]) -> int:
    with subprocess.Popen(command) as process:  # noqa: S603 - ssh, found on PATH
        try:
            code = process.wait()
        except BaseException:
            process.terminate()
            raise
    return 128 - code if code < 0 else code


def command_line(tokens: Sequence[str], env: Mapping[str, str]) -> str:
    """The command for the other machine's shell, whichever that is: it means these exact bytes.

    Each shell has its own rules inside quotes. So the script for `sh` is written in octal numbers,
    and every shell reads those alike.
    """
    carried = [f"export {name}={shlex.quote(env[name])};" for name in _CARRIED if env.get(name)]
    script = " ".join(
        [
            f'PATH="$PATH:{_FOLDERS}";',
            *carried,
            "command -v reviewdeck >/dev/null 2>&1 || exit 127;",
            f"exec reviewdeck {shlex.join(tokens)}",
        ]
    )
    octal = "".join(f"\\0{byte:03o}" for byte in os.fsencode(script))
    return f"""exec sh -c 'eval "$(printf %b "{octal}")"'"""
