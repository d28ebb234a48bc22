"""Phrasings of requests: several for each kind of task, none of which mentions a rule.

A request says what is wanted, where it goes and what its fields are called, because a check must
find them; it never says how a value is written or what the house does besides.
"""

from __future__ import annotations

import random
from datetime import datetime

from bench.private_rules.rule import Kind, Line, Task

_ASKS: dict[Kind, tuple[str, ...]] = {
    Kind.EVENTS: (
        "Here is what came up today around the {topic}: {told}. Please keep it as a JSON list"
        " called entries, each with what, at and by{where}.",
        "Could you put together a JSON file on the {topic}{where}? {told}. It should have entries,"
        " and each of them what, at and by.",
        "I need the {topic} on record, as JSON{where}. {told}. Call the list entries and give each"
        " one what, at and by.",
        "Before I forget, about the {topic}: {told}. Make JSON of it{where}, with entries that say"
        " what, at, by.",
        "{told}. That is all for the {topic}; please write it to a JSON file{where}, under entries,"
        " with the fields what, at and by.",
        "Somebody will ask who did what around the {topic} and at which hour. {told}. JSON"
        " please{where}; entries, and in each of them what, at, by.",
        "Take this down for me{where}, JSON, a list entries of what, at and by: {told}. It belongs"
        " to the {topic}.",
        "The day at the {topic} went like this. {told}. Can I have that{where}? JSON with entries"
        " made of what, at, by.",
    ),
    Kind.STOCK: (
        "I have just been through the shelves for the {topic}: {told}. Write JSON{where} with a"
        " list items, each with id, name and amount.",
        "We counted what is left for the {topic}. {told}. Please make a JSON inventory{where}:"
        " items with id, name, amount.",
        "Can you set up a JSON stock list for the {topic}{where}? There is {told}. Under items,"
        " with an id, a name and an amount for each.",
        "{told}: that is what we have for the {topic}. I want it as JSON{where}, items with id,"
        " name and amount.",
        "How much is there for the {topic}? {told}. Keep that{where} in JSON so that we know next"
        " month: items, and for each id, name, amount.",
        "Store room check, {topic}: {told}. One JSON file{where}, a list called items, fields id,"
        " name and amount.",
        "We must reorder for the {topic} soon. At the moment we hold {told}. JSON{where} please,"
        " items having id, name, amount.",
        "Put what we hold for the {topic} into JSON{where}. {told}. I think of items, every one of"
        " them with id, name and amount.",
    ),
    Kind.ROSTER: (
        "For the {topic}, {told}. Please make a JSON roster{where}: people, each with name and"
        " role.",
        "Can you write down who does what at the {topic}? {told}. As JSON{where}, a list people"
        " with name and role.",
        "The team for the {topic} is settled: {told}. Put it into a JSON file{where}, under people,"
        " with name and role.",
        "{told}. That is how we share out the {topic}; JSON please{where}, people with name and"
        " role.",
        "Everybody has said yes for the {topic}. {told}. JSON{where}: people, then name and role of"
        " each.",
        "Whom do I call about the {topic}? {told}. Make that a JSON file{where} that has people,"
        " and name and role for each.",
        "I promised the others a plan for the {topic}{where}. {told}. In JSON, a list people of"
        " name and role.",
        "Shifts at the {topic}: {told}. Store them{where} as JSON, every one of the people with a"
        " name and a role.",
    ),
    Kind.PRICES: (
        "Please make a CSV of what we pay for the {topic}{where}: {told}. Two columns, item and"
        " price.",
        "I want the costs of the {topic} side by side as CSV{where}. {told}. Item and price are"
        " enough.",
        "Could you turn this into a CSV price list for the {topic}{where}? {told}. Columns item and"
        " price.",
        "{told}. Those are the offers for the {topic}; put them into a CSV{where}, item and price.",
        "What did the {topic} set us back? {told}. I would like a CSV{where} with item and price.",
        "The receipts of the {topic} say {told}. Type them up as CSV{where}: item, price.",
        "For the accounts, {topic}: {told}. A CSV{where} with an item and a price in each row.",
        "Our supplier has put prices up, which hits the {topic}. Now it is {told}. Save that as"
        " CSV{where}, item next to price.",
    ),
    Kind.NOTES: (
        "Please write up in Markdown where we stand with the {topic}{where}. {told}.",
        "Could you draft a short Markdown guide to the {topic}{where}, so that newcomers find"
        " their way? {told}.",
        "We talked about the {topic} this morning: {told}. I need minutes in Markdown{where}.",
        "I would like a one-page Markdown summary of the {topic}{where}. {told}.",
        "Make me a Markdown report on the {topic}{where}, please. What matters: {told}.",
        "The board wants to know how the {topic} is going. {told}. Half a page of Markdown{where}"
        " will do.",
        "Set down what we agreed on the {topic}, Markdown{where}: {told}.",
        "{told}. Can you turn this into a handout on the {topic}? Markdown{where}.",
    ),
    Kind.LETTER: (
        "Please draft a letter to {to} about the {topic} as a text file{where}: {told}.",
        "{to} must hear from us about the {topic}. Write a few friendly lines{where}, plain text."
        " {told}.",
        "Can you answer {to} on the {topic}? Plain text{where}. Tell them that {told}.",
        "I owe {to} an apology because of the {topic}. Write it for me as a text file{where};"
        " {told}.",
        "{to} has not replied about the {topic}. Put a reminder{where}, plain text, and mention"
        " that {told}.",
        "We have to turn {to} down over the {topic}. Find kind words, text only{where}. {told}.",
        "An e-mail for {to}, please, on the {topic}{where}, as text. It should say that {told}.",
        "Invite {to} to see the {topic}. Text file{where}. Add that {told}.",
    ),
    Kind.SCRIPT: (
        "Write me a little Python script for the {topic}{where} that adds up the numbers in a text"
        " file.",
        "Could you automate a chore of the {topic} in Python{where}? It should read a file of"
        " numbers, one a line, and print the total.",
        "I am tired of adding up the {topic} by hand. A Python program please{where}: file in,"
        " total out.",
        "For the {topic} we need a small Python helper{where} with a function that sums the lines"
        " of a file.",
        "Every evening somebody counts the {topic} with a pocket calculator. Let Python do"
        " it{where}, from a file with one number a line.",
        "Can Python total a column for the {topic}? Put the code{where}; the input is a plain list"
        " of numbers.",
        "A function that takes a path and gives back the sum of the numbers there, in"
        " Python{where}. It is for the {topic}.",
        "Code me something short in Python{where}: open the file of the {topic}, sum it up, done.",
    ),
    Kind.EDIT: (
        "In {path} the line about {thing} is missing; please add it.",
        "Please correct {path}: {thing} belongs in there, too, at the end.",
        "Could you add {thing} to {path}?",
        "{path} is out of date. Put {thing} in as well, please.",
        "Somebody forgot {thing} in {path}. Please fix that.",
        "We also have {thing} for the {topic}, so append it to {path}.",
        "The list in {path} should end with {thing}. It does not yet.",
        "One more for {path}: {thing}.",
    ),
    Kind.SUM: (
        "For the {topic} we need {n} boxes at {m} pieces each. How many pieces is that?",
        "If each of {n} people at the {topic} takes {m}, how many do I have to order?",
        "How much do {n} days of the {topic} come to, at {m} a day?",
        "Quick one about the {topic}: {n} rows of {m} chairs, how many seats?",
        "The {topic} took {n} weeks, and every week {m} visitors came. How many were there?",
        "What is {n} times {m}? It is for the {topic}.",
        "We hand out {m} leaflets at each of {n} stops for the {topic}. How many must be printed?",
        "{n} crates with {m} bottles in each for the {topic}: what do I tell the driver?",
    ),
}
_ASIDES = (
    "",
    "",
    "",
    "",
    " It is for tomorrow's round.",
    " Ines asked for it.",
    " Take your time.",
    " I have to leave in ten minutes.",
    " Sorry for the short notice.",
    " Nobody has looked after this since spring.",
    " I will print it.",
    " Last year we had nothing of the kind.",
)
_FREE = (
    " in {day}/",
    ", to be saved in {day}/",
    ", saved in the {day}/ folder",
    " (goes into {day}/)",
)
_GIVEN = (" as {path}", ", saved as {path}", " in {path}", " ({path})")


def words(task: Task, rng: random.Random) -> tuple[str, str]:
    """Return the request's text and the id of its wording. Requests of one wording look more alike
    than real ones, so a benchmark must not find one by the other.
    """
    where = rng.choice(_GIVEN if task.path else _FREE).format(path=task.path, day=task.day)
    number = rng.randrange(len(_ASKS[task.kind]))
    text = _ASKS[task.kind][number].format(
        topic=task.topic,
        told=_told(task),
        where=where,
        to=task.recipient,
        path=task.path,
        thing=task.lines[-1].what,
        n=task.lines[0].grams,
        m=task.lines[0].cents,
    )
    if not text.startswith(task.day):
        text = text[0].upper() + text[1:]
    return text + rng.choice(_ASIDES), f"{task.kind}-{number}"


def _told(task: Task) -> str:
    say = _SAID[task.kind]
    return ", ".join(say(line) for line in task.lines)


def _clock(at: datetime) -> str:
    return f"{at:%I:%M %p}".lstrip("0").lower()


def _event(line: Line) -> str:
    return f"the {line.what} at {_clock(line.at)} ({line.who.given} {line.who.family})"


def _stock(line: Line) -> str:
    return f"{line.grams / 1000:g} kilos of {line.what}"


def _duty(line: Line) -> str:
    return f"{line.who.given} {line.who.family} takes {line.what}"


def _price(line: Line) -> str:
    return f"{line.what} for {line.cents / 100:g}"


def _point(line: Line) -> str:
    return f"{line.who.given} sees to {line.what}"


_SAID = {
    Kind.EVENTS: _event,
    Kind.STOCK: _stock,
    Kind.ROSTER: _duty,
    Kind.PRICES: _price,
    Kind.NOTES: _point,
    Kind.LETTER: _point,
    Kind.SCRIPT: _point,
    Kind.EDIT: _point,
    Kind.SUM: _point,
}

UNRULED = (
    "What is another word for {topic}?",
    "Is it normal to be nervous before a visit about {topic}?",
    "Who usually looks after {topic} in a place like {world}?",
    "Give me three ideas to make {topic} more fun.",
    "Do you think {topic} could interest the local paper?",
    "Explain {topic} to a child of six.",
    "What could go wrong with {topic}?",
    "Why do people at {world} care so much about {topic}?",
    "Tell me a joke about {topic}.",
    "Which season is best for {topic}?",
)
"""Questions that no rule applies to."""

SMALL_TALK = tuple(
    line.strip()
    for line in """
    Morning! Slept well?
    Hey, it's me again
    Hi there, long time no see
    Evening :)
    How's life treating you?
    What's new with you?
    How was your weekend?
    Are you there?
    Still awake?
    Can you hear me?
    Thanks, you saved me
    Thank you, that was quick
    Cheers, mate
    Much appreciated!
    Thanks a million
    You're a star
    Perfect, exactly what I wanted
    Lovely, thanks
    Brilliant
    Nice one
    Awesome!
    Wow
    Great stuff
    Good to know
    I see
    Right
    Hmm
    Hmm, interesting
    Aha
    Oh, okay then
    Fair enough
    Never mind
    Doesn't matter
    Forget it
    No worries
    No problem at all
    Sorry, wrong window
    Oops
    My bad
    Just kidding
    Haha
    lol
    That made me laugh
    You're funny
    Do you like me?
    Are you a robot?
    Who made you?
    What's your name?
    How old are you?
    Do you ever get tired?
    Do you dream?
    I'm bored
    I'm so tired today
    I feel great today
    What a day
    It's raining again
    Nice weather, isn't it?
    It's freezing here
    Finally Friday!
    Happy new year!
    Happy birthday to me
    Congratulations!
    Wish me luck
    Fingers crossed
    I'm off to lunch
    Back in five minutes
    I'm back
    Talk to you later
    See you tomorrow
    Have a nice evening
    Sleep well
    Good night, see you
    Take care
    Bye for now
    ok, done for the day
    Let's call it a day
    One moment please
    Wait a second
    Yes
    Nope
    Maybe later
    I don't know
    Not sure yet
    Of course
    Sure thing
    Go on
    Guten Morgen!
    Vielen Dank
    Bis morgen
    Hola, ¿qué tal?
    Muchas gracias
    Bonjour, ça va ?
    Merci beaucoup
    Ciao, come stai?
    Grazie mille
    Bom dia
    Tack så mycket
    Dzień dobry
    """.splitlines()
    if line.strip()
)
"""Small talk, some of it not in English."""
