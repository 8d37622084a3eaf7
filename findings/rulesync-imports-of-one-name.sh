#!/usr/bin/env bash
# rulesync 17.0.0: `rulesync import` writes a tool's rules into `.rulesync/rules` by their file names, over what an import from
# another tool has put there, and `rulesync generate` then writes what is left for every tool. So of three tools that each
# have a rule called `testing`, only the one that was imported last has it, and all three are given that: the other two
# texts are gone from the repository, and their patterns with them. Each command says what it imported and wrote, none
# what it wrote over. Root files are different: they are named after their tools, and come one behind the other.
# Guessed: the manual's first steps, three imports in a row, gather the rules of all three; or the second is refused.
# Seen: the lines at `expected` below.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work/npm" node@22.23.3 rulesync@17.0.0 >/dev/null 2>&1
export PATH="$work/npm/node_modules/.bin:$PATH" HOME="$work/home"
mkdir -p home app/.claude/rules app/.cursor/rules app/.github/instructions
cd app
git init -q .
echo "Claude is told: be brief." > CLAUDE.md
echo "Copilot is told: be polite." > .github/copilot-instructions.md
printf -- '---\npaths:\n  - "**/*.py"\n---\nClaude is told: use pytest.\n' > .claude/rules/testing.md
printf -- '---\nalwaysApply: true\n---\nCursor is told: cover every branch.\n' > .cursor/rules/testing.mdc
printf -- '---\napplyTo: "**/*.ts"\n---\nCopilot is told: use vitest.\n' > .github/instructions/testing.instructions.md
{
  for tool in claudecode cursor copilot; do
    rulesync import --targets $tool --features rules
  done
  rulesync generate --targets claudecode,cursor,copilot --features rules | tail -1 | grep -o "Written.*"
  for file in CLAUDE.md .claude/rules/testing.md .cursor/rules/testing.mdc .github/instructions/testing.instructions.md; do
    echo "$file: $(grep -h "told" $file | paste -sd ' ')"
  done
  for words in "use pytest" "cover every branch" "use vitest"; do
    echo "$words: in $(grep -rl "$words" . --include='*.md*' | wc -l) files"
  done
} > ../seen
cat > ../expected <<'TXT'
Imported 2 file(s) total (2 rules)
Imported 1 file(s) total (1 rules)
Imported 2 file(s) total (2 rules)
Written 6 file(s) total (6 rules)
CLAUDE.md: Claude is told: be brief. Copilot is told: be polite.
.claude/rules/testing.md: Copilot is told: use vitest.
.cursor/rules/testing.mdc: Copilot is told: use vitest.
.github/instructions/testing.instructions.md: Copilot is told: use vitest.
use pytest: in 0 files
cover every branch: in 0 files
use vitest: in 4 files
TXT
diff ../expected ../seen
echo "rulesync 17.0.0: as it was seen."
