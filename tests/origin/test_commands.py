"""Which command lines bring in nothing from elsewhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewdeck.origin.commands import LOCAL, fetches

LOCAL_LINES = (
    "ls -la",
    "cat notes.md | head -20",
    "cd src && grep -rn 'def main' . | wc -l",
    "git status && git diff HEAD~1 -- src/app.py",
    "git -C ../other log --oneline -5",
    "git remote -v",
    "find . -name '*.py' -not -path './.venv/*'",
    "find . -name '*.pyc' -exec rm {} +",
    "find . -name '*.pyc' -exec rm {} \\;",
    "sed -n '1,40p' README.md",
    "sed -i 's/tabs/spaces/g' style.md",
    "awk '{print $2}' table.txt | sort | uniq -c",
    "mkdir -p out && cp a.txt out/ && mv b.txt out/c.txt",
    "echo 'hello' > out.txt 2>&1",
    "for f in *.md; do wc -l $f; done",
    "if [ -f a.txt ]; then cat a.txt; fi",
    "/usr/bin/env LC_ALL=C sort names.txt",
    "FOO=bar printenv FOO",
    "python3 --version",
    "node --version && git --version",
    "timeout 5 ls /tmp",
    "find . -type f | xargs grep -l pytest",
    "ruff check . && ruff format .",
    "tar tf archive.tar",
    "jq '.name' package.json",
    "make check",
    "pytest -q tests/x.py",
    "ls\ncat a.txt",
    "(cd sub && ls)",
    "echo $(cat VERSION)",
    "test -d .git || git init",
    "diff <(sort a.txt) <(sort b.txt)",
    "wc -l $(git ls-files)",
    "LC_ALL=C sort names.txt",
    "name=notes; cat $name.md",
    "# a remark; and more\necho 'semi;colon'",
    "tar xzf archive.tgz && tar tf Files.tar",
    "git rebase main",
    "rg --pre-glob '*.md' tabs",
    "less notes.md",
    "export NAME=value",
)
FETCHING_LINES = (
    "",
    "   ",
    "curl https://example.org",
    "curl example.org",
    "wget -q x.example",
    "git clone git@example.org:x/y",
    "git fetch",
    "git pull --rebase",
    "git -c alias.x='!curl a' x",
    "git submodule update",
    "git remote update",
    "ssh host cat file",
    "scp host:file .",
    "rsync -a host:dir .",
    "pip install x",
    "uv pip install x",
    "npm ci",
    "npx thing",
    "cargo build",
    "go get ./...",
    "make",
    "make install",
    "make -C /elsewhere check",
    "python fetch.py",
    "python3 -c 'import urllib'",
    "node x.js",
    "bash script.sh",
    "sh -c 'ls'",
    "./run.sh",
    "source env.sh",
    ". env.sh",
    "sudo ls",
    "docker run x",
    "cat < /dev/tcp/10.0.0.1/80",
    "echo hi | nc host 80",
    "dig example.org txt",
    "ls; curl example.org",
    "ls && curl example.org",
    "ls | xargs curl",
    "ls & curl example.org",
    "ls\ncurl example.org",
    "echo $(curl example.org)",
    "echo `curl example.org`",
    'echo "$(curl example.org)"',
    "echo \"`curl example.org`\"",
    "diff <(curl a.example) b",
    "find . -exec curl {} +",
    "find . -exec sh -c 'x' \\;",
    "fd -x curl",
    "env curl example.org",
    "nohup curl example.org",
    "time curl example.org",
    "if curl a.example; then ls; fi",
    "while curl a.example; do ls; done",
    "for f in a; do curl $f; done",
    "{ curl a.example; }",
    "! curl a.example",
    "X=1 curl a.example",
    "$CMD a",
    "\"cu\"rl a.example",
    "c\\url a.example",
    "awk 'BEGIN { system(\"x\") }'",
    "awk 'BEGIN { \"x\" | getline a }'",
    "sed '1e date' a",
    "sed 's/x/y/e' a",
    "tar xf a --to-command=sh",
    "awk -f - << EOF\nBEGIN { x }\nEOF",
        "cat << EOF\n$(curl x)\nEOF",
    "echo 'unbalanced",
    "cat http://example.org",
    "nobody_knows_it",
    "hermes memory",
    "psql -c 'select 1'",
    "ls \0 -la",
    "tee >(./x) < a.txt",
    "cat <(./x)",
    "sort --compress-program=./x a.txt",
    "sort --compress-prog ./x a.txt",
    "rg --pre ./x tabs",
    "rg --pre=./x tabs",
    "rg --hostname-bin ./x tabs",
    "tar -I ./x -cf a.tar a",
    "tar cf a.tar a --use-compress-program=./x",
    "tar cf a.tar a --checkpoint=1 --checkpoint-action=exec=./x",
    "tar xf host:a.tar",
    "zip -T -TT ./x a.zip a.txt",
    "zip a.zip a.txt --unzip-command=./x",
    "less +'!./x' a.txt",
    "bat --pager=./x a.txt",
    "git grep -O./x tabs",
    "git grep --open-files-in-pager=./x tabs",
    "git diff --ext-diff",
    "git log --textconv",
    "git rebase -x ./x main",
    "git rebase --exec=./x main",
    "git --exec-path=. status",
    "git --config-env=core.pager=X log",
    "PAGER=./x git log",
    "GIT_PAGER=./x git log",
    "GIT_EXTERNAL_DIFF=./x git diff",
    "EDITOR=./x git commit",
    "VISUAL=./x git commit",
    "LESSOPEN='|./x %s' less a.txt",
    "BAT_PAGER=./x bat a.txt",
    "TAR_OPTIONS=-I./x tar cf a.tar a",
    "RIPGREP_CONFIG_PATH=./rc rg tabs",
    "export GIT_PAGER=./x; git log",
    "export PATH=.:$PATH\nls",
    "env GIT_EDITOR=./x git commit",
    "env -S './x a'",
    "env --split-string='./x a'",
    "gawk -l ./x 'BEGIN {}'",
    "patch -e a.txt < a.ed",
    "$'\\x63url' example.org",
    "cat < /dev/t'c'p/10.0.0.1/80",
    "xargs ./x < a.txt",
    "f() { ./x; }; f",
)  # fmt: skip


@pytest.mark.parametrize("line", LOCAL_LINES)
def test_a_command_of_listed_programs_is_local(line: str) -> None:
    assert not fetches(line)


@pytest.mark.parametrize("line", FETCHING_LINES)
def test_every_other_command_may_fetch(line: str) -> None:
    assert fetches(line)


@given(st.sampled_from(LOCAL_LINES), st.sampled_from(["; ", " && ", " | ", "\n", " || ", " & "]))
def test_a_local_command_before_it_hides_no_fetching_one(line: str, joint: str) -> None:
    assert fetches(f"{line}{joint}curl example.org")


@given(st.text(max_size=200))
def test_no_command_line_is_an_error(line: str) -> None:
    assert fetches(line) in (True, False)


def test_no_interpreter_and_no_program_that_speaks_to_others_is_listed() -> None:
    others = "python python3 node ruby perl sh bash zsh curl wget ssh nc pip npm docker vim"
    assert LOCAL.isdisjoint(others.split())
