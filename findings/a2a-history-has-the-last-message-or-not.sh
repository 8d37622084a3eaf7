#!/usr/bin/env bash
# a2a-sdk 1.3.0 of PyPI and @a2a-js/sdk 1.3.0 of npm keep different histories of one task. JavaScript puts a status
# message into the history at once, so that the last one is in both; Python when the next one comes, so that the last one
# is in the status alone. Who shows history and status shows the answer twice, who shows the history has none from Python.
# Guessed: to a client it is the same in which language a server of the protocol is written.
# Seen: the lines at the end.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work" @a2a-js/sdk@1.3.0 >/dev/null 2>&1
python3 -m venv python
python/bin/pip install --quiet --no-compile --disable-pip-version-check a2a-sdk==1.3.0
cat > clerk.py <<'PY'
import asyncio, logging
from a2a.helpers import get_message_text as text, new_task_from_user_message, new_text_message
from a2a.server.agent_execution import AgentExecutor
from a2a.server.context import ServerCallContext
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCard, GetTaskRequest, Role, SendMessageRequest
logging.disable()  # of the card, which says nothing here
class Clerk(AgentExecutor):
    async def execute(self, context, queue):
        await queue.enqueue_event(task := new_task_from_user_message(context.message))
        await (status := TaskUpdater(queue, task.id, task.context_id)).start_work(new_text_message("Looking."))
        await status.complete(new_text_message("In Bonn."))
    async def cancel(self, context, queue): ...
async def main():
    handler, context = DefaultRequestHandler(Clerk(), InMemoryTaskStore(), AgentCard()), ServerCallContext()
    asked = new_text_message("Where?", role=Role.ROLE_USER)
    task = await handler.on_message_send(SendMessageRequest(message=asked), context)
    last = await handler.on_get_task(GetTaskRequest(id=task.id, history_length=1), context)
    print(f"Python: {[*map(text, task.history)]} {text(task.status.message)}, last: {text(last.history[0])}")
asyncio.run(main())
PY
cat > clerk.mjs <<'JS'
import { AgentCard, Message, Task, TaskStatusUpdateEvent } from "@a2a-js/sdk";
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore, ServerCallContext } from "@a2a-js/sdk/server";
const text = ({ parts }) => parts[0].content.value;
const clerk = { async execute({ taskId, contextId, userMessage }, bus) {
  bus.publish(AgentEvent.task({ ...Task.fromJSON({ id: taskId, contextId, status: {} }), history: [userMessage] }));
  for (const [state, said] of [["TASK_STATE_WORKING", "Looking."], ["TASK_STATE_COMPLETED", "In Bonn."]]) {
    const status = { state, message: { messageId: crypto.randomUUID(), role: "ROLE_AGENT", parts: [{ text: said }] } };
    bus.publish(AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON({ taskId, contextId, status })));
  }
  bus.finished();
}};
const handler = new DefaultRequestHandler(AgentCard.fromJSON({}), new InMemoryTaskStore(), clerk);
const message = Message.fromJSON({ messageId: crypto.randomUUID(), role: "ROLE_USER", parts: [{ text: "Where?" }] });
const { id, history, status } = await handler.sendMessage({ message }, new ServerCallContext());
const last = await handler.getTask({ id, historyLength: 1 }, new ServerCallContext());
console.log("JavaScript:", history.map(text), `${text(status.message)}, last: ${text(last.history[0])}`);
JS
{ python/bin/python clerk.py; node clerk.mjs; } > seen
diff - seen <<'TXT'
Python: ['Where?', 'Looking.'] In Bonn., last: Looking.
JavaScript: [ 'Where?', 'Looking.', 'In Bonn.' ] In Bonn., last: In Bonn.
TXT
echo "a2a-sdk 1.3.0, @a2a-js/sdk 1.3.0: as it was seen."
