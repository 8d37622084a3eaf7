"""Recognising an agent among processes, by its program and the shape of its command alone.

A variable of the environment is never evidence: every process inherits it and can set it.
Neither is this list proof: a program can hide what it is. It keeps an agent that is
asked to approve its own proposal from simply doing so.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from reviewdeck.ports.authority import Process

AGENTS: Final = frozenset(
    {
        "aider",
        "amp",
        "antigravity",
        "auggie",
        "auto-gpt",
        "autogpt",
        "claude",
        "claude-code",
        "claude-code-acp",
        "claude_agent_sdk",
        "clawdbot",
        "cline",
        "codebuff",
        "codex",
        "codex-acp",
        "copilot",
        "crush",
        "cursor",
        "cursor-agent",
        "devin",
        "droid",
        "forge",
        "gemini",
        "gemini-cli",
        "goose",
        "goosed",
        "gptme",
        "grok-cli",
        "hermes",
        "hermes-agent",
        "hermes-cli",
        "hermes-gateway",
        "hermes_agent",
        "hermes_cli",
        "hermesd",
        "iflow",
        "interpreter",
        "junie",
        "kilo",
        "kilocode",
        "kimi",
        "kimi-cli",
        "kiro",
        "kiro-cli",
        "letta",
        "mini-swe-agent",
        "minisweagent",
        "mistral-vibe",
        "moltbot",
        "open-interpreter",
        "openclaw",
        "opencode",
        "openhands",
        "plandex",
        "qchat",
        "qwen",
        "qwen-code",
        "roo",
        "roo-code",
        "rovodev",
        "swe-agent",
        "sweagent",
        "trae",
        "trae-agent",
        "trae-cli",
        "windsurf",
    }
)
"""Programs that run a model which can type commands, editors whose terminal such a model types into
included."""


_PACKAGES: Final = re.compile(
    r"[/\\](?:@anthropic-ai[/\\]claude-code|@openai[/\\]codex|@google[/\\]gemini-cli"
    r"|@qwen-code[/\\]qwen-code|@sourcegraph[/\\]amp|opencode-ai|openclaw|hermes[-_]agent"
    r"|hermes_cli)[/\\]"
)
"""Where such programs are installed when an interpreter runs them."""


_PYTHON: Final = re.compile(r"(?:python|pypy)[\d.]*t?w?(?:\.exe)?")


_SCRIPTED: Final = re.compile(r"(?:node|nodejs|bun|deno|ruby)[\d.]*(?:\.exe)?")


_SHELL: Final = re.compile(r"(?:ba|z|da|k|fi|c|tc)?sh(?:\.exe)?")


_RUNNER: Final = re.compile(r"(?:uv|uvx|npx|pnpx|pipx|bunx|npm|pnpm|yarn)(?:\.exe)?")


_STEPS: Final = frozenset({"run", "exec", "tool", "x", "dlx"})
"""Words between a program that runs others and the one that it runs."""


_CODE: Final = frozenset({"-c", "-e", "-p", "-pe", "--eval", "--print"})
"""Options behind which there is code and no program."""


_VALUED: Final = frozenset(
    {
        *("-r", "-I", "-C", "--require", "--import", "--loader", "--experimental-loader"),
        *("--conditions", "--env-file", "--config", "--rcfile", "--init-file", "-o", "-O"),
        *("--with", "--python", "--project", "--directory", "--index-url", "--prefix", "--cwd"),
    }
)
"""Options of interpreters and runners whose value is the next word, and no program."""


_NAMING: Final = frozenset({"--from", "--package", "--spec"})
"""Options of runners whose value is what is run."""


_SUFFIXES: Final = (
    *(".exe", ".cmd", ".appimage", ".py", ".pyz", ".js", ".mjs", ".cjs", ".ts", ".mts", ".sh"),
    ".rb",
)


_MAIN: Final = ("__main__.py", "__main__.pyc")


_WORDS: Final = 64
"""The most arguments of an interpreter that are searched for the program it runs."""


def agent_among(ancestors: Iterable[Process], also: Collection[str] = ()) -> Process | None:
    """The nearest process that is a known agent, or None.

    `also` names further programs that count as agents.
    """
    names = AGENTS | {name.lower() for name in also}
    return next((process for process in ancestors if _is_agent(process, names)), None)


def _is_agent(process: Process, names: Collection[str]) -> bool:
    if not process.command:
        return _plain_name(process.name) in names
    return any(_plain_name(word) in names or _PACKAGES.search(word) for word in _programs(process))


def _programs(process: Process) -> Iterable[str]:
    """The words of a command that say what runs: never its other arguments, which name files."""
    program, *arguments = process.command
    yield program
    yield process.name
    name, words = _base(program), arguments[:_WORDS]
    if _PYTHON.fullmatch(name):
        yield from _run_by_python(words)
    elif _SCRIPTED.fullmatch(name) or _SHELL.fullmatch(name):
        yield from _run_by_others(words, _STEPS if _SCRIPTED.fullmatch(name) else ())
    elif _RUNNER.fullmatch(name):
        yield from _run_by_others(words, _STEPS)


def _run_by_python(words: Sequence[str]) -> Iterable[str]:
    """The module or the file that Python runs, whatever options stand before it.

    Its short options may stand together and have their value behind them: `-IBm hermes_cli`.
    """
    remaining = iter(words)
    for word in remaining:
        if word == "--check-hash-based-pycs":
            next(remaining, "")
        elif word in ("-", "--") or not word.startswith("-"):
            yield from _file_names(next(remaining, "") if word == "--" else word)
            return
        elif not word.startswith("--"):
            at = next((n for n, letter in enumerate(word) if letter in "cmWX"), None)
            if at is None:
                continue
            value = word[at + 1 :] or next(remaining, "")
            if word[at] == "m":
                yield value.split(".")[0]
            if word[at] in "cm":
                return


def _run_by_others(words: Sequence[str], steps: Collection[str]) -> Iterable[str]:
    """The program that another interpreter, or a runner of packages, runs."""
    remaining = iter(words)
    for word in remaining:
        if word in _CODE:
            return
        if word in _NAMING:
            yield from _file_names(next(remaining, ""))
        elif word in _VALUED:
            next(remaining, "")
        elif not word.startswith("-") and word not in steps:
            yield from _file_names(word)
            return


def _file_names(word: str) -> Iterable[str]:
    yield word
    parts = re.split(r"[/\\]", word)
    if len(parts) > 1 and parts[-1] in _MAIN:
        yield parts[-2]


def _base(word: str) -> str:
    # A login shell puts a dash before its name.
    return re.split(r"[/\\]", word)[-1].removeprefix("-").lower()


def _plain_name(word: str) -> str:
    """The name of a program without its folder, its ending and its version."""
    name = _base(word)
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return name.partition("@")[0] if not name.startswith("@") else name
