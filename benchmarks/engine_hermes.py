"""Hermes' own approve-all over the home in HERMES_HOME. Runs in Hermes' environment alone."""

from __future__ import annotations

import sys
import time
from importlib import import_module


def main() -> None:
    """Prints seconds of the clock, seconds of work, and how many were applied."""
    decide = import_module("hermes_cli.write_approval_commands").handle_pending_subcommand
    store = import_module("tools.memory_tool").MemoryStore(memory_char_limit=100_000_000)
    store.load_from_disk()
    clock, work = time.perf_counter(), time.process_time()
    answer = decide("memory", ["approve", "all"], memory_store=store) or ""
    clock, work = time.perf_counter() - clock, time.process_time() - work
    sys.stdout.write(f"{clock} {work} {answer.split()[1]}\n")


if __name__ == "__main__":
    main()
