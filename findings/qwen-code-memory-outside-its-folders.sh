#!/usr/bin/env bash
# @qwen-code/qwen-code 0.24.4: after a turn its extractor writes memories, each a file with front matter, and the
# program makes MEMORY.md, which is in every prompt, of the front matter of all of them.
# Guessed: every memory that the extractor wrote is listed, wherever in the memory's folder it is.
# Seen: "in user/: listed", "in no folder: not listed", "in no folder, after another in user/: listed".
# So the file is in the folder, the tool said success, and the index is made anew only where one of the folders
# user, feedback, project and reference was written to: then it lists the other one too.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund node@24 @qwen-code/qwen-code@0.24.4
export PATH="$work/node_modules/.bin:$PATH"
cat > model.py <<'PY'
import http.server, json, os, pathlib
class Model(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        texts = json.dumps(asked["messages"])
        is_extractor = len(asked.get("tools", ())) > 2 and "Managed memory has TWO directories" in texts
        said, finish = {"content": "Fine."}, "stop"
        if is_extractor and asked["messages"][-1]["role"] == "user":
            name, path = pathlib.Path("next").read_text().split()
            text = f"---\nname: {name}\ndescription: likes {name}\ntype: user\n---\n\nThe user likes {name}.\n"
            call = {"name": "write_file", "arguments": json.dumps({"file_path": path, "content": text})}
            said, finish = {"tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": call}]}, "tool_calls"
        head = {"id": "c", "created": 1, "model": "any", "object": "chat.completion.chunk"}
        choice = {"index": 0, "delta": {"role": "assistant", **said}, "finish_reason": finish}
        answer = f"data: {json.dumps({**head, 'choices': [choice]})}\n\ndata: [DONE]\n\n".encode()
        if not asked.get("stream"):
            whole = {"role": "assistant", "content": None, **said}
            choice = {"index": 0, "message": whole, "finish_reason": finish}
            answer = json.dumps({**head, "object": "chat.completion", "choices": [choice]}).encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream" if asked.get("stream") else "application/json")
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
until [ -s port ]; do sleep 0.1; done
export OPENAI_BASE_URL="http://127.0.0.1:$(cat port)/v1" OPENAI_API_KEY=any OPENAI_MODEL=any
remember() { # USER NAME FILE: one turn, after which the extractor writes this file
  mkdir -p "$work/$1/app"
  memory="$work/$1/.qwen/projects/$(printf %s "$work/$1/app" | tr -c 'A-Za-z0-9' -)/memory"
  echo "$2 $memory/$3" > next
  (cd "$work/$1/app" && HOME="$work/$1" qwen -p "I like $2." --approval-mode auto-edit </dev/null >/dev/null 2>&1)
  test -s "$memory/$3"
}
listed() { grep -q "likes $2" "$work/$1"/.qwen/projects/*/memory/MEMORY.md && echo listed || echo "not listed"; }
remember ann tea user/tea.md
remember bob tea tea.md
{
  echo "in user/: $(listed ann tea)"
  echo "in no folder: $(listed bob tea)"
  remember bob figs user/figs.md
  echo "in no folder, after another in user/: $(listed bob tea)"
} > seen
cat > expected <<'TXT'
in user/: listed
in no folder: not listed
in no folder, after another in user/: listed
TXT
diff expected seen
echo "Qwen Code 0.24.4: as it was seen."
