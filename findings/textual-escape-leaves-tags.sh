#!/usr/bin/env bash
# textual 8.2.8: `textual.markup.escape` "escapes text so that it won't be interpreted as markup", and what it returns is
# interpreted all the same where a capital, an underscore, a $ or a percentage follows the bracket: escape looks for what
# are tags to Rich, and to Textual more are. So the `[X]` of a list of tasks, `[WIP]`, `[Ann]` and `[$5 off]` are not on the
# screen, and nothing is raised; `[b]`, `[1]`, `[^1]` and `[!NOTE]` are. `markup=False`, or a variable of
# `Content.from_markup("$text", text=text)`, shows it all.
# Guessed: what escape returns is shown as it was given, whatever it says.
# Seen: the lines at `expected` below.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv python
python/bin/pip install --quiet --no-compile --disable-pip-version-check textual==8.2.8
cat > shown.py <<'PY'
import asyncio
from textual.app import App
from textual.content import Content
from textual.markup import escape
from textual.widgets import Static
TEXTS = ["[X] done", "[WIP] draft", "[Ann] said", "[ ] open", "[$5 off] tea", "[50%] done", "[_private] field",
         "[b] stays", "[1] stays", "[^1] stays", "[!NOTE] stays", "[/] stays"]
class Shown(App):
    def compose(self):
        for number, text in enumerate(TEXTS):
            yield Static(escape(text), id=f"escaped-{number}")
            yield Static(text, markup=False, id=f"plain-{number}")
            yield Static(Content.from_markup("$text", text=text), id=f"variable-{number}")
async def main():
    app = Shown()
    async with app.run_test(size=(40, 60)):
        def line(name):
            return app.query_one(name).render_line(0).text.strip()
        for number, text in enumerate(TEXTS):
            print(f"{text}: {line(f'#escaped-{number}')}")
            assert line(f"#plain-{number}") == line(f"#variable-{number}") == text
asyncio.run(main())
PY
python/bin/python shown.py > seen
cat > expected <<'TXT'
[X] done: done
[WIP] draft: draft
[Ann] said: said
[ ] open: [ ] open
[$5 off] tea: tea
[50%] done: done
[_private] field: field
[b] stays: [b] stays
[1] stays: [1] stays
[^1] stays: [^1] stays
[!NOTE] stays: [!NOTE] stays
[/] stays: [/] stays
TXT
diff expected seen
echo "textual 8.2.8: as it was seen."
