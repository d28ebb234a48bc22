"""Checks of the form of a model's answer: lists, markdown or none, JSON, code and nothing else."""

from __future__ import annotations

import ast
import json
import re
from typing import Final

from lull.core.checks.check import Check, CheckKind, CheckLibraries
from lull.core.checks.lengths import within_limits
from lull.core.checks.text import ITEM, prose, split_code

LONGEST_JSON: Final = 200_000
"""Longest answer that JSON checks parse, in characters; a longer one fails."""
_BULLET: Final = re.compile(r"\s*[-*+•‣◦▪–]\s+\S")
_NUMBER: Final = re.compile(
    r"\s*(?:\*\*)?(?:\d{1,3}[.):]|(?:step|schritt|étape|paso)\s+\d+)(?:\*\*)?\s*\S", re.IGNORECASE
)
_HEADING: Final = re.compile(r"\s{0,3}#{1,6}\s+\S")
_BOLD: Final = re.compile(r"(\*\*|__)(?=\S)[^*_\n]+(?<=\S)\1")
_ITALIC: Final = re.compile(r"(?<![\w*])\*(?=[^\s*])[^*\n]+(?<=[^\s*])\*(?![\w*])")
_LINK: Final = re.compile(r"\[[^\[\]\n]{1,300}\]\([^()\n]{1,500}\)")
_CODE_LINE: Final = re.compile(
    r"\s*(?:(?:for|while|if) .*;\s*(?:do|then)$|(?:done|fi|esac|end)$|(?:echo|git|grep|curl|cd|"
    r"sudo|mkdir|"
    r"export) \S|(?:export |async )*(?:const|let|var|function) [\w{\[]|return\b.*[;)]$|"
    r"[\w.]+\(.*\)$)"
)
_TABLE: Final = re.compile(r"^ {0,3}\|? ?:?-{3,}:? ?\|[-|: ]*$", re.MULTILINE)


# -- lists -------------------------------------------------------------------------------------


def bullets(check: Check, answer: str) -> bool | None:
    """Check that an answer is a list with bullets; None if that cannot be told."""
    return _listed(check, answer, _BULLET)


def numbered(check: Check, answer: str) -> bool | None:
    """Check that an answer is a numbered list; None if that cannot be told."""
    return _listed(check, answer, _NUMBER)


def no_bullets(check: Check, answer: str) -> bool | None:
    """Check that an answer has no list; None if that cannot be told."""
    lines = prose(answer).splitlines()
    if check.value == "numbered":
        return (not any(map(_NUMBER.match, lines))) if answer.strip() else None
    if any(_BULLET.match(line) for line in lines if not re.fullmatch(r"[\s*_-]+", line)):
        return False
    if any(re.match(r"\s*\d{1,3}[.)]\s+\S", line) for line in lines):
        return False if check.value == "lists" else None
    return True if answer.strip() else None


def _listed(check: Check, answer: str, mark: re.Pattern[str]) -> bool | None:
    """Whether most top-level lines are list items; headings, a lead-in and a closing line are
    allowed.
    """
    if not answer.strip():
        return None
    lines = [line for line in prose(answer).splitlines() if line.strip()]
    top = [line for line in lines if not re.match(r"\s{2,}|\t", line)]
    items = sum(mark.match(line) is not None for line in top)
    deeper = sum(mark.match(line) is not None for line in lines) - items
    others = sum(
        not mark.match(line) and not _HEADING.match(line) and not line.rstrip(" *").endswith(":")
        for line in top
    )
    items = items or deeper
    if items == 0 or others > max(items, 2):
        return False
    if check.at_least is None and check.at_most is None:
        return items > 1 or others == 0
    return within_limits(check, items, items + (deeper if items != deeper else 0))


# -- markdown ----------------------------------------------------------------------------------


def plain_text(check: Check, answer: str) -> bool | None:
    """Whether an answer has none of the markdown that the check forbids: its `value` names bold,
    headings, tables or links, "" means all markdown.
    """
    if not answer.strip():
        return None
    text, blocks = split_code(answer)
    marks = {
        "bold": _BOLD.search(text) is not None,
        "headings": any(_HEADING.match(line) for line in text.splitlines()),
        "tables": _TABLE.search(text) is not None,
        "links": _LINK.search(text) is not None,
    }
    if check.value:
        return not any(marks[name] for name in check.value.split())
    starred = any(re.match(r"\s*\*\s+\S", line) for line in text.splitlines())
    if any(marks.values()) or blocks or starred or _ITALIC.search(text) or "`" in text:
        return False
    # A list with hyphens or numbers is markdown to some and plain text to others.
    return None if any(ITEM.match(line) for line in text.splitlines()) else True


# -- JSON --------------------------------------------------------------------------------------


def parse_strict_json(text: str) -> object:
    """Parse JSON strictly. Raises ValueError, also for NaN and duplicate keys."""
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=no_number)
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def unfenced(text: str) -> str:
    """Return the content of a code fence if the whole text is one fence, else the text itself."""
    around, blocks = split_code(text)
    return blocks[0].code.strip() if len(blocks) == 1 and not around.strip() else text.strip()


def is_json(check: Check, answer: str, tools: CheckLibraries) -> bool | None:
    """Whether an answer is JSON in the form that the check demands.

    A check of kind JSON allows a code fence, and its `value` names the keys that the object must
    have, one per line. A check of kind JSON_SCHEMA allows no fence, and the JSON must fit its
    schema.
    """
    if len(answer) > LONGEST_JSON:
        return False
    try:
        of_a_form = check.kind is CheckKind.JSON_SCHEMA
        value = parse_strict_json(answer if of_a_form else unfenced(answer))
    except ValueError:
        return False
    if not of_a_form:
        return _has_keys(value, set(check.value.split("\n")) if check.value else set())
    schema = json.loads(check.value)
    return True if schema == {} else tools.fits_schema(schema, value)


def _has_keys(value: object, keys: set[str]) -> bool | None:
    """Whether a JSON object, or each object of a list, has these keys; None if it has further keys,
    too.
    """
    if not keys or not isinstance(value, dict | list):
        return isinstance(value, dict | list)
    objects = value if isinstance(value, list) else [value]
    if not objects or not all(isinstance(one, dict) for one in objects):
        return None
    if any(keys - one.keys() for one in objects):
        return False
    return None if any(one.keys() - keys for one in objects) else True


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError("a key comes twice")
    return value


def no_number(constant: str) -> object:
    """Raise ValueError for NaN and the infinities, which Python's parser takes for numbers and JSON
    does not.
    """
    raise ValueError(f"{constant} is not JSON")


# -- code and nothing else ---------------------------------------------------------------------


def code_only(check: Check, answer: str) -> bool | None:
    """Check that an answer is source code and nothing else; None if that cannot be told."""
    text, blocks = split_code(answer)
    if blocks:
        return not text.strip()
    if not answer.strip():
        return None
    if looks_like_code(answer):
        return True
    # Only words: perhaps no code was asked for.
    return None


def looks_like_code(text: str) -> bool:
    """Whether a text without fences is a program: it parses, or its lines look like code."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        lines = [line for line in text.splitlines() if line.strip()]
        coded = sum(
            re.search(r"[;{}]\s*$|^\s*(?:\$ |#include|<\w+)", line) is not None
            or _CODE_LINE.match(line) is not None
            for line in lines
        )
        alone = len(lines) == 1 and re.match(r"\s*(?:export )?(?:const|let|var) \w+ = ", text)
        return bool(alone) or (len(lines) > 1 and coded * 3 >= len(lines) * 2)
    plain = (ast.Name, ast.Constant, ast.Tuple, ast.Attribute)
    return any(
        not isinstance(node, ast.Expr) or not isinstance(node.value, plain) for node in tree.body
    )
