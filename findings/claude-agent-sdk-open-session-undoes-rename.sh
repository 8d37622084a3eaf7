#!/usr/bin/env bash
# claude-agent-sdk 0.2.189 (with its Claude Code 2.1.332): `rename_session` and `tag_session` add a line to a session's
# file, and the last of its kind counts ("repeated calls are safe", says the first). The program that has the session open
# keeps the title and the tag that it found when it opened it, and writes both again once a turn has added more than
# lists read of a file's end (64 KiB). So a name given while the session is open holds after a short answer, and after
# a long one the old name is back for good, and with it a tag that was taken away: a session that is filed as
# `hidden` and shown again hides again. Nothing is raised, and both lines are still in the file.
# Guessed: the newest line wins, whoever else has the session open; or the calls are refused while it is.
# Seen: the lines at `expected` below.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv python
python/bin/pip install --quiet --no-compile --disable-pip-version-check claude-agent-sdk==0.2.189
cat > rename.py <<'PY'
import asyncio, http.server, json, os, pathlib, threading
answers = []
class Model(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        text = answers.pop(0) if answers and asked.get("tools") else "Fine."
        message = {"id": "m", "type": "message", "role": "assistant", "model": "any", "content": [], "stop_reason": None}
        events = [
            {"type": "message_start", "message": {**message, "usage": {"input_tokens": 1, "output_tokens": 1}}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}},
            {"type": "message_stop"},
        ]
        self.answer(200, "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events))
    def do_GET(self):
        self.answer(404, "")
    do_HEAD = do_GET
    def answer(self, status, text):
        self.send_response(status)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())
    def log_message(self, *words):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
home, project = pathlib.Path("home").absolute(), pathlib.Path("project").absolute()
home.mkdir()
project.mkdir()
own = {
    "HOME": str(home), "CLAUDE_CONFIG_DIR": str(home / ".claude"), "ANTHROPIC_API_KEY": "any",
    "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{server.server_port}",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1",
}
os.environ.update(own)
from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, ResultMessage
from claude_agent_sdk import get_session_info, rename_session, tag_session
async def turn(client, prompt):
    await client.query(prompt)
    async for message in client.receive_response():
        if isinstance(message, ResultMessage):
            assert not message.is_error
            return message.session_id
def listed(session):
    info = get_session_info(session, directory=str(project))
    return f"{info.summary}, {info.tag or 'no tag'}"
async def main():
    for length, answer in ("short", "Fine."), ("long", "word " * 20_000):
        async with ClaudeSDKClient(ClaudeAgentOptions(cwd=project, env=own)) as client:
            session = await turn(client, "Begin.")
        rename_session(session, "Old name", directory=str(project))
        tag_session(session, "hidden", directory=str(project))
        async with ClaudeSDKClient(ClaudeAgentOptions(cwd=project, env=own, resume=session)) as client:
            await turn(client, "Go on.")
            rename_session(session, "New name", directory=str(project))
            tag_session(session, None, directory=str(project))
            print(f"renamed while it is open: {listed(session)}")
            answers.append(answer)
            await turn(client, "More.")
        print(f"closed after a {length} answer: {listed(session)}")
asyncio.run(main())
PY
python/bin/python rename.py > seen
cat > expected <<'TXT'
renamed while it is open: New name, no tag
closed after a short answer: New name, no tag
renamed while it is open: New name, no tag
closed after a long answer: Old name, hidden
TXT
diff expected seen
echo "claude-agent-sdk 0.2.189: as it was seen."
