"""The ways in which a value stands beside the name of what it is, in a sentence and in a file: right
behind it, before it ("use … as the PIN"), and on the next line of a chat whose last line asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from lull.core.secrets.values.pattern import LINE_END, QUOTE, SIGN

_OPEN: Final = r"(?:\*{1,2}|[«„“‘`(\[#]|&quot;|\\{0,7}[\"'`]|[ \u00a0]){0,5}"
_STATED: Final = (
    r"(?:is(?: the)?|are|was|be|to|as|now|ist(?: d(?:ie|er|as))?|sind|war|wäre|lautet|lauten|heißt|zu|auf|als|set to|is set to|steht auf|réglé sur|est(?: l[ea])?|était|c['’]est|sera|es(?: el| la)?|era|será|è|é|"
    r"est le|är|er|jest|to|on|bude|je|olarak|adalah|it['’]s|(?:nehme|nutze|verwende|benutze|habe|setze|brauche) ich|I (?:use|took|have)|j['’]utilise|j['’]ai mis|uso|puse|pongo|nämlich|take|nimm|toma|prends)"
)
_WORD: Final = r"[^\W\d_][^\W\d_'’.-]{0,15}"
_AGAIN: Final = (
    r"(?:now|still|just|currently|again|jetzt|nun|noch|übrigens|immer noch|bisher|maintenant|toujours|"
    r"ahora|todavía|adesso|actually|called|changed to|set to|:)"
)
BEHIND: Final = (
    rf"{QUOTE}?[\])]{{0,2}}\*{{0,2}}(?:[ ]?\([^()\n]{{1,30}}\))?"
    rf"(?:['’]s(?:[ ]{_AGAIN})?[ ]|(?:[ ]{_WORD}){{0,4}}?{SIGN}|</[\w:.-]{{1,40}}>\s{{0,40}}<[\w:.-]{{1,40}}>\s{{0,4}}|>\s{{0,4}}|[ \t]{{0,3}}\|[ \t]{{0,3}}|[ ]?,[ ]?(?=[\"'\\])|[ ](?:—|–|-|→)[ ]|\t{{1,4}}|"
    rf"(?:[ ]{_WORD}){{0,5}}?[ \u00a0]{_STATED}(?:[ ]{_AGAIN})?[ ]?:?[ \u00a0]|[ ]\((?:it['’]s[ ])?|[ ])"
    rf"{_OPEN}"
)
"""What stands between a name and its value: a sign, a cell's or an element's edge, or words."""


def behind_names(
    value: str, counts: Callable[[str], bool]
) -> Callable[[str, str, list[int]], Iterator[tuple[int, int]]]:
    """Return a function that finds what stands right behind the names in a text."""
    # What follows a sign at once has patterns of its own.
    regex = re.compile(rf"(?i:(?![ ]?[=:])[\w-]{{0,24}}?{BEHIND})({value})")

    def find(text: str, low: str, names: list[int]) -> Iterator[tuple[int, int]]:
        for end in names:
            found = regex.match(text, end)
            if found is not None and counts(found[1]):
                yield found.span(1)

    return find


NO_UNIT: Final = (
    r"(?![^\W_]|[%€$£°]|[-/.,:]?\d)(?!\s?(?:characters|chars|digits|digit|ziffer\w?|stell\w{1,5}|chiffres|d[ií]gitos|cifre|euros?|eur|usd|dollars?|"
    r"pounds|lines|zeilen|people|times|mal|fois|veces|days|tage|jours|días|hours|minutes|min|km|m|kg|mb|kb|gb|ms|seconds?|sekunden|errors?|files|bytes|years|jahre|"
    r"words|uhr|am|pm|zeichen|sign\w{0,3}|tecken|symbols?)\b)"
)
"""What must not follow a number that is a code: a unit, or more digits."""

_LINKS: Final = (
    r"(?:[ ](?:for|as|is|ist|als|für|pour|comme|est|como|es|para|per|come|è|voor|som|är|er|jako|jest|till|til|olarak|ve)|"
    r",?[ ](?:c['’]est|que es|das ist|which is|that['’]s|this is|it['’]s|es)|"
    r"(?:[ ](?:eingegeben|eingetragen|gesetzt|in|down|comme valeur|como valor|as a value))?(?:[ ](?:as|als|como|comme)|[ ]\())"
)
_NAMED: Final = (
    rf"(?=[\"'`*»”」]{{0,3}}{_LINKS}[ ]?(?:(?:{_WORD}|[ldLD]['’]{_WORD})(?:[ -]|[ ]?/[ ]?)){{0,5}}"
    rf"(?:[ldLD]['’])?[^\W\d_]{{1,24}}\)?{QUOTE}?\*{{0,2}}$)"
)
_FARTHEST: Final = 140
_LINK_WORDS: Final = (
    *(" for ", " as ", " is ", " ist ", " als ", " für ", " pour ", " comme ", " est ", " como ", " es ", " para ", " per ", " come ", " è ", " voor ", " som ", " är "),
    *(" er ", " jako ", " jest ", " till ", " til ", " olarak ", " ve ", " (", "c'est", "c’est", "das ist", "that's", "that’s", "it's", "it’s"),
)  # fmt: skip
"""One of these is in each link; a plain search for them takes less than that for a link."""
_DIGIT: Final = re.compile(r"\d")


def before_names(
    value: str, counts: Callable[[str], bool], *, longest: int = 80, has_digits: bool = False
) -> Callable[[str, str, list[int]], Iterator[tuple[int, int]]]:
    """Return a function that finds what stands before the names in a text: `value` is its regular
    expression, `counts` its further test and `has_digits` whether each has a digit.
    """
    regex = re.compile(rf"(?:(?<=\\[nrt])|(?<![^\s\"'`:：=(*/>«„“。、「])){value}{_NAMED}")

    def find(text: str, low: str, names: list[int]) -> Iterator[tuple[int, int]]:
        for end in names:
            first = max(0, end - _FARTHEST - longest, text.rfind("\n", 0, end) + 1)
            if has_digits and _DIGIT.search(text, first, end) is None:
                continue
            line = low[first:end]
            if not any(word in line for word in _LINK_WORDS):
                continue
            found = regex.search(text, first, end)
            if found is not None and counts(found.group()):
                yield found.span()

    return find


_ASKING: Final = (
    "?", "what", "which", "send", "give", "gimme", "need", "tell ", "have", "share", "was ", "wie ", "schick", "sag ", "sagst", "gib", "brauch", "nenn", "envoi", "envoy",
    "donne", "quel", "manda", "dime", "dame", "cuál", "cual ", "pasa", "pása", "necesito",
)  # fmt: skip
"""What a line has that asks for something."""
_SPEAKER: Final = (
    r"(?:[>*_ \t-]|\[?\d{1,2}:\d\d(?::\d\d)?(?: ?[AaPp][Mm])?\]?[,:]?[ ]?|\[[^\]\n]{1,24}\][ ]?|<[^<>\n]{1,24}>[ ]?|"
    r"\*{0,2}[^\W\d_][\w .-]{0,24}\*{0,2}[ ]?(?::|>|—|–)\*{0,2}[ ]{0,2}){0,4}"
)
_ANSWERED: Final = (
    r"(?:(?i:sure|ok|okay|yes|yep|here|hier|klar|ja|gern|sí|si|oui|voilà|voici|claro|it['’]s|it is|its|es ist|c['’]est|"
    r"es|that['’]s|the|das|ist|is|one sec|moment|hi|hey|of course|natürlich|bien sûr|toma|tiens)[,!:.]{0,2}[ ]){0,3}"
)
_ANSWER: Final = rf"{LINE_END}(?:\s|\\[nrt]){{0,4}}{_SPEAKER}{_ANSWERED}{_OPEN}"
_ALONE: Final = (
    r"(?=[\"'`*»”).!]{0,3}(?:\s{0,3}(?:$|\n)|\\|[\"<]|[,;][ ]|[ ](?:[^\w\s]|(?:and|und|et|y)[ ])))"
)


def in_answers(
    value: str, counts: Callable[[str], bool]
) -> Callable[[str, str, list[int]], Iterator[tuple[int, int]]]:
    """Return a function that finds what the line below a name consists of, where the name's own line
    asks for it.
    """
    regex = re.compile(rf"{_ANSWER}({value}){_ALONE}")

    def find(text: str, low: str, names: list[int]) -> Iterator[tuple[int, int]]:
        for end in names:
            below = _line_end(text, end)
            if below < 0 or ABOUT.match(low, end) or not _asks(text, low, end, below):
                continue
            found = regex.match(text, below)
            if found is not None and counts(found[1]):
                yield found.span(1)

    return find


ABOUT: Final = re.compile(
    r"(?:[ ]block)?-{4,5}|[ _-]{0,2}(?:polic|format|rule|length|manag|field|reset|strength|limit|type|regel|richtlin|länge|stärke|politique|longueur|política|longitud)"
)
"""Words behind a name that ask for something about what it names."""


def _line_end(text: str, end: int) -> int:
    """Where the line of a name that ends here ends, also by an escaped break; -1: not within
    reach.
    """
    last = end + _NEXT_LINE
    plain, escaped = text.find("\n", end, last), text.find("\\n", end, last)
    if plain < 0 or escaped < 0:
        plain = max(plain, escaped)
        return plain - (plain > end and text[plain - 1] == "\r")
    return min(plain, escaped)


_NEXT_LINE: Final = 84


def _asks(text: str, low: str, end: int, below: int) -> bool:
    """Whether the line with a name that ends here asks for what it names, or announces it."""
    rest = text[end:below].rstrip(" *\"'`\\")
    if rest.endswith((":", "?")):
        return True
    first = max(0, end - _FARTHEST)
    line = low[max(text.rfind("\n", first, end) + 1, first) : below]
    return any(word in line for word in _ASKING)


_REACH: Final = 140


def with_near(sign: re.Pattern[str], text: str, names: list[int]) -> Iterator[int]:
    """Yield those of the places in a text, in order, near which a sign stands."""
    found = sign.search(text, max(0, names[0] - _REACH), names[-1] + _REACH) if names else None
    for name in names:
        while found is not None and found.end() < name - _REACH:
            found = sign.search(text, found.end())
        if found is None:
            return
        if found.start() <= name + _REACH:
            yield name


def all_of(
    *finds: Callable[[str, str, list[int]], Iterable[tuple[int, int]]],
) -> Callable[[str, str, list[int]], Iterator[tuple[int, int]]]:
    """Return a function that finds what any of several functions finds."""

    def find(text: str, low: str, names: list[int]) -> Iterator[tuple[int, int]]:
        for one in finds:
            yield from one(text, low, names)

    return find
