"""A deck over Gemini CLI's folder: its inbox, merged into what its memories are by now."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from tests.engine.kit import OpenDeck
from tests.homes.gemini.kit import INBOX, MEMORY, extracted, make_config, patch, write

from reviewdeck.engine.engine import Engine
from reviewdeck.errors import ReviewdeckError
from reviewdeck.model import QueueItem, State

SKILL = "---\nname: {0}\ndescription: Does {0}.\n---\n\nDo it.\n"
MORE = (
    "@@ -1,3 +1,4 @@\n # Project Memory\n - Redis stores it.\n - The port is 80.\n"
    "+- Tests run with tox."
)


def waiting(deck: Engine) -> list[QueueItem]:
    deck.intake()
    return [item for item in deck.pending() if item.state.is_open]


def approve(deck: Engine, id: str) -> str:
    digest = deck.get(id).digest
    assert digest is not None
    return deck.approve(id, digest).id


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return make_config(tmp_path / ".gemini")


@pytest.fixture
def index(config: Path) -> Path:
    return config / MEMORY / "MEMORY.md"


def test_a_patch_of_the_inbox_is_a_proposal_and_gone_there_once_approved_and_can_be_undone(
    config: Path, index: Path, open_at: OpenDeck
) -> None:
    deck = open_at(config)
    deck.intake()
    file, before = extracted(config, patch(index, MORE)), index.read_text("utf-8")
    (item,) = waiting(deck)
    decision = approve(deck, item.id)
    assert index.read_text("utf-8") == f"{before}- Tests run with tox.\n"
    assert not file.exists() and waiting(deck) == []
    deck.undo(decision)
    assert index.read_text("utf-8") == before


def test_a_rejected_patch_is_gone_and_changes_nothing(
    config: Path, index: Path, open_at: OpenDeck
) -> None:
    deck = open_at(config)
    deck.intake()
    file, before = extracted(config, patch(index, MORE)), index.read_text("utf-8")
    (item,) = waiting(deck)
    deck.reject(item.id, "not wanted")
    assert index.read_text("utf-8") == before and not file.exists()


def test_a_patch_whose_document_has_changed_since_is_merged_into_it(
    config: Path, index: Path, open_at: OpenDeck
) -> None:
    deck = open_at(config)
    deck.intake()
    extracted(config, patch(index, MORE))
    deck.intake()
    write(index, "# Project Memory\n- Celery queues it.\n- Redis stores it.\n- The port is 80.\n")
    (item,) = [item for item in waiting(deck) if item.state is not State.LIVE]
    approve(deck, item.id)
    assert "- Celery queues it.\n" in index.read_text("utf-8")
    assert index.read_text("utf-8").endswith("- The port is 80.\n- Tests run with tox.\n")


def test_a_patch_that_is_stale_when_it_is_first_seen_is_merged_by_the_lines_it_shows(
    config: Path, index: Path, open_at: OpenDeck
) -> None:
    live = "# Project Memory\n\nOf the team.\n- Postgres stores it.\n\n- The port is 80.\n"
    write(index, live)
    deck = open_at(config)
    deck.intake()
    extracted(config, patch(index, MORE))
    (item,) = waiting(deck)
    approve(deck, item.id)
    assert index.read_text("utf-8") == f"{live}- Tests run with tox.\n"


def test_an_extraction_that_comes_again_with_what_was_approved_brings_only_the_rest(
    config: Path, index: Path, open_at: OpenDeck
) -> None:
    deck = open_at(config)
    deck.intake()
    extracted(config, patch(index, MORE))
    (first,) = waiting(deck)
    approve(deck, first.id)
    more = MORE.replace("+1,4", "+1,5") + "\n+- CI is Jenkins."
    extracted(config, patch(index, more))
    (second,) = waiting(deck)
    assert second.id != first.id
    approve(deck, second.id)
    text = index.read_text("utf-8")
    assert text.endswith("- The port is 80.\n- Tests run with tox.\n- CI is Jenkins.\n")


def test_a_patch_that_is_written_anew_before_it_is_decided_is_another_proposal(
    config: Path, index: Path, open_at: OpenDeck
) -> None:
    deck = open_at(config)
    deck.intake()
    extracted(config, patch(index, MORE))
    (first,) = waiting(deck)
    extracted(config, patch(index, MORE.replace("tox", "nox")))
    (second,) = waiting(deck)
    assert second.id != first.id
    decided = deck.ledger.state_of(first.id)
    assert decided is not None and not decided.is_open


def test_a_new_file_comes_with_its_line_in_the_index(
    config: Path, index: Path, open_at: OpenDeck
) -> None:
    deck = open_at(config)
    deck.intake()
    new = index.with_name("verify-flow.md")
    extracted(config, patch(new, "@@ -0,0 +1,2 @@", "+# Verify", "+Run tox.", old="/dev/null"))
    (item,) = waiting(deck)
    assert item.target == "verify-flow"
    approve(deck, item.id)
    assert new.read_text("utf-8") == "# Verify\nRun tox.\n"
    assert index.read_text("utf-8").endswith(f"- See {new} for verify flow notes.\n")


def test_a_new_index_that_somebody_began_meanwhile_gets_the_lines_that_it_lacks(
    config: Path, index: Path, open_at: OpenDeck
) -> None:
    deck = open_at(config)
    deck.intake()
    before = index.read_text("utf-8")
    lines = ("@@ -0,0 +1,2 @@", "+# Project Memory", "+- Likes tea.")
    extracted(config, patch(index, *lines, old="/dev/null"))
    (item,) = waiting(deck)
    approve(deck, item.id)
    assert index.read_text("utf-8") == f"{before}- Likes tea.\n"


def test_another_new_file_that_is_there_by_now_is_a_conflict(
    config: Path, index: Path, open_at: OpenDeck
) -> None:
    deck = open_at(config)
    deck.intake()
    new = write(index.with_name("flow.md"), "# Flow\n")
    extracted(config, patch(new, "@@ -0,0 +1,1 @@", "+# Other", old="/dev/null"))
    (item,) = [item for item in waiting(deck) if item.state is not State.LIVE]
    assert item.state is State.CONFLICT
    assert new.read_text("utf-8") == "# Flow\n"


def test_a_global_patch_changes_the_users_instructions_alone(
    config: Path, index: Path, open_at: OpenDeck
) -> None:
    deck = open_at(config)
    deck.intake()
    hunk = "@@ -1,1 +1,2 @@\n - Be brief.\n+- Likes tea."
    extracted(config, patch(config / "GEMINI.md", hunk), "global")
    (item,) = waiting(deck)
    approve(deck, item.id)
    assert (config / "GEMINI.md").read_text("utf-8") == "- Be brief.\n- Likes tea.\n"
    extracted(config, patch(index, MORE), "global")
    (taken,) = deck.intake()
    assert [named.reason for named in taken.quarantined] == ["no-document"]


@pytest.mark.parametrize(
    "target",
    [
        "settings.json",
        "GEMINI.md",
        "tmp/other/memory/MEMORY.md",
        "tmp/app/memory/sub/a.md",
        "../a.md",
    ],
)
def test_a_private_patch_of_anything_but_a_file_of_its_memory_is_named_and_kept(
    config: Path, open_at: OpenDeck, target: str
) -> None:
    deck = open_at(config)
    file = extracted(config, patch(config / target, "@@ -0,0 +1,1 @@", "+x", old="/dev/null"))
    (taken,) = deck.intake()
    assert [named.reason for named in taken.quarantined] == ["no-document"]
    assert file.exists()


def test_a_private_patch_through_a_link_is_named_and_kept(
    config: Path, tmp_path: Path, open_at: OpenDeck
) -> None:
    write(tmp_path / "outside.md")
    (config / MEMORY / "link.md").symlink_to(tmp_path / "outside.md")
    deck = open_at(config)
    extracted(config, patch(config / MEMORY / "link.md", "@@ -1,1 +1,1 @@", "-x", "+y"))
    (taken,) = deck.intake()
    assert [named.reason for named in taken.quarantined] == ["no-document"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no diff\n",
        "--- /a\n",
        "--- /a\n+++ /a\n",
        "--- /a\n+++ /a\n@@ -1,2 +1,1 @@\n-x\n",
        "--- /a\n+++ /a\n@@ -1,1 +1,1 @@\n?x\n",
        "--- /a\n+++ /b\n@@ -1,1 +1,1 @@\n-x\n+y\n",
        "--- a\n+++ a\n@@ -1,1 +1,1 @@\n-x\n+y\n",
        "--- /dev/null\n+++ /a\0b\n@@ -0,0 +1,1 @@\n+x\n",
        "--- /dev/null\n+++ /a\n@@ -0,0 +1,1 @@\n+x\0y\n",
        "--- /a\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-x\n",
    ],
)
def test_what_is_no_patch_is_named_and_kept(config: Path, open_at: OpenDeck, text: str) -> None:
    deck = open_at(config)
    file = extracted(config, text)
    (taken,) = deck.intake()
    assert [named.reason for named in taken.quarantined] == ["bad-patch"]
    assert file.exists()


def test_a_patch_of_very_many_files_is_named_and_kept(config: Path, open_at: OpenDeck) -> None:
    deck = open_at(config)
    new = [config / MEMORY / f"n{number}.md" for number in range(300)]
    parts = [patch(path, "@@ -0,0 +1,1 @@", "+x", old="/dev/null") for path in new]
    file = extracted(config, "".join(parts))
    (taken,) = deck.intake()
    assert [named.reason for named in taken.quarantined] == ["too-large"]
    assert file.exists()


@pytest.mark.parametrize("is_stale", [False, True])
@pytest.mark.parametrize(("of_patch", "of_file"), [("\n", "\r\n"), ("\r\n", "\n")])
def test_a_patch_takes_the_line_breaks_of_its_file(
    config: Path, index: Path, open_at: OpenDeck, of_patch: str, of_file: str, is_stale: bool
) -> None:
    more = "- Celery queues it.\n" if is_stale else ""
    before = f"# Project Memory\n{more}- Redis stores it.\n- The port is 80.\n"
    index.write_bytes(before.replace("\n", of_file).encode())
    deck = open_at(config)
    deck.intake()
    text = patch(index, MORE).replace("\n", of_patch)
    (config / INBOX / "private").mkdir(parents=True)
    (config / INBOX / "private/extraction.patch").write_bytes(text.encode())
    (item,) = waiting(deck)
    approve(deck, item.id)
    after = f"{before}- Tests run with tox.\n".replace("\n", of_file)
    assert index.read_bytes() == after.encode()


@pytest.mark.parametrize("decide", ["approve", "reject"])
def test_a_patch_that_is_written_anew_between_the_look_and_the_decision_is_not_lost(
    config: Path, index: Path, open_at: OpenDeck, decide: str
) -> None:
    deck = open_at(config)
    deck.intake()
    extracted(config, patch(index, MORE))
    (first,) = waiting(deck)
    digest = deck.get(first.id).digest
    assert digest is not None
    newer = patch(index, MORE.replace("tox", "nox"))
    file = extracted(config, newer)
    with suppress(ReviewdeckError):
        deck.approve(first.id, digest) if decide == "approve" else deck.reject(first.id, "no")
    assert file.read_text("utf-8") == newer
    (second,) = waiting(deck)
    deck.reject(second.id, "no")
    assert not file.exists()


def test_a_skill_that_waits_in_gemini_cli_is_a_proposal_and_gone_there_once_decided(
    config: Path, open_at: OpenDeck
) -> None:
    deck = open_at(config)
    deck.intake()
    wanted = write(config / MEMORY / "skills/wanted/SKILL.md", SKILL.format("wanted"))
    unwanted = write(config / MEMORY / "skills/other/SKILL.md", SKILL.format("other"))
    items = {item.target: item for item in waiting(deck)}
    assert set(items) == {"wanted", "other"}
    approve(deck, items["wanted"].id)
    deck.reject(items["other"].id, "not wanted")
    live = config / "skills/wanted/SKILL.md"
    assert live.read_text("utf-8") == SKILL.format("wanted")
    assert not wanted.exists() and not unwanted.exists()


def test_a_patch_of_a_skill_is_a_proposal_for_it(config: Path, open_at: OpenDeck) -> None:
    live = write(config / "skills/notes/SKILL.md", SKILL.format("notes"))
    deck = open_at(config)
    deck.intake()
    hunk = "@@ -6,1 +6,2 @@\n Do it.\n+Twice."
    file = write(config / MEMORY / "skills/notes.patch", patch(live, hunk))
    (item,) = waiting(deck)
    approve(deck, item.id)
    assert live.read_text("utf-8").endswith("Do it.\nTwice.\n") and not file.exists()


def test_a_patch_that_gemini_clis_own_dialog_applied_was_decided_elsewhere(
    config: Path, index: Path, open_at: OpenDeck
) -> None:
    deck = open_at(config)
    deck.intake()
    file = extracted(config, patch(index, MORE))
    (item,) = waiting(deck)
    write(index, f"{index.read_text('utf-8')}- Tests run with tox.\n")
    file.unlink()
    deck.intake()
    assert deck.ledger.state_of(item.id) is State.ELSEWHERE
    assert not (config / INBOX / "private/extraction.patch").exists()


@pytest.mark.parametrize(
    "link", ["tmp/app", f"{MEMORY}/.inbox", f"{INBOX}/private", f"{MEMORY}/skills"]
)
def test_a_folder_of_what_waits_that_is_a_link_is_named(
    config: Path, index: Path, open_at: OpenDeck, link: str
) -> None:
    extracted(config, patch(index, MORE))
    write(config / MEMORY / "skills/tidy/SKILL.md", SKILL.format("tidy"))
    (config / link).rename(config.parent / "moved")
    (config / link).symlink_to(config.parent / "moved")
    deck = open_at(config)
    deck.intake()
    (home,) = deck.homes
    assert f"{link} is a link to {config.parent}/moved: what waits there is not shown." in [
        *home.cautions
    ]


def test_a_hunk_that_is_there_applies_although_another_of_its_patch_does_not(
    config: Path, index: Path, open_at: OpenDeck
) -> None:
    live = "# Project Memory\n- Redis stores it.\n- Celery queues it.\n- The port is 80.\n- End.\n"
    write(index, live)
    deck = open_at(config)
    deck.intake()
    stale = "@@ -1,2 +1,3 @@\n - It is small.\n - It is old.\n+- It is slow."
    there = "@@ -7,2 +8,3 @@\n - Redis stores it.\n - Celery queues it.\n+- Tests run with tox."
    last = "@@ -20,1 +22,2 @@\n - The port is 80.\n+- CI is Jenkins."
    extracted(config, patch(index, there, stale.replace("-1,2 +1,3", "-12,2 +14,3"), last))
    (item,) = waiting(deck)
    approve(deck, item.id)
    text = index.read_text("utf-8")
    assert "- Celery queues it.\n- Tests run with tox.\n" in text
    assert text.endswith("- The port is 80.\n- CI is Jenkins.\n- End.\n")
    assert "- It is slow.\n" in text
