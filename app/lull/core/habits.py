"""Habits: what somebody wants of every piece of a kind. "Mention allergens in menus", "end my mails
with Best, Sam", "sign off with Cheers", "include the date in the subject line".

They read like orders, and an order is mostly about the next thing to do. A habit is told from one
by what it speaks of: a kind of text as such ("menus", "every letter"), the formulas with which
texts open and close, or a field that any text of a kind has ("the date", "the ticket number"). The
kind is taken out of the words, since the rule will open with it: "reverse the words in notes"
becomes "reverse the words", for notes. In doubt it is an order.
"""

from __future__ import annotations

import re
from typing import Final

from lull.core.form import FORM_NOUN, VERBS, about_form
from lull.core.norms import ENDS, Norm
from lull.core.own_words import plain
from lull.core.retrieval import terms

MOST_WORDS: Final = 16
_TEXTS = (
    "agenda|announcement|article|briefing|caption|changelog|chapter|commit|contract|description"
    "|diary|document|draft|e-?mail|essay|greeting card|haiku|headline|invitation|invoice|itinerary"
    "|joke|label|letter|limerick|list|mail|memo|menu|message|newsletter|note|offer|order|outline"
    "|overview|plan|poem|post|presentation|press release|prompt|proposal|protocol|pull request"
    "|quote|quotation|quiz|readme|receipt|recipe|record|reminder|reply|report|response|review"
    "|route|schedule|script|song|speech|statement|story|summary|survey|table|text|ticket|toast"
    "|to-?do list|transcript|translation|tweet|update|warning|(?:status|weekly|daily) (?:mail|note)"
)
_PLURALS = {"summary": "summaries", "story": "stories", "reply": "replies", "diary": "diaries"}
_SORT = (
    r"(?:(?!(?:in|for|of|on|to|with|as|and|or|the|an?|my|our|your|every|each|all|this|these) )"
    r"[\w-]+ ){0,2}?"
)
_ONE = rf"{_SORT}(?:{_TEXTS})"
_MANY = rf"{_SORT}(?:(?:{_TEXTS})s|{'|'.join(_PLURALS.values())}|speeches|quizzes)"
_OWN = r"(?:all (?:the |of )?)?(?:(?:my|our|your) )?"
_EACH = r"(?:every|each|any)(?: (?:one of )?(?:my|our|your))? (?:single )?"
_KIND = rf"(?:{_EACH}(?P<one>{_ONE})|{_OWN}(?P<many>{_MANY}))"
_OR_ONE = rf"(?:{_KIND}|an? (?P<any>{_ONE}))"
_FRONT = r"(?P<front>(?:please |just |also )*(?:always |never |don't |don’t |do not )?)"

_INSIDE = re.compile(
    rf"^{_FRONT}(?P<does>[a-z]+(?: (?!following|this|these|below|above)\S+){{1,{MOST_WORDS}}}?)"
    rf" (?:in|for|of|on|from|to|into|(?P<part>at the (?:end|start|top|bottom) of)) {_OR_ONE}$",
    re.IGNORECASE,
)
""" "Mention allergens in menus", "reverse the words in a note"."""
_KINDS = re.compile(_KIND, re.IGNORECASE)
_AHEAD = re.compile(rf"^(?:for|in) {_KIND} (?P<does>[a-z]+ .+)$", re.IGNORECASE)
""" "For notes reverse them"."""
_OBJECT = re.compile(
    rf"^{_FRONT}(?P<verb>end|finish|close|conclude|start|begin|open|join|separate|sign|keep|head"
    rf"|address|phrase|word|format) {_KIND} (?P<how>.+)$",
    re.IGNORECASE,
)
""" "End every mail with Best, Sam"."""
_HOW = re.compile(
    r"^(?:off )?(?:with|by|in|as|to|under|below|at)\b|^(?:very |quite )?[\w-]+$", re.I
)
_FORMULA = (
    r"(?:cheers|regards|best|wishes|sincerely|yours|truly|faithfully|cordially|thanks|love|xoxo"
    r"|greetings|sinc[eè]rement|cordialement|gr[uü](?:ss|ß)\w*|saludos|hi|hello|hey|dear|hallo|moin"
    r"|liebe[rs]?|hola|bonjour|good (?:morning|day|evening|afternoon)|sir|madam|ladies|qq)"
)
_SIGNS = re.compile(
    rf"^{_FRONT}(?:sign(?: it| them| the (?:{_TEXTS}))?(?: off)? (?:with|as|using) \S.*"
    rf"|(?:end|finish|close|conclude|start|begin|open)(?: it| them| off| out| the (?:{_TEXTS}))*"
    rf" (?:with|by saying) (?:[\w-]+ ){{0,2}}['\"“„]?{_FORMULA}\b.*)$",
    re.IGNORECASE | re.DOTALL,
)
""" "Sign off with Cheers", "close with Kind regards, Sam"."""
_FIELDS = (
    r"(?:date|time|year|weekday|place|number|id|name|title|address|phone|deadline|price|total"
    r"|amount|source|reference|author|version|units?|language|currency|allergens|ingredients"
    r"|calories|servings|duration|budget|signature|logo|status|priority|recipient|sender|subject"
    r"|sources|prices|dates|names|numbers|references|authors|amounts|totals)"
)
_PARTS = (
    r"(?:top|bottom|end|start|beginning|subject(?: line)?|title|heading|header|headline|footer"
    r"|signature|greeting|first line|last line|first sentence|last sentence|file ?name)"
)
_FIELD = re.compile(
    rf"^{_FRONT}(?P<verb>include|mention|state|add|put|show|give|write|note) (?:the|my|our) "
    r"(?!missing|new|other|last|wrong|right|following|same|above|below)(?:[\w-]+ ){0,2}?"
    rf"{_FIELDS}"
    rf"(?P<place> (?:in|at|on|to|into) the (?:very )?{_PARTS})?$",
    re.IGNORECASE,
)
""" "Include the ticket number in the subject line"."""
_WITHOUT_PLACE: Final = frozenset(("include", "mention", "state"))
_TELLS: Final = frozenset(
    ("mention", "include", "state", "cite", "quote", "credit", "omit", "skip", "reverse", "flip")
)
"""What is said of texts of a kind and hardly of one's next piece of work."""
_ASKS_FOR: Final = frozenset(
    ("list", "name", "show", "give", "add", "put", "note", "leave", "remove", "drop", "spell")
)
"""With "always" or behind a "no" a habit; without, perhaps the next piece of work."""
_PUTS: Final = frozenset(("add", "put", "note", "leave", "drop"))
_FOR_ME = re.compile(r"^\w+ (?:me|us)\b")
_OURS = re.compile(r"^\w+ (?:my|our) ")
_FOR_GOOD = re.compile(r"\b(?:always|never|don['’]t|do not)\b", re.IGNORECASE)
_NEEDS_PLACE: Final = frozenset(("put", "place", "insert"))
_IN_FORM = re.compile(rf"^[a-z]+ (?:\w+ ){{1,3}}(?:in|as|with|without) (?:\w+ )?{FORM_NOUN}$")
""" "Show prices in euros": the thing is there anyhow, the wish is how."""


_TURNED = re.compile(
    r"^(?P<does>(?:please |always )?(?:reverse|flip)) (?:it|them|(?:the|my|all) \w+s?)$",
    re.IGNORECASE,
)
_WITH_IT = re.compile(
    r"^(?:please )?(?P<verb>(?:always |never )?(?:end|finish|close|conclude|start|begin|open|join"
    r"|separate)) (?:it|them) (?P<how>(?:with|by|in) .+)$",
    re.IGNORECASE,
)


def habit_of(text: str, *, led: bool = False) -> Norm | None:
    """The habit that these words ask for. `led`: something before them said that the answer was
    not right or that it is meant for good, so less will do."""
    text = text.strip().rstrip(".!")
    if len(text.split()) > MOST_WORDS or text.endswith("?"):
        return None
    if (found := _OBJECT.match(text)) and (norm := _of_object(found)):
        return norm
    if (found := _INSIDE.match(text)) and (norm := _of_inside(found, led=led)):
        return norm
    if _SIGNS.match(text):
        return Norm(lead="", words=text, kind="")
    if (found := _FIELD.match(text)) and (found["place"] or _verb(found) in _WITHOUT_PLACE):
        return Norm(lead="", words=text, kind="")
    return None


def names_kind(clause: str) -> bool:
    """A habit for a kind of text that is named; the clause is in the spelling of `plain`."""
    if found := _AHEAD.match(clause):
        does = found["does"]
        return bool(on_it(does) or about_form(does) or does.split(" ")[0] in _TELLS)
    habit = habit_of(clause)
    return habit is not None and bool(habit.kind)


def is_kind(words: str) -> bool:
    """They name texts of a kind: "menus", "all my letters"."""
    return _KINDS.fullmatch(words) is not None


def is_of(clause: str, asked: str) -> bool:
    """It speaks of the very kind of text that was asked for, so less will do: "list the allergens
    in menus", after a menu."""
    habit = habit_of(clause, led=True)
    kinds = set(terms(habit.kind)) if habit else set()
    mine = re.search(r"\b(?:my|our|me|us)\b", clause)  # work on what is there already
    return bool(kinds) and not mine and kinds <= set(terms(asked))


def on_it(order: str) -> tuple[str, str, str] | None:
    """An order on "it" or "them", which the rule it stands in has named: what of ours goes before
    the user's words, they, and what goes behind. None for any other."""
    if found := _TURNED.match(order):
        return "", found["does"], " the words"
    if found := _WITH_IT.match(order):
        return f"{found['verb'].lower()} ", found["how"], ""
    return None


def _verb(found: re.Match[str]) -> str:
    return found["verb"].lower()


def _of_object(found: re.Match[str]) -> Norm | None:
    """The verb moves to what is said of it: "end menus with sugar" → "end with sugar"."""
    verb, how = _verb(found), found["how"]
    if not _HOW.match(how):
        return None
    if verb in ("keep", "phrase", "word", "format", "address", "head"):
        verb = f"{verb} it"
    elif re.match(r"^(?:off )?(?:with|by|in|as)\b", how, re.IGNORECASE) is None:
        return None
    return Norm(lead=f"{found['front'].lower()}{verb} ", words=how, kind=_kind(found))


def _of_inside(found: re.Match[str], *, led: bool) -> Norm | None:
    does = found["does"]
    words = plain(does)
    verb = words.split(" ", 1)[0]
    opens = bool(ENDS.match(words) or _SIGNS.match(words))
    shown = verb in VERBS and bool(_IN_FORM.search(words))
    formal = opens or shown or about_form(words)
    known = verb in _TELLS or formal
    loose = not _FOR_ME.match(words) and (
        (verb in _ASKS_FOR and (led or _FOR_GOOD.search(found["front"])))
        or (verb in _PUTS and bool(found["one"] or _OURS.match(words)))
    )
    if found["any"] and not (formal or led):
        return None  # "mention the queen in a poem" is about one poem
    if not known and not loose:
        return None
    end = found.end("does")
    if verb in _NEEDS_PLACE:  # "put my number in mails", "put sugar at the end of menus"
        end = found[0].rfind(" of ") if found["part"] else len(found[0])
    return Norm(lead="", words=found[0][:end], kind=_kind(found))


def _kind(found: re.Match[str]) -> str:
    """As the user wrote it, without "every" and "my"."""
    fields = found.groupdict()
    return str(fields.get("one") or fields.get("many") or fields.get("any"))
