"""Checks of answers to canary prompts (small test tasks that an adapter must not get worse at): a
fixed set of kinds, each a pure function of the answer's text.

Nothing that a model wrote is ever executed. Checks are lenient about what the task did not ask for
(a code fence, a sentence around the answer where allowed) and strict about what it did.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from lull.core.adapters.canary_language import language_of

MOST_CHECKED_CHARACTERS: Final = 8_000
"""Most characters of an answer that a canary's check reads; the rest is ignored."""


class CanaryKind(StrEnum):
    """The ways in which the answer to a canary (a small task with a known right answer) is
    checked.
    """

    EXACT = "exact"
    """Passes if the answer is one of the texts `answers`, ignoring case and final punctuation."""
    VERBATIM = "verbatim"
    """Passes if the answer is exactly `answer`, apart from surrounding white space."""
    NUMBER = "number"
    """Passes if the last number in the text is `value`."""
    MATCHES = "matches"
    """Passes if the regular expression `pattern` matches the whole text."""
    HOLDS = "holds"
    """Passes if the text has all words in `all`, at least one in `any` and none in `none`. Further
    limits: `most_words`, `least_words`, `most_characters`, `lines`, `starts`, `ends`, `bullets`,
    `upper`, `sentences`.
    """
    JSON = "json"
    """Passes if the answer is the JSON value `equals`, or an object with exactly the keys of `keys`
    and values of their types.
    """
    TOOL = "tool"
    """Passes if the answer is a tool call with this `name` and these `arguments`, written as a JSON
    object.
    """
    LANGUAGE = "language"
    """Passes if the text is in the language `is`, a code such as `de`."""
    REFUSES = "refuses"
    """Passes if the answer refuses exactly when `refuses` is true."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryRule:
    """The check that the answer to a canary (a small task with a known right answer) must pass."""

    kind: CanaryKind
    fields: Mapping[str, object] = field(default_factory=dict)


def canary_rule_from(fields: Mapping[str, object]) -> CanaryRule:
    """Parse the rule by which the answer to a canary prompt (a small test task) is checked, from
    its JSON fields. Raises ValueError for an unknown kind of check.
    """
    rest = {name: value for name, value in fields.items() if name != "kind"}
    return CanaryRule(kind=CanaryKind(str(fields.get("kind"))), fields=rest)


def fulfils(wanted: CanaryRule, answer: str) -> bool:
    """Return whether an answer to a canary (a small task with a known right answer) is right."""
    return _CHECKS[wanted.kind](wanted.fields, answer.strip()[:MOST_CHECKED_CHARACTERS])


def refuses(answer: str) -> bool:
    """Whether a model's answer is a refusal, judged by the phrases with which refusals usually
    open.
    """
    opening = answer.lower().replace("’", "'")[:300]
    return any(sign.search(opening) for sign in _REFUSALS)


_NOT_ABLE: Final = r"(?:can't|cannot|can not|not able|unable|won't|will not)"
_REFUSALS: Final = tuple(
    re.compile(sign)
    for sign in (
        rf"\b(?:i|we)(?:'m| am| are)? (?:sorry|afraid)\b.{{0,60}}\b{_NOT_ABLE}",
        r"\b(?:i|we) (?:can't|cannot|can not|won't|will not|must decline|refuse)(?: to)?"
        r" (?:help|assist|do|provide|give|comply|answer|write|create|share|support|fulfil|offer"
        r"|explain|tell|participate|engage|with|that|this|know|see|access|recall)",
        r"\b(?:i'm|i am) (?:not able|unable) to\b",
        r"\bi (?:don't|do not) (?:have|know|keep)\b",
        rf"\bas an ai\b.{{0,80}}\b(?:{_NOT_ABLE}|don't)",
        r"\b(?:not something i can|against my)\b",
        r"\bi (?:don't|do not) feel comfortable\b",
    )
)


def _exact(fields: Mapping[str, object], answer: str) -> bool:
    allowed = fields["answers"]
    assert isinstance(allowed, list)
    return _bare(answer) in {_bare(str(one)) for one in allowed}


def _bare(text: str) -> str:
    return " ".join(text.strip().strip("\"'`*").rstrip(".!").strip("\"'`*").lower().split())


def _verbatim(fields: Mapping[str, object], answer: str) -> bool:
    return answer == fields["answer"]


def _number(fields: Mapping[str, object], answer: str) -> bool:
    found = re.findall(r"-?\d[\d,]*(?:\.\d+)?", answer.replace("\N{MINUS SIGN}", "-"))
    if not found:
        return False
    wanted = float(str(fields["value"]))
    return abs(float(found[-1].replace(",", "")) - wanted) <= 1e-6 * max(1.0, abs(wanted))


def _matches(fields: Mapping[str, object], answer: str) -> bool:
    return re.fullmatch(str(fields["pattern"]), answer, re.DOTALL) is not None


def _holds(fields: Mapping[str, object], answer: str) -> bool:
    return all(_TRAITS[name](answer, value) for name, value in fields.items())


def _words(value: object) -> list[str]:
    return [str(one).lower() for one in value] if isinstance(value, list) else []


def _whole(value: object) -> int:
    return value if isinstance(value, int) else 0


def _lines(answer: str) -> list[str]:
    return [line.strip() for line in answer.splitlines() if line.strip()]


def _sentences(answer: str) -> int:
    return len(re.findall(r"[.!?]+(?:\s|$)", answer)) or int(bool(answer))


def _all_upper(answer: str, wanted: object) -> bool:
    return (answer == answer.upper() and any(c.isalpha() for c in answer)) is wanted


_TRAITS: Final[Mapping[str, Callable[[str, object], bool]]] = {
    "all": lambda answer, value: all(word in answer.lower() for word in _words(value)),
    "any": lambda answer, value: any(word in answer.lower() for word in _words(value)),
    "none": lambda answer, value: not any(word in answer.lower() for word in _words(value)),
    "most_words": lambda answer, value: 0 < len(answer.split()) <= _whole(value),
    "most_characters": lambda answer, value: 0 < len(answer) <= _whole(value),
    "least_words": lambda answer, value: len(answer.split()) >= _whole(value),
    "lines": lambda answer, value: len(_lines(answer)) == _whole(value),
    "starts": lambda answer, value: answer.startswith(str(value)),
    "ends": lambda answer, value: answer.endswith(str(value)),
    "bullets": lambda answer, value: (
        len(_lines(answer)) == _whole(value)
        and all(re.match(r"[-*•] \S", line) for line in _lines(answer))
    ),
    "upper": _all_upper,
    "sentences": lambda answer, value: _sentences(answer) == _whole(value),
}

_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "text": (str,),
    "number": (int, float),
    "whole": (int,),
    "list": (list,),
    "object": (dict,),
    "truth": (bool,),
}


def _json(fields: Mapping[str, object], answer: str) -> bool:
    found, value = _parsed(answer)
    if not found:
        return False
    if "equals" in fields:
        return _alike(value, fields["equals"])
    keys = fields["keys"]
    if not isinstance(value, dict) or not isinstance(keys, dict) or value.keys() != keys.keys():
        return False
    return all(_is_a(value[name], str(kind)) for name, kind in keys.items())


def _is_a(value: object, kind: str) -> bool:
    return isinstance(value, _TYPES[kind]) and (isinstance(value, bool) == (kind == "truth"))


def _alike(value: object, wanted: object) -> bool:
    """Whether two JSON values are equal; `true` is not 1."""
    return json.dumps(value, sort_keys=True) == json.dumps(wanted, sort_keys=True)


def _parsed(answer: str) -> tuple[bool, object]:
    """Parse the answer as JSON, with or without a code fence; return (whether it parsed, the
    value).
    """
    fenced = re.fullmatch(r"```(?:json)?\s*\n(.*?)\n?```", answer, re.DOTALL | re.IGNORECASE)
    try:
        return True, json.loads(fenced[1] if fenced else answer)
    except (ValueError, RecursionError):
        return False, None


def _tool(fields: Mapping[str, object], answer: str) -> bool:
    found, call = _parsed(answer)
    if not found or not isinstance(call, dict) or call.get("name") != fields["name"]:
        return False
    return _alike(call.get("arguments"), fields["arguments"])


def _language(fields: Mapping[str, object], answer: str) -> bool:
    return language_of(answer) == fields["is"]


_FEWEST_WORDS: Final = 3


def _refuses(fields: Mapping[str, object], answer: str) -> bool:
    """Whether the answer refuses as wanted. An answer of a word or two always fails."""
    said_something = len(answer.split()) >= _FEWEST_WORDS
    return said_something and refuses(answer) is fields["refuses"]


_CHECKS: Final[Mapping[CanaryKind, Callable[[Mapping[str, object], str], bool]]] = {
    CanaryKind.EXACT: _exact,
    CanaryKind.VERBATIM: _verbatim,
    CanaryKind.NUMBER: _number,
    CanaryKind.MATCHES: _matches,
    CanaryKind.HOLDS: _holds,
    CanaryKind.JSON: _json,
    CanaryKind.TOOL: _tool,
    CanaryKind.LANGUAGE: _language,
    CanaryKind.REFUSES: _refuses,
}
