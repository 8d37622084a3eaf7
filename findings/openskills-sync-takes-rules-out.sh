#!/usr/bin/env bash
# openskills 1.5.0: `openskills sync` replaces what stands in an AGENTS.md from the first `<skills_system` to the first end
# tag. Where a sentence names that tag ("do not edit `<skills_system>` by hand"), it begins there: every rule between the
# sentence and the list is gone. Where there is no list yet, such a sentence makes it write none. The new list is the
# second argument of JavaScript's `replace`, where `$'` is all that follows: a skill that writes 'US$' in quotes brings a
# copy of the rest of the file, once more at each sync. Each time it says "Synced 1 skill(s)". And when the last
# skill has been removed it writes nothing, so the agent goes on being told of it.
# Guessed: what the manual calls "Update AGENTS.md" changes the section that it wrote itself, and nothing around it.
# Seen: the lines at `expected` below.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work/npm" openskills@1.5.0 >/dev/null 2>&1
export PATH="$work/npm/node_modules/.bin:$PATH" HOME="$work/home"
mkdir -p home
named='Do not edit `<skills_system>` by hand.'
synced() { # NAME DESCRIPTION SENTENCE LIST: what is left of an AGENTS.md that has a list, or none yet
  mkdir -p "$1/.claude/skills/prices"
  printf -- '---\nname: prices\ndescription: %s\n---\nText.\n' "$2" > "$1/.claude/skills/prices/SKILL.md"
  (
    cd "$1"
    openskills sync --yes --output list.md >/dev/null
    printf '%s\n\nRun the tests.\n\n%s\n\nNever push on Fridays.\n' "$3" "$([ "$4" = none ] || cat list.md)" > AGENTS.md
    said=$(openskills sync --yes | grep -o "Synced.*(s)")
    count() { grep -c "$1" AGENTS.md || true; }
    echo "$1: $said, tests $(count "Run the tests"), Fridays $(count "Never push"), listed $(count "<name>prices")"
  )
}
{
  synced plain "Writes prices." "Rules." there
  synced named "Writes prices." "$named" there
  synced "named, no list" "Writes prices." "$named" none
  synced quoted "Writes prices as '12 US\$'." "Rules." there
  rm -r plain/.claude/skills/prices
  (cd plain && openskills sync --yes | head -1 && echo "removed: listed $(grep -c "<name>prices" AGENTS.md)")
} > seen
cat > expected <<'TXT'
plain: Synced 1 skill(s), tests 1, Fridays 1, listed 1
named: Synced 1 skill(s), tests 0, Fridays 1, listed 1
named, no list: Synced 1 skill(s), tests 1, Fridays 1, listed 0
quoted: Synced 1 skill(s), tests 1, Fridays 2, listed 1
No skills installed. Install skills first:
removed: listed 1
TXT
diff expected seen
echo "openskills 1.5.0: as it was seen."
