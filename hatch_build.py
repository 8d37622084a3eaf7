"""Where the project lives on the web, in the metadata and in the page that a package index shows.

`REVIEWDECK_URL` names the place, as `https://github.com/OWNER/NAME`; until one is chosen it is a
placeholder. With it, links and pictures of the README are made absolute, so that they work outside
the repository too.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, Final

from hatchling.metadata.plugin.interface import MetadataHookInterface

VARIABLE: Final = "REVIEWDECK_URL"
PLACEHOLDER: Final = "https://example.org/reviewdeck"
_RELATIVE = re.compile(r"(!?)(\[[^\]]*\])\((?!https?:|#|mailto:)([^)\s]+)\)")


class Addresses(MetadataHookInterface):
    """Fills in the fields of the metadata that depend on where the project lives."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Sets the addresses and the README."""
        url = os.environ.get(VARIABLE, "").rstrip("/")
        metadata["urls"] = urls_of(url or PLACEHOLDER)
        readme = (Path(self.root) / "README.md").read_text("utf-8")
        text = absolute(readme, url, f"v{metadata['version']}") if url else readme
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def urls_of(url: str) -> dict[str, str]:
    """What a package index lists beside the project."""
    return {
        "Homepage": url,
        "Documentation": f"{url}/tree/main/docs",
        "Changelog": f"{url}/blob/main/CHANGELOG.md",
        "Issues": f"{url}/issues",
        "Source": url,
    }


def absolute(readme: str, url: str, tag: str) -> str:
    """The README with links to the files of a release, and pictures from there."""

    def there(found: re.Match[str]) -> str:
        mark, words, path = found.groups()
        return f"{mark}{words}({url}/{'raw' if mark else 'blob'}/{tag}/{path})"

    return _RELATIVE.sub(there, readme)
