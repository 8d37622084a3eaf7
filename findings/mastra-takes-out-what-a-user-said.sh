#!/usr/bin/env bash
# @mastra/memory 1.31.0 with @mastra/core 1.71.0: what a user says between `<working_memory>` and the next
# `</working_memory>` is not in the history, though working memory is off. The tags are from when a model wrote its
# memory into its answers; they are taken out of a user's words too, with all that stands between them, also where they
# are quoted and a rule is said between the two. The model reads the rule in that turn and answers it; from the next turn
# on it is told a sentence without it, and nothing says so. `Memory.saveMessages`, by which a conversation is brought
# over, also takes the blanks from a text's ends: the first key of YAML loses its indentation, which it keeps if it is
# said to the agent.
# Guessed: a feature that is off does nothing, and the history of a user's messages is what the user said.
# Seen: the lines at `expected` below.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work" node@24 @mastra/memory@1.31.0 @mastra/core@1.71.0 >/dev/null 2>&1
cat > said.mjs <<'JS'
import { Agent } from "@mastra/core/agent";
import { InMemoryStore } from "@mastra/core/storage";
import { Memory } from "@mastra/memory";
const TEXTS = [
  "Begin the notes with `<working_memory>`. Never delete a backup. End them with `</working_memory>`.",
  "<working_memory>I moved to Bonn.</working_memory> Why is this in my old log?",
  "<memory>I moved to Bonn.</memory> Why is this in my old log?",
  "  tea:\n    - green\n  milk: oats\n",
];
const turns = [];
const model = {
  specificationVersion: "v2", provider: "none", modelId: "none", supportedUrls: {},
  async doGenerate({ prompt }) {
    turns.push(prompt.filter(({ role }) => role === "user").map(({ content }) => content[0].text));
    return { content: [{ type: "text", text: "Yes." }], finishReason: "stop", usage: {}, warnings: [] };
  },
};
const options = { workingMemory: { enabled: false }, lastMessages: 20 };
const memory = new Memory({ storage: new InMemoryStore(), options });
const agent = new Agent({ id: "clerk", name: "clerk", instructions: "Answer.", model, memory });
for (const text of TEXTS) await agent.generate(text, { memory: { thread: "said", resource: "ann" } });
await agent.generate("And?", { memory: { thread: "said", resource: "ann" } });
TEXTS.forEach((text, number) => {
  if (turns[number].at(-1) !== text) throw new Error("not told whole in its own turn");
  console.log(`said: ${JSON.stringify(turns.at(-1)[number])}`);
});
const brought = { threadId: "brought", resourceId: "ann" };
await memory.createThread(brought);
const content = { format: 2, parts: [{ type: "text", text: TEXTS.at(-1) }] };
await memory.saveMessages({ messages: [{ id: "1", role: "user", createdAt: new Date(), content, ...brought }] });
const { messages } = await memory.recall(brought);
console.log(`brought: ${JSON.stringify(messages[0].content.parts[0].text)}`);
JS
node_modules/.bin/node said.mjs > seen
cat > expected <<'TXT'
said: "Begin the notes with ``."
said: "Why is this in my old log?"
said: "<memory>I moved to Bonn.</memory> Why is this in my old log?"
said: "  tea:\n    - green\n  milk: oats\n"
brought: "tea:\n    - green\n  milk: oats"
TXT
diff expected seen
echo "@mastra/memory 1.31.0: as it was seen."
