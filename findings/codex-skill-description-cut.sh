#!/usr/bin/env bash
# @openai/codex 0.171.0: a skill whose description has more than 1,024 characters is neither refused nor
# shown whole. The model's list has its first 1,021 characters and "...", 1,024 in all. A name of more
# than 64 characters is refused, with an error.
# Guessed: both limits are limits of the Agent Skills specification, so both are errors (as they were in
# earlier versions of the program); or the description is cut to 1,024 characters and then marked.
# Seen: "listed 1024 ...", "long name: exceeds maximum length of 64 characters".
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work/npm" @openai/codex@0.171.0 >/dev/null 2>&1
cat > model.py <<'PY'
import http.server, pathlib
class Model(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        data = self.rfile.read(int(self.headers["content-length"]))
        pathlib.Path("request.json").write_bytes(data)
        answer = b'{"error":{"message":"the end","type":"invalid_request_error","code":400}}'
        self.send_response(400)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)
    def log_message(self, *words):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Model)
pathlib.Path("port").write_text(str(server.server_port))
server.serve_forever()
PY
python3 model.py & model=$!
trap 'kill $model; rm -rf "$work"' EXIT
until [ -s port ]; do :; done
mkdir -p home/.codex home/.agents/skills/{long,name} project
cat > home/.codex/config.toml <<TOML
model = "any"
model_provider = "here"
[model_providers.here]
name = "here"
base_url = "http://127.0.0.1:$(cat port)/v1"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
TOML
python3 - <<'PY'
long = "d" * 1025
name = "n" * 65
open("home/.agents/skills/long/SKILL.md", "w").write(f"---\nname: long\ndescription: {long}\n---\n\nBody.\n")
open("home/.agents/skills/name/SKILL.md", "w").write(f"---\nname: {name}\ndescription: Fine\n---\n\nBody.\n")
PY
(cd project && HOME="$work/home" "$work/npm/node_modules/.bin/codex" exec --skip-git-repo-check hi </dev/null >../out 2>&1 || true)
python3 - <<'PY'
import json, re
shown = re.search(r"- long: (.*?) \(file: ", json.dumps(json.load(open("request.json"))))[1]
print("listed", len(shown), shown[-3:])
assert shown == "d" * 1021 + "..."
said = open("out").read()
assert "invalid name: exceeds maximum length of 64 characters" in said
print("long name: exceeds maximum length of 64 characters")
PY
