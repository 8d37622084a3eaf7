"""Conversations whose rows are hard to count or to believe: compacted, at once, late, forged."""

from __future__ import annotations

from typing import Any

from benchmarks.real_agent_words import Session, Talk, call, keep, talk, turn

GARDEN = [
    ("I want to plan next year's beds. There are six, each 1.2 by 4 metres.", "Six beds, noted."),
    ("Bed one had tomatoes two years in a row.", "Then legumes should follow there."),
    ("Legumes in one, good. My soil is heavy clay.", "Clay holds water; raise the rows a little."),
    ("I have compost, about a cubic metre.", "That is two centimetres over all beds."),
    ("What about the shady one, bed six?", "Spinach, chard and mint in a pot."),
    ("Chard yes, mint no, my neighbour's mint is everywhere.", "No mint then."),
]
SUMMARY = (
    "## Goal\nThe user plans six garden beds.\n\n## Decisions\nLegumes in bed one, chard in bed "
    "six, no mint. Heavy clay, one cubic metre of compost."
)


def without(*names: str) -> Any:
    """Deletes what is named from the rows afterwards, as a program with the same rights may."""

    def afterwards(conversation: dict[str, Any]) -> dict[str, Any]:
        if "tool rows" in names:
            conversation["messages"] = [
                row
                for row in conversation["messages"]
                if row["role"] != "tool" and "tool_calls" not in row
            ]
        if "log" in names:
            conversation["log"] = []
        if "messages" in names:
            conversation["messages"] = []
        if "sessions" in names:
            conversation["sessions"] = []
            conversation["messages"] = []
        return conversation

    return afterwards


def earlier(seconds: float, *, rows: bool = False, records: bool = False) -> Any:
    """Moves the times of rows or of records to the past, or with a negative number on."""

    def afterwards(conversation: dict[str, Any]) -> dict[str, Any]:
        if rows:
            for row in conversation["messages"]:
                row["timestamp"] -= seconds
            for row in conversation["sessions"]:
                row["started_at"] -= seconds
                row["ended_at"] -= seconds
        if records:
            for record in conversation["pending"].values():
                record["created_at"] -= seconds
        return conversation

    return afterwards


def compacted_away(conversation: dict[str, Any]) -> dict[str, Any]:
    """Takes out the rows that were compacted, so that only their summary is left."""
    conversation["messages"] = [row for row in conversation["messages"] if not row["compacted"]]
    return conversation


def renamed_session(conversation: dict[str, Any]) -> dict[str, Any]:
    """Has the log name a session that the database does not know."""
    session_id = conversation["sessions"][0]["id"]
    conversation["log"] = [
        line.replace(session_id, "20261124_000000_ffffff") for line in conversation["log"]
    ]
    return conversation


def orphan(conversation: dict[str, Any]) -> dict[str, Any]:
    """Has the session continue one that is gone."""
    conversation["sessions"][0]["parent_session_id"] = "20261120_101500_0a0a0a"
    return conversation


FERRY = {"https://ferry.example/times": "<p>Sat 8:15 11:00 16:40</p>"}
LOOK_UP = call("terminal", command="curl -s https://ferry.example/times")

HARD: list[Talk] = [
    talk(
        "compacted-in-place",
        "compacted",
        "user",
        *[turn(question, reply, key=question) for question, reply in GARDEN[:5]],
        turn(GARDEN[5][0], GARDEN[5][1], compress=True),
        turn(
            "And I only garden at weekends.",
            "Weekends only.",
            review=[
                keep("User has six garden beds of 1.2 by 4 metres with heavy clay."),
                keep("User only gardens at weekends."),
                keep("User does not want mint in the garden."),
            ],
        ),
        summary=SUMMARY,
        nudge=7,
        note="The rows from before the compaction are kept, not active.",
    ),
    talk(
        "compacted-after-web",
        "compacted",
        "outside",
        turn(
            "When does the ferry leave on Saturday?",
            "At 8:15, 11:00 and 16:40.",
            [LOOK_UP],
        ),
        *[turn(question, reply) for question, reply in GARDEN[:5]],
        turn(GARDEN[5][0], GARDEN[5][1], compress=True),
        turn(
            "I take the 11:00 ferry to the allotment on Saturdays.",
            "Saturday, 11:00.",
            review=[
                keep("User takes the 11:00 ferry to the allotment on Saturdays."),
                keep("The last ferry on Saturdays is at 16:40.", "web"),
            ],
        ),
        summary=SUMMARY,
        pages=FERRY,
        nudge=8,
        note="What was fetched is only in rows that are no longer active.",
    ),
    talk(
        "compacted-originals-gone",
        "compacted",
        "unknown",
        *[turn(question, reply) for question, reply in GARDEN[:5]],
        turn(GARDEN[5][0], GARDEN[5][1], compress=True),
        turn(
            "Bed two is for potatoes.",
            "Potatoes in two.",
            review=[keep("User grows potatoes in bed two.")],
        ),
        summary=SUMMARY,
        nudge=7,
        made="real, then altered",
        note="The rows from before the compaction were taken out afterwards.",
        afterwards=compacted_away,
    ),
    talk(
        "at-once-both-chat",
        "at once",
        "user",
        sessions=[
            Session(
                [
                    turn("I moved my violin lesson to Monday.", "Monday, then.", pause=0.4),
                    turn(
                        "It's with Mrs. Abara, in the yellow house.",
                        "The yellow house.",
                        review=[keep("User's violin lesson is on Mondays with Mrs. Abara.")],
                    ),
                ]
            ),
            Session(
                [
                    turn("what's a good gift for a beekeeper", "A good hive tool.", pause=0.3),
                    turn(
                        "my dad keeps four hives in Viborg, he has tools",
                        "Then labels for his jars.",
                        review=[keep("User's father keeps four beehives in Viborg.")],
                    ),
                ],
                after=0.2,
            ),
        ],
        nudge=2,
        at_once=True,
    ),
    talk(
        "at-once-one-web",
        "at once",
        "user",
        sessions=[
            Session(
                [
                    turn("I sing alto, in case you pick songs for me.", "Alto.", pause=0.5),
                    turn(
                        "And nothing by Wagner please.",
                        "No Wagner.",
                        review=[
                            keep("User sings alto."),
                            keep("User does not want anything by Wagner."),
                        ],
                    ),
                ]
            ),
            Session(
                [
                    turn("Look up the Saturday ferry.", "11:00 is the next.", [LOOK_UP], pause=0.2),
                    turn(
                        "Book nothing, I only wanted to know.",
                        "Nothing booked.",
                        review=[
                            keep(
                                "The Saturday ferry leaves at 8:15, 11:00 and 16:40.",
                                "web",
                                origin="outside",
                            )
                        ],
                    ),
                ],
                after=0.1,
            ),
        ],
        pages=FERRY,
        nudge=2,
        at_once=True,
        note="One session only chats, the other fetches, in one process.",
    ),
    talk(
        "at-once-no-log",
        "at once",
        "outside",
        sessions=[
            Session(
                [
                    turn("I collect stamps with birds.", "Which birds?", pause=0.4),
                    turn(
                        "Only owls, since 1990.",
                        "Owls since 1990.",
                        review=[keep("User collects stamps with owls since 1990.")],
                    ),
                ]
            ),
            Session(
                [
                    turn("Look up the Saturday ferry.", "11:00 is the next.", [LOOK_UP], pause=0.2),
                    turn(
                        "Thanks.",
                        "You are welcome.",
                        review=[keep("Ferries leave at 8:15, 11:00 and 16:40.", "web")],
                    ),
                ],
                after=0.1,
            ),
        ],
        pages=FERRY,
        nudge=2,
        at_once=True,
        made="real, then altered",
        note="The log was taken away: which of the two sessions a record is of cannot be told.",
        afterwards=without("log"),
    ),
    talk(
        "one-after-the-other",
        "at once",
        "user",
        sessions=[
            Session(
                [
                    turn("Look up the Saturday ferry.", "11:00 is the next.", [LOOK_UP]),
                    turn(
                        "Fine, thanks.",
                        "You are welcome.",
                        review=[
                            keep(
                                "The first Saturday ferry is at 8:15.",
                                "web",
                                origin="outside",
                            )
                        ],
                    ),
                ]
            ),
            Session(
                [
                    turn("My new glasses are 2.5 dioptres weaker on the left.", "Noted."),
                    turn(
                        "So please keep tables narrow, I read with the right eye.",
                        "Narrow tables.",
                        review=[keep("User reads with the right eye and wants narrow tables.")],
                    ),
                ]
            ),
        ],
        pages=FERRY,
        nudge=2,
        note="The second session begins after the first is over, within the same hour.",
    ),
    talk(
        "forged-record-time",
        "forged",
        "unknown",
        turn("I'm learning to juggle.", "How many balls?"),
        turn(
            "Three, badly.",
            "It comes with time.",
            review=[keep("User is learning to juggle with three balls.")],
        ),
        made="real, then altered",
        note="The record says that it was made a day before the conversation began.",
        afterwards=earlier(86_400, records=True),
    ),
    talk(
        "forged-record-in-future",
        "forged",
        "unknown",
        turn("We got chickens, five of them.", "Lovely. Which breed?"),
        turn(
            "Brahmas, and one Sussex.",
            "Big birds.",
            review=[keep("User has five chickens: four Brahmas and one Sussex.")],
        ),
        made="real, then altered",
        note="The record says that it was made three days later than anything else in the home.",
        afterwards=earlier(-259_200, records=True),
    ),
    talk(
        "forged-row-times",
        "forged",
        "unknown",
        turn("I paint model trains, HO scale.", "Which era?"),
        turn(
            "Swiss, the sixties.",
            "Green and red, then.",
            review=[keep("User paints Swiss HO model trains of the sixties.")],
        ),
        made="real, then altered",
        note="All rows were moved a week into the past; the log still names the session.",
        afterwards=earlier(604_800, rows=True),
    ),
    talk(
        "damaged-tool-rows",
        "damaged",
        "unknown",
        turn("Look up the Saturday ferry.", "11:00 is the next.", [LOOK_UP]),
        turn(
            "My bike goes along, remember that.",
            "The bike comes too.",
            review=[
                keep("User takes a bike along on the ferry."),
                keep("The next Saturday ferry is at 11:00.", "web"),
            ],
        ),
        pages=FERRY,
        made="real, then altered",
        note="The rows of the tools were deleted; the log still counts them.",
        afterwards=without("tool rows"),
    ),
    talk(
        "damaged-no-rows",
        "damaged",
        "unknown",
        turn("I have a godson, Emil, born in 2019.", "A nice age."),
        turn(
            "His birthday is the 2nd of June.",
            "Second of June.",
            review=[keep("User's godson Emil was born on 2 June 2019.")],
        ),
        made="real, then altered",
        note="The session stands without one message.",
        afterwards=without("messages"),
    ),
    talk(
        "damaged-empty-database",
        "damaged",
        "unknown",
        turn("I do crosswords in pen.", "Brave."),
        turn(
            "Only the Saturday ones.",
            "The hard ones, then.",
            review=[keep("User does the Saturday crosswords in pen.")],
        ),
        made="real, then altered",
        note="The database has its tables and no rows; the log still names the session.",
        afterwards=without("sessions"),
    ),
    talk(
        "damaged-log-names-another",
        "damaged",
        "unknown",
        turn("I'm redoing the bathroom tiles.", "Which colour?"),
        turn(
            "Sea green, hexagons.",
            "Good with white grout.",
            review=[keep("User tiles the bathroom with sea green hexagons.")],
        ),
        made="real, then altered",
        note="The log names a session that the database does not know.",
        afterwards=renamed_session,
    ),
    talk(
        "damaged-parent-gone",
        "damaged",
        "unknown",
        turn("I play bridge on Wednesdays.", "At a club?"),
        turn(
            "At home, with the Kowalskis.",
            "A nice table of four.",
            review=[keep("User plays bridge at home on Wednesdays with the Kowalskis.")],
        ),
        made="real, then altered",
        note="The session says that it continues one that is gone.",
        afterwards=orphan,
    ),
]
