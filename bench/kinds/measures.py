"""Measures how well the request kinds tell which rule applies, and fits the weights of that
decision.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from lull.backends.reader.request_kinds import kind_rule_arrays, match_features

Floats = npt.NDArray[np.float32]
Read = tuple[Floats, Floats]
EXAMPLES_PER_RULE = 4
"""Number of example requests tried with each rule, as the request that the rule was said after."""
OTHER_KINDS_SHARE = 0.12
"""Share of the requests of other kinds that are sampled as negatives for each rule and example."""


def likelihoods(
    requests: Sequence[tuple[Read, int, str]], rules: Sequence[tuple[Read, int]]
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return the features of (rule, request) pairs and whether the rule applies, which is so for
    requests of the same kind by another person.
    """
    rng = np.random.default_rng(0)
    vectors = np.array([vector for (vector, _), _, _ in requests])
    likely = np.array([kinds for (_, kinds), _, _ in requests])
    kind = np.array([kind for _, kind, _ in requests])
    person = np.array([who for _, _, who in requests])
    seen, holds = [], []
    for (said, said_kinds), wanted in rules:
        for example in rng.permutation(np.flatnonzero(kind == wanted))[:EXAMPLES_PER_RULE]:
            same = (kind == wanted) & (person != person[example])
            chosen = np.flatnonzero(
                same | ((kind != wanted) & (rng.random(len(kind)) < OTHER_KINDS_SHARE))
            )
            rule = kind_rule_arrays(
                (vectors[None, example], likely[None, example]), (said[None], said_kinds[None])
            )
            for at in chosen:
                seen.append(match_features(vectors[at], likely[at], rule)[:, 0])
            holds.append(same[chosen])
    return np.array(seen), np.concatenate(holds)


def mixed(seen: Floats, holds: npt.NDArray[np.bool_]) -> Floats:
    """Fit a logistic regression with balanced classes by Newton steps; return the weights, the
    constant last.
    """
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
    """Return the threshold that `share` of the negative pairs exceed, and the recall on the
    positive pairs at it.
    """
    likely = 1 / (1 + np.exp(-(seen @ mix[:-1] + mix[-1])))
    floor = float(np.quantile(likely[~holds], 1 - share))
    return floor, float((likely[holds] >= floor).mean())
