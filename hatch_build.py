"""What pyproject.toml cannot say: where the project lives, and what the wheel is made of.

`REVIEWDECK_URL` names the place, as `https://github.com/OWNER/NAME`; until one is chosen it is a
placeholder. With it, links and pictures of the README are made absolute, so that they work outside
the repository too.

The wheel holds nothing that others wrote, and says so (PEP 770): its bill of materials lists what
it asks for as external, each with the range of versions. Which versions a release was tried with
is in the bill beside it, `make inventory`.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface
from packaging.requirements import Requirement

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


class Bill(BuildHookInterface):
    """Puts the bill of materials into `.dist-info/sboms/`."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Writes it for the builder to take."""
        core = self.metadata.core
        self._folder = TemporaryDirectory()
        path = Path(self._folder.name) / f"{core.name}.cdx.json"
        path.write_text(json.dumps(bill_of(core), indent=1) + "\n", "utf-8")
        build_data["sbom_files"].append(str(path))

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Takes it away again."""
        self._folder.cleanup()


def bill_of(core: Any) -> dict[str, Any]:
    """CycloneDX 1.7, from the metadata alone: the same bytes each time."""
    ours = f"pkg:pypi/{core.name}@{core.version}"
    needed = [_external(Requirement(line)) for line in core.dependencies]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.7",
        "version": 1,
        "metadata": {
            "lifecycles": [{"phase": "build"}],
            "component": {
                "type": "application",
                "bom-ref": ours,
                "name": core.name,
                "version": core.version,
                "licenses": [{"license": {"id": core.license_expression}}],
                "purl": ours,
            },
        },
        "components": needed,
        "dependencies": [{"ref": ours, "dependsOn": [part["bom-ref"] for part in needed]}],
    }


def _external(wanted: Requirement) -> dict[str, Any]:
    """A package that an installer brings, in a version of its choice."""
    bounds = sorted(wanted.specifier, key=lambda bound: bound.operator, reverse=True)
    purl = f"pkg:pypi/{wanted.name}"
    return {
        "type": "library",
        "bom-ref": purl,
        "name": wanted.name,
        "versionRange": "vers:pypi/" + "|".join(f"{one.operator}{one.version}" for one in bounds),
        "isExternal": True,
        "purl": purl,
    }


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
