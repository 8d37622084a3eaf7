"""`read` and `skills check`, through the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.reading import forms

from reviewdeck.cli.main import main


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    root = tmp_path / ".claude" / "skills"
    forms.write(root, {"plain/SKILL.md": forms.skill("plain", "Purpose of it")})
    return root


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    capsys.readouterr()
    code = main([*words])
    return code, capsys.readouterr().out


def test_a_file_is_read_as_the_agent_of_its_folder_and_others_that_differ_are_named(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = b"\xef\xbb\xbf" + forms.front("name: on\ndescription: P\nallowed-tools: Bash(make *)")
    forms.write(root, {"on/SKILL.md": data})
    code, out = printed(capsys, "read", str(root / "on" / "SKILL.md"))
    assert code == 0
    assert out.startswith("Claude Code 2.1.332 lists `on`: P\n  allowed-tools: Bash(make *): lets")
    assert "Codex does not list it: it has no front matter" in out
    assert "Hermes Agent, Hermes Agent 0.22: each lists `True`: P" in out
    assert out.endswith("Body of it.\n\n")


def test_of_an_index_the_part_is_shown_that_is_loaded(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    index = root.parent / "MEMORY.md"
    lines = [f"- [One](one{at}.md)\n" for at in range(201)]
    index.write_text("<!-- not in the prompt -->\n" + "".join(lines), "utf-8")
    code, out = printed(capsys, "read", str(index))
    assert code == 0
    assert "cut: it has 201 lines" in out
    assert "HTML comments are taken out" in out
    assert "one199.md" in out
    assert "one200.md" not in out
    assert "not in the prompt" not in out


def test_an_instruction_says_what_it_imports(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = root.parent / "CLAUDE.md"
    path.write_text("Use @docs/style.md and @more.md\n", "utf-8")
    _, out = printed(capsys, "read", str(path))
    assert "imports docs/style.md, more.md: what exists of these is loaded too" in out


def test_an_index_is_counted_in_utf_16_units(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    index = root.parent / "MEMORY.md"
    index.write_text("\U0001f680" * 12_501, "utf-8")
    _, out = printed(capsys, "read", str(index))
    assert "25,002 UTF-16 units" in out
    assert out.count("\U0001f680") == 12_500


def test_a_skill_that_every_agent_reads_alike_passes(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert printed(capsys, "skills", "check", str(root)) == (0, f"{root}: 0 findings, 0 to fix\n")


def test_a_skill_that_an_agent_refuses_fails_the_check_and_names_the_line(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    forms.write(root, {"bad/SKILL.md": forms.front('name: bad\ndescription: "Open')})
    code, out = printed(capsys, "skills", "check", str(root), "--as", "codex")
    assert code == 1
    assert "skills/bad/SKILL.md:3: high: Codex does not list it" in out
    code, out = printed(capsys, "skills", "check", str(root), "--format", "sarif")
    assert code == 1
    results = json.loads(out)["runs"][0]["results"]
    assert {each["level"] for each in results} >= {"error"}
    assert results[0]["locations"][0]["physicalLocation"]["region"]["startLine"] >= 1


def test_a_finding_is_accepted_with_a_date_and_a_reason_and_not_without(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = forms.skill("tool", "Purpose", "allowed-tools: Bash(*)\n")
    forms.write(root, {"tool/SKILL.md": data})
    assert printed(capsys, "skills", "check", str(root), "--as", "claude")[0] == 1
    waiver = '[[waiver]]\nskill = "tool"\nrule = "executes"\n'
    (root / "skills-waivers.toml").write_text(waiver, "utf-8")
    assert main(["skills", "check", str(root), "--as", "claude"]) == 1
    assert "has no date" in capsys.readouterr().err
    waiver += 'date = 2026-11-28\nreason = "It runs make."\n'
    (root / "skills-waivers.toml").write_text(waiver, "utf-8")
    code, out = printed(capsys, "skills", "check", str(root), "--as", "claude")
    assert code == 0
    assert "accepted on 2026-11-28: It runs make." in out


@pytest.mark.parametrize(
    "waivers", ["waiver = 7", "[[waiver]]\nskill =", f"waiver = {'[' * 9_999}"]
)
def test_waivers_that_cannot_be_read_are_said_so(
    root: Path, capsys: pytest.CaptureFixture[str], waivers: str
) -> None:
    (root / "skills-waivers.toml").write_text(waivers, "utf-8")
    assert main(["skills", "check", str(root), "--as", "claude"]) == 1
    assert "skills-waivers.toml cannot be read" in capsys.readouterr().err


def test_an_unknown_agent_is_a_mistake_in_use(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["skills", "check", str(root), "--as", "nobody"]) == 2
    assert "hermes" in capsys.readouterr().err


def test_a_folder_is_judged_as_the_agents_read_it_that_its_lock_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    root = tmp_path / "skills"
    # Claude Code alone ends a front matter at a fence that is indented.
    text = "---\nname: tidy\ndescription: Tidies up\nallowed-tools: Bash(make *)\n  ---\n\nBody.\n"
    forms.write(root, {"tidy/SKILL.md": text.encode()})
    where = ("--ledger", str(tmp_path / "ledger.db"))

    def findings() -> str:
        main(["skills", "check", str(root)])
        return capsys.readouterr().out

    assert "Lets tools run without asking: Bash(make *)" in findings()
    assert main(["skills", "lock", str(root), "--yes", "--as", "gemini", *where]) == 0
    assert "skills/ is read by Gemini CLI" in capsys.readouterr().out
    assert json.loads((root / "skills.lock").read_text("utf-8"))["agents"] == ["gemini"]
    assert "Lets tools run" not in findings()
    assert main(["skills", "verify", str(root)]) == 0
    assert main(["skills", "lock", str(root), "--yes", "--as", "claude", *where]) == 0
    assert "Lets tools run without asking: Bash(make *)" in findings()
    (root / "skills.lock").write_bytes(
        (root / "skills.lock").read_bytes().replace(b'"claude"', b'"nobody"')
    )
    assert "Gemini CLI" in findings(), "all of them where one is not known"


def test_the_prompt_has_what_is_loaded_with_who_wrote_it_and_whether_it_was_reviewed(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    app = tmp_path / "app"
    (app / ".claude").mkdir(parents=True)
    (app / "CLAUDE.md").write_text("<!-- for people -->\nUse make.\n", "utf-8")
    forms.write(app / ".claude" / "skills", {"plain/SKILL.md": forms.skill("plain", "Purpose")})
    forms.write(app / ".claude" / "skills", {"deep/er/SKILL.md": forms.skill("er", "Not loaded")})
    where = ("--home", str(app), "--ledger", str(tmp_path / "ledger.db"))
    code, out = printed(capsys, "prompt", "--json", *where)
    assert code == 0
    found = json.loads(out)
    parts = {part["path"]: part for part in found["parts"]}
    assert set(parts) == {"CLAUDE.md", ".claude/skills/plain/SKILL.md"}
    assert parts["CLAUDE.md"]["text"] == "Use make."
    assert parts["CLAUDE.md"]["tokens"] == 3
    assert parts[".claude/skills/plain/SKILL.md"]["text"] == "- plain: Purpose"
    assert not any(part["reviewed"] for part in parts.values())
    _, out = printed(capsys, "prompt", *where)
    assert "author unknown, never reviewed" in out
    assert out.endswith("2 never reviewed.\n")


def test_a_diff_says_when_more_changes_for_the_model_than_in_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    app = tmp_path / "app"
    (app / ".claude").mkdir(parents=True)
    text = "Use make.\n\nBuild and test before you deploy anything.\n<!-- the end -->\n"
    (app / "CLAUDE.md").write_text(text, "utf-8")
    where = ("--home", str(app), "--ledger", str(tmp_path / "ledger.db"))
    printed(capsys, "auto", *where)
    (app / "CLAUDE.md").write_text(text.replace("\nBuild", "\n<!--\nBuild"), "utf-8")
    printed(capsys, "auto", *where)
    (item,) = json.loads(printed(capsys, "list", "--json", *where)[1])
    words = "Claude Code: 5 characters changed in the file, 44 in what its model is given."
    _, diff = printed(capsys, "diff", item["id"], *where)
    assert f"# {words}" in diff
    _, shown = printed(capsys, "show", item["id"], *where)
    assert f"reading   {words}" in " ".join(shown.split("\n"))
    _, document = printed(capsys, "diff", item["id"], "--json", *where)
    assert json.loads(document)["documents"][0]["reading"] == [words]


def test_a_front_matter_that_cannot_be_read_is_one_finding(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = "\n".join(f"key{at}: value" for at in range(5_000))
    forms.write(root, {"big/SKILL.md": forms.front(f"name: big\ndescription: P\n{lines}")})
    code, out = printed(capsys, "skills", "check", str(root), "--json")
    assert code == 1
    (finding,) = json.loads(out)["folders"][0]["findings"]
    assert finding["rule"] == "executes"
    assert "cannot be known" in finding["message"]


@pytest.mark.parametrize(
    ("front", "rule"),
    [
        ("".join(f"key{at}: value\n" for at in range(80_000)), "unread"),
        (f"deep: {'{a: ' * 100}1{'}' * 100}\n", "executes"),
        ("x: &a text\ny: [" + ", ".join(["*a"] * 12_000) + "]\n", "executes"),
    ],
    ids=["a megabyte", "nested a hundred deep", "aliases by the thousand"],
)
def test_a_front_matter_beyond_measure_is_one_finding_and_no_crash(
    root: Path, capsys: pytest.CaptureFixture[str], front: str, rule: str
) -> None:
    forms.write(root, {"big/SKILL.md": forms.front(f"name: big\ndescription: P\n{front}")})
    code, out = printed(capsys, "skills", "check", str(root), "--json")
    (finding,) = json.loads(out)["folders"][0]["findings"]
    assert (code, finding["rule"], finding["severity"]) == (1, rule, "high")
    assert printed(capsys, "read", str(root / "big" / "SKILL.md"))[0] == 0


def test_names_that_differ_by_case_or_by_normalisation_alone_are_found(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ("Caf\u00e9", "cafe\u0301", "tool", "TOOL")
    forms.write(root, {f"{name}/SKILL.md": forms.skill(name, "P") for name in names})
    code, out = printed(capsys, "skills", "check", str(root), "--as", "claude", "--json")
    found = [each for each in json.loads(out)["folders"][0]["findings"] if each["line"]]
    twins = [each["skill"] for each in found if "Another skill has this name" in each["message"]]
    assert (code, sorted(twins)) == (1, sorted(names))


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--as", "claude", "--as", "hermes"), "A prompt is one agent's."),
        (("--as", "codex"), "Codex does not read this home."),
    ],
)
def test_a_prompt_is_that_of_one_agent_that_reads_the_home(
    root: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], why: str
) -> None:
    (root.parent / "projects").mkdir()
    where = ("--home", str(root.parent), "--ledger", str(root.parents[1] / "ledger.db"))
    assert main(["prompt", *words, *where]) == 2
    assert why in capsys.readouterr().err
