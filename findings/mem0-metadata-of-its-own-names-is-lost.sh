#!/usr/bin/env bash
# mem0ai 2.2.1: a memory's `metadata` and its own fields are kept in one record, and what has the name of one of these is lost,
# with no word: `role` becomes "user" and `hash` that of the text, `id`, `data` and `updated_at` are not given back, and
# `created_at` becomes the memory's own date. What has another name is there. So a search by what was stored does not
# find the memory: the reviewer's by its role, the commit's by its hash. Only of `actor_id` and its kind it warns.
# Guessed: metadata is whatever the caller likes, and comes back as it was given; or a name that is taken is refused.
# Seen: the lines at `expected` below.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv python
python/bin/pip install --quiet --no-compile --disable-pip-version-check mem0ai==2.2.1
cat > stored.py <<'PY'
import http.server, json, logging, threading
from mem0 import Memory
logging.disable(logging.ERROR)
class Embeddings(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))["input"]
        count = len(asked) if isinstance(asked, list) else 1
        vectors = [{"object": "embedding", "index": index, "embedding": [1.0, 0.5]} for index in range(count)]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        text = json.dumps({"object": "list", "model": "any", "data": vectors, "usage": usage}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)
    def log_message(self, *words):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Embeddings)
threading.Thread(target=server.serve_forever, daemon=True).start()
model = {"provider": "openai", "config": {"api_key": "any", "openai_base_url": f"http://127.0.0.1:{server.server_port}/v1"}}
memory = Memory.from_config({
    "vector_store": {"provider": "qdrant", "config": {"path": "vectors", "embedding_model_dims": 2, "on_disk": True}},
    "embedder": {**model, "config": {**model["config"], "embedding_dims": 2}}, "llm": model, "history_db_path": "history.db"})
GIVEN = {"role": "reviewer", "hash": "9fceb02", "id": "TICKET-7", "data": "minutes.txt", "updated_at": "2025-03-04",
         "created_at": "2025-01-02", "rank": "reviewer", "commit": "9fceb02"}
added = memory.add("Ann decides on the budget.", user_id="ann", metadata=GIVEN, infer=False)["results"][0]["id"]
got = memory.get(added)
for name, value in GIVEN.items():
    found = memory.search("budget", filters={"user_id": "ann", name: value})["results"]
    back = (got["metadata"] or {}).get(name, "lost")
    print(f"{name}: {back}, {'found' if found else 'not found'}")
print("the memory's own:", got["role"], got["created_at"])
PY
export MEM0_TELEMETRY=False MEM0_DIR="$work/mem0" HOME="$work"
python/bin/python stored.py 2>/dev/null > seen
cat > expected <<'TXT'
role: lost, not found
hash: lost, not found
id: lost, found
data: lost, not found
updated_at: lost, not found
created_at: lost, found
rank: reviewer, found
commit: 9fceb02, found
the memory's own: user 2025-01-02
TXT
diff expected seen
echo "mem0ai 2.2.1: as it was seen."
