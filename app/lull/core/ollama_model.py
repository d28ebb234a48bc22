"""What Ollama says of one of its models, and what must be said again to make another one like it.

Everything that `/api/show` tells besides the weights is carried over (WIRE.md, "Serving what was
learned"). Shapes and words are Ollama's (api/types.go, server/routes.go of 0.24).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from lull.core.errors import WeightsError
from lull.core.model_name import canonical

Json = Mapping[str, object]
CARRIED: Final = ("template", "system", "license", "renderer", "parser", "requires")
"""Texts of `/api/show` that `/api/create` takes under the same name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedModel:
    name: str
    digest: str
    """Of its manifest, 64 hexadecimal digits."""
    size_bytes: int
    remote: bool
    """It runs on somebody else's machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownModel:
    name: str
    architecture: str
    parameters: int
    format: str
    """`gguf` or `safetensors`."""
    capabilities: tuple[str, ...]
    blobs: tuple[str, ...]
    """Where its weights lie on Ollama's machine; a second one is a projector."""
    adapters: tuple[str, ...]
    remote: bool
    facts: Mapping[str, float] = field(default_factory=dict)
    """Numbers of `model_info` without the architecture in front: `block_count`, …"""
    carried: Mapping[str, object] = field(default_factory=dict)
    """As `/api/create` takes it."""

    @property
    def blob_sha256(self) -> str:
        """Of the weights; "" where there are none."""
        found = re.search(r"sha256[-:]([0-9a-f]{64})$", self.blobs[0]) if self.blobs else None
        return found[1] if found else ""


def shown_model(name: str, answer: Json) -> ShownModel:
    """From `/api/show`. Raises WeightsError for an answer that says nothing."""
    info, details = answer.get("model_info"), answer.get("details")
    info = info if isinstance(info, dict) else {}
    details = details if isinstance(details, dict) else {}
    if not info and not details:
        raise WeightsError(f"Ollama says nothing of {name}.")
    kind = str(info.get("general.architecture") or details.get("family") or "unknown")
    modelfile = str(answer.get("modelfile", ""))
    capabilities = answer.get("capabilities")
    return ShownModel(
        name=name,
        architecture=kind,
        parameters=_count(info.get("general.parameter_count")),
        format=str(details.get("format", "")),
        capabilities=tuple(map(str, capabilities)) if isinstance(capabilities, list) else (),
        blobs=_places(modelfile, "FROM"),
        adapters=_places(modelfile, "ADAPTER"),
        remote=bool(answer.get("remote_host")),
        facts={
            key.removeprefix(f"{kind}."): value
            for key, value in info.items()
            if isinstance(value, int | float) and not isinstance(value, bool)
        },
        carried=carried(answer),
    )


def carried(answer: Json) -> dict[str, object]:
    """All of it but the weights, as `/api/create` takes it."""
    texts = {key: answer[key] for key in CARRIED if isinstance(answer.get(key), str)}
    found: dict[str, object] = {key: text for key, text in texts.items() if text}
    if parameters := parsed_parameters(str(answer.get("parameters", ""))):
        found["parameters"] = parameters
    messages = answer.get("messages")
    if isinstance(messages, list) and messages:
        found["messages"] = messages
    return found


_LINE: Final = re.compile(r"^(\S+)\s+(.*)$", re.MULTILINE)


def parsed_parameters(text: str) -> dict[str, object]:
    """Ollama prints one line a value, in Go's syntax; a key that comes again is a list."""
    found: dict[str, object] = {}
    for key, value in _LINE.findall(_joined(text)):
        parsed = _go_value(value)
        if key not in found:
            # `stop` is a list wherever Ollama takes it, also when there is one.
            found[key] = [parsed] if key == "stop" else parsed
        else:
            before = found[key]
            found[key] = [*(before if isinstance(before, list) else [before]), parsed]
    return found


def _joined(text: str) -> str:
    """A raw Go string may go over lines; what is in backticks is one value."""
    return re.sub(r"`([^`]*)`", lambda raw: json.dumps(raw[1]), text)


def _go_value(text: str) -> object:
    text = text.strip()
    if text.startswith('"') and text.endswith('"') and len(text) > 1:
        return _go_string(text[1:-1])
    if text in ("true", "false"):
        return text == "true"
    try:
        number = float(text)
    except ValueError:
        return text
    return int(number) if number == int(number) and abs(number) < 1 << 53 else number


_ESCAPE: Final = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{3}|.)")
_SHORT: Final = dict(zip("abfnrtv", "\a\b\f\n\r\t\v", strict=True))


def _go_string(text: str) -> str:
    """https://go.dev/ref/spec#String_literals"""

    def letter(found: re.Match[str]) -> str:
        what = found[1]
        if what[0] in "xuU" and len(what) > 1:
            return chr(int(what[1:], 16))
        return chr(int(what, 8)) if len(what) == 3 else _SHORT.get(what, what)

    return _ESCAPE.sub(letter, text)


def create_body(name: str, digest: str, carried: Mapping[str, object]) -> dict[str, object]:
    """The body for `/api/create`: weights of this digest, all else as it was."""
    stem = re.sub(r"[^A-Za-z0-9._-]+", "-", name)
    return {"model": name, "files": {f"{stem}.gguf": digest}, "stream": True, **carried}


def differs(base: Mapping[str, object], made: Mapping[str, object]) -> tuple[str, ...]:
    """Which of what is carried over is not the same in the copy."""
    keys = dict.fromkeys((*base, *made))
    return tuple(key for key in keys if _settled(base.get(key)) != _settled(made.get(key)))


def _settled(value: object) -> object:
    if isinstance(value, dict):
        return {key: sorted(map(repr, v)) if isinstance(v, list) else v for key, v in value.items()}
    return value.strip() if isinstance(value, str) else value


# Names of what Lull publishes

_PUBLISHED: Final = re.compile(r"(.+)-lull-v([1-9]\d{0,8})")


def published_name(model: str, number: int) -> str:
    return f"{canonical(model).removesuffix(':latest')}-lull-v{number}"


def is_published(name: str) -> bool:
    return published_number(name) > 0


def base_of_published(name: str) -> str:
    """The model that a published version was made from; another name is its own."""
    found = _PUBLISHED.fullmatch(canonical(name).removesuffix(":latest"))
    return found[1] if found else name


def published_number(name: str) -> int:
    """N of NAME-lull-vN; 0 for a name that is none."""
    found = _PUBLISHED.fullmatch(canonical(name).removesuffix(":latest"))
    return int(found[2]) if found else 0


def next_number(model: str, names: Sequence[str]) -> int:
    """Past every version of this model that anybody has."""
    stem = published_name(model, 1).removesuffix("1")
    plain = (canonical(name).removesuffix(":latest") for name in names)
    return 1 + max((published_number(one) for one in plain if one.startswith(stem)), default=0)


def _places(modelfile: str, word: str) -> tuple[str, ...]:
    """Paths in the lines that begin with the word, before the first long text. Quoted where they
    hold spaces."""
    head = re.split(r"^(?:TEMPLATE|SYSTEM|LICENSE|MESSAGE)\b", modelfile, maxsplit=1, flags=re.M)[0]
    found = re.findall(rf"^{word}\s+(.+?)\s*$", head, re.MULTILINE)
    return tuple(one.strip('"') for one in found)


def _count(value: object) -> int:
    return int(value) if isinstance(value, int | float) else 0
