"""Rules about commands: what changes, fetches, runs at every start or leaks; and foreign places."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice

from reviewdeck.model import Severity
from reviewdeck.policy.own_rules import RuleEffect
from reviewdeck.policy.rules.installers import installer_end
from reviewdeck.policy.rules.reach import behind, line_around, reach
from reviewdeck.policy.rules.rule import AddedText, Hit, Rule, in_blocks
from reviewdeck.policy.rules.survey import Sought
from reviewdeck.policy.rules.views import View, is_near
from reviewdeck.policy.rules.vocabulary import Near, vocabulary
from reviewdeck.text.lazy import regex

_IN_PARTS = "Runs a command with a substitution, a redirection or several parts."
_FLAGS = regex(
    r"--(?<![\w-]--)(?:force(?!-with)|force-with-lease|no-verify|hard|no-gpg-sign|insecure"
    r"|privileged|no-check-certificate|allow-root|unsafe[\w-]*|dangerously[\w-]*"
    r"|skip-(?:verify|checks?|permissions?|hooks|auth|tls)[\w-]*|no-sandbox"
    r"|disable-(?:verification|security|auth|sandbox|web-security|checks?)[\w-]*"
    r"|(?:extra-)?index-url|trusted-host|yolo|auto-approve|accept-(?:all|risk|hosts)[\w-]*"
    r"|no-?confirm|break-system-packages|full-auto)\b"
)
_EXECUTABLE = regex(
    r"\./(?<![\w/.-]\./)[\w-]{2,60}(?![\w/.-])"
    r"|\.(?<=[\w-]\.)(?:sh|bash|ps1|bat|cmd|exe|dmg|pkg|msi|apk|scr|vbs|command|appimage|hta"
    r"|jar)\b"
)
_SOURCE_FILE = regex(r"\.(?:zsh|py|rb|pl|js|ts|php|lua)\b")
_SCRIPT_FOLDERS = ("./", "~/", "scripts/", "bin/", "hooks/")
_LONGEST_PATH = 120
_PATH_REST = regex(r"[\w./-]*")
_SHELL_SIGNS = regex(
    r"\$\([^)\n]{1,200}\)|&&|\|\||<\(|>>|2>&1|;\s?(?:rm|curl|wget|cat)\b|\|\s?\w|\$\{hermes_\w+\}"
)
_SUBSTITUTION = regex(r"\$\(\s?\w[^()\n]{0,200}\)")
_FILTERS = regex(r"\|\s*(?:grep|rg|sort|uniq|head|tail|wc|jq|yq|cut|tr|column|less|nl|awk)\b")
_SPAN = regex(r"`(?<!``)([^`\n]{1,400})`(?!`)")
_COMMAND_SIGN = regex(
    rf"{_FLAGS.pattern}|{_EXECUTABLE.pattern}|{_SOURCE_FILE.pattern}|\$\("
    r"|`(?:(?<=!`)|[^`\n]{0,400}?(?:[&|]|[$<]\(|\$\{|>[>&]|;))"
)
"""In every command that no word tells: a part of what is written as one."""


def _line_of(hit: Hit) -> str:
    """The line of a command: what is there already is no news."""
    text, start, end = hit.piece.text if hit.piece else "", hit.start, hit.end
    first = max(text.rfind("\n", max(0, start - 400), start) + 1, start - 400, 0)
    last = text.find("\n", end, end + 400)
    return text[first : last if last >= 0 else end + 400].strip()  # compared, and no word is read


def _commands_in(piece: AddedText) -> Iterator[Hit]:
    view = piece.reading.plain
    yield from (hit for hit in piece.said("call") if _begins_word(piece.text, hit.start))
    yield from piece.said("code")
    for start, end, message in _written_in(view):
        yield Hit(message, piece, *view.span(start, end))
    if piece.is_memory:
        for match in _SUBSTITUTION.finditer(view.text):
            yield Hit(_IN_PARTS, piece, *view.span(*match.span()))
    yield from piece.said("command")


def _begins_word(text: str, at: int) -> bool:
    return at == 0 or text[at - 1] not in "-_./\\@#" or text[max(0, at - 2) : at] == "./"


def _written_in(view: View) -> Iterator[tuple[int, int, str]]:
    text = view.text
    for match in _FLAGS.finditer(text):
        yield (*match.span(), "A flag that switches a safeguard off.")
    sources = (
        match
        for match in _SOURCE_FILE.finditer(text)
        if _is_below_script_folder(text, match.start())
    )
    for matches in (_EXECUTABLE.finditer(text), sources):
        done = 0
        for match in matches:
            if match.start() >= done:  # else it is a part of the same path
                start, done = _path_at(text, *match.span())
                yield start, done, _NAMES_SCRIPT
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


_PATH = regex(r"[\w./~\\$%{}-]{0,200}")


def _path_at(text: str, start: int, end: int) -> tuple[int, int]:
    while start and end - start < 80 and (text[start - 1].isalnum() or text[start - 1] in "_./~-"):
        start -= 1
    match = _PATH.match(text, end)
    end = match.end() if match else end
    return start, end - 1 if text[end - 1] == "." else end


_PATHS = regex(
    r"\.(?<![\w)\]-]\.)(?:ssh|aws|gnupg|kube|netrc|pgpass|npmrc|pypirc|hermes|claude|codex|cursor"
    r"|docker/config|config/gcloud|config/gh|password-store|mozilla|azure|terraformrc|vault-token"
    r"|git-credentials|gitconfig|env(?:\.\w+)?|envrc|bashrc|zshrc|bash_profile|profile|zprofile"
    r"|zshenv|bash_history|zsh_history|python_history)(?![\w-])"
    r"|/etc/(?:passwd|shadow|sudoers|cron|hosts|profile|ld\.so|systemd|ssh|pam|ssl)"
    r"|\.git/(?:hooks|config)|/proc/|/dev/(?:sd|mem|tcp|nvme|disk)"
    r"|\.\.[/\\](?:\.\.[/\\])+|\.\.[/\\]\.?(?:ssh|env|etc)"
    r"|%(?:appdata|userprofile|temp|systemroot|programdata)%|\\(?<![\w\\]\\)\\[\w.-]+\\(?=\w)"
    r"|\.(?<=[\w*]\.)(?:pem|p12|pfx|kdbx|keystore|jks|ppk)\b"
    r"|/(?<![\w.~@]/)(?:usr|opt|bin|sbin|boot|lib|sys)/[\w.-]+"
    r"|~/\.(?!fonts|icons|cache|local/share)[a-z]"
)
"""Each begins with a sign, so that it is only tried there."""
_KEY_FILES = regex(
    r"id_(?:rsa|ed25519|ecdsa|dsa)\b|launchagents\b|credentials?\.(?:json|ya?ml|xml|txt|db)\b"
    r"|keychain\b|wallet\.dat\b|docker\.sock|authorized_keys|sudoers\b|ntuser\.dat\b|sam\s+hive\b"
    r"|secrets?\.(?:json|ya?ml|toml|env)\b|kubeconfig\b|mcp\.json\b|soul\.md\b"
    r"|(?<![a-z])[a-z]:\\+(?:windows|users|programdata|program\sfiles)"
    r"|[/\\][\w-]{1,60}\.key\b(?!\s?[(=.\[])"
    r"|\b(?:private|server|client|tls|ssl|host|ca|cert|root)[\w-]{0,40}\.key\b(?!\s?[(=.\[])"
)
"""Each has a word of the class `key_files`, or a sign."""
_NO_PATH = regex(
    r"#!\s?/(?:usr/(?:local/)?)?bin/[^\n]{0,80}"
    r"|(?:\bfrom\b|\bimport\b|\brequire\b)\s?\(?[\"'][^\"'\n]{1,120}[\"']"
)
"""A line that names its interpreter, and the path of a module."""
_KEYS = regex(
    r"\.(?:ssh|aws|gnupg|netrc|pgpass|password-store|git-credentials|vault-token|bash_history"
    r"|zsh_history|python_history|config/gcloud|config/gh|docker/config)\b"
    r"|/etc/(?:shadow|sudoers)|id_(?:rsa|ed25519|ecdsa|dsa)\b|authorized_keys|wallet\.dat"
    r"|ntuser\.dat|sam\s+hive|/dev/(?:sd|mem|tcp|nvme|disk)|docker\.sock|\.git/hooks|soul\.md"
)
"""Places of keys and of what starts by itself: named beside a command, they are grave."""
_TAKEN = regex(
    r"\b(?:cat|cp|scp|rsync|tar|zip|read|open|copy|upload|send|post|curl|wget|base64|grep|include"
    r"|attach|collect|write|append|echo|tee|print|show|paste|output|summari[sz]e|add)\b"
)


_KEY_SIGNS = (".key", ":\\")
_PATH_SIGN = regex(rf"{_PATHS.pattern}|{'|'.join(map(re.escape, _KEY_SIGNS))}")
"""In every place that no word tells."""
_PLACE = "Mentions a path that holds credentials, system files or startup scripts."


def _sensitive(piece: AddedText) -> Iterator[Hit]:
    for view in piece.reading.views:
        for pattern in _path_patterns(view):
            text, done = _NO_PATH.sub(lambda match: " " * len(match.group()), view.text), 0
            for match in pattern.finditer(text):
                start, end = view.span(*match.span())
                if start < done:  # a further one in the same path
                    continue
                is_grave = piece.is_memory or _is_taken(view.text, *match.span())
                start, done = _path_at(piece.text, start, end)
                yield Hit(
                    _PLACE, piece, start, done, severity=None if is_grave else Severity.MEDIUM
                )


def _path_patterns(view: View) -> Iterator[re.Pattern[str]]:
    """Those of which some place may be in a view."""
    if _PATHS.search(view.text):
        yield _PATHS
    may_name_key = view.has("key_files") or any(sign in view.text for sign in _KEY_SIGNS)
    if may_name_key and _KEY_FILES.search(view.text):
        yield _KEY_FILES


def _is_taken(text: str, start: int, end: int) -> bool:
    """Whether keys are read, sent or written in the line that names them."""
    return _names_taking(text) and _takes_keys(line_around(text, start, end, 200, 120))


@lru_cache(maxsize=16)
def _names_taking(text: str) -> bool:
    return _TAKEN.search(text) is not None


@lru_cache(maxsize=1024)
def _takes_keys(line: str) -> bool:
    return _KEYS.search(line) is not None and _TAKEN.search(line) is not None


SENSITIVE_PATH = Rule(
    name="sensitive-path",
    effect=RuleEffect.HOLD,
    severity=Severity.HIGH,
    reason="Access to these paths exposes the user's credentials.",
    looks_at="added text",
    check=in_blocks(_sensitive, Sought((), (("key_files",),), _PATH_SIGN), lambda hit: hit.words),
    is_known=lambda hit, known: hit.words in known.text,
)
COMMAND = Rule(
    name="command",
    effect=RuleEffect.HOLD,
    severity=Severity.MEDIUM,
    reason="The agent may repeat a stored command or order without review.",
    looks_at="added text",
    check=in_blocks(_commands_in, Sought(("call", "code", "command"), (), _COMMAND_SIGN), _line_of),
    is_known=lambda hit, known: bool(known.text) and _line_of(hit) in known.text,
)


_OVER_NETWORK = regex(
    r"(?<![$.])(?<!\$\{)\b(?:curl|wget|nc|ncat|netcat|scp|iwr|irm|invoke-(?:webrequest|restmethod)|telnet"
    r"|requests\.(?:get|post|put)|httpx\.|urllib|urlopen|fetch\(|xmlhttprequest|http\.client|mail"
    r"|sendmail|mutt|dig|nslookup|aws\s+s3\s+(?:cp|sync))(?![\w-])"
)
_TAKES = regex(
    r"\$\{?\w{0,40}(?:key|token|secret|passw|cred|cookie|pwd)"
    r"|\$\(\s*(?:cat|env|printenv|base64|gpg|security)|os\.environ|process\.env"
    r"(?!\.(?!\w{0,40}(?:key|token|secret|passw|cred|pwd))\w{1,40}_(?:id|url|uri|host|port|region)\b)"
    r"|(?:@|<\s?|\bcat\s+|-t\s+|-d\s+@?)\S{0,80}(?:\.env\b|id_rsa|id_ed25519|credentials|\.netrc"
    r"|\.pgpass|\.aws|\.ssh|shadow|/etc/passwd|wallet|cookies|history|\.kube)"
    r"|(?<![\w.-])(?:printenv|env|history|cat|tar|gpg|base64|pass|security)\b[^|\n]{0,120}\|"
)
_TAKING = (
    *("key", "token", "secret", "pass", "cred", "cookie", "pwd", "env", "base64", "gpg", "cat"),
    *("security", "tar", "id_", "netrc", "aws", "ssh", "shadow", "wallet", "history", "kube"),
)
"""A part of everything that is taken."""
_OWN_HEADER = regex(
    r"(?:-\w{0,6}[hu]|--header|--user|--oauth2-bearer|headers\s*[=:])\s*(?:\\?\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'"
    r"|\{(?:[^{}\n]|\$?\{[^{}\n]{0,100}\}){0,300}\}|[^\s\"'{][^\s\"']{0,200})"
)
"""A key in the header of its own service is how services are called."""
_IMAGE = regex(
    r"!\[[^\]\n]{0,80}\]\((?:https?:)?//(?!img\.shields\.io/)[^()\s]{0,300}?[?&/=][^()\s]{0,200}?(?:\{|%7b|\$|<)"
)
_COMMAND_END = regex(r"\n(?<![\\|\n]\n)(?!\s{0,40}(?:\||&&))")
"""The end of a line that no backslash or pipe continues."""


def leaking_commands(view: View) -> Iterator[tuple[int, int]]:
    """Commands and image links that take secrets or files and give them to the network."""
    if "![" in view.text:
        yield from (match.span() for match in _IMAGE.finditer(view.text))
    may_take = view.has("network") and any(part in view.text for part in _TAKING)
    for start, command in _commands(view, "network") if may_take else ():
        bare = _OWN_HEADER.sub(lambda match: " " * len(match.group()), command)
        network, takes = _OVER_NETWORK.search(bare), _TAKES.search(bare)
        if network and takes:
            spans = (*network.span(), *takes.span())
            yield start + min(spans), start + max(spans)


def _commands(view: View, programs: str) -> Iterator[tuple[int, str]]:
    """The commands that name a program of a class, each once, and where they start."""
    if not view.has(programs):
        return
    text, done = view.text, 0
    for mention in view.mentions(programs):
        if mention.start >= done:
            start = mention.start
            while (start := text.rfind("\n", done, start) + 1) > done:
                if _COMMAND_END.match(text, start - 1):
                    break
                start -= 1
            start = max(start, done)
            last = _COMMAND_END.search(text, mention.end - 1)
            done = last.end() if last else len(text)
            yield start, text[start:done]


_FETCHING = regex(
    r"\b(?:curl|wget|fetch|aria2c|iwr|irm|invoke-webrequest|invoke-restmethod|lynx"
    r"|base64\s+-{1,2}d\w*|xxd\s+-r|echo|printf|downloadstring|openssl)(?![\w-])"
)
_INTO_SHELL = regex(
    r"\|\s*(?:sudo\s+(?:-\w+\s+){0,3})?(?:env\s+|exec\s+|command\s+)?(?:\w{1,40}=\S{0,200}\s+){0,3}"
    r"(?:/[\w/.-]{0,60}/)?"
    r"(?:(?:ba|z|da|k|a|fi|c|tc)?sh|python[\d.]*|perl|ruby|node|deno|bun|php|lua|iex|pwsh"
    r"|powershell|source|invoke-expression|xargs\s+(?:-\w+\s+)*(?:ba|z)?sh)\b"
    r"(?!\s*-m\s+json)"
)
_AT_ONCE = regex(
    r"(?:(?:\b(?:(?:ba|z|da)?sh|eval|source|exec)\b\s*(?:-[ce]\s*)?|(?<![^\n;&|(\s])\.\s)"
    r"[\"'(<]{0,3}\s?(?:\$\(|<\(|`)|\b(?:iex|python3?|perl|ruby|node)\b\s*(?:-[ce]\s*)?"
    r"[\"'(<]{0,3}\s?(?:\$\(|<\()|\b(?:eval|source)\s*\()\s*(?:curl|wget|iwr|irm|base64"
    r"|echo\s+[\"']?[a-z0-9+/=]{12,}|new-object\s+net)|\biex\s*\(|\binvoke-expression\b"
    r"|\bexec\s*\(\s*(?:requests|urllib|urlopen|httpx|base64|zlib|__import__)"
    r"|\beval\s*\(\s*(?:atob|requests|fetch|await\s+fetch|base64|urlopen)|\.downloadstring\("
    r"|\bpowershell\b[^\n]{0,80}\s-e(?:nc|ncodedcommand)?\s+[a-z0-9+/=]{12,}|\bmshta\s+https?:"
    r"|\bregsvr32\b(?!\])[^\n]{0,80}https?:|\bcertutil\b[^\n]{0,60}-urlcache"
)
_RUN_SIGN = regex(r"[|(`]|mshta|certutil|regsvr32|invoke-expression|powershell")
"""A part of everything that runs what was fetched."""
_FILTERED = regex(
    r"(?<!sh)(?:\s+-\w+)*\s+-\w*[cenpr]\w*\s+"
    r"(?:\$|(?P<quote>\\?[\"'])(?P<code>(?:(?!(?P=quote))[\s\S]){0,2000}))"
)
"""A program on the command line, which takes what was fetched as data."""
_EVALUATED = regex(
    r"\b(?:(?:exec\w*|eval|compile|system|popen|spawn\w*|require|import|__import__|function)\s*\("
    r"|subprocess|(?:exec|eval|system|source)\s*[\"'$<\w])"
)
_WEB = regex(r"https?:")
_THEN_RUN = regex(
    r"\bchmod\s+(?:[ugoa]*\+\w*x|[0-7]*[1357][0-7]{0,3}\b)"
    r"|(?:&&|;|\n)[^\S\n]*(?:sudo\s+)?(?:(?:ba|z|da)?sh|python3?|perl|source|\.)\s+(?!-[cm]\b)"
    r"[\w./~-]{1,120}"
    r"|(?:&&|;)[^\S\n]*(?:sudo\s+)?\./"
)
_RUNNING = (("fetchers",), ("downloaders",), ("fetch", "run"), ("start_words",))
_LINES_BETWEEN = 4
_LINK = regex(r"https?:|hxxps?:|ftp:|\bgist\b|\bpastebin\b")
_RUNS_IT = "Downloads something and runs it unseen."
_FETCH_RUN = Near(_RUNS_IT, ("fetch", "run"), 24, in_order=True)


def _fetched_and_run(view: View) -> Iterator[tuple[int, int]]:
    may_run = view.has("fetchers") and _RUN_SIGN.search(view.text) is not None
    for start, command in _commands(view, "fetchers") if may_run else ():
        for match in _AT_ONCE.finditer(command):
            if installer_end(view.text, start + match.start()) is None:
                yield start + match.start(), start + match.end()
        if fetching := _FETCHING.search(command):
            known = _installers(view, start, command)
            for match in _INTO_SHELL.finditer(command, fetching.end()):
                filtered = _FILTERED.match(view.text, start + match.end())
                if filtered and not _EVALUATED.search(filtered["code"] or command):
                    continue
                fetched = command[fetching.start() : match.end()]
                is_known = any(first < start + match.start() < last for first, last in known)
                if _is_piped(fetched) and not is_known:
                    yield start + fetching.start(), start + match.end()
    yield from _file_then_run(view)


def _told_to_run(view: View) -> Iterator[tuple[int, int]]:
    """The same in words: a download from a link, and that it is run."""
    links = _places(view, _LINK) if view.has(*_FETCH_RUN.words) else ()
    for mention in view.together(_FETCH_RUN) if links else ():
        is_of_link = _OF_LINK.search(view.text[mention.start : mention.end]) is not None
        if not is_of_link and is_near(view, mention, links, before=320, after=80):
            yield mention.start, mention.end


def _installers(view: View, start: int, command: str) -> Sequence[tuple[int, int]]:
    """Where the command of a line installs something that everybody knows."""
    places = (start + match.start() for match in _FETCHING.finditer(command))
    ends = ((place, installer_end(view.text, place)) for place in islice(places, _MOST_INSTALLERS))
    return [(place, end) for place, end in ends if end is not None]


_MOST_INSTALLERS = 8
_OF_LINK = regex(r"[/.=-]\w+\Z")
_PRINTING = regex(r"(?:echo|printf)\b(?![^\n]*(?:;|&&)\s*(?:curl|wget)\b)")


def _is_piped(command: str) -> bool:
    """Whether a shell gets what was fetched: what is only printed into it is written there."""
    if not _PRINTING.match(command):
        return True
    return "$" not in command and ("base64" in command or "xxd" in command or "\\x" in command)


def _file_then_run(view: View) -> Iterator[tuple[int, int]]:
    files = [
        (start + link.start(), start + link.end())
        for start, command in _commands(view, "downloaders")
        if (link := _WEB.search(command)) and not _is_known_installer(view, start, command)
    ]
    for match in _THEN_RUN.finditer(view.text) if files else ():
        at = bisect_left(files, match.span()) - 1
        if at >= 0 and view.text.count("\n", files[at][1], match.start()) <= _LINES_BETWEEN:
            yield files[at][0], match.end()


def _is_known_installer(view: View, start: int, command: str) -> bool:
    """Whether a command fetches one thing, and it installs what everybody knows."""
    is_one = len(list(islice(_WEB.finditer(command), 2))) == 1
    return is_one and bool(_installers(view, start, command))


def _places(view: View, pattern: re.Pattern[str]) -> Sequence[int]:
    return [match.start() for match in pattern.finditer(view.text)]


_START_UP = regex(
    r"authorized_keys|\.(?:bashrc|zshrc|bash_profile|profile|zprofile|zshenv|bash_login"
    r"|bash_logout|xinitrc|inputrc|pth)\b|/etc/(?:cron|profile|rc\.local|init\.d|systemd|sudoers"
    r"|ld\.so|hosts\b|pam\.d|environment\b|ssh/sshd_config)|crontab\b|launch(?:agents|daemons)"
    r"|\.config/autostart|\.git/hooks|currentversion\\+run|start[ -]?menu\\+programs\\+startup"
    r"|\.hermes/(?:config\.yaml|soul\.md|hooks|plugins)|\.claude/settings|mcp\.json\b"
    r"|\.cursor/mcp|sitecustomize|usercustomize"
)
_PUT_INTO = regex(
    r"(?:>>?|\btee\b(?:\s+-a)?)\s*[\"']?[~$/.\w{}\\-]{1,160}|\b(?:cp|ln)\s[^\n]{1,200}"
)
_PUTTING = frozenset({"tee", "cp", "ln"})
_NEAR = 160
_STAYS = "Installs something that runs at every start, or opens a way back in."


def _kept(view: View) -> Iterator[tuple[int, int]]:
    if not view.bits & vocabulary().bits("start_words"):
        return
    places = [match.span() for match in _START_UP.finditer(view.text) if _starts(view, match)]
    if not places:
        return
    puts = ">" in view.text or not view.words.isdisjoint(_PUTTING)
    for match in _PUT_INTO.finditer(view.text) if puts else ():
        if any(_starts(view, one) for one in _START_UP.finditer(match.group())):
            yield match.span()
    writes = view.mentions("write")
    for start, end in places if writes else ():
        verb = writes[bisect_left(writes, start, key=lambda mention: mention.start) - 1]
        is_put = 0 <= start - verb.start <= _NEAR and view.is_one_clause(verb.start, start)
        is_said = any(map(str.isspace, view.text[verb.start : end]))
        if is_put and is_said and not view.is_negated(verb):
            yield verb.start, end


def _starts(view: View, match: re.Match[str]) -> bool:
    """Whether a name is one of what starts by itself: models have that ending too."""
    return match.group() != ".pth" or "site-packages" in view.text or "purelib" in view.text


_PROFILES = r"\.(?:bashrc|zshrc|bash_profile|profile|zprofile|zshenv)\b|\.claude/settings|mcp\.json"
_PROFILE = regex(rf"{_PROFILES}|/etc/hosts\b|crontab\b")
_SET_UP = regex(rf"[^<>|]*(?:{_PROFILES}|\.cursor/mcp)")
"""Where a skill tells its user to set something up: `sensitive-path` speaks of that."""
_STARTED = regex(
    r"\b(?:curl|wget|nohup|nc|base64|hooks|setsid)\b|/tmp/|https?:|\s-c\s|&\s*[\"']?\s*>>"
)
PLACEHOLDER = regex(
    r"\b(?:attacker|lhost|kali|your|target|my)[_-](?:ip|host|server|machine)\b|\blhost\b"
    r"|//localhost\b|[</@ ](?:10|127|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.[\d.]+",
    re.IGNORECASE,
)
"""A host that is put in by hand, or that only one's own network has."""
_CALL = regex(
    r"(?:exec|eval)\s*\(\s*(?:await\s+)?(?:requests|urllib|urlopen|httpx|fetch)"
    r"|\.downloadstring\("
)
"""A call in a program: it names its source, and no shell runs it."""
_FETCHES = regex(r"\b(?:iwr|irm|curl|wget|web\w+|http\w*|download\w*|base64|frombase\w*)\b")
_IN_PAGE = regex(r"<script\b|\bon(?:error|load|click|focus|mouseover)=|javascript:")
"""Code of a web page, which no agent runs by reading it."""
_INSTALLS = regex(
    r"install|set-?up|bootstrap|download|releases?/|//get\.|/get\b|\.(?:sh|ps1)\b(?=[\s\"'`)|]|\Z)"
)
_SHOWN = regex(r"https://(?:[a-z][a-z0-9-]*\.)+[a-z]{2,}(?::443)?(?=[/\s\"'`)|]|\Z)")
_CONCEALS = regex(
    r"base64|\bxxd\b|\\x[0-9a-f]|(?<!\w)-k\b|--insecure|no-check-certificate|/\.\w"
    r"|\bnohup\b|\bsetsid\b|\b(?:gist|pastebin|paste|bit\.ly|tinyurl|t\.me|transfer\.sh|0x0\.st"
    r"|termbin|ngrok[\w-]*|trycloudflare|discordapp|ipfs)\b"
)


def _is_shown(view: View, start: int, end: int) -> bool:
    """Whether a command says from which host it installs something, and hides nothing of it.

    A person who reads it can tell, so in a skill it is grave, and no attack in disguise.
    """
    words = line_around(view.text, start, end, 0, 300)
    links = len(_LINK.findall(words))
    line = view.text[view.text.rfind("\n", 0, start) + 1 : start]
    is_call = _CALL.match(view.text, start, end) and "iex" not in words and "invoke-" not in words
    is_local = view.text[start:end] == "invoke-expression" and not _FETCHES.search(line)
    if is_call or is_local or _IN_PAGE.search(line) or PLACEHOLDER.search(words):
        return True
    is_plain = links > 0 and links == len(_SHOWN.findall(words))
    is_named = _INSTALLS.search(words) is not None or "chmod" in words
    return is_plain and is_named and not _CONCEALS.search(words)


_HIDES_START = regex(
    r"(?<![\w/-])(?:nc|ncat|base64|eval)(?![\w-])|\b(?:curl|wget)\s+(?:-|https?:|\$|[\"'])|/tmp/|ssh-(?:rsa|dss|ed25519)|ecdsa-sha2"
    r"|aaaa[a-z0-9+/]{12}",
    re.IGNORECASE,
)
"""A source that a reader does not see, or a key that the text brings along."""
_CALLS = regex(
    r"\b(?:curl|wget|iwr|irm)\b(?P<argument>\s+(?!\.\.\.|<\w+>)(?:[-\"'$(]|[^\s|]{0,12}[./:]))?"
)


def _is_bare(view: View, start: int, end: int) -> bool:
    """Whether it is the name of a practice, as "curl | sh": nothing says where from."""
    calls = [*_CALLS.finditer(view.text, start, end + 20)] if end - start < _NEAR else ()
    return bool(calls) and not any(call["argument"] for call in calls)


def _severity_in_skill(text: str, start: int, end: int) -> Severity | None:
    """How grave a start-up file is that a skill has its user extend, as set-ups do."""
    if not _PROFILE.search(text, start, end):
        return None if _is_hidden(text, start, end) else Severity.HIGH
    words = line_around(text, start, end, 400, 0) + behind(text, end, 600)
    is_started = _STARTED.search(words) is not None
    return Severity.HIGH if is_started else Severity.MEDIUM


def _is_hidden(text: str, start: int, end: int) -> bool:
    """Whether what starts comes from elsewhere, by a line of these commands or one before them."""
    last = text.find("\n", end, end + 200)
    is_open = last < 0 or "<<" in text[end:last]
    first, far = reach(text, start, end, 200, 200)
    return _HIDES_START.search(text[first : far if is_open else last]) is not None


_BY_HAND = regex(r"crontab\s*(?:-e\b|/|\Z)|(?:nohup|setsid|disown)\b", re.IGNORECASE)


def _severity_kept(hit: Hit) -> Severity | None:
    """How grave a start-up command of a skill is: services are set up so, by hand or by a line."""
    text = hit.piece.text if hit.piece is not None else ""
    if _is_hidden(text, hit.start, hit.end):
        return None
    is_quiet = "/dev/null" in text[hit.end : hit.end + 200]
    return Severity.MEDIUM if _BY_HAND.match(hit.words) and not is_quiet else Severity.HIGH


def _fetch_and_run(piece: AddedText) -> Iterator[Hit]:
    for hit in piece.said("fetch-and-run"):
        is_memory = piece.is_memory
        yield hit if is_memory else hit.graded(_severity_kept(hit), is_refused=True)
    for view in piece.reading.views:
        for start, end in _fetched_and_run(view):
            is_named = _is_bare(view, start, end)
            is_shown = not piece.is_memory and _is_shown(view, start, end)
            severity = Severity.MEDIUM if is_named else Severity.HIGH if is_shown else None
            place = view.span(start, end)
            yield Hit(_RUNS_IT, piece, *place, severity=severity, is_refused=not is_named)
        for start, end in _told_to_run(view) if not piece.is_code else ():
            severity = None if piece.is_memory else Severity.HIGH
            yield Hit(_RUNS_IT, piece, *view.span(start, end), severity=severity)
        for start, end in _kept(view):
            severity = None
            if not piece.is_memory:
                if _SET_UP.fullmatch(view.text, start, end):
                    continue
                severity = _severity_in_skill(view.text, start, end)
            is_refused = _PROFILE.search(view.text, start, end) is None
            yield Hit(
                _STAYS, piece, *view.span(start, end), severity=severity, is_refused=is_refused
            )


FETCH_AND_RUN = Rule(
    name="fetch-and-run",
    effect=RuleEffect.REFUSE,
    severity=Severity.CRITICAL,
    reason="Nobody reviews code that is downloaded and run at once, and autostart persists.",
    looks_at="added text, with disguises undone",
    check=in_blocks(_fetch_and_run, Sought(("fetch-and-run",), _RUNNING)),
)
