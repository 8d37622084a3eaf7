"""The page about how agents read is what the table says."""

from __future__ import annotations

from release.readers_page import PAGE, page


def test_the_page_is_generated_from_the_table() -> None:
    assert PAGE.read_text("utf-8") == page(), "python -m release.readers_page"
