"""Defines and parses the text of the files in a training run's folder, by which the service tells
the trainer what to train.

    RUN/spec.json       {"format": 1, "id", "kind", "model", …, "grpo" | "kto" | "graduation": {…}}
    RUN/batch.jsonl     one example per line, each with its "type"
    RUN/events.jsonl    one event per line
    RUN/checkpoints/    step-000012/ {adapters.safetensors, adapter_config.json,
                        optimizer.safetensors, state.json}; private to the trainer
    RUN/adapter/        when finished: adapters.safetensors and adapter_config.json, as in mlx-lm

A missing key of the specification has the default of its dataclass. An unknown key is an error,
because a misspelt one would otherwise train something else.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from types import NoneType, UnionType
from typing import Final, TypeVar, Union, get_args, get_origin, get_type_hints

from lull.core.errors import TrainingError
from lull.core.training.examples import (
    Example,
    GraduationExample,
    Group,
    RecordedAnswer,
    ReplayExample,
    SampledAnswer,
    TokenIds,
)
from lull.core.training.spec import FORMAT, TERMS, Lora, RunKind, RunSpec

SPEC: Final = "spec.json"
BATCH: Final = "batch.jsonl"
EVENTS: Final = "events.jsonl"
CHECKPOINTS: Final = "checkpoints"
ADAPTER: Final = "adapter"
WEIGHTS: Final = "adapters.safetensors"
CONFIG: Final = "adapter_config.json"
LARGEST_ID: Final = 2**31 - 1

T = TypeVar("T")
_MAKE_RUN_AGAIN: Final = "Make the run again."
_TYPES: Final[dict[str, type[Example]]] = {
    "group": Group,
    "answer": RecordedAnswer,
    "graduation": GraduationExample,
    "replay": ReplayExample,
}
_LEARNED: Final[dict[RunKind, type[Example]]] = {
    RunKind.GRPO: Group,
    RunKind.KTO: RecordedAnswer,
    RunKind.GRADUATION: GraduationExample,
}


def spec_text(spec: RunSpec) -> str:
    """Return the text of `spec.json`, the file with a training run's specification, which
    `read_spec` parses.
    """
    values = asdict(spec)
    terms = values.pop("terms")
    return json.dumps({"format": FORMAT, **values, spec.kind.value: terms}, indent=2) + "\n"


def read_spec(text: str) -> RunSpec:
    """Parse the text of `spec.json`, the file with a training run's specification. Raises
    TrainingError, which names the key that cannot be used.
    """
    where = "spec.json"
    value = _object(text, where)
    if value.pop("format", FORMAT) != FORMAT:
        raise _bad(where, f"is not of format {FORMAT}", hint="It was made by another Lull.")
    kind = _read(RunKind, value.get("kind"), f"{where}: kind")
    terms = _noun(TERMS[kind], value.pop(kind.value, {}), f"{where}: {kind.value}")
    lora = _noun(Lora, value.pop("lora", {}), f"{where}: lora")
    return _noun(RunSpec, value, where, ready={"terms": terms, "lora": lora})


def example_line(example: Example) -> str:
    """Return a training example as one line of JSON for the file `batch.jsonl`, without the line
    end and empty fields.
    """
    name = next(name for name, kind in _TYPES.items() if isinstance(example, kind))
    return json.dumps({"type": name, **_lean(asdict(example))}, separators=(",", ":"))


def read_example(line: str, where: str = BATCH) -> Example:
    """Parse one training example, a line of the file `batch.jsonl`. Raises TrainingError that says
    what is wrong; `where` names the line in its message.
    """
    value = _object(line, where)
    name = value.pop("type", None)
    kind = _TYPES.get(name) if isinstance(name, str) else None
    if kind is None:
        raise _bad(where, f"has the unknown type {name!r}")
    if kind is Group:
        samples = value.pop("samples", None)
        if not isinstance(samples, list):
            raise _bad(where, "has no list of samples")
        read = tuple(_noun(SampledAnswer, sample, f"{where}: a sample") for sample in samples)
        return _checked(_noun(Group, value, where, ready={"samples": read}), where)
    return _checked(_noun(kind, value, where), where)


def read_batch(lines: Iterable[str], kind: RunKind) -> tuple[Example, ...]:
    """Parse the text of `batch.jsonl`, the file with a training run's examples, in order; blank
    lines are skipped.

    Raises TrainingError for a line that cannot be read, or that belongs to another kind of run.
    """
    read = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        where = f"{BATCH}, line {number}"
        example = read_example(line, where)
        if not isinstance(example, _LEARNED[kind] | ReplayExample):
            raise _bad(where, f"is nothing that a {kind} run learns from")
        read.append(example)
    return tuple(read)


def _checked(example: Example, where: str) -> Example:
    match example:
        case Group(samples=samples):
            for sample in samples:
                _check_answer(sample.ids, sample.foreign, where)
                if len(sample.logprobs) != len(sample.ids):
                    raise _bad(where, "has a sample with not as many logprobs as ids")
        case RecordedAnswer() | ReplayExample():
            _check_answer(example.ids, example.foreign, where)
        case GraduationExample():
            _check_ids(example.teacher_ids, "teacher_ids", where)
            _check_ids(example.sample_ids, "sample_ids", where, or_none=True)
    _check_ids(example.prompt_ids, "prompt_ids", where)
    return example


def _check_answer(ids: TokenIds, foreign: TokenIds, where: str) -> None:
    _check_ids(ids, "ids", where)
    if any(not 0 <= place < len(ids) for place in foreign):
        raise _bad(where, "has a foreign place outside its ids")


def _check_ids(ids: TokenIds, name: str, where: str, *, or_none: bool = False) -> None:
    if not ids and not or_none:
        raise _bad(where, f"has no {name}")
    if any(not 0 <= token <= LARGEST_ID for token in ids):
        raise _bad(where, f"has {name} that are not token ids")


def _lean(value: dict[str, object]) -> dict[str, object]:
    out: dict[str, object] = {}
    for name, one in value.items():
        if name == "samples" and isinstance(one, tuple):
            out[name] = [_lean(sample) for sample in one]
        elif one != () or name == "ids":
            out[name] = one
    return out


# Parsing JSON into dataclasses


def _object(text: str, where: str) -> dict[str, object]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise _bad(where, "is not JSON") from None
    if not isinstance(value, dict):
        raise _bad(where, "is not a JSON object")
    return value


def _noun(
    kind: type[T], value: object, where: str, *, ready: Mapping[str, object] | None = None
) -> T:
    """Builds a dataclass from `value`'s keys, each of its declared type."""
    if not isinstance(value, dict):
        raise _bad(where, "is not a JSON object")
    hints = get_type_hints(kind)
    names = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    for name in value:
        if name not in names or (ready and name in ready):
            raise _bad(where, f"has the unknown key {name!r}")
    read = {name: _read(hints[name], one, f"{where}: {name}") for name, one in value.items()}
    try:
        return kind(**read, **(ready or {}))
    except TypeError as error:
        missing = str(error).partition("argument")[2].strip("s: ")
        raise _bad(where, f"lacks {missing or error}") from None


def _read(hint: type[T], value: object, where: str) -> T:
    """The value as its type. An int is accepted as a float; true is no number."""
    if get_origin(hint) in (Union, UnionType):
        choices = [choice for choice in get_args(hint) if choice is not NoneType]
        if value is None and len(choices) < len(get_args(hint)):
            return None  # type: ignore[return-value]
        (hint,) = choices
    if get_origin(hint) is tuple and isinstance(value, list):
        inner = get_args(hint)[0]
        return tuple(_read(inner, one, where) for one in value)  # type: ignore[return-value]
    if hint is RunKind and isinstance(value, str) and value in set(RunKind):
        return RunKind(value)  # type: ignore[return-value]
    if hint is float and isinstance(value, int | float) and not isinstance(value, bool):
        return _finite(float(value), where)  # type: ignore[return-value]
    if hint in (int, str, bool) and type(value) is hint:
        return value
    shown = json.dumps(value)[:60]
    raise _bad(where, f"is {shown}, which is not of type {getattr(hint, '__name__', hint)}")


def _finite(value: float, where: str) -> float:
    if not math.isfinite(value):
        raise _bad(where, "is not a finite number")
    return value


def _bad(where: str, what: str, *, hint: str = _MAKE_RUN_AGAIN) -> TrainingError:
    return TrainingError(f"{where}: {what}.", hint=hint)
