"""What counts as a skill in a model's answer: its fields, their sizes, the one text made of them.

Read strictly and refused in words, because the words go back to the model and then to the user.
Nothing is cut to fit: half a rule is another rule. Only the name is put right where it is clear
what was meant ("Menu Style" is menu-style).
"""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from typing import Any, Final

from lull.backends.json_answers import only_object
from lull.core import check as checks
from lull.core.errors import SkillError
from lull.core.injection import CLOSING, OPENING
from lull.core.skill import SkillText, check_text
from lull.core.window import TokenRate

_RATE: Final = TokenRate(per_character=0.25)
"""Of plain sentences; a sign outside ASCII counts as one. A hundred words are about 150."""
RULE_TOKENS: Final = 150
WHOLE_TOKENS: Final = 300
"""Rule, steps and examples: every request that the skill fits pays for them."""
MOST_STEPS: Final = 6
MOST_CHARACTERS: Final = 20_000
"""Of an answer."""
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
                "kind": {"type": "string", "enum": [kind.value for kind in checks.CheckKind]},
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


class Unusable(Exception):
    """Why an answer is no skill: a sentence for the model and for the user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenSkill:
    text: SkillText
    check: str
    """JSON text, "" for none."""


def read_skill(answer: str, *, check_may_go: bool = False) -> WrittenSkill:
    """The skill that a model has written. Raises Unusable.

    With `check_may_go` a check that cannot be used is left out instead.
    """
    fields = _fields(answer)
    rule = _text(fields, "body", needed=True)
    _refuse_large("body", rule, RULE_TOKENS)
    body = "\n".join((rule, *_extras(fields)))
    _refuse_large("whole skill", body, WHOLE_TOKENS)
    text = SkillText(
        name=meant_name(_text(fields, "name", needed=True)),
        description=_line(_text(fields, "description", needed=True)),
        body=body,
    )
    _refuse_marks(text)
    try:
        return WrittenSkill(text=check_text(text), check=_check(fields, may_go=check_may_go))
    except SkillError as error:
        raise Unusable(f"{error.detail} {error.hint}".strip()) from None


def meant_name(name: str) -> str:
    """The allowed name that is clearly meant. Raises Unusable."""
    if _MEANT.fullmatch(name):
        plain = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
        plain = plain.encode("ascii", "ignore").decode().replace("'", "")
        apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", plain).lower()
        plain = re.sub(r"[^a-z0-9]+", "-", apart).strip("-")
        if 0 < len(plain) <= 64:
            return plain
    raise Unusable(
        f"The name is not allowed: {_line(name)[:80]!r}."
        " Use two to four words of a-z and 0-9 joined by hyphens, at most 64 characters."
    )


def _fields(answer: str) -> dict[str, Any]:
    if not answer.strip():
        raise Unusable("The answer is empty.")
    if len(answer) > MOST_CHARACTERS:
        raise Unusable(
            f"The answer has {len(answer)} characters; at most {MOST_CHARACTERS} are read."
        )
    try:
        return only_object(answer)
    except ValueError as error:
        raise Unusable(f"The answer is no JSON: {error}.") from None


def _text(fields: dict[str, Any], key: str, *, needed: bool = False) -> str:
    value = fields.get(key)
    if value is None and not needed:
        return ""
    if value is None:
        raise Unusable(f"The {key} is missing.")
    if not isinstance(value, str):
        raise Unusable(f"The {key} is no text but {_kind(value)}.")
    if needed and not value.strip():
        raise Unusable(f"The {key} is empty.")
    return value.replace("\r\n", "\n").replace("\r", "\n").strip()


def _extras(fields: dict[str, Any]) -> list[str]:
    """Steps, one example, one anti-pattern, in the compact form in which a prompt carries them."""
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
        raise Unusable("The steps are no list of texts.")
    if len(steps) > MOST_STEPS:
        raise Unusable(f"There are {len(steps)} steps; at most {MOST_STEPS} are allowed.")
    # Its own number in front of a step would stand there twice.
    plain = (re.sub(r"^\s*(?:\d{1,2}[.)]|[-*•])\s+", "", _line(step)) for step in steps)
    return [step for step in plain if step]


def _check(fields: dict[str, Any], *, may_go: bool) -> str:
    value = fields.get("check")
    if not value:
        return ""
    try:
        return checks.to_json(checks.parse(json.dumps(value)))
    except SkillError as error:
        if may_go:
            return ""
        raise Unusable(f"{error.detail} Leave the check out or put it right.") from None


def _refuse_large(what: str, text: str, most: int) -> None:
    if (size := max(_RATE.text(text), len(text.split()))) > most:
        raise Unusable(f"The {what} has about {size} tokens; at most {most} are allowed.")


def _refuse_marks(text: SkillText) -> None:
    """A skill that closes the block it stands in would speak as something else."""
    both = f"{text.description}\n{text.body}".lower()
    for mark in _OWN_MARKS:
        if mark in both:
            raise Unusable(f"The text holds {mark}, which is Lull's own mark.")


def _kind(value: object) -> str:
    kinds = {bool: "true or false", int: "a number", float: "a number", list: "a list"}
    return kinds.get(type(value), "an object")


def _line(text: str) -> str:
    return " ".join(text.split())
