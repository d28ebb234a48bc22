"""How well rules are told from each other: what a likelihood is made of, and how it is weighed."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from lull.backends.request_kinds import features, shelved

Floats = npt.NDArray[np.float32]
Read = tuple[Floats, Floats]
EXAMPLES = 4
"""Requests that each rule is tried with as the one it was said after."""
OTHERS = 0.12
"""Of the requests of other kinds, so many are looked at for each rule and example."""


def likelihoods(
    requests: Sequence[tuple[Read, int, str]], rules: Sequence[tuple[Read, int]]
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """What is seen of each pair of a rule and a request, and whether the rule holds for it: it
    does for the same kind of request by another person."""
    rng = np.random.default_rng(0)
    vectors = np.array([vector for (vector, _), _, _ in requests])
    likely = np.array([kinds for (_, kinds), _, _ in requests])
    kind = np.array([kind for _, kind, _ in requests])
    person = np.array([who for _, _, who in requests])
    seen, holds = [], []
    for (said, said_kinds), wanted in rules:
        for example in rng.permutation(np.flatnonzero(kind == wanted))[:EXAMPLES]:
            same = (kind == wanted) & (person != person[example])
            chosen = np.flatnonzero(same | ((kind != wanted) & (rng.random(len(kind)) < OTHERS)))
            rule = shelved(
                (vectors[None, example], likely[None, example]), (said[None], said_kinds[None])
            )
            for at in chosen:
                seen.append(features(vectors[at], likely[at], rule)[:, 0])
            holds.append(same[chosen])
    return np.array(seen), np.concatenate(holds)


def mixed(seen: Floats, holds: npt.NDArray[np.bool_]) -> Floats:
    """Logistic regression by Newton steps, both answers weighing the same; the constant last."""
    middle, spread = seen.mean(0), seen.std(0) + 1e-9
    inputs = np.c_[(seen - middle) / spread, np.ones(len(seen))]
    weight = np.where(holds, 0.5 / holds.mean(), 0.5 / (1 - holds.mean()))
    mix = np.zeros(inputs.shape[1])
    for _ in range(30):
        likely = 1 / (1 + np.exp(-inputs @ mix))
        slope = inputs.T @ ((likely - holds) * weight) + 0.1 * mix
        bend = (inputs * (weight * likely * (1 - likely))[:, None]).T @ inputs
        mix -= np.linalg.solve(bend + 0.1 * np.eye(len(mix)), slope)
    plain = mix[:-1] / spread
    return np.append(plain, mix[-1] - plain @ middle).astype(np.float32)


def recall_at(
    seen: Floats, holds: npt.NDArray[np.bool_], mix: Floats, share: float
) -> tuple[float, float]:
    """The floor over which `share` of the pairs that do not belong lie, and of those that do."""
    likely = 1 / (1 + np.exp(-(seen @ mix[:-1] + mix[-1])))
    floor = float(np.quantile(likely[~holds], 1 - share))
    return floor, float((likely[holds] >= floor).mean())
