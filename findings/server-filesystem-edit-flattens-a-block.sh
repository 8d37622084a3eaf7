#!/usr/bin/env bash
# @modelcontextprotocol/server-filesystem 2026.8.31: an `edit_file` whose `oldText` is in the file at another indentation is
# applied. Of `newText` each line but the first is then set in by as much as it is set in more than the line at its place in
# `oldText`: not at all, where neither was changed. So a block that a model writes from the margin on comes out flat. Of
# a YAML all keys are now beside `limits`, which has nothing in it and is still valid; a loop has lost its body, and
# the line after it, which stood at the margin, is there still. The answer is no error, but the diff.
# Guessed: what the manual lists, "whitespace normalization with indentation preservation"; or that nothing is found.
# Seen: the lines at `expected` below.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work/npm" @modelcontextprotocol/server-filesystem@2026.8.31 >/dev/null 2>&1
cat > edit.py <<'PY'
import json, pathlib, subprocess
PROGRAM = "npm/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"
FILES = {
    "server.yaml": ("server:\n  limits:\n    cpu: 1\n    disk:\n      size: 5\n",
                    "limits:\n  cpu: 1\n  disk:\n    size: 5", "limits:\n  cpu: 1\n  disk:\n    size: 6"),
    "sums.py": ("class Sum:\n    def of(self):\n        for one in self.all:\n            self.sum += one\n        return self.sum\n",
                "for one in self.all:\n    self.sum += one\nreturn self.sum",
                "for one in self.all:\n    self.sum += abs(one)\nreturn self.sum"),
}
folder = pathlib.Path("files").absolute()
folder.mkdir()
server = subprocess.Popen(["node", PROGRAM, folder], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL)
def send(message):
    server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    server.stdin.flush()
def answer(number, method, params):
    send({"id": number, "method": method, "params": params})
    while True:
        got = json.loads(server.stdout.readline())
        if got.get("id") == number and "method" not in got:
            return got["result"]
about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "any", "version": "1"}}
answer(1, "initialize", about)
send({"method": "notifications/initialized"})
for number, (name, (text, old, new)) in enumerate(FILES.items(), 2):
    file = folder / name
    file.write_text(text)
    edit = {"path": str(file), "edits": [{"oldText": old, "newText": new}]}
    result = answer(number, "tools/call", {"name": "edit_file", "arguments": edit})
    print(f"{name}, {'refused' if result.get('isError') else 'done'}:\n{file.read_text()}", end="")
server.stdin.close()
server.wait()
PY
python3 edit.py > seen
cat > expected <<'TXT'
server.yaml, done:
server:
  limits:
  cpu: 1
  disk:
  size: 6
sums.py, done:
class Sum:
    def of(self):
        for one in self.all:
        self.sum += abs(one)
return self.sum
TXT
diff expected seen
echo "server-filesystem 2026.8.31: as it was seen."
