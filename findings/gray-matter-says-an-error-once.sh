#!/usr/bin/env bash
# gray-matter 4.0.3: a front matter that YAML cannot read raises an error the first time, and is fine from the second
# time on: no fields, and the whole file, fences and all, as its body. The result is in a cache before its front matter
# is parsed, and the cache knows nothing of the error. So a server that has reported a broken SKILL.md takes it for a
# note without fields when it looks again. The cache also gives the same `data` for the same text: what one caller adds
# to it, every later one reads, also of another file. An options object, even an empty one, goes past the cache: then
# each call raises, and each result is its own.
# Guessed: the same text gives the same answer each time, whatever was done with the answer before.
# Seen: the lines at `expected` below.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work" gray-matter@4.0.3 >/dev/null 2>&1
cat > twice.js <<'JS'
const matter = require("gray-matter");
const broken = "---\nname: deploy: how to\n---\nBody.\n";
const fine = "---\nname: notes\n---\nBody.\n";
function answer(text, ...options) {
  try {
    const file = matter(text, ...options);
    return JSON.stringify({ data: file.data, content: file.content });
  } catch (error) {
    return error.name;
  }
}
console.log("broken, first:", answer(broken));
console.log("broken, again:", answer(broken));
console.log("broken, with {}:", answer(broken, {}), answer(broken, {}));
const first = matter(fine);
first.data.path = "first.md";
console.log("another file of that text:", JSON.stringify(matter(fine).data));
console.log("another, with {}:", JSON.stringify(matter(fine, {}).data));
JS
node twice.js > seen
cat > expected <<'TXT'
broken, first: YAMLException
broken, again: {"data":{},"content":"---\nname: deploy: how to\n---\nBody.\n"}
broken, with {}: YAMLException YAMLException
another file of that text: {"name":"notes","path":"first.md"}
another, with {}: {"name":"notes"}
TXT
diff expected seen
echo "gray-matter 4.0.3: as it was seen."
