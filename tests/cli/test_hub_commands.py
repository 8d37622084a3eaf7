"""Every command of the program under the role of a machine, and of an operator elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests import postgres
from tests.cli.program import Ran, run_here
from tests.engine.crashes import make_home
from tests.engine.kit import MEMORY, Agent, Ticking, entries, set_entries, skill_text
from tests.engine.team import TEMPLATE, make_team
from tests.postgres import Server

from reviewdeck.cli.table import COMMANDS, GROUPS
from reviewdeck.ledger.inspection import find_damage

pytestmark = pytest.mark.slow

HOST, IRIS, OTTO = "web-1", "iris", "otto"

NO_PERSON = "web-1 is the role of a machine here: it decides nothing for a person"
NOT_HERE = "on web-1"
OWNER = "postgresql://OWNER@..."
NO_HOME = "Name a home with --home"
NO_KEYS = "There are no keys"
NO_TERMINAL = "no terminal to ask on"
WHOLE = ""
"""It does what it is for."""
TABLE: tuple[tuple[str, str | None, str | None], ...] = (
    ("status", WHOLE, WHOLE),
    ("since", WHOLE, WHOLE),
    ("report --format md", WHOLE, WHOLE),
    ("list", WHOLE, WHOLE),
    ("show {ready}", WHOLE, WHOLE),
    ("diff {ready}", WHOLE, WHOLE),
    ("prompt", WHOLE, WHOLE),
    ("adopt", WHOLE, WHOLE),
    ("auto --dry-run", WHOLE, WHOLE),
    ("auto", WHOLE, WHOLE),
    ("log --verify", WHOLE, WHOLE),
    ("history memories/MEMORY.md", WHOLE, WHOLE),
    ("blame memories/MEMORY.md", WHOLE, WHOLE),
    ("why linter", WHOLE, WHOLE),
    ("recover", WHOLE, WHOLE),
    ("config", WHOLE, WHOLE),
    ("doctor", WHOLE, WHOLE),
    ("policy explain {ready}", WHOLE, WHOLE),
    ("policy test", WHOLE, WHOLE),
    ("policy suggest", WHOLE, WHOLE),
    ("operators list", WHOLE, WHOLE),
    ("fsck", "Check the ledger as an operator", WHOLE),
    # What is decided.
    ("approve {ready} --digest {digest}", NO_PERSON, WHOLE),
    ("merge {ready} --file {text} --digest {digest}", NO_PERSON, None),
    ("reject {other} --reason no", NO_PERSON, WHOLE),
    ("defer {skill}", NO_PERSON, WHOLE),
    ("withdraw {skill}", NO_PERSON, "There is no vote of iris"),
    ("repair {broken} --file {record}", NO_PERSON, NOT_HERE),
    ("room {skill}", NO_PERSON, "does not change the entries of a memory"),
    ("reopen {other}", NO_PERSON, WHOLE),
    ("undo {applied}", NO_PERSON, WHOLE),
    ("restore memories/MEMORY.md {revision}", WHOLE, WHOLE),
    ("revert --since 1d --yes --reason no", NO_PERSON, WHOLE),
    ("approve {live} --digest {live_digest}", NO_PERSON, None),
    ("pause", WHOLE, WHOLE),
    ("resume", NO_PERSON, WHOLE),
    # Keys.
    ("init", NO_PERSON, NO_TERMINAL),
    ("operators add mona", NO_PERSON, NO_KEYS),
    ("operators rotate", NO_PERSON, NO_KEYS),
    ("operators revoke mona", NO_PERSON, NO_KEYS),
    ("operators export", NO_KEYS, NO_KEYS),
    ("policy sign", NO_PERSON, NO_KEYS),
    # What is the owner's.
    ("fsck --prune", "Check the ledger as an operator", OWNER),
    ("purge --reason leaked --file {text}", OWNER, OWNER),
    ("ledger add-host {url} web-9 --yes", OWNER, OWNER),
    ("ledger add-operator {url} mona --yes", OWNER, OWNER),
    ("ledger remove {url} otto --yes", OWNER, OWNER),
    ("ledger copy {url} {folder}/copy.db", OWNER, OWNER),
    ("ledger upgrade {url} --yes", WHOLE, WHOLE),
    ("ledger create {url} --yes", "There is a ledger", "There is a ledger"),
    # What is done where the agent is.
    ("setup --dry-run", WHOLE, WHOLE),
    ("hermes brief", WHOLE, WHOLE),
    ("hermes status", WHOLE, NO_HOME),
    ("hermes install --dry-run", WHOLE, NO_HOME),
    ("hermes uninstall --dry-run", WHOLE, NO_HOME),
    ("hermes gate on --dry-run", WHOLE, NO_HOME),
    ("service status", WHOLE, NO_HOME),
)
"""A command, and what refuses it under the role of a machine, and of an operator who has no home;
None where another line has shown it."""
ELSEWHERE = {
    "read", "review", "mcp", "record", "worker", "demo", "completion", "serve", "policy check",
    "hermes chat", "claude", "qwen", "gemini", "openclaw", "skills", "service install",
    "service uninstall",
}  # fmt: skip
"""What needs no ledger, asks a model, or stays until it is stopped: tried by other tests."""


class Hub:
    """A machine with a home that shows what can be decided, and two people elsewhere."""

    def __init__(self, server: Server, name: str, folder: Path, run: Any) -> None:
        self.server, self.name, self.folder, self._run = server, name, folder, run
        self.home = make_home(folder / HOST / ".hermes")
        self.agent = Agent(self.home, Ticking())

    def on(self, role: str, *words: str) -> Ran:
        """Runs a command under a role, on the machine of its own."""
        ran: Ran = self._run(role, *words)
        assert "Something is wrong in reviewdeck itself" not in ran.err, (words, ran.err)
        return ran

    def read(self, role: str, *words: str) -> Any:
        """What a command says, as JSON."""
        return self.on(role, *words, "--json").json

    def url(self, role: str) -> str:
        """The ledger under a role."""
        return self.server.url(self.name, role)


@pytest.fixture
def hub(
    postgres_server: Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Iterator[Hub]:
    monkeypatch.setenv("REVIEWDECK_DEBUG", "1")
    with postgres_server.database(TEMPLATE, make_team) as name:

        def run(role: str, *words: str) -> Ran:
            user = tmp_path / role
            user.mkdir(exist_ok=True)
            monkeypatch.setenv("HOME", str(user))
            monkeypatch.setenv("XDG_DATA_HOME", str(user / "data"))
            url = () if words[0] == "ledger" else ("--ledger", postgres_server.url(name, role))
            return run_here(capsys, *words, *url)

        yield Hub(postgres_server, name, tmp_path, run)


def values_of(hub: Hub) -> dict[str, str]:
    """Something for each blank of the table."""
    home, agent = hub.home, hub.agent
    (home / "config.yaml").write_text("memory:\n  write_approval: true\n")
    agent.add("The linter is ruff.")
    assert hub.on(HOST, "auto").code == 0
    agent.replace("Tests run", "Tests run with nox.")
    agent.replace("Docs use", "Docs use zensical.")
    agent.skill("create", "up", content=skill_text("up"))
    (home / "pending/memory/broken.json").write_text('{"id": "x"')
    hub.on(HOST, "list")
    set_entries(home, *entries(home), "Somebody wrote this.")
    hub.on(HOST, "list")
    items: list[dict[str, Any]] = hub.read(IRIS, "list")

    def found(words: str) -> dict[str, Any]:
        (item,) = (item for item in items if words in f"{item['state']} {item['gist']}")
        return item

    (hub.folder / "text").write_text("secret")
    (hub.folder / "record").write_text("{}")
    (applied,) = hub.read(IRIS, "log")["operations"]
    revisions = hub.read(IRIS, "history", MEMORY)
    return {
        "ready": found("nox")["id"],
        "digest": found("nox")["digest"],
        "other": found("zensical")["id"],
        "skill": found("Say what is there")["id"],
        "live": found("live")["id"],
        "live_digest": found("live")["digest"],
        "broken": found("quarantined")["id"],
        "applied": applied["id"],
        "revision": revisions[-1]["revision"],
        "text": str(hub.folder / "text"),
        "record": str(hub.folder / "record"),
        "folder": str(hub.folder),
    }


def test_each_command_does_its_part_or_says_who_can(hub: Hub) -> None:
    values = values_of(hub)
    wrong = []
    for line, *expected in TABLE:
        for role, refusal in zip((HOST, IRIS), expected, strict=True):
            if refusal is None:
                continue
            words = [word.format(**values, url=hub.url(role)) for word in line.split()]
            ran = hub.on(role, *words)
            if refusal not in ran.err or (not refusal and ran.err):
                wrong.append((role, line, ran))
        hub.on(HOST, "recover")
    assert wrong == []
    assert find_damage(hub.url(postgres.OWNER)) == ()


def test_every_command_is_tried_under_both_roles_or_needs_neither() -> None:
    names = [name for name, _, _ in COMMANDS]
    names += [f"{group} {name}" for group, _, _, commands in GROUPS for name, _, _ in commands]
    tried = [*ELSEWHERE, *(line for line, *_ in TABLE)]
    assert [
        name
        for name in names
        if not any(f"{line} ".startswith((f"{name} ", f"{name.split()[0]} ")) for line in ELSEWHERE)
        and not any(f"{line} ".startswith(f"{name} ") for line in tried)
    ] == []


def test_two_operators_elsewhere_decide_and_take_back_what_the_other_decided(hub: Hub) -> None:
    policy = hub.folder / "policy.toml"
    policy.write_text("version = 1\n[approval]\nneeds = 2\n", "utf-8")

    def on(role: str, *words: str) -> Ran:
        return hub.on(role, *words, "--policy", str(policy))

    hub.agent.memory("remove", old_text="tox")
    hub.agent.memory("remove", old_text="mkdocs")
    assert on(HOST, "list").code == 0
    one, other = on(IRIS, "list", "--json").json
    for item, name in ((one, IRIS), (other, OTTO)):
        voted = on(name, "approve", item["id"], "--digest", item["digest"])
        assert "1 of 2" in voted.out, voted
    assert "withdrew the vote" in on(OTTO, "withdraw", other["id"]).out
    second = on(OTTO, "approve", one["id"], "--digest", one["digest"])
    assert "approved" in second.out, second
    assert "finished" in on(HOST, "recover").out

    (operation,) = on(IRIS, "log", "--json").json["operations"]
    before = entries(hub.home)
    set_entries(hub.home, *before, "Somebody wrote this.")
    on(HOST, "list")
    (live,) = (item for item in on(OTTO, "list", "--json").json if item["state"] == "live")
    kept = on(OTTO, "approve", live["id"], "--digest", live["digest"])
    assert kept.code == 0, kept
    assert "waiting for web-1" in on(IRIS, "undo", operation["id"]).out
    assert "finished" in on(HOST, "recover").out
    assert "Docs use mkdocs." in entries(hub.home)
    reverted = on(IRIS, "revert", "--since", "1d", "--yes", "--reason", "no")
    assert f"reverted {live['id']}" in reverted.out
    assert "finished" in on(HOST, "recover").out
    assert {*entries(hub.home)} == {*before, "Docs use mkdocs."}

    assert on(IRIS, "log", "--verify").code == 0
    assert "Docs use mkdocs." in on(IRIS, "report", "--format", "md").out
    assert hub.on(IRIS, "fsck").code == 0


def test_what_a_machine_paused_is_resumed_there_and_what_an_operator_paused_is_not(
    hub: Hub,
) -> None:
    hub.agent.add("The linter is ruff.")
    hub.on(HOST, "pause")
    hub.on(HOST, "auto")
    assert "`reviewdeck resume` there ends that" in hub.on(IRIS, "resume").out
    assert "applied automatically again" in hub.on(HOST, "resume").out
    hub.on(IRIS, "pause")
    assert NO_PERSON in hub.on(HOST, "resume").err
    assert "Nothing was applied" in hub.on(HOST, "auto").out
    assert "applied automatically again" in hub.on(IRIS, "resume").out
    assert "Applied 1 proposal" in hub.on(HOST, "auto").out
