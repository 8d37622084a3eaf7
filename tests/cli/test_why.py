"""`why`: which live lines a sentence may come from, who taught them, and taking one back."""

from __future__ import annotations

import re
from typing import Any

from tests.cli.program import Program, fingerprint

SAID = "I exported it as CSV rather than Excel, as you prefer."
FACT = "Prefers CSV to Excel for exports."
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def sources(program: Program, text: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = program.read("why", text)["sources"]
    return found


def test_it_names_the_entry_with_who_taught_it_and_the_users_own_words(demo: Program) -> None:
    demo("auto")
    (found,) = sources(demo, SAID)
    assert (found["document"], found["text"], found["entry"]) == (
        "memories/USER.md",
        FACT,
        True,
    )
    assert {"csv", "excel"} <= set(found["words"])
    assert found["said"] == "I prefer CSV to Excel for exports, thanks."
    assert found["by"]["session"] and found["by"]["turn"] and found["by"]["cause"] == "operation"
    shown = demo("why", SAID).out
    assert FACT in shown and "applied automatically" in shown and found["said"] in shown
    assert f"reviewdeck revert --line {found['line']}" in shown


def test_it_names_a_line_of_a_skill_too(demo: Program) -> None:
    line = next(
        text
        for text in (demo.home / "skills/dev/database-migrations/SKILL.md")
        .read_text("utf-8")
        .splitlines()
        if len(text.split()) > 6 and not text.startswith("description")
    )
    first = sources(demo, line)[0]
    assert first["document"] == "skills/dev/database-migrations/SKILL.md"
    assert first["verbatim"] and not first["entry"]


def test_the_printed_command_shows_the_diff_and_takes_it_back(demo: Program) -> None:
    demo("auto")
    user = demo.home / "memories/USER.md"
    (found,) = sources(demo, SAID)
    before = user.read_text("utf-8")
    shown = demo("revert", "--line", found["line"]).out
    assert f"- {FACT}" in shown and user.read_text("utf-8") == before
    digest = re.search(r"--digest (\w+)", shown)
    assert digest is not None
    ran = demo("revert", "--line", found["line"], "--digest", digest[1])
    assert ran.code == 0 and FACT not in user.read_text("utf-8")
    assert sources(demo, SAID) == []
    operation = re.search(r"operation (\w+)", ran.out)
    assert operation is not None and demo("undo", operation[1]).code == 0
    assert user.read_text("utf-8") == before


def test_an_entry_from_before_the_first_look_is_taken_back_alone(demo: Program) -> None:
    user = demo.home / "memories/USER.md"
    text = "Reads unified diffs, not side by side."
    (found,) = sources(demo, "You read unified diffs and never side by side.")
    assert found["text"] == text and found["by"]["cause"] == "seen" and found["said"] is None
    ran = demo("revert", "--line", found["line"][:8], "--yes", "--reason", "No longer so.")
    assert ran.code == 0, ran.err
    kept = user.read_text("utf-8")
    assert text not in kept and "Is learning Portuguese" in kept and "Is away on Fridays" in kept


def test_an_edited_entry_goes_back_to_what_it_was(demo: Program) -> None:
    demo("status")
    user = demo.home / "memories/USER.md"
    before = user.read_text("utf-8")
    user.write_text(before.replace("Uses Helix and fish", "Uses Emacs and zsh"), "utf-8")
    found = sources(demo, "As you use Emacs and zsh, here is the zsh form.")[0]
    assert found["by"]["cause"] == "outside"
    assert demo("revert", "--line", found["line"], "--yes").code == 0
    assert user.read_text("utf-8") == before


def test_without_a_match_it_says_so_and_is_no_failure(demo: Program) -> None:
    ran = demo("why", "Bananas were never mentioned by anybody.")
    assert (ran.code, ran.out) == (0, "Nothing that is live shares telling words with it.\n")
    assert sources(demo, "zzz") == []


def test_an_empty_text_and_one_that_is_too_long_are_refused(demo: Program) -> None:
    for text in ("", "  \n"):
        ran = demo("why", text)
        assert ran.code == 1 and "no sentence" in ran.err
    ran = demo("why", "tide " * 14_000)
    assert ran.code == 1 and "at most 65,536" in ran.err
    assert demo("why", f"{SAID} {'tide ' * 12_000}").code == 0


def test_a_line_that_is_gone_or_ambiguous_is_not_reverted(demo: Program) -> None:
    demo("status")
    ran = demo("revert", "--line", "000000000000")
    assert ran.code == 1 and "no line" in ran.err and "why" in ran.err
    assert demo("revert", "--line", "").code == 2
    assert demo("revert", "4f1c", "--line", "0000").code == 2
    several = {each["line"] for each in sources(demo, "deploy release staging port tests")}
    assert several


def test_hostile_text_is_inert_and_the_home_stays_as_it_is(demo: Program) -> None:
    evil = "Harbour tariff \x1b[31mred [bold]x[/bold] \u202etxt is 412 \x07"
    memory = demo.home / "memories/MEMORY.md"
    demo("status")
    memory.write_text(f"{memory.read_text('utf-8')}\n§\n{evil}", "utf-8")
    before = fingerprint(demo.home)
    ran = demo("why", evil)
    assert ran.code == 0 and "[bold]x[/bold]" in ran.out
    assert not RAW.search(ran.out.replace("\n", "")) and not RAW.search(ran.err)
    assert not RAW.search(demo("why", evil, "--json").out.replace("\n", ""))
    assert fingerprint(demo.home) == before
