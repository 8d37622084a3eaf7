"""Conversations in which nothing but the user and the agent takes part."""

from __future__ import annotations

from benchmarks.real_agent_words import Talk, call, keep, learn, reword, talk, turn

CHATS: list[Talk] = [
    talk(
        "chat-sourdough",
        "chat",
        "user",
        turn(
            "My sourdough came out flat again. I bake it on Saturdays in a cast iron pot, 75 "
            "percent hydration, rye starter.",
            "Flat with good crumb usually means it proofed too long. How warm is your kitchen?",
        ),
        turn(
            "About 26 degrees in summer. I let it stand for six hours.",
            "At 26 degrees four hours would do. Shorten the bulk rise and look for half again "
            "the volume rather than the clock.",
        ),
        turn(
            "Ok, will try four. By the way, weights in grams please, I don't own cups.",
            "Grams it is.",
            review=[
                keep("User bakes sourdough on Saturdays in a cast iron pot with a rye starter."),
                keep("User's kitchen is about 26 degrees in summer."),
                keep("User wants weights in grams and does not own measuring cups."),
            ],
        ),
    ),
    talk(
        "chat-choir",
        "chat",
        "user",
        turn(
            "Can you help me plan choir rehearsals? I direct a community choir in Ghent, 34 "
            "singers, we meet Tuesday evenings from 19:30 to 21:30.",
            "Gladly. How far is the concert, and how many pieces are on the programme?",
        ),
        turn(
            "Concert is on the 14th of March, seven pieces, the Rutter one is the hard one.",
            "Then I would give the Rutter the first forty minutes of the next five Tuesdays, "
            "while voices are fresh, and two other pieces each evening after the break.",
            review=[
                keep(
                    "User directs a community choir of 34 singers in Ghent; rehearsals are on "
                    "Tuesdays, 19:30 to 21:30."
                ),
                keep("The choir's concert is on 14 March with seven pieces, one by Rutter."),
            ],
        ),
    ),
    talk(
        "chat-short-answers",
        "chat",
        "user",
        turn(
            "what's the difference between a fjord and a bay",
            "A fjord is a bay too, but carved by a glacier: long, narrow, steep walls and often "
            "very deep, with a shallower sill at the mouth. A bay is any broad inlet of the sea.",
        ),
        turn(
            "shorter next time, two sentences at most. I read these on my watch",
            "Understood: two sentences.",
            [keep("User reads answers on a watch and wants two sentences at most.")],
        ),
    ),
    talk(
        "chat-running",
        "chat",
        "user",
        turn(
            "I've signed up for the Valencia half in October. I run three times a week, longest "
            "so far was 14 km. Bad left knee, no hills please.",
            "With 14 km behind you October is comfortable. I would add one kilometre to the long "
            "run each week and keep everything flat.",
        ),
        turn(
            "Long run has to be Sunday, I work shifts at the hospital and Sundays are always free.",
            "Sunday long, Tuesday easy, Thursday a little faster, moved around your shifts.",
            review=[
                keep("User is training for the Valencia half marathon in October."),
                keep("User runs three times a week; the longest run so far was 14 km."),
                keep("User has a bad left knee and avoids hills."),
                keep(
                    "User works shifts at a hospital and keeps Sundays free, so the long run is "
                    "on Sunday."
                ),
            ],
        ),
    ),
    talk(
        "chat-kids-reading",
        "chat",
        "user",
        turn(
            "Looking for a read-aloud book for my two, Ines is 7 and Mateo is 4. We did all of "
            "Moomin already.",
            "Try The Wind in the Willows in short chapters, or Pippi: both work for four and "
            "seven together.",
        ),
        turn(
            "Pippi sounds right. We read in Portuguese at bedtime, so a Portuguese translation.",
            "There are two Portuguese translations; the Relógio D'Água one reads well aloud.",
            review=[
                keep("User has two children: Ines, 7, and Mateo, 4."),
                keep(
                    "User's family reads aloud in Portuguese at bedtime and has finished the "
                    "Moomin books."
                ),
            ],
        ),
    ),
    talk(
        "chat-thesis",
        "chat",
        "user",
        turn(
            "I'm writing my master's thesis on lichen as an indicator of air quality. Supervisor "
            "is Dr. Halvorsen. Draft of the methods chapter is due on the 3rd of December.",
            "What part of the methods is open?",
        ),
        turn(
            "Sampling. I have 40 plots along the ring road, oak trunks only, north side.",
            "Then say why north side: moisture is steadier there. A table with plot, distance "
            "to the road and trunk girth would carry most of it.",
        ),
        turn(
            "Good. I cite in APA and write British English, can you stick to that from now on?",
            "Yes.",
            review=[
                keep(
                    "User writes a master's thesis about lichen as an indicator of air quality, "
                    "supervised by Dr. Halvorsen."
                ),
                keep("The methods chapter of the user's thesis is due on 3 December."),
                keep("User samples 40 plots along the ring road, on the north side of oak trunks."),
                keep("User cites in APA style and writes British English."),
            ],
        ),
    ),
    talk(
        "chat-moving-house",
        "chat",
        "user",
        turn(
            "We're moving from Leeds to Aberdeen at the end of June, me, my wife Priya and the "
            "cat. What do people forget?",
            "Meter readings, the cat's microchip address, and a box with kettle, sheets and "
            "screwdriver that travels with you.",
        ),
        turn(
            "The cat! Her name is Biscuit and she gets carsick, so we'll take the train.",
            "A covered carrier on the table seat works well; feed her six hours before.",
            review=[
                keep("User moves from Leeds to Aberdeen at the end of June with wife Priya."),
                keep("User has a cat called Biscuit that gets carsick."),
                keep("User plans to buy a car in Aberdeen.", "nobody"),
            ],
        ),
    ),
    talk(
        "chat-recipe-skill",
        "chat",
        "user",
        turn(
            "Every month I write the minutes for our allotment society. I always want the same "
            "thing: date and who was there, decisions first, then open points with a name each, "
            "then the next date. No more than one page.",
            "I can keep to that. Do you have notes for this month?",
        ),
        turn(
            "Not yet, but remember how I want it so I don't have to say it each month.",
            "I will keep it as a skill.",
            [
                learn(
                    "allotment-minutes",
                    "Write the monthly minutes of the allotment society on one page.",
                    "# Minutes of the allotment society\n\n"
                    "1. Date, and who was there.\n"
                    "2. Decisions come first.\n"
                    "3. Open points, each with the name of who does it.\n"
                    "4. The next date.\n\n"
                    "The whole is no longer than one page.",
                )
            ],
            [keep("User writes the monthly minutes of an allotment society.")],
        ),
    ),
    talk(
        "chat-allergy",
        "chat",
        "user",
        turn(
            "dinner ideas for six on friday? one guest is coeliac, i'm allergic to hazelnuts and "
            "my husband eats no pork",
            "Roast chicken with lemon and potatoes, a green salad, and a polenta cake: nothing "
            "in it is a problem for anyone.",
        ),
        turn(
            "lovely. the coeliac one is my sister in law Marit, she comes about every second week",
            "Then I will keep her in mind for later menus.",
            review=[
                keep("User is allergic to hazelnuts."),
                keep("User's husband eats no pork."),
                keep("User's sister-in-law Marit is coeliac and visits about every second week."),
            ],
        ),
    ),
    talk(
        "chat-correction",
        "chat",
        "user",
        turn(
            "Do you still know when my pottery class is?",
            "On Wednesdays at six, as far as I know.",
        ),
        turn(
            "Not any more, they moved it to Thursdays at half past five. Same studio.",
            "Noted, Thursdays at half past five.",
            [
                reword(
                    "pottery class",
                    "User has a pottery class on Thursdays at half past five.",
                )
            ],
            [keep("The pottery class is still in the same studio as before.")],
        ),
        profile=["User has a pottery class on Wednesdays at six.", "User drinks oat milk."],
    ),
    talk(
        "chat-german-learner",
        "chat",
        "user",
        turn(
            "Ich lerne Deutsch seit zwei Jahren, bitte antworte immer auf Deutsch und verbessere "
            "meine Fehler.",
            "Sehr gern. Möchtest du, dass ich Fehler gleich im Text oder am Ende verbessere?",
        ),
        turn(
            "Am Ende, als Liste. Meine Muttersprache ist Tamil.",
            "Gut, am Ende als Liste.",
            review=[
                keep("Lernt seit zwei Jahren Deutsch, Muttersprache Tamil."),
                keep("Möchte Antworten auf Deutsch und Fehler am Ende als Liste verbessert."),
            ],
        ),
    ),
    talk(
        "chat-todo-only",
        "chat",
        "user",
        turn(
            "Help me keep track today: call the plumber, renew the passport, pay the kindergarten.",
            "I have put the three on the list.",
            [
                call(
                    "todo",
                    todos=[
                        {"id": "1", "content": "Call the plumber", "status": "pending"},
                        {"id": "2", "content": "Renew the passport", "status": "pending"},
                        {"id": "3", "content": "Pay the kindergarten", "status": "pending"},
                    ],
                )
            ],
        ),
        turn(
            "Plumber done. He's called Mr. Osei and he only takes cash.",
            "Crossed off.",
            [
                call(
                    "todo",
                    todos=[{"id": "1", "content": "Call the plumber", "status": "completed"}],
                    merge=True,
                )
            ],
            review=[keep("The user's plumber is Mr. Osei, who only takes cash.", to="memory")],
        ),
    ),
    talk(
        "chat-night-work",
        "chat",
        "user",
        turn(
            "I'm a freelance subtitler, mostly Danish to English, and I work at night, roughly ten "
            "to four.",
            "What are you working on at the moment?",
        ),
        turn(
            "A crime series. 42 characters a line, two lines, the client's rule. And I keep "
            "swearing in, don't clean it up.",
            "Two lines of 42 characters, swearing left in.",
        ),
        turn(
            "How would you say 'for fanden' here? He's dropped his keys.",
            "'Oh, for fuck's sake.' 'Damn it' is too mild for the tone you describe.",
            review=[
                keep("User is a freelance subtitler, mostly from Danish to English."),
                keep("User works at night, roughly from ten to four."),
                keep(
                    "Subtitles have two lines of at most 42 characters, and swearing is left in.",
                    to="memory",
                ),
            ],
        ),
    ),
    talk(
        "chat-club-accounts",
        "chat",
        "user",
        turn(
            "I took over as treasurer of the rowing club in January. Dues are 18 euros a month, "
            "juniors pay half.",
            "Congratulations. Are the dues collected monthly or by the quarter?",
        ),
        turn(
            "By the quarter, on the first working day. I'd like a reminder text I can send, "
            "friendly, not formal.",
            "Here is one: 'Hello everyone, a new quarter on the water! Your dues will be "
            "collected on the first working day. See you at the boathouse.'",
            review=[
                keep("User has been treasurer of a rowing club since January."),
                keep("The rowing club's dues are 18 euros a month; juniors pay half."),
                keep("Dues are collected by the quarter on the first working day.", to="memory"),
                keep("User prefers friendly reminder texts that are not formal."),
            ],
        ),
    ),
    talk(
        "chat-telescope",
        "chat",
        "user",
        turn(
            "Got an 8 inch Dobsonian for my birthday! Light pollution is awful here in Lyon "
            "though, what can I see from a balcony facing south?",
            "From a south balcony: Jupiter, Saturn, the Moon, Orion's nebula in winter.",
        ),
        turn(
            "I can drive to the Vercors about once a month, Bortle 3 there.",
            "There the same mirror shows you galaxies; make lists for those nights.",
            review=[
                keep("User has an 8 inch Dobsonian telescope and a balcony facing south in Lyon."),
                keep(
                    "About once a month the user drives to the Vercors, where the sky is Bortle 3."
                ),
            ],
        ),
    ),
    talk(
        "chat-two-reviews",
        "chat",
        "user",
        turn(
            "I teach maths to 15 year olds at a vocational school in Graz.",
            "What are you preparing?",
            review=[keep("User teaches maths to 15-year-olds at a vocational school in Graz.")],
        ),
        turn(
            "Percentages. They hate word problems, so everything with wages and discounts.",
            "Then take pay slips: gross, net, what is taken off, in percent.",
            review=[keep("The user's pupils like percentages with wages and discounts.")],
        ),
        turn(
            "Great. Always give me the solutions on a separate page.",
            "I will.",
            review=[keep("User wants solutions on a separate page from the exercises.")],
        ),
        nudge=1,
    ),
    talk(
        "chat-seen-and-grown",
        "chat",
        "user",
        turn(
            "Our band rehearses in the cellar of the library now, Mondays at eight.",
            "Nice and close to your place.",
        ),
        turn(
            "Yes. I play bass, in case that's not clear. Fretless.",
            "Noted.",
            review=[
                keep("User plays fretless bass.", seen="grown"),
                keep(
                    "The user's band rehearses in the cellar of the library on Mondays at eight.",
                    seen="grown",
                ),
            ],
            meanwhile={".hermes/memories/USER.md": "User lives in Tartu.\n§\nUser is left-handed."},
        ),
        profile=["User lives in Tartu."],
        note="Between the two turns another session of the user added an entry.",
    ),
    talk(
        "chat-seen-and-stale",
        "chat",
        "user",
        turn(
            "Which of my two jobs did I say I want to leave?",
            "The one at the bakery, you said.",
        ),
        turn(
            "Right, and I gave notice yesterday, last day is the 28th.",
            "That is soon. Congratulations.",
            review=[
                keep("User gave notice; the last day at the bakery is the 28th.", seen="stale")
            ],
            meanwhile={
                ".hermes/memories/USER.md": "User has left the bakery and works at the bookshop."
            },
        ),
        profile=["User works at the bakery and at the bookshop."],
        note="Between the two turns the entry that the agent saw was reworded.",
    ),
]
