#!/usr/bin/env bash
# openai-agents 0.24.0 and @openai/agents 0.20.0: `apply_diff` and `applyDiff`, which a program's ApplyPatchEditor calls,
# look for the line after @@ and go on without it where there is none. So a change for `third()`, which somebody has removed
# or renamed since, is made in the first function that has the same lines, and nothing is raised; lines that it only adds
# come to the top of the file. Only of two headers one above the other each has to be there. And a file that is
# created ends without a newline, though each line of the diff has one. Codex 0.171.0, from the same makers and for the
# same format, refuses: "Failed to find context 'def third():'".
# Guessed: a hunk whose place is not in the file is refused, as one is whose context is not.
# Seen: the lines at `expected` below.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work" @openai/agents@0.20.0 @openai/codex@0.171.0 \
    >/dev/null 2>&1 & packages=$!
python3 -m venv python
python/bin/pip install --quiet --no-compile --disable-pip-version-check openai-agents==0.24.0
wait $packages
cat > cases.py <<'PY'
import json, pathlib
FUNCTION = "def {}():\n    prepare()\n    return None\n"
TEXT = FUNCTION.format("first") + "\n" + FUNCTION.format("second")
CHANGE = "     prepare()\n-    return None\n+    return 3\n"
cases = {
    "there": [TEXT, "@@ def second():\n" + CHANGE, "default"],
    "gone": [TEXT, "@@ def third():\n" + CHANGE, "default"],
    "gone, two headers": [TEXT, "@@ class Any:\n@@ def third():\n" + CHANGE, "default"],
    "other context": [TEXT, "@@ def second():\n" + CHANGE.replace("prepare", "clean"), "default"],
    "only adds": [TEXT, "@@ def third():\n+    finish()\n", "default"],
    "created": ["", "+one\n+two\n", "create"],
}
pathlib.Path("cases.json").write_text(json.dumps(cases))
pathlib.Path("text.py").write_text(TEXT)
PY
python3 cases.py
cat > apply.py <<'PY'
import json
from agents import apply_diff
def applied(text, diff, mode):
    try:
        return apply_diff(text, diff, mode)
    except ValueError as error:
        return {"error": str(error).split(" ")[1]}
cases = json.load(open("cases.json"))
print(json.dumps({name: applied(*words) for name, words in cases.items()}))
PY
cat > apply.mjs <<'JS'
import fs from "node:fs";
import { applyDiff } from "@openai/agents";
const applied = (words) => {
  try {
    return applyDiff(...words);
  } catch (error) {
    return { error: error.message.split(" ")[1] };
  }
};
const cases = JSON.parse(fs.readFileSync("cases.json", "utf8"));
console.log(JSON.stringify(Object.fromEntries(Object.entries(cases).map(([name, words]) => [name, applied(words)]))));
JS
cat > shown.py <<'PY'
import json, sys
def shown(result):
    if isinstance(result, dict):
        return f"refused, {result['error']}"
    lines = result.split("\n")
    where = next((number for number, line in enumerate(lines) if "return 3" in line or "finish()" in line), None)
    if where is None:
        return repr(result)
    above = [line for line in lines[:where] if line.startswith("def ")]
    return f"changed in {above[-1]}" if above else f"line {where + 1}"
for name, result in json.load(sys.stdin).items():
    print(f"{sys.argv[1]}, {name}: {shown(result)}")
PY
{
  python/bin/python apply.py | python3 shown.py Python
  node apply.mjs | python3 shown.py JavaScript
  program=$(echo node_modules/@openai/codex-*/vendor/*/bin/codex)
  for function in second third; do
    head=$'*** Begin Patch\n*** Update File: text.py\n@@ def '
    patch="$head$function"$'():\n     prepare()\n-    return None\n+    return 3\n*** End Patch'
    { "$program" --codex-run-as-apply-patch "$patch" 2>&1 || true; } \
      | grep -o "^Success\|Failed to find context 'def third():'" | sed "s/^/Codex, $function: /"
  done
} > seen
cat > expected <<'TXT'
Python, there: changed in def second():
Python, gone: changed in def first():
Python, gone, two headers: refused, Anchor
Python, other context: refused, Context
Python, only adds: line 1
Python, created: 'one\ntwo'
JavaScript, there: changed in def second():
JavaScript, gone: changed in def first():
JavaScript, gone, two headers: refused, Anchor
JavaScript, other context: refused, Context
JavaScript, only adds: line 1
JavaScript, created: 'one\ntwo'
Codex, second: Success
Codex, third: Failed to find context 'def third():'
TXT
diff expected seen
echo "openai-agents 0.24.0, @openai/agents 0.20.0, Codex 0.171.0: as it was seen."
