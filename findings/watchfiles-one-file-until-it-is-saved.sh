#!/usr/bin/env bash
# watchfiles 1.3.0 on Linux: a watch of one file ends, in effect, with the first save that puts a new file in its place, as
# editors, formatters and careful programs do. That save is told, as "deleted" and "modified", and no later change is,
# though the file is there again: nothing is raised, and the generator goes on waiting. A watch of its folder tells all.
# There, too, changes are a set without order: a note that was made, removed and made again is "added" and "deleted", and
# so is one that was made and removed. And a folder that is moved in is one change: the files in it are not told.
# Guessed: `watch(path)` follows the path; what comes into a watched folder is told, file by file.
# Seen: the lines at `expected` below.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv python
python/bin/pip install --quiet --no-compile --disable-pip-version-check watchfiles==1.3.0
cat > told.py <<'PY'
import os, pathlib, queue, threading
from watchfiles import watch
QUIET = 3  # Seconds without a change, ten times what the watcher itself waits for more.
class Watched:
    def __init__(self, path, beside):
        self.told, self.end = queue.SimpleQueue(), threading.Event()
        self.thread = threading.Thread(target=self.run, args=[path])
        self.thread.start()
        for number in range(60):  # Until it listens.
            beside.write_text(str(number))
            if self.changes(wait=0.5) != "nothing":
                break
        self.changes()
    def run(self, path):
        for changes in watch(path, stop_event=self.end, debounce=300, step=150, rust_timeout=200, watch_filter=None):
            self.told.put({f"{os.path.basename(name)} {kind.name}" for kind, name in changes})
    def changes(self, wait=QUIET):
        told = set()
        try:
            while True:
                told |= self.told.get(timeout=wait)
        except queue.Empty:
            return ", ".join(sorted(one for one in told if not one.startswith("new "))) or "nothing"
    def stop(self):
        assert self.thread.is_alive()
        self.end.set()
        self.thread.join()
def save(path, text):
    new = path.with_name("new")
    new.write_text(text)
    os.replace(new, path)
folder, other = pathlib.Path("watched").absolute(), pathlib.Path("other").absolute()
folder.mkdir()
(other / "skill").mkdir(parents=True)
(other / "skill/SKILL.md").write_text("Any.")
note = folder / "note.md"
note.write_text("zero")
one = Watched(note, note)
save(note, "one")
print("the file, saved:", one.changes())
note.write_text("two")
print("the file, written to:", one.changes())
save(note, "three")
print("the file, saved again:", one.changes())
one.stop()
all_ = Watched(folder, folder / "first")
save(note, "four")
print("the folder, saved:", all_.changes())
note.write_text("five")
print("the folder, written to:", all_.changes())
for ending in ("kept", "removed"):
    draft = folder / f"{ending}.md"
    draft.write_text("one")
    draft.unlink()
    if ending == "kept":
        draft.write_text("two")
    print(f"made, removed{', made' * (ending == 'kept')}: {all_.changes()}")
os.rename(other / "skill", folder / "moved")
print("a folder moved in:", all_.changes())
all_.stop()
PY
python/bin/python told.py > seen
cat > expected <<'TXT'
the file, saved: note.md deleted, note.md modified
the file, written to: nothing
the file, saved again: nothing
the folder, saved: note.md added
the folder, written to: note.md modified
made, removed, made: kept.md added, kept.md deleted
made, removed: removed.md added, removed.md deleted
a folder moved in: moved added
TXT
diff expected seen
echo "watchfiles 1.3.0: as it was seen."
