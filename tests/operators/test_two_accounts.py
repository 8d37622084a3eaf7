"""Tier 2 with two real accounts, neither of them root: what each gets from the command line."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from tests.cli.program import Ran
from tests.cli.several import answers, several
from tests.engine.kit import MEMORY, Agent, Ticking, entries, set_entries

from reviewdeck.ledger.inspection import find_damage

AGENT, OPERATOR = 64_001, 64_002
"""Made-up users, of whom the system has no names."""
ROOT = Path(__file__).parents[2]
FACT = "The linter is ruff."
_UNKNOWN = (
    "import sys, reviewdeck.environment as s"
    "; from reviewdeck.engine.authorisation import no_ancestors"
    "; s.process_ancestry = lambda: no_ancestors"
)
"""What is tried is what the system refuses, not what reviewdeck does to known agents above."""
_PAGE = (ROOT / "docs" / "security.md").read_text("utf-8")
SET_UP, CHECK = re.findall(r"```bash\n(?:ME=.*\n)?([^`]*(?:useradd|-writable)[^`]*)```", _PAGE)
pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or not Path("/proc/self/fd").is_dir(),
    reason="needs root, to act as two other users, and Linux' /proc",
)


@dataclass(frozen=True, slots=True)
class Account:
    """One user, who runs Python and `reviewdeck`."""

    uid: int
    root: Path
    base: int
    """The interpreter's directory, held open: it may lie where only root gets to."""
    groups: tuple[int, ...] = ()

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def ledger(self) -> Path:
        return self.root / "ours" / "ledger.db"

    @property
    def ring(self) -> Path:
        """The operators' list, in the place where it is by default."""
        own = self.root / f"user-{OPERATOR}" / ".local" / "share"
        return own / "reviewdeck" / "operators" / "operators.jsonl"

    def python(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Python, as this user."""
        own, base = self.root / f"user-{self.uid}", f"/proc/self/fd/{self.base}"
        path = [ROOT / "core", ROOT / "tui", *(p for p in sys.path if "site-packages" in p)]
        env = {"PATH": os.environ["PATH"], "HOME": str(own), "PYTHONHOME": base, "TZ": "UTC"}
        return subprocess.run(
            [f"{base}/bin/python3", *words],
            user=self.uid,
            group=self.uid,
            extra_groups=self.groups,
            pass_fds=[self.base],
            env=env | {"PYTHONPATH": ":".join(map(str, path)), "COLUMNS": "200"},
            cwd=self.root,
            capture_output=True,
            text=True,
            timeout=120,
            start_new_session=True,
        )

    def __call__(self, *tokens: str) -> subprocess.CompletedProcess[str]:
        """`reviewdeck` over the home and the operator's ledger."""
        code = f"{_UNKNOWN}; from reviewdeck.cli.main import main; sys.exit(main(sys.argv[1:]))"
        return self.python("-c", code, *tokens, *self._where)

    def each(self, *commands: tuple[str, ...]) -> list[Ran]:
        """`reviewdeck` several times in one process."""
        done = self.python(*several([[*words, *self._where] for words in commands], _UNKNOWN))
        return answers(done.stdout)

    @property
    def _where(self) -> tuple[str, ...]:
        return ("--home", str(self.home), "--ledger", str(self.ledger))

    def tries(self, deed: str, *arguments: Path) -> str:
        """What one statement comes to: what it prints, or the error that it ends with."""
        done = self.python("-c", f"import os, pathlib, sys; {deed}", *map(str, arguments))
        return done.stdout if done.returncode == 0 else done.stderr.splitlines()[-1]


def laid_out(operator: Account) -> Account:
    """Runs what the page says for the operator, but for what makes users."""
    said = as_the_page_says(operator, SET_UP, user=0)
    assert said.returncode == 0, said.stderr
    assert (operator.home / "pending" / "memory").is_dir()
    return replace(operator, groups=(AGENT,))


def as_the_page_says(operator: Account, lines: str, user: int) -> subprocess.CompletedProcess[str]:
    """Lines of docs/security.md by bash, for these accounts: `sudo` is already that user."""
    named = f"ME={OPERATOR} AGENT={AGENT} HERMES={operator.home} OURS={operator.root / 'ours'}"
    shims = 'sudo() { [ "$1" != -u ] || shift 2; "$@"; }; useradd() { :; }; usermod() { :; }'
    return subprocess.run(
        ["bash", "-ec", f"{shims}\n{named}\n{lines}"],
        user=user,
        group=user,
        extra_groups=(),
        cwd="/",
        capture_output=True,
        text=True,
    )


@contextmanager
def an_operator() -> Iterator[Account]:
    """The operator of a home that was laid out by the commands of the page."""
    root = Path(tempfile.mkdtemp(prefix="accounts-"))
    root.chmod(0o755)  # The folders that pytest makes are closed to others from the top.
    home, ours = root / "home", root / "ours"
    (home / "memories").mkdir(parents=True)
    (home / "skills").mkdir()
    set_entries(home, "Tests run with tox.")
    (home / "config.yaml").write_text("memory: {write_approval: true}")
    ours.mkdir()
    for path in (ours, home, *home.rglob("*")):
        os.chown(path, OPERATOR, OPERATOR)
    for uid in (AGENT, OPERATOR):
        (root / f"user-{uid}").mkdir(mode=0o700)
        os.chown(root / f"user-{uid}", uid, uid)
    base = os.open(sys.base_prefix, os.O_PATH)
    account = Account(OPERATOR, root, base)
    if account.python("-c", "import reviewdeck.cli.main").returncode != 0:
        shutil.rmtree(root)
        os.close(base)
        pytest.skip("another user cannot get at the modules here")
    try:
        yield laid_out(account)
    finally:
        os.close(base)
        shutil.rmtree(root)


@pytest.fixture
def operator() -> Iterator[Account]:
    with an_operator() as account:
        yield account


@pytest.fixture(scope="module")
def looked() -> Iterator[Account]:
    """The same after a look, for what is refused: nothing of it is changed."""
    with an_operator() as account:
        assert account("list").returncode == 0
        account.ring.parent.mkdir(parents=True, exist_ok=True)
        account.ring.touch()  # Open to everybody by itself: it is the account that is closed.
        yield account


@pytest.fixture
def agent(operator: Account) -> Account:
    return replace(operator, uid=AGENT, groups=())


def proposed(agent: Account) -> None:
    """A record that the agent writes itself, as its own user."""
    elsewhere = agent.root / "made"
    Agent(elsewhere, Ticking(), talks=False).add(FACT, id="abcd0123")
    record = (elsewhere / "pending" / "memory" / "abcd0123.json").read_text("utf-8")
    place = agent.home / "pending" / "memory" / "abcd0123.json"
    assert agent.tries(f"pathlib.Path(sys.argv[1]).write_text({record!r})", place) == ""


def test_the_agents_user_proposes_the_operator_approves_and_the_agent_reads_it(
    agent: Account, operator: Account
) -> None:
    proposed(agent)
    (item,) = json.loads(operator("list", "--json").stdout)
    shown = json.loads(operator("show", item["id"], "--json").stdout)
    done = operator("approve", item["id"], "--digest", shown["digest"])
    assert done.returncode == 0, done.stderr
    assert entries(agent.home) == ["Tests run with tox.", FACT]
    assert not (agent.home / "pending" / "memory" / "abcd0123.json").exists()
    read = "print(pathlib.Path(sys.argv[1]).read_text('utf-8'))"
    assert FACT in agent.tries(read, agent.home / MEMORY)
    assert operator("log", "--verify").returncode == 0
    assert find_damage(str(agent.ledger)) == ()


def test_the_agents_user_is_refused_each_decision_in_one_line(
    agent: Account, operator: Account
) -> None:
    proposed(agent)
    assert operator("list").returncode == 0
    before = agent.ledger.read_bytes()
    refused = agent.each(
        ("approve", "abcd0123", "--digest", "0" * 16),
        ("reject", "abcd0123", "--reason", "no"),
        ("auto",),
        ("recover",),
        ("list",),
        ("status",),
    )
    assert len(refused) == 6
    for ran in refused:
        assert (ran.code, ran.out) == (1, ""), ran
        assert ran.err.startswith("reviewdeck: ") and ran.err.count("\n") == 1
        assert f"The directory {agent.ledger.parent} cannot be used: Perm" in ran.err
    assert agent.ledger.read_bytes() == before
    assert entries(agent.home) == ["Tests run with tox."]


def test_the_agents_user_with_a_ledger_of_its_own_writes_nothing_into_the_home(
    agent: Account, operator: Account
) -> None:
    proposed(agent)
    own = agent.root / f"user-{AGENT}" / "ledger.db"
    code = "import sys; from reviewdeck.cli.main import main; sys.exit(main(sys.argv[1:]))"
    where = ("--home", str(agent.home), "--ledger", str(own))
    ran = agent.python("-c", code, "auto", *where)
    assert ran.returncode in (1, 3)
    assert "Traceback" not in ran.stderr
    assert entries(agent.home) == ["Tests run with tox."]


@pytest.mark.parametrize(
    ("name", "deed"),
    [
        ("ours/ledger.db", "open(sys.argv[1], 'r+b')"),
        ("ours/ledger.db", "os.unlink(sys.argv[1])"),
        ("user-64002/.local/share/reviewdeck/operators/operators.jsonl", "open(sys.argv[1], 'a')"),
        ("user-64002/.local/share/reviewdeck/operators/operators.jsonl", "open(sys.argv[1])"),
        ("home/memories/MEMORY.md", "open(sys.argv[1], 'a')"),
        ("home/memories/MEMORY.md", "os.unlink(sys.argv[1])"),
        ("home/memories", "os.rename(sys.argv[1], sys.argv[1] + '.old')"),
        ("home/skills/mine", "os.mkdir(sys.argv[1])"),
        ("home/config.yaml", "open(sys.argv[1], 'a')"),
    ],
)
def test_what_the_agents_user_writes_past_reviewdeck_is_refused_by_the_system(
    looked: Account, name: str, deed: str
) -> None:
    agent = replace(looked, uid=AGENT, groups=())
    said = agent.tries(deed, agent.root / name)
    assert said.startswith(("PermissionError: [Errno 13]", "PermissionError: [Errno 1]")), said


def test_a_ledger_that_may_only_be_read_decides_nothing_and_is_named(
    agent: Account, operator: Account
) -> None:
    proposed(agent)
    (item,) = json.loads(operator("list", "--json").stdout)
    shown = json.loads(operator("show", item["id"], "--json").stdout)
    agent.ledger.chmod(0o400)
    agent.ledger.parent.chmod(0o500)
    tried = operator.each(
        ("approve", item["id"], "--digest", shown["digest"]),
        ("reject", item["id"], "--reason", "no"),
        ("auto",),
    )
    assert len(tried) == 3
    for ran in tried:
        assert ran.code == 1, ran
        assert ran.err.startswith("reviewdeck: ") and ran.err.count("\n") == 1, ran.err
        assert str(agent.ledger) in ran.err
    assert entries(agent.home) == ["Tests run with tox."]
    assert (agent.home / "pending" / "memory" / "abcd0123.json").exists()


@pytest.mark.parametrize("name", ["memories/MEMORY.md", "skills", ".reviewdeck", "config.yaml"])
def test_the_page_prints_what_the_agents_user_can_write_and_nothing_else(
    operator: Account, name: str
) -> None:
    assert as_the_page_says(operator, CHECK, AGENT).stdout == ""
    (operator.home / name).chmod(0o777)
    assert as_the_page_says(operator, CHECK, AGENT).stdout.splitlines() == [
        str(operator.home / name)
    ]
