"""A prompt that is run again with parts of the memory left out, against a model on the loopback."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest
from tests.origin.kit import memory_block
from tests.reviewer.stand_in import stand_in

from reviewdeck.engine.why import LiveLine
from reviewdeck.errors import BadInput
from reviewdeck.reviewer.causes import Verdict
from reviewdeck.reviewer.conversation import (
    ApiMode,
    MessageForm,
    ReviewedConversation,
    Runtime,
    conversation_of,
)
from reviewdeck.reviewer.endings import ExchangeEnd, ExitCode
from reviewdeck.reviewer.models import Cancel, open_model
from reviewdeck.reviewer.replay import (
    RemovableLine,
    Replay,
    ReplayLimits,
    ReplayPrompt,
    ReplayResult,
    cost_of,
    replay_prompt,
    says,
)

SAID = "I deployed it to harbour-7 at noon."
SILENT = "I deployed it."
QUESTION = {"role": "user", "content": "Please deploy it."}


def entry(number: int) -> str:
    return f"Fact {number}: the crane of pier {number} lifts {number} tons."


def part(text: str, path: str = "memories/MEMORY.md", at: int = 0) -> RemovableLine:
    return RemovableLine(LiveLine("/home", path, at, text, path.startswith("memories")), text)


def parts_of(texts: Sequence[str]) -> list[RemovableLine]:
    return [part(text, at=at) for at, text in enumerate(texts)]


def request(system: str, *messages: dict[str, Any]) -> dict[str, Any]:
    return {"messages": [{"role": "system", "content": system}, QUESTION, *messages]}


def prompt_of(
    conversation: ReviewedConversation,
    parts: list[RemovableLine],
    *,
    memory: str = "",
    form: MessageForm = MessageForm.OPENAI,
) -> ReplayPrompt:
    return replay_prompt(conversation, SAID, parts, memory, conversation.runtime, form)


def run(
    prompt: ReplayPrompt,
    answer: Callable[[str], Any],
    limits: ReplayLimits | None = None,
    cancel: Cancel | None = None,
    timeout: float = 20.0,
    mode: ApiMode = ApiMode.CHAT,
) -> tuple[ReplayResult, list[Any]]:
    with stand_in(answer) as model:
        provider, url = (
            ("anthropic", model.url) if mode is ApiMode.MESSAGES else ("custom", f"{model.url}/v1")
        )
        runtime = Runtime(provider, "made-up", mode, url, "key", timeout=timeout)
        opened = open_model(runtime)
        try:
            replay = Replay(prompt, SAID, opened, limits or ReplayLimits(), cancel or Cancel())
            return replay.run(), model.requests
        finally:
            opened.close()


def hermes_prompt(entries: Sequence[str]) -> ReviewedConversation:
    memory = "\n§\n".join(entries)
    system = f"You are a deckhand.\n\nMEMORY (your notes) [61%]\n═══\n{memory}\n\nBe brief."
    answer = {"role": "assistant", "content": SAID}
    return conversation_of(request(system, answer, {"role": "user", "content": "Thanks!"}))


CASES = [
    (64, "any", {0}),
    (64, "any", {63}),
    (128, "any", {70}),
    (500, "any", {317}),
    (128, "any", {3, 90}),
    (500, "any", {250, 499}),
    (128, "all", {5, 100}),
    (500, "all", {77, 401}),
    (128, "always", set[int]()),
    (500, "never", set[int]()),
]
"""Ten planted causes among so many entries: any of them is enough, or all are needed."""


@pytest.mark.parametrize(("amount", "how", "planted"), CASES)
def test_the_planted_entries_are_named_within_the_requests_that_a_bisection_takes(
    amount: int, how: str, planted: set[int]
) -> None:
    def answer(body: str) -> str:
        has = [entry(number) in body for number in sorted(planted)]
        holds = {"any": any(has), "all": all(has), "always": True, "never": False}[how]
        return f"Done. {SAID}" if holds else SILENT

    prompt = prompt_of(
        hermes_prompt([*map(entry, range(amount))]), parts_of([*map(entry, range(amount))])
    )
    assert len(prompt.parts) == amount and prompt.is_said and not prompt.is_memory_added
    result, requests = run(prompt, answer, ReplayLimits(requests=200, input_tokens=10**9))
    causes = result.causes
    found = {prompt.parts[number].line.at for number in (*causes.needed, *causes.together)}
    assert found == planted
    assert bool(causes.together) == (how == "all")
    verdicts = {"always": Verdict.ELSEWHERE, "never": Verdict.UNSAID}
    assert causes.verdict is verdicts.get(how, Verdict.FOUND)
    assert result.requests == causes.runs == len(requests)
    members = max(1, len(planted))
    assert result.requests <= 4 * math.log2(amount) * members
    assert result.requests <= cost_of(prompt).requests(members)
    assert result.ending.exit_code is ExitCode.DONE


def test_the_prompt_is_the_one_that_was_sent_but_for_what_is_left_out() -> None:
    entries = [*map(entry, range(4))]
    conversation = hermes_prompt(entries)
    prompt = prompt_of(conversation, parts_of(entries))
    whole = prompt.request()
    assert whole.messages == conversation.messages[:2]
    less = prompt.request(frozenset({1, 3})).messages
    assert less[1:] == whole.messages[1:]
    system = less[0]["content"]
    assert entries[0] in system and entries[2] in system and "Be brief." in system
    assert entries[1] not in system and entries[3] not in system
    assert system.count("§") == 2, "a delimiter goes with the entry before it"


def test_every_entry_of_the_block_that_hermes_writes_is_found() -> None:
    entries = ["Two lines\nof one entry.", "- begins with a dash", "§ 4 is a law.", "Ends here."]
    system = f"You are Hermes.\n\n{memory_block(entries)}\n\n# Skills"
    prompt = prompt_of(conversation_of(request(system)), parts_of(entries))
    assert [part.text for part in prompt.parts] == entries
    less = prompt.request(frozenset(range(4))).messages[0]["content"]
    assert not any(entry in less for entry in entries) and "# Skills" in less


def test_what_user_and_model_wrote_is_never_cut() -> None:
    fact = entry(1)
    talk = conversation_of(
        {
            "messages": [
                {"role": "system", "content": f"Notes:\n- {fact}"},
                {"role": "user", "content": fact},
                {"role": "assistant", "content": fact},
                QUESTION,
            ]
        }
    )
    less = prompt_of(talk, parts_of([fact])).request(frozenset({0})).messages
    assert fact not in less[0]["content"]
    assert [each["content"] for each in less[1:3]] == [fact, fact]


def test_a_skill_that_was_read_is_cut_out_of_the_result_and_of_the_list() -> None:
    line = "Announce the harbour in #dockside before noon."
    skill = part(line, "skills/deploy/SKILL.md", 6)
    listed = RemovableLine(skill.line, "- deploy: Deploys to the harbour.")
    call = {"id": "c1", "type": "function", "function": {"name": "skill_view", "arguments": "{}"}}
    result = json.dumps({"success": True, "content": f"# Deploy\n\n1. {line}\n2. Wait.\n"})
    talk = conversation_of(
        request(
            "Skills:\n  - deploy: Deploys to the harbour.",
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": result},
        )
    )
    prompt = prompt_of(talk, [skill, listed])
    assert len(prompt.parts) == 2
    less = prompt.request(frozenset({0, 1})).messages
    assert line not in less[3]["content"] and "2. Wait." in less[3]["content"]
    assert json.loads(less[3]["content"])["success"] is True
    assert "Deploys" not in less[0]["content"]
    assert prompt.request().tools[0]["function"]["name"] == "skill_view"


def test_a_transcript_without_a_system_prompt_is_given_the_live_memory() -> None:
    talk = conversation_of({"messages": [QUESTION, {"role": "assistant", "content": SAID}]})
    memory = f"## MEMORY.md\n\n{entry(1)}\n{entry(2)}"
    for form in MessageForm:
        prompt = prompt_of(talk, parts_of([entry(1), entry(2)]), memory=memory, form=form)
        assert prompt.is_memory_added and len(prompt.parts) == 2
        sent = json.dumps([prompt.request().system, *prompt.request().messages])
        assert entry(1) in sent
        less = prompt.request(frozenset({0}))
        assert entry(1) not in json.dumps([less.system, *less.messages])


def test_reminders_of_claude_code_are_cut_and_its_messages_keep_their_form() -> None:
    reminder = f"<system-reminder>\nContents of CLAUDE.md:\n\n- {entry(1)}\n</system-reminder>"
    blocks = [{"type": "text", "text": reminder}, {"type": "text", "text": entry(1)}]
    talk = conversation_of(
        {
            "system": [{"type": "text", "text": "You are a CLI."}],
            "messages": [
                {"role": "user", "content": blocks},
                {"role": "assistant", "content": [{"type": "text", "text": SAID}]},
            ],
            "max_tokens": 100,
            "model": "m",
        }
    )
    assert talk.form is MessageForm.ANTHROPIC
    prompt = prompt_of(talk, parts_of([entry(1)]), form=MessageForm.ANTHROPIC)
    assert not prompt.is_memory_added
    (message,) = prompt.request(frozenset({0})).messages
    assert entry(1) not in message["content"][0]["text"]
    assert message["content"][1]["text"] == entry(1)
    result, _ = run(
        prompt,
        lambda body: SAID if r"CLAUDE.md:\n\n- Fact" in body else SILENT,
        mode=ApiMode.MESSAGES,
    )
    assert result.causes.verdict is Verdict.FOUND


def test_without_anything_before_the_answer_there_is_no_prompt() -> None:
    talk = conversation_of({"messages": [{"role": "assistant", "content": SAID}]})
    with pytest.raises(BadInput, match="Nothing precedes"):
        prompt_of(talk, [])


@pytest.mark.parametrize(
    ("answer", "holds"),
    [
        (SAID, True),
        (f"Sure.\n\n{SAID} Anything else?", True),
        ("I deployed it to harbour-7 at noon today.", True),
        ("At noon, I deployed it to `harbour-7`!", True),
        ("I deployed it to harbour-8 at noon.", False),
        ("I did not deploy it to harbour-7 at noon.", False),
        ("I deployed it.", False),
        ("", False),
        ("harbour-7 " * 4_000, False),
    ],
)
def test_an_answer_says_a_sentence_if_it_has_it_or_one_that_is_nearly_the_same(
    answer: str, holds: bool
) -> None:
    assert says(answer, SAID) is holds


def small() -> ReplayPrompt:
    entries = [*map(entry, range(20))]
    return prompt_of(hermes_prompt(entries), parts_of(entries))


def planted(body: str) -> str:
    return SAID if entry(11) in body else SILENT


def counted(tokens: int, body: str) -> dict[str, Any]:
    return {"say": planted(body), "usage": {"input": tokens}}


def test_a_model_that_answers_nonsense_is_quoted_and_nothing_is_blamed() -> None:
    result, requests = run(small(), lambda body: "\x1b[2J ÿÿÿ " * 2_000)
    assert (result.causes.verdict, len(requests)) == (Verdict.UNSAID, 2)
    assert result.answer.startswith("\x1b[2J")


def test_a_model_whose_answer_varies_is_told_as_that() -> None:
    turns = iter(range(100))
    result, _ = run(small(), lambda body: SAID if next(turns) % 2 else SILENT)
    assert result.causes.verdict is Verdict.VARIES


def test_a_limit_of_requests_ends_it_with_what_is_known() -> None:
    result, requests = run(small(), planted, ReplayLimits(requests=9))
    assert len(requests) == result.requests == 9
    assert result.causes.verdict is Verdict.OPEN
    assert 11 in result.causes.among and len(result.causes.among) < 20
    assert result.ending.end is ExchangeEnd.ITERATIONS
    assert result.ending.exit_code is ExitCode.EARLY


def test_a_limit_of_tokens_ends_it_before_a_request_goes_beyond_it() -> None:
    prompt = small()
    limits = ReplayLimits(input_tokens=3 * cost_of(prompt).tokens)
    for tokens in (300, 0):  # Some servers count nothing.
        answer = partial(counted, tokens)
        result, requests = run(prompt, answer, limits)
        assert result.ending.end is ExchangeEnd.TOKENS and 0 < len(requests) < 9


def test_a_model_that_is_slow_is_given_up_after_its_time() -> None:
    def slow(body: str) -> dict[str, Any]:
        return {"say": SAID, "latency": 30}

    result, _ = run(small(), slow, ReplayLimits(seconds=0.5), timeout=0.2)
    assert result.ending.end in (ExchangeEnd.FAILED, ExchangeEnd.TIME)
    assert result.causes.verdict is Verdict.OPEN and result.causes.runs == 0


def test_requests_that_are_repeated_after_a_failure_count_too() -> None:
    faults = iter([{"fault": "ratelimit", "retry_after": 0}] * 2)
    result, requests = run(small(), lambda body: next(faults, None) or planted(body))
    assert result.causes.verdict is Verdict.FOUND
    assert len(requests) == result.requests == result.causes.runs + 2


def test_a_refused_key_ends_it_at_once_and_says_why() -> None:
    result, requests = run(small(), lambda body: {"fault": "refused"})
    assert len(requests) == 1 and result.ending.exit_code is ExitCode.FAILED
    assert result.ending.reason and result.ending.hint


def test_a_cancelled_search_sends_nothing_more() -> None:
    cancel = Cancel()

    def answer(body: str) -> str:
        cancel()
        return SAID

    result, requests = run(small(), answer, cancel=cancel)
    assert len(requests) == 1
    assert result.ending.exit_code is ExitCode.CANCELLED
