"""Sentences that a client may put before the rule block and that the model must learn to ignore.

Lull stands in front of any client, and each brings a system sentence of its own. The model cannot
know them, so training shows it many thousands that never come twice: plain instructions, personas,
dates, settings, stray symbols and nonsense. What stands in them carries no rule.
"""

# ruff: noqa: SIM905 - paragraphs of words read better than lists of them

import random
import string
from typing import Final

_ADJECTIVES: Final = (
    "helpful terse friendly careful polite honest expert creative concise patient precise calm "
    "brilliant professional cheerful funny serious harmless reliable smart"
).split()
_ROLES: Final = (
    "assistant bot writer editor teacher agent model chef guide helper engineer translator coach "
    "companion librarian secretary planner robot programmer analyst"
).split()
_VERBS: Final = (
    "answer reply write respond speak think explain help work use keep give make avoid follow "
    "remember start end finish check list plan"
).split()
_OBJECTS: Final = (
    "questions users answers words sentences English German French markdown code requests details "
    "emojis notes lists examples facts sources the user the reader text menus plans labels"
).split()
_MANNERS: Final = (
    "brief short clear simple direct formal kind accurate quick factual exact neutral polite "
    "concise truthful consistent"
).split()
_FILLERS: Final = (
    "the a of to and in is you that it for on are with as I this be at have from or one had by "
    "word but not what all were we when your can said there each which she do how their if will "
    "up other about out many then them these so some her would him into time has look two more go "
    "see number no way could people my than first water been call who its now find long down day "
    "did get come made may part company today always never please only must should model system "
    "date user name version style language policy data tool Ollama Lull Python Monday Berlin"
).split()
_SYMBOLS: Final = "!?:;()[]{}#%&@=_~\"'`$^\\/*+-<>|.,0123456789éüñß→…€"


def _persona(rng: random.Random) -> str:
    name = rng.choice(("You are", "Act as", "You're", "I am", "This is"))
    adjectives = rng.sample(_ADJECTIVES, rng.randint(0, 2))
    return f"{name} a {' '.join((*adjectives, rng.choice(_ROLES)))}."


def _order(rng: random.Random) -> str:
    words = [rng.choice(_VERBS), rng.choice(_OBJECTS)]
    if rng.random() < 0.5:
        words += ["in", rng.choice(_OBJECTS)]
    lead = rng.choice(("", "Please ", "Always ", "Never ", "Do not ", "You must "))
    text = lead + " ".join(words)
    return f"{text[0].upper()}{text[1:]}."


def _manner(rng: random.Random) -> str:
    lead = rng.choice(("Be", "Be very", "Keep it", "Keep answers", "Stay", "Your answers are"))
    also = f" and {rng.choice(_MANNERS)}" if rng.random() < 0.4 else ""
    return f"{lead} {rng.choice(_MANNERS)}{also}{rng.choice(('', '.', '.', '!'))}"


def _prose(rng: random.Random) -> str:
    text = " ".join(rng.choices(_FILLERS, k=rng.randint(3, 12)))
    return f"{text[0].upper()}{text[1:]}{rng.choice('..!?')}"


def _setting(rng: random.Random) -> str:
    key = rng.choice(("Today is", "Current date:", "Version", "User:", "Room", "Knowledge cutoff:"))
    day = f"{rng.randint(2020, 2031)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
    return f"{key} {rng.choice((day, str(rng.randint(0, 9999))))}."


def _nonsense(rng: random.Random) -> str:
    letters = string.ascii_letters + (_SYMBOLS if rng.random() < 0.5 else "")
    words = ("".join(rng.choices(letters, k=rng.randint(1, 8))) for _ in range(rng.randint(1, 5)))
    return " ".join(words)


_MAKERS: Final = (_persona, _persona, _order, _manner, _prose, _setting, _nonsense)


def client_sentence(rng: random.Random) -> str:
    """Draw one to three sentences such as a client sends as its system message."""
    if rng.random() < 0.15:
        return rng.choice(("You are a helpful assistant.", "You are a helpful assistant"))
    count = rng.choices((1, 2, 3), (0.6, 0.3, 0.1))[0]
    text = " ".join(rng.choice(_MAKERS)(rng) for _ in range(count))
    return text.lower() if rng.random() < 0.15 else text
