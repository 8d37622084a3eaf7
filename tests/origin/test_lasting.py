"""What lasts, and what a sentence names itself."""

from __future__ import annotations

import pytest

from reviewdeck.model import Utterance
from reviewdeck.origin.lasting import is_passing, leans_on_another
from reviewdeck.origin.said import hear

PASSING = """
The door is open.
The office is closed.
The printer is out of toner.
The cron job is commented out.
My knee is sprained.
The deploy is still running.
The ticket is on hold.
The dishwasher is broken.
The flag is turned off.
The index is being rebuilt.
The invoice is paid.
The staging site has crashed.
The branch is not merged.
The migration is half done.
My flight is delayed.
I'm on holiday.
I'm sick.
I need a taxi to the airport.
Der Server ist abgestürzt.
Die Heizung ist ausgefallen.
Die Migration ist eingespielt.
Ich bin im Urlaub.
Der Strom ist weg.
The door code changed.
The build failed on the second runner.
The wifi went down.
The coffee machine stopped working.
My phone died.
Marit left.
Call me back.
Restart the server.
Rename the folder to archive.
Ruf mich zurück.
Starte den Server neu.
Anna called about the invoice.
I'm reading a book about bees.
We're migrating the database.
The kids are watching a film.
I’m driving to Kassel.
Das Paket kam an.
Die Heizung fiel aus.
Wir warten auf den Klempner.
""".strip().splitlines()
LASTING = """
The repo is open source.
Call me Kasia.
Close the ticket when its fix is live.
Always restart the server.
The office is closed on Mondays.
The village is out of town.
The repository is archived.
The backups are encrypted.
The garden is fenced.
The kitchen is wooden.
My parents are retired.
My sister is divorced.
Deploying on Fridays is not allowed.
Our cluster is running Debian 12.
My mother is hard of hearing.
The old office was closed.
I have lived in Bonn for ten years.
Mein Bruder ist verheiratet.
Rauchen ist verboten.
Der Laden ist sonntags geschlossen.
Die Datenbank ist in Bonn gehostet.
I'm learning Rust.
I'm writing a thesis about bees.
I'm reading a paper every evening.
My job is cleaning offices.
I'm eating vegetarian.
My sister is making violins for a living.
We stopped using Jenkins.
The office moved to Graz.
My first startup failed in 2012.
The spare key hangs on the left.
Our dog is called Rex.
The tram stops at every floor.
Das Paket kommt immer dienstags an.
""".strip().splitlines()
LEANING = """
It is the staging one.
They moved it there last year.
There we keep the spare keys.
This is the production cluster.
These are my readings.
The second is the staging one.
Er steht in Falkenstein.
Das ist der Server von Ines.
""".strip().splitlines()
ALONE = """
There are three teams in Graz.
We tag every release with its date.
We use make check in this repo.
The backup server keeps its disks in Bonn.
My aunt says hello when she comes in.
Es gibt drei Teams in Graz.
""".strip().splitlines()


@pytest.mark.parametrize("sentence", PASSING)
def test_a_state_or_a_wish_that_passes_is_not_said_to_be_kept(sentence: str) -> None:
    assert is_passing(sentence)
    heard = hear(sentence, [Utterance("s1", "user", sentence, is_typed=True)])
    assert not heard.said and not heard.own


@pytest.mark.parametrize("sentence", LASTING)
def test_what_lasts_is_not_taken_for_a_moment(sentence: str) -> None:
    assert not is_passing(sentence)
    assert hear(sentence, [Utterance("s1", "user", sentence, is_typed=True)]).said


@pytest.mark.parametrize("sentence", LEANING)
def test_a_sentence_that_points_to_another_one_is_not_kept_alone(sentence: str) -> None:
    assert leans_on_another(sentence)
    assert not hear(sentence, [Utterance("s1", "user", sentence, is_typed=True)]).said


@pytest.mark.parametrize("sentence", ALONE)
def test_a_sentence_that_names_what_it_tells_of_stands_alone(sentence: str) -> None:
    assert not leans_on_another(sentence)


def test_what_the_entry_itself_names_before_may_be_pointed_to() -> None:
    typed = "Our cluster runs in Bonn. It is the staging one."
    assert hear(typed, [Utterance("s1", "user", typed, is_typed=True)]).said
