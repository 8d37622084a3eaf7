#!/usr/bin/env bash
# openclaw 2026.9.6: its book of what its tools wrote calls a memory "agent" only while nothing else
# ever touched it. One line appended by hand or by a shell, and every later write of the agent's own
# tools to that file is "untrusted" for good, also a `write` that replaces the whole text.
# Guessed: a file that the agent writes whole is the agent's again.
# Seen: "agent" after the first write; "untrusted" after an append and two whole writes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund node@24 >/dev/null
export PATH="$work/node_modules/.bin:$PATH" NO_COLOR=1
npm install --silent --no-audit --no-fund openclaw@2026.9.6 >/dev/null
mkdir home
export HOME="$work/home"
cat > model.py <<'PY'
import http.server, json, pathlib
WRITE = lambda text: ("write", {"path": "MEMORY.md", "content": text})
NOTE = lambda text: ("write", {"path": "memory/first.md", "content": text})
CALLS = [NOTE("- one\n"), WRITE("- one\n"), ("exec", {"command": "echo '- by hand' >> MEMORY.md"}),
         WRITE("- two\n"), WRITE("- three\n")]
class Model(http.server.BaseHTTPRequestHandler):
    made = 0
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        number, Model.made = Model.made, Model.made + 1
        delta, end = {"role": "assistant", "content": "Done."}, "stop"
        if number < len(CALLS):
            name, args = CALLS[number]
            function = {"name": name, "arguments": json.dumps(args)}
            call = {"index": 0, "id": f"call_{number}", "type": "function", "function": function}
            delta, end = {"role": "assistant", "tool_calls": [call]}, "tool_calls"
        chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        steps = [{"index": 0, "delta": delta, "finish_reason": None},
                 {"index": 0, "delta": {}, "finish_reason": end}]
        lines = [json.dumps({**chunk, "choices": [step]}) for step in steps] + ["[DONE]"]
        data = "".join(f"data: {line}\n\n" for line in lines).encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
    def log_message(self, *words):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
pathlib.Path("port").write_text(str(server.server_port))
server.serve_forever()
PY
python3 model.py & model=$!
trap 'kill $model; rm -rf "$work"' EXIT
until [ -s port ]; do :; done
openclaw onboard --non-interactive --accept-risk --auth-choice custom-api-key --custom-model-id m \
  --custom-api-key any --custom-base-url "http://127.0.0.1:$(cat port)/v1" --no-install-daemon \
  --skip-health --skip-channels --skip-skills --skip-search --skip-ui >/dev/null 2>&1
openclaw agent --local --json --agent main -m "Go on." >/dev/null 2>&1
python3 - <<'PY'
import json, os, sqlite3
path = os.environ["HOME"] + "/.openclaw/state/openclaw.sqlite"
query = "SELECT value_json FROM plugin_state_entries WHERE namespace = 'workspace-files'"
rows = [json.loads(row[0]) for row in sqlite3.connect(f"file:{path}?mode=ro", uri=True).execute(query)]
seen = {row["relativePath"]: row["originClass"] for row in rows}
print(seen)
assert seen == {"memory/first.md": "agent", "MEMORY.md": "untrusted"}, seen
PY
