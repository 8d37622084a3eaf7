"""What holds of the pages as pages: their links, their place on the site, and their length."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.rglob("*.md"), *ROOT.glob("*.md")])
USERS = sorted(DOCS.glob("*.md"))
FENCED = re.compile(r"^(`{3,})[^\n]*\n.*?^\1$", re.M | re.S)
LINK = re.compile(r"\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]*))?\)")


@cache
def anchors(page: Path) -> frozenset[str]:
    """The places of a page that a link can name, as the site and code hosts name them."""
    headings = re.findall(r"^#+ (.*)$", FENCED.sub("", page.read_text("utf-8")), re.M)
    return frozenset(_anchor(heading) for heading in headings)


def _anchor(heading: str) -> str:
    text = unicodedata.normalize("NFKD", heading).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", text).strip())


def links(page: Path) -> Iterator[tuple[str, str]]:
    """Each link to a file of the repository: the path and the place on it."""
    text = re.sub(r"`+[^`]*`+", "", FENCED.sub("", page.read_text("utf-8")))
    yield from ((unquote(path), place) for path, place in LINK.findall(text))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_to_a_file_and_a_heading_that_exist(page: Path) -> None:
    wrong = []
    for path, place in links(page):
        target = (page.parent / path).resolve() if path else page
        if not target.exists() and _is_left_out_of_a_source_distribution(target):
            continue
        if not target.exists() or (place and place not in anchors(target)):
            wrong.append(f"{path}#{place}")
        elif target.suffix == ".md" and page.is_relative_to(DOCS) != target.is_relative_to(DOCS):
            # The site is docs/ alone; from outside, any page may be linked.
            wrong += [f"{path}: no page of the site"] if page.is_relative_to(DOCS) else []
    assert wrong == []


def _is_left_out_of_a_source_distribution(target: Path) -> bool:
    return not (ROOT / target.relative_to(ROOT).parts[0]).exists()


def test_every_page_has_one_place_in_the_navigation_of_the_site() -> None:
    settings = ROOT / "zensical.toml"
    if not settings.exists():
        pytest.skip("a source distribution does not build the site")
    nav = tomllib.loads(settings.read_text("utf-8"))["project"]["nav"]
    named = [
        page
        for part in nav
        for entries in part.values()
        for one in entries
        for page in one.values()
    ]
    assert sorted(named) == sorted(str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md"))


def test_each_finding_is_listed_with_what_was_guessed_and_what_is_true_on_the_site_too() -> None:
    folder = ROOT / "findings"
    if not folder.exists():
        pytest.skip("a source distribution has no findings")
    rows = re.findall(r"^\|.*$", (folder / "README.md").read_text("utf-8"), re.M)
    cells = [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows[2:]]
    assert sorted(name.strip("`") for name, *_ in cells) == sorted(
        path.name for path in folder.glob("*.sh")
    )
    assert [row for row in cells if len(row) != 3 or not all(row)] == []
    assert rows == re.findall(r"^\|.*$", (DOCS / "internals/findings.md").read_text("utf-8"), re.M)


def test_what_a_user_is_to_read_stays_short() -> None:
    """Details stand under internals: people read a page to its end, or not at all.

    The page on teams is for those who share a ledger, beside what everybody reads.
    """
    words = {page.name: len(page.read_text("utf-8").split()) for page in USERS}
    assert words.pop("team.md") <= 1_000
    assert sum(words.values()) <= 14_000, words
    assert max(words.values()) <= 2_200, words


def test_the_first_page_of_the_repository_fits_on_two_screens() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 100


@pytest.mark.parametrize("name", ["policy.md", "security.md"])
def test_each_promise_of_a_page_leads_to_what_tries_it(name: str) -> None:
    rows = re.findall(
        r"^\| promise .*\n\| --- .*\n((?:\|.*\n)+)", (DOCS / name).read_text("utf-8"), re.M
    )
    promises = "".join(rows).splitlines()
    assert len(promises) >= 5
    assert [row for row in promises if "](../tests/" not in row] == []
