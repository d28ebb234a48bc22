"""From examples to arrays: which tokens a row has, which are trained on, what goes together.

A row is a prompt with an answer. Only the places of tokens that the model itself wrote are
looked at; the hidden states of all others are never turned into logits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
import numpy as np

from lull.core.training_examples import Ids


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    ids: Ids
    places: Ids
    """Indices into `ids` of the tokens that are trained on; each above 0, in order."""

    @property
    def targets(self) -> Ids:
        return tuple(self.ids[place] for place in self.places)


def row(prompt_ids: Ids, ids: Ids, foreign: Ids = ()) -> Row:
    """The answer `ids` after its prompt, but for the `foreign` places of the answer."""
    skipped, start = set(foreign), len(prompt_ids)
    places = tuple(start + place for place in range(len(ids)) if place not in skipped)
    return Row(ids=prompt_ids + ids, places=places)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Micro:
    """What goes through the model at once: R rows, padded on the right to T + 1 tokens.

    Attention looks back only, so padding on the right changes nothing that is looked at.
    """

    indices: tuple[int, ...]
    """Which of the step's rows these are."""
    ids_RT: Any
    """Inputs; the last token of a row predicts nothing and is left out."""
    at_N: tuple[Any, Any]
    """(row, column) of the hidden state that predicts each trained token."""
    target_N: Any
    row_N: Any
    """Which of the R rows a trained token is in."""
    tokens: int
    """Without padding."""

    @property
    def rows(self) -> int:
        return len(self.indices)


def micros(rows: Sequence[Row], most_tokens: int) -> list[Micro]:
    """All rows with anything to train on, in a fixed order, alike in length where they meet.

    Each micro-batch has at most `most_tokens` with its padding; a longer row goes alone.
    """
    order = sorted(
        (index for index, one in enumerate(rows) if one.places),
        key=lambda index: (len(rows[index].ids), index),
    )
    packs: list[list[int]] = []
    for index in order:
        length = len(rows[index].ids) - 1
        if packs and length * (len(packs[-1]) + 1) <= most_tokens:
            packs[-1].append(index)
        else:
            packs.append([index])
    return [_micro(rows, pack) for pack in packs]


def _micro(rows: Sequence[Row], indices: Sequence[int]) -> Micro:
    chosen = [rows[index] for index in indices]
    width = max(len(one.ids) for one in chosen) - 1
    ids_RT = np.zeros((len(chosen), width), np.int32)
    for number, one in enumerate(chosen):
        ids_RT[number, : len(one.ids) - 1] = one.ids[:-1]
    row_N = np.repeat(np.arange(len(chosen)), [len(one.places) for one in chosen])
    column_N = np.concatenate([np.array(one.places) - 1 for one in chosen])
    return Micro(
        indices=tuple(indices),
        ids_RT=mx.array(ids_RT),
        at_N=(mx.array(row_N), mx.array(column_N)),
        target_N=mx.array(np.concatenate([one.targets for one in chosen])),
        row_N=mx.array(row_N),
        tokens=sum(len(one.ids) - 1 for one in chosen),
    )


def spread(values: Sequence[float], micro: Micro) -> Any:
    """One value a row of the step → one a trained token of the micro-batch, shape (N,)."""
    own_R: Any = mx.array([values[index] for index in micro.indices])
    return own_R[micro.row_N]


def joined(values: Sequence[Sequence[float]], micro: Micro) -> mx.array:
    """One value a trained token of each row of the step → those of the micro-batch, shape (N,)."""
    return mx.array(np.concatenate([values[index] for index in micro.indices]), dtype=mx.float32)


def row_sums(values_N: Any, micro: Micro) -> mx.array:
    """Summed over each row's tokens, shape (R,)."""
    return mx.zeros((micro.rows,)).at[micro.row_N].add(values_N)
