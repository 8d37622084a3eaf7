#!/usr/bin/env bash
# textual 8.2.8: an Input, "a single-line text input widget", takes a text in two ways. Pasted by the terminal, it takes
# what stands before the first end of a line: the rest is dropped without a word, and of a text that begins with an
# empty line nothing arrives. Ends of lines are those of Python's `splitlines`, so a form feed or U+2028 within a line
# cuts it too. Pasted with the Input's own ctrl+v, from what was copied in the same app, the text arrives whole, and the
# field of one line submits several, as does a line that was copied with its end. Neither makes one line of it.
# Guessed: both pastes give the field the same text, and that is one line.
# Seen: the lines at `expected` below.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv python
python/bin/pip install --quiet --no-compile --disable-pip-version-check textual==8.2.8
cat > pasted.py <<'PY'
import asyncio
from textual.app import App
from textual.events import Paste
from textual.widgets import Input
TEXTS = ["buy tea", "buy tea\n", "buy tea\nbuy milk", "\nbuy tea", "page one\fpage two", "buy tea\u2028buy milk"]
class Form(App):
    def compose(self):
        yield Input()
    def on_input_submitted(self, event):
        self.submitted.set_result(event.value)
async def main():
    app = Form()
    async with app.run_test() as pilot:
        field = app.query_one(Input)
        app.set_focus(field)
        async def submitted():
            app.submitted = asyncio.get_running_loop().create_future()
            await pilot.press("enter")
            return await app.submitted
        for text in TEXTS:
            field.clear()
            taken = asyncio.Event()
            field.post_message(Paste(text))
            field.call_later(taken.set)
            await taken.wait()
            by_terminal = await submitted()
            field.clear()
            app.copy_to_clipboard(text)
            await pilot.press("ctrl+v")
            print(f"{text!r}: {by_terminal!r} by the terminal, {await submitted()!r} by ctrl+v")
asyncio.run(main())
PY
python/bin/python pasted.py > seen
cat > expected <<'TXT'
'buy tea': 'buy tea' by the terminal, 'buy tea' by ctrl+v
'buy tea\n': 'buy tea' by the terminal, 'buy tea\n' by ctrl+v
'buy tea\nbuy milk': 'buy tea' by the terminal, 'buy tea\nbuy milk' by ctrl+v
'\nbuy tea': '' by the terminal, '\nbuy tea' by ctrl+v
'page one\x0cpage two': 'page one' by the terminal, 'page one\x0cpage two' by ctrl+v
'buy tea\u2028buy milk': 'buy tea' by the terminal, 'buy tea\u2028buy milk' by ctrl+v
TXT
diff expected seen
echo "textual 8.2.8: as it was seen."
