#!/usr/bin/env bash
# deepagents 0.7.32: of an agent with a checkpointer, each thread is told the AGENTS.md and the list of skills that were
# there at its first turn, for good. They are kept in the thread's state and never read again: what the agent itself
# writes into its memory is not in its prompt the next time, a line that somebody has corrected or taken away goes on being
# told, after a restart too, and a skill that was added is not listed. A new thread has it all as it is.
# Guessed: memory, which is "always loaded", is what is in the file when a turn begins; a program that runs on
# may have an old copy, a thread that is opened again not.
# Seen: the lines at `expected` below.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv python
python/bin/pip install --quiet --no-compile --disable-pip-version-check deepagents==0.7.32 langgraph-checkpoint-sqlite==3.1.2
cat > turn.py <<'PY'
import pathlib, re, sys
from deepagents import create_deep_agent
from deepagents.backends import FilesystemBackend
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langgraph.checkpoint.sqlite import SqliteSaver
class Model(GenericFakeChatModel):
    def bind_tools(self, tools, **options):
        return self
    def _generate(self, messages, **options):
        told = "\n".join(str(one.content) for one in messages if one.type == "system")
        print(" ".join(re.findall(r"stg-\d", told)) or "nothing", "and the skills", *re.findall(r"The (\w+) one\.", told))
        return super()._generate(messages, **options)
def turn(thread, when):
    print(f"thread {thread}, {when}:", end=" ")
    with SqliteSaver.from_conn_string("threads.db") as threads:
        agent = create_deep_agent(
            model=Model(messages=iter([AIMessage("Fine.")])), memory=["/AGENTS.md"], skills=["/skills"], checkpointer=threads,
            backend=FilesystemBackend(root_dir=home, virtual_mode=True))
        agent.invoke({"messages": [("user", "hi")]}, {"configurable": {"thread_id": thread}})
def skill(name):
    (home / "skills" / name).mkdir(parents=True)
    (home / "skills" / name / "SKILL.md").write_text(f"---\nname: {name}\ndescription: The {name} one.\n---\nText.\n")
home = pathlib.Path("home").absolute()
memory = home / "AGENTS.md"
if sys.argv[1] == "first":
    skill("first")
    memory.write_text("Deploy to stg-2.\n")
    turn("one", "begun")
else:
    memory.write_text("Deploy to stg-3.\n")
    skill("second")
    turn("one", "corrected")
    turn("two", "begun")
    memory.unlink()
    turn("one", "removed")
PY
export LANGSMITH_TRACING=false
{ python/bin/python turn.py first; python/bin/python turn.py again; } > seen
cat > expected <<'TXT'
thread one, begun: stg-2 and the skills first
thread one, corrected: stg-2 and the skills first
thread two, begun: stg-3 and the skills first second
thread one, removed: stg-2 and the skills first
TXT
diff expected seen
echo "deepagents 0.7.32: as it was seen."
