"""The page of a report in a real browser: attacks in it do nothing, and it can be printed."""

from __future__ import annotations

import base64
import shutil
from pathlib import Path

import pytest
from tests.cli.program import Program
from tests.cli.test_report import MARKUP, hostile
from tests.tui import chromium

__all__ = ["hostile"]

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
SEEN = """[
    document.title.startsWith('What the agent learned'),
    document.scripts.length,
    document.querySelectorAll('img, a[href], iframe, form, base, link, object').length,
    [...document.querySelectorAll('*')].some(e => [...e.attributes].some(a => /^on/.test(a.name))),
    getComputedStyle(document.querySelector('.row')).display,
    document.querySelectorAll('article').length,
    performance.getEntriesByType('resource').length,
].join('|')"""
INJECTED = """(() => {
    const script = document.createElement('script');
    script.textContent = "document.title = 'taken'";
    document.body.append(script);
    const image = document.createElement('img');
    image.src = 'https://evil.example/p.png';
    document.body.append(image);
    return document.title;
})()"""


@pytest.mark.slow  # A browser.
@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
async def test_attacks_are_text_in_a_browser_and_the_page_prints(
    hostile: Program, tmp_path: Path
) -> None:
    assert CHROMIUM is not None
    file = tmp_path / "report.html"
    assert hostile("report", "--output", str(file)).code == 0
    rows = len(file.read_text("utf-8").split("<article")) - 1
    async with chromium.opened(CHROMIUM, tmp_path / "chromium") as page:
        await page.call("Page.navigate", url=file.as_uri())
        await page.until("location.protocol == 'file:' && document.readyState == 'complete'")
        assert await page.evaluate(SEEN) == f"true|0|0|false|grid|{rows}|0"
        text = await page.evaluate("document.body.innerText")
        assert MARKUP.partition(" onerror")[0] in text
        # What a browser would refuse even if something got in.
        assert (await page.evaluate(INJECTED)).startswith("What the agent learned")
        printed = await page.call("Page.printToPDF", preferCSSPageSize=True, printBackground=True)
    pdf = base64.b64decode(printed["data"])
    assert pdf.startswith(b"%PDF-")
    assert b"/URI" not in pdf
    assert len(pdf) > 10_000
