"""Tier 0: a decision is recorded as unsigned, with what led to it; none is taken from an agent."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from tests.cli.program import Ran
from tests.cli.several import answers, several
from tests.engine.kit import (
    MEMORY,
    OPERATOR,
    Agent,
    Ticking,
    digest_of,
    entries,
    remembered,
    set_entries,
)

from reviewdeck.bootstrap import open_engine
from reviewdeck.engine.decide import commit
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.options import Settings
from reviewdeck.engine.summary import summary
from reviewdeck.errors import DescendsFromAgent
from reviewdeck.locations import additional_agents
from reviewdeck.model import Draft, State, Verb
from reviewdeck.operators.process import linux_ancestry
from reviewdeck.ports import Process

SHELL = (Process(812, "zsh", ("-zsh",)), Process(700, "tmux: server", ("tmux",)))
AGENT = (Process(812, "bash", ("bash", "-c", "x")), Process(640, "claude", ("claude",)))

Opened = Callable[[tuple[Process, ...]], Engine]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    root = tmp_path / "home"
    (root / "memories").mkdir(parents=True)
    set_entries(root, "Tests run with tox.", "The staging host is stg-2.")
    return root


@pytest.fixture
def agent(home: Path) -> Agent:
    return Agent(home, Ticking())


@pytest.fixture
def opened(home: Path, tmp_path: Path) -> Iterator[Opened]:
    decks = ExitStack()

    def opener(ancestors: tuple[Process, ...]) -> Engine:
        settings = Settings(
            homes=(home,),
            ledger=str(tmp_path / "ledger.db"),
            user_home=tmp_path,
            actor=OPERATOR,
            ancestry=lambda: ancestors,
        )
        deck = decks.enter_context(closing(open_engine(settings, now=Ticking())))
        deck.intake()
        return deck

    with decks:
        yield opener


def test_a_decision_says_from_which_processes_it_came(opened: Opened, agent: Agent) -> None:
    agent.replace("tox", "Tests run with nox.")
    deck = opened(SHELL)
    (item,) = deck.pending()
    deck.approve(item.id, digest_of(deck, item.id))
    (decision,) = deck.ledger.decisions(item.id)
    assert decision.actor == replace(OPERATOR, ancestry=("zsh 812", "tmux: server 700"))
    assert decision.actor.tier == "unsigned"
    assert deck.authority.authorisation == "unsigned (tier 0)"


def test_what_descends_from_an_agent_decides_nothing(opened: Opened, agent: Agent) -> None:
    agent.add("The linter is ruff.")
    agent.replace("tox", "Tests run with nox.")
    agent.add("Deploys leave on Monday.")
    deck = opened(SHELL)
    third, first, second = deck.pending()
    deck.reject(third.id, "no")
    done = deck.approve(first.id, digest_of(deck, first.id))
    digest = digest_of(deck, second.id)
    texts = remembered(deck.ledger, deck.home_ids[0])
    live, decided = entries(agent.home), len(deck.ledger.events())

    deck = opened(AGENT)
    decisions: list[Callable[[], object]] = [
        lambda: deck.approve(second.id, digest),
        lambda: deck.merge(second.id, "mine", digest),
        lambda: deck.reject(second.id, "no"),
        lambda: deck.defer(second.id),
        lambda: deck.undo(done.id),
        lambda: deck.reopen(third.id),
    ]
    for decide in decisions:
        with pytest.raises(DescendsFromAgent) as refused:
            decide()
        assert "claude (process 640)" in refused.value.message and refused.value.hint
    assert entries(agent.home) == live
    assert deck.find(second.id).state is State.READY
    assert len(deck.ledger.events()) == decided
    assert remembered(deck.ledger, deck.home_ids[0]) == texts


def test_the_drafts_of_an_agent_are_not_committed(opened: Opened, agent: Agent) -> None:
    agent.replace("tox", "Tests run with nox.")
    deck = opened(AGENT)
    (item,) = deck.pending()
    digest = digest_of(deck, item.id)
    deck.ledger.put_draft(Draft(item.id, Verb.APPROVE, digest, deck.now()))
    shown = summary(deck)
    with pytest.raises(DescendsFromAgent):
        commit(deck, shown)
    assert "nox" not in (agent.home / MEMORY).read_text()
    assert len(deck.ledger.drafts()) == 1


def test_an_agent_may_start_the_headless_pass(opened: Opened, agent: Agent) -> None:
    agent.add("The linter is ruff.")
    report = opened(AGENT).auto()
    assert len(report.applied) == 1
    assert "The linter is ruff." in entries(agent.home)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_the_system_says_what_a_process_descends_from(tmp_path: Path) -> None:
    found = linux_ancestry()
    assert found[0].pid == os.getppid()
    # A shell of an odd name: the ancestors of its child are read past brackets and spaces.
    odd = tmp_path / "my ) agent"
    odd.symlink_to("/bin/sh")
    code = (
        "import json, reviewdeck.operators.process as a;"
        "print(json.dumps([[p.name, p.pid] for p in a.linux_ancestry()]))"
    )
    done = subprocess.run(
        [str(odd), "-c", f"'{sys.executable}' -c '{code}'; true"],
        capture_output=True,
        text=True,
        check=True,
    )
    names = [name for name, _ in json.loads(done.stdout)]
    assert names[0] == "my ) agent"
    assert os.getpid() in [pid for _, pid in json.loads(done.stdout)]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_the_command_line_refuses_below_an_agent_whatever_the_environment_says(
    home: Path, agent: Agent, tmp_path: Path
) -> None:
    agent.replace("tox", "Tests run with nox.")
    fake = tmp_path / "codex"
    fake.symlink_to("/bin/sh")
    where = f"--home {home} --ledger {tmp_path / 'ledger.db'}"
    program = f"'{sys.executable}' -m reviewdeck.cli.main"
    script = (
        f'id=$({program} list --json {where} | sed -n \'s/.*"id": "\\(.*\\)".*/\\1/p\' | head -1);'
        f"{program} reject $id --reason no --json {where}; true"
    )
    environment = {**os.environ, "HOME": str(tmp_path), "REVIEWDECK_OPERATOR": "dana"}
    below = subprocess.run(
        [str(fake), "-c", script], capture_output=True, text=True, env=environment, check=False
    )
    assert json.loads(below.stdout)["error"]["code"] == "agent"
    # The same below a shell by its own name: a variable that an agent sets changes nothing.
    environment |= {"HERMES_HOME": str(home), "CLAUDECODE": "1"}
    plain = subprocess.run(
        ["/bin/sh", "-c", script], capture_output=True, text=True, env=environment, check=False
    )
    assert json.loads(plain.stdout)["decision"]["verb"] == "reject", plain.stderr


OPTIONS = (["-X", "dev"], ["-W", "ignore", "-B"], ["-IBu"])
BELOW = """
import subprocess, sys
subprocess.run([sys.executable, *{words}], check=True)
"""


@pytest.mark.slow  # Programs in processes of their own.
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_a_module_of_an_agent_is_known_behind_any_options_of_python(
    home: Path, agent: Agent, tmp_path: Path, options: list[str]
) -> None:
    """Each command that it may not start is refused, and the others are not."""
    agent.replace("tox", "Tests run with nox.")
    where = ["--home", str(home), "--ledger", str(tmp_path / "ledger" / "ledger.db")]
    commands = [
        ["list", *where],
        ["since", "--mark", *where],
        ["fsck", "--prune", *where[2:]],
        ["fsck", *where[2:]],
        ["auto", "--dry-run", *where],
        ["auto", *where],
        ["recover", *where],
        ["log", "--export", *where],
    ]
    package = tmp_path / "hermes_cli"
    package.mkdir()
    code = BELOW.format(words=several([[*tokens, "--json"] for tokens in commands]))
    (package / "main.py").write_text(code)
    isolated = "-IBu" in options
    words = [*options, "-m", "hermes_cli.main"]
    if isolated:  # Then it is found where the interpreter looks, not in the current folder.
        (tmp_path / "hermes").write_text(code)
        words = [*options, str(tmp_path / "hermes")]
    done = subprocess.run(
        [sys.executable, *words], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    refused = {
        tuple(tokens[:2])
        for tokens, ran in zip(commands, answers(done.stdout), strict=True)
        if '"code": "agent"' in ran.out
    }
    assert refused == {
        ("since", "--mark"),
        ("fsck", "--prune"),
        ("auto", "--home"),
        ("recover", "--home"),
    }, done.stdout


ACCOUNT = """
import pwd
pwd.getpwuid = lambda uid: pwd.struct_passwd(("dana", "x", uid, uid, "", {account!r}, "/bin/sh"))
"""


@dataclass(frozen=True, slots=True)
class Account:
    """An account, a home of its agent, and commands that run below a program of some name."""

    root: Path
    home: Path

    def below(self, program: str, commands: Sequence[Sequence[str]], **variables: str) -> list[Ran]:
        """How these commands end below a stand-in for a program of this name."""
        stand_in = self.root / program
        if not stand_in.exists():
            stand_in.symlink_to("/bin/sh")
        words = several(
            [[*tokens, "--json", "--home", str(self.home)] for tokens in commands],
            first=ACCOUNT.format(account=str(self.root)),
        )
        unset = ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "REVIEWDECK_LEDGER")
        environment = {k: v for k, v in os.environ.items() if k not in unset}
        done = subprocess.run(
            [str(stand_in), "-c", f"{shlex.join([sys.executable, *words])}; true"],
            capture_output=True,
            text=True,
            cwd=self.root,
            env=environment | {"HOME": str(self.root)} | variables,
            check=False,
        )
        assert done.stdout, done.stderr
        return answers(done.stdout)


@pytest.fixture
def account(home: Path, agent: Agent, tmp_path: Path) -> Account:
    agent.add("The linter is ruff.")
    return Account(tmp_path, home)


@pytest.mark.slow  # Programs in processes of their own.
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_below_an_agent_nothing_is_written_with_another_place_than_the_accounts(
    account: Account,
) -> None:
    before = entries(account.home)
    elsewhere = account.root / "elsewhere"
    elsewhere.mkdir()
    own = account.root / ".local/share/reviewdeck/ledger.db"
    commands: list[list[str]] = [["auto"], ["auto", "--watch"], ["recover"]]
    options = [
        ["--ledger", str(elsewhere / "new.db")],
        ["--ledger", "new.db"],
        ["--ledger", f"sqlite:///{elsewhere / 'new.db'}"],
    ]
    places = [
        {"XDG_DATA_HOME": str(elsewhere)},
        {"XDG_CONFIG_HOME": str(elsewhere)},
        {"HOME": str(elsewhere)},
        {"REVIEWDECK_LEDGER": str(elsewhere / "new.db")},
    ]
    tried = [[*tokens, *option] for tokens in commands for option in options]
    endings = account.below("claude", tried)
    for variables in places:
        endings += account.below("claude", commands, **variables)
    for ending in endings:
        assert ending.json["error"]["code"] == "agent", ending
        assert "may not choose the" in ending.json["error"]["message"]
    assert entries(account.home) == before

    # What only reads takes any ledger, and by a link the account's own ledger is still that.
    looked = account.below("claude", [["list"], ["auto", "--dry-run"]], **places[0])
    assert [ending.code for ending in looked] == [0, 0]
    account.below("sh", [["status"]])
    (elsewhere / "link.db").symlink_to(own)
    (applied,) = account.below("claude", [["auto", "--ledger", str(elsewhere / "link.db")]])
    assert len(applied.json["applied"]) == 1, applied
    assert "The linter is ruff." in entries(account.home)


@pytest.mark.slow  # Programs in processes of their own.
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_shell_of_the_operators_takes_any_ledger(account: Account) -> None:
    (applied,) = account.below("sh", [["auto", "--ledger", "new.db"]])
    assert len(applied.json["applied"]) == 1, applied


@pytest.mark.slow  # Programs in processes of their own.
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_the_accounts_list_of_agents_counts_whatever_the_environment_says(account: Account) -> None:
    folder = account.root / ".config" / "reviewdeck"
    folder.mkdir(parents=True)
    (folder / "agents.txt").write_text("mybot\n")
    (line,) = account.below("sh", [["list"]])
    reject = ["reject", line.json[0]["id"], "--reason", "no"]
    for variables in (
        {},
        {"XDG_CONFIG_HOME": "/nowhere"},
        {"HOME": str(account.root / "elsewhere")},
    ):
        (ending,) = account.below("mybot", [reject], **variables)
        assert ending.json["error"]["code"] == "agent", ending
    (ending,) = account.below("sh", [reject])
    assert ending.json["decision"]["verb"] == "reject"


def test_an_operator_names_further_agents_in_a_file_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert additional_agents() == ()
    (tmp_path / "reviewdeck").mkdir()
    (tmp_path / "reviewdeck" / "agents.txt").write_text("# ours\nhousebot  # nights\n\nminibot\n")
    assert additional_agents() == ("housebot", "minibot")
