"""Every command, asked to end at every kind of point: it ends soon, says so, and leaves no half.

Each case runs the program to its end once, and then again from the same state with a signal before
several of the points at which something is written (`interrupting`).
"""

from __future__ import annotations

import json
import shutil
import signal
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.cli.interrupting import Ended
from tests.cli.site import WORDS, Site, thin_out
from tests.cli.test_docs import COMMANDS

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
LOOKS, WRITES = 1, 4
"""At how many points a command is interrupted."""
NOTHING = "Nothing was changed."
TOLD = {
    signal.SIGINT: "reviewdeck: Interrupted.",
    signal.SIGTERM: "reviewdeck: Ended by SIGTERM.",
    signal.SIGHUP: "reviewdeck: Ended by SIGHUP.",
}
ENDINGS = (
    NOTHING,
    "What was begun is done.",
    "What was done before stays: `reviewdeck log` lists it.",
)
ELSEWHERE = {
    "worker": "stays until a signal comes: tests/cli/test_worker.py",
    "serve": "stays, and gives signals their own meaning: tests/tui/test_browser.py",
    "mcp": "an agent ends it as any server",
    "hermes chat": "takes its request from an agent's socket; decides as approve and reject do",
    "service install": "needs systemd; writes as `hermes install` does",
    "service uninstall": "needs systemd; writes as `hermes install` does",
    "ledger create": "one transaction of a server",
    "ledger add-host": "one transaction of a server",
    "ledger add-operator": "one transaction of a server",
    "ledger remove": "one transaction of a server",
    "ledger upgrade": "one transaction of a server",
    **{f"{a} {v}": "as for claude" for a in ("qwen", "gemini") for v in ("install", "uninstall")},
    "operators export": "prints what `operators list` reads",
}


Prepare = Callable[[Site], tuple[str, ...]]


def _ready(site: Site) -> tuple[str, str]:
    item = site.one("ready")
    return item["id"], item["digest"]


def _approve(site: Site) -> tuple[str, ...]:
    id, digest = _ready(site)
    return "approve", id, "--digest", digest


def _approve_several(site: Site) -> tuple[str, ...]:
    found = site.read("list", "--state", "ready")[:3]
    digests = [word for item in found for word in ("--digest", item["digest"])]
    return "approve", *(item["id"] for item in found), *digests


def _merge(site: Site) -> tuple[str, ...]:
    item = site.one("conflict", action="replace", target="memory")
    return "merge", item["id"], "--take", "live", "--digest", item["digest"]


def _keep(site: Site) -> tuple[str, ...]:
    item = site.one("live")
    return "approve", item["id"], "--mine", "--digest", item["digest"]


def _withdraw(site: Site) -> tuple[str, ...]:
    item = next(i for i in site.read("list", "--state", "ready") if i["findings"])
    policy = ("--policy", str(site.used / "user" / "policy.toml"))
    ran = site.run("approve", item["id"], "--digest", item["digest"], *policy)
    assert ran.code == 0, ran
    return "withdraw", item["id"], *policy


def _repair(site: Site) -> tuple[str, ...]:
    added = {"action": "add", "target": "memory", "content": "The linter is ruff."}
    text = {"id": "0123abcd", "subsystem": "memory", "payload": added}
    (site.used / "user" / "outside" / "record.json").write_text(json.dumps(text))
    file = str(site.used / "user" / "outside" / "record.json")
    return "repair", site.one("quarantined")["id"], "--file", file


def _undo(site: Site) -> tuple[str, ...]:
    operations = site.read("log")["operations"]
    return "undo", next(one["id"] for one in operations if not one.get("undone_by"))


def _restore(site: Site) -> tuple[str, ...]:
    revision = site.read("history", "memory")[0]["revision"]
    digest = site.read("restore", "memory", revision)["digest"]
    return "restore", "memory", revision, "--digest", digest


def _review(site: Site) -> tuple[str, ...]:
    sessions = site.home / "sessions"
    talk, script = sessions / "session_demo.json", sessions / "review_script.json"
    return "review", str(talk), "--script", str(script)


def _locked(site: Site) -> str:
    folder = str(site.project / "skills")
    assert site.run("skills", "lock", folder, "--yes").code == 0
    return folder


def _skills_restore(site: Site) -> tuple[str, ...]:
    folder = _locked(site)
    for text in list(Path(folder).rglob("SKILL.md"))[:2]:
        text.write_text("changed\n")
    return "skills", "restore", folder, "--yes"


def _uninstall(agent: str) -> Prepare:
    def prepare(site: Site) -> tuple[str, ...]:
        where = _where(site, agent)
        assert site.run(agent, "install", "--yes", *where).code == 0
        return agent, "uninstall", "--yes", *where

    return prepare


def _install(agent: str) -> Prepare:
    return lambda site: (agent, "install", "--yes", *_where(site, agent))


def _where(site: Site, agent: str) -> tuple[str, ...]:
    home = site.home if agent == "hermes" else site.used / "user" / f".{agent}"
    return "--home", str(home), "--ledger", str(site.used / "ledger" / "ledger.db")


def _words(*words: str) -> Prepare:
    return lambda site: words


def _about(*words: str) -> Prepare:
    return lambda site: (*words, _ready(site)[0])


def _file(name: str, *words: str) -> Prepare:
    return lambda site: (*words, str(site.used / name))


def _record(site: Site) -> tuple[str, ...]:
    file = site.used / "user" / "outside" / "turns.jsonl"
    said = [{"role": "user", "content": f"Number {n}."} for n in range(3)]
    file.write_text("".join(json.dumps({"session": "s", "messages": [one]}) + "\n" for one in said))
    return "record", str(file)


def _signed(*words: str) -> Prepare:
    """With the key of an operator, whose passphrase is typed."""

    def prepare(site: Site) -> tuple[str, ...]:
        assert site.run("init", "--name", "dana", typed=WORDS).code == 0
        if "revoke" in words:
            ran = site.run("operators", "add", "robin", typed=WORDS)
            assert ran.code == 0, ran
        return words

    return prepare


def _signed_approval(site: Site) -> tuple[str, ...]:
    _signed()(site)
    return _approve(site)


def _auto(site: Site) -> tuple[str, ...]:
    shutil.rmtree(site.used / "ledger")
    shutil.rmtree(site.home)
    assert site.run("demo", str(site.home), "--home", "/").code == 0
    thin_out(site)
    return ("auto",)


LOOKING: Mapping[str, Prepare] = {
    "status": _words("status"),
    "since": _words("since", "1w"),
    "list": _words("list"),
    "show": _about("show"),
    "diff": _about("diff"),
    "read": _file("home/memories/MEMORY.md", "read"),
    "prompt": _words("prompt"),
    "log": _words("log", "--verify"),
    "history": _words("history", "memory"),
    "blame": _words("blame", "memory"),
    "why": _words("why", "Pier 2 in Skagen is closed."),
    "config": _words("config"),
    "doctor": _words("doctor"),
    "setup": _words("setup", "--dry-run"),
    "completion": _words("completion", "bash"),
    "policy explain": _about("policy", "explain"),
    "policy test": _words("policy", "test"),
    "policy suggest": _words("policy", "suggest"),
    "policy check": _file("user/policy.toml", "policy", "check"),
    "operators list": _words("operators", "list"),
    "hermes brief": _words("hermes", "brief"),
    "hermes status": _words("hermes", "status"),
    "claude status": _words("claude", "status"),
    "qwen status": _words("qwen", "status"),
    "gemini status": _words("gemini", "status"),
    "openclaw status": _words("openclaw", "status"),
    "service status": _words("service", "status"),
    "skills verify": lambda site: ("skills", "verify", _locked(site)),
    "skills check": _file("project/skills", "skills", "check"),
}
"""Commands that change nothing which an agent reads."""
WRITING: Mapping[str, Prepare] = {
    "auto": _auto,
    "approve": _approve,
    "approve, several": _approve_several,
    "approve, a live change": _keep,
    "approve, signed": _signed_approval,
    "merge": _merge,
    "reject": lambda site: ("reject", _ready(site)[0], "--reason", "No."),
    "reject, a live change": lambda site: ("reject", site.one("live")["id"], "--reason", "No."),
    "reject, all": _words("reject", "--state", "ready", "--reason", "No.", "--yes"),
    "defer": lambda site: ("defer", _ready(site)[0]),
    "withdraw": _withdraw,
    "repair": _repair,
    "room": _about("room"),
    "review": _review,
    "undo": _undo,
    "restore": _restore,
    "revert": _words("revert", "--since", "1w", "--yes"),
    "reopen": lambda site: ("reopen", site.one("rejected")["id"]),
    "adopt": _words("adopt", "--queue"),
    "adopt, all": _words("adopt", "--take", "--yes"),
    "pause": _words("pause"),
    "resume": lambda site: (site.run("pause"), ("resume",))[1],
    "recover": _words("recover"),
    "purge": _words("purge", "--reason", "It leaked.", "--file", "-"),
    "fsck": _words("fsck", "--backup"),
    "fsck, pruning": _words("fsck", "--prune", "--keep-days", "1"),
    "record": _record,
    "report": _file("user/outside/page.html", "report", "--output"),
    "demo": _file("user/outside/sample", "demo"),
    "ledger copy": lambda site: (
        *("ledger", "copy", str(site.used / "ledger" / "ledger.db")),
        str(site.used / "user" / "outside" / "copy.db"),
    ),
    "init": _words("init", "--name", "dana"),
    "operators add": _signed("operators", "add", "robin"),
    "operators rotate": _signed("operators", "rotate"),
    "operators revoke": _signed("operators", "revoke", "robin"),
    "policy sign": _signed("policy", "sign"),
    "hermes gate": _words("hermes", "gate", "off", "--yes"),
    "skills lock": _file("project/skills", "skills", "lock", "--yes"),
    "skills restore": _skills_restore,
    **{
        f"{agent} {verb}": make(agent)
        for agent in ("hermes", "claude", "openclaw")
        for verb, make in (("install", _install), ("uninstall", _uninstall))
    },
}


SEVERAL = {"auto", "approve, several", "reject, all", "revert"}
"""Those that carry out one thing after the other, each of them whole."""


def test_every_command_is_interrupted() -> None:
    named = {name.partition(",")[0] for name in (*LOOKING, *WRITING, *ELSEWHERE)}
    assert named == {" ".join(words) for words in COMMANDS}


def points(last: int, wanted: int) -> list[int]:
    """Points from the first to the last, evenly."""
    if last <= wanted:
        return list(range(1, last + 1))
    if wanted == 1:
        return [(last + 1) // 2]
    return sorted({1 + round(step * (last - 1) / (wanted - 1)) for step in range(wanted)})


@dataclass(frozen=True, slots=True)
class Course:
    """What a command makes of a state when nobody interrupts it."""

    words: tuple[str, ...]
    points: int
    before: Mapping[str, bytes]
    after: Mapping[str, bytes]
    code: int
    decisions: int
    """Lines of the log before it that are more than what was seen."""


INPUT = {"given": "8123\n", "typed": WORDS}


def course_of(site: Site, prepare: Prepare) -> Course:
    """Prepares the state, keeps it, and lets the command run to its end."""
    site.restore()
    words = prepare(site)
    shutil.rmtree(site.root / "begun", ignore_errors=True)
    shutil.copytree(site.used, site.root / "begun", symlinks=True)
    decisions = decisions_of(site)
    site.restore("begun")
    before = site.texts()
    whole = site.run(*words, **INPUT)
    assert not whole.by_signal and whole.code in (0, 1, 3, 4), whole
    return Course(words, whole.points, before, site.texts(), whole.code, decisions)


def interruptions(site: Site, course: Course, wanted: int) -> Iterator[tuple[int, Ended]]:
    """The command once for each point, with the signal that came there.

    A command that writes in a thread of its own may come to fewer points than the time before.
    """
    for turn, at in enumerate(points(course.points, wanted)):
        number = SIGNALS[turn % len(SIGNALS)]
        site.restore("begun")
        ended = site.run(*course.words, number=number, at=at, **INPUT)
        if ended.points >= at:
            yield number, ended


def decisions_of(site: Site) -> int:
    events = site.read("log", "--limit", "1000")["events"]
    return sum(event["actor"]["kind"] != "outside" for event in events)


def check_told(number: int, ended: Ended) -> None:
    """It ended by the signal and said so in one line, the last."""
    assert (ended.by_signal, ended.code) == (True, 128 + number), ended
    assert "Traceback" not in ended.err + ended.out
    last = ended.err.splitlines()[-1]
    told = TOLD[signal.Signals(number)]
    is_told_before = "ended early" in ended.out
    assert last == told if is_told_before else last in [f"{told} {one}" for one in ENDINGS], ended


def check_whole(site: Site) -> None:
    """The ledger is sound, and nothing is left to be finished."""
    ran = site.run("fsck")
    assert (ran.code, ran.err) == (0, ""), ran
    ran = site.run("recover", typed=WORDS)
    assert (ran.code, ran.out, ran.err) == (0, "No interrupted run was found.\n", ""), ran
    assert not list((site.used / "ledger").glob("*.unfinished"))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize(
    ("to", "code", "told"),
    [
        ("full", 1, "reviewdeck: The system refused: No space left on device."),
        ("gone", 141, "reviewdeck: The reader of the output went away."),
        ("closed", 0, ""),
    ],
)
@pytest.mark.parametrize("name", ["list", "approve", "reject, all", "undo", "hermes gate"])
def test_an_output_that_takes_nothing_loses_no_decision_and_is_told_in_one_line(
    site: Site, name: str, to: str, code: int, told: str
) -> None:
    is_look = name in LOOKING
    course = course_of(site, LOOKING[name] if is_look else WRITING[name])
    for form in ((), ("--json",)):
        site.restore("begun")
        ended = site.run(*course.words, *form, **INPUT, to=to)
        stays = "" if is_look or not told else f" {ENDINGS[2]}"
        err = "" if is_look and to == "gone" else f"{told}{stays}\n".lstrip()
        assert (ended.code, ended.err) == (code, err), ended
        assert site.texts() == course.after
        check_whole(site)


@pytest.mark.parametrize(
    "words",
    [
        ("purge", "--reason", "It leaked.", "--file", "-"),
        ("record",),
        ("list",),
        ("approve",),
        ("undo",),
        ("demo",),
        (),
    ],
    ids=" ".join,
)
def test_an_input_that_is_closed_is_an_empty_one(site: Site, words: tuple[str, ...]) -> None:
    site.restore()
    closed, empty = (site.run(*words, given=given) for given in (None, ""))
    assert (closed.code, closed.err) == (empty.code, empty.err)
    assert "Something is wrong" not in closed.err


def test_with_json_an_interruption_is_an_object(site: Site) -> None:
    course = course_of(site, _auto)
    site.restore("begun")
    ended = site.run(*course.words, "--json", at=40)
    error = json.loads(ended.out)["error"]
    assert (ended.code, ended.err) == (130, "")
    assert error == {"code": "interrupted", "message": "Interrupted.", "hint": NOTHING}


@pytest.mark.parametrize("name", LOOKING)
def test_a_command_that_looks_ends_at_once_and_leaves_everything_as_it_was(
    site: Site, name: str
) -> None:
    course = course_of(site, LOOKING[name])
    for number, ended in interruptions(site, course, LOOKS):
        check_told(number, ended)
        assert site.texts() == course.before
        assert site.run("list").code == 0
        assert site.run("fsck").code == 0


@pytest.mark.parametrize("name", WRITING)
def test_a_command_that_writes_does_all_or_nothing_and_says_which(site: Site, name: str) -> None:
    course = course_of(site, WRITING[name])
    assert course.points
    for number, ended in interruptions(site, course, WRITES):
        check_told(number, ended)
        check_whole(site)
        texts = site.texts()
        if ended.err.endswith(f"{NOTHING}\n"):
            assert (texts, decisions_of(site)) == (course.before, course.decisions), ended
            assert site.run(*course.words, **INPUT).code == course.code
            texts = site.texts()
        if name not in SEVERAL:
            assert texts == course.after, ended
