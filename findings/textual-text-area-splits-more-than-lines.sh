#!/usr/bin/env bash
# textual 8.2.8: TextArea.text is not the text that was put in, before anybody typed. A form feed, a vertical
# tab, U+0085, U+2028, U+2029 and the separators U+001C to U+001E each become a line's end, and every end the
# kind that stands first in the text (CRLF, LF or CR). So an editor that loads a file and saves it again has changed it: the
# page breaks of an old source, an `end of line` inside a string, a file of mixed ends. A tab and a space that
# does not break stay. Nothing tells the program.
# Guessed: a text that nobody edited comes back as it was; or ends of lines alone are made one kind.
# Seen: "changed: form-feed vertical-tab file group record next-line line paragraph mixed",
# "kept: lf crlf tab no-break unit".
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv python
python/bin/pip install --quiet --no-compile --disable-pip-version-check textual==8.2.8
cat > area.py <<'PY'
import asyncio
from textual.app import App
from textual.widgets import TextArea
TEXTS = {
    "form-feed": "one\ftwo\n",
    "vertical-tab": "one\vtwo\n",
    "file": "one\x1ctwo\n",
    "group": "one\x1dtwo\n",
    "record": "one\x1etwo\n",
    "next-line": "one\x85two\n",
    "line": "one\u2028two\n",
    "paragraph": "one\u2029two\n",
    "mixed": "one\r\ntwo\nthree\r\n",
    "lf": "one\ntwo\n",
    "crlf": "one\r\ntwo\r\n",
    "tab": "one\ttwo\n",
    "no-break": "one\xa0two\n",
    "unit": "one\x1ftwo\n",
}
async def after_loading(text):
    class Editor(App):
        def compose(self):
            yield TextArea(text)
    app = Editor()
    async with app.run_test():
        return app.query_one(TextArea).text
async def main():
    back = {name: await after_loading(text) for name, text in TEXTS.items()}
    changed = " ".join(name for name, text in TEXTS.items() if back[name] != text)
    kept = " ".join(name for name, text in TEXTS.items() if back[name] == text)
    print("changed:", changed)
    print("kept:", kept)
    assert back["line"] == back["form-feed"] == "one\ntwo\n"
    assert back["mixed"] == "one\r\ntwo\r\nthree\r\n"
    assert changed == "form-feed vertical-tab file group record next-line line paragraph mixed"
asyncio.run(main())
PY
python/bin/python area.py
