// Asks reviewdeck about each write to a document of a workspace. OpenClaw blocks the call when this
// throws or takes too long; so a gate that fails keeps documents as they are.
import { spawn } from "node:child_process";
import { readFileSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const TOOLS = ["write", "edit", "apply_patch"];
const PATIENCE = 10_000; // Milliseconds; OpenClaw itself waits for 15 seconds.
const PATCHED = /^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$/gm;

/** The paths that a call names. */
export function named(event) {
  const { path, file_path: other, input } = event.params ?? {};
  const patched = typeof input === "string" ? [...input.matchAll(PATCHED)].map((one) => one[1]) : [];
  const paths = [path, other, ...patched, ...(event.derivedPaths ?? [])];
  return [...new Set(paths.filter((one) => typeof one === "string" && one))];
}

/** Where a path leads, with links resolved as far as it exists. */
function real(path) {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(real(above), basename(path));
  }
}

/** The place that a path names, by all that OpenClaw lets a model write for it. Throws. */
export function placeOf(path, folder) {
  let plain = path.replace(/<\/arg_value>>+$/, "").replace(/^@/, "");
  if (/^file:\/\//i.test(plain)) plain = fileURLToPath(plain);
  return plain.startsWith("~/") ? join(homedir(), plain.slice(2)) : resolve(folder, plain);
}

/** Whether a place may be that of a document; the program knows which ones are. */
export function isNear(place, workspaces) {
  return workspaces.some((workspace) =>
    [relative(workspace, place), relative(real(workspace), real(place))].some(
      (inner) =>
        inner && !inner.startsWith("..") && !isAbsolute(inner) && /^skills\/|\.md$/i.test(inner),
    ),
  );
}

/** What reviewdeck says of a call: the reason for blocking it, or nothing. */
export function ask(command, question, timeout = PATIENCE) {
  return new Promise((done, fail) => {
    const [program, ...words] = command;
    const child = spawn(program, words, { stdio: ["pipe", "pipe", "pipe"], timeout });
    const said = { stdout: "", stderr: "" };
    for (const name of Object.keys(said)) {
      child[name].setEncoding("utf8").on("data", (text) => (said[name] += text));
    }
    child.on("error", fail);
    child.on("close", (code) => {
      if (code !== 0) return fail(new Error(said.stderr.trim() || `reviewdeck ended with ${code}`));
      try {
        const { reason } = JSON.parse(said.stdout);
        if (typeof reason === "string") return done(reason);
      } catch {}
      fail(new Error("reviewdeck gave no answer"));
    });
    child.stdin.on("error", () => {}).end(JSON.stringify(question));
  });
}

export default {
  id: "reviewdeck",
  name: "reviewdeck",
  description: "Takes what the agent writes to its memory, instructions and skills for review.",
  register(api) {
    const gate = JSON.parse(readFileSync(new URL("gate.json", import.meta.url), "utf8"));
    const workspaces = Object.values(gate.workspaces);
    api.on(
      "before_tool_call",
      async (event, ctx) => {
        const folder = gate.workspaces[ctx?.agentId] ?? workspaces[0];
        const places = named(event).map((path) => placeOf(path, folder));
        const paths = places.filter((place) => isNear(place, workspaces));
        if (paths.length === 0) return;
        const blockReason = await ask(gate.command, {
          tool: event.toolName,
          params: event.params,
          paths,
          cwd: folder,
          agent: ctx?.agentId,
          session: ctx?.sessionId,
          run: event.runId ?? ctx?.runId,
          call: event.toolCallId ?? ctx?.toolCallId,
        });
        if (blockReason) return { block: true, blockReason };
      },
      { matcher: TOOLS },
    );
  },
};
