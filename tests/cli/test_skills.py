"""`skills lock` and `skills verify`, as a person and a CI run them."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.cli.program import Ran, fingerprint
from tests.homes.skill_tree import write_skills
from tests.operators.signed import CHEAP
from tests.operators.terminals import account, piped, program, typed

from reviewdeck.cli.main import main
from reviewdeck.clock import utc_now
from reviewdeck.homes.skill_folder.contents import LOCK
from reviewdeck.homes.skill_folder.lock import ForeignLock, write_lock
from reviewdeck.ledger.opening import open_ledger
from reviewdeck.operators.ring import Act, RingEntry
from reviewdeck.operators.vault import Vault
from reviewdeck.ports.authority import Process

AS_APPROVED, DIFFERS, UNREADABLE = 0, 3, 4
Run = Callable[..., Ran]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with skills where Claude Code has them, and the work goes on in it."""
    project = tmp_path / "project"
    write_skills(project / ".claude" / "skills")
    monkeypatch.chdir(project)
    return project


@pytest.fixture
def run(project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*tokens: str) -> Ran:
        capsys.readouterr()
        code = main(["skills", *tokens, "--ledger", str(tmp_path / "ledger" / "ledger.db")])
        printed = capsys.readouterr()
        return Ran(code, printed.out, printed.err)

    return run


def skill(ran: Ran, name: str) -> Any:
    (folder,) = ran.json["folders"]
    return next(one for one in folder["skills"] if one["skill"] == name)


def test_what_was_approved_is_as_approved(run: Run, project: Path) -> None:
    assert run("lock", "--yes").code == AS_APPROVED
    ran = run("verify", "--json")
    assert ran.code == AS_APPROVED
    (folder,) = ran.json["folders"]
    assert folder["verdict"] == "as approved"
    assert [one["differences"] for one in folder["skills"]] == [[]] * 21
    pdf = skill(ran, "pdf")
    assert pdf["source"] == "acme/agent-skills (skills-lock.json)"
    assert pdf["approved_by"].endswith("(unsigned)")


def test_nothing_is_approved_without_a_lock(run: Run) -> None:
    ran = run("verify")
    assert ran.code == DIFFERS
    assert "21 not as approved" in ran.out
    assert "unapproved the skill: nobody approved it" in ran.out


def test_the_dangerous_ones_are_shown_first_with_the_words(run: Run) -> None:
    out = run("lock", "--yes").out
    lines = [line for line in out.splitlines() if line[:1] in "!* " and line[2:3] != " "]
    signs = [line[0] for line in lines if "file" in line]
    assert signs == sorted(signs, key="!* ".index)
    assert "! skills/repo-state: 1 file" in out
    assert "    high: Runs a command before the agent reads the skill: !`git status --short`" in out
    assert "  skills/slides: 2 files" in out
    assert "skills/Bad_Name: not a name by the specification" in out
    assert "weekly-report have the same name" in out


def test_a_second_look_approves_only_what_changed_and_keeps_who_approved_the_rest(
    run: Run, project: Path
) -> None:
    run("lock", "--yes")
    lock = project / ".claude/skills/skills.lock"
    value = json.loads(lock.read_text())
    value["skills"]["pdf"]["approved_by"] = "dana (signed)"
    lock.write_text(json.dumps(value))
    (project / ".claude/skills/slides/SKILL.md").write_text("---\nname: slides\n---\nNew.\n")
    shutil.rmtree(project / ".claude/skills/formatter")
    ran = run("lock", "--yes")
    assert "changed    SKILL.md" in ran.out
    assert "skills/formatter: is gone" in ran.out
    ran = run("verify", "--json")
    assert ran.code == AS_APPROVED
    assert skill(ran, "pdf")["approved_by"] == "dana (signed)"
    assert "Nothing to approve" in run("lock", "--yes").out


def test_one_skill_can_be_approved_alone(run: Run) -> None:
    assert run("lock", "--yes", "--skill", "pdf", "--skill", "slides").code == AS_APPROVED
    ran = run("verify", "--json")
    assert ran.code == DIFFERS
    assert skill(ran, "pdf")["differences"] == []
    assert skill(ran, "bundle")["differences"][0]["how"] == "unapproved"
    assert run("lock", "--yes", "--skill", "none").err.startswith("reviewdeck: There is no skill")


def test_one_real_folder_under_several_links_is_one(run: Run, project: Path) -> None:
    (project / ".agents").mkdir()
    (project / ".agents/skills").symlink_to(project / ".claude/skills")
    (project / "skills").symlink_to(".agents/skills")
    assert run("lock", "--yes").code == AS_APPROVED
    assert len(run("verify", "--json").json["folders"]) == 1
    assert len(run("verify", "skills", ".claude/skills", "--json").json["folders"]) == 1


def test_each_file_that_differs_is_named_with_how(run: Run, project: Path) -> None:
    run("lock", "--yes")
    pdf = project / ".claude/skills/pdf"
    (pdf / "forms.md").rename(pdf / "Forms.md")
    (pdf / "scripts/count.py").chmod(0o755)
    (pdf / "new\n\x1b[2J.sh").write_text("x")
    ran = run("verify")
    assert ran.code == DIFFERS
    assert "renamed    Forms.md: was forms.md when it was approved" in ran.out
    assert "mode       scripts/count.py: executable, was not executable" in ran.out
    assert "approved by" in ran.out and "acme/agent-skills" in ran.out
    assert "\x1b" not in ran.out
    refused = run("lock", "--yes")
    assert refused.code == 1
    assert "unprintable name" in refused.err


@pytest.mark.parametrize("make", ["pipe", "sparse", "link"])
def test_what_is_no_file_of_a_skill_is_a_difference_and_cannot_be_approved(
    run: Run, project: Path, make: str
) -> None:
    run("lock", "--yes")
    place = project / ".claude/skills/pdf/x"
    if make == "pipe":
        os.mkfifo(place)
    elif make == "sparse":
        place.touch()
        os.truncate(place, 1 << 40)
    else:
        place.symlink_to("/dev/zero")
    assert run("verify").code == DIFFERS
    refused = run("lock", "--yes")
    assert refused.code == (AS_APPROVED if make == "link" else 1)
    if make == "link":
        assert "leads out of the skill's folder: x: /dev/zero" in refused.out


@pytest.mark.parametrize(
    "break_it",
    [
        lambda root: (root / "skills.lock").write_text("<<<<<<<"),
        lambda root: shutil.rmtree(root),
        lambda root: root.rename(root.with_name("moved")),
    ],
)
def test_what_cannot_be_read_is_not_known(
    run: Run, project: Path, break_it: Callable[[Path], object]
) -> None:
    run("lock", "--yes")
    break_it(project / ".claude/skills")
    ran = run("verify", ".claude/skills")
    assert ran.code == UNREADABLE
    assert "not known" in ran.out
    assert run("verify", ".claude/skills", "--json").json["folders"][0]["verdict"] == "not known"


def test_what_a_killed_approval_left_is_no_file_to_approve(run: Run, project: Path) -> None:
    left = project / ".claude/skills" / f".{LOCK}.new"
    left.write_text("{")
    assert run("verify").code == DIFFERS
    assert run("lock", "--yes").code == 0
    assert not left.exists()
    assert run("verify").code == AS_APPROVED


def test_a_damaged_lock_is_approved_anew(run: Run, project: Path) -> None:
    (project / ".claude/skills/skills.lock").write_text('{"format": "reviewdeck.skills-lock/2",')
    ran = run("lock", "--yes")
    assert "All of it would be approved anew" in ran.out
    assert run("verify").code == AS_APPROVED


def test_a_folder_without_skills_is_named(run: Run, project: Path) -> None:
    shutil.rmtree(project / ".claude")
    ran = run("verify")
    assert (ran.code, "No skills folder found." in ran.err) == (1, True)


def test_to_verify_needs_no_ledger_and_changes_no_byte(
    run: Run, project: Path, tmp_path: Path
) -> None:
    run("lock", "--yes")
    before = fingerprint(project)
    run("verify")
    assert fingerprint(project) == before
    assert not (tmp_path / "ledger").exists()
    assert not (tmp_path / "user").exists()


def test_an_agent_approves_nothing(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = Process(7, "claude", ("claude",))
    monkeypatch.setattr("reviewdeck.environment.process_ancestry", lambda: lambda: (agent,))
    ran = run("lock", "--yes")
    assert (ran.code, ran.out, "an agent does not decide" in ran.err) == (1, "", True)
    assert not (project / ".claude/skills/skills.lock").exists()
    assert run("verify").code == DIFFERS


def test_where_there_is_a_ledger_its_log_says_what_was_approved(
    run: Run, project: Path, tmp_path: Path
) -> None:
    ledger = open_ledger(str(tmp_path / "ledger" / "ledger.db"), now=utc_now)
    try:
        done = run("lock", "--yes", "--json").json
        head = done["folders"][0]["ledger"]
        lock = json.loads((project / ".claude/skills/skills.lock").read_text())
        assert {one["ledger"] for one in lock["skills"].values()} == {head}
        event = next(one for one in ledger.events() if one.sha == head)
    finally:
        ledger.close()
    assert event.name == "skills-approved"
    assert event.home == str(project / ".claude/skills")
    assert isinstance(event.detail["skills"], dict)
    assert event.detail["skills"]["pdf"] == lock["skills"]["pdf"]["digest"]


def test_with_json_nobody_is_asked(run: Run, project: Path) -> None:
    ran = run("lock", "--json")
    assert ran.code == 2
    assert not (project / ".claude/skills/skills.lock").exists()


@pytest.mark.slow  # A program in a terminal.
def test_a_person_is_asked_and_no_is_no(project: Path, tmp_path: Path) -> None:
    env = account(tmp_path / "account")
    words = program("skills", "lock", str(project / ".claude/skills"))
    said = typed(words, [("Do this?", "n")], env)
    assert "Nothing was changed" in said.screen
    assert not (project / ".claude/skills/skills.lock").exists()
    said = typed(words, [("Do this?", "y")], env)
    assert said.code == 0, said.screen
    assert (project / ".claude/skills/skills.lock").exists()
    assert (
        piped(program("skills", "lock", str(project / ".claude/skills")), "", env).returncode == 0
    )
    (project / ".claude/skills/pdf/forms.md").write_text("Other.\n")
    assert piped(words, "", env).returncode == 2  # Nobody to ask.


@pytest.mark.slow  # A program in a terminal.
def test_where_decisions_are_signed_an_approval_is_signed(project: Path, tmp_path: Path) -> None:
    root = tmp_path / "account"
    vault = Vault(root / "data" / "reviewdeck" / "operators", CHEAP)
    signer = vault.make_key("dana", "correct horse battery")
    vault.note(RingEntry(Act.TRUST, "dana", signer.public), signer, datetime.now(UTC))
    env, ledger = account(root), str(tmp_path / "ledger.db")
    home = tmp_path / "home"
    (home / "memories").mkdir(parents=True)
    piped(program("list", "--home", str(home), "--ledger", ledger), "", env)
    words = program("skills", "lock", str(project / ".claude/skills"), "--ledger", ledger)
    said = typed([*words, "--yes"], [("Passphrase", "correct horse battery")], env)
    assert said.code == 0, said.screen
    lock = json.loads((project / ".claude/skills/skills.lock").read_text())
    assert {one["approved_by"] for one in lock["skills"].values()} == {"dana (signed)"}


FOREIGN = {
    "JSON": b'{"lockfileVersion": 1, "skills": {"pdf": {"sha": "1"}}}\n',
    "TOML": b'version = 1\n[[skill]]\nname = "pdf"\n',
    "YAML": b"version: 1\nskills:\n  - name: pdf\n",
    "lines": b"pdf 1.0.0 sha256:0\n",
    "nothing": b"",
    "no text": b"\xff\x00",
    "a list": b"[]",
    "our name inside": b'{"tool": "x", "format": "reviewdeck.skills-lock/2", "skills": {}}',
    "a later one of ours": b'{"format": "reviewdeck.skills-lock/9",\n "skills": {}}',
}


@pytest.mark.parametrize("data", FOREIGN.values(), ids=FOREIGN)
def test_a_lock_of_another_tool_is_named_and_never_overwritten(
    run: Run, project: Path, data: bytes
) -> None:
    place = project / ".claude/skills" / LOCK
    place.write_bytes(data)
    for words in (
        ("lock", "--yes"),
        ("lock", "--yes", "--skill", "pdf"),
        ("lock", "--yes", "--json"),
    ):
        ran = run(*words)
        assert (
            ran.code == 1
            and str(place) in ran.err + ran.out
            and "another tool" in ran.err + ran.out
        )
        assert place.read_bytes() == data
    assert run("verify").code == UNREADABLE
    assert place.read_bytes() == data


def test_a_lock_that_appears_while_a_person_reads_is_not_overwritten(project: Path) -> None:
    root = project / ".claude/skills"
    (root / LOCK).write_bytes(FOREIGN["TOML"])
    with pytest.raises(ForeignLock):
        write_lock(root, {})
    assert (root / LOCK).read_bytes() == FOREIGN["TOML"]


def test_ours_says_whose_it_is_first_and_an_earlier_one_is_renewed_with_a_word(
    run: Run, project: Path
) -> None:
    run("lock", "--yes")
    place = project / ".claude/skills" / LOCK
    assert place.read_bytes().startswith(b'{"format": "reviewdeck.skills-lock/2"')
    earlier = place.read_bytes().replace(b'{"', b'{\n "', 1).replace(b"lock/2", b"lock/1")
    place.write_bytes(earlier)
    assert run("verify").code == AS_APPROVED
    assert "earlier format" in run("lock", "--yes").out
    assert place.read_bytes() == earlier, "there was nothing to approve"
    (project / ".claude/skills/pdf/forms.md").write_text("Another form.\n")
    ran = run("lock", "--yes")
    assert ran.code == AS_APPROVED and "earlier format" in ran.out
    assert place.read_bytes().startswith(b'{"format": "reviewdeck.skills-lock/2"')
    assert run("verify").code == AS_APPROVED
