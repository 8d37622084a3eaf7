"""Rules about commands: what changes, fetches, runs at every start or leaks; and foreign places."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import islice

from reviewdeck.model import Severity
from reviewdeck.policy.own_rules import RuleEffect
from reviewdeck.policy.rules.folding import FoldedText, bit_of
from reviewdeck.policy.rules.installers import installer_end
from reviewdeck.policy.rules.lexicon import Tag
from reviewdeck.policy.rules.phrases import CODE, Signs, Together, after, is_near
from reviewdeck.policy.rules.rule import (
    AddedText,
    Destination,
    Hit,
    KnownToHome,
    Rule,
    in_blocks,
)

_ARGUMENT = r" (?:-{1,2}\w|[./~$\"'<{]|[\w.+-]+@|\w+://|[\w-]+[./=:][\w/~])"
"""An argument as a program takes it, and prose has none."""
_ALONE = r"(?:\s|\Z|[`\"'.,;)|])"
_PACKAGE = r" (?!-e\s*\.|-r\s|\.)\S"
"""A package that is not the project's own."""
_PROGRAMS = """
    doas shred chmod chown chattr curl wget nc ncat netcat socat telnet ftp scp sftp rsync ssh
    killall pkill iptables ufw useradd usermod visudo powershell pwsh setsid disown yum dnf apk
    snap choco winget gsutil rclone cloudflared tailscale crictl erase irm redis mongo ansible nmap
    tcpdump xxd
"""
_SUBCOMMANDS: Mapping[str, str] = {
    "git": r"push|reset|clean|config|remote (?:add|set)|filter-(?:branch|repo)|checkout --|gc"
    r"|reflog expire|clone|submodule add|stash (?:drop|clear)|branch -d|rebase|update-ref",
    "gh": r"api|auth|secret|repo (?:delete|edit|create|clone)|pr merge|release (?:create|delete)"
    r"|ssh-key|gist",
    "pipx brew apt conda gem": r"install|uninstall|run|tap|services|remove|purge|create|push"
    r"|sources",
    "helm": r"install|upgrade|uninstall|delete|repo|rollback",
    "npm": r"exec|publish|config|link|unpublish|token|owner",
    "docker podman": r"run|exec|cp|push|login|system prune|rmi?|volume (?:rm|prune)"
    r"|compose down -v",
    "kubectl": r"delete|apply|exec|edit|patch|scale|drain|create|cp|port-forward|replace|rollout"
    r"|set|config",
    "terraform tofu": r"apply|destroy|import|state (?:rm|mv|push)",
    "drop": r"table|database|schema|user|role|index",
    "grant": r"all|select|insert|usage|create",
    "alter": r"user|role|system",
    "aws": r"s3|iam|ec2|lambda|ssm|secretsmanager|configure|sts",
    "az": r"login|vm|storage|keyvault|ad|role",
    "cargo": r"install|add|publish|login",
    "pnpm bun poetry pdm composer": r"add|x|publish|dlx|config|require|global",
    "reg": r"add|delete|import",
    "openssl": r"enc|req|genrsa|s_client|rsa|pkcs12",
    "systemctl": r"start|stop|restart|enable|disable|mask|edit|daemon-reload",
    "heroku vercel netlify fly flyctl firebase wrangler": r"config|run|pg|ps|apps|addons|--prod"
    r"|deploy|env|remove|secrets?|ssh|scale|login|functions|publish|kv",
    "make": r"deploy|publish|release|upload|destroy|push|(?:un)?install|clean-all|prune|wipe|drop",
}
"""Subcommands that make a program change or fetch something."""
_FORMS: Mapping[str, str] = {
    "sudo": r" (?!for\b|is\b|and\b|or\b|to\b)[\w./-]",
    "rm": r" (?:-\w|[~/*.$\"']|[\w-]+[./*])",
    "rmdir uvx bunx nohup xargs gcloud launchctl": r" \S",
    "crontab ngrok osascript certutil mshta rundll32 schtasks flushall flushdb dropdb": _ALONE,
    "mkfs": r"",
    "dd": r" (?:if|of)=",
    "su gpg wsl": r" -",
    "kill": r" (?:-\w+|\$)",
    "chmod": r" [0-7]{3,4}\b",
    "run running execute executing call calling start starting": r" (?:the )?[\w./-]{1,80}\."
    r"(?:py|sh|js|pl|rb)\b",
    "find": r"\s[^\n|;]{0,200}-(?:delete|exec)",
    "python python3 perl ruby node php": r" (?:-\w*[cer]\b|<\()",
    "bash sh zsh": r" (?:-c\b|<|[\w./~-]+\.sh\b|https?:)",
    "pip pip3": rf" (?:install|uninstall|config|download){_PACKAGE}",
    "npm yarn": r" (?:i|install|add) (?!-{1,2}\w+\s*(?:$|[`.,;)]))[@\w-]",
    "npx": r" (?:-y\b|--yes\b|@?[\w/.-]{1,80}@|https?:|github:)",
    "uv": rf" (?:(?:pip install|add|tool (?:install|run)){_PACKAGE}|run --with\b)",
    "truncate": r" (?:table\b|-s)",
    "delete": r" from \w",
    "insert": r" into \w",
    "update": r" \w+ set\b",
    "go": r" (?:get|install) \S*[./]",
    "eval exec": r" [\"'$`(</>\d]|\s*\(",
    "source": r" [./~$]",
    "mount": r" [-/]",
    "passwd": r" \w|\Z|`",
    "base64": r" -{1,2}d",
    "del rd": r" /",
    "format": r" [a-z]:",
    "mv": r" [~/.]\S* \S",
    "cmd": r" /c",
    "psql": r"[^\n]{0,80}-c\s",
    "mysql": r"[^\n]{0,80}-e\s",
    "iex": r"\s*\(",
    "invoke": r"-(?:expression|webrequest|restmethod|command)\b",
    "at": r" now\s*\+",
}
"""Calls of a program that change or fetch something."""
_IN_PARTS = "Runs a command with a substitution, a redirection or several parts."
_CHANGES = "Runs a command that changes, downloads or starts something."
_CALLS_OUT = "Has code that starts programs, reads secrets or uses the network."
_CALLED = Signs(
    after(_CHANGES, _PROGRAMS, _ARGUMENT),
    *(
        after(_CHANGES, names, rf" (?:-\S+ |--user )?(?:{subcommands})(?![\w-])")
        for names, subcommands in _SUBCOMMANDS.items()
    ),
    *(after(_CHANGES, names, form) for names, form in _FORMS.items()),
)
_CODE = Signs(
    after(_CALLS_OUT, "os", r"\.(?:system|popen|remove|unlink|exec\w+|spawn\w+|environ)\b"),
    after(_CALLS_OUT, "subprocess xmlhttprequest processbuilder", r"\b"),
    after(_CALLS_OUT, "eval exec popen atob", r"\s?\("),
    after(_CALLS_OUT, "import globals mro subclasses builtins", r"__"),
    after(_CALLS_OUT, "pickle marshal", r"\.loads?\b"),
    after(_CALLS_OUT, "ctypes urllib", r"\."),
    after(_CALLS_OUT, "shutil", r"\.rmtree"),
    after(_CALLS_OUT, "socket", r"\.(?:socket|create|connect)"),
    after(_CALLS_OUT, "requests httpx", r"\.(?:get|post|put|delete)"),
    after(_CALLS_OUT, "child", r"_process\b"),
    after(_CALLS_OUT, "new", r" function\s?\("),
    after(_CALLS_OUT, "process", r"\.env\b"),
    after(_CALLS_OUT, "runtime", r"\.getruntime"),
    after(_CALLS_OUT, "importlib", r"\.import_module"),
    after(_CALLS_OUT, "fs", r"\.(?:rm|unlink|writefile)"),
    after(_CALLS_OUT, "script", r"(?<=<script)(?! setup\b)"),
    after(_CALLS_OUT, "iframe object", r"(?<=<iframe)|(?<=<object)"),
    after(_CALLS_OUT, "javascript vbscript", r":"),
    after(_CALLS_OUT, "data", r":text/html"),
)
_ORDERS = Signs(
    Together(
        "Tells the agent to send, delete, buy or unlock something.",
        (Tag.ACT,),
        is_order=True,
        unless_negated=True,
        memory_only=True,
    ),
)
_FLAGS = re.compile(
    r"--(?<![\w-]--)(?:force(?!-with)|force-with-lease|no-verify|hard|no-gpg-sign|insecure"
    r"|privileged|no-check-certificate|allow-root|unsafe[\w-]*|dangerously[\w-]*"
    r"|skip-(?:verify|checks?|permissions?|hooks|auth|tls)[\w-]*|no-sandbox"
    r"|disable-(?:verification|security|auth|sandbox|web-security|checks?)[\w-]*"
    r"|(?:extra-)?index-url|trusted-host|yolo|auto-approve|accept-(?:all|risk|hosts)[\w-]*"
    r"|no-?confirm|break-system-packages|full-auto)\b"
)
_EXECUTABLE = re.compile(
    r"\./(?<![\w/.-]\./)[\w-]{2,60}(?![\w/.-])"
    r"|\.(?<=[\w-]\.)(?:sh|bash|ps1|bat|cmd|exe|dmg|pkg|msi|apk|scr|vbs|command|appimage|hta"
    r"|jar)\b"
)
_SOURCE_FILE = re.compile(r"\.(?:zsh|py|rb|pl|js|ts|php|lua)\b")
_SCRIPT_FOLDERS = ("./", "~/", "scripts/", "bin/", "hooks/")
_LONGEST_PATH = 120
_PATH_REST = re.compile(r"[\w./-]*")
_SHELL_SIGNS = re.compile(
    r"\$\([^)\n]{1,200}\)|&&|\|\||<\(|>>|2>&1|;\s?(?:rm|curl|wget|cat)\b|\|\s?\w|\$\{hermes_\w+\}"
)
_SUBSTITUTION = re.compile(r"\$\(\s?\w[^()\n]{0,200}\)")
_FILTERS = re.compile(r"\|\s*(?:grep|rg|sort|uniq|head|tail|wc|jq|yq|cut|tr|column|less|nl|awk)\b")
_SPAN = re.compile(r"`(?<!``)([^`\n]{1,400})`(?!`)")


def _is_known_line(hit: Hit, known: KnownToHome) -> bool:
    """Whether the line stands in the home as it is: what is there already is no news."""
    if not known.text or hit.piece is None:
        return False
    return _line_of(hit.piece.text, hit.start, hit.end) in known.text


def _line_of(text: str, start: int, end: int) -> str:
    first = max(text.rfind("\n", max(0, start - 400), start) + 1, start - 400, 0)
    last = text.find("\n", end, end + 400)
    return text[first : last if last >= 0 else end + 400].strip()


def _commands_in(piece: AddedText) -> Iterator[Hit]:
    view = piece.reading.plain
    for sign, mention in _CALLED.mentions(view):
        if _begins_word(view.text, mention.start):
            yield Hit(sign.message, piece, *view.span(mention.start, mention.end))
    for sign, mention in _CODE.mentions(view):
        yield Hit(sign.message, piece, *view.span(mention.start, mention.end))
    for start, end, message in _written_in(view):
        yield Hit(message, piece, *view.span(start, end))
    if piece.place is Destination.MEMORY:
        for match in _SUBSTITUTION.finditer(view.text):
            yield Hit(_IN_PARTS, piece, *view.span(*match.span()))
    yield from _ORDERS.hits(piece)


def _begins_word(text: str, at: int) -> bool:
    return at == 0 or text[at - 1] not in "-_./\\@#" or text[max(0, at - 2) : at] == "./"


def _written_in(view: FoldedText) -> Iterator[tuple[int, int, str]]:
    text = view.text
    for match in _FLAGS.finditer(text):
        yield (*match.span(), "A flag that switches a safeguard off.")
    for match in _EXECUTABLE.finditer(text):
        yield (*_path_at(text, *match.span()), _NAMES_SCRIPT)
    for match in _SOURCE_FILE.finditer(text):
        if _is_below_script_folder(text, match.start()):
            yield (*_path_at(text, *match.span()), _NAMES_SCRIPT)
    for match in _SPAN.finditer(text):
        if text[match.start() - 1 : match.start()] == "!":
            yield (*match.span(), "A command that an agent may run when it loads the text.")
        elif _SHELL_SIGNS.search(_FILTERS.sub("", match.group(1))):
            yield (*match.span(1), _IN_PARTS)


_NAMES_SCRIPT = "Names a script or program to run."


def _is_below_script_folder(text: str, end: int) -> bool:
    """Whether the path that ends here begins in a folder from which scripts are run."""
    first = max(0, end - _LONGEST_PATH)
    starts = (text.rfind(folder, first, end) for folder in _SCRIPT_FOLDERS)
    return any(at >= 0 and _PATH_REST.fullmatch(text, at + 2, end) for at in starts)


_PATH = re.compile(r"[\w./~\\$%{}-]*")


def _path_at(text: str, start: int, end: int) -> tuple[int, int]:
    """The whole path or file name that this is a part of."""
    while start and end - start < 80 and (text[start - 1].isalnum() or text[start - 1] in "_./~-"):
        start -= 1
    match = _PATH.match(text, end)
    end = match.end() if match else end
    return start, end - 1 if text[end - 1] == "." else end


_SENSITIVE = re.compile(
    r"\.(?<![\w)\]-]\.)(?:ssh|aws|gnupg|kube|netrc|pgpass|npmrc|pypirc|hermes|claude|codex|cursor"
    r"|docker/config|config/gcloud|config/gh|password-store|mozilla|azure|terraformrc|vault-token"
    r"|git-credentials|gitconfig|env(?:\.\w+)?|envrc|bashrc|zshrc|bash_profile|profile|zprofile"
    r"|zshenv|bash_history|zsh_history|python_history)(?![\w-])"
    r"|/etc/(?:passwd|shadow|sudoers|cron|hosts|profile|ld\.so|systemd|ssh|pam|ssl)"
    r"|id_(?:rsa|ed25519|ecdsa|dsa)\b|launchagents\b|\.git/(?:hooks|config)"
    r"|credentials?\.(?:json|ya?ml|xml|txt|db)\b|keychain\b|wallet\.dat\b|/proc/"
    r"|/dev/(?:sd|mem|tcp|nvme|disk)|docker\.sock|(?:\.\.[/\\]){2,}|\.\.[/\\]\.?(?:ssh|env|etc)"
    r"|authorized_keys|sudoers\b|(?<![a-z])[a-z]:\\+(?:windows|users|programdata|program\sfiles)"
    r"|%(?:appdata|userprofile|temp|systemroot|programdata)%|(?<![\w\\])\\\\[\w.-]+\\(?=\w)|ntuser\.dat\b"
    r"|sam\s+hive\b|secrets?\.(?:json|ya?ml|toml|env)\b|kubeconfig\b"
    r"|\.(?<=[\w*]\.)(?:pem|p12|pfx|kdbx|keystore|jks|ppk)\b"
    r"|[/\\][\w-]{1,60}\.key\b(?!\s?[(=.\[])"
    r"|\b(?:private|server|client|tls|ssl|host|ca|cert|root)[\w-]{0,40}\.key\b(?!\s?[(=.\[])"
    r"|/(?<![\w.~@]/)(?:usr|opt|bin|sbin|boot|lib|sys)/[\w.-]+|mcp\.json\b|soul\.md\b|~/\.(?!fonts|icons|cache|local/share)[a-z]"
)
_NO_PATH = re.compile(
    r"#!\s?/(?:usr/(?:local/)?)?bin/[^\n]{0,80}"
    r"|(?:\bfrom\b|\bimport\b|\brequire\b)\s?\(?[\"'][^\"'\n]{1,120}[\"']"
)
"""A line that names its interpreter, and the path of a module."""
_KEYS = re.compile(
    r"\.(?:ssh|aws|gnupg|netrc|pgpass|password-store|git-credentials|vault-token|bash_history"
    r"|zsh_history|python_history|config/gcloud|config/gh|docker/config)\b"
    r"|/etc/(?:shadow|sudoers)|id_(?:rsa|ed25519|ecdsa|dsa)\b|authorized_keys|wallet\.dat"
    r"|ntuser\.dat|sam\s+hive|/dev/(?:sd|mem|tcp|nvme|disk)|docker\.sock|\.git/hooks|soul\.md"
)
"""Places of keys and of what starts by itself: named beside a command, they are grave."""
_TAKEN = re.compile(
    r"\b(?:cat|cp|scp|rsync|tar|zip|read|open|copy|upload|send|post|curl|wget|base64|grep|include"
    r"|attach|collect|write|append|echo|tee|print|show|paste|output|summari[sz]e|add)\b"
)


_PATH_WORDS = """
    ssh aws gnupg kube netrc pgpass npmrc pypirc hermes claude codex cursor docker config password
    mozilla azure terraformrc vault git gitconfig env envrc bashrc zshrc bash profile zprofile
    zshenv zsh python etc id launchagents credential credentials keychain wallet proc dev
    authorized sudoers windows users programdata program appdata userprofile temp systemroot ntuser
    sam secret secrets kubeconfig pem p12 pfx kdbx keystore jks ppk key usr opt bin sbin boot lib
    sys mcp soul
    """
_IN_PATHS = bit_of(_PATH_WORDS.split())
"""Words of which a sensitive path has one."""
_PATH_SIGNS = ("../", "..\\", "~/.", "\\\\")


def _sensitive(piece: AddedText) -> Iterator[Hit]:
    message = "Names a place of keys, system files or start-up commands."
    for view in piece.reading.views:
        if not (view.mask & _IN_PATHS or any(sign in view.text for sign in _PATH_SIGNS)):
            continue
        text = _NO_PATH.sub(lambda match: " " * len(match.group()), view.text)
        for match in _SENSITIVE.finditer(text):
            start, end = _path_at(piece.text, *view.span(*match.span()))
            severity = None
            if piece.place is not Destination.MEMORY and not _is_taken(text, *match.span()):
                severity = Severity.MEDIUM
            yield Hit(message, piece, start, end, severity=severity)


def _is_taken(text: str, start: int, end: int) -> bool:
    """Whether keys are read, sent or written in the line that names them."""
    first = text.rfind("\n", max(0, start - 200), start) + 1 or max(0, start - 200)
    last = text.find("\n", end, end + 120)
    line = text[first : last if last >= 0 else end + 120]
    return _KEYS.search(line) is not None and _TAKEN.search(line) is not None


def _is_known_path(hit: Hit, known: KnownToHome) -> bool:
    return hit.piece is not None and hit.piece.text[hit.start : hit.end] in known.text


SENSITIVE_PATH = Rule(
    name="sensitive-path",
    effect=RuleEffect.HOLD,
    severity=Severity.HIGH,
    reason="Access to these paths exposes the user's credentials.",
    looks_at="added text",
    check=in_blocks(_sensitive, _is_known_path),
)
COMMAND = Rule(
    name="command",
    effect=RuleEffect.HOLD,
    severity=Severity.MEDIUM,
    reason="The agent may repeat a stored command or order without review.",
    looks_at="added text",
    check=in_blocks(_commands_in, _is_known_line),
)


_NETWORK = frozenset(
    """
    curl wget nc ncat netcat scp iwr irm invoke telnet requests httpx urllib urlopen fetch
    xmlhttprequest http mail sendmail mutt dig nslookup aws
    """.split()  # noqa: SIM905
)
_OVER_NETWORK = re.compile(
    r"\b(?:curl|wget|nc|ncat|netcat|scp|iwr|irm|invoke-(?:webrequest|restmethod)|telnet"
    r"|requests\.(?:get|post|put)|httpx\.|urllib|urlopen|fetch\(|xmlhttprequest|http\.client|mail"
    r"|sendmail|mutt|dig|nslookup|aws\s+s3\s+(?:cp|sync))(?![\w-])"
)
_TAKES = re.compile(
    r"\$\{?\w{0,40}(?:key|token|secret|passw|cred|cookie|pwd)"
    r"|\$\(\s*(?:cat|env|printenv|base64|gpg|security)|os\.environ|process\.env"
    r"|(?:@|<\s?|\bcat\s+|-t\s+|-d\s+@?)\S{0,80}(?:\.env\b|id_rsa|id_ed25519|credentials|\.netrc"
    r"|\.pgpass|\.aws|\.ssh|shadow|/etc/passwd|wallet|cookies|history|\.kube)"
    r"|\b(?:printenv|env|history|cat|tar|gpg|base64|pass|security)\b[^|\n]{0,120}\|"
)
_OWN_HEADER = re.compile(
    r"(?:-h|--header|-u|--user|headers\s*=)\s*"
    r"(?:\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'|\{[^}\n]{0,200}\})"
)
"""A key in the header of its own service is how services are called."""
_IMAGE = re.compile(
    r"!\[[^\]\n]{0,80}\]\((?:https?:)?//[^()\s]{0,300}?[?&/=][^()\s]{0,200}?(?:\{|%7b|\$|<)"
)
_COMMAND_END = re.compile(r"\n(?<![\\|\n]\n)(?!\s{0,40}(?:\||&&))")
"""The end of a line that no backslash or pipe continues."""


def leaking_commands(view: FoldedText) -> Iterator[tuple[int, int]]:
    """Commands and image links that take secrets or files and give them to the network."""
    if "![" in view.text:
        yield from (match.span() for match in _IMAGE.finditer(view.text))
    for start, command in _commands(view, _NETWORK):
        bare = _OWN_HEADER.sub(lambda match: " " * len(match.group()), command)
        network, takes = _OVER_NETWORK.search(bare), _TAKES.search(bare)
        if network and takes:
            spans = (*network.span(), *takes.span())
            yield start + min(spans), start + max(spans)


def _commands(view: FoldedText, words: Set[str]) -> Iterator[tuple[int, str]]:
    """The commands that name one of these programs, each once, and where they start."""
    if words.isdisjoint(view.words):
        return
    text, done = view.text, 0
    ends = [*(match.end() for match in _COMMAND_END.finditer(text)), len(text)]
    for mention in view.mentions_of(words):
        if mention.start >= done:
            at = bisect_left(ends, mention.end)
            start = ends[at - 1] if at else 0
            done = ends[at]
            yield start, text[start:done]


_FETCHERS = frozenset(
    """
    curl wget fetch aria2c iwr irm invoke lynx base64 xxd echo printf downloadstring openssl iex
    exec eval requests urllib httpx powershell mshta regsvr32 certutil
    """.split()  # noqa: SIM905
)
_FETCHING = re.compile(
    r"\b(?:curl|wget|fetch|aria2c|iwr|irm|invoke-webrequest|invoke-restmethod|lynx"
    r"|base64\s+-{1,2}d\w*|xxd\s+-r|echo|printf|downloadstring|openssl)(?![\w-])"
)
_INTO_SHELL = re.compile(
    r"\|\s*(?:sudo\s+(?:-\w+\s+){0,3})?(?:env\s+|exec\s+|command\s+)?(?:\w{1,40}=\S{0,200}\s+){0,3}"
    r"(?:/[\w/.-]{0,60}/)?"
    r"(?:(?:ba|z|da|k|a|fi|c|tc)?sh|python[\d.]*|perl|ruby|node|deno|bun|php|lua|iex|pwsh"
    r"|powershell|source|invoke-expression|xargs\s+(?:-\w+\s+)*(?:ba|z)?sh)\b"
    r"(?!\s*(?:-m\s+json|-c\s+[\"']import\s+(?:sys|json)))"
)
_AT_ONCE = re.compile(
    r"(?:\b(?:(?:ba|z|da)?sh|eval|source|iex|exec|python3?|perl|ruby|node)\b\s*(?:-[ce]\s*)?|\.\s)"
    r"[\"'(<]{0,3}\s?(?:\$\(|<\(|`|\()\s*(?:curl|wget|iwr|irm|base64"
    r"|echo\s+[\"']?[a-z0-9+/=]{12,}|new-object\s+net)|\biex\s*\(|\binvoke-expression\b"
    r"|\bexec\s*\(\s*(?:requests|urllib|urlopen|httpx|base64|zlib|__import__)"
    r"|\beval\s*\(\s*(?:atob|requests|fetch|await\s+fetch|base64|urlopen)|\.downloadstring\("
    r"|\bpowershell\b[^\n]{0,80}\s-e(?:nc|ncodedcommand)?\s+[a-z0-9+/=]{12,}|\bmshta\s+https?:"
    r"|\bregsvr32\b[^\n]{0,80}https?:|\bcertutil\b[^\n]{0,60}-urlcache"
)
_DOWNLOADERS = frozenset({"curl", "wget", "iwr", "aria2c", "webrequest"})
_WEB = re.compile(r"https?:")
_THEN_RUN = re.compile(
    r"\bchmod\s+(?:[ugoa]*\+\w*x|[0-7]*[1357][0-7]{0,3}\b)"
    r"|(?:&&|;|\n)[^\S\n]*(?:sudo\s+)?(?:(?:ba|z|da)?sh|python3?|perl|source|\.)\s+[\w./~-]{1,120}"
    r"|(?:&&|;)[^\S\n]*(?:sudo\s+)?\./"
)
_LINES_BETWEEN = 4
_LINK = re.compile(r"https?:|hxxps?:|ftp:|\bgist\b|\bpastebin\b")
_RUNS_IT = "Downloads something and runs it unseen."


def _fetched_and_run(view: FoldedText, *, is_code: bool) -> Iterator[tuple[int, int]]:
    for start, command in _commands(view, _FETCHERS):
        for match in _AT_ONCE.finditer(command):
            if installer_end(view.text, start + match.start()) is None:
                yield start + match.start(), start + match.end()
        if fetching := _FETCHING.search(command):
            known = _installers(view, start, command)
            for match in _INTO_SHELL.finditer(command, fetching.end()):
                fetched = command[fetching.start() : match.end()]
                is_known = any(first < start + match.start() < last for first, last in known)
                if _is_piped(fetched) and not is_known:
                    yield start + fetching.start(), start + match.end()
    yield from _file_then_run(view)
    links = _places(view, _LINK) if not is_code and view.has(Tag.FETCH, Tag.RUN) else ()
    for mention in view.together((Tag.FETCH, Tag.RUN), 24, in_order=True) if links else ():
        said = view.text[mention.start : mention.end]
        is_said = _CODE_SIGN.search(_LINKED.sub(" ", said)) is None
        is_said = is_said and _OF_LINK.search(said) is None
        if is_said and is_near(view, mention, links, before=320, after=80):
            yield mention.start, mention.end


def _installers(view: FoldedText, start: int, command: str) -> Sequence[tuple[int, int]]:
    """Where the command of a line installs something that everybody knows."""
    places = (start + match.start() for match in _FETCHING.finditer(command))
    ends = ((place, installer_end(view.text, place)) for place in islice(places, _MOST_INSTALLERS))
    return [(place, end) for place, end in ends if end is not None]


_MOST_INSTALLERS = 8
_LINKED = re.compile(r"\b\w{2,10}://\S{1,400}|`[^`\n]{0,200}`")
_OF_LINK = re.compile(r"[/.=-]\w+\Z")
_CODE_SIGN = re.compile(rf"{CODE.pattern}|\n[^\S\n]*[-*$>]\s")
_PRINTING = re.compile(r"(?:echo|printf)\b(?![^\n]*(?:;|&&)\s*(?:curl|wget)\b)")


def _is_piped(command: str) -> bool:
    """Whether a shell gets what was fetched: what is only printed into it is written there."""
    if not _PRINTING.match(command):
        return True
    return "$" not in command and ("base64" in command or "xxd" in command or "\\x" in command)


def _file_then_run(view: FoldedText) -> Iterator[tuple[int, int]]:
    files = [
        (start + link.start(), start + link.end())
        for start, command in _commands(view, _DOWNLOADERS)
        if (link := _WEB.search(command)) and not _is_known_installer(view, start, command)
    ]
    for match in _THEN_RUN.finditer(view.text) if files else ():
        at = bisect_left(files, match.span()) - 1
        if at >= 0 and view.text.count("\n", files[at][1], match.start()) <= _LINES_BETWEEN:
            yield files[at][0], match.end()


def _is_known_installer(view: FoldedText, start: int, command: str) -> bool:
    """Whether a command fetches one thing, and it installs what everybody knows."""
    is_one = len(list(islice(_WEB.finditer(command), 2))) == 1
    return is_one and bool(_installers(view, start, command))


def _places(view: FoldedText, pattern: re.Pattern[str]) -> Sequence[int]:
    return [match.start() for match in pattern.finditer(view.text)]


_START_UP = re.compile(
    r"authorized_keys|\.(?:bashrc|zshrc|bash_profile|profile|zprofile|zshenv|bash_login"
    r"|bash_logout|xinitrc|inputrc|pth)\b|/etc/(?:cron|profile|rc\.local|init\.d|systemd|sudoers"
    r"|ld\.so|hosts\b|pam\.d|environment\b|ssh/sshd_config)|crontab\b|launch(?:agents|daemons)"
    r"|\.config/autostart|\.git/hooks|currentversion\\+run|start[ -]?menu\\+programs\\+startup"
    r"|\.hermes/(?:config\.yaml|soul\.md|hooks|plugins)|\.claude/settings|mcp\.json\b"
    r"|\.cursor/mcp|sitecustomize|usercustomize"
)
_PUT_INTO = re.compile(
    r"(?:>>?|\btee\b(?:\s+-a)?)\s*[\"']?[~$/.\w{}\\-]{1,160}|\b(?:cp|ln)\s[^\n]{1,200}"
)
_NEAR = 160
_STAYS = "Installs something that runs at every start, or opens a way back in."
_KEPT = Signs(
    after(_STAYS, "crontab", r" (?:-(?:e\b|\s|\Z)|/|<)|(?<=\|\x20crontab)|(?<=\|crontab)"),
    after(_STAYS, "schtasks", r" /create"),
    after(_STAYS, "launchctl", r" (?:load|bootstrap|submit)"),
    after(_STAYS, "reg", r" add\b[^\n]{0,200}\\run"),
    after(
        _STAYS,
        "systemctl",
        r" (?:--user )?enable (?:--now )?\S{0,60}(?:agent|helper|update|sync|beacon|miner|tunnel)",
    ),
    after(_STAYS, "nohup setsid disown", r"\b[^\n]{0,80}(?:curl|wget|nc\s|python|bash)"),
    after(_STAYS, "ssh", r" (?:-\w+ )*-r\s"),
)


_START_WORDS = """
    authorized bashrc zshrc bash profile zprofile zshenv xinitrc inputrc pth etc crontab
    launchagents launchdaemons config git currentversion start startmenu programs hermes claude
    mcp cursor sitecustomize usercustomize
    """
_STARTING = bit_of(_START_WORDS.split())
"""Words of which a place that is read at every start has one."""


def _kept(view: FoldedText) -> Iterator[tuple[int, int]]:
    if not view.mask & _STARTING:
        return
    for match in _PUT_INTO.finditer(view.text):
        if _START_UP.search(match.group()):
            yield match.span()
    places = [match.span() for match in _START_UP.finditer(view.text)]
    writes = view.mentions(Tag.WRITE) if places else ()
    for start, end in places if writes else ():
        verb = writes[bisect_left(writes, start, key=lambda mention: mention.start) - 1]
        is_put = 0 <= start - verb.start <= _NEAR and view.is_one_clause(verb.start, start)
        if is_put and not view.is_negated(verb):
            yield verb.start, end


_SET_UP = re.compile(
    r"[^<>|]*\.(?:bashrc|zshrc|bash_profile|profile|zprofile|zshenv)|[^<>|]*mcp\.json"
    r"|[^<>|]*\.claude/settings|[^<>|]*\.cursor/mcp"
)


def _is_set_up(words: str) -> bool:
    """Whether a skill tells where its user sets something up: `sensitive-path` speaks of that."""
    return _SET_UP.fullmatch(words) is not None


def _fetch_and_run(piece: AddedText) -> Iterator[Hit]:
    yield from _KEPT.hits(piece)
    for view in piece.reading.views:
        for start, end in _fetched_and_run(view, is_code=piece.is_code):
            yield Hit(_RUNS_IT, piece, *view.span(start, end))
        for start, end in _kept(view):
            is_set_up = piece.place is not Destination.MEMORY and _is_set_up(view.text[start:end])
            if not is_set_up:
                yield Hit(_STAYS, piece, *view.span(start, end))


FETCH_AND_RUN = Rule(
    name="fetch-and-run",
    effect=RuleEffect.REFUSE,
    severity=Severity.CRITICAL,
    reason="Nobody reviews code that is downloaded and run at once, and autostart persists.",
    looks_at="added text, with disguises undone",
    check=in_blocks(_fetch_and_run),
)
