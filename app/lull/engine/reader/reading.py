"""Runs the feedback reader on batches of users' messages, and returns calibrated probabilities of
what each message says about the answer before it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import mlx.core as mx

from lull.contract.json_object import Json
from lull.core.feedback.exchange import Exchange
from lull.engine.reader.length import batches_by_length, shorten_exchange
from lull.engine.reader.loading import LoadedReader
from lull.engine.reader.net import batch_of, encode

_SURROGATES: Final = re.compile("[\ud800-\udfff]")
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
"""Control characters, which nobody sees: all but tabs and line breaks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Logits:
    """The feedback reader's outputs (log-odds) for one message, before calibration: for each label,
    each class, and each sentence of the message.
    """

    labels: tuple[float, ...]
    classes: tuple[float, ...]
    sentences: tuple[float | None, ...]
    """Log-odds that each sentence of the message states a rule for answers; None for sentences cut
    from a long message.
    """


def logits_of(reader: LoadedReader, exchanges: Sequence[Exchange]) -> list[Logits]:
    """Run the feedback reader on exchanges (question, answer, next message) and return its
    uncalibrated outputs, in order.
    """
    marks = reader.net.shape.turn_marks
    whole = [encode(reader.tokenizer, cleaned(exchange), marks) for exchange in exchanges]
    cut = [shorten_exchange(one) for one in whole]
    found: dict[int, Logits] = {}
    for picks in batches_by_length([encoded for encoded, _ in cut]):
        said = reader.net(batch_of([cut[i][0] for i in picks]))
        mx.eval(said)
        values: list[Any] = [array.tolist() for array in said]
        labels_BL, classes_BK, sentence_BS = values
        for row, i in enumerate(picks):
            seen = dict(zip(cut[i][1], sentence_BS[row], strict=False))
            found[i] = Logits(
                labels=tuple(labels_BL[row]),
                classes=tuple(classes_BK[row]),
                sentences=tuple(seen.get(at) for at in range(len(whole[i].spans))),
            )
    return [found[i] for i in range(len(cut))]


def read(reader: LoadedReader, exchanges: Sequence[Exchange]) -> list[Json]:
    """Classify what the user's message in each exchange (question, answer, next message) says of
    the answer.

    Returns calibrated probabilities, in order: `{"labels": {name: p}, "classes": {name: p},
    "stated": [p]}`, with one p in `stated` for each sentence of the message.
    """
    return [_calibrated(reader, one) for one in logits_of(reader, exchanges)]


def _calibrated(reader: LoadedReader, said: Logits) -> Json:
    shape = reader.net.shape
    return {
        "labels": {
            name: _p(reader, name, z) for name, z in zip(shape.labels, said.labels, strict=True)
        },
        "classes": dict(
            zip(shape.classes, _shares(said.classes, reader.files.temperature), strict=True)
        ),
        "stated": [0.0 if z is None else _p(reader, "sentence", z) for z in said.sentences],
    }


def _shares(logits_K: Sequence[float], temperature: float) -> list[float]:
    largest = max(logits_K)
    weights = [math.exp((z - largest) / temperature) for z in logits_K]
    return [weight / sum(weights) for weight in weights]


def _p(reader: LoadedReader, name: str, z: float) -> float:
    a, b = reader.files.calibration[name]
    return 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, a * z + b))))


def cleaned(exchange: Exchange) -> Exchange:
    """Return an exchange (question, answer, next message) as a person would see it: without control
    characters, and with lone surrogates, which tokenizers reject, replaced.
    """
    asked, answer, said = (
        _CONTROLS.sub("", _SURROGATES.sub("\ufffd", text))
        for text in (exchange.asked, exchange.answer, exchange.said)
    )
    return Exchange(asked=asked, answer=answer, said=said)
