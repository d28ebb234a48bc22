"""Everyday requests of ten kinds, put together from forms and subjects; some subjects are held out.

A held-out subject never occurs in what the adapter is trained on: its requests measure it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of request: what a user calls it, its forms and the subjects that fill them."""

    called: tuple[str, ...]
    """Names that fit into "Keep … short."; the last one is held out."""
    forms: tuple[str, ...]
    subjects: tuple[str, ...]
    held_subjects: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    text: str
    kind: str
    held: bool
    """Whether it is kept out of training."""


def _parts(text: str) -> tuple[str, ...]:
    return tuple(" ".join(part.split()) for part in text.split("|"))


KINDS: Final[Mapping[str, Kind]] = {
    "email": Kind(
        called=("emails", "every email", "any email you write for me", "all my mails"),
        forms=_parts(
            "Write an email to {}.|Draft a short email to {}.|Can you write a mail to {}?|"
            "I need an email to {}."
        ),
        subjects=_parts(
            "my landlord about a leaking tap|my boss asking for a day off|a customer whose parcel"
            " is late|my neighbour about loud music|a hotel about an early check-in|the school"
            " about my son's absence|a friend I have not seen for years|my team about the moved"
            " meeting|a shop about a broken kettle|my dentist to move an appointment|a colleague"
            " who helped me with a report|the library about a lost book|my aunt to thank her for a"
            " gift|an airline about lost luggage|a supplier about a wrong invoice|our new intern on"
            " her first day"
        ),
        held_subjects=_parts(
            "my gym to end my membership|a plumber about a price|my professor about a deadline|the"
            " town hall about a parking permit|a band we want for our wedding|my insurance about a"
            " stolen bike|a restaurant about a table for twelve|a former teacher to say thanks"
        ),
    ),
    "recipe": Kind(
        called=("recipes", "every recipe", "anything about cooking", "all cooking answers"),
        forms=_parts(
            "Give me a recipe for {}.|How do I cook {}?|How do you make {}?|I want to make {}"
            " tonight, how?"
        ),
        subjects=_parts(
            "pancakes|tomato soup|fried rice|lentil curry|apple pie|an omelette|potato"
            " salad|banana bread|spaghetti with garlic|chicken stew|hummus|roast"
            " vegetables|cheesecake|mushroom risotto|fish tacos|oatmeal cookies"
        ),
        held_subjects=_parts(
            "pumpkin soup|shakshuka|blueberry muffins|a bean salad|onion tart|miso noodles|rice"
            " pudding|stuffed peppers"
        ),
    ),
    "poem": Kind(
        called=("poems", "every poem", "all poetry", "verses"),
        forms=_parts(
            "Write a short poem about {}.|Write me a poem on {}.|Can you write a few verses about"
            " {}?"
        ),
        subjects=_parts(
            "autumn|the sea|my old dog|a train at night|the first snow|coffee|a lost key|the"
            " moon|friendship|an empty house|bees|rain on a roof|my grandmother's garden|waiting"
        ),
        held_subjects=_parts(
            "a lighthouse|fresh bread|a broken clock|spring|the last bus home|a river|silence"
        ),
    ),
    "story": Kind(
        called=("stories", "every story", "any story you tell", "tales"),
        forms=_parts(
            "Tell me a short story about {}.|Write a little story about {}.|Make up a bedtime story"
            " about {}."
        ),
        subjects=_parts(
            "a shy dragon|a boy who finds a map|two friends on an island|a robot that likes"
            " music|a cat in a museum|a baker and a king|a girl who talks to trees|a lazy wizard|a"
            " ship without a captain|a mouse that wants to fly|an old violin|a village under snow"
        ),
        held_subjects=_parts(
            "a clumsy detective|a fox and a clockmaker|a star that fell down|a painter without"
            " colours|a letter that came too late|a very slow race"
        ),
    ),
    "howto": Kind(
        called=("instructions", "how-to answers", "all how-to questions", "step-by-step help"),
        forms=_parts(
            "How do I {}?|What is the best way to {}?|Can you tell me how to {}?|I have to {}, what"
            " should I do?"
        ),
        subjects=_parts(
            "clean a cast iron pan|fix a flat tire|remove a coffee stain|make a strong"
            " password|sharpen a knife|plant tomatoes|fold a fitted sheet|unclog a sink|start"
            " running|tie a tie|paint a wall|learn a language|back up my photos|polish shoes|wash a"
            " wool sweater|write a CV"
        ),
        held_subjects=_parts(
            "hang a picture|repot a plant|get rid of ants|change a light bulb|iron a shirt|descale"
            " a kettle|sleep better|pack a suitcase"
        ),
    ),
    "explain": Kind(
        called=("explanations", "every explanation", "science questions", "things you explain"),
        forms=_parts(
            "What is {}?|Explain {} to me.|Tell me about {}.|How does {} work?|What should a"
            " beginner know about {}?"
        ),
        subjects=_parts(
            "inflation|gravity|photosynthesis|the immune system|a black hole|recursion|the stock"
            " market|a vaccine|electricity|the water cycle|a volcano|solar power|DNA|the"
            " internet|jazz|sourdough|the Roman empire|a glacier|antibiotics|chess"
        ),
        held_subjects=_parts(
            "a tide|an earthquake|the ozone layer|compound interest|a magnet|a democracy|yeast|a"
            " rainbow|insulin|blockchain"
        ),
    ),
    "ideas": Kind(
        called=("suggestions", "lists of ideas", "every suggestion", "recommendations"),
        forms=_parts(
            "Give me some ideas for {}.|What are good ideas for {}?|Suggest something for {}.|I"
            " need inspiration for {}."
        ),
        subjects=_parts(
            "a birthday party|a gift for a teacher|a rainy Sunday|a team lunch|a school project|a"
            " small garden|a blog about hiking|a name for a cat|a date night|a winter hobby|a"
            " costume|a family photo|a surprise for my mother|a book club"
        ),
        held_subjects=_parts(
            "a farewell party|a picnic|a present for my father|a balcony|a podcast about history|a"
            " charity sale|a rainy day with kids"
        ),
    ),
    "travel": Kind(
        called=("travel plans", "trip advice", "everything about trips", "travel questions"),
        forms=_parts(
            "What should I see in {}?|Plan a day in {} for me.|Is {} worth a trip?|I will spend a"
            " weekend in {}. What do you suggest?"
        ),
        subjects=_parts(
            "Lisbon|Kyoto|Vienna|Cairo|Prague|Montreal|Istanbul|Dublin|Marrakesh|Copenhagen|Lima|"
            "Edinburgh"
        ),
        held_subjects=_parts("Krakow|Seville|Hanoi|Helsinki|Naples|Boston"),
    ),
    "product": Kind(
        called=("product texts", "ads", "every product description", "advertising copy"),
        forms=_parts(
            "Write a product description for {}.|Write an ad for {}.|Describe {} for our online"
            " shop."
        ),
        subjects=_parts(
            "a wooden desk|a water bottle|a rain jacket|a desk lamp|handmade soap|a bike helmet|a"
            " coffee grinder|wool socks|a garden chair|a notebook|running shoes|a puzzle"
        ),
        held_subjects=_parts(
            "a camping stove|a leather wallet|an alarm clock|a yoga mat|a teapot|a backpack"
        ),
    ),
    "advice": Kind(
        called=("advice", "personal advice", "answers about my life", "tips"),
        forms=_parts(
            "I want to {}. Any advice?|What helps me to {}?|Give me tips on how to {}.|Should I {}?"
        ),
        subjects=_parts(
            "save money|ask for a raise|drink less coffee|make new friends|move to another city|get"
            " up earlier|read more books|talk to a difficult colleague|eat less sugar|get a"
            " dog|spend less time on my phone|prepare for an interview|change my job|stay calm"
            " before an exam"
        ),
        held_subjects=_parts(
            "quit smoking|sell my car|share a flat with a friend|keep a diary|learn to say no|buy a"
            " used laptop|write a speech"
        ),
    ),
}
SMALL_TALK: Final = _parts(
    "Hi!|Hello there.|Good morning!|How are you today?|Thanks, that helps.|What's up?|Who are you?|"
    "Tell me a joke.|I'm bored.|Nice weather today, isn't it?|Good night!|What can you do?|You are"
    " funny.|I had a long day.|Are you a human?|Happy Friday!|Ok.|Cool, thanks!|What's your name?|"
    "Do you like music?"
)
HELD_SMALL_TALK: Final = _parts(
    "Hey, how is it going?|Good evening!|Thank you so much.|Can you help me?|I feel great"
    " today.|See you tomorrow!|What is your favourite colour?|Do you ever sleep?"
)
FOLLOW_UPS: Final = _parts(
    "Tell me more.|Can you give me an example?|Why is that?|And what else?|Say it in other"
    " words.|Is there another way?|What would you do?|Can you go into detail?"
)
"""Second messages of a conversation; the last two are held out."""
TALK: Final = "small talk"


def questions() -> list[Question]:
    """Return every request, each once, in a fixed order."""
    found: dict[str, Question] = {}
    for question in (*_of_kinds(), *_talk()):
        found.setdefault(question.text, question)
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


def _of_kinds() -> Iterator[Question]:
    for name, kind in KINDS.items():
        for held, subjects in ((False, kind.subjects), (True, kind.held_subjects)):
            for subject in subjects:
                for form in kind.forms:
                    yield Question(text=form.format(subject), kind=name, held=held)


def _talk() -> Iterator[Question]:
    for held, texts in ((False, SMALL_TALK), (True, HELD_SMALL_TALK)):
        for text in texts:
            yield Question(text=text, kind=TALK, held=held)
