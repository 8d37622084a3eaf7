#!/usr/bin/env bash
# langgraph-checkpoint-sqlite 3.1.2: `SqliteStore.search(filter={"channel": 1098765432109876543})` does not find the entry
# that was put with this number. The number that is asked for is made a float, the one in the file is not, and SQLite
# compares the two exactly: above 2**53 an id of Discord, X or a clock's nanoseconds matches only if it is a float's whole
# value. What is found instead is the entry of another channel, the one whose number the float is; and `$ne` of a number
# brings the very entry that was to be left out. Nothing is raised, `get` shows the number as it was put, and InMemoryStore,
# with which an agent's memory is tried out, answers rightly. The same number as a text is found in both.
# Guessed: a search for the value of a field finds the entries that have it, and no other, in each store.
# Seen: the lines at `expected` below.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv python
python/bin/pip install --quiet --no-compile --disable-pip-version-check langgraph-checkpoint-sqlite==3.1.2 langgraph-checkpoint==4.3.2
cat > search.py <<'PY'
from langgraph.store.memory import InMemoryStore
from langgraph.store.sqlite import SqliteStore
SMALL, OURS, THEIRS = 2**53, 1098765432109876543, 1098765432109876480
NOTES = {"small": SMALL, "ours": OURS, "theirs": THEIRS, "text": str(OURS)}
QUESTIONS = {"small": SMALL, "ours": OURS, "ours, $eq": {"$eq": OURS}, "theirs": THEIRS, "not ours": {"$ne": OURS},
             "ours as text": str(OURS)}
def answers(store):
    for key, number in NOTES.items():
        store.put(("notes",), key, {"channel": number})
        assert store.get(("notes",), key).value == {"channel": number}
    return {question: sorted(item.key for item in store.search(("notes",), filter={"channel": wanted}))
            for question, wanted in QUESTIONS.items()}
with SqliteStore.from_conn_string("notes.db") as store:
    store.setup()
    in_a_file = answers(store)
in_memory = answers(InMemoryStore())
for question in QUESTIONS:
    print(f"{question}: {', '.join(in_memory[question])} in memory, {', '.join(in_a_file[question])} in a file")
PY
python/bin/python search.py > seen
cat > expected <<'TXT'
small: small in memory, small in a file
ours: ours in memory, theirs in a file
ours, $eq: ours in memory, theirs in a file
theirs: theirs in memory, theirs in a file
not ours: small, text, theirs in memory, ours, small, text in a file
ours as text: text in memory, text in a file
TXT
diff expected seen
echo "langgraph-checkpoint-sqlite 3.1.2: as it was seen."
