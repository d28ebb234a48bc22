"""A check that was proposed with a skill: what an answer must look like, told without a model.

The user sees it in words and approves it like the skill's text; from then on it is a verifier, the
most trusted source there is. So it must be cheap whatever the answer is, it must not be able to
hang (`pattern`), and one that holds for everything or for nothing is refused when it is read.
What an answer's failing a check is worth is `reward`'s business.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from lull.core.errors import SkillError
from lull.core.json_shape import check_shape, fits, parsed, unfenced
from lull.core.pattern import read_pattern

LONGEST: Final = 8_000
"""Characters of a check's JSON text."""
LONGEST_VALUE: Final = 500
LOOKED_AT: Final = 300_000
"""Characters of an answer that a pattern sees, a book's worth. The worst pattern then takes
1.6 s here (290 steps, 2 shared cores), an ordinary one 0.3."""
LONGEST_JSON: Final = 200_000
"""Characters; a longer answer is no JSON that a check could want."""
MOST_WORDS: Final = 100_000


class CheckKind(StrEnum):
    PATTERN = "pattern"
    """A regular expression is found in the answer."""
    JSON_SCHEMA = "json_schema"
    """The whole answer is JSON of this form."""
    WORDS = "words"
    """The answer has so many words."""
    STARTS = "starts"
    ENDS = "ends"
    CONTAINS = "contains"

    @property
    def exclusive(self) -> bool:
        """Whether two of them on the same requests contradict each other."""
        return self in (CheckKind.WORDS, CheckKind.JSON_SCHEMA, CheckKind.STARTS, CheckKind.ENDS)


_TEXTS: Final = (CheckKind.STARTS, CheckKind.ENDS, CheckKind.CONTAINS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    kind: CheckKind
    value: str = ""
    """The pattern, the text, or the schema's JSON text; "" for words."""
    must: bool = True
    """False: the answer must not do it."""
    at_least: int | None = None
    at_most: int | None = None
    """Both in words, of WORDS."""


def parse(json_text: str) -> Check:
    """From `{"kind": …, "value" | "schema" | "at_least", "at_most": …, "must": …}`.

    Raises SkillError that says what is wrong with it.
    """
    if len(json_text) > LONGEST:
        raise _refused(f"it has {len(json_text)} characters; at most {LONGEST} are allowed")
    try:
        value = parsed(json_text)
    except ValueError as error:
        raise _refused(f"it is no JSON ({error})") from None
    if not isinstance(value, dict):
        raise _refused("it is no JSON object")
    return _read(value)


def to_json(check: Check) -> str:
    """One text for one check; `parse` reads it back."""
    fields: dict[str, object] = {"kind": check.kind.value}
    match check.kind:
        case CheckKind.WORDS:
            limits = {"at_least": check.at_least, "at_most": check.at_most}
            fields |= {key: limit for key, limit in limits.items() if limit is not None}
        case CheckKind.JSON_SCHEMA:
            fields["schema"] = json.loads(check.value)
        case _:
            fields["value"] = check.value
    if not check.must:
        fields["must"] = False
    return json.dumps(fields, ensure_ascii=False)


def holds(check: Check, answer: str) -> bool:
    """Whether the answer passes. Space around the answer does not count."""
    return _does(check, answer.strip()) == check.must


def in_words(check: Check) -> str:
    """For a person who is to approve it."""
    does = {
        CheckKind.PATTERN: f"match the pattern `{check.value}`",
        CheckKind.JSON_SCHEMA: f"be JSON, and nothing else, of this form: {check.value}",
        CheckKind.WORDS: f"have {_span(check)} words",
        CheckKind.STARTS: f"start with “{check.value}”",
        CheckKind.ENDS: f"end with “{check.value}”",
        CheckKind.CONTAINS: f"contain “{check.value}”",
    }[check.kind]
    return f"The answer {'must' if check.must else 'must not'} {does}."


def _span(check: Check) -> str:
    if check.at_least is None:
        return f"at most {check.at_most}"
    if check.at_most is None:
        return f"at least {check.at_least}"
    if check.at_least == check.at_most:
        return f"exactly {check.at_least}"
    return f"{check.at_least} to {check.at_most}"


# -- holding an answer to it -------------------------------------------------------------------


def _does(check: Check, answer: str) -> bool:
    match check.kind:
        case CheckKind.PATTERN:
            return read_pattern(check.value).found_in(answer[:LOOKED_AT])
        case CheckKind.JSON_SCHEMA:
            return _is_json(check.value, answer)
        case CheckKind.WORDS:
            count = len(answer.split())
            return (check.at_least or 0) <= count <= (check.at_most or MOST_WORDS)
        case CheckKind.STARTS:
            return answer.startswith(check.value)
        case CheckKind.ENDS:
            return answer.endswith(check.value)
        case CheckKind.CONTAINS:
            return check.value in answer


def _is_json(schema: str, answer: str) -> bool:
    if len(answer) > LONGEST_JSON:
        return False
    try:
        return fits(json.loads(schema), parsed(answer))
    except (ValueError, RecursionError):
        return False


# -- reading -----------------------------------------------------------------------------------


def _read(fields: Mapping[str, object]) -> Check:
    try:
        kind = CheckKind(str(fields.get("kind")))
    except ValueError:
        known = ", ".join(CheckKind)
        raise _refused(f"its kind is none of {known}") from None
    must = fields.get("must", True)
    if not isinstance(must, bool):
        raise _refused("'must' is true or false")
    allowed = {"kind", "must", *_FIELDS[kind]}
    if unknown := sorted(key for key, value in fields.items() if key not in allowed and value):
        raise _refused(f"'{unknown[0][:40]}' does not belong to a check of the kind {kind}")
    check = _READERS[kind](kind, fields, must)
    if kind is CheckKind.PATTERN:
        _refuse_empty_talk(check)
    return check


def _read_text(kind: CheckKind, fields: Mapping[str, object], must: bool) -> Check:
    value = fields.get("value")
    if not isinstance(value, str) or not value.strip():
        raise _refused(f"a check of the kind {kind} has its text under 'value'")
    if len(value) > LONGEST_VALUE:
        raise _refused(f"its text has {len(value)} characters; at most {LONGEST_VALUE} are allowed")
    if kind is CheckKind.PATTERN:
        read_pattern(value)
    elif kind is CheckKind.STARTS:
        value = value.lstrip()
    elif kind is CheckKind.ENDS:
        value = value.rstrip()
    return Check(kind=kind, value=value, must=must)


def _read_schema(kind: CheckKind, fields: Mapping[str, object], must: bool) -> Check:
    schema = fields.get("schema", fields.get("value"))
    if isinstance(schema, str):
        try:
            schema = parsed(unfenced(schema))
        except ValueError:
            raise _refused("its schema is no JSON") from None
    check_shape(schema)
    return Check(kind=kind, value=json.dumps(schema, ensure_ascii=False), must=must)


def _read_words(kind: CheckKind, fields: Mapping[str, object], must: bool) -> Check:
    least, most = _count(fields, "at_least"), _count(fields, "at_most")
    if least is None and most is None:
        raise _refused("a check of words needs 'at_least' or 'at_most'")
    if most is not None and most < max(least or 0, 1):
        raise _refused("no answer has so few words")
    if most is None and not least:
        raise _refused("every answer has that many words")
    return Check(kind=kind, must=must, at_least=least, at_most=most)


def _count(fields: Mapping[str, object], key: str) -> int | None:
    value = fields.get(key)
    if value is None:
        return None
    if type(value) is not int or not 0 <= value <= MOST_WORDS:
        raise _refused(f"'{key}' is a whole number from 0 to {MOST_WORDS}")
    return value


_Reader = Callable[[CheckKind, Mapping[str, object], bool], Check]
_READERS: Final[dict[CheckKind, _Reader]] = {
    CheckKind.JSON_SCHEMA: _read_schema,
    CheckKind.WORDS: _read_words,
    CheckKind.PATTERN: _read_text,
    **dict.fromkeys(_TEXTS, _read_text),
}
_FIELDS: Final[dict[CheckKind, tuple[str, ...]]] = {
    CheckKind.JSON_SCHEMA: ("schema", "value"),
    CheckKind.WORDS: ("at_least", "at_most"),
    CheckKind.PATTERN: ("value",),
    **dict.fromkeys(_TEXTS, ("value",)),
}
_ANYTHING: Final = ("", "x", "Some words, and 2 signs.", "- one\n- two\n", '{"a": [1]}', "é")
"""Texts that have nothing in common: what tells none of them apart tells nothing."""


def _refuse_empty_talk(check: Check) -> None:
    if all(read_pattern(check.value).found_in(text) for text in _ANYTHING):
        raise _refused("its pattern is found in every answer")


def _refused(why: str) -> SkillError:
    return SkillError(
        f"The check cannot be used: {why}.",
        hint='An example: {"kind": "words", "at_most": 60}.',
    )
