"""When a review is due."""

from __future__ import annotations

from tests.reviewer.kit import spoken

from reviewdeck.reviewer.background import DueReviews, Triggers
from reviewdeck.reviewer.conversation import Json, MessageForm


def called(name: str) -> Json:
    """The model calls a tool."""
    function = {"name": name, "arguments": "{}"}
    asked = {"id": "c", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [asked]}


def test_memory_is_due_after_so_many_turns_and_then_counts_anew() -> None:
    triggers = Triggers(memory_interval=3)
    dues = []
    for _ in range(7):
        triggers.user_turn()
        dues.append(triggers.turn_ended().memory)
    assert dues == [False, False, True, False, False, True, False]


def test_skills_are_due_after_so_much_work() -> None:
    triggers = Triggers(skills_interval=4)
    for _ in range(5):
        triggers.tool_iteration(["terminal"])
    assert triggers.turn_ended() == DueReviews(skills=True)
    assert not triggers.turn_ended()


def test_an_agent_that_saves_by_itself_is_not_reminded() -> None:
    triggers = Triggers(memory_interval=2, skills_interval=2)
    triggers.user_turn()
    triggers.user_turn()
    triggers.tool_iteration(["terminal"])
    triggers.tool_iteration(["memory", "skill_manage"])
    assert not triggers.turn_ended()


def test_looking_at_a_skill_is_not_saving() -> None:
    triggers = Triggers(skills_interval=2)
    triggers.tool_iteration(["skill_view"])
    triggers.tool_iteration(["skills_list"])
    assert triggers.turn_ended().skills


def test_zero_switches_a_trigger_off() -> None:
    triggers = Triggers(memory_interval=0, skills_interval=0)
    for _ in range(50):
        triggers.user_turn()
        triggers.tool_iteration()
    assert not triggers.turn_ended()


def test_a_turn_without_an_answer_brings_nothing_about_and_loses_no_count() -> None:
    triggers = Triggers(memory_interval=1)
    triggers.user_turn()
    assert not triggers.turn_ended(interrupted=True)
    assert not triggers.turn_ended(answered=False)
    assert triggers.turn_ended().memory


def test_a_session_that_is_resumed_counts_on() -> None:
    triggers = Triggers(memory_interval=10, skills_interval=3)
    talk = spoken(*(str(n) for n in range(26)))  # 13 turns
    work = [called("terminal"), {"role": "tool", "tool_call_id": "c", "content": ""}] * 2
    triggers.resume([*talk, *work], MessageForm.OPENAI)
    assert (triggers.turns, triggers.iterations) == (3, 2)
    triggers.resume([*talk, called("memory"), *spoken("one more")], MessageForm.OPENAI)
    assert triggers.turns == 1


def test_a_resumed_session_of_anthropic_counts_no_results_as_turns() -> None:
    result = {"type": "tool_result", "tool_use_id": "c", "content": "out"}
    messages = [*spoken("a", "b"), {"role": "user", "content": [result]}]
    triggers = Triggers()
    triggers.resume(messages, MessageForm.ANTHROPIC)
    assert triggers.turns == 1
