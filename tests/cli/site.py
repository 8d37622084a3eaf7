"""A home, its ledger and its account, over which the whole program runs again and again."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cli.interrupting import Ended, Nursery
from tests.homes.skill_tree import write_skills

WORDS = "correct horse battery"


@dataclass(frozen=True, slots=True)
class Site:
    """A home, its ledger and its account, as a few commands left them, restored for each run."""

    root: Path
    nursery: Nursery

    @property
    def home(self) -> Path:
        return self.used / "home"

    @property
    def used(self) -> Path:
        return self.root / "used"

    @property
    def project(self) -> Path:
        return self.used / "project"

    def run(self, *words: str, **how: Any) -> Ended:
        where = ("--home", str(self.home), "--ledger", str(self.used / "ledger" / "ledger.db"))
        return self.nursery.run(*words, *(() if "--home" in words else where), **how)

    def read(self, *words: str) -> Any:
        ran = self.run(*words, "--json")
        return json.loads(ran.out)

    def keep(self) -> None:
        shutil.rmtree(self.root / "kept", ignore_errors=True)
        shutil.copytree(self.used, self.root / "kept", symlinks=True)

    def restore(self, state: str = "kept") -> None:
        shutil.rmtree(self.used)
        shutil.copytree(self.root / state, self.used, symlinks=True)

    def one(self, state: str, **wanted: str) -> dict[str, Any]:
        found: list[dict[str, Any]] = self.read("list", "--state", state, "--limit", "100")
        return next(i for i in found if all(i[key] == value for key, value in wanted.items()))

    def texts(self) -> Mapping[str, bytes]:
        """What agents read, and what was installed: not reviewdeck's own files, nor any lock."""
        folders = [self.home / "memories", self.home / "skills", self.project, self.used / "user"]
        return {
            str(path.relative_to(self.used)): b"" if "outside" in path.parts else path.read_bytes()
            for folder in folders
            for path in sorted(folder.rglob("*"))
            if path.is_file()
            and path.suffix != ".lock"
            and path.name != ".usage.json"
            and ".reviewdeck" not in path.parts
            and "data" not in path.parts
            and not path.name.startswith("copy.db")  # an empty one is as good as none
        }


@contextmanager
def prepared_site(root: Path) -> Iterator[Site]:
    """A site that is used for a while: proposals of each state, agents, a folder of skills."""
    user = root / "used" / "user"
    (user / ".claude").mkdir(parents=True)
    (user / "outside").mkdir()
    env = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    env |= {"HOME": str(user), "TERM": "dumb", "COLUMNS": "80", "TZ": "UTC", "USER": "dana"}
    env |= {"XDG_DATA_HOME": str(user / "data"), "XDG_CONFIG_HOME": str(user / "config")}
    env |= {"PYTHONPATH": str(Path(__file__).parents[2])}
    with Nursery(env, root) as nursery:
        site = Site(root, nursery)
        assert site.run("demo", str(site.home), "--home", "/").code == 0
        write_skills(site.project / "skills")
        for agent, file in (("qwen", "settings.json"), ("gemini", "settings.json")):
            (user / f".{agent}").mkdir()
            (user / f".{agent}" / file).write_text("{}\n")
        (user / ".openclaw" / "workspace").mkdir(parents=True)
        (user / ".openclaw" / "openclaw.json").write_text("{}\n")
        (user / "policy.toml").write_text("[approval]\nneeds = 2\nseverity = 'low'\n")
        thin_out(site)
        assert site.run("auto").code == 3
        rejected = site.one("ready", target="memory")["id"]
        assert site.run("reject", rejected, "--reason", "No.").code == 0
        with (site.home / "memories" / "MEMORY.md").open("a") as memory:
            memory.write("\n§\nThe port of the mock server is 8123.")
        assert site.run("list").code == 0
        site.keep()
        yield site


def thin_out(site: Site) -> None:
    """Leaves a few proposals of each state: every run takes the home in."""
    found = site.read("list", "--limit", "100")
    seen: dict[tuple[str, str], int] = {}
    for item in found:
        alike = item["state"], item["target"] if item["state"] in ("ready", "conflict") else ""
        seen[alike] = seen.get(alike, 0) + 1
        if seen[alike] > (6 if alike[1] == "memory" else 1):
            (site.home / item["source"]).unlink()
