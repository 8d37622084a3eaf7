#!/usr/bin/env bash
# cline 3.0.65: a rule is known by its name, which is its file's without the suffix or the `name` of its front matter,
# whatever its case, and of two rules with one name the one that is read last is the only one that the model is told.
# Read are the workspace's folders first, .clinerules and then .cline/rules, and the user's own after them: so
# `~/.cline/rules/style.md` takes the place of the project's `style.md`, all of it, also where the two speak of other
# things. Nothing says that a rule was left out. The two AGENTS.md have names of their own, and both are told.
# Guessed: all rules are told, as the manual says that files are combined and a workspace's go before the user's; or
# at least the project's file takes the place of the user's.
# Seen: the lines at `expected` below.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work/npm" cline@3.0.65 >/dev/null 2>&1
export PATH="$work/npm/node_modules/.bin:$PATH" HOME="$work/home" CLINE_NO_AUTO_UPDATE=1
cat > model.py <<'PY'
import http.server, json, pathlib
class Model(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        text = self.rfile.read(int(self.headers["content-length"])).decode()
        with open("asked", "a") as file:
            file.write(text + "\n")
        head = {"id": "c", "created": 1, "model": "any", "object": "chat.completion.chunk"}
        choice = {"index": 0, "delta": {"role": "assistant", "content": "Fine."}, "finish_reason": "stop"}
        answer = f"data: {json.dumps({**head, 'choices': [choice]})}\n\ndata: [DONE]\n\n".encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)
    def log_message(self, *words):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
pathlib.Path("port.new").write_text(str(server.server_port))
pathlib.Path("port.new").rename("port")
server.serve_forever()
PY
python3 model.py & model=$!
trap 'cline hub stop >/dev/null 2>&1; kill $model; rm -rf "$work" || { sleep 2; rm -rf "$work"; }' EXIT
until [ -s port ]; do sleep 0.1; done
rule() { # FILE TEXT
  mkdir -p "$(dirname "$1")"
  echo "told: $2" > "$1"
}
rule app/.clinerules/style.md "style of the project"
rule app/.clinerules/tests.md "tests of the project"
rule app/.clinerules/names.md "names of the project, in .clinerules"
rule app/.cline/rules/names.md "names of the project, in .cline"
rule app/.clinerules/review.md "review of the project"
rule app/AGENTS.md "agents of the project"
rule home/.cline/rules/style.md "style of the user"
rule home/.cline/rules/own.md "own of the user"
printf -- '---\nname: Review\n---\ntold: review of the user, in reading.md\n' > home/.cline/rules/reading.md
rule home/.agents/AGENTS.md "agents of the user"
cline auth -p openai -k any -m any -b "http://127.0.0.1:$(cat port)/v1" >/dev/null
(cd app && cline "Say hello." </dev/null >/dev/null 2>&1)
python3 - > seen <<'PY'
import json, re
first = json.loads(open("asked").readline())["messages"][0]["content"]
told = first if isinstance(first, str) else "".join(part["text"] for part in first)
print("\n".join(sorted(re.findall(r"^told: (.+)$", told, re.M))))
PY
cat > expected <<'TXT'
agents of the project
agents of the user
names of the project, in .cline
own of the user
review of the user, in reading.md
style of the user
tests of the project
TXT
diff expected seen
echo "Cline 3.0.65: as it was seen."
