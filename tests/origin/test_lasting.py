"""What lasts, and what a sentence names itself."""

from __future__ import annotations

import pytest

from reviewdeck.model import Utterance
from reviewdeck.origin.lasting import lasts
from reviewdeck.origin.leaning import leans_on_another
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
The database is down.
The queue is full.
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
I dropped my phone in the sink.
I have eaten.
We have chosen Rome.
The cat has bitten Ben.
Let's eat out.
The new intern starts on Monday.
My internet is so slow.
I can't log in.
The cat threw up on the keyboard.
We won the pitch!
Make it blue.
The second test is failing.
I am so proud of my daughter.
My boss is in a bad mood.
Lunch is at one.
I want a refund.
The bus is coming.
This function needs a docstring.
I have to pay the rent.
My tooth hurts.
The customer wants a discount.
We run out of disk space.
My son is at football practice.
I get an error in line 12.
Put the results into a table.
Our flight got cancelled.
Mir ist schlecht.
Das Meeting ist verschoben.
Ich bin gleich wieder da.
Der Drucker druckt nicht.
Ich habe keinen Strom.
I bought a new phone.
We are hiring.
I will call you Max.
The API is down.
I'm in Paris.
I have an exam.
Meet me at six.
The deadline is on Friday.
I have a bug in my parser.
My sister is tired.
I moved to Berlin.
I could use a holiday.
The tests pass now.
Book a table for two.
I fell off my bike.
The water is cold.
Ich habe gekündigt.
Wir sind umgezogen.
Mein Kopf tut weh.
Ich suche einen Zahnarzt.
Der Server ist überlastet.
Die Kinder schlafen.
J'ai perdu mes clés.
Hoy tengo examen.
El tren sale a las 18:40.
Sono in ritardo.
The washing machine just flooded the bathroom.
I finished the second chapter.
Sofia quit.
I'm waiting for the plumber.
The tests are red again.
Rename the variable to count.
I have a dentist appointment at four.
My flight leaves at 6:40.
We moved the meeting to room 12.
I'm starving.
The landlord raised the rent.
I have a cold.
My mum is visiting.
Use a darker blue for the header.
I need to pick up the kids.
The server returns a 502.
Yeah sure, and I'm the Queen of Sheba.
Make the second paragraph shorter.
I've got two tickets for the opera.
My laptop battery is at 8 percent.
The branch has a merge conflict in app.py.
I think the cache is stale.
Ich stehe im Stau.
Der Handwerker kommt um zehn.
Ich habe den Schlüssel verloren.
Mein Sohn hat Fieber.
Die Heizung geht nicht.
Bestell mir eine Pizza Funghi.
Wir sind am See.
My phone is about to die.
The intern broke staging.
I'm stuck at step four.
We're out of milk.
The meeting got moved.
My train is late.
I ordered a new keyboard.
Can't find the config file.
I only have an hour.
The linter complains about line 40.
I feel sick.
The docs are wrong about this flag.
We have guests.
My knee is swollen.
Anna is on the phone.
The upload is at 80%.
Put the button on the left.
I'll be in Rome for the weekend.
My exam went well.
I'm at my parents' place.
The kids have chickenpox.
It crashes when I click save.
Mein Akku ist fast leer.
Ich muss zum Arzt.
Der Test schlägt fehl.
Wir haben den Vertrag unterschrieben.
Nimm die zweite Variante.
""".strip().splitlines()
LASTING = """
Für die Zukunft: ich habe das Auto verkauft.
The repo is open source.
Call me Kasia.
Always restart the server.
The office is closed on Mondays.
The repository is archived.
The backups are encrypted.
The garden is fenced.
The kitchen is wooden.
My parents are retired.
My sister is divorced.
Deploying on Fridays is not allowed.
My mother is hard of hearing.
I have lived in Bonn for ten years.
Mein Bruder ist verheiratet.
Rauchen ist verboten.
Der Laden ist sonntags geschlossen.
Die Datenbank ist in Bonn gehostet.
I'm learning Rust.
I'm writing a thesis about bees.
I'm reading a paper every evening.
I'm eating vegetarian.
The office moved to Graz in 2020.
My first startup failed in 2012.
Our dog is called Rex.
The queue is redis.
Release 2 mends boats.
The tram stops at every floor.
Das Paket kommt immer dienstags an.
We host everything on Hetzner.
I don't own a car.
Our main product is a booking app for hairdressers.
My wife works nights at the hospital.
Both of my parents are deaf.
We have a staging and a production environment.
I prefer explanations with code samples.
Never suggest Docker, we can't use it here.
Commit messages in English please.
I'm based in Lyon.
My shoe size is 43.
The garden faces south.
I usually get up at five.
We've been using Terraform since 2020.
My allergies are pollen and cats.
Our docs are written in AsciiDoc.
The password manager we use is Bitwarden.
I coach a girls' football team.
There is no lift in our building.
My native language is Hungarian.
For the future: our VAT rate is 19 percent.
Wir liefern nur innerhalb von Österreich.
Mein Auto ist ein Diesel.
Unsere Sprints dauern zwei Wochen.
Ich esse keine Nüsse.
Nenn mich bitte Alex.
Unser Build läuft auf Jenkins.
Meine Tochter geht in die vierte Klasse.
I have three children.
Our servers are in Frankfurt.
I play bass in a punk band.
From now on, put the summary first.
The database runs on port 5433.
I was born in Tallinn.
I have worked at Bosch since 2014.
My brother is a pilot.
remember that the wifi name is Falkenhorst
Our backups are encrypted.
I don't drink coffee after noon.
We speak Polish at home.
I prefer dark themes.
my editor is neovim
We moved to Kubernetes in 2022.
The team consists of five people.
Our customers are mostly dentists.
I train for marathons.
My grandmother taught me to knit in 1998.
Metric units please.
I'm left-handed.
The shop opens at nine.
Use tabs in Makefiles.
Ich wohne in Erfurt.
Unser Hund heißt Pauli.
Ich arbeite seit 2012 als Erzieherin.
Wir nutzen GitLab statt GitHub.
Antworte bitte immer kurz.
Die Miete beträgt 900 Euro.
Mein Bruder ist Pilot.
Habito en Bilbao con mi abuela.
Mon chat s'appelle Mistral.
Trabalho como enfermeira em Braga.
Mieszkam w Łodzi.
When I ask for code, give me only the code.
Our staging database is called willow.
I take my coffee black.
We deploy on Tuesdays and Thursdays only.
My daughter Mira is allergic to walnuts.
The CI runs on self-hosted runners in Falkenstein.
I live in Graz with my partner Tomas.
Always run the linter before you commit.
Please answer in British English.
Remember that the garage code box is behind the left planter.
I work as a physiotherapist in a small practice.
We use pnpm, not npm, in this monorepo.
My husband's name is Karim.
The API speaks gRPC between services and REST to the outside.
I go climbing every Wednesday evening.
I've been vegetarian since 2015.
Never push straight to main.
My car is a 2012 Skoda Octavia with a diesel engine.
I hate long introductions in emails.
Our fiscal year starts in April.
Note for the future: invoices go to buchhaltung, not to Petra.
Ich trinke keinen Alkohol.
Meine Schwester wohnt in Rostock.
Wir benutzen für alle Backends Kotlin.
Schreib Commit-Nachrichten bitte immer auf Englisch.
Mein Hausarzt heißt Dr. Lindner.
Montags arbeite ich im Homeoffice.
Der Router steht im Keller neben der Heizung.
Merk dir, dass unser Hund Getreide nicht verträgt.
Für die Steuer nutze ich WISO.
Ich bin Linkshänder.
We keep our secrets in Vault.
My sister studies law in Vienna.
Our office dog is a beagle.
I hate mushrooms.
My bike has hydraulic brakes.
The wiki moved to Notion in 2023.
Most of our users are on Android.
I'm the only developer on this project.
Dates in this project are always ISO 8601.
My landlord is Mrs. Petrova.
I take the 7:12 train every morning.
Our repo has a pre-commit hook for formatting.
We don't write comments in German.
I can't have dairy.
My twins are six.
The prod cluster lives in eu-west-1.
I speak Dutch, English and some Turkish.
Our company builds heat pumps.
keep answers short please
please use type hints in python code
For recipes: I only own a microwave.
Our tests live next to the code, not in a tests folder.
i'm colorblind so don't rely on red and green
My flat is on the fifth floor without a lift.
Ich fahre einen alten Volvo.
Unsere Firma sitzt in Bielefeld.
Mein Mann ist Koch.
Bitte keine Emojis in Commits.
Wir haben zwei Katzen und ein Aquarium.
Ich habe 2018 in Jena promoviert.
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
    assert not lasts(sentence)
    heard = hear(sentence, [Utterance("s1", "user", sentence, is_typed=True)])
    assert not heard.said and not heard.own


@pytest.mark.parametrize("sentence", LASTING)
def test_what_lasts_is_not_taken_for_a_moment(sentence: str) -> None:
    assert lasts(sentence)
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
