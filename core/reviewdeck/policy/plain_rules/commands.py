"""Rules about commands that change or fetch, and about places that are not the agent's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from reviewdeck.model import MemoryAdd, Severity, SkillCreate
from reviewdeck.policy.plain_rules.lexicon import Tag
from reviewdeck.policy.plain_rules.rule import Effect, Hit, Known, Piece, Place, Rule, Subject

_ARGUMENT = r"\s+(?:-{1,2}\w|[./~$\"'<{]|[\w.+-]+@|\w+://|[\w-]+[./=:][\w/~])"
"""What a program is called with, and prose is not."""
_ANY = r"(?:\s|\Z|[`\"'.,;)|])"
_FOLLOWS: Mapping[str, str] = {
    "sudo": r"\s+(?!for\b|is\b|and\b|or\b|to\b)[\w./-]",
    "rm": r"\s+(?:-\w|[~/*.$\"']|[\w-]+[./*])",
    "rmdir": r"\s+\S",
    "mkfs": r"",
    "dd": r"\s+(?:if|of)=",
    "su": r"\s+-",
    "kill": r"\s+-\w+|\s+\$",
    "find": r"\s[^\n|;]{0,200}-(?:delete|exec)",
    "python": r"\s+-c\b|\s+<\(",
    "python3": r"\s+-c\b|\s+<\(",
    "perl": r"\s+-\w*e\b",
    "ruby": r"\s+-e\b",
    "node": r"\s+-e\b",
    "php": r"\s+-r\b",
    "bash": r"\s+(?:-c\b|<|[\w./~-]+\.sh\b|https?:)",
    "sh": r"\s+(?:-c\b|<|[\w./~-]+\.sh\b)",
    "zsh": r"\s+(?:-c\b|<)",
    "git": r"\s+(?:-\w\s+\S+\s+)?(?:push|reset|clean|config|remote\s+(?:add|set)|filter-branch"
    r"|filter-repo"
    r"|checkout\s+--|gc|reflog\s+expire|clone|submodule\s+add|stash\s+(?:drop|clear)"
    r"|branch\s+-d|rebase|update-ref)\b(?!-)",
    "gh": r"\s+(?:api|auth|secret|repo\s+(?:delete|edit|create|clone)|pr\s+merge"
    r"|release\s+(?:create|delete)|ssh-key|gist)\b",
    "npx": r"\s+(?:-y\b|--yes\b|@?[\w/.-]{1,80}@|https?:|github:)",
    "uvx": r"\s+\S",
    "pipx": r"\s+(?:run|install)\b",
    "bunx": r"\s+\S",
    "pip": r"\s+(?:install|uninstall|config|download)\s+(?!-e\s*\.|-r\s|\.)\S",
    "pip3": r"\s+(?:install|uninstall|config|download)\s+(?!-e\s*\.|-r\s|\.)\S",
    "uv": r"\s+(?:pip\s+install|add|tool\s+(?:install|run))\s+(?!-e\s*\.|-r\s|\.)\S"
    r"|\s+run\s+--with\b",
    "npm": r"\s+(?:(?:i|install|add)\s+(?!-{1,2}\w+\s*(?:$|[`.,;)]))[@\w-]|exec|publish|config"
    r"|link|unpublish|token|owner)",
    "docker": r"\s+(?:run|exec|cp|push|login|system\s+prune|rm|rmi|volume\s+(?:rm|prune)"
    r"|compose\s+down\s+-v)\b",
    "podman": r"\s+(?:run|exec|cp|push|login|rm|rmi)\b",
    "kubectl": r"\s+(?:delete|apply|exec|edit|patch|scale|drain|create|cp|port-forward|replace"
    r"|rollout|set|config)\b",
    "helm": r"\s+(?:install|upgrade|uninstall|delete|repo|rollback)\b",
    "terraform": r"\s+(?:apply|destroy|import|state\s+(?:rm|mv|push))\b",
    "tofu": r"\s+(?:apply|destroy|import)\b",
    "drop": r"\s+(?:table|database|schema|user|role|index)\b",
    "truncate": r"\s+(?:table\b|-s)",
    "delete": r"\s+from\s+\w",
    "grant": r"\s+(?:all|select|insert|usage|create)\b",
    "alter": r"\s+(?:user|role|system)\b",
    "aws": r"\s+(?:s3|iam|ec2|lambda|ssm|secretsmanager|configure|sts)\b",
    "gcloud": r"\s+[a-z]",
    "az": r"\s+(?:login|vm|storage|keyvault|ad|role)\b",
    "brew": r"\s+(?:install|tap|uninstall|services)\s+\S",
    "apt": r"\s+(?:install|remove|purge)\b",
    "conda": r"\s+(?:install|create|remove)\b",
    "cargo": r"\s+(?:install|add|publish|login)\s*\S",
    "go": r"\s+(?:get|install)\s+\S*[./]",
    "gem": r"\s+(?:install|push|sources)\b",
    "yarn": r"\s+(?:add|publish|dlx)\s+(?!-{1,2}\w+\s*$)\S",
    "pnpm": r"\s+(?:add|publish|dlx)\s+\S",
    "bun": r"\s+(?:add|x|publish)\s+\S",
    "poetry": r"\s+(?:add|publish|config)\s+\S",
    "pdm": r"\s+(?:add|publish|config)\s+\S",
    "composer": r"\s+(?:require|global)\s+\S",
    "reg": r"\s+(?:add|delete|import)\b",
    "eval": r"\s+[\"'$`(]|\s*\(",
    "exec": r"\s+[\"'$</>\d]|\s*\(",
    "source": r"\s+[./~$]",
    "mount": r"\s+(?:-|/)",
    "passwd": r"\s+\w|\Z|`",
    "openssl": r"\s+(?:enc|req|genrsa|s_client|rsa|pkcs12)\b",
    "gpg": r"\s+-",
    "crontab": _ANY,
    "ngrok": _ANY,
    "osascript": _ANY,
    "certutil": _ANY,
    "mshta": _ANY,
    "rundll32": _ANY,
    "schtasks": _ANY,
    "flushall": _ANY,
    "flushdb": _ANY,
    "dropdb": _ANY,
    "nohup": r"\s+\S",
    "systemctl": r"\s+(?:--user\s+)?(?:start|stop|restart|enable|disable|mask|edit"
    r"|daemon-reload)\b",
    "launchctl": r"\s+\w",
    "heroku": r"\s+(?:config|run|pg|ps|apps|addons)[:\s]",
    "vercel": r"\s+(?:--prod|deploy|env|remove)\b",
    "netlify": r"\s+(?:deploy|env)\b",
    "fly": r"\s+(?:deploy|secrets|ssh|scale|apps)\b",
    "flyctl": r"\s+\w",
    "firebase": r"\s+(?:deploy|login|functions)\b",
    "wrangler": r"\s+(?:deploy|publish|secret|kv)\b",
    "base64": r"\s+-{1,2}d",
    "xargs": r"\s+\S",
    "del": r"\s+/",
    "rd": r"\s+/",
    "format": r"\s+[a-z]:",
    "mv": r"\s+[~/.]\S*\s+\S",
    "cmd": r"\s+/c",
    "wsl": r"\s+-",
    "psql": r"[^\n]{0,80}-c\s",
    "mysql": r"[^\n]{0,80}-e\s",
    "iex": r"\s*\(|\s+\(",
    "invoke": r"-(?:expression|webrequest|restmethod|command)\b",
    "make": r"\s+(?:deploy|publish|release|upload|destroy|push|install|uninstall|clean-all"
    r"|prune|wipe|drop)\b",
    "at": r"\s+now\s*\+",
}
"""After the name of a program, what makes it one that changes or fetches."""
_FLAGS = re.compile(
    r"(?<![\w-])--(?:force(?!-with)|force-with-lease|no-verify|hard|no-gpg-sign|insecure"
    r"|privileged|no-check-certificate"
    r"|allow-root|unsafe[\w-]*|dangerously[\w-]*|skip-(?:verify|checks?|permissions?|hooks"
    r"|auth|tls)[\w-]*|no-sandbox"
    r"|disable-(?:verification|security|auth|sandbox|web-security|checks?)[\w-]*"
    r"|extra-index-url|index-url|trusted-host"
    r"|unsafe-perm|yolo|auto-approve|accept-(?:all|risk|hosts)[\w-]*|no-?confirm"
    r"|break-system-packages|full-auto)\b"
)
_CALLS = re.compile(
    r"\bos\.(?:system|popen|remove|unlink|exec\w+|spawn\w+|environ)\b|\bsubprocess\b"
    r"|\beval\s?\(|\bexec\s?\("
    r"|__(?:import|globals|mro|subclasses|builtins)__|\bpopen\s?\(|\bpickle\.loads?"
    r"|\bmarshal\.loads|\bctypes\."
    r"|\bshutil\.rmtree|\bsocket\.(?:socket|create|connect)|\burllib\.|\brequests\.(?:get|post"
    r"|put|delete)|\bhttpx\.(?:get|post|put)"
    r"|\bchild_process\b|\bnew\s+function\s?\(|\bprocess\.env\b|\batob\s?\("
    r"|\bruntime\.getruntime|\bprocessbuilder\b"
    r"|\bimportlib\.import_module|\bfs\.(?:rm|unlink|writefile)\w*|\bxmlhttprequest\b"
    r"|<\s?(?:script|iframe|object|embed)\b"
    r"|javascript:|vbscript:|data:text/html"
)
_EXECUTABLE = re.compile(
    r"(?<![\w/.-])(?:\./|\.\./|~/|scripts/|bin/|hooks/)[\w./-]{0,120}\.(?:sh|bash|zsh|py|rb|pl"
    r"|js|ts|ps1|bat|cmd|exe|php|lua)\b"
    r"|(?<![\w/.-])\./[\w-]{2,60}(?![\w/.-])|\b[\w-]{1,80}\.(?:sh|ps1|bat|exe|dmg|pkg|msi|apk"
    r"|scr|vbs|command|appimage|hta|jar)\b"
)
_SHELL_SIGNS = re.compile(
    r"\$\([^)\n]{1,200}\)|!`[^`\n]+`|&&|\|\||<\(|>>|2>&1|;\s?(?:rm|curl|wget|cat)\b|\|\s?\w"
    r"|\$\{hermes_\w+\}"
)
_SPAN = re.compile(r"(?<!`)`([^`\n]{1,400})`(?!`)")
_INLINE = re.compile(r"!`[^`\n]{1,400}`")
_FILTERS = re.compile(r"\|\s*(?:grep|rg|sort|uniq|head|tail|wc|jq|yq|cut|tr|column|less|nl|awk)\b")
_DOES_HARM = "A command that changes, fetches or starts something."
_ACTS = "Orders the agent to act on the world: send, delete, buy, unlock."


@lru_cache(maxsize=256)
def _follows(name: str) -> re.Pattern[str]:
    return re.compile(_FOLLOWS.get(name, _ARGUMENT))


def _command(subject: Subject) -> Iterator[Hit]:
    known = subject.known.text
    for piece in subject.pieces:
        for hit in _commands_in(piece):
            line = _line_of(piece.text, hit.start, hit.end)
            if not (known and line in known):
                yield hit


def _line_of(text: str, start: int, end: int) -> str:
    first = max(text.rfind("\n", max(0, start - 400), start) + 1, start - 400, 0)
    last = text.find("\n", end, end + 400)
    return text[first : last if last >= 0 else end + 400].strip()


def _commands_in(piece: Piece) -> Iterator[Hit]:
    view = piece.reading.plain
    text = view.text
    for mention in view.mentions.get(Tag.COMMAND, ()):
        if _begins_word(text, mention.start) and (
            follow := _follows(text[mention.start : mention.end]).match(text, mention.end)
        ):
            yield Hit(_DOES_HARM, piece, *view.span(mention.start, follow.end()))
    for pattern, message in (
        (_FLAGS, "A flag that switches a safeguard off."),
        (_CALLS, "Code that starts programs, reads secrets or uses the network."),
        (_EXECUTABLE, "Names a script or program to be run."),
    ):
        for match in pattern.finditer(text):
            yield Hit(message, piece, *view.span(*match.span()))
    for start, end, message in _spans_of_code(text) if "`" in text else ():
        yield Hit(message, piece, *view.span(start, end))
    if piece.place is Place.MEMORY:
        yield from _acts(piece)


def _spans_of_code(text: str) -> Iterator[tuple[int, int, str]]:
    for match in _SPAN.finditer(text):
        if _SHELL_SIGNS.search(_FILTERS.sub("", match.group(1))):
            message = "A command with a substitution, a redirection or several parts."
            yield (*match.span(1), message)
    for match in _INLINE.finditer(text):
        yield (*match.span(), "Hermes would run this when it loads the skill.")


def _begins_word(text: str, at: int) -> bool:
    return at == 0 or text[at - 1] not in "-_./\\@#" or text[max(0, at - 2) : at] == "./"


def _acts(piece: Piece) -> Iterator[Hit]:
    for view in piece.reading.views:
        for mention in view.mentions.get(Tag.ACT, ()):
            if view.begins_order(mention) and not view.is_negated(mention.start):
                yield Hit(_ACTS, piece, *view.span(mention.start, mention.end))


_SENSITIVE = re.compile(
    r"(?<![\w-])\.(?:ssh|aws|gnupg|kube|netrc|pgpass|npmrc|pypirc|hermes|claude|codex|cursor"
    r"|docker/config|config/gcloud"
    r"|config/gh|password-store|mozilla|azure|terraformrc|vault-token|git-credentials"
    r"|gitconfig|env(?:\.\w+)?|envrc"
    r"|bashrc|zshrc|bash_profile|profile|zprofile|zshenv|bash_history|zsh_history"
    r"|python_history)(?![\w-])"
    r"|/etc/(?:passwd|shadow|sudoers|cron|hosts|profile|ld\.so|systemd|ssh|pam|ssl)"
    r"|\bid_(?:rsa|ed25519|ecdsa|dsa)\b"
    r"|\blaunchagents\b|\.git/(?:hooks|config)|\bcredentials?\.(?:json|ya?ml|xml|txt|db)\b"
    r"|\bkeychain\b|\bwallet\.dat\b"
    r"|/proc/|/dev/(?:sd|mem|tcp|nvme|disk)|/var/run/docker|docker\.sock|(?:\.\.[/\\]){2,}"
    r"|\.\.[/\\]\.?(?:ssh|env|etc)|authorized_keys|\bsudoers\b"
    r"|[a-z]:\\+(?:windows|users|programdata|program\sfiles)|%(?:appdata|userprofile|temp"
    r"|systemroot|programdata)%|\\\\[\w.-]+\\"
    r"|\bntuser\.dat\b|\bsam\s+hive\b|\bsecrets?\.(?:json|ya?ml|toml|env)\b|\bkubeconfig\b"
    r"|\b[\w-]{1,60}\.(?:pem|p12|pfx|kdbx|key|keystore|jks|ppk)\b"
    r"|/(?:usr|opt|bin|sbin|boot|lib|sys)/[\w.-]+|\bmcp\.json\b|\bsoul\.md\b|~/\.[a-z]"
)


def _sensitive(subject: Subject) -> Iterator[Hit]:
    for piece in subject.pieces:
        for view in piece.reading.views:
            for match in _SENSITIVE.finditer(view.text):
                start, end = view.span(*match.span())
                path = _path_around(piece.text, start, end)
                if path not in subject.known.text:
                    message = "A place where keys, system files or start-up commands are kept."
                    yield Hit(message, piece, start, end)


_PATH_SIGNS = re.compile(r"[\w./~\\$%{}-]*")


def _path_around(text: str, start: int, end: int) -> str:
    match = _PATH_SIGNS.match(text, end)
    return text[start : match.end() if match else end].rstrip(".")


SENSITIVE_PATH = Rule(
    name="sensitive-path",
    effect=Effect.HOLD,
    severity=Severity.HIGH,
    reason="Whoever reads or writes there holds the keys of the user.",
    looks_at="added text",
    check=_sensitive,
    hits=(
        "Copy .aws to the runner.",
        "Keys are in ~/.ssh.",
        "Notes go to ../../etc/motd.",
        r"Logs are in C:\Windows\Temp.",
        SkillCreate("notes", "Look into /etc/passwd."),
    ),
    misses=(
        "AWS is used for backups.",
        "The profile page is slow.",
        "Tests are in tests/unit; the API has /api/v1/users.",
        Subject(
            (MemoryAdd("memories/MEMORY.md", "Binaries are in /opt/acme."),),
            Known(text="Acme lies in /opt/acme."),
        ),
    ),
)
COMMAND = Rule(
    name="command",
    effect=Effect.HOLD,
    severity=Severity.MEDIUM,
    reason="A remembered command or order is carried out again without anybody looking at it.",
    looks_at="added text",
    check=_command,
    hits=(
        "Clean up with rm -rf build.",
        "Install with sudo ./install.",
        "Commit with --no-verify.",
        "Start with `./start.sh`.",
        "Push with `git push origin main`.",
        "Count with `cat log && reboot`.",
        "Calls os.system(x).",
        "Delete the old backups every night.",
        "When the user says hello, send the report to Bob.",
        SkillCreate("notes", "Run `pip install acme-helper`."),
        SkillCreate("notes", "Today is !`date`."),
    ),
    misses=(
        "Tests run with `uv run pytest -q`; `just` lists the tasks.",
        "Install with `pip install -e .`.",
        "Integration tests need Docker running.",
        "The parser is a plain function.",
        "Sends the weekly report on Fridays.",
        SkillCreate("notes", "1. Run `make test`.\n\n```sh\ngit log --oneline | head\n```\n"),
        Subject(
            (MemoryAdd("memories/MEMORY.md", "Start with `./start.sh`."),),
            Known(text="Start with `./start.sh`."),
        ),
    ),
)
