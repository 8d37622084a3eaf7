#!/usr/bin/env bash
# agent-framework-core 1.23.0 with agent-framework-openai 1.17.0 (OpenAI Chat Completions, which the server here speaks):
# a session's history takes a turn that is word for word the one before it for a replay of that one, and does not keep it.
# Streamed answers have an id that tells them apart; whole ones, which `run` gets without `stream`, have none. So
# whoever says "Add 10." three times and is told "Done." each time has a model that knows of one: in the session, in
# a FileHistoryProvider's file, and after a restart. Nothing is said, and the model was asked each time.
# Guessed: what was said is in the history as often as it was said, streamed or not; `filter_new_messages`, which does it,
# "preserves legitimate duplicate turns" in its own words.
# Seen: the lines at `expected` below.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv python
python/bin/pip install --quiet --no-compile --disable-pip-version-check \
    agent-framework-core==1.23.0 agent-framework-openai==1.17.0
cat > again.py <<'PY'
import asyncio, http.server, json, pathlib, threading, warnings
warnings.simplefilter("ignore")
from agent_framework import Agent, FileHistoryProvider
from agent_framework.openai import OpenAIChatCompletionClient
asked = []
class Model(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        asked.append([message["content"] for message in body["messages"] if message["role"] == "user"])
        said = {"role": "assistant", "content": "Done."}
        answer = {"id": f"chatcmpl-{len(asked)}", "created": len(asked), "model": "any", "object": "chat.completion",
                  "choices": [{"index": 0, "message": said, "delta": said, "finish_reason": "stop"}]}
        text = json.dumps(answer)
        if body.get("stream"):
            text = f"data: {text.replace('chat.completion', 'chat.completion.chunk')}\n\ndata: [DONE]\n\n"
        self.send_response(200)
        self.send_header("content-type", "text/event-stream" if body.get("stream") else "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())
    def log_message(self, *words):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
async def talk(name, texts, stream=False, **options):
    client = OpenAIChatCompletionClient(model="any", api_key="any", base_url=f"http://127.0.0.1:{server.server_port}/v1")
    agent = Agent(client=client, **options)
    session = agent.create_session(session_id=name.replace(" ", "-"))
    for text in texts:
        if stream:
            await agent.run(text, session=session, stream=True).get_final_response()
        else:
            await agent.run(text, session=session)
    print(f"{name}: the model is told {', '.join(asked[-1])}")
async def main():
    again = ["Add 10.", "Add 10.", "Add 10.", "How much?"]
    await talk("whole answers", again)
    await talk("whole answers in a file", again, context_providers=[FileHistoryProvider("kept")])
    lines = pathlib.Path("kept/whole-answers-in-a-file.jsonl").read_text().splitlines()
    print(f"in the file: {len(lines)} messages of {2 * len(again)}")
    await talk("streamed answers", again, stream=True)
    await talk("other words", ["Add 10.", "Add ten.", "Add 10 more.", "How much?"])
asyncio.run(main())
PY
python/bin/python again.py > seen
cat > expected <<'TXT'
whole answers: the model is told Add 10., How much?
whole answers in a file: the model is told Add 10., How much?
in the file: 4 messages of 8
streamed answers: the model is told Add 10., Add 10., Add 10., How much?
other words: the model is told Add 10., Add ten., Add 10 more., How much?
TXT
diff expected seen
echo "agent-framework-core 1.23.0: as it was seen."
