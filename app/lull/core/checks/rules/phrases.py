"""Recognises phrases in users' rules: quoted texts, negation, clauses and conditions.

Covers only what is needed to understand a rule, in English, German, French and Spanish.
"""

from __future__ import annotations

import re
from typing import Final

from lull.core.checks.check import CheckKind

LENGTH_NOUNS: Final = {
    CheckKind.WORDS: r"words?|wörtern?|worte?n?|mots?|palabras?",
    CheckKind.SENTENCES: r"sentences?|sätzen?|satz|phrases?|frases?|oraci(?:ones|ón)",
    CheckKind.PARAGRAPHS: r"paragraphs?|absätzen?|absatz|paragraphes?|párrafos?",
    CheckKind.LINES: r"lines?(?! of code)|zeilen?|lignes?|líneas?|renglones|renglón|"
    r"verses?|versen|versos?|vers",
    CheckKind.BULLETS: r"bullets?(?: points?)?|points|items|aufzählungspunkte?n?|"
    r"stichpunkte?n?|puces|viñetas",
    CheckKind.NUMBERED_LIST: r"(?:numbered )?(?:points|items|steps)|schritten?|étapes|pasos",
    CheckKind.CHARACTERS: r"characters?|chars?|zeichen|caractères?|caracteres|signes",
    CheckKind.INDENT: r"spaces?|leerzeichen|espaces?|espacios?",
}
"""Regular expressions for the nouns of a length limit (words, sentences, lines), by kind of
check.
"""

NUMBERED_LISTS: Final = (
    r"numbered (?:lists?|points?|items?|steps?)\b|numbering\b|"
    r"nummerierte[nrs]? (?:liste|punkt|schritt)\w*|list\w* numérot\w*|list\w* numerad\w*"
)
ONE_PART: Final = re.compile(
    r"\b(?:per|each|every|pro|par|por|chaque|jede[rsnm]?|cada)\s+(?:\w+\s+)?(?:bullets?|sentences?|"
    r"paragraphs?|lines?|points?|items?|slides?|sections?|steps?|functions?|entry|row|cell|puce|"
    r"satz|zeile|punkt|absatz|phrase|línea|frase|párrafo|day|week)\b|"
    r"\b(?:subject lines?|titles?|headlines?|variable names?|functions?|methods?|commit subject|"
    r"(?:first|last|opening|closing) (?:line|sentence|paragraph)|bullets? (?:of|with|under|"
    r"about))\b",
    re.IGNORECASE,
)
"""Regular expression that recognises rules about a part of the answer instead of the whole."""
PART_OF_ANSWER: Final = re.compile(
    r"\b(?:keywords?|titles?|headings?|headers?|subject|labels?|constants?|names?|variables?|"
    r"first (?:word|letter)|flags?|acronyms?|filenames?|file names|branch|tags?|hashtags?|columns?|"
    r"tables?|functions?|sentences?|überschriften|namen|schlüsselwörter|titres|nombres|"
    r"alérgenos|identifiers?|words?)\b"
)

QUOTED: Final = re.compile(
    r"\"([^\"\n]{1,300})\"|(?<![\w])'((?:[^'\n]|(?<=\w)'(?=\w)){1,300})'(?!\w)|"
    r"«\s*([^»\n]{1,300}?)\s*»|"
    r"`([^`\n]{1,300})`"
)
_AFTER_COLON: Final = re.compile(r"\b(?:with|as|mit|par|con|this|text|word)\s?:\s+([^\n:]{1,120})$")


_STRAIGHT: Final = str.maketrans({**dict.fromkeys("“”„‟", '"'), **dict.fromkeys("‘’‚‛", "'")})


_IMPERATIVE: Final = (
    r"use|write|keep|give|put|make|be|end|start|begin|sign|add|include|answer|reply|stick|show|list|"
    r"format|nutze?|verwende|schreib\w*|antworte|gib|utilise\w*|écri[st]|réponds?|usa|escribe|"
    r"responde"
)
_ORDER_BEHIND: Final = re.compile(rf"\s*,\s+(?=(?:please |bitte )?(?:{_IMPERATIVE})\b)", re.I)


def order_behind_negation(clause: str) -> str:
    """Return the instruction after a negated clause and a comma: "use bullets" for "Not like this,
    use bullets" and for "Never, ever, use bullets"; "" if there is none.

    Whether the negation is about the order or about the answer before, nobody can tell from the
    words' places.
    """
    bare = mask_quoted(clause)
    cut = _ORDER_BEHIND.search(bare)
    if cut is None or not has_negation(bare[: cut.start()]):
        return ""
    return clause[cut.end() :]


def with_straight_quotes(rule: str) -> str:
    """Return the text of a user's rule with curly quotation marks made straight and with single
    spaces.
    """
    return " ".join(rule.translate(_STRAIGHT).split())


_WITHOUT_APOSTROPHE: Final = re.compile(
    r"\b(do|does|did|is|are|was|wo|ca|should|must|would|could|have|has)nt\b", re.IGNORECASE
)


def with_apostrophes(rule: str) -> str:
    """Return a rule in which "dont", "isnt" and the like are written "don't", "isn't"."""
    return _WITHOUT_APOSTROPHE.sub(r"\1n't", rule)


_A_NO: Final = r"(?:no|nope|nah|nay|nein|nee|nö|non)"
_LEADING_NO: Final = re.compile(
    rf"^\s*(?:(?:{_A_NO}\s+)*{_A_NO}(?:[,!;]+|\.(?!\.|\s*\d))\s*)+(?=\S)", re.IGNORECASE
)
"""Matches "No, …" and not "No emojis", "No: emojis, bold", "No … emojis" or "No. 5"."""


def without_leading_no(rule: str) -> str:
    """Return a rule without the "No, …" before it, with which the user rejects an answer: it does
    not negate the rule.
    """
    return _LEADING_NO.sub("", rule, count=1)


def quoted(text: str) -> list[str]:
    """Return the texts in quotation marks."""
    return [next(part for part in found.groups() if part) for found in QUOTED.finditer(text)]


def quoted_after(text: str, cue: str) -> str:
    """Return the first quoted text after `cue` (a regular expression). If nothing is quoted there,
    return the text after a colon; "" if there is no colon either.
    """
    found = re.search(rf"\b(?:{cue})", mask_quoted(text), re.IGNORECASE)
    if found is None:
        return quoted(text)[0] if len(quoted(text)) == 1 else ""
    behind = [one for one in QUOTED.finditer(text) if one.start() >= found.start()]
    if behind:
        return next(part for part in behind[0].groups() if part)
    if one := quoted(text):
        return one[0] if len(one) == 1 else ""
    colon = _AFTER_COLON.search(text)
    return colon[1].strip() if colon else ""


def mask_quoted(text: str) -> str:
    """Replace each quoted text in a user's rule by § signs of the same length, so that the quoted
    words are not mistaken for a part of the rule.
    """
    return QUOTED.sub(lambda found: "§" * len(found[0]), text)


# -- negation ----------------------------------------------------------------------------------

_NO: Final = (
    r"no|not|never|without|avoid\w*|stop\w*|don't|do not|doesn't|skip\w*|drop|omit\w*|leave "
    r"out|lose|"
    r"remove|ban\w*|zero|hate|can't stand|cannot stand|refrain|instead of|rather than|cut|"
    r"ditch|nix|quit|"
    r"won't|shouldn't|mustn't|isn't|aren't|nothing|dislike|spare me|kill|neither|nor|enough|less|"
    r"keine?[nmrs]?|nie|niemals|nicht|ohne|statt|anstatt|vermeide\w*|lass|spar|"
    r"pas|sans|jamais|aucune?|évite\w*|arrête\w*|ne|zéro|plutôt que|au lieu d[e']|"
    r"sin|nunca|nada de|jamás|evita\w*|deja de|ningun[oa]?|en vez de|en lugar de|tampoco"
)
_DENIES: Final = re.compile(rf"(?<!\w)(?:{_NO})(?!\w)", re.IGNORECASE)
_DENIED_BEHIND: Final = re.compile(
    r"\s*(?:\w+\s+){0,3}?(?:out\b|away\b|banned|forbidden|not allowed|not welcome|unwelcome|off\b|"
    r"unnecessary|not (?:wanted|needed|necessary|ok)|aren't|are not|isn't|is not|never\b|"
    r"no thanks|weg\b|raus\b|verboten|unerwünscht|interdit\w*|fuera\b|prohibid\w*|sobran)",
    re.IGNORECASE,
)
_CUT: Final = re.compile(
    r"[,;:]|\b(?:but|and|sondern|mais|sino|pero|use|only|just|und|et)\b", re.IGNORECASE
)
_NEAR_WORDS: Final = 6


_DENIES_NOTHING: Final = re.compile(
    r"\b(?:no|not|never) (?:more|fewer|less|longer) than\b|\bstop at\b|"
    r"\bnothing (?:else )?(?:but|except|than|other than)\b|\bnichts (?:anderes )?(?:als|außer)\b|"
    r"\brien (?:d'autre )?qu[e']|\bnada (?:más )?que\b",
    re.IGNORECASE,
)
"""Words that negate in form alone: of an amount, "no more than", and of what alone is wanted,
"nothing but"."""


def has_negation(text: str) -> bool:
    """Whether a text contains a negation, apart from such as "no more than" and "nothing but"."""
    return _DENIES.search(_DENIES_NOTHING.sub(" ", mask_quoted(text))) is not None


def is_forbidden(text: str, found: re.Match[str]) -> bool:
    """Whether something that a user's rule names is negated by the words shortly before or after
    it, as in "no emojis"; the rule then forbids it. `found` is its place in the text.
    """
    before = _DENIES_NOTHING.sub(" ", text[: found.start()])
    # In "no commas, no emojis and bullets" a comma ends the scope of "no"; "and/or" between two
    # negated things does not.
    near = " ".join(before.split()[-_NEAR_WORDS:])
    pieces = [piece for piece in re.split(_CUT, near) if piece.strip()]
    last = pieces[-1] if pieces and not near.rstrip().endswith((",", ";", ":")) else ""
    joined = (
        near
        if re.search(r"\b(?:or|nor|oder|ou|ni|any)\s*$|\b(?:or|nor|oder|ou|ni)\b", near)
        else last
    )
    if re.search(
        r"\b(?:don't|do not|never|stop|avoid|without|no|nicht|pas|sin|nunca|ne)\b[^,;:]*\b"
        r"(?:use|and|et|und|y)\b[^,;:]*$",
        near,
        re.IGNORECASE,
    ):
        joined = near.rsplit(",", 1)[-1]
    count = len(_DENIES.findall(joined))
    if is_double_negation(joined) or is_never_left_out(joined, text[found.end() :]):
        return False
    return count > 0 or _DENIED_BEHIND.match(text[found.end() :]) is not None


def is_double_negation(text: str) -> bool:
    """Whether a text is a double negation, which demands what it names: "never leave out", "don't
    skip", "never end without".
    """
    return _TWICE_DENIED.search(text) is not None


_TWICE_DENIED: Final = re.compile(
    r"\b(?:never|don't|do not|not|no)\s+(?:(?:\w+\s+)?(?:leave out|skip|omit|drop|forget|avoid|"
    r"remove|without|stop)|(?:[^\s,;:.!?]+\s+){0,6}?without\b)",
    re.IGNORECASE,
)


def is_never_left_out(before: str, behind: str) -> bool:
    """Whether what stands between the two texts must not be left out: "never leave … out", "don't
    leave … unmentioned".
    """
    return _NEVER_LEAVE.search(before) is not None and _OUT_OR_UNSAID.match(behind) is not None


_NEVER_LEAVE: Final = re.compile(
    r"\b(?:never|don't|do not)\s+leave\b(?:\s+[^\s,;:.!?]+){0,4}\s*$", re.IGNORECASE
)
_OUT_OR_UNSAID: Final = re.compile(
    r"(?:\s+[^\s,;:.!?]+){0,4}?\s+(?:out\b|un\w+ed\b|unsaid\b)", re.IGNORECASE
)


# -- clauses -----------------------------------------------------------------------------------

_ENDS_CLAUSE: Final = re.compile(
    r"(?<=[^\d\W])[.;!](?:\s+|$)|,\s+(?=(?:no|never|keine?|sans|sin|pas)\s)|"
    r"(?<=[§\d\"')])[.;!](?:\s+|$)|\s+[–—-]\s+|,\s+(?:and|but|und|"
    r"aber|et|mais|y|pero)\s+"
    r"(?=(?:use|write|keep|never|always|do|don't|no|give|put|make|be|end|start|sign|add|"
    r"include|avoid)\b)|"
    r"\s+(?:and|but)\s+(?=(?:use|write|keep|never|always|do|don't|no|give|put|make|be|end|"
    r"start|sign|add|include|avoid)\b)",
    re.IGNORECASE,
)
_AND: Final = (
    r"(?<!\bnothing)(?<!\banything)\s*,?\s+(?:and|but|und|aber|et|mais|y|pero|sowie|&|\+)\s+"
)
CONJUNCTION: Final = re.compile(_AND, re.IGNORECASE)
"""Matches what joins two orders with a conjunction."""
JOINTS: Final = re.compile(rf"{_AND}|\s*[,;]\s+", re.IGNORECASE)
"""Matches what may join two orders in one clause: a conjunction, a comma or a semicolon."""
_CONDITION: Final = re.compile(
    r"\b(?:unless|except|excluding|other than|if|until|only when|apart from|as long as|depending|"
    r"falls|außer|es sei denn|solange|bis auf|sauf|à moins|hormis|tant que|sauf si|"
    r"salvo|excepto|a menos|a no ser|menos cuando|mientras)\b|\?",
    re.IGNORECASE,
)
_EVEN_IF: Final = re.compile(
    r",?\s*\b(?:even (?:if|when|though)|no matter|regardless|whatever|whichever|auch wenn|egal|"
    r"même (?:si|quand)|aunque|incluso si|wherever|whether)\b"
    r"(?:(?!,\s+(?:and|but|und|aber|et|mais|y|pero)\s).)*",
    re.IGNORECASE,
)
_ORDERS: Final = re.compile(
    r"\b(?:use|write|keep|give|include|put|add|always|never|don't|do not|no|make|avoid|be|stop|"
    r"should|"
    r"must|want|prefer|show|start|end|begin|explain|mention|call|address|list|cite|quote|ask|"
    r"schreib\w*|nutze?|verwende|immer|nie|keine?|bitte|utilise\w*|toujours|jamais|usa|siempre|"
    r"nunca)\b",
    re.IGNORECASE,
)
_REASON: Final = re.compile(
    r"^(?:because|since|as i|as my|so that|it's|it is|they|that|my|i|we|our|this|weil|denn|da|"
    r"car|the|"
    r"parce|porque|ya que|these|those|he|she|thanks)\b",
    re.IGNORECASE,
)


_ECHO: Final = re.compile(
    r"^(?:and )?(?:no|without|not|ohne|keine?|sans|sin)\s+(?:any )?(?:explanations?|commentary|"
    r"prose|"
    r"exceptions?|extra text|anything else|excuses|erklärung\w*|ausnahmen?|explications?|"
    r"explicaci\w+)\W*$",
    re.IGNORECASE,
)
"""Matches a clause that repeats the rule beside it."""


_REASON_BEHIND: Final = re.compile(
    r"\s*(?:[,;(]|[.–—-](?=\s))\s*(?:because|since|as (?:i|my|we)|so that|it|it's|its|they|"
    r"they're|that's|i|i'm|"
    r"i'd|i've|my|we|we're|our|he|he's|she|she's|you're|this|these|those|a script|the script|"
    r"otherwise|weil|denn|da|ich|wir|mein\w*|unser\w*|das|sonst|chez nous|car|je|j'\w+|on|nous|"
    r"c'est|"
    r"sinon|porque|ya que|es que|lo|me|mi|si no|no soy)\b(?![^.;]*\b(?:only|except|unless|but|"
    r"never|"
    r"want|prefer|use|nur|außer|aber|sauf|mais|salvo|pero|solo|say|says|write)\b).*$",
    re.IGNORECASE,
)


def without_reason(text: str) -> str:
    """Remove from a rule the reason that the user gives for it, as in "No markdown, it lands in a
    text message".
    """
    bare = mask_quoted(text)
    found = _REASON_BEHIND.search(bare)
    return text if found is None or not found.start() else text[: found.start()]


def conditional(text: str) -> bool:
    """Return whether a rule holds only under a condition, such as "if I ask for code"."""
    return _CONDITION.search(_EVEN_IF.sub("", mask_quoted(text))) is not None


def without_even_if(text: str) -> str:
    """Remove from a user's rule a clause that only stresses that there is no exception, such as
    "even when I write English".
    """
    return _EVEN_IF.sub("", text)


def clauses(text: str) -> list[str]:
    """Split a user's rule into clauses that each ask for something by themselves."""
    bare, parts, start = mask_quoted(text), [], 0
    for end in _ENDS_CLAUSE.finditer(bare):
        parts.append(text[start : end.start()])
        start = end.end()
    parts.append(text[start:])
    return [cut for part in parts if (cut := _EVEN_IF.sub("", part).strip())]


_SAYS_IT_AGAIN: Final = re.compile(
    r"^(?:(?:and |i mean it,? )?(?:never|don't|do not|not|ever|always|no|nie|niemals|nicht|immer|"
    r"jamais|toujours|nunca|siempre|please|bitte|period|punkt)\b(?:\s(?:ever|use|do|write|put|them|"
    r"it|that|any|one|in|form|please|anywhere|more|exceptions?|mind|not|for|any|reason|nothing))*)\W*$",
    re.IGNORECASE,
)


def is_repetition(clause: str) -> bool:
    """Whether a clause of a user's rule only repeats the clause before it with emphasis: "No
    emojis. Ever.", "Never use them".
    """
    return _SAYS_IT_AGAIN.match(clause) is not None


_BEFORE_ORDER: Final = re.compile(
    r"(?:(?:please|also|then|just|i|you|we|bitte|auch|stets)\s+)*", re.IGNORECASE
)


def begins_as_order(text: str) -> bool:
    """Whether a text asks for something with its first words, as "always say why" does, and "with
    no words around it" does not.
    """
    begins = _BEFORE_ORDER.match(text)
    return _ORDERS.match(text, begins.end() if begins else 0) is not None


def begins_as_negation(text: str) -> bool:
    """Whether the first word of a text negates, as in "nothing after it"."""
    return _DENIES.match(text) is not None and not is_echo(text)


def behind_negation(text: str) -> str:
    """Return what stands behind the negation with which a text begins: "cups" of "not cups"."""
    begins = _DENIES.match(text)
    return text[begins.end() :].strip() if begins else text


def is_echo(clause: str) -> bool:
    """Whether a clause only says what the rule beside it says already: "and no explanations"."""
    return _ECHO.match(clause) is not None


def is_demand(clause: str) -> bool:
    """Whether a clause of a user's rule asks for something, rather than giving a reason or adding
    emphasis.
    """
    if _ECHO.match(clause) or _REASON.match(clause):
        return False
    return _ORDERS.search(mask_quoted(clause)) is not None
