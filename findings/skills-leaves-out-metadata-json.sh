#!/usr/bin/env bash
# skills 1.7.4: `skills add` leaves out every file called metadata.json, beside the SKILL.md and in each folder below, of
# whatever kind it is: one of the skill's assets, a test's data, a model's card. So a skill that works where it was
# written has lost its data where it is installed, for all agents, linked or with `--copy`. It says "Installed 1 skill".
# Guessed: what is installed is the folder with all its files; the manual of the program speaks of none that is not, and
# in the specification of skills a folder may hold any file.
# Seen: the lines at `expected` below.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work/npm" node@22.23.3 skills@1.7.4 >/dev/null 2>&1
export PATH="$work/npm/node_modules/.bin:$PATH" HOME="$work/home" DISABLE_TELEMETRY=1 DO_NOT_TRACK=1
mkdir -p home source/prices/assets source/prices/scripts
cd source/prices
printf -- '---\nname: prices\ndescription: Adds the tax.\n---\nRun scripts/tax.py.\n' > SKILL.md
echo '{"tax": 19}' > assets/metadata.json
echo '{"tax": 7}' > assets/reduced.json
cat > scripts/tax.py <<'PY'
import json, pathlib
assets = pathlib.Path(__file__).parents[1] / "assets"
for name in "reduced.json", "metadata.json":
    file = assets / name
    print(json.loads(file.read_text())["tax"] if file.exists() else f"no {name}")
PY
tax() { echo "$1: $(python3 "$2/prices/scripts/tax.py" | paste -sd ' ')"; }
{
  tax source ..
  for how in linked copied; do
    mkdir -p "$work/$how/.claude"
    cd "$work/$how"
    git init -q .
    words=(--agent claude-code codex --yes)
    [ $how = linked ] || words+=(--copy)
    skills add ../source/prices "${words[@]}" </dev/null 2>&1 | grep -o "Installed 1 skill"
    tax "$how, for Codex" .agents/skills
    tax "$how, for Claude Code" .claude/skills
  done
} > "$work/seen"
cat > "$work/expected" <<'TXT'
source: 7 19
Installed 1 skill
linked, for Codex: 7 no metadata.json
linked, for Claude Code: 7 no metadata.json
Installed 1 skill
copied, for Codex: 7 no metadata.json
copied, for Claude Code: 7 no metadata.json
TXT
diff "$work/expected" "$work/seen"
echo "skills 1.7.4: as it was seen."
