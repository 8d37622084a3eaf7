#!/usr/bin/env bash
# agent-framework-core 1.23.0: its MemoryContextProvider keeps what the agent remembers by topic, and knows a topic by the
# letters a to z and the digits of its name. So C, C++ and C# are one topic, and so are "node.js" and "Node JS" and all
# names in other scripts. What is written to the second goes to the first, under the first one's name: the model reads of
# C that it is indented with four blanks. The tool that is to remove C# answers that it did, and removes all three.
# Guessed: topics of different names are different topics, and "Delete one topic memory file" leaves the others.
# Seen: the lines at `expected` below.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv python
python/bin/pip install --quiet --no-compile --disable-pip-version-check agent-framework-core==1.23.0
cat > topics.py <<'PY'
import asyncio, json, warnings
warnings.simplefilter("ignore")
from agent_framework import AgentSession, MemoryContextProvider, MemoryFileStore, SessionContext
MEMORIES = {"C": "Indent with tabs.", "C++": "Indent with four blanks.", "C#": "Braces stand alone.", "Go": "gofmt decides."}
async def main():
    provider = MemoryContextProvider(store=MemoryFileStore("kept", owner_state_key="owner"))
    session = AgentSession(session_id="one")
    session.state["owner"] = "ann"
    context = SessionContext(input_messages=[], session_id="one")
    await provider.before_run(agent=None, session=session, context=context, state={})
    tools = {tool.name: tool for tool in context.tools}
    async def call(name, **arguments):
        return (await tools[name].invoke(arguments=arguments))[0].text
    async def listed():
        return ", ".join(one["topic"] for one in json.loads(await call("list_memory_topics"))) or "none"
    for topic, memory in MEMORIES.items():
        written = json.loads(await call("write_memory", topic=topic, memory=memory))
        print(f"{topic} is written as {written['topic']}: {' '.join(written['memories'])}")
    print("topics:", await listed())
    print(await call("delete_memory_topic", topic="C#"))
    print("topics:", await listed())
asyncio.run(main())
PY
python/bin/python topics.py > seen
cat > expected <<'TXT'
C is written as C: Indent with tabs.
C++ is written as C: Indent with tabs. Indent with four blanks.
C# is written as C: Indent with tabs. Indent with four blanks. Braces stand alone.
Go is written as Go: gofmt decides.
topics: C, Go
Deleted memory topic 'C#'.
topics: Go
TXT
diff expected seen
echo "agent-framework-core 1.23.0: as it was seen."
