"""A skill from the user's own words: verbatim, in a frame that any chat model understands.

No grammar surgery: what was said stands in the skill as it was typed, so that the user recognises
it and nobody else's words can slip in. The frame says of which requests it holds.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from lull.core.feedback.feedback import RuleKind, Scope
from lull.core.skill import DESCRIPTION_LIMIT, NAME_LIMIT, SkillText

ASKED_SHOWN: Final = 160
"""Characters of the request that a rule was said after, as its example."""
_NAME_WORDS: Final = 5
_SMALL: Final = frozenset(
    """a an and are as at be but by can could do does for from have i i'm if in is it its just like
    me my of on or our please pls so stop that the them there these they this to too us use want was
    we when will with would you your""".split()  # noqa: SIM905  a paragraph of words reads better
)
_EVERY: Final = "In every answer the user wants: “"
_KIND: Final = "When the user asks for something like “"
_THEN: Final = "”, they want: “"
_FACT: Final = "Keep in mind in every answer what the user said of themselves: “"
_FACT_THEN: Final = "”, keep in mind what they said: “"
_CLOSE: Final = "”"
_PLAIN_QUOTES: Final = str.maketrans("“”", '""')
"""A request that quotes the frame itself must not end it."""


def skill_of(rule: str, *, scope: Scope, kind_of_rule: RuleKind | None, asked: str) -> SkillText:
    """`rule`: the user's words; `asked`: the request that they were said after."""
    words = " ".join(rule.split())
    example = _clipped(" ".join(asked.split()), ASKED_SHOWN).translate(_PLAIN_QUOTES)
    fact = kind_of_rule is RuleKind.FACT
    if scope is Scope.ALL or not example:
        description = "For every request."
        body = f"{_FACT if fact else _EVERY}{words}{_CLOSE}"
    else:
        description = f"For requests like: {example}"
        body = f"{_KIND}{example}{_FACT_THEN if fact else _THEN}{words}{_CLOSE}"
    return SkillText(name=name_of(words), description=description[:DESCRIPTION_LIMIT], body=body)


_FRAMED: Final = re.compile(
    rf"\A(?:{re.escape(_EVERY)}|{re.escape(_FACT)}|{re.escape(_KIND)}(?P<example>.*?)"
    rf"(?:{re.escape(_THEN)}|{re.escape(_FACT_THEN)}))(?P<words>.*){re.escape(_CLOSE)}\s*\Z",
    re.DOTALL,
)


def words_of(body: str) -> str:
    """The user's words in a body of ours; the whole body where it has another form."""
    found = _FRAMED.match(body)
    return found["words"] if found else body


def example_of(body: str) -> str:
    """The request that a body of ours names as its example, "" for none."""
    found = _FRAMED.match(body)
    return (found["example"] or "") if found else ""


def sheet_line(body: str) -> tuple[str, str] | None:
    """Of a rule for every request: the heading that such rules share, and this one's own line.
    None for every other body."""
    found = _FRAMED.match(body)
    if not found or found["example"] is not None:
        return None
    frame = _FACT if body.startswith(_FACT) else _EVERY
    return frame.removesuffix(" “"), f"- “{found['words']}{_CLOSE}"


def name_of(words: str) -> str:
    """A name that the Agent Skills format allows, of the first telling words."""
    plain = unicodedata.normalize("NFKD", words.lower()).encode("ascii", "ignore").decode()
    found = re.findall(r"[a-z0-9]+(?:'[a-z]+)?", plain)
    telling = [word for word in found if word not in _SMALL] or found
    name = "-".join(word.replace("'", "") for word in telling[:_NAME_WORDS])
    return name[:NAME_LIMIT].strip("-") or "what-the-user-said"


def _clipped(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    cut = text[:most].rsplit(" ", 1)[0]
    return f"{cut} …"
