#!/usr/bin/env bash
# openai-agents 0.24.0 with a server that numbers the calls of each answer anew (`remember:0` again and again, which
# was reported of Kimi K3 behind vLLM and of llama.cpp): in a chat the place says which answer belongs to which call;
# the library goes by the id alone, and does one of three things:
# - in one run, the same tool with the same arguments: the second call is not made; the model is told that it called
#   once, so who waits for a state by asking again reads the first answer for good;
# - in one run, other arguments: ModelBehaviorError;
# - in the next run of a session, or over `to_input_list()`: the call is made, and its arguments take the place of the
#   first call's, before the message that asked for it, while of the first nothing is left. The session's file has both.
# Guessed: an answer goes to the call before it, as without ids; or a repeated id is always refused.
# Seen: the lines at `expected` below.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv python
python/bin/pip install --quiet --no-compile --disable-pip-version-check openai-agents==0.24.0
cat > run.py <<'PY'
import asyncio, http.server, json, threading
from agents import Agent, ModelBehaviorError, OpenAIChatCompletionsModel, Runner, SQLiteSession
from agents import function_tool, set_tracing_disabled
from openai import AsyncOpenAI
script, asked = [], []
class Model(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        asked.append(json.loads(self.rfile.read(int(self.headers["content-length"])))["messages"])
        message, finish = {"role": "assistant", "content": "Done."}, "stop"
        if script:
            name, arguments, number = script.pop(0)
            call = {"name": name, "arguments": json.dumps(arguments)}
            calls = [{"id": f"{name}:{number}", "type": "function", "function": call}]
            message, finish = {"role": "assistant", "content": None, "tool_calls": calls}, "tool_calls"
        choice = {"index": 0, "message": message, "finish_reason": finish}
        head = {"id": f"chat-{len(asked)}", "object": "chat.completion", "created": 1, "model": "any"}
        answer = json.dumps({**head, "choices": [choice]}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)
    def log_message(self, *words):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
made = []
@function_tool
def state() -> str:
    made.append("state")
    return f"{made.count('state')} done"
@function_tool
def remember(fact: str) -> str:
    made.append(fact)
    return f"kept {fact}"
def told(messages):
    for one in messages:
        if one["role"] == "user":
            yield f"asked {one['content']}"
        for call in one.get("tool_calls") or ():
            yield " ".join(("called", *json.loads(call["function"]["arguments"]).values()))
        if one["role"] == "tool":
            yield one["content"]
async def main():
    client = AsyncOpenAI(base_url=f"http://127.0.0.1:{server.server_port}/v1", api_key="any", max_retries=0)
    agent = Agent("any", model=OpenAIChatCompletionsModel("any", client), tools=[state, remember])
    for name, second in ("unique", 1), ("repeated", 0):
        made.clear()
        script[:] = [("state", {}, 0), ("state", {}, second)]
        await Runner.run(agent, "wait")
        print(f"{name}, same arguments: made {len(made)}; told:", ", ".join(told(asked[-1])))
        made.clear()
        script[:] = [("remember", {"fact": "tea"}, 0), ("remember", {"fact": "figs"}, second)]
        try:
            await Runner.run(agent, "both")
            print(f"{name}, other arguments: made {len(made)}; told:", ", ".join(told(asked[-1])))
        except ModelBehaviorError as error:
            print(f"{name}, other arguments: made {len(made)};", type(error).__name__)
        made.clear()
        session = SQLiteSession(name, "sessions.db")
        script[:] = [("remember", {"fact": "tea"}, 0)]
        await Runner.run(agent, "tea", session=session)
        script[:] = [("remember", {"fact": "figs"}, second)]
        await Runner.run(agent, "figs", session=session)
        print(f"{name}, two runs: made {len(made)}; told:", ", ".join(told(asked[-1])))
        kept = [one["output"] for one in await session.get_items() if one.get("type") == "function_call_output"]
        print(f"{name}, in the session's file:", ", ".join(kept))
set_tracing_disabled(True)
asyncio.run(main())
PY
python/bin/python run.py > seen
cat > expected <<'TXT'
unique, same arguments: made 2; told: asked wait, called, 1 done, called, 2 done
unique, other arguments: made 2; told: asked both, called tea, kept tea, called figs, kept figs
unique, two runs: made 2; told: asked tea, called tea, kept tea, asked figs, called figs, kept figs
unique, in the session's file: kept tea, kept figs
repeated, same arguments: made 1; told: asked wait, called, 1 done
repeated, other arguments: made 1; ModelBehaviorError
repeated, two runs: made 2; told: asked tea, called figs, asked figs, kept figs
repeated, in the session's file: kept tea, kept figs
TXT
diff expected seen
echo "openai-agents 0.24.0: as it was seen."
