#!/usr/bin/env bash
# opencode-ai 1.18.33: a SKILL.md whose front matter is never closed is listed if all that follows is
# headings. gray-matter takes the rest of the file for the front matter, and to YAML a Markdown heading
# is a comment. One line of ordinary text below the heading, and the skill is gone, without a word.
# Guessed: a front matter without an end is none, so neither is listed; or both are, with an error.
# Seen: "headings: listed", "text: not listed".
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work/npm" opencode-ai@1.18.33 >/dev/null 2>&1
cat > model.py <<'PY'
import http.server, pathlib
class Model(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        data = self.rfile.read(int(self.headers["content-length"]))
        with open("requests", "ab") as file:
            file.write(data + b"\n")
        answer = b'{"error":{"message":"the end","type":"invalid_request_error","code":400}}'
        self.send_response(400)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)
    def log_message(self, *words):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
pathlib.Path("port").write_text(str(server.server_port))
server.serve_forever()
PY
python3 model.py & model=$!
trap 'kill $model; rm -rf "$work"' EXIT
until [ -s port ]; do :; done
mkdir -p home/.config/opencode/skills/{headings,text,usual} project
cat > home/.config/opencode/opencode.json <<JSON
{"provider": {"here": {"npm": "@ai-sdk/openai-compatible", "models": {"any": {}},
 "options": {"baseURL": "http://127.0.0.1:$(cat port)/v1", "apiKey": "any"}}}, "model": "here/any"}
JSON
skills=home/.config/opencode/skills
printf -- '---\nname: usual\ndescription: Usual one\n---\n\nText.\n' > $skills/usual/SKILL.md
printf -- '---\nname: headings\ndescription: Only headings\n\n# First\n\n## Second\n' > $skills/headings/SKILL.md
printf -- '---\nname: text\ndescription: Headings and text\n\n# First\n\nText.\n' > $skills/text/SKILL.md
(cd project && git init -q . && HOME="$work/home" OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_DISABLE_MODELS_FETCH=1 \
    timeout 120 "$work/npm/node_modules/.bin/opencode" run hi </dev/null >../out 2>&1 || true)
grep -q '<name>usual</name>' requests
grep -q '<name>headings</name>' requests && echo "headings: listed"
! grep -q '<name>text</name>' requests && echo "text: not listed"
