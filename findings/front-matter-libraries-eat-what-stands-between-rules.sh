#!/usr/bin/env bash
# python-frontmatter 1.3.0 (PyYAML 6.0.4) and gray-matter 4.0.3: a Markdown note that begins with a rule and has a second
# one further down is read as a front matter and a body, whatever stands between the two. A sentence or a list is YAML
# too, though it has no fields. Python's drops it: neither what is read nor what is written back has the first part.
# JavaScript's takes it for the fields, and writes one for each letter, or for each entry of the list. Neither says
# anything. A note whose first line is a heading, or whose rules are ***, comes back with all its parts.
# Guessed: a front matter that is no mapping is none, and the note is all body; or it is refused, as broken YAML is.
# Seen: the lines at `expected` below.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work" gray-matter@4.0.3 >/dev/null 2>&1
python3 -m venv python
python/bin/pip install --quiet --no-compile --disable-pip-version-check python-frontmatter==1.3.0 pyyaml==6.0.4
cat > notes.json <<'JSON'
{"a sentence": "---\n\nTea.\n\n---\n\nThe lease ends in 2028.\n", "a list": "---\n- tea\n- milk\n---\nBuy both.\n",
 "a heading first": "# Notes\n\n---\n\nTea.\n\n---\n\nThe end.\n", "stars": "***\n\nTea.\n\n***\n\nThe end.\n"}
JSON
cat > notes.py <<'PY'
import json
import frontmatter
for name, text in json.load(open("notes.json")).items():
    post = frontmatter.loads(text)
    print(f"Python, {name}: {json.dumps(post.metadata)} {json.dumps(post.content)}")
    print(f"  written: {json.dumps(frontmatter.dumps(post))}")
PY
cat > notes.js <<'JS'
const matter = require("gray-matter");
for (const [name, text] of Object.entries(JSON.parse(require("fs").readFileSync("notes.json", "utf8")))) {
  const file = matter(text, {});
  console.log(`JavaScript, ${name}: ${JSON.stringify(file.data)} ${JSON.stringify(file.content)}`);
  console.log(`  written: ${JSON.stringify(matter.stringify(file))}`);
}
JS
{ python/bin/python notes.py; node notes.js; } > seen
cat > expected <<'TXT'
Python, a sentence: {} "The lease ends in 2028."
  written: "---\n{}\n---\n\nThe lease ends in 2028."
Python, a list: {} "Buy both."
  written: "---\n{}\n---\n\nBuy both."
Python, a heading first: {} "# Notes\n\n---\n\nTea.\n\n---\n\nThe end."
  written: "---\n{}\n---\n\n# Notes\n\n---\n\nTea.\n\n---\n\nThe end."
Python, stars: {} "***\n\nTea.\n\n***\n\nThe end."
  written: "---\n{}\n---\n\n***\n\nTea.\n\n***\n\nThe end."
JavaScript, a sentence: "Tea." "\nThe lease ends in 2028.\n"
  written: "---\n'0': T\n'1': e\n'2': a\n'3': .\n---\n\nThe lease ends in 2028.\n"
JavaScript, a list: ["tea","milk"] "Buy both.\n"
  written: "---\n'0': tea\n'1': milk\n---\nBuy both.\n"
JavaScript, a heading first: {} "# Notes\n\n---\n\nTea.\n\n---\n\nThe end.\n"
  written: "# Notes\n\n---\n\nTea.\n\n---\n\nThe end.\n"
JavaScript, stars: {} "***\n\nTea.\n\n***\n\nThe end.\n"
  written: "***\n\nTea.\n\n***\n\nThe end.\n"
TXT
diff expected seen
echo "python-frontmatter 1.3.0, gray-matter 4.0.3: as it was seen."
