"""Checks of a model's answer for opening pleasantries, closing questions, apologies and
contractions.

Covers English, German, French and Spanish. An apology deep in a text may belong to a letter that
was asked for, so it is left undecided.
"""

from __future__ import annotations

import re
from typing import Final

from lull.core.checks.check import Check
from lull.core.checks.text import plain_prose, sentences, split_code, text_blocks

_PLEASANTRY: Final = re.compile(
    r"""(?:
      (?:sure|certainly|of\ course|absolutely|definitely|gladly|no\ problem|my\ pleasure|okay|ok|
         alright|got\ it|understood|you\ got\ it|sure\ thing|happy\ to\ help|you're\ right|
         you're\ absolutely\ right|hello|hi|hey|hi\ there|hello\ there|
         gerne?|klar|natürlich|selbstverständlich|sicher|aber\ gern|kein\ problem|hallo|
         bien\ sûr|certainement|avec\ plaisir|volontiers|d'accord|bonjour|
         claro|por\ supuesto|con\ gusto|desde\ luego|encantad[oa]|cómo\ no|hola)
       (?:\ (?:thing|doch|que\ sí|!))?(?:\s?[!.,:;]|\ [–—-]|$)
    | (?:(?:what|that's|that\ is|this\ is)\ )?(?:an?\ |such\ an?\ )?
      (?:really\ |very\ )?(?:great|good|excellent|wonderful|fantastic|interesting|nice|
         lovely|fascinating|fair|awesome|brilliant)\ (?:question|point|
         idea|choice|topic|request|one)\b
    | thank(?:s|\ you)\b
    | i(?:'d|\ would)\ be\ (?:happy|glad|delighted|pleased)\ to
    | i(?:'m|\ am)\ (?:happy|glad|here)\ to\ (?:help|assist)
    | i\ (?:understand|see)\ (?:that\ )?you
    | i\ hope\ (?:this|that|you)
    | let\ me\ (?:help|explain|walk|break|show|think|know|give)
    | as\ an\ ai\b
    | (?:gute|tolle|sehr\ gute|interessante|spannende|hervorragende)\ frage
    | (?:das\ ist\ )?eine\ (?:sehr\ )?(?:gute|tolle|interessante|spannende)\ frage
    | vielen\ dank|danke\ (?:für|dass)|ich\ helfe\ (?:dir|ihnen)\ gern
    | (?:c'est\ une\ )?(?:très\ )?(?:bonne|excellente)\ question|merci\ (?:pour|de)
    | (?:¡\s?)?(?:qué\ )?(?:buena|excelente|gran|muy\ buena)\ pregunta|gracias\ por
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_ANNOUNCES: Final = re.compile(
    r"(?:sure|certainly|of course|absolutely)?[,!.]?\s*(?:"
    r"here(?:'s| is| are| you go)|below (?:is|are|you)|the following (?:is|are)|"
    r"hier (?:ist|sind|findest|kommt|die|der|das)|voici|voilà|aquí (?:tienes|está|va|te)|"
    r"in this (?:answer|response)|i(?:'ve| have) (?:written|prepared|put|created|made|drafted))\b",
    re.IGNORECASE,
)


def no_preamble(check: Check, answer: str) -> bool | None:
    """Check that an answer begins with what was asked for and not with a pleasantry; None if that
    cannot be told.
    """
    if not answer.strip():
        return None
    if answer.lstrip().startswith(("```", "~~~")):
        return True
    first = next(
        (sentences(unit.text)[0] for unit in text_blocks(answer) if sentences(unit.text)), ""
    )
    first = first.replace("’", "'").lstrip("¡¿ \"'*_")
    if _PLEASANTRY.match(first):
        return False
    if _ANNOUNCES.match(first):
        # "Here is the list:" announces; "Here are three: A, B and C." may be the answer itself.
        return False if first.endswith(":") or answer.count("\n") else None
    return True


# -- the end -----------------------------------------------------------------------------------


def no_closing_question(check: Check, answer: str) -> bool | None:
    """Check that an answer does not end with a question; None if that cannot be told."""
    text = answer.rstrip()
    if not text:
        return None
    if text.endswith(("```", "~~~")) and split_code(answer)[1]:
        return True
    lines = [line for line in plain_prose(answer).splitlines() if line.strip()]
    if not lines:
        return None
    last = sentences(lines[-1]) or [lines[-1]]
    if re.search(r"[?？؟]\W*$", last[-1]):
        return None if re.search(r"[?？]\s*[\"”»“]\W*$", last[-1]) else False
    if len(last) == 1 and len(last[0].split()) <= 4 and len(lines) > 1:
        before = (sentences(lines[-2]) or [""])[-1]
        if re.search(r"[?？]\W*$", before):
            return None  # a question, and then a name or "Thanks!"
    return True


# -- apologies ---------------------------------------------------------------------------------

_SORRY: Final = re.compile(
    r"\b(?:sorry|apologi[sz]\w*|apolog(?:y|ies)|forgive me|pardon me|my (?:mistake|bad)|i regret|"
    r"entschuldig\w*|verzeih\w*|verzeihung|tut mir leid|es tut mir|bedau[e]?re|"
    r"désolée?s?|excuse[sz]?(?:-moi)?|pardon(?:nez)?|navrée?|"
    r"lo siento|lamento|disculp\w*|perd[oó]n\w*)\b",
    re.IGNORECASE,
)


def no_apology(check: Check, answer: str) -> bool | None:
    """Check that an answer does not apologise; None if that cannot be told."""
    text = plain_prose(answer).replace("’", "'")
    if not text.strip():
        return None
    found = list(_SORRY.finditer(text))
    if not found:
        return True
    opening = " ".join(
        said for unit in text_blocks(answer)[:2] for said in sentences(unit.text)[:2]
    )
    return False if _SORRY.search(opening[:250]) else None


# -- contractions ------------------------------------------------------------------------------

_CONTRACTION: Final = re.compile(
    r"\b(?:\w+n't|(?:i|you|we|they|he|she|it|that|there|who|what|this|these|those|how)'"
    r"(?:re|ve|ll|d|m)|\w+'(?:re|ve|ll)|"
    r"(?:it|that|he|she|there|here|what|who|where|how|when|why|let|everything|something|this)'s|"
    r"gonna|wanna|gotta|y'all|'tis|o'er)(?!\w)",
    re.IGNORECASE,
)


def no_contractions(check: Check, answer: str) -> bool | None:
    """Check that an answer has no contractions such as "don't"; None if it has no words."""
    text = plain_prose(answer).replace("’", "'")
    if not any(sign.isalpha() for sign in text):
        return None
    return not _CONTRACTION.search(text)
