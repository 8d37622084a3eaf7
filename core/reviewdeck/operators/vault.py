"""The operators' directory: sealed keys, the key ring, failed passphrases, counters.

It belongs to the operator (mode 700). Every file is replaced atomically, by a rename.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from reviewdeck.errors import (
    BadInput,
    LedgerUnavailable,
    NotVerified,
    TooManyTries,
    WrongPassphrase,
)
from reviewdeck.operators.keys import MODERATE, KdfCost, KeySigner, generate_key, unseal
from reviewdeck.operators.presence import RING as RING
from reviewdeck.operators.presence import has_list
from reviewdeck.operators.ring import Ring, RingEntry, next_line, read_ring
from reviewdeck.text.json import load_json
from reviewdeck.values import dataclass

SUFFIX: Final = ".key"
ASIDE: Final = ".old"
"""Suffix of a key whose place another one took."""
FREE_TRIES: Final = 2
"""Wrong passphrases without a pause; from the next on there is one."""
FIRST_PAUSE: Final = timedelta(seconds=60)
LONGEST_PAUSE: Final = timedelta(hours=1)
SHORTEST_PASSPHRASE: Final = 8
"""Least characters of a passphrase."""
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")


@dataclass(frozen=True, slots=True)
class OpenKey:
    """One operator, with the private key."""

    name: str
    signer: KeySigner


class Vault:
    """The files of the operators at this account."""

    def __init__(self, directory: Path, hardness: KdfCost = MODERATE) -> None:
        self.directory = directory
        self._hardness = hardness
        self._ring_cache: tuple[tuple[int, int, int], Ring] | None = None

    @property
    def exists(self) -> bool:
        """Whether there is a list of operators."""
        return has_list(self.directory)

    def ring(self) -> Ring:
        """The verified list of trusted keys. Raises NotVerified."""
        path = self.directory / RING
        try:
            status = path.stat()
            stamp = (status.st_ino, status.st_size, status.st_mtime_ns)
            if self._ring_cache is None or self._ring_cache[0] != stamp:
                self._ring_cache = (stamp, read_ring(path.read_text("utf-8")))
        except FileNotFoundError:
            return Ring()
        except (OSError, UnicodeDecodeError) as error:
            raise NotVerified(f"The operators' file {path} cannot be read: {error}.") from None
        return self._ring_cache[1]

    def note(self, entry: RingEntry, signer: KeySigner, at: datetime) -> Ring:
        """Adds a line to the list. Raises NotVerified if the signer is not trusted."""
        with self._locked():
            path = self.directory / RING
            text = path.read_text("utf-8") if path.exists() else ""
            line = next_line(read_ring(text), entry, signer, at)
            ring = read_ring(f"{text}{line}\n")
            self._replace(path, f"{text}{line}\n")
        return ring

    def names(self) -> tuple[str, ...]:
        """Names of the operators with a private key here."""
        with suppress(OSError):
            return tuple(sorted(path.stem for path in self.directory.glob(f"*{SUFFIX}")))
        return ()

    def has_keys(self) -> bool:
        """Whether any private key is here, also one set aside by an interrupted rotation."""
        return bool(self.names()) or any(self.directory.glob(f"*{ASIDE}"))

    def make_key(self, name: str, passphrase: str) -> KeySigner:
        """Makes an operator's private key. Raises BadInput for an invalid name or passphrase."""
        check_name(name)
        if len(passphrase) < SHORTEST_PASSPHRASE:
            raise BadInput(f"A passphrase has at least {SHORTEST_PASSPHRASE} characters.")
        signer = generate_key()
        sealed_key = {"name": name, "public": signer.public} | signer.seal(
            passphrase, self._hardness
        )
        with self._locked():
            # An older key of that name is set aside, and never overwritten.
            path = self.directory / f"{name}{SUFFIX}"
            if path.exists():
                public = str(self._json(path.name).get("public", ""))[:8] or "old"
                path.rename(path.with_name(f"{name}-{public}{ASIDE}"))
            self._replace(path, json.dumps(sealed_key, indent=1) + "\n")
        return signer

    def open_key(self, passphrase: str, at: datetime) -> OpenKey:
        """The key of a trusted operator that this passphrase opens.

        Each try is counted before it is made, so parallel tries count too. Raises WrongPassphrase,
        TooManyTries, NotVerified.
        """
        ring = self.ring()
        with self._locked():
            failed = self._count_try(at)
        damaged: list[NotVerified] = []
        files = tuple(self._key_files(ring, at))
        for path in files:
            try:
                signer = self._open(path, passphrase)
            except NotVerified as error:
                damaged.append(error)  # It may be somebody else's.
                continue
            if signer is not None and ring.key_at(signer.public, at) is not None:
                with self._locked():
                    self._replace(self.directory / "tries.json", json.dumps({"failed": 0}))
                return OpenKey(ring.keys[signer.public].name, signer)
        if damaged and len(damaged) == len(files):
            raise damaged[0]
        pause = pause_after(failed)
        after = f" The next try counts in {int(pause.total_seconds())} seconds." if pause else ""
        damage = "".join(f" {error.message}" for error in damaged)
        raise WrongPassphrase(f"This passphrase opens no operator's key.{after}{damage}")

    def highest_counter(self, ledger: str) -> int:
        """The highest counter that was stored in a ledger."""
        return self._counters().get(ledger, 0)

    def record_counter(self, ledger: str, counter: int) -> None:
        """Records that a counter is stored in a ledger: one with less has lost decisions."""
        if counter > self.highest_counter(ledger):
            with self._locked():
                counters = self._counters()
                counters[ledger] = max(counter, counters.get(ledger, 0))
                self._replace(self.directory / "counters.json", json.dumps(counters))

    def _counters(self) -> dict[str, int]:
        counters = self._json("counters.json")
        return {name: count for name, count in counters.items() if isinstance(count, int)}

    def _key_files(self, ring: Ring, at: datetime) -> Iterator[Path]:
        """The sealed keys, and those set aside that still count: a rotation was interrupted."""
        for name in self.names():
            yield self.directory / f"{name}{SUFFIX}"
        for path in sorted(self.directory.glob(f"*{ASIDE}")):
            if ring.key_at(str(self._json(path.name).get("public")), at) is not None:
                yield path

    def _open(self, path: Path, passphrase: str) -> KeySigner | None:
        try:
            return unseal(load_json(path.read_text("utf-8")), passphrase)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise NotVerified(f"The key {path} cannot be used: {error}.") from None

    def _count_try(self, at: datetime) -> int:
        failed, until = self._failed_tries()
        # The clock was set back if the rest is longer than any pause.
        if until is not None and timedelta() < until - at <= LONGEST_PAUSE:
            wait = (until - at).total_seconds()
            raise TooManyTries(f"{failed} passphrases were wrong: try again in {wait:.0f} seconds.")
        failed += 1
        pause = pause_after(failed)
        record: dict[str, Any] = {"failed": failed}
        if pause:
            record["until"] = (at + pause).isoformat()
        self._replace(self.directory / "tries.json", json.dumps(record))
        return failed

    def _failed_tries(self) -> tuple[int, datetime | None]:
        """Wrong passphrases in a row, and the end of the pause; none if the record is damaged."""
        tries = self._json("tries.json")
        try:
            failed, until = int(tries.get("failed", 0)), tries.get("until")
            end = None if until is None else datetime.fromisoformat(until).astimezone(UTC)
        except (OverflowError, TypeError, ValueError):
            return 0, None
        return failed, end

    def _json(self, name: str) -> dict[str, Any]:
        try:
            content = load_json((self.directory / name).read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return content if isinstance(content, dict) else {}

    def _replace(self, path: Path, text: str) -> None:
        handle, temporary = tempfile.mkstemp(dir=self.directory, prefix=".new-")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        try:
            self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder = os.open(self.directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise self._unusable(error) from error
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        except OSError as error:
            raise self._unusable(error) from error
        finally:
            os.close(folder)

    def _unusable(self, error: OSError) -> LedgerUnavailable:
        message = f"The operators' directory {self.directory} cannot be used: {error.strerror}."
        return LedgerUnavailable(message, hint="Check its owner, and the space on its disk.")


def check_name(name: str) -> None:
    """Raises BadInput for what cannot be an operator's name."""
    if not _NAME.fullmatch(name):
        raise BadInput(f"{name!r} cannot be an operator's name.", hint="Letters and digits.")


def pause_after(failed: int) -> timedelta:
    """The pause after `failed` wrong passphrases in a row."""
    if failed <= FREE_TRIES:
        return timedelta()
    doubled: int = 2 ** min(failed - FREE_TRIES - 1, 10)
    return min(LONGEST_PAUSE, FIRST_PAUSE * doubled)
