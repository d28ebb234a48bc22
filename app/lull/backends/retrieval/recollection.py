"""Predicts from past requests which skills a new request needs, by kernel ridge regression.

Every past request is a unit vector, with a label for each skill: 1 if the skill was useful for it,
else 0. The prediction for a new request is a weighted sum of these labels. The weights are `(K +
D)^-1 k` (Saunders, Gammerman & Vovk, ICML 1998), computed in the space of the vectors, so that a
new request costs one rank-one update (Sherman & Morrison, 1950). For a client with few requests the
equation is solved in the space of the requests instead: its matrix takes a few kilobytes, the other
one three megabytes. Similar requests add up, repeated ones do not count twice, and requests that
needed no skill count against every skill.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lull.core.skills.past_requests import NO_SKILL, PastRequestScores
from lull.core.skills.skill_ranking import least_wanted

NOISE = 1.0
"""Noise variance of a label (1 if the skill was useful for the request, else 0), relative to the
variance of labels between unlike requests: with a single past request of similarity c, the
regression predicts c / (1 + NOISE)."""
REFUSAL = 3.0
"""Weight of a past request that needed no skill, against 1 for one that needed some: it cannot be
mistaken about which skill was meant."""
_BLOCK_ROWS = 16
"""Rows per matrix product; for more, BLAS wakes a second thread, which costs more than the
product."""
FEW_REQUESTS = 64
"""Most past requests of a client for which the regression is solved in the space of the requests,
as a (requests, requests) matrix, instead of the space of the vectors.
"""
ROUNDING = 1e-6
"""What sums of single-precision weights may be off by."""
_BYTES_PER_REQUEST = 1000
"""About what the names and ids of one past request take, besides its vector."""

Vector = npt.NDArray[np.float32]
Matrix = npt.NDArray[np.float32]
RequestWeights = npt.NDArray[np.float64]


@dataclass(slots=True)
class _Request:
    """One past request, by the ids of its exemplars."""

    skills: dict[str, str]
    """Exemplar id → skill, `NO_SKILL` where it wanted none."""
    known: int
    """Library generation that it was answered with."""

    @property
    def wanted(self) -> list[str]:
        return [skill for skill in self.skills.values() if skill != NO_SKILL]


@dataclass(slots=True, kw_only=True)
class _Labels:
    """The labels of all rows as arrays, valid until the next change."""

    skills: list[str]
    place_of: dict[str, int]
    """Place of each name in `skills`."""
    pairs: npt.NDArray[np.int64]
    """(row, place in `skills`) of every wanted skill, shape (2, pairs)."""
    helped: npt.NDArray[np.int64]
    """Rows that wanted a skill."""
    refused: npt.NDArray[np.int64]
    """Rows that wanted none, oldest generation first."""
    generations: list[int]
    """Of `refused`."""
    factors: RequestWeights
    """What each row's likeness is multiplied with, shape (requests,)."""


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What a request is multiplied with in one step, computed beside the requests."""

    products: Matrix
    changes: int
    """How many changes the past requests had seen when this was computed."""


class PastRequests:
    """One client's past requests and the skills that were useful for them; predicts which skills a
    new request needs.

    The requests are the rows of a (capacity, dimensions) matrix that doubles when full.
    """

    def __init__(self, *, few: int = FEW_REQUESTS) -> None:
        """Create an empty memory; the regression is solved in the space of the requests while there
        are at most `few` of them.
        """
        self._few = few
        self._turns: list[str] = []
        self._row_of: dict[str, int] = {}
        self._requests: list[_Request] = []
        self._turn_of: dict[str, str] = {}
        self._matrix: Matrix = np.zeros((0, 0), np.float32)
        self._solved: RequestWeights | None = None
        """(I + Xᵀ D⁻¹ X)⁻¹, shape (dimensions, dimensions); None for few requests."""
        self._quick: Matrix = np.zeros((0, 0), np.float32)
        """What a query is multiplied with: the same in single precision, or for few requests
        (I + X Xᵀ D⁻¹)⁻¹ of shape (requests, requests). Valid while not `_stale`."""
        self._stale = True
        self._labels: _Labels | None = None
        self._foreseen: Matrix | None = None
        """(X S)ᵀ, shape (dimensions, requests), with `S` as in `_quick`; None after a change, until
        `foresee` is given it again."""
        self._changes = 0

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Every stored entry as (id, skill that was useful for the request), with `NO_SKILL` if
        none was.
        """
        return [pair for request in self._requests for pair in request.skills.items()]

    @property
    def bytes_held(self) -> int:
        """Approximate number of bytes of memory that this client's past requests take."""
        arrays = [self._matrix, self._quick, self._foreseen]
        held = sum(array.nbytes for array in arrays if array is not None)
        held += self._solved.nbytes if self._solved is not None else 0
        return held + _BYTES_PER_REQUEST * len(self._turns)

    @property
    def empty(self) -> bool:
        """Whether there are no past requests."""
        return not self._turns

    def put(self, id_: str, skill: str, vector: Vector, known: int) -> None:
        """Add a past request with a skill that was useful for it; the id must be new.

        `known` is the version of the skill library with which the request was answered.
        """
        turn = id_.rpartition(":")[0] or id_
        if turn not in self._row_of:
            self._append(turn, vector, known)
        row = self._row_of[turn]
        before = self._noise(row)
        self._requests[row].skills[id_] = skill
        self._turn_of[id_] = turn
        self._weigh(row, before)

    def drop(self, ids: set[str]) -> None:
        """Remove entries by their ids, each a past request with a skill that was useful for it;
        unknown ids are ignored.
        """
        gone: set[int] = set()
        for id_ in ids & self._turn_of.keys():
            row = self._row_of[self._turn_of.pop(id_)]
            before = self._noise(row)
            del self._requests[row].skills[id_]
            self._weigh(row, before)
            if not self._requests[row].skills:
                gone.add(row)
        if gone:
            self._changed()
            keep = [row for row in range(len(self._turns)) if row not in gone]
            self._matrix = _in_blocks(self._matrix[keep], len(keep), self._matrix.shape[1])
            self._turns = [self._turns[row] for row in keep]
            self._requests = [self._requests[row] for row in keep]
            self._row_of = {turn: row for row, turn in enumerate(self._turns)}

    def _append(self, turn: str, vector: Vector, known: int) -> None:
        row = len(self._turns)
        if row >= len(self._matrix):
            self._matrix = _in_blocks(self._matrix[:row], max(_BLOCK_ROWS, 2 * row), len(vector))
        if self._solved is None and row == self._few:
            self._solved = self._inverted()
        self._changed()
        self._matrix[row] = vector
        self._turns.append(turn)
        self._requests.append(_Request(skills={}, known=known))
        self._row_of[turn] = row

    def _changed(self) -> None:
        self._foreseen = None
        self._changes += 1

    def _noise(self, row: int) -> float | None:
        """The variance of a row's label, None while it has none."""
        request = self._requests[row]
        if not request.skills:
            return None
        return NOISE if request.wanted else NOISE / REFUSAL

    def _weigh(self, row: int, before: float | None) -> None:
        """Let the solution follow a row whose label changed."""
        self._stale, self._labels = True, None
        self._changed()
        now = self._noise(row)
        change = (1 / now if now else 0.0) - (1 / before if before else 0.0)
        if change and self._solved is not None:
            x = self._matrix[row].astype(np.float64)
            moved = self._solved @ x
            self._solved -= np.outer(moved, moved) * (change / (1 + change * (x @ moved)))

    def _precisions(self) -> RequestWeights:
        """Return 1 / variance of every row's label, shape (requests,)."""
        return np.array([1 / (self._noise(row) or np.inf) for row in range(len(self._turns))])

    def _inverted(self) -> RequestWeights:
        """Return (I + Xᵀ D⁻¹ X)⁻¹ of the rows so far."""
        x = self._matrix[: len(self._turns)].astype(np.float64)
        solved = np.linalg.inv(np.eye(x.shape[1]) + (x.T * self._precisions()) @ x)
        return solved.astype(np.float64, copy=False)

    def _inverted_few(self) -> RequestWeights:
        """Return (I + X Xᵀ D⁻¹)⁻¹, whose product with X q is that of `_inverted` with q, then X."""
        x = self._matrix[: len(self._turns)].astype(np.float64)
        solved = np.linalg.inv(np.eye(len(x)) + (x @ x.T) * self._precisions())
        return solved.astype(np.float64, copy=False)

    def oldest_without_skill(self, most: int) -> list[str]:
        """Return the ids of the past requests that needed no skill, except the newest `most` of
        them.
        """
        ids = [id_ for id_, skill in self.pairs if skill == NO_SKILL]
        return ids[: max(0, len(ids) - most)]

    def scores_by_skill(
        self,
        query: Vector,
        *,
        since: Callable[[str], int | None],
        also: Collection[str],
        least: float,
    ) -> dict[str, PastRequestScores]:
        """Predict for a new request (its vector `query`) how much each skill is needed, by the
        skill's name.

        The skills are those that were ever useful and whose `past_request_score` may reach `least`,
        and those in `also`. `since` returns the version of the skill library in which a skill first
        appeared: requests answered before say nothing against that skill. A skill for which `since`
        returns None is left out.
        """
        if not self._turns:
            return {}
        labels = self._labels = self._labels or self._labelled()
        weights = self._explained(query) * labels.factors
        wanted = np.bincount(
            labels.pairs[1], weights[labels.pairs[0]], minlength=len(labels.skills)
        )
        helped = float(weights[labels.helped].sum())
        against = np.zeros(len(labels.refused) + 1)
        against[:-1] = weights[labels.refused][::-1].cumsum()[::-1]
        enough = least_wanted(least, most_helped=helped - float(against.min()))
        # Of a thousand skills that were ever useful, few are worth a look for one request.
        places = {*(wanted >= enough - ROUNDING).nonzero()[0].tolist()}
        places |= {labels.place_of[name] for name in also if name in labels.place_of}
        near = {labels.skills[place]: float(wanted[place]) for place in places}
        return {
            name: PastRequestScores(
                wanted=near.get(name, 0.0),
                helped=helped - float(against[bisect_left(labels.generations, generation)]),
                among=len(self._turns),
            )
            for name in {*near, *also}
            if (generation := since(name)) is not None
        }

    def _explained(self, query: Vector) -> Vector:
        """Return X (I + Xᵀ D⁻¹ X)⁻¹ q: how alike each row is, less what other rows say already."""
        if self._foreseen is not None:
            # Of a vector's places few are not 0, so little of the memory is read.
            at = query.nonzero()[0]
            foreseen: Vector = query[at] @ self._foreseen[at]
            return foreseen
        if self._stale:
            solved = self._inverted_few() if self._solved is None else self._solved
            self._quick, self._stale = solved.astype(np.float32), False
        if self._solved is None:
            few: Vector = self._quick @ self._products(query)
            return few
        return self._products(_product(self._quick, query))

    def foreseeing(self) -> Callable[[], Foreseen] | None:
        """Return a function that computes beside the requests what makes the next of them cheaper,
        for `foresee`; None if there is nothing to compute, or nothing to be gained.

        The function may run in another thread while requests are stored.
        """
        if self._foreseen is not None or self._stale or self._solved is None:
            return None
        used, quick, changes = self._used(), self._quick, self._changes
        count = len(self._turns)

        def work() -> Foreseen:
            blocks = used.reshape(-1, _BLOCK_ROWS, used.shape[1]) @ quick
            products = np.ascontiguousarray(blocks.reshape(used.shape)[:count].T)
            return Foreseen(products, changes)

        return work

    def foresee(self, foreseen: Foreseen) -> None:
        """Take what a function of `foreseeing` has computed, unless there was a change since."""
        if foreseen.changes == self._changes:
            self._foreseen = foreseen.products

    def _labelled(self) -> _Labels:
        places: dict[str, int] = {}
        pairs = [
            (row, places.setdefault(skill, len(places)))
            for row, request in enumerate(self._requests)
            for skill in request.wanted
        ]
        refused = [row for row, request in enumerate(self._requests) if not request.wanted]
        refused.sort(key=lambda row: self._requests[row].known)
        factors = np.full(len(self._turns), (1 + NOISE) / NOISE)
        factors[refused] *= REFUSAL
        return _Labels(
            skills=[*places],
            place_of=places,
            pairs=np.array(pairs, np.int64).reshape(-1, 2).T,
            helped=np.array([r for r, one in enumerate(self._requests) if one.wanted], np.int64),
            refused=np.array(refused, np.int64),
            generations=[self._requests[row].known for row in refused],
            factors=factors,
        )

    def _products(self, query: Vector) -> Vector:
        return _product(self._used(), query)[: len(self._turns)]

    def _used(self) -> Matrix:
        """The rows of all past requests, in whole blocks."""
        return self._matrix[: -(-len(self._turns) // _BLOCK_ROWS) * _BLOCK_ROWS]


def _product(rows: Matrix, query: Vector) -> Vector:
    """Multiply a matrix of whole blocks with a vector."""
    product: Vector = (rows.reshape(-1, _BLOCK_ROWS, len(query)) @ query).ravel()
    return product


def _in_blocks(rows: Matrix, capacity: int, width: int) -> Matrix:
    """Copy the rows into a zero-padded matrix of whole blocks."""
    grown = np.zeros((-(-capacity // _BLOCK_ROWS) * _BLOCK_ROWS, width), np.float32)
    if len(rows):
        grown[: len(rows)] = rows
    return grown
