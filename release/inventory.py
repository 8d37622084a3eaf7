"""What is installed beside reviewdeck: a CycloneDX bill of materials, and the licence of each."""

from __future__ import annotations

import json
import sys
from importlib.metadata import Distribution, distributions
from pathlib import Path

TOOLS = frozenset({"pip", "setuptools", "wheel"})


def licence_of(one: Distribution) -> str:
    """What a package says of its licence: the expression, the field, or the classifiers."""
    about = one.metadata
    classified = [
        line.rpartition(" :: ")[2]
        for line in about.get_all("Classifier", [])
        if line.startswith("License :: ")
    ]
    said = about.get("License-Expression") or " AND ".join(classified) or about.get("License") or ""
    return said.splitlines()[0] if said else "unknown"


def component(one: Distribution) -> dict[str, object]:
    """One package as CycloneDX lists it."""
    name = one.metadata["Name"].lower().replace("_", "-").replace(".", "-")
    return {
        "type": "library",
        "name": name,
        "version": one.version,
        "purl": f"pkg:pypi/{name}@{one.version}",
        "licenses": [{"license": {"name": licence_of(one)}}],
    }


def main(target: Path) -> int:
    """Writes the bill of materials, prints the licences; 1 where one is unknown."""
    found = {str(part["purl"]): part for part in map(component, distributions())}
    parts = [part for _, part in sorted(found.items()) if part["name"] not in TOOLS]
    (ours,) = [part for part in parts if part["name"] == "reviewdeck"]
    others = [part for part in parts if part is not ours]
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {**ours, "type": "application"}},
        "components": others,
    }
    target.write_text(json.dumps(bill, indent=2) + "\n", "utf-8")
    licences = {str(part["purl"]): licence_named(part) for part in others}
    for purl, licence in licences.items():
        sys.stdout.write(f"{purl.removeprefix('pkg:pypi/'):40}{licence}\n")
    return int("unknown" in licences.values())


def licence_named(part: dict[str, object]) -> str:
    """The licence in a component."""
    match part["licenses"]:
        case [{"license": {"name": str(name)}}]:
            return name
    return "unknown"


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
