"""The real Hermes on a home of its own, with a model that answers from a script.

It runs where REVIEWDECK_HERMES_PYTHON names a Python that has hermes-agent.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.reviewer.peer import THE_END, Peer

from reviewdeck.agents import hermes as plugin

PYTHON = os.environ.get("REVIEWDECK_HERMES_PYTHON", "")
needs_hermes = pytest.mark.skipif(
    not PYTHON, reason="REVIEWDECK_HERMES_PYTHON names no Python that has hermes-agent"
)
PLUGIN = Path(plugin.__file__).parent
ROOT = Path(__file__).parents[2]
REVIEW = "Review the conversation above"
CONFIG = """\
memory: {write_approval: true, nudge_interval: %d}
skills: {write_approval: true, creation_nudge_interval: 0}
plugins: {enabled: %s}
"""


def make_home(home: Path, *, plugin: bool = True, nudge: int = 1) -> Path:
    """A home with both gates on; with the plugin where it is wanted."""
    home.mkdir(parents=True)
    (home / "config.yaml").write_text(CONFIG % (nudge, "[reviewdeck]" if plugin else "[]"), "utf-8")
    program = home.parent / "reviewdeck"
    program.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path[:0] = {[str(ROOT / 'core')]}\n"
        "from reviewdeck.cli.entry import main\nsys.exit(main())\n",
        "utf-8",
    )
    program.chmod(0o755)
    if plugin:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(PLUGIN, home / "plugins" / "reviewdeck", ignore=ignored)
        known = {"v": 1, "command": [str(program)], "home": str(home)}
        place = home / ".reviewdeck" / "plugin.json"
        place.parent.mkdir()
        place.write_text(json.dumps(known), "utf-8")
        place.chmod(0o600)
    return home


class Model(Peer):
    """A model with a script for the conversation and one for reviews of it."""

    def __init__(
        self, turns: Sequence[Mapping[str, Any]], reviews: Sequence[Mapping[str, Any]]
    ) -> None:
        self._turns, self._reviews = iter(turns), iter(reviews)
        self._lock = threading.Lock()
        super().__init__(())

    def line(self) -> Mapping[str, Any]:
        """What it answers to the request that came last."""
        with self._lock:
            asked = self.requests[-1]
            script = self._reviews if is_review(asked) else self._turns
            return next(script, THE_END) if is_agents(asked) else THE_END

    def script_turns(self, *turns: Mapping[str, Any]) -> None:
        """What it answers in conversations, where that depends on its address."""
        self._turns = iter(turns)

    def script_reviews(self, *reviews: Mapping[str, Any]) -> None:
        """The same for reviews."""
        self._reviews = iter(reviews)

    @property
    def conversation(self) -> list[Any]:
        """What it was asked in conversations."""
        return [one for one in self.requests if is_agents(one) and not is_review(one)]

    @property
    def review(self) -> list[Any]:
        """What it was asked in reviews."""
        return [one for one in self.requests if is_review(one)]


def is_agents(request: Mapping[str, Any]) -> bool:
    """Whether a request is an agent's: Hermes 0.22 also asks for the title of a chat."""
    return "messages" in request and "tools" in request


def is_review(request: Mapping[str, Any]) -> bool:
    """Whether a request is one of a review."""
    said = [one for one in request.get("messages", ()) if one["role"] == "user"]
    return bool(said) and str(said[-1]["content"]).startswith(REVIEW)


@contextmanager
def model(*turns: Mapping[str, Any], reviews: Sequence[Mapping[str, Any]] = ()) -> Iterator[Model]:
    """A model that answers so."""
    running = Model(turns, reviews)
    try:
        yield running
    finally:
        running.close()


def environment(home: Path) -> dict[str, str]:
    """What a process of this home has, and nothing of the one that tests."""
    own = {"HERMES_HOME": str(home), "HOME": str(home.parent), "PATH": os.environ["PATH"]}
    own |= {"REVIEWDECK_LEDGER": str(home.parent / "ledger.db"), "NO_COLOR": "1"}
    # Below pytest, Hermes 0.22 opens no database of a home in the usual place.
    return own | {"HERMES_STATE_DB_GUARD_BYPASS": "1"}


def patience(seconds: float) -> float:
    """A limit of seconds, longer where more processes want to run than there are processors."""
    return seconds * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def converse(home: Path, url: str, *texts: str, session: str = "s1", platform: str = "cli") -> Any:
    """Says these texts to the real agent, and waits for its reviews. Gives its answers."""
    script = Path(__file__).with_name("hermes_session.py")
    done = subprocess.run(
        [PYTHON, str(script), f"{url}/v1", session, platform, *texts],
        env=environment(home),
        cwd=home.parent,
        capture_output=True,
        text=True,
        timeout=patience(180),
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def decided(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Our own program over this home, whatever it comes to."""
    return subprocess.run(
        [str(home.parent / "reviewdeck"), "--home", str(home), *words],
        env=environment(home),
        capture_output=True,
        text=True,
        timeout=patience(60),
        check=False,
    )


def reviewdeck(home: Path, *words: str) -> str:
    """What our own program says over this home, without a complaint."""
    done = decided(home, *words)
    assert not done.stderr, done.stdout + done.stderr
    return done.stdout


def inside(home: Path, code: str, *words: str) -> str:
    """What code prints within a process of Hermes, which is known as an agent by its name."""
    program = home.parent / "hermes"
    program.write_text(textwrap.dedent(code), "utf-8")
    done = subprocess.run(
        [PYTHON, str(program), *words],
        env=environment(home),
        capture_output=True,
        text=True,
        timeout=patience(120),
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def typed(home: Path, *words: str) -> str:
    """What a person is answered who types `/reviewdeck` and these words in the chat."""
    return inside(home, TYPED, " ".join(words))


TYPED = """
    import sys
    from hermes_cli import plugins
    plugins.discover_plugins()
    handler = plugins.get_plugin_command_handler("reviewdeck")
    print(plugins.resolve_plugin_command_result(handler(sys.argv[1])))
"""


def records(home: Path) -> list[dict[str, Any]]:
    """What waits in the home, oldest first."""
    found = [json.loads(path.read_text("utf-8")) for path in home.glob("pending/*/*.json")]
    return sorted(found, key=lambda one: float(one["created_at"]))


def sidecar(home: Path, record: Mapping[str, Any]) -> Any:
    """The sidecar of a record."""
    path = home / ".reviewdeck" / "sidecar" / f"{record['id']}.json"
    return json.loads(path.read_text("utf-8"))


def call(tool: str, **args: Any) -> dict[str, Any]:
    """The model calls a tool."""
    return {"call": [{"tool": tool, "args": args}]}


def add(text: str, target: str = "memory") -> dict[str, Any]:
    """The model adds an entry to a memory."""
    return call("memory", action="add", target=target, content=text)
