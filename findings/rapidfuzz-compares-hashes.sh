#!/usr/bin/env bash
# rapidfuzz 3.14.6: sequences of other things than characters are compared by the hashes of their items, and two items of
# one hash are one to it, whatever == says. Python gives one hash to -1.0 and -2.0, to tuples and frozen dataclasses that
# differ in -1 and -2 alone, and to 0 and 2**61 - 1; and an item of one character is that character's number, so that "a"
# is 97. The distance is 0, the ratio 100 and the list of edits empty: where a step by -1 has become one by -2, a
# diff of two lists of steps shows nothing. -1 and -2 as items themselves are told apart.
# Guessed: items are compared by == where their hashes are the same, as dictionaries, sets and difflib do.
# Seen: the lines at `expected` below.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv python
python/bin/pip install --quiet --no-compile --disable-pip-version-check rapidfuzz==3.14.6
cat > items.py <<'PY'
from dataclasses import dataclass
from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein
@dataclass(frozen=True)
class Step:
    by: int
PAIRS = {
    "whole numbers": (-1, -2), "floats": (-1.0, -2.0), "tuples": (("y", -1), ("y", -2)), "dataclasses": (Step(-1), Step(-2)),
    "a text and a number": ("a", 97), "large numbers": (0, 2**61 - 1), "other tuples": (("y", 1), ("y", 2)),
}
for name, (one, other) in PAIRS.items():
    assert one != other and len({one, other}) == 2
    before, after = ["start", one, "end"], ["start", other, "end"]
    edits = Levenshtein.editops(before, after).as_list()
    print(f"{name}: distance {Levenshtein.distance(before, after)}, ratio {fuzz.ratio(before, after):.0f}, edits {len(edits)}")
PY
python/bin/python items.py > seen
cat > expected <<'TXT'
whole numbers: distance 1, ratio 67, edits 1
floats: distance 0, ratio 100, edits 0
tuples: distance 0, ratio 100, edits 0
dataclasses: distance 0, ratio 100, edits 0
a text and a number: distance 0, ratio 100, edits 0
large numbers: distance 0, ratio 100, edits 0
other tuples: distance 1, ratio 67, edits 1
TXT
diff expected seen
echo "rapidfuzz 3.14.6: as it was seen."
