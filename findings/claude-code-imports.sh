#!/usr/bin/env bash
# @anthropic-ai/claude-code-linux-x64 2.1.332: which files a CLAUDE.md brings into the prompt with @path
# depends on signs that a writer does not think of. What stands behind the path is part of it, so a
# sentence that ends with one imports nothing; stars and underscores around it do no harm, tildes do.
# A suffix decides too: .md, .txt, .rst, .py, .lock or none are imported, .markdown and .mdx are not.
# Nothing is said about what was left out.
# Guessed: a full stop is no part of a path; Markdown files of every suffix are imported.
# Seen: "imported: bold file.py line" and "left out: comma mdx page.markdown stop strike".
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm pack --silent @anthropic-ai/claude-code-linux-x64@2.1.332 >/dev/null
tar -xzf ./*.tgz
cat > model.py <<'PY'
import http.server, pathlib
class Model(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        data = self.rfile.read(int(self.headers["content-length"]))
        pathlib.Path("request.json").write_bytes(data)
        answer = b'{"type":"error","error":{"type":"invalid_request_error","message":"the end"}}'
        self.send_response(400)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)
    def do_GET(self):
        self.send_response(404)
        self.send_header("content-length", "0")
        self.end_headers()
    do_HEAD = do_GET
    def log_message(self, *words):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
pathlib.Path("port").write_text(str(server.server_port))
server.serve_forever()
PY
python3 model.py & model=$!
trap 'kill $model; rm -rf "$work"' EXIT
until [ -s port ]; do :; done
mkdir -p home project
python3 - <<'PY'
import pathlib
lines = {
    "line.md": "@line.md",
    "bold.md": "**@bold.md**",
    "file.py": "@file.py",
    "stop.md": "See @stop.md.",
    "comma.md": "@comma.md, and more",
    "strike.md": "~~@strike.md~~",
    "page.markdown": "@page.markdown",
    "mdx.mdx": "@mdx.mdx",
}
project = pathlib.Path("project")
(project / "CLAUDE.md").write_text("\n\n".join(["Beginning.", *lines.values()]) + "\n")
for name in lines:
    (project / name).write_text(f"The text of {name} ends.\n")
PY
(cd project && env -i HOME="$work/home" PATH="$PATH" ANTHROPIC_BASE_URL="http://127.0.0.1:$(cat ../port)" \
    ANTHROPIC_API_KEY=any CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_AUTOUPDATER=1 \
    timeout 120 ../package/claude -p hi --output-format json </dev/null >../out 2>&1 || true)
python3 - <<'PY'
import re
import pathlib
found = set(re.findall(r"The text of (\S+) ends\.", pathlib.Path("request.json").read_text()))
every = {path.name for path in pathlib.Path("project").iterdir()} - {"CLAUDE.md"}
short = lambda names: " ".join(sorted(name.removesuffix(".md").removesuffix(".mdx") for name in names))
print("imported:", short(found))
print("left out:", short(every - found))
assert found == {"line.md", "bold.md", "file.py"}
PY
