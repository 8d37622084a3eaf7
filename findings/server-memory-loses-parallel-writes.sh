#!/usr/bin/env bash
# @modelcontextprotocol/server-memory 2026.8.31: eight tool calls that a client sends without waiting, as an
# agent's parallel calls of one turn are, are each answered with the entity that they created, and the file
# has some of them: each reads the whole graph, and the last to write wins. One after another all are kept. Nor is
# a name unique: of two entities with one name the second is dropped with its observations if it comes in
# a later call, and kept beside the first if both come in one.
# Guessed: one process with one file takes one call after another; what is answered as created is there.
# Seen: "in turn: 8 answered, 8 kept", "at once: 8 answered, fewer kept", "one name in two calls: 1, in one call: 2".
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work/npm" @modelcontextprotocol/server-memory@2026.8.31 >/dev/null 2>&1
cat > client.py <<'PY'
import json, os, pathlib, subprocess
PROGRAM = "npm/node_modules/@modelcontextprotocol/server-memory/dist/index.js"
class Server:
    def __init__(self, name):
        self.file = pathlib.Path(name).absolute()
        self.program = subprocess.Popen(
            ["node", PROGRAM], env={**os.environ, "MEMORY_FILE_PATH": str(self.file)}, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.count = 0
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "any", "version": "1"}}
        self.answers([self.message("initialize", about)])
        self.send([{"jsonrpc": "2.0", "method": "notifications/initialized"}])
    def message(self, method, params):
        self.count += 1
        return {"jsonrpc": "2.0", "id": self.count, "method": method, "params": params}
    def create(self, *entities):
        made = [{"name": name, "entityType": "person", "observations": [said]} for name, said in entities]
        return self.message("tools/call", {"name": "create_entities", "arguments": {"entities": made}})
    def send(self, messages):
        self.program.stdin.write("".join(json.dumps(one) + "\n" for one in messages))
        self.program.stdin.flush()
    def answers(self, messages):
        self.send(messages)
        waited, got = {one["id"] for one in messages}, []
        while waited:
            answer = json.loads(self.program.stdout.readline())
            waited.discard(answer.get("id"))
            got.append(answer)
        return got
    def stop(self):
        self.program.stdin.close()
        self.program.wait()
    def kept(self):
        return [json.loads(line)["name"] for line in self.file.read_text().splitlines()]
def created(answers):
    return sum(len(one["result"]["structuredContent"]["entities"]) for one in answers)
people = [(f"person-{number}", "met once") for number in range(8)]
turn = Server("turn.jsonl")
answered = sum(created(turn.answers([turn.create(one)])) for one in people)
print(f"in turn: {answered} answered, {len(turn.kept())} kept")
assert answered == len(turn.kept()) == 8
turn.answers([turn.create(("person-0", "met again"))])
two = turn.kept().count("person-0")
turn.stop()
once = Server("once.jsonl")
answered = created(once.answers([once.create(one) for one in people]))
kept = len(once.kept())
print(f"at once: {answered} answered, {'fewer' if kept < 8 else kept} kept")
assert answered == 8 > kept
once.answers([once.create(("anna", "likes tea"), ("anna", "likes coffee"))])
one = once.kept().count("anna")
once.stop()
print(f"one name in two calls: {two}, in one call: {one}")
assert (two, one) == (1, 2)
PY
python3 client.py
