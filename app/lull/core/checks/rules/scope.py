"""Of which requests a rule speaks, where it names a kind: emails, recipes, code.

Cautious: a rule that names a kind which the request does not show is taken not to apply.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from lull.core.checks.rules.phrases import blanked, straight, without_even_if

_LEAD: Final = re.compile(
    r"^(?:please )?(?:(?:when(?:ever)?|if|any ?time|every time|each time|wenn|falls|sobald|"
    r"quand|lorsque|si|"
    r"cuando|siempre que)\s+(?P<said>[^,:]{3,80}?)[,:]\s*(?:then |dann )?|"
    r"(?:for|in|with|on|bei|für|in|pour|dans|para|en)\s+(?P<kind>[^,:]{3,60}?)[,:]\s*)",
    re.IGNORECASE,
)
_BEHIND: Final = re.compile(
    r",?\s+(?P<said>(?:when(?:ever)?|every time|any ?time|if|wenn|quand|cuando)\s+(?:i|you|we|"
    r"ich|du|je|tu|yo|it's|"
    r"it is|there)\b[^,.;]*)[.!]?$",
    re.IGNORECASE,
)

_FOR: Final = re.compile(
    r"\s(?:for|für|pour|para)\s+(?P<said>(?:my|our|the|any|all|anything|everything|meine?|mes|mis|"
    r"alles|tout)\b[^,.;]*)[.!]?$",
    re.IGNORECASE,
)
""" "… for the warehouse board": of what it is said to hold, and it stays part of the rule."""

KINDS: Final[Mapping[str, tuple[str, str]]] = {
    "email": (
        r"e-?mails?\b|\bmails?\b|courriels?|correos?\b",
        r"e-?mail|\bmail\b|\binbox|courriel|correo|\b(?:write|reply|respond|message|note) "
        r"(?:back )?to (?:my|our|the|an?|[A-Z])",
    ),
    "letter": (
        r"(?<!capital )(?<!small )(?<!case )(?<!big )(?<!block )\bletters?\b",
        r"\bletters?\b",
    ),
    "recipe": (
        r"recipes?|rezepte?n?\b|recettes?|recetas?|\bcooking|\bbaking",
        r"recipe|rezept|recette|receta|\bcook|\bbak|how (?:do|to) i? ?make|\bsoup|\bcake|"
        r"\bstew|\bdish|\bpasta|\bbread|pancake|\bsauce|\bmeal|\bdinner|cookies|\bkoch|\bback",
    ),
    "python": (r"\bpython\b", r"\bpython\b|pandas|numpy|django|pytest|\bflask"),
    "sql": (r"\bsql\b|\bquer(?:y|ies)\b", r"\bsql\b|\bquer(?:y|ies)\b|\btables?\b|postgres|select"),
    "javascript": (
        r"javascript|typescript|\bjs\b|\bts\b",
        r"javascript|typescript|\bjs\b|\bts\b|react|\bnode",
    ),
    "shell": (r"\bshell\b|\bbash\b", r"\bshell\b|\bbash\b|command line|terminal|\bscript"),
    "code": (
        r"\b(?:in|for|about|of) (?:\w+ )?(?:code|programming|scripts?)\b|code (?:answers?|"
        r"questions?|snippets?|examples?|blocks?|samples?)|coding|functions?\b|scripts?\b|"
        r"snippets?\b",
        r"\bcode|function|script|program|python|javascript|typescript|\bsql\b|\bregex|"
        r"\bclass\b|\bbug\b|\bmethod|implement|refactor|\brust\b|\bjava\b|golang|\bapi\b|"
        r"\bloop|snippet|\bcss\b|\bhtml\b|\bbash\b|one-liner|\bparse|\bc\+\+",
    ),
    "commit": (r"commits?\b|commit messages?", r"\bcommit"),
    "story": (
        r"\bstor(?:y|ies)\b|fiction|geschichten?\b|histoires?\b|cuentos?\b",
        r"stor(?:y|ies)|tale|fiction|geschichte|histoire|cuento|märchen",
    ),
    "poem": (
        r"\bpoems?\b|poetry|gedichte?\b|poèmes?|poemas?",
        r"poem|poetry|haiku|sonnet|verse|gedicht|poème|poema|limerick",
    ),
    "summary": (
        r"\bsummar(?:y|ies)\b|summari[sz]\w+|zusammenfass\w+|résumés?\b|resúmen\w*|tl;?dr",
        r"summar|tl;?dr|recap|zusammenfass|résum|resum|digest|key points|main points",
    ),
    "translation": (
        r"translat\w+|übersetz\w+|traduc\w+",
        r"translat|übersetz|tradu|how do you say",
    ),
    "essay": (r"essays?\b|aufs[aä]tze?\b|dissertations?", r"essay|aufsatz|dissertation|paper\b"),
    "report": (r"reports?\b|berichte?n?\b|rapports?|informes?", r"report|bericht|rapport|informe"),
    "slides": (
        r"slides?\b|presentations?\b|folien?\b",
        r"slide|presentation|deck|folie|powerpoint",
    ),
    "review": (r"reviews?\b", r"review"),
    "social post": (
        r"tweets?\b|social media|instagram|linkedin|facebook|captions?\b|\bposts?\b",
        r"tweet|social|instagram|linkedin|facebook|caption|\bpost\b|tiktok|twitter",
    ),
    "text message": (
        r"text messages?|\btexts\b|\bsms\b|whatsapp|slack",
        r"\btext\b|\bsms\b|whatsapp|slack|message",
    ),
    "minutes": (r"meeting (?:notes|minutes)|minutes\b|agendas?\b", r"meeting|minutes|agenda"),
    "product description": (
        r"product descriptions?|product (?:texts?|pages?)",
        r"product|description|listing",
    ),
    "travel": (
        r"travel|itinerar\w+|trips?\b|reise\w*|voyages?|viajes?",
        r"travel|itinerar|trip|visit|vacation|holiday|flight|hotel|weekend in|days in|reise|"
        r"voyage|viaje",
    ),
    "math": (
        r"\bmath\w*|equations?|calculations?",
        r"math|equation|calculat|solve|integral|derivative|percent|sum of",
    ),
    "workout": (
        r"workouts?|exercise plans?|training plans?|gym\b",
        r"workout|exercise|training|gym|run(?:ning)? plan|muscle",
    ),
    "weather": (r"weather|wetter|forecasts?", r"weather|wetter|forecast|temperature"),
    "letter of application": (r"cover letters?", r"cover letter|application|job|applying"),
    "headline": (r"headlines?\b", r"headline"),
    "explanation": (
        r"\bexplaining|explain (?:something|things|concepts?)",
        r"explain|what (?:is|are|does)|why|how (?:do|does|is)|difference",
    ),
    "name": (r"naming|name ideas", r"\bname"),
    "shopping list": (r"shopping lists?|einkaufslisten?|grocery", r"shopping|grocer|einkauf"),
    "bug report": (r"bug reports?|tickets?\b|issues\b", r"bug|ticket|issue"),
    "documentation": (
        r"\bdocs\b|documentation|readmes?\b|release notes?|changelogs?",
        r"\bdocs?\b|documentation|readme|release note|changelog",
    ),
    "speech": (r"speech(?:es)?\b|toasts?\b", r"speech|toast"),
    "lesson": (r"lesson plans?|worksheets?|quiz(?:zes)?\b", r"lesson|worksheet|quiz|exercise"),
    "menu": (r"\bmenus?\b", r"menu"),
    "schedule": (r"schedules?\b|timetables?", r"schedule|timetable|rota|plan"),
    "list": (r"\blists\b", r"\blist|ideas|which|what are|suggest|name (?:some|\w+) "),
}
"""By kind: how a rule names it, and how a request shows that it is of it."""
_SMALL: Final = frozenset(
    (
        "a",
        "about",
        "all",
        "an",
        "answer",
        "answers",
        "any",
        "anything",
        "are",
        "ask",
        "asked",
        "asking",
        "bitte",
        "case",
        "demande",
        "dich",
        "do",
        "du",
        "every",
        "everything",
        "for",
        "future",
        "general",
        "give",
        "have",
        "help",
        "i",
        "ich",
        "in",
        "is",
        "it",
        "je",
        "make",
        "me",
        "message",
        "messages",
        "my",
        "nach",
        "need",
        "of",
        "on",
        "pido",
        "question",
        "questions",
        "replies",
        "reply",
        "request",
        "response",
        "responses",
        "show",
        "something",
        "te",
        "text",
        "that",
        "the",
        "there",
        "to",
        "tu",
        "um",
        "un",
        "una",
        "want",
        "we",
        "with",
        "write",
        "writing",
        "you",
        "your",
    )
)


def lead(rule: str) -> str:
    """The clause that says when it holds: "When I ask for a recipe, …"; "" for none."""
    found = _lead(rule)
    if found is not None:
        return found["said"] or found["kind"] or ""
    rule = without_even_if(rule)
    behind = _BEHIND.search(rule) or _FOR.search(rule)
    return behind["said"] if behind else ""


def _lead(rule: str) -> re.Match[str] | None:
    """ "For recipes I want grams, not cups" has no lead: its comma belongs to the order."""
    found = _LEAD.match(rule)
    return None if found is not None and found["kind"] and _ORDER.search(found["kind"]) else found


_ORDER: Final = re.compile(
    r"\b(?:i|we|you|want|use|write|give|please|always|never|no|keep|make|ich|immer|je|toujours)\b",
    re.IGNORECASE,
)


def without_lead(rule: str) -> str:
    found = _lead(rule)
    if found is not None:
        return rule[found.end() :]
    rule = without_even_if(rule)
    behind = _BEHIND.search(rule)
    return rule[: behind.start()] if behind else rule


def applies(rule: str, request: str) -> bool:
    """Whether the rule speaks of the request, as far as a program can tell."""
    rule = straight(rule)
    said = lead(rule)
    named = said or blanked(rule)
    kinds = [
        asks for names, asks in KINDS.values()
        if re.search(names, named, re.IGNORECASE)
    ]  # fmt: skip
    if kinds:
        return any(re.search(asks, request, re.IGNORECASE) for asks in kinds)
    words = [word for word in re.findall(r"[^\W\d_]{2,}", said.lower()) if word not in _SMALL]
    return not words or any(_stem(word) in request.lower() for word in words)


def _stem(word: str) -> str:
    return re.sub(r"(?:ies|es|s|en|n|ing|e|y)$", "", word) if len(word) > 4 else word
