"""The report: one value in four forms, of which none runs, loads or tells what it should not."""

from __future__ import annotations

import csv
import io
import json
import re
import stat
from collections.abc import Iterable
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt
from tests.cli.program import Program, contents
from tests.cli.test_hostile import RAW, plant, poisoned

from reviewdeck.engine.engine import Engine
from reviewdeck.model.changes import DocumentChanges
from reviewdeck.presentation import report_rows
from reviewdeck.presentation.changes import redaction_of_changes
from reviewdeck.text.redact import Redaction

FORMS = ("html", "md", "csv", "json")
MARKUP = (
    "<script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"
    "</style></title></svg><svg onload=alert(1)>&lt;b&gt; {{ 31*31 }} {% raw %} `x` "
    "[a](javascript:alert(1)) ![b](https://evil.example/p.png) www.evil.example @somebody"
)


def add(content: str) -> dict[str, Any]:
    return {"action": "add", "target": "memory", "content": content}


def record(id: str, content: str) -> dict[str, Any]:
    return {
        "id": id,
        "subsystem": "memory",
        "action": "add",
        "summary": content,
        "origin": f"chat {MARKUP}",
        "created_at": datetime.now(UTC).timestamp() - 60,
        "payload": add(content),
        "reviewdeck": {"v": 1, "session": f"s {MARKUP}", "turn": MARKUP},
    }


@pytest.fixture
def decided(demo: Program) -> Program:
    """The sample home after a pass, two rejections, an approval and an edit by hand."""
    demo("auto")
    first, second, third = demo.read("list", "--state", "ready")[-3:]
    demo("reject", first["id"], second["id"], "--reason", "Not about our work.")
    demo("approve", third["id"], "--digest", third["digest"])
    memory = demo.home / "memories" / "MEMORY.md"
    memory.write_text(memory.read_text("utf-8") + "\n§\nThe office closes at four.", "utf-8")
    return demo


@pytest.fixture
def hostile(program: Program) -> Program:
    """A home in which every text is an attack, some of them learned, some rejected."""
    program("status")
    poisoned(program)
    for number, text in enumerate((MARKUP, f"=HYPERLINK(1) {MARKUP}", "@SUM(1)", "+1", "-1+1")):
        plant(program.home, f"bbbbbbb{number}", record(f"bbbbbbb{number}", text))
    memory = program.home / "memories" / "MEMORY.md"
    memory.write_text(f"{memory.read_text('utf-8').rstrip()}\n§\n=1+1 {MARKUP}", "utf-8")
    rejected = program.one("ready", target="memory")["id"]
    program("reject", rejected, "--reason", f"=cmd {MARKUP}")
    return program


class Tags(HTMLParser):
    """The tags of a page with their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_says_what_was_learned_beside_what_the_user_said(decided: Program) -> None:
    text = " ".join(Tags(decided("report").out).text.split())
    assert "Prefers CSV to Excel for exports." in text
    assert "The user said I prefer CSV to Excel for exports, thanks." in text
    assert "nobody: changed outside review" in text
    assert re.search(r"1,\d{3} of 2,200 characters", text)


def test_every_row_has_the_command_that_takes_it_back(decided: Program) -> None:
    report = decided.read("report")
    for row in report["learned"]:
        name = row["command"].split()[1]
        assert name == ("undo" if row["operation"] else "revert")
        assert (row["operation"] or row["proposal"]) in row["command"]
    undo = next(row for row in report["learned"] if row["operation"])
    assert decided("undo", undo["operation"]).code == 0
    reopen = next(row for row in report["stopped"] if " reopen " in row["command"])
    assert reopen["by"].startswith("rejected by ")
    assert reopen["reason"] == "Not about our work."
    assert decided("reopen", reopen["proposal"]).code == 0
    after = decided.read("report")
    assert reopen["proposal"] not in {row["proposal"] for row in after["stopped"]}
    assert undo["operation"] not in {row["operation"] for row in after["learned"]}


def test_what_an_operator_kept_can_be_taken_back_too(decided: Program) -> None:
    kept = keep(decided)
    words = kept["command"].partition(" revert ")[2].split()[:2]
    assert words[0] == "--line"
    assert decided("revert", *words, "--yes").code == 0
    sentences = {row["sentence"] for row in decided.read("report")["learned"]}
    assert kept["sentence"] not in sentences


def keep(decided: Program) -> dict[str, Any]:
    """The row of a change by hand, once an operator kept it."""
    live = decided.one("live")
    decided("approve", live["id"], "--digest", live["digest"])
    learned = decided.read("report")["learned"]
    found: dict[str, Any] = next(row for row in learned if not row["operation"])
    return found


def test_where_a_line_is_covered_no_id_is_named_that_is_made_of_its_text(decided: Program) -> None:
    memory = decided.home / "memories" / "MEMORY.md"
    text = memory.read_text("utf-8").replace("office closes at four", "wifi password is Tr0ub4dor")
    memory.write_text(text, "utf-8")
    row = keep(decided)
    assert "wifi" in row["sentence"] and "Tr0ub4dor" not in row["sentence"]
    assert row["command"].startswith("reviewdeck history memories/MEMORY.md")
    (line,) = (
        each["line"]
        for each in decided.read("why", "The wifi password is")["sources"]
        if "wifi" in each["text"]
    )
    for form in FORMS:
        assert line not in decided("report", "--format", form).out


def test_all_forms_tell_the_same_rows(decided: Program) -> None:
    report = decided.read("report")
    amounts = [len(report[section]) for section in ("learned", "stopped", "waiting")]
    assert all(amounts)
    table = [*csv.DictReader(io.StringIO(decided("report", "--format", "csv").out))]
    for section, amount in zip(("learned", "stopped", "waiting"), amounts, strict=True):
        assert sum(row["section"] == section for row in table) == amount
    page = Tags(decided("report").out)
    assert sum(tag == "article" for tag, _ in page.tags) == sum(amounts)
    markdown = decided("report", "--format", "md").out
    assert sum(line.startswith("- `") for line in markdown.splitlines()) >= sum(amounts)
    for sentence in report["summary"]:
        assert sentence in markdown
        assert sentence in page.text


def test_what_the_next_pass_applies_is_said_so_without_the_name_of_a_rule(demo: Program) -> None:
    safe = demo.read("auto", "--dry-run")["applied"]
    reasons = {row["proposal"]: row["reason"] for row in demo.read("report")["waiting"]}
    assert {reasons[item["id"]] for item in safe} == {
        "It passes every check: the next automatic pass applies it.",
        "The next automatic pass adds the user's own words in its place.",
    }
    assert "All six checks" not in demo("report").out


def test_the_summary_counts_what_waits_as_auto_does(decided: Program) -> None:
    report, auto = decided.read("report"), decided("auto").out
    sentence = report["summary"][-1]
    waiting, refused = len(report["waiting"]), decided.read("list", "--state", "refused")
    assert sentence.startswith(
        f"{waiting} proposals wait for a decision, and so do the {len(refused)} that the policy"
        f" stopped: {waiting + len(refused)} in all, the oldest for "
    )
    assert f"{waiting + len(refused)} waiting for you." in auto


def test_what_was_refused_says_where_it_came_from(decided: Program) -> None:
    stopped = decided.read("report")["stopped"]
    refused = [row for row in stopped if row["by"] == "refused by the policy"]
    assert len(refused) == 3
    assert any("https://harbour-tips.example/" in row["source"] for row in refused)


def test_what_a_rule_rejected_is_told_as_rejected_by_that_rule(
    program: Program, tmp_path: Path
) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text(
        'version = 1\n[[rule]]\nname = "no-parking"\neffect = "reject"\nreason = "Not ours."\n'
        'pattern = "car park"\n',
        "utf-8",
    )
    plant(program.home, "ccccccc1", record("ccccccc1", "The car park is in Elm Street."))
    program("auto", "--policy", str(policy))
    report = program.read("report")
    (row,) = (row for row in report["stopped"] if row["reason"] == "Not ours.")
    assert (row["group"], row["by"]) == ("Rejected by a rule", "rejected by the rule no parking")
    (rule,) = (decider for decider in report["decided"] if decider["by"] == "no parking")
    assert (rule["person"], rule["amounts"]) == (False, {"rejected": 1})
    assert sum(day["rejected"] for day in report["days"]) == 1


def test_a_document_is_searched_for_secrets_once_however_many_rows_it_has(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    program("status")
    memory = program.home / "memories" / "MEMORY.md"
    facts = "".join(
        f"\n§\nThe server number {number} is in hall {number}." for number in range(900)
    )
    memory.write_text(memory.read_text("utf-8") + facts, "utf-8")
    searched: list[str] = []

    def counted(engine: Engine, documents: Iterable[DocumentChanges]) -> Redaction:
        listed = list(documents)
        searched.extend(each.document for each in listed)
        return redaction_of_changes(engine, listed)

    monkeypatch.setattr(report_rows, "redaction_of_changes", counted)
    assert program("report", "--format", "csv").out.count("The server number") >= 900
    assert searched == ["memories/MEMORY.md"]


def test_a_period_leaves_out_what_was_before_it(decided: Program) -> None:
    report = decided.read("report", "--since", "1m")
    assert len(report["waiting"]) > len(decided.read("report")["waiting"])  # the older refusals
    assert report["learned"]
    future = decided("report", "--since", "2199-01-01")
    assert future.code == 2
    assert "has not come yet" in future.err


def test_several_homes_are_told_apart(decided: Program, hermes_home: Path) -> None:
    homes = ("--home", str(hermes_home))
    rows = [*csv.DictReader(io.StringIO(decided("report", "--format", "csv", *homes).out))]
    names = {row["home"] for row in rows if row["section"] == "waiting"}
    assert len(names) == 2
    page = Tags(decided("report", *homes).out).text
    assert all(name in page for name in names)
    assert f"--home {hermes_home}" in page


def test_an_unreadable_record_is_named_once_and_nobody_is_said_to_have_proposed_it(
    demo: Program,
) -> None:
    waiting = json.loads(demo("report", "--format", "json").out)["waiting"]
    unreadable = [row for row in waiting if row["group"] == "Unreadable"]
    assert unreadable
    for row in unreadable:
        assert row["sentence"].startswith("Unreadable record ") and ": it " in row["sentence"]
        assert not row["reason"] and not row["source"], row


def test_an_empty_ledger_gives_an_honest_page(program: Program) -> None:
    for record in (program.home / "pending").rglob("*.json"):
        record.unlink()
    page = Tags(program("report").out)
    assert "Nothing was learned, nothing was stopped, and nothing waits." in page.text
    assert "article" not in {tag for tag, _ in page.tags}
    assert "How full the memories are" not in page.text
    for form in ("md", "csv", "json"):
        assert program("report", "--format", form).code == 0


def test_the_page_runs_and_loads_nothing(hostile: Program) -> None:
    page = hostile("report").out
    tags = Tags(page)
    assert MARKUP.split()[0][:40] in tags.text
    assert {tag for tag, _ in tags.tags}.isdisjoint(
        {"script", "img", "a", "link", "iframe", "form", "object", "base", "foreignobject"}
    )
    for _, attributes in tags.tags:
        assert not any(name.startswith("on") for name in attributes)
        assert {"href", "src", "style", "srcset", "xlink:href"}.isdisjoint(attributes)
    policy = next(
        attributes["content"]
        for _, attributes in tags.tags
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy is not None
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert "{{ 31*31 }}" in tags.text


@pytest.mark.parametrize("form", FORMS)
def test_a_hostile_text_is_inert_in_every_form(hostile: Program, form: str) -> None:
    ran = hostile("report", "--format", form)
    assert ran.code == 0
    assert not RAW.search(ran.out.replace("\r\n", "\n"))
    assert "taken" in ran.out


def test_markdown_has_no_link_no_picture_and_no_markup_of_others(hostile: Program) -> None:
    text = hostile("report", "--format", "md").out
    tokens = MarkdownIt("gfm-like", {"linkify": True}).parse(text)
    inline = [child for token in tokens for child in token.children or ()]
    kinds = {token.type for token in (*tokens, *inline)}
    assert "code_inline" in kinds
    assert kinds.isdisjoint({"link_open", "image", "html_inline", "html_block"})
    outside = "".join(child.content for child in inline if child.type == "text")
    assert not re.search("evil|somebody|taken|HYPERLINK", outside)


def test_no_cell_of_the_table_is_a_formula(hostile: Program) -> None:
    cells = [
        cell
        for row in csv.reader(io.StringIO(hostile("report", "--format", "csv").out))
        for cell in row
    ]
    assert any(cell.startswith("'=1+1") for cell in cells)
    assert not any(re.match(r"\s*[=+\-@＝＋－＠]", cell) for cell in cells)


def test_json_is_one_object_whatever_is_in_it(hostile: Program) -> None:
    report = hostile.read("report")
    assert {"learned", "stopped", "waiting", "memory", "decided", "summary"} <= report.keys()
    assert any("<script>" in row["sentence"] for row in report["waiting"] + report["learned"])


def test_a_file_that_exists_is_kept_without_force(decided: Program, tmp_path: Path) -> None:
    file = tmp_path / "week.html"
    assert decided("report", "--output", str(file)).code == 0
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.write_text("mine", "utf-8")
    refused = decided("report", "--output", str(file))
    assert refused.code == 1
    assert "exists already" in refused.err
    assert file.read_text("utf-8") == "mine"
    assert decided("report", "--output", str(file), "--force").code == 0
    assert file.read_text("utf-8").startswith("<!doctype html>")
    assert not [*tmp_path.glob(".week*")]


def test_a_link_is_replaced_and_never_followed(decided: Program, tmp_path: Path) -> None:
    aim, link = tmp_path / "aim.txt", tmp_path / "report.md"
    aim.write_text("mine", "utf-8")
    link.symlink_to(aim)
    assert decided("report", "--output", str(link)).code == 1
    assert decided("report", "--output", str(link), "--force").code == 0
    assert aim.read_text("utf-8") == "mine"
    assert not link.is_symlink()


def test_nothing_is_written_inside_a_home(decided: Program, tmp_path: Path) -> None:
    decided("status")
    before = contents(decided.home)
    (tmp_path / "way").symlink_to(decided.home / "memories")
    for place in (decided.home / "memories" / "MEMORY.md", tmp_path / "way" / "r.md"):
        ran = decided("report", "--output", str(place), "--format", "md", "--force")
        assert ran.code == 1
        assert "inside the agent's home" in ran.err
    assert contents(decided.home) == before


def test_the_form_follows_the_name_of_the_file(decided: Program, tmp_path: Path) -> None:
    begins = {"html": "<!doctype", "md": "# What", "csv": "section,", "json": "{"}
    for form, beginning in begins.items():
        file = tmp_path / f"r.{form}"
        decided("report", "--output", str(file))
        assert file.read_text("utf-8").startswith(beginning)
    odd = decided("report", "--output", str(tmp_path / "r.docx"))
    assert odd.code == 2
    assert decided("report", "--format", "md", "--json").code == 2
    assert not (tmp_path / "r.docx").exists()


def test_a_place_that_cannot_be_written_is_one_error(decided: Program, tmp_path: Path) -> None:
    ran = decided("report", "--output", str(tmp_path / "none" / "r.md"))
    assert ran.code == 1
    assert len(ran.err.strip().splitlines()) == 1
    assert "Nothing was written." in ran.err and "recover" not in ran.err


def test_in_a_terminal_the_page_goes_into_a_file(
    decided: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("reviewdeck.cli.commands.report.is_terminal", lambda: True)
    assert decided("report").out == "Wrote reviewdeck-report.html.\n"
    assert (tmp_path / "reviewdeck-report.html").exists()
    assert decided("report", "--format", "md").out.startswith("# What the agent learned")


def test_json_into_a_file_is_told_as_json(decided: Program, tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    told = decided.read("report", "--output", str(file))
    assert told == {"file": str(file), "format": "json"}
    assert json.loads(file.read_text("utf-8"))["learned"]


def test_a_page_shows_so_many_rows_and_says_where_the_others_are(
    decided: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    everything = decided.read("report")
    monkeypatch.setattr("reviewdeck.presentation.report.report_of.__defaults__", (3,))
    page = Tags(decided("report").out)
    assert sum(tag == "article" for tag, _ in page.tags) == 9
    left = len(everything["waiting"]) - 3
    assert f"{left} more rows are not on this page" in page.text
    assert json.dumps(len(everything["learned"])) in page.text
