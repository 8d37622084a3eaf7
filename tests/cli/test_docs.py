"""Every command and option has help, and each command stands in docs/commands.md."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from cyclopts import App
from tests.cli.program import run_here

from reviewdeck.cli.examples import COMMON, EXAMPLES
from reviewdeck.cli.exit_codes import EXIT_CODES
from reviewdeck.cli.main import main
from reviewdeck.cli.table import build_app
from reviewdeck.cli.tokens import SWITCHES, VALUED, move_options_last
from reviewdeck.cli.usage import UsageProblem
from reviewdeck.errors import ReviewdeckError

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "commands.md").read_text("utf-8")
DETAILS = (ROOT / "docs" / "internals" / "commands.md").read_text("utf-8")


def commands(app: App, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], App]]:
    """Each command that can be run, with the words that call it."""
    for name, below in app.resolved_commands().items():
        if name.startswith("-"):
            continue
        words = (*above, name)
        if below.default_command is not None:
            yield words, below
        yield from commands(below, words)


COMMANDS = dict(commands(build_app()))


def section(words: tuple[str, ...], page: str = PAGE, *, is_needed: bool = True) -> str:
    """What a page says of a command."""
    heading = rf"^### (?:`[^\n`]*`, )*`{' '.join(words)}\b[^\n]*\n"
    found = re.search(rf"{heading}(.*?)(?=^##|\Z)", page, re.M | re.S)
    assert found or not is_needed, f"{' '.join(words)} is not documented"
    return found[0] if found else ""


def named_in(heading: str) -> list[tuple[str, ...]]:
    """The commands that a heading is about."""
    names = re.findall(r"`([a-z][a-z -]*?)(?: [\[A-Z-][^`]*)?`", heading)
    return [tuple(name.split()) for name in names]


def test_all_commands_of_the_contract_are_there() -> None:
    assert {" ".join(words) for words in COMMANDS} == {
        *(
            "status",
            "since",
            "report",
            "list",
            "show",
            "diff",
            "policy explain",
            "policy test",
            "policy suggest",
            "policy check",
            "policy sign",
            "init",
            *(f"hermes {one}" for one in ("brief", "chat")),
            *(f"hermes {one}" for one in ("install", "status", "uninstall", "gate")),
            *(f"claude {one}" for one in ("install", "status", "uninstall")),
            *(f"qwen {one}" for one in ("install", "status", "uninstall")),
            *(f"gemini {one}" for one in ("install", "status", "uninstall")),
            *(f"openclaw {one}" for one in ("install", "status", "uninstall")),
            *(
                f"ledger {one}"
                for one in ("create", "add-host", "add-operator", "remove", "upgrade", "copy")
            ),
            *(f"service {one}" for one in ("install", "status", "uninstall")),
            *(f"skills {one}" for one in ("lock", "verify", "check", "restore")),
            *(f"operators {one}" for one in ("list", "add", "rotate", "revoke", "export")),
            "auto",
            "worker",
            "adopt",
            "setup",
            "config",
            "read",
            "prompt",
            "approve",
        ),
        *(
            "merge",
            "reject",
            "defer",
            "withdraw",
            "repair",
            "room",
            "review",
            "undo",
            "restore",
            "revert",
            "reopen",
            "log",
            "history",
            "blame",
            "why",
            "recover",
        ),
        *(
            "doctor",
            "fsck",
            "purge",
            "demo",
            "mcp",
            "record",
            "serve",
            "pause",
            "resume",
            "completion",
        ),
    }


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_command_is_documented_and_all_its_options_have_help(words: tuple[str, ...]) -> None:
    app = COMMANDS[words]
    assert app.help
    assert section(words)
    arguments = [one for one in app.assemble_argument_collection() if one.name != "*"]
    assert [one.name for one in arguments if not one.parameter.help] == []


@pytest.mark.parametrize("page", [PAGE, DETAILS], ids=["commands", "details"])
def test_a_page_names_no_option_of_a_command_that_it_does_not_take(page: str) -> None:
    wrong = []
    for heading, body in re.findall(r"^### (`[^\n]*)\n(.*?)(?=^##|\Z)", page, re.M | re.S):
        arguments = [
            argument
            for words in named_in(heading)
            for argument in COMMANDS[words].assemble_argument_collection()
        ]
        taken = {name for argument in arguments for name in argument.names}
        wrong += [
            (heading, name) for name in re.findall(r"`(--[a-z-]+)", body) if name not in taken
        ]
    assert wrong == []


PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
FENCED = re.compile(r"^ *(`{3,})(\w*)\n(.*?)^ *\1$", re.M | re.S)
CALL = re.compile(r"(?:^|[ (/'\"])reviewdeck ([^|&;<>()#\n]*)", re.M)


def calls_in(page: Path) -> Iterator[list[str]]:
    """The words behind each `reviewdeck` of a page, and of each span that begins as a command."""
    text = page.read_text("utf-8")
    for _, kind, body in FENCED.findall(text):
        if kind != "python":
            yield from (one.split() for one in CALL.findall(body.replace("\\\n", " ")))
    for span in re.findall(r"(?<!`)`([^`]+)`(?!`)", FENCED.sub("", text)):
        if called := CALL.findall(" ".join(span.split())):
            yield from (one.split() for one in called)
        elif command_of(span.split()):
            yield span.split()


def command_of(words: list[str]) -> tuple[str, ...]:
    """The command that these words call; empty where there is none of that name."""
    return next((name for n in (2, 1) if (name := tuple(words[:n])) in COMMANDS), ())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_each_command_that_a_page_names_exists_and_takes_the_options_beside_it(page: Path) -> None:
    groups = {name[:1] for name in COMMANDS} | {("COMMAND",), ("[COMMAND]",)}
    wrong = []
    for call in calls_in(page):
        words = move_options_last(call[2:] if call[:1] == ["--host"] else call)
        named = command_of(words)
        arguments = COMMANDS[named].assemble_argument_collection() if named else ()
        taken = {name for one in arguments for name in one.names} or SWITCHES | VALUED
        options = set(re.findall(r"(?<!\S)\[?(--[a-z-]+)", " ".join(words)))
        is_known = named or not words or words[0].startswith("-") or (words[0],) in groups
        if not is_known or options - taken - {"--host", "--help", "--version", "--plain"}:
            wrong.append(" ".join(call))
    assert wrong == []


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_the_help_of_a_command_has_examples_that_parse_and_no_python(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    shown = run_here(capsys, *words, "--help")
    assert shown.code == 0 and "Exit codes: 0 " in shown.out
    assert not re.search(r"default:|\bSTR\b|\bINT\b|ARGS|CHOICE|None|<cyclopts", shown.out), (
        shown.out
    )
    for example in EXAMPLES[" ".join(words)]:
        assert f"\n  reviewdeck {example}\n" in shown.out
        assert example.split()[: len(words)] == [*words]
        build_app().parse_args(shlex.split(example), exit_on_error=False, print_error=False)


@pytest.mark.parametrize("words", [(), *COMMANDS], ids=" ".join)
def test_help_fits_a_terminal_of_forty_columns_but_for_commands_to_copy(
    words: tuple[str, ...],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    lines = run_here(capsys, *words, "--help").out.splitlines()
    assert [line for line in lines if len(line) > 40 and not line.startswith("  reviewdeck ")] == []


def test_only_commands_have_examples_and_exit_codes() -> None:
    assert {" ".join(words) for words in COMMANDS} == {*EXAMPLES}
    assert {*EXIT_CODES} <= {*EXAMPLES}


def test_every_documented_command_exists() -> None:
    named, detailed = (
        {words for heading in re.findall(r"^### (`.*)$", page, re.M) for words in named_in(heading)}
        for page in (PAGE, DETAILS)
    )
    assert named == set(COMMANDS)
    assert detailed <= named


def test_help_and_version_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    said = capsys.readouterr().out
    assert all(words[0] in said for words in COMMANDS)
    assert main(["--version"]) == 0
    assert re.match(r"\d+\.\d+", capsys.readouterr().out)


def test_every_error_and_every_event_of_the_watch_is_explained_to_administrators() -> None:
    pages = [ROOT / "docs" / name for name in ("operations.md", "internals/operations.md")]
    page = "".join(path.read_text("utf-8") for path in pages)
    kinds: list[type[ReviewdeckError]] = [ReviewdeckError, UsageProblem]
    for kind in kinds:
        kinds += [below for below in kind.__subclasses__() if below not in kinds]
    codes = {kind.code for kind in kinds if kind.__module__.startswith("reviewdeck")}
    source = "".join(
        (ROOT / "core" / "reviewdeck" / name).read_text("utf-8")
        for name in (
            "engine/watch.py",
            "engine/worker.py",
            "cli/watch_loop.py",
            "cli/commands/worker.py",
        )
    )
    events = set(re.findall(r'(?:_happening\(|utc_now\(\), |_now\(\), )"([a-z-]+)"', source))
    assert {"started", "applied", "failed", "stopped"} <= events
    assert [name for name in sorted(codes | events) if f"| `{name}` |" not in page] == []


def test_the_help_of_a_command_names_the_common_options_in_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["reject", "--help"]) == 0
    out = capsys.readouterr().out
    assert [line for line in out.splitlines() if "--ledger" in line] == [COMMON]
    assert "--send-back" in out
    assert main(["--help"]) == 0
    assert "The ledger of decisions and history" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["stauts"], ["policy", "explian"]])
def test_the_help_of_a_command_that_there_is_not_says_so(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "--help"]) == 2
    assert words[-1] in capsys.readouterr().err
