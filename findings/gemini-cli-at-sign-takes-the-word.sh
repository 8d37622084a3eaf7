#!/usr/bin/env bash
# @google/gemini-cli 0.61.0: in a GEMINI.md every word behind an @ that begins with a letter, a point or a slash is an
# import, as soon as the @ stands at a line's beginning or behind a blank. Of one that names no file not even the word is
# left: the model reads `Install <!-- Import failed: example/lint - ENOENT: no such file or directory, access '…' -->`,
# with the path of the folder in it. So packages with a scope, decorators, tags of documentation and people's handles
# vanish from the rules that name them, and where a file of that name exists, the whole file stands there instead. In
# backticks, brackets or quotation marks they stay. Qwen Code, which comes from the same program, leaves them all.
# Guessed: what names no file stays as it was written, with a remark at most.
# Seen: the lines at `expected` below.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work/npm" node@22.23.3 @google/gemini-cli@0.61.0 \
    @qwen-code/qwen-code@0.24.4 >/dev/null 2>&1
export PATH="$work/npm/node_modules/.bin:$PATH" HOME="$work/home"
cat > model.py <<'PY'
import http.server, json, pathlib
class Model(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with open("asked", "a") as file:
            file.write(json.dumps(asked) + "\n")
        content = {"role": "model", "parts": [{"text": "Fine."}]}
        said = {"candidates": [{"index": 0, "content": content, "finishReason": "STOP"}]}
        is_stream = "stream" in self.path
        if "chat/completions" in self.path:
            choice = {"index": 0, "delta": {"role": "assistant", "content": "Fine."}, "finish_reason": "stop"}
            said = {"id": "c", "created": 1, "model": "any", "object": "chat.completion.chunk", "choices": [choice]}
            is_stream = True
        answer = (f"data: {json.dumps(said)}\n\n" if is_stream else json.dumps(said)).encode()
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
export GEMINI_API_KEY=any GOOGLE_GEMINI_BASE_URL="$here" GEMINI_CLI_TRUST_WORKSPACE=true
export OPENAI_BASE_URL="$here/v1" OPENAI_API_KEY=any OPENAI_MODEL=any
mkdir -p home/.gemini project/.git
echo '{"security": {"auth": {"selectedType": "gemini-api-key"}}}' > home/.gemini/settings.json
cat > project/GEMINI.md <<'MD'
rule: Install @example/lint before a commit.
rule: Values have @dataclass above them.
rule: Ask @ann for a release.
rule: Write `@ann` or (@ann) or "@ann", mail ann@team.example.
MD
cp project/GEMINI.md project/QWEN.md
cat > told.py <<'PY'
import json, pathlib, re, sys
def texts(value):
    if isinstance(value, str):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from texts(each)
told = [text for line in open("asked") for text in texts(json.loads(line)) if "rule: " in text][0]
for rule in re.findall(r"^rule: (.+)$", told, re.M):
    print(f"{sys.argv[1]}: " + re.sub(r"access '(.*?)'", lambda path: f"access '{pathlib.PurePath(path[1]).name}'", rule))
PY
(cd project && gemini -p hi --model gemini-2.5-flash </dev/null >../out 2>&1)
python3 told.py gemini > seen
rm asked
(cd project && qwen -p hi </dev/null >>../out 2>&1)
python3 told.py qwen >> seen
cat > expected <<'TXT'
gemini: Install <!-- Import failed: example/lint - ENOENT: no such file or directory, access 'lint' --> before a commit.
gemini: Values have <!-- Import failed: dataclass - ENOENT: no such file or directory, access 'dataclass' --> above them.
gemini: Ask <!-- Import failed: ann - ENOENT: no such file or directory, access 'ann' --> for a release.
gemini: Write `@ann` or (@ann) or "@ann", mail ann@team.example.
qwen: Install @example/lint before a commit.
qwen: Values have @dataclass above them.
qwen: Ask @ann for a release.
qwen: Write `@ann` or (@ann) or "@ann", mail ann@team.example.
TXT
diff expected seen
echo "Gemini CLI 0.61.0, Qwen Code 0.24.4: as it was seen."
