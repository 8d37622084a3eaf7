"""An agent whose gate is a hook, on a folder of its own: what the kits of such agents share.

The real one answers to a model with a script. A double replays what the hooks of the real one were
told. With REVIEWDECK_RECORD=1 the real ones record that anew.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.reviewer.peer import Peer

DONE: Mapping[str, Any] = {"say": "Done."}
"""What the model says once its script is over."""
FIXTURES = Path(__file__).parents[1] / "fixtures"
_ROOT = Path(__file__).parents[2]
_DURATION = re.compile(r'"(duration_ms|durationMs|totalDurationMs|ttft_ms)":( ?)\d+')


@dataclass(frozen=True)
class Place:
    """A user's folder with an agent's in it, and a repository."""

    root: Path

    @property
    def agent(self) -> str:
        """The agent's name in our folders; its own folder is called so too."""
        raise NotImplementedError

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def config(self) -> Path:
        return self.home / f".{self.agent}"

    @property
    def project(self) -> Path:
        return self.root / "app"

    @property
    def slug(self) -> str:
        return re.sub(r"[^A-Za-z0-9]", "-", str(self.project))

    @property
    def memory(self) -> Path:
        return self.config / "projects" / self.slug / "memory"

    def document(self, name: str) -> str:
        """How a file of the memory is named in a record."""
        return f"projects/{self.slug}/memory/{name}"

    @property
    def environment(self) -> dict[str, str]:
        return {"HOME": str(self.home), "PATH": os.environ["PATH"], "NO_COLOR": "1"}

    def records(self) -> list[dict[str, Any]]:
        """What waits for review, oldest first."""
        return self._kept("pending")

    def writes(self) -> list[dict[str, Any]]:
        """Every write in them."""
        return [write for record in self.records() for write in record["writes"]]

    def calls(self) -> list[dict[str, Any]]:
        """The calls that went past the gate and changed something."""
        return self._kept("calls")

    def _kept(self, name: str) -> list[dict[str, Any]]:
        folder = self.config / ".reviewdeck" / self.agent / name
        return [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json"))]

    def handlers(self, event: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """The hooks in the settings that an event starts, one of each group."""
        settings = json.loads((self.config / "settings.json").read_text("utf-8"))
        tool = str(event.get("tool_name", ""))
        for group in settings["hooks"].get(event["hook_event_name"], ()):
            if not tool or re.search(f"^(?:{group.get('matcher', '.*')})$", tool):
                yield group["hooks"][0]

    def start(
        self, command: Sequence[str], event: Mapping[str, Any]
    ) -> subprocess.CompletedProcess[str]:
        """Starts a hook with an event, as JavaScript writes it."""
        return subprocess.run(
            command,
            input=json.dumps(event, ensure_ascii=False, separators=(",", ":")),
            env=self.environment,
            cwd=event["cwd"],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def run_shell(self, event: Mapping[str, Any]) -> None:
        """Does what a command's call was to do."""
        command = ["bash", "-c", event["tool_input"]["command"]]
        subprocess.run(
            command, env=self.environment, cwd=event["cwd"], capture_output=True, check=False
        )


@dataclass(slots=True)
class Outcome:
    """What a conversation came to, by the ids of the calls; of Gemini CLI by their tools."""

    refused: dict[str, str] = field(default_factory=dict)
    """Why a call was refused."""
    told: list[str] = field(default_factory=list)
    """What the model was told beside the prompt."""
    session: str = ""


def reviewdeck(place: Place, *words: str) -> subprocess.CompletedProcess[str]:
    """Our own program, as this user."""
    paths = {"PYTHONPATH": os.pathsep.join((str(_ROOT / "core"), str(_ROOT / "tui")))}
    done = subprocess.run(
        [sys.executable, "-m", "reviewdeck.cli.entry", *words],
        env=place.environment | paths,
        cwd=place.project,
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.stderr, done.stderr
    return done


def call(id: str, tool: str, **args: Any) -> dict[str, Any]:
    """One call of a tool in a script."""
    return {"id": f"toolu_{id}", "tool": tool, "args": args}


def turn(*calls: Mapping[str, Any]) -> dict[str, Any]:
    """The model makes these calls at once."""
    return {"call": [*calls]}


def run_program(
    place: Place, model: Peer, program: str, *words: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    """The real program, until it ends of itself; then the model ends too."""
    try:
        done = subprocess.run(
            [program, *words],
            env=program_environment(place, program) | variables,
            cwd=place.project,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
    finally:
        model.close()
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def program_environment(place: Place, program: str) -> dict[str, str]:
    """The environment of the real program: npm puts its Node beside it."""
    path = f"{Path(program).parent}{os.pathsep}{os.environ['PATH']}"
    return place.environment | {"PATH": path}


def is_recording(name: str) -> bool:
    """Whether the conversation of this name is recorded anew; one without a name never is."""
    return os.environ.get("REVIEWDECK_RECORD") == "1" and bool(name)


def listen(place: Place) -> Path:
    """Puts hooks beside ours that note what every hook is told."""
    heard, listener = place.root / "heard.jsonl", place.root / "listener.py"
    heard.write_text("", "utf-8")
    listener.write_text(
        f"import sys\nwith open({str(heard)!r}, 'a') as file:\n"
        "    file.write(sys.stdin.read().strip() + '\\n')\n",
        "utf-8",
    )
    path = place.config / "settings.json"
    settings = json.loads(path.read_text("utf-8"))
    for groups in settings["hooks"].values():
        groups.append({"hooks": [{"type": "command", "command": f"{sys.executable} {listener}"}]})
    path.write_text(json.dumps(settings, indent=2), "utf-8")
    return heard


def write_recording(place: Place, name: str, text: str) -> None:
    """Keeps a recording without the places of this run, and with every duration the same."""
    for word, value in _places(place):
        text = text.replace(value, word)
    file = FIXTURES / place.agent / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(_DURATION.sub(r'"\1":\g<2>5', text), "utf-8")


def read_recording(place: Place, name: str) -> str:
    """A recording as if it were made in this place."""
    text = (FIXTURES / place.agent / name).read_text("utf-8")
    for word, value in _places(place):
        text = text.replace(word, value)
    return text


def _places(place: Place) -> Iterator[tuple[str, str]]:
    """Words that stand for a place in a recording, the longest values first."""
    yield "{SLUG}", place.slug
    yield "{HOME}", str(place.home)
    yield "{APP}", str(place.project)
    yield "{ROOT}", str(place.root)
