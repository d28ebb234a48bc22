"""Reads what the user's next message says about the answer before it: right, wrong, or nothing.

It is read by where words stand, not by which words occur. Pasted and quoted text is gone (see
`own_words`); fillers, thanks and courtesies are taken off the front (see `courtesy`); and each
clause is asked whether it opens by speaking of the answer (`cues`) or wishes it otherwise
(`wishes`). Three things weaken a reading: a fresh question or order in the same message (then
"the light is off" is a new story), a question that the assistant had asked (then "no, the second
one" is an answer), and text that the message is only about. In doubt the message says nothing: a
missed correction costs a hint, a wrong one teaches a lie.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum

from lull.core import cues, wishes
from lull.core import cues_abroad as abroad
from lull.core.courtesy import (
    behind_courtesy,
    behind_praise,
    behind_thanks,
    own_fault,
    says_it_works,
    stripped,
)
from lull.core.denied import without_denied_complaints
from lull.core.form import is_instruction, is_new_thing
from lull.core.habits import is_of
from lull.core.own_words import Sentence, sentences

READ_CHARACTERS = 4000
"""Of a message; nobody complains behind a pasted book."""
CHATTY_WORDS = 90
"""In longer messages only what is said first and last can be about the answer."""


class Weight(IntEnum):
    """How surely a clause speaks of the answer."""

    NONE = 0
    WISH = 1
    """A wish about it; after a question of the assistant it is a reply to that."""
    STORY = 2
    """A complaint, unless the message goes on to ask something fresh."""
    SURE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    corrects: bool = False
    thanks: bool = False
    works: bool = False
    """Said that it works or is right, beyond courtesy."""


class AskedBack(IntEnum):
    """What the answer before asked of the user."""

    NOTHING = 0
    OPINION = 1
    """Whether it is right so: then "no" is a complaint."""
    CHOICE = 2
    """Anything else: then "no, the second" is a reply."""


_OPINION = re.compile(
    r"\b(?:(?:is|does|did|was|are|do|how is|how does|will|would) (?:this|that|it|these"
    r"|they)(?: \w+)?"
    r" (?:what|ok|okay|right|correct|work|works|help|helps|look|good|better|answer|fit|meet|clear"
    r"|make sense|match|suit|sound|how)|how (?:is|was|does|about) (?:this|that|it)"
    r"|what do you think"
    r"|anything (?:you would like|to|you want|i should|wrong)|as (?:expected|intended)"
    r"|(?:any|want|like)(?: me)?(?: to)?(?: make)?(?: any)? (?:changes?|adjust\w*|tweak\w*"
    r"|corrections?)"
    r"|satisfied|happy with|better (?:now|this way))"
)
_QUESTION = re.compile(
    r"^(?:(?:and|but|so|then|ok|also|or) )*(?:what(?! (?:i|you) \w+ (?:was|is|were|are)\b)|how|why"
    r"|when(?! (?:you|i|we|writing|making|it|the|there|someone)\b)|where(?! (?:possible|needed))"
    r"|who"
    r"|whom|whose|which|is|are|am|was|were|do|does|did|can|could|would|will|shall|should|have"
    r"|has|may"
    r"|might|must) (?!not\b(?! (?:to|like)\b))"
)
_POLITE = re.compile(
    r"^(?:please |and |but |so |then )*(?:(?:can|could|would|will|may|might) (?:you|we"
    r"|i)(?: have| get)?"
    r"(?: please| maybe| at least| just| also| possibly| instead| kindly)*"
    r"|i (?:would like|want|need) you to|you can(?! not)|you could(?! not)|feel free to"
    r"|would you mind|do you mind|try to|make sure (?:to|you|that you)|be sure to|remember to"
    r"|go back and) "
)
_ORDER = re.compile(
    r"^(?:(?:please|now|then|next|and|also|ok|so|just|finally|first|go ahead and|let us"
    r"|i (?:want|would like|need) to|help me(?: to)?) )*"
    r"(?:(?:i need|i want|i would like|we need) (?:an?|some|one|two|three|five|ten|\d+|help)"
    r"|i am (?:looking for|searching|trying to|planning|working on)"
    r"|give|tell|generate|list|find|plan|suggest|recommend|compute|compare|build|implement|design"
    r"|develop|search|look up|analy[sz]e|convert|edit|improve|help|outline|sketch|draw|solve|count"
    r"|continue|go on|proceed|move on|invent|imagine|pretend|act|teach|quiz|set up|configure|book"
    r"|discuss|extend|elaborate|debug|refactor|optimi[sz]e|paraphrase|come up|brainstorm|rank|rate"
    r"|guess|pick|choose|weigh|parse|extract|spot|research|investigate|critique|evaluate|write"
    r"|make"
    r"|an? (?:short |quick |new )?\w+ (?:about|for|on|of|from))\b"
)
_ASSENT = re.compile(r"^(?:yes|yep|yeah|sure|go ahead)\b(?!.*\bbut\b)")
_POINTS_AT = re.compile(r"\b(?:this|these|the following|my|the)\s+[\w ]*$", re.IGNORECASE)
_BUT_FIRST = ("but ", "aber ", "pero ", "mais ")
_NOT_THIS = re.compile(
    r"^not (?!now|yet|me|him|her|us|today|tonight|tomorrow|bad|sure|really|always|that|this|only"
    r"|just|at all|much|too|so)[\w-]+(?: [\w-]+)?$"
)
""" "Not Monday, Tuesday": what it is stands behind it."""
_CONTRASTS = ("not ", "nicht ", "pas ", "y no ", "no ")


def read(text: str, *, asked: str = "", answer: str = "") -> Reading:
    """What the message says about the answer before it; `answer` only for a question it asked,
    `asked` for what was wanted."""
    said = sentences(without_denied_complaints(text[:READ_CHARACTERS]))
    if sum(len(sentence.words.split()) for sentence in said) > CHATTY_WORDS:
        said = (*said[:2], said[-1])
    if not said:
        return Reading()
    return _Message(said, asked=asked, asked_back=asked_back(answer)).reading()


def asked_back(answer: str) -> AskedBack:
    """What the end of an answer asks of the user."""
    asked = [sentence.words for sentence in sentences(answer[-1500:])[-2:] if sentence.asked]
    if not asked:
        return AskedBack.NOTHING
    return AskedBack.OPINION if _OPINION.search(asked[-1]) else AskedBack.CHOICE


class _Message:
    """One walk through a message, sentence by sentence."""

    def __init__(self, said: tuple[Sentence, ...], *, asked: str, asked_back: AskedBack) -> None:
        self._said = said
        self._asked = asked
        self._choice = asked_back is AskedBack.CHOICE
        self._weight = Weight.NONE
        self._thanks = self._works = self._courtesy = self._no = self._but = False
        self._own_fault = self._assents = False
        self._fresh = False
        """It asks or orders something that is not about the answer."""
        self._opened_fresh = False

    def reading(self) -> Reading:
        for sentence in self._said:
            self._own_fault |= own_fault(sentence.words)
            self._sentence(sentence)
            if sentence.text.endswith(":") and self._weight is Weight.NONE and not self._no:
                # What follows is the text that the message is about.
                self._fresh = True
                break
        if self._corrects():
            return Reading(corrects=True)
        declined = self._no and (self._choice or not (self._works or self._courtesy))
        if self._thanks and not declined:
            return Reading(thanks=True, works=self._works)
        return Reading()

    def _corrects(self) -> bool:
        if self._own_fault and not self._but:
            return False
        if self._weight is Weight.SURE:
            return True
        if self._weight is Weight.STORY:
            return not self._fresh
        if self._weight is Weight.WISH:
            return not (self._fresh or self._choice or self._assents)
        return self._no and not (self._choice or self._courtesy or self._thanks)

    def _sentence(self, sentence: Sentence) -> None:
        if sentence is self._said[0] and _ASSENT.match(sentence.words):
            # "Yes, and keep it short" says how to do what was offered.
            self._assents = True
        clauses = self._without_front(_joined(sentence.clauses))
        if not clauses:
            return
        if self._is_fresh(sentence, clauses):
            self._opened_fresh |= self._weight is Weight.NONE and not self._no
            self._fresh = True
        elif not self._opened_fresh:
            # What follows a fresh order belongs to it: "Write a poem. Do not use rhymes."
            self._weigh(sentence, clauses)

    def _found(self, weight: Weight) -> None:
        self._weight = max(weight, self._weight)

    # -- the front -----------------------------------------------------------------------------

    def _without_front(self, clauses: list[str]) -> list[str]:
        """The clauses behind fillers, thanks, courtesies and "no"; what those were is noted."""
        for number, clause in enumerate(clauses):
            if rest := self._behind_front(clause):
                return [rest, *clauses[number + 1 :]]
        return []

    def _behind_front(self, clause: str) -> str:
        while clause:
            rest = self._one_step(clause)
            if rest == clause:
                break
            clause = rest
        return clause

    def _one_step(self, clause: str) -> str:
        if found := cues.BUT.match(clause):
            self._but = True
            return clause[found.end() :].strip()
        if (rest := behind_courtesy(clause)) is not None:
            self._courtesy = True
            return rest
        if not self._fresh:
            if (rest := _behind_good_word(clause)) is not None:
                self._thanks = True
                self._works |= says_it_works(clause)
                return rest
            if found := cues.NO_START.match(clause) or abroad.NO_ABROAD.match(clause):
                self._no = True
                if found[0] in ("wrong", "incorrect"):
                    self._found(Weight.SURE)
                return clause[found.end() :].strip()
        return stripped(clause)

    # -- fresh or not --------------------------------------------------------------------------

    def _is_fresh(self, sentence: Sentence, clauses: list[str]) -> bool:
        """A question or an order about something else than the answer."""
        words = " ".join(clauses)
        if any(cues.COMPLAINING_QUESTION.match(said) for said in (words, clauses[0])):
            self._found(Weight.SURE)
            return False
        polite = _POLITE.match(words)
        order = words[polite.end() :] if polite else words
        if _has_material(sentence, clauses):
            return True
        if _own_story(clauses[0]):
            return True
        revised = wishes.revises(order, polite=bool(polite)) and (polite or not sentence.asked)
        of_kind = not sentence.asked and is_of(order, self._asked)
        if revised or of_kind or self._objects(order, clauses, sentence):
            self._found(Weight.WISH)
            return False
        if wishes.states_rule(clauses):
            return False
        asks = _QUESTION.match(clauses[0]) or abroad.REQUEST_ABROAD.match(clauses[0])
        if polite or asks:
            return not abroad.COMPLAINT_ABROAD.match(clauses[0])
        weight = weigh(clauses[0], alone=len(clauses) == 1, first=True)
        if sentence.asked:
            return weight < Weight.SURE
        if weight or (not _ORDER.match(words) and self._contrasts(sentence, clauses)):
            return False
        return bool(_ORDER.match(words)) or is_instruction(stripped(clauses[0]))

    def _objects(self, order: str, clauses: list[str], sentence: Sentence) -> bool:
        """Thanks, but …: whatever is said or ordered behind it is what was not right."""
        if not (self._but and self._thanks) or sentence.asked:
            return False
        if is_new_thing(order) or wishes.adds(order) or cues.NOT_AGAINST.match(order):
            return False
        return _behind_good_word(clauses[0]) is None

    # -- complaints and wishes -----------------------------------------------------------------

    def _weigh(self, sentence: Sentence, clauses: list[str]) -> None:
        if wishes.states_rule(clauses):
            self._found(Weight.SURE)
        for number, clause in enumerate(clauses):
            weight = weigh(clause, alone=len(clauses) == 1, first=number == 0)
            # "Not that one" says which, where it was asked which.
            says_which = self._choice and cues.NOT_THAT.match(stripped(clause))
            self._found(min(weight, Weight.WISH) if says_which else weight)
        if self._contrasts(sentence, clauses):
            self._found(Weight.WISH)
        if self._opens_with_but(sentence):
            self._found(Weight.STORY)

    def _contrasts(self, sentence: Sentence, clauses: list[str]) -> bool:
        """ "The river, not the bank"; or a message of nothing but a few words about form."""
        words = " ".join(clauses)
        if sentence.asked or len(words.split()) > 12 or wishes.adds(clauses[0]):
            return False
        if len(clauses) == 2 and _NOT_THIS.match(clauses[0]) and len(clauses[1].split()) <= 3:
            return True
        if len(clauses) > 1 and clauses[-1].startswith(_CONTRASTS):
            return not clauses[0].startswith(("yes", "i do", "i am not"))
        return len(self._said) == 1 and wishes.is_bare_form(words)

    def _opens_with_but(self, sentence: Sentence) -> bool:
        """An objection by its first word or its last: "but 17 is prime", "17 is prime though"."""
        if sentence is not self._said[0] or sentence.asked or self._thanks:
            return False
        words = sentence.words
        if not words.startswith(_BUT_FIRST) and not words.endswith(" though"):
            return False
        return not cues.NOT_AGAINST.match(words) and not wishes.adds(words)


def _joined(clauses: tuple[str, ...]) -> list[str]:
    """ "Actually, it is …" and "actually it is …" are one."""
    if len(clauses) > 1 and clauses[0] in ("actually", "in fact"):
        return [f"{clauses[0]} {clauses[1]}", *clauses[2:]]
    return list(clauses)


def _behind_good_word(clause: str) -> str | None:
    """What follows thanks or praise; None without. A complaint that opens with "better" or "good"
    is none."""
    rest = behind_thanks(clause)
    if rest is not None:
        return rest
    return None if weigh(clause, alone=True, first=True) else behind_praise(clause)


def _own_story(clause: str) -> bool:
    """ "My essay is too long": the user's own things are not the answer."""
    return bool(re.match(r"my (?!name|wording|text|question|instruction|request|point)", clause))


def _has_material(sentence: Sentence, clauses: list[str]) -> bool:
    """ "Remove the duplicates from this list: a, b": behind the colon stands what to work on."""
    head, colon, rest = sentence.text.partition(":")
    if not colon or not rest.strip() or not _POINTS_AT.search(head):
        return False
    return is_instruction(stripped(clauses[0]))


_STORIES = (
    cues.ABOUT_THING,
    cues.I_ASKED,
    cues.THERE_IS,
    cues.YOU_DID,
    cues.GIVES_ERROR,
)
_SURE = (
    cues.ABOUT_ANSWER,
    cues.YOU_FAILED,
    cues.TOLD_BEFORE,
    cues.NOT_THAT,
    cues.SAME_AGAIN,
    cues.BARE_WRONG,
    cues.FAILS_ALONE,
    abroad.COMPLAINT_ABROAD,
)


def weigh(clause: str, *, alone: bool, first: bool) -> Weight:
    """How surely one clause speaks of the answer before. `first` in its sentence, or `alone`."""
    clause = stripped(clause)
    if not clause:
        return Weight.NONE
    told_you = cues.I_ASKED.match(clause) and " you" in clause.split(" to ")[0]
    too = first and cues.TOO.match(clause)
    if told_you or too or any(cue.match(clause) for cue in _SURE):
        return Weight.SURE
    if wishes.is_lasting(clause) or any(cue.match(clause) for cue in _STORIES):
        return Weight.STORY
    if cues.WRONG_ONE.match(clause) or wishes.is_wish(clause, first=first, alone=alone):
        return Weight.WISH
    return Weight.NONE
