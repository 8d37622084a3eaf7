"""Telling an agent among processes: by its program and the shape of its command, and nothing else.

A variable of the environment is never evidence: it is inherited by everything and set by anybody.
Neither is this list proof: a program that wants to can hide what it is. It keeps an agent that is
asked to approve its own proposal from simply doing so.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final

from reviewdeck.ports.authority import Process

AGENTS: Final = frozenset(
    {
        "aider",
        "amp",
        "auggie",
        "claude",
        "claude-code",
        "cline",
        "codex",
        "copilot",
        "crush",
        "cursor-agent",
        "droid",
        "gemini",
        "gemini-cli",
        "goose",
        "goosed",
        "hermes",
        "hermes-agent",
        "hermes_agent",
        "hermes_cli",
        "openclaw",
        "opencode",
        "openhands",
        "qwen",
    }
)
"""Programs that run a model which can type commands."""

_PACKAGES: Final = re.compile(
    r"[/\\](?:@anthropic-ai[/\\]claude-code|@openai[/\\]codex|@google[/\\]gemini-cli"
    r"|@qwen-code[/\\]qwen-code|@sourcegraph[/\\]amp|opencode-ai|openclaw|hermes[-_]agent"
    r"|hermes_cli)[/\\]"
)
"""Where such programs are installed when an interpreter runs them."""
_INTERPRETERS: Final = re.compile(
    r"(?:python|pypy|node|nodejs|bun|deno|ruby|uv|uvx|npx|pipx|bunx)[\d.]*(?:\.exe)?"
)
_SUFFIXES: Final = (".exe", ".py", ".pyz", ".js", ".mjs", ".cjs", ".ts", ".sh")
_WORDS: Final = 6
"""So many arguments of an interpreter are looked at for what it runs."""


def agent_among(ancestors: Iterable[Process], also: Collection[str] = ()) -> Process | None:
    """The nearest process that is a known agent, or None.

    `also` names further programs that count as agents.
    """
    known = AGENTS | {name.lower() for name in also}
    return next((one for one in ancestors if _is_agent(one, known)), None)


def _is_agent(process: Process, known: Collection[str]) -> bool:
    if not process.command:
        return _plain(process.name) in known
    return any(_plain(word) in known or _PACKAGES.search(word) for word in _programs(process))


def _programs(process: Process) -> Iterable[str]:
    """The words of a command that say what runs: never its other arguments, which name files."""
    program, *rest = process.command
    yield program
    yield process.name
    if not _INTERPRETERS.fullmatch(_base(program)):
        return
    for word in rest[:_WORDS]:
        if not word.startswith("-"):
            yield word.split(".")[0] if "/" not in word and not _has_suffix(word) else word
            if _base(program) not in ("uv", "pipx") or word not in ("run", "tool", "exec"):
                return


def _has_suffix(word: str) -> bool:
    return word.endswith(_SUFFIXES)


def _base(word: str) -> str:
    # A login shell puts a dash before its name.
    return re.split(r"[/\\]", word)[-1].removeprefix("-").lower()


def _plain(word: str) -> str:
    """The name of a program without its folder, its ending and its version."""
    name = _base(word)
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return name.partition("@")[0] if not name.startswith("@") else name
