"""Fixtures that several test folders share: real homes on real disks."""

from __future__ import annotations

import gc
import json
import os
import shutil
import signal
import sys
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from tests import postgres
from tests.homes.later import Later, make_later_home

FIXTURES = Path(__file__).parent / "fixtures"

MEMORY_DISK = Path("/dev/shm")  # noqa: S108 - a file system in memory, where there is one
NEEDED = 2 << 30
"""The bytes that all temporary folders of a run take at most, with room to spare."""

# The suite writes thousands of small files, each synchronised: in memory that takes half the time.
if os.access(MEMORY_DISK, os.W_OK) and shutil.disk_usage(MEMORY_DISK).free > NEEDED:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY_DISK))

# Hundreds of tests start a program. Where nothing is to be written beside the sources, what they
# load is compiled into a folder of its own, once instead of each time.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
    sys.dont_write_bytecode = False
    sys.pycache_prefix = str(Path(__file__).parents[1] / ".pytest_cache" / "compiled")
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix

# Whoever starts a run in the background may have it ignore interruptions, and so would every
# program that a test starts and interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)

# How long an example takes, or takes to be made, says more of the machine than of the law. The
# examples are the same in each run: what fails, fails because of a change. Others are looked for
# with `make explore`.
settings.register_profile(
    "reviewdeck",
    deadline=None,
    max_examples=150,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("reviewdeck")
settings.register_profile("explore", derandomize=False, print_blob=True)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Half as many again as processors: tests also wait, for timers, threads and programs."""
    on_linux = sys.platform == "linux"
    processors = len(os.sched_getaffinity(0)) if on_linux else os.cpu_count() or 1
    return processors * 3 // 2


def pytest_collection_finish() -> None:
    """Leaves what lives as long as the run out of every later collection of garbage.

    A deck freezes what it has loaded too: in a run of many decks that would keep each of them.
    """
    gc.collect()
    gc.freeze()
    gc.freeze = _freeze_nothing


def _freeze_nothing() -> None:
    pass


def pytest_sessionfinish() -> None:
    """Ends the PostgreSQL that tests of this process used, if any did."""
    postgres.stop_servers()


BOUNDS = (
    *(f"reviewdeck.agents.hermes.{name}.PATIENCE" for name in ("sidecar", "direct", "turns")),
    *(f"reviewdeck.agents.hermes.{name}.PATIENCE" for name in ("chat", "guard")),
    "reviewdeck.working.redis.TIMEOUT",
)
"""How long an agent is held up at most, in seconds: one, or a few."""


@pytest.fixture(autouse=True, scope="session")
def _machines_that_take_their_time() -> Iterator[None]:
    """A machine under load is no disk, program or server that hangs: a test of one that does sets
    a bound of its own."""
    with pytest.MonkeyPatch.context() as patched:
        for bound in BOUNDS:
            patched.setattr(bound, 60.0)
        yield


@pytest.fixture(autouse=True, scope="session")
def _no_data_of_whoever_runs_the_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What a machine keeps of its ledgers and hubs, where a test names no place of its own."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        yield


@pytest.fixture(scope="session")
def postgres_server() -> postgres.Server:
    """A running PostgreSQL, shared by the tests of this process."""
    return postgres.server()


@pytest.fixture(scope="session")
def _unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(FIXTURES / "hermes-home.tar.gz") as archive:
        archive.extractall(root, filter="data")
    return root / "hermes_home"


@pytest.fixture
def hermes_home(_unpacked: Path, tmp_path: Path) -> Path:
    """A home made by the real Hermes 0.19.0, with 50 pending records: a copy of one's own."""
    return shutil.copytree(_unpacked, tmp_path / "hermes_home", symlinks=True)


@dataclass(frozen=True, slots=True)
class OracleRecord:
    """What Hermes 0.19.0 itself does when this record alone is approved."""

    id: str
    label: str
    stale: str | None
    subsystem: str
    action: str
    origin: str
    success: bool
    error: str
    changed: dict[str, str | None]
    """Path to the SHA-256 of the file afterwards; None when Hermes deletes it."""


@pytest.fixture
def later(tmp_path: Path) -> Later:
    """A home as a later version of Hermes keeps it."""
    return make_later_home(tmp_path / "home")


@pytest.fixture(scope="session")
def oracle() -> dict[str, OracleRecord]:
    """The oracle's records by label."""
    raw: dict[str, Any] = json.loads((FIXTURES / "hermes-oracle.json").read_text("utf-8"))
    return {
        record["label"]: OracleRecord(
            id=record["id"],
            label=record["label"],
            stale=record["stale"],
            subsystem=record["subsystem"],
            action=record["action"],
            origin=record["origin"],
            success=record["apply"]["success"],
            error=record["apply"]["error"],
            changed=record["changed"],
        )
        for record in raw["records"]
    }


@dataclass(frozen=True, slots=True)
class Earlier:
    """A ledger that version 7d5a4e4 wrote, before the first release, and the home it is about."""

    home: Path
    ledger: Path
    known_as: str = "/srv/iris/hermes"
    """Where the home stood then."""


def unpack_earlier(folder: Path) -> Earlier:
    """Proposals in each state, decisions, a merge, an undo, a draft, turns, a review."""
    with tarfile.open(FIXTURES / "ledger-0009.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    return Earlier(folder / "home", folder / "ledger.db")


@pytest.fixture
def earlier(tmp_path: Path) -> Earlier:
    """An earlier ledger and its home, unpacked afresh."""
    return unpack_earlier(tmp_path / "earlier")
