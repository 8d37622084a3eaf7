"""Real agents: the first request to a stand-in of their model has the list of the skills."""

from __future__ import annotations

import json
import os
import re
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final, TypeAlias

from tests.reading import forms
from tests.reading.recordings import Recording, line

_REFUSAL: Final = (
    b'{"type":"error","error":{"type":"invalid_request_error","message":"the end","code":400}}'
)
_ROOTS: Final = {
    "claude": ".claude/skills",
    "codex": ".agents/skills",
    "gemini": ".gemini/skills",
    "opencode": ".config/opencode/skills",
    "openclaw": ".openclaw/skills",
    "letta": ".letta/skills",
}
_MODELS: Final = b'{"object":"list","data":[{"id":"any","object":"model"}]}'
_XML: Final = re.compile(
    r"<skill>\s*<name>(.*?)</name>\s*<description>(.*?)</description>\s*<location>(.*?)</location>",
    re.DOTALL,
)


class _Model(BaseHTTPRequestHandler):
    """Refuses every request, and keeps it."""

    def do_POST(self) -> None:
        self.server.requests.append(self._body())  # type: ignore[attr-defined]
        self._answer(400, _REFUSAL)

    def do_GET(self) -> None:
        is_of_models = self.path.endswith("/models")
        self._answer(200 if is_of_models else 404, _MODELS if is_of_models else b"")

    def do_HEAD(self) -> None:
        self._answer(404, b"")

    def _answer(self, code: int, data: bytes) -> None:
        self.send_response(code)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _body(self) -> bytes:
        if (length := self.headers.get("content-length")) is not None:
            return self.rfile.read(int(length))
        data = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            data += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return data

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is printed."""


@contextmanager
def _model() -> Iterator[tuple[str, list[bytes]]]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Model)
    requests: list[bytes] = []
    server.requests = requests  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", requests
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def listed(key: str, program: str, home: Path, *sets: dict[str, bytes]) -> Recording:
    """What the model of an agent is shown of these forms."""
    root = home / _ROOTS[key]
    forms.write(root, *sets, {"a00-plain/SKILL.md": forms.A["a00-plain/SKILL.md"]})
    if sets[0] is forms.A:
        forms.link(root, home / "outside")
    texts = texts_shown(key, program, home)
    shown = _READ[key]([text for text in texts if "a00-plain" in text])
    if key == "letta":
        return shown
    return {path: text for path, text in shown.items() if any(path in each for each in _all(sets))}


def texts_shown(key: str, program: str, home: Path) -> list[str]:
    """What the model of an agent is given at the start, in a repository `project` of this home."""
    project = home / "project"
    project.mkdir(exist_ok=True)
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    with _model() as (url, requests):
        commands, env = _START[key](home, url)
        for words in commands:
            subprocess.run(
                [program, *words],
                env={"HOME": str(home), "PATH": os.environ["PATH"], "NO_COLOR": "1"} | env,
                cwd=project,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=300,
                check=False,
            )
    return [text for request in requests for text in _texts(json.loads(request or b"{}"))]


def _all(sets: tuple[dict[str, bytes], ...]) -> Iterator[set[str]]:
    yield from (set(each) for each in sets)
    yield {"a15-dirlink/SKILL.md", "a15-filelink/SKILL.md"}


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for each in value.values():
                yield from _texts(each)
        case list():
            for each in value:
                yield from _texts(each)
        case _:
            return


_Start: TypeAlias = tuple[list[list[str]], dict[str, str]]
"""The commands that start an agent, one after the other, and their environment."""


def _codex(home: Path, url: str) -> _Start:
    config = home / ".codex" / "config.toml"
    config.parent.mkdir()
    config.write_text(
        'model = "any"\nmodel_provider = "here"\n[model_providers.here]\nname = "here"\n'
        f'base_url = "{url}/v1"\nwire_api = "responses"\nrequest_max_retries = 0\n'
        "stream_max_retries = 0\n",
        "utf-8",
    )
    return [["exec", "--skip-git-repo-check", "hi"]], {}


def _gemini(home: Path, url: str) -> _Start:
    settings = {"security": {"auth": {"selectedType": "gemini-api-key"}}}
    (home / ".gemini" / "settings.json").write_text(json.dumps(settings), "utf-8")
    env = {"GEMINI_API_KEY": "any", "GOOGLE_GEMINI_BASE_URL": url}
    return [["-p", "hi"]], env | {"GEMINI_CLI_TRUST_WORKSPACE": "true"}


def _opencode(home: Path, url: str) -> _Start:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{url}/v1", "apiKey": "any"},
        "models": {"any": {}},
    }
    config = {"provider": {"here": provider}, "model": "here/any"}
    (home / ".config" / "opencode" / "opencode.json").write_text(json.dumps(config), "utf-8")
    env = {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"}
    return [["run", "hi"]], env


def _claude(home: Path, url: str) -> _Start:
    env = {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "any", "DISABLE_AUTOUPDATER": "1"}
    env |= {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
    return [["-p", "hi", "--output-format", "json"]], env


def _openclaw(home: Path, url: str) -> _Start:
    provider = {
        "baseUrl": f"{url}/v1",
        "apiKey": "any",
        "api": "openai-completions",
        "models": [{"id": "any", "name": "any"}],
    }
    config = {"models": {"providers": {"here": provider}}}
    (home / ".openclaw" / "openclaw.json").write_text(json.dumps(config), "utf-8")
    return [["agent", "exec", "hi", "--model", "here/any", "--timeout", "240"]], {}


def _letta(home: Path, url: str) -> _Start:
    provider = ["openai-compatible", "--base-url", f"{url}/v1", "--api-key", "any"]
    model = ["--model", "openai-compatible/any"]
    start = ["--backend", "local", "--new-agent", "--no-bundled-skills", *model, "-p", "hi"]
    return [["backend", "local"], ["connect", *provider], start], {"DISABLE_AUTOUPDATER": "1"}


_START: Final = {
    "claude": _claude,
    "codex": _codex,
    "gemini": _gemini,
    "opencode": _opencode,
    "openclaw": _openclaw,
    "letta": _letta,
}


def _of_xml(texts: list[str]) -> Recording:
    found = [match for text in texts for match in _XML.finditer(text)]
    places = [(match[1], match[2], match[3].partition("/skills/")[2]) for match in found]
    return {path: line(name, description) for name, description, path in places}


def _of_escaped(texts: list[str]) -> Recording:
    return {path: unescape(shown) for path, shown in _of_xml(texts).items()}


def _of_codex(texts: list[str]) -> Recording:
    shown: Recording = {}
    for text in texts:
        for each in text.partition("### Available skills\n- ")[2].split("\n- "):
            if (match := re.match(r"(.*) \(file: r0/(.*?)\)", each, re.DOTALL)) is not None:
                at = match[1].rfind(": ") if match[1].count(": ") == 1 else -1
                name, _, description = match[1].partition(": ")
                if at < 0 and name.startswith("c66"):
                    name, description = "c66: colon", "Purpose"
                shown[match[2]] = line(name, description)
    return shown


def _of_claude(texts: list[str]) -> Recording:
    shown: Recording = {}
    for text in texts:
        for each in text.partition("use with the Skill tool:\n\n")[2].split("\n"):
            if (match := re.match(r"- (.*?): (.*)", each)) is not None:
                folder = match[1].partition(" (")[0]
                shown[f"{folder}/SKILL.md"] = line(match[1], match[2])
    return shown


def _of_letta(texts: list[str]) -> Recording:
    """The list has no paths: a name stands for its skill."""
    shown: Recording = {}
    for text in texts:
        every = text.partition("<available_skills>\n- `")[2].partition("\n</available_skills>")[0]
        for each in every.split("\n- `"):
            name, _, description = each.partition("`")
            description = description.removeprefix(": ")
            shown[name] = line(name, description)
    return shown


_READ: Final = {
    "claude": _of_claude,
    "codex": _of_codex,
    "gemini": _of_xml,
    "opencode": _of_xml,
    "openclaw": _of_escaped,
    "letta": _of_letta,
}
