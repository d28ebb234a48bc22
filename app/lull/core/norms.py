"""Norms: what things of a kind must be like. "Menus should end with sugar", "a menu must start with
water", "I want the words joined with bars", "you should have ended it with sugar".

They are orders in another grammar: somebody or something must do what an order would say. This
file finds who and what, and makes an order of it with as little of ours as it takes: the user's
"end with sugar" is kept, and "joined with bars" gets a "join" before it. What must be so of the
contents of one answer ("the meeting should be on Friday") is no norm.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from lull.core.form import FORM_VERBS, VERBS, names_form

_MUST = (
    r"(?:should|must|shall|ought to|(?:has|have|needs?) to|(?:is|are) (?:to|supposed to|meant to))"
)
_KIND = r"[a-z][\w'-]*(?: (?:to|for|from|of|about) (?:(?:my|the|our|an?) )?[\w'-]+)??"
_SUBJECT = (
    rf"(?P<one>(?:an?|any|every|each|all(?: the| my| our)?) (?:[\w-]+ ){{0,2}}?{_KIND})"
    r"|(?P<many>(?:[\w-]+ ){0,2}?[\w-]+[^s\W]s(?: (?:to|for|from|of|about|below|above|under|over)"
    r" [\w' -]+?)??)"
    r"|(?P<it>it|they|this|that|the (?:[\w-]+ ){0,2}?[\w-]+)"
)
_PLACE = (
    r"(?:(?:in|for|with|on) (?:(?:an?|any|every|each|all|our) )?(?P<place>[\w-]+(?: [\w-]+)??),? )?"
)
_NORM = re.compile(
    rf"^(?:hm+,? |so,? |well,? )*{_PLACE}(?:{_SUBJECT}) (?:{_MUST}(?P<how>(?: (?:always|never|not"
    r"|only|also|please))*)|(?P<every>(?:do not |does not )?(?:always|never))) (?P<does>.+)$",
    re.IGNORECASE,
)
_WANTED = re.compile(
    rf"^{_PLACE}i(?: would|'d)? (?:want|like|need|prefer|expect)(?P<how>) (?:{_SUBJECT}) (?:to )?"
    r"(?P<does>.+)$",
    re.IGNORECASE,
)
_PLAINLY = re.compile(
    rf"^{_PLACE}(?:{_SUBJECT}) (?P<does>(?:is|are) \w+(?:ed|en|ut|it) .+|(?:ends?|starts?|begins?"
    r"|finish(?:es)?|closes?|opens?) (?:with|in) .+)$",
    re.IGNORECASE,
)
"""Told as a fact: a norm only where something before it said that the answer was not right."""
_MISSED = re.compile(
    r"^(?:and |but |so )*you should(?:'ve| have)(?P<how>(?: always)?) (?P<does>.+)$", re.IGNORECASE
)
_HAVE = re.compile(r"^have(?P<how>(?: always)?) (?P<does>.+)$", re.IGNORECASE)
"""What is left of "you should have" behind a lead-in."""
_FORGOT = re.compile(
    r"^(?:and |but |again )*you (?:again )?(?:forgot|missed|left out|omitted|dropped) (?P<what>"
    r"(?:to"
    r" (?P<verb>\w+) .+)|.+ (?:at|on|in) (?:the )?(?:very )?(?:end|start|beginning|top|bottom"
    r"|front))$",
    re.IGNORECASE,
)
_IRREGULAR: Final = {
    "begun": "begin",
    "kept": "keep",
    "left": "leave",
    "made": "make",
    "meant": "mean",
    "said": "say",
    "sent": "send",
    "shown": "show",
    "spelt": "spell",
    "spoken": "speak",
    "taken": "take",
    "told": "tell",
    "written": "write",
    "given": "give",
    "done": "do",
    "led": "lead",
}
_SAME: Final = frozenset(("put", "cut", "set", "split"))
ENDS = re.compile(r"^(?:end|finish|close|start|begin|open)s? (?:it |them )?(?:with|in|by) ")
"""How it ends or opens; as an order by itself it may also mean the next thing to do."""
_BE: Final = ("be", "been", "is", "are")
_WRITTEN_SO = re.compile(r"^(?:write|spell|format|join|separate) (?:as|in|with|without|out|by) ")
_OF_ONE_ANSWER = re.compile(
    r"\b(?:on (?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:in|at|by|from|since|before|after|until)"
    r" (?:\d[\d:.]*|noon|midnight)|ready|available|possible|able|easy|hard|fine|ok|okay|enough"
    r"|fun|safe|on time|in time|interesting|here|there|true|false|correct|right|wrong)\b"
)
_PARTS = re.compile(
    r"^(?:(?:the|all the) (?:[\w-]+ )?|all )?(?:words?|items?|entries|dishes|lines?|things?|parts?"
    r"|points?|steps?|names?"
    r"|list|text|answer|reply|title|heading|result|code|output|sentences?|paragraphs?|dates?"
    r"|amounts?|numbers?|ingredients?|order|tone|subject line|greeting)$",
    re.IGNORECASE,
)
"""What any answer is made of; of anything else "the …" tells a story."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Norm:
    lead: str
    """What of ours makes an order of the words: "join ", "do not ", or nothing."""
    words: str
    """The user's own, verbatim."""
    kind: str
    """What it is a norm for, as the user wrote it; "" for what was asked."""


def norm_of(text: str, *, led: bool = False) -> Norm | None:
    """The norm that these words state. `led`: something before them said that the answer was not
    right, so a plain statement ("menus end with sugar") will do."""
    text = text.strip().rstrip(".!")
    if found := _FORGOT.match(text):
        return _forgotten(found)
    for pattern in (_NORM, _WANTED, _MISSED, *((_PLAINLY, _HAVE) if led else ())):
        if (found := pattern.match(text)) and (norm := _norm(found)):
            return norm
    return None


def is_norm(clause: str) -> bool:
    """As `norm_of`, for a clause in the one spelling of `own_words.plain`."""
    return norm_of(clause) is not None


def _norm(found: re.Match[str]) -> Norm | None:
    said = found.groupdict()
    kind = _kind_of(said)
    if kind is None:
        return None
    how = " ".join(filter(None, (said.get("how"), said.get("every")))).lower().split()
    does = re.sub(r"^(?:always|only|also|please) ", "", said["does"].strip(), flags=re.IGNORECASE)
    order = _as_order(does, named=bool(kind))
    if order is None:
        return None
    lead, words = order
    if "never" in how:
        lead = f"never {lead}"
    elif "not" in how:
        lead = "do not make it " if lead == "keep it " else f"do not {lead}"
    return Norm(lead=lead, words=words, kind=kind)


def _kind_of(said: dict[str, str | None]) -> str | None:
    """The kind that is named; "" where it is the answer itself; None for somebody's own story."""
    named = said.get("one") or said.get("many") or ""
    if _PARTS.match(named) or not named:
        it = said.get("it") or ""
        story = it.lower().startswith("the ") and not _PARTS.match(it)
        return None if story else (said.get("place") or "").strip()
    if named.lower().startswith("the "):
        return None
    plain = re.sub(
        r"^(?:an?|any|every|each|all(?: the| my| our)?) ", "", named, flags=re.IGNORECASE
    )
    if re.match(
        r"(?:i|you|he|she|we|they|it|this|that|there|these|those|my|his|her|who|what|things"
        r"|always|sometimes|yes|thanks)\b",
        plain,
        re.IGNORECASE,
    ):
        return None
    return plain.strip()


def _as_order(does: str, *, named: bool) -> tuple[str, str] | None:
    """(what of ours goes before, the user's words); None for what is no matter of form."""
    does = re.sub(
        r" (?:here|please|too|though|again|in this house)$", "", does, flags=re.IGNORECASE
    )
    does = re.sub(r"^have (?=been |\w+(?:ed|en|ut)\b)", "", does, flags=re.IGNORECASE)
    lowered = does.lower()
    if _OF_ONE_ANSWER.search(lowered) or len(does.split()) > 16:
        return None
    first, _, rest = does.partition(" ")
    if first.lower() in _BE or (base := _base_of(first)) in FORM_VERBS | {"make"}:
        if first.lower() in _BE:
            return _being(rest, named=named)
        formal = _is_formal(base, rest)
        thing = re.match(r"(?:it|them) (?=\S)", rest)
        rest = rest[thing.end() :] if thing and ENDS.match(f"{base} {rest.lower()}") else rest
        return (f"{base} ", rest) if rest and (named or formal) else None
    verb = _verb(first.lower())
    if verb == "have" and names_form(rest.lower()):
        return "give it ", rest
    if verb in ("contain", "include", "show", "list", "name") and names_form(rest.lower()):
        return ("", does) if verb != "contain" else ("let it ", does)
    if verb not in VERBS or not rest:
        return None
    if not _is_formal(verb, rest) and not (named and verb in FORM_VERBS):
        return None
    return ("", does) if verb == first.lower() else (f"{verb} ", rest)


def _being(rest: str, *, named: bool) -> tuple[str, str] | None:
    """ "be joined with bars", "be in German", "be short"."""
    first, _, more = rest.partition(" ")
    if named and not more and _base_of(first) in FORM_VERBS:
        turned = _base_of(first) in ("reverse", "flip")
        return ("keep the words " if turned else "keep it "), rest
    if (base := _base_of(first)) in VERBS and more:
        known = _is_formal(base, more) or (named and base in FORM_VERBS)
        return (f"{base} ", more) if known else None
    if not names_form(rest.lower()) and not re.match(
        r"(?:\w+er|more \w+|less \w+)\b", rest.lower()
    ):
        return None
    return ("write it " if first.lower() in ("in", "with", "without", "as") else "keep it "), rest


def _is_formal(verb: str, rest: str) -> bool:
    order = f"{verb} {rest.lower()}"
    return names_form(rest.lower()) or bool(ENDS.match(order) or _WRITTEN_SO.match(order))


def _forgotten(found: re.Match[str]) -> Norm | None:
    what = found["what"]
    if found["verb"]:
        words = what[len("to ") :]
        known = found["verb"].lower() in VERBS
        return Norm(lead="", words=words, kind="") if known else None
    return Norm(lead="put ", words=what, kind="")


def _base_of(participle: str) -> str:
    """ "joined" → "join"; "" for what is no participle that is known."""
    word = participle.lower()
    if word in _IRREGULAR or word in _SAME:
        return _IRREGULAR.get(word, word)
    if not word.endswith("ed"):
        return ""
    stems: tuple[str, ...] = (word[:-2], word[:-1], word[:-3] if word[-3:-2] == word[-4:-3] else "")
    if word.endswith("ied"):
        stems = (*stems, f"{word[:-3]}y")
    return next((stem for stem in stems if stem in VERBS), "")


def _verb(word: str) -> str:
    """The base form of "ends", "finishes", "end"."""
    if word in VERBS or word in ("has", "have", "contain", "contains", "include", "includes"):
        return {"has": "have", "contains": "contain", "includes": "include"}.get(word, word)
    for ending in ("es", "s"):
        if word.endswith(ending) and word[: -len(ending)] in VERBS:
            return word[: -len(ending)]
    return word
