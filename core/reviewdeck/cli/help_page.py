"""The help of a command: plain text, in the words of people, with examples and exit codes."""

from __future__ import annotations

import textwrap
from inspect import Parameter as Kind
from typing import TYPE_CHECKING, Any, Final

from cyclopts import App

from reviewdeck.cli.columns import width
from reviewdeck.cli.examples import COMMON, EXAMPLES
from reviewdeck.cli.exit_codes import EXIT_CODES, USUAL_CODES
from reviewdeck.cli.output import say

if TYPE_CHECKING:
    from cyclopts.argument import Argument
    from cyclopts.help import HelpEntry

_WORDS: Final = {"STR": "TEXT", "INT": "NUMBER", "FLOAT": "NUMBER", "CHOICE": ""}
"""The parser's words for the values of options, and ours; empty for the option's own name."""
_VALUES: Final = {
    option: word
    for word, options in {
        "AGENT": ("--as",),
        "DIGEST": ("--digest",),
        "DIR": ("--project", "--skill"),
        "DOCUMENT": ("--document",),
        "FILE": ("--file", "--output", "--password-file", "--policy", "--replay", "--script"),
        "ID": ("--hermes-session", "--machine", "--session"),
        "KEY": ("--key",),
        "LINE": ("--line",),
        "NAME": ("--add", "--key-variable", "--model", "--name", "--of", "--profile", "--provider"),
        "PORT": ("--metrics", "--port"),
        "SECONDS": ("--poll", "--timeout", "--wait"),
        "TIME": ("--since",),
        "URL": ("--base-url", "--ledger"),
        "WORDS": ("--filter",),
        "user@machine": ("--host",),
    }.items()
    for option in options
}
"""What the value of an option is called, as in the documentation."""
_TITLES: Final = {"Parameters": "Options"}
_UNBROKEN: Final = 100_000
_LABEL: Final = 20
"""Cells of the widest label that has its text beside it."""
_NARROWEST: Final = 20
"""Cells of the narrowest text beside a label."""


class HelpPage:
    """Prints what the parser collects: labels in one column, texts in another."""

    # The parser reads these annotations: they load nothing.

    def __call__(self, console: Any, options: Any, panel: Any) -> None:
        """One panel: commands, arguments or options."""
        entries = [
            (_label(entry), _text(entry, _plain(entry.description, console)))
            for entry in panel.entries
        ]
        if not entries:
            return
        title = str(panel.title)
        say()
        _say_wrapped(f"{_TITLES.get(title, title)}:")
        widest = min(_LABEL, width() - _NARROWEST - 4)
        column = min(widest, max(len(label) for label, _ in entries)) + 4
        for label, text in entries:
            _say_entry(label, text, column)

    def render_usage(self, console: Any, options: Any, usage: Any) -> None:
        """The first line."""
        line = _plain(usage, console)
        _say_wrapped(line if line.startswith("Usage: ") else f"Usage: {line}")

    def render_description(self, console: Any, options: Any, description: Any) -> None:
        """What the command does, and what stands below the options."""
        text = _plain(description, console)
        for paragraph in text.split("\n\n") if text else ():
            is_list = "\n  " in paragraph
            say()
            say(paragraph if is_list else textwrap.fill(paragraph, width()))


def usage_of(words: tuple[str, ...], app: App) -> str:
    """How a command is called: its arguments by name, and the options that it needs."""
    arguments = [one for one in app.assemble_argument_collection() if one.name != "*"]
    positional = [_placeholder(one) for one in arguments if not one.name.startswith("-")]
    needed = [
        f"{one.name} {_value(one.name, 'STR')}"
        for one in arguments
        if one.name.startswith("-") and one.required
    ]
    return " ".join(["Usage: reviewdeck", *words, *positional, *needed, "[OPTIONS]"])


def description_of(purpose: str, docstring: str) -> str:
    """What the docstring of a command says; where it leaves out the purpose, with that first."""
    paragraphs = [" ".join(part.split()) for part in docstring.split("\n\n") if part.strip()]
    says_it = docstring.split(maxsplit=1)[:1] == purpose.split(maxsplit=1)[:1]
    return "\n\n".join(paragraphs if says_it else [purpose, *paragraphs])


def epilogue_of(words: str) -> str:
    """Below the options of a command: examples, exit codes, the options that all have."""
    examples = "\n".join(["Examples:", *(f"  reviewdeck {line}" for line in EXAMPLES[words])])
    codes = f"Exit codes: {EXIT_CODES.get(words, USUAL_CODES)}."
    return "\n\n".join([examples, *(textwrap.fill(text, width()) for text in (codes, COMMON))])


def _placeholder(argument: Argument) -> str:
    kind = argument.field_info.kind
    name = f"{argument.name}..." if kind is Kind.VAR_POSITIONAL else argument.name
    return name if argument.required else f"[{name}]"


def _label(entry: HelpEntry) -> str:
    label = ", ".join(entry.display_labels)
    if entry.positional_label or not entry.metavar:
        return label
    return f"{label} {_value(entry.display_labels[0], entry.metavar)}"


def _value(option: str, metavar: str) -> str:
    """The word for an option's value: what it names, its type for people, or the option's name."""
    word = metavar.removesuffix("...")
    return _VALUES.get(option) or _WORDS.get(word, word) or option.lstrip("-").upper()


def _text(entry: HelpEntry, text: str) -> str:
    if entry.choices:
        text = f"{text} One of: {', '.join(entry.choices)}."
    return f"{text} Required." if entry.required and not entry.positional_label else text


def _plain(text: Any, console: Any) -> str:
    """A text of the parser, without style and unbroken."""
    if isinstance(text, str) or text is None:
        return (text or "").strip()
    if hasattr(text, "plain"):
        return str(text.plain).strip()
    options = console.options.update(width=_UNBROKEN)
    return "".join(segment.text for segment in console.render(text, options)).strip()


def _say_wrapped(line: str) -> None:
    """Prints a line that may be wider than the terminal; words stay whole."""
    say(textwrap.fill(line, width(), subsequent_indent="  ", break_on_hyphens=False))


def _say_entry(label: str, text: str, column: int) -> None:
    beside = textwrap.wrap(text, max(_NARROWEST, width() - column)) or [""]
    if len(label) + 4 > column:
        say(f"  {label}")
    else:
        say(f"  {label:<{column - 2}}{beside.pop(0)}")
    for line in beside:
        say(" " * column + line)
