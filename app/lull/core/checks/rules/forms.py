"""Recognises by regular expressions which check a user's rule asks for ("answer in one sentence").
Used where the model that classifies rules is unsure: few rules are recognised, but those nearly
always rightly.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from lull.core.checks.check import Check, CheckKind
from lull.core.checks.rules import amounts, choices
from lull.core.checks.rules.parameters import parameters, spanned
from lull.core.checks.rules.phrases import (
    LENGTH_NOUNS,
    NUMBERED_LISTS,
    ONE_PART,
    is_forbidden,
    mask_quoted,
)

_Form = Callable[[str], Check | None]


def _wanted(kind: CheckKind, noun: str, *, also: str = "") -> _Form:
    """Build a form that matches where its noun occurs without negation; `also` must match, too."""
    return _said(kind, noun, also=also, deny=False)


def _unwanted(kind: CheckKind, noun: str, *, also: str = "") -> _Form:
    """Build a form that matches where its noun is negated: no emojis, never use emojis, leave the
    emojis out.
    """
    return _said(kind, noun, also=also, deny=True)


def _said(kind: CheckKind, noun: str, *, also: str, deny: bool) -> _Form:
    pattern, more = re.compile(rf"\b(?:{noun})", re.IGNORECASE), re.compile(also, re.IGNORECASE)

    def form(clause: str) -> Check | None:
        bare = mask_quoted(clause)
        found = pattern.search(bare)
        if found is None or not more.search(bare) or is_forbidden(bare, found) is not deny:
            return None
        if kind in (CheckKind.BULLETS, CheckKind.NUMBERED_LIST) and ONE_PART.search(clause):
            return None
        if deny and _one_of_many(bare[: found.start()]):
            return None
        if not deny and not _asks(bare[: found.start()], bare):
            return None
        return parameters(kind, clause)

    return form


def _one_of_many(before: str) -> bool:
    """Whether a number stands before the noun: "never ten bullets" does not forbid bullets."""
    last = before.split()[-1:]
    return (
        bool(last)
        and amounts.BARE.fullmatch(last[0].lower()) is not None
        and (amounts.value(last[0].lower()) > 1)
    )


_ASKS: Final = re.compile(
    r"\b(?:use|write|give|in|as|with|want|prefer|like|make|put|format|list|always|please|need|"
    r"only|just|"
    r"should|must|add|add|include|return|output|respond|reply|answer|number|keep|all|every|"
    r"nothing but|immer|bitte|als|in|mit|nutze?|verwende|schreib\w*|gib|toujours|en|avec|"
    r"utilise\w*|siempre|"
    r"con|usa|pon|escribe|everything|straight)\b",
    re.IGNORECASE,
)


def _asks(before: str, clause: str) -> bool:
    """Whether the clause orders something; "bullet points give the wrong impression" does not."""
    if len(clause.split()) <= 5 or _ASKS.search(before):
        return True
    return re.fullmatch(r"\W*(?:an?|one|all|the)?\s*", before, re.I) is not None and not (
        re.search(r"\b(?:is|are|was|gives?|makes?|looks?|seems?|has|have|feels?)\b", clause, re.I)
    )


def _counted(kind: CheckKind) -> _Form:
    def form(clause: str) -> Check | None:
        if ONE_PART.search(clause) or (kind is CheckKind.LINES and "code" in clause.lower()):
            return None
        if _counts_a_part(kind, clause):
            return None
        if kind is CheckKind.CHARACTERS and not _CHARACTERS.search(clause):
            return None
        return spanned(
            kind, amounts.amount_range(clause, LENGTH_NOUNS[kind], limit=kind == "words")
        )

    return form


_PART: Final = re.compile(
    r"\b(?:these|those|the|both|first|last|next|another|other|diese|les|las|los)\s+(?:\w+\s+)?$",
    re.IGNORECASE,
)
_PART_BEHIND: Final = re.compile(
    r"\s*(?:(?:of (?!text)|then|first|each|to each|apiece|from|that|which|about|below|above|with|"
    r"where|(?:par|pro|por)(?! (?:réponse|antwort|respuesta|answer|reply))|puis|dann)\b|"
    r",?\s*(?:and |then )*then\b)",
    re.IGNORECASE,
)


def _counts_a_part(kind: CheckKind, clause: str) -> bool:
    """Whether the amount limits only a part of the answer: "one line of context", "the first two
    sentences", "paragraphs of five lines".
    """
    found = amounts.amount_of(LENGTH_NOUNS[kind]).search(clause.lower())
    if found is None:
        return False
    counted = {
        name
        for name, nouns in LENGTH_NOUNS.items()
        if name in _LENGTHS and re.search(rf"\b(?:{nouns})\b", clause, re.IGNORECASE)
    }
    parts = len(counted) > 1 or _PART_BEHIND.match(clause[found.end() :])
    # "in the 50 words I have" is rare; "the first two lines" is not.
    return bool(parts) or _PART.search(clause[: found.start()]) is not None


_LENGTHS: Final = (CheckKind.WORDS, CheckKind.SENTENCES, CheckKind.PARAGRAPHS, CheckKind.LINES)


_CHARACTERS: Final = re.compile(
    r"\b(?:under|below|within|most|max\w*|more than|less|fewer|longer|exceed\w*|over|limit|unter|"
    r"höchstens|weniger|mehr als|moins|plus|au plus|dépass\w*|menos|más|máximo)\b.*?\d{2}|"
    r"\d{2,}.{0,30}"
    r"\b(?:max\w*|limit|or (?:less|fewer)|at most|tops|oder weniger|ou moins|o menos)\b",
    re.IGNORECASE,
)
"""Matches limits on characters as letters, not persons of a story."""
_BLOCK: Final = re.compile(
    r"\b(?:in|as|en|als) (?:one|a single|ein(?:em|en)?|einem einzigen|un|un seul|un solo) "
    r"(?:solid )?"
    r"(?:block|bloc|bloque)\b(?! of code)|\b(?:no|kein\w*|sans|sin|without|don't want) "
    r"(?:paragraphs?|paragraph breaks?|absätze|absatz|paragraphes|párrafos)\b(?! \w+er than)",
    re.IGNORECASE,
)


def _in_one_block(clause: str) -> Check | None:
    return Check(kind=CheckKind.PARAGRAPHS, at_most=1) if _BLOCK.search(clause) else None


def _placed(kind: CheckKind, verb: str) -> _Form:
    """Build a form of a verb and a quoted text: end with “…”; negated, the text must not be
    there."""
    pattern = re.compile(rf"\b(?:{verb})", re.IGNORECASE)

    def form(clause: str) -> Check | None:
        found = pattern.search(mask_quoted(clause))
        if found and re.search(r"\b(?:that|which|who)\s*$", clause[: found.start()], re.IGNORECASE):
            return None
        check = parameters(kind, clause) if found else None
        if found is None or check is None:
            return None
        return check

    return form


def _worded(clause: str) -> Check | None:
    """Return the check that a quoted word must, or must not, occur anywhere."""
    bare = mask_quoted(clause)
    if re.search(r"\b(?:end|start|begin|clos|open|sign|finish)\w*\b", bare, re.IGNORECASE):
        return None
    if re.search(
        r"\b(?:preambles?|greetings?|quot\w+|names?|fields?|keys?|"
        r"anführungszeichen|guillemets|comillas|dates?|format\w*|style)\b",
        bare,
        re.IGNORECASE,
    ):
        return None
    return parameters(CheckKind.CONTAINS, clause)


def _choice(kind: CheckKind, cue: str) -> _Form:
    pattern = re.compile(cue, re.IGNORECASE)

    def form(clause: str) -> Check | None:
        return parameters(kind, clause) if pattern.search(clause) else None

    return form


FORMS: Final[tuple[_Form, ...]] = (
    *(_counted(kind) for kind in (*_LENGTHS, CheckKind.CHARACTERS)),
    _in_one_block,
    _wanted(
        CheckKind.BULLETS,
        r"bullet(?:s|ed|[- ]points?)?\b|aufzählungspunkte|stichpunkte?n?\b|puces\b|viñetas\b",
    ),
    _unwanted(
        CheckKind.NO_BULLETS,
        r"bullet(?:s|ed|[- ]points?)?\b|aufzählung\w*|stichpunkte?n?\b|puces\b|viñetas\b",
    ),
    _unwanted(CheckKind.NO_BULLETS, NUMBERED_LISTS),
    _wanted(
        CheckKind.NUMBERED_LIST,
        r"numbered\b|number (?:the|each|all|your|every) steps?|nummerier\w*|numérot\w*|numerad\w*",
    ),
    _placed(
        CheckKind.STARTS,
        r"(?:start|begin|open)(?:s|ing)?\b|beginn\w*|commenc\w*|empie[cz]\w*|comien\w*",
    ),
    _placed(
        CheckKind.ENDS,
        r"(?:end|finish|close|sign)(?:s|es|ing)?\b|sign-?off|beende\w*|schließ\w*|endet\b|"
        r"(?:schluss|closing|ending)\b(?= (?:of|for|jede|in|von|:))|termin\w*|finis\w*|acab\w*|"
        r"firma\w*|signe\w*|unterschreib\w*",
    ),
    _worded,
    _wanted(
        CheckKind.LOWER_CASE,
        r"(?:all |only )?lower[- ]?case\b|small letters|kleinbuchstaben|kleingeschrieben|"
        r"minuscules?\b|minúsculas?\b",
    ),
    _unwanted(
        CheckKind.LOWER_CASE, r"capital letters\b|capitals\b|upper[- ]?case\b|großbuchstaben"
    ),
    _wanted(
        CheckKind.UPPER_CASE,
        r"upper[- ]?case\b|all[- ]caps\b|(?:all |in )capitals?(?: letters)?\b|block capitals|"
        r"großbuchstaben|majuscules?\b|mayúsculas?\b",
    ),
    _unwanted(CheckKind.NO_SIGN, choices.SIGN_NAMES),
    _wanted(
        CheckKind.JSON,
        r"json\b(?! (?:files?|parser|schema|example|library))",
        also=r"(?:as|in|return|output|valid|only|raw|with|format|als|im|en|como|nur|"
        r"just)\b.{0,25}\bjson|^json",
    ),
    _wanted(
        CheckKind.CODE_ONLY,
        r"(?:only|just|nothing but|nur|bloß|juste|seulement|solo|sólo)(?: (?:the|den|le|el|raw|"
        r"want|give me|show me))* (?:code|script|command|query|formula|sql|código)\b|code only|"
        r"code[- ]block only|(?:code|script)(?: and nothing else| without (?:any "
        r")?(?:explanation|prose|commentary|text))",
    ),
    _wanted(CheckKind.EMOJIS, r"(?:[ée]mojis?|smileys?|emoticonos?)\b"),
    _unwanted(CheckKind.NO_EMOJI, r"[ée]mojis?\b|emoticons?\b|smileys?\b|emoticonos?\b"),
    _wanted(
        CheckKind.TYPE_HINTS,
        r"type[- ](?:hints?|annotations?)\b|typ-?annotation\w*|annotations de type|anotaciones "
        r"de tipo",
    ),
    _choice(
        CheckKind.INDENT,
        r"\bindent\w*|\buse tabs\b|^tabs\b|tabs,? (?:not|over|instead)|tabs?\b.*\bspaces|"
        r"einrück\w*|\d[- ]spaces?\b|indentation|sangr\w*|tabulat\w*",
    ),
    _choice(
        CheckKind.DATE_FORMAT, r"\bdates?\b|\bdatum\b|\bdaten\b|\bfechas?\b|\biso\b|yyyy|jjjj|aaaa"
    ),
    _choice(
        CheckKind.TIME_FORMAT,
        r"\b24|\b12[- ]h|\bam\b|\bpm\b|a\.m\.|military time|twenty-four|twelve-hour",
    ),
    _choice(CheckKind.UNITS, choices.UNIT_NAMES),
    _choice(CheckKind.LANGUAGE, choices.SPOKEN),
    _unwanted(
        CheckKind.NO_CLOSING_QUESTION,
        r"(?:follow-?up |closing )questions?\b|questions? at the (?:very )?(?:end|bottom)|"
        r"(?:end|finish|close|conclude)(?:ing)?(?: \w+){0,4} (?:with|on|in|by) (?:an? |any |"
        r"another |asking )?(?:\w+ )?questions?|rückfragen?\b|fragen? am (?:ende|schluss)|"
        r"questions? à la fin|preguntas? al final|ask(?:ing)?\b.{0,25}\bat the end|"
        r"fragen?\b.{0,20}\bam (?:ende|schluss)|(?:ende|schluss)\b.{0,15}fragen\b|"
        r"demand\w*\b.{0,15}\bà la fin|pregunt\w*\b.{0,15}\bal final",
    ),
    _unwanted(
        CheckKind.NO_APOLOGY,
        r"apolog\w+|sorry\b|entschuldig\w*|t'excus\w*|excuses\b|disculp\w*|pedir perdón",
    ),
    _unwanted(
        CheckKind.NO_PREAMBLE,
        r"preambles?\b|pleasantr\w+|small talk|intro(?:ductory)?(?: sentences?| "
        r"lines?| phrases?)?\b|lead-?ins?\b|openers?\b|opening (?:line|phrase|sentence)s?|"
        r"einleitung\w*|floskeln?\b|préambules?\b|preámbulos?\b",
    ),
    _wanted(
        CheckKind.NO_PREAMBLE,
        r"(?:straight|right|directly) (?:to|with) the (?:point|answer)|directly with the answer",
    ),
    _unwanted(
        CheckKind.PLAIN_TEXT,
        r"markdown\b|bold\b|headings?\b|headers?\b|formatting\b|tables?\b(?! of)|fettschrift|"
        r"überschriften|negritas?\b",
    ),
    _wanted(CheckKind.PLAIN_TEXT, r"plain text\b|texte brut\b|texto plano\b|reine[rn]? text\b"),
    _unwanted(
        CheckKind.NO_CODE_COMMENTS,
        r"(?:inline |code )?comments?\b|kommentare?n?\b|commentaires?\b|comentarios?\b",
        also=r"\bcode|inline|script|function|snippet|program|python|sql\b|javascript|código",
    ),
    _unwanted(CheckKind.NO_CONTRACTIONS, r"contractions?\b|contracted forms?"),
    _choice(CheckKind.QUOTE_STYLE, r"\bquot(?:e|es|ation)\b|anführungszeichen|guillemets|comillas"),
)
