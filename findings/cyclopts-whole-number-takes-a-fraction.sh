#!/usr/bin/env bash
# cyclopts 5.4.0: a parameter of the type `int` takes what is no whole number if a point is in it, and
# rounds: halves to the even neighbour, so that --most 2.5 is 2 and --most 3.5 is 4. It goes by way of a
# float: 9007199254740993.0 comes out one less. Without a point nothing is rounded, and 1e2 is refused, while
# 1.0e2 is 100. An annotated upper limit is compared with the rounded number: 3.4 passes a limit of 3.
# Guessed: what is no whole number is refused, as argparse, click and typer refuse it; or cut, as int(2.5) is.
# Seen: "2.5: 2", "3.5: 4", "-0.5: 0", "9007199254740993.0: 9007199254740992", "1.0e2: 100", "1e2: refused",
# "3.4 where 3 is the most: 3".
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv python
python/bin/pip install --quiet --no-compile --disable-pip-version-check cyclopts==5.4.0
cat > most.py <<'PY'
from typing import Annotated
import cyclopts
from cyclopts import validators
app = cyclopts.App(result_action="return_value")
@app.command
def free(*, most: int):
    return most
@app.command
def limited(*, most: Annotated[int, cyclopts.Parameter(validator=validators.Number(lte=3))]):
    return most
def given(command, word):
    try:
        return app([command, f"--most={word}"], exit_on_error=False, print_error=False)
    except cyclopts.CycloptsError:
        return "refused"
seen = {word: given("free", word) for word in ["2.5", "3.5", "-0.5", "9007199254740993.0", "1.0e2", "1e2"]}
for word, most in seen.items():
    print(f"{word}: {most}")
assert list(seen.values()) == [2, 4, 0, 9007199254740992, 100, "refused"]
print("3.4 where 3 is the most:", given("limited", "3.4"))
assert given("limited", "3.4") == 3
assert given("limited", "4") == "refused"
PY
python/bin/python most.py
