"""One rule of questions for every command: what asks, what `--yes` does, and without a terminal."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

import pytest
from tests.cli.site import WORDS, Site
from tests.cli.test_docs import COMMANDS

Prepare = Callable[[Site], tuple[str, ...]]
NOBODY = "reviewdeck: There is no terminal to ask on. Nothing was {done}. Add --yes"
SERVER = "postgresql://owner@127.0.0.1:9/agents"


def _words(*words: str) -> Prepare:
    return lambda site: words


def _at(agent: str, *words: str) -> Prepare:
    def prepare(site: Site) -> tuple[str, ...]:
        home = ("--home", str(site.used / "user" / f".{agent}"))
        if words[0] == "uninstall":
            assert site.run(agent, "install", "--yes", *home).code == 0
        return agent, *words, *home

    return prepare


def _changed_skills(site: Site) -> tuple[str, ...]:
    folder = site.project / "skills"
    assert site.run("skills", "lock", str(folder), "--yes").code == 0
    next(folder.rglob("SKILL.md")).write_text("changed\n")
    return "skills", "restore", str(folder)


def _uninstalled(site: Site) -> tuple[str, ...]:
    assert site.run("hermes", "install", "--yes").code == 0
    return "hermes", "uninstall"


ASKING: Mapping[str, Prepare] = {
    "reject": _words("reject", "--state", "ready", "--reason", "No."),
    "defer": _words("defer", "--state", "ready"),
    "adopt": _words("adopt", "--take"),
    "hermes install": _words("hermes", "install"),
    "hermes uninstall": _uninstalled,
    "hermes gate": _words("hermes", "gate", "off"),
    **{
        f"{agent} {verb}": _at(agent, verb)
        for agent in ("claude", "qwen", "gemini", "openclaw")
        for verb in ("install", "uninstall")
    },
    "skills lock": lambda site: ("skills", "lock", str(site.project / "skills")),
    "skills restore": _changed_skills,
    "ledger create": _words("ledger", "create", SERVER),
    "ledger add-host": _words("ledger", "add-host", SERVER, "web-1"),
    "ledger add-operator": _words("ledger", "add-operator", SERVER, "iris"),
    "ledger remove": _words("ledger", "remove", SERVER, "iris"),
    "ledger upgrade": _words("ledger", "upgrade", SERVER),
}
"""Commands that show what they would do, and ask."""
ONLY_SHOWING: Mapping[str, Prepare] = {
    "revert": _words("revert", "--since", "1w"),
    "setup": _words("setup"),
}
"""The same; without a terminal they look, and say how it is done."""
ASKING_IN_A_TERMINAL: Mapping[str, Prepare] = {
    "approve": lambda site: ("approve", site.one("ready")["id"]),
    "undo": _words("undo"),
    "revert": _words("revert", "--since", "1w"),
    "restore": lambda site: ("restore", "memory", site.read("history", "memory")[0]["revision"]),
}
"""Decisions about what is shown: elsewhere a digest says what that was."""
ELSEWHERE = {
    "service install": "needs systemd; asks as `hermes install` does",
    "service uninstall": "needs systemd; asks as `hermes install` does",
    "room": "asks before a model is sent anything: tests/cli/test_room.py",
    "why": "asks before a model is sent anything: tests/cli/test_why_replay.py",
}


def test_whatever_asks_takes_yes_and_nothing_else_does() -> None:
    taking = {
        " ".join(words)
        for words, app in COMMANDS.items()
        if any("--yes" in one.names for one in app.assemble_argument_collection())
    }
    assert taking == {*ASKING, *ONLY_SHOWING, *ELSEWHERE}


def test_yes_means_the_same_everywhere() -> None:
    for app in COMMANDS.values():
        for one in app.assemble_argument_collection():
            if "--yes" in one.names:
                assert one.parameter.help == "Do not ask for confirmation."


@pytest.mark.parametrize("name", ASKING)
def test_where_nobody_can_be_asked_nothing_is_changed_and_yes_is_named(
    site: Site, name: str
) -> None:
    site.restore()
    words = ASKING[name](site)
    before = site.texts()
    ran = site.run(*words)
    assert (ran.code, ran.err.splitlines()[-1].rstrip(".")) == (
        2,
        NOBODY.format(done="changed"),
    ), ran
    ran = site.run(*words, "--json")
    error = json.loads(ran.out)["error"]
    assert (ran.code, error["code"], ran.err) == (2, "usage", "")
    assert error["hint"].startswith("Nothing was changed. Add --yes")
    assert site.texts() == before


@pytest.mark.parametrize("name", [*ASKING, *ASKING_IN_A_TERMINAL])
def test_who_says_no_changes_nothing_and_that_is_no_failure(site: Site, name: str) -> None:
    site.restore()
    words = {**ASKING, **ASKING_IN_A_TERMINAL}[name](site)
    before = site.texts()
    ran = site.run(*words, typed="n", to="terminal")
    assert (ran.code, ran.err) == (0, ""), ran
    said = ("Nothing was changed.", "not decided ")
    assert any(line.startswith(said) for line in ran.out.splitlines()), ran
    assert site.texts() == before


@pytest.mark.parametrize("name", ASKING_IN_A_TERMINAL)
def test_what_was_shown_in_a_terminal_and_agreed_to_is_done(site: Site, name: str) -> None:
    site.restore()
    before = site.texts()
    ran = site.run(*ASKING_IN_A_TERMINAL[name](site), typed="y", to="terminal")
    assert (ran.code, ran.err) == (0, ""), ran
    assert site.texts() != before


@pytest.mark.parametrize("typed", ["n", "y", "\x03", ""])
def test_all_that_is_there_is_accepted_once_it_was_shown_and_agreed_to(
    site: Site, typed: str
) -> None:
    site.restore()
    ran = site.run("adopt", "--take", typed=typed, to="terminal" if typed else "")
    assert "in front of the model" in ran.out and WORDS not in ran.out
    assert ("Accepted " in ran.out) is (typed == "y"), ran
    assert ("adopted" in site.run("log", "--events").out) is (typed == "y")


@pytest.mark.parametrize("name", [*ASKING, *ASKING_IN_A_TERMINAL])
def test_a_signal_at_a_question_changes_nothing(site: Site, name: str) -> None:
    site.restore()
    words = {**ASKING, **ASKING_IN_A_TERMINAL}[name](site)
    before = site.texts()
    ran = site.run(*words, typed="\x03", to="terminal")
    assert (ran.by_signal, ran.code) == (True, 130), ran
    assert ran.err == "reviewdeck: Interrupted. Nothing was changed.\n", ran
    assert site.texts() == before


@pytest.mark.parametrize("name", ONLY_SHOWING)
def test_what_only_shows_without_a_terminal_says_how_it_is_done(site: Site, name: str) -> None:
    site.restore()
    before = site.texts()
    ran = site.run(*ONLY_SHOWING[name](site))
    assert ran.code == 0 and ("--digest" in ran.out or "--yes" in ran.out)
    assert site.texts() == before
    assert WORDS not in ran.out
