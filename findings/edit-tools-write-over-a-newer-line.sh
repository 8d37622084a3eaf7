#!/usr/bin/env bash
# opencode-ai 1.18.33, @google/gemini-cli 0.61.0, hermes-agent 0.19.0: the text that an edit replaces need not be in the
# file. Here the model has an older copy of three steps, with `stg-2` in the second, and changes the first. Somebody
# has made it `stg-3` since. All three tools replace all three lines, so that `stg-2` is back, and answer with success.
# opencode takes a block whose first and last line are right and whose middle is alike, Hermes too, where it patches a
# skill; Gemini CLI takes one that differs in up to a tenth of its characters.
# opencode says of what it refuses that it "must match exactly", and Gemini CLI tells its model that the text must be
# exact and that the tool fails otherwise. Only Gemini CLI's answer tells the difference: "Applied fuzzy match".
# Guessed: blanks and indentation may differ, as Hermes says of its own; a word or a number may not.
# Seen: the lines at `expected` below.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work/npm" node@22.23.3 @google/gemini-cli@0.61.0 \
    opencode-ai@1.18.33 >/dev/null 2>&1
python3 -m venv python
python/bin/pip install --quiet --no-compile --disable-pip-version-check --no-deps hermes-agent==0.19.0 pyyaml==6.0.3
export PATH="$work/npm/node_modules/.bin:$PATH" HOME="$work/home"
cat > steps.py <<'PY'
def steps(first, second):
    return f"1. Run the tests with {first}.\n2. Deploy to {second} with make deploy.\n3. Tell the channel."
live = steps("make test", "stg-3")
stale = steps("make test", "stg-2")
changed = steps("make check", "stg-2")
PY
cat > model.py <<'PY'
import http.server, json, pathlib
from steps import changed, stale
FILE = str(pathlib.Path("project/deploy.md").absolute())
def of_gemini(asked):
    is_done = "functionResponse" in json.dumps(asked)
    words = {"file_path": FILE, "instruction": "Change the first step.", "old_string": stale, "new_string": changed}
    call = {"functionCall": {"name": "replace", "args": words}}
    parts = [call] if asked.get("tools") and not is_done else [{"text": "Fine."}]
    return {"candidates": [{"index": 0, "content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]}
def of_opencode(asked):
    calls = [("read", {"filePath": FILE}), ("edit", {"filePath": FILE, "oldString": stale, "newString": changed})]
    done = sum(one["role"] == "tool" for one in asked["messages"])
    said, finish = {"content": "Fine."}, "stop"
    if asked.get("tools") and done < len(calls):
        function = {"name": calls[done][0], "arguments": json.dumps(calls[done][1])}
        said = {"tool_calls": [{"index": 0, "id": f"c{done}", "type": "function", "function": function}]}
        finish = "tool_calls"
    choice = {"index": 0, "delta": {"role": "assistant", **said}, "finish_reason": finish}
    return {"id": "c", "created": 1, "model": "any", "object": "chat.completion.chunk", "choices": [choice]}
class Model(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with open("asked", "a") as file:
            file.write(json.dumps(asked) + "\n")
        is_chat = "chat/completions" in self.path
        said = json.dumps(of_opencode(asked) if is_chat else of_gemini(asked))
        is_stream = is_chat or "stream" in self.path
        answer = (f"data: {said}\n\n" + "data: [DONE]\n\n" * is_chat if is_stream else said).encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream" if is_stream else "application/json")
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
trap 'kill $model; rm -rf "$work"' EXIT
until [ -s port ]; do sleep 0.1; done
here="http://127.0.0.1:$(cat port)"
mkdir -p home/.gemini home/.config/opencode project
git init -q project
echo '{"security": {"auth": {"selectedType": "gemini-api-key"}}}' > home/.gemini/settings.json
cat > home/.config/opencode/opencode.json <<JSON
{"provider": {"here": {"npm": "@ai-sdk/openai-compatible", "models": {"any": {}},
 "options": {"baseURL": "$here/v1", "apiKey": "any"}}}, "model": "here/any", "permission": {"edit": "allow"}}
JSON
write() { python3 -c 'from steps import live; print("# Deploy\n\n" + live)' > project/deploy.md; }
second() { grep '^2' "$1" | sed 's/^2. //'; }
write
(cd project && OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_DISABLE_MODELS_FETCH=1 \
    timeout 120 opencode run hi </dev/null >../out 2>&1)
echo "opencode: $(second project/deploy.md)" >> seen
write
(cd project && GEMINI_API_KEY=any GOOGLE_GEMINI_BASE_URL="$here" GEMINI_CLI_TRUST_WORKSPACE=true \
    gemini -p hi --model gemini-2.5-flash --approval-mode auto_edit </dev/null >>../out 2>&1)
echo "Gemini CLI: $(second project/deploy.md)" >> seen
grep -q "Applied fuzzy match" asked
grep -q "MUST be the exact literal text to replace" asked
grep -q "If ANY of the above are not satisfied, the tool will fail" asked
cat > patch.py <<'PY'
import json
from steps import changed, live, stale
from tools.skill_manager_tool import skill_manage
text = f"---\nname: deploy\ndescription: How to deploy\n---\n\n{live}\n"
for words in {"action": "create", "content": text}, {"action": "patch", "old_string": stale, "new_string": changed}:
    assert json.loads(skill_manage(name="deploy", **words))["success"]
PY
HERMES_HOME="$work/hermes" PYTHONPATH="$work" python/bin/python patch.py >>out 2>&1
echo "Hermes: $(second hermes/skills/deploy/SKILL.md)" >> seen
cat > expected <<'TXT'
opencode: Deploy to stg-2 with make deploy.
Gemini CLI: Deploy to stg-2 with make deploy.
Hermes: Deploy to stg-2 with make deploy.
TXT
diff expected seen
grep -q '^1. Run the tests with make check.$' project/deploy.md hermes/skills/deploy/SKILL.md
echo "opencode 1.18.33, Gemini CLI 0.61.0, Hermes 0.19.0: as it was seen."
