"""Reads the options of a request in Ollama's own format, such as `options`, `think` and
`keep_alive`.

Invalid values give Ollama's own status and wording.
"""

from __future__ import annotations

import re
from typing import Final

from lull.core.chat.messages import Sampling
from lull.core.errors import RequestError
from lull.service.proxy.dialects.base import EngineRequestOptions, LoadRequest
from lull.service.proxy.dialects.parts import Fields, KeyCase, as_float, bad_request, json_text

MOST_LOGPROBS: Final = 20
"""Largest value allowed for the request's `top_logprobs`."""
_INTEGERS: Final = (
    *("seed", "num_predict", "top_k", "num_ctx", "num_keep", "repeat_last_n"),
    *("num_batch", "num_gpu", "main_gpu", "num_thread"),
)
"""Names of options that must be integers."""
_FLOATS: Final = (
    *("temperature", "top_p", "min_p", "typical_p"),
    *("repeat_penalty", "presence_penalty", "frequency_penalty"),
)
"""Names of options that must be numbers."""
_THINK_LEVELS: Final = ("high", "medium", "low", "max")
_DURATION: Final = re.compile(r"[+-]?(0|((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)")
"""Matches a duration in Go's format."""
_ZERO_DURATION: Final = re.compile(r"[+-]?([0.]+(ns|us|µs|μs|ms|s|m|h)?)+")
"""Matches a duration of zero in Go's format."""


def read_options(fields: Fields) -> Sampling:
    """Return a request's sampling options. Raises RequestError for a value of the wrong type."""
    options = fields.child("options", KeyCase.ANOTHER)
    whole = {key: _option(options, key, "integer") for key in _INTEGERS if options.has(key)}
    real = {key: _option(options, key, "float32") for key in _FLOATS if options.has(key)}
    seed, limit, top_k, last = (
        _int(whole.get(key)) for key in ("seed", "num_predict", "top_k", "repeat_last_n")
    )
    return Sampling(
        temperature=real.get("temperature"),
        top_p=real.get("top_p"),
        top_k=top_k,
        seed=seed if seed is not None and seed >= 0 else None,
        max_tokens=limit if limit is not None and limit > 0 else None,
        stop=_stops(options),
        repeat_penalty=real.get("repeat_penalty"),
        repeat_last_n=last,
        presence_penalty=real.get("presence_penalty"),
        frequency_penalty=real.get("frequency_penalty"),
    )


def read_window(fields: Fields) -> int | None:
    """Return the context window that a request asks for, in tokens; None if not set."""
    options = fields.child("options", KeyCase.ANOTHER)
    asked = _int(_option(options, "num_ctx", "integer")) if options.has("num_ctx") else None
    return asked if asked is not None and asked > 0 else None


def _int(value: float | None) -> int | None:
    return None if value is None else int(value)


def _option(options: Fields, key: str, kind: str) -> float:
    """An option's number; like Ollama, truncates a fraction where an integer is wanted."""
    value = options.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise RequestError(f'option "{key}" must be of type {kind}', status=500)
    return value if isinstance(value, int) and kind == "integer" else as_float(value)


def _stops(options: Fields) -> tuple[str, ...]:
    value = options.get("stop")
    if value is None:
        return ()
    if not isinstance(value, list):
        raise RequestError('option "stop" must be of type array', status=500)
    if not all(isinstance(item, str) for item in value):
        raise RequestError('option "stop" must be of an array of strings', status=500)
    return tuple(str(item) for item in value if item)


def read_engine_options(fields: Fields, *, idle: bool) -> EngineRequestOptions:
    """Return the options of a request to Ollama's API that only Lull's own engine needs, such as
    whether to think. `idle` says that the request has no message and only loads or unloads the
    model.

    Raises RequestError.
    """
    unload = _is_zero(fields.get("keep_alive"))
    raw = fields.flag("raw")
    if raw and any(fields.get(key) for key in ("template", "system", "context")):
        raise bad_request("raw mode does not support template, system, or context")
    return EngineRequestOptions(
        idle=(LoadRequest.UNLOAD if unload else LoadRequest.LOAD) if idle else None,
        think=_thinks(fields.get("think")),
        raw=raw,
        insert=bool(fields.text("suffix")),
        template=bool(fields.text("template")),
        truncate=fields.flag("truncate", default=True),
        context=_context(fields),
        gives_context=fields.go_type == "GenerateRequest" and not raw,
        logprobs=asked_logprobs(fields),
    )


def _context(fields: Fields) -> tuple[int, ...]:
    ids = fields.items("context", "[]int")
    if not all(isinstance(token, int) and not isinstance(token, bool) for token in ids):
        raise fields.wrong("context", "[]int")
    return tuple(token for token in ids if isinstance(token, int))


def asked_logprobs(fields: Fields) -> int | None:
    """Return how many top log-probabilities per token a request asks for; None if it asks for no
    log-probabilities.

    Raises RequestError (400).
    """
    top = fields.whole("top_logprobs") or 0
    if not 0 <= top <= MOST_LOGPROBS:
        raise bad_request(f"top_logprobs must be between 0 and {MOST_LOGPROBS}")
    return top if fields.flag("logprobs") else None


def _thinks(value: object) -> bool:
    if value is None or isinstance(value, bool):
        return bool(value)
    if value in _THINK_LEVELS:
        return True
    shown = json_text(value)
    levels = ", ".join(f'"{level}"' for level in _THINK_LEVELS)
    raise bad_request(f"invalid think value: {shown} (must be {levels}, true, or false)")


def _is_zero(keep_alive: object) -> bool:
    if isinstance(keep_alive, str):
        if not _DURATION.fullmatch(keep_alive):
            raise bad_request(f'time: invalid duration "{keep_alive}"')
        return _ZERO_DURATION.fullmatch(keep_alive) is not None
    if isinstance(keep_alive, bool | list | dict):
        kind = {bool: "bool", list: "[]interface {}", dict: "map[string]interface {}"}
        raise bad_request(f"Unsupported type: '{kind[type(keep_alive)]}'")
    return isinstance(keep_alive, int | float) and keep_alive == 0
