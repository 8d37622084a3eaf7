#!/usr/bin/env bash
# skills-ref 0.1.1, the reference library of the Agent Skills format: three dashes end a front matter wherever they stand,
# also in the middle of a line. Of `description: Deploys --- never on Fridays` the field is `Deploys`, the fields after it
# are gone, and the body begins with `never on Fridays`. `validate` finds nothing, and `to_prompt` tells the model the
# half; where the name comes after the description it is said to be missing. And YAML with brackets is said to be invalid:
# `allowed-tools: [Read, Write]`, `metadata: {author: ann}`.
# Guessed: a line that is `---` ends a front matter, as everywhere; what is valid YAML is read.
# Seen: the lines at `expected` below.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv python
python/bin/pip install --quiet --no-compile --disable-pip-version-check skills-ref==0.1.1 pyyaml==6.0.3
cat > read.py <<'PY'
import json, pathlib, re
import yaml
from skills_ref import read_properties, to_prompt, validate
from skills_ref.parser import parse_frontmatter
TEXTS = {
    "dashes": "name: dashes\ndescription: Deploys --- never on Fridays\nlicense: MIT",
    "name-last": "description: Deploys --- never on Fridays\nname: name-last",
    "list": "name: list\ndescription: Any\nallowed-tools: [Read, Write]",
    "braces": "name: braces\ndescription: Any\nmetadata: {author: ann}",
    "lines": "name: lines\ndescription: Any\nallowed-tools:\n- Read\n- Write",
}
for name, fields in TEXTS.items():
    folder = pathlib.Path("skills", name)
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(f"---\n{fields}\n---\nBody.\n")
    assert yaml.safe_load(fields)["name"] == name
    errors = validate(folder)
    print(f"{name}: {errors[0].splitlines()[0] if errors else 'valid'}")
properties = read_properties(pathlib.Path("skills/dashes"))
print(f"read: {properties.description!r}, licence {properties.license}")
print("body:", parse_frontmatter(pathlib.Path("skills/dashes/SKILL.md").read_text())[1].splitlines()[0])
print("told:", re.search(r"<description>\s*(.*?)\s*</description>", to_prompt([pathlib.Path("skills/dashes")]))[1])
PY
python/bin/python read.py > seen
cat > expected <<'TXT'
dashes: valid
name-last: Missing required field in frontmatter: name
list: Invalid YAML in frontmatter: While scanning
braces: Invalid YAML in frontmatter: While scanning
lines: valid
read: 'Deploys', licence None
body: never on Fridays
told: Deploys
TXT
diff expected seen
echo "skills-ref 0.1.1: as it was seen."
