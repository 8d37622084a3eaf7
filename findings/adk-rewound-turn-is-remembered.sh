#!/usr/bin/env bash
# google-adk 2.13.0: a turn that `runner.rewind_async` has undone goes into the long-term memory when its session is added
# afterwards. The session keeps the turn, with a mark behind it that its own prompts heed and `add_session_to_memory` does
# not: what somebody took back at once is found by `search_memory`, and told to the model in the user's later sessions. Of
# the state that `create_session` was given a rewind leaves every key, with None for its value, though no turn changed it.
# Guessed: as the manual says, it "undoes that request and the requests after it" and goes back "to a previous request
# state"; what it lists as left out are the states of app and user, and what is outside.
# Seen: the lines at `expected` below.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv python
python/bin/pip install --quiet --no-compile --disable-pip-version-check google-adk==2.13.0
cat > rewind.py <<'PY'
import asyncio, re
from google.adk.agents import LlmAgent
from google.adk.memory import InMemoryMemoryService
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools.preload_memory_tool import PreloadMemoryTool
from google.genai import types
told = []
class Model(BaseLlm):
    async def generate_content_async(self, request, stream=False):
        texts = [str(request.config.system_instruction)] + [part.text for one in request.contents for part in one.parts]
        told.append(" ".join(sorted(set(re.findall(r"gate-\d", " ".join(texts))))) or "of no gate")
        yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text="Fine.")]))
async def main():
    sessions, memory = InMemorySessionService(), InMemoryMemoryService()
    agent = LlmAgent(name="helper", model=Model(model="any"), tools=[PreloadMemoryTool()])
    runner = Runner(agent=agent, app_name="app", session_service=sessions, memory_service=memory)
    async def turn(session, text):
        message = types.Content(role="user", parts=[types.Part(text=text)])
        async for event in runner.run_async(user_id="ann", session_id=session, new_message=message):
            invocation = event.invocation_id
        print(f"{session}, {text!r}: the model is told {told[-1]}")
        return invocation
    async def session(name):
        return await sessions.get_session(app_name="app", user_id="ann", session_id=name)
    await sessions.create_session(app_name="app", user_id="ann", session_id="first", state={"plan": "pro"})
    await turn("first", "We deploy to gate-1.")
    wrong = await turn("first", "The code is gate-7.")
    print("state before:", (await session("first")).state)
    await runner.rewind_async(user_id="ann", session_id="first", rewind_before_invocation_id=wrong)
    print("state after:", (await session("first")).state)
    await turn("first", "Go on.")
    await memory.add_session_to_memory(await session("first"))
    await sessions.create_session(app_name="app", user_id="ann", session_id="second")
    await turn("second", "What is the code?")
asyncio.run(main())
PY
python/bin/python rewind.py 2>/dev/null > seen
cat > expected <<'TXT'
first, 'We deploy to gate-1.': the model is told gate-1
first, 'The code is gate-7.': the model is told gate-1 gate-7
state before: {'plan': 'pro'}
state after: {'plan': None}
first, 'Go on.': the model is told gate-1
second, 'What is the code?': the model is told gate-7
TXT
diff expected seen
echo "google-adk 2.13.0: as it was seen."
