"""Turns training examples into padded micro-batches of token arrays.

A row is a prompt with an answer. Only tokens that the model itself wrote are trained on; the hidden
states of all others are never turned into logits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
import numpy as np

from lull.core.training.examples import TokenIds


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingRow:
    """The tokens of one prompt followed by its answer; several such rows form a micro-batch."""

    ids: TokenIds
    places: TokenIds
    """Ascending indices into `ids` of the tokens that are trained on; each above 0."""

    @property
    def targets(self) -> TokenIds:
        """The ids of the answer's tokens, which the model is trained to predict."""
        return tuple(self.ids[place] for place in self.places)


def row(prompt_ids: TokenIds, ids: TokenIds, foreign: TokenIds = ()) -> TrainingRow:
    """Make a micro-batch row of a prompt and an answer with these token ids.

    `foreign` are indices into the answer of tokens that the model did not write; they are not
    trained on.
    """
    skipped, start = set(foreign), len(prompt_ids)
    places = tuple(start + place for place in range(len(ids)) if place not in skipped)
    return TrainingRow(ids=prompt_ids + ids, places=places)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class MicroBatch:
    """A micro-batch (the rows that are computed at once in a training step): R rows, padded on the
    right to T + 1 tokens.

    Attention is causal, so padding on the right changes no trained token.
    """

    indices: tuple[int, ...]
    """Indices of the micro-batch's rows among the step's rows."""
    ids_RT: Any
    """Input token ids, shape (R, T); a row's last token predicts nothing and is left out."""
    at_N: tuple[Any, Any]
    """(row, column) of the hidden state that predicts each trained token."""
    target_N: Any
    row_N: Any
    """Row index of each trained token."""
    tokens: int
    """Number of input tokens without padding."""

    @property
    def rows(self) -> int:
        """Number of rows R in the micro-batch."""
        return len(self.indices)


def micro_batches(rows: Sequence[TrainingRow], most_tokens: int) -> list[MicroBatch]:
    """Group rows (a row is a prompt with an answer) into micro-batches, sorted by length; rows
    without trained tokens are left out.

    Each micro-batch has at most `most_tokens`, padding included; a longer row gets one of its own.
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


def _micro(rows: Sequence[TrainingRow], indices: Sequence[int]) -> MicroBatch:
    chosen = [rows[index] for index in indices]
    width = max(len(one.ids) for one in chosen) - 1
    ids_RT = np.zeros((len(chosen), width), np.int32)
    for number, one in enumerate(chosen):
        ids_RT[number, : len(one.ids) - 1] = one.ids[:-1]
    row_N = np.repeat(np.arange(len(chosen)), [len(one.places) for one in chosen])
    column_N = np.concatenate([np.array(one.places) - 1 for one in chosen])
    return MicroBatch(
        indices=tuple(indices),
        ids_RT=mx.array(ids_RT),
        at_N=(mx.array(row_N), mx.array(column_N)),
        target_N=mx.array(np.concatenate([one.targets for one in chosen])),
        row_N=mx.array(row_N),
        tokens=sum(len(one.ids) - 1 for one in chosen),
    )


def expand_to_tokens(values: Sequence[float], micro: MicroBatch) -> Any:
    """Expand values per row (prompt with answer) to values per trained token of the micro-batch
    `micro`, shape (N,).

    Each token gets the value of its row; `values` has one value for each row of the step.
    """
    own_R: Any = mx.array([values[index] for index in micro.indices])
    return own_R[micro.row_N]


def concatenate_tokens(values: Sequence[Sequence[float]], micro: MicroBatch) -> mx.array:
    """Concatenate the per-token values of a micro-batch's rows into one array, shape (N,).

    `values` has the values for all rows of the step; those of other micro-batches are left out.
    """
    return mx.array(np.concatenate([values[index] for index in micro.indices]), dtype=mx.float32)


def row_sums(values_N: Any, micro: MicroBatch) -> mx.array:
    """Sum per-token values over each row (prompt with answer) of a micro-batch, shape (R,)."""
    return mx.zeros((micro.rows,)).at[micro.row_N].add(values_N)
