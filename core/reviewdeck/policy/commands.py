"""Rules about commands and code: plain calls of well-known tools pass, everything else is held."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from reviewdeck.model import MemoryAdd, Severity, SkillCreate, Span
from reviewdeck.policy.reading import HOLD_LIMIT
from reviewdeck.policy.rule import (
    ANYWHERE,
    Hit,
    Holds,
    LooksAt,
    Piece,
    Place,
    Rule,
    Subject,
    in_text,
)
from reviewdeck.policy.screen import screened
from reviewdeck.policy.signs import signed

_TOOLS_LIST = """
    make just task tox nox pytest python python3 uv poetry pdm hatch pipenv pip ruff black isort
    mypy pyright flake8 pylint coverage npm pnpm yarn bun deno node tsc eslint prettier biome
    vitest jest playwright vite next turbo nx cargo rustc rustup clippy go gofmt golangci-lint
    staticcheck gradle ./gradlew gradlew mvn ./mvnw sbt lein mix iex elixir rebar3 bundle rake
    rspec rubocop rails ruby php composer phpunit artisan dotnet msbuild swift xcodebuild bazel
    cmake ctest ninja meson stack cabal ghc dune opam zig nim dart flutter git gh glab docker
    docker-compose podman kubectl helm terraform tofu ansible-playbook vagrant mkdocs
    sphinx-build hugo jekyll pre-commit towncrier alembic flask django-admin uvicorn gunicorn
    celery sqlfluff dbt pg_dump pg_restore psql sqlite3 redis-cli grep rg ag fd find ls tree wc
    sort uniq head tail cut tr column jq yq less diff which date env tmux nvim vim code
    shellcheck shfmt hadolint actionlint act vale codespell npx asdf mise direnv nix nix-shell
    pandoc latexmk pdflatex buf protoc openapi-generator k6 locust journalctl ./manage.py
    manage.py bin/rails bin/dev lefthook husky changeset cd top htop ps df du free uptime
    echo cat pwd nginx stat file diff3 comm paste nproc uname ffmpeg ffprobe pdftotext pdfinfo
    ocrmypdf tesseract exiftool gdalinfo gdalwarp ogr2ogr duckdb nbstripout xmllint csvcut csvstat
    mlr sox lilypond typst identify qpdf hunspell aspell dot mmdc
"""
_TOOLS = frozenset(_TOOLS_LIST.split())
_FILTERS_LIST = """
    grep rg sort uniq head tail wc jq yq cut tr column less nl rev fold
"""
_FILTERS = frozenset(_FILTERS_LIST.split())
_DANGER = screened(
    r"\b(?:sudo|doas|su\s+-|rm\s+-\w*[rf]|rm\s+[~/*]|rmdir\s|shred\s|mkfs|dd\s+(?:if|of)=|chmod\s"
    r"|chown\s|curl\s|wget\s|nc\s"
    r"|ncat\s|socat\s|telnet\s|ftp\s|scp\s|sftp\s|rsync\s|ssh\s|ssh-\w+|eval\s|(?<!bundle )exec\s"
    r"|source\s+[./~$]"
    r"|crontab|systemctl|launchctl"
    r"|killall|pkill|kill\s+-9|iptables|ufw\s|mount\s|passwd|useradd|usermod|visudo|osascript"
    r"|powershell|pwsh|certutil|mshta"
    r"|rundll32|reg\s+add|schtasks|openssl\s+enc|gpg\s|xattr\s|spctl\s|nohup|disown|setsid"
    r"|python3?\s+-c|perl\s+-e|ruby\s+-e"
    r"|node\s+-e|php\s+-r|(?:ba|z|da|k)?sh\s+-c|bash\s+[-<]|xargs\s|find\s[^\n]{0,80}-(?:delete"
    r"|exec)"
    r"|git\s+(?:push|reset|clean|config|remote|filter-branch|rebase|checkout\s+--|gc|reflog)(?!-)"
    r"|gh\s+(?:api|auth|secret|repo|pr\s+merge)"
    r"|npx\s+(?:-y\s|--yes|@?[\w/.-]{1,80}@)|uvx\s|pipx\s|(?:pip3?|uv\s+pip|conda|brew|apt|apt-get|yum|dnf|apk|gem"
    r"|snap|choco|winget)\s+(?:install|add)\s+(?!-e\s|-r\s|\.)\S"
    r"|(?:uv|poetry|pdm|cargo|go|yarn|pnpm|bun|composer)\s+(?:add|get|install)\s+(?!--?\w+$"
    r"|--?\w+\s*$|\.)\S|npm\s+(?:i|install|add|exec|publish|config|link)\s+(?!--?\w+\s*$)\S"
    r"|docker\s+(?:run|exec|cp|push|login|system|rm|rmi|volume)\b|kubectl\s+(?:delete|apply|exec|edit"
    r"|patch|scale|drain|create|cp|port-forward|replace)\b"
    r"|helm\s+(?:install|upgrade|uninstall|delete|repo)\b|terraform\s+(?:apply|destroy|import"
    r"|state\s+(?:rm|mv|push))"
    r"|tofu\s+(?:apply|destroy)"
    r"|drop\s+(?:table|database|schema|user)|truncate\s+table|delete\s+from|grant\s+all"
    r"|alter\s+(?:user|role)|dropdb|flushall|flushdb"
    r"|aws\s+s3|aws\s+iam|gcloud\s|az\s+login|gsutil\s|rclone\s|ngrok|cloudflared|tailscale\s)",
    re.IGNORECASE,
)
_FLAGS = screened(
    r"(?<![\w-])--(?:force|no-verify|hard|yes|no-gpg-sign|insecure|privileged|no-check-certificate"
    r"|allow-root|unsafe\w*"
    r"|dangerously[\w-]*|skip-[\w-]+|no-sandbox|disable-[\w-]+|extra-index-url|index-url"
    r"|trusted-host|registry|no-audit"
    r"|ignore-scripts=false|unsafe-perm|yolo|auto-approve|accept-[\w-]+|no-confirm|noconfirm)"
    r"|(?<!\w)-k\s+https?:",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    r"\b(?:deploy|publish|release|upload|destroy|delete|drop|wipe|purge|prune|reset|rollback|push"
    r"|apply|send|login)\b",
    re.IGNORECASE,
)
_CODE = screened(r"(?<!`)`([^`\n]{1,400})`(?!`)")
_PLACEHOLDER = re.compile(r"<[a-z][a-z _-]{0,30}>")
_PRINTS = re.compile(
    r"\bawk (?:-F\S{1,3} )?'\{ ?print [$\w, \"-]{1,60}\}'|\bsed -n '[\d,$]{1,20}p'"
)
"""Calls that only show a part of each line."""
_FENCE = screened(
    r"^[ ]{0,3}(?:```|~~~)[ ]*([\w+-]*)[^\n]*\n(.*?)(?:^[ ]{0,3}(?:```|~~~)|\Z)",
    re.DOTALL | re.MULTILINE,
)
_SHELLS = frozenset(
    {"", "sh", "bash", "zsh", "shell", "console", "terminal", "fish", "powershell", "bat", "cmd"}
)
_CALLS = screened(
    r"\bos\.(?:system|popen|remove|unlink|exec\w+|spawn\w+)|\bsubprocess\b|\beval\s*\(|\bexec\s*\("
    r"|__import__|\bcompile\s*\(|\.__(?:globals|mro|subclasses|builtins)__|\bpopen\s*\("
    r"|\bpickle\.|\bmarshal\.|\bctypes\b|\bshutil\.rmtree|\bsocket\.|\burllib|\brequests\.(?:get"
    r"|post|put)|\bhttpx\."
    r"|\bchild_process\b|\bfetch\s*\(|\bXMLHttpRequest|\bnew\s+Function|\bprocess\.env\b"
    r"|\bos\.environ\b|\bbase64\b|\batob\s*\("
    r"|\bRuntime\.getRuntime|\bProcessBuilder|\bnet/http|\bimportlib\b"
    r"|\bgetattr\s*\(\s*__builtins__|\.decode\(['\"]hex",
)
_ARGUMENT = re.compile(r"\s*(?:-{1,2}\w|[./~$|&>\"']|[\w.+-]+@|\w+://|\w[\w-]*[./]\w)")
"""What a tool is called with."""
_SCRIPT = re.compile(
    r"(?:\.{1,2}|~)/|.*/s?bin/|.*\.(?:sh|py|rb|pl|js|ts|ps1|bat|cmd|exe|php|lua)\Z"
)
_UNKNOWN = "A command that no rule knows."
_PART = re.compile(r"\s*(?:&&|\|\||;)\s*")
_INLINE_SHELL = screened(r"!`[^`\n]+`|\$\{HERMES_\w+\}")
_PLAIN_CODE = re.compile(
    r"(?:from|import|def|class|return|select|const|let|var|async|await|fn|func|type|interface)\b"
    r"|[\w.]+\s*(?::|=|\(|<|>=?|->)|[A-Z_]+=|[<({\[#@\"'%]|[\w/.-]+\s*→"
)


@signed(_CODE, _FENCE)
def _commands(subject: Subject) -> Iterator[Hit]:
    return (hit for hit in _problems(subject) if hit.message != _UNKNOWN)


@signed(_CODE, _FENCE)
def _unknown(subject: Subject) -> Iterator[Hit]:
    return (hit for hit in _problems(subject) if hit.message == _UNKNOWN)


def _problems(subject: Subject) -> Iterator[Hit]:
    for piece in subject.pieces:
        for start, code, is_shell in _code_of(piece):
            if code.strip() and code.strip() not in subject.live_text:
                problem = _judge(code.strip(), piece.place, is_shell=is_shell)
                if problem:
                    yield Hit(problem, Span(start, start + len(code)))


def _code_of(piece: Piece) -> Iterator[tuple[int, str, bool]]:
    """Each command of a text: code in backticks, and the lines of shell blocks."""
    text = piece.text[:HOLD_LIMIT]
    fences = list(_FENCE.finditer(text))
    for fence in fences:
        if fence.group(1).lower() in _SHELLS:
            offset = fence.start(2)
            for line in fence.group(2).splitlines(keepends=True):
                yield offset, line.rstrip("\n"), True
                offset += len(line)
    for found in _CODE.finditer(text):
        if not any(fence.start() <= found.start() < fence.end() for fence in fences):
            yield found.start(1), found.group(1), False


def _judge(code: str, place: Place, *, is_shell: bool) -> str | None:
    """What stands against a piece of code, or None when it is a plain call of a known tool."""
    command = re.sub(r"^[$>%]\s+", "", code)
    if command.startswith("#") or (not is_shell and " " not in command):
        return None if command.startswith("#") else _judge_word(command)
    command = _PRINTS.sub("cut -f1", _PLACEHOLDER.sub("NAME", command))
    if _FLAGS.search(command):
        return "A command that switches a safeguard off."
    if "$(" in command or "`" in command or re.search(r"(?<![=-])>(?!=)|<\(|&\s*$|<<", command):
        return "A command with a redirection or a substitution."
    if place is Place.MEMORY and _CHANGES.search(command):
        return "A command that changes something outside the project."
    return _judge_parts(command, is_shell=is_shell)


def _judge_word(word: str) -> str | None:
    if _SCRIPT.match(word) and not word.endswith("/"):
        return "A script that the home does not know."
    return None


def _judge_parts(command: str, *, is_shell: bool) -> str | None:
    for part in _PART.split(command):
        first, *filters = re.split(r"\s*\|\s*", part)
        if any(stage.split(" ")[0] not in _FILTERS for stage in filters):
            return "A command whose output goes into another program."
        words = [w for w in first.split() if not re.fullmatch(r"[A-Z_][A-Z0-9_]*=\S*", w)]
        if not words or words[0].lower() in _TOOLS:
            continue
        if problem := _judge_word(words[0]):
            return problem
        if not _reads_as_code(first, is_shell=is_shell):
            return _UNKNOWN
    return None


def _reads_as_code(part: str, *, is_shell: bool) -> bool:
    return not is_shell and (bool(_PLAIN_CODE.match(part)) or part.startswith("--"))


@signed(_DANGER, _FLAGS)
def _danger(subject: Subject) -> Iterator[Hit]:
    for piece in subject.pieces:
        for found in _FLAGS.finditer(piece.text[:HOLD_LIMIT]):
            yield Hit("A command that can do harm.", Span(*found.span()))
        for found in _harm(subject, piece):
            if not _is_named(piece, found):
                yield Hit("A command that can do harm.", Span(*found.span()))


@signed(_DANGER)
def _tools_of_harm(subject: Subject) -> Iterator[Hit]:
    for piece in subject.pieces:
        for found in _harm(subject, piece):
            if _is_named(piece, found):
                yield Hit("It names a tool that can do harm.", Span(*found.span()))


@lru_cache(maxsize=4)
def _dangers(text: str) -> tuple[re.Match[str], ...]:
    """Two rules ask for them one after the other."""
    return tuple(_DANGER.finditer(text))


def _harm(subject: Subject, piece: Piece) -> Iterator[re.Match[str]]:
    text = piece.text[:HOLD_LIMIT]
    for found in _dangers(text):
        line = text[text.rfind("\n", 0, found.start()) + 1 :].partition("\n")[0].strip()
        if line not in subject.live_text:
            yield found


def _is_named(piece: Piece, found: re.Match[str]) -> bool:
    """Whether a sentence only speaks of a tool: one word of it, outside of code, nothing to do."""
    if piece.place is not Place.MEMORY or " " in found.group().strip():
        return False
    text = piece.text[:HOLD_LIMIT]
    is_code = any(start <= found.start() < start + len(code) for start, code, _ in _code_of(piece))
    return not is_code and _ARGUMENT.match(text, found.end()) is None


@signed(_CALLS)
def _calls(piece: Piece) -> Iterator[Hit]:
    for found in _CALLS.finditer(piece.text[:HOLD_LIMIT]):
        yield Hit(
            "Code that starts programs, reads secrets or uses the network.", Span(*found.span())
        )


@signed(_INLINE_SHELL)
def _inline_shell(piece: Piece) -> Iterator[Hit]:
    for found in _INLINE_SHELL.finditer(piece.text[:HOLD_LIMIT]):
        yield Hit("Hermes would run this whenever it loads the skill.", Span(*found.span()))


_TEST_COMMAND = "Tests run with `./run-tests all`."

RULES = (
    Rule(
        name="command",
        looks_at=LooksAt.TEXT,
        severity=Severity.LOW,
        reason="Only plain calls of well-known tools are no risk to repeat.",
        check=_commands,
        hits=(
            _TEST_COMMAND,
            "Start with `./start.sh`.",
            "Count with `cat log | sh`.",
            "Deploy with `make deploy`.",
        ),
        misses=(
            Subject(
                edits=(MemoryAdd("memories/MEMORY.md", _TEST_COMMAND),), live_text=_TEST_COMMAND
            ),
            "Tests run with `uv run pytest -q`; `just` lists the tasks.",
            "Needs `REDIS_URL`; commits look like `feat: add x`.",
            SkillCreate(
                "notes", "1. Run `make test`.\n\n```sh\n# look\ngit log --oneline | head\n```\n"
            ),
        ),
    ),
    Rule(
        name="unknown-command",
        looks_at=LooksAt.TEXT,
        severity=Severity.LOW,
        reason="What a command does that nobody knows is for a person to find out.",
        check=_unknown,
        hits=(
            "Start with `frobnicate --all now`.",
            SkillCreate("notes", "```sh\nfrobnicate --all\n```\n"),
        ),
        misses=("Tests run with `uv run pytest -q`.", "Count with `cat log | sh`."),
        holds=Holds.UNLESS_CLEAR,
    ),
    Rule(
        name="dangerous-command",
        looks_at=LooksAt.TEXT,
        severity=Severity.HIGH,
        reason="A remembered command is run again without anybody looking at it.",
        check=_danger,
        hits=(
            "Clean up with rm -rf build.",
            "Use `sudo` for installs.",
            "Install with sudo ./install.",
            "Commit with --no-verify.",
            SkillCreate("notes", "Run `pip install acme-helper`."),
        ),
        misses=(
            "Install with `pip install -e .`.",
            "Prefers git rebase-free histories.",
            "Integration tests need Docker running.",
            "Use sudo for installs.",
        ),
    ),
    Rule(
        name="tool-of-harm",
        looks_at=LooksAt.MEMORY,
        severity=Severity.LOW,
        reason="Where a tool is named that can do harm, it may be meant to be used.",
        check=_tools_of_harm,
        hits=("Use sudo for installs.", "SSH on the router is open to all."),
        misses=("Clean up with `rm -rf build`.", "Runs Docker on the laptop."),
        holds=Holds.UNLESS_CLEAR,
    ),
    Rule(
        name="dangerous-code",
        looks_at=LooksAt.TEXT,
        severity=Severity.MEDIUM,
        reason="Code that starts programs or uses the network is for a person to read.",
        check=in_text(ANYWHERE, _calls),
        hits=(
            "Calls os.system(x).",
            "{{ a.__init__.__globals__ }}",
            SkillCreate("notes", "```python\nimport subprocess\n```"),
        ),
        misses=(
            "The parser is a plain function.",
            SkillCreate("notes", "```python\nprint(1)\n```"),
        ),
    ),
    Rule(
        name="inline-shell",
        looks_at=LooksAt.TEXT,
        severity=Severity.HIGH,
        reason="Hermes can run commands inside a skill while it loads it.",
        check=in_text(ANYWHERE, _inline_shell),
        hits=(SkillCreate("notes", "Today is !`date`."),),
        misses=(SkillCreate("notes", "Great! `date` prints the date."),),
    ),
)
