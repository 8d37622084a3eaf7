// Asks reviewdeck about each write to a document of a workspace. OpenClaw blocks the call when this
// throws or takes too long; so a gate that fails keeps documents as they are.
import { spawn } from "node:child_process";
import { readFileSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const WORKSHOP = "skill_workshop";
const TOOLS = ["write", "edit", "apply_patch", WORKSHOP];
/** What makes a skill of the Workshop live at once, by the setting of its automatic mode. */
const LIVE = {
  auto: ["apply", "restore_collection", "patch"],
  propose: ["apply", "restore_collection"],
};
/** The runs of a background review, which works in the Workshop and whose session is not stored. */
const REVIEW = "skill-workshop-review:";
const DECIDED =
  "reviewdeck reviews the skills of the Workshop: a person decides. Propose a change with create," +
  " update or revise; it waits for review, and there is no need to apply it.";
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
export function isNear(place, homes) {
  return homes.some((home) =>
    [relative(home, place), relative(real(home), real(place))].some(
      (inner) =>
        inner &&
        !inner.startsWith("..") &&
        !isAbsolute(inner) &&
        /^(workshop-)?skills\/|\.md$/i.test(inner),
    ),
  );
}

/** The folder in which a session began to work; nothing where OpenClaw has not stored it. */
async function beganIn(folder, session) {
  try {
    const { DatabaseSync } = await import("node:sqlite");
    const kept = new DatabaseSync(join(folder, "openclaw-agent.sqlite"), { readOnly: true });
    try {
      const query = "SELECT event_json FROM transcript_events WHERE session_id = ? AND seq = 0";
      return JSON.parse(kept.prepare(query).get(session).event_json).cwd;
    } finally {
      kept.close();
    }
  } catch {}
}

/** Every folder from which OpenClaw may take a relative path of this call. */
async function foldersOf(gate, config, ctx) {
  const own = gate.workshops[ctx?.agentId];
  const began = await beganIn(own ?? "", ctx?.sessionId);
  const skills = own && join(own, "workshop-skills");
  if (skills && (began === skills || ctx.runId?.startsWith(REVIEW))) return [skills];
  const workspace = gate.workspaces[ctx?.agentId] ?? Object.values(gate.workspaces)[0];
  const agents = config?.agents ?? {};
  const agent =
    agents.entries?.[ctx?.agentId] ?? agents.list?.find?.(({ id }) => id === ctx?.agentId);
  const named = agent?.cwd?.trim() || agents.defaults?.cwd?.trim();
  return [workspace, ...(named ? [placeOf(named, process.cwd())] : []), ...(began ? [began] : [])];
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
    const homes = [...Object.values(gate.workspaces), ...Object.values(gate.workshops)];
    api.on(
      "before_tool_call",
      async (event, ctx) => {
        const config = api.runtime?.config?.current?.() ?? api.config;
        if (event.toolName === WORKSHOP) {
          const mode = config?.skills?.workshop?.autonomous?.mode;
          const isLive = (LIVE[mode] ?? LIVE.auto).includes(event.params?.action);
          return isLive ? { block: true, blockReason: DECIDED } : undefined;
        }
        const folders = await foldersOf(gate, config, ctx);
        const places = named(event).map((path) => [
          ...new Set(folders.map((folder) => placeOf(path, folder))),
        ]);
        const near = places.filter((some) => some.some((place) => isNear(place, homes)));
        if (near.length === 0) return;
        const blockReason = await ask(gate.command, {
          tool: event.toolName,
          params: event.params,
          paths: near.flat(),
          unsure: near.some((some) => some.length > 1),
          cwd: folders[0],
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
