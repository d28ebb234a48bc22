"""Parses and writes the strict JSON form of a check, an exact test of a model's answer, and of
several that test one rule together. The JSON may come from a model or a person.

A check that every answer or no answer would pass is rejected. Checks approved earlier stay readable
under their old names, except the former kind "pattern".
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from lull.core.checks.check import Check, CheckKind, CheckSet, Part
from lull.core.checks.formats import DATE_FORMATS, UNITS
from lull.core.checks.language import CODES
from lull.core.checks.shapes import parse_strict_json, unfenced
from lull.core.checks.signs import QUOTE_STYLES, SIGNS
from lull.core.errors import SkillError

MOST_JSON_CHARACTERS: Final = 8_000
"""Most characters of a check's JSON text."""
MOST_VALUE_CHARACTERS: Final = 500
LARGEST_COUNT: Final = 100_000
DEEPEST_SCHEMA: Final = 12
MOST_CHECKS: Final = 8
"""Most checks that test one rule together."""
_ALL, _ONLY_PART = "all", "only_part"
_OLD_NAMES: Final = {"starts": CheckKind.STARTS, "ends": CheckKind.ENDS}
_OLD_NAME_OF: Final = {kind: name for name, kind in _OLD_NAMES.items()}
_TEXTS: Final = (CheckKind.STARTS, CheckKind.ENDS, CheckKind.CONTAINS, CheckKind.NOT_CONTAINS)
_COUNTED: Final = (
    CheckKind.WORDS, CheckKind.SENTENCES, CheckKind.PARAGRAPHS, CheckKind.LINES,
    CheckKind.CHARACTERS,
)  # fmt: skip
_MAY_COUNT: Final = (CheckKind.BULLETS, CheckKind.NUMBERED_LIST, CheckKind.INDENT, CheckKind.EMOJIS)
_CHOICES: Final[Mapping[CheckKind, tuple[str, ...]]] = {
    CheckKind.LANGUAGE: tuple(sorted(set(CODES.values()))),
    CheckKind.NO_SIGN: tuple(SIGNS),
    CheckKind.INDENT: ("tabs", "spaces"),
    CheckKind.DATE_FORMAT: tuple(DATE_FORMATS),
    CheckKind.TIME_FORMAT: ("24h", "12h"),
    CheckKind.QUOTE_STYLE: tuple(QUOTE_STYLES),
    CheckKind.EMOJIS: ("start", "end"),
}
_UNSAFE: Final = ("$ref", "$dynamicRef", "$recursiveRef", "$id", "pattern", "patternProperties")


def parse(json_text: str) -> Check:
    """Parse a check (an exact test of a model's answer) from its JSON: `{"kind": …, "value" |
    "schema" | "at_least", "at_most": …, "must": …}`.

    Raises SkillError that says what is wrong with the JSON.
    """
    return _read(_object(json_text))


def parse_all(json_text: str) -> CheckSet:
    """Parse the checks that test one rule together from their JSON: that of one check, or `{"all":
    [several checks], "only_part": whether they test only a part of the rule}`.

    Raises SkillError that says what is wrong with the JSON.
    """
    fields = _object(json_text)
    if _ALL not in fields:
        return CheckSet(checks=(_read(fields),))
    several, only_part = fields[_ALL], fields.get(_ONLY_PART, False)
    if unknown := sorted(fields.keys() - {_ALL, _ONLY_PART}):
        raise _refused(f"'{unknown[0][:40]}' does not stand beside '{_ALL}'")
    if not isinstance(several, list) or not 1 <= len(several) <= MOST_CHECKS:
        raise _refused(f"'{_ALL}' is a list of 1 to {MOST_CHECKS} checks")
    if not isinstance(only_part, bool):
        raise _refused(f"'{_ONLY_PART}' is true or false")
    if not all(isinstance(one, dict) for one in several):
        raise _refused("a check is a JSON object")
    checks = tuple(dict.fromkeys(_read(one) for one in several))
    return CheckSet(checks=checks, whole=not only_part)


def all_to_json(rule: CheckSet) -> str:
    """Return the JSON text of the checks that test one rule together, which `parse_all` reads back;
    one check that tests the whole rule is written as `to_json` does.
    """
    if rule.whole and len(rule.checks) == 1:
        return to_json(rule.checks[0])
    fields: dict[str, object] = {_ALL: [_written(check) for check in rule.checks]}
    if not rule.whole:
        fields[_ONLY_PART] = True
    return json.dumps(fields, ensure_ascii=False)


def _object(json_text: str) -> dict[str, object]:
    if len(json_text) > MOST_JSON_CHARACTERS:
        raise _refused(
            f"it has {len(json_text)} characters; at most {MOST_JSON_CHARACTERS} are allowed"
        )
    try:
        value = parse_strict_json(json_text)
    except ValueError as error:
        raise _refused(f"it is not JSON ({error})") from None
    if not isinstance(value, dict):
        raise _refused("it is not a JSON object")
    return value


def to_json(check: Check) -> str:
    """Return the JSON text of a check (an exact test of an answer), which `parse` reads back."""
    return json.dumps(_written(check), ensure_ascii=False)


def _written(check: Check) -> dict[str, object]:
    fields: dict[str, object] = {"kind": _OLD_NAME_OF.get(check.kind, check.kind.value)}
    limits = {"at_least": check.at_least, "at_most": check.at_most}
    fields |= {key: limit for key, limit in limits.items() if limit is not None}
    if check.kind is CheckKind.JSON_SCHEMA:
        fields["schema"] = json.loads(check.value)
    elif check.value:
        fields["value"] = check.value
    if not check.must:
        fields["must"] = False
    if check.part:
        fields["part"] = check.part.value
    return fields


def _read(fields: Mapping[str, object]) -> Check:
    kind = _kind(str(fields.get("kind")))
    must = fields.get("must", True)
    if not isinstance(must, bool):
        raise _refused("'must' is true or false")
    allowed = {"kind", "must", "part", *_fields(kind)}
    if unknown := sorted(key for key, value in fields.items() if key not in allowed and value):
        raise _refused(f"'{unknown[0][:40]}' does not belong to a check of the kind {kind}")
    least, most = _limits(kind, fields)
    if kind is CheckKind.JSON_SCHEMA:
        return Check(kind=kind, value=_schema(fields), must=must)
    value = _text(kind, fields) if kind in _TEXTS else _choice(kind, fields)
    part = _part(fields)
    return Check(kind=kind, value=value, must=must, at_least=least, at_most=most, part=part)


def _part(fields: Mapping[str, object]) -> Part:
    try:
        return Part(str(fields.get("part") or ""))
    except ValueError:
        raise _refused(f"its part is none of {', '.join(part for part in Part if part)}") from None


def _kind(name: str) -> CheckKind:
    if name == "pattern":
        raise _refused("its kind is none of those there are: patterns are no longer checked")
    try:
        return _OLD_NAMES.get(name) or CheckKind(name)
    except ValueError:
        raise _refused(f"its kind is none of {', '.join(CheckKind)}") from None


def _fields(kind: CheckKind) -> tuple[str, ...]:
    if kind is CheckKind.JSON_SCHEMA:
        return ("schema", "value")
    counts = ("at_least", "at_most") if kind in (*_COUNTED, *_MAY_COUNT) else ()
    takes = (
        *_TEXTS,
        CheckKind.JSON,
        *_CHOICES,
        CheckKind.UNITS,
        CheckKind.PLAIN_TEXT,
        CheckKind.NO_BULLETS,
    )
    return (*counts, "value") if kind in takes else counts


def _text(kind: CheckKind, fields: Mapping[str, object]) -> str:
    value = fields.get("value")
    if not isinstance(value, str) or not value.strip():
        raise _refused(f"a check of the kind {kind} has its text under 'value'")
    if len(value) > MOST_VALUE_CHARACTERS:
        raise _refused(
            f"its text has {len(value)} characters; at most {MOST_VALUE_CHARACTERS} are allowed"
        )
    if kind is CheckKind.STARTS:
        return value.lstrip()
    return value.rstrip() if kind is CheckKind.ENDS else value


def _choice(kind: CheckKind, fields: Mapping[str, object]) -> str:
    value = fields.get("value") or ""
    if not isinstance(value, str):
        raise _refused("'value' is a text")
    given = value.replace(",", " ").split() if kind is CheckKind.PLAIN_TEXT else value.split(",")
    if kind is CheckKind.UNITS:
        known: tuple[str, ...] = UNITS
    elif kind is CheckKind.PLAIN_TEXT:
        known = ("bold", "headings", "tables", "links")
    elif kind is CheckKind.NO_BULLETS:
        known = ("lists", "numbered")
    elif kind is CheckKind.JSON:
        return value[:MOST_VALUE_CHARACTERS]
    else:
        known, given = _CHOICES.get(kind, ()), [value]
    optional = kind in (CheckKind.PLAIN_TEXT, CheckKind.NO_BULLETS, CheckKind.EMOJIS) or not known
    if (optional and not value) or (value and all(one in known for one in given)):
        return value
    raise _refused(f"'value' of a check of the kind {kind} is one of {', '.join(known)}")


def _limits(kind: CheckKind, fields: Mapping[str, object]) -> tuple[int | None, int | None]:
    least, most = _count(fields, "at_least"), _count(fields, "at_most")
    if kind in _COUNTED and least is None and most is None:
        raise _refused(f"a check of {kind} needs 'at_least' or 'at_most'")
    if most is not None and most < max(least or 0, 1):
        raise _refused(f"no answer has so few {kind}")
    if kind in _COUNTED and most is None and not least:
        raise _refused(f"every answer has that many {kind}")
    return least, most


def _count(fields: Mapping[str, object], key: str) -> int | None:
    value = fields.get(key)
    if value is None:
        return None
    if type(value) is not int or not 0 <= value <= LARGEST_COUNT:
        raise _refused(f"'{key}' is a whole number from 0 to {LARGEST_COUNT}")
    return value


# -- schemas -----------------------------------------------------------------------------------


def _schema(fields: Mapping[str, object]) -> str:
    schema = fields.get("schema", fields.get("value"))
    if isinstance(schema, str):
        try:
            schema = parse_strict_json(unfenced(schema))
        except ValueError:
            raise _refused("its schema is not JSON") from None
    if not isinstance(schema, dict):
        raise _refused("its schema is an object")
    refuse_unsafe(schema)
    return json.dumps(schema, ensure_ascii=False)


def refuse_unsafe(schema: object, depth: int = 0) -> None:
    """Reject a JSON schema with references (which may lead outside or in circles) or regular
    expressions. Raises SkillError.
    """
    if depth > DEEPEST_SCHEMA:
        raise _refused(f"its schema is nested more than {DEEPEST_SCHEMA} deep")
    if isinstance(schema, list):
        for inner in schema:
            refuse_unsafe(inner, depth + 1)
    elif isinstance(schema, dict):
        for key, inner in schema.items():
            # Under `properties` a field may be called pattern; its value is then an object.
            if key in _UNSAFE and (isinstance(inner, str) or key == "patternProperties"):
                raise _refused(f"'{key}' is not allowed in its schema")
            refuse_unsafe(inner, depth + 1)


def _refused(why: str) -> SkillError:
    return SkillError(
        f"The check cannot be used: {why}.",
        hint='An example: {"kind": "words", "at_most": 60}.',
    )
