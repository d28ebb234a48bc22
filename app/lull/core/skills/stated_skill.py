"""Builds a skill from the user's own words, verbatim, inside a fixed sentence such as "In every
answer the user wants: “…”".

Apart from a "No, …" in front, which is about the answer before, the words are not edited, so the
user recognises them and nobody else's words can slip in. The fixed sentence says which requests the
skill applies to. A rule that cannot be understood alone ("never do that again") is completed by the
user's sentences before it.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from typing import Final

from lull.core.checks.rules.phrases import without_leading_no
from lull.core.checks.rules.stated_check import without_scope, wording_of_checks
from lull.core.errors import UsageError
from lull.core.feedback.feedback import RuleKind, Scope
from lull.core.skills.skill import DESCRIPTION_LIMIT, NAME_LIMIT, SkillText
from lull.core.skills.word_overlap import sentences, subjects
from lull.core.text.code_within import CodeKind, code_begin

ASKED_SHOWN: Final = 160
"""Most characters shown of the example request in a skill, the one after which the rule was
stated.
"""
_NAME_SHOWN: Final = 48
"""Most characters of a name that is cut at the end of a word; a single word may have more."""
TITLE_SHOWN: Final = 60
"""Most characters of a title, unless a single clause is longer."""
_MOST_CLAUSE: Final = 120
"""Most characters of a clause that is not cut, unless a quotation in it is longer."""
_LEAST_CLAUSE: Final = 20
"""Fewest characters of a clause that stands alone as a title: "From now on" says nothing."""
_FOR_EVERY: Final = "For every request."
_FOR_KIND: Final = "For requests like: "
_EVERY: Final = "In every answer the user wants: “"
_KIND: Final = "When the user asks for something like “"
_THEN: Final = "”, they want: “"
_FACT: Final = "Keep in mind in every answer what the user said of themselves: “"
_FACT_THEN: Final = "”, keep in mind what they said: “"
_CLOSE: Final = "”"
_DASHES: Final = str.maketrans("–—", "--")
_PLAIN_QUOTES: Final = str.maketrans("“”", '""')
"""Makes quotes in a request plain, so that they do not end the frame."""


def with_its_subject(rule: str, said: str) -> str:
    """Return a rule that the user stated, preceded by as many of the user's own sentences before it
    as are needed to know what the rule is about.

    "Never do that again." alone does not say what to avoid; with "I hate emojis." before it, it
    does. Returns "" if nothing in `said`, the user's whole message, names a subject: then no skill
    can be made.
    """
    if not rule or subjects(rule):
        return rule
    message = sentences(said)
    own = sentences(rule)
    first = next((n for n, one in enumerate(message) if own and one == own[0]), 0)
    for start in range(first - 1, -1, -1):
        whole = "\n".join((*message[start:first], rule))
        if subjects(whole):
            return whole
    return ""


def skill_of(rule: str, *, scope: Scope, kind_of_rule: RuleKind | None, asked: str) -> SkillText:
    """Build a skill from `rule`, the user's own words, and `asked`, the request after which the
    user said them. `scope` says whether the rule is for all requests or for requests like that one.
    """
    words = without_leading_no(" ".join(rule.split()))
    example = _clipped(" ".join(asked.split()), ASKED_SHOWN).translate(_PLAIN_QUOTES)
    fact = kind_of_rule is RuleKind.FACT
    if scope is Scope.ALL or not example:
        description = _FOR_EVERY
        body = f"{_FACT if fact else _EVERY}{words}{_CLOSE}"
    else:
        description = f"{_FOR_KIND}{example}"
        body = f"{_KIND}{example}{_FACT_THEN if fact else _THEN}{words}{_CLOSE}"
    return SkillText(name=name_of(words), description=description[:DESCRIPTION_LIMIT], body=body)


_FRAMED: Final = re.compile(
    rf"\A(?:{re.escape(_EVERY)}|(?P<fact>{re.escape(_FACT)})|{re.escape(_KIND)}(?P<example>.*?)"
    rf"(?:{re.escape(_THEN)}|(?P<fact_then>{re.escape(_FACT_THEN)})))"
    rf"(?P<words>.*){re.escape(_CLOSE)}\s*\Z",
    re.DOTALL,
)


def words_of(body: str) -> str:
    """Return the user's own words from the body of a skill that `skill_of` built; any other body is
    returned unchanged.
    """
    found = _FRAMED.match(body)
    return found["words"] if found else body


def with_words(body: str, words: str) -> str:
    """Return the body of a skill that `skill_of` built with other words of the user in its fixed
    sentence; any other body is replaced by the words.
    """
    found = _FRAMED.match(body)
    return f"{body[: found.start('words')]}{words}{body[found.end('words') :]}" if found else words


def example_of(body: str) -> str:
    """Return the example request from the body of a skill built by `skill_of`; "" if it has
    none."""
    found = _FRAMED.match(body)
    return (found["example"] or "") if found else ""


def states_fact(body: str) -> bool:
    """Whether a skill that `skill_of` built holds a fact about the user rather than a wish."""
    found = _FRAMED.match(body)
    return bool(found and (found["fact"] or found["fact_then"]))


def example_of_description(description: str) -> str | None:
    """Return the example request from a description that `skill_of` built: "" if it says that the
    skill is for every request, None for any other description.
    """
    if description == _FOR_EVERY:
        return ""
    return description.removeprefix(_FOR_KIND) if description.startswith(_FOR_KIND) else None


def with_scope(text: SkillText, scope: Scope, *, asked: str) -> SkillText:
    """Return a skill that `skill_of` built with the fixed sentence of another scope around the
    user's words, with `asked` as its example if it is for requests of one kind.

    Any other text is returned unchanged, and so is a description that is not the built one. Raises
    UsageError if the skill needs an example to say which requests it is for, and `asked` is "".
    """
    found = _FRAMED.match(text.body)
    if not found or (scope is Scope.ALL) == (found["example"] is None):
        return text
    built = _FOR_EVERY if scope is Scope.KIND else f"{_FOR_KIND}{found['example']}"
    own = text.description != built[:DESCRIPTION_LIMIT]
    if scope is Scope.KIND and not asked.strip():
        if own:
            return text
        raise UsageError(
            "The request after which you said this is no longer stored.",
            hint="Write into its description which requests it is for, then change this.",
        )
    fact = found["fact"] or found["fact_then"]
    other = skill_of(
        found["words"],
        scope=scope,
        kind_of_rule=RuleKind.FACT if fact else RuleKind.PREFERENCE,
        asked=asked,
    )
    description = text.description if own else other.description
    return replace(text, description=description, body=other.body)


def heading_and_line(body: str) -> tuple[str, str] | None:
    """Split the body of a skill that states a rule for every request into a heading and a list
    line, so that several such rules can share one heading in the prompt; None for any other body.
    """
    found = _FRAMED.match(body)
    if not found or found["example"] is not None:
        return None
    frame = _FACT if body.startswith(_FACT) else _EVERY
    return frame.removesuffix(" “"), f"- “{found['words']}{_CLOSE}"


def title_of(words: str) -> str:
    """Return a short title for what a user said: its first sentence, or as many of its clauses as
    fit, in the user's own words.

    It is never cut inside a word or a quotation, and ends with "…" if its sentence goes on. Code is
    not quoted. Returns "" if there is nothing but code.
    """
    rule = " ".join(words.split())
    said = _before_code(rule)
    if not said:
        return ""
    sentence = _first_sentence(said)
    short = sentence if len(sentence) <= TITLE_SHOWN else _clauses(_telling(sentence))
    whole = sentence.endswith(short) and not (said != rule and said.endswith(sentence))
    title = short.rstrip(" .,;:–—-") or short
    title = title if whole else f"{title} …"
    return title[:1].upper() + title[1:]


def is_named_for(name: str, words: str) -> bool:
    """Whether a skill's name was made of these words, so that a title of them may stand for it."""
    said = f"-{_hyphened(words)}-"
    numbered = re.fullmatch(r"(.+)-\d+", name)  # the second skill of a name has a number
    names = {name, numbered[1] if numbered else name}
    return not names.isdisjoint(_GIVEN_NAMES) or any(f"-{one}-" in said for one in names)


_NO_NAME: Final = "what-the-user-said"
"""Name of a skill whose words have no letter that a name can have."""
_CODE_NAMES: Final = {CodeKind.JSON: "answer-in-json", CodeKind.CODE: "answer-with-code"}
"""Names of skills whose words are code alone."""
_GIVEN_NAMES: Final = frozenset({_NO_NAME, *_CODE_NAMES.values()})


def _before_code(rule: str) -> str:
    """The words before the first code in a rule; "" if there are not at least two."""
    found = code_begin(rule)
    if found is None:
        return rule
    said = rule[: found.at].strip()
    return said if len(_hyphened(said).split("-")) > 1 else ""


def _first_sentence(text: str) -> str:
    """The first sentence of a text, with the next ones while there is only one word or a quotation
    is open."""
    plain = text.translate(_DASHES)  # which do not end a sentence here
    quoted, begin, end = _quotations(text), -1, 0
    for sentence in sentences(plain):
        at = plain.find(sentence, end)
        if at < 0:
            return text
        begin, end = at if begin < 0 else begin, at + len(sentence)
        within = any(start < end < close for start, close in quoted)
        if "-" in _hyphened(text[begin:end]) and not within:
            break
    return text[begin:end] if begin >= 0 else text


_CLOSING: Final = {"“": "”", "„": "“”", "«": "»", "»": "«", '"': '"', "`": "`", "(": ")"}
"""What closes a quotation, a name of code or a bracket, by what opens it."""


def _quotations(text: str) -> list[tuple[int, int]]:
    """The places of quotations and brackets that are closed: a sign without its partner, such as
    that of inches, opens none."""
    found: list[tuple[int, int]] = []
    at = 0
    while at < len(text):
        closing = _CLOSING.get(text[at], "")
        ends = [end for sign in closing if (end := text.find(sign, at + 1)) > 0]
        if ends:
            found.append((at, min(ends) + 1))
            at = min(ends)
        at += 1
    return found


_JOINT: Final = re.compile(r"[,;:](?= )| (?=[–—-] )| (?=\()")


def _telling(sentence: str) -> str:
    """A sentence without what stands before its matter: a single word such as "Please, …", and the
    words that say for which requests it holds."""
    lead = re.match(r"[^\s,]+,\s", sentence)
    rest = sentence[lead.end() :] if lead else sentence
    alone = without_scope(rest)
    return alone if "-" in _hyphened(alone) else rest


def _clauses(phrase: str) -> str:
    """The clauses of a phrase that fit into a title, at least one; of a very long one its first
    words."""
    quoted = _quotations(phrase)

    def outside(at: int) -> bool:
        return not any(start < at < end for start, end in quoted)

    ends = [found.start() for found in _JOINT.finditer(phrase)] + [len(phrase)]
    ends = [at for at in ends if at >= _LEAST_CLAUSE and outside(at)] or [len(phrase)]
    end = max((at for at in ends if at <= TITLE_SHOWN), default=min(ends))
    if end > _MOST_CLAUSE:
        spaces = [at for at, sign in enumerate(phrase) if sign == " " and outside(at)]
        few = (at for at in spaces if _LEAST_CLAUSE <= at <= TITLE_SHOWN)
        more = (at for at in (*spaces, len(phrase)) if at > TITLE_SHOWN)
        end = max(few, default=next(more))
    return phrase[:end]


def name_of(words: str) -> str:
    """Make a skill name in the Agent Skills format from what a user said: from the words that name
    an exact test of answers ("at most two sentences"), else from how the rule begins.

    The words keep their order and none between them is left out, so the name reads like the rule.
    Code has no place in a name.
    """
    rule = " ".join(words.split())
    code = code_begin(rule)
    if code is not None and not _before_code(rule):
        return _CODE_NAMES[code.kind]
    rule = _before_code(rule)
    beginning = _first_sentence(rule)
    phrases = (wording_of_checks(rule), beginning, _telling(beginning))
    names = {name: phrase for phrase in phrases if (name := _hyphened(phrase))}
    if not names:
        return _NO_NAME
    short = (name for name in names if len(name) <= _NAME_SHOWN)
    telling = (phrase for phrase in (phrases[0], phrases[2], beginning) if _hyphened(phrase))
    return next(short, None) or _cut(next(telling))


def _hyphened(phrase: str) -> str:
    plain = unicodedata.normalize("NFKD", phrase.lower().replace("’", "'"))
    found = re.findall(r"[a-z0-9]+(?:'[a-z]+)?", plain.encode("ascii", "ignore").decode())
    return "-".join(word.replace("'", "") for word in found)


def _cut(phrase: str) -> str:
    """The name of a phrase that is too long: of its first clauses if two words or more fit, else of
    its first words."""
    parts = [_hyphened(part) for part in re.split(r"[,;:()]\s|\s[–—-]\s", phrase)]
    whole = ["-".join(part for part in parts[:n] if part) for n in range(len(parts), 0, -1)]
    for name in whole:
        if _LEAST_CLAUSE <= len(name) <= _NAME_SHOWN:
            return name
    name = _hyphened(phrase)
    at = name.rfind("-", 0, _NAME_SHOWN + 1)
    return name[:at] if at > 0 else name[:NAME_LIMIT].rstrip("-")


def _clipped(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    cut = text[:most].rsplit(" ", 1)[0]
    return f"{cut} …"
