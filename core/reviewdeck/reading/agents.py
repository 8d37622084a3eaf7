"""The table: how each agent reads a SKILL.md. Seen in the versions that each row names.

What a row does not know from a run of the program is marked in `guessed`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from enum import Enum, StrEnum, auto
from typing import Final

from reviewdeck.values import dataclass


class Decoding(Enum):
    """What an agent does with bytes that are not UTF-8."""

    REPLACING = auto()
    """It reads U+FFFD in their place."""
    REFUSING = auto()
    """It does not load the file."""
    EMPTYING = auto()
    """It lists the file under its folder's name, without a description."""


class Newlines(Enum):
    """Which line ends an agent knows before it looks for a front matter."""

    KEPT = auto()
    UNIVERSAL = auto()
    """CR LF and CR become LF."""


class Schema(Enum):
    """What a plain scalar can be beside text."""

    TEXT = auto()
    YAML_1_1 = auto()
    YAML_1_1_LOOSE = auto()
    """YAML 1.1, in which a fraction needs neither point nor sign: `1e3`."""
    JS_3 = auto()
    JS_4 = auto()
    CORE = auto()


class Duplicates(Enum):
    """What a library does with a key that occurs twice."""

    LAST = auto()
    REFUSED = auto()
    REFUSED_FIELDS = auto()
    """Refused for the fields that the agent asks for."""


@dataclass(frozen=True, slots=True)
class YamlLibrary:
    """One YAML library as an agent uses it."""

    name: str
    schema: Schema
    duplicates: Duplicates = Duplicates.LAST
    merges: bool = True
    """Whether `<<` adds the keys of another mapping."""
    unicode_breaks: bool = False
    """Whether U+0085, U+2028 and U+2029 end a line."""
    tabs: bool = False
    """Whether a tab before a key is skipped."""
    controls: bool = False
    """Whether a control character is accepted."""
    own_tags: bool = True
    """Whether an unknown tag is skipped."""
    pairs: bool = True
    """Whether two escapes make one character, as in JSON."""
    ends_line: bool = False
    """Whether a last line without a line end is given one."""


class Repair(Enum):
    """What an agent tries with a front matter that its library refuses."""

    NONE = auto()
    SPLIT = auto()
    QUOTE_SPECIAL = auto()
    QUOTE_COLONS = auto()
    SIMPLE = auto()
    BLOCKS = auto()
    QUOTE_FREE = auto()
    LINES = auto()
    """It has no library: it reads lines."""


class Twins(StrEnum):
    """What becomes of two skills of one name in one folder of skills."""

    BOTH_NEITHER_LOADS = "both are listed, and neither loads by that name"
    BOTH = "both are listed"
    ORDER = "one is listed, by the order in which the file system gives the folders"
    CHANCE = "one is listed, by chance: it can be another one at the next start"
    LAST = "the one whose folder sorts last is listed"


class Unit(StrEnum):
    """What a limit counts."""

    CHARACTERS = "characters"
    BYTES = "bytes"


class Beyond(StrEnum):
    """What an agent does with a body above its limit."""

    HEAD = "the beginning is loaded"
    ENDS = "the beginning and the end are loaded"
    REFUSED = "it is not loaded"


@dataclass(frozen=True, slots=True)
class BodyLimit:
    """How much of a skill's file reaches the model when it loads the skill."""

    above: int
    """The size from which it is cut."""
    kept: int
    unit: Unit
    beyond: Beyond


@dataclass(frozen=True, slots=True)
class Search:
    """Which files below a folder of skills an agent loads."""

    deepest: int
    """The most folders between the folder of skills and a SKILL.md."""
    shallowest: int = 0
    hidden: bool = False
    """Whether it enters folders whose name begins with a dot."""
    excluded: frozenset[str] = frozenset()
    """Folders that it does not enter, at any depth."""
    nested: bool = True
    """Whether a skill below a skill is one."""
    support: frozenset[str] = frozenset()
    """Folders directly in a skill that it does not enter."""
    any_case: bool = False
    folder_links: bool = True
    file_links: bool = True
    root_alone: bool = False
    """Whether a SKILL.md in the folder of skills itself makes it the only one."""
    leaves: bool = True
    """Whether it follows a link that leads out of the folder of skills."""


@dataclass(frozen=True, slots=True, eq=False)
class Agent:
    """How one agent reads a SKILL.md."""

    key: str
    """The name for the command line."""
    name: str
    versions: tuple[str, ...]
    seen: str
    """The month in which the versions were run."""
    front: str
    """A pattern of the front matter and the body."""
    yaml: YamlLibrary
    repair: Repair
    search: Search
    twins: Twins
    roots: tuple[str, ...]
    """Folders of skills, below a user's folder or a repository."""
    decoding: Decoding = Decoding.REPLACING
    marks: int = 1
    """How many byte order marks at the beginning are taken out."""
    loads_front: bool = True
    """Whether the front matter is loaded with the body, for the model to read."""
    newlines: Newlines = Newlines.KEPT
    fields: frozenset[str] = frozenset({"name", "description"})
    acts: Mapping[str, str] | None = None
    """Keys that do something, and what."""
    limit: BodyLimit | None = None
    largest: int | None = None
    """The most bytes of a file that it loads at all."""
    bounds: str = ""
    """Where its front matter begins and ends, in words."""
    differs: tuple[str, ...] = ()
    """Where the specification of Agent Skills says something else."""
    guessed: tuple[str, ...] = ()
    """What was not seen."""

    def match_front(self, text: str) -> re.Match[str] | None:
        """The front matter and the body; None for a text without a front matter."""
        # Compiled where a skill is read: every command that opens a home loads this table.
        return re.compile(self.front, re.DOTALL).match(text)


_JS: Final = r"[^\S\x1c-\x1f\x85]|\ufeff"
"""What JavaScript counts as white space."""
_JS_SPACE: Final = rf"(?:{_JS})"
_JS_BLANK: Final = r"(?:[\t\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff])"
"""The same, without the line feed."""
_RUST_BLANK: Final = r"(?:[\t\v\f\r \x85\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000])"
_HERMES_EXCLUDED: Final = frozenset(
    {
        ".git", ".github", ".hub", ".archive", ".venv", "venv", "node_modules", "site-packages",
        "__pycache__", ".tox", ".nox", ".pytest_cache", ".mypy_cache", ".ruff_cache",
    }
)  # fmt: skip
_SUPPORT: Final = frozenset({"references", "templates", "assets", "scripts"})
_ANY_DEPTH: Final = 1_000

HERMES: Final = Agent(
    key="hermes",
    name="Hermes Agent",
    versions=("0.19.0",),
    seen="2026-11",
    front=r"---(?P<front>.*?)\n---\s*\n(?P<body>.*)",
    yaml=YamlLibrary("PyYAML", Schema.YAML_1_1, unicode_breaks=True, own_tags=False, pairs=False),
    bounds=(
        "the first three characters are `---`; it ends at a line that begins with `---` "
        "and has nothing but white space after it, and another line after that"
    ),
    differs=(
        "the specification allows a description of 1,024 characters; the model is shown "
        "57 and `...` of more than 60",
    ),
    repair=Repair.SPLIT,
    search=Search(_ANY_DEPTH, hidden=True, excluded=_HERMES_EXCLUDED, support=_SUPPORT),
    twins=Twins.BOTH_NEITHER_LOADS,
    roots=(".hermes/skills",),
    decoding=Decoding.EMPTYING,
    newlines=Newlines.UNIVERSAL,
    acts={
        "platforms": "hides the skill on other systems",
        "environments": "hides the skill in other environments",
        "metadata": "can hide the skill by the tools at hand, and asks for settings",
        "required_environment_variables": "asks the user for secrets",
    },
    limit=BodyLimit(100_000, 1_500, Unit.CHARACTERS, Beyond.HEAD),
    guessed=("the size from which a body is cut: one of 200 KB is",),
)
HERMES_22: Final = replace(
    HERMES,
    key="hermes-0.22",
    name="Hermes Agent 0.22",
    versions=("0.22.2",),
    yaml=YamlLibrary("ruamel.yaml", Schema.YAML_1_1_LOOSE, own_tags=False),
    marks=2,
    search=replace(HERMES.search, excluded=HERMES.search.excluded | {".curator_backups", ".locks"}),
    acts={
        **(HERMES.acts or {}),
        "deps": "installs programs when the skill is loaded",
        "requires_apps": "hides the skill without these programs",
        "required_credential_files": "asks for files with secrets",
        "setup": "asks the user for secrets",
        "prerequisites": "asks the user for secrets",
    },
)
CLAUDE: Final = Agent(
    key="claude",
    name="Claude Code",
    versions=("2.1.332",),
    seen="2026-11",
    front=rf"---{_JS_SPACE}*\n(?P<front>.*?)---(?:{_JS_SPACE}*\n)?(?P<body>.*)",
    yaml=YamlLibrary("Bun", Schema.CORE, controls=True),
    bounds=(
        "the first line is `---`, with white space after it; it ends at the next `---`, "
        "wherever that stands: indented, after other text, inside a value"
    ),
    differs=(
        "to the specification a front matter ends at a line `---`; here at the first "
        "`---` anywhere",
        "what nobody sees in a description is shown as spaces, and what a terminal would obey is"
        " taken out",
    ),
    repair=Repair.QUOTE_SPECIAL,
    search=Search(1, 1, hidden=True),
    twins=Twins.BOTH,
    roots=(".claude/skills",),
    acts={
        "allowed-tools": "lets tools run without asking",
        "hooks": "registers commands that run by themselves once the skill is used",
        "disable-model-invocation": "hides the skill from the model",
        "user-invocable": "hides the skill from the user's commands",
        "model": "changes the model while the skill is used",
        "context": "can run the skill in an agent of its own",
        "agent": "names the agent that runs the skill",
        "paths": "hides the skill until a file matches",
        "when_to_use": "is shown to the model beside the description",
    },
    loads_front=False,
    guessed=(
        "the keys model, context and agent, which its manual describes",
        "that a skill is loaded without its front matter",
    ),
)
CODEX: Final = Agent(
    key="codex",
    name="Codex",
    versions=("0.171.0",),
    seen="2026-11",
    front=(
        rf"{_RUST_BLANK}*---{_RUST_BLANK}*\n(?P<front>(?:[^\n]*\n)+?){_RUST_BLANK}*---"
        rf"{_RUST_BLANK}*(?:\n|\Z)(?P<body>.*)"
    ),
    yaml=YamlLibrary(
        "serde_yaml",
        Schema.TEXT,
        Duplicates.REFUSED_FIELDS,
        merges=False,
        unicode_breaks=True,
        pairs=False,
    ),
    bounds=(
        "the first line is `---`, with white space around it; it ends at the next such "
        "line, also the last of the file"
    ),
    differs=(
        "the specification forbids a description of more than 1,024 characters; it is "
        "listed, cut to 1,021 and `...`",
    ),
    repair=Repair.QUOTE_COLONS,
    search=Search(6, file_links=False),
    twins=Twins.BOTH,
    roots=(".agents/skills", ".codex/skills"),
    decoding=Decoding.REFUSING,
    marks=0,
    acts={"metadata": "can have a short description"},
    limit=BodyLimit(40_000, 40_000, Unit.BYTES, Beyond.ENDS),
    guessed=(
        "which of its folders of skills comes first",
        "the size from which a body is cut: of one of 200 KB 40,212 characters are loaded",
    ),
)
GEMINI: Final = Agent(
    key="gemini",
    name="Gemini CLI",
    versions=("0.61.0",),
    seen="2026-11",
    front=r"---\r?\n(?P<front>.*?)\r?\n---(?:\r?\n(?P<body>.*))?",
    yaml=YamlLibrary(
        "js-yaml 4", Schema.JS_4, Duplicates.REFUSED, own_tags=False, tabs=True, ends_line=True
    ),
    bounds=(
        "the first line is exactly `---`; it ends at the next line that begins with "
        "`---`; with other text on that line, the body is lost"
    ),
    repair=Repair.SIMPLE,
    search=Search(1, excluded=frozenset({"node_modules"})),
    twins=Twins.ORDER,
    roots=(".gemini/skills", ".agents/skills"),
    marks=0,
    loads_front=False,
    acts={},
    guessed=("that a skill is loaded without its front matter",),
)
OPENCODE: Final = Agent(
    key="opencode",
    name="opencode",
    versions=("1.18.33",),
    seen="2026-11",
    front=r"---(?!-)(?P<language>[^\n]*)(?P<front>.*?)(?:\n---(?P<body>.*)|\Z)",
    yaml=YamlLibrary(
        "js-yaml 3", Schema.JS_3, Duplicates.REFUSED, own_tags=False, tabs=True, ends_line=True
    ),
    bounds=(
        "the first line begins with `---` and may name a language, YAML or JSON; it ends "
        "at the next line that begins with `---`, or at the end of the file"
    ),
    repair=Repair.BLOCKS,
    search=Search(_ANY_DEPTH),
    twins=Twins.CHANCE,
    roots=(".config/opencode/skills", ".opencode/skills", ".claude/skills", ".agents/skills"),
    acts={},
    loads_front=False,
    limit=BodyLimit(50_000, 50_000, Unit.BYTES, Beyond.HEAD),
    guessed=(
        "the size from which a body is cut: of one of 200 KB 50 KB are loaded",
        "that a skill is loaded without its front matter",
    ),
)
OPENCLAW_UNITS: Final = 20_000
OPENCLAW_USER: Final = 4_000
"""UTF-16 units that OpenClaw loads of a document, unless it is told otherwise; of `USER.md`."""
OPENCLAW: Final = Agent(
    key="openclaw",
    name="OpenClaw",
    versions=("2026.9.6",),
    seen="2026-11",
    front=rf"---{_JS_BLANK}*\n(?:(?P<front>.*?)\n)??---{_JS_BLANK}*(?:\n|\Z)(?P<body>.*)",
    yaml=YamlLibrary("yaml", Schema.CORE, Duplicates.REFUSED, merges=False, controls=True),
    bounds=(
        "the first line is `---`, with white space after it; it ends at the next such "
        "line, also the last of the file"
    ),
    repair=Repair.QUOTE_FREE,
    search=Search(
        6, excluded=frozenset({"node_modules"}), nested=False, root_alone=True, leaves=False
    ),
    twins=Twins.LAST,
    roots=(".openclaw/workspace/skills", ".openclaw/skills", ".agents/skills"),
    newlines=Newlines.UNIVERSAL,
    acts={
        "disable-model-invocation": "hides the skill from the model",
        "user-invocable": "hides the skill from the user's commands",
        "command-dispatch": "sends the skill's command straight to a tool",
        "command-tool": "names the tool that the skill's command calls",
        "metadata": "can install programs, hide the skill without them, and load it always",
    },
    limit=BodyLimit(50_000, 0, Unit.BYTES, Beyond.REFUSED),
    largest=256_000,
    differs=("of many skills the model is shown shortened descriptions, of more only the names",),
    guessed=(
        "the size from which a body is refused: one of 200 KB is, and the limit depends on the"
        " model's context",
    ),
)
LETTA: Final = Agent(
    key="letta",
    name="letta-code",
    versions=("0.32.18",),
    seen="2026-11",
    front=r"---\n(?P<front>.*?)\n---(?:\n(?P<body>.*))?\Z",
    yaml=YamlLibrary("none", Schema.TEXT),
    bounds=(
        "the first line is exactly `---`; it ends at the next line that is exactly `---`,"
        " also the last of the file"
    ),
    differs=(
        "the specification asks for YAML; comments, aliases, merge keys and escapes are text here",
        "of a description the model is shown the first line, and all of it where the skill comes"
        " or changes while it runs",
    ),
    repair=Repair.LINES,
    search=Search(_ANY_DEPTH, hidden=True, any_case=True),
    twins=Twins.LAST,
    roots=(".letta/skills", ".agents/skills", ".skills"),
    newlines=Newlines.UNIVERSAL,
    acts={
        "disable-model-invocation": "hides the skill from the model",
        "user-invocable": "hides the skill from the user's commands",
        "id": "is the name that the model is shown",
        "when_to_use": "is shown beside the description of a skill that comes while it runs",
    },
    guessed=(
        "that a skill is loaded with its front matter",
        "that its cloud is given the same list: it was run with its local backend",
    ),
)

AGENTS: Final = (HERMES, CLAUDE, CODEX, GEMINI, OPENCODE, OPENCLAW, LETTA)
READINGS: Final = (*AGENTS, HERMES_22)
"""The agents, with a later version of one beside it where it reads otherwise."""

_OF_KIND: Final = {"hermes": (HERMES, HERMES_22), "claude": (CLAUDE,)} | {
    agent.key: (agent,) for agent in (CODEX, GEMINI, OPENCODE, OPENCLAW, LETTA)
}


def readers_of(kind: str) -> tuple[Agent, ...]:
    """The agents that read a home of this kind; all of them where it is not known."""
    return _OF_KIND.get(kind, AGENTS)


def agent_called(key: str) -> Agent | None:
    """The agent of this key; None for another one."""
    return next((agent for agent in READINGS if agent.key == key.lower()), None)


def agents_called(keys: Iterable[str]) -> tuple[Agent, ...]:
    """The agents of these keys; unknown ones are left out."""
    return tuple(agent for key in keys if (agent := agent_called(key)) is not None)
