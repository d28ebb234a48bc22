"""Ollama's description of a model, and the request that creates a copy of it with other weights.

Everything that `/api/show` returns besides the weights is carried over. Field names are Ollama's
(api/types.go, server/routes.go of 0.24).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from lull.core.chat.model_name import canonical
from lull.core.errors import WeightsError

CARRIED_TEXTS: Final = ("template", "system", "license", "renderer", "parser", "requires")
"""Text fields of `/api/show` that `/api/create` takes under the same name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedModel:
    """A model as it stands in Ollama's list of installed models."""

    name: str
    digest: str
    """sha256 of the listed model's manifest, 64 hexadecimal digits."""
    size_bytes: int
    remote: bool
    """Whether Ollama runs the model on another machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownModel:
    """A model as Ollama describes it when it is asked about this one."""

    name: str
    architecture: str
    parameters: int
    format: str
    """Format of the weights: `gguf` or `safetensors`."""
    capabilities: tuple[str, ...]
    blobs: tuple[str, ...]
    """Paths of the model's weight files on Ollama's machine; a second file is a projector."""
    adapters: tuple[str, ...]
    remote: bool
    facts: Mapping[str, float] = field(default_factory=dict)
    """Numbers from Ollama's `model_info` without the architecture prefix: `block_count`, …"""
    create_fields: Mapping[str, object] = field(default_factory=dict)
    """The fields that a copy of the model takes over, in the form of `/api/create`."""

    @property
    def blob_sha256(self) -> str:
        """sha256 of the model's weights file; "" if there is none."""
        found = re.search(r"sha256[-:]([0-9a-f]{64})$", self.blobs[0]) if self.blobs else None
        return found[1] if found else ""


def shown_model(name: str, answer: Mapping[str, object]) -> ShownModel:
    """Parse Ollama's reply to `/api/show`, the description of a model. Raises WeightsError if the
    reply is empty.
    """
    info, details = answer.get("model_info"), answer.get("details")
    info = info if isinstance(info, dict) else {}
    details = details if isinstance(details, dict) else {}
    if not info and not details:
        raise WeightsError(f"Ollama gives no information about {name}.")
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
        create_fields=create_fields(answer),
    )


def create_fields(answer: Mapping[str, object]) -> dict[str, object]:
    """Return a model's template, system text, parameters and so on from Ollama's description, in
    the form that `/api/create` takes, so that a copy of the model can be made with other weights.
    """
    texts = {key: answer[key] for key in CARRIED_TEXTS if isinstance(answer.get(key), str)}
    found: dict[str, object] = {key: text for key, text in texts.items() if text}
    if parameters := parsed_parameters(str(answer.get("parameters", ""))):
        found["parameters"] = parameters
    messages = answer.get("messages")
    if isinstance(messages, list) and messages:
        found["messages"] = messages
    return found


_LINE: Final = re.compile(r"^(\S+)\s+(.*)$", re.MULTILINE)


def parsed_parameters(text: str) -> dict[str, object]:
    """Parse the text of Ollama's model parameters: one value per line, in Go's syntax; a repeated
    key makes a list.
    """
    found: dict[str, object] = {}
    for key, value in _LINE.findall(_joined(text)):
        parsed = _go_value(value)
        if key not in found:
            # Ollama always takes `stop` as a list, even with one value.
            found[key] = [parsed] if key == "stop" else parsed
        else:
            before = found[key]
            found[key] = [*(before if isinstance(before, list) else [before]), parsed]
    return found


def _joined(text: str) -> str:
    """Put a raw Go string in backticks, which may span lines, on one line."""
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
    """Unescapes a Go string (https://go.dev/ref/spec#String_literals)."""

    def letter(found: re.Match[str]) -> str:
        what = found[1]
        if what[0] in "xuU" and len(what) > 1:
            return chr(int(what[1:], 16))
        return chr(int(what, 8)) if len(what) == 3 else _SHORT.get(what, what)

    return _ESCAPE.sub(letter, text)


def create_body(name: str, digest: str, fields: Mapping[str, object]) -> dict[str, object]:
    """Return the body of the `/api/create` request that makes a model with the weights of this
    digest; everything else is as in `fields`, the description of the original.
    """
    stem = re.sub(r"[^A-Za-z0-9._-]+", "-", name)
    return {"model": name, "files": {f"{stem}.gguf": digest}, "stream": True, **fields}


def differing_fields(base: Mapping[str, object], made: Mapping[str, object]) -> tuple[str, ...]:
    """Return the names of the fields of Ollama's model description that differ between a model and
    its copy.
    """
    keys = dict.fromkeys((*base, *made))
    return tuple(key for key in keys if _settled(base.get(key)) != _settled(made.get(key)))


def _settled(value: object) -> object:
    if isinstance(value, dict):
        return {key: sorted(map(repr, v)) if isinstance(v, list) else v for key, v in value.items()}
    return value.strip() if isinstance(value, str) else value


# Names of published versions

_PUBLISHED: Final = re.compile(r"(.+)-lull-v([1-9]\d{0,8})")


def published_name(model: str, number: int) -> str:
    """Return the name under which Lull publishes a version of a model in Ollama."""
    return f"{canonical(model).removesuffix(':latest')}-lull-v{number}"


def is_published(name: str) -> bool:
    """Return whether a model's name is that of a version that Lull has published."""
    return published_number(name) > 0


def base_of_published(name: str) -> str:
    """Return the name of the original model, given the name of a trained copy that Lull put into
    Ollama (NAME-lull-vN). Any other name is returned unchanged.
    """
    found = _PUBLISHED.fullmatch(canonical(name).removesuffix(":latest"))
    return found[1] if found else name


def published_number(name: str) -> int:
    """Return the version number N in a name NAME-lull-vN, under which Lull puts trained copies of a
    model into Ollama; 0 for any other name.
    """
    found = _PUBLISHED.fullmatch(canonical(name).removesuffix(":latest"))
    return int(found[2]) if found else 0


def next_number(model: str, names: Sequence[str]) -> int:
    """Return the version number for the next trained copy of this model that Lull puts into Ollama,
    above all existing ones.
    """
    stem = published_name(model, 1).removesuffix("1")
    plain = (canonical(name).removesuffix(":latest") for name in names)
    return 1 + max((published_number(one) for one in plain if one.startswith(stem)), default=0)


def _places(modelfile: str, word: str) -> tuple[str, ...]:
    """Find the paths in lines of a Modelfile that begin with this word, before the first long text;
    paths with spaces are quoted.
    """
    head = re.split(r"^(?:TEMPLATE|SYSTEM|LICENSE|MESSAGE)\b", modelfile, maxsplit=1, flags=re.M)[0]
    found = re.findall(rf"^{word}\s+(.+?)\s*$", head, re.MULTILINE)
    return tuple(one.strip('"') for one in found)


def _count(value: object) -> int:
    return int(value) if isinstance(value, int | float) else 0
