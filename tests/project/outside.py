"""reviewdeck as somebody sees it who has the command, a home and a ledger, and nothing else."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Self

START = datetime(2026, 12, 1, 9, tzinfo=UTC)
"""Later than every record of the fixtures was made."""
ROOT_LENGTH = 120
"""Every path that is printed is as long as in the recording: columns stay where they are."""


@dataclass(frozen=True, slots=True)
class Ran:
    """How one command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed, as JSON."""
        return json.loads(self.out)


class Program:
    """The command, in a process that outlives each run of it. Time stands still during a run."""

    def __init__(self, user: Path, now: datetime = START, *, below: Sequence[str] = ()) -> None:
        """`below` is a command that runs the one that is appended to it."""
        self.now = now
        paths = [path for path in sys.path if path]
        env = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.pathsep.join(paths),
            "HOME": str(user),
            "LOGNAME": "operator",
            "LANG": "C.UTF-8",
            "TZ": "UTC",
        }
        script = Path(__file__).with_name("answering.py")
        self._process = subprocess.Popen(
            [*below, sys.executable, str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=env,
            cwd=user,
        )

    def __call__(self, *words: str, columns: int = 80) -> Ran:
        """Runs one command."""
        assert self._process.stdin is not None and self._process.stdout is not None
        asked = {"words": words, "at": self.now.isoformat(), "columns": columns}
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "the program's process has ended"
        return Ran(**json.loads(line))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.read()  # Until the process that answers has closed its end.
        self._process.stdout.close()
        self._process.wait()


def long_root(parent: Path) -> Path:
    """A directory whose path is as long as every other that this gives."""
    real = parent.resolve()
    assert len(str(real)) < ROOT_LENGTH - 1, "TMPDIR has too long a path"
    root = real / ("r" * (ROOT_LENGTH - 1 - len(str(real))))
    root.mkdir()
    return root


@dataclass(slots=True)
class Names:
    """Puts a numbered sign where a random or path-dependent id stands, of the same width.

    Ids are known by their first eight digits. Sums of what is in a file are the same on every
    machine: they are left as they are.
    """

    root: Path
    known: dict[str, str] = field(default_factory=dict)
    lasting: set[str] = field(default_factory=set)

    _ID = re.compile(r"(?<![0-9A-Za-z_])[0-9a-f]{8,64}(?![0-9A-Za-z_])")
    _CUT = re.compile(r"(?<![0-9A-Za-z_])[0-9a-f]{4,}(?=…)")
    _TAKEN = re.compile(r"\d+\.\d+ ms")
    _QUOTED = re.compile(r"'(ROOT[\w/.-]*)'")
    """A path that has a space is quoted in commands."""
    _SCHEMA = re.compile(r"(?<=\.backup-)\d{4}")

    def __call__(self, text: str) -> str:
        """The text as it is on every machine."""
        text = self._cut_paths(text.replace(str(self.root), "ROOT"))
        text = self._QUOTED.sub(r"\1", text)
        text = self._ID.sub(lambda found: self._name(found[0]), text)
        text = self._TAKEN.sub("N ms", self._CUT.sub("~", text))
        return self._SCHEMA.sub("N", text)

    def keep(self, *ids: str) -> None:
        """These ids and sums are no random ones."""
        self.lasting |= {id[:8] for id in ids}

    def values(self, value: Any) -> Any:
        """The same for JSON. What is sorted by a random id is sorted by its sign."""
        match value:
            case str():
                return self(value)
            case list():
                return _ties_sorted([self.values(one) for one in value])
            case dict():
                named = sorted(((self(key), one) for key, one in value.items()), key=lambda n: n[0])
                return {
                    key: "ANCESTRY" if key == "ancestry" else self.values(one) for key, one in named
                }
            case _:
                return value

    def _cut_paths(self, text: str) -> str:
        """The root where only its beginning had room."""
        root = str(self.root)
        for length in range(len(root) - 1, 11, -1):
            text = text.replace(root[:length], "ROOT~")
        return text

    def _name(self, id: str) -> str:
        if id[:8] in self.lasting:
            return id
        name = self.known.setdefault(id[:8], f"#{len(self.known) + 1}")
        return name.ljust(min(len(id), 12), "'")


Files = Mapping[str, tuple[str, str]]
"""Path below a home to its mode, and the SHA-256 of its bytes."""


@dataclass(slots=True)
class Transcript:
    """What was typed and what was seen, in the words of every machine."""

    program: Program
    root: Path
    home: Path
    names: Names = field(init=False)
    lines: list[str] = field(default_factory=list)
    _files: Files = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.names = Names(self.root)

    def name_what_waits(self) -> list[dict[str, Any]]:
        """The queue; its ids are numbered by their files, whose names are the same everywhere."""
        items: list[dict[str, Any]] = self.quietly("list", "--json", "--limit", "500").json
        for item in sorted(items, key=lambda item: item["source"] or ""):
            self.names(item["id"])
        return items

    @property
    def text(self) -> str:
        """All of it."""
        return "\n".join(self.lines) + "\n"

    def run(self, *words: str, columns: int = 80) -> Ran:
        """Runs a command on the home, writes down how it went, and lets a minute pass."""
        ran = self.quietly(*words, columns=columns)
        self.lines.append(self.names("$ reviewdeck " + " ".join(words)))
        shown = self._compact(ran.out) if "--json" in words else self.names(ran.out)
        self.lines += _abridged([line.rstrip() for line in shown.splitlines()])
        self.lines += ["2> " + line.rstrip() for line in self.names(ran.err).splitlines()]
        if ran.code:
            self.lines.append(f"[{ran.code}]")
        self.program.now += timedelta(minutes=1)
        return ran

    def quietly(self, *words: str, columns: int = 80) -> Ran:
        """Runs a command on the home, and writes nothing down."""
        ledger = self.root / f"{self.home.name}-ledger" / "ledger.db"
        where = ("--home", str(self.home), "--ledger", str(ledger))
        return self.program(*words, *where, columns=columns)

    def files(self, heading: str) -> None:
        """Writes down which bytes of the home are others than when this was called last."""
        found = _files_of(self.home, self.names)
        self.lines.append(f"-- {heading}")
        for path in sorted(found.keys() | self._files.keys()):
            if found.get(path) != self._files.get(path):
                mode, sha = found.get(path, ("------", "gone"))
                self.lines.append(f"   {mode} {self.names(sha)} {self.names(path)}")
        self._files = found

    def _compact(self, out: str) -> str:
        """One line an element, so that a difference is seen where it is."""
        value = self.names.values(json.loads(out))
        parts = value if isinstance(value, list) else [value]
        return "\n".join(json.dumps(part, ensure_ascii=False) for part in parts)


def _ties_sorted(values: list[Any]) -> list[Any]:
    """What is equally grave or equally alike comes in the order of random ids: in that of signs."""

    def rank(value: Any) -> object:
        ranks = ("code", "severity", "relation", "score")
        return [value.get(name) for name in ranks] if isinstance(value, dict) else None

    ordered: list[Any] = []
    for _, tied in itertools.groupby(values, rank):
        group = list(tied)
        is_ranked = isinstance(group[0], dict) and not {"code", "score"}.isdisjoint(group[0])
        ordered += sorted(group, key=json.dumps) if is_ranked else group
    return ordered


_LONGEST_LINE, _MOST_LINES = 4_000, 300


def _abridged(lines: list[str]) -> list[str]:
    """The lines; of a long text its beginning, and the sum of it all."""
    if len(lines) > _MOST_LINES:
        sha = _sum("\n".join(lines).encode())
        lines = [*lines[:20], f"[{len(lines)} lines with the sum {sha}]"]
    return [
        line
        if len(line) <= _LONGEST_LINE
        else f"{line[:400]} [{len(line)} characters with the sum {_sum(line.encode())}]"
        for line in lines
    ]


def _sum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


_RANDOM = (".reviewdeck/identity",)
"""What is drawn anew for each home."""
_BINARY = ("state.db",)
"""Written by SQLite, whose version is in it."""


def _files_of(home: Path, names: Names) -> Files:
    found = {}
    for path in sorted(home.rglob("*")):
        name = str(path.relative_to(home))
        if path.is_symlink() or not path.is_file() or name in _RANDOM:
            continue
        data = path.read_bytes()
        sha = _sum(data)
        if name in _BINARY:
            sha = "a database"
        elif path.name.startswith(".") and data:
            # Hermes' own books: they name operations and places.
            sha = _sum(names(data.decode("utf-8")).encode())
        names.keep(sha)
        found[name] = (f"{path.stat().st_mode:o}", sha)
    return found
