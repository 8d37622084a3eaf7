"""The demo's pending records, in Hermes' format."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent
"""`home` has the files of the home as they are, `earlier` as they were two days ago, before people
edited them; `records.json` what waits, and what was said before it."""
_SECRET = "ghp_" + "Tr4wl3r5" * 4 + "Q9xz"  # Put together here, so that no text has it.


@dataclass(frozen=True, slots=True)
class DemoRecord:
    """One record of the pending folder."""

    id: str
    minutes: int
    """Its age in minutes."""
    payload: Mapping[str, Any]
    bases: Mapping[str, str | None] | None = None
    """By path, the folder of `DATA` with the base (None: no such file); None for a record without
    provenance."""
    origin: str = "background_review"
    said: str = "Good. Keep in mind what helps next time."
    """The user's message before it."""
    page: str = ""
    """The web page that the agent read before it."""
    page_text: str = ""
    """The page, where it has more than the record."""
    from_page: bool = False
    """Whether it is of a conversation in which a page was read."""

    @property
    def subsystem(self) -> str:
        return "skills" if "name" in self.payload else "memory"

    def made(self, now: datetime) -> datetime:
        return now - timedelta(minutes=self.minutes)

    def session(self, now: datetime) -> str:
        talk = "web" if self.from_page else str(int(self.id[:2], 16) % 7)
        return f"{self.made(now):%Y%m%d}_harbour_{talk}"

    def render(self, now: datetime) -> bytes:
        """The file's content: Hermes' keys in Hermes' layout, then ours."""
        made_at = self.made(now)
        record: dict[str, Any] = {
            "id": self.id,
            "subsystem": self.subsystem,
            "action": self.payload["action"],
            "summary": summary_of(self.payload),
            "origin": self.origin,
            "created_at": made_at.timestamp(),
            "payload": dict(self.payload),
        }
        if self.bases is not None:
            record["reviewdeck"] = {
                "v": 1,
                "bases": {path: _base(path, folder) for path, folder in self.bases.items()},
                "session": self.session(now),
                "turn": str(int(self.id[2:4], 16) % 40 + 1),
                "tool_call": f"call_{self.id[::-1]}",
            }
        return json.dumps(record, ensure_ascii=False, indent=2).encode("utf-8")


def summary_of(payload: Mapping[str, Any]) -> str:
    """The summary line, as Hermes writes it."""
    action = payload["action"]
    if "name" in payload:
        place = f" {payload['file_path']} in" if "file_path" in payload else ""
        return f"{action}{place} '{payload['name']}'"
    store = "user profile" if payload["target"] == "user" else "memory"
    match action:
        case "add":
            return f"add to {store}: {payload['content'][:120]}"
        case "replace":
            return f"replace in {store}: old: {payload['old_text']}\nnew: {payload['content']}"
        case "remove":
            return f"remove from {store}: {payload['old_text']}"
        case _:
            return f"apply {len(payload['operations'])} op(s) to {store}"


def _base(path: str, folder: str | None) -> dict[str, str]:
    if folder is None:
        return {"sha256": "absent"}
    data = (DATA / folder / path).read_bytes()
    return {"sha256": hashlib.sha256(data).hexdigest(), "text": data.decode("utf-8")}


def demo_records() -> tuple[DemoRecord, ...]:
    """The records, memories before skills."""
    text = (DATA / "records.json").read_text("utf-8").replace("{secret}", _SECRET)
    return tuple(DemoRecord(**fields) for fields in json.loads(text))
