"""`python -m bench.kinds.train --vectors FILE`: trains the classifier in `resources/kinds`.

Three steps: word vectors cut to 192 dimensions; a softmax over kinds of request, learned together
with the words' vectors and the weight that each has, six times and averaged; and seven weights that
say how likely a rule holds for a request. Whole people are kept apart to measure and to set those
weights; what is shipped has learned from all. Seeded; some minutes on one core.
"""

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bench.kinds.measures import likelihoods, mixed, recall_at
from bench.report import ROOT
from lull.backends.reader.request_kinds import (
    KINDS_FILE,
    NUMBER,
    OPENER,
    VECTORS_FILE,
    KindVocabulary,
    opening_words,
)

HERE = Path(__file__).parent
DEV = (
    "berlin_student",
    "chatty_nan",
    "data_scientist",
    "french_baker",
    "german_handy",
    "grandfather_letters",
    "harried_mum",
    "latino_dev",
    "lawyer_formal",
    "mexican_architect",
    "midwife",
    "neighbour_3",
    "neighbour_8",
    "ops_engineer",
    "small_farmer",
)
SIGNS = "?!.,:;'\"()[]{}<>=+-*/\\|_#@$%&`~^€£«»“”„…–¿¡"
DIMENSIONS = 192
SEEDS = 6
EPOCHS, BATCH = 8, 128
RATE_WORDS, RATE_HEAD = 0.003, 0.02
DROPPED_SHARE = 0.3
"""Share of a request's words dropped in each training round, so that no single word decides
alone.
"""
SMOOTH = 0.1
BAGS_PER_KIND = 25
"""Artificial requests per kind and round, made of a kind's own words; they count half."""
LEAST_OPENED_REQUESTS = 5
"""Number of requests that must begin with a word before it becomes an opening-word feature."""
COMMON_FREQUENCY = 1e-3
"""Word frequency at which a word's weight is one half (Arora et al., ICLR 2017)."""
SHARPNESS = 12.0

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Item:
    places: list[int]
    kind: int
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Learned:
    words: Floats
    """Word vectors multiplied by their learned weights, shape (words, dimensions)."""
    head: Floats
    bias: Floats


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench.kinds.train", description=__doc__)
    parser.add_argument("--vectors", type=Path, required=True, help="of bench.kinds.vectors")
    parser.add_argument("--out", type=Path, default=ROOT / "resources" / "kinds")
    parser.add_argument(
        "--apart", action="store_true", help="write what has not seen the people kept apart"
    )
    args = parser.parse_args(argv)
    began = time.monotonic()
    lines = _lines("requests.jsonl")
    words, vectors, weights = _given(args.vectors, _openers([one["request"] for one in lines]))
    vocabulary = KindVocabulary(words)
    kinds = [*dict.fromkeys(line["kind"] for line in lines)]
    items = [_item(vocabulary, one["request"], kinds.index(one["kind"])) for one in lines]
    dev = np.array([line["person"] in DEV for line in lines])
    topics = [
        [vocabulary.word_indexes(word) for word in line["words"].split()]
        for line in sorted(_lines("words.jsonl"), key=lambda line: kinds.index(line["kind"]))
    ]
    cut = _cut(vectors, weights, items)
    apart = _mean([i for i, held in zip(items, dev, strict=True) if not held], topics, cut, weights)
    held = [item for item, out in zip(items, dev, strict=True) if out]
    people = [line["person"] for line, out in zip(lines, dev, strict=True) if out]
    said = [
        Item(vocabulary.word_indexes(line["said"]), kinds.index(line["kind"]))
        for line in _lines("rules.jsonl")
    ]
    read = [_read(apart, item.places) for item in held]
    right = np.array([item.kind for item in held])
    order = np.array([kinds_ for _, kinds_ in read]).argsort(1)[:, ::-1]
    print(f"kind right: {(order[:, 0] == right).mean():.3f}", end=", ")
    print(f"among three: {(order[:, :3] == right[:, None]).any(1).mean():.3f}")
    seen, holds = likelihoods(
        [(one, item.kind, who) for one, item, who in zip(read, held, people, strict=True)],
        [(_read(apart, item.places), item.kind) for item in said],
    )
    mix = mixed(seen, holds)
    for share in (0.03, 0.05, 0.1):
        floor, recall = recall_at(seen, holds, mix, share)
        print(f"of rules that hold {recall:.3f} at {share:.0%} of the others, floor {floor:.2f}")
    final = apart if args.apart else _mean(items, topics, cut, weights)
    _write(args.out, words, kinds, final, mix)
    print(f"{time.monotonic() - began:.0f} s")
    return 0


def _lines(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (HERE / name).read_text("utf-8").splitlines()]


def _item(vocabulary: KindVocabulary, request: str, kind: int) -> Item:
    return Item([*vocabulary.word_indexes(request), *vocabulary.opening_indexes(request)], kind)


def _openers(requests: Sequence[str]) -> list[str]:
    """Return the words that begin at least LEAST_OPENED_REQUESTS requests, as features."""
    counted = Counter(word for text in requests for word in opening_words(text))
    return [OPENER + word for word, count in counted.items() if count >= LEAST_OPENED_REQUESTS]


def _given(file: Path, openers: Sequence[str]) -> tuple[list[str], Floats, Floats]:
    """Load words, centred vectors and weights; punctuation and opening-word features start as zero
    vectors.
    """
    with np.load(file) as saved:
        words = [str(word) for word in saved["words"]]
        vectors = saved["vectors"].astype(np.float32)
        frequency = np.exp(np.maximum(saved["scores"], -16.0))
    signs = [*(f"<{sign}>" for sign in SIGNS), NUMBER, *openers]
    vectors = np.concatenate([vectors - vectors.mean(0), np.zeros((len(signs), vectors.shape[1]))])
    weights = np.concatenate(
        [COMMON_FREQUENCY / (COMMON_FREQUENCY + frequency), np.full(len(signs), 0.5)]
    )
    return [*words, *signs], vectors.astype(np.float32), weights.astype(np.float32)


def _cut(vectors: Floats, weights: Floats, items: Sequence[Item]) -> Floats:
    """Reduce the word vectors to the directions in which requests differ most, with a little weight
    on words.
    """
    sums = np.array(
        [weights[i.places] @ vectors[i.places] / weights[i.places].sum() for i in items if i.places]
    )
    spread = sums.T @ sums / len(sums) + 0.03 * vectors.T @ vectors / len(vectors)
    axes = np.linalg.eigh(spread)[1][:, ::-1][:, :DIMENSIONS]
    cut = vectors @ axes
    found: Floats = (cut / np.linalg.norm(cut, axis=1).mean()).astype(np.float32)
    return found


def _mean(
    items: Sequence[Item], topics: Sequence[Sequence[list[int]]], cut: Floats, weights: Floats
) -> Learned:
    each = [_learn(items, topics, cut, weights, seed) for seed in range(SEEDS)]
    return Learned(
        np.mean([one.words for one in each], 0),
        np.mean([one.head for one in each], 0),
        np.mean([one.bias for one in each], 0),
    )


def _learn(
    items: Sequence[Item],
    topics: Sequence[Sequence[list[int]]],
    cut: Floats,
    weights: Floats,
    seed: int,
) -> Learned:
    """Train by cross-entropy with smoothed labels and Adam; vectors of words that occur in no text
    stay unchanged.
    """
    rng = np.random.default_rng(seed)
    words = cut * weights[:, None]
    given = [item for item in items if item.places]
    head, bias = _start([*given, *_bags(topics, rng, 40, 4, 0.4)], words, len(topics))
    steps = {"words": _Adam(words, RATE_WORDS), "head": _Adam(head, RATE_HEAD)}
    steps["bias"] = _Adam(bias, RATE_HEAD)
    for _ in range(EPOCHS):
        mixed_in = [*given, *_bags(topics, rng, BAGS_PER_KIND, int(rng.integers(2, 7)), 0.5)]
        order = rng.permutation(len(mixed_in))
        for at in range(0, len(order), BATCH):
            batch = [mixed_in[place] for place in order[at : at + BATCH]]
            _step(batch, words, head, bias, steps, weights, rng)
    return Learned(words, head, bias)


def _bags(
    topics: Sequence[Sequence[list[int]]],
    rng: np.random.Generator,
    each: int,
    size: int,
    weight: float,
) -> list[Item]:
    found = []
    for kind, words in enumerate(topics):
        for _ in range(each):
            places = [p for at in rng.choice(len(words), size) for p in words[at]]
            if places:
                found.append(Item(places, kind, weight))
    return found


def _start(items: Sequence[Item], words: Floats, kinds: int) -> tuple[Floats, Floats]:
    """Return initial weights from ridge regression, which are close to the final ones."""
    seen = np.array([_unit(words[item.places].sum(0)) for item in items])
    weight = np.array([item.weight for item in items])[:, None]
    aim = np.eye(kinds)[[item.kind for item in items]] - 1 / kinds
    middle = (seen * weight).sum(0) / weight.sum()
    off = seen - middle
    head = np.linalg.solve(
        off.T @ (off * weight) + 2 * np.eye(words.shape[1]), off.T @ (aim * weight)
    )
    head *= SHARPNESS
    return head.astype(np.float32), (-(middle @ head)).astype(np.float32)


class _Adam:
    """The Adam optimiser (Kingma & Ba, ICLR 2015) for whole arrays or some rows, with 20 warm-up
    steps.
    """

    def __init__(self, values: Floats, rate: float) -> None:
        self._values, self._rate, self._steps = values, rate, 0
        self._first, self._second = np.zeros_like(values), np.zeros_like(values)

    def __call__(self, gradient: Floats, rows: npt.NDArray[np.int64] | slice) -> None:
        self._steps += 1
        self._first[rows] = 0.9 * self._first[rows] + 0.1 * gradient
        self._second[rows] = 0.99 * self._second[rows] + 0.01 * gradient**2
        pace = self._rate * min(1.0, self._steps / 20)
        self._values[rows] -= pace * self._first[rows] / (np.sqrt(self._second[rows]) + 1e-6)


def _step(
    batch: Sequence[Item],
    words: Floats,
    head: Floats,
    bias: Floats,
    steps: dict[str, _Adam],
    weights: Floats,
    rng: np.random.Generator,
) -> None:
    kept = [_some(item.places, rng) for item in batch]
    places = np.concatenate(kept)
    text = np.repeat(np.arange(len(batch)), [len(one) for one in kept])
    starts = np.flatnonzero(np.diff(text, prepend=-1))
    sums = np.add.reduceat(words[places], starts, axis=0)
    length = np.linalg.norm(sums, axis=1, keepdims=True) + 1e-6
    seen = sums / length
    aim = np.full((len(batch), len(bias)), SMOOTH / len(bias), np.float32)
    aim[np.arange(len(batch)), [item.kind for item in batch]] += 1 - SMOOTH
    importance = np.array([item.weight for item in batch], np.float32)[:, None]
    off = (softmax(seen @ head + bias) - aim) * importance / len(batch)
    on_seen = off @ head.T
    on_sums = (on_seen - seen * (on_seen * seen).sum(1, keepdims=True)) / length
    rows, where = np.unique(places, return_inverse=True)
    on_words = np.zeros((len(rows), words.shape[1]), np.float32)
    np.add.at(on_words, where, on_sums[text])
    # Adam forgets how large a gradient is; a word that says little must move little.
    before = words[rows].copy()
    steps["words"](on_words, rows)
    words[rows] = before + (words[rows] - before) * weights[rows, None]
    steps["head"](seen.T @ off + 1e-3 * head, slice(None))
    steps["bias"](off.sum(0), slice(None))


def _some(places: Sequence[int], rng: np.random.Generator) -> npt.NDArray[np.int64]:
    every = np.array(places)
    kept = every[rng.random(len(every)) > DROPPED_SHARE]
    return kept if len(kept) else every


def softmax(scores: Floats) -> Floats:
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    found: Floats = powers / powers.sum(-1, keepdims=True)
    return found


def _unit(vector: Floats) -> Floats:
    found: Floats = vector / (np.linalg.norm(vector) or 1.0)
    return found


def _read(learned: Learned, places: Sequence[int]) -> tuple[Floats, Floats]:
    vector = _unit(learned.words[places].sum(0) if places else np.zeros(DIMENSIONS, np.float32))
    return vector, softmax(vector @ learned.head + learned.bias)


def _write(
    folder: Path, words: Sequence[str], kinds: Sequence[str], learned: Learned, mix: Floats
) -> None:
    """Write the classifier's files: 8-bit numbers with one scale per word."""
    scales = np.abs(learned.words).max(1) / 127
    scales[scales == 0] = 1.0
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(
        folder / KINDS_FILE,
        words=np.frombuffer("\n".join(words).encode(), np.uint8),
        kinds=np.frombuffer("\n".join(kinds).encode(), np.uint8),
        scales=scales.astype(np.float32),
        head=learned.head.astype(np.float16),
        bias=learned.bias.astype(np.float16),
        mix=mix.astype(np.float32),
    )
    np.save(folder / VECTORS_FILE, np.round(learned.words / scales[:, None]).astype(np.int8))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
