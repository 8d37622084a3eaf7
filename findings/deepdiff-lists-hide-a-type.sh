#!/usr/bin/env bash
# deepdiff 9.1.0: an item that has become another type is a type change as a value of a dictionary and nothing as an item
# of a list if Python's == finds the two alike: `DeepDiff([1, 2], [True, 2])` is empty, and so is that of `[1]` and `[1.0]`.
# What else differs in the list is told, the type is not, and a Delta of it keeps the old item. With `ignore_order=True`,
# which is there to tell less, or `zip_ordered_iterables=True` it is told.
# So a JSON file in which `[1, 2]` has become `[true, 2]` is the same file to a check that compares with it.
# Guessed: a type change is told wherever it stands, unless `ignore_numeric_type_changes` is set.
# Seen: the lines at `expected` below.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv python
python/bin/pip install --quiet --no-compile --disable-pip-version-check deepdiff==9.1.0
cat > told.py <<'PY'
import json
from deepdiff import DeepDiff, Delta
def told(before, after, **options):
    return " ".join(sorted(DeepDiff(before, after, **options))) or "nothing"
PAIRS = [({"on": 1}, {"on": True}), ([1, 2], [True, 2]), ([1], [1.0]), ({"all": [0]}, {"all": [False]}),
         ([{"on": 1}], [{"on": True}]), ([1, "a"], [True, "b"]), ([1], [True, 2])]
for before, after in PAIRS:
    patched = before + Delta(DeepDiff(before, after))
    print(f"{json.dumps(before)} {json.dumps(after)}: {told(before, after)}; patched {json.dumps(patched)}")
for options in {"ignore_order": True}, {"zip_ordered_iterables": True}:
    print(f"with {list(options)[0]}: {told([1, 2], [True, 2], **options)}")
PY
python/bin/python told.py > seen
cat > expected <<'TXT'
{"on": 1} {"on": true}: type_changes; patched {"on": true}
[1, 2] [true, 2]: nothing; patched [1, 2]
[1] [1.0]: nothing; patched [1]
{"all": [0]} {"all": [false]}: nothing; patched {"all": [0]}
[{"on": 1}] [{"on": true}]: type_changes; patched [{"on": true}]
[1, "a"] [true, "b"]: values_changed; patched [1, "b"]
[1] [true, 2]: iterable_item_added; patched [1, 2]
with ignore_order: type_changes
with zip_ordered_iterables: type_changes
TXT
diff expected seen
echo "deepdiff 9.1.0: as it was seen."
