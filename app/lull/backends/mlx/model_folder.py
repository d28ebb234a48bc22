"""Checks that a folder holds a complete MLX model, with readable errors.

MLX reads weights lazily, and its errors about a truncated file name neither the file nor the
remedy. Each file is checked to exist and parse, and a safetensors file to be as long as its header
says.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lull.core.errors import EngineError

FALLBACK_WINDOW_TOKENS = 4096
"""Context window assumed for a model whose config gives none."""
_NO_HEADER = (
    *(OSError, ValueError, RecursionError),
    *(KeyError, TypeError, AttributeError, IndexError),
)
"""Exceptions that mean a safetensors header cannot be read."""
_COPY_AGAIN = "Copy or download the model again."


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFolder:
    """A folder of MLX weights that was checked to be complete."""

    path: Path
    window_tokens: int
    """Most tokens of prompt and answer together that the model supports."""
    size_bytes: int
    """Size of the weights in bytes."""


def check_model_folder(path: Path) -> ModelFolder:
    """Check that a folder holds a complete MLX model: configuration, tokenizer and weights.

    Raises EngineError naming the missing or damaged file.
    """
    if not path.is_dir():
        raise EngineError(
            f"There is no model folder at {path}.", hint="Choose another model in the settings."
        )
    config = read_json(path / "config.json")
    if "model_type" not in config:
        raise EngineError(f"{path / 'config.json'} names no model_type.", hint=_COPY_AGAIN)
    _check_words(path)
    weights = _weight_files(path)
    return ModelFolder(
        path=path,
        window_tokens=_window(config),
        size_bytes=sum(check_safetensors(file) for file in weights),
    )


_TOKENIZER_FILES = ("tokenizer.json", "tokenizer.model", "tiktoken.model", "vocab.json")


def _check_words(path: Path) -> None:
    """Check that the model folder has a tokenizer whose files are readable."""
    if not any((path / name).is_file() for name in _TOKENIZER_FILES):
        raise EngineError(f"There is no tokenizer.json in {path}.", hint=_COPY_AGAIN)
    tokenizer, settings = path / "tokenizer.json", path / "tokenizer_config.json"
    if tokenizer.is_file() and not isinstance(read_json(tokenizer).get("model"), dict):
        raise EngineError(f"{tokenizer} is damaged: it holds no vocabulary.", hint=_COPY_AGAIN)
    if settings.is_file():
        read_json(settings)
    template = path / "chat_template.jinja"
    try:
        if template.is_file():
            template.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise EngineError(f"{template} cannot be read.", hint=_COPY_AGAIN) from error


def _weight_files(path: Path) -> list[Path]:
    index = path / "model.safetensors.index.json"
    if index.is_file():
        places = read_json(index).get("weight_map")
        named = set(places.values()) if isinstance(places, dict) else set()
        files = [path / str(name) for name in sorted(named, key=str)]
    else:
        files = sorted(path.glob("model*.safetensors"))
    if not files:
        raise EngineError(f"There are no weights (model*.safetensors) in {path}.", hint=_COPY_AGAIN)
    return files


def _window(config: dict[str, Any]) -> int:
    inner = config.get("text_config")
    for source in (config, inner if isinstance(inner, dict) else {}):
        value = source.get("max_position_embeddings")
        if isinstance(value, int) and value > 0:
            return value
    return FALLBACK_WINDOW_TOKENS


def read_json(file: Path) -> dict[str, Any]:
    """Read a file that must hold a JSON object.

    Raises EngineError if it is missing, unreadable, or not an object.
    """
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise EngineError(f"There is no {file.name} in {file.parent}.", hint=_COPY_AGAIN) from error
    except (OSError, ValueError, RecursionError) as error:
        raise EngineError(f"{file} cannot be read as JSON.", hint=_COPY_AGAIN) from error
    if not isinstance(value, dict):
        raise EngineError(f"{file} is not a JSON object.", hint=_COPY_AGAIN)
    return value


def check_safetensors(file: Path) -> int:
    """Check that a safetensors file is as long as its header says, and return its size in bytes.

    Raises EngineError if the size does not match its header.

    Format: eight bytes of header length (little-endian), a JSON header with each tensor's
    data_offsets, then the data: https://huggingface.co/docs/safetensors
    """
    try:
        size = file.stat().st_size
        with file.open("rb") as stream:
            (length,) = struct.unpack("<Q", stream.read(8).ljust(8, b"\xff"))
            header = json.loads(stream.read(length)) if length < size else {}
        ends = [int(one["data_offsets"][1]) for key, one in header.items() if key != "__metadata__"]
        wanted = 8 + length + max(ends)
    except FileNotFoundError as error:
        raise EngineError(f"There is no {file.name} in {file.parent}.", hint=_COPY_AGAIN) from error
    except _NO_HEADER as error:
        raise EngineError(
            f"{file} is damaged: its header cannot be read.", hint=_COPY_AGAIN
        ) from error
    if size < wanted:
        raise EngineError(f"{file} is cut short: {size} of {wanted} bytes.", hint=_COPY_AGAIN)
    return size
