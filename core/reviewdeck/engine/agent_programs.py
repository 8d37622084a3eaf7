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

PROGRAMS: Final = frozenset(
    {
        *("acli", "agent", "agent-zero", "agent_zero", "agy", "aichat", "aider", "aider-chat"),
        *("amp", "auggie", "auto-coder", "auto-gpt", "autogpt", "cagent", "claude"),
        *("claude-agent-acp", "claude-agent-sdk", "claude-code", "claude-code-acp"),
        *("claude-code-router", "claude-desktop", "claude-flow", "claude_agent_sdk", "clawdbot"),
        *("cline", "cn", "codebuddy", "codebuff", "codex", "codex-acp", "codex-cli", "copilot"),
        *("copilot-cli", "crush", "cursor-agent", "deepagents", "deepagents-cli", "deepagents_cli"),
        *("devin", "droid", "forge", "gemini", "gemini-cli", "goose", "goosed", "gpt-engineer"),
        *("gpte", "gptme", "grok", "grok-cli", "happy-coder", "hermes", "hermes-acp"),
        *("hermes-agent", "hermes-cli", "hermes-gateway", "hermes_acp", "hermes_agent"),
        *("hermes_cli", "hermesd", "iflow", "interpreter", "ironclaw", "jules", "junie", "kilo"),
        *("kilocode", "kimi", "kimi-cli", "kimi_cli", "kiro-cli", "kiro-cli-chat", "kode", "letta"),
        *("letta-code", "mentat", "mini-swe-agent", "mini_swe_agent", "minisweagent"),
        *("mistral-vibe", "mistral_vibe", "moltbot", "nanobot", "nanobot-ai", "nanobot_ai"),
        *("nanoclaw", "neovate", "open-codex", "open-interpreter", "openclaw", "opencode"),
        *("openhands", "pi", "pi-coding-agent", "picoclaw", "plandex", "plandex-cli", "qchat"),
        *("qoder", "qodercli", "qwen", "qwen-code", "qwen_code", "roo", "roo-code", "rovo"),
        *("rovodev", "sgpt", "shell-gpt", "shell_gpt", "swe-agent", "sweagent", "trae-agent"),
        *("trae-cli", "trae_agent", "vibe", "vibe-acp", "vibe_acp", "zeroclaw"),
    }
)
"""Programs that run a model which can type commands, and the packages that they come in."""

EDITORS: Final = frozenset(
    {
        *("antigravity", "clion", "code", "code-insiders", "code-oss", "code-server"),
        *("code-tunnel", "codium", "cursor", "fleet", "goland", "idea", "intellij", "kiro"),
        *("pearai", "phpstorm", "pycharm", "rider", "rubymine", "rustrover", "trae", "void"),
        *("vscodium", "warp", "warp-terminal", "webstorm", "windsurf", "zed", "zed-editor"),
        *("zeditor"),
    }
)
"""Editors and terminals in which such a model may type commands too."""

AGENT_PROGRAMS: Final = PROGRAMS | EDITORS
"""All that is recognised by its name."""

_COMMON_WORDS: Final = frozenset({"agent", "cn", "code", "idea", "pi", "void", "warp", "zed"})
"""Of these, those that anybody's script, module or package may be called: `code.py` and
`python -m agent` are none, `node /usr/bin/pi` is."""

_PACKAGES: Final = re.compile(
    r"[/\\](?:@anthropic-ai[/\\]claude-code|@openai[/\\]codex|@google[/\\]gemini-cli"
    r"|@qwen-code[/\\]qwen-code|@sourcegraph[/\\]amp|opencode-ai|openclaw|hermes[-_]agent"
    r"|hermes_cli|\.(?:vscode|vscodium|cursor|windsurf|kiro|trae|antigravity)-server[^/\\]*)[/\\]",
    re.IGNORECASE,
)
"""Where such programs are installed when an interpreter runs them."""

_INSTALLED: Final = re.compile(
    r"[/\\](?:node_modules|site-packages|dist-packages|uv[/\\]tools|pipx[/\\]venvs|Cellar)[/\\]"
    r"(?:@[^/\\]+[/\\])?([^/\\]+)(?=[/\\])(?!.*[/\\](?:node_modules|site-packages|dist-packages)[/\\])"
    r"|[/\\]([^/\\]+)[/\\]versions[/\\]"
)
"""The package that a file belongs to, in the folders of package managers."""

_BUILD: Final = re.compile(
    r"(?:[-_](?:v?\d+(?:\.\d+)+|linux|darwin|macos|x86_64|x64|amd64|arm64|aarch64"
    r"|unknown|apple|musl|gnu|baseline|wrapped))+$"
)
"""What a release adds to the name of its program."""

_PYTHON: Final = re.compile(r"(?:python|pypy)[\d.]*t?w?(?:\.exe)?")

_SCRIPTED: Final = re.compile(r"(?:node|nodejs|bun|deno|ruby|tsx|ts-node|electron)[\d.]*(?:\.exe)?")

_SHELL: Final = re.compile(r"(?:ba|z|da|k|fi|c|tc)?sh(?:\.exe)?")

_RUNNER: Final = re.compile(r"(?:uv|uvx|npx|pnpx|pipx|bunx|npm|pnpm|yarn)(?:\.exe)?")

_JETBRAINS: Final = "com.intellij.idea.Main"
"""What Java runs in each of JetBrains' editors that has no launcher of its own."""

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

_SCRIPTS: Final = (*(".py", ".pyz", ".js", ".mjs", ".cjs", ".ts", ".mts", ".tsx", ".sh", ".rb"),)
_SUFFIXES: Final = (".exe", ".cmd", ".appimage", *_SCRIPTS)
_DELETED: Final = " (deleted)"
"""What Linux puts behind the path of a program whose file was replaced since it started."""

_LONGEST_NAME: Final = 15
"""Characters of a process's name that Linux keeps."""

_MAIN: Final = ("__main__.py", "__main__.pyc")

_WORDS: Final = 4096
"""The most arguments of an interpreter that are searched for the program it runs."""


def agent_among(ancestors: Iterable[Process], also: Collection[str] = ()) -> Process | None:
    """The nearest process that is a known agent, or None.

    `also` names further programs that count as agents.
    """
    names = AGENT_PROGRAMS | {name.lower() for name in also}
    return next((process for process in ancestors if _is_agent(process, names)), None)


def _is_agent(process: Process, names: Collection[str]) -> bool:
    if any(_is_named(word, names) for word in _titles(process, names)):
        return True
    return any(
        _is_named(word, names) or _is_installed(word, names)
        for command in _commands(process)
        for word in _programs(process, command)
    )


def _is_named(word: str, names: Collection[str]) -> bool:
    name = _plain_name(word)
    if name in _COMMON_WORDS and _base(word).endswith(_SCRIPTS):
        return False
    return name in names


def _is_installed(word: str, names: Collection[str]) -> bool:
    """Whether a file belongs to an agent's package, by the folders of package managers."""
    if _PACKAGES.search(word):
        return True
    return any(
        package.lower() in names and package.lower() not in _COMMON_WORDS
        for match in _INSTALLED.finditer(word)
        for package in match.groups()
        if package
    )


def _titles(process: Process, names: Collection[str]) -> Iterable[str]:
    """The names that a process has in the system: it may have chosen some of them itself."""
    name = process.name
    yield name
    yield name.split(" ")[0].rstrip(":")
    if len(name) == _LONGEST_NAME:
        yield from (agent for agent in names if agent[:_LONGEST_NAME] == name.lower())
    if process.executable:
        file = process.executable.removesuffix(_DELETED)
        yield file
        # `Code Helper (Plugin)` is a program of macOS.
        yield _base(file).split(" ")[0]


def _commands(process: Process) -> Iterable[Sequence[str]]:
    """The command, and where a title in one word stands in its place, the words of that."""
    if not process.command:
        return
    yield process.command
    first, *others = process.command
    words = first.removesuffix(_DELETED).split()
    if len(words) > 1 and not _is_path_with_spaces(words):
        yield (words[0].rstrip(":"), *words[1:], *others)
    elif words:
        yield (_base(first).split(" ")[0] or first, *others)


def _is_path_with_spaces(words: Sequence[str]) -> bool:
    """Whether this is the path of one file, and no title: `/home/dana/claude notes/bin/python`."""
    is_path = re.search(r"[/\\]", words[0]) is not None
    return is_path and not words[1].startswith("-") and bool(re.search(r"[/\\]", words[-1]))


def _programs(process: Process, command: Sequence[str]) -> Iterable[str]:
    """The words of a command that say what runs: never its other arguments, which name files."""
    program, *arguments = command
    yield program
    words = arguments[:_WORDS]
    if process.executable:
        yield process.executable
    for name in dict.fromkeys((_base(program), _base(process.executable.removesuffix(_DELETED)))):
        if _PYTHON.fullmatch(name):
            yield from _run_by_python(words)
        elif _SCRIPTED.fullmatch(name) or _SHELL.fullmatch(name):
            yield from _run_by_others(words, _STEPS if _SCRIPTED.fullmatch(name) else ())
        elif _RUNNER.fullmatch(name) and not _runs_script(name, words):
            yield from _run_by_others(words, _STEPS)
        elif name == "java" and _JETBRAINS in words:
            yield "idea"


def _runs_script(name: str, words: Sequence[str]) -> bool:
    """Whether this is `npm run NAME`: a name that a project gave to a line of commands."""
    step = next((word for word in words if not word.startswith("-")), "")
    return name.startswith(("npm", "pnpm", "yarn")) and step in ("run", "run-script")


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
            module = value.split(".")[0]
            if word[at] == "m" and module not in _COMMON_WORDS:
                yield module
            if word[at] in "cm":
                return


def _run_by_others(words: Sequence[str], steps: Collection[str]) -> Iterable[str]:
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
    """The name of a program without its folder, its endings, its version and its platform."""
    name = _base(word.removesuffix(_DELETED)).removeprefix("npm:").removeprefix("jsr:")
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    name = name.partition("@")[0] if not name.startswith("@") else name
    return _BUILD.sub("", name.removeprefix("."))
