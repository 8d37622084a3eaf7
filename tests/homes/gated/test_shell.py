"""Which commands are refused, which are looked at, and what is noted of those that went past."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.homes.claude.kit import MEMORY, after, bash, calls, event, make_config, refused

from reviewdeck.agents.claude.gate import CLAUDE
from reviewdeck.agents.gated import gate
from reviewdeck.agents.gated.roots import Root
from reviewdeck.agents.gated.shell import plainly_reads


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / ".claude"))
    return make_config(tmp_path / ".claude")


NAMED = [
    "echo x >> {memory}/MEMORY.md",
    "echo x >> ~/.claude/CLAUDE.md",
    'echo x >> "$HOME/.claude/CLAUDE.md"',
    "echo x >> ${{HOME}}/.claude/CLAUDE.md",
    "echo x > $CLAUDE_CONFIG_DIR/rules/a.md",
    "cd {memory} && echo x > new.md",
    "cd ~/.claude && rm -rf projects",
    "cd {memory}; rm *.md",
    "rm -rf ~/.claude",
    "rm -r {memory}",
    "mv {memory}/a.md /tmp/a.md",
    "cp /tmp/a.md {memory}/a.md",
    "sed -i s/a/b/ {memory}/a.md",
    "sed -n -i 1p {memory}/a.md",
    "bash -c 'echo x > {memory}/a.md'",
    "python3 -c \"open('{memory}/a.md','w')\"",
    "python3 - <<'END'\nopen('{memory}/a.md', 'w').write('x')\nEND",
    "git -C ~/.claude checkout CLAUDE.md",
    "find {memory} -name '*.md' -delete",
    "find {memory} -exec rm {{}} +",
    "sort -o {memory}/a.md {memory}/a.md",
    "cat {memory}/a.md; rm {memory}/a.md",
    "cat {memory}/a.md\nrm {memory}/a.md",
    "cat {memory}/a.md | tee {memory}/b.md",
    "cat {memory}/$(rm {memory}/a.md)",
    "ln -s {memory}/a.md x",
    "dd of={memory}/a.md",
    "jq . ~/.claude/settings.json > ~/.claude/settings.json",
    "rm ~/.claude/{{CLAUDE.md,rules/a.md}}",
    "env -i sh -c 'rm {memory}/a.md'",
    "cat={memory}/a.md; rm $cat",
    "rm {memory}/a'.md'",
    'rm ~/.cl"aud"e/CLAUDE.md',
    "rm ~/.clau\\de/CLAU\\DE.md",
    "rm ~/$'.cl\\x61ude'/CLAUDE.md",
    "rm ~/.cl*/projects/*/memory/a.md",
    "rm -r ~/.?laude",
    "rm ~/.{{claude,other}}/CLAUDE.md",
    "name=.claude; rm ~/$name/CLAUDE.md",
    "cat {memory}/a.md | xargs ./x",
    "nice cat {memory}/a.md",
    "GIT_PAGER=./x git diff ~/.claude/CLAUDE.md",
    "git -c core.pager=./x diff ~/.claude/CLAUDE.md",
    "git --paginate diff ~/.claude/CLAUDE.md",
    "git grep -O./x tabs ~/.claude/CLAUDE.md",
    "git commit ~/.claude/CLAUDE.md",
    "git push ext::./x ~/.claude/CLAUDE.md",
    "less ~/.claude/CLAUDE.md",
    "alias cat=./x; cat ~/.claude/CLAUDE.md",
    "eval 'cat ~/.claude/CLAUDE.md'",
    "cat <<END > ~/.claude/CLAUDE.md\nx\nEND",
    "cat <<'END'\nx\\\nEND\nrm ~/.claude/CLAUDE.md\nEND",
    "patch -uo$HOME/.claude/CLAUDE.md x",
    "A=.cla B=ude; rm -r ~/$A$B",
    "bash -c 'rm ~/.cl*/CLAUDE.md'",
    "cat ~/.claude/CLAUDE.md <(./x)",
    "sort $OPTIONS ~/.claude/CLAUDE.md",
]


@pytest.mark.parametrize("command", NAMED)
def test_a_command_that_names_something_governed_and_may_write_is_refused(
    config: Path, command: str
) -> None:
    reason = refused(config, bash(command.format(memory=config / MEMORY)))
    assert "Use Write or Edit" in reason


READING = [
    "cat {memory}/MEMORY.md",
    "cat {memory}/*.md 2>/dev/null | head -20",
    "ls -la ~/.claude/projects/ && grep -rin redis ~/.claude/projects --include='*.md'",
    "cd {memory} && ls -l && wc -l *.md 2>&1",
    "sed -n '1,20p' {memory}/a.md",
    "find {memory} -name '*.md' -newer {memory}/a.md",
    "git diff -- ~/.claude/CLAUDE.md",
    "git commit -m 'Update CLAUDE.md'",
    "sort {memory}/a.md < {memory}/MEMORY.md",
    "test -f ~/.claude/CLAUDE.md && echo there || echo missing",
    "[ -f ~/.claude/CLAUDE.md ] && wc -l < ~/.claude/CLAUDE.md",
    "# What is there?\nls -la {memory}",
    "wc -l $(ls {memory}/*.md)",
    "diff -u {memory}/a.md <(sort {memory}/MEMORY.md)",
    "LC_ALL=C sort -u {memory}/a.md",
    "rg -n --hidden tabs {memory}",
    "find ~/.claude \\( -name '*.md' -o -name '*.json' \\) -size +1k -mtime -3 -print",
    "find $HOME/.claude -maxdepth 2",
    "git -C ~/.claude log --oneline -5 --stat --format='%h %s' -- CLAUDE.md",
    "git add CLAUDE.md && git commit -qm 'Update CLAUDE.md' && git push -u origin main",
    "git show HEAD:CLAUDE.md",
    "git blame -L 1,20 ~/.claude/CLAUDE.md",
    "git log --author dana --since '2 weeks ago' -L 1,5:CLAUDE.md",
    "git commit -m \"$(cat <<'END'\nUpdate ~/.claude/CLAUDE.md\nEND\n)\"",
    "rg -nC3 tabs --no-messages {memory}",
    "diff -yW200 --strip-trailing-cr {memory}/a.md x",
    "find {memory} -name '*.md' -perm -u+r -exec grep -n tabs {{}} +",
    "find {memory} -name '*.md' | xargs -n 1 head",
    'for f in {memory}/*.md; do echo; head -5 "$f"; done',
    "if [ -f {memory}/a.md ]; then cat {memory}/a.md; fi",
    "time wc -l {memory}/a.md",
    "sed -n '/^## A/,/^## B/p;5q' {memory}/a.md",
    'file={memory}/a.md; wc -l "$file" >&2',
    "printf '%s\\n' \"$HOME/.claude\"",
]


@pytest.mark.parametrize("command", READING)
def test_a_command_that_plainly_reads_goes_on(config: Path, command: str) -> None:
    assert refused(config, bash(command.format(memory=config / MEMORY))) == ""


@pytest.mark.parametrize(
    "command",
    [
        "psql -c 'select * from users'",
        "python3 -c 'print(2 * 3, 2 ** 3)'",
        "expr 2 \\* 3",
        "npm test -- --grep '*'",
        "awk '{ s += $1 * 2 } END { print s }' data.txt",
    ],
)
def test_an_asterisk_in_quotes_is_no_pattern(tmp_path: Path, command: str) -> None:
    project = tmp_path / "repo"
    project.mkdir()
    (project / "CLAUDE.md").write_text("Be brief.\n")
    root = Root("project", str(project))
    call = bash(command, cwd=str(project))
    assert gate.before_other(call, [root], CLAUDE) == ""
    assert gate.before_other(bash("rm *", cwd=str(project)), [root], CLAUDE)


def test_a_wide_pattern_lists_only_folders_of_documents(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed: list[str] = []

    def listdir(place: str) -> list[str]:
        listed.append(place)
        return []

    monkeypatch.setattr(os, "listdir", listdir)
    assert [*Root("config", str(config)).matches("/*/*/*/*/*/*/*/x?")] == []
    assert all(place.startswith(str(config)) for place in listed)


@pytest.mark.parametrize(
    "command",
    ["make", "python -m pytest -q", "git checkout main", "echo x > notes.md", "rm -r build"],
)
def test_a_command_about_something_else_goes_on(config: Path, command: str) -> None:
    assert refused(config, bash(command, cwd=str(config.parent))) == ""


def test_in_a_repository_its_own_documents_are_meant(tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    for command in (
        "echo x >> CLAUDE.md",
        "cd .claude && touch rules/a.md",
        "rm -r .claude/skills",
    ):
        told = bash(command, cwd=str(tmp_path))
        assert "Use Write" in refused(tmp_path, told, "project"), command
    elsewhere = bash(f"cd {tmp_path} && echo x >> CLAUDE.md")
    assert "Use Write" in refused(tmp_path, elsewhere, "project")
    for command in ("ls .", f"cd {tmp_path} && make", "git add -A ."):
        assert refused(tmp_path, bash(command, cwd=str(tmp_path)), "project") == ""


@pytest.mark.parametrize(
    "command",
    [
        "cat a > b",
        "cat a >> b",
        "cat a &> b",
        "cat a >| b",
        "cat `rm a`",
        "cat <(rm a)",
        "./cat a",
        "X=1 cat a",
        "cat 'a",
        "for PATH in *; do cat $f; done",
        "for path in *; do cat $f; done",
        "for f in *; do rm $f; done",
        "cat a # \nrm a",
        "git log --output=a",
        "rg --pre ./x a",
        "xargs rm",
        "sed -n '1w a' b",
        "sed -n 'p;w b' a",
        "sed -n '/[/]p;/w b' a",
        "sed -n 1p -e 'w b' a",
        "sed -n $p a",
        "diff -ul a b",
        "diff --paginate a b",
        "find a -fprintf b x",
        "find a -okdir x ;",
        "find * -name a",
        "sort -To a",
        "sort --compress-prog=x a",
        "test -v 'a[0]'",
        "printf -v a x",
        "git log --format=%G? a",
        "git commit -c HEAD a",
        "git add -e a",
        "git diff --no-index --output=b a c",
        "rg -z x a",
        "rg --hostname-bin=x a",
        "env cat a",
        "time -o b cat a",
        "git grep -nOb c a",
        "git grep -LOb c a",
        "git commit -m $(b) a",
        "git commit --fixup=amend:HEAD a",
        "git push --signed",
        "E=';'; find a -exec cat {} $E -delete",
        "find a -exec cat {} ';' -delete",
        "find a | xargs rm",
        "cat <<'END' | sh\na\nEND",
        "cat <<END\n$(a)\nEND",
        "PATH=a; cat b",
        "read PATH",
        "command cat a",
        "cat() { x; }; cat a",
        "{ cat a; }",
        "c{a,x}t a",
        "$x a",
        "cat a <> b",
        "cat a >& b",
        "cat a > $x",
        "cat ${a:=b}",
        "cat ${a@P}",
        "cat $[a]",
        "echo $((a[0]))",
        "PATH=. cat a",
        "> a",
    ],
)
def test_what_does_not_plainly_read(command: str) -> None:
    assert not plainly_reads(command)


def test_what_a_command_changed_is_noted_with_every_kind_of_change(config: Path) -> None:
    told = bash("sh tidy.sh", run_in_background=False)
    assert refused(config, told) == ""
    (config / MEMORY / "a.md").unlink()
    (config / MEMORY / "MEMORY.md").write_text("- other\n")
    (config / MEMORY / "new.md").write_text("new\n")
    gate.answer_to(after(told), [Root("config", str(config))], CLAUDE)
    (noted,) = calls(config)
    kinds = {
        change["document"].rpartition("/")[2]: (
            change["before"] == "absent",
            change["after"] == "absent",
        )
        for change in noted["changes"]
    }
    assert kinds == {
        "a.md": (False, True),
        "MEMORY.md": (False, False),
        "new.md": (True, False),
    }
    assert list((config / ".reviewdeck" / "claude" / "open").iterdir()) == []


def test_a_touch_is_no_change_and_the_same_size_in_the_same_place_is_one(config: Path) -> None:
    told = bash("sh tidy.sh")
    refused(config, told)
    (config / MEMORY / "a.md").touch()
    gate.answer_to(after(told), [Root("config", str(config))], CLAUDE)
    assert calls(config) == []
    refused(config, told)
    (config / MEMORY / "a.md").write_text("A tale.\n")
    gate.answer_to(after(told), [Root("config", str(config))], CLAUDE)
    assert len(calls(config)) == 1


def test_a_command_that_puts_the_time_of_a_file_back_is_noted_all_the_same(config: Path) -> None:
    told, fact = bash("sh tidy.sh"), config / MEMORY / "a.md"
    was = fact.stat()
    refused(config, told)
    with fact.open("r+b") as file:
        file.write(b"A tale.\n")
    os.utime(fact, ns=(was.st_atime_ns, was.st_mtime_ns))
    gate.answer_to(after(told), [Root("config", str(config))], CLAUDE)
    assert [change["document"] for change in calls(config)[0]["changes"]] == [f"{MEMORY}/a.md"]


def test_a_command_in_the_background_is_noted_even_where_nothing_changed_yet(config: Path) -> None:
    told = event("Bash", {"command": "sh slow.sh", "run_in_background": True})
    refused(config, told)
    gate.answer_to(after(told), [Root("config", str(config))], CLAUDE)
    (noted,) = calls(config)
    assert (noted["background"], noted["changes"]) == (True, [])


def test_a_call_of_an_mcp_server_is_looked_at_and_its_id_is_no_path(config: Path) -> None:
    told = event("mcp__notes__save", {"text": "x"}, id="../../../../escaped")
    assert refused(config, told) == ""
    (config / MEMORY / "a.md").write_text("changed\n")
    gate.answer_to(after(told), [Root("config", str(config))], CLAUDE)
    assert len(calls(config)) == 1
    assert [path for path in config.parent.rglob("*escaped*")] == []


def test_a_long_command_is_cut(config: Path) -> None:
    told = bash("true " + "x" * 10_000)
    refused(config, told)
    (config / MEMORY / "a.md").write_text("changed\n")
    gate.answer_to(after(told), [Root("config", str(config))], CLAUDE)
    assert len(calls(config)[0]["command"]) == 4_000


def test_a_command_in_a_skills_text_is_held_to_the_same_rules(config: Path) -> None:
    def asked(command: str) -> dict[str, str]:
        told = bash(command, hook_event_name="PreSkillShellCommand", command_name="look")
        return gate.answer_to(told, [Root("config", str(config))], CLAUDE)

    assert asked("cat ~/.claude/CLAUDE.md") == {}
    answer = asked("rm ~/.claude/CLAUDE.md")
    assert answer["hookEventName"] == "PreSkillShellCommand"
    assert answer["permissionDecision"] == "deny"
