"""Requests of many kinds, put together from forms and subjects.

Those of the exam (`exam.py`) are held out: what the adapter is trained on has none of them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bench.english.texts.everyday_kinds import EVERYDAY
from bench.english.texts.exam import EXAM_KINDS, EXAM_OTHER, EXAM_TALK
from bench.english.texts.kind import Kind
from bench.english.texts.special_kinds import SPECIAL
from bench.english.texts.split import parts


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    text: str
    kind: str
    held: bool
    """Whether it is kept out of training."""


KINDS: Final[Mapping[str, Kind]] = {**EVERYDAY, **SPECIAL}
SMALL_TALK: Final = parts(
    "Hi!|Hello there.|Good morning!|How are you today?|Thanks, that helps.|What's up?|"
    "Who are you?|Tell me a joke.|I'm bored.|Nice weather today, isn't it?|Good night!|"
    "What can you do?|You are funny.|I had a long day.|Are you a human?|Happy Friday!|"
    "Ok.|Cool, thanks!|What's your name?|Do you like music?|Hi there, you!|Hiya|yo|Hey|"
    "hello|Morning!|Good afternoon.|Howdy!|Nice to meet you.|How was your night?|How "
    "do you feel?|I'm tired.|I am so happy today!|I'm sad.|Haha|lol|That's funny.|"
    "Great!|Perfect.|Nice.|Okay, got it.|Alright.|Never mind.|Forget it.|Sorry, my "
    "mistake.|No problem.|You're welcome.|I love you.|You are the best.|You are wrong.|"
    "That was rude.|Do you have friends?|Do you dream?|How old are you?|Where are you "
    "from?|Are you alive?|Who made you?|What are you doing?|Can you sing?|Do you know "
    "me?|Guess what!|I got the job!|It's my birthday today.|I can't sleep.|It is "
    "raining again.|What a day!|Merry Christmas!|Happy New Year!|Enjoy your weekend!|"
    "Bye!|See you later.|Talk to you soon.|I have to go.|I'm back.|Are you there?|Say "
    "something nice.|Cheer me up.|Make me laugh.|Tell me a secret.|What should we talk "
    "about?|I like you.|Thx|ty!|Wow.|Really?|Sounds good."
)
FOLLOW_UPS: Final = parts(
    "Tell me more.|Can you give me an example?|Why is that?|And what else?|Say it in "
    "other words.|Is there another way?|Explain that again, simpler.|Are you sure?|"
    "What does that mean for me?|Give me the short form.|How do I start?|What if that "
    "does not work?|Who told you that?|Is that always true?|Which of these is best?|"
    "What is the downside?|How long does it take?|What does it cost?|Can I do that "
    "alone?|Does that work for children too?|Repeat the last part.|Say more about the "
    "first point.|Make it friendlier.|Change the tone a bit.|Now do one for a friend.|"
    "Another one, please.|I don't get it.|What did you leave out?|Do you agree with "
    "that?|And in winter?|What would you do?|Can you go into detail?"
)
"""Second messages of a conversation."""
FREE_QUESTIONS: Final = parts(
    "Why is the sky blue?|How far is the moon?|What is the capital of Australia?|How "
    "many bones does a person have?|Why do we yawn?|Which is better, tea or coffee?|Do "
    "cats like people?|Why do leaves turn red?|How do planes fly?|What is the tallest "
    "mountain?|Is it rude to be late?|Are books better than films?|Why do people lie?|"
    "How does a fridge stay cold?|What happens when we sleep?|Who invented the "
    "telephone?|Why is the sea salty?|How long does light take from the sun?|Is money "
    "important for a happy life?|What is the fastest animal?|Should children have "
    "phones?|What makes a good friend?|Why do cats purr?|How do bees make honey?|What "
    "is the oldest city in the world?|Do plants sleep?|How does soap clean?|Why do "
    "onions make us cry?|What is the meaning of life?|Is there life on Mars?|How many "
    "languages are there?|Why do we dream?|What is the largest desert?|How do fish "
    "breathe?|Are robots dangerous?|Why is gold so expensive?|What is happiness?|"
    "Should school start later?|How is paper made?|Why do dogs bark?|Which language is "
    "hardest to learn?|Do you think cities are too loud?|How does a camera take a "
    "picture?|What came before the internet?|Why do we have leap years?|How strong is "
    "an ant?|What is the difference between a lake and a pond?|Is a tomato a fruit?|"
    "Why do ships float?|How hot is the sun?|Can money make you happy?|What is the "
    "best season of the year?|Why do we laugh?|How do birds find their way?|What is a "
    "good age to marry?|Who painted the Mona Lisa?|How does a lock work?|Why do stars "
    "twinkle?|Is it better to rent or to buy?|What do astronauts eat?|How many people "
    "live in India?|Why do we need salt?|Is art useful?|How do clouds form?"
)
"""Questions of none of the kinds: facts, opinions, how things work."""
TALK: Final = "small talk"
FREE: Final = "free"
"""What stands for the kind of a question that has none."""


def questions() -> list[Question]:
    """Return every request, each once, in a fixed order; one that is trained on is not held out."""
    found: dict[str, Question] = {}
    for some, held in ((_trained(), False), (_examined(), True)):
        for text, kind in some:
            found.setdefault(text, Question(text=text, kind=kind, held=held))
    return list(found.values())


def drawn(count: int, seed: int, *, held: bool) -> list[Question]:
    """Draw different requests, of all kinds alike and one in fourteen small talk."""
    chance = random.Random(f"english questions {seed} {held}")
    shelves: dict[str, list[Question]] = {}
    for question in questions():
        if question.held is held:
            shelves.setdefault(question.kind, []).append(question)
    for shelf in shelves.values():
        chance.shuffle(shelf)
    talk = shelves.pop(TALK)
    out = talk[: max(1, count // 14)]
    while len(out) < count and any(shelves.values()):
        for shelf in shelves.values():
            if shelf and len(out) < count:
                out.append(shelf.pop())
    chance.shuffle(out)
    return out[:count]


def _trained() -> Iterator[tuple[str, str]]:
    for name, kind in KINDS.items():
        yield from _filled(name, kind.forms, kind.subjects)
    yield from ((text, TALK) for text in SMALL_TALK)
    yield from ((text, FREE) for text in FREE_QUESTIONS)


def _examined() -> Iterator[tuple[str, str]]:
    for name, kind in EXAM_KINDS.items():
        yield from _filled(name, kind["forms"], kind["subjects"])
    yield from ((text, TALK) for text in EXAM_TALK)
    yield from ((text, FREE) for text in EXAM_OTHER)


def _filled(name: str, forms: Sequence[str], subjects: Sequence[str]) -> Iterator[tuple[str, str]]:
    for subject in subjects:
        for form in forms:
            yield form.format(subject), name
