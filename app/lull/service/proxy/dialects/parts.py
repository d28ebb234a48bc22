"""Parses request bodies by the rules of Go's JSON parser, which Ollama uses, and words errors as
Ollama does.

Null counts as absent, a wrong type is a 400 that names the field, and data after the first value is
ignored. Unknown content is kept as JSON text, and images are kept as hashes or URLs: their bytes
are not copied out of the request.

Go matches struct keys in any case, and takes the last of several spellings. The native dialect
accepts a single spelling in any case; other ambiguous requests are refused, so that nothing is
recorded or added that the upstream would read differently.
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

from lull.core.chat.messages import Message, MessagePart, PartKind, Role, ToolCall
from lull.core.errors import RequestError

Object = dict[str, object]

_MAX_DIGITS: Final = 4300
"""Most digits of an integer that Python converts."""
_SPACE = re.compile(r"[ \t\n\r]*")
_LONE_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_DATA_URL = re.compile(r"data:[^,]*;base64,", re.IGNORECASE)
_ROLE_BY_NAME: Final = {
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "assistant": Role.ASSISTANT,
    "tool": Role.TOOL,
    "function": Role.TOOL,
}
"""Roles by name; others are Role.USER."""
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
"""Go's wording of an error, by Python's JSON error."""


def bad_request(detail: str) -> RequestError:
    """Build a RequestError with status 400."""
    return RequestError(detail, status=400)


class _NoConstant(ValueError):
    """Raised for NaN or an infinity, which Go does not accept."""


def _refuse(constant: str) -> object:
    raise _NoConstant(f"invalid character '{constant[0]}' looking for beginning of value")


def _int_or_float(digits: str) -> float:
    """An integer, or a float for one with more digits than Python converts."""
    return int(digits) if len(digits) <= _MAX_DIGITS else float(digits)


_decoder = json.JSONDecoder(parse_constant=_refuse)
_long_number_decoder = json.JSONDecoder(parse_constant=_refuse, parse_int=_int_or_float)
"""Accepts integers of any length; slower, used only when `_decoder` fails on one."""


def parse(text: str) -> object:
    """Parse the first JSON value of a text. Raises ValueError, worded as by Go's JSON parser.

    Deeply nested JSON raises no RecursionError.
    """
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
        return _long_number_decoder.raw_decode(text, at)[0]


def _whole(text: str) -> str:
    """Replace lone surrogates by U+FFFD, as Go does; they cannot be stored."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _go_words(error: json.JSONDecodeError) -> str:
    if error.pos >= len(error.doc) or error.msg.startswith("Unterminated string"):
        return "unexpected EOF"
    where = _GO_WORDS.get(error.msg, "looking for beginning of value")
    return f"invalid character '{error.doc[error.pos]}' {where}"


class KeyCase(Enum):
    """How to treat a JSON key that differs from the expected one only in case: refuse the request,
    read the key, or ignore it.
    """

    REFUSED = "refused"
    """The request is refused: Go would read this key, so it must not be ignored."""
    TAKEN = "taken"
    """The key is read as if its case were right."""
    ANOTHER = "another"
    """The key counts as a different key and is left alone, since Ollama reads this object into a
    map.
    """


def folded(key: str) -> str:
    """Return a JSON key folded as Go does to compare keys regardless of case.

    Besides case, Go folds two characters into ASCII: the long s and the Kelvin sign.
    https://pkg.go.dev/encoding/json#Unmarshal
    """
    return key.lower().replace("\u017f", "s")


def spelled_otherwise(keys: Iterable[str]) -> dict[str, list[str]]:
    """Return those JSON keys that are not in lower case, grouped by the lower-case key that Go's
    JSON parser treats them as.
    """
    found: dict[str, list[str]] = {}
    for key in keys:
        if not key.islower() or "\u017f" in key:
            found.setdefault(folded(key), []).append(key)
    return found


def read_object(
    body: bytes, *, go_type: str, when_empty: str, case: KeyCase = KeyCase.REFUSED
) -> Fields:
    """Parse a request body that must be a JSON object. Raises RequestError (400).

    `go_type` is Ollama's Go type of the request, which its error messages name; `when_empty` is the
    error message for an empty body; `case` says how to treat keys in another case.
    """
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
    """Return Go's name for the type of a JSON value, such as `object`."""
    if isinstance(value, bool):
        return "bool"
    kinds = {str: "string", int: "number", float: "number", list: "array", dict: "object"}
    return kinds.get(type(value), "null")


class Fields:
    """A JSON object whose values are read by key; a value of the wrong type raises RequestError
    (400).
    """

    def __init__(self, value: object, go_type: str, case: KeyCase = KeyCase.REFUSED) -> None:
        if value is not None and not isinstance(value, dict):
            raise bad_request(
                f"json: cannot unmarshal {kind_of(value)} into Go value of type {go_type}"
            )
        self._values: Object = value or {}
        self.go_type = go_type
        self._case = case
        self._others = {} if case is KeyCase.ANOTHER else spelled_otherwise(self._values)

    def get(self, key: str) -> object:
        """Return the value of a key. Raises RequestError (400) if its spelling is ambiguous."""
        others = self._others.get(key)
        if others is None or others == [key]:
            return self._values.get(key)
        if self._case is KeyCase.TAKEN and len(others) == 1 and key not in self._values:
            return self._values[others[0]]
        spellings = ", ".join(f"'{one[:80]}'" for one in others)
        raise bad_request(f"json: {self.go_type}.{key} is spelled {spellings}; write '{key}' once")

    def has(self, key: str) -> bool:
        """Whether the key is there with a value other than null."""
        return self.get(key) is not None

    def wrong(self, key: str, wanted: str) -> RequestError:
        """Return the error, in Ollama's wording, for a key of a JSON object whose value is not of
        the type `wanted`.
        """
        got = kind_of(self.get(key))
        field = f"{self.go_type}.{key}"
        return bad_request(
            f"json: cannot unmarshal {got} into Go struct field {field} of type {wanted}"
        )

    def maybe_text(self, key: str) -> str | None:
        """Return a text; None if it is missing or null."""
        value = self.get(key)
        if value is not None and not isinstance(value, str):
            raise self.wrong(key, "string")
        return value

    def text(self, key: str) -> str:
        """Return a text; "" if it is missing or null."""
        return self.maybe_text(key) or ""

    def flag(self, key: str, *, default: bool = False) -> bool:
        """Return a true or false value; `default` if it is missing or null."""
        value = self.get(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self.wrong(key, "bool")
        return value

    def number(self, key: str) -> float | None:
        """Return a number; None if it is missing or null."""
        value = self.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.wrong(key, "float64")
        return as_float(value)

    def whole(self, key: str) -> int | None:
        """Return a whole number; None if it is missing or null."""
        value = self.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.wrong(key, "int")
        return value

    def items(self, key: str, wanted: str = "[]interface {}") -> list[object]:
        """Return a list, empty if missing or null; the error message names the type `wanted`."""
        value = self.get(key)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.wrong(key, wanted)
        return value

    def child(self, key: str, case: KeyCase | None = None) -> Fields:
        """Return the JSON object under a key of this one; an empty one if absent."""
        value = self.get(key)
        if value is not None and not isinstance(value, dict):
            raise self.wrong(key, "map[string]interface {}")
        return Fields(value, f"{self.go_type}.{key}", case or self._case)

    def stops(self, key: str) -> tuple[str, ...]:
        """Return the stop strings under a key, given as one string or a list."""
        value = self.get(key)
        if isinstance(value, str):
            return (value,) if value else ()
        found = self.items(key, "[]string")
        if not all(isinstance(item, str) for item in found):
            raise self.wrong(key, "string")
        return tuple(str(item) for item in found if item)


def as_float(value: float) -> float:
    """Convert a JSON number to a float.

    Raises RequestError (400) if it is too large, such as `1e999`.
    """
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise bad_request("json: cannot unmarshal number into Go value of type float64")
    return number


def role_of(name: str) -> Role:
    """Convert the name of a message's role to a Role, ignoring case; an unknown name becomes the
    user's role.
    """
    return _ROLE_BY_NAME.get(name.lower(), Role.USER)


def json_text(value: object) -> str:
    """Return a value as compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def json_text_or_empty(value: object) -> str:
    """Return a request's tools or output format as JSON text; "" if the value is null or empty."""
    return "" if value in (None, "", [], {}) else json_text(value)


def text_part(text: str) -> MessagePart:
    """Return a piece of text of a chat message."""
    return MessagePart(kind=PartKind.TEXT, text=text)


def opaque(value: object) -> MessagePart:
    """Return content of a kind that Lull does not know as a message part that holds its JSON
    text.
    """
    return MessagePart(kind=PartKind.OPAQUE, text=json_text(value))


def image_url(part: Object) -> str:
    """Return an image part's URL, found as a string or an object; "" for none."""
    holder = part.get("image_url")
    url = holder.get("url") if isinstance(holder, dict) else holder
    return url if isinstance(url, str) else ""


def image_part(source: str) -> MessagePart:
    """Return an image as a message part: inline data is replaced by its hash; a URL stays."""
    prefix = _DATA_URL.match(source)
    if prefix is None:
        return MessagePart(kind=PartKind.IMAGE, text=source)
    return inline_image(source[prefix.end() :])


def inline_image(base64_text: str) -> MessagePart:
    """Return a message part that stands for a base64 image by the hash of its bytes; the image
    itself is not kept.

    Raises RequestError (400) for invalid base64.
    """
    try:
        data = base64.b64decode(base64_text.replace("\r", "").replace("\n", ""), validate=True)
    except (binascii.Error, ValueError):
        raise bad_request("illegal base64 data in an image") from None
    return MessagePart(kind=PartKind.IMAGE, text=f"sha256:{hashlib.sha256(data).hexdigest()}")


def build_message(
    role: Role, parts: Sequence[MessagePart], *, calls: Sequence[ToolCall] = (), answers: str = ""
) -> Message:
    """Build a chat message from a role, parts and tool calls; the texts of a tool's message become
    tool results.

    `answers` is the id of the tool call that the message answers, "" for none.
    """
    if role is Role.TOOL:
        parts = [
            MessagePart(kind=PartKind.TOOL_RESULT, text=part.text)
            if part.kind is PartKind.TEXT
            else part
            for part in parts
        ]
    return Message(role=role, parts=tuple(parts), tool_calls=tuple(calls), tool_call_id=answers)
