#!/usr/bin/env bash
# hermes-agent 0.19.0: its default settings name two places at which the line about what a review of the
# conversation wrote into memory is turned off, display.memory_notifications and, for one platform,
# display.platforms.<platform>.memory_notifications. The first does so in chats through the gateway; the
# terminal, `hermes chat`, prints the line all the same, since nothing reads the setting there. The second
# is read by nobody, though other settings of display.platforms are.
# Guessed: off is off everywhere, and what a platform has goes before what all have; or off without
# quotation marks, YAML's false, counts as nothing set. (It counts as off.)
# Seen: "gateway, off: quiet", "gateway, off for its platform: told", "terminal, off: told".
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv python
python/bin/pip install --quiet --no-compile --disable-pip-version-check hermes-agent==0.19.0
cat > model.py <<'PY'
import http.server, json, pathlib
NOTE = json.dumps({"action": "add", "target": "memory", "content": "The linter is ruff."})
CALL = {"index": 0, "id": "c1", "type": "function", "function": {"name": "memory", "arguments": NOTE}}
class Model(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if "messages" not in request:
            return self.do_GET()
        last = request["messages"][-1]
        is_review = last["role"] == "user" and str(last["content"]).startswith("Review the conversation above")
        said = {"tool_calls": [CALL]} if is_review else {"content": "Fine."}
        said, finish = {"role": "assistant", "content": None, **said}, "tool_calls" if is_review else "stop"
        head = {"id": "c", "created": 1, "model": "any"}
        if request.get("stream"):
            choice = {"index": 0, "delta": said, "finish_reason": finish}
            answer = json.dumps({**head, "object": "chat.completion.chunk", "choices": [choice]})
            answer = f"data: {answer}\n\ndata: [DONE]\n\n".encode()
        else:
            choice = {"index": 0, "message": said, "finish_reason": finish}
            answer = json.dumps({**head, "object": "chat.completion", "choices": [choice]}).encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream" if request.get("stream") else "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)
    def do_GET(self):
        self.send_response(404)
        self.send_header("content-length", "0")
        self.end_headers()
    def log_message(self, *words):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
pathlib.Path("port").write_text(str(server.server_port))
server.serve_forever()
PY
python3 model.py & model=$!
trap 'kill $model; rm -rf "$work"' EXIT
until [ -s port ]; do :; done
# A chat through the real gateway: only the network of the platform is left out.
cat > chat.py <<'PY'
import asyncio, os, threading
from gateway.config import GatewayConfig, Platform, PlatformConfig
from gateway.platforms.base import BasePlatformAdapter, MessageEvent, SendResult
from gateway.run import GatewayRunner
from gateway.session import SessionSource
class Chat(BasePlatformAdapter):
    sent = []
    async def connect(self, **_):
        return True
    async def disconnect(self):
        pass
    async def send(self, chat_id, content, reply_to=None, metadata=None):
        self.sent.append(content)
        return SendResult(success=True, message_id=str(len(self.sent)))
    async def get_chat_info(self, chat_id):
        return {"name": "Ann", "type": "dm"}
async def main():
    settings = PlatformConfig(enabled=True, token="1:any")
    runner = GatewayRunner(GatewayConfig(platforms={Platform.TELEGRAM: settings}))
    chat = runner.adapters[Platform.TELEGRAM] = Chat(settings, Platform.TELEGRAM)
    chat.set_message_handler(runner._handle_message)
    source = SessionSource(platform=Platform.TELEGRAM, chat_id="7", chat_type="dm", user_id="7", user_name="Ann")
    await chat.handle_message(MessageEvent(text="hi", source=source, message_id="1"))
    while tasks := [one for one in chat._background_tasks if not one.done()]:
        await asyncio.gather(*tasks, return_exceptions=True)
    for thread in threading.enumerate():
        if thread.name == "bg-review":
            await asyncio.to_thread(thread.join)
    await asyncio.sleep(3)  # What the review hands over is sent by this loop.
    assert "Fine." in Chat.sent
    print("\n".join(Chat.sent), flush=True)
asyncio.run(main())
os._exit(0)  # A gateway has threads that go on.
PY
# The real program in a terminal, where "hi" is typed.
cat > terminal.py <<'PY'
import os, pty, select, sys, time
child, terminal = pty.fork()
if child == 0:
    os.execv(sys.argv[1], sys.argv[1:])
printed, typed, end = b"", 0.0, time.monotonic() + 240
told = "Self-improvement review: Memory updated".encode()
try:
    while told not in printed and time.monotonic() < end:
        if select.select([terminal], [], [], 0.2)[0]:
            printed += os.read(terminal, 65536)
        if "❯".encode() in printed and b"Fine." not in printed and time.monotonic() - typed > 10:
            os.write(terminal, b"hi")
            time.sleep(0.3)  # Enter at once would be a line of what is pasted.
            os.write(terminal, b"\r")
            typed = time.monotonic()
finally:
    os.kill(child, 9)
print(printed.decode(errors="replace"))
PY
# A home of its own: its name and its display settings, then what runs there.
run() {
    home="$work/$1"
    mkdir -p "$home"
    cat > "$home/config.yaml" <<YAML
model: {provider: custom, default: any, base_url: "http://127.0.0.1:$(cat port)/v1", api_key: any}
memory: {nudge_interval: 1}
skills: {creation_nudge_interval: 0}
display: $2
YAML
    env -i HOME="$home" HERMES_HOME="$home" PATH="$PATH" TERM=xterm COLUMNS=100 LINES=40 GATEWAY_ALLOW_ALL_USERS=true \
        timeout 300 python/bin/python "${@:3}" </dev/null >"$1.out" 2>&1
    grep -q "The linter is ruff." "$home/memories/MEMORY.md"
    grep -q "$start💾 Self-improvement review: Memory updated" "$1.out" && said=told || said=quiet
}
start="^"  # The gateway also prints the line, indented, where it was started; what it sent is not.
run all '{memory_notifications: off}' chat.py
echo "gateway, off: $said" | tee -a seen
run platform '{platforms: {telegram: {memory_notifications: "off"}}}' chat.py
echo "gateway, off for its platform: $said" | tee -a seen
start=""
run terminal '{memory_notifications: off}' terminal.py python/bin/hermes chat
echo "terminal, off: $said" | tee -a seen
diff seen - <<'TXT'
gateway, off: quiet
gateway, off for its platform: told
terminal, off: told
TXT
