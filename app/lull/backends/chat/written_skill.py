"""Parses the skill (an instruction text) in the answer of a model that was asked to write one.

Parsing is strict, and errors are worded for the model and the user. Nothing is truncated, because
half a rule is a different rule. Only the name is normalized where the intent is clear ("Menu Style"
becomes menu-style).
"""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from typing import Any, Final

from lull.backends.chat.json_answers import only_object
from lull.core.chat.context_window import TokenRate
from lull.core.checks.check import CheckKind
from lull.core.checks.reading import parse, to_json
from lull.core.errors import SkillError
from lull.core.skills.prompt_block import CLOSING, OPENING
from lull.core.skills.skill import SkillText, check_text

_RATE: Final = TokenRate(per_character=0.25)
"""Token estimate for plain sentences; a non-ASCII character counts as one token. A hundred words
are about 150."""
RULE_TOKENS: Final = 150
"""Most tokens of a written skill's rule, the part without steps and examples."""
WHOLE_TOKENS: Final = 300
"""Most tokens of a skill's rule, steps and examples together.

Every matching request pays for all of it.
"""
MOST_STEPS: Final = 6
MOST_WRITTEN_CHARACTERS: Final = 20_000
"""Most characters of a skill writer's answer."""
_OWN_MARKS: Final = (OPENING.split("\n", 1)[0], CLOSING.strip())
_MEANT: Final = re.compile(r"[\w .'’&+-]{1,80}")

_TEXT: Final = {"type": "string"}
SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "name": _TEXT,
        "description": _TEXT,
        "body": _TEXT,
        "steps": {"type": "array", "items": _TEXT},
        "example": _TEXT,
        "anti_pattern": _TEXT,
        "check": {
            "type": "object",
            "properties": {
                "kind": {"type": "string", "enum": [kind.value for kind in CheckKind]},
                "value": _TEXT,
                "schema": {"type": "object"},
                "at_least": {"type": "integer"},
                "at_most": {"type": "integer"},
                "must": {"type": "boolean"},
            },
            "required": ["kind"],
        },
    },
    "required": ["name", "description", "body"],
}


class UnusableSkill(Exception):
    """Raised when a model's answer contains no usable skill (an instruction text).

    The message is a sentence for the model and the user.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenSkill:
    """A skill (an instruction text) parsed from a model's answer, and the automatic check, if any,
    that tests whether answers keep it.
    """

    text: SkillText
    check: str
    """The skill's executable check as JSON text; "" if it has none."""


def read_skill(answer: str, *, check_may_go: bool = False) -> WrittenSkill:
    """Parse the skill (an instruction text) in a model's answer. Raises UnusableSkill.

    With `check_may_go` an unusable check (executable test of answers) is dropped instead.
    """
    fields = _fields(answer)
    rule = _text(fields, "body", needed=True)
    _refuse_large("body", rule, RULE_TOKENS)
    body = "\n".join((rule, *_extras(fields)))
    _refuse_large("whole skill", body, WHOLE_TOKENS)
    text = SkillText(
        name=normalize_name(_text(fields, "name", needed=True)),
        description=_line(_text(fields, "description", needed=True)),
        body=body,
    )
    _refuse_marks(text)
    try:
        return WrittenSkill(text=check_text(text), check=_check(fields, may_go=check_may_go))
    except SkillError as error:
        raise UnusableSkill(f"{error.detail} {error.hint}".strip()) from None


def normalize_name(name: str) -> str:
    """Turn a skill name that a model proposed into an allowed name, if the intent is clear ("Menu
    Style" becomes menu-style).

    Raises UnusableSkill.
    """
    if _MEANT.fullmatch(name):
        plain = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
        plain = plain.encode("ascii", "ignore").decode().replace("'", "")
        apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", plain).lower()
        plain = re.sub(r"[^a-z0-9]+", "-", apart).strip("-")
        if 0 < len(plain) <= 64:
            return plain
    raise UnusableSkill(
        f"The name is not allowed: {_line(name)[:80]!r}."
        " Use two to four words of a-z and 0-9 joined by hyphens, at most 64 characters."
    )


def _fields(answer: str) -> dict[str, Any]:
    if not answer.strip():
        raise UnusableSkill("The answer is empty.")
    if len(answer) > MOST_WRITTEN_CHARACTERS:
        raise UnusableSkill(
            f"The answer has {len(answer)} characters; at most {MOST_WRITTEN_CHARACTERS} are read."
        )
    try:
        return only_object(answer)
    except ValueError as error:
        raise UnusableSkill(f"The answer is no JSON: {error}.") from None


def _text(fields: dict[str, Any], key: str, *, needed: bool = False) -> str:
    value = fields.get(key)
    if value is None and not needed:
        return ""
    if value is None:
        raise UnusableSkill(f"The {key} is missing.")
    if not isinstance(value, str):
        raise UnusableSkill(f"The {key} is no text but {_kind(value)}.")
    if needed and not value.strip():
        raise UnusableSkill(f"The {key} is empty.")
    return value.replace("\r\n", "\n").replace("\r", "\n").strip()


def _extras(fields: dict[str, Any]) -> list[str]:
    """Return steps, example and anti-pattern as prompt lines."""
    lines = [f"{number}. {step}" for number, step in enumerate(_steps(fields), start=1)]
    example, avoid = _text(fields, "example"), _text(fields, "anti_pattern")
    lines += [f"Example: {example}"] if example else []
    lines += [f"Not so: {avoid}"] if avoid else []
    return lines


def _steps(fields: dict[str, Any]) -> list[str]:
    steps = fields.get("steps")
    if steps is None:
        return []
    if not isinstance(steps, list) or not all(isinstance(step, str) for step in steps):
        raise UnusableSkill("The steps are no list of texts.")
    if len(steps) > MOST_STEPS:
        raise UnusableSkill(f"There are {len(steps)} steps; at most {MOST_STEPS} are allowed.")
    # Strip a step's own number or bullet, as numbers are added.
    plain = (re.sub(r"^\s*(?:\d{1,2}[.)]|[-*•])\s+", "", _line(step)) for step in steps)
    return [step for step in plain if step]


def _check(fields: dict[str, Any], *, may_go: bool) -> str:
    value = fields.get("check")
    if not value:
        return ""
    try:
        return to_json(parse(json.dumps(value)))
    except SkillError as error:
        if may_go:
            return ""
        raise UnusableSkill(f"{error.detail} Leave the check out or put it right.") from None


def _refuse_large(what: str, text: str, most: int) -> None:
    if (size := max(_RATE.text_tokens(text), len(text.split()))) > most:
        raise UnusableSkill(f"The {what} has about {size} tokens; at most {most} are allowed.")


def _refuse_marks(text: SkillText) -> None:
    """Raise Unusable if the text has Lull's block markers, which would let it leave its block."""
    both = f"{text.description}\n{text.body}".lower()
    for mark in _OWN_MARKS:
        if mark in both:
            raise UnusableSkill(f"The text holds {mark}, which is Lull's own mark.")


def _kind(value: object) -> str:
    kinds = {bool: "true or false", int: "a number", float: "a number", list: "a list"}
    return kinds.get(type(value), "an object")


def _line(text: str) -> str:
    return " ".join(text.split())
