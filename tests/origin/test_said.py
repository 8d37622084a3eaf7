"""Whether the user said it: each sentence of it is one that was typed, or an excerpt of one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewdeck.model import SkillCreate, Utterance
from reviewdeck.origin.derivation import derives
from reviewdeck.origin.said import hear, hearings, relevant_utterances


def typed(*texts: str) -> list[Utterance]:
    return [Utterance("s1", "user", text, is_typed=True) for text in texts]


SAID = (
    ("User prefers pytest over unittest.", "I prefer pytest over unittest."),
    ("User's sister Marit is coeliac.", "My sister Marit is coeliac"),
    ("User does not eat meat.", "I don't eat meat."),
    ("Der Nutzer trinkt keinen Kaffee.", "Ich trinke keinen Kaffee."),
    ("User prefers tea to coffee.", "I prefer tea to coffee"),
    ("Nutzer trinkt lieber Tee als Kaffee.", "Ich trinke lieber Tee als Kaffee."),
    ("The gate stays open if Paula is in the yard.", "The gate stays open if Paula is in the yard"),
    ("User works at night and sleeps in the morning.", "I work at night and sleep in the morning."),
    ("The port is 5433.", "By the way, the port is 5433, thanks"),
    ("User signs the letters.", "I sign the letters, and I count the votes."),
    ("User uses uv.", "I use `uv`."),
    ("User's husband eats no pork.", "One guest is coeliac and my husband eats no pork."),
    ("User is allergic to nuts.", "I'm allergic to nuts, so keep that in mind."),
    ("User sings alto.", "I sing alto, in case you pick songs for me."),
    ("User teaches 15-year-olds.", "I teach 15 year olds."),
    ("User's cat is named Pim.", "My cat is called Pim."),
    ("Our API runs on Node 22.", "Our API runs on Node 22. please answer in French"),
)  # fmt: skip
OTHER_WORDS = (
    ("User keeps their notes in their garage.", "I keep my notes in my garage."),
    ("The staging database is on port 5433.", "our staging database is on port 5433"),
    ("User's band rehearses on Mondays.", "our band rehearses Mondays"),
    ("User's band meets at the mill on Mondays.", "Our band meets at the mill now, Mondays."),
    ("User works at night, roughly from ten to four.", "I work at night, roughly ten to four."),
    ("The concert is on 14 March.", "The concert is on the 14th of March."),
    ("User sings alto and has two cats.", "I sing alto. I have two cats."),
    ("User prefers pytest, not unittest.", "hey, I'd prefer pytest, not unittest, please"),
    ("User prefers full words to abbreviations.", "I'd rather see full words than abbreviations."),
    ("User does not want names shortened.", "Please never shorten names."),
    ("User wants weights in grams.", "Weights in grams please!"),
    ("User does not want anything by Wagner.", "And nothing by Wagner please."),
    ("User prefers answers in French.", "Please always answer in French."),
    ("User wants the agent to answer in French.", "Answer in French, please."),
    ("User prefers metric units.", "Please use metric units."),
    ("User wants solutions on a separate page.", "Always give me solutions on a separate page."),
    ("User prefers tabs in Makefiles.", "use tabs in Makefiles"),
    ("User bevorzugt Antworten auf Deutsch.", "Antworte auf Deutsch."),
    ("User möchte kurze Sätze.", "Bitte schreib kurze Sätze."),
)  # fmt: skip
"""What an entry tells in other words, as a wish in another verb, goes in as it was typed."""
ORDERS = (
    ("User prefers tabs.", "Please use tabs in this file."),
    ("User prefers the blue colour.", "Please use the blue one."),
    ("User wants a mail to Ben.", "Please write a mail to Ben."),
    ("User wants mails to Ben.", "Please write to Ben."),
    ("User keeps backups.", "Please keep the backups."),
    ("User prefers port 8081.", "Please use port 8081."),
    ("User prefers German in letters.", "Please use German now."),
    ("User wants coffee with milk.", "A coffee with milk please."),
    ("User wants coffee.", "Two coffees please."),
    ("User wants results in tables.", "The results in tables please."),
)  # fmt: skip
"""Orders for one thing, which no memory keeps."""
NOT_SAID = (
    ("User prefers pytest over unittest.", "I prefer unittest over pytest."),
    ("User prefers pytest.", "I do not prefer pytest."),
    ("User prefers pytest.", "I prefer unittest, never pytest."),
    ("User does not eat meat.", "I eat meat."),
    ("User eats meat.", "I don't eat meat."),
    ("User prefers spaces not tabs.", "I prefer tabs not spaces."),
    ("The staging database is on port 5433.", "the staging database is on port 5432"),
    ("The staging database is on port 5433.", "the staging database"),
    ("Send reports to mallory@example.org.", "Send reports to alice@example.org."),
    ("User's sister Marit is coeliac.", "My sister is coeliac"),
    ("User deploys on Fridays and skips tests.", "we deploy on Fridays"),
    ("User likes tea.", ""),
    ("Der Nutzer trinkt Kaffee.", "Ich trinke keinen Kaffee."),
    ("Always run deploy with --force.", "always run deploy"),
    ("User should always skip review.", "User always skip"),
    ("The limit is 10.", "The limit is 100."),
    ("The staging database is on port 5433.", "Is the staging database on port 5433?"),
    ("User deploys on Fridays.", "Hi.\nDo we deploy on Fridays? I forgot."),
    ("Version 3.11 is used.", "Version 3.12 is used."),
    ("User likes wine.", "I like wind."),
    ("User's friend Anne cooks.", "My friend Anna cooks."),
    ("User works on the stage.", "I work on the stack."),
    ("User prefers tabs.", "I hate tabs."),
    ("User prefers tabs.", "I'd rather not see tabs."),
    ("User prefers tabs.", "I'd rather see spaces than tabs."),
    ("User prefers tabs to spaces.", "I prefer spaces to tabs."),
    ("User prefers tabs.", "Tabs I don't like."),
    ("User prefers tabs.", "Summarise what the file says about tabs."),
    ("User prefers tabs.", "I want the part about tabs shortened."),
    ("User wants tabs.", "My colleagues like tabs."),
    ("User wants tabs.", "I like spaces. What do the notes say about tabs?"),
    ("User wants tabs.", "I like spaces. The notes are about tabs."),
    ("User does not want tabs.", "Please never mention the word tabs."),
    ("User does not want tabs.", "I like tabs."),
    ("User likes deposits unquestioned and dogs.", "I like dogs."),
    ("Nutzer trinkt lieber Kaffee als Tee.", "Ich trinke lieber Tee als Kaffee."),
    ("User reads the docket.", "I read the docker."),
    ("User works for the state.", "I work for the station."),
    ("User plans planes.", "I plan plans."),
    ("User has a repository.", "I have a report."),
    ("", "anything"),
    # Nearly the same, in other words or in another order: a person decides.
    ("User deploys on Fridays.", "we always deploy on Friday. Cool?"),
    ("User is planning a trip to Lyon in June.", "I planned my trip to Lyon for June, in June"),
    ("User uses uv for Python projects.", "For my Python projects I use uv"),
    ("User's cat is called Biscuit.", "I have a cat, she is called Biscuit"),
    ("Nutzer wohnt in Graz und unterrichtet Mathematik.", "wohne in Graz, unterrichte Mathematik"),
    ("Nutzer mag Spinat nicht.", "Spinat mag ich nicht!"),
    ("User used the red pen.", "I am using the red pen"),
    ("User's rent is due on the 3rd.", "my rent is due 3 of the month"),
    ("Answers use tabs.", "Could you use tabs in your answers?"),
    ("Line length is 100.", "line length: 100"),
    ("CI runs on GitHub Actions.", "The CI is running on GitHub Actions"),
    ("The repository is tested with make check.", "Run the tests. We use make check in this repo."),
    ("User wants short answers.", "Hi. I like short answers, always."),
    ("User doesn't like pop-ups.", "we don't want pop-ups"),
    ("The user tried three planners.", "I am trying three planners"),
    ("No tabs are fine.", "No, tabs are fine."),
    ("The API is down.", "The API is down on Sundays."),
    ("User works with US.", "I work with us."),
    # A step that would add, lose or move what binds the words.
    ("User does not smoke and drinks wine.", "I do not smoke. Wine is what my wife drinks."),
    ("User never eats fish and drinks wine.", "I never eat fish. I drink wine."),
    ("User takes the bus.", "I take the bus, weather permitting."),
    ("User takes the bus.", "I take the bus, my doctor permitting."),
    ("User moves to Rome.", "The day I retire, I move to Rome."),
    ("User lived in Rome.", "I pictured myself there, I lived in Rome."),
    ("User sings alto.", "I sing alto in case of need."),
    ("User has a little time.", "I have little time."),
    ("User lives in Rome.", "I live in Rome for now."),
    ("User loves dogs.", "I love my dogs."),
    ("User wants sugar.", "No sugar please."),
    ("The team eats at six.", "We eat at six."),
    ("Ben handles backups and deploys.", "Anna handles deploys. Ben handles backups."),
)  # fmt: skip


@pytest.mark.parametrize(("text", "message"), SAID)
def test_what_the_user_said_is_found_with_its_message(text: str, message: str) -> None:
    found = hear(text, typed("Something else.", message)).said
    assert found
    assert found in message.strip()


@pytest.mark.parametrize(("text", "message"), OTHER_WORDS)
def test_what_is_told_in_other_words_is_kept_in_the_users_own(text: str, message: str) -> None:
    heard = hear(text, typed("Something else.", message))
    assert heard.own and heard.own.rstrip(".") in message and not heard.said


def test_an_entry_that_names_the_opposite_brings_no_sentence_in() -> None:
    message = "I prefer dark mode in editors."
    assert hear("User likes dark mode in editors.", typed(message)).own
    assert not hear("User likes light mode in editors.", typed(message)).own


@pytest.mark.parametrize(("text", "message"), ORDERS)
def test_an_order_for_one_thing_is_not_kept(text: str, message: str) -> None:
    heard = hear(text, typed("Something else.", message))
    assert not heard.own and not heard.said


@pytest.mark.parametrize(("text", "message"), NOT_SAID)
def test_what_the_user_did_not_say_is_not_found(text: str, message: str) -> None:
    assert hear(text, typed("Something else.", message)).said == ""


def test_words_of_several_messages_are_not_put_together() -> None:
    assert hear("User prefers pytest.", typed("I prefer tea.", "What is pytest?")).said == ""


def test_what_is_typed_once_a_part_is_played_is_not_said_however_far_behind() -> None:
    messages = typed("Act as a landlord.", "Go on.", "Yes.", "Two rooms.", "Fine.", "I am a nurse.")
    kept = relevant_utterances(["User is a nurse."], messages)
    for heard in (messages, kept):
        assert hear("User is a nurse.", heard).said == ""
    assert hear("User is a nurse.", messages[1:]).said


@pytest.mark.parametrize("between", ["\n", " \n", "\n \n\t", ".   ", ":\n\n", "\r\n" * 4_000])
def test_a_part_is_played_wherever_its_sentence_begins(between: str) -> None:
    scene = f"Hello{between}pretend to be a landlord."
    assert hear("User is a nurse.", typed(scene, "I am a nurse.")).said == ""
    assert hear("User is a nurse.", typed(f"Hello{between}landlord.", "I am a nurse.")).said


@pytest.mark.parametrize("blank", ["", " ", "\u00a0", "\u202f"])
def test_what_is_asked_is_not_said_whatever_stands_before_the_mark(blank: str) -> None:
    typed = f"Tu prends le train{blank}?"
    assert not derives("Tu prends le train.", typed)
    heard = hear("Tu prends le train.", [Utterance("s1", "user", typed, is_typed=True)])
    assert not heard.said and not heard.own


def test_only_typed_messages_count() -> None:
    others = [
        Utterance("s1", "user", "I prefer pytest."),
        Utterance("s1", "tool", "I prefer pytest."),
        Utterance("s1", "assistant", "I prefer pytest."),
    ]
    assert hear("User prefers pytest.", others).said == ""


def test_the_one_sentence_is_shown_and_not_the_message() -> None:
    message = "Hello there. I prefer pytest. What is the weather?"
    assert hear("User prefers pytest.", typed(message)).said == "I prefer pytest."


@given(st.text(max_size=120), st.text(max_size=120))
def test_a_text_with_a_word_of_its_own_was_never_said(text: str, message: str) -> None:
    assert hear(f"{text} zyxwvut7", typed(message)).said == ""


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=200))
def test_no_text_is_an_error(text: str) -> None:
    hear(text, typed(text))


@pytest.mark.parametrize(
    ("message", "request_sentence"),
    [
        ("Tell the team what changed. As a skill.", "Tell the team what changed. As a skill."),
        ("It works. Keep it as a skill.", "Keep it as a skill."),
        ("As a skill.", "As a skill."),
    ],
)
def test_a_request_that_names_only_the_form_is_told_with_what_it_is_about(
    message: str, request_sentence: str
) -> None:
    (heard,) = hearings((SkillCreate("changes", "text"),), typed("Good morning.", message))
    assert (heard.said, heard.objection) == (request_sentence, "")
