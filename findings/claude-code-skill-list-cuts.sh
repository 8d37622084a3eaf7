#!/usr/bin/env bash
# @anthropic-ai/claude-code-linux-x64 2.1.332: how long the text about a skill is in the model's list
# depends on where it comes from. A description is cut to 1,536 characters, the last of them "…"; the
# first line of a body, which stands in for a missing description, to 100, the last three "...". The
# name is YAML: `name: 1.0` is listed as 1, and a name with a space or a slash is not shown at all.
# Guessed: 1,024 characters for both, as in the Agent Skills specification, or no cut; names as written.
# Seen: "described 1536 …", "first line 100 ...", "number (1)", "space: its folder's name alone".
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm pack --silent @anthropic-ai/claude-code-linux-x64@2.1.332 >/dev/null
tar -xzf ./*.tgz
cat > model.py <<'PY'
import http.server, pathlib
class Model(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        data = self.rfile.read(int(self.headers["content-length"]))
        pathlib.Path("request.json").write_bytes(data)
        answer = b'{"type":"error","error":{"type":"invalid_request_error","message":"the end"}}'
        self.send_response(400)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)
    def do_GET(self):
        self.send_response(404)
        self.send_header("content-length", "0")
        self.end_headers()
    do_HEAD = do_GET
    def log_message(self, *words):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
pathlib.Path("port").write_text(str(server.server_port))
server.serve_forever()
PY
python3 model.py & model=$!
trap 'kill $model; rm -rf "$work"' EXIT
until [ -s port ]; do :; done
mkdir -p home project
python3 - <<'PY'
import pathlib
forms = {
    "described": f"---\nname: described\ndescription: {'d' * 3000}\n---\n\nBody.\n",
    "undescribed": f"---\nname: undescribed\n---\n\n{'f' * 300}\n",
    "number": "---\nname: 1.0\ndescription: Number\n---\n\nBody.\n",
    "space": "---\nname: two words\ndescription: Space\n---\n\nBody.\n",
}
for name, text in forms.items():
    place = pathlib.Path("home/.claude/skills", name)
    place.mkdir(parents=True)
    (place / "SKILL.md").write_text(text)
PY
(cd project && env -i HOME="$work/home" PATH="$PATH" ANTHROPIC_BASE_URL="http://127.0.0.1:$(cat ../port)" \
    ANTHROPIC_API_KEY=any CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_AUTOUPDATER=1 \
    timeout 120 ../package/claude -p hi --output-format json </dev/null >../out 2>&1 || true)
python3 - <<'PY'
import json
def texts(value):
    if isinstance(value, str):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from texts(each)
lines = [line for text in texts(json.load(open("request.json"))) for line in text.split("\n")]
shown = dict(line[2:].split(": ", 1) for line in lines if line.startswith("- ") and ": " in line)
print("described", len(shown["described"]), shown["described"][-1])
assert shown["described"] == "d" * 1535 + "…"
print("first line", len(shown["undescribed"]), shown["undescribed"][-3:])
assert shown["undescribed"] == "f" * 97 + "..."
assert shown["number (1)"] == "Number"
print("number (1)")
assert shown["space"] == "Space"
print("space: its folder's name alone")
PY
