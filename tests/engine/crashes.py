"""Kills a deck at every step of an operation and checks what recovery makes of it.

Run as `python -m tests.engine.crashes DIRECTORY [STRIDE [SCENARIO]]`; prints one JSON object. A
child process is killed with SIGKILL just before its Nth step, for N = 1, 2, ... until it gets
through alive; then the parent recovers, twice, and compares the home with how it was and how it
should be. A stride of 9 tries every ninth step only.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from tests.engine.kit import (
    OPERATOR,
    Agent,
    Ticking,
    digest_of,
    quiet,
    set_entries,
    skill_text,
)

from reviewdeck.bootstrap import open_engine
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.options import Settings
from reviewdeck.engine.similarity import digests_of
from reviewdeck.homes.refusals import REJECTED
from reviewdeck.ledger.inspection import find_damage
from reviewdeck.model import State
from reviewdeck.ports import Probe

SKILLS = ("release-notes", "log-triage")

Act = Callable[[Engine], object]


@dataclass(frozen=True)
class Scenario:
    """What an agent proposes and what is then done."""

    name: str
    propose: Callable[[Agent], object]
    act: Act
    halfway: Act | None = None
    """What is done when only the first of its operations is."""
    later: bool = False
    """Whether a later Hermes, which keeps a ledger of its skills, works in this home."""


def _auto(deck: Engine) -> object:
    return deck.auto()


def _approve_all(deck: Engine) -> object:
    deck.intake()
    return [deck.approve(item.id, digest_of(deck, item.id)) for item in deck.pending()]


def _reject_all(deck: Engine) -> object:
    deck.intake()
    return [deck.reject(item.id, "no") for item in deck.pending()]


def _apply_and_undo(deck: Engine) -> object:
    report = deck.auto()
    assert report.applied
    return deck.undo(deck.operations(limit=1)[0].id)


def _approve_and_undo(deck: Engine) -> object:
    _approve_all(deck)
    return deck.undo(deck.operations(limit=1)[0].id)


def _additions(agent: Agent) -> None:
    agent.add("The linter is ruff.")
    agent.add("Wants tests before code.", target="user")
    agent.skill("create", "log-triage", content=skill_text("log-triage", "Read service logs."))
    agent.skill(
        "write_file",
        "release-notes",
        file_path="references/words.md",
        file_content="# Words\nShort ones.\n",
    )


SCENARIOS = (
    Scenario("additions to two memories and two skills", _additions, _auto),
    Scenario(
        "a replaced entry",
        lambda agent: agent.replace("staging host", "The staging host is stg-4."),
        _approve_all,
    ),
    Scenario(
        "a patched skill",
        lambda agent: agent.skill(
            "patch", "release-notes", old_string="2. Run the tests.", new_string="2. Run tox."
        ),
        _approve_all,
    ),
    Scenario(
        "a removed file",
        lambda agent: agent.skill("remove_file", "release-notes", file_path="references/style.md"),
        _approve_all,
    ),
    Scenario(
        "an archived skill",
        lambda agent: agent.skill("delete", "release-notes", absorbed_into=""),
        _approve_all,
    ),
    Scenario(
        "a deleted skill",
        lambda agent: agent.skill("delete", "release-notes", origin="foreground"),
        _approve_all,
    ),
    Scenario(
        "a rejected proposal",
        lambda agent: agent.replace("staging host", "The staging host is stg-4."),
        _reject_all,
    ),
    Scenario(
        "an undone new skill",
        lambda agent: agent.skill(
            "create", "log-triage", content=skill_text("log-triage", "Read service logs.")
        ),
        _apply_and_undo,
        halfway=_auto,
    ),
    Scenario(
        "the user's own sentence, undone",
        lambda agent: agent.add(
            "User's father keeps four beehives in Viborg.",
            typed="My dad keeps four hives in Viborg, he has tools.",
        ),
        _apply_and_undo,
        halfway=_auto,
    ),
    Scenario(
        "an undone patch beside a later Hermes",
        lambda agent: agent.skill(
            "patch", "release-notes", old_string="2. Run the tests.", new_string="2. Run tox."
        ),
        _approve_and_undo,
        halfway=_approve_all,
        later=True,
    ),
)


def make_home(root: Path, *, later: bool = False) -> Path:
    """A small home with two memories and a skill."""
    (root / "memories").mkdir(parents=True)
    set_entries(root, "Tests run with tox.", "The staging host is stg-2.", "Docs use mkdocs.")
    set_entries(root, "Name: Dana.", document="memories/USER.md")
    skill = root / "skills" / "dev" / "release-notes"
    (skill / "references").mkdir(parents=True)
    (skill / "SKILL.md").write_text(skill_text("release-notes"), "utf-8")
    (skill / "references" / "style.md").write_text("# Style\nPlain words.\n", "utf-8")
    if later:
        (root / JOURNAL).touch()
    return root


def settings_in(root: Path) -> Settings:
    """The home and the ledger below this directory."""
    return Settings(
        homes=(root / "home",),
        ledger=str(root / "ledger" / "ledger.db"),
        user_home=root,
        actor=OPERATOR,
        lock_wait=5.0,
    )


def open_deck(root: Path, probe: Probe = quiet) -> Engine:
    """A deck over the home below this directory."""
    return open_engine(settings_in(root), now=Ticking(), probe=probe)


USAGE = "skills/.usage.json"
JOURNAL = "skills/.curator_ledger.jsonl"
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+\+00:00")


def documents(home: Path) -> dict[str, str]:
    """Every file that we touch: documents, and Hermes' bookkeeping by skill, without its times."""
    found = {
        str(path.relative_to(home)): path.read_text("utf-8")
        for folder in ("memories", "skills")
        for path in sorted((home / folder).rglob("*"))
        if path.is_file() and path.suffix != ".lock"
    }
    usage = json.loads(found.pop(USAGE, "{}"))
    for skill, record in usage.items():
        said = json.dumps(record, sort_keys=True)
        found[f"{USAGE}/{skill}"] = MOMENT.sub("then", said)
    for line in found.pop(JOURNAL, "").splitlines():
        row = json.loads(line)
        row |= {"id": "", "ts": ""}
        said = json.dumps(row).replace(str(home.resolve()), "")
        found[f"{JOURNAL}/{row['skill']}"] = found.get(f"{JOURNAL}/{row['skill']}", "") + said
    return found


def group_of(path: str) -> str:
    """What goes together: a skill with its bookkeeping, or a document alone."""
    if path.startswith("skills/.curator_backups/"):
        return "blobs"
    return next((skill for skill in SKILLS if skill in path), path)


def strays(home: Path) -> list[str]:
    """Temporary files, and files in our own folder, that nobody cleared away."""
    ours = home / ".reviewdeck"
    names = ("README", ".gitignore", "skills.lock", "identity", REJECTED)
    kept = {ours / name for name in names}
    return [
        str(p.relative_to(home))
        for p in home.rglob("*")
        if p.is_file() and p not in kept and (".tmp" in p.name or p.is_relative_to(ours))
    ]


class Killer:
    """A probe that kills its own process just before the Nth step."""

    def __init__(self, at: int) -> None:
        self._left = at

    def __call__(self, step: str) -> None:
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


def _act(root: Path, scenario: Scenario, probe: Probe = quiet) -> None:
    deck = open_deck(root, probe)
    scenario.act(deck)
    deck.close()


def survives(root: Path, scenario: Scenario, at: int) -> bool:
    """Does the scenario in a child that is killed before step `at`; says whether it got through."""
    child = os.fork()
    if child == 0:
        _act(root, scenario, Killer(at))
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return False
    assert os.waitstatus_to_exitcode(status) == 0, f"{scenario.name} failed at step {at}"
    return True


def check(root: Path, states: list[dict[str, str]], left_out: str = "") -> list[str]:
    """What is wrong with a home after recovery; `states` are the whole ones it may be in.

    Files whose path starts with `left_out` may be in any state.
    """
    home, wrong = root / "home", []
    deck = open_deck(root)
    deck.recover()
    after = documents(home)
    again = deck.recover()
    if again:
        wrong.append(f"a second recovery did something: {again}")
    if documents(home) != after:
        wrong.append("a second recovery changed the home")
    wrong += [f"left behind: {stray}" for stray in strays(home)]
    wrong += _half_done(*(_without(left_out, one) for one in (after, *states)))
    if deck.ledger.unfinished(str(home.resolve())):
        wrong.append("the ledger has unfinished batches")
    if (broken := deck.ledger.verify()) is not None:
        wrong.append(f"the audit chain breaks at {broken}")
    if list((root / "ledger" / "ledger.db.journal").glob("*/*.*")):
        wrong.append("the host's journal has entries")
    wrong += _disagreements(deck, home)
    wrong += _unrefused(deck)
    deck.close()
    wrong += [f"fsck: {said}" for said in find_damage(str(root / "ledger" / "ledger.db"))]
    return wrong


def _without(start: str, found: dict[str, str]) -> dict[str, str]:
    return {path: text for path, text in found.items() if not (start and path.startswith(start))}


def _half_done(after: dict[str, str], *states: dict[str, str]) -> list[str]:
    """Each document is whole, and those of one skill go together."""
    allowed = [
        {path: state.get(path) for path in {*after, *(p for s in states for p in s)}}
        for state in states
    ]
    groups: dict[str, list[str]] = {}
    for path in allowed[0]:
        groups.setdefault(group_of(path), []).append(path)
    groups.pop("blobs", None)  # A text that nobody refers to does no harm.
    wrong = []
    for name, paths in groups.items():
        found = [after.get(path) for path in paths]
        if found not in [[state[path] for path in paths] for state in allowed]:
            wrong.append(f"half done: {name}: {dict(zip(paths, found, strict=True))}")
    return wrong


def _disagreements(deck: Engine, home: Path) -> list[str]:
    """What the ledger says is live has to be live."""
    snapshot = deck.open_homes[0].home.snapshot()
    return [
        f"the ledger says {path} is at {seen.revision[:8]}"
        for path, seen in deck.ledger.latest(str(home.resolve())).items()
        if seen.cause == "operation" and snapshot.document(path).revision != seen.revision
    ]


def _unrefused(deck: Engine) -> list[str]:
    """What was rejected has to be refused by the home itself too, whichever ledger looks."""
    refusals = deck.open_homes[0].home.refusals()
    wrong = [f"nothing is let in: {place}" for place in (refusals.unreadable,) if place]
    return wrong + [
        f"rejected, and not refused: {text}"
        for item in deck.pending((State.REJECTED,))
        for digest, text in digests_of(deck.ledger.proposal(item.id)).items()
        if digest not in refusals.rejected
    ]


def run(directory: Path, stride: int = 1, only: str = "") -> dict[str, object]:
    """Every scenario, or one, killed at every step, or at every `stride`th one."""
    points, wrong = 0, []
    for number, scenario in enumerate(SCENARIOS):
        if only not in ("", scenario.name):
            continue
        template = directory / f"template-{number}"
        home = make_home(template / "home", later=scenario.later)
        scenario.propose(Agent(home, Ticking()))
        open_deck(template).close()
        before = documents(home)
        done = directory / f"done-{number}"
        shutil.copytree(template, done)
        # Here and in no child: each child begins with what this one has loaded and worked out.
        _act(done, scenario)
        states = [before, documents(done / "home")]
        if scenario.halfway is not None:
            half = directory / f"half-{number}"
            shutil.copytree(template, half)
            survives(half, replace(scenario, act=scenario.halfway), 10**6)
            states.append(documents(half / "home"))
        for at in range(1 + number % stride, 500, stride):
            root = directory / f"run-{number}-{at}"
            shutil.copytree(template, root)
            if survives(root, scenario, at):
                break
            points += 1
            wrong += [f"{scenario.name}, step {at}: {one}" for one in check(root, states)]
            shutil.rmtree(root)
    return {"points": points, "wrong": wrong}


if __name__ == "__main__":
    print(
        json.dumps(run(Path(sys.argv[1]), int((sys.argv[2:] or ["1"])[0]), "".join(sys.argv[3:])))
    )
