"""Reading a request body once, with Go's rules and Ollama's words for what is wrong with it.

Null counts as absent, a wrong type is a 400 that names the field, data behind the first value is
ignored. What we do not know is kept as JSON text, and images are kept as references: their bytes
never leave the request.

Go takes the keys of its structs in any case, and of several spellings the last. The native dialect
does so here, where there is one; what else Go would take is not read at all, so that nothing is
recorded or put in that the upstream would read otherwise.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import math
import re
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Final

from lull.core.errors import RequestError
from lull.core.messages import Message, Part, PartKind, Role, ToolCall

Object = dict[str, object]

_MOST_DIGITS: Final = 4300
"""Python's own limit."""
_SPACE = re.compile(r"[ \t\n\r]*")
_LONE_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_DATA_URL = re.compile(r"data:[^,]*;base64,", re.IGNORECASE)
_ROLES: Final = {
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "assistant": Role.ASSISTANT,
    "tool": Role.TOOL,
    "function": Role.TOOL,
}
_GO_WORDS: Final = {
    "Expecting value": "looking for beginning of value",
    "Expecting property name enclosed in double quotes": (
        "looking for beginning of object key string"
    ),
    "Expecting ':' delimiter": "after object key",
    "Expecting ',' delimiter": "after object key:value pair",
    "Invalid control character at": "in string literal",
    "Invalid \\escape": "in string escape code",
}


def bad_request(detail: str) -> RequestError:
    return RequestError(detail, status=400)


class _NoConstant(ValueError):
    """NaN and its like."""


def _refuse(constant: str) -> object:
    raise _NoConstant(f"invalid character '{constant[0]}' looking for beginning of value")


def _whole_or_endless(digits: str) -> float:
    """Python makes no integer of thousands of digits; nothing that is read here needs one."""
    return int(digits) if len(digits) <= _MOST_DIGITS else float(digits)


_decoder = json.JSONDecoder(parse_constant=_refuse)
_endless = json.JSONDecoder(parse_constant=_refuse, parse_int=_whole_or_endless)
"""Slower, and only asked where the other one met such a number."""


def parse(text: str) -> object:
    """The first JSON value of a text. Raises ValueError in Go's words; never RecursionError."""
    start = _SPACE.match(text)
    at = start.end() if start else 0
    try:
        value = _raw(text, at)
        if _LONE_SURROGATE.search(text):
            value = json.loads(_whole(json.dumps(value, ensure_ascii=False)))
    except json.JSONDecodeError as error:
        raise ValueError(_go_words(error)) from None
    except RecursionError:
        raise ValueError("exceeded max depth") from None
    return value


def _raw(text: str, at: int) -> object:
    try:
        return _decoder.raw_decode(text, at)[0]
    except (json.JSONDecodeError, _NoConstant):
        raise
    except ValueError:
        return _endless.raw_decode(text, at)[0]


def _whole(text: str) -> str:
    """Half a surrogate pair is no character: Go reads U+FFFD, and nothing can store the half."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _go_words(error: json.JSONDecodeError) -> str:
    if error.pos >= len(error.doc) or error.msg.startswith("Unterminated string"):
        return "unexpected EOF"
    where = _GO_WORDS.get(error.msg, "looking for beginning of value")
    return f"invalid character '{error.doc[error.pos]}' {where}"


class Case(Enum):
    """What a key in another case than ours is."""

    REFUSED = "refused"
    """Go would take it, so we must not read around it."""
    TAKEN = "taken"
    """The same key."""
    ANOTHER = "another"
    """Another key: Go reads this object into a map."""


def folded(key: str) -> str:
    """A key as Go compares it: besides the case it knows two signs that fold into ASCII, the long s
    and the Kelvin sign. https://pkg.go.dev/encoding/json#Unmarshal"""
    return key.lower().replace("\u017f", "s")


def spelled_otherwise(keys: Iterable[str]) -> dict[str, list[str]]:
    """Those that are not in their plain case, by the key that Go takes them for."""
    found: dict[str, list[str]] = {}
    for key in keys:
        if not key.islower() or "\u017f" in key:
            found.setdefault(folded(key), []).append(key)
    return found


def read_object(body: bytes, *, go_type: str, when_empty: str, case: Case = Case.REFUSED) -> Fields:
    """The body's object. Raises RequestError (400)."""
    text = body.decode("utf-8", "replace")
    if not text.strip(" \t\r\n"):
        raise bad_request(when_empty)
    try:
        value = parse(text)
    except ValueError as error:
        raise bad_request(str(error)) from None
    if not isinstance(value, dict):
        raise bad_request(
            f"json: cannot unmarshal {kind_of(value)} into Go value of type {go_type}"
        )
    return Fields(value, go_type.rpartition(".")[2], case)


def kind_of(value: object) -> str:
    """A JSON value's kind in Go's word."""
    if isinstance(value, bool):
        return "bool"
    kinds = {str: "string", int: "number", float: "number", list: "array", dict: "object"}
    return kinds.get(type(value), "null")


class Fields:
    """One JSON object, read key by key. Wrong types raise RequestError (400)."""

    def __init__(self, value: object, go_type: str, case: Case = Case.REFUSED) -> None:
        if value is not None and not isinstance(value, dict):
            raise bad_request(
                f"json: cannot unmarshal {kind_of(value)} into Go value of type {go_type}"
            )
        self._values: Object = value or {}
        self.go_type = go_type
        self._case = case
        self._others = {} if case is Case.ANOTHER else spelled_otherwise(self._values)

    def get(self, key: str) -> object:
        others = self._others.get(key)
        if others is None or others == [key]:
            return self._values.get(key)
        if self._case is Case.TAKEN and len(others) == 1 and key not in self._values:
            return self._values[others[0]]
        spellings = ", ".join(f"'{one[:80]}'" for one in others)
        raise bad_request(f"json: {self.go_type}.{key} is spelled {spellings}; write '{key}' once")

    def has(self, key: str) -> bool:
        return self.get(key) is not None

    def wrong(self, key: str, wanted: str) -> RequestError:
        got = kind_of(self.get(key))
        field = f"{self.go_type}.{key}"
        return bad_request(
            f"json: cannot unmarshal {got} into Go struct field {field} of type {wanted}"
        )

    def maybe_text(self, key: str) -> str | None:
        value = self.get(key)
        if value is not None and not isinstance(value, str):
            raise self.wrong(key, "string")
        return value

    def text(self, key: str) -> str:
        return self.maybe_text(key) or ""

    def flag(self, key: str, *, default: bool = False) -> bool:
        value = self.get(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self.wrong(key, "bool")
        return value

    def number(self, key: str) -> float | None:
        value = self.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.wrong(key, "float64")
        return as_float(value)

    def whole(self, key: str) -> int | None:
        value = self.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.wrong(key, "int")
        return value

    def items(self, key: str, wanted: str = "[]interface {}") -> list[object]:
        value = self.get(key)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.wrong(key, wanted)
        return value

    def child(self, key: str, case: Case | None = None) -> Fields:
        """The object under a key; an empty one when absent."""
        value = self.get(key)
        if value is not None and not isinstance(value, dict):
            raise self.wrong(key, "map[string]interface {}")
        return Fields(value, f"{self.go_type}.{key}", case or self._case)

    def stops(self, key: str) -> tuple[str, ...]:
        """Stop strings: one, or a list of them."""
        value = self.get(key)
        if isinstance(value, str):
            return (value,) if value else ()
        found = self.items(key, "[]string")
        if not all(isinstance(item, str) for item in found):
            raise self.wrong(key, "string")
        return tuple(str(item) for item in found if item)


def as_float(value: float) -> float:
    """Raises RequestError for a number that no float can hold: `1e999`, or very many digits."""
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise bad_request("json: cannot unmarshal number into Go value of type float64")
    return number


def role_of(name: str) -> Role:
    """Case does not count; a role that nobody knows speaks as the user."""
    return _ROLES.get(name.lower(), Role.USER)


def json_text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def json_text_or_empty(value: object) -> str:
    """Tools or a format as JSON text; "" for null, an empty string or an empty list."""
    return "" if value in (None, "", [], {}) else json_text(value)


def text_part(text: str) -> Part:
    return Part(kind=PartKind.TEXT, text=text)


def opaque(value: object) -> Part:
    return Part(kind=PartKind.OPAQUE, text=json_text(value))


def image_url(part: Object) -> str:
    """The address in an image part: under `image_url`, as a string or an object; "" for none."""
    holder = part.get("image_url")
    url = holder.get("url") if isinstance(holder, dict) else holder
    return url if isinstance(url, str) else ""


def image_part(source: str) -> Part:
    """Inline data becomes its hash; a URL stays."""
    prefix = _DATA_URL.match(source)
    if prefix is None:
        return Part(kind=PartKind.IMAGE, text=source)
    return inline_image(source[prefix.end() :])


def inline_image(base64_text: str) -> Part:
    """Raises RequestError (400) for what is not base64."""
    try:
        data = base64.b64decode(base64_text.replace("\r", "").replace("\n", ""), validate=True)
    except (binascii.Error, ValueError):
        raise bad_request("illegal base64 data in an image") from None
    return Part(kind=PartKind.IMAGE, text=f"sha256:{hashlib.sha256(data).hexdigest()}")


def spoken(
    role: Role, parts: Sequence[Part], *, calls: Sequence[ToolCall] = (), answers: str = ""
) -> Message:
    """A message; what a tool says is marked as its result."""
    if role is Role.TOOL:
        parts = [
            Part(kind=PartKind.TOOL_RESULT, text=part.text) if part.kind is PartKind.TEXT else part
            for part in parts
        ]
    return Message(role=role, parts=tuple(parts), tool_calls=tuple(calls), tool_call_id=answers)
