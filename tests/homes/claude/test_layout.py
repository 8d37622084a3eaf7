"""Which folder is whose, and which of its documents reach the agent when."""

from __future__ import annotations

from pathlib import Path

import pytest

from reviewdeck.homes.claude.agent import layout_of
from reviewdeck.homes.gated.layout import GatedLayout, slug_of
from reviewdeck.model import Allowance, Loading
from reviewdeck.reading.limits import allowances


@pytest.mark.parametrize(
    ("path", "slug"),
    [
        ("/w/proj_a.b", "-w-proj-a-b"),
        ("/w/proj-a_b", "-w-proj-a-b"),
        ("/w/größe", "-w-gr--e"),
        ("/" + "x" * 199, "-" + "x" * 199),
        (
            "/tmp/cf-f/w/" + "/".join(f"d_{n:02d}" + "x" * 40 for n in range(5)),  # noqa: S108
            "-tmp-cf-f-w-" + "".join(f"d-{n:02d}{'x' * 40}-" for n in range(4)) + "d-04xxxx-tg7yip",
        ),
    ],
)
def test_a_directory_has_the_slug_that_claude_code_gives_it(path: str, slug: str) -> None:
    assert slug_of(path) == slug


def made(root: Path, *names: str) -> Path:
    for name in names:
        place = root / name
        if name.endswith("/"):
            place.mkdir(parents=True)
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.touch()
    return root


@pytest.mark.parametrize(
    ("names", "layout"),
    [
        (["projects/-w-app/memory/"], "config"),
        (["projects/anything/", "settings.json"], "config"),
        (["projects/", "README.md"], None),
        (["MEMORY.md", "a.md"], "memory"),
        ([".claude/"], "project"),
        (["CLAUDE.md"], "project"),
        (["CLAUDE.local.md", "projects/"], "project"),
        ([".claude/projects/-w/", ".claude/settings.json"], None),
        (["a.md"], None),
        ([".reviewdeck/claude/is-project"], "project"),
        ([".reviewdeck/claude/is-memory", "a.md"], "memory"),
        ([".reviewdeck/claude/is-config", ".reviewdeck/claude/is-memory"], "config"),
        ([".reviewdeck/claude/is-project", "MEMORY.md", "CLAUDE.md", "projects/"], "project"),
    ],
)
def test_a_folder_is_known_by_the_names_in_it(
    tmp_path: Path, names: list[str], layout: str | None
) -> None:
    assert layout_of(made(tmp_path / "x", *names)) == layout


def test_claude_codes_own_folder_is_known_before_there_is_anything_in_it(tmp_path: Path) -> None:
    assert layout_of(made(tmp_path / ".claude", "x/")) == "config"
    assert layout_of(made(tmp_path / "projects" / "-w-app" / "memory", "x/")) == "memory"
    assert layout_of(tmp_path / "nowhere") is None
    repository = made(tmp_path / "repo", ".git/", ".claude/skills/")
    assert layout_of(repository / ".claude") is None
    assert layout_of(repository) == "project"


CONFIG, PROJECT, MEMORY = (GatedLayout(name) for name in ("config", "project", "memory"))


@pytest.mark.parametrize(
    ("layout", "path", "loading"),
    [
        (CONFIG, "CLAUDE.md", Loading.ALWAYS),
        (CONFIG, "rules/style.md", Loading.ALWAYS),
        (CONFIG, "projects/-w/memory/MEMORY.md", Loading.ALWAYS),
        (CONFIG, "projects/-w/memory/a.md", Loading.ON_DEMAND),
        (CONFIG, "projects/-w/memory/sub/MEMORY.md", Loading.ON_DEMAND),
        (CONFIG, "agent-memory/tester/MEMORY.md", Loading.ALWAYS),
        (CONFIG, "skills/pdf/SKILL.md", Loading.EXECUTES),
        (PROJECT, ".claude/skills/pdf/scripts/run.sh", Loading.EXECUTES),
        (PROJECT, ".claude/agent-memory-local/tester/a.md", Loading.ON_DEMAND),
        (PROJECT, "CLAUDE.local.md", Loading.ALWAYS),
        (MEMORY, "MEMORY.md", Loading.ALWAYS),
        (MEMORY, "sub/a.md", Loading.ON_DEMAND),
    ],
)
def test_a_line_of_an_index_weighs_like_an_instruction_and_a_fact_is_read_on_demand(
    layout: GatedLayout, path: str, loading: Loading
) -> None:
    assert layout.loading(path) is loading


def lines_of(text: str) -> Allowance:
    return allowances(CONFIG.limits("projects/-w/memory/MEMORY.md"), text)[0]


def test_an_index_is_counted_as_claude_code_counts_it() -> None:
    for amount, is_over in ((199, False), (200, False), (201, True)):
        found = lines_of("- a\n" * amount)
        assert (found.used, found.is_over, found.unit) == (amount, is_over, "lines")
    front = "---\nname: index\n---\n<!-- a\nb -->\n"
    assert lines_of(front + "- a\n" * 200).used == 200
    assert lines_of("- a <!-- within a line -->\n").used == 1
    for amount, is_over in ((25_000, False), (25_001, True)):
        limits = CONFIG.limits("projects/-w/memory/MEMORY.md")
        found = allowances(limits, "é" * amount + "\n")[1]
        assert (found.used, found.is_over, found.unit) == (amount, is_over, "UTF-16 units")
    assert CONFIG.limits("projects/-w/memory/a.md") == ()


def test_the_documents_of_a_folder_are_found_and_nothing_else(tmp_path: Path) -> None:
    root = made(
        tmp_path,
        "CLAUDE.md",
        "settings.json",
        "projects/-w/s1.jsonl",
        "projects/-w/memory/MEMORY.md",
        "projects/-w/memory/sub/a.md",
        "projects/-w/memory/.reviewdeck/x.md",
        "projects/-w/memory/a.md/",
        "agent-memory/tester/MEMORY.md",
        "rules/x.md",
        "rules/x.txt",
    )
    assert sorted(CONFIG.texts(root)) == [
        "CLAUDE.md",
        "agent-memory/tester/MEMORY.md",
        "projects/-w/memory/MEMORY.md",
        "projects/-w/memory/sub/a.md",
        "rules/x.md",
    ]
