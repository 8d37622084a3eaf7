"""Examples of every command, and what its exit codes mean. Shown by `--help` and in the manual."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

COMMON: Final = (
    "Every command takes --home PATH, --profile NAME, --all-profiles, --ledger URL, --policy FILE,"
    " --host user@machine, --json and --no-color: see `reviewdeck --help`."
)
"""Printed below the help of a command, which lists only the command's own options."""
USUAL_CODES: Final = "0 done, 1 failed, 2 invalid command line"
EXIT_CODES: Final[Mapping[str, str]] = {
    "auto": f"{USUAL_CODES}, 3 done and something waits for a person",
    "doctor": "0 no problem, 1 a problem, 2 invalid command line",
    "fsck": "0 whole, 1 damaged, 2 invalid command line",
    "config": "0 no error in the files, 1 an error, 2 invalid command line",
    "hermes status": "0 complete, 1 a part is missing, 2 invalid command line",
    "openclaw status": "0 complete, 1 a part is missing or off, 2 invalid command line",
    "claude status": "0 complete, 1 a part is missing or off, 2 invalid command line",
    "qwen status": "0 complete, 1 a part is missing or off, 2 invalid command line",
    "service status": "0 it runs, 1 it does not, 2 invalid command line",
    "policy check": "0 valid, 1 an error in the file, 2 invalid command line",
    "review": f"{USUAL_CODES}, 5 try again later, 6 it ended early",
    "skills check": "0 nothing of high severity, 1 something, 2 invalid command line",
    "log": f"{USUAL_CODES}, 4 --verify: only documents changed without review",
    "skills verify": "0 as approved, 1 failed, 2 invalid command line, 3 something differs,"
    " 4 something cannot be read",
}
"""Where they say more than usual."""
EXAMPLES: Final[Mapping[str, tuple[str, ...]]] = {
    "status": ("status", "status --short"),
    "since": ("since", "since yesterday", "since 2h --json"),
    "list": (
        "list",
        "list --filter 'severity:high NOT kind:skills'",
        "list --state ready --format '{id} {digest}'",
    ),
    "show": ("show 4f1c",),
    "diff": ("diff 4f1c",),
    "read": ("read ~/.hermes/memories/MEMORY.md", "read CLAUDE.md --as claude"),
    "prompt": ("prompt", "prompt --as hermes"),
    "adopt": ("adopt",),
    "auto": ("auto --dry-run", "auto", "auto --watch"),
    "approve": (
        "approve 4f1c",
        "approve --filter 'kind:memory age:<1d'",
        "approve 4f1c --digest 8c3253847a55",
    ),
    "merge": ("merge 4f1c --take proposed --digest 8c3253847a55",),
    "reject": (
        "reject 4f1c 9a20 --reason 'It is stg-2 until Friday.'",
        "reject --filter 'state:outdated age:>3d' --reason Outdated.",
    ),
    "defer": ("defer 4f1c", "defer --state conflict --reason 'After the release.'"),
    "repair": ("repair 4f1c",),
    "review": ("review session.json",),
    "undo": ("undo", "undo 68636d1e"),
    "restore": ("restore memory 8d2202ee",),
    "revert": ("revert 4f1c", "revert --since 2h", "revert --session 20261129_4 --yes"),
    "reopen": ("reopen 4f1c",),
    "log": ("log", "log --verify"),
    "history": ("history memory",),
    "blame": ("blame memory",),
    "pause": ("pause",),
    "resume": ("resume",),
    "init": ("init",),
    "mcp": ("mcp",),
    "record": ("record turns.jsonl",),
    "recover": ("recover",),
    "setup": ("setup", "setup --dry-run", "setup --yes"),
    "config": ("config",),
    "doctor": ("doctor",),
    "fsck": ("fsck", "fsck --backup"),
    "purge": ("purge --reason 'A token of the build server.'",),
    "demo": ("demo", "demo ./sample"),
    "completion": ("completion bash", "completion man"),
    "serve": ("serve",),
    "policy explain": ("policy explain 4f1c",),
    "policy test": ("policy test --policy new.toml",),
    "policy check": ("policy check policy.toml",),
    "policy sign": ("policy sign",),
    "operators list": ("operators list",),
    "operators add": ("operators add ada",),
    "operators rotate": ("operators rotate",),
    "operators revoke": ("operators revoke ada",),
    "operators export": ("operators export",),
    "hermes brief": ("hermes brief",),
    "hermes chat": ("hermes chat",),
    "hermes install": ("hermes install --dry-run", "hermes install --profile work"),
    "hermes status": ("hermes status",),
    "hermes uninstall": ("hermes uninstall",),
    "hermes gate": ("hermes gate on",),
    "claude install": ("claude install", "claude install --project ~/code/app"),
    "claude status": ("claude status",),
    "claude uninstall": ("claude uninstall",),
    "qwen install": ("qwen install", "qwen install --project ~/code/app"),
    "qwen status": ("qwen status",),
    "qwen uninstall": ("qwen uninstall",),
    "openclaw install": ("openclaw install",),
    "openclaw status": ("openclaw status",),
    "openclaw uninstall": ("openclaw uninstall",),
    "skills lock": ("skills lock .claude/skills",),
    "skills verify": ("skills verify .claude/skills",),
    "skills check": ("skills check .claude/skills",),
    "skills restore": ("skills restore .claude/skills",),
    "service install": ("service install",),
    "service status": ("service status",),
    "service uninstall": ("service uninstall",),
}
