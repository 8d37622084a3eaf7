#!/usr/bin/env bash
# openai 3.57.0 of PyPI and openai 7.59.0 of npm: the two official libraries, each with its own
# client.chat.completions.stream(...), put one stream together differently. Python adds what comes
# twice: texts are joined and numbers summed. JavaScript lets the last one stand. So a thought in two
# chunks (`reasoning_content`, as DeepSeek streams it) is whole in Python and only its end in JavaScript;
# a name and an id that come with every chunk of a call (as NVIDIA's servers repeat them) are right in
# JavaScript and doubled in Python, so that the call is of a tool that nobody has. Nothing is raised.
# Guessed: one company's libraries agree; or each drops the fields it does not know.
# Seen: "python: Let me see. | looklook | c1c1 | 3", "javascript: see. | look | c1 | 2".
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv python
python/bin/pip install --quiet --no-compile --disable-pip-version-check openai==3.57.0
npm install --silent --no-audit --no-fund --prefix "$work/npm" openai@7.59.0 >/dev/null 2>&1
cat > model.py <<'PY'
import http.server, json, pathlib
def call(arguments):
    function = {"name": "look", "arguments": arguments}
    return {"tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": function}]}
DELTAS = [
    {"role": "assistant", "content": None, "reasoning_content": "Let me ", "step": 1},
    {"reasoning_content": "see.", "step": 2},
    call('{"city": '),
    call('"Oslo"}'),
]
CHOICES = [{"index": 0, "delta": one, "finish_reason": None} for one in DELTAS]
CHOICES += [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]
HEAD = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "any"}
LINES = [json.dumps({**HEAD, "choices": [one]}) for one in CHOICES]
ANSWER = "".join(f"data: {one}\n\n" for one in [*LINES, "[DONE]"]).encode()
class Model(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(ANSWER)))
        self.end_headers()
        self.wfile.write(ANSWER)
    def log_message(self, *words):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
pathlib.Path("port").write_text(str(server.server_port))
server.serve_forever()
PY
python3 model.py & model=$!
trap 'kill $model; rm -rf "$work"' EXIT
until [ -s port ]; do :; done
cat > stream.py <<'PY'
import sys
import openai
client = openai.OpenAI(base_url=sys.argv[1], api_key="any", max_retries=0)
tools = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}]
asked = {"model": "any", "messages": [{"role": "user", "content": "hi"}], "tools": tools}
with client.chat.completions.stream(**asked) as stream:
    message = stream.get_final_completion().choices[0].message
(call,) = message.tool_calls
assert call.function.arguments == '{"city": "Oslo"}'
print("python:", " | ".join([message.reasoning_content, call.function.name, call.id, str(message.step)]))
PY
cat > npm/stream.mjs <<'JS'
import OpenAI from "openai";
const client = new OpenAI({ baseURL: process.argv[2], apiKey: "any", maxRetries: 0 });
const tools = [{ type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } }];
const asked = { model: "any", messages: [{ role: "user", content: "hi" }], tools };
const message = (await client.chat.completions.stream(asked).finalChatCompletion()).choices[0].message;
const [call] = message.tool_calls;
if (call.function.arguments !== '{"city": "Oslo"}') throw new Error(call.function.arguments);
console.log("javascript:", [message.reasoning_content, call.function.name, call.id, message.step].join(" | "));
JS
url="http://127.0.0.1:$(cat port)/v1"
{ python/bin/python stream.py "$url"; node npm/stream.mjs "$url"; } | tee seen
diff seen - <<'TXT'
python: Let me see. | looklook | c1c1 | 3
javascript: see. | look | c1 | 2
TXT
