#!/usr/bin/env bash
# @google/gemini-cli 0.61.0: started in a folder of a repository, it joins the GEMINI.md of the repository and those
# of the folders down to it, and what is joined is sorted by the files' paths. `services` sorts after `GEMINI.md`, so
# there the folder's rules come last, as more particular ones should; `API` or `.github` sort before it, and the
# repository's rules have the last word. Both stand in one <project_context>, and only the path over each still says
# which is the more particular. With two names of context files it is the same: `AGENTS.md` of the repository comes
# before its `GEMINI.md`, whichever is named first in the settings.
# Guessed: from the repository down to the folder, whatever the folders are called; names as they are configured.
# Seen: the lines at `expected` below.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work/npm" node@22.23.3 @google/gemini-cli@0.61.0 >/dev/null 2>&1
export PATH="$work/npm/node_modules/.bin:$PATH"
cat > model.py <<'PY'
import http.server, json, pathlib
class Model(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        asked = self.rfile.read(int(self.headers["content-length"])).decode()
        with open("asked", "a") as file:
            file.write(asked + "\n")
        content = {"role": "model", "parts": [{"text": "{}"}]}
        said = json.dumps({"candidates": [{"index": 0, "content": content, "finishReason": "STOP"}]})
        is_stream = "stream" in self.path
        answer = (f"data: {said}\n\n" if is_stream else said).encode()
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
cat > order.py <<'PY'
import json, re
asked = [json.loads(line) for line in open("asked")]
texts = [part.get("text", "") for one in asked for content in one["contents"] for part in content["parts"]]
told = next(text for text in texts if "<project_context>" in text)
project = re.search(r"<project_context>(.*?)</project_context>", told, re.S).group(1)
print(" then ".join(re.findall(r"^rules of (.+)$", project, re.M)))
PY
python3 model.py & model=$!
trap 'kill $model; rm -rf "$work"' EXIT
until [ -s port ]; do sleep 0.1; done
export GEMINI_API_KEY=any GOOGLE_GEMINI_BASE_URL="http://127.0.0.1:$(cat port)" GEMINI_CLI_TRUST_WORKSPACE=true HOME="$work/home"
mkdir -p home/.gemini repository/.git
order() { # FOLDER NAMES: in which order the rules come to a session that starts in this folder
  echo "{\"context\": {\"fileName\": $2}, \"security\": {\"auth\": {\"selectedType\": \"gemini-api-key\"}}}" \
    > home/.gemini/settings.json
  mkdir -p "repository/$1"
  [ "$1" = . ] || echo "rules of $1" > "repository/$1/GEMINI.md"
  rm -f asked
  (cd "repository/$1" && gemini -p "Hello." --model gemini-2.5-flash </dev/null >/dev/null 2>&1)
  echo "in $1: $(python3 order.py)"
}
echo "rules of all" > repository/GEMINI.md
{
  for folder in services API .github services/API; do order "$folder" '["GEMINI.md"]'; done
  echo "rules of all agents" > repository/AGENTS.md
  order . '["GEMINI.md", "AGENTS.md"]'
  order . '["AGENTS.md", "GEMINI.md"]'
} > seen
cat > expected <<'TXT'
in services: all then services
in API: API then all
in .github: .github then all
in services/API: all then services/API then services
in .: all agents then all
in .: all agents then all
TXT
diff expected seen
echo "Gemini CLI 0.61.0: as it was seen."
