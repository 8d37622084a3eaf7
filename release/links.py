"""Whether every link of the built site leads to a page that is there, and to a place on it."""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The places that a page has, and where it leads."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = {""}
        self.links: list[str] = []
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Takes in one tag."""
        for name, value in attrs:
            if name == "id" and value:
                self.ids.add(value)
            if value and (tag, name) in {("a", "href"), ("img", "src")}:
                self.links.append(value)


def broken(site: Path) -> list[str]:
    """The links that lead nowhere, each with its page."""
    pages = {path.resolve(): Page(path) for path in site.rglob("*.html") if path.name != "404.html"}
    wrong = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or link.startswith("/"):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            there = pages.get(target)
            if not target.is_file() or (there and unquote(parts.fragment) not in there.ids):
                wrong.append(f"{path.relative_to(site.resolve())}: {link}")
    return wrong


def main(site: Path) -> int:
    """Prints what is broken; 1 where anything is."""
    wrong = broken(site)
    for line in wrong:
        sys.stdout.write(line + "\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
