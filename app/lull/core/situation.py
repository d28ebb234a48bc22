"""The situation of a request: what was asked for, without the details of this one time.

"Write a commit message for this diff" is about commit messages; the diff is today's. A rule that
names no situation of its own holds for the situation in which it was said, so this file finds the
verb and the thing, drops what stands behind the first preposition, and words it so that later
requests of the kind are found by the same words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from lull.core.own_words import own_words, plain, sentences

MOST_WORDS = 4
"""Of a thing's name: "Python unit test", not the whole tale."""
QUOTED_WORDS = 10
"""Of a question that is given as an example."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    lead: str
    """Opens the rule: "When you write a menu", without the comma; "" where the rule"
    " opens itself."""
    description: str
    """One sentence that says when."""
    subject: tuple[str, ...] = ()
    """The words that name it."""


_POLITE = re.compile(
    r"^(?:(?:hi|hello|hey|ok|okay|so|well|now|next|then|and|also|please|pls|kindly|again|just"
    r"|thanks"
    r"|thank you|great|good|(?:can|could|would|will) (?:you|u)|i(?: would|'d) like you to"
    r"|i (?:want|need) you to|help me(?: to)?|let us|let's|i(?: would|'d) like to|i want to"
    r"|i need to"
    r"|bitte|kannst du|könntest du|können sie|por favor|puedes|podrías|tu peux|peux-tu|pouvez-vous"
    r"|s'il te plaît|s'il vous plaît)\b[\s,!.:-]*)+",
    re.IGNORECASE,
)
_FOR_NOUN = re.compile(
    r"^(?:give|get|show|send|fetch|make|suggest|recommend|tell|bring|offer|find"
    r"|i(?: really)? (?:need|want)|i(?: would|'d) like|we need|need|want)(?: me| us)?(?: up)?\s+",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"^(write|draft|compose|create|generate|produce|prepare|design|build|implement|develop|plan"
    r"|summari[sz]e|translate|explain|describe|convert|calculate|compute|compare|review|fix"
    r"|correct"
    r"|refactor|rewrite|rephrase|proofread|edit|improve|shorten|analy[sz]e|debug|test|document"
    r"|book"
    r"|post|schedule|rename|sort|list|format|check|classify|label|extract|outline|define|name|add"
    r"|cook|reply|answer|respond|code|script|solve|draw|pick|choose|plot|clean|update|change|move"
    r"|delete|remove|open|save|order|file|invoice|transcribe|count|estimate|report|commit|deploy"
    r"|migrate|invent|paraphrase)\b(?:\s+(?:me|us|up|out)\b)?\s*",
    re.IGNORECASE,
)
_ABROAD = (
    (
        re.compile(
            r"^(?:schreib|erstell|mach|gib|nenn|verfass|entwirf|formulier)\w*\s+(?:(?:sie|mir|uns"
            r"|bitte)\s+)*",
            re.IGNORECASE,
        ),
        re.compile(r"^(?:eine?n?|die|den|das)\s+", re.IGNORECASE),
        "Für {}:",
        "Wenn jemand {} möchte.",
    ),
    (
        re.compile(r"^(?:escr[ií]be|haz|dame|redacta|prepara|crea)(?:me)?\s+", re.IGNORECASE),
        re.compile(r"^(?:una?|el|la)\s+", re.IGNORECASE),
        "Para {}",
        "Cuando alguien pide {}.",
    ),
    (
        re.compile(
            r"^(?:[ée]cri[st]|[ée]crivez|fais|faites|donne|r[ée]dige|pr[ée]pare)[-\s](?:moi\s+)?",
            re.IGNORECASE,
        ),
        re.compile(r"^(?:une?|le|la)\s+", re.IGNORECASE),
        "Pour {}",
        "Quand quelqu'un demande {}.",
    ),
)
_DETERMINER = re.compile(
    r"^(?:an?|another|one|some|the|this|that|these|those|my|our|your|his|her|their|every|each"
    r"|any|all"
    r"|the following|following|below|\d+|two|three|four|five|six|ten)\s+",
    re.IGNORECASE,
)
_INCIDENTAL = re.compile(
    r"^(?:(?:very|really|short|quick|brief|nice|new|simple|little|small|long|longer|good|great"
    r"|better"
    r"|old|final|first|second|third|next|last|whole|full|same|following|above|below"
    r"|attached|own|more)\s+)+",
    re.IGNORECASE,
)
_ENDS = (
    "for about of to from with on in at by that which who whose where when using based"
    " into containing"
    " between and or called named regarding saying telling explaining asking so because"
    " under as like"
    " without over after before is are it them please if against per out down"
)
_ENDS_ABROAD = (
    "für über an zu zum zur mit von vom aus auf und im am bei para sobre de del con a en"
    " que y pour sur"
    " à avec qui du des et"
)
_SIGNS = r"[,:;.!?()\[\]\"“”„«»\n]|\s[-–—]\s|\s'"
_THING_ENDS = re.compile(rf"\s(?:{'|'.join(_ENDS.split())})\b|{_SIGNS}", re.IGNORECASE)
_THING_ENDS_ABROAD = re.compile(
    rf"\s(?:{'|'.join(_ENDS_ABROAD.split())})\b|{_SIGNS}", re.IGNORECASE
)
_PRONOUN = re.compile(r"^(?:it|this|that|them|these|those|me|us|him|her|qq)$", re.IGNORECASE)
_QUESTION = re.compile(
    r"^(?:what|how|why|when|where|who|which|whose|is|are|do|does|did|can|could|should|would|will"
    r"|has"
    r"|have|was|were|wie|was|warum|wer|wo|wann|welche\w*|cómo|qué|cuál|quién|comment"
    r"|quel\w*|pourquoi)\b",
    re.IGNORECASE,
)


def situation_of(asked: str) -> Situation:
    """The situation in which something was asked; for every request where there is nothing to
    tell."""
    spoken = [_POLITE.sub("", sentence.text).strip() for sentence in sentences(asked[:4000])]
    for reads in (_ordered, _asked):
        for sentence in spoken:
            if found := reads(sentence):
                return found
    said = " ".join(own_words(asked).split()[:QUOTED_WORDS]).rstrip(".,:;!?")
    if not said:
        return Situation(lead="", description="Whenever the user asks for something.")
    return Situation(lead="", description=f"When the user says something like “{said}”.")


_SMALL_WORD = re.compile(
    r"(?:what|how|why|when|where|who|which|is|are|do|does|did|can|could|should|would|the|an?|i"
    r"|you|it"
    r"|my|your|to|much|many|of|in|for)$"
)


def _ordered(sentence: str) -> Situation | None:
    for verb, article, lead, described in _ABROAD:
        if found := verb.match(sentence):
            rest = sentence[found.end() :]
            if thing := _cut(article.sub("", rest), ends=_THING_ENDS_ABROAD):
                named = (article.match(rest) or [""])[0].lower() + thing
                return _situation(lead.format(named), described.format(named), thing)
    if (found := _FOR_NOUN.match(sentence)) and (thing := _thing(sentence[found.end() :])):
        return _situation(f"For {thing}", f"When the user asks for {thing}.", thing)
    if found := _VERB.match(sentence):
        verb_said = found[1].lower()
        thing = _thing(sentence[found.end() :], bare=verb_said in _MAKERS | {"plan", "cook"})
        whole = f"{verb_said} {thing}".strip()
        subject = thing if thing and verb_said in _MAKERS else whole
        return _situation(f"When you {whole}", f"When the user asks to {whole}.", subject)
    return None


_MAKES = "write draft compose create generate produce prepare code"
_MAKERS = frozenset(_MAKES.split())


def _asked(sentence: str) -> Situation | None:
    if not _QUESTION.match(sentence):
        return None
    words = sentence.split()
    head, tail = " ".join(words[:3]), " ".join(words[3:QUOTED_WORDS])
    short = f"{head} {_cut(f'{tail} ', most=QUOTED_WORDS)}".strip().rstrip("?.!,")
    subject = [word for word in _plain_words(plain(short)) if not _SMALL_WORD.match(word)]
    return Situation(
        lead="",
        description=f"When the user asks a question such as “{short}”.",
        subject=tuple(subject[:MOST_WORDS]),
    )


def _situation(lead: str, description: str, subject: str) -> Situation:
    words = [word for word in _plain_words(subject) if word not in ("a", "an", "the")]
    return Situation(lead=lead, description=description, subject=tuple(words))


def _plain_words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


def _cut(text: str, *, most: int = MOST_WORDS, ends: re.Pattern[str] = _THING_ENDS) -> str:
    """The words before the first preposition or sign."""
    text = f" {text.strip()}"
    end = ends.search(text)
    words = (text[: end.start()] if end else text).split()
    return " ".join(words[:most])


def _thing(text: str, *, bare: bool = True) -> str:
    """What is asked for, with the article that any one of its kind has; "" for none."""
    found = _DETERMINER.match(text)
    rest = text
    while determiner := _DETERMINER.match(rest):
        rest = rest[determiner.end() :]
    name = _cut(_INCIDENTAL.sub("", rest))
    if not name or _PRONOUN.match(name) or (found is None and _PRONOUN.match(name.split()[0])):
        return ""
    plural = re.search(r"[^s]s$", name) is not None
    if found is None and not plural:
        return name if bare and len(name.split()) <= 2 else ""
    return name if plural else with_article(name)


def with_article(name: str) -> str:
    """ "a menu", "an invoice"."""
    return f"{'an' if re.match(r'[aeio]|u(?!n[ai]|s[ae])|hour|honest', name, re.I) else 'a'} {name}"


def asked_for(thing: str) -> Situation:
    return Situation(
        lead="", description=f"When the user asks for {thing}.", subject=subject_of(thing)
    )


def of_kind(kind: str) -> Situation:
    """ "menus" → "When you write a menu", as later requests will say it; longer names stay."""
    kind = kind[:1].lower() + kind[1:] if kind[1:2].islower() else kind
    if re.search(r"\s(?:to|for|from|of|about)\s", kind):
        return replace(asked_for(kind), lead=f"When you write {kind}")
    if re.fullmatch(r"[\w-]+[^\Ws]s|[\w-]+(?:sses|xes|ches|shes)", kind):
        kind = re.sub(r"(?<=[^aeiou])ies$", "y", kind)
        kind = re.sub(r"(?<=ss|.x|ch|sh)es$|(?<=[^s])s$", "", kind)
    return situation_of(f"write {kind if re.search(r's$', kind) else with_article(kind)}")


_ARTICLES = "a an the you i we your my our some any all to for of it in"
_NO_SUBJECT = frozenset(_ARTICLES.split())


def subject_of(text: str) -> tuple[str, ...]:
    return tuple(word for word in re.findall(r"[^\W_]+", text.lower()) if word not in _NO_SUBJECT)
