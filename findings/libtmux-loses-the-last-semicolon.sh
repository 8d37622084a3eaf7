#!/usr/bin/env bash
# libtmux 0.62.0 with tmux (seen with 3.3a): `pane.send_keys("SELECT 1;")` types `SELECT 1` and Enter, also with
# `literal=True`, "send keys literally". To tmux a semicolon at an argument's end separates two commands, and libtmux
# hands the text on as it is. So the client of a database goes on waiting for the statement's end, `find -exec … \;`
# lacks its own, and nothing is raised. A semicolon within the text, or before a blank, is typed. Without `literal` a
# text that is a key's name is that key: `send_keys("Home")` goes to the line's beginning.
# Guessed: what is sent literally arrives as it is, since the library hands over arguments and no line of a shell.
# Seen: the lines at `expected` below.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
tmux -V >/dev/null
python3 -m venv python
python/bin/pip install --quiet --no-compile --disable-pip-version-check libtmux==0.62.0
cat > typed.py <<'PY'
import os, pathlib, time
import libtmux
TEXTS = ["SELECT 1;", "one; two", "one; ", "one;;", "find -exec ls {} \\;", "Home"]
here = pathlib.Path.cwd()
server = libtmux.Server(socket_path=here / "socket", config_file=os.devnull)
def typed(number, text, is_literal):
    file = here / f"typed-{number}"
    session = server.new_session(f"s{number}", window_command=f"head -n 1 > {file}.new; mv {file}.new {file}; exec cat")
    session.active_window.active_pane.send_keys(text, literal=is_literal)
    for _ in range(300):
        if file.exists():
            break
        time.sleep(0.1)
    return file.read_text().rstrip("\n")
try:
    for number, text in enumerate(TEXTS):
        print(f"{text!r}: {typed(number, text, True)!r}")
    print(f"'Home', not literal: {typed(len(TEXTS), 'Home', False)!r}")
finally:
    server.kill()
PY
TERM=xterm python/bin/python typed.py > seen
cat > expected <<'TXT'
'SELECT 1;': 'SELECT 1'
'one; two': 'one; two'
'one; ': 'one; '
'one;;': 'one;'
'find -exec ls {} \\;': 'find -exec ls {} ;'
'Home': 'Home'
'Home', not literal: '\x1b[1~'
TXT
diff expected seen
echo "libtmux 0.62.0: as it was seen."
