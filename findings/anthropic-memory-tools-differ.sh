#!/usr/bin/env bash
# anthropic 2.14.0 of PyPI and @anthropic-ai/sdk 1.14.0 of npm have the same memory tool, BetaLocalFilesystemMemoryTool,
# for the same folder, and do not take the same edits. JavaScript looks for `old_str` line by line: a text of two lines
# is answered with "did not appear verbatim", though it does; and one that is twice in one line is replaced in the first
# place, where Python says "Please ensure it is unique", and JavaScript too if the two are in two lines. After an
# insertion Python ends the file with a newline; JavaScript leaves it without one if it had none, and takes a line number
# one above the last, with an empty line before what it inserts. `node_modules` is listed by one and not by the other.
# So a prompt that keeps its memories in order under one of them fails, or changes another word, under the other.
# Guessed: one tool, one behaviour; a text that is in the file as it stands is found.
# Seen: the lines at `expected` below.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work" @anthropic-ai/sdk@1.14.0 >/dev/null 2>&1
python3 -m venv python
python/bin/pip install --quiet --no-compile --disable-pip-version-check anthropic==2.14.0
cat > cases.json <<'JSON'
[
  ["two lines", "- tea\n- milk\n", {"command": "str_replace", "old_str": "- tea\n- milk", "new_str": "- tea\n- oats"}],
  ["twice in a line", "tea and tea\n", {"command": "str_replace", "old_str": "tea", "new_str": "coffee"}],
  ["twice in two lines", "tea\ntea\n", {"command": "str_replace", "old_str": "tea", "new_str": "coffee"}],
  ["after the last", "- tea\n", {"command": "insert", "insert_line": 1, "insert_text": "- milk"}],
  ["one more", "- tea\n", {"command": "insert", "insert_line": 2, "insert_text": "- milk"}],
  ["no newline at the end", "- tea", {"command": "insert", "insert_line": 1, "insert_text": "- milk"}]
]
JSON
cat > memory.py <<'PY'
import json, pathlib
from types import SimpleNamespace
from anthropic.tools import BetaLocalFilesystemMemoryTool
def said(error):
    return next(word for word in ("verbatim", "unique", "Invalid") if word in str(error))
tool = BetaLocalFilesystemMemoryTool("of-python")
file = pathlib.Path("of-python/memories/notes.md")
for name, text, words in json.load(open("cases.json")):
    file.write_text(text)
    try:
        getattr(tool, words["command"])(SimpleNamespace(path="/memories/notes.md", **words))
        print(f"Python, {name}: {json.dumps(file.read_text())}")
    except Exception as error:
        print(f"Python, {name}: refused, {said(error)}")
(file.parent / "node_modules").mkdir()
listed = "node_modules/" in tool.view(SimpleNamespace(path="/memories", view_range=None))
print("Python, node_modules:", "listed" if listed else "not listed")
PY
cat > memory.mjs <<'JS'
import fs from "node:fs";
import { BetaLocalFilesystemMemoryTool } from "@anthropic-ai/sdk/tools/memory/node";
const tool = await BetaLocalFilesystemMemoryTool.init("of-javascript");
const file = "of-javascript/memories/notes.md";
for (const [name, text, words] of JSON.parse(fs.readFileSync("cases.json", "utf8"))) {
  fs.writeFileSync(file, text);
  try {
    await tool[words.command]({ path: "/memories/notes.md", ...words });
    console.log(`JavaScript, ${name}: ${JSON.stringify(fs.readFileSync(file, "utf8"))}`);
  } catch (error) {
    const said = ["verbatim", "unique", "Invalid"].find((word) => error.message.includes(word));
    console.log(`JavaScript, ${name}: refused, ${said}`);
  }
}
fs.mkdirSync("of-javascript/memories/node_modules");
const shown = (await tool.view({ path: "/memories" })).split("\n").slice(1);
const listed = shown.some((line) => line.includes("node_modules"));
console.log("JavaScript, node_modules:", listed ? "listed" : "not listed");
JS
{ python/bin/python memory.py; node memory.mjs; } > seen
cat > expected <<'TXT'
Python, two lines: "- tea\n- oats\n"
Python, twice in a line: refused, unique
Python, twice in two lines: refused, unique
Python, after the last: "- tea\n- milk\n"
Python, one more: refused, Invalid
Python, no newline at the end: "- tea\n- milk\n"
Python, node_modules: listed
JavaScript, two lines: refused, verbatim
JavaScript, twice in a line: "coffee and tea\n"
JavaScript, twice in two lines: refused, unique
JavaScript, after the last: "- tea\n- milk\n"
JavaScript, one more: "- tea\n\n- milk"
JavaScript, no newline at the end: "- tea\n- milk"
JavaScript, node_modules: not listed
TXT
diff expected seen
echo "anthropic 2.14.0, @anthropic-ai/sdk 1.14.0: as it was seen."
