"""The plain form of a config is read without a parser, and as the parser reads it."""

from __future__ import annotations

import pytest
from ruamel.yaml import YAML

from reviewdeck.homes.hermes import config
from reviewdeck.homes.hermes.config import config_of
from reviewdeck.model import Document

PLAIN = (
    "memory:\n  write_approval: true\n  memory_char_limit: 2200\n# Ours.\nskills:\n"
    "\n  write_approval: false\n  external_dirs: []\n  ledger_max_bytes: 0\n"
)
OTHERS = (
    "memory:\n",
    "memory:\n  write_approval:\n",
    "memory:\n  write_approval: True\n",
    "memory:\n  write_approval: on\n",
    "memory:\n  write_approval: 'true'\n",
    "memory:\n  write_approval: true # on\n",
    "memory:\n  write_approval: true\n  write_approval: false\n",
    "memory:\n  write_approval: true\nmemory:\n  write_approval: false\n",
    "memory:\n  write_approval: true\n    more\n",
    "memory:\n  memory_char_limit: 022\n",
    "memory:\n  memory_char_limit: 2_200\n",
    "memory: {write_approval: true}\n",
    "memory:\n - write_approval: true\n",
    "memory:\n\twrite_approval: true\n",
    "memory:\n  write_approval: true\nskills:\n",
    f"memory:\n  memory_char_limit: {'9' * 5000}\n",
)


def test_switches_and_numbers_are_read_as_the_parser_reads_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parsed = YAML(typ="safe", pure=True).load(PLAIN)
    with monkeypatch.context() as patch:
        patch.setattr(config, "_load", None)  # the parser is not asked
        found = config_of(Document("config.yaml", PLAIN.encode()))
    assert found.memory_limit == parsed["memory"]["memory_char_limit"] == 2200
    assert (found.memory_gate, found.skills_gate) == (True, False)
    assert (found.external_dirs, found.ledger_limit, found.notes) == ((), 0, ())


@pytest.mark.parametrize("text", OTHERS)
def test_every_other_form_is_left_to_the_parser(text: str) -> None:
    assert config._plain_tree(text) is None
