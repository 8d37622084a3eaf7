#!/usr/bin/env bash
# @intellectronica/ruler 0.3.44: `ruler apply` keeps an AGENTS.md that was there as AGENTS.md.bak, and `ruler revert`
# puts it back, removes the copy, and then the file. It says "Files restored from backup: 1", and neither the file nor its
# copy is there: what was not committed is lost. Several agents share that file. For the first of them it is restored,
# and for the next, with no copy any more, it is one that ruler made. With `--agents codex` or `--keep-backups` it stays,
# and so does a CLAUDE.md, which one agent has alone.
# Guessed: as the manual says, it "safely undoes all changes" and restores the "pre-ruler state".
# Seen: the lines at `expected` below.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work/npm" @intellectronica/ruler@0.3.44 >/dev/null 2>&1
export PATH="$work/npm/node_modules/.bin:$PATH" HOME="$work/home" XDG_CONFIG_HOME="$work/home/.config"
mkdir -p home
counted() { sed -n "s/^ *$1: \([0-9]*\)$/\1/p" ../said; }
reverted() { # HOW, FILE, AGENT, WORDS: what is left of a file that was there before
  mkdir -p "$1/.ruler"
  git init -q "$1"
  echo "Rules of the team." > "$1/.ruler/team.md"
  echo "Rules of mine." > "$1/$2"
  (
    cd "$1"
    ruler apply --agents "$3" >../out 2>&1
    grep -q "Rules of the team." "$2"
    ruler revert "${@:4}" >../said 2>&1
    left=$(find . -maxdepth 1 -name "$2*" -printf '%f\n' | sort | paste -sd ' ')
    counts="restored $(counted "Files restored from backup"), removed $(counted "Generated files removed")"
    echo "$1: $counts, left ${left:-nothing}"
    [ ! -e "$2" ] || grep -qx "Rules of mine." "$2"
  )
}
{
  reverted all AGENTS.md codex
  reverted keeping AGENTS.md codex --keep-backups
  reverted one AGENTS.md codex --agents codex
  reverted claude CLAUDE.md claude
} > seen
cat > expected <<'TXT'
all: restored 1, removed 1, left nothing
keeping: restored 17, removed 0, left AGENTS.md AGENTS.md.bak
one: restored 1, removed 0, left AGENTS.md
claude: restored 1, removed 0, left CLAUDE.md
TXT
diff expected seen
echo "ruler 0.3.44: as it was seen."
