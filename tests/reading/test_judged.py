"""What a skill has carried out is found in every form in which some agent obeys it."""

from __future__ import annotations

import pytest
from tests.reading.forms import front

from reviewdeck.model import Severity, SkillCreate, SkillWriteFile
from reviewdeck.policy.plain import EXECUTES, InstructionChange, SkillFolder, check_plain
from reviewdeck.policy.rules.rule import KnownToHome
from reviewdeck.reading.agents import readers_of

GRANT = "allowed-tools: Bash(make *)"
FORMS = {
    "usual": front(f"name: x\ndescription: P\n{GRANT}").decode(),
    "indented end": f"---\nname: x\ndescription: P\n{GRANT}\n  ---\n\nBody.\n",
    "end after a tab": f"---\nname: x\ndescription: P\n{GRANT}\n\t---\n\nBody.\n",
    "end of the file": f"---\nname: x\ndescription: P\n{GRANT}\n---",
    "end in a value": f"---\nname: x\n{GRANT}\ndescription: Uses --- dashes\n\nBody.\n",
    "end with text": f"---\nname: x\ndescription: P\n{GRANT}\n---text\n\nBody.\n",
    "byte order mark": "\ufeff" + front(f"name: x\n{GRANT}").decode(),
    "CR LF": front(f"name: x\n{GRANT}").decode().replace("\n", "\r\n"),
    "space after the start": f"---  \nname: x\n{GRANT}\n---\n\nBody.\n",
    "anchor": front("name: x\nfirst: &t Bash(make *)\nallowed-tools: *t").decode(),
    "merge key": front("name: x\nbase: &b\n  allowed-tools: Bash(make *)\n<<: *b").decode(),
    "escaped key": front('name: x\n"allowed\\x2dtools": Bash(make *)').decode(),
    "escaped value": front('name: x\nallowed-tools: "B\\x61sh(make *)"').decode(),
    "list": front("name: x\nallowed-tools:\n  - Read\n  - Bash(make *)").decode(),
    "flow": front("{name: x, allowed-tools: [Bash(make *)]}").decode(),
    "explicit key": front("? allowed-tools\n: Bash(make *)").decode(),
    "quoted key": front('"allowed-tools": Bash(make *)').decode(),
    "tab after the key": front("name: x\nallowed-tools:\tBash(make *)").decode(),
    "second colon beside it": front(f"name: x\ndescription: Use when: so\n{GRANT}").decode(),
    "tab as indentation": front("name: x\nallowed-tools:\n\t- Bash(make *)").decode(),
    "block": front("name: x\nallowed-tools: >\n  Bash(make *)").decode(),
    "beside a broken line": front(f"name: x\nwords alone\n{GRANT}").decode(),
}


def severity_of(text: str, *, file: str = "") -> Severity | None:
    """The severity of what the rule about carrying out finds in a skill's text."""
    edit = SkillWriteFile("x", file, text) if file else SkillCreate("x", text)
    for spoke in check_plain((edit,), KnownToHome(readers=readers_of("claude"))):
        if spoke.rule.name == EXECUTES:
            return max((each.severity for each in spoke.findings), key=lambda each: each.rank)
    return None


@pytest.mark.parametrize("form", FORMS)
def test_a_granted_shell_is_found_in_every_form_that_claude_code_takes(form: str) -> None:
    assert severity_of(FORMS[form]) is Severity.MEDIUM


def test_programs_that_hermes_would_install_for_a_skill_are_found_where_it_reads_it() -> None:
    edit = SkillCreate("x", "---\nname: x\ndescription: P\ndeps: [ffmpeg]\n---\n\nBody.\n")
    found = {
        kind: [
            finding.message
            for spoke in check_plain((edit,), KnownToHome(readers=readers_of(kind)))
            for finding in spoke.findings
            if spoke.rule.name == EXECUTES
        ]
        for kind in ("hermes", "claude")
    }
    message = "Has programs installed when the skill is loaded."
    assert found == {"hermes": [message], "claude": []}


@pytest.mark.parametrize("file", ["inner/SKILL.md", "skill.md", "references/deep/SKILL.md"])
def test_a_granted_shell_is_found_in_every_file_that_some_agent_loads(file: str) -> None:
    assert severity_of(FORMS["usual"], file=file) is Severity.MEDIUM


def test_a_front_matter_with_old_line_ends_is_read_where_its_reader_is_not_known() -> None:
    edit = SkillCreate("x", FORMS["usual"].replace("\n", "\r"))
    assert EXECUTES in {spoke.rule.name for spoke in check_plain((edit,))}
    claude = KnownToHome(readers=readers_of("claude"))
    assert EXECUTES not in {spoke.rule.name for spoke in check_plain((edit,), claude)}


def test_a_body_that_only_speaks_of_tools_grants_none() -> None:
    text = front("name: x\ndescription: P", f"Write {GRANT} into it:\n\n---\n{GRANT}\n---").decode()
    assert severity_of(text) is None


def test_a_front_matter_that_cannot_be_read_is_a_high_finding_that_says_so() -> None:
    text = front("name: x\n" + "".join(f"key{at}: value\n" for at in range(3_000))).decode()
    found = [
        finding
        for spoke in check_plain((SkillCreate("x", text),))
        if spoke.rule.name == EXECUTES
        for finding in spoke.findings
    ]
    assert any("cannot be known" in finding.message for finding in found)
    assert {finding.severity for finding in found} == {Severity.HIGH}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("---\nname: x\n---\n\nBody.\n", f"---\nname: x\n{GRANT}\n---\n\nBody.\n"),
        (f"\n---\nname: x\n{GRANT}\n---\n\nBody.\n", f"---\nname: x\n{GRANT}\n---\n\nBody.\n"),
        (f"---\nname: x\n---\n{GRANT}\n---\n", f"---\nname: x\n{GRANT}\n---\n"),
    ],
)
def test_a_patch_is_judged_by_what_the_whole_file_grants_after_it(before: str, after: str) -> None:
    known = KnownToHome(readers=readers_of("claude"))
    for first, second, expected in ((before, after, True), (after, after, False)):
        folder = SkillFolder(results=(InstructionChange("skills/x/SKILL.md", first, second),))
        rules = {spoke.rule.name for spoke in check_plain((), known, folder)}
        assert (EXECUTES in rules) is expected
