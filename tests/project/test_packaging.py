"""What is released, and the workflows that release it."""

from __future__ import annotations

import re
import runpy
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
NO_BUILDER = "hatchling, which builds the package, is not installed"
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def names(wanted: list[str]) -> set[str]:
    return {re.split(r"[^A-Za-z0-9._-]", one)[0].lower().replace(".", "-") for one in wanted}


def locked(file: str) -> dict[str, int]:
    """The packages of a lock, each with how many hashes it has."""
    parts = re.split(r"^(?=\w)", (ROOT / file).read_text("utf-8"), flags=re.M)
    return {
        part.split("==")[0].lower().replace(".", "-"): part.count("--hash=sha256:")
        for part in parts
        if part
    }


@pytest.mark.parametrize("file", ["constraints.txt", "constraints-run.txt"])
def test_everything_that_is_installed_is_locked_by_hash(file: str) -> None:
    found = locked(file)
    wanted = names(PROJECT["dependencies"])
    if file == "constraints.txt":
        for extra in PROJECT["optional-dependencies"].values():
            wanted |= names(extra)
    assert wanted - set(found) == set(), "make lock"
    assert [name for name, hashes in found.items() if not hashes] == []
    assert "http" + "s://" not in (ROOT / file).read_text("utf-8")


def test_workflows_install_nothing_that_is_not_locked() -> None:
    steps = [line for path in WORKFLOWS for line in path.read_text("utf-8").splitlines()]
    assert [line for line in steps if "pip install" in line or "npm " in line] == []


def test_both_locks_name_the_same_versions() -> None:
    pins = [
        set(re.findall(r"^([\w.-]+==\S+)", (ROOT / file).read_text("utf-8"), re.M))
        for file in ("constraints-run.txt", "constraints.txt")
    ]
    assert pins[0] <= pins[1]


def test_links_and_pictures_of_the_readme_work_on_the_page_of_a_package() -> None:
    pytest.importorskip("hatchling", reason=NO_BUILDER)
    hook = runpy.run_path(str(ROOT / "hatch_build.py"))
    url = "https://example.org/x/y"
    text = hook["absolute"]((ROOT / "README.md").read_text("utf-8"), url, "v1")
    assert f"]({url}/raw/v1/screenshots/stopped.svg)" in text
    assert f"]({url}/blob/v1/docs/deck.md)" in text
    assert re.findall(r"\]\((?!https?:|#)[^)]*\)", text) == []


def test_the_bill_of_materials_in_the_wheel_lists_what_is_asked_for_and_nothing_else() -> None:
    metadata = pytest.importorskip("hatchling.metadata.core", reason=NO_BUILDER)
    plugins = pytest.importorskip("hatchling.plugin.manager", reason=NO_BUILDER).PluginManager()
    core = metadata.ProjectMetadata(str(ROOT), plugins).core
    bill = runpy.run_path(str(ROOT / "hatch_build.py"))["bill_of"](core)
    assert {part["name"]: part["versionRange"] for part in bill["components"]} == {
        re.split(r"[^\w.-]", line)[0]: "vers:pypi/"
        + re.sub(r"^[\w.-]*", "", line).replace(",", "|")
        for line in (
            one.replace("ruamel.yaml", "ruamel-yaml").partition(";")[0]
            for one in PROJECT["dependencies"]
        )
    }
    assert all(part["isExternal"] for part in bill["components"])


def test_a_workflow_runs_make_with_pinned_actions_and_no_right_that_it_does_not_name() -> None:
    if not WORKFLOWS:
        pytest.skip("a source distribution has no workflows")
    targets = set(re.findall(r"^([a-z-]+(?: [a-z-]+)*):", (ROOT / "Makefile").read_text(), re.M))
    known = {word for line in targets for word in line.split()}
    for path in WORKFLOWS:
        text = path.read_text("utf-8")
        assert re.search(r"^permissions: \{\}$", text, re.M), path.name
        for used in re.findall(r"uses: (.*)", text):
            assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v[\d.]+", used), used
        for words in re.findall(r"run: make (.*)", text):
            asked = re.findall(r"(?<!\S)[a-z-]+(?!\S)", words)
            assert set(asked) - {"contract"} <= known, (path.name, words)
