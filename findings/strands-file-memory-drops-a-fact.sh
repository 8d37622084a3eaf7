#!/usr/bin/env bash
# strands-agents 1.62.0: its FileMemoryStore names a memory's file after the first line, of which it keeps 50 characters of
# a to z, digits and hyphens. What is added to a file that is there is all but its own first line, which is taken for the
# heading. A fact of one line, as the tool `add_memory` is given, has no other: where it begins like an older one,
# or differs in a full stop, the tool answers that it is stored, and it is nowhere. So db-2 and $1.20 are lost below, and
# db-1 and $12.0 go on being told; the same two facts in the other order leave the other one.
# Guessed: as the manual says, "repeated writes to the same topic append rather than overwrite", so both facts are there.
# Seen: the lines at `expected` below.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv python
python/bin/pip install --quiet --no-compile --disable-pip-version-check strands-agents==1.62.0
cat > remember.py <<'PY'
import pathlib
from strands import Agent
from strands.memory import MemoryManager
from strands.storage import LocalFileStorage
from strands.vended_memory_stores.file_memory_store import FileMemoryStore
FACTS = {
    "begin alike": ["The database of the staging environment runs on db-1.", "The database of the staging environment runs on db-2."],
    "a full stop": ["One call costs $12.0", "One call costs $1.20"],
    "two lines": ["Staging\nThe database runs on db-1.", "Staging\nThe database runs on db-2."],
    "differ early": ["On db-1 runs the database of the staging environment.", "On db-2 runs the database of the staging environment."],
}
for name, facts in FACTS.items():
    store = FileMemoryStore(name="notes", storage=LocalFileStorage(name))
    memory = MemoryManager(stores=[store], add_tool_config=True, injection=False)
    agent = Agent(memory_manager=memory)
    said = [agent.tool.add_memory(entries=[fact])["content"][0]["text"] for fact in facts]
    kept = "".join(file.read_text() for file in pathlib.Path(name).rglob("*.md"))
    last = [fact.splitlines()[-1] in kept for fact in facts]
    print(f"{name}: answered {' '.join(said)}, kept {last[0]} and {last[1]}")
PY
AWS_EC2_METADATA_DISABLED=true python/bin/python remember.py > seen
cat > expected <<'TXT'
begin alike: answered {"stored": 1} {"stored": 1}, kept True and False
a full stop: answered {"stored": 1} {"stored": 1}, kept True and False
two lines: answered {"stored": 1} {"stored": 1}, kept True and True
differ early: answered {"stored": 1} {"stored": 1}, kept True and True
TXT
diff expected seen
echo "strands-agents 1.62.0: as it was seen."
