#!/usr/bin/env bash
# @earendil-works/pi-coding-agent 1.6.0: which skills its agent is told of depends on files that say nothing
# of skills. A .gitignore (.ignore, .fdignore) in the folder of skills hides what it names, in a folder that no
# repository holds too: a private skill kept out of git, or one beside a `*` that a build tool wrote, is not
# listed, and no diagnostic says so. And a note that lies beside the folders becomes a skill once its front matter has a
# description. Without a name it is called what the folder is called, `skills`, so of several such notes
# one is listed.
# Guessed: a SKILL.md in a folder of the skills' folder is a skill, and nothing else is.
# Seen: "listed: plain skills", "not listed: first-or-second private tool", "said: name \"skills\" collision".
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work" node@22.23.3 @earendil-works/pi-coding-agent@1.6.0 >/dev/null 2>&1
skills=agent/skills
mkdir -p $skills/{plain,private,made/tool} project
for one in plain private made/tool; do
    printf -- '---\nname: %s\ndescription: Purpose of it.\n---\n\nText.\n' "${one##*/}" > $skills/$one/SKILL.md
done
for one in first second; do
    printf -- '---\ndescription: A note.\n---\n\nText.\n' > $skills/$one.md
done
printf 'private/\n' > $skills/.gitignore
printf '*\n' > $skills/made/.gitignore
cat > listed.mjs <<'JS'
import assert from "node:assert";
import { formatSkillsForPrompt, loadSkills } from "@earendil-works/pi-coding-agent";
const places = { cwd: `${process.cwd()}/project`, agentDir: `${process.cwd()}/agent`, skillPaths: [] };
const { skills, diagnostics } = loadSkills({ ...places, includeDefaults: true });
const prompt = formatSkillsForPrompt(skills);
const listed = [...prompt.matchAll(/<name>(.*)<\/name>/g)].map((one) => one[1]).sort();
console.log("listed:", listed.join(" "));
assert.deepEqual(listed, ["plain", "skills"]);
for (const one of ["private", "tool"]) assert(!prompt.includes(`/${one}/SKILL.md`));
assert.notEqual(prompt.includes("/first.md"), prompt.includes("/second.md"));
console.log("not listed: first-or-second private tool");
console.log("said:", diagnostics.map((one) => one.message).join("; "));
assert.deepEqual(diagnostics.map((one) => one.message), ['name "skills" collision']);
JS
node_modules/node/bin/node listed.mjs
